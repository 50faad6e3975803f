"""Piecewise logistic calibration: objective, knots and profile against scipy's optimizers."""

from itertools import combinations

import numpy as np
import pytest
from scipy.integrate import tanhsinh
from scipy.optimize import minimize, minimize_scalar
from scipy.special import expit

from evical.calibrators import LogisticCalibrator, PiecewiseLogisticCalibrator
from evical.curves.piecewise_logistic import (
    PiecewiseProfile,
    _fit,
    _pairs,
    fit_piecewise_logistic,
    inner_knots,
    piecewise_profile,
)
from evical.curves.platt import platt_targets
from evical.likelihood.profile_table import mass_log_odds
from evical.scores import ScoreCounts
from tests.naive import gebel as naive
from tests.support.each import each

RNG = np.random.default_rng(0)
SCORES = 2 * RNG.normal(size=40)
Y = (RNG.random(40) < expit(np.where(SCORES < 0, SCORES / 2, 2 * SCORES))).astype(int)


def targets(smooth):
    low, high = platt_targets(float(sum(1 - Y)), float(sum(Y))) if smooth else (0, 1)
    return np.where(Y == 1, high, low)


def best_by_scipy(knots, smooth, penalty):
    def objective(w):
        x = np.interp(SCORES, knots, w)
        slopes = np.diff(w) / np.diff(knots)
        loss = np.sum(np.logaddexp(0, x) - targets(smooth) * x)
        return loss + penalty * np.sum(np.diff(slopes) ** 2)

    return minimize(objective, np.zeros(4), method="BFGS", options={"gtol": 1e-8}).fun


@pytest.mark.parametrize("smooth", [True, False])
def test_objective_and_knots_are_the_best_of_all_pairs(smooth):
    c = PiecewiseLogisticCalibrator(smooth=smooth).fit(SCORES, Y)
    sample = SCORES.tolist(), targets(smooth).tolist()
    # Knots are scores, up to the rounding of standardized ones.
    knots = SCORES[np.abs(SCORES - c.knots_[:, None]).argmin(axis=1)]
    np.testing.assert_allclose(c.knots_, knots, rtol=1e-14)
    own = naive.piecewise_objective(*sample, knots.tolist(), c.log_odds_.tolist(), 0.001)
    quantiles = np.unique(np.quantile(SCORES[Y == 1], np.arange(1, 20) / 20, method="inverted_cdf"))
    ends = SCORES.min(), SCORES.max()
    inner = [q for q in quantiles if ends[0] < q < ends[1]]
    rivals = {
        pair: best_by_scipy([ends[0], *pair, ends[1]], smooth, 0.001)
        for pair in list(combinations(inner, 2))[::3]
    }
    assert own <= min(rivals.values()) + 1e-6
    same = best_by_scipy(knots, smooth, 0.001)
    assert own == pytest.approx(same, abs=1e-5)
    assert c._fit.objective == pytest.approx(own, abs=1e-9)


def test_prediction_is_the_sum_of_hats():
    c = PiecewiseLogisticCalibrator().fit(SCORES, Y)
    knots, weights = c.knots_.tolist(), c.log_odds_.tolist()
    inside = np.sort(SCORES)[1:-1]
    wanted = [naive.hat_log_odds(s, knots, weights) for s in inside.tolist()]
    np.testing.assert_allclose(c.predict_proba(inside)[:, 1], expit(wanted), rtol=1e-9)
    ends = c.predict_proba([-1e9, 1e9])[:, 1]
    np.testing.assert_allclose(ends, expit(c.log_odds_[[0, -1]]), rtol=1e-9)


def test_a_large_penalty_is_logistic_calibration():
    straight = PiecewiseLogisticCalibrator(penalty=1e9).fit(SCORES, Y).predict_proba(SCORES)
    platt = LogisticCalibrator(model="bayesian").fit(SCORES, Y).predict_proba(SCORES)
    np.testing.assert_allclose(straight, platt, atol=1e-6)


def test_quantiles_count_weights():
    counts = ScoreCounts.from_samples(SCORES, Y, 1 + np.arange(40) % 3)
    repeated = np.repeat(SCORES[Y == 1], (1 + np.arange(40) % 3)[Y == 1])
    wanted = np.unique(np.quantile(repeated, np.arange(1, 20) / 20, method="inverted_cdf"))
    inside = (wanted > SCORES.min()) & (wanted < SCORES.max())
    np.testing.assert_array_equal(inner_knots(counts)[0], wanted[inside])


