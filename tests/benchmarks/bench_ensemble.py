"""What a learned fusion costs: EvidentialEnsemble against StackingClassifier.

Run with ``python -m tests.benchmarks.bench_ensemble``. Seconds of CPU of a fit with five folds, on
one thread, the best of three; and the ratio to StackingClassifier with the same members and folds,
in the same run. Both train each member six times (the ensemble five times where scores of the folds
are unlike); the ensemble also calibrates each.

``cheap`` instead: naive Bayes and logistic regression on two classes, so that calibration shows;
medians of nine alternating fits. In November 2026: 1.9, 2.1 and 1.7 times stacking for 500, 2,000
and 10,000 samples.

``rows`` instead: logistic regression and naive Bayes, so that all else shows. A fit to 100,000 rows
of 20 features beside StackingClassifier, and predictions of a million beside the members' own, with
the memory that they add at most (Linux). In November 2026: 1.4 times stacking; 1.2 to 1.3 times
the members' own, with 320 MB, no more than these take.
"""

import re
import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    StackingClassifier,
)
from sklearn.linear_model import LogisticRegression
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


def seconds(way: Callable[[Any], Any], X: Any, y: Any, members: Any = None) -> float:
    """CPU time of the fastest of three fits."""
    times = []
    for _ in range(3):
        model = way([(name, clone(member)) for name, member in members or MEMBERS])
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


def cheap() -> None:
    """Two cheap members, two classes."""
    members = [("bayes", GaussianNB()), ("logistic", LogisticRegression())]
    for n in (500, 2_000, 10_000):
        X, y = make_classification(n, 20, n_informative=8, flip_y=0.1, random_state=0)
        times = []
        for _ in range(10):
            for way in list(WAYS)[:2]:
                model = WAYS[way](members)
                start = process_time()
                model.fit(X, y)
                times.append(process_time() - start)
        stacking, ours = np.reshape(times, (-1, 2))[1:].T  # the first pair loads modules
        low, middle, high = np.quantile(ours / stacking, [0.25, 0.5, 0.75])
        print(
            f"{n:>6} samples: stacking {np.median(stacking):.3f}, ours {np.median(ours):.3f}, "
            f"ratio {middle:.2f} (quartiles {low:.2f} to {high:.2f})",
            flush=True,
        )


def memory(kind: str) -> float:
    """Megabytes of this process: VmRSS now, VmHWM at most since the last call for that."""
    status = Path("/proc/self/status").read_text()
    Path("/proc/self/clear_refs").write_text("5")
    found = re.search(rf"{kind}:\s+(\d+)", status)
    return int(found[1]) / 1024 if found else float("nan")


def rows() -> None:
    """Cheap members, many rows."""
    rng = np.random.default_rng(0)
    center = 0.4 * rng.normal(size=(2, 20))

    def draw(n: int) -> tuple[Any, Any]:
        y = rng.integers(2, size=n)
        return center[y] + rng.normal(size=(n, 20)), y

    members = [("logistic", LogisticRegression()), ("bayes", GaussianNB())]
    X, y = draw(100_000)
    found = [seconds(WAYS[way], X, y, members) for way in list(WAYS)[:2]]
    print(f"fit of 100,000 rows: stacking {found[0]:.2f}, ours {found[1]:.2f}", flush=True)
    ours = EvidentialEnsemble(members).fit(X[:5000], y[:5000])
    others, _ = draw(1_000_000)
    parts = [part.estimator for one in ours.estimators_ for part in one.calibrated_classifiers_]
    ways: dict[str, Callable[[], Any]] = {
        "the members' own": lambda: [part.predict_proba(others) for part in parts],
        "predict": lambda: ours.predict(others),
        "predict_proba": lambda: ours.predict_proba(others),
        "predict_interval": lambda: ours.predict_interval(others),
    }
    for name, way in ways.items():
        way()
        times, before = [], memory("VmRSS")
        for _ in range(3):
            start = process_time()
            way()
            times.append(process_time() - start)
        added = memory("VmHWM") - before
        print(f"{name} of 1,000,000 rows: {min(times):.2f} s, {added:.0f} MB", flush=True)


if __name__ == "__main__":
    with threadpool_limits(1):
        {"rows": rows, "cheap": cheap}.get("".join(sys.argv[1:]), main)()
