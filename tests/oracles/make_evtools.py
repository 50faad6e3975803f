"""Write evtools_enn.json: the evidential neural network of the PyPI package evtools-dst.

Run with ``python -m tests.oracles.make_evtools`` in an environment that has evtools-dst 0.27.1.
"""

import json
from pathlib import Path

import numpy as np
import pytest

# A collection of the tests, which reads this file for doctests, goes on without it.
enn = pytest.importorskip("evtools.classifiers.enn")


def main() -> None:
    rng = np.random.default_rng(0)
    n, r, d, k = 8, 5, 3, 4
    given = {
        "prototypes": rng.normal(size=(r, d)),
        "gamma": rng.uniform(0.2, 1, r),
        "beta": rng.uniform(0.1, 1, (r, k)),
        "alpha_raw": rng.normal(size=r) + 1,
        "X": rng.normal(size=(n, d)),
        "labels": rng.integers(0, k, n),
    }
    parameters = [given[name] for name in ("prototypes", "gamma", "beta", "alpha_raw")]
    masses = enn._forward(*parameters, given["X"])
    target = np.eye(k)[:, given["labels"]]
    costs = {
        f"{loss}, {part}, {mu}": enn._cost_and_grad(
            *parameters, given["X"], target, part, mu, loss=loss
        )[0]
        for loss, part, mu in (
            ("pl_loss", 1 / k, 0.0),
            ("pl_loss", 0.0, 0.1),
            ("pl_loss", 1.0, 0.1),
            ("ce_plp", 0.0, 0.0),
            ("ce_plp", 0.0, 0.1),
        )
    }
    found = {name: values.tolist() for name, values in given.items()}
    found |= {"about": "ENN of evtools-dst 0.27.1", "masses": masses.T.tolist(), "costs": costs}
    Path(__file__).with_name("evtools_enn.json").write_text(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
