"""Reliabilities without labels: how often their intervals hold the truth, and their bias.

Run with ``python -m tests.benchmarks.bench_reliability``: 20 juries of eight simulated judges for
each of 300 and 1,000 samples, two and three classes, and four designs: all alone; two that copy a
third in 95 % of samples; one that contradicts; 40 % of votes missing. In
November 2026 the default held 99 to 100 %, and ``dependence=0`` 90 to 100 %.

``classifiers`` instead: those of the study ``label_free``, one repeat, 500 rows, in a few minutes;
90 %, of 66 % (copies) to 98 % (useless features).
"""

import sys
import warnings

import numpy as np

from evical._typing import Floats, Indices
from evical.beliefs import as_beliefs
from evical.datasets import load
from evical.fusion import Consensus
from examples.studies.label_free.scenarios import SCENARIOS
from examples.studies.label_free.study import _sources, _sources_of

DESIGNS = ("alone", "copies", "contradicts", "missing")
N_JUDGES = 8


def jury(design: str, n: int, k: int, seed: int) -> tuple[Floats, Indices]:
    """Votes (S, n, K) as probabilities, NaN for none, and the truth."""
    rng = np.random.default_rng([seed, n, k])
    truth = rng.integers(0, k, n)
    right = rng.random((N_JUDGES, n)) < rng.uniform(0.55, 0.95, N_JUDGES)[:, np.newaxis]
    votes = np.where(right, truth, (truth + rng.integers(1, k, right.shape)) % k)
    if design == "copies":
        exact = rng.random((2, n)) < 0.95
        votes[6:] = np.where(exact, votes[5], rng.integers(0, k, (2, n)))
    if design == "contradicts":
        votes[7] = np.where(rng.random(n) < 0.2, truth, (truth + 1) % k)
    p = np.eye(k)[votes]
    if design == "missing":
        p[rng.random(votes.shape) < 0.4] = np.nan
    return p, truth


def correlation(p: Floats, truth: Floats) -> float:
    """Of a source and the truth, on the samples about which it says something; at least 0."""
    heard = ~np.isnan(p[:, 0])
    x, y = (table[heard] - table[heard].mean(axis=0) for table in (p, truth))
    size = float(np.sqrt((x**2).sum() * (y**2).sum()))
    return max(float((x * y).sum()) / size, 0.0) if size else 0.0


def main() -> None:
    for n in (300, 1000):
        for k in (2, 3):
            for design in DESIGNS:
                cells = []
                for rule in (Consensus(), Consensus(dependence=0)):
                    held, off = [], []
                    for seed in range(20):
                        p, truth = jury(design, n, k, seed)
                        sources = [as_beliefs(one, np.arange(k)) for one in p]
                        with warnings.catch_warnings(action="ignore"):  # that one contradicts
                            rule.fit(sources)
                        known = np.array([correlation(one, np.eye(k)[truth]) for one in p])
                        low, high = rule.reliability_interval_.T
                        held.append((low <= known + 1e-9) & (known <= high + 1e-9))
                        off.append(rule.reliability_ - known)
                    cells.append(f"held {np.mean(held):.2f}, bias {np.mean(off):+.3f}")
                print(f"{n:>5} samples, {k} classes, {design:11}: default {cells[0]}; 0 {cells[1]}")


def classifiers() -> None:
    held: dict[str, list[float]] = {}
    for source in _sources():
        data = {source.name: load(source.name)} if source.loaded else {}
        for scenario, _kind, p, y in _sources_of(source, data, 0, 0, SCENARIOS):
            n = min(500, len(y) // 2)
            with warnings.catch_warnings(action="ignore"):
                rule = Consensus().fit([as_beliefs(one[:n], np.arange(p.shape[2])) for one in p])
            known = np.array([correlation(one[:n], np.eye(p.shape[2])[y[:n]]) for one in p])
            low, high = rule.reliability_interval_.T
            held.setdefault(scenario, []).append(
                float(np.mean((low <= known + 1e-9) & (known <= high + 1e-9)))
            )
    for scenario, shares in held.items():
        print(f"{scenario}: held {np.mean(shares):.3f}")
    print(f"all: held {np.mean([np.mean(shares) for shares in held.values()]):.3f}")


if __name__ == "__main__":
    classifiers() if "classifiers" in sys.argv else main()
