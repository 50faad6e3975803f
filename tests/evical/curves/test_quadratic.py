"""The parabola of log-odds against 80 digits, whatever the range of the scores."""

import numpy as np
import pytest
from scipy.special import expit

from evical.curves.platt import soft_counts
from evical.scores import ScoreCounts
from tests.evical.curves.exact_logistic import exact_log_odds
from tests.evical.curves.of_arrays import fit_platt, fit_quadratic
from tests.support.each import each

RNG = np.random.default_rng(1)
NORMAL = RNG.normal(size=30)
SCORES = {
    "normal": NORMAL,
    "outlier": np.append(NORMAL, 1e3),
    "far outlier": np.append(NORMAL, 1e6),
    "two outliers": np.concatenate([NORMAL, [1e8, -1e12]]),
    "heavy tails": RNG.standard_cauchy(size=40) ** 3,
    "far from 0": 1e9 + NORMAL,
    "tiny": 1e-200 * NORMAL,
    "huge": 1e300 * NORMAL,
    "votes": np.repeat([-36.0, 36.0, 0.0, 1.0, -2.0], [10, 10, 3, 3, 4]),
    "one score": np.zeros(5),
    "two scores": np.repeat([0.5, 0.25], [4, 5]),
}


@each(
    ("name", "weight"),
    [(name, (1.0, 1e-6, 1e6)[i % 3]) for i, name in enumerate(SCORES)],
)
def test_equal_to_exact_arithmetic(name, weight):
    x = SCORES[name]
    y = np.random.default_rng(2).random(len(x)) < 0.5
    counts = ScoreCounts.from_samples(x, y, np.full(len(x), weight))
    fit = fit_quadratic(counts.scores, counts.negative, counts.positive)
    # Exact for scores far from 0, whose squares as floats would not be.
    moved = counts.scores - (x.min() if np.ptp(x) < abs(x.min()) else 0.0)
    unit = moved / (np.abs(moved).max() or 1.0)
    columns = [unit.tolist(), [float(v) * float(v) for v in unit]][: len(counts) - 1]
    wanted = np.array(exact_log_odds(columns, *soft_counts(counts)), dtype=float)
    np.testing.assert_allclose(expit(fit.log_odds(counts.scores)), expit(wanted), atol=1e-10)


def test_samples_may_come_in_any_order_and_more_than_once():
    y = (RNG.normal(size=30) < NORMAL).astype(float)
    wanted = fit_quadratic(NORMAL, 1 - y, y)
    order = np.r_[np.argsort(NORMAL)[::-1], np.arange(30)]
    twice = fit_quadratic(NORMAL[order], (1 - y)[order], y[order], smooth=False)
    plain = fit_quadratic(NORMAL, 2 * (1 - y), 2 * y, smooth=False)
    np.testing.assert_allclose(twice.log_odds(NORMAL), plain.log_odds(NORMAL), rtol=1e-9)
    assert not np.allclose(twice.log_odds(NORMAL), wanted.log_odds(NORMAL), rtol=1e-3)


def test_a_large_sample_is_fitted_from_a_start_on_groups():
    """Passed over a few times only; as good as the optimum of all, where the gradient is 0."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=20_000)
    y = (rng.random(20_000) < expit(x - x**2)).astype(float)
    fit = fit_quadratic(x, 1 - y, y, smooth=False)
    z = fit.standardize(x)
    gradient = (expit(fit.log_odds(x)) - y) @ fit.features(z)
    np.testing.assert_allclose(gradient, 0, atol=1e-7)
    h, eta = fit.features(z), fit.log_odds(x)
    information = (h.T * expit(eta) * expit(-eta)) @ h
    np.testing.assert_allclose(fit.covariance @ information, np.eye(3), atol=1e-7)
    variance = np.diag(h[:5] @ fit.covariance @ h[:5].T)
    np.testing.assert_allclose(fit.deviation(x[:5]) ** 2, variance)


def test_without_smoothing_a_class_that_is_missing_separates():
    with pytest.raises(ValueError, match="a parabola of the score separates the classes"):
        fit_quadratic([0.0, 1.0, 2.0], [1.0, 1.0, 1.0], [0.0, 0.0, 0.0], smooth=False)
    constant = fit_quadratic([0.0, 1.0, 2.0], np.ones(3), np.zeros(3)).log_odds([0.0, 1.0, 2.0])
    line = fit_platt([0.0, 1.0, 2.0], np.ones(3), np.zeros(3)).logit([0.0, 1.0, 2.0])
    np.testing.assert_allclose(constant, line, rtol=1e-12)


def test_what_is_no_count_is_refused():
    with pytest.raises(ValueError, match="no samples to fit"):
        fit_quadratic([], [], [])
    with pytest.raises(ValueError, match=r"scores\[1\] is nan"):
        fit_quadratic([0.0, np.nan], [1.0, 0.0], [0.0, 1.0])
