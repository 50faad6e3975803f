"""Venn-Abers calibration of up to a million scores against the package venn-abers.

Run with ``python -m tests.benchmarks.bench_venn_abers``; the peer is timed where it is
installed.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from scipy.special import expit

from evical.calibrators import VennAbersCalibrator
from tests.benchmarks.timing import best_seconds


def ours(p: Any, y: Any, new: Any) -> list[float]:
    calibrator = VennAbersCalibrator()
    fit = best_seconds(lambda: calibrator.fit(p, y))
    return [fit, best_seconds(lambda: calibrator.predict_mass(new))]


def theirs(p: Any, y: Any, new: Any) -> list[float]:
    if find_spec("venn_abers") is None:
        return []
    model = import_module("venn_abers").VennAbers()
    pairs, probes = (np.stack([1 - part, part], axis=1) for part in (p, new))
    fit = best_seconds(lambda: model.fit(pairs, y), repeat=1)
    return [fit, best_seconds(lambda: model.predict_proba(probes), repeat=1)]


def main() -> None:
    print(f"{'N':>8}  fit        predict    peer fit   peer predict")
    for n in (1_000, 10_000, 100_000, 1_000_000):
        rng = np.random.default_rng(0)
        p, new = expit(2 * rng.normal(size=(2, n)))
        y = (rng.random(n) < p).astype(int)
        row = ours(p, y, new) + theirs(p, y, new)
        print(f"{n:>8}  " + "  ".join(f"{seconds:7.4f} s" for seconds in row))


if __name__ == "__main__":
    main()
