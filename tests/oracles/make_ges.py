"""Write ges.json: what the package ges finds for covariances of a few random Gaussian samples.

Run ``python -m tests.oracles.make_ges`` where that package and numpy are installed. With a number,
``python -m tests.oracles.make_ges 1000``, it compares `FastGES` with the package on that many
samples instead, and prints on how many they agree.
"""

import json
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest

from evical.causal import FastGES

# A collection of the tests, which reads this file for doctests, goes on without it.
ges = pytest.importorskip("ges")


def sample(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of a random linear network, and their covariance matrix."""
    rng = np.random.default_rng(seed)
    v, n = int(rng.integers(4, 16)), int(rng.choice([50, 200, 1000]))
    weights = np.triu(rng.normal(size=(v, v)) * (rng.random((v, v)) < rng.uniform(0.1, 0.5)), 1)
    rows = rng.normal(size=(n, v)) @ np.linalg.inv(np.eye(v) - weights)
    covariance = np.cov(rows[:, rng.permutation(v)].T, ddof=0).round(4)
    # Rows that have exactly this covariance matrix.
    base = np.linalg.qr(np.vander(np.linspace(-1, 1, n), v + 1, increasing=True))[0][:, 1:]
    return base @ np.linalg.cholesky(covariance).T * np.sqrt(n), covariance


def arcs(values: np.ndarray) -> list[list[int]]:
    """The CPDAG of the two phases."""
    found, _ = ges.fit_bic(values, phases=["forward", "backward"])
    return np.argwhere(found).tolist()


def case(seed: int) -> dict[str, object]:
    values, covariance = sample(seed)
    return {"n": len(values), "covariance": covariance.tolist(), "arcs": arcs(values)}


def agrees(seed: int) -> bool:
    values, _ = sample(seed)
    return sorted(map(list, FastGES(penalty=1.0)(values).edges)) == arcs(values)


def write() -> None:
    content = {
        "source": f"ges {version('ges')}, fit_bic with the phases forward and backward",
        "cases": [case(seed) for seed in range(30)],
    }
    text = json.dumps(content, separators=(",", ":")).replace('{"n"', '\n{"n"')
    Path(__file__).with_name("ges.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        n = int(sys.argv[1])
        print(f"the same CPDAG in {sum(map(agrees, range(n)))} of {n} samples")
    else:
        write()
