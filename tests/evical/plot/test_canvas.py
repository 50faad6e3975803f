"""Every display keeps its texts on the canvas of a small figure, and apart from each other."""

from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure
from matplotlib.text import Text
from mpl_toolkits.mplot3d.art3d import Text3D

from dstheory import Frame, MassFunction
from dstheory.inference import GRFN, LikelihoodContour, binomial_contour
from dstheory.network import ValuationNetwork
from dstheory.plot import (
    BoundsDisplay,
    HasseDisplay,
    JoinTreeDisplay,
    LevelSetDisplay,
    MassDisplay,
    NetworkDisplay,
    ParameterContourDisplay,
)
from evical.calibrators import LogisticCalibrator
from evical.plot import (
    BeliefBandDisplay,
    BeliefIntervalDisplay,
    ContourDisplay,
    CouplingDisplay,
    CredalPartitionDisplay,
    CriticalDifferenceDisplay,
    FusionWeightsDisplay,
    MartingaleDisplay,
    PValuesDisplay,
    ReliabilityDisplay,
    RiskCoverageDisplay,
    SimplexDisplay,
)
from evical.significance import Results

NAME = "an uncommonly long name of a class, number"
FEW, MANY = ([f"{NAME} {i}" for i in range(n)] for n in (3, 26))
RNG = np.random.default_rng(0)
SCORES = {n: RNG.normal(size=n) for n in (3, 100_000)}
Y = {n: (RNG.random(n) < 1 / (1 + np.exp(-s))).astype(int) for n, s in SCORES.items()}
Y[3][:2] = 0, 1
LOGISTIC = LogisticCalibrator().fit(SCORES[100_000][:60], Y[100_000][:60])
PLANE = LikelihoodContour(lambda a, b: -(a**2) - b**2, [(-9, 9), (-9, 9)], mode=(0, 0))


def beliefs(n, labels):
    """Random mass functions on the classes and all of them, and their labels."""
    masses = RNG.dirichlet(np.ones(len(labels) + 1), n)
    focal = [1 << k for k in range(len(labels))] + [2 ** len(labels) - 1]
    return MassFunction(Frame(labels), focal, masses), RNG.choice(labels, n)


def one(labels):
    m, _ = beliefs(1, labels)
    return m[0]


def intervals(n, labels, columns):
    def draw(figure):
        m, y = beliefs(n, labels)
        shape = (1, 1) if columns == 0 else (-(-len(labels) // columns), columns)
        figure.set_size_inches(4 * shape[1], 3 * shape[0])
        axes = figure.subplots(*shape, squeeze=False).ravel()
        options = {"pos_label": labels[0]} if columns == 0 else {}
        count = 1 if columns == 0 else len(labels)
        for unused in axes[count:]:
            unused.remove()
        BeliefIntervalDisplay.from_predictions(y, m, name=NAME, ax=axes[:count], **options)

    return draw


def foreign(draw):
    """Draw into axes of the figure."""
    return lambda figure: draw(figure.subplots())


def clusters(n, labels):
    m, _ = beliefs(n, labels)
    places = RNG.normal(size=(n, 2))
    return foreign(lambda ax: CredalPartitionDisplay.from_mass(m, places, ax=ax))


def ranks(labels, test="nemenyi"):
    values = RNG.random((12, len(labels))) + np.linspace(0, 1, len(labels))
    return foreign(
        lambda ax: CriticalDifferenceDisplay.from_results(Results(values, labels), test=test, ax=ax)
    )


def weights(labels, classes):
    values = RNG.random((len(labels), len(classes))) if classes else RNG.random(len(labels))
    return foreign(
        lambda ax: FusionWeightsDisplay(
            values,
            standard_error=np.full_like(values, 0.2),
            members=labels,
            class_names=classes or None,
        ).plot(ax)
    )


def reliability(n, **options):
    p = 1 / (1 + np.exp(-SCORES[n]))

    def draw(figure):
        ax, counts_ax = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1))
        ReliabilityDisplay.from_predictions(
            Y[n], p, name=NAME, class_name=FEW[0], ax=ax, counts_ax=counts_ax, **options
        )

    return draw


def p_values(p):
    def draw(figure):
        misses_ax, ax = figure.subplots(1, 2)
        figure.set_size_inches(8, 3)
        PValuesDisplay(p, n_calibration=99, name=NAME).plot(ax, misses_ax=misses_ax)

    return draw


def both_levels(figure):
    marginal_ax, ax = figure.subplots(2, 1, sharex=True, height_ratios=(1, 2))
    LevelSetDisplay.from_contour(PLANE, names=(FEW[0], FEW[1]), ax=ax, marginal_ax=marginal_ax)


NETWORK = ValuationNetwork({"rain of last night": ["yes", "no"], "a wet lawn": ["yes", "no"]})
NETWORK = NETWORK.observe({"a wet lawn": "yes"})
CODE = [[1, 1, 0], [-1, 0, 1], [0, -1, -1]]

