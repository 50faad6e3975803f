"""Consonant mass functions from contours, and from orders and masses."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dstheory import Frame
from dstheory.construct import bayesian, consonant, nested
from dstheory.errors import CostLimitError, MassError
from dstheory.testing import frames
from dstheory.transform import betp
from tests.naive import transform as naive_transform
from tests.support.each import each

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


@each(
    ("make", "message"),
    [
        (lambda: consonant(ABC, [0.5, 0.75, 0]), "maximum 0.75, not 1"),
        (lambda: consonant(ABC, [[1, 0, 0], [1, 1.5, 0]]), "maximum 1.5 in row 1, not 1"),
        (lambda: consonant(ABC, [[1, 0, 0], [1, -0.5, 0]]), "-0.5 in row 1 is negative"),
        (lambda: consonant(ABC, [1, np.nan, 0]), "contour value nan is not finite"),
        (lambda: consonant(ABC, [Fraction(1, 2), Fraction(1, 3), 0]), "maximum 1/2, not 1"),
        (lambda: consonant(ABC, [1, 0]), "3 labels of the frame"),
        (lambda: nested(ABC, [0, 0, 1], [1, 0, 0]), r"order \[0, 0, 1\] is not a permutation"),
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


def test_few_levels_on_many_labels_make_few_sets():
    size = 100_000
    frame = Frame(range(size))
    contour = np.full((2, size), 0.25)
    contour[0, 5], contour[1, [7, size - 1]] = 1, [0.5, 1]
    m = consonant(frame, contour)
    last = 1 << size - 1
    assert m.focal.tolist() == [1 << 5, last, last | 1 << 7, frame.full]
    assert m.masses.tolist() == [[0.75, 0, 0, 0.25], [0, 0.5, 0.25, 0.25]]


@given(st.integers(60, 66), st.integers(0, 3), st.randoms(use_true_random=False))
def test_large_frames_as_small_ones(size, spare, random):
    """On 60 to 66 labels masks are integers of the machine, and of Python."""
    order = random.sample(range(size), size)
    masses = [random.choice([0, 1, 2]) for _ in range(size)]
    masses[spare] += 1
    total = sum(masses)
    m = nested(Frame(range(size)), order, [Fraction(value, total) for value in masses])
    expected = {
        sum(1 << label for label in order[: place + 1]): Fraction(value, total)
        for place, value in enumerate(masses)
        if value
    }
    assert dict(zip(m.focal.tolist(), m.masses.tolist(), strict=True)) == expected


def test_sets_that_fit_no_memory_are_refused_before_they_are_made():
    size = 300_000
    frame = Frame(range(size))
    with pytest.raises(CostLimitError, match="on 300,000 labels takes 5,625,018,750 bytes of sets"):
        bayesian(frame, np.full(size, 1 / size))
    with pytest.raises(CostLimitError, match="300,000 nested sets of 300,000 labels takes 11,2"):
        consonant(frame, np.linspace(1 / size, 1, size))
