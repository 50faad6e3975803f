"""Histograms of p-values: their counts, the line of uniform ones, the band of chance."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy.stats import binom
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB

from evical.conformal import ConformalClassifier, p_values
from evical.plot import PValuesDisplay
from tests.support.each import each


@pytest.fixture
def ax():
    return Figure(figsize=(5, 4)).subplots()


def labels(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_bins_include_their_upper_limit(ax):
    p = [0.0, 0.1, 0.1001, 0.3, 0.7, 1.0]
    display = PValuesDisplay(p, n_bins=10).plot(ax)
    assert display.counts_.tolist() == [2, 1, 1, 0, 0, 0, 1, 0, 0, 1]
    values, edges, _ = display.bars_.get_data()
    np.testing.assert_allclose(values, display.counts_ * 10 / 6)
    np.testing.assert_allclose(edges, np.linspace(0, 1, 11))
    np.testing.assert_allclose(display.line_.get_data().values, 1)
    assert labels(ax) == ["95 % of bars by chance", "p-values of true classes", "uniform"]
    assert ax.get_ylim()[1] > values.max()


def test_the_line_has_the_possible_ranks(ax):
    # Of the ranks 1 to 7 in sevenths, the bins of quarters have 1, 2, 2 and 2.
    display = PValuesDisplay(np.arange(1, 8) / 7, n_calibration=6, n_bins=4).plot(ax)
    assert display.counts_.tolist() == [1, 2, 2, 2]
    np.testing.assert_allclose(display.line_.get_data().values, np.array([1, 2, 2, 2]) * 4 / 7)
    smoothed = PValuesDisplay([0.1, 0.77], n_calibration=6, n_bins=4).plot(ax)
    np.testing.assert_allclose(smoothed.line_.get_data().values, 1)


def test_the_band_of_independent_p_values(ax):
    display = PValuesDisplay(np.linspace(0.01, 1, 200), n_bins=10).plot(ax)
    np.testing.assert_allclose(display.limits_[:, 0] * 20, binom.ppf([0.025, 0.975], 200, 0.1))


@pytest.mark.parametrize("smoothed", [False, True])
def test_the_band_holds_the_bars_of_valid_p_values(smoothed, ax):
    rng, runs, inside = np.random.default_rng(0), 150, 0
    for _ in range(runs):
        tau = rng.random(200) if smoothed else None
        p = p_values(rng.normal(size=39), rng.normal(size=200), tau=tau)
        display = PValuesDisplay(p, n_calibration=39, n_bins=10)
        expected, limits = display._chance()
        counts = np.bincount(display._bins(), minlength=10)
        assert expected.sum() == pytest.approx(1)
        inside += np.mean((counts >= limits[0]) & (counts <= limits[1])) / runs
    assert 0.94 < inside < 0.985


def test_fewer_ranks_than_bins(ax):
    display = PValuesDisplay([0.5, 1.0, 1.0], n_calibration=1, n_bins=4).plot(ax)
    np.testing.assert_allclose(display.line_.get_data().values, [0, 2, 0, 2])
    assert display.limits_[:, 0].tolist() == [0, 0]
    assert np.isfinite(display.limits_).all()


def test_estimators_and_tables_agree(ax):
    X, y = load_iris(return_X_y=True)
    clf = ConformalClassifier(GaussianNB(), random_state=0).fit(X[::2], y[::2])
    one = PValuesDisplay.from_estimator(clf, X[1::2], y[1::2], n_bins=5, name="$a$", ax=ax)
    p = clf.predict_p(X[1::2])
    np.testing.assert_array_equal(one.p_values, p[np.arange(75), y[1::2]])
    assert one.n_calibration == 22
    two = PValuesDisplay.from_p_values(y[1::2], p, n_calibration=22, n_bins=5, name="b", ax=ax)
    np.testing.assert_array_equal(one.counts_, two.counts_)
    np.testing.assert_array_equal(one.limits_, two.limits_)
    # On shared axes each has its color, and the rest is named once.
    assert labels(ax) == ["95 % of bars by chance", r"\$a\$", "uniform", "b"]
    assert one.bars_.get_edgecolor() != two.bars_.get_edgecolor()
    by_class = ConformalClassifier(GaussianNB(), conditional="class", random_state=0)
    by_class.fit(X[::2], y[::2])
    assert PValuesDisplay.from_estimator(by_class, X, y, ax=ax).n_calibration is None


@each(
    ("p", "options", "error", "message"),
    [
        ([], {}, ValueError, "at least one"),
        ([[0.5]], {}, ValueError, r"shape \(1, 1\)"),
        ([0.5, 1.5], {}, ValueError, r"p_values\[1\] is 1.5"),
        ([np.nan], {}, ValueError, r"p_values\[0\] is nan"),
        (["x"], {}, TypeError, "expected real numbers"),
        ([0.5], {"n_bins": 0}, ValueError, "n_bins is 0"),
        ([0.5], {"n_calibration": 0}, ValueError, "n_calibration is 0"),
        ([0.5], {"n_calibration": 1.5}, TypeError, "n_calibration is 1.5"),
        ([0.5], {"name": 1}, TypeError, "name is 1"),
    ],
)
def test_bad_input(p, options, error, message):
    with pytest.raises(error, match=message):
        PValuesDisplay(p, **options)


def test_bad_tables():
    with pytest.raises(ValueError, match=r"shape \(2,\), expected \(m, K\)"):
        PValuesDisplay.from_p_values([0, 1], [0.5, 0.5])
    with pytest.raises(ValueError, match=r"y_true\[0\] is 7"):
        PValuesDisplay.from_p_values([7, 1], [[0.5, 0.5]] * 2, labels=[0, 1])
    with pytest.raises(TypeError, match="GaussianNB has no predict_p"):
        PValuesDisplay.from_estimator(GaussianNB(), [[1.0]], [0])


def test_misses_are_counted_at_each_level():
    """Of 19 ranks, as many as floor(20 alpha) are at or below a level alpha."""
    p = np.repeat(np.arange(1, 21) / 20, 5)
    display = PValuesDisplay(p, n_calibration=19, n_bins=4).plot()
    levels, missed = display.misses_line_.get_data()
    np.testing.assert_allclose(missed, np.floor(levels * 20 + 1e-9) / 20)
    assert display.misses_ax_ is not display.ax_
    # At a level below 1 / 20 no p-value is possible; at 0.25 the first bin has as many.
    low, high = display._limits(display._ranks(np.array([0.04, 0.25]))).T
    assert low.tolist() == [0, 0]
    np.testing.assert_allclose(high / 100, display.limits_[:, 0] / 4)
    assert PValuesDisplay(p).plot(Figure().subplots()).misses_line_ is None
