"""Likelihood model of evidential logistic calibration: oracle, brute force, laws and routes."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit, logit

from evical.curves.logistic_profile import LogisticProfile, _reduced, sigmoid_profile
from evical.likelihood.polar import reach
from evical.likelihood.profile_table import mass_log_odds
from tests.evical.curves.of_arrays import fit_platt, fit_profile
from tests.naive import logistic as naive
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


def fitted(scores, y, weights=None):
    counts = counted(scores, y, weights)
    return fit_profile(*counts, fit_platt(*counts))


def sample(n, seed=0, slope=2.0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return x, (rng.random(n) < expit(slope * x - 0.5)).astype(int)


def exact_profile(profile, counts):
    """The whole sample in the coordinates of a fitted profile."""
    y = (counts[0] - profile.center) / profile.scale
    line = profile.intercept, profile.slope
    return sigmoid_profile(y, counts[1] + counts[2], line, profile.unit)


def hard_cases():
    rng = np.random.default_rng(7)
    x = rng.normal(size=400)
    noisy = rng.random(400) < expit(x)
    outlier = np.r_[x[:99], 40.0]
    cauchy = rng.standard_cauchy(300)
    return {
        "plain": counted(x, noisy),
        "separable": counted(x, x > 0.3),
        "gap": counted(
            np.r_[rng.uniform(0, 1, 100), rng.uniform(50, 51, 100)], np.arange(200) > 99
        ),
        "noise": counted(x, rng.random(400) < 0.3),
        "one positive": counted(x, np.arange(400) == 5),
        "light": counted(x[:100], noisy[:100], np.full(100, 0.01)),
        "heavy": counted(x, noisy, np.full(400, 1e6)),
        "wild weights": counted(x, noisy, 10 ** rng.uniform(-6, 6, 400)),
        "wrong outlier": counted(outlier, np.r_[noisy[:99], False]),
        "cauchy": counted(cauchy, rng.random(300) < expit(cauchy)),
        "ties": counted(np.round(x, 1), noisy),
        "two scores": counted([0, 0, 1, 1, 1], [0, 1, 0, 1, 1]),
    }


HARD = hard_cases()


# -- oracle and definition -------------------------------------------------------------------------


@each("case", ORACLE["cases"], ids=lambda c: c["name"])
def test_oracle(case):
    profile = fitted(case["scores"], case["y"], case["weights"])
    m1, m0 = profile.masses([e["s"] for e in case["expected"]])
    np.testing.assert_allclose(m1, [e["m1"] for e in case["expected"]], rtol=0, atol=1e-9)
    np.testing.assert_allclose(m0, [e["m0"] for e in case["expected"]], rtol=0, atol=1e-9)


NAIVE = {
    "ties": ([0.0, 0.0, 0.5, 0.5, 0.5, 1.0, 2.0, 2.0], [0, 1, 0, 0, 1, 1, 0, 1], None),
    "weights": ([-1.0, 0.2, 0.4, 1.5, 1.7], [0, 1, 0, 1, 1], [0.5, 2.0, 1.25, 3.0, 0.1]),
    "separable": ([-2.0, -1.5, -1.0, 0.5, 1.0, 4.0], [0, 0, 0, 1, 1, 1], None),
    "one positive": ([-2.0, -1.5, -1.0, 0.5, 1.0, 4.0], [0, 0, 1, 0, 0, 0], None),
    "outlier": ([-1.0, -0.5, 0.0, 0.4, 0.8, 30.0], [0, 1, 0, 1, 1, 0], None),
    "two scores": ([0.0, 0.0, 0.0, 1.0, 1.0], [0, 0, 1, 1, 1], None),
    "overconfident": ([-36.0437, -36.0437, -30.5932, 36.0437], [0, 1, 0, 0], [32.0, 2.0, 1.0, 1.0]),
}


@each("name", NAIVE)
def test_equals_the_definition(name):
    x, y, w = NAIVE[name]
    profile = fitted(x, y, w)
    w = w or [1.0] * len(x)
    for s in (-4.0, 0.3, 2.0, 25.0):
        m1, m0 = profile.masses([s])
        expected = naive.masses(s, x, y, w, 1e-8)
        assert (m1[0], m0[0]) == pytest.approx(expected, abs=2e-8)


def test_contour_and_relative_likelihood_equal_the_definition():
    x, y, w = NAIVE["weights"]
    profile = fitted(x, y, w)
    t = naive.targets(y, w)
    best = naive.log_likelihood(naive.platt(x, y, w), x, t, w)
    for s, tau in ((-1.0, 0.01), (0.5, 0.5), (0.5, 0.9), (3.0, 0.999)):
        value, _ = naive.profile(s, float(logit(tau)), x, t, w, 0.0)
        assert profile.contour(s, tau) == pytest.approx(np.exp(value - best), rel=1e-7)
    for theta in ((0.0, 0.0), (0.3, -2.0), (-5.0, 1.0)):
        value = naive.log_likelihood(theta, x, t, w)
        assert profile.relative_likelihood(*theta) == pytest.approx(np.exp(value - best), rel=1e-9)


def test_masses_are_integrals_of_the_contour():
    """Equations 22c and 23c, by an independent quadrature, on a large sample."""
    profile = fitted(*sample(5000))
    for s in (-1.5, 0.0, 3.0):
        tau = float(profile.probability(s))
        m1, m0 = profile.masses(s)

        def contour(u, s=s):
            return float(profile.contour(s, u))

        below = quad(contour, max(0.0, tau - 0.1), tau, epsabs=1e-11)[0]
        above = quad(contour, tau, min(1.0, tau + 0.1), epsabs=1e-11)[0]
        assert (m1, m0) == pytest.approx((tau - below, 1 - tau - above), abs=1e-8)


# -- laws ------------------------------------------------------------------------------------------


@each("name", HARD)
def test_belief_and_plausibility_bracket_the_probability(name):
    profile = fit_profile(*HARD[name], fit_platt(*HARD[name]))
    s = np.r_[HARD[name][0], profile.center + profile.scale * np.sinh(np.linspace(-30, 30, 301))]
    m1, m0 = profile.masses(s)
    p = profile.probability(s)
    assert np.all((m1 >= 0) & (m0 >= 0) & (m1 + m0 <= 1))
    assert np.all((m1 <= p) & (p <= 1 - m0))


@pytest.mark.parametrize(
    ("scale", "shift"), [(1e-6, 0.0), (1e6, 0.0), (1.0, 2.0**20), (0.5, -64.0)]
)
def test_shift_and_scale(scale, shift):
    x, y = sample(60)
    x = np.round(x * 2**16) / 2**16  # shifting is then exact
    s = np.array([-5.0, -1.0, 0.0, 0.75, 20.0])
    expected = fitted(x, y).masses(s)
    masses = fitted(shift + scale * x, y).masses(shift + scale * s)
    np.testing.assert_allclose(masses, expected, rtol=0, atol=1e-11)


def test_label_flip_exchanges_the_masses():
    x, y = sample(60)
    s = np.linspace(-6, 6, 25)
    m1, m0 = fitted(x, y).masses(s)
    f1, f0 = fitted(x, 1 - y).masses(s)
    np.testing.assert_allclose((f0, f1), (m1, m0), rtol=0, atol=1e-8)


def test_mirrored_scores_mirror_the_masses():
    x, y = sample(60)
    s = np.linspace(-6, 6, 25)
    np.testing.assert_allclose(fitted(-x, y).masses(-s), fitted(x, y).masses(s), rtol=0, atol=1e-8)


def test_duplicates_are_weights():
    x, y = sample(40)
    times = np.arange(40) % 3 + 1
    s = np.linspace(-4, 4, 17)
    np.testing.assert_allclose(
        fitted(np.repeat(x, times), np.repeat(y, times)).masses(s),
        fitted(x, y, times).masses(s),
        rtol=0,
        atol=1e-11,
    )


def test_zero_weights_do_not_count():
    x, y = sample(40)
    s = np.linspace(-4, 4, 17)
    np.testing.assert_array_equal(
        fitted(np.r_[x, 99.0], np.r_[y, 1], np.r_[np.ones(40), 0.0]).masses(s),
        fitted(x, y).masses(s),
    )


def test_more_data_leave_less_ignorance():
    x, y = sample(50)
    s = np.linspace(-3, 3, 13)
    ignorance = [1 - sum(fitted(x, y, np.full(50, w)).masses(s)) for w in (0.1, 1.0, 10.0, 1e4)]
    assert np.all(np.diff(ignorance, axis=0) < 0)


@pytest.mark.parametrize("name", ["plain", "noise", "one positive", "two scores"])
def test_limits_at_infinity(name):
    """On the side of its class, belief tends to one minus the likelihood of slope zero."""
    counts = HARD[name]
    profile = fit_profile(*counts, fit_platt(*counts))
    mean = expit(profile.intercept + profile.slope * profile.nodes) @ profile.weights
    constant = profile.relative_likelihood(-logit(mean / profile.weights.sum()), 0.0)
    infinite, far = np.array([-np.inf, np.inf]), np.array([-1e9, 1e9])
    m1, m0 = profile.masses(infinite)
    side = np.array([0.0, 1.0]) if profile.slope > 0 else np.array([1.0, 0.0])
    np.testing.assert_allclose(m1, (1 - constant) * side, rtol=0, atol=1e-12)
    np.testing.assert_allclose(m0, (1 - constant) * side[::-1], rtol=0, atol=1e-12)
    np.testing.assert_allclose(
        profile.masses(profile.center + profile.scale * far), (m1, m0), rtol=0, atol=1e-5
    )


def test_one_distinct_score_is_binomial_there_and_vacuous_elsewhere():
    profile = fitted([2.0] * 7, [0, 0, 1, 1, 1, 1, 1])
    target = (2 / 4 + 5 * 6 / 7) / 7  # mean of Platt's targets

    def contour(tau):
        log_ratio = target * np.log(tau / target) + (1 - target) * np.log((1 - tau) / (1 - target))
        return np.exp(7 * log_ratio)

    m1, m0 = profile.masses([2.0, 2.5])
    assert m1[0] == pytest.approx(target - quad(contour, 0, target)[0], abs=1e-9)
    assert m0[0] == pytest.approx(1 - target - quad(contour, target, 1)[0], abs=1e-9)
    assert (m1[1], m0[1]) == (0.0, 0.0)
    np.testing.assert_allclose(profile.contour(2.0, [0.2, target]), [contour(0.2), 1.0], rtol=1e-9)
    assert profile.contour(3.0, [0.0, 0.2, 1.0]).tolist() == [0.0, 1.0, 0.0]


def test_enormous_scores_do_not_overflow():
    x, y = sample(30)
    m1, m0 = fitted(x * 1e-6, y).masses([-1e308, 1e308])
    np.testing.assert_allclose((m1, m0), fitted(x * 1e-6, y).masses([-np.inf, np.inf]))
    s = np.linspace(-2, 2, 5)
    np.testing.assert_allclose(fitted(1e200 * x, y).masses(1e200 * s), fitted(x, y).masses(s))


def test_contour_peaks_at_the_probability():
    profile = fitted(*sample(30))
    s = np.array([-2.0, 0.0, 4.0])
    np.testing.assert_allclose(profile.contour(s, profile.probability(s)), 1.0, rtol=1e-12)
    grid = profile.contour(0.5, np.linspace(0, 1, 101))
    assert grid[0] == grid[-1] == 0.0
    peak = int(np.argmax(grid))
    assert np.all(np.diff(grid[: peak + 1]) >= 0)
    assert np.all(np.diff(grid[peak:]) <= 0)


def test_scalars_and_shapes():
    profile = fitted(*sample(30))
    m1, m0 = profile.masses(0.5)
    assert m1.shape == m0.shape == ()
    assert profile.masses(np.zeros((2, 3)))[0].shape == (2, 3)
    assert profile.masses(np.empty(0))[0].shape == (0,)
    assert profile.contour(np.zeros((2, 1)), [0.1, 0.2, 0.3]).shape == (2, 3)


# -- routes ----------------------------------------------------------------------------------------


@each("name", HARD)
def test_table_and_quadrature_equal_direct_evaluation_on_the_sample(name):
    counts = HARD[name]
    profile = fit_profile(*counts, fit_platt(*counts))
    exact = exact_profile(profile, counts)
    rng = np.random.default_rng(0)
    y = np.r_[np.sinh(rng.uniform(-16, 16, 40)), rng.choice(exact.nodes, 15)]
    expected = expit(mass_log_odds(exact, y)).T
    masses = profile.masses(profile.center + profile.scale * y)
    np.testing.assert_allclose(masses, expected, rtol=0, atol=2e-8)
    seen = expected > 1e-15
    np.testing.assert_allclose(np.stack(masses)[seen], expected[seen], rtol=1e-3)


def test_large_sample_is_reduced_and_equal():
    counts = counted(*sample(8_000))
    profile = fit_profile(*counts, fit_platt(*counts))
    assert profile.nodes.size < 200
    exact = exact_profile(profile, counts)
    y = np.array([-3.0, -0.5, 0.0, 2.0])
    np.testing.assert_allclose(
        profile.masses(profile.center + profile.scale * y),
        expit(mass_log_odds(exact, y)).T,
        rtol=0,
        atol=1e-10,
    )


@pytest.mark.parametrize("scale", [1e-6, 1e-3, 1.0, 1e3, 1e6])
def test_shifted_by_a_million_equals_direct_evaluation_without_the_shift(scale):
    x, y = sample(200)
    x = 1e6 + scale * x
    s = 1e6 + scale * np.array([-20.0, -3.0, -0.5, 0.0, 2.0, 20.0])
    counts = counted(x - 1e6, y)  # what the rounding of the shifted scores has left, exactly
    profile = fit_profile(*counts, fit_platt(*counts))
    positions = (s - 1e6 - profile.center) / profile.scale
    expected = expit(mass_log_odds(exact_profile(profile, counts), positions)).T
    np.testing.assert_allclose(fitted(x, y).masses(s), expected, rtol=0, atol=1e-8)


def test_many_scores_equal_direct_evaluation():
    counts = counted(*sample(2 * 10**5))
    profile = fit_profile(*counts, fit_platt(*counts))
    y = np.array([-0.5, 2.0])
    expected = expit(mass_log_odds(exact_profile(profile, counts), y)).T
    masses = profile.masses(profile.center + profile.scale * y)
    np.testing.assert_allclose(masses, expected, rtol=0, atol=1e-10)


def test_arrays_round_trip_through_json():
    profile = fitted(*sample(30))
    arrays = {k: np.asarray(v).tolist() for k, v in profile.to_arrays().items()}
    loaded = {k: np.asarray(v) for k, v in json.loads(json.dumps(arrays)).items()}
    again = LogisticProfile(**loaded)
    s = np.linspace(-5, 5, 11)
    np.testing.assert_array_equal(again.masses(s), profile.masses(s))
    np.testing.assert_array_equal(again.contour(s, 0.3), profile.contour(s, 0.3))


def test_inputs_are_not_changed():
    counts = counted(*sample(200))
    copies = [c.copy() for c in counts]
    profile = fit_profile(*counts, fit_platt(*counts))
    s = np.linspace(-1, 1, 5)
    profile.masses(s)
    assert s.tolist() == np.linspace(-1, 1, 5).tolist()
    for now, before in zip(counts, copies, strict=True):
        np.testing.assert_array_equal(now, before)


def test_a_poor_quadrature_is_noticed_and_refined():
    """The check against the whole sample halves panels that are far too long."""
    counts = HARD["separable"]
    profile = fit_profile(*counts, fit_platt(*counts))
    exact = exact_profile(profile, counts)
    reduced = _reduced(exact, profile.unit, length=16.0)
    assert reduced.nodes.size > 20  # two panels, had nothing been noticed
    y = np.linspace(-3, 3, 9)
    np.testing.assert_allclose(
        expit(mass_log_odds(reduced, y)), expit(mass_log_odds(exact, y)), rtol=0, atol=1e-8
    )


# -- the deviance beneath --------------------------------------------------------------------------


def test_profile_finds_the_minimum_from_any_guess():
    counts = HARD["wrong outlier"]
    profile = fit_profile(*counts, fit_platt(*counts))
    exact = exact_profile(profile, counts)
    along = np.linspace(-6, 6, 13)
    y = np.full(13, -45.0)
    h, ray, _ = exact.rays(y[:1])
    across = np.array([-h[0, 1], h[0, 0]]) / np.hypot(*h[0])  # changes that leave the log-odds
    guesses = [np.tile(q * across, (13, 1)).T for q in (0.0, 5.0, -200.0)]
    results = [exact.profile(along, y, guess)[0] for guess in guesses]
    np.testing.assert_allclose(results[1:], [results[0]] * 2, rtol=1e-6, atol=1e-9)
    found = exact.profile(along, y, guesses[0])[1].T
    for step in np.linspace(-1, 1, 101):
        line = exact.parameters + along[:, None] * ray + found + step * across
        assert np.all(results[0] <= exact.value(line) + 1e-9)


def test_reach_meets_its_level():
    for name in ("plain", "gap", "wrong outlier", "two scores"):
        profile = fit_profile(*HARD[name], fit_platt(*HARD[name]))
        exact = exact_profile(profile, HARD[name])
        y = np.array([-100.0, -1.0, 0.0, 3.0])
        for side in (-1.0, 1.0):
            along, across = reach(exact, y, np.full(4, side), 7.0)
            value = exact.value(exact.parameters + along[:, None] * exact.rays(y)[1] + across.T)
            assert np.all(np.abs(np.sqrt(2 * value) - 7.0) < 0.41)
