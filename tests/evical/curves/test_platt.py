"""Platt's fit: oracle, agreement with scikit-learn, invariances, the delta-method interval."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.calibration import _SigmoidCalibration

from evical.curves.platt import platt_targets, soft_counts
from evical.scores import ScoreCounts
from tests.evical.curves.exact_logistic import exact_log_odds
from tests.evical.curves.of_arrays import fit_platt, fit_profile
from tests.support.each import each

ORACLE = json.loads(
    (Path(__file__).parents[2] / "oracles" / "evidential_logistic.json").read_text("utf-8")
)


def counted(scores, y, weights=None):
    """Distinct scores with the weight of each class."""
    scores, y = np.asarray(scores, dtype=float), np.asarray(y)
    weights = np.ones(scores.size) if weights is None else np.asarray(weights, dtype=float)
    x, inverse = np.unique(scores, return_inverse=True)
    return (
        x,
        np.bincount(inverse, weights * (y == 0), x.size),
        np.bincount(inverse, weights * (y == 1), x.size),
    )


def sample(n, seed=0, slope=2.0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return x, (rng.random(n) < 1 / (1 + np.exp(-slope * x - 0.5))).astype(int)


@each("case", ORACLE["cases"], ids=lambda c: c["name"])
def test_oracle_parameters(case):
    fit = fit_platt(*counted(case["scores"], case["y"], case["weights"]))
    expected = case["parameters"]
    assert fit.theta0 == pytest.approx(expected["theta0"], rel=1e-11, abs=1e-14)
    assert fit.theta1 == pytest.approx(expected["theta1"], rel=1e-11)
    tau = fit.probability([e["s"] for e in case["expected"]])
    np.testing.assert_allclose(tau, [e["tau"] for e in case["expected"]], rtol=1e-11)


@pytest.mark.parametrize("n", [10, 200, 20_000])
def test_equals_scikit_learn(n):
    x, y = sample(n)
    fit = fit_platt(*counted(x, y))
    other = _SigmoidCalibration().fit(x, y)
    # scikit-learn stops its L-BFGS at a gradient of 1e-6
    assert fit.theta1 == pytest.approx(other.a_, abs=1e-6)
    assert fit.theta0 == pytest.approx(other.b_, abs=1e-6)


def test_targets():
    assert platt_targets(0, 0) == (0.5, 0.5)
    assert platt_targets(3, 2) == (0.2, 0.75)


@pytest.mark.parametrize("seed", range(4))
def test_gradient_vanishes_at_the_optimum(seed):
    x, y = sample(300, seed)
    counts = counted(np.round(x, 1), y)
    fit = fit_platt(*counts)
    t0, t1 = platt_targets(counts[1].sum(), counts[2].sum())
    residual = (
        t0 * counts[1] + t1 * counts[2] - (counts[1] + counts[2]) * fit.probability(counts[0])
    )
    assert abs(residual.sum()) < 1e-10
    assert abs(residual @ counts[0]) < 1e-10


@each("scale", [1e-6, 1.0, 1e6, -3.0])
@each("shift", [0.0, 1e6])
def test_shift_and_scale(scale, shift):
    x, y = sample(80)
    x = np.round(x * 64) / 64  # so that shifting by 1e6 rounds nothing at scale 1
    s = np.array([-3.0, 0.25, 7.0])
    expected = fit_platt(*counted(x, y)).logit(s)
    fit = fit_platt(*counted(shift + scale * x, y))
    digits = 1e-9 if shift and abs(scale) < 1 else 1e-11
    rounding = 1e-3 if shift and abs(scale) < 1e-3 else digits  # scores themselves are rounded
    np.testing.assert_allclose(fit.logit(shift + scale * s), expected, rtol=rounding)


def test_shift_loses_nothing():
    """A shift by 1e6 that is exact in binary gives the same probabilities to rounding."""
    x, y = sample(80)
    x = np.round(x * 2**20) / 2**20 / 1024
    plain, shifted = fit_platt(*counted(x, y)), fit_platt(*counted(x + 2.0**20, y))
    np.testing.assert_allclose(shifted.logit(x + 2.0**20), plain.logit(x), rtol=1e-12, atol=1e-12)


def test_label_flip():
    x, y = sample(60)
    np.testing.assert_allclose(
        fit_platt(*counted(x, 1 - y)).logit(x), -fit_platt(*counted(x, y)).logit(x), rtol=1e-10
    )


def test_duplicates_are_weights():
    x, y = sample(40)
    times = np.arange(40) % 3 + 1
    repeated = fit_platt(*counted(np.repeat(x, times), np.repeat(y, times)))
    weighted = fit_platt(*counted(x, y, times))
    assert weighted.theta1 == pytest.approx(repeated.theta1, rel=1e-12)


def test_separable_and_extreme_samples_converge():
    x = np.linspace(-1, 1, 5000)
    assert fit_platt(*counted(x, x > 0)).theta1 < -10
    far = np.r_[np.linspace(-1, 1, 200), 1e12]
    fit = fit_platt(*counted(far, np.r_[np.arange(200) % 2, 1]))
    t_plus = 102 / 103  # the far score dictates the slope, and is fitted nearly to its target
    assert fit.probability(1e12) == pytest.approx(t_plus, abs=5e-3)


def test_one_distinct_score_has_no_slope():
    fit = fit_platt([2.0], [3.0], [1.0])
    assert not fit.identified
    assert fit.theta1 == 0.0
    assert fit.probability([2.0, 50.0]).tolist() == pytest.approx([(3 / 5 + 2 / 3) / 4] * 2)
    known, unknown = fit.standard_error([2.0, 50.0])
    assert known == pytest.approx(np.sqrt(15 / 19 + 15 / 41))  # of 3/5 + 2/3, and of the rest
    assert unknown == np.inf


def test_no_weight_is_refused():
    with pytest.raises(ValueError, match="no samples to fit"):
        fit_platt([], [], [])


def test_grouped_start_changes_nothing():
    """Above 4096 distinct scores Newton starts from groups; the optimum is the same."""
    x, y = sample(6000)
    counts = counted(x, y)
    fit = fit_platt(*counts)
    t0, t1 = platt_targets(counts[1].sum(), counts[2].sum())
    target = np.where(y, t1, t0)

    def loss(theta):
        u = theta[0] + theta[1] * x
        return np.sum(np.logaddexp(0, u) - (1 - target) * u)

    other = minimize(loss, [0.0, 0.0], method="Nelder-Mead", options={"xatol": 1e-6}).x
    assert (fit.theta0, fit.theta1) == pytest.approx(tuple(other), abs=1e-4)
    assert loss([fit.theta0, fit.theta1]) <= loss(other)


def test_covariance_is_the_inverse_information():
    x, y = sample(50)
    fit = fit_platt(*counted(x, y))
    z = fit.standardize(x)
    p = fit.probability(x)
    design = np.stack([np.ones(50), z], axis=1)
    information = (design * (p * (1 - p))[:, None]).T @ design
    np.testing.assert_allclose(fit.covariance, np.linalg.inv(information), rtol=1e-9)


def test_the_standard_error_is_that_of_a_linear_predictor():
    x, y = sample(50)
    fit = fit_platt(*counted(x, y))
    s = np.linspace(-4, 4, 41)
    z = fit.standardize(s)
    variance = np.einsum("i...,ij,j...", [np.ones(41), z], fit.covariance, [np.ones(41), z])
    np.testing.assert_allclose(fit.standard_error(s), np.sqrt(variance), rtol=1e-9)


def heavy_tails(seed):
    rng = np.random.default_rng(seed)
    scores = np.exp(30 * rng.normal(size=60))
    y = (scores > np.median(scores)).astype(int)
    y[:9] = 1 - y[:9]
    return scores, y, 10.0 ** rng.uniform(-12, 12, 60)


NASTY = {
    "weights 1e-12 and 1e12": ([0.2, 0.7], [0, 1], [1e-12, 1e12]),
    "one ulp apart": ([0.7, np.nextafter(0.7, 1)], [0, 1], None),
    "beyond 1.8e308": ([-1.7e308, -1.0, 2.0, 1.7e308], [0, 1, 0, 1], None),
    "1e-300 to 1e300": ([-1e300, -1e-300, 0, 1e-300, 1.0, 1e300], [0, 1, 0, 1, 0, 1], None),
    "denormal": ([0.0, 5e-324, 1e-323, 2e-323], [0, 1, 0, 1], None),
    "light in both tails": ([0.0, 1, 2, 3], [1, 0, 1, 0], [1e-15, 1e3, 1e3, 1e-15]),
    "2^52 samples of a class": ([0.0, 1, 2, 3], [0, 1, 0, 1], [2.0**50, 1.0, 3.0, 2.0**52]),
    **{f"heavy tails, seed {seed}": heavy_tails(seed) for seed in (3, 7, 13)},
}


@each("name", NASTY)
def test_nasty_inputs_have_the_exact_optimum(name):
    """The optimum of Newton's method with 80 digits, on the same targets."""
    scores, y, weights = NASTY[name]
    counts = ScoreCounts.from_samples(scores, y, weights)
    against, favor = soft_counts(counts)
    fit = fit_platt(counts.scores, counts.negative, counts.positive)
    wanted = exact_log_odds([counts.scores], against, favor)
    np.testing.assert_allclose(fit.logit(counts.scores), wanted, rtol=1e-6, atol=1e-6)


