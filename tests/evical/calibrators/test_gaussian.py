"""Gaussian calibration: Bayes' rule exactly, and the profile likelihood against optimizers."""

import numpy as np
import pytest
from scipy.integrate import tanhsinh
from scipy.optimize import minimize
from scipy.special import expit, logit
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from dstheory.inference import LikelihoodContour, RandomInterval, predictive_binary
from evical.calibrators import GaussianCalibrator
from evical.curves.gaussian import GaussianProfile
from evical.likelihood.profile_table import mass_log_odds
from tests.naive import gebel as naive
from tests.support.each import each

RNG = np.random.default_rng(0)
SCORES = 2 * RNG.normal(size=40) + 5
Y = (RNG.random(40) < expit(SCORES - 5)).astype(int)
AT = np.array([0.0, 3.0, 4.9, 6.0, 12.0])
both = each("variances", ["unequal", "equal"])


def likelihood(variances, scores=SCORES, y=Y):
    return GaussianCalibrator(variances=variances, model="likelihood").fit(scores, y)


def test_unequal_variances_are_the_definition():
    got = GaussianCalibrator().fit(SCORES, Y).predict_proba(AT)[:, 1]
    parts = SCORES[Y == 0].tolist(), SCORES[Y == 1].tolist()
    wanted = [naive.gaussian_posterior(s, *parts) for s in AT.tolist()]
    np.testing.assert_allclose(got, wanted, rtol=1e-10)


def test_equal_variances_are_linear_discriminant_analysis():
    theirs = LinearDiscriminantAnalysis(solver="lsqr").fit(SCORES[:, None], Y)
    ours = GaussianCalibrator(variances="equal").fit(SCORES, Y)
    # scikit-learn divides the sums of squares by n, not by n - 2.
    theirs.covariance_ *= 40 / 38
    theirs.coef_ /= 40 / 38
    prior = np.log(Y.mean() / (1 - Y.mean()))
    theirs.intercept_ = prior + (theirs.intercept_ - prior) / (40 / 38)
    np.testing.assert_allclose(ours.predict_proba(AT), theirs.predict_proba(AT[:, None]), rtol=1e-9)


def test_both_tails_keep_their_digits():
    m = (
        GaussianCalibrator(variances="equal")
        .fit([-2.0, 0.0, 1.0, 3.0], [0, 0, 1, 1])
        .predict_mass([100.0])
    )
    assert m.mass(0)[0] == pytest.approx(np.exp(-1.5 * 99.5), rel=1e-9)


def constrained(variances, s, log_odds):
    """Least deviance of five (or four) parameters whose log-odds at s are given, by SLSQP."""
    k = Y

    def parts(t):
        return t[1:3], np.exp(t[[3, 3]] if variances == "equal" else t[3:5])

    def loss(t):
        mean, sd = parts(t)
        label = np.where(k == 1, np.logaddexp(0, -t[0]), np.logaddexp(0, t[0]))
        return np.sum(label + np.log(sd[k]) + ((SCORES - mean[k]) / sd[k]) ** 2 / 2)

    def eta(t):
        (m0, m1), (d0, d1) = parts(t)
        return t[0] + np.log(d0 / d1) + (((s - m0) / d0) ** 2 - ((s - m1) / d1) ** 2) / 2

    c = likelihood(variances)
    sd = np.log(c.deviations_)
    start = np.array([logit(c.prior_), *c.means_, *(sd[:1] if variances == "equal" else sd)])
    limits = [(-8, 8), (-50, 50), (-50, 50), *[(-4, 4)] * (len(start) - 3)]
    found = minimize(
        loss,
        start,
        constraints={"type": "eq", "fun": lambda t: eta(t) - log_odds(eta(start))},
        bounds=limits,
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-13},
    )
    assert found.success
    return expit(eta(found.x)), np.exp(loss(start) - found.fun)


@both
@each("s", [4.0, 7.5])
@each("gap", [-2.0, -0.3, 0.5, 1.5])
def test_contour_is_that_of_a_constrained_optimizer(variances, s, gap):
    p, wanted = constrained(variances, s, lambda top: top + gap)
    assert likelihood(variances).contour(s, p) == pytest.approx(wanted, abs=2e-6)


@both
@each("s", [-3.0, 4.9, 6.0, 300.0])
def test_masses_are_the_areas_under_the_contour(variances, s):
    c = likelihood(variances)
    top = c._fit.log_odds(np.array([s]), c._fit.variances)[0]

    def density(eta):
        return (1 - c.contour(s, expit(eta))) * expit(eta) * expit(-eta)

    ends = np.unique(np.clip([-34, top - 2, top, top + 2, 0, -3, 3, 34], -34, 34))
    parts = tanhsinh(density, ends[:-1], ends[1:], atol=1e-12).integral
    m1, m0 = parts[ends[1:] <= top].sum(), parts[ends[:-1] >= top].sum()
    np.testing.assert_allclose(c.predict_interval([s]), [[m1, 1 - m0]], atol=2e-7)


