"""What a learned fusion costs: EvidentialEnsemble against StackingClassifier.

Run with ``python -m tests.benchmarks.bench_ensemble``. Seconds of CPU of a fit with five folds, on
one thread, the best of three; and the ratio to StackingClassifier with the same members and folds,
in the same run. Both train each member six times (the ensemble five times where scores of the folds
are unlike); the ensemble also calibrates each.
"""

from collections.abc import Callable
from time import process_time
from typing import Any

from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    StackingClassifier,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from evical import EvidentialEnsemble

MEMBERS = [
    ("boosting", HistGradientBoostingClassifier(max_iter=60, random_state=0)),
    ("forest", RandomForestClassifier(random_state=0)),
    ("svc", SVC()),
    ("bayes", GaussianNB()),
]
WAYS: dict[str, Callable[[Any], Any]] = {
    "StackingClassifier": lambda members: StackingClassifier(members, cv=5),
    "EvidentialEnsemble": lambda members: EvidentialEnsemble(members, cv=5),
    "with Dempster's rule": lambda members: EvidentialEnsemble(members, rule="dempster", cv=5),
}


def seconds(way: Callable[[Any], Any], X: Any, y: Any) -> float:
    """CPU time of the fastest of three fits."""
    times = []
    for _ in range(3):
        model = way([(name, clone(member)) for name, member in MEMBERS])
        start = process_time()
        model.fit(X, y)
        times.append(process_time() - start)
    return min(times)


def main() -> None:
    for n_classes, n in ((2, 500), (2, 5000), (5, 2000)):
        X, y = make_classification(
            n, 20, n_informative=8, n_classes=n_classes, flip_y=0.1, random_state=0
        )
        found = [seconds(way, X, y) for way in WAYS.values()]
        cells = zip(WAYS, found, strict=True)
        text = "  ".join(f"{label} {time:.2f} ({time / found[0]:.2f})" for label, time in cells)
        print(f"{n_classes} classes, {n:>5} samples: {text}", flush=True)


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
