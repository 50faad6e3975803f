"""Write evclust_ecm.json: ecm of the PyPI package evclust, from the same centers.

Run with ``python -m tests.oracles.make_evclust`` in an environment that has evclust 0.2.1.
"""

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris

# A collection of the tests, which reads this file for doctests, goes on without it.
ecm = pytest.importorskip("evclust.ecm").ecm


def main() -> None:
    X = load_iris().data[::3]
    start = X[[0, 20, 40]]
    cases = []
    for kind, alpha, beta, delta in (
        ("full", 1, 2, 10),
        ("full", 2, 1.7, 1.5),
        ("pairs", 1, 2.5, 3),
        ("simple", 1, 2, 2),
    ):
        found = ecm(
            X,
            3,
            g0=start,
            type=kind,
            Omega=kind != "simple",
            alpha=alpha,
            beta=beta,
            delta=delta,
            epsi=1e-12,
            disp=False,
        )
        cases.append(
            {
                "type": kind,
                "alpha": alpha,
                "beta": beta,
                "delta": delta,
                "sets": np.asarray(found["F"]).astype(int).tolist(),
                "masses": np.asarray(found["mass"])[::5].tolist(),
                "centers": np.asarray(found["g"]).tolist(),
            }
        )
    path = Path(__file__).with_name("evclust_ecm.json")
    path.write_text(
        json.dumps({"about": "ecm of evclust 0.2.1; iris, every third row", "cases": cases}) + "\n"
    )


if __name__ == "__main__":
    main()
