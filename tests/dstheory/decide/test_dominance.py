"""Strong and weak dominance, maximality, E-admissibility: definitions, inclusions, ties."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from scipy.optimize import linprog

from dstheory import Frame, MassFunction, decide
from dstheory.errors import TotalConflictError
from tests.dstheory.decide.strategies import as_naive, problems
from tests.naive import decide as naive_decide

SET_VALUED = [
    decide.interval_dominance,
    decide.strong_dominance,
    decide.weak_dominance,
    decide.maximality,
    decide.e_admissibility,
]
GAMBLES = [[4, 0], [0, 4], [3, 2], [0.5, 3], [2.35, 2.35], [4.1, -0.3]]
COIN = MassFunction(Frame(["H", "T"]), [1, 2, 3], [0.28, 0.3, 0.42])


@given(problems(empty=True))
def test_pairwise_criteria_are_their_definitions(problem):
    m, rows = problem
    m_naive, acts = as_naive(m, rows)
    for name in ("strong_dominance", "weak_dominance", "maximality"):
        expected = getattr(naive_decide, name)(m_naive, acts)
        assert getattr(decide, name)(m, rows, atol=0).tolist() == expected
        assert getattr(decide, name)(m, rows).tolist() == expected


def admissible_by_vertices(m, rows):
    """The linear program over mixtures of the extreme points of the credal set."""
    m_naive, _ = as_naive(m, rows)
    points = [list(p.values()) for p in naive_decide.vertices(m_naive, m.frame)]
    values = np.array(rows, dtype=float) @ np.array(points, dtype=float).T
    answers = []
    for act in range(len(rows)):
        rivals = np.column_stack([values - values[act], -np.ones(len(rows))])
        n = values.shape[1]
        result = linprog(
            np.append(np.zeros(n), 1),
            A_ub=rivals,
            b_ub=np.zeros(len(rows)),
            A_eq=[[1] * n + [0]],
            b_eq=[1],
            bounds=[(0, None)] * n + [(None, None)],
        )
        answers.append(bool(result.fun <= 1e-9))
    return answers


@given(problems(empty=True))
def test_e_admissibility_agrees_with_the_vertex_program(problem):
    assert decide.e_admissibility(*problem).tolist() == admissible_by_vertices(*problem)


@given(problems())
def test_each_criterion_keeps_a_part_of_the_next(problem):
    """Troffaes 2007: E-admissible, then maximal, then not interval dominated."""
    admissible = decide.e_admissibility(*problem)
    maximal = decide.maximality(*problem, atol=0)
    undominated = decide.interval_dominance(*problem, atol=0)
    assert admissible.any()
    assert (admissible <= maximal).all()
    assert (maximal <= undominated).all()
    strong = decide.strong_dominance(*problem, atol=0)
    weak = decide.weak_dominance(*problem, atol=0)
    assert weak.any()
    assert (weak <= strong).all()
    assert (strong <= undominated).all()


@given(problems())
def test_point_decisions_lie_within_the_sets(problem):
    m, rows = problem
    assert decide.e_admissibility(m, rows)[decide.maximize_expected_utility(m, rows)]
    assert decide.e_admissibility(m, rows)[decide.maximax(m, rows)]
    maximal = decide.maximality(m, rows, atol=0)
    values = decide.lower_expected_utility(m, rows)
    assert maximal[values == values.max()].any()
    # Hurwicz strictly between the ends respects weak dominance.
    assert decide.weak_dominance(m, rows, atol=0)[decide.hurwicz(m, rows, Fraction(1, 3))]


@given(problems())
def test_two_acts_are_admissible_where_maximal(problem):
    m, rows = problem
    pair = rows[:2]
    assert decide.e_admissibility(m, pair).tolist() == decide.maximality(m, pair).tolist()


def test_oracle_troffaes_maximality_and_e_admissibility():
    """Troffaes 2007; also improb docs/decision/opt.rst. The constant gamble is maximal only."""
    assert decide.maximality(COIN, GAMBLES).tolist() == [True, True, True, False, True, False]
    assert decide.e_admissibility(COIN, GAMBLES).tolist() == [True] * 3 + [False] * 3
    assert decide.interval_dominance(COIN, GAMBLES).tolist() == [True] * 3 + [False, True, True]


@pytest.mark.parametrize("criterion", SET_VALUED)
def test_ties_keep_all_equal_acts(criterion):
    """evtools-dst 0.27.1 answers strong and weak dominance of equal acts by the empty set."""
    even = MassFunction(Frame(["a", "b"]), [1, 2], [0.5, 0.5])
    assert criterion(even).tolist() == [True, True]
    vacuous = MassFunction(Frame(["a", "b", "c"]), [7], [1.0])
    assert criterion(vacuous).all()
    assert criterion(vacuous, np.ones((4, 3))).all()
    assert criterion(COIN, [GAMBLES[2], GAMBLES[2], [0, 0]]).tolist() == [True, True, False]


@pytest.mark.parametrize("criterion", SET_VALUED)
def test_rounding_neither_empties_a_row_nor_breaks_a_tie(criterion):
    rng = np.random.default_rng(3)
    m = MassFunction(Frame(range(4)), [1, 2, 4, 8, 15], rng.dirichlet(np.ones(5), size=300))
    utilities = np.repeat(rng.random((3, 4)), 2, axis=0)
    # The same act again, in sums that round differently.
    utilities = np.vstack([utilities, (utilities * 3 + 0.1 - 0.1) / 3])
    kept = criterion(m, utilities)
    assert kept.any(axis=-1).all()
    assert (kept[:, 0] == kept[:, 1]).all()
    assert (kept[:, :6] == kept[:, 6:]).all()
    assert criterion(m, utilities, atol=0).any(axis=-1).all()


@pytest.mark.parametrize("criterion", SET_VALUED)
def test_each_row_is_decided_alone(criterion):
    store = np.random.default_rng(0).dirichlet(np.full(7, 0.4), size=(4, 3))
    m = MassFunction(Frame([0, 1, 2]), range(1, 8), store)
    utilities = np.random.default_rng(1).random((5, 3))
    kept = criterion(m, utilities)
    assert kept.shape == (4, 3, 5)
    assert kept.dtype == bool
    assert [[criterion(one, utilities).tolist() for one in row] for row in m] == kept.tolist()


@pytest.mark.parametrize("criterion", SET_VALUED)
def test_subnormal_masses_total_conflict_and_bad_tolerances(criterion):
    half = MassFunction(Frame(["a", "b"]), [0, 1, 2, 3], [0.5, 0.1, 0.3, 0.1])
    assert criterion(half).tolist() == criterion(half.normalize()).tolist()
    with pytest.raises(TotalConflictError):
        criterion(MassFunction(Frame(["a", "b"]), [0], [1.0]))
    for atol in (-1, float("nan")):
        with pytest.raises(ValueError, match=r"atol is .*, expected a finite number from 0"):
            criterion(half, atol=atol)
    with pytest.raises(ValueError, match=r"expected \(A, 2\)"):
        criterion(half, np.eye(3))


def test_a_maximal_act_may_be_best_nowhere():
    """Between two bold acts a dull one is maximal; no probability makes it best."""
    m = MassFunction(Frame(["a", "b"]), [3], [Fraction(1)])
    utilities = [[4, 0], [0, 4], [1, 1]]
    assert decide.maximality(m, utilities).all()
    assert decide.e_admissibility(m, utilities).tolist() == [True, True, False]


def test_an_act_may_be_best_only_inside_the_credal_set():
    """At no vertex and not at the center, so that only the linear program finds it."""
    m = MassFunction(Frame(["a", "b"]), [3], [1.0])
    utilities = [[5, 0], [0, 2], [2, 1.4]]
    assert decide.expected_utility(m, utilities).argmax() == 0
    assert decide.e_admissibility(m, utilities).all()


def test_e_admissibility_sees_small_shortfalls():
    """Between 4p and 4 (1 - p) a constant of 2 is just admissible."""
    m = MassFunction(Frame(["a", "b", "c"]), [1, 7], [0.1, 0.9])
    for constant, answer in ((2.0, True), (2 - 1e-8, False)):
        utilities = [[4, 0, 0], [0, 4, 4], [constant] * 3]
        assert decide.maximality(m, utilities).all()
        assert decide.e_admissibility(m, utilities).tolist() == [True, True, answer]


def test_strong_dominance_drops_where_intervals_touch():
    m = MassFunction(Frame(["a", "b", "c"]), [1, 6], [Fraction(1, 2), Fraction(1, 2)])
    assert decide.interval_dominance(m, atol=0).all()
    assert decide.strong_dominance(m, atol=0).tolist() == [True, False, False]
