"""Dense tables of mass functions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dstheory import Frame, MassFunction
from dstheory.construct import bayesian, random, vacuous
from dstheory.errors import DSTheoryError
from dstheory.testing import frames, masses
from dstheory.transform import tables
from dstheory.transform._butterflies import meeting_sums, plausibilities
from tests.naive import transform as naive_transform

TABLES = ("m", "bel", "pl", "q", "b")


@pytest.mark.parametrize("kind", TABLES)
@given(frames(1, 4), st.data())
def test_equals_the_definition(kind, frame, data):
    m = data.draw(masses(frame, empty=True))
    named = {frozenset(event): v for event, v in m.to_dict().items()}
    assert tables.table(m, kind).tolist() == naive_transform.table(named, frame, kind)


@pytest.mark.parametrize("kind", TABLES)
def test_batch_row_is_the_single_one(kind):
    m = random(Frame(range(5)), np.random.default_rng(0), size=(2, 3), n_focal=7, conflict=0.1)
    table = tables.table(m, kind)
    assert table.shape == (2, 3, 32)
    for i in range(2):
        for j in range(3):
            np.testing.assert_allclose(table[i, j], tables.table(m[i, j], kind), atol=1e-16)


@pytest.mark.parametrize("kind", TABLES)
def test_agrees_with_the_sparse_sums(kind):
    m = random(Frame(range(6)), np.random.default_rng(1), n_focal=20)
    event = {"m": m.mass, "bel": m.bel, "pl": m.pl, "q": m.q, "b": m.b}[kind]
    expected = [event(mask=mask) for mask in range(64)]
    np.testing.assert_allclose(tables.table(m, kind), expected, atol=1e-15)


@given(frames(1, 4), st.data())
def test_bel_and_pl_are_dual(frame, data):
    """Pl(A) = Bel(frame) - Bel(not A) (Shafer 1976, ch. 2)."""
    m = data.draw(masses(frame, empty=True))
    beliefs = tables.table(m, "bel")
    assert (tables.table(m, "pl") == beliefs[-1] - beliefs[::-1]).all()


@given(frames(1, 4), st.data())
def test_commonality_is_the_implicability_of_the_complement(frame, data):
    m = data.draw(masses(frame, empty=True))
    assert (tables.table(m, "q") == tables.table(~m, "b")[::-1]).all()


def test_small_plausibilities_keep_their_digits():
    """Bel(frame) - Bel(not A) would lose all digits of 3e-20."""
    frame = Frame(list("abcde"))
    m = MassFunction(frame, [1, 3, 12, 8, 31], [0.5, 0.5, 2e-20, 1e-20, 0])
    table = tables.table(
        MassFunction(frame, m.focal, [m.masses, [0.25, 0.25, 0.25, 0.25, 0]]), "pl"
    )
    expected = [m.pl(mask=mask) for mask in range(32)]
    np.testing.assert_allclose(table[0], expected, rtol=1e-12, atol=0)
    assert table[0][frame.mask(["e"])] == 0
    assert table[1][frame.mask(["c", "e"])] == 0.25


def test_nearly_certain_probabilities_add_up():
    p = np.array([1 - 3e-12, 1e-12, 1e-12, 1e-12])
    table = tables.table(bayesian(Frame(range(4)), p), "pl")
    assert table[6] == 2e-12
    assert table[14] == pytest.approx(3e-12, rel=1e-15)


def test_total_conflict_and_empty_batches():
    frame = Frame(["a", "b"])
    nothing = MassFunction(frame, [0, 3], [[1, 0], [0, 1]])
    assert tables.table(nothing, "pl").tolist() == [[0, 0, 0, 0], [0, 1, 1, 1]]
    assert tables.table(vacuous(frame, 0), "pl").shape == (0, 4)


def test_input_is_not_changed_and_tables_are_writable():
    m = MassFunction(Frame(["a", "b"]), [1, 3], [0.75, 0.25])
    for kind in TABLES:
        tables.table(m, kind)[...] = 7
    assert m.masses.tolist() == [0.75, 0.25]


@pytest.mark.parametrize("kind", TABLES)
def test_too_large_tables_are_refused(kind):
    with pytest.raises(DSTheoryError, match=r"27 labels has 2\^27 entries"):
        tables.table(vacuous(Frame(range(27))), kind)


@given(frames(1, 4), st.data(), st.sampled_from([0.0, 1e-9, 1e-2]))
def test_routes_of_the_plausibility_agree(frame, data, share):
    """Difference of beliefs and butterfly without subtraction, whichever is taken."""
    m = data.draw(masses(frame, exact=False, empty=True))
    table = tables.table(m) * (1 - share)
    table[1] += share
    np.testing.assert_allclose(plausibilities(table), meeting_sums(table), rtol=1e-12, atol=0)