CASES = {
    "mass 3": foreign(lambda ax: MassDisplay.from_mass(one(FEW), ax=ax)),
    "mass sources": foreign(
        lambda ax: MassDisplay.from_mass(dict.fromkeys(FEW, one(FEW)), show=["bel", "pl"], ax=ax)
    ),
    "mass 26": foreign(lambda ax: MassDisplay.from_mass(one(MANY), ax=ax)),
    "hasse 3": foreign(lambda ax: HasseDisplay.from_mass(one(FEW), ax=ax)),
    "levels": both_levels,
    "parameter": foreign(
        lambda ax: ParameterContourDisplay.from_contour(binomial_contour(1, 2), name=NAME, ax=ax)
    ),
    "parameter areas": foreign(
        lambda ax: ParameterContourDisplay.from_contour(binomial_contour(1, 2), areas=True, ax=ax)
    ),
    "bounds": foreign(lambda ax: BoundsDisplay.from_belief(GRFN(5, 4, 1), name=NAME, ax=ax)),
    "network": foreign(lambda ax: NetworkDisplay.from_network(NETWORK, ax=ax)),
    "join tree": foreign(lambda ax: JoinTreeDisplay.from_network(NETWORK, ax=ax)),
    "contour": foreign(
        lambda ax: ContourDisplay.from_estimator(LOGISTIC, 0.5, class_names=FEW[:2], ax=ax)
    ),
    "capital": foreign(lambda ax: MartingaleDisplay([0.5, 2, 5], name=NAME).plot(ax)),
    "coupling": foreign(
        lambda ax: CouplingDisplay.from_predictions(
            [[0.9, 0.6, 0.6]], CODE, updates=["minorize", "zadrozny", "scoring"], ax=ax
        )
    ),
    "simplex": foreign(lambda ax: SimplexDisplay.from_mass(dict.fromkeys(FEW, one(FEW)), ax=ax)),
    "tetrahedron": lambda figure: SimplexDisplay.from_mass(
        dict.fromkeys(FEW, one(MANY[:4])), ax=figure.add_subplot(projection="3d")
    ),
    "ranks 3": ranks(FEW),
    "ranks 26": ranks(MANY),
    "ranks control": ranks(FEW, "holm"),
    "weights 3": weights(FEW, []),
    "weights 26": weights(MANY, FEW),
    "weights map": weights(FEW, MANY),
    "intervals of 3 classes": intervals(30, FEW, 3),
    "intervals of 26 classes": intervals(3, MANY, 0),
    "clusters 26": clusters(200, MANY),
}
for n in (3, 100_000):
    p = 1 / (1 + np.exp(-SCORES[n]))
    CASES |= {
        f"band {n}": foreign(
            lambda ax, n=n: BeliefBandDisplay.from_estimator(
                LOGISTIC, SCORES[n], Y[n], n_bins=2, name=NAME, class_name=FEW[0], ax=ax
            )
        ),
        f"reliability {n}": reliability(n, interval="clopper_pearson", density="classes"),
        f"corp {n}": reliability(n, strategy="corp", random_state=0, n_resamples=20, density="rug"),
        f"risk {n}": foreign(
            lambda ax, n=n, p=p: RiskCoverageDisplay.from_predictions(Y[n], p, name=NAME, ax=ax)
        ),
        f"p-values {n}": p_values(p),
        f"intervals {n}": intervals(n, FEW, 0),
        f"clusters {n}": clusters(n, FEW),
    }


def shown_texts(figure):
    """Texts that are drawn, with their boxes in pixels."""
    figure.draw_without_rendering()
    # Of texts in three dimensions matplotlib knows no place.
    found = [
        text
        for text in figure.findobj(Text)
        if text.get_visible() and text.get_text() and not isinstance(text, Text3D)
    ]
    boxes = [(text, text.get_window_extent()) for text in found]
    drawn = set()
    for ax in figure.axes:
        hidden = {
            label
            for axis in (ax.xaxis, ax.yaxis)
            for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks())
            for label in (tick.label1, tick.label2)
            if not ax.axison
            or not axis.get_visible()
            or not min(axis.get_view_interval()) <= tick.get_loc() <= max(axis.get_view_interval())
        }
        if not ax.axison:
            hidden |= {ax.xaxis.label, ax.yaxis.label}
        drawn |= hidden
    return [(text, box) for text, box in boxes if text not in drawn]


def faults(figure):
    """Texts that leave the canvas, and pairs that overlap."""
    texts = shown_texts(figure)
    width, height = figure.bbox.width, figure.bbox.height
    cut = [
        (text.get_text(), box.extents.round().tolist())
        for text, box in texts
        if box.x0 < -1 or box.y0 < -1 or box.x1 > width + 1 or box.y1 > height + 1
    ]
    pairs = [
        (a.get_text(), b.get_text())
        for (a, one), (b, other) in combinations(texts, 2)
        # Boxes of slanted texts are wider than these.
        if a.get_rotation() % 90 == b.get_rotation() % 90 == 0
        and min(one.x1, other.x1) - max(one.x0, other.x0) > 1
        and min(one.y1, other.y1) - max(one.y0, other.y0) > 1
    ]
    return cut + pairs


def test_texts_lie_on_the_canvas_and_apart():
    found = {}
    for name, draw in CASES.items():
        figure = Figure(figsize=(4, 3))
        draw(figure)
        wrong = faults(figure)
        if wrong:
            found[name] = wrong
    assert not found


NEW = {
    "reliabilities": lambda: FusionWeightsDisplay(
        [0.5, 0.4, 0.2], standard_error=[0.1, 0.1, 0.1], kind="correlation"
    ).plot(),
    "network": lambda: NetworkDisplay.from_network(NETWORK),  # of which one variable has no links
    "join tree": lambda: JoinTreeDisplay.from_network(NETWORK),
    "p-values": lambda: PValuesDisplay([0.1, 0.4, 0.8], n_calibration=99).plot(),
    "intervals": lambda: BeliefIntervalDisplay.from_predictions(
        *beliefs(200, [f"class {k}" for k in range(10)])[::-1]
    ),
}


def test_texts_lie_on_the_canvas_of_new_figures():
    found = {}
    for name, draw in NEW.items():
        draw()
        wrong = faults(plt.gcf())
        if wrong:
            found[name] = wrong
    assert not found
