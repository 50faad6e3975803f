"""Interval dominance: its definition, its place among the criteria, ties."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given

from dstheory import Frame, MassFunction, decide
from tests.dstheory.decide.strategies import as_naive, problems
from tests.naive import decide as naive_decide


@given(problems(empty=True))
def test_interval_dominance_is_its_definition(problem):
    m, rows = problem
    expected = naive_decide.interval_dominance(*as_naive(m, rows))
    assert decide.interval_dominance(m, rows, atol=0).tolist() == expected
    assert decide.interval_dominance(m, rows).tolist() == expected


@given(problems())
def test_point_decisions_are_never_dominated(problem):
    kept = decide.interval_dominance(*problem, atol=0)
    assert kept.any()
    for rule in (
        decide.maximize_expected_utility,
        decide.maximin,
        decide.maximax,
        decide.hurwicz,
    ):
        assert kept[rule(*problem)]


def test_ties_keep_all_equal_acts():
    """Two equal precise acts: none may remove the other, let alone both."""
    m = MassFunction(Frame(["a", "b"]), [1, 2], [0.5, 0.5])
    assert decide.interval_dominance(m).tolist() == [True, True]
    third = MassFunction(Frame(["a", "b", "c"]), [1, 2, 4], [Fraction(1, 3)] * 3)
    assert decide.interval_dominance(third, atol=0).all()


def test_rounding_never_empties_a_row():
    masses = np.random.default_rng(1).dirichlet(np.ones(5), size=2000)
    m = MassFunction(Frame(range(5)), [1, 2, 4, 8, 16], masses)
    utilities = np.random.default_rng(2).random((3, 5))
    utilities = np.vstack([utilities, utilities[::-1]])
    assert decide.interval_dominance(m, utilities, atol=0).any(axis=-1).all()
    assert (decide.interval_dominance(m, utilities).sum(axis=-1) >= 2).all()


def test_each_row_is_decided_alone():
    store = np.random.default_rng(0).dirichlet(np.ones(7), size=(4, 3))
    m = MassFunction(Frame([0, 1, 2]), range(1, 8), store)
    kept = decide.interval_dominance(m)
    assert kept.shape == (4, 3, 3)
    rows = [[decide.interval_dominance(one).tolist() for one in row] for row in m]
    assert rows == kept.tolist()


def test_negative_tolerances_are_refused():
    m = MassFunction(Frame(["a", "b"]), [3], [1.0])
    with pytest.raises(ValueError, match=r"atol is .*, expected a finite number from 0"):
        decide.interval_dominance(m, atol=-1)
