"""One-vs-rest evidential reduction: closed forms against Dempster's rule, exactly."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dstheory import Frame, MassFunction
from dstheory.combine import dempster
from dstheory.errors import TotalConflictError
from dstheory.transform import betp
from evical.multiclass.reduction import (
    MAX_CLASSES,
    column_evidence,
    without_total_conflict,
)
from tests.evical.multiclass.one_vs_rest import (
    one_vs_rest_betp,
    one_vs_rest_interval,
    one_vs_rest_mass,
)
from tests.naive import mass as naive
from tests.support.each import each

LABELS = "abcdefghijklmnopqrstuvwxyz"


@st.composite
def exact_columns(draw, min_classes=3, max_classes=4):
    """Masses (3, K) as Fractions, zeros among them."""
    columns = []
    for _ in range(draw(st.integers(min_classes, max_classes))):
        weights = draw(st.lists(st.integers(0, 3), min_size=3, max_size=3).filter(any))
        columns.append([Fraction(weight, sum(weights)) for weight in weights])
    return np.array(columns, dtype=object).T


def naive_sources(columns):
    """The columns as evidence on the frame, as the definition says it."""
    frame = frozenset(range(columns.shape[1]))
    return [
        naive.collect([(frame - {k}, n), (frozenset([k]), p), (frame, w)])
        for k, (n, p, w) in enumerate(columns.T)
    ]


def combined(columns):
    """Their combination, or None in total conflict."""
    joint = naive.conjunctive(*naive_sources(columns))
    return naive.normalize(joint) if any(joint.keys()) else None


def rational_rule(n_classes):
    """Quadrature on [0, 1] with rational nodes, exact for polynomials of degree K - 1."""
    nodes = [Fraction(i, max(n_classes - 1, 1)) for i in range(n_classes)]
    powers = [[node**degree for node in nodes] for degree in range(n_classes)]
    weights = solve(powers, [Fraction(1, degree + 1) for degree in range(n_classes)])
    return nodes, weights


def solve(matrix, right):
    """Gauss-Jordan elimination on Fractions."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for i in range(len(rows)):
        pivot = next(j for j in range(i, len(rows)) if rows[j][i])
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [value / rows[i][i] for value in rows[i]]
        for j in range(len(rows)):
            if j != i:
                rows[j] = [a - rows[j][i] * b for a, b in zip(rows[j], rows[i], strict=True)]
    return [row[-1] for row in rows]


def random_columns(n_classes, n_rows=6, seed=0):
    rng = np.random.default_rng(seed)
    return np.moveaxis(rng.dirichlet([0.7, 0.7, 0.7], (n_classes, n_rows)), -1, 0)


def as_fractions(columns):
    """The same numbers, exact, and each column summing to exactly 1."""
    negative, both = (np.vectorize(Fraction, otypes=[object])(columns[i]) for i in (0, 2))
    return np.stack([negative, 1 - negative - both, both])


@given(exact_columns(min_classes=2))
def test_closed_forms_are_dempsters_rule(columns):
    expected = combined(columns)
    if expected is None:
        with pytest.raises(TotalConflictError):
            without_total_conflict(columns)
        return
    assert without_total_conflict(columns) is columns
    size = columns.shape[1]
    m = one_vs_rest_mass(columns, Frame(range(size)))
    assert naive.collect((frozenset(k), v) for k, v in m.to_dict().items()) == expected
    bounds = one_vs_rest_interval(columns)
    singles = [frozenset([k]) for k in range(size)]
    assert bounds[:, 0].tolist() == [naive.bel(expected, single) for single in singles]
    assert bounds[:, 1].tolist() == [naive.pl(expected, single) for single in singles]
    shares = one_vs_rest_betp(columns, rational_rule(size))
    assert dict(enumerate(shares)) == naive.betp(expected, range(size))


@given(exact_columns())
def test_vacuous_where_in_total_conflict(columns):
    settled = without_total_conflict(columns, "vacuous")
    if combined(columns) is None:
        assert one_vs_rest_mass(settled, Frame(range(columns.shape[1]))).is_vacuous
    else:
        assert settled is columns


