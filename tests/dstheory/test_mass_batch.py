"""Batches of mass functions: each row is a single one; layout, indexing, broadcasting."""

import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dstheory import Frame, MassFunction
from dstheory.errors import CostLimitError, MassError, TotalConflictError
from tests.support.each import each

FRAME = Frame(["a", "b", "c"])
FOCAL = [0, 1, 3, 6, 7]
SHAPES = [(), (1,), (4,), (2, 3), (2, 1, 4)]
by_shape = each("shape", SHAPES, ids=str)


def batch(shape, focal=FOCAL, seed=0):
    values = np.random.default_rng(seed).dirichlet(np.ones(len(focal)), shape)
    return MassFunction(FRAME, focal, values)


def rows(m):
    """Every place of the batch, with its mass function made on its own."""
    for place in np.ndindex(*m.batch_shape):
        yield place, MassFunction(m.frame, m.focal, m.masses[place])


@by_shape
@each("name", ["mass", "bel", "pl", "q", "b"])
def test_functions_of_events_row_by_row(name, shape):
    m = batch(shape)
    for mask in range(8):
        together = np.asarray(getattr(m, name)(mask=mask))
        assert together.shape == shape
        for place, single in rows(m):
            assert together[place] == pytest.approx(getattr(single, name)(mask=mask), abs=1e-15)


@by_shape
def test_contour_row_by_row(shape):
    m = batch(shape)
    assert m.contour().shape == (*shape, 3)
    for place, single in rows(m):
        np.testing.assert_allclose(m.contour()[place], single.contour(), rtol=1e-14)


@by_shape
@each("unary", [MassFunction.normalize, MassFunction.__invert__])
def test_unary_row_by_row(unary, shape):
    m = batch(shape)
    together = unary(m)
    assert together.batch_shape == shape
    for place, single in rows(m):
        np.testing.assert_allclose(together.masses[place], unary(single).masses, rtol=1e-14)


@each(
    ("left", "right"),
    [((), (4,)), ((4,), ()), ((3, 1), (4,)), ((2, 3), (3,)), ((2, 1, 4), (3, 1)), ((1,), (5,))],
)
@each("operation", ["__and__", "__or__", "__matmul__"])
def test_batches_broadcast(operation, left, right):
    one, two = batch(left), batch(right, focal=[1, 2, 5, 7], seed=1)
    together = getattr(one, operation)(two)
    assert together.batch_shape == np.broadcast_shapes(left, right)
    places = np.empty(together.batch_shape)
    ones = np.broadcast_to(one.masses, (*places.shape, one.masses.shape[-1]))
    twos = np.broadcast_to(two.masses, (*places.shape, two.masses.shape[-1]))
    for place in np.ndindex(*places.shape):
        single = MassFunction(FRAME, one.focal, ones[place])
        other = MassFunction(FRAME, two.focal, twos[place])
        assert together[place].equals(getattr(single, operation)(other), atol=1e-15)


def test_batches_that_do_not_broadcast():
    with pytest.raises(ValueError, match="broadcast"):
        batch((2,)) & batch((3,))


@each("exact", [False, True])
@each("shape", [(0,), (0, 3), (2, 0)])
def test_empty_batch(shape, exact):
    values = np.empty((*shape, 2), dtype=object if exact else float)
    m = MassFunction(FRAME, [1, 2], values)
    assert m.batch_shape == shape
    assert m.bel("a").shape == shape
    assert m.contour().shape == (*shape, 3)
    assert m.is_bayesian.shape == shape
    # Every pair of these sets is in conflict, so that Dempster's rule leaves no set at all.
    other = MassFunction(FRAME, [4], np.ones((*shape, 1)))
    for result in (m & m, m | m, m @ m, m @ other, m @ other @ m, ~m, m.normalize(), m.prune()):
        assert result.batch_shape == shape
        assert "batch" in repr(result)
        assert result.prune(0.1).batch_shape == shape
        assert pickle.loads(pickle.dumps(result)) == result


# ---- indexing


INDICES = [
    0,
    -1,
    np.int64(1),
    slice(None),
    slice(1, None),
    slice(None, None, -1),
    ...,
    None,
    (),
    (0, 1),
    (slice(None), 1),
    (..., 0),
    (1, ..., 2),
    (None, 0),
    [0, 1, 1],
    np.array([], dtype=int),
    np.array([True, False]),
    ([0, 1], 1),
    (0, slice(None), [1, 2]),
    ([0, 1], slice(None), [1, 2]),
    (slice(None), [2, 0], slice(1, 3)),
    (slice(None), [2, 0], [1, 3]),
    (np.array([[0], [1]]), [0, 2]),
    np.ones((2, 3), dtype=bool),
    (0, np.array([True, False, True])),
]


@each("index", INDICES, ids=repr)
def test_indexing_is_that_of_an_array_of_the_batch_shape(index):
    m = batch((2, 3, 4))
    part = m[index]
    for mask in FOCAL:
        np.testing.assert_array_equal(part.mass(mask=mask), m.mass(mask=mask)[index])
    assert part.store.flags.c_contiguous
    assert not part.store.flags.writeable


def test_length_and_iteration_are_over_the_batch():
    m = batch((3, 2))
    assert len(m) == 3
    assert [part.batch_shape for part in m] == [(2,)] * 3
    assert all(part == m[i] for i, part in enumerate(m))
    with pytest.raises(IndexError):
        m[3]


