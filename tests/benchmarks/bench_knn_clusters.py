"""How many neighbors `EvidentialKNNClustering` should take: settings on twenty data sets.

Run with ``python -m tests.benchmarks.bench_knn_clusters`` from the repository. The default was
chosen before these samples were drawn; scikit-learn's own sets were known.
"""

from itertools import product
from typing import Any

import numpy as np
from sklearn.datasets import (
    load_breast_cancer,
    load_digits,
    load_iris,
    load_wine,
    make_blobs,
    make_circles,
    make_moons,
)
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler

from evical.learners import EvidentialKNNClustering

FACTORS, QUANTILES, EXPONENTS = (1, 2, 3, 4, 6), (0.5, 0.9), (1.0, 2.0)
DEFAULT = (3, 0.5, 1.0)
STARTS = 3


def data_sets() -> dict[str, tuple[Any, Any]]:
    """Features and true clusters by name."""
    found = {
        f"blobs {n}, {k} clusters, spread {s:g}": make_blobs(
            n, centers=k, cluster_std=s, random_state=100 + n + k
        )
        for n, k, s in (
            (100, 2, 1),
            (200, 3, 1),
            (300, 5, 1),
            (600, 4, 1.5),
            (600, 8, 0.7),
            (1000, 10, 0.5),
            (1500, 3, 2),
        )
    }
    found["unequal blobs"] = make_blobs([400, 100, 50], cluster_std=[1, 0.5, 1], random_state=101)
    X, y = make_blobs(500, centers=3, random_state=102)
    found["stretched blobs"] = X @ np.array([[0.6, -0.6], [-0.4, 0.8]]), y
    for n, noise in ((200, 0.05), (600, 0.1), (1500, 0.1)):
        found[f"moons {n}, noise {noise}"] = make_moons(n, noise=noise, random_state=103 + n)
    for n, noise in ((300, 0.03), (1000, 0.05)):
        found[f"circles {n}"] = make_circles(n, noise=noise, factor=0.4, random_state=104)
    for d in (5, 20):
        found[f"blobs of {d} features"] = make_blobs(
            400, d, centers=4, random_state=105, cluster_std=2
        )
    for name, load in (
        ("iris", load_iris),
        ("wine", load_wine),
        ("breast cancer", load_breast_cancer),
        ("digits", load_digits),
    ):
        found[name] = load(return_X_y=True)
    return {name: (StandardScaler().fit_transform(X), y) for name, (X, y) in found.items()}


def agreement(X: Any, y: Any, setting: tuple[float, float, float]) -> float:
    """Mean adjusted Rand index over starts."""
    factor, quantile, exponent = setting
    n_neighbors = min(len(X) - 1, round(factor * len(X) ** 0.5))
    found = [
        EvidentialKNNClustering(
            n_neighbors=n_neighbors, quantile=quantile, exponent=exponent, random_state=seed
        ).fit(X)
        for seed in range(STARTS)
    ]
    return float(np.mean([adjusted_rand_score(y, one.labels_) for one in found]))


def main() -> None:
    sets = data_sets()
    settings = list(product(FACTORS, QUANTILES, EXPONENTS))
    scores = {one: np.array([agreement(X, y, one) for X, y in sets.values()]) for one in settings}
    default = scores[DEFAULT]
    print("| neighbors / sqrt(n) | quantile | exponent | adjusted Rand index | less the default |")
    print("|---:|---:|---:|---:|---:|")
    for setting in sorted(settings, key=lambda one: -scores[one].mean()):
        gap = scores[setting] - default
        error = gap.std(ddof=1) / len(gap) ** 0.5
        row = f"| {setting[0]} | {setting[1]} | {setting[2]:g} | {scores[setting].mean():.3f} "
        print(f"{row}| {gap.mean():+.3f} ± {error:.3f} |")
    for name, score in zip(sets, default, strict=True):
        print(f"{name}: {score:.2f}")


if __name__ == "__main__":
    main()
