"""`EvidentialRegressor` on the samples of bench_evreg.R, which see.

Run with ``python -m tests.benchmarks.bench_evreg FOLDER``.
"""

import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd

from evical.learners import EvidentialRegressor


def main() -> None:
    for seed in range(3):
        train, test = (
            pd.read_csv(Path(sys.argv[1]) / f"{part}{seed}.csv") for part in ("train", "test")
        )
        y, target = train.pop("medv"), test.pop("medv").to_numpy()
        start = time.process_time()
        reg = EvidentialRegressor(random_state=seed).fit(train, y)
        low, high = reg.predict_interval(test).T
        seconds = time.process_time() - start
        error = float(np.sqrt(((reg.predict(test) - target) ** 2).mean()))
        covered = float(((low <= target) & (target <= high)).mean())
        print(f"{seed}: RMSE {error:.2f}, coverage {covered:.2f}, {seconds:.1f} s")


if __name__ == "__main__":
    main()
