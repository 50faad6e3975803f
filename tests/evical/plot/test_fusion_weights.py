"""Weights of a fusion, drawn: numbers, intervals, order and names; and what has none."""

from itertools import pairwise

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy.stats import norm
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from dstheory.combine import dempster
from evical import EvidentialEnsemble, EvidentialFusion
from evical.fusion import Discounted, Mixture, Stacked, TNorm
from evical.plot import FusionWeightsDisplay
from tests.support.each import each
from tests.support.probabilities import fit_to_probabilities

W = np.array([0.5, 0.9, -0.2])
ERRORS = np.array([0.1, 0.2, 0.05])
NAMES = ["a", "$b$", "_c"]


@pytest.fixture
def ax():
    return Figure(figsize=(5, 4)).subplots()


def stacked(n_classes, n_sources=3, n=200, penalty="learned"):
    """Sources that are right more often the earlier they come, and their fusion."""
    rng = np.random.default_rng(0)
    y = rng.integers(n_classes, size=n)
    skill = np.linspace(2, 0.5, n_sources)[:, np.newaxis, np.newaxis]
    logits = rng.normal(size=(n_sources, n, n_classes)) + skill * np.eye(n_classes)[y]
    p = np.exp(logits) / np.exp(logits).sum(axis=2, keepdims=True)
    names = [f"class {k}" for k in range(n_classes)]
    return fit_to_probabilities(Stacked(penalty=penalty), p, np.array(names)[y], names)


def ends(container):
    """Ends of the horizontal bars, from the first row down."""
    (bars,) = container.lines[2]
    return np.array([path[:, 0] for path in bars.get_segments()])


def rows(ax):
    return [text.get_text() for text in ax.get_yticklabels()]


def test_points_and_intervals_are_the_numbers(ax):
    display = FusionWeightsDisplay(W, standard_error=ERRORS, members=NAMES).plot(ax)
    (drawn,) = display.intervals_
    points = drawn.lines[0]
    assert points.get_xdata().tolist() == W.tolist()
    assert points.get_ydata().tolist() == [0, 1, 2]
    expected = np.column_stack([W - 1.959964 * ERRORS, W + 1.959964 * ERRORS])
    assert ends(drawn) == pytest.approx(expected)
    assert display.interval == pytest.approx(expected)
    assert [line.get_xdata()[0] for line in display.marks_] == [0, 1]
    assert rows(ax) == ["a", r"\$b\$", " _c"]
    assert ax.get_ylim() == (2.5, -0.5)  # the first member on top
    assert display.map_ is None


def test_the_level_is_a_choice(ax):
    display = FusionWeightsDisplay(W, standard_error=ERRORS, confidence=0.5).plot(ax)
    assert ends(display.intervals_[0])[:, 1] == pytest.approx(W + norm.ppf(0.75) * ERRORS)
    assert ax.get_xlabel() == "Weight of evidence, 50 % interval"


def test_order_by_weight(ax):
    display = FusionWeightsDisplay(
        W, standard_error=ERRORS, members=["a", "b", "c"], order="weight"
    ).plot(ax)
    assert rows(ax) == ["b", "a", "c"]
    assert display.intervals_[0].lines[0].get_xdata().tolist() == [0.9, 0.5, -0.2]
    assert ends(display.intervals_[0]).mean(axis=1) == pytest.approx([0.9, 0.5, -0.2])
    assert display.weights.tolist() == W.tolist()


def test_an_ensemble_of_two_classes(ax):
    rng = np.random.default_rng(0)
    y = np.array(["no", "yes"])[rng.integers(2, size=120)]
    X = rng.normal(size=(120, 2)) + (y == "yes")[:, np.newaxis]
    members = [("nb", GaussianNB()), ("lr", LogisticRegression())]
    ensemble = EvidentialEnsemble(members, cv=2).fit(X, y)
    display = FusionWeightsDisplay.from_estimator(ensemble, ax=ax)
    assert display.members == ("nb", "lr")
    assert np.array_equal(display.weights, ensemble.fusion_.weights_)
    spread = 1.959964 * ensemble.fusion_.standard_error_
    assert display.interval == pytest.approx(
        np.column_stack([display.weights - spread, display.weights + spread])
    )
    renamed = FusionWeightsDisplay.from_estimator(ensemble, members=["x", "y"], ax=ax)
    assert renamed.members == ("x", "y")


