"""A check of calibration of 10^7 rows: CPU time, and memory beyond the rows themselves.

Run with ``python -m tests.benchmarks.bench_check``. Each check runs in a process of its own, whose
peak is the system's; beside it the peak of a process that only holds the rows. The last table has
sums by blocks of rows, of sizes around the one that metrics take.
"""

import resource
import subprocess
import sys
import time

import numpy as np

from evical.evaluation import Evaluation, check_calibration
from evical.metrics.inputs import BLOCK, BinarySample

N = 10_000_000
KINDS = ("rows", "probabilities", "beliefs")


def measured(kind: str) -> None:
    """Check once, and print seconds and megabytes."""
    rng = np.random.default_rng(0)
    p = rng.random(N)
    y = (rng.random(N) < p).astype(np.int8)
    start = time.process_time()
    if kind == "probabilities":
        check_calibration(Evaluation.from_predictions(y, p))
    elif kind == "beliefs":
        check_calibration(Evaluation.from_predictions(y, bel=0.9 * p, pl=0.9 * p + 0.1))
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{kind:16} {seconds:6.1f} s {peak:8.0f} MB")


def by_blocks() -> None:
    """Print times of one sum."""
    rng = np.random.default_rng(0)
    p = rng.random(N)
    sample = BinarySample((rng.random(N) < p).astype(np.float64), p, None)
    for size in (BLOCK >> 6, BLOCK >> 2, BLOCK, BLOCK << 2, N):
        start = time.process_time()
        for part in sample.blocks(size):
            ((1 - 2 * part.p) ** 2 * part.p * (1 - part.p)).sum()
        print(f"blocks of {size:8} rows {time.process_time() - start:8.3f} s")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        measured(sys.argv[1])
    else:
        for kind in KINDS:
            subprocess.run([sys.executable, "-m", __spec__.name, kind], check=True)
        by_blocks()
