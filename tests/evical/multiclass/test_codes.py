"""Code matrices: their definitions, Gebel's table of sizes, and refusals."""

from functools import cache
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evical.multiclass import code_matrix, sparse_code_probability
from evical.multiclass.codes import _least_distances, check_code_matrix
from tests.naive import coupling as naive_coupling
from tests.support.each import each

# Gebel (2009), table 5.5: classes, columns of sparse and complete codes.
TABLE = [(5, 35, 90), (6, 39, 301), (7, 42, 966), (8, 45, 3025), (9, 48, 9330), (10, 50, 28501)]
LARGE = [(11, 52), (12, 54), (13, 56), (14, 57), (15, 59), (16, 60), (17, 61), (20, 65)]

KINDS = ("one_vs_rest", "all_pairs", "sparse", "complete")


@cache
def found(kind, n_classes):
    """Searches take long."""
    return code_matrix(kind, n_classes, random_state=0)


def test_one_vs_rest():
    np.testing.assert_array_equal(
        code_matrix("one_vs_rest", 4),
        [[1, -1, -1, -1], [-1, 1, -1, -1], [-1, -1, 1, -1], [-1, -1, -1, 1]],
    )


def test_all_pairs_as_printed():
    """Gebel's table 5.3."""
    np.testing.assert_array_equal(
        code_matrix("all_pairs", 4),
        [[1, 1, 1, 0, 0, 0], [-1, 0, 0, 1, 1, 0], [0, -1, 0, -1, 0, 1], [0, 0, -1, 0, -1, -1]],
    )


@pytest.mark.parametrize("n_classes", [2, 3, 4, 5, 6])
def test_complete_is_all_columns(n_classes):
    columns = {tuple(column) for column in code_matrix("complete", n_classes).T.tolist()}
    expected = naive_coupling.complete(n_classes)
    assert len(columns) == len(expected) == code_matrix("complete", n_classes).shape[1]
    assert columns == {max(c, tuple(-x for x in c)) for c in expected}


@each(("n_classes", "sparse", "complete"), TABLE)
def test_sizes_as_printed(n_classes, sparse, complete):
    assert found("sparse", n_classes).shape == (n_classes, sparse)
    assert found("complete", n_classes).shape == (n_classes, complete)


@each(("n_classes", "sparse"), LARGE)
def test_sparse_sizes_as_printed(n_classes, sparse):
    assert found("sparse", n_classes).shape == (n_classes, sparse)


