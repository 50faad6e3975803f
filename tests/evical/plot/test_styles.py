"""Displays in a dark style: lines and letters are seen on what lies behind them."""

import matplotlib.style
import numpy as np
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Annotation, Text

from dstheory import Frame, MassFunction
from dstheory.inference import GRFN, LikelihoodContour, binomial_contour
from dstheory.plot import (
    BoundsDisplay,
    HasseDisplay,
    LevelSetDisplay,
    MassDisplay,
    ParameterContourDisplay,
)
from dstheory.plot.style import COLORS, band_style
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
from tests.support.each import each

SCORES, Y = np.array([-1.0, -0.5, 0.5, 1.0]), np.array([0, 0, 1, 1])
LOGISTIC = LogisticCalibrator().fit(SCORES, Y)
CODE = [[1, 1, 0], [-1, 0, 1], [0, -1, -1]]
M = MassFunction(Frame(["a", "b", "c"]), [1, 3, 7], [0.5, 0.2, 0.3])
PLANE = LikelihoodContour(lambda a, b: -(a**2) - b**2, [(-9, 9), (-9, 9)], mode=(0, 0))

DRAWN = {
    "reliability": lambda ax: ReliabilityDisplay.from_predictions([0, 1], [0.2, 0.9], ax=ax),
    "band": lambda ax: BeliefBandDisplay.from_estimator(LOGISTIC, SCORES, Y, n_bins=2, ax=ax),
    "contour": lambda ax: ContourDisplay.from_estimator(LOGISTIC, 0.5, ax=ax),
    "intervals": lambda ax: BeliefIntervalDisplay.from_estimator(LOGISTIC, SCORES, Y, ax=ax),
    "ranks": lambda ax: CriticalDifferenceDisplay.from_results([[1, 2, 3], [1, 3, 2]], ax=ax),
    "weights": lambda ax: FusionWeightsDisplay([0.5, 1], standard_error=[0.1, 0.2]).plot(ax),
    "weight map": lambda ax: FusionWeightsDisplay(np.eye(6) / 2).plot(ax),
    "capital": lambda ax: MartingaleDisplay([0.5, 2, 5]).plot(ax),
    "risk": lambda ax: RiskCoverageDisplay.from_predictions([0, 1], [0.2, 0.4], ax=ax),
    "p-values": lambda ax: PValuesDisplay([0.1, 0.4, 0.8]).plot(ax),
    "simplex": lambda ax: SimplexDisplay.from_mass({"one": M, "two": M}, ax=ax),
    "clusters": lambda ax: CredalPartitionDisplay.from_mass(
        MassFunction(Frame([0, 1]), [0, 1, 2, 3], np.eye(4)), np.eye(4)[:, :2], ax=ax
    ),
    "coupling": lambda ax: CouplingDisplay.from_predictions(
        [[0.9, 0.6, 0.6]], CODE, measure="divergence", ax=ax
    ),
    "masses": lambda ax: MassDisplay.from_mass(M, show=["bel", "pl", "q"], ax=ax),
    "hasse": lambda ax: HasseDisplay.from_mass(M, ax=ax),
    "levels": lambda ax: LevelSetDisplay.from_contour(PLANE, marginal=False, ax=ax),
    "parameter": lambda ax: ParameterContourDisplay.from_contour(binomial_contour(1, 2), ax=ax),
    "bounds": lambda ax: BoundsDisplay.from_belief(GRFN(5, 4, 1), ax=ax),
}


def lightness(color):
    return max(to_rgba(color)[:3])


@each("draw", DRAWN.values(), ids=DRAWN)
def test_lines_and_names_are_seen_in_a_dark_style(draw):
    with matplotlib.style.context("dark_background"):
        figure = Figure()
        draw(figure.subplots())
        lines = [line for line in figure.findobj(Line2D) if line.get_linestyle() != "None"]
        assert all(lightness(line.get_color()) > 0.3 for line in lines)
        marks = [line for line in figure.findobj(Line2D) if line.get_marker() not in ("None", "")]
        assert all(lightness(mark.get_color()) > 0.3 for mark in marks)
        for text in figure.findobj(Text):
            box = text.get_bbox_patch() if isinstance(text, Annotation) else None
            assert lightness(text.get_color()) > 0.3
            assert box is None or lightness(box.get_facecolor()) < 0.1


def luminance(color):
    """Of WCAG 2, section 1.4.11."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgba(color)]
    return np.dot(linear[:3], (0.2126, 0.7152, 0.0722))


def test_bands_are_seen_on_dark_paper():
    with matplotlib.style.context("dark_background"):
        edges = [band_style(color, 0.2)["edgecolor"] for color in COLORS.values()]
        display = BeliefBandDisplay.from_estimator(LOGISTIC, SCORES, ax=Figure().subplots())
        edges.append(display.band_.get_edgecolor()[0])
    assert min(luminance(edge) + 0.05 for edge in edges) >= 2.95 * 0.05
    assert band_style("black", 0.2)["lw"] == 0


def test_what_is_open_has_the_color_of_the_paper():
    with matplotlib.style.context("dark_background"):
        display = ContourDisplay.from_estimator(LOGISTIC, 0.5, ax=Figure().subplots())
        assert lightness(display.regions_["01"].get_facecolor()[0]) == 0
