"""Level sets of calibrators: constrained optimization, the contour, Wilks' coverage."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import NonlinearConstraint, minimize
from scipy.special import expit, log_expit
from scipy.stats import chi2

from evical.calibrators import (
    BetaCalibrator,
    BinningCalibrator,
    GaussianCalibrator,
    IsotonicCalibrator,
    LogisticCalibrator,
    PiecewiseLogisticCalibrator,
    TemperatureCalibrator,
)
from evical.calibrators._level_set import LevelSets
from tests.protocols.calibrators_table import CALIBRATORS, fitted, samples
from tests.support.each import each

with_likelihood = [
    entry
    for entry in CALIBRATORS
    if isinstance(entry(), LevelSets) and entry().model == "likelihood"
]
every = each("entry", with_likelihood, ids=lambda entry: entry.id)
PROBES = np.linspace(-2, 2, 9)


# ---- what all of them promise


def test_all_with_a_likelihood_of_one_curve_have_level_sets():
    """Averages of many binnings and curves have no likelihood of their own."""
    averages = {"ABBCalibrator", "AutoCalibrator", "BBQCalibrator", "ENIRCalibrator"}
    able = {type(entry()) for entry in CALIBRATORS if "likelihood" in str(entry.options)}
    names = {kind.__name__ for kind in able if not issubclass(kind, LevelSets)}
    assert names == averages


@every
def test_level_sets_are_nested_and_shrink_to_the_most_plausible(entry):
    calibrator = fitted(entry)
    sets = [calibrator.level_set(PROBES, alpha) for alpha in (1e-9, 0.1, 0.5, 0.999999, 1.0)]
    for outer, inner in pairwise(sets):
        assert (outer[:, 0] <= inner[:, 0] + 1e-9).all()
        assert (outer[:, 1] >= inner[:, 1] - 1e-9).all()
    assert all(((ends >= 0) & (ends <= 1)).all() for ends in sets)
    assert all((ends[:, 0] <= ends[:, 1]).all() for ends in sets)
    assert (np.diff(sets[1]) > 0.01).any()


@every
def test_scores_may_be_a_column_and_calibrators_saved(entry):
    calibrator = fitted(entry)
    found = calibrator.level_set(PROBES, 0.2)
    np.testing.assert_array_equal(calibrator.level_set(PROBES[:, None], 0.2), found)
    again = type(calibrator).from_dict(calibrator.to_dict())
    np.testing.assert_allclose(again.level_set(PROBES, 0.2), found, atol=1e-9)


@each("entry", [e for e in with_likelihood if hasattr(e(), "contour")])
def test_the_contour_is_alpha_at_the_ends(entry):
    """Or the end is one of the model, beyond which the contour is 0."""
    calibrator = fitted(entry)
    for alpha in (0.9, 0.146, 1e-4):
        low, high = calibrator.level_set(PROBES, alpha).T
        for end, outward in ((low, -1e-6), (high, 1e-6)):
            inner = (end > 1e-9) & (end < 1 - 1e-9)
            at, p = PROBES[inner], end[inner]
            value = calibrator.contour(at, p)
            beyond = calibrator.contour(at, np.clip(p + outward, 0, 1))
            assert ((np.abs(value - alpha) < 1e-6) | (beyond == 0) & (value >= alpha - 1e-6)).all()


@pytest.mark.parametrize(
    ("alpha", "error"), [(0, ValueError), (1.01, ValueError), ("0.1", TypeError), (True, TypeError)]
)
def test_alpha_is_checked(alpha, error):
    calibrator = LogisticCalibrator().fit(*samples())
    with pytest.raises(error, match=r"alpha is .*, expected a number above 0 and up to 1"):
        calibrator.level_set([0.0], alpha)


@pytest.mark.parametrize("kind", [LogisticCalibrator, BinningCalibrator, IsotonicCalibrator])
def test_other_models_have_none(kind):
    calibrator = kind(model="confidence").fit(*samples())
    with pytest.raises(ValueError, match="model is 'confidence'; a level set needs 'likelihood'"):
        calibrator.level_set([0.0], 0.1)


# ---- oracle: the extremes of the log-odds over all parameters that are plausible


def extremes(loss, start, log_odds, level):
    """Least and greatest log-odds subject to loss <= its minimum + level, by scipy's SLSQP.

    Whether one run of SLSQP ends well depends on how linear algebra rounds, and so on the number
    of threads. The most extreme of several starts that end on the constraint is the answer.
    """
    best = minimize(loss, start, method="BFGS", options={"gtol": 1e-8})
    inside = NonlinearConstraint(lambda t: (loss(t) - best.fun) / level, -np.inf, 1.0)
    options = {"ftol": 1e-10, "maxiter": 1000}
    moves = 0.05 * np.random.default_rng(0).normal(size=(4, best.x.size))
    found = []
    for sign in (1, -1):
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # steps too far
            runs = [
                minimize(
                    lambda t, sign=sign: sign * log_odds(t),
                    begin,
                    constraints=[inside],
                    method="SLSQP",
                    options=options,
                )
                for begin in (best.x, *(best.x + moves))
            ]
        ended = [run.fun for run in runs if run.success and inside.fun(run.x) < 1 + 1e-7]
        assert len(ended) >= 2, [run.message for run in runs]
        found.append(expit(sign * min(ended)))
    return found


def platt_targets(y):
    """Platt (1999), eq. 4 of Xu et al. (2016)."""
    positive, negative = y.sum(), (1 - y).sum()
    return np.where(y == 1, (positive + 1) / (positive + 2), 1 / (negative + 2))


def bernoulli_loss(eta, targets):
    return -np.sum(targets * log_expit(eta) + (1 - targets) * log_expit(-eta))


@each("at", [-1.5, 0.2, 2.5])
@each("alpha", [0.5, 0.1])
def test_logistic_by_constrained_optimization(at, alpha):
    scores, y = samples(30)
    targets = platt_targets(y)
    wanted = extremes(
        lambda t: bernoulli_loss(t[0] + t[1] * scores, targets),
        np.array([0.0, 1.0]),
        lambda t: t[0] + t[1] * at,
        -np.log(alpha),
    )
    found = LogisticCalibrator().fit(scores, y).level_set([at], alpha)[0]
    np.testing.assert_allclose(found, wanted, atol=1e-5)


@pytest.mark.parametrize("at", [0.1, 0.5, 0.9])
def test_beta_by_constrained_optimization(at):
    """Coefficients are squares, which are never negative."""
    scores, y = samples(40, seed=3)
    scores = expit(scores)
    targets = platt_targets(y)

    def log_odds(t, s):
        return t[0] ** 2 * np.log(s) - t[1] ** 2 * np.log1p(-s) + t[2]

    wanted = extremes(
        lambda t: bernoulli_loss(log_odds(t, scores), targets),
        np.array([1.0, 1.0, 0.0]),
        lambda t: log_odds(t, at),
        2.0,
    )
    found = BetaCalibrator().fit(scores, y).level_set([at], np.exp(-2.0))[0]
    np.testing.assert_allclose(found, wanted, atol=1e-5)


def test_gaussian_by_constrained_optimization():
    """The joint likelihood of label and score: a share, two means, two variances."""
    scores, y = samples(30, seed=1)
    at = 0.7

    def joint(t, s):
        share, means, deviations = t[0], t[1:3], np.exp(t[3:5])
        normal = [
            -0.5 * ((s - m) / d) ** 2 - np.log(d) for m, d in zip(means, deviations, strict=True)
        ]
        return normal[0] + log_expit(-share), normal[1] + log_expit(share)

    def loss(t):
        negative, positive = joint(t, scores)
        return -np.sum(np.where(y == 1, positive, negative))

    def log_odds(t):
        negative, positive = joint(t, at)
        return positive - negative

    start = np.array([0.0, scores[y == 0].mean(), scores[y == 1].mean(), 0.0, 0.0])
    wanted = extremes(loss, start, log_odds, 1.5)
    found = GaussianCalibrator(model="likelihood").fit(scores, y).level_set([at], np.exp(-1.5))[0]
    np.testing.assert_allclose(found, wanted, atol=1e-5)


def test_temperature_by_constrained_optimization():
    scores, y = samples(30, seed=2)
    wanted = extremes(
        lambda t: bernoulli_loss(t[0] * scores, y.astype(float)),
        np.array([1.0]),
        lambda t: t[0] * 1.2,
        1.0,
    )
    calibrator = TemperatureCalibrator(smooth=False).fit(scores, y)
    np.testing.assert_allclose(calibrator.level_set([1.2], np.exp(-1.0))[0], wanted, atol=1e-6)


def test_piecewise_logistic_by_constrained_optimization():
    """With the knots that were found; the penalty does not show."""
    scores, y = samples(80, seed=4)
    calibrator = PiecewiseLogisticCalibrator(model="likelihood", penalty=1e-6).fit(scores, y)
    knots, targets, at = calibrator.knots_, platt_targets(y), 0.3
    wanted = extremes(
        lambda t: bernoulli_loss(np.interp(scores, knots, t), targets),
        calibrator.log_odds_,
        lambda t: np.interp(at, knots, t),
        1.0,
    )
    np.testing.assert_allclose(calibrator.level_set([at], np.exp(-1.0))[0], wanted, atol=1e-4)


def test_envelope_and_interpolation_of_isotonic_blocks():
    """Ends of blocks are made to rise as belief and plausibility are, and joined as they are."""
    scores = np.repeat([1.0, 2.0, 3.0], [20, 1, 20])
    y = np.r_[np.arange(20) < 5, [1], np.ones(20, bool)].astype(int)
    alone = IsotonicCalibrator(envelope=False).fit(scores, y)
    assert alone.total_.tolist() == [20, 21]
    scores, y = np.r_[scores, 4.0, 4.0], np.r_[y, 0, 1]
    alone = IsotonicCalibrator(envelope=False).fit(scores, y).level_set([1, 2.5, 4], 0.2)
    joined = IsotonicCalibrator().fit(scores, y).level_set([1, 2.5, 4], 0.2)
    np.testing.assert_allclose(joined[:, 0], np.minimum.accumulate(alone[::-1, 0])[::-1])
    np.testing.assert_allclose(joined[:, 1], np.maximum.accumulate(alone[:, 1]))
    smooth = IsotonicCalibrator(centered=True).fit(scores, y)
    middle = smooth.centers_.mean(keepdims=True)
    ends = smooth.level_set(smooth.centers_, 0.2)
    assert len(ends) == 2
    np.testing.assert_allclose(smooth.level_set(middle, 0.2), ends.mean(axis=0, keepdims=True))


# ---- coverage: P(chi2_1 <= -2 log(alpha))


def covered(make, truth, at, alphas, repeats, n):
    """Share of samples whose level sets cover the truth, for each alpha."""
    inside = np.zeros(len(alphas))
    for seed in range(repeats):
        rng = np.random.default_rng(seed)
        scores = rng.random(n)
        calibrator = make().fit(scores, rng.random(n) < truth(scores))
        ends = np.array([calibrator.level_set([at], alpha)[0] for alpha in alphas])
        inside += (ends[:, 0] <= truth(at)) & (truth(at) <= ends[:, 1])
    return inside / repeats


MADE = {
    "logistic": (LogisticCalibrator, lambda s: expit(4 * s - 2.5)),
    "beta": (BetaCalibrator, lambda s: expit(0.7 * np.log(s) - 1.5 * np.log1p(-s) - 0.3)),
    "bins": (lambda: BinningCalibrator(n_bins=(0, 0.5, 1)), lambda s: np.where(s < 0.5, 0.3, 0.6)),
}


@each("name", MADE)
def test_coverage_is_that_of_wilks_theorem(name):
    """Within 3.5 standard errors; other distributions of the deviance are found by 100 samples."""
    make, truth = MADE[name]
    repeats = 20 if name == "beta" else 100
    alphas = np.array([0.5, 0.1465])
    wanted = chi2.cdf(-2 * np.log(alphas), 1)
    found = covered(make, truth, 0.7, alphas, repeats, 800)
    assert (abs(found - wanted) < 3.5 * np.sqrt(wanted * (1 - wanted) / repeats)).all()
