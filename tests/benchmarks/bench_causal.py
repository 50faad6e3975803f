"""Greedy equivalence search beside ges and causal-learn, in one run.

Run with ``python -m tests.benchmarks.bench_causal`` from the repository, in an environment that has
ges and causal-learn. Times are CPU seconds of one thread (OMP_NUM_THREADS=1). The last rows are
sizes that the peers do not end at.
"""

import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from evical.causal import FastGES
from evical.causal._scores import States, count_bits, count_rows
from examples.studies.naeini2016_causal.networks import random_network


def seconds(function: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds of a call, and what it gives."""
    start = time.process_time()
    found = function()
    return time.process_time() - start, found


def gaussian(n: int, v: int, rng: np.random.Generator) -> Any:
    weights = np.triu(rng.normal(size=(v, v)) * (rng.random((v, v)) < 3 / v), 1)
    return rng.normal(size=(n, v)) @ np.linalg.inv(np.eye(v) - weights)


def against_ges(v: int) -> None:
    X = gaussian(1000, v, np.random.default_rng(v))
    ges = import_module("ges")
    peer, (found, _) = seconds(lambda: ges.fit_bic(X, phases=["forward", "backward"]))
    own, graph = seconds(lambda: FastGES(penalty=1.0)(X))
    same = sorted(graph.edges) == sorted(map(tuple, np.argwhere(found).tolist()))
    print(f"Gaussian, {v} variables: ges {peer:.2f} s, FastGES {own:.3f} s, {own / peer:.2%} of it")
    print(f"  the same CPDAG: {same}")


def against_causal_learn(v: int) -> None:
    try:
        search = import_module("causallearn.search.ScoreBased.GES")
    except ImportError:
        print("causal-learn is not installed, so it is left out")
        return
    rng = np.random.default_rng(v)
    X = random_network(v, v, rng).sample(1000, rng)
    peer, _ = seconds(lambda: search.ges(X, score_func="local_score_BDeu"))
    own, _ = seconds(lambda: FastGES(score="bdeu")(X))
    print(f"BDeu, {v} variables: causal-learn {peer:.2f} s, FastGES {own:.3f} s, {peer / own:.0f}")


def large(v: int, score: str, resampled: bool) -> None:
    rng = np.random.default_rng(v)
    X = random_network(v, v, rng).sample(1000, rng)
    rows = X[rng.integers(0, 1000, 1000)] if resampled else X
    rows = rows[:, rows.min(axis=0) < rows.max(axis=0)]  # a few of 1,000 are constant
    own, graph = seconds(lambda: FastGES(score=score)(rows))
    edges = len({frozenset(edge) for edge in graph.edges})
    print(f"{score}, {v} variables, resampled: {resampled}: {own:.2f} s, {edges} edges")


def few_cells() -> None:
    """Where counting by bits is slower than by rows: the constant of `DiscreteScore`."""
    for n in (200, 1000, 20_000):
        rng = np.random.default_rng(n)
        states = States.of(rng.integers(0, 3, (200, n)), [3] * 200)
        for m in (8, 16, 32, 64, 128):
            cell = rng.integers(0, m, n)
            counts = (partial(f, states, cell, m) for f in (count_bits, count_rows))
            times = [seconds(count)[0] for count in counts]
            print(f"{n} rows, {m} cells: bits over rows {times[0] / times[1]:.2f}")


if __name__ == "__main__":
    FastGES(score="bdeu")(np.random.default_rng(0).integers(2, size=(50, 4)))  # compiles
    for v in (10, 20, 30):
        against_ges(v)
    for v in (10, 20):
        against_causal_learn(v)
    for v, score in ((100, "bdeu"), (100, "bic"), (1000, "bdeu"), (1000, "bic")):
        large(v, score, resampled=False)
        large(v, score, resampled=True)
    few_cells()
    large(5000, "bic", resampled=True)