def test_targets_of_both_classes_are_exact():
    counts = ScoreCounts(np.array([1.0, 2.0]), np.array([1e15, 0.0]), np.array([0.0, 4.0]))
    against, favor = soft_counts(counts)
    np.testing.assert_allclose(favor, [1e15 / (1e15 + 2), 4 * 5 / 6], rtol=1e-15)
    np.testing.assert_allclose(against, [1e15 * (1e15 + 1) / (1e15 + 2), 4 / 6], rtol=1e-15)


BAD = [
    (([np.nan, 1.0], [1, 0], [0, 1]), ValueError, r"scores\[0\] is nan"),
    (([0.0, np.inf], [1, 0], [0, 1]), ValueError, r"scores\[1\] is inf"),
    (([None, 1.0], [1, 0], [0, 1]), (TypeError, ValueError), "scores|NoneType|NaN"),
    (([0.0, 1.0], [1, np.nan], [0, 1]), ValueError, r"negative\[1\] is nan"),
    (([0.0, 1.0], [1, 0], [0, -1]), ValueError, r"positive\[1\] is -1"),
    (([0.0, 1.0], [1, 0], [0, 1e300]), ValueError, r"positive\[1\] is 1e\+300"),
    (([0.0, 1.0], [1, 0, 1], [0, 1]), ValueError, r"negative has shape \(3,\)"),
    (([0.0, 1.0], None, [0, 1]), TypeError, "negative is None"),
    (([0.0, 1.0], [0, 0], [0, 0]), ValueError, "no samples to fit"),
]


