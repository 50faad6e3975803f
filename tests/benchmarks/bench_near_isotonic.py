"""The near-isotonic path and ENIR of up to a million scores.

Run with ``python -m tests.benchmarks.bench_near_isotonic``; with DSTHEORY_NO_NUMBA=1, what it
costs without numba. Alternatives in the same run: scikit-learn's isotonic regression, which is
the end of the path; ENIR with each model of the path written out; and netcal's ENIR where it is
installed. The alternatives of quadratic cost stop at ten thousand scores.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.isotonic import IsotonicRegression

from evical.calibrators import ENIRCalibrator
from tests.benchmarks.timing import best_seconds
from tests.evical.curves.of_arrays import near_isotonic_path

NAN = float("nan")


def written_out(p: Any, y: Any) -> Any:
    """The average of the fits at all breakpoints, each of them in full."""
    labels = y[np.argsort(p)]
    path = near_isotonic_path(labels)
    fits, scores = [], []
    for lam in path.lambdas[1:]:
        fits.append(path.at(lam))
        likelihood = np.log(np.where(labels, fits[-1], 1 - fits[-1])).sum()
        scores.append(likelihood - len(path.starts(lam)) * np.log(len(p)) / 2)
    weights = np.exp(np.array(scores) - max(scores))
    return weights @ np.array(fits) / weights.sum()


def netcal(p: Any, y: Any) -> float:
    if find_spec("netcal") is None:
        return NAN
    peer = import_module("netcal.binning").ENIR()
    return best_seconds(lambda: peer.fit(p, y), repeat=1)


def main() -> None:
    near_isotonic_path([1, 0, 1])  # compile
    names = "path", "ENIR", "sklearn isotonic", "all models", "netcal"
    print(f"{'N':>8}" + "".join(f"{name:>18}" for name in names) + f"{'ENIR / isotonic':>18}")
    for n in (1_000, 10_000, 100_000, 1_000_000):
        rng = np.random.default_rng(0)
        p = expit(2 * rng.normal(size=n))
        y = (rng.random(n) < p).astype(int)
        labels = y[np.argsort(p)]
        path = best_seconds(lambda labels=labels: near_isotonic_path(labels))
        enir = best_seconds(lambda p=p, y=y: ENIRCalibrator().fit(p, y))
        isotonic = best_seconds(lambda p=p, y=y: IsotonicRegression().fit(p, y))
        small = n <= 10_000
        others = (
            best_seconds(lambda p=p, y=y: written_out(p, y), repeat=1) if small else NAN,
            netcal(p, y) if small else NAN,
        )
        row = "".join(f"{seconds:16.4f} s" for seconds in (path, enir, isotonic, *others))
        print(f"{n:>8}{row}{enir / isotonic:18.1f}")


if __name__ == "__main__":
    main()