def test_the_probability_of_a_valid_sparse_code():
    """Gebel's eq. 5.4 and 5.5, and that the latter is a bound: every matrix is listed."""
    for n_classes, n_columns in ((2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (3, 3), (4, 2)):
        exact, bound = naive_coupling.sparse_code_probabilities(n_classes, n_columns)
        found = sparse_code_probability(n_classes, n_columns)
        assert found == pytest.approx(float(bound), rel=1e-12)
        assert exact <= bound, (n_classes, n_columns)
        many = sparse_code_probability(n_classes, n_columns, n_draws=50)
        assert many == pytest.approx(float(1 - (1 - bound) ** 50), rel=1e-9)
    # Figure 5.3: next to nothing below eight classes, nearly certain from nine on.
    tried = [sparse_code_probability(k, n_draws=10_000) for k in range(2, 13)]
    assert tried == sorted(tried)
    assert tried[5] < 0.05 < tried[6] < 0.42 < 0.98 < tried[7]
    assert sparse_code_probability(300) == 1  # without a warning
    for wrong in ((1, 1, 1), (2, 0, 1), (2, 1, 0)):
        with pytest.raises(ValueError, match=r"is [01], expected"):
            sparse_code_probability(*wrong)


@pytest.mark.parametrize("n_classes", [3, 4])
def test_small_sparse_codes_have_all_columns(n_classes):
    """There are fewer than 15 log2 K."""
    code = found("sparse", n_classes)
    np.testing.assert_array_equal(
        np.unique(code, axis=1), np.unique(code_matrix("complete", n_classes), axis=1)
    )


@each("kind", KINDS)
@each("n_classes", range(2, 11))
def test_every_code_is_valid(kind, n_classes):
    code = found(kind, n_classes)
    assert code.dtype == np.int8
    np.testing.assert_array_equal(check_code_matrix(code, n_classes), code)


@pytest.mark.parametrize("kind", KINDS)
def test_two_classes_have_one_problem(kind):
    np.testing.assert_array_equal(code_matrix(kind, 2), [[1], [-1]])


@pytest.mark.parametrize("n_classes", [6, 12])
def test_search_finds_distant_rows(n_classes):
    """The best of 10,000 beats each of twenty others, whose columns are as many."""
    code = found("sparse", n_classes)
    first, second = np.triu_indices(n_classes, 1)
    best = _least_distances(code[np.newaxis])[0]
    rng = np.random.default_rng(1)
    for _ in range(20):
        entries = rng.choice([0, 0, 1, -1], size=(n_classes, code.shape[1]))
        products = entries @ entries.T
        assert best > ((code.shape[1] - products) / 2)[first, second].min()


@pytest.mark.parametrize("n_classes", [7, 15])
def test_half_of_a_sparse_code_is_zero(n_classes):
    """A little less: columns without both signs, which are mostly zeros, are not drawn."""
    zeros = np.mean(
        [
            (found("sparse", n_classes) == 0).mean(),
            (code_matrix("sparse", n_classes, random_state=1) == 0).mean(),
        ]
    )
    assert 0.4 < zeros < 0.56


def test_random_state():
    codes = [found("sparse", 9), code_matrix("sparse", 9, random_state=0)]
    np.testing.assert_array_equal(*codes)
    assert (codes[0] != code_matrix("sparse", 9, random_state=1)).any()
    for state in (np.random.default_rng(0), np.random.RandomState(0), None):
        assert code_matrix("sparse", 9, random_state=state).shape == (9, 48)


def test_number_of_sparse_columns():
    assert code_matrix("sparse", 5, n_columns=90, random_state=0).shape == (5, 90)
    assert code_matrix("sparse", 12, n_columns=20, random_state=0).shape == (12, 20)


@given(st.integers(2, 5), st.integers(1, 6), st.randoms(use_true_random=False))
def test_distances(n_classes, n_columns, random):
    code = [[random.choice((1, -1, 0)) for _ in range(n_columns)] for _ in range(n_classes)]
    rows = combinations(code, 2)
    expected = min(float(naive_coupling.row_distance(u, v)) for u, v in rows)
    assert _least_distances(np.array([code]))[0] == expected


@each(
    ("arguments", "message"),
    [
        (("pairs", 3), "kind is 'pairs', expected one of 'one_vs_rest'"),
        (([[1], [-1]], 2), r"kind is \[\[1\], \[-1\]\]"),
        (("all_pairs", 1), "n_classes is 1, expected at least 2"),
        (("complete", 14), "a complete code of 14 classes has 2,375,101 columns"),
        (("sparse", 5, 91), "n_columns is 91, but a code of 5 classes has from 3 to 90"),
        (("sparse", 5, 2), "n_columns is 2"),
        (("all_pairs", 5, 3), "n_columns is for kind 'sparse'"),
    ],
)
def test_refusals(arguments, message):
    with pytest.raises(ValueError, match=message):
        code_matrix(*arguments)


@pytest.mark.parametrize("n_classes", [2.0, "3", True])
def test_number_of_classes_is_an_integer(n_classes):
    with pytest.raises(TypeError, match=r"n_classes is .*, expected a whole number"):
        code_matrix("all_pairs", n_classes)


@each(
    ("matrix", "message"),
    [
        ([1, -1], r"code has shape \(2,\)"),
        ([[1]], r"code has shape \(1, 1\)"),
        (np.zeros((3, 0)), r"code has shape \(3, 0\)"),
        ([[1, 2], [-1, 1]], r"code\[0, 1\] is 2, expected 1"),
        ([[1, np.nan], [-1, 1]], r"code\[0, 1\] is nan"),
        ([[1, -1], [-1, 0]], "column 1 of the code has no class on its positive side"),
        ([[1, 1, 1], [-1, 0, -1], [0, -1, 0]], "columns 0 and 2 of the code are one binary"),
        ([[0, 0], [-1, 1], [1, -1]], "columns 0 and 1 of the code are one binary problem"),
        ([[1, 1], [-1, 0], [-1, 0], [0, -1]], "rows 1 and 2 of the code are equal"),
        ([[1], [-1], [0]], "row 2 of the code is 0"),
    ],
)
def test_invalid_matrices(matrix, message):
    with pytest.raises(ValueError, match=message):
        check_code_matrix(matrix)


def test_rows_are_classes():
    with pytest.raises(ValueError, match="code has 3 rows, but there are 4 classes"):
        check_code_matrix(code_matrix("all_pairs", 3), 4)


def test_matrix_is_copied():
    matrix = code_matrix("all_pairs", 3)
    check_code_matrix(matrix)[0, 0] = 0
    assert matrix[0, 0] == 1


def test_a_sparse_code_of_a_thousand_classes_is_found_within_seconds():
    code = check_code_matrix(code_matrix("sparse", 1000, random_state=0), 1000)
    assert code.shape == (1000, 149)


@pytest.mark.parametrize(
    ("kind", "n_classes", "message"),
    [
        ("one_vs_rest", 10**400, r"n_classes is 10\^400, at most 10,000"),
        ("complete", 10**4000, r"n_classes is 10\^4000, at most 10,000"),
        ("all_pairs", 5000, "takes 58.2 GiB, more than the limit of 2 GiB; take 'one_vs_rest'"),
    ],
)
def test_codes_that_explode_say_so_before(kind, n_classes, message):
    with pytest.raises(ValueError, match=message):
        code_matrix(kind, n_classes)
