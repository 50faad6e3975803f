"""Spline calibration: true curves, the scale chosen, intervals that cover, hard data."""

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import norm

from evical.beliefs.bounded import quantile_over_mean
from evical.calibrators import LogisticCalibrator, SplineCalibrator
from evical.datasets.simulated import simulated_probability, simulated_quantiles, simulated_scores
from examples.studies.interval_coverage.maps import MAPS, coverage, draw, quantiles
from tests.support.each import each

pytestmark = pytest.mark.filterwarnings("ignore::evical.errors.WrongWayWarning")


def wavy(n=80, seed=0):
    rng = np.random.default_rng(seed)
    scores = rng.uniform(0, 1, n).round(2)
    return scores, (rng.random(n) < expit(3 * np.sin(6 * scores))).astype(int)


@pytest.mark.parametrize("kind", ["monotone", "nonmonotone", "margin", "overconfident"])
def test_much_data_lead_to_the_true_curve(kind):
    sample = simulated_scores(kind, 20_000, np.random.default_rng(0))
    fitted = SplineCalibrator().fit(sample.scores, sample.y)
    probes = simulated_quantiles(kind, 500)
    error = fitted.predict_proba(probes)[:, 1] - simulated_probability(kind, probes)
    assert np.sqrt((error**2).mean()) < 0.02
    line = LogisticCalibrator(model="bayesian").fit(sample.scores, sample.y)
    worse = line.predict_proba(probes)[:, 1] - simulated_probability(kind, probes)
    assert (error**2).mean() < (worse**2).mean() / 2


def test_overconfident_probabilities_are_not_read_as_given():
    """On the scale as given the curve would bend within a small part of the range."""
    at = simulated_quantiles("overconfident", 2000)
    truth = simulated_probability("overconfident", at)
    errors = []
    for seed in range(5):
        scores, y, _ = simulated_scores("overconfident", 10_000, np.random.default_rng(seed))
        fitted = SplineCalibrator().fit(scores, y)
        errors.append(1e3 * ((fitted.predict_proba(at)[:, 1] - truth) ** 2).mean())
        given = [w for name, w in fitted.candidates_.items() if name.startswith("given")]
        assert sum(given) < 1e-3
    assert np.mean(errors) < 0.25  # as given 0.40, with log-odds 0.16


@pytest.mark.parametrize(
    ("name", "n", "draws"), [("sigmoid", 200, 20), ("U", 200, 20), ("wavy", 1000, 10)]
)
def test_intervals_cover_smooth_maps_on_average_over_the_scores(name, n, draws):
    """Nychka 1988. Where the form of logistic calibration is right, they are hardly wider."""
    at = quantiles(200)
    truth, found, platt = MAPS[name](at), [], []
    for seed in range(draws):
        sample = draw(name, n, np.random.default_rng([seed, n]))
        interval = SplineCalibrator(model="confidence").fit(*sample).predict_interval(at)
        found.append(coverage(interval, truth))
        platt.append(LogisticCalibrator(model="confidence").fit(*sample).predict_interval(at))
    covered, _, width = np.mean(found, axis=0)
    assert covered >= 0.93
    if name == "sigmoid":
        assert width <= 1.5 * np.diff(platt).mean()
    else:
        assert np.mean([coverage(interval, truth)[0] for interval in platt]) < 0.6


def test_models_agree_on_the_probability():
    sample = wavy(300)
    mean, likely, pignistic = (
        SplineCalibrator(model=model).fit(*sample)
        for model in ("bayesian", "likelihood", "inverse_pignistic")
    )
    probes = np.linspace(-0.1, 1.1, 41)
    for other in (likely, pignistic):
        np.testing.assert_allclose(
            other.predict_proba(mean.knots_), mean.predict_proba(mean.knots_), atol=1e-12
        )
    width = [np.diff(c.predict_interval(probes)).mean() for c in (mean, likely, pignistic)]
    assert width[0] < 1e-12 < width[1] < width[2]