@given(exact_columns(1, 1), st.lists(st.sampled_from([-1, 0, 1]), min_size=3, max_size=5))
def test_column_evidence_is_its_definition(masses, code):
    n, p, w = masses[:, 0]
    sides = MassFunction(Frame([0, 1]), [1, 2, 3], [n, p, w])
    frame = Frame(range(len(code)))
    if not {1, -1} <= set(code):
        with pytest.raises(ValueError, match="each side needs a class"):
            column_evidence(sides, frame, code)
        return
    seen = {sign: frozenset(k for k, c in enumerate(code) if c == sign) for sign in (1, 0, -1)}
    expected = naive.collect(
        [(seen[1] | seen[0], p), (seen[-1] | seen[0], n), (frozenset(range(len(code))), w)]
    )
    m = column_evidence(sides, frame, code)
    assert naive.collect((frozenset(k), v) for k, v in m.to_dict().items()) == expected


def test_column_evidence_keeps_the_empty_set():
    sides = MassFunction(Frame([0, 1]), [0, 2], [0.25, 0.75])
    assert column_evidence(sides, Frame("abc"[i] for i in range(3)), [-1, 1, 0]).focal.tolist() == [
        0,
        6,
    ]


@pytest.mark.parametrize("n_classes", [3, 4, 6])
def test_floats_equal_the_fold_over_columns(n_classes):
    columns = random_columns(n_classes)
    frame = Frame(list(LABELS[:n_classes]))
    sides = Frame([0, 1])
    sources = [
        column_evidence(
            MassFunction.from_store(sides, np.array([1, 2, 3]), columns[:, k].copy()), frame, code
        )
        for k, code in enumerate(2 * np.eye(n_classes, dtype=int) - 1)
    ]
    m = dempster(*sources)
    assert one_vs_rest_mass(columns, frame).equals(m, atol=1e-14)
    np.testing.assert_allclose(one_vs_rest_betp(columns), betp(m), rtol=1e-13)
    bounds = one_vs_rest_interval(columns)
    np.testing.assert_allclose(bounds[..., 1], m.contour(), rtol=1e-13)
    belief = np.stack([m.bel(label) for label in frame], axis=-1)
    np.testing.assert_allclose(bounds[..., 0], belief, rtol=1e-12)


@pytest.mark.parametrize("n_classes", [3, 10, 25])
def test_gauss_nodes_integrate_exactly(n_classes):
    columns = random_columns(n_classes, n_rows=2)
    exact = one_vs_rest_betp(as_fractions(columns), rational_rule(n_classes))
    np.testing.assert_allclose(one_vs_rest_betp(columns), exact.astype(float), rtol=1e-13)


def confident(n_classes, rest):
    """Columns each of which says "this class", all but for `rest`."""
    columns = np.empty((3, n_classes))
    columns[0], columns[2] = rest, rest * np.linspace(0.5, 1, n_classes)
    columns[1] = 1 - columns[0] - columns[2]
    return columns


def test_a_hundred_confident_classes_do_not_underflow():
    """The product of all 1 - p_j is 1e-1000 here; the answer is of order 1."""
    columns = confident(100, 2.0**-35)
    exact = one_vs_rest_interval(as_fractions(columns)).astype(float)
    bounds = one_vs_rest_interval(columns)
    np.testing.assert_allclose(bounds[:, 1], exact[:, 1], rtol=1e-12)
    np.testing.assert_allclose(bounds[:, 0], exact[:, 0], rtol=1e-12)
    shares = one_vs_rest_betp(columns)
    assert shares.sum() == pytest.approx(1, abs=1e-12)
    assert (bounds[:, 0] - 1e-15 <= shares).all()
    assert (shares <= bounds[:, 1] + 1e-15).all()


def test_a_hundred_denials_do_not_cancel():
    """Every column says "another class", all but for 1e-200 and class 7 for twice that."""
    columns = np.zeros((3, 100))
    columns[0], columns[2] = 1, 1e-200
    columns[2, 7] = 2e-200
    bounds = one_vs_rest_interval(columns)
    np.testing.assert_allclose(bounds[7], [2 / 101, 2 / 101], rtol=1e-12)
    np.testing.assert_allclose(one_vs_rest_betp(columns)[7], 2 / 101, rtol=1e-12)


