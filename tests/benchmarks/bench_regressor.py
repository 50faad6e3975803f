"""Evidential regression beside Gaussian processes, forests and quantile boosting.

Run with ``python -m tests.benchmarks.bench_regressor [repeats]`` from the repository (minutes).

Protocol: simulated sets have 300 training samples (the sine of the R package evreg 400, with no
samples between -1 and 1) and 1,000 test samples; of real ones 30 % are test samples. Repeat r draws
with seed r, which is also the random state of the methods. RMSE and widths are in standard
deviations of the training responses. "log score" is the mean negative log density of the normal
distribution N(mu, sigma2) that a method predicts. Intervals have the level 0.9. Split conformal
intervals hold out a quarter of the training samples: absolute residuals for forests. Means over
repeats, with standard errors of coverage and RMSE. Times are CPU seconds of a fit.
"""

import sys
import time
import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import (
    load_diabetes,
    load_wine,
    make_friedman1,
    make_friedman2,
    make_friedman3,
)
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from evical.learners import EvidentialRegressor

Floats = NDArray[np.float64]
LEVEL = 0.9


class Told(NamedTuple):
    """Means, variances if there are any, and intervals at `LEVEL`."""

    mu: Floats
    variance: Floats | None
    interval: Floats


def sine(n: int, seed: int) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(seed)
    left = rng.random(n) < 0.5
    x = np.where(left, rng.uniform(-3, -1, n), rng.uniform(1, 4, n))
    noise = np.sqrt(np.where(left, 0.01, 0.3)) * rng.normal(size=n)
    return x[:, np.newaxis], np.sin(3 * x) + x + noise


def samples(seed: int) -> dict[str, list[Floats]]:
    """Training and test features, training and test responses, by name."""
    X, y = sine(1400, seed)
    found = {"sine": [X[:400], X[400:], y[:400], y[400:]]}
    makers = [(make_friedman1, 1.0), (make_friedman2, 125.0), (make_friedman3, 0.1)]
    for i, (make, noise) in enumerate(makers, start=1):
        X, y = make(1300, noise=noise, random_state=seed)
        found[f"Friedman {i}"] = [X[:300], X[300:], y[:300], y[300:]]
    X, y = load_diabetes(return_X_y=True)
    found["diabetes"] = train_test_split(X, y, test_size=0.3, random_state=seed)
    X, _ = load_wine(return_X_y=True)
    found["wine, alcohol"] = train_test_split(X[:, 1:], X[:, 0], test_size=0.3, random_state=seed)
    return found


def evidential(X: Floats, y: Floats, new: Floats, seed: int, **options: Any) -> Told:
    reg = EvidentialRegressor(random_state=seed, **options).fit(X, y)
    grfn = reg.predict_grfn(new)
    return Told(grfn.mu, grfn.sigma2, reg.predict_interval(new, LEVEL))


def stretched(X: Floats, y: Floats, new: Floats, seed: int) -> Told:
    return evidential(X, y, new, seed, calibration_fraction=0.25)


def as_defined(X: Floats, y: Floats, new: Floats, seed: int) -> Told:
    return evidential(X, y, new, seed, loss="belief")


def gaussian_process(X: Floats, y: Floats, new: Floats, seed: int) -> Told:
    scaler = StandardScaler().fit(X)
    kernel = ConstantKernel() * RBF(np.ones(X.shape[1])) + WhiteKernel()
    gp = GaussianProcessRegressor(kernel, normalize_y=True, random_state=seed)
    mu, sigma = gp.fit(scaler.transform(X), y).predict(scaler.transform(new), return_std=True)
    half = 1.6449 * sigma
    return Told(mu, sigma**2, np.column_stack([mu - half, mu + half]))


