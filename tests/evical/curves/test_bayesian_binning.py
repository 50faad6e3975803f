"""All binnings at once, by dynamic programming, against all binnings one by one."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evical.curves import bayesian_binning
from evical.curves.bayesian_binning import (
    BinPrior,
    average_over_binnings,
    best_binning,
    bin_scores,
    log_marginal,
    posterior_mean,
)
from evical.scores import ScoreCounts
from tests.naive import bayesian_binning as naive

# Multiples of 1/16, so that midpoints are exact; few enough to tie often.
samples = st.lists(
    st.tuples(st.integers(0, 16).map(lambda i: i / 16), st.integers(0, 1)), min_size=1, max_size=9
)
priors = st.sampled_from([("k2", 2), ("bdeu", 2), ("bdeu", 0.5), ("bdeu", 7)])
rates = st.sampled_from([0.1, 1.0, 10.0])


def scored(pairs, lam, prior):
    scores, y = zip(*pairs, strict=True)
    return bin_scores(ScoreCounts.from_samples(scores, y), lam, BinPrior(*prior))


def shares(positive, negative, alpha, beta):
    share = posterior_mean(positive, negative, alpha, beta)
    return np.stack([share, 1 - share])


def distinct(pairs):
    return sorted({score for score, _ in pairs})


@given(samples, rates, priors)
def test_the_best_binning_has_the_highest_score(pairs, lam, prior):
    starts, log_score = best_binning(scored(pairs, lam, prior))
    binnings = list(naive.all_binnings(pairs, lam, score=prior[0], strength=prior[1]))
    highest = max(score for _, score in binnings)
    assert math.exp(log_score) == pytest.approx(float(highest), rel=1e-12)
    chosen = [distinct(pairs)[start] for start in starts]
    (score,) = (s for bins, s in binnings if [b.members[0][0] for b in bins] == chosen)
    assert float(score) == pytest.approx(float(highest), rel=1e-12)


@given(samples, rates, priors)
def test_the_average_is_that_over_all_binnings(pairs, lam, prior):
    table = average_over_binnings(scored(pairs, lam, prior), shares)
    binnings = list(naive.all_binnings(pairs, lam, score=prior[0], strength=prior[1]))
    for k, score in enumerate(distinct(pairs)):
        wanted = naive.average(binnings, score, naive.Bin.mean)
        assert table[:, k] == pytest.approx([float(wanted), float(1 - wanted)], abs=1e-13)


@pytest.mark.parametrize("prior", [("k2", 2), ("bdeu", 2)], ids=["k2", "bdeu"])
def test_ten_distinct_scores(prior):
    rng = np.random.default_rng(0)
    pairs = list(zip((rng.permutation(65)[:10] / 64).tolist(), [0, 1] * 5, strict=True))
    scores = scored(pairs, 3.0, prior)
    binnings = list(naive.all_binnings(pairs, 3.0, score=prior[0], strength=prior[1]))
    assert len(binnings) == 2**9
    highest = max(score for _, score in binnings)
    assert math.exp(best_binning(scores)[1]) == pytest.approx(float(highest), rel=1e-12)
    table = average_over_binnings(scores, shares)
    for k, score in enumerate(distinct(pairs)):
        wanted = naive.average(binnings, score, naive.Bin.mean)
        assert table[0, k] == pytest.approx(float(wanted), abs=1e-13)


@pytest.mark.parametrize("weight", [0.5, 2.25, 1e6])
def test_weights_need_not_be_whole(weight):
    """Two samples, so that both binnings fit on a line; gamma functions from the library."""
    counts = ScoreCounts.from_samples([0.25, 0.75], [0, 1], [weight, 3 * weight])
    table = average_over_binnings(bin_scores(counts, math.log(2), BinPrior()), shares)

    def log_beta(a, b):
        return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)

    one = log_beta(weight + 1, 3 * weight + 1)
    two = log_beta(weight + 1, 1) + log_beta(1, 3 * weight + 1)
    share = 1 / (1 + math.exp(min(two - one, 700)))
    together, alone = (3 * weight + 1) / (4 * weight + 2), (3 * weight + 1) / (3 * weight + 2)
    assert table[0, 1] == pytest.approx(share * together + (1 - share) * alone, rel=1e-9)


def test_no_number_of_samples_vanishes():
    n = 400
    counts = ScoreCounts.from_samples(
        np.arange(n) / n, np.arange(n) >= n / 2, np.full(n, 10**4, dtype=float)
    )
    scores = bin_scores(counts, 1.0, BinPrior())
    assert best_binning(scores)[0].tolist() == [0, n // 2]
    table = average_over_binnings(scores, shares)
    assert (table[0] > 0).all()
    assert (table[0] < 1).all()
    assert table[0, : n // 2].max() < 1e-5
    assert table[0, n // 2 :].min() > 1 - 1e-5
    np.testing.assert_allclose(table.sum(axis=0), 1, atol=1e-12)


@pytest.mark.parametrize("weight", [0.01, 1.0, 1e4])
def test_systems_of_equations_agree_with_one_score_after_another(monkeypatch, weight):
    """With heavy weights no binning of few cuts is near, and sums are found one by one."""
    rng = np.random.default_rng(0)
    y = rng.random(150) < np.where(np.arange(150) < 61, 0.01, 0.9)
    counts = ScoreCounts.from_samples(rng.random(150), y, np.full(150, weight))
    solved = bin_scores(counts, 3.0, BinPrior())
    solved_table = average_over_binnings(solved, shares)
    monkeypatch.setattr(bayesian_binning, "_TABLE", 0)
    passed = bin_scores(counts, 3.0, BinPrior())
    np.testing.assert_allclose(average_over_binnings(passed, shares), solved_table, rtol=1e-9)
    np.testing.assert_allclose(passed.begins, solved.begins, rtol=1e-9)
    np.testing.assert_allclose(passed.log_sums, solved.log_sums, rtol=1e-12, atol=1e-9)


@pytest.mark.parametrize(
    "scores", [[0.0, 5e-324], [-1.7e308, 1.7e308], [0.5, np.nextafter(0.5, 1)]]
)
def test_extreme_distances(scores):
    counts = ScoreCounts.from_samples(scores, [0, 1])
    scored = bin_scores(counts, 1.0, BinPrior("bdeu"))
    assert np.isfinite(best_binning(scored)[1])
    assert np.isfinite(average_over_binnings(scored, shares)).all()


@given(
    st.integers(0, 8),
    st.integers(0, 8),
    st.fractions(Fraction(1, 50), 5, max_denominator=50),
    st.fractions(Fraction(1, 50), 5, max_denominator=50),
)
def test_marginal_likelihood(positive, negative, alpha, beta):
    counts = np.array([positive], dtype=float), np.array([negative], dtype=float)
    got = log_marginal(*counts, float(alpha), float(beta))
    wanted = naive.marginal(positive, negative, alpha, beta)
    assert math.exp(got[0]) == pytest.approx(float(wanted), rel=1e-12)


def test_k2_is_the_ratio_of_factorials():
    got = log_marginal(np.array([3.0]), np.array([2.0]), 1.0, 1.0)
    assert math.exp(got[0]) == pytest.approx(6 * 2 / 720, rel=1e-14)