def test_the_level_set_is_the_interval_of_the_normal_contour():
    fitted = SplineCalibrator().fit(*wavy(300))
    for alpha in (0.9, 0.1465, 1e-4):
        reach = np.sqrt(-2 * np.log(alpha)) * fitted.standard_error_
        ends = [expit(fitted.log_odds_ - reach), expit(fitted.log_odds_ + reach)]
        found = fitted.level_set(fitted.knots_, alpha)
        np.testing.assert_allclose(found, np.transpose(ends), atol=1e-12)
    sure = SplineCalibrator(model="confidence", confidence=0.9).fit(*wavy(300))
    alpha = np.exp(-(norm.ppf(0.95) ** 2) / 2)
    low, high = fitted.level_set(fitted.knots_, alpha).T
    most = quantile_over_mean(0.9)  # near 0 and 1 the interval ends before
    low = np.maximum(low, 1 - most * (1 - fitted.probability_))
    high = np.minimum(high, most * fitted.probability_)
    bel, pl = sure.predict_interval(fitted.knots_).T
    np.testing.assert_allclose([bel, 1 - pl], [0.9 * low, 0.9 * (1 - high)], atol=1e-12)


def test_scale_and_origin_of_the_scores_do_not_matter():
    scores, y = wavy(200)
    scores = 8 * scores - 4  # margins: probabilities have a scale of their own
    plain = SplineCalibrator().fit(scores, y).predict_interval(scores)
    moved = SplineCalibrator().fit(1e6 + 1e-3 * scores, y).predict_interval(1e6 + 1e-3 * scores)
    np.testing.assert_allclose(moved, plain, atol=1e-5)


def test_beyond_the_scores_the_curve_goes_on_or_stays():
    scores, y = wavy(300)
    scores = 8 * scores - 4
    low, high = scores.min(), scores.max()
    stays = SplineCalibrator(extrapolate=False).fit(scores, y)
    np.testing.assert_array_equal(
        stays.predict_proba([low - 9, high + 9]), stays.predict_proba([low, high])
    )
    goes_on = SplineCalibrator().fit(scores, y)
    width = np.diff(goes_on.predict_interval([high, high + 4]))[:, 0]
    assert width[1] > width[0]  # nothing is known there


@each(
    ("scores", "y"),
    [
        ([1, 1], [0, 1]),
        ([0, 1], [0, 1]),
        ([0, 1, 2], [0, 0, 1]),
        ([1, 2, 3, 4, 1e150], [0, 1, 0, 1, 1]),
        ([-8e307, 0, 1, 8e307], [0, 1, 0, 1]),
        (np.arange(100), np.arange(100) > 50),
        (np.arange(100), np.arange(100) == 50),
        ([1, 1 + 1e-15, 1 + 2e-15, 2], [0, 1, 0, 1]),
        ([0, 5e-324, 1e-323], [0, 1, 0]),
    ],
)
@each("model", ["likelihood", "confidence"])
def test_hard_data_give_intervals(scores, y, model):
    fitted = SplineCalibrator(model=model).fit(scores, np.asarray(y, dtype=int))
    inside = fitted.predict_proba(scores)
    assert ((inside > 0) & (inside < 1)).all()
    bel, pl = fitted.predict_interval([min(scores), max(scores), -1e308, 1e308]).T
    assert (bel >= 0).all()
    assert (bel < pl).all()
    assert (pl <= 1).all()
    if len(scores) == 2:
        assert (pl - bel > 0.4).all()  # two samples say little


@pytest.mark.parametrize("seed", [13, 18])
def test_weights_of_any_ratio(seed):
    """The information of some samples is lost in the rounding of the others."""
    rng = np.random.default_rng(seed)
    scores = np.exp(30 * rng.normal(size=60))
    y = (scores > np.median(scores)).astype(int)
    y[:9] = 1 - y[:9]
    fitted = SplineCalibrator().fit(scores, y, 10.0 ** rng.uniform(-12, 12, 60))
    p = fitted.predict_proba(scores)
    assert ((p >= 0) & (p <= 1)).all()
