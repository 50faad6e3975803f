"""How often the intervals of `BootClus` hold the true probability that two samples are together.

Samples of mixtures whose parameters are known; clusters and kind of covariance are given. Coverage
is the share of pairs whose interval holds the probability by the true mixture, its mean over
repeats with its standard error. Run with ``python -m tests.benchmarks.bench_boot_clusters`` from
the repository; it takes some minutes.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.stats import multivariate_normal

from evical.learners import BootClus
from evical.learners._boot_clusters import Pairs
from evical.learners._clustering import members_of

REPEATS, N_BOOTSTRAPS = 20, 100
MEANS = {
    "two clusters, 2 apart": [[0.0, 0], [2, 0]],
    "two clusters, 3 apart": [[0.0, 0], [3, 0]],
    "three clusters, 3 apart": [[0.0, 0], [3, 0], [1.5, 2.6]],
}


def truth(X: NDArray[np.float64], means: list[list[float]]) -> NDArray[np.float64]:
    """Probability of each pair to be in the same cluster, by the true mixture."""
    density = np.column_stack([multivariate_normal(mean).pdf(X) for mean in means])
    posterior = density / density.sum(axis=1, keepdims=True)
    return np.asarray(posterior @ posterior.T)


def coverage(means: list[list[float]], n: int, seed: int) -> list[float]:
    """Of percentile intervals and of [Bel, Pl], and the mean width of both."""
    rng = np.random.default_rng(seed)
    X = np.array(means)[rng.integers(0, len(means), n)] + rng.normal(size=(n, 2))
    clusters = BootClus(
        n_clusters=len(means), covariance_type="full", n_bootstraps=N_BOOTSTRAPS, random_state=seed
    ).fit(X)
    p, off = truth(X, means), ~np.eye(n, dtype=bool)
    beliefs = Pairs(members_of(len(means), "pairs")).interval(np.asarray(clusters.mass_.masses))
    found = []
    for interval in (clusters.interval_, beliefs):
        found.append(float(((interval[..., 0] <= p) & (p <= interval[..., 1]))[off].mean()))
    for interval in (clusters.interval_, beliefs):
        found.append(float((interval[..., 1] - interval[..., 0])[off].mean()))
    return found


def main() -> None:
    print("| mixture | n | percentiles | [Bel, Pl] | widths |\n|---|---:|---:|---:|---:|")
    for name, means in MEANS.items():
        for n in (100, 300):
            found = np.array([coverage(means, n, seed) for seed in range(REPEATS)])
            mean, error = found.mean(axis=0), found.std(axis=0, ddof=1) / REPEATS**0.5
            cells = [f"{mean[k]:.2f} ± {error[k]:.2f}" for k in (0, 1)]
            print(
                "|",
                name,
                "|",
                n,
                "|",
                " | ".join(cells),
                f"| {mean[2]:.2f}, {mean[3]:.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
