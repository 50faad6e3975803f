"""Kernel density calibration from a thousand to a million scores, against isotonic regression.

Run with ``python -m tests.benchmarks.bench_kde``. The obvious alternative for densities, a sum
over all samples for each new score (scipy.stats.gaussian_kde), is timed up to 10^4 samples and
10^4 new scores, and isotonic regression at every size.
"""

import numpy as np
from scipy.stats import gaussian_kde
from sklearn.isotonic import IsotonicRegression

from evical.calibrators import AdaptiveCalibrator, DPMCalibrator, KDECalibrator
from evical.datasets import simulated_scores
from tests.benchmarks.timing import best_seconds

CALIBRATORS = [
    KDECalibrator(),
    KDECalibrator(kernel="boxcar"),
    KDECalibrator(kernel="epanechnikov"),
    KDECalibrator(kernel="tricube"),
    KDECalibrator(model="likelihood"),
    DPMCalibrator(),
    AdaptiveCalibrator(),
]


def main() -> None:
    for n in (10**3, 10**4, 10**5, 10**6):
        scores, y, _ = simulated_scores("nonmonotone", n, np.random.default_rng(0))
        new = np.random.default_rng(1).permutation(scores)
        isotonic = IsotonicRegression(out_of_bounds="clip")
        fit_there = best_seconds(lambda i=isotonic, s=scores, y=y: i.fit(s, y))
        there = best_seconds(lambda i=isotonic, s=new: i.predict(s))
        print(
            f"n = {n}: scikit-learn's isotonic fits in {fit_there:.4f} s, predicts in {there:.4f}"
        )
        for ours in CALIBRATORS:
            fit = best_seconds(lambda c=ours, s=scores, y=y: c.fit(s, y), repeat=2)
            predict = best_seconds(lambda c=ours, s=new: c.predict_mass(s), repeat=2)
            print(
                f"  {ours!s:35} fit {fit:8.4f} s ({fit / fit_there:7.2f})   "
                f"predict {predict:8.4f} s ({predict / there:7.2f})"
            )
        if n <= 10**4:
            densities = [gaussian_kde(scores[y == label]) for label in (0, 1)]
            direct = best_seconds(lambda d=densities, s=new: [f(s) for f in d], repeat=2)
            print(f"  scipy.stats.gaussian_kde of both classes       predict {direct:8.4f} s")


if __name__ == "__main__":
    main()
