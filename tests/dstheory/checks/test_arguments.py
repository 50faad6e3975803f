"""Every wrong kind is refused by the name of the argument."""

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

from dstheory import Frame
from dstheory.checks.arguments import as_floats, as_sequence, check_choice, check_count, shown
from dstheory.construct import bayesian
from evical import EvidentialFusion
from evical.calibrators import AutoCalibrator
from evical.estimators.responses import class_scores
from evical.scores.checks import real_numbers
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


class Tensor:
    """As one of torch in types that NumPy lacks, on a device, or with gradients."""

    def __init__(self, values, requires_grad=False):
        self.values, self.requires_grad = np.array(values), requires_grad
        self.dtype, self.shape, self.ndim = "bfloat16", self.values.shape, self.values.ndim

    def float(self):
        return self.values

    def size(self):
        return self.shape

    def __array__(self, dtype=None, copy=None):
        raise TypeError("Got unsupported ScalarType BFloat16")

    def __len__(self):
        return len(self.values)


def test_tensors_of_types_that_numpy_lacks_are_numbers():
    assert as_floats(Tensor([0.5, -2.0]), "scores").tolist() == [0.5, -2.0]
    assert real_numbers(Tensor([[0.5]]), "scores").tolist() == [[0.5]]
    assert bayesian(Frame(["a", "b"]), Tensor([0.25, 0.75])).masses[1] == 0.75
    p = np.array([[0.7, 0.3], [0.2, 0.8]])
    fused = EvidentialFusion("dempster").fit([Tensor(p)], Tensor([0, 1])).predict_proba([p])
    np.testing.assert_allclose(fused, p)
    network = SimpleNamespace(classes_=[0, 1], predict_proba=lambda X: Tensor(p))
    assert class_scores(network, p, np.array([0, 1]), "given").tolist() == [[0.3], [0.8]]


def test_gradients_are_not_lost_silently():
    with pytest.raises(TypeError, match=r"scores are a tensor with gradients.*pass tensor.detach"):
        as_floats(Tensor([0.5, 1], True), "scores")
    with pytest.raises(TypeError, match="masses are a tensor with gradients"):
        bayesian(Frame([0, 1]), Tensor([0.5, 0.5], True))
    with pytest.raises(TypeError, match="scores are a tensor with gradients"):
        AutoCalibrator().fit(Tensor([0.5, 1], True), [0, 1])
