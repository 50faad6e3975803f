"""Constrained clustering with and without a warm-up, in which constraints gain weight by degrees.

Run with ``python -m tests.benchmarks.bench_links`` from the repository (half a minute).

Protocol: blobs, moons, iris and wine (five standardized features) in turn, with 10, 40, 150 or 400
random pairs that must or cannot be together as their true clusters say, a trade-off of 0.3, 0.5 or
0.7, one metric or one for each cluster. Problems 0 to 47 served to choose the warm-up, 48 to 143
did not. Each problem starts from the same centers of k-means. Excess: mean of the cost above the
least of all ways, as a share of that. Seconds are CPU time, all problems together.
"""

import time

import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris, load_wine, make_blobs, make_moons
from sklearn.preprocessing import StandardScaler

from evical.learners._clustering import members_of
from evical.learners._constrained_c_means import WARM_UP, Links, Objective, improve

WAYS = {
    "at once": (),
    "the default, 27 rounds": WARM_UP,
    "5 shares from 0.01, 12 rounds": np.repeat(np.geomspace(0.01, 1, 5)[:-1], 3),
    "20 shares from 0.01, 57 rounds": np.repeat(np.geomspace(0.01, 1, 20)[:-1], 3),
    "5 shares from 0.1, 12 rounds": np.repeat(np.geomspace(0.1, 1, 5)[:-1], 3),
}


def problem(seed):
    """Objective, samples, and centers to start from."""
    rng = np.random.default_rng(seed)
    if seed % 4 == 0:
        X, y = make_blobs(120, centers=3, cluster_std=1.5, random_state=seed)
    elif seed % 4 == 1:
        X, y = make_moons(150, noise=0.1, random_state=seed)
    elif seed % 4 == 2:
        X, y = load_iris(return_X_y=True)
    else:
        X, y = load_wine(return_X_y=True)
        X = StandardScaler().fit_transform(X)[:, :5]
    X = X - X.mean(axis=0)
    pairs = rng.choice(len(X), (10 * (1, 4, 15, 40)[seed // 4 % 4], 2))
    pairs = np.unique(np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1), axis=0)
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    n_clusters = len(np.unique(y))
    objective = Objective(
        members_of(n_clusters, "pairs", empty=False),
        1.0,
        None,
        (0.3, 0.5, 0.7)[seed // 16 % 3],
        float(X.var(axis=0).mean()),
        Links.of(len(X), pairs[same], pairs[~same]),
        bool(seed // 2 % 2),
    )
    start = KMeans(n_clusters, n_init=1, random_state=seed).fit(X).cluster_centers_
    return objective, X, start


def main() -> None:
    for title, seeds in (("chosen on", range(48)), ("new", range(48, 144))):
        costs, seconds = {}, {}
        for way, warm_up in WAYS.items():
            begin = time.process_time()
            costs[way] = [
                improve(*problem(seed), 1e-6, 500, warm_up=warm_up).costs[-1] for seed in seeds
            ]
            seconds[way] = time.process_time() - begin
        least = np.min(list(costs.values()), axis=0)
        print(f"\n| {title}, {len(seeds)} problems | excess, % | greatest, % | seconds |")
        print("|---|---:|---:|---:|")
        for way, each in costs.items():
            excess = 100 * (np.array(each) / least - 1)
            print(f"| {way} | {excess.mean():.2f} | {excess.max():.1f} | {seconds[way]:.1f} |")


if __name__ == "__main__":
    main()
