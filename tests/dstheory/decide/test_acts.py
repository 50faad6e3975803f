"""Names of acts: ties, types and sets of kept acts."""

from fractions import Fraction

import numpy as np
import pytest

from dstheory import Frame, decide


def test_best_act_takes_the_first_of_equals():
    assert decide.best_act([0.3, 0.1 + 0.2]) == decide.best_act([-np.inf, -np.inf]) == 0
    assert decide.best_act([0.3, np.inf]) == decide.best_act([2**60, 2**60 + 1]) == 1
    assert decide.best_act([1, 3, 3]) == 1
    assert decide.best_act([Fraction(1, 2), Fraction(1, 3)], acts=["x", "y"]) == "x"
    assert decide.best_act(np.zeros((2, 0, 3))).shape == (2, 0)


def test_best_act_refuses_nan_and_nothing():
    with pytest.raises(ValueError, match=r"a value is NaN in row 1;"):
        decide.best_act([[1, 2], [np.nan, 2]])
    with pytest.raises(ValueError, match="A >= 1"):
        decide.best_act(np.zeros((3, 0)))


def test_chosen_acts_of_rows_and_batches():
    kept = np.array([[True, False, True], [False, True, False], [True, False, True]])
    frame = Frame(["a", "b", "c"])
    assert decide.chosen_acts(kept[0], frame) == ("a", "c")
    assert decide.chosen_acts(kept, frame).tolist() == [("a", "c"), ("b",), ("a", "c")]
    assert decide.chosen_acts(kept.reshape(3, 1, 3), frame).shape == (3, 1)
    assert decide.chosen_acts(np.zeros((0, 3), dtype=bool), frame).shape == (0,)


def test_chosen_acts_of_many_acts():
    kept = np.zeros((2, 70), dtype=bool)
    kept[0, 69] = kept[1, 0] = True
    assert decide.chosen_acts(kept, range(70)).tolist() == [(69,), (0,)]


def test_chosen_acts_refuses_wrong_kinds_and_lengths():
    with pytest.raises(TypeError, match="array of bool"):
        decide.chosen_acts([0, 1], ["a", "b"])
    with pytest.raises(ValueError, match="acts has 1 names"):
        decide.chosen_acts(np.array([True, False]), ["a"])
