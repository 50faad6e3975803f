"""Reliability diagrams: what is drawn equals what scikit-learn and SciPy compute by other ways."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from scipy.stats import beta
from sklearn.calibration import calibration_curve
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression, RidgeClassifier

from dstheory.inference import binomial
from evical.calibrators import LogisticCalibrator
from evical.metrics import corp_decomposition
from evical.plot import ReliabilityDisplay, _reliability
from tests.support.each import each

RNG = np.random.default_rng(3)
P = np.round(RNG.beta(0.7, 0.7, 200), 2)  # with ties
Y = (RNG.random(200) < P**1.5).astype(int)


@pytest.fixture
def ax():
    return Figure().subplots()


@pytest.fixture
def pair():
    return Figure().subplots(2, 1, sharex=True)


def draw(ax, **options):
    return ReliabilityDisplay.from_predictions(Y, P, ax=ax, **options)


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def ends(collection):
    """Lower and upper ends of vertical lines."""
    return np.array([segment[:, 1] for segment in collection.get_segments()]).T


def test_equal_width_as_scikit_learn_has_it(ax):
    # Its bins hold their right edge, ours their left one: no prediction is an edge.
    p = P + 0.001 * (P < 0.5)
    display = ReliabilityDisplay.from_predictions(Y, p, n_bins=7, ax=ax)
    true, predicted = calibration_curve(Y, p, n_bins=7)
    np.testing.assert_allclose(display.line_.get_ydata(), true)
    np.testing.assert_allclose(display.line_.get_xdata(), predicted)
    assert display.counts.sum() == 200
    assert legend(ax) == ["reliable", "n = 200"]


def test_equal_frequency(ax):
    p = np.linspace(0.01, 0.97, 200)
    display = ReliabilityDisplay.from_predictions(Y, p, n_bins=8, strategy="quantile", ax=ax)
    assert display.counts.tolist() == [25] * 8
    np.testing.assert_allclose(display.line_.get_ydata(), Y.reshape(8, 25).mean(axis=1))
    assert display.edges is None


@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_clopper_pearson_intervals_are_those_of_beta_distributions(ax, confidence):
    display = draw(ax, interval="clopper_pearson", confidence=confidence, n_bins=9)
    n = display.counts
    k = np.round(display.prob_true * n)
    tail = (1 - confidence) / 2
    low = np.where(k > 0, beta.ppf(tail, np.maximum(k, 1), n - k + 1), 0)
    high = np.where(k < n, beta.ppf(1 - tail, k + 1, np.maximum(n - k, 1)), 1)
    np.testing.assert_allclose(ends(display.intervals_), [low, high], atol=1e-12)
    assert f"{confidence} Clopper-Pearson interval" in legend(ax)


def test_likelihood_intervals_are_belief_and_plausibility(ax):
    display = draw(ax, interval="likelihood", n_bins=6)
    k = np.round(display.prob_true * display.counts).astype(int)
    beliefs = binomial(k, display.counts)
    expected = [beliefs.bel(1), beliefs.pl(1)]
    np.testing.assert_allclose(ends(display.intervals_), expected, atol=1e-12)


@pytest.mark.parametrize("interval", [None, "clopper_pearson", "likelihood"])
def test_empty_bins_are_not_drawn(pair, interval):
    display = ReliabilityDisplay.from_predictions(
        [0, 0, 1], [0.1, 0.12, 0.95], n_bins=10, interval=interval, ax=pair[0], counts_ax=pair[1]
    )
    some = ~np.isnan(display.line_.get_ydata())
    assert np.flatnonzero(some).tolist() == [1, 9]
    assert np.isnan(display.line_.get_xdata()[~some]).all()
    if interval is not None:
        assert len(display.intervals_.get_segments()) == 2
    assert display.density_[0].get_data().values.tolist() == [0, 2, 0, 0, 0, 0, 0, 0, 0, 1]


def test_corp_is_the_isotonic_regression(ax):
    display = draw(ax, strategy="corp", n_resamples=0)
    fitted = IsotonicRegression(y_min=0, y_max=1).fit(P, Y)
    np.testing.assert_allclose(display.prob_true, fitted.predict(display.prob_pred), atol=1e-12)
    assert display.prob_pred.tolist() == sorted(set(P))
    # What the line leaves out lies on it.
    at = np.interp(P, *display.line_.get_data())
    np.testing.assert_allclose(at, fitted.predict(P), atol=1e-12)
    assert len(display.line_.get_xdata()) < len(display.prob_pred)
    assert display.band_ is None


def test_corp_curve_gives_the_decomposition(ax):
    display = draw(ax, strategy="corp", n_resamples=0)
    recalibrated = np.interp(P, *display.line_.get_data())
    gain = np.mean((P - Y) ** 2) - np.mean((recalibrated - Y) ** 2)
    assert gain == pytest.approx(corp_decomposition(Y, P).miscalibration)


def test_the_consistency_band_holds_what_is_calibrated(ax):
    """Curves of outcomes that are drawn anew are inside at nearly 90 % of the predictions."""
    p = np.linspace(0.05, 0.95, 60)
    rng = np.random.default_rng(0)
    inside = []
    for _ in range(25):
        y = (rng.random(60) < p).astype(int)
        display = ReliabilityDisplay.from_predictions(
            y, p, strategy="corp", confidence=0.9, n_resamples=100, random_state=1, ax=ax
        )
        _, low, high = display.band
        inside.append(np.mean((low <= display.prob_true) & (display.prob_true <= high)))
    assert 0.85 <= np.mean(inside) <= 0.97
    wrong = ReliabilityDisplay.from_predictions(y, p**3, strategy="corp", random_state=1, ax=ax)
    _, low, high = wrong.band
    assert np.mean((low <= wrong.prob_true) & (wrong.prob_true <= high)) < 0.5


def test_the_band_is_drawn_and_repeats_with_its_seed(ax):
    first, again, other = (
        draw(ax, strategy="corp", n_resamples=30, random_state=seed).band for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)
    display = draw(ax, strategy="corp", n_resamples=30, random_state=0)
    vertices = display.band_.get_paths()[0].vertices
    for x, low, high in zip(*display.band, strict=True):
        heights = vertices[vertices[:, 0] == x, 1]
        assert heights.min() == pytest.approx(low)
        assert heights.max() == pytest.approx(high)


def test_many_predictions_have_a_band_of_few_points(ax):
    p = np.linspace(0, 1, 3000)
    display = ReliabilityDisplay.from_predictions(p > 0.5, p, strategy="corp", n_resamples=2, ax=ax)
    assert len(display.band[0]) == 400
    assert display.band[0][[0, -1]].tolist() == [0, 1]


def test_a_band_of_very_many_predictions_is_that_of_each(ax, monkeypatch):
    p = np.sort(np.random.default_rng(0).random(4000))
    options = {"strategy": "corp", "n_resamples": 60, "random_state": 0, "ax": ax}
    exact = ReliabilityDisplay.from_predictions(p > 0.5, p, **options).band
    monkeypatch.setattr(_reliability, "_MAX_DISTINCT", 1000)
    grouped = ReliabilityDisplay.from_predictions(p > 0.5, p, **options).band
    for one, two in zip(exact[1:], grouped[1:], strict=True):
        # Both are quantiles of 60 curves: they differ by chance, not in the mean.
        gap = one - np.interp(exact[0], grouped[0], two)
        assert abs(gap.mean()) < 0.005
        assert np.abs(gap).max() < 0.06


def test_density_of_each_class(pair):
    display = ReliabilityDisplay.from_predictions(
        Y, P, n_bins=5, ax=pair[0], counts_ax=pair[1], density="classes"
    )
    negative, positive = (side.get_data().values for side in display.density_)
    hundredths = np.round(100 * P).astype(int)  # np.histogram puts 0.6 below 3 / 5
    number = np.minimum(hundredths // 20, 4)
    np.testing.assert_array_equal(positive, np.bincount(number[Y == 1], minlength=5))
    np.testing.assert_array_equal(-negative, np.bincount(number[Y == 0], minlength=5))
    assert positive.sum() - negative.sum() == 200
    assert pair[1].yaxis.get_major_formatter()(-3.0, 0) == "3"


def test_density_as_marks(pair):
    display = ReliabilityDisplay.from_predictions(
        Y, P, strategy="corp", n_resamples=0, ax=pair[0], counts_ax=pair[1], density="rug"
    )
    for side, line in enumerate(display.density_):
        np.testing.assert_array_equal(line.get_xdata(), P[side == Y])
    assert [text.get_text() for text in pair[1].get_yticklabels()] == ["negative", "positive"]


def test_without_axes_the_density_is_shown(tmp_path):
    import matplotlib.pyplot as plt

    display = draw(None)
    assert display.counts_ax_.figure is display.ax_.figure
    assert display.density_[0].get_data().values.sum() == 200
    assert display.ax_.get_xlabel() == ""
    plt.close(display.ax_.figure)
    alone = display.plot(density=None)
    assert alone.counts_ax_ is None
    plt.close(alone.ax_.figure)


def test_a_constant_prediction_is_a_point(ax):
    display = ReliabilityDisplay.from_predictions(
        [0, 1, 1, 1], [0.5] * 4, strategy="corp", random_state=0, ax=ax
    )
    assert [display.line_.get_xdata().tolist(), display.line_.get_ydata().tolist()] == [
        [0.5],
        [0.75],
    ]
    assert display.line_.get_marker() == "o"
    ax.figure.draw_without_rendering()


def test_one_class_is_no_reason_to_fail(ax):
    for strategy in ("uniform", "corp"):
        display = ReliabilityDisplay.from_predictions(
            [1, 1, 1], [0.2, 0.7, 0.7], strategy=strategy, random_state=0, ax=ax
        )
        assert np.nanmin(display.prob_true) == 1


@pytest.mark.parametrize("strategy", ["uniform", "quantile", "corp"])
def test_an_estimator_is_its_predictions(ax, strategy):
    X, labels = P[:, np.newaxis], np.where(Y, "<$50K", "$0")
    classifier = LogisticRegression().fit(X, labels)
    options = {"strategy": strategy, "random_state": 0, "ax": ax}
    one = ReliabilityDisplay.from_estimator(classifier, X, labels, pos_label="$0", **options)
    prob = classifier.predict_proba(X)[:, 0]
    two = ReliabilityDisplay.from_predictions(labels, prob, pos_label="$0", **options)
    np.testing.assert_array_equal(one.prob_true, two.prob_true)
    np.testing.assert_array_equal(one.prob_pred, two.prob_pred)
    assert (one.name, two.name) == ("LogisticRegression", None)
    assert ax.get_ylabel() == r"Share of class \$0"
    ax.figure.draw_without_rendering()


def test_samples_and_labels_have_the_same_rows(ax):
    X, y = pd.DataFrame({"x": [0.0, 1.0]}, index=["p", "q"]), pd.Series([0, 1], index=["p", "q"])
    model = LogisticRegression().fit(X, y)
    with pytest.raises(ValueError, match=r"the index of y is .* but the index of X"):
        ReliabilityDisplay.from_estimator(model, X, y[::-1], ax=ax)


def test_calibrators_and_mass_functions(ax):
    calibrator = LogisticCalibrator().fit(P, Y)
    one = ReliabilityDisplay.from_estimator(calibrator, P, Y, ax=ax)
    two = ReliabilityDisplay.from_predictions(Y, calibrator.predict_mass(P), ax=ax)
    np.testing.assert_allclose(one.prob_pred, two.prob_pred)
    np.testing.assert_array_equal(one.prob_true, two.prob_true)


def test_one_of_three_classes(ax):
    X, y = np.arange(9.0)[:, np.newaxis], np.repeat(["a", "b", "c"], 3)
    classifier = LogisticRegression().fit(X, y)
    display = ReliabilityDisplay.from_estimator(classifier, X, y, pos_label="b", n_bins=1, ax=ax)
    np.testing.assert_allclose(display.prob_true, 1 / 3)
    with pytest.raises(ValueError, match=r"there are 3 classes; name one of \['a', 'b', 'c'\]"):
        ReliabilityDisplay.from_estimator(classifier, X, y, ax=ax)
    with pytest.raises(ValueError, match=r"y_true\[1\] is 'd'"):
        ReliabilityDisplay.from_estimator(classifier, X, ["a", "d"] * 4 + ["a"], pos_label="b")


@each(
    ("options", "message"),
    [
        ({"strategy": "kernel"}, "strategy is 'kernel', expected one of 'uniform', 'quantile'"),
        ({"interval": "wald"}, "interval is 'wald', expected one of 'clopper_pearson'"),
        ({"interval": "likelihood", "strategy": "corp"}, 'but strategy="corp" has a band'),
        ({"confidence": 1}, r"confidence is 1, expected a level inside \(0, 1\)"),
        ({"n_resamples": -1, "strategy": "corp"}, "n_resamples is -1"),
        ({"density": "bars"}, "density is 'bars', expected one of 'histogram'"),
        ({"pos_label": 7}, "y_true has other labels than 7 and 0, expected two"),
    ],
)
def test_what_there_is_not_is_refused(ax, options, message):
    with pytest.raises(ValueError, match=message):
        draw(ax, **options)


@each("strategy", ["uniform", "corp"])
@each(
    ("y", "p", "message"),
    [
        ([], [], "there is no sample"),
        ([0, 1], [0.5, -0.1], r"y_prob\[1\] is -0.1"),
        ([0, 1], [np.inf, 0.5], r"y_prob\[0\] is inf"),
        ([0, 1, np.nan], [0.5, 0.5, 0.5], r"y_true\[2\] is nan"),
        ([0, 1, 2], [0.5, 0.5, 0.5], r"y_true\[2\] is 2"),
        ([0, 1], [[0.2, 0.3, 0.5]] * 2, "y_prob has 3 columns"),
    ],
)
def test_bad_samples_are_refused(ax, strategy, y, p, message):
    with pytest.raises(ValueError, match=message):
        ReliabilityDisplay.from_predictions(y, p, strategy=strategy, ax=ax)


def test_what_is_no_classifier_is_refused(ax):
    ridge = RidgeClassifier().fit(P[:, np.newaxis], Y)
    with pytest.raises(TypeError, match="RidgeClassifier has no predict_proba; give a fitted"):
        ReliabilityDisplay.from_estimator(ridge, P[:, np.newaxis], Y, ax=ax)
    with pytest.raises(TypeError, match="LogisticRegression has no classes_; fit it first"):
        ReliabilityDisplay.from_estimator(LogisticRegression(), P[:, np.newaxis], Y, ax=ax)


@pytest.mark.parametrize("n_bins", [10, 100, 296])
def test_the_histogram_has_the_bins_of_the_curve(pair, n_bins):
    """Also where a prediction is an edge, such as 0.29 among 100 bins, that products miss."""
    p = np.arange(n_bins + 1) / n_bins
    display = ReliabilityDisplay.from_predictions(
        np.arange(n_bins + 1) % 2, p, n_bins=n_bins, ax=pair[0], counts_ax=pair[1]
    )
    assert display.density_[0].get_data().values.tolist() == display.counts.tolist()


@pytest.mark.parametrize("strategy", ["uniform", "quantile", "corp"])
def test_equal_weights_are_none_and_those_of_zero_are_left_out(ax, strategy):
    some = np.arange(len(P)) % 3 > 0
    options = {"strategy": strategy, "n_resamples": 0, "ax": ax}
    one = ReliabilityDisplay.from_predictions(Y, P, sample_weight=2.5 * some, **options)
    two = ReliabilityDisplay.from_predictions(Y[some], P[some], **options)
    np.testing.assert_allclose(one.prob_true, two.prob_true)
    np.testing.assert_allclose(one.prob_pred, two.prob_pred)
    assert one.counts.tolist() == two.counts.tolist()


@pytest.mark.parametrize("interval", ["clopper_pearson", "likelihood"])
def test_intervals_of_equal_weights_are_those_of_none(ax, interval):
    one = draw(ax, interval=interval, sample_weight=np.full(len(P), 0.2))
    np.testing.assert_allclose(one.interval, draw(ax, interval=interval).interval, atol=1e-9)


def test_weighted_shares_and_effective_sizes(ax):
    weight = RNG.random(len(P))
    display = draw(ax, n_bins=4, interval="clopper_pearson", sample_weight=weight)
    for k in range(4):
        inside = np.minimum((P * 4).astype(int), 3) == k
        w, y = weight[inside], Y[inside]
        share, size = np.sum(w * y) / w.sum(), w.sum() ** 2 / np.sum(w**2)
        assert display.prob_true[k] == pytest.approx(share)
        assert display.prob_pred[k] == pytest.approx(np.average(P[inside], weights=w))
        hits = share * size
        low = beta.ppf(0.025, hits, size - hits + 1)
        high = beta.ppf(0.975, hits + 1, size - hits)
        assert (display.interval[0][k], display.interval[1][k]) == pytest.approx((low, high))


def test_weighted_corp_is_the_weighted_isotonic_regression(ax):
    weight = RNG.random(len(P))
    display = draw(ax, strategy="corp", n_resamples=0, sample_weight=weight)
    fitted = IsotonicRegression().fit(P, Y, sample_weight=weight)
    np.testing.assert_allclose(display.prob_true, fitted.predict(display.prob_pred), atol=1e-9)


def test_the_band_of_equal_weights_is_that_of_none(ax, monkeypatch):
    p = np.sort(np.random.default_rng(0).random(900))
    options = {"strategy": "corp", "n_resamples": 150, "random_state": 0, "ax": ax}
    exact = ReliabilityDisplay.from_predictions(p > 0.5, p, **options).band
    for most in (5000, 300):
        monkeypatch.setattr(_reliability, "_MAX_DISTINCT", most)
        weight = np.full(900, 3.0)
        band = ReliabilityDisplay.from_predictions(p > 0.5, p, sample_weight=weight, **options).band
        for one, two in zip(exact[1:], band[1:], strict=True):
            gap = one - np.interp(exact[0], band[0], two)
            assert abs(gap.mean()) < 0.01
    # Weights that differ leave less information: the band is wider.
    weight = np.random.default_rng(1).random(900) ** 4
    wide = ReliabilityDisplay.from_predictions(p > 0.5, p, sample_weight=weight, **options).band
    assert np.mean(wide[2] - wide[1]) > 1.2 * np.mean(exact[2] - exact[1])


def test_the_density_is_that_of_the_weight(pair):
    weight = RNG.random(len(P))
    display = ReliabilityDisplay.from_predictions(
        Y, P, sample_weight=weight, ax=pair[0], counts_ax=pair[1], density="classes"
    )
    negative, positive = (side.get_data().values for side in display.density_)
    assert positive.sum() == pytest.approx(weight[Y == 1].sum())
    assert -negative.sum() == pytest.approx(weight[Y == 0].sum())
    assert pair[1].get_ylabel() == "Sample weight"


def test_displays_on_the_same_axes_are_told_apart(ax):
    displays = [draw(ax, name=name, interval="likelihood") for name in "abc"]
    for artist in ("color", "marker", "linestyle"):
        assert len({getattr(one.line_, f"get_{artist}")() for one in displays}) == 3
    # One diagonal, one kind of interval, three curves.
    assert len(legend(ax)) == 5
    assert draw(ax, color="red").line_.get_color() == "red"


def test_the_diagonal_can_be_left_out(ax):
    draw(ax, ref_line=False)
    assert legend(ax) == ["0.95 consistency band", "n = 200"]


def test_the_diagonal_reaches_as_far_as_predictions(ax):
    for low, high in ((0.3, 0.5), (0.4, 0.9)):
        ReliabilityDisplay.from_predictions([0, 1, 1], [low, 0.45, high], n_resamples=0, ax=ax)
    (line,) = [line for line in ax.lines if line.get_gid() == "diagonal"]
    assert list(line.get_xdata()) == list(line.get_ydata()) == [0.3, 0.9]


def test_long_legends_stay_within_the_figure():
    display = draw(None, interval="clopper_pearson", name="of somewhat more than a few letters")
    figure = display.ax_.figure
    figure.draw_without_rendering()
    assert display.ax_.get_legend().get_window_extent().x1 <= figure.bbox.x1


def test_a_level_is_a_number(ax):
    with pytest.raises(TypeError, match="confidence is 'high', expected a level"):
        draw(ax, confidence="high")
    with pytest.raises(ValueError, match=r"sample_weight\[1\] is -1"):
        ReliabilityDisplay.from_predictions([0, 1], [0.5, 0.5], sample_weight=[1, -1], ax=ax)