def test_a_single_mass_function_is_no_sequence():
    m = batch(())
    for use in (len, iter, lambda m: m[0]):
        with pytest.raises(TypeError, match="a single mass function"):
            use(m)
    assert bool(m)
    assert bool(batch((0,)))


def test_reshape():
    m = batch((2, 3))
    assert m.reshape(3, 2)[2, 1] == m[1, 2]
    assert m.reshape(-1).batch_shape == (6,)
    assert m.reshape((2, -1, 1)).batch_shape == (2, 3, 1)
    with pytest.raises(ValueError, match=r"does not fit into shape \(4, 1\)"):
        m.reshape(4, -1)
    with pytest.raises(ValueError, match="shape is -1"):
        m.reshape(-1, -1)
    for wrong in (-2, (2, -7), None):
        with pytest.raises((TypeError, ValueError), match="shape is"):
            m.reshape(wrong)
    assert m[0, 0].reshape(1, 1).batch_shape == (1, 1)


# ---- layout


@by_shape
def test_memory_is_set_major(shape):
    m = batch(shape)
    assert m.store.shape == (5, *shape)
    assert m.masses.shape == (*shape, 5)
    assert m.store.flags.c_contiguous
    assert np.shares_memory(m.store, m.masses)
    for result in (m & m, m @ m, ~m, m.normalize(), pickle.loads(pickle.dumps(m))):
        assert result.store.flags.c_contiguous
        assert not result.masses.flags.writeable


@given(order=st.permutations(FOCAL))
def test_focal_sets_are_sorted_with_their_masses(order):
    m = batch((4,))
    columns = [FOCAL.index(mask) for mask in order]
    again = MassFunction(FRAME, order, m.masses[:, columns])
    assert again.focal.tolist() == FOCAL
    assert again == m


def test_from_dict_broadcasts_its_masses():
    m = MassFunction.from_dict(FRAME, {"a": [[0.25], [0.5]], FRAME: [[0.75], [0.5]], "b": 0})
    assert m.batch_shape == (2, 1)
    assert m.bel("a").tolist() == [[0.25], [0.5]]


def test_fractions_in_batches():
    half = Fraction(1, 2)
    m = MassFunction(FRAME, [1, 7], [[half, half], [Fraction(1), Fraction(0)]])
    assert m.bel("a").tolist() == [half, 1]
    assert (m @ m).bel("a").tolist() == [Fraction(3, 4), 1]
    assert m.is_dogmatic.tolist() == [False, True]
    assert m.to_dict()["a",].tolist() == [half, 1]


# ---- rows in messages


def test_total_conflict_names_the_rows():
    one = MassFunction(FRAME, [1, 7], [[0.5, 0.5], [1, 0], [1, 0]])
    two = MassFunction.from_dict(FRAME, {"b": 1})
    with pytest.raises(
        TotalConflictError, match=r"in 2 of 3 rows \(first: row 1\): the sources exclude"
    ):
        one @ two
    with pytest.raises(TotalConflictError, match=r"in 4 of 6 rows \(first: row \(0, 1\)\)"):
        one @ MassFunction(FRAME, [2], np.ones((2, 1, 1)))
    with pytest.raises(TotalConflictError, match=r"in 2 of 3 rows \(first: row 1\)"):
        (one & two).normalize()


def test_predicates_answer_row_by_row():
    m = MassFunction(FRAME, [0, 1, 3, 4, 7], np.eye(5))
    assert m.is_normalized.tolist() == [False, True, True, True, True]
    assert m.is_vacuous.tolist() == [False, False, False, False, True]
    assert m.is_bayesian.tolist() == [False, True, False, True, False]
    assert m.is_categorical.all()
    clash = MassFunction(FRAME, [1, 2, 3], [[0.5, 0.5, 0], [0.5, 0, 0.5]])
    assert clash.is_consonant.tolist() == [False, True]


def test_pruning_needs_every_row():
    m = MassFunction(FRAME, [1, 2, 4, 7], [[0.5, 0, 0.1, 0.4], [0, 0, 1, 0]])
    assert m.prune().focal.tolist() == [1, 4, 7]
    assert m.prune(0.2).focal.tolist() == [1, 4, 7]
    m = MassFunction(FRAME, [1, 2, 4, 7], [[0.5, 0, 0, 0.5], [0, 0, 1, 0]])
    with pytest.raises(MassError, match=r"no focal set has more than 0\.5 in . of . rows"):
        m.prune(0.5)
    two = MassFunction(FRAME, [1, 2, 4], [[0.4, 0.3, 0.3], [0.1, 0, 0.9]])
    np.testing.assert_allclose(two.prune(0.3).masses, [[4 / 7, 3 / 7], [0.1, 0.9]])


def test_a_result_that_fits_no_memory_is_refused_with_its_size():
    frame = Frame(range(4))
    one = MassFunction(frame, [1, 3, 15], np.full((40_000, 1, 3), 1 / 3))
    two = MassFunction(frame, [2, 6, 15], np.full((1, 40_000, 3), 1 / 3))
    with pytest.raises(CostLimitError, match=r"sets in 1,600,000,000 rows takes \d+ GiB, .* parts"):
        one @ two
