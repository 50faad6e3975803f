"""Fusions learned from 300 samples of ten sources (`Stacked`: 10,000 too), and applied to 10,000;
and `Consensus` of a million rows of ten sources and of a million votes.

Run with ``pytest tests/benchmarks/bench_fusion.py``. Each measures its ratio to the obvious
alternative in the same run (`extra_info`). Bound for learning: 50 ms on 2 idle cores; all
keep it. The slowest is the learned t-norm, which tries some forty parameters.
"""

from importlib.util import find_spec

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from dstheory import Frame, MassFunction, betp, dempster
from dstheory.revise import discount
from evical import EvidentialFusion
from evical.fusion import Discounted, Mixture, Stacked, TNorm, sources_from_long
from tests.benchmarks.timing import best_seconds, median_ms

N_SOURCES = 10
FUSIONS = {
    "stacked": Stacked(),
    "likelihood_mixture": Mixture(weights="likelihood"),
    "discounted": Discounted(),
    "contextually_discounted": Discounted(contextual=True),
    "learned_tnorm": TNorm(),
}


def sources(n, seed=0):
    """Ten sources of growing quality about n samples, and their labels."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    masses = []
    for quality in np.linspace(0.2, 2, N_SOURCES):
        p = 1 / (1 + np.exp(-rng.normal(quality * (2 * y - 1), 1)))
        rest = rng.uniform(0.05, 0.5, n)
        table = np.stack([(1 - p) * (1 - rest), p * (1 - rest), rest], axis=1)
        masses.append(MassFunction(Frame([0, 1]), [1, 2, 3], table))
    return masses, y


@pytest.mark.parametrize(("name", "n"), [*((name, 300) for name in FUSIONS), ("stacked", 10_000)])
def test_learning_from_samples(benchmark, name, n):
    masses, y = sources(n)
    benchmark(FUSIONS[name].fit, masses, y)
    x = np.stack([betp(m)[:, 1] for m in masses], axis=1)
    regression = LogisticRegression()
    benchmark.extra_info["ratio_to_logistic_regression"] = (
        1e3 * benchmark.stats["median"] / (median_ms(lambda: regression.fit(x, y)))
    )


@pytest.mark.parametrize("name", FUSIONS)
def test_combining_10000_samples(benchmark, name):
    fusion = FUSIONS[name].fit(*sources(300))
    masses, _ = sources(10_000, seed=1)
    benchmark(fusion, *masses)
    plain = median_ms(lambda: dempster(*masses))
    benchmark.extra_info["ratio_to_dempster"] = 1e3 * benchmark.stats["median"] / plain


def test_rates_by_their_slopes(benchmark):
    """The obvious alternative asks Dempster's rule for each slope."""
    masses, y = sources(300)
    targets = np.eye(2)[y]

    def error(rates):
        weakened = (discount(m, rate=min(max(r, 0), 1)) for m, r in zip(masses, rates, strict=True))
        return 0.5 * ((betp(dempster(*weakened)) - targets) ** 2).sum()

    fusion = benchmark(Discounted(shrinkage=0).fit, masses, y)
    bounds = [(0, 1)] * N_SOURCES

    def by_differences():
        return minimize(error, np.full(N_SOURCES, 0.3), method="L-BFGS-B", bounds=bounds)

    assert error(fusion.rates_) <= by_differences().fun + 1e-3
    alternative = best_seconds(by_differences, repeat=1)
    benchmark.extra_info["ratio_to_finite_differences"] = benchmark.stats["median"] / alternative


def test_a_consensus_of_a_million_rows_of_three_classes(benchmark):
    """Learned and fused; beside the mean of the probabilities, which learns nothing."""
    rng = np.random.default_rng(0)
    p = rng.standard_exponential((N_SOURCES, 1_000_000, 3))
    p /= p.sum(axis=2, keepdims=True)
    given = list(p)
    found = benchmark.pedantic(
        lambda: EvidentialFusion().fit(given).predict_proba(given), rounds=1, iterations=1
    )
    assert found.shape == (1_000_000, 3)
    mean = best_seconds(lambda: p.mean(axis=0), repeat=1)
    benchmark.extra_info["ratio_to_mean"] = benchmark.stats["median"] / mean


def test_a_consensus_of_a_million_votes(benchmark):
    """A table of 100,000 items and 100 voters; beside crowd-kit's Dawid-Skene, if installed."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 100_000)
    cell = rng.choice(10_000_000, 1_000_000, replace=False)
    item, voter = cell // 100, cell % 100
    right = rng.random(1_000_000) < rng.uniform(0.6, 0.95, 100)[voter]
    vote = np.where(right, truth[item], 1 - truth[item])

    def fused():
        items, sources = sources_from_long(item, voter, vote)
        return items, EvidentialFusion().fit(sources).predict(sources)

    items, found = benchmark.pedantic(fused, rounds=1, iterations=1)
    assert np.mean(found == truth[items]) > 0.95
    if find_spec("crowdkit"):
        import pandas as pd
        from crowdkit.aggregation import DawidSkene

        votes = pd.DataFrame({"task": item, "worker": voter, "label": vote})
        seconds = best_seconds(lambda: DawidSkene(n_iter=100).fit(votes), repeat=1)
        benchmark.extra_info["ratio_to_crowd_kit"] = benchmark.stats["median"] / seconds
