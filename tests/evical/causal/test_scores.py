"""Scores against exact numbers, and their fast routes against each other."""

import importlib
import math
from itertools import permutations

import numpy as np
import pytest

from evical.causal._scores import (
    BDeuScore,
    DiscreteBICScore,
    GaussianBICScore,
    States,
    count_bits,
    count_rows,
)
from tests.naive import causal as naive
from tests.support.each import each

counting = importlib.import_module("evical.causal._scores")
scores = importlib.import_module("evical.causal._scores")


def drawn(seed, n, sizes):
    rng = np.random.default_rng(seed)
    codes = np.array([rng.integers(0, size, n) for size in sizes])
    codes[-1] = np.where(rng.random(n) < 0.7, codes[0] % sizes[-1], codes[-1])
    return codes


SIZES = (2, 3, 2, 3)
FAMILIES = [(0, ()), (1, (0,)), (3, (0, 1)), (3, (0, 1, 2)), (0, (3, 2, 1))]


@each(("y", "given"), FAMILIES)
@each("sample_size", [1, 10])
def test_bdeu_is_the_exact_marginal_likelihood(y, given, sample_size):
    codes = drawn(0, 23, SIZES)
    exact = naive.bdeu(codes.T.tolist(), SIZES, y, given, sample_size)
    expected = math.log(exact.numerator) - math.log(exact.denominator)
    found = BDeuScore(codes, SIZES, sample_size).local(y, given)
    assert found == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("y", "given"), FAMILIES)
def test_bic_is_the_exact_likelihood_less_its_penalty(y, given):
    codes = drawn(1, 23, SIZES)
    exact = naive.likelihood(codes.T.tolist(), y, given)
    free = (SIZES[y] - 1) * math.prod(SIZES[x] for x in given)
    expected = math.log(exact.numerator) - math.log(exact.denominator) - math.log(23) / 2 * free
    assert DiscreteBICScore(codes, SIZES).local(y, given) == pytest.approx(expected, rel=1e-12)
    more = DiscreteBICScore(codes, SIZES, penalty=2).local(y, given)
    assert more == pytest.approx(expected - math.log(23) / 2 * free, rel=1e-12)


@pytest.mark.parametrize(("y", "given"), FAMILIES)
def test_gaussian_bic_is_that_of_the_exact_regression(y, given):
    rows = np.random.default_rng(2).integers(-9, 9, (15, 4)).tolist()
    left = naive.residual_variance(rows, y, given)
    alone = naive.residual_variance(rows, y, ())
    # Columns are standardized, which moves the score of each node by a constant.
    expected = -15 / 2 * math.log(left / alone) - math.log(15) / 2 * len(given)
    found = GaussianBICScore(np.array(rows, dtype=float)).local(y, given)
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-12)


def all_scores():
    codes = drawn(3, 150, SIZES)
    values = np.random.default_rng(3).normal(size=(60, 4)) @ np.triu(np.ones((4, 4)))
    return [BDeuScore(codes, SIZES, 2.5), DiscreteBICScore(codes, SIZES), GaussianBICScore(values)]


@each("score", all_scores(), ids=lambda score: type(score).__name__)
@each(("y", "given"), [(0, ()), (1, (0,)), (3, (0, 1)), (2, (3, 0))])
def test_gains_are_differences_of_local_scores(score, y, given):
    gains = score.gains(y, given)
    for x in range(4):
        if x == y or x in given:
            assert gains[x] == -np.inf
        else:
            expected = score.local(y, (*given, x)) - score.local(y, given)
            assert gains[x] == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("score", all_scores(), ids=lambda score: type(score).__name__)
def test_equivalent_networks_have_one_score(score):
    """Chickering 1995: BDeu and BIC are score equivalent; a complete graph has any order."""
    totals = []
    for order in permutations(range(4)):
        totals.append(sum(score.local(y, order[:i]) for i, y in enumerate(order)))
    np.testing.assert_allclose(totals, totals[0], rtol=1e-11)


