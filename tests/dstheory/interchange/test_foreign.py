"""Vectors of ibelief and matrices of dst (R)."""

import numpy as np
import pandas as pd
import pytest

from dstheory import Frame, MassFunction
from dstheory.construct import from_table
from dstheory.errors import DSTheoryError
from dstheory.interchange import from_dst_matrix
from tests.support.each import each

ABC = Frame(["a", "b", "c"])
# From the manual of ibelief's DST; m3 sums to 0.9 there.
M1 = [0, 0.4, 0.1, 0.2, 0.2, 0, 0, 0.1]
M2 = [0, 0.2, 0.3, 0.1, 0.1, 0, 0.2, 0.1]
M3 = [0.1, 0.2, 0, 0.1, 0.1, 0.1, 0, 0.3]


def test_ibelief_order_is_binary():
    m = from_table(ABC, M1)
    expected = {"a": 0.4, "b": 0.1, ("a", "b"): 0.2, "c": 0.2, ABC: 0.1}
    assert m.equals(MassFunction.from_dict(ABC, expected), 0)


def test_columns_of_an_ibelief_matrix_are_the_batch():
    m = from_table(ABC, np.column_stack([M1, M2]).T)
    assert m.batch_shape == (2,)
    assert m[1].equals(from_table(ABC, M2), 0)


def test_masses_that_do_not_sum_to_one_are_refused():
    with pytest.raises(DSTheoryError, match=r"sum to 0\.9"):
        from_table(ABC, M3)
    with pytest.raises(DSTheoryError, match="8 subsets"):
        from_table(ABC, M1[:4])
    with pytest.raises(DSTheoryError, match=r"shape \(\)"):
        from_table(ABC, 1.0)


def test_dst_bca():
    """The example of the manual of bca."""
    tt = [[0, 1, 1], [1, 1, 0], [1, 1, 1]]
    m = from_dst_matrix(ABC, tt, [[1, 0.2], [2, 0.5], [3, 0.3]])
    assert m.equals(MassFunction(ABC, [6, 3, 7], [0.2, 0.5, 0.3]), 0)
    assert from_dst_matrix(ABC, np.array(tt, dtype=bool), [0.2, 0.5, 0.3]).equals(m, 0)
    with pytest.raises(ValueError, match="select them in that order"):
        from_dst_matrix(ABC, pd.DataFrame(tt, columns=list("cba")), [0.2, 0.5, 0.3])
    large = Frame(range(80))
    assert from_dst_matrix(large, np.ones((1, 80)), [1.0]).is_vacuous


@each(
    ("tt", "spec", "message"),
    [
        ([[0, 1]], [1.0], "frame has 3 labels"),
        ([[0, 1, 2]], [1.0], "tt has 2 in row 0"),
        ([[0, 1, np.nan]], [1.0], "tt has nan in row 0"),
        ([[0, 1, 1]], [0.5, 0.5], "spec has shape"),
        ([[0, 1, 1], [1, 0, 0]], [[1, 0.5], [1, 0.5]], "set number 1 has several rows"),
        ([[0, 1, 1], [1, 0, 0]], [[1, 0.5], [2, 0.25]], "sum to 0.75"),
    ],
)
def test_other_dst_matrices_are_refused(tt, spec, message):
    with pytest.raises(DSTheoryError, match=message):
        from_dst_matrix(ABC, tt, spec)