def test_knots_of_both_classes():
    """The lower knot is a decile of the negatives, the upper one of the positives (Naeini)."""
    counts = ScoreCounts.from_samples(SCORES, Y)
    for knots in ("positives", "both"):
        pairs = naive.knot_pairs(SCORES[Y == 0].tolist(), SCORES[Y == 1].tolist(), knots == "both")
        np.testing.assert_array_equal(_pairs(*inner_knots(counts, knots)), pairs)
        c = PiecewiseLogisticCalibrator(knots=knots).fit(SCORES, Y)
        fit = c._fit
        assert np.abs(np.array(pairs) - c.knots_[1:3]).sum(axis=1).min() < 1e-12
        x, places = fit.standardize(counts.scores), fit.standardize(np.array(pairs))
        every = _fit(counts, x, places, fit.strength, True)[0]
        assert fit.objective == pytest.approx(every.min(), abs=1e-9)
    # No decile of the negatives lies below one of the positives: each knot alone.
    alone = ScoreCounts.from_samples([0, 1, 1, 2, 3], [0, 1, 1, 0, 1])
    assert _pairs(*inner_knots(alone, "both")).tolist() == [[1.0], [2.0]]
    assert PiecewiseLogisticCalibrator(knots="both").fit([0.0, 1.0], [0, 1]).knots_.size == 2


@pytest.mark.parametrize(
    ("scores", "n_knots"), [([0.0, 1.0], 2), ([0.0, 1.0, 2.0], 3), ([3.0, 3.0], 2)]
)
def test_few_scores_have_fewer_knots(scores, n_knots):
    y = [0, 1, 0][: len(scores)]
    assert len(PiecewiseLogisticCalibrator().fit(scores, y).knots_) == n_knots


def test_search_on_groups_ends_within_the_best_on_all_scores():
    rng = np.random.default_rng(1)
    s = rng.normal(size=9000)
    y = rng.random(9000) < expit(np.where(s < 0, s, 3 * s))
    counts = ScoreCounts.from_samples(s, y)
    fit = fit_piecewise_logistic(counts, 0.001, True)
    near = fit_piecewise_logistic(counts.compress(1999), 0.001, True)
    assert fit.objective == pytest.approx(near.objective, rel=1e-4)


@pytest.mark.parametrize("seed", [5, 10])
def test_search_on_few_groups_misses_no_pair_of_knots(seed):
    """Ranked on 400 groups alone, other pairs won, and lost 0.37 and 0.008 of log-likelihood."""
    rng = np.random.default_rng(seed)
    m = rng.normal(size=2000)
    y = rng.random(2000) < expit(1.2 * m - 3.3)
    counts = ScoreCounts.from_samples(expit(m - 3), y)
    fit = fit_piecewise_logistic(counts, 0.001, True)
    pairs = _pairs(*map(fit.standardize, inner_knots(counts)))
    everything = _fit(counts, fit.standardize(counts.scores), pairs, fit.strength, True)[0]
    assert fit.objective == pytest.approx(everything.min(), abs=1e-9)


@pytest.mark.parametrize("y", [SCORES > 0, SCORES < 0])
@pytest.mark.filterwarnings("ignore:scores look reversed")  # on purpose
def test_separable_labels_have_no_fit(y):
    with pytest.raises(ValueError, match="a threshold separates the classes"):
        PiecewiseLogisticCalibrator(smooth=False).fit(SCORES, y)
    assert np.isfinite(PiecewiseLogisticCalibrator().fit(SCORES, y).log_odds_).all()


def test_one_score_of_both_classes_is_not_separated():
    fitted = PiecewiseLogisticCalibrator(smooth=False).fit([3.0, 3.0, 3.0], [0, 1, 1])
    np.testing.assert_allclose(fitted.predict_proba([3.0])[:, 1], 2 / 3)


# ---- the likelihood model


@pytest.fixture(scope="module")
def fitted():
    return PiecewiseLogisticCalibrator(model="likelihood").fit(SCORES, Y)


@each("s", [-2.5, 0.0, 0.7, 3.0])
@each("p", [0.05, 0.4, 0.8])
def test_contour_is_that_of_a_constrained_optimizer(fitted, s, p):
    knots = fitted.knots_

    def objective(w):
        x = np.interp(SCORES, knots, w)
        slopes = np.diff(w) / np.diff(knots)
        loss = np.sum(np.logaddexp(0, x) - targets(True) * x)
        return loss + 0.001 * np.sum(np.diff(slopes) ** 2)

    wanted = minimize(
        objective,
        fitted.log_odds_,
        constraints={"type": "eq", "fun": lambda w: np.interp(s, knots, w) - np.log(p / (1 - p))},
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-12},
    )
    assert wanted.success
    relative = np.exp(objective(fitted.log_odds_) - wanted.fun)
    assert fitted.contour(s, p) == pytest.approx(relative, abs=1e-5)


