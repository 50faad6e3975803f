"""Hamming and loss-based decoding, and Zadrozny's theorem 1."""

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from evical.multiclass import code_matrix, hastie_tibshirani, loss_decode
from tests.naive import coupling as naive_coupling

KINDS = ("one_vs_rest", "all_pairs", "sparse", "complete")

margins = st.integers(-4, 4).map(lambda i: i / 4)


@st.composite
def questions(draw):
    """A code and margins of a sample, exact in binary."""
    code = code_matrix(draw(st.sampled_from(KINDS)), draw(st.integers(3, 4)), random_state=0)
    n = code.shape[1]
    return code, draw(st.lists(margins, min_size=n, max_size=n))


def first_least(values):
    return values.index(min(values))


@given(questions())
def test_hamming_definition(question):
    code, f = question
    distances = [naive_coupling.hamming(f, row) for row in code.tolist()]
    assert loss_decode([f], code, "hamming").tolist() == [first_least(distances)]


@given(questions(), st.sampled_from([("linear", lambda y: -y), (np.square, lambda y: y**2)]))
def test_loss_definition(question, losses):
    code, f = question
    ours, naive = losses
    totals = [naive_coupling.total_loss(f, row, naive) for row in code.tolist()]
    assert loss_decode([f], code, ours).tolist() == [first_least(totals)]


@given(questions())
def test_exponential_definition(question):
    code, f = question
    totals = [naive_coupling.total_loss(f, row, lambda y: math.exp(-y)) for row in code.tolist()]
    (found,) = loss_decode([f], code, "exponential")
    assert totals[found] == pytest.approx(min(totals), rel=1e-12)


def test_exponential_is_a_function_too():
    rng = np.random.default_rng(0)
    code = code_matrix("sparse", 6, random_state=0)
    f = rng.normal(size=(200, code.shape[1]))
    np.testing.assert_array_equal(
        loss_decode(f, code, "exponential"), loss_decode(f, code, lambda y: np.exp(-y))
    )


def test_large_margins_do_not_overflow():
    code = code_matrix("one_vs_rest", 3)
    assert loss_decode([[-3000.0, -1000.0, -2000.0]], code, "exponential").tolist() == [1]


def test_loss_listens_to_confidence():
    """Two hesitant columns against a confident one."""
    code = [[1, 1, 1, 0], [1, -1, -1, 1], [-1, 1, -1, -1]]
    f = [[0.1, -0.9, 0.2, -0.1]]
    assert loss_decode(f, code, "hamming").tolist() == [0]
    assert loss_decode(f, code).tolist() == [1]


@given(
    st.integers(2, 5).flatmap(
        lambda k: st.lists(
            st.floats(0.001, 0.999), min_size=k * (k - 1) // 2, max_size=k * (k - 1) // 2
        )
    )
)
def test_theorem_1(r):
    """Zadrozny 2001: all pairs, a linear loss and the iterative estimates name one class."""
    code = code_matrix("all_pairs", round((1 + math.sqrt(1 + 8 * len(r))) / 2))
    start = np.sort(hastie_tibshirani([r], code, iterative=False)[0])
    assume(start[-1] - start[-2] > 1e-6)  # no tie
    decoded = loss_decode(np.array([r]) - 0.5, code)
    assert decoded == hastie_tibshirani([r], code).argmax(axis=1)
    assert decoded == hastie_tibshirani([r], code, update="zadrozny").argmax(axis=1)


def test_theorem_1_needs_equal_rows():
    """One against all: a linear loss names the class of the greatest answer, as it must."""
    rng = np.random.default_rng(0)
    r = rng.random((500, 4))
    code = code_matrix("one_vs_rest", 4)
    decoded = loss_decode(r - 0.5, code)
    np.testing.assert_array_equal(decoded, r.argmax(axis=1))
    np.testing.assert_array_equal(
        decoded, hastie_tibshirani(r, code, iterative=False).argmax(axis=1)
    )


def test_no_samples():
    code = code_matrix("all_pairs", 3)
    assert loss_decode(np.empty((0, 3)), code, "hamming").shape == (0,)
    assert loss_decode(np.empty((0, 3)), code, "exponential").shape == (0,)


@pytest.mark.parametrize("decode", [partial(loss_decode, loss="hamming"), loss_decode])
def test_refusals(decode):
    code = code_matrix("all_pairs", 3)
    with pytest.raises(ValueError, match=r"margins\[1, 2\] is nan"):
        decode([[0, 0, 0], [0, 1, np.nan]], code)
    with pytest.raises(ValueError, match=r"margins have shape \(1, 2\), expected \(n, 3\)"):
        decode([[0, 0]], code)
    with pytest.raises(ValueError, match="no class on its negative side"):
        decode([[0]], [[1], [1]])


def test_unknown_loss():
    with pytest.raises(ValueError, match="loss is 'hinge', expected"):
        loss_decode([[0.0]], [[1], [-1]], "hinge")
