"""Test martingales: the capital of the definitions, fair odds, and how soon a change is seen."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evical.conformal import ExchangeabilityTest, online_p_values
from tests.naive import conformal as naive
from tests.support.each import each

BETS = ("jumper", "mixture")


@given(st.lists(st.integers(0, 4), max_size=20), st.integers(0, 2**32))
def test_online_p_values_rank_each_score_among_all_so_far(scores, seed):
    found = online_p_values(scores, np.random.default_rng(seed))
    tau = 1 - np.random.default_rng(seed).uniform(size=len(scores))
    wanted = [naive.online_p_value(scores[: i + 1], tau[i]) for i in range(len(scores))]
    np.testing.assert_allclose(found, wanted, rtol=1e-15)


def test_online_p_values_of_many_scores():
    scores = np.random.default_rng(0).integers(0, 50, size=1000).tolist()
    found = online_p_values(scores, np.random.default_rng(1))
    tau = 1 - np.random.default_rng(1).uniform(size=1000)
    wanted = [naive.online_p_value(scores[: i + 1], tau[i]) for i in range(1000)]
    np.testing.assert_allclose(found, wanted, rtol=1e-15)


@given(st.lists(st.integers(1, 8), min_size=1, max_size=12), st.sampled_from([1, 10, 50]))
def test_the_jumper_is_the_gambler_of_the_definition(eighths, percent):
    p = [Fraction(i, 8) for i in eighths]
    path = naive.jumper(p, Fraction(percent, 100))
    test = ExchangeabilityTest("jumper", jump=percent / 100).update([float(i) for i in p])
    np.testing.assert_allclose(np.exp(test.log_values), [float(c) for c in path], rtol=1e-12)


@each(
    "p",
    [[0.5], [1.0], [1.0] * 40, [1e-300], [0.01] * 50, [0.9] * 200, [1e-9, 1.0, 0.3], [0.36] * 99],
)
def test_the_mixture_is_the_integral(p):
    with mpmath.workdps(40):
        surprise, n = -sum(mpmath.log(mpmath.mpf(one)) for one in p), len(p)
        split = sorted({0, 1, min(1, float((n + 1) / (surprise + 1)))})
        capital = mpmath.quad(lambda e: e**n * mpmath.exp((1 - e) * surprise), split)
        wanted = float(mpmath.log(capital))
    found = ExchangeabilityTest("mixture").update(p).log_values[-1]
    assert found == pytest.approx(wanted, rel=1e-12, abs=1e-12)


@each("bet", BETS)
@each("before", [[], [0.2], [0.9, 0.01, 0.5]])
def test_odds_are_fair(bet, before):
    """The mean capital over the next p-value, which is uniform, is the capital of now."""
    now = ExchangeabilityTest(bet).update(before).value if before else 1.0
    if bet == "jumper":  # linear in p
        grid, weight = (np.array([0.25, 0.75]), np.array([0.5, 0.5]))
    else:  # a substitution for the pole at 0: p = exp(-t)
        t, weight = np.polynomial.laguerre.laggauss(60)
        grid = np.exp(-t)
        weight = weight[grid > 0]
        grid = grid[grid > 0]
    values = [ExchangeabilityTest(bet).update([*before, p]).value for p in grid]
    assert weight @ values == pytest.approx(now, rel=1e-2 if bet == "mixture" else 1e-12)


@pytest.mark.parametrize("bet", BETS)
def test_few_exchangeable_samples_make_rich(bet):
    """Ville's inequality, for the largest capital ever."""
    rng = np.random.default_rng(0)
    p = [ExchangeabilityTest(bet).update(1 - rng.uniform(size=300)).p_value for _ in range(300)]
    for level in (0.05, 0.2):
        assert np.mean(np.array(p) <= level) <= level + 3 * np.sqrt(level * (1 - level) / 300)


@pytest.mark.parametrize("bet", BETS)
@pytest.mark.parametrize("shift", [1.0, -1.0])
def test_a_change_is_seen(bet, shift):
    rng = np.random.default_rng(0)
    scores = np.concatenate([rng.normal(size=300), rng.normal(shift, 1, size=300)])
    test = ExchangeabilityTest(bet).update(online_p_values(scores[:300], rng))
    assert test.p_value > 0.05
    p = online_p_values(scores, rng)
    seen = ExchangeabilityTest(bet).update(p).p_value < 0.001
    assert seen == (shift > 0 or bet == "jumper")  # the mixture bets on small p-values only


@pytest.mark.parametrize("bet", BETS)
def test_one_by_one_is_all_at_once(bet):
    p = 1 - np.random.default_rng(0).uniform(size=50)
    whole, steps = ExchangeabilityTest(bet).update(p), ExchangeabilityTest(bet)
    for one in p:
        steps.update(one)
    np.testing.assert_allclose(steps.log_values, whole.log_values, rtol=1e-12)
    assert steps.value == pytest.approx(np.exp(whole.log_values[-1]))
    assert steps.p_value == pytest.approx(min(1, np.exp(-whole.log_values.max())))
    assert repr(steps).startswith(f"ExchangeabilityTest({bet!r}): capital ")
    given = whole.log_values
    given[:] = 0
    assert whole.log_values.any()


@pytest.mark.parametrize("bet", BETS)
def test_before_and_far_beyond(bet):
    test = ExchangeabilityTest(bet).update([])
    assert (test.value, test.p_value, len(test.log_values)) == (1.0, 1.0, 0)
    test.update(np.full(5000, 1e-3))
    assert test.value == np.inf
    assert test.p_value == 0
    assert np.isfinite(test.log_values).all()


def test_bad_input():
    test = ExchangeabilityTest()
    for p, message in (
        ([0.5, 0.0], r"p\[1\] is 0.0, expected a number in \(0, 1\]"),
        ([np.nan], r"p\[0\] is nan"),
        ([[0.5]], r"p has shape \(1, 1\), expected one p-value or \(n,\)"),
    ):
        with pytest.raises(ValueError, match=message):
            test.update(p)
    assert test.value == 1
    with pytest.raises(ValueError, match="did you mean 'jumper'"):
        ExchangeabilityTest("jumpr")
    with pytest.raises(ValueError, match="jump is 1"):
        ExchangeabilityTest(jump=1)
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match=r"scores\[1\] is nan"):
        online_p_values([0.5, np.nan], rng)
    with pytest.raises(ValueError, match=r"scores have shape \(1, 1\)"):
        online_p_values([[0.5]], rng)
    with pytest.raises(TypeError, match="rng is 0"):
        online_p_values([0.5], 0)
