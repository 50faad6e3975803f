"""Simulated scores: labels follow the stated probability, scores the stated quantiles."""

import numpy as np
import pytest
from scipy.stats import kstest

from evical.datasets.simulated import (
    SIMULATIONS,
    simulated_probability,
    simulated_quantiles,
    simulated_scores,
)
from tests.support.each import each

every = each("kind", SIMULATIONS)


@every
def test_labels_follow_the_true_probability(kind):
    scores, y, p = simulated_scores(kind, 40_000, np.random.default_rng(0))
    np.testing.assert_array_equal(p, simulated_probability(kind, scores))
    assert set(np.unique(y)) == {0, 1}
    assert ((p > 0.02) & (p < 0.98)).all()
    for part in np.array_split(scores.argsort(), 20):
        deviation = np.sqrt(np.sum(p[part] * (1 - p[part])))
        assert abs(y[part].sum() - p[part].sum()) < 4 * deviation


@every
def test_scores_follow_their_quantiles(kind):
    scores = simulated_scores(kind, 5000, np.random.default_rng(1)).scores
    quantiles = simulated_quantiles(kind, 100_000)
    assert (np.diff(quantiles) > 0).all()
    ranks = np.searchsorted(quantiles, scores) / 100_000
    assert kstest(ranks, "uniform").pvalue > 1e-3


def test_two_maps_ascend_and_the_others_do_not():
    signs = {
        kind: {*np.sign(np.diff(simulated_probability(kind, simulated_quantiles(kind, 999))))}
        for kind in SIMULATIONS
    }
    assert {kind for kind, found in signs.items() if found == {1.0}} == {
        "monotone",
        "overconfident",
    }
    assert signs["nonmonotone"] == signs["margin"] == {-1.0, 1.0}


def test_the_seed_decides():
    first, again, other = (
        simulated_scores("margin", 5, np.random.default_rng(seed)).scores for seed in (3, 3, 4)
    )
    np.testing.assert_array_equal(first, again)
    assert (first != other).all()


def test_what_is_refused():
    with pytest.raises(ValueError, match="kind is 'spiral', expected one of 'monotone'"):
        simulated_scores("spiral", 5, np.random.default_rng(0))
    with pytest.raises(ValueError, match="n is 0, expected at least 1"):
        simulated_quantiles("margin", 0)
    with pytest.raises(ValueError, match=r"n is an integer|n is about"):
        simulated_quantiles("margin", 10**400)
    with pytest.raises(TypeError, match="rng is 0, expected"):
        simulated_scores("margin", 5, 0)
    with pytest.raises(TypeError, match=r"scores are \['a'\], expected real numbers"):
        simulated_probability("margin", ["a"])
    with pytest.raises(
        ValueError, match=r"scores\[1\] is 2.0, expected a score in \[0, 1\] of kind"
    ):
        simulated_probability("monotone", [0.5, 2])
    assert simulated_probability("margin", 1e308) == 0.05  # where the square would overflow
