"""Contours of p-values, their sets, and what holds given the calibration sample."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta as beta_law
from scipy.stats import binom, kstest

from evical.conformal import coverage_bound, p_values
from evical.conformal.contour import prediction_sets, to_contour
from tests.naive import conformal as naive

tables = st.integers(1, 5).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 8), min_size=k, max_size=k), min_size=1, max_size=4)
)


@given(tables)
def test_the_greatest_becomes_one(rows):
    table = np.array(rows) / 8
    found = to_contour(table)
    assert found.tolist() == [naive.contour(row) for row in table.tolist()]
    assert (found >= table).all()


@given(tables, st.sampled_from([0.05, 0.125, 0.5, 0.9]))
def test_only_empty_sets_change(rows, alpha):
    table = np.array(rows) / 8
    before, after = prediction_sets(table, alpha), prediction_sets(to_contour(table), alpha)
    full = before.any(axis=1)
    np.testing.assert_array_equal(before[full], after[full])
    np.testing.assert_array_equal(after[~full], (table == table.max(axis=1, keepdims=True))[~full])


def test_bad_p_values():
    for function in (to_contour, lambda p: prediction_sets(p, 0.1)):
        with pytest.raises(ValueError, match=r"p_values\[1, 1\] is 1.5, expected a number"):
            function([[0.5, 1.0], [0.5, 1.5]])
        with pytest.raises(ValueError, match=r"p_values have shape \(1,\), expected \(n, K\)"):
            function([0.5])
    with pytest.raises(ValueError, match="alpha"):
        prediction_sets([[0.5]], 0)


def test_coverage_given_the_calibration_sample_has_its_beta_distribution():
    """Vovk (2012): uniform scores, whose coverage given the sample is known exactly."""
    rng = np.random.default_rng(1)
    n, alpha = 59, 0.1
    coverage = []
    for _ in range(500):
        calibration = np.sort(rng.uniform(size=n))
        # Scores are accepted up to the sixth greatest, where p is 7/60.
        coverage.append(calibration[p_values(calibration, calibration) > alpha].max())
    assert kstest(coverage, beta_law(n + 1 - 6, 6).cdf).pvalue > 0.01


@pytest.mark.parametrize(("n", "alpha"), [(59, 0.1), (19, 0.05), (100, 0.2), (999, 0.01), (9, 0.1)])
def test_the_bound_is_the_quantile_of_the_beta_distribution(n, alpha):
    """By its binomial form: fewer than l of n uniform scores exceed the bound."""
    bound = coverage_bound(n, alpha, confidence=0.9)
    rejected = sum(i / (n + 1) <= alpha for i in range(1, n + 1))
    assert binom.cdf(rejected - 1, n, 1 - bound) == pytest.approx(0.1, rel=1e-9)


def test_no_rejection_is_full_coverage():
    assert coverage_bound(8, 0.1) == 1
    assert coverage_bound(9, 0.1) < 1


def test_bad_levels():
    for arguments in ((0, 0.1), (5, 0.0), (5, 0.1, 1.0)):
        with pytest.raises(ValueError, match="expected"):
            coverage_bound(*arguments)