def test_classes_stand_side_by_side_in_a_row(ax):
    fusion = stacked(3)
    display = FusionWeightsDisplay.from_fusion(fusion, members=NAMES, ax=ax)
    assert len(display.intervals_) == 3
    for k, drawn in enumerate(display.intervals_):
        assert drawn.lines[0].get_xdata().tolist() == fusion.weights_[:, k].tolist()
        assert np.abs(drawn.lines[0].get_ydata() - np.arange(3)).max() < 0.5
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts[2:] == ["class 0", "class 1", "class 2"]
    assert display.interval.shape == (3, 3, 2)


def test_many_classes_are_a_map(ax):
    fusion = stacked(6)
    display = FusionWeightsDisplay.from_fusion(fusion, order="weight", ax=ax)
    order = np.argsort(-fusion.weights_.mean(axis=1))
    shown = np.asarray(display.map_.get_array()).reshape(3, 6)
    assert shown == pytest.approx(fusion.weights_[order])
    low, high = display.map_.get_clim()
    assert low == -high  # 0 has the color of the paper
    unclear = np.abs(fusion.weights_) <= 1.959964 * fusion.standard_error_
    places = np.argwhere(unclear[order])[:, ::-1]
    assert display.doubtful_.get_offsets().tolist() == places.tolist()
    assert [text.get_text() for text in ax.get_xticklabels()] == [f"class {k}" for k in range(6)]


def test_a_map_of_reliabilities_runs_from_0_to_1(ax):
    rates = np.full((2, 5), 0.25)
    rates[1, 4] = 1.0
    fusion = Discounted(rates=rates, contextual=True).fit(sizes=[1, 1])
    display = FusionWeightsDisplay.from_fusion(fusion, ax=ax)
    assert display.map_.get_clim() == (0, 1)
    assert display.doubtful_ is None
    assert display.weights == pytest.approx(1 - rates)
    assert len(display.marks_) == 2


def test_weights_that_classes_share_are_drawn_once(ax):
    """Of hundreds of coefficients, one a source is learned."""
    fusion = stacked(26, n_sources=16, n=200)
    assert fusion.weights_.shape == (16, 26)
    assert (fusion.weights_ == fusion.weights_[:, :1]).all()
    display = FusionWeightsDisplay.from_fusion(fusion, ax=ax)
    assert display.weights.shape == (16,)
    assert len(display.intervals_) == 1


@pytest.mark.parametrize(
    ("fusion", "weights", "label"),
    [
        (Discounted(rates=[0.25, 1.0]), [0.75, 0.0], "Reliability, 1 - discount rate"),
        (Mixture(weights="size"), [0.75, 0.25], "Weight in the mean"),
    ],
    ids=["discounted", "mixture"],
)
def test_other_fusions_have_no_intervals(ax, fusion, weights, label):
    display = FusionWeightsDisplay.from_fusion(fusion.fit(sizes=[30, 10]), ax=ax)
    assert display.weights.tolist() == weights
    assert display.members == ("member 1", "member 2")
    assert display.interval is None
    assert ax.get_xlabel() == label


def test_intervals_and_repetitions_of_sources_without_labels(ax):
    rng = np.random.default_rng(0)
    truth = rng.random(200) < 0.5
    votes = {
        name: np.where(truth ^ (rng.random(200) > share), "yes", "no")
        for name, share in {"a": 0.9, "b": 0.8, "c": 0.7}.items()
    }
    fusion = EvidentialFusion().fit({**votes, "again a": votes["a"]})
    display = FusionWeightsDisplay.from_estimator(fusion, order="weight", ax=ax)
    rule = fusion.fusion_
    assert display.interval.tolist() == rule.reliability_interval_.tolist()
    assert ax.get_xlabel().endswith("95 % interval")
    places = [text.get_text() for text in ax.get_yticklabels()]
    (bracket,) = display.brackets_
    joined = {places[int(row)] for row in bracket.get_ydata()}
    assert joined == {"a", "again a"}
    assert "joined" in bracket.get_label()
    (drawn,) = display.intervals_
    ends = [segment[:, 0].tolist() for segment in drawn.lines[2][0].get_segments()]
    assert ends == pytest.approx(rule.reliability_interval_[np.argsort(-rule.reliability_)])
    same = FusionWeightsDisplay.of_sources(rule.by_source(), members=fusion.source_names_)
    assert same.interval.tolist() == display.interval.tolist()


@pytest.mark.parametrize("count", [100, 1000])
def test_many_members_have_legible_names(count):
    ax = Figure(figsize=(4.8, 3.6)).subplots()
    weights = np.linspace(0, 0.1, count)
    display = FusionWeightsDisplay(weights, standard_error=weights / 3).plot(ax)
    sizes = {text.get_fontsize() for text in ax.get_yticklabels()}
    assert min(sizes) >= 5
    ax.figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in ax.get_yticklabels()]
    assert not any(one.overlaps(two) for one, two in pairwise(boxes))
    assert display.size[1] <= 12