def test_the_prior_of_bdeu_is_spread_over_states_and_not_over_rows():
    """A peer divides by the number of rows in place of that of the states of the variable."""
    codes = np.array([[0, 1, 0, 0, 1, 0]])
    right, wrong = (
        math.lgamma(1)
        - math.lgamma(1 + 6)
        + sum(math.lgamma(a + n) - math.lgamma(a) for n in (4, 2))
        for a in (1 / 2, 1 / 6)
    )
    found = BDeuScore(codes, [2], 1.0).local(0, ())
    assert found == pytest.approx(right, rel=1e-12)
    assert abs(found - wrong) > 1


def test_means_do_not_matter_to_gaussian_bic():
    """A peer regresses without an intercept: then independent columns far from 0 seem to depend."""
    values = np.random.default_rng(4).normal(size=(100, 2))
    near, far = GaussianBICScore(values), GaussianBICScore(values + np.array([50, -20]))
    assert far.gains(1, ())[0] == pytest.approx(near.gains(1, ())[0], abs=1e-8)
    assert far.gains(1, ())[0] < 0
    moved = values + np.array([50, -20])
    raw = -50 * np.log(1 - (moved[:, 0] @ moved[:, 1]) ** 2 / np.prod((moved**2).sum(axis=0)))
    assert raw - np.log(100) / 2 > 100


def test_counts_by_bits_by_rows_and_one_by_one_agree():
    codes = drawn(5, 130, (2, 3, 4))
    states = States.of(codes, (2, 3, 4))
    cell = np.random.default_rng(5).integers(0, 7, 130)
    expected = [
        [int(np.sum((codes[x] == state) & (cell == c))) for c in range(7)]
        for x, size in enumerate((2, 3, 4))
        for state in range(size)
    ]
    assert count_bits(states, cell, 7).tolist() == expected
    assert count_rows(states, cell, 7).tolist() == expected


@pytest.mark.parametrize("given", [(), (1,), (0, 1, 3), (0, 1, 3, 4)])
def test_numba_and_numpy_agree(monkeypatch, given):
    """Both texts of each kernel; without numba, the compiled one runs as Python."""
    codes = drawn(6, 70, (2, 3, 2, 3, 3))
    found = []
    for fast in (True, False):
        monkeypatch.setattr(counting, "HAVE_NUMBA", fast)
        monkeypatch.setattr(scores, "HAVE_NUMBA", fast)
        found.append(BDeuScore(codes, (2, 3, 2, 3, 3)).gains(2, given))
    np.testing.assert_allclose(found[0], found[1], rtol=1e-12)


def test_a_state_that_never_occurs_counts():
    """Its cells are part of the prior and of the penalty."""
    codes = drawn(7, 30, (2, 2))
    assert BDeuScore(codes, (2, 3)).local(1, ()) != BDeuScore(codes, (2, 2)).local(1, ())
    more, less = (DiscreteBICScore(codes, (2, size)).local(1, ()) for size in (3, 2))
    assert less - more == pytest.approx(math.log(30) / 2)


def test_tables_of_old_families_make_room():
    codes = drawn(8, 12, (2, 2))
    score = BDeuScore(codes, (2, 2))
    expected = score.local(0, (1,))
    for n in range(100):
        score._looked_up(float(n + 3), 2)
    assert len(score._tables) <= 64
    assert score.local(0, (1,)) == expected


def test_a_column_that_others_determine_is_refused():
    values = np.random.default_rng(9).normal(size=(30, 3))
    values[:, 2] = values[:, 0] - 2 * values[:, 1]
    score = GaussianBICScore(values, names=["a", "b", "sum"])
    with pytest.raises(
        ValueError, match=r"column 'sum' is a linear function of 'a', 'b' in these 30"
    ):
        score.local(2, (0, 1))
    with pytest.raises(ValueError, match="column 'sum' is a linear function of 'a', 'b'"):
        score.gains(2, (0,))
    # Given both of the others, the sum tells nothing new about a fourth column.
    more = np.column_stack([values, np.random.default_rng(1).normal(size=30)])
    assert GaussianBICScore(more).gains(3, (0, 1))[2] == -np.inf


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda c: BDeuScore(c, [2, 2], 0), "sample_size is 0, expected a finite number above 0"),
        (
            lambda c: DiscreteBICScore(c, [2, 2], -1),
            "penalty is -1, expected a finite number above",
        ),
    ],
)
def test_options_out_of_range(make, message):
    with pytest.raises(ValueError, match=message):
        make(drawn(0, 10, (2, 2)))
