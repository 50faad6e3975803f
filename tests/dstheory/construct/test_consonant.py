"""Consonant mass functions from contours, and from orders and masses."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dstheory import Frame
from dstheory.construct import consonant, nested
from dstheory.errors import MassError
from dstheory.testing import frames
from dstheory.transform import betp
from tests import naive_transform

ABC = Frame(["a", "b", "c"])


def contours(frame):
    """Contours with maximum 1 and many ties."""
    levels = st.integers(0, 4).map(lambda n: Fraction(n, 4))
    rows = st.lists(levels, min_size=len(frame), max_size=len(frame))
    return st.tuples(rows, st.integers(0, len(frame) - 1)).map(
        lambda drawn: [Fraction(1) if i == drawn[1] else v for i, v in enumerate(drawn[0])]
    )


@given(frames(1, 5), st.data())
def test_equals_the_definition_by_cuts(frame, data):
    row = data.draw(contours(frame))
    expected = naive_transform.consonant(dict(zip(frame, row, strict=True)))
    m = consonant(frame, row)
    assert {frozenset(event): v for event, v in m.to_dict().items()} == expected
    assert m.is_consonant


@given(frames(1, 5), st.data())
def test_contour_comes_back(frame, data):
    rows = data.draw(st.lists(contours(frame), min_size=1, max_size=6))
    m = consonant(frame, rows)
    assert (m.contour() == np.array(rows, dtype=object)).all()
    for row, single in zip(rows, m, strict=True):
        assert single.equals(consonant(frame, row), 0)


def test_batch_shape_and_only_needed_sets():
    rows = np.array([[[1, 0.5, 0.5], [0.5, 1, 0]], [[1, 1, 1], [1, 0.5, 0.5]]])
    m = consonant(ABC, rows)
    assert m.batch_shape == (2, 2)
    assert m.focal.tolist() == [1, 2, 3, 7]
    np.testing.assert_allclose(m.contour(), rows)


def test_no_rows():
    m = consonant(ABC, np.zeros((0, 3)))
    assert m.batch_shape == (0,)
    assert m.contour().shape == betp(m).shape == (0, 3)


def test_large_frames():
    frame = Frame(range(100))
    contour = np.linspace(1, 0.01, 100)
    m = consonant(frame, [contour, contour[::-1]])
    assert m.focal.dtype == object
    np.testing.assert_allclose(m.contour(), [contour, contour[::-1]], atol=1e-14)


def test_nested_broadcasts_one_order_over_many_masses():
    m = nested(ABC, [2, 0, 1], [[0.5, 0.5, 0], [0, 0, 1]])
    assert m.focal.tolist() == [4, 5, 7]
    assert m.masses.tolist() == [[0.5, 0.5, 0], [0, 0, 1]]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: consonant(ABC, [0.5, 0.75, 0]), "maximum 0.75, not 1"),
        (lambda: consonant(ABC, [[1, 0, 0], [1, 1.5, 0]]), "maximum 1.5 in row 1, not 1"),
        (lambda: consonant(ABC, [[1, 0, 0], [1, -0.5, 0]]), "-0.5 in row 1 is negative"),
        (lambda: consonant(ABC, [1, np.nan, 0]), "contour value nan is not finite"),
        (lambda: consonant(ABC, [Fraction(1, 2), Fraction(1, 3), 0]), "maximum 1/2, not 1"),
        (lambda: consonant(ABC, [1, 0]), "3 labels of the frame"),
        (lambda: nested(ABC, [0, 0, 1], [1, 0, 0]), r"order \[0, 0, 1\] is no permutation"),
        (lambda: nested(ABC, [0, 1], [1, 0, 0]), "3 positions"),
        (lambda: nested(ABC, [0, 1, 2], [0.5, 0, 0]), "sum to 0.5"),
    ],
)
def test_wrong_values_are_refused(make, message):
    with pytest.raises(MassError, match=message):
        make()


def test_orders_are_integers():
    with pytest.raises(TypeError, match="positions of labels"):
        nested(ABC, [0.0, 1.0, 2.0], [1, 0, 0])
