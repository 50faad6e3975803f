"""OWA, regret, Choquet, Sugeno, generalized Hurwicz: definitions and where they meet."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dstheory import Frame, MassFunction, decide
from dstheory.decide._criteria import regrets
from dstheory.decide._set_acts import owa_expected_utility, owa_weights
from tests.dstheory.decide.strategies import as_naive, problems
from tests.naive import decide as naive_decide

VACUOUS = MassFunction(Frame(["a", "b"]), [3], [1.0])


@given(problems(empty=True))
def test_choquet_and_sugeno_are_their_definitions(problem):
    m, rows = problem
    m_naive, acts = as_naive(m, rows)
    scaled = [[Fraction(u + 3, 6) for u in row] for row in rows]
    _, scaled_acts = as_naive(m, scaled)
    for name, measure, bound in (
        ("bel", naive_decide.belief, decide.lower_expected_utility),
        ("pl", naive_decide.plausibility, decide.upper_expected_utility),
    ):
        choquet = [naive_decide.choquet(measure, m_naive, act) for act in acts]
        assert bound(m, rows).tolist() == choquet  # Gilboa & Schmeidler 1994
        sugeno = [naive_decide.sugeno(measure, m_naive, act) for act in scaled_acts]
        assert decide.sugeno_expectation(m, scaled, name).tolist() == sugeno


def test_integrals_of_batches_and_large_frames():
    store = np.random.default_rng(0).dirichlet(np.ones(7), size=(4, 3))
    m = MassFunction(Frame([0, 1, 2]), range(1, 8), store)
    u = np.random.default_rng(1).random((5, 3))
    bounds = np.array([[decide.lower_expected_utility(one, u) for one in row] for row in m])
    assert decide.lower_expected_utility(m, u) == pytest.approx(bounds, abs=1e-12)
    rows = np.array([[decide.sugeno_expectation(one, u) for one in row] for row in m])
    assert decide.sugeno_expectation(m, u) == pytest.approx(rows, abs=1e-12)
    frame = Frame(range(80))
    large = MassFunction.from_dict(frame, {79: 0.25, (0, 79): 0.75})
    assert decide.lower_expected_utility(large, [list(frame)]).tolist() == [0.25 * 79]


def test_integrals_refuse_wrong_arguments():
    with pytest.raises(ValueError, match=r"utilities leave \[0, 1\] in row 1"):
        decide.sugeno_expectation(VACUOUS, [[0, 1], [2, 0]])
    with pytest.raises(ValueError, match="capacity is 'q'"):
        decide.sugeno_expectation(VACUOUS, capacity="q")


@given(st.integers(1, 12), st.floats(0, 1))
def test_owa_weights_have_their_orness_and_form_a_geometric_series(size, orness):
    """Filev & Yager 1995: weights of maximal entropy are geometric."""
    weights = owa_weights(size, orness)
    assert weights.sum() == pytest.approx(1)
    assert (weights >= 0).all()
    if size > 1:
        assert np.arange(size - 1, -1, -1) @ weights / (size - 1) == pytest.approx(orness, abs=1e-9)
    # Tiny weights underflow; the others have one ratio.
    if weights.min() > 1e-200:
        assert weights[1:-1] ** 2 == pytest.approx(weights[:-2] * weights[2:], rel=1e-9)
    assert owa_weights(size, 1 - orness)[::-1] == pytest.approx(weights, abs=1e-9)


def test_owa_weights_of_two_are_the_orness_and_its_rest():
    assert owa_weights(2, 0.3) == pytest.approx([0.3, 0.7], abs=1e-12)
    assert owa_weights(1, 0.3).tolist() == [1.0]
    assert owa_weights(3, 1e-300) == pytest.approx([0, 0, 1])


def test_owa_meets_lower_pignistic_and_upper_expectation():
    store = np.random.default_rng(0).dirichlet(np.ones(16), size=20)
    m = MassFunction(Frame(list("abcd")), range(16), store)
    u = np.random.default_rng(1).normal(size=(5, 4))
    meets = {
        0: decide.lower_expected_utility,
        0.5: decide.expected_utility,
        1: decide.upper_expected_utility,
    }
    for orness, expectation in meets.items():
        found = owa_expected_utility(m, u, orness)
        assert found == pytest.approx(expectation(m, u), abs=1e-12)
    assert decide.owa(m, u, 0).tolist() == decide.maximin(m, u).tolist()
    assert decide.owa(m, u, 1).tolist() == decide.maximax(m, u).tolist()
    low, mid, high = (owa_expected_utility(m, u, g) for g in (0.2, 0.5, 0.7))
    assert (low <= mid + 1e-12).all()
    assert (mid <= high + 1e-12).all()


@given(problems(empty=True))
def test_regret_decisions_are_their_definitions(problem):
    m, rows = problem
    m_naive, acts = as_naive(m, rows)
    losses = naive_decide.regret(acts)
    assert regrets(rows).tolist() == [list(loss.values()) for loss in losses]
    worst = [-naive_decide.upper(m_naive, loss) for loss in losses]
    assert decide.minimax_regret(m, rows) == naive_decide.first_best(worst)
    mean = [-naive_decide.pignistic(m_naive, loss) for loss in losses]
    assert decide.maximize_expected_utility(m, rows) == naive_decide.first_best(mean)


def test_hurwicz_by_a_constant_function_is_hurwicz():
    store = np.random.default_rng(0).dirichlet(np.ones(7), size=50)
    m = MassFunction(Frame([0, 1, 2]), range(1, 8), store)
    u = np.random.default_rng(1).normal(size=(5, 3))
    for alpha in (0, 0.25, 1):
        local = decide.hurwicz(m, u, lambda worst, best, alpha=alpha: alpha)
        assert local.tolist() == decide.hurwicz(m, u, alpha).tolist()


def test_hurwicz_sees_worst_and_best_of_each_set():
    seen = {}

    def pessimism(worst, best):
        seen["worst"], seen["best"] = worst.tolist(), best.tolist()
        return np.where(worst < 0, 1.0, 0.0)

    m = MassFunction(Frame(["a", "b"]), [1, 3], [0.5, 0.5])
    assert decide.hurwicz(m, [[1, -9], [0, 2]], pessimism, acts=["x", "y"]) == "y"
    assert seen == {"worst": [[1, -9], [0, 0]], "best": [[1, 1], [0, 2]]}
    assert decide.hurwicz(m, alpha=pessimism) == "a"


def test_hurwicz_refuses_what_is_no_degree():
    with pytest.raises(TypeError, match=r"alpha is '0\.5', expected a number from 0 to 1"):
        decide.hurwicz(VACUOUS, None, "0.5")
    for value in (1.5, float("nan")):
        with pytest.raises(ValueError, match=r"alpha gives (1\.5|nan), expected"):
            decide.hurwicz(VACUOUS, None, lambda worst, best, value=value: value)


def test_degrees_and_sizes_are_checked():
    with pytest.raises(ValueError, match="orness is 2, expected a number from 0 to 1"):
        decide.owa(VACUOUS, orness=2)
    with pytest.raises(ValueError, match="size is 0"):
        owa_weights(0, 0.5)


@pytest.mark.parametrize("rule", [decide.owa, decide.minimax_regret])
def test_acts_are_labels_indices_or_names(rule):
    m = MassFunction(Frame(["a", "b"]), [2, 3], [[0.6, 0.4]] * 2)
    assert rule(m).tolist() == ["b", "b"]
    assert rule(m, np.eye(2)).tolist() == [1, 1]
    assert rule(m[0], np.eye(2), acts=["stay", "go"]) == "go"
    with pytest.raises(ValueError, match="acts has 3 names"):
        rule(m, np.eye(2), acts=["x", "y", "z"])