def test_masses_are_those_of_the_general_inference():
    c = likelihood("equal")
    contour = LikelihoodContour(
        lambda p: np.log(np.maximum(c.contour(5.5, p), 1e-300)), (1e-9, 1 - 1e-9)
    )
    general = predictive_binary(RandomInterval(contour))
    m = c.predict_mass([5.5])[0]
    assert m.bel(1) == pytest.approx(general.bel(1), abs=1e-6)
    assert m.bel(0) == pytest.approx(general.bel(0), abs=1e-6)


@both
def test_masses_bracket_the_estimate_and_close_in_with_the_sample(variances):
    few, many = likelihood(variances), likelihood(variances, np.tile(SCORES, 50), np.tile(Y, 50))
    p = expit(few._fit.log_odds(AT, few._fit.variances))
    for c in (few, many):
        low, high = c.predict_interval(AT).T
        assert (low <= p + 1e-12).all()
        assert (p <= high + 1e-12).all()
    assert (
        np.ptp(many.predict_interval(AT), axis=1) < np.ptp(few.predict_interval(AT), axis=1)
    ).all()


@pytest.mark.parametrize("model", ["bayesian", "likelihood"])
def test_a_class_without_variance_takes_that_of_the_other(model):
    c = GaussianCalibrator(model=model).fit([1.0, 0.0, 2.0, 3.0], [1, 0, 0, 0])
    assert c.deviations_[0] == c.deviations_[1] > 0
    assert c.means_[1] == 1


def test_neither_class_with_variance_takes_that_of_all_scores():
    c = GaussianCalibrator().fit([1.0, 1.0, 3.0, 3.0], [0, 0, 1, 1])
    np.testing.assert_allclose(c.deviations_, [1.0, 1.0])
    np.testing.assert_allclose(c.predict_proba([2.0]), [[0.5, 0.5]])


def test_equal_scores_leave_the_prior_everywhere():
    c = GaussianCalibrator().fit([4.0] * 5, [0, 1, 1, 1, 1])
    np.testing.assert_allclose(c.predict_proba([-1e9, 4.0, 7.0])[:, 1], 0.8)
    wide = GaussianCalibrator(model="likelihood").fit([4.0] * 5, [0, 1, 1, 1, 1])
    m = wide.predict_interval([4.0, 9.0])
    np.testing.assert_allclose(m[0], m[1])
    assert m[0, 0] < 0.8 < m[0, 1]


def test_only_the_likelihood_model_has_a_contour():
    with pytest.raises(ValueError, match="needs 'likelihood'"):
        GaussianCalibrator().fit(SCORES, Y).contour(0.0, 0.5)
    with pytest.raises(ValueError, match=r"probability is 1\.5"):
        likelihood("equal").contour(0.0, 1.5)


@pytest.mark.parametrize("options", [{"variances": "same"}, {"model": "confidence"}])
def test_wrong_parameters_are_refused(options):
    with pytest.raises(ValueError, match=f"{next(iter(options))} is "):
        GaussianCalibrator(**options).fit(SCORES, Y)


def test_damaged_tables_are_refused():
    data = likelihood("equal").to_dict()
    data["state"]["edges"] = data["state"]["edges"][:-1]
    with pytest.raises(ValueError, match="damaged"):
        GaussianCalibrator.from_dict(data)


@both
@each("kind", ["plain", "outlier", "narrow", "apart"])
def test_interpolated_masses_are_the_computed_ones(variances, kind):
    """Also where the classes are of very unequal width, or far from each other."""
    rng = np.random.default_rng(0)
    s = rng.normal(size=200)
    y = (rng.random(200) < expit(2 * s)).astype(int)
    changed = {"narrow": s * 0.001 + 5, "apart": s + 20}.get(kind, s)
    s = np.where(y == 1, changed, s)
    if kind == "outlier":
        s[0] = 1e8
    c = likelihood(variances, s, y)
    at = np.concatenate([3 * rng.normal(size=20), 5 + 0.003 * rng.normal(size=20), [10, 1e3, 1e5]])
    z = c._fit.standardize(at) - c._fit.origin
    wanted = expit(mass_log_odds(GaussianProfile(c._fit), z))
    got = c.predict_mass(at)
    np.testing.assert_allclose(got.bel(1), wanted[:, 0], atol=5e-8)
    np.testing.assert_allclose(got.bel(0), wanted[:, 1], atol=5e-8)


@pytest.mark.parametrize("kind", ["apart", "alternating"])
def test_far_scores_of_which_nothing_is_known_need_no_fine_table(kind):
    """Masses that are rounding there were interpolated to 4 digits: 600 panels, a minute."""
    scores = np.arange(60.0)
    y = scores >= 30 if kind == "apart" else scores % 2 == 1
    c = likelihood("unequal", scores, y)
    assert len(c._table.edges) < 60
    np.testing.assert_allclose(c.predict_interval([-1e15, 1e15]), [[0, 1]] * 2, atol=1e-6)
