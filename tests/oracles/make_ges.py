"""Write ges.json: what the package ges finds for covariances of a few random Gaussian samples.

Run ``python -m tests.oracles.make_ges`` where that package and numpy are installed.
"""

import json
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest

# A collection of the tests, which reads this file for doctests, goes on without it.
ges = pytest.importorskip("ges")


def case(seed: int) -> dict[str, object]:
    """One sample of a random linear network, and the CPDAG of the two phases."""
    rng = np.random.default_rng(seed)
    v, n = int(rng.integers(4, 16)), int(rng.choice([50, 200, 1000]))
    weights = np.triu(rng.normal(size=(v, v)) * (rng.random((v, v)) < rng.uniform(0.1, 0.5)), 1)
    rows = rng.normal(size=(n, v)) @ np.linalg.inv(np.eye(v) - weights)
    covariance = np.cov(rows[:, rng.permutation(v)].T, ddof=0).round(4)
    # Rows that have exactly this covariance matrix.
    base = np.linalg.qr(np.vander(np.linspace(-1, 1, n), v + 1, increasing=True))[0][:, 1:]
    values = base @ np.linalg.cholesky(covariance).T * np.sqrt(n)
    found, _ = ges.fit_bic(values, phases=["forward", "backward"])
    return {
        "n": n,
        "covariance": covariance.tolist(),
        "arcs": np.argwhere(found).tolist(),
    }


if __name__ == "__main__":
    content = {
        "source": f"ges {version('ges')}, fit_bic with the phases forward and backward",
        "cases": [case(seed) for seed in range(30)],
    }
    text = json.dumps(content, separators=(",", ":")).replace('{"n"', '\n{"n"')
    Path(__file__).with_name("ges.json").write_text(text + "\n", encoding="utf-8")
