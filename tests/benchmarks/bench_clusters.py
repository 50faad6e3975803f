"""Clusterings beside those of the package evclust, if it is installed, and of scikit-learn.

Run with ``python -m tests.benchmarks.bench_clusters`` from the repository. Times are CPU seconds.
"""

import time
import warnings
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.cluster import DBSCAN
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score, pairwise_distances
from sklearn.mixture import GaussianMixture

from evical.learners import (
    BootClus,
    ConstrainedEvidentialCMeans,
    EvidentialCMeans,
    EvidentialKNNClustering,
)

N = 1000


def seconds(function: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds of a call, the least of two, and its result."""
    times = []
    for _ in range(2):
        start = time.process_time()
        found = function()
        times.append(time.process_time() - start)
    return min(times), found


def main() -> None:
    warnings.simplefilter("ignore")
    X, y = make_blobs(N, centers=4, random_state=0)
    D = pairwise_distances(X)
    pairs = np.random.default_rng(0).integers(0, N, (400, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    linked = {"must_link": pairs[same], "cannot_link": pairs[~same]}
    ways: dict[str, Callable[[], Any]] = {
        "EvidentialCMeans": lambda: EvidentialCMeans(n_clusters=4, random_state=0).fit(X).labels_,
        "EvidentialCMeans, distances": lambda: (
            EvidentialCMeans(
                n_clusters=4, focal="all", beta=1.5, delta=10, metric="precomputed", random_state=0
            )
            .fit(D)
            .labels_
        ),
        "ConstrainedEvidentialCMeans": lambda: (
            ConstrainedEvidentialCMeans(n_clusters=4, random_state=0).fit(X, **linked).labels_
        ),
        "EvidentialKNNClustering": lambda: EvidentialKNNClustering(random_state=0).fit(X).labels_,
        "BootClus, 100 bootstraps": lambda: (
            BootClus(n_clusters=4, covariance_type="full", n_bootstraps=100, random_state=0)
            .fit(X)
            .labels_
        ),
        "DBSCAN": lambda: DBSCAN().fit(X).labels_,
        "GaussianMixture": lambda: GaussianMixture(4, random_state=0).fit(X).predict(X),
    }
    if find_spec("evclust") is not None:
        recm = import_module("evclust.recm").recm
        ways["recm of evclust"] = lambda: np.asarray(
            recm(D**2, 4, delta=np.float64(10), maxit=20, disp=False)["y_pl"]
        )
    print("| clustering | seconds | adjusted Rand index |\n|---|---:|---:|")
    for name, way in ways.items():
        taken, labels = seconds(way)
        print(f"| `{name}` | {taken:.3f} | {adjusted_rand_score(y, np.ravel(labels)):.2f} |")


if __name__ == "__main__":
    main()