def test_a_new_figure_has_room_for_all():
    few, many = (FusionWeightsDisplay(np.full(n, 0.5)).size for n in (3, 20))
    assert many[1] > few[1]
    assert FusionWeightsDisplay(np.full((3, 26), 0.5)).size[0] > few[0]


def test_all_weights_are_0(ax):
    display = FusionWeightsDisplay(np.zeros((2, 5)), standard_error=np.ones((2, 5))).plot(ax)
    low, high = display.map_.get_clim()
    assert low < 0 < high
    assert len(display.doubtful_.get_offsets()) == 10


@each(
    ("call", "kind", "message"),
    [
        (
            lambda: FusionWeightsDisplay.from_fusion(dempster),
            ValueError,
            'dempster has no weights to show; "stack',
        ),
        (
            lambda: FusionWeightsDisplay.from_fusion(
                TNorm(family="frank", parameter=0.5).fit(sizes=[1])
            ),
            ValueError,
            "TNorm.* has no",
        ),
        (
            lambda: FusionWeightsDisplay.from_fusion("stacked"),
            TypeError,
            "fusion is 'stacked', expected a fitted",
        ),
        (lambda: FusionWeightsDisplay.from_fusion(Stacked), TypeError, "expected a fitted fusion"),
        (lambda: FusionWeightsDisplay.from_fusion(Stacked()), ValueError, "not fitted"),
        (
            lambda: FusionWeightsDisplay.from_estimator(EvidentialEnsemble([GaussianNB()])),
            ValueError,
            "not fitted",
        ),
        (lambda: FusionWeightsDisplay.from_estimator(GaussianNB()), TypeError, "expected a fitted"),
        (lambda: FusionWeightsDisplay([]), ValueError, r"have shape \(0,\)"),
        (lambda: FusionWeightsDisplay([[0.1, np.nan]]), ValueError, r"weights\[0, 1\] is nan"),
        (
            lambda: FusionWeightsDisplay([0.5, 1.5], kind="share"),
            ValueError,
            r"weights\[1\] is 1.5, expected a number in \[0, 1\]",
        ),
        (lambda: FusionWeightsDisplay([1], standard_error=[-1]), ValueError, "minimum -1"),
        (lambda: FusionWeightsDisplay([1], standard_error=[1, 2]), ValueError, r"shape \(2,\)"),
        (
            lambda: FusionWeightsDisplay([1], standard_error=[1], interval=[[0, 1]]),
            ValueError,
            "standard_error and interval are both given",
        ),
        (
            lambda: FusionWeightsDisplay([1, 1], interval=[[0, 1]]),
            ValueError,
            r"interval has shape \(1, 2\) and confidence is 0.95, expected \(2, 2\)",
        ),
        (
            lambda: FusionWeightsDisplay([1], interval=[[0, 2]], confidence=0.9),
            ValueError,
            "confidence is 0.9, .* of level 0.95",
        ),
        (lambda: FusionWeightsDisplay([1], alike=[1, 2]), ValueError, r"alike has shape \(2,\)"),
        (
            lambda: FusionWeightsDisplay([1], members=["a", "b"]),
            ValueError,
            r"members are .*, expected 1",
        ),
        (lambda: FusionWeightsDisplay([1], members="a"), TypeError, "members is 'a'"),
        (lambda: FusionWeightsDisplay([1], kind="rate"), ValueError, "kind is 'rate'"),
        (lambda: FusionWeightsDisplay([1], order="name"), ValueError, "order is 'name'"),
        (lambda: FusionWeightsDisplay([1], confidence=95), ValueError, "confidence is 95"),
    ],
    ids=range(21),
)
def test_wrong_input_is_named(call, kind, message):
    with pytest.raises(kind, match=message):
        call()


def test_an_ensemble_by_dempsters_rule_has_no_weights():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), rng.integers(2, size=60)
    ensemble = EvidentialEnsemble([GaussianNB()], rule="dempster", cv=2).fit(X + y[:, None], y)
    with pytest.raises(ValueError, match="dempster has no weights"):
        FusionWeightsDisplay.from_estimator(ensemble)


def test_given_sources_have_their_names():
    truth = np.arange(100) % 2
    noise = np.random.default_rng(0).normal(size=(2, 100))
    given = {"far": noise[0] + truth, "near": noise[1] + 2 * truth}
    display = FusionWeightsDisplay.from_estimator(EvidentialFusion().fit(given, truth))
    assert display.members == ("far", "near")
