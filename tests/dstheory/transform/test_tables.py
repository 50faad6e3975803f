"""Dense tables of mass functions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dstheory import Frame, MassFunction
from dstheory.construct import bayesian, random, vacuous
from dstheory.errors import DSTheoryError
from dstheory.testing import frames, masses
from dstheory.transform._butterflies import meeting_sums, plausibilities
from dstheory.transform.tables import b_table, bel_table, mass_table, pl_table, q_table
from tests.naive import transform as naive_transform

TABLES = {"m": mass_table, "bel": bel_table, "pl": pl_table, "q": q_table, "b": b_table}


@pytest.mark.parametrize("kind", TABLES)
@given(frames(1, 4), st.data())
def test_equals_the_definition(kind, frame, data):
    m = data.draw(masses(frame, empty=True))
    named = {frozenset(event): v for event, v in m.to_dict().items()}
    assert TABLES[kind](m).tolist() == naive_transform.table(named, frame, kind)


@pytest.mark.parametrize("kind", TABLES)
def test_batch_row_is_the_single_one(kind):
    m = random(Frame(range(5)), np.random.default_rng(0), size=(2, 3), n_focal=7, conflict=0.1)
    table = TABLES[kind](m)
    assert table.shape == (2, 3, 32)
    for i in range(2):
        for j in range(3):
            np.testing.assert_allclose(table[i, j], TABLES[kind](m[i, j]), atol=1e-16)


@pytest.mark.parametrize("kind", TABLES)
def test_agrees_with_the_sparse_sums(kind):
    m = random(Frame(range(6)), np.random.default_rng(1), n_focal=20)
    event = {"m": m.mass, "bel": m.bel, "pl": m.pl, "q": m.q, "b": m.b}[kind]
    expected = [event(mask=mask) for mask in range(64)]
    np.testing.assert_allclose(TABLES[kind](m), expected, atol=1e-15)


@given(frames(1, 4), st.data())
def test_bel_and_pl_are_dual(frame, data):
    """Pl(A) = Bel(frame) - Bel(not A) (Shafer 1976, ch. 2)."""
    m = data.draw(masses(frame, empty=True))
    beliefs = bel_table(m)
    assert (pl_table(m) == beliefs[-1] - beliefs[::-1]).all()


@given(frames(1, 4), st.data())
def test_commonality_is_the_implicability_of_the_complement(frame, data):
    m = data.draw(masses(frame, empty=True))
    assert (q_table(m) == b_table(~m)[::-1]).all()


def test_small_plausibilities_keep_their_digits():
    """Bel(frame) - Bel(not A) would lose all digits of 3e-20."""
    frame = Frame(list("abcde"))
    m = MassFunction(frame, [1, 3, 12, 8, 31], [0.5, 0.5, 2e-20, 1e-20, 0])
    table = pl_table(MassFunction(frame, m.focal, [m.masses, [0.25, 0.25, 0.25, 0.25, 0]]))
    expected = [m.pl(mask=mask) for mask in range(32)]
    np.testing.assert_allclose(table[0], expected, rtol=1e-12, atol=0)
    assert table[0][frame.mask(["e"])] == 0
    assert table[1][frame.mask(["c", "e"])] == 0.25


def test_nearly_certain_probabilities_add_up():
    p = np.array([1 - 3e-12, 1e-12, 1e-12, 1e-12])
    table = pl_table(bayesian(Frame(range(4)), p))
    assert table[6] == 2e-12
    assert table[14] == pytest.approx(3e-12, rel=1e-15)


def test_total_conflict_and_empty_batches():
    frame = Frame(["a", "b"])
    nothing = MassFunction(frame, [0, 3], [[1, 0], [0, 1]])
    assert pl_table(nothing).tolist() == [[0, 0, 0, 0], [0, 1, 1, 1]]
    assert pl_table(vacuous(frame, 0)).shape == (0, 4)


def test_input_is_not_changed_and_tables_are_writable():
    m = MassFunction(Frame(["a", "b"]), [1, 3], [0.75, 0.25])
    for make in TABLES.values():
        make(m)[...] = 7
    assert m.masses.tolist() == [0.75, 0.25]


@pytest.mark.parametrize("kind", TABLES)
def test_too_large_tables_are_refused(kind):
    with pytest.raises(DSTheoryError, match=r"27 labels has 2\^27 entries"):
        TABLES[kind](vacuous(Frame(range(27))))


@given(frames(1, 4), st.data(), st.sampled_from([0.0, 1e-9, 1e-2]))
def test_routes_of_the_plausibility_agree(frame, data, share):
    """Difference of beliefs and butterfly without subtraction, whichever is taken."""
    m = data.draw(masses(frame, exact=False, empty=True))
    table = mass_table(m) * (1 - share)
    table[1] += share
    np.testing.assert_allclose(plausibilities(table), meeting_sums(table), rtol=1e-12, atol=0)
