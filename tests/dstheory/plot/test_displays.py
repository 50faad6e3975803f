"""Displays by the artists they leave: what is drawn must be what was computed."""

import subprocess

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy import stats

from dstheory.inference import (
    GRFN,
    LikelihoodContour,
    RandomInterval,
    SampledInterval,
    binomial_contour,
    linear_contour,
    poisson_contour,
    predict,
    predictive,
    predictive_binary,
    profile,
    trapezoidal_contour,
)
from dstheory.plot import BoundsDisplay, LevelSetDisplay, ParameterContourDisplay
from tests.support.strict_python import strict_python

LINE = (-np.inf, np.inf)
PLANE = LikelihoodContour(lambda a, b: -(a**2) / 2 - (b - a) ** 2, [LINE, LINE])
TWO_PEAKS = LikelihoodContour(lambda x: -8 * (x**2 - 1) ** 2, (-3, 3))


@pytest.fixture
def ax():
    return Figure().subplots()


def area(collection) -> float:
    """Area of a filled polygon (shoelace formula)."""
    x, y = collection.get_paths()[0].vertices.T
    return abs(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1))) / 2


def labels(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


# -- one parameter ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "contour",
    [
        *(binomial_contour(k, n) for k, n in [(0, 0), (2, 3), (0, 4), (900, 1000)]),
        trapezoidal_contour(0.2, 0.3, 0.3, 0.6),
    ],
)
def test_areas_are_the_predictive_masses(ax, contour):
    display = ParameterContourDisplay.from_contour(contour, areas=True, ax=ax)
    expected = predictive_binary(RandomInterval(contour))
    for label, region in display.regions_.items():
        assert area(region) == pytest.approx(expected.mass(label), abs=1e-4)
    assert sum(map(area, display.regions_.values())) == pytest.approx(1, abs=1e-9)
    assert ax.get_xlim() == (0, 1)
    assert f"m({{1}}) = {expected.mass(1):.3f}" in labels(ax)


def test_areas_of_part_of_the_unit_interval(ax):
    """Outside the parameter space the plausibility is 0, and jumps at its bounds."""
    contour = LikelihoodContour(lambda x: np.zeros(x.shape), (0.25, 0.5), mode=0.3)
    display = ParameterContourDisplay.from_contour(contour, areas=True, levels=(), ax=ax)
    areas = {label: area(region) for label, region in display.regions_.items()}
    assert areas == pytest.approx({(1,): 0.25, (0,): 0.5, (0, 1): 0.25}, abs=1e-9)


def test_level_sets_stand_on_the_axis_and_end_on_the_contour(ax):
    contour = poisson_contour([3, 5, 4])
    display = ParameterContourDisplay.from_contour(contour, levels=[0.6, 0.2, 1e-6], ax=ax)
    assert list(display.level_lines_) == [0.6, 0.2, 1e-6]
    for level, line in display.level_lines_.items():
        x, y = line.get_data()
        np.testing.assert_allclose(contour.contour(x), level, rtol=1e-8)
        np.testing.assert_array_equal(y, [0, level, level, 0])
    assert ax.get_xlim() == pytest.approx(contour.level_set(1e-6))
    styles = [line.get_linestyle() for line in display.level_lines_.values()]
    assert len(set(styles)) == 3


