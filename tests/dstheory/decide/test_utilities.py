"""Utility matrices from costs, with and without a reject act."""

from fractions import Fraction

import numpy as np
import pytest

from dstheory import Frame, MassFunction, decide


def test_zero_one_costs_are_the_identity():
    assert decide.utilities_from_costs(1 - np.eye(3)).tolist() == np.eye(3).tolist()


def test_fractions_stay_exact():
    third = Fraction(1, 3)
    assert decide.utilities_from_costs([[0, third]]).tolist() == [[1, 2 * third]]
    assert decide.with_reject([[third, 0]], third).tolist() == [[third, 0], [2 * third] * 2]


def test_rejecting_pays_below_one_minus_cost():
    """Chow's rule: reject where the largest probability is below 1 - cost."""
    m = MassFunction(Frame(["a", "b"]), [1, 2], [[0.5, 0.5], [0.75, 0.25], [0.9, 0.1]])
    utilities = decide.with_reject(np.eye(2), 0.2)
    chosen = decide.maximize_expected_utility(m, utilities, acts=["a", "b", "reject"])
    assert chosen.tolist() == ["reject", "reject", "a"]


def test_inputs_are_not_changed():
    costs = np.eye(2)
    decide.utilities_from_costs(costs)[0, 0] = 7
    decide.with_reject(costs, 0.5)[0, 0] = 7
    assert costs.tolist() == np.eye(2).tolist()


def test_bad_matrices_are_named():
    with pytest.raises(ValueError, match=r"costs have shape \(2,\)"):
        decide.utilities_from_costs([0, 1])
    with pytest.raises(ValueError, match="costs are not finite in row 0"):
        decide.utilities_from_costs([[np.inf, 1]])
    with pytest.raises(ValueError, match="cost is not finite"):
        decide.with_reject(np.eye(2), float("nan"))
    with pytest.raises(ValueError, match="shape"):
        decide.with_reject(np.zeros((0, 2)), 0.5)
    with pytest.raises(TypeError, match="costs is None, expected a number"):
        decide.utilities_from_costs([[None, 1]])
