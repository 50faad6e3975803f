"""The profile likelihood of beta maps: brute force under the constraints, and integrals of it."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from evical.curves.beta import BetaProfile, beta_features, beta_profile, beta_sample, fit_beta
from evical.likelihood.integrals import CORNERS, belief_log_odds
from evical.scores import ScoreCounts
from tests.evical.curves.beta_samples import TIES, negative_log_likelihood
from tests.support.each import each

AT = np.array([-3.0, -0.4, 0.3, 2.0])


def fitted(parameters, n=40, truth=(0.5, 1.5, 0.3), smooth=True):
    rng = np.random.default_rng(n)
    s = rng.beta(0.7, 0.9, n)
    y = rng.random(n) < expit(truth[0] * np.log(s) - truth[1] * np.log1p(-s) + truth[2])
    sample = beta_sample(ScoreCounts.from_samples(s, y))
    return sample, beta_profile(sample, fit_beta(sample, parameters, smooth), parameters, smooth)


def brute_force(sample, parameters, x, eta):
    """Least objective of maps with log-odds eta at x."""
    loss, ties = negative_log_likelihood(sample), TIES[parameters]
    h = ties @ beta_features(np.array([x]))[:, 0]
    found = minimize(
        lambda free: loss(free @ ties)[0],
        eta * h / (h @ h),
        jac=lambda free: ties @ loss(free @ ties)[1],
        bounds=[(None, None) if row[2] == 1 else (0, None) for row in ties],
        constraints={"type": "eq", "fun": lambda free: free @ h - eta, "jac": lambda free: h},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    return found.fun if abs(found.x @ h - eta) < 1e-7 else np.inf


@each("parameters", ["abm", "am", "ab", "a"])
@each("truth", [(0.5, 1.5, 0.3), (-0.5, 0.8, 0.0), (-1, -0.5, 0.2)])
def test_deviance_is_that_of_constrained_optimization(parameters, truth):
    sample, profile = fitted(parameters, truth=truth)
    best = negative_log_likelihood(sample)(profile.coefficients)[0]
    for x in AT:
        for eta in (-2.0, -0.3, 0.4, 2.5):
            ours = profile.at(np.array([x]), np.array([[eta]]))[0, 0]
            wanted = brute_force(sample, parameters, x, eta) - best
            if not np.isinf(ours):  # else SLSQP stops anywhere
                assert ours == pytest.approx(wanted, abs=1e-6, rel=1e-6)
            else:
                assert parameters in ("ab", "a")
                assert x * eta < 0


@pytest.mark.parametrize("parameters", ["abm", "ab"])
@pytest.mark.parametrize("truth", [(0.5, 1.5, 0.3), (-0.5, 0.8, 0.0)])
def test_masses_are_integrals_of_the_contour(parameters, truth):
    """A plain trapezoidal rule in p, whose plausibilities are checked above."""
    _, profile = fitted(parameters, truth=truth)
    for x in AT:
        eta = np.concatenate([np.linspace(-40, 40, 4001), np.linspace(-6, 6, 12001)])
        eta = np.unique(np.append(eta, profile.linear.mle(np.array([x]))))
        plausible = np.exp(-profile.at(np.array([x]), eta[None])[0])
        top = eta[np.argmax(plausible)]
        p = expit(eta)
        low, high = eta <= top, eta >= top
        bel = expit(top) - np.trapezoid(plausible[low], p[low])
        pl = expit(top) + np.trapezoid(plausible[high], p[high])
        m1, m0 = expit(profile.linear.mass_log_odds(np.array([x])))[0]
        # The contour may jump at p = 1/2, where the rule is off by half a step.
        assert m1 == pytest.approx(bel, abs=3e-4 if "m" not in parameters else 2e-6)
        assert m0 == pytest.approx(1 - pl, abs=3e-4 if "m" not in parameters else 2e-6)


@pytest.mark.parametrize("parameters", ["abm", "am", "ab", "a"])
def test_a_quadrature_is_as_good_as_the_sample(parameters):
    sample, reduced = fitted(parameters, n=3000)
    exact = BetaProfile(
        reduced.coefficients, parameters, sample.scores, sample.total, reduced.slope
    )
    assert len(reduced.nodes) < 200
    x = np.linspace(-5, 5, 11)
    for shift in (-0.8, 0.0, 0.5):
        eta = (reduced.linear.mle(x) + shift * np.abs(x))[:, None]
        ours, wanted = reduced.at(x, eta), exact.at(x, eta)
        np.testing.assert_allclose(np.exp(-ours), np.exp(-wanted), atol=1e-8)


@pytest.mark.parametrize("parameters", ["ab", "a"])
def test_a_score_beside_one_half_costs_no_digits(parameters):
    """Even log-odds there mean a = b = 0, as anywhere: the plausibility was 0.72, and is 0.64."""
    _, profile = fitted(parameters)
    beside, far = profile.at(np.array([4e-16, 1.0]), np.zeros((2, 1)))[:, 0]
    assert beside == pytest.approx(far, rel=1e-9)


def test_integrals_with_a_corner_and_an_end():
    """D = max(0, -eta - 1)**2 beside the top 0, impossible below -2: by a very fine rule."""

    def deviance(_, eta):
        return np.where(eta < -2, np.inf, np.maximum(-eta - 1, 0) ** 2 + np.maximum(eta, 0) * 3)

    zero = np.zeros(1)
    ends = (np.full(1, -2.0), np.full(1, np.inf))
    found = expit(belief_log_odds(zero, zero, zero + 0.5, deviance, lambda _: ends, CORNERS))[0]
    eta = np.linspace(-2, 0, 400_001)
    lower = 0.5 - np.trapezoid(np.exp(-deviance(0, eta)), expit(eta))
    eta = np.linspace(0, 20, 400_001)
    upper = 0.5 - np.trapezoid(np.exp(-deviance(0, eta)), expit(eta))
    np.testing.assert_allclose(found, [lower, upper], atol=1e-8)
