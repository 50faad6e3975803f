"""Learners beside calibrated classifiers, scikit-learn's neighbors, and clusters of evclust.

Run with ``python -m tests.benchmarks.bench_learners`` from the repository. Times are CPU seconds.
"""

import time
import warnings
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine, make_blobs
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from evical import EvidentialClassifier
from evical.learners import (
    EvidentialKNeighborsClassifier,
    EvidentialNeuralClassifier,
    EvidentialRBFClassifier,
)
from evical.learners._c_means import Cost, Features, alternate
from evical.learners._clustering import members_of

SETS = {"iris": load_iris, "wine": load_wine, "breast": load_breast_cancer, "digits": load_digits}
NEAREST = KNeighborsClassifier(10)
LOGISTIC = LogisticRegression(max_iter=2000)
METHODS: dict[str, Any] = {
    "KNeighborsClassifier(10)": NEAREST,
    "EvidentialKNeighborsClassifier(n_neighbors=10)": EvidentialKNeighborsClassifier(
        n_neighbors=10
    ),
    "EvidentialKNeighborsClassifier(n_neighbors=10), contextual": EvidentialKNeighborsClassifier(
        n_neighbors=10, discounting="contextual"
    ),
    "EvidentialClassifier(KNeighborsClassifier(10))": EvidentialClassifier(NEAREST),
    "EvidentialNeuralClassifier()": EvidentialNeuralClassifier(random_state=0),
    "EvidentialRBFClassifier()": EvidentialRBFClassifier(random_state=0),
    "LogisticRegression()": LOGISTIC,
    'EvidentialClassifier(LogisticRegression(), calibrator="latent")': EvidentialClassifier(
        LOGISTIC, calibrator="latent"
    ),
    "EvidentialClassifier(LogisticRegression())": EvidentialClassifier(LOGISTIC),
}


def losses(method: Any, X: Any, y: Any) -> tuple[float, float, float]:
    """Mean log loss, its standard error over samples, and the error rate."""
    loss, wrong = [], []
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
        model = make_pipeline(StandardScaler(), method).fit(X[train], y[train])
        p = model.predict_proba(X[test])
        right = p[np.arange(len(test)), np.searchsorted(model.classes_, y[test])]
        loss += (-np.log(np.maximum(right, 1e-12))).tolist()
        wrong += (model.classes_[p.argmax(axis=1)] != y[test]).tolist()
    return float(np.mean(loss)), float(np.std(loss) / len(loss) ** 0.5), float(np.mean(wrong))


def seconds(function: Callable[[], Any]) -> float:
    """CPU seconds of a call, the least of three."""
    times = []
    for _ in range(3):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times)


def main() -> None:
    warnings.simplefilter("ignore")  # of rare classes in folds
    print("| method |", " | ".join(SETS), "|\n| --- |", " ---: |" * len(SETS))
    for name, method in METHODS.items():
        cells = []
        for load in SETS.values():
            loss, error, wrong = losses(method, *load(return_X_y=True))
            cells.append(f"{loss:.3f} ± {error:.3f}, {wrong:.3f}")
        print(f"| `{name}` |", " | ".join(cells), "|")
    rng = np.random.default_rng(0)
    X, new = rng.normal(size=(20_000, 5)), rng.normal(size=(100_000, 5))
    y = (X[:, 0] > 0) + (X[:, 1] > 0)
    own = EvidentialKNeighborsClassifier(n_neighbors=15).fit(X, y)
    other = KNeighborsClassifier(15).fit(X, y)
    mine, theirs = seconds(lambda: own.predict_mass(new)), seconds(lambda: other.predict_proba(new))
    fit = seconds(lambda: EvidentialKNeighborsClassifier(n_neighbors=15).fit(X, y))
    print(f"100,000 samples, 15 of 20,000 neighbors: {mine:.2f} s, scikit-learn {theirs:.2f} s")
    print(f"ratio {mine / theirs:.2f}; fit of 20,000 samples {fit:.2f} s")
    clusters()


def clusters() -> None:
    """Evidential c-means beside the package evclust, from the same centers, if it is installed."""
    X, _ = make_blobs(1000, centers=4, random_state=0)
    cost = Cost(members_of(4, "all"), 1, 2, 10)
    mine = seconds(lambda: alternate(cost, Features(X), X[:4], 1e-7, 500))
    print(f"c-means, 1,000 samples, 15 sets: {mine:.3f} s", end="")
    if find_spec("evclust") is None:
        print()
        return
    ecm = import_module("evclust.ecm").ecm
    theirs = seconds(lambda: ecm(X, 4, g0=X[:4].copy(), epsi=1e-3, disp=False))
    print(f", evclust {theirs:.2f} s, ratio {mine / theirs:.4f}")


if __name__ == "__main__":
    main()
