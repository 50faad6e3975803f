"""Displays by the artists they leave: what is drawn must be what was computed."""

import sys

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy.stats import binomtest
from sklearn.linear_model import LogisticRegression

from dstheory import Frame, MassFunction
from evical.calibrators import IsotonicCalibrator, LogisticCalibrator
from evical.plot import BeliefBandDisplay, ContourDisplay, ReliabilityDisplay
from tests.support.each import each

SCORES = np.array([-1.5, -1.0, -0.4, 0.1, 0.3, 0.8, 1.2, 2.0])
Y = np.array([0, 0, 1, 0, 1, 0, 1, 1])


@pytest.fixture
def ax():
    return Figure().subplots()


def area(collection) -> float:
    """Area of a filled polygon (shoelace formula)."""
    x, y = collection.get_paths()[0].vertices.T
    return abs(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1))) / 2


@pytest.mark.parametrize("score", [-6.0, -1.0, 0.0, 0.5, 4.0])
def test_areas_of_the_contour_are_the_masses(ax, score):
    calibrator = LogisticCalibrator().fit(SCORES, Y)
    display = ContourDisplay.from_estimator(calibrator, score, ax=ax)
    beliefs = calibrator.predict_mass([score])
    masses = {"0": beliefs.mass(0)[0], "1": beliefs.mass(1)[0], "01": beliefs.mass([0, 1])[0]}
    for key, mass in masses.items():
        assert area(display.regions_[key]) == pytest.approx(mass, abs=2e-3)
        assert display.masses_[key] == pytest.approx(mass, abs=2e-3)
    assert sum(map(area, display.regions_.values())) == pytest.approx(1, abs=1e-9)


def test_the_contour_names_classes_and_masses(ax):
    calibrator = LogisticCalibrator().fit(SCORES, np.where(Y, "<$50K", "$0"))
    display = ContourDisplay.from_estimator(calibrator, 0.5, ax=ax)
    # A pair of dollar signs would be read as a formula, and fail.
    display.ax_.figure.draw_without_rendering()
    labels = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert labels[0].startswith(r"m({<\$50K}) = ")
    assert labels[2].startswith(r"m({\$0, <\$50K}) = ")
    assert "0.5" in display.ax_.get_title()


def test_the_contour_needs_a_likelihood(ax):
    calibrator = LogisticCalibrator(model="bayesian").fit(SCORES, Y)
    with pytest.raises(ValueError, match="contour function needs 'likelihood'"):
        ContourDisplay.from_estimator(calibrator, 0.0, ax=ax)


@pytest.mark.parametrize("calibrator", [LogisticCalibrator(), IsotonicCalibrator()])
def test_the_band_lies_between_belief_and_plausibility(ax, calibrator):
    calibrator.fit(SCORES, Y)
    display = BeliefBandDisplay.from_estimator(calibrator, SCORES, Y, ax=ax)
    grid = display.lines_[0].get_xdata()
    bel, pl = calibrator.predict_interval(grid).T
    np.testing.assert_array_equal(display.lines_[0].get_ydata(), bel)
    np.testing.assert_array_equal(display.lines_[1].get_ydata(), pl)
    assert area(display.band_) == pytest.approx(np.trapezoid(pl - bel, grid))
    assert grid[0] < SCORES.min() < SCORES.max() < grid[-1]


def test_a_probabilistic_calibrator_is_one_line(ax):
    calibrator = LogisticCalibrator(model="bayesian").fit(SCORES, Y)
    display = BeliefBandDisplay.from_estimator(calibrator, SCORES, ax=ax)
    assert display.band_ is None
    assert len(display.lines_) == 1
    assert display.rug_ == []
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["bayesian"]


def test_the_rug_shows_every_sample_on_its_side(ax):
    labels = np.where(Y, "yes", "no")
    calibrator = LogisticCalibrator().fit(SCORES, labels)
    display = BeliefBandDisplay.from_estimator(calibrator, SCORES, labels, ax=ax)
    for side, line in enumerate(display.rug_):
        np.testing.assert_array_equal(line.get_xdata(), SCORES[side == Y])
        assert set(line.get_ydata()) == {side}
    assert ax.get_ylabel() == "Degree of belief in class yes"


def test_several_bands_share_axes(ax):
    for model in ("likelihood", "confidence"):
        calibrator = LogisticCalibrator(model=model).fit(SCORES, Y)
        display = BeliefBandDisplay.from_estimator(calibrator, SCORES, ax=ax, fill=False)
        assert display.ax_ is ax
        assert display.figure_ is ax.figure
        assert display.band_ is None
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == ["likelihood: Bel and Pl", "confidence: Bel and Pl"]


