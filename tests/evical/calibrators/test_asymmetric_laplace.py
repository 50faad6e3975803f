"""Asymmetric Laplace calibration: the search against the definition, and one-sided samples."""

import mpmath
import numpy as np
import pytest
from scipy.special import expit

from evical.calibrators import AsymmetricLaplaceCalibrator
from evical.curves.asymmetric_laplace import AsymmetricLaplace, fit_asymmetric_laplace
from evical.scores.scale import log_odds
from tests.naive import gebel as naive

RNG = np.random.default_rng(0)
SCORES = np.concatenate([RNG.laplace(-1, 1, 40), RNG.laplace(2, 2, 60)])
Y = np.repeat([0, 1], [40, 60])
WEIGHTS = RNG.integers(1, 4, 100)


@pytest.mark.parametrize("k", [0, 1])
def test_search_is_the_definition(k):
    c = AsymmetricLaplaceCalibrator().fit(SCORES, Y, WEIGHTS)
    members = np.flatnonzero(np.equal(Y, k))
    own = np.repeat(SCORES[members], WEIGHTS[members]).tolist()
    _, *wanted = naive.laplace_fit(own, sorted(SCORES.tolist()))
    np.testing.assert_allclose([c.modes_[k], c.beta_[k], c.gamma_[k]], wanted, rtol=1e-10)


def test_probabilities_are_bayes_rule_with_smoothed_priors():
    c = AsymmetricLaplaceCalibrator().fit(SCORES, Y)
    assert c.prior_ == pytest.approx(61 / 102)
    for s in (-4.0, -0.5, 1.0, 5.0):
        triples = zip(c.modes_, c.beta_, c.gamma_, strict=True)
        f0, f1 = (naive.laplace_density(s, *triple) for triple in triples)
        wanted = 61 * f1 / (61 * f1 + 41 * f0)
        assert c.predict_proba([s])[0, 1] == pytest.approx(wanted, rel=1e-9)


def test_log_odds_of_probabilities_are_the_scores():
    p = expit(SCORES)
    logit = AsymmetricLaplaceCalibrator(transform="logit").fit(p, Y)
    plain = AsymmetricLaplaceCalibrator().fit(log_odds(p), Y)
    np.testing.assert_array_equal(logit.predict_proba(p), plain.predict_proba(log_odds(p)))


def test_no_mode_between_the_scores_is_better():
    """The likelihood has no maximum between neighboring scores, so candidates are enough."""
    own = np.sort(SCORES[Y == 1])
    fit = fit_asymmetric_laplace(own, np.ones(60))
    best = fit.log_density(own).sum()
    for mode in np.linspace(own[1], own[-2], 501):
        left, right = (np.maximum(sign * (mode - own), 0).sum() for sign in (1, -1))
        middle = np.sqrt(left * right)
        rival = type(fit)(mode, 60 / (left + middle), 60 / (right + middle))
        assert rival.log_density(own).sum() <= best + 1e-9


def test_a_side_without_samples_takes_a_part_of_the_other():
    fit = fit_asymmetric_laplace(np.array([0.0, 1.0, 5.0]), np.array([8.0, 1.0, 1.0]))
    assert fit.mode == 0
    # 10 samples with distances 6 in all: at least 6 / 100 to the left.
    assert fit.beta == pytest.approx(10 / (0.06 + 0.6))
    assert fit.gamma == pytest.approx(10 / (6 + 0.6))


def test_no_candidate_is_more_likely():
    """Neither is one at the end of few samples, whose scale on the empty side is made up."""
    rng = np.random.default_rng(5)
    for _ in range(30):
        own, others = np.sort(rng.normal(size=6)), rng.normal(size=6)
        scores = np.sort(np.append(own, others))
        fit = fit_asymmetric_laplace(scores, np.isin(scores, own).astype(float))
        best = fit.log_density(own).sum()
        for mode in scores:
            left, right = (np.maximum(sign * (mode - own), 0).sum() for sign in (1, -1))
            if min(left, right) > 0:
                middle = np.sqrt(left * right)
                rival = type(fit)(mode, 6 / (left + middle), 6 / (right + middle))
                assert rival.log_density(own).sum() <= best + 1e-9


def test_a_class_at_one_score_takes_the_scale_of_the_other():
    c = AsymmetricLaplaceCalibrator().fit([0.0, 1, 1, 1, 1, 3, 2, 2], [0, 0, 0, 0, 0, 0, 1, 1])
    spread = (1 / c.beta_ + 1 / c.gamma_) / 2
    mean_distance = 3 / 6
    np.testing.assert_allclose(spread[1], 2 * mean_distance / 2, rtol=1e-9)


def test_equal_scores_leave_the_prior_everywhere():
    c = AsymmetricLaplaceCalibrator().fit([4.0] * 5, [0, 1, 1, 1, 1])
    np.testing.assert_allclose(c.predict_proba([-1e9, 4.0, 7.0])[:, 1], 5 / 7)


def test_both_tails_keep_their_digits():
    m = AsymmetricLaplaceCalibrator().fit(SCORES, Y).predict_mass([-400.0, 400.0])
    assert m.mass(1)[0] > 0
    assert m.mass(0)[1] > 0


@pytest.mark.parametrize(("beta", "gamma"), [(1.5, 5e-324), (5e-324, 1.5), (1e300, 1e-300)])
def test_densities_of_extreme_scales_are_the_definition(beta, gamma):
    found = AsymmetricLaplace(0.0, beta, gamma).log_density(np.array([-1e-3, 0.0, 1e-3]))
    with mpmath.workdps(50):
        b, g = mpmath.mpf(beta), mpmath.mpf(gamma)
        height = mpmath.log(b * g / (b + g))
        wanted = [height - b * mpmath.mpf(1e-3), height, height - g * mpmath.mpf(1e-3)]
    np.testing.assert_allclose(found, np.array(wanted, dtype=float), rtol=1e-14)