@pytest.mark.parametrize("n", [10, 10**8])
def test_the_curve_shows_a_contour_of_any_width(ax, n):
    contour = binomial_contour(n // 2, n)
    display = ParameterContourDisplay.from_contour(contour, areas=True, ax=ax)
    x, y = display.line_.get_data()
    np.testing.assert_array_equal(y, contour.contour(x))
    assert np.all(np.diff(x) > 0)
    assert y.max() == 1
    assert np.abs(np.diff(y)).max() < 0.03


def test_several_peaks_need_limits_and_have_no_intervals(ax):
    display = ParameterContourDisplay.from_contour(TWO_PEAKS, levels=(), limits=(-2, 2), ax=ax)
    assert display.line_.get_ydata().max() == pytest.approx(1)
    assert ax.get_legend() is None
    with pytest.raises(ValueError, match=r"peaks at .* give limits"):
        ParameterContourDisplay.from_contour(TWO_PEAKS, levels=(), ax=ax)
    with pytest.raises(ValueError, match="not intervals"):
        ParameterContourDisplay.from_contour(TWO_PEAKS, limits=(-2, 2), ax=ax)


def test_contours_that_cannot_be_drawn(ax):
    flat = LikelihoodContour(np.zeros_like, LINE, mode=0.0)
    with pytest.raises(ValueError, match="unbounded; give limits"):
        ParameterContourDisplay.from_contour(flat, levels=(), ax=ax)
    with pytest.raises(ValueError, match="dimension 2, not 1"):
        ParameterContourDisplay.from_contour(PLANE, ax=ax)
    with pytest.raises(ValueError, match=r"not a part of \[0, 1\]"):
        ParameterContourDisplay.from_contour(poisson_contour([3]), areas=True, ax=ax)
    with pytest.raises(ValueError, match="give no limits"):
        ParameterContourDisplay.from_contour(
            binomial_contour(1, 2), areas=True, limits=(0, 0.5), ax=ax
        )


@pytest.mark.parametrize("limits", [(1, 0), (0, 0), (0, np.inf), (np.nan, 1)])
def test_limits_are_an_interval(ax, limits):
    with pytest.raises(ValueError, match="limits are"):
        ParameterContourDisplay.from_contour(binomial_contour(1, 2), limits=limits, ax=ax)
    with pytest.raises(ValueError, match="limits are"):
        BoundsDisplay.from_belief(GRFN(0, 1, 1), limits=limits, ax=ax)


# -- two parameters --------------------------------------------------------------------------------


def test_outlines_lie_on_their_level():
    display = LevelSetDisplay.from_contour(PLANE, levels=(0.2, 0.7), ax=Figure().subplots())
    assert list(display.sets_) == [0.7, 0.2]  # small ones are drawn first, and inside
    for level, polygon in display.sets_.items():
        np.testing.assert_allclose(PLANE.contour(*polygon.get_xy().T), level, rtol=1e-6)
    assert display.mode_.get_data()[0] == pytest.approx([0], abs=1e-6)
    assert {text.get_text() for text in display.ax_.texts} == {"0.2", "0.7"}
    assert display.marginal_ is None


def test_shadows_are_the_level_sets_of_the_marginal():
    below, above = Figure().subplots(2)
    display = LevelSetDisplay.from_contour(PLANE, names=("a", "b"), ax=below, marginal_ax=above)
    marginal = profile(PLANE, (1, 0))
    x, y = display.marginal_.get_data()
    np.testing.assert_allclose(y, np.exp(-(x**2) / 2), atol=1e-7)
    for level, line in display.shadows_.items():
        np.testing.assert_allclose(line.get_xdata(), marginal.level_set(level), rtol=1e-3)
        np.testing.assert_array_equal(line.get_ydata(), level)
    assert (below.get_xlabel(), below.get_ylabel()) == ("a", "b")
    assert above.get_ylabel() == "Plausibility of a"


def test_level_sets_that_cannot_be_drawn(ax):
    with pytest.raises(ValueError, match="dimension 1, not 2"):
        LevelSetDisplay.from_contour(binomial_contour(1, 2), ax=ax)
    with pytest.raises(ValueError, match="levels are empty"):
        LevelSetDisplay.from_contour(PLANE, levels=(), ax=ax)
    ridge = LikelihoodContour(lambda a, b: -(a**2) + 0 * b, [LINE, LINE], mode=(0.0, 0.0))
    with pytest.raises(ValueError, match="is unbounded"):
        LevelSetDisplay.from_contour(ridge, ax=ax)


# -- a quantity ------------------------------------------------------------------------------------

SOURCES = {
    "probability": RandomInterval(binomial_contour(2, 3)),
    "count": predictive(RandomInterval(poisson_contour([3, 5])), stats.poisson),
    "response": predict(np.ones((4, 1)), [1.0, 2.0, 4.0, 3.0], [[1.0]], sigma=1.0),
    "fuzzy": GRFN(5, 4, 1),
    "probabilistic": GRFN(5, 4, np.inf),
    "certain": GRFN(5, 0, np.inf),
    "structure": SampledInterval([0.0, 1.0, 1.0], [2.0, 1.5, 3.0], [0.5, 0.25, 0.25]),
}


@pytest.mark.parametrize("name", SOURCES)
def test_bounds_are_those_of_the_source(ax, name):
    source = SOURCES[name]
    display = BoundsDisplay.from_belief(source, name=name, ax=ax)
    y, lower = display.lower_.get_data()
    upper = display.upper_.get_ydata()
    cdf = source.cdf_bounds if isinstance(source, GRFN) else source.cdf
    some = [0, 50, 200, -1]
    np.testing.assert_allclose([lower[some], upper[some]], [np.ravel(b) for b in cdf(y[some])])
    assert np.all(lower <= upper + 1e-12)
    assert lower[0] < 0.02
    assert upper[-1] > 0.98
    assert ax.get_xlabel() == name
    assert labels(ax)[:2] == [f"Pl(at most {name})", f"Bel(at most {name})"]
    low, high = display.quantiles_[0.5].get_xdata()
    assert y[0] <= low <= high <= y[-1]
    assert upper[y >= low].min() >= 0.5 - 1e-8
    assert lower[y >= high].min() >= 0.5 - 1e-8


def test_steps_of_a_structure_are_upright(ax):
    display = BoundsDisplay.from_belief(SOURCES["structure"], ax=ax)
    y, lower = display.lower_.get_data()
    jumps = np.flatnonzero(np.diff(lower))
    np.testing.assert_allclose(y[jumps + 1], [1.5, 2.0, 3.0])
    assert np.diff(y)[jumps].max() < 1e-12


def test_discounted_belief_needs_limits(ax):
    weak = predictive(RandomInterval(poisson_contour([3, 5])).discount(rate=0.7), stats.poisson)
    with pytest.raises(ValueError, match="give limits"):
        BoundsDisplay.from_belief(weak, ax=ax)
    with pytest.raises(ValueError, match=r"quantile at 0\.5 has bounds"):
        BoundsDisplay.from_belief(weak, limits=(0, 9), ax=ax)
    display = BoundsDisplay.from_belief(weak, limits=(0, 9), quantiles=(), ax=ax)
    assert display.upper.min() >= 0.7 - 1e-9
    assert display.lower.max() <= 0.3 + 1e-9


def test_sources_that_are_not_one_quantity(ax):
    with pytest.raises(ValueError, match=r"batch of shape \(2,\)"):
        BoundsDisplay.from_belief(GRFN([1, 2], 1, 1), ax=ax)
    with pytest.raises(TypeError, match="PredictiveInterval, SampledInterval or GRFN"):
        BoundsDisplay.from_belief(binomial_contour(1, 2), ax=ax)


# -- all -------------------------------------------------------------------------------------------

MADE = {
    "parameter": lambda ax: ParameterContourDisplay.from_contour(
        linear_contour(np.ones((3, 1)), [0.0, 1.0, 3.0], [1.0]), name="$b$", ax=ax
    ),
    "plane": lambda ax: LevelSetDisplay.from_contour(PLANE, names=("$b$", "$c$"), ax=ax),
    "bounds": lambda ax: BoundsDisplay.from_belief(GRFN(0, 1, 1), name="$b$", ax=ax),
}


@pytest.mark.parametrize("make", MADE.values(), ids=MADE)
def test_plot_returns_itself_on_the_axes_given(ax, make):
    display = make(ax)
    assert display.ax_ is ax
    other = Figure().subplots()
    assert display.plot(other) is display
    assert display.ax_ is other
    assert other.get_xlabel() == r"\$b\$"  # no formula
    other.figure.draw_without_rendering()


def test_new_axes():
    """In an interpreter of its own: pyplot, which opens figures, is nobody else's business."""
    script = """
import sys
import numpy as np
from dstheory.inference import GRFN, LikelihoodContour
from dstheory.plot import BoundsDisplay, LevelSetDisplay
assert "matplotlib.pyplot" not in sys.modules
BoundsDisplay.from_belief(GRFN(0, 1, 1)).ax_.figure.draw_without_rendering()
space = [(-9, 9), (-9, 9)]
display = LevelSetDisplay.from_contour(LikelihoodContour(lambda a, b: -a * a - b * b, space))
display.ax_.figure.draw_without_rendering()
assert display.marginal_ax_.get_xlim() == display.ax_.get_xlim()
"""
    subprocess.run(
        strict_python(script),
        check=True,
        env={"MPLBACKEND": "Agg", "PATH": ""},
        stdin=subprocess.DEVNULL,
    )