def test_bins_of_the_sample_stand_beside_the_band(ax):
    scores = np.arange(12.0)
    y = np.array([0, 0, 0, 1, 0, 0, 1, 1, 0, 1, 1, 1])
    calibrator = LogisticCalibrator().fit(scores, y)
    display = BeliefBandDisplay.from_estimator(calibrator, scores, y, n_bins=3, ax=ax)
    place, share = display.frequencies_.get_data()
    assert place.tolist() == [1.5, 5.5, 9.5]
    assert share.tolist() == [0.25, 0.5, 0.75]
    for k, segment in zip([1, 2, 3], display.intervals_.get_segments(), strict=True):
        interval = binomtest(k, 4).proportion_ci(0.95, "exact")
        np.testing.assert_allclose(segment[:, 1], [interval.low, interval.high])


def test_ties_leave_bins_empty_that_are_not_drawn(ax):
    calibrator = LogisticCalibrator().fit([0, 0, 0, 1], [0, 1, 0, 1])
    display = BeliefBandDisplay.from_estimator(
        calibrator, [0, 0, 0, 1], [0, 1, 0, 1], n_bins=4, ax=ax
    )
    assert display.frequencies_.get_xdata().tolist() == [0, 1]


def test_a_band_of_predictions_is_that_of_the_estimator(ax):
    calibrator = IsotonicCalibrator().fit(SCORES, Y)
    mixed = np.random.default_rng(0).permutation(SCORES)
    for beliefs in (calibrator.predict_mass(mixed), calibrator.predict_interval(mixed)):
        display = BeliefBandDisplay.from_predictions(mixed, beliefs, ax=ax, name="$b$")
        bel, pl = calibrator.predict_interval(SCORES).T
        np.testing.assert_array_equal(display.lines_[0].get_xdata(), SCORES)
        np.testing.assert_allclose(display.lines_[0].get_ydata(), bel)
        np.testing.assert_allclose(display.lines_[1].get_ydata(), pl)
        assert display.rug_ == []
        assert display.lines_[0].get_label() == r"\$b\$: Bel and Pl"
    ax.figure.draw_without_rendering()


def test_a_band_at_one_score(ax):
    display = BeliefBandDisplay.from_predictions([2.0], [[0.2, 0.4]], [1], ax=ax)
    assert ax.get_xlim() == (1.5, 2.5)
    assert display.rug_[1].get_xdata().tolist() == [2]


def test_reliability_by_hand(ax):
    display = ReliabilityDisplay.from_predictions(
        [0, 1, 1, 0, 1], [0.1, 0.2, 0.6, 1.0, 0.5], n_bins=2, ax=ax
    )
    assert display.counts.tolist() == [2, 3]  # 1/2 and 1 fall into the upper bin
    np.testing.assert_allclose(display.line_.get_xdata(), [0.15, 0.7])
    np.testing.assert_allclose(display.line_.get_ydata(), [0.5, 2 / 3])


def test_an_empty_bin_is_a_gap_and_counts_are_drawn():
    upper, lower = Figure().subplots(2, 1)
    display = ReliabilityDisplay.from_predictions(
        [0, 1], [0.1, 0.9], n_bins=3, ax=upper, counts_ax=lower
    )
    assert np.isnan(display.line_.get_ydata()).tolist() == [False, True, False]
    assert display.density_[0].get_data().values.tolist() == [1, 0, 1]


def test_the_diagonal_is_drawn_once(ax):
    for name in ("one", "two"):
        ReliabilityDisplay.from_predictions([0, 1], [0.2, 0.9], n_bins=10, ax=ax, name=name)
    assert [t.get_text() for t in ax.get_legend().get_texts()] == [
        "reliable",
        "one (n = 2)",
        "two (n = 2)",
    ]


def test_reliability_of_an_estimator_takes_its_positive_class(ax):
    X, labels = SCORES[:, None], np.where(Y, "yes", "no")
    model = LogisticRegression().fit(X, labels)
    display = ReliabilityDisplay.from_estimator(model, X, labels, ax=ax, n_bins=1)
    assert display.name == "LogisticRegression"
    np.testing.assert_allclose(display.prob_true, [0.5])
    np.testing.assert_allclose(display.prob_pred, [model.predict_proba(X)[:, 1].mean()])


@pytest.mark.parametrize(
    ("y", "p", "options", "message"),
    [
        ([0, 1], [0.5, 1.5], {}, r"y_prob\[1\] is 1.5, expected a probability"),
        ([0, 1], [0.5], {}, "y_true"),
        ([0, 2], [0.5, 0.5], {}, "2"),
        ([0, 1], [0.5, np.nan], {}, "nan"),
        ([0, 1], [0.5, 0.5], {"n_bins": 0}, "n_bins is 0"),
    ],
)
def test_reliability_refuses_what_is_no_probability(y, p, options, message):
    with pytest.raises(ValueError, match=message):
        ReliabilityDisplay.from_predictions(y, p, **options)


FITTED = LogisticCalibrator().fit(SCORES, Y)