def test_one_certain_column_decides():
    columns = random_columns(4)
    columns[:, 2] = np.array([0.0, 1.0, 0.0])[:, np.newaxis]
    columns[:, 1] = np.array([0.0, 0.25, 0.75])[:, np.newaxis]
    assert one_vs_rest_mass(columns, Frame(list("abcd"))).mass("c").tolist() == [1] * 6
    assert one_vs_rest_betp(columns).tolist() == [[0, 0, 1, 0]] * 6
    assert one_vs_rest_interval(columns)[:, 2].tolist() == [[1, 1]] * 6


@each("certain", list(product([0, 1], repeat=3)))
def test_categorical_columns(certain):
    """Of categorical columns exactly one may say yes."""
    columns = np.zeros((3, 3, 2))
    for k, yes in enumerate(certain):
        columns[yes, k, 1] = 1
        columns[2, k, 0] = 1
    if sum(certain) == 1:
        m = one_vs_rest_mass(without_total_conflict(columns), Frame([0, 1, 2]))
        assert m[1].mass(certain.index(1)) == 1
        return
    with pytest.raises(TotalConflictError, match=r"in 1 of 2 rows \(first: row 1\)"):
        without_total_conflict(columns)
    settled = without_total_conflict(columns, "vacuous")
    assert one_vs_rest_mass(settled, Frame([0, 1, 2])).is_vacuous.tolist() == [True, True]
    np.testing.assert_allclose(one_vs_rest_betp(settled), 1 / 3)
    assert one_vs_rest_interval(settled)[1].tolist() == [[0, 1]] * 3


def test_bayesian_columns_are_normalized_odds():
    """Without mass on "either", class k gets p_k / (1 - p_k) up to normalization."""
    rng = np.random.default_rng(0)
    positive = rng.uniform(0.01, 0.99, (5, 8))
    columns = np.stack([1 - positive, positive, np.zeros_like(positive)])
    odds = positive / (1 - positive)
    np.testing.assert_allclose(one_vs_rest_betp(columns), (odds / odds.sum(axis=0)).T, rtol=1e-12)
    bounds = one_vs_rest_interval(columns)
    np.testing.assert_allclose(bounds[..., 0], bounds[..., 1], rtol=1e-12)


def test_rows_do_not_depend_on_each_other():
    columns = random_columns(5)
    for row in range(6):
        one = columns[..., row]
        frame = Frame(range(5))
        # A sum over one row may run in another order than over many.
        np.testing.assert_allclose(
            one_vs_rest_betp(columns)[row], one_vs_rest_betp(one), rtol=1e-14
        )
        np.testing.assert_allclose(
            one_vs_rest_interval(columns)[row], one_vs_rest_interval(one), rtol=1e-14
        )
        assert one_vs_rest_mass(columns, frame)[row].equals(one_vs_rest_mass(one, frame), 1e-15)


def test_too_many_classes_are_refused_with_the_way_out():
    frame = Frame(range(MAX_CLASSES + 1))
    with pytest.raises(ValueError, match=r"17 classes have 2\^17 sets.*predict_proba"):
        one_vs_rest_mass(random_columns(MAX_CLASSES + 1, 1), frame)


@pytest.mark.parametrize(
    ("frame", "column", "message"),
    [
        (Frame([0, 1, 2]), [1, -1, 0], "sides of a column are two labels"),
        (Frame([0, 1]), [1, -1], "expected 1, -1 or 0 for 3 classes"),
        (Frame([0, 1]), [1, -1, 2], "expected 1, -1 or 0 for 3 classes"),
        (Frame([0, 1]), [1, 1, 0], "each side needs a class"),
    ],
)
def test_column_evidence_refuses(frame, column, message):
    m = MassFunction(frame, [frame.full], [1.0])
    with pytest.raises(ValueError, match=message):
        column_evidence(m, Frame(list("abc")), column)