def test_masses_are_the_areas_under_the_contour(fitted):
    tau = np.linspace(0, 1, 4001)
    for s in (-1.0, 0.5, 2.0):
        area = 1 - fitted.contour(s, tau)
        p = expit(fitted._fit.log_odds(np.array([s])))[0]
        m1, m0 = (np.trapezoid(np.where(side, area, 0), tau) for side in (tau <= p, tau >= p))
        np.testing.assert_allclose(fitted.predict_interval([s]), [[m1, 1 - m0]], atol=2e-4)


@pytest.mark.parametrize("s", [1.735, 2.16])
def test_masses_beside_an_outlier_are_areas_too(s):
    """Where a far outlier changes sides, the contour has a corner: they erred by 1.4e-5."""
    rng = np.random.default_rng(7)
    scores = rng.normal(size=400)
    y = np.append(rng.random(400)[:99] < expit(scores[:99]), False)
    c = PiecewiseLogisticCalibrator(model="likelihood").fit(np.append(scores[:99], 40.0), y)
    p = expit(c._fit.log_odds(np.array([s])))[0]
    ends = np.linspace(0, p, 41)
    parts = tanhsinh(lambda tau: c.contour(s, tau), ends[:-1], ends[1:], atol=1e-11)
    below = parts.integral.sum()
    assert c.predict_interval([s])[0, 0] == pytest.approx(p - below, abs=1e-8)


def test_quadrature_of_a_large_sample_is_the_sample():
    rng = np.random.default_rng(2)
    s = rng.normal(size=600)
    counts = ScoreCounts.from_samples(s, rng.random(600) < expit(3 * s))
    profile = piecewise_profile(counts, fit_piecewise_logistic(counts, 0.001, True))
    assert len(profile.nodes) < 300
    fit = profile.fit
    exact = PiecewiseProfile(fit, fit.standardize(counts.scores), counts.total)
    x = np.array([0.1, 0.5, 0.8])
    np.testing.assert_allclose(
        mass_log_odds(profile.linear, x), mass_log_odds(exact.linear, x), atol=1e-8
    )


def test_only_the_likelihood_model_has_a_contour():
    with pytest.raises(ValueError, match="needs 'likelihood'"):
        PiecewiseLogisticCalibrator().fit(SCORES, Y).contour(0.0, 0.5)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"penalty": 0}, ValueError),
        ({"penalty": np.inf}, ValueError),
        ({"penalty": "1"}, TypeError),
        ({"smooth": 1}, TypeError),
        ({"model": "confidence"}, ValueError),
        ({"knots": "negatives"}, ValueError),
    ],
)
def test_wrong_parameters_are_refused(options, error):
    with pytest.raises(error, match=f"{next(iter(options))} is "):
        PiecewiseLogisticCalibrator(**options).fit(SCORES, Y)


@pytest.mark.parametrize("gap", [-60.0, -36.0, -15.0, 12.0, 27.0])
def test_deviance_of_far_log_odds_is_that_of_a_line_search(gap):
    """Where all sigmoids are flat a step must not leave the constraint: 442 once became 10."""
    counts = ScoreCounts(np.arange(2.0), np.array([35.0, 0.0]), np.array([16.0, 9.0]))
    fit = fit_piecewise_logistic(counts, 0.1, True)
    profile = piecewise_profile(counts, fit)
    x = np.array([0.66])
    top = fit.log_odds(counts.scores)

    def loss(slope):
        move = gap + slope * (counts.scores - x)
        change = np.logaddexp(0, top + move) - np.logaddexp(0, top) - expit(top) * move
        return counts.total @ change

    wanted = min(minimize_scalar(loss, bracket=(a, a + 1)).fun for a in (-100, -10, 0, 10, 100))
    got = profile.at(x, (fit.log_odds(x) + gap)[:, None])
    assert got[0, 0] == pytest.approx(wanted, rel=1e-9)


@pytest.mark.filterwarnings("ignore:the weights of .* samples have the sum")  # on purpose
@pytest.mark.parametrize("total", [1e-10, 0.5])
def test_evidence_of_less_than_one_sample_leaves_nearly_all_open(total):
    weights = np.full(40, total / 40)
    c = PiecewiseLogisticCalibrator(penalty=0.1, model="likelihood").fit(SCORES, Y, weights)
    low, high = c.predict_interval([-1.0, 0.0, 1.0]).T
    assert (high - low > 0.7).all()


@pytest.mark.parametrize("score", [-1.7e308, -1e300, 1.7e308])
def test_one_score_at_the_end_of_the_floats(score):
    c = PiecewiseLogisticCalibrator().fit([score, score], [0, 1])
    np.testing.assert_allclose(c.predict_proba([score, -score])[:, 1], 0.5, rtol=1e-12)
