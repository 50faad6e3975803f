"""Every wrong kind is refused by the name of the argument."""

from fractions import Fraction

import numpy as np
import pytest

from dstheory.checks.arguments import as_floats, as_sequence, check_choice, check_count, shown
from evical.calibrators import AutoCalibrator
from tests.support.each import each


@each(
    "values",
    ["0.5", ["0.5"], np.array(["a"]), [None], [1j], np.array([1j]), [object()], b"1", len],
)
def test_only_real_numbers_are_numbers(values):
    with pytest.raises(TypeError, match=r"^x (are|hold) .*, expected real numbers$"):
        as_floats(values, "x")


def test_numbers_of_every_kind():
    expected = [1.0, 0.5]
    for values in ([1, 0.5], [Fraction(1), Fraction(1, 2)], np.array([True, Fraction(1, 2)])):
        assert as_floats(values, "x").tolist() == expected
    assert as_floats(np.array([3], dtype=np.uint8), "x").dtype == np.float64
    same = np.array(expected)
    assert as_floats(same, "x") is same
    with pytest.raises(ValueError, match="rows differ in length"):
        as_floats([[1], [1, 2]], "x")
    with pytest.raises(ValueError, match=r"above 1\.8e308"):
        as_floats([10**400], "x")


@each("value", [True, 1.0, "1", None, np.array(1), [1]])
def test_only_whole_numbers_count(value):
    with pytest.raises(TypeError, match="expected a whole number"):
        check_count("n", value)


def test_counts_have_bounds():
    assert check_count("n", np.int64(3), 1, 5) == 3
    for value, bound in (
        (0, "at least 1"),
        (6, "at most 5"),
        (10**400, "10.400, expected"),
    ):
        with pytest.raises(ValueError, match=bound):
            check_count("n", value, 1, 5)


@each("value", ["abc", b"abc", 3, None, np.array(3), int, {1, 2}])
def test_no_text_is_a_sequence(value):
    with pytest.raises(TypeError, match=r"order is .*, expected labels"):
        as_sequence(value, "order", "labels")


def test_sequences():
    for values in ([1, 2], (1, 2), {1: 0, 2: 0}, np.array([1, 2]), iter([1, 2])):
        assert as_sequence(values, "order", "labels") == [1, 2]


def test_choices_are_compared_by_kind():
    check_choice("mode", True, (True, False))
    for value in (1, np.array([True, False]), ["a"]):
        with pytest.raises(ValueError, match="expected one of True, False"):
            check_choice("mode", value, (True, False))


def test_values_are_shown_on_one_short_line():
    assert len(shown(np.zeros((9, 9)))) <= 70
    assert "\n" not in shown(np.zeros((9, 9)))
    assert shown(10**5000) == "about 10^5000"


def test_short_floats_of_other_packages_are_real_numbers():
    kind = pytest.importorskip("ml_dtypes").bfloat16
    assert as_floats(np.array([0.5, -2.0], dtype=kind), "scores").tolist() == [0.5, -2.0]
    with pytest.raises(TypeError, match="expected real numbers"):
        as_floats(np.array([b"ab"], dtype="V2"), "scores")


class WithGradients:
    """As a tensor that would lose its gradients says it."""

    requires_grad, dtype, shape = True, "float32", (2,)

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("Can't call numpy() on Tensor that requires grad.")


def test_gradients_are_not_lost_silently():
    with pytest.raises(TypeError, match=r"scores are a tensor with gradients.*pass tensor.detach"):
        as_floats(WithGradients(), "scores")
    with pytest.raises(TypeError, match="scores are a tensor with gradients"):
        AutoCalibrator().fit(WithGradients(), [0, 1])
