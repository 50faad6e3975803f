"""Possibility and necessity measures as mass functions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dstheory import Frame
from dstheory.construct import consonant, from_necessity, from_possibility
from dstheory.errors import MassError
from dstheory.testing import frames
from dstheory.transform import tables
from tests.naive import transform as naive_transform

ABC = Frame(["a", "b", "c"])


def possibilities(frame):
    levels = st.integers(0, 4).map(lambda n: Fraction(n, 4))
    return st.lists(levels, min_size=len(frame), max_size=len(frame))


@given(frames(1, 4), st.data())
def test_equals_the_cuts_and_gives_the_rest_to_the_empty_set(frame, data):
    row = data.draw(possibilities(frame))
    expected = naive_transform.consonant(dict(zip(frame, row, strict=True)))
    m = from_possibility(frame, row)
    masses = {frozenset(event): v for event, v in m.to_dict().items()}
    assert masses.pop(frozenset(), 0) == 1 - max(row)
    assert masses == expected
    assert m.contour().tolist() == row


@given(frames(1, 4), st.data())
def test_necessity_comes_back(frame, data):
    row = [Fraction(1), *data.draw(possibilities(frame))[1:]]
    m = consonant(frame, row)
    assert from_necessity(frame, tables.table(m, "bel")).equals(m, 0)


def test_batches_of_both_kinds():
    rows = [[1, 0.5, 0], [0.5, 0.25, 0.25], [0, 0, 0]]
    m = from_possibility(ABC, rows)
    assert m.mass([]).tolist() == [0, 0.5, 1]
    np.testing.assert_array_equal(m.contour(), rows)


def test_wrong_values_are_refused():
    with pytest.raises(MassError, match=r"possibility 1\.5 in row 1 does not lie"):
        from_possibility(ABC, [[1, 0, 0], [1.5, 0, 0]])
    with pytest.raises(MassError, match="possibility nan is not finite"):
        from_possibility(ABC, [np.nan, 0, 0])
    bayes = [[0, 1, 0, 1], [0, 0.5, 0.5, 1]]
    with pytest.raises(MassError, match="belief function, but no necessity"):
        from_necessity(Frame(["a", "b"]), bayes)