@each(
    ("scores", "y", "options", "message"),
    [
        ([], None, {}, "scores are empty"),
        ([0, np.nan], None, {}, r"scores\[1\] is nan"),
        ([0, 1], [0], {}, "scores has 2 rows, y has 1"),
        ([0, 1], [0, 7], {}, r"y_true\[1\] is 7, expected one of \[0, 1\]"),
        ([0, 1], None, {"n_bins": 2}, "n_bins is 2, but there are no labels"),
        ([0, 1], [0, 1], {"n_bins": 0}, "n_bins is 0, expected at least 1"),
        ([0, 1], [0, 1], {"n_bins": 2, "confidence": 1}, "confidence is 1"),
    ],
)
def test_a_band_refuses_what_are_no_scores(scores, y, options, message):
    with pytest.raises(ValueError, match=message):
        BeliefBandDisplay.from_estimator(FITTED, scores, y, **options)


@pytest.mark.parametrize(
    ("scores", "beliefs", "message"),
    [
        ([0, 1], [[0.2, 0.4]], "lengths differ: scores has 2 rows, y_belief has 1"),
        ([0], [[0.5, 0.4]], "expected 0 <= Bel <= Pl"),
        (
            [0],
            MassFunction(Frame(["a", "b", "c"]), [7], [[1.0]]),
            "name one of the classes .* by pos_label",
        ),
    ],
)
def test_a_band_refuses_what_are_no_beliefs(ax, scores, beliefs, message):
    with pytest.raises(ValueError, match=message):
        BeliefBandDisplay.from_predictions(scores, beliefs, ax=ax)


def test_a_band_needs_a_fitted_calibrator(ax):
    with pytest.raises(TypeError, match="LogisticCalibrator has no classes_; fit it first"):
        BeliefBandDisplay.from_estimator(LogisticCalibrator(), SCORES, ax=ax)
    model = LogisticRegression().fit(SCORES[:, None], Y)
    with pytest.raises(TypeError, match="LogisticRegression has no predict_interval"):
        BeliefBandDisplay.from_estimator(model, SCORES, ax=ax)


def test_a_contour_needs_a_calibrator_that_has_one():
    with pytest.raises(TypeError, match="IsotonicCalibrator has no contour function; use a Log"):
        ContourDisplay.from_estimator(IsotonicCalibrator().fit(SCORES, Y), 0.5)


def test_a_contour_is_of_one_score_and_of_a_fitted_calibrator(ax):
    calibrator = LogisticCalibrator()
    with pytest.raises(TypeError, match="LogisticCalibrator has no classes_; fit it first"):
        ContourDisplay.from_estimator(calibrator, 0.5, ax=ax)
    calibrator.fit(SCORES, Y)
    with pytest.raises(TypeError, match=r"score is \[1, 2\], expected one number"):
        ContourDisplay.from_estimator(calibrator, [1, 2], ax=ax)
    with pytest.raises(ValueError, match=r"scores\[0\] is nan"):
        ContourDisplay.from_estimator(calibrator, np.nan, ax=ax)
    assert ContourDisplay.from_estimator(calibrator, np.float64(1), ax=ax).score == 1


def test_without_axes_pyplot_makes_a_figure_that_a_notebook_shows():
    import matplotlib.pyplot as plt

    before = set(plt.get_fignums())
    display = ReliabilityDisplay.from_predictions([0, 1], [0.2, 0.9])
    (new,) = set(plt.get_fignums()) - before
    assert plt.figure(new) is display.ax_.figure
    plt.close(new)


def test_own_axes_need_no_pyplot(monkeypatch):
    """No module of ours loads it by being imported, or to draw on given axes."""
    for name, module in [*sys.modules.items()]:
        if name.startswith(("evical.", "dstheory.")):
            assert not any(value is plt for value in vars(module).values()), name
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    monkeypatch.delattr("matplotlib.pyplot")
    ReliabilityDisplay.from_predictions([0, 1], [0.2, 0.9], ax=Figure().subplots())


def test_bands_on_the_same_axes_are_told_apart(ax):
    beliefs = [[0.1, 0.4], [0.5, 0.8]]
    displays = [BeliefBandDisplay.from_predictions([0, 1], beliefs, ax=ax) for _ in range(2)]
    for one, two in zip(displays[0].lines_, displays[1].lines_, strict=True):
        assert one.get_color() != two.get_color()
        assert one.get_linestyle() != two.get_linestyle()


def test_a_narrow_band_is_no_line(ax):
    display = BeliefBandDisplay.from_predictions([0, 1], [[0.5, 0.500004]] * 2, ax=ax)
    assert len(display.lines_) == 2


def test_a_band_of_very_many_scores_is_a_bitmap(ax):
    scores = np.arange(10_001.0)
    beliefs = np.tile([0.2, 0.5], (len(scores), 1))
    display = BeliefBandDisplay.from_predictions(scores, beliefs, ax=ax)
    assert all(artist.get_rasterized() for artist in (*display.lines_, display.band_))