@each(("arrays", "error", "message"), BAD)
def test_bad_input_is_refused_by_name(arrays, error, message):
    with pytest.raises(error, match=message):
        fit_platt(*arrays)
    with pytest.raises(error, match=message):
        fit_profile(*arrays, fit_platt([0.0, 1.0], [1, 0], [0, 1]))


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint64, np.float16, object])
def test_numbers_of_any_kind_and_order(dtype):
    x, against, favor = np.array([1, 0, 1, 0], dtype=dtype), [0, 1, 2, 0], [3, 0, 0, 1]
    wanted = fit_platt([0.0, 1.0], [1, 2], [1, 3])
    fit = fit_platt(x, against, favor)
    np.testing.assert_array_equal(fit.logit([0.0, 1.0]), wanted.logit([0.0, 1.0]))
    profile = fit_profile(x, against, favor, fit)
    assert np.isfinite(profile.masses([0.0, 0.5, 1.0])).all()


@pytest.mark.parametrize("scores", [[5.0, 5.0, 5.0], [0.0, 1.0, 1e300]])
def test_constant_and_far_scores_end(scores):
    fit = fit_platt(scores, [1, 0, 1], [0, 2, 1])
    m1, m0 = fit_profile(scores, [1, 0, 1], [0, 2, 1], fit).masses(scores)
    assert (m1 + m0 <= 1).all()
    assert ((m1 >= 0) & (m0 >= 0)).all()
