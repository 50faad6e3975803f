"""Mass functions from tables of m, bel, pl, q and b."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dstheory import Frame, MassFunction, construct
from dstheory.construct.tables import from_table
from dstheory.errors import MassError
from dstheory.testing import frames, masses
from dstheory.transform import tables
from tests.naive import transform as naive_transform
from tests.support.each import each

AB = Frame(["a", "b"])
KINDS = ("m", "bel", "pl", "q", "b")


@pytest.mark.parametrize("kind", KINDS)
@given(frames(1, 4), st.data())
def test_inverts_the_definition(kind, frame, data):
    m = data.draw(masses(frame, empty=True))
    named = {frozenset(event): v for event, v in m.to_dict().items()}
    table = naive_transform.table(named, frame, kind)
    assert from_table(frame, np.array(table, dtype=object), kind).equals(m, 0)


@pytest.mark.parametrize("kind", KINDS)
def test_batches_of_floats_come_back_sparse(kind):
    frame = Frame(range(8))
    rng = np.random.default_rng(3)
    m = construct.random(frame, rng, size=(3, 2), n_focal=10, conflict=0.2)
    back = from_table(frame, tables.table(m, kind), kind)
    assert back.focal.tolist() == m.focal.tolist()
    assert back.equals(m, 1e-13)


def test_noise_is_dropped_and_the_row_scaled_back():
    rows = [[0, 0.5, 1e-13, 0.5], [0, 0.5, 0, 0.5]]
    assert from_table(AB, rows, atol=1e-12).focal.tolist() == [1, 3]
    assert from_table(AB, rows).focal.tolist() == [1, 2, 3]
    assert from_table(AB, [0, 0.5, -1e-13, 0.5]).focal.tolist() == [1, 3]
    tiny = Fraction(1, 10**20)
    exact = from_table(AB, [Fraction(0), tiny, Fraction(0), 1 - tiny])
    assert exact.mass("a") == tiny


def test_a_table_that_is_not_two_monotone_is_refused():
    with pytest.raises(MassError, match=r"\('a', 'b'\) would have mass -0.5 in row 1"):
        from_table(AB, [[0, 0.5, 0.5, 1], [0, 0.75, 0.75, 1]], "bel")
    with pytest.raises(MassError, match=r"\('a', 'b'\) would have mass -1/2"):
        from_table(AB, [Fraction(0), Fraction(3, 4), Fraction(3, 4), Fraction(1)], "bel")


@each(
    ("make", "message"),
    [
        (lambda: from_table(AB, [0.25, 0.5, 0.5, 1], "bel"), r"bel\(empty\) is 0.25, not 0"),
        (lambda: from_table(AB, [0.25, 1, 1, 1], "pl"), r"pl\(empty\) is 0.25, not 0"),
        (lambda: from_table(AB, [0.5, 0.5, 0.5, 0.5], "q"), r"q\(empty\) is 0.5, not 1"),
        (lambda: from_table(AB, [0, 0, 0, 0.5], "b"), r"b\(frame\) is 0.5, not 1"),
        (lambda: from_table(AB, [0, 0.5, 0, 0.25]), "sum to 0.75"),
        (lambda: from_table(AB, [0, np.nan, 0, 1], "bel"), "bel nan is not finite"),
        (lambda: from_table(AB, [1, 1, 1], "q"), "2\\^2 = 4 subsets"),
        (lambda: from_table(AB, [[0, 1, 1, 1], [0, 0.25, 0.25, 1]], "pl"), "-0.5 in row 1"),
    ],
)
def test_wrong_tables_are_refused(make, message):
    with pytest.raises(MassError, match=message):
        make()


def test_pl_below_one_leaves_the_rest_to_the_empty_set():
    m = from_table(AB, [0, 0.5, 0.25, 0.75], "pl")
    assert m.equals(MassFunction(AB, [0, 1, 2], [0.25, 0.5, 0.25]))


ABC = Frame(["a", "b", "c"])
INVERSIONS = [kind for kind in KINDS if kind != "m"]


@each("mass", [1e-12, 1e-13, 1e-14])
@each("kind", INVERSIONS)
def test_a_small_mass_is_no_noise(kind, mass):
    """Rounding leaves some 1e-16 on three labels; what is above it is belief."""
    m = MassFunction(ABC, [1, 3, 5, 7], [0.25, mass, 0.125, 0.625 - mass])
    back = from_table(ABC, tables.table(m, kind), kind)
    assert back.focal.tolist() == [1, 3, 5, 7]
    assert back.mass(mask=3) == pytest.approx(mass, abs=1e-15)


@pytest.mark.parametrize("kind", KINDS)
def test_a_tolerance_that_drops_everything_is_refused(kind):
    table = tables.table(MassFunction(AB, [1, 2, 3], [0.25, 0.25, 0.5]), kind)
    with pytest.raises(MassError, match="no focal set has more than 2; prune with a lower atol"):
        from_table(AB, table, kind, atol=2)
    with pytest.raises(ValueError, match="atol is nan, expected a finite number from 0"):
        from_table(AB, table, kind, atol=float("nan"))
