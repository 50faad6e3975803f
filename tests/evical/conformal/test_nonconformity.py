"""Nonconformity scores equal their definitions, with ties and for one class far ahead."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evical.conformal import lac_scores
from evical.conformal.nonconformity import aps_scores, margin_scores, raps_scores
from tests.naive import conformal as naive
from tests.support.each import each

# Numbers of sixteenths are exact in floats, and so are their sums: no tolerance, and many ties.
rows = st.integers(2, 6).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 16), min_size=k, max_size=k), min_size=1, max_size=4)
)


def exact(values):
    return [[Fraction(value, 16) for value in row] for row in values]


def floats(values):
    return np.array(values) / 16


@given(rows)
def test_scores_are_those_of_the_definitions(values):
    for fast, slow in ((lac_scores, naive.lac), (margin_scores, naive.margin)):
        assert fast(floats(values)).tolist() == [slow(row) for row in exact(values)]
    assert aps_scores(floats(values)).tolist() == [naive.aps(row) for row in exact(values)]


@given(rows, st.integers(0, 4), st.integers(0, 8), st.integers(0, 3))
def test_adaptive_scores_with_shares_and_penalties(values, u, penalty, n_free):
    share, amount = Fraction(u, 4), Fraction(penalty, 8)
    shares = np.full(len(values), u / 4)
    wanted = [naive.aps(row, share) for row in exact(values)]
    assert aps_scores(floats(values), shares).tolist() == wanted
    wanted = [naive.raps(row, share, amount, n_free) for row in exact(values)]
    found = raps_scores(floats(values), shares, penalty=penalty / 8, n_free=n_free)
    assert found.tolist() == wanted


def test_raps_without_penalty_is_aps():
    values = np.random.default_rng(0).dirichlet(np.ones(7), size=20)
    np.testing.assert_array_equal(raps_scores(values, penalty=0), aps_scores(values))
    np.testing.assert_array_equal(raps_scores(values[:, :5]), aps_scores(values[:, :5]))


@each(
    ("values", "message"),
    [
        ([0.5, 0.5], r"values have shape \(2,\), expected \(n, K\) with K from 2"),
        ([[1.0]], r"values have shape \(1, 1\)"),
        ([[0.5, 0.5], [0.5, np.nan]], r"values\[1, 1\] is nan, expected a finite number"),
    ],
)
@each("score", [lac_scores, aps_scores, raps_scores, margin_scores])
def test_bad_values(score, values, message):
    with pytest.raises(ValueError, match=message):
        score(values)


def test_bad_options():
    with pytest.raises(ValueError, match=r"values\[0, 0\] is -0.5, expected a probability"):
        aps_scores([[-0.5, 1.5]])
    with pytest.raises(ValueError, match=r"u has shape \(2,\), expected \(1,\)"):
        aps_scores([[0.5, 0.5]], u=[0.1, 0.2])
    with pytest.raises(ValueError, match=r"u\[0\] is 1.5, expected a number in \[0, 1\]"):
        aps_scores([[0.5, 0.5]], u=[1.5])
    with pytest.raises(ValueError, match="penalty is -1, expected a finite number from 0"):
        raps_scores([[0.5, 0.5]], penalty=-1)
    with pytest.raises(ValueError, match="n_free"):
        raps_scores([[0.5, 0.5]], n_free=-1)
