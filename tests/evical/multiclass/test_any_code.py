"""Evidential reduction for any code: tables and products against Dempster's rule, exactly."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dstheory import Frame
from dstheory.errors import TotalConflictError
from dstheory.transform import betp, plausibility_transform
from evical.multiclass import code_beliefs, code_matrix
from evical.multiclass.coded import (
    code_betp,
    code_contour,
    code_interval,
    code_mass,
    code_without_conflict,
)
from evical.multiclass.reduction import MAX_CLASSES
from tests.evical.multiclass.one_vs_rest import one_vs_rest_interval, one_vs_rest_mass
from tests.naive import code as naive_code
from tests.naive import mass as naive

# Random samples may point the wrong way.
pytestmark = pytest.mark.filterwarnings("ignore::evical.errors.WrongWayWarning")

LABELS = "abcdefghij"


@st.composite
def problems(draw, max_classes=4, max_columns=4):
    """A random code and the masses of its columns, as Fractions, zeros among them."""
    n_classes = draw(st.integers(2, max_classes))
    signs = st.lists(st.sampled_from([-1, 0, 1]), min_size=n_classes, max_size=n_classes)
    code = draw(st.lists(signs.filter({1, -1}.issubset), min_size=1, max_size=max_columns))
    columns = []
    for _ in code:
        weights = draw(st.lists(st.integers(0, 3), min_size=3, max_size=3).filter(any))
        columns.append([Fraction(weight, sum(weights)) for weight in weights])
    return np.array(columns, dtype=object).T, np.array(code).T


def random_columns(n_columns, *batch, seed=0):
    rng = np.random.default_rng(seed)
    return np.moveaxis(rng.dirichlet([0.7, 0.7, 0.7], (n_columns, *batch)), -1, 0)


def as_sets(m):
    return naive.collect((frozenset(event), mass) for event, mass in m.to_dict().items())


@given(problems())
@settings(max_examples=150)
def test_all_beliefs_are_dempsters_rule(problem):
    columns, code = problem
    size = len(code)
    expected = naive_code.combined(columns.T, code.tolist())
    if expected is None:
        for function in (code_interval, code_betp, code_contour, code_without_conflict):
            with pytest.raises(TotalConflictError, match=r"\(kappa = 1\): the calibrators"):
                function(columns, code)
        assert code_without_conflict(columns, code, "vacuous").tolist() == [
            [0] * len(columns.T),
            [0] * len(columns.T),
            [1] * len(columns.T),
        ]
        return
    assert code_without_conflict(columns, code) is columns
    assert as_sets(code_mass(columns, Frame(range(size)), code)) == expected
    bounds = code_interval(columns, code)
    assert bounds[:, 0].tolist() == [naive.bel(expected, frozenset([k])) for k in range(size)]
    contour = naive_code.contour(expected, size)
    assert bounds[:, 1].tolist() == contour
    assert code_contour(columns, code).tolist() == [value / max(contour) for value in contour]
    assert dict(enumerate(code_betp(columns, code))) == naive.betp(expected, range(size))


@given(problems(max_classes=5, max_columns=5))
def test_floats_equal_fractions(problem):
    columns, code = problem
    numbers = columns.astype(float)
    try:
        expected = code_interval(columns, code)
    except TotalConflictError:
        with pytest.raises(TotalConflictError):
            code_interval(numbers, code)
        return
    frame = Frame(range(len(code)))
    np.testing.assert_allclose(code_interval(numbers, code), expected.astype(float), atol=1e-14)
    exact = code_betp(columns, code).astype(float)
    np.testing.assert_allclose(code_betp(numbers, code), exact, atol=1e-14)
    exact = code_contour(columns, code).astype(float)
    np.testing.assert_allclose(code_contour(numbers, code), exact, atol=1e-14)
    m, exact_m = code_mass(numbers, frame, code).prune(), code_mass(columns, frame, code).prune()
    assert m.focal.tolist() == exact_m.focal.tolist()
    np.testing.assert_allclose(m.masses, exact_m.masses.astype(float), atol=1e-14)


@pytest.mark.parametrize("n_classes", [3, 6])
def test_one_vs_rest_keeps_its_closed_forms(n_classes):
    """The general road agrees."""
    columns, code = random_columns(n_classes, 7), code_matrix("one_vs_rest", n_classes)
    frame = Frame(list(LABELS[:n_classes]))
    fast = code_beliefs(columns, list(frame.labels), code)
    assert fast.mass() == one_vs_rest_mass(columns, frame)
    assert code_mass(columns, frame, code).equals(fast.mass(), atol=1e-14)
    np.testing.assert_array_equal(fast.interval(), one_vs_rest_interval(columns))
    np.testing.assert_allclose(code_interval(columns, code), fast.interval(), rtol=1e-12)
    np.testing.assert_allclose(code_betp(columns, code), fast.betp(), rtol=1e-12)


@pytest.mark.parametrize("kind", ["one_vs_rest", "all_pairs", "sparse", "complete"])
def test_batches_are_rows(kind):
    code = code_matrix(kind, 4, random_state=0)
    columns = random_columns(code.shape[1], 2, 3)
    frame = Frame(list("abcd"))
    m, bounds = code_mass(columns, frame, code), code_interval(columns, code)
    assert m.batch_shape == (2, 3)
    assert bounds.shape == (2, 3, 4, 2)
    for i, j in np.ndindex(2, 3):
        one = columns[..., i, j]
        assert m[i, j].equals(code_mass(one, frame, code), 1e-15)
        np.testing.assert_allclose(bounds[i, j], code_interval(one, code), rtol=1e-13)
        np.testing.assert_allclose(code_betp(columns, code)[i, j], code_betp(one, code), rtol=1e-13)
        np.testing.assert_allclose(
            code_contour(columns, code)[i, j], code_contour(one, code), rtol=1e-13
        )


def test_more_rows_than_a_block_and_a_chunk():
    code = code_matrix("all_pairs", 10)
    columns = random_columns(45, 300)
    bounds = code_interval(columns, code)
    np.testing.assert_allclose(bounds[299], code_interval(columns[..., 299], code), rtol=1e-12)
    many = np.tile(columns, 60)  # 18,000 rows
    np.testing.assert_allclose(
        code_contour(many, code)[-300:], code_contour(columns, code), rtol=1e-12
    )


def test_relative_plausibilities_are_the_contour():
    code = code_matrix("sparse", 6, random_state=0)
    columns = random_columns(code.shape[1], 5)
    m = code_mass(columns, Frame(range(6)), code)
    contour = code_contour(columns, code)
    assert (contour.max(axis=1) == 1).all()
    np.testing.assert_allclose(
        contour / contour.sum(axis=1, keepdims=True), plausibility_transform(m), rtol=1e-11
    )


def test_bayesian_pairs_give_the_product_rule():
    """p_i is proportional to the product of r_ij over j, for any number of classes."""
    rng = np.random.default_rng(0)
    for n_classes in (4, 30):
        code = code_matrix("all_pairs", n_classes)
        r = rng.uniform(0.01, 0.99, code.shape[1])
        columns = np.stack([1 - r, r, np.zeros_like(r)])
        wins = np.where(code == 1, r, np.where(code == -1, 1 - r, 1)).prod(axis=1)
        p = wins / wins.sum()
        m = code_mass(columns, Frame(range(n_classes)), code)
        assert m.is_bayesian
        np.testing.assert_allclose(m.contour(), p, rtol=1e-11)
        np.testing.assert_allclose(code_betp(columns, code), p, rtol=1e-11)
        np.testing.assert_allclose(code_interval(columns, code), np.stack([p, p], 1), rtol=1e-11)


def test_a_row_of_another_kind_changes_no_other_row():
    """Probabilities, no evidence and evidence, side by side, for many classes and for few."""
    code = code_matrix("all_pairs", 30)
    r = np.random.default_rng(0).uniform(0.01, 0.99, (code.shape[1], 2))
    columns = np.stack([1 - r, r, np.zeros_like(r)])
    silent = np.zeros((3, code.shape[1], 1))
    silent[2] = 1
    both = np.concatenate([columns, silent], axis=2)
    np.testing.assert_array_equal(code_betp(both, code)[:2], code_betp(columns, code))
    np.testing.assert_allclose(code_betp(both, code)[2], 1 / 30)
    bounds = code_interval(both, code)
    np.testing.assert_array_equal(bounds[:2], code_interval(columns, code))
    assert bounds[2].tolist() == [[0, 1]] * 30
    m = code_mass(both, Frame(range(30)), code)
    assert m.is_vacuous.tolist() == [False, False, True]
    np.testing.assert_allclose(m.contour()[:2], bounds[:2, :, 1], rtol=1e-12)
    code = code_matrix("all_pairs", 4)
    mixed = random_columns(6, 4)
    mixed[:, :, ::2] = np.array([0.25, 0.75, 0.0])[:, np.newaxis, np.newaxis]
    m = code_mass(mixed, Frame(range(4)), code)
    np.testing.assert_allclose(code_betp(mixed, code), betp(m), rtol=1e-12)
    np.testing.assert_allclose(code_interval(mixed, code)[..., 1], m.contour(), rtol=1e-12)


def test_bayesian_columns_that_do_not_separate_leave_sets():
    columns = np.array([[0.25], [0.75], [0.0]])
    m = code_mass(columns, Frame(list("abc")), [[1], [-1], [0]])
    assert as_sets(m) == {frozenset("ac"): 0.75, frozenset("bc"): 0.25}


@pytest.mark.parametrize("small", [1e-12, 1e-100, 1e-250])
def test_nothing_is_lost_to_underflow(small):
    """Each of 45 columns all but excludes its classes, so that products leave the floats."""
    code = code_matrix("all_pairs", 6)
    rng = np.random.default_rng(0)
    weight = rng.integers(1, 5, (3, code.shape[1]))
    exact = np.vectorize(Fraction, otypes=[object])(weight.astype(float))
    tiny = Fraction(small)
    # In a circle: 0 beats 1, 1 beats 2, ..., but for a little, so that no class wins.
    exact[0], exact[2] = exact[0] * tiny, exact[2] * tiny
    circle = ((code == 1).argmax(axis=0) + (code == -1).argmax(axis=0)) % 2 == 0
    exact[:, circle] = exact[[1, 0, 2]][:, circle]
    exact[0, circle] = 1 - exact[1, circle] - exact[2, circle]
    exact[1, circle] = exact[1, circle] * tiny
    exact = exact / exact.sum(axis=0)
    columns = exact.astype(float)
    rounded = np.vectorize(Fraction, otypes=[object])(columns)
    np.testing.assert_allclose(
        code_interval(columns, code), code_interval(rounded, code).astype(float), rtol=1e-10
    )
    np.testing.assert_allclose(
        code_contour(columns, code), code_contour(rounded, code).astype(float), rtol=1e-10
    )


def test_hundreds_of_columns():
    code = code_matrix("complete", 6)
    columns = random_columns(code.shape[1], 3)
    exact = np.vectorize(Fraction, otypes=[object])(columns)
    np.testing.assert_allclose(
        code_contour(columns, code), code_contour(exact, code).astype(float), rtol=1e-11
    )


def test_rows_of_all_scales_side_by_side():
    """Rows that go through logarithms, and others, keep their places."""
    code = code_matrix("sparse", 5, random_state=0)
    columns = random_columns(code.shape[1], 6)
    tiny = columns.copy()
    tiny[:, :, ::2] = np.array([1e-120, 1.0, 1e-120])[:, np.newaxis, np.newaxis]
    bounds = code_interval(tiny, code)
    np.testing.assert_allclose(bounds[1::2], code_interval(columns, code)[1::2], rtol=1e-12)
    exact = np.vectorize(Fraction, otypes=[object])(tiny[..., 0])
    np.testing.assert_allclose(bounds[0], code_interval(exact, code).astype(float), rtol=1e-10)


def test_total_conflict_names_its_rows():
    code = code_matrix("all_pairs", 3)
    circle = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
    columns = np.stack([random_columns(3), circle, random_columns(3), circle], axis=-1)
    message = r"in 2 of 4 rows \(first: row 1\)"
    for function in (code_contour, code_interval, code_betp, code_without_conflict):
        with pytest.raises(TotalConflictError, match=message):
            function(columns, code)
    with pytest.raises(TotalConflictError, match=message):
        code_mass(columns, Frame(list("abc")), code)
    m = code_mass(code_without_conflict(columns, code, "vacuous"), Frame(list("abc")), code)
    assert m.is_vacuous.tolist() == [False, True, False, True]


def test_few_columns_of_many_classes():
    """Forty and seventy classes: sets that five columns can leave, and no table."""
    rng = np.random.default_rng(0)
    for n_classes in (40, 70):
        code = rng.permuted(np.tile([1, -1, 0, 0, 1], (5, n_classes // 5)), axis=1).T
        columns = random_columns(5, 3)
        m = code_mass(columns, Frame(range(n_classes)), code)
        assert len(m.focal) < 3**5
        exact = np.vectorize(Fraction, otypes=[object])(columns[..., 0])
        exact[2] = 1 - exact[0] - exact[1]
        expected = naive_code.combined(exact.T, code.tolist())
        found = as_sets(m[0])
        assert found.keys() == expected.keys()
        assert max(abs(found[event] - expected[event]) for event in found) < 1e-14
        np.testing.assert_allclose(code_interval(columns, code)[..., 1], m.contour(), rtol=1e-12)
        assert code_betp(columns, code).sum(axis=1) == pytest.approx(1)


def test_integers_and_no_samples():
    code = code_matrix("all_pairs", 3)
    vacuous = np.array([[0] * 3, [0] * 3, [1] * 3])
    assert code_betp(vacuous, code).tolist() == [pytest.approx(1 / 3)] * 3
    assert code_mass(vacuous, Frame(list("abc")), code).is_vacuous
    nobody = np.empty((3, 3, 0))
    assert code_contour(nobody, code).shape == (0, 3)
    assert code_interval(nobody, code).shape == (0, 3, 2)
    assert code_mass(nobody, Frame(list("abc")), code).batch_shape == (0,)


def test_too_many_sets_are_refused_with_the_way_out():
    size = MAX_CLASSES + 1
    code = code_matrix("all_pairs", size)
    columns = random_columns(code.shape[1], 2)
    for function in (code_interval, code_betp):
        with pytest.raises(ValueError, match=r"17 classes have more than 2\^16 sets.*code_contour"):
            function(columns, code)
    with pytest.raises(ValueError, match="17 classes have more"):
        code_mass(columns, Frame(range(size)), code)
    assert code_contour(columns, code).shape == (2, size)


@pytest.mark.parametrize(
    ("shape", "code", "message"),
    [
        ((3, 2), [[1], [-1]], r"columns have shape \(3, 2\), expected \(3, 1, ...\)"),
        ((2, 1), [[1], [-1]], r"columns have shape \(2, 1\), expected \(3, 1, ...\)"),
        ((3, 1), [[2], [-1]], "expected 1, -1 or 0 for each class"),
        ((3, 1), [1, -1], r"code is of shape \(2,\)"),
    ],
)
def test_wrong_shapes_are_refused(shape, code, message):
    for function in (code_contour, code_interval, code_betp, code_without_conflict):
        with pytest.raises(ValueError, match=message):
            function(np.ones(shape) / 3, code)


def test_the_frame_has_the_classes_of_the_code():
    with pytest.raises(ValueError, match=r"code has 2 rows, but .* has 3 classes"):
        code_mass(random_columns(1), Frame(list("abc")), [[1], [-1]])


def test_beliefs_of_a_code_answer_as_its_functions():
    code = code_matrix("all_pairs", 4)
    columns = random_columns(code.shape[1], 5)
    beliefs = code_beliefs(columns, list("abcd"), code)
    assert beliefs.mass().equals(code_mass(columns, Frame(list("abcd")), code))
    np.testing.assert_array_equal(beliefs.betp(), code_betp(columns, code))
    np.testing.assert_array_equal(beliefs.interval(), code_interval(columns, code))
    np.testing.assert_array_equal(beliefs.contour(), code_contour(columns, code))