def boosting(X: Floats, y: Floats, new: Floats, seed: int) -> Told:
    def predict(**options: Any) -> Floats:
        model = HistGradientBoostingRegressor(random_state=seed, **options).fit(X, y)
        return np.asarray(model.predict(new))

    low, high = (predict(loss="quantile", quantile=q) for q in (0.05, 0.95))
    return Told(predict(), None, np.column_stack([low, high]))


def forest(X: Floats, y: Floats, new: Floats, seed: int) -> Told:
    parts = train_test_split(X, y, test_size=0.25, random_state=seed)
    model = RandomForestRegressor(random_state=seed).fit(parts[0], parts[2])
    errors = np.sort(abs(parts[3] - model.predict(parts[1])))
    half = errors[min(int(np.ceil(LEVEL * (len(errors) + 1))) - 1, len(errors) - 1)]
    mu = model.predict(new)
    return Told(mu, None, np.column_stack([mu - half, mu + half]))


METHODS = {
    "`EvidentialRegressor()`": evidential,
    "`EvidentialRegressor(calibration_fraction=0.25)`": stretched,
    '`EvidentialRegressor(loss="belief")`': as_defined,
    "`GaussianProcessRegressor`, a scale a feature": gaussian_process,
    "`RandomForestRegressor`, split conformal": forest,
    "`HistGradientBoostingRegressor`, quantiles": boosting,
}


def judged(method: Any, sample: list[Floats], seed: int) -> list[float]:
    """RMSE, coverage, median width, log score, seconds."""
    X, new, y, target = sample
    start = time.process_time()
    told = method(X, y, new, seed)
    seconds = time.process_time() - start
    low, high = told.interval.T
    error, scale = target - told.mu, y.std()
    score = np.nan
    if told.variance is not None:
        terms = np.log(2 * np.pi * told.variance / scale**2) + error**2 / told.variance
        score = float(terms.mean() / 2)
    return [
        float(np.sqrt((error**2).mean()) / scale),
        float(((low <= target) & (target <= high)).mean()),
        float(np.median(high - low) / scale),
        score,
        seconds,
    ]


def coverage_by_level(repeats: int) -> None:
    """Of belief intervals, as they are and stretched, over all sets."""
    print("\n| level |", "| ".join(f"{level} " for level in (0.5, 0.9, 0.95)), "|")
    for fraction in (None, 0.25):
        rows = []
        for seed in range(repeats):
            for X, new, y, target in samples(seed).values():
                reg = EvidentialRegressor(calibration_fraction=fraction, random_state=seed)
                reg.fit(X, y)
                ends = [reg.predict_interval(new, level).T for level in (0.5, 0.9, 0.95)]
                rows.append([((a <= target) & (target <= b)).mean() for a, b in ends])
        error = np.std(rows, axis=0) / len(rows) ** 0.5
        cells = [f"{m:.3f} ± {e:.3f}" for m, e in zip(np.mean(rows, axis=0), error, strict=True)]
        print(f"| `calibration_fraction={fraction}` |", " | ".join(cells), "|")


def main() -> None:
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    warnings.simplefilter("ignore")  # of Gaussian processes at the ends of their bounds
    sets = [samples(seed) for seed in range(repeats)]
    for name in sets[0]:
        print(f"\n{name}\n| method | RMSE | coverage | width | log score | seconds |")
        print("|---|---:|---:|---:|---:|---:|")
        for label, method in METHODS.items():
            rows = np.array([judged(method, one[name], seed) for seed, one in enumerate(sets)])
            mean, error = rows.mean(axis=0), rows.std(axis=0, ddof=1) / repeats**0.5
            score = "" if np.isnan(mean[3]) else f"{mean[3]:.2f}"
            print(
                f"| {label} | {mean[0]:.3f} ± {error[0]:.3f} | {mean[1]:.3f} ± {error[1]:.3f} "
                f"| {mean[2]:.2f} | {score} | {mean[4]:.2f} |",
                flush=True,
            )
    coverage_by_level(repeats)


if __name__ == "__main__":
    main()
