"""What wrapping a classifier costs: EvidentialClassifier against CalibratedClassifierCV.

Run with ``python -m tests.benchmarks.bench_wrapping``. Seconds of CPU of a fit with five folds, on
one thread, the best of three; and the ratio to CalibratedClassifierCV with ``ensemble=False`` and
the same folds, in the same run. The default learns its calibrator from all out-of-fold scores with
AutoCalibrator, which takes 15 to 30 ms; a sigmoid shows what the wrapper itself costs.
"""

from collections.abc import Callable
from time import process_time
from typing import Any

from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from evical import EvidentialClassifier
from evical.calibrators import LogisticCalibrator

CLASSIFIERS = {
    "logistic regression": LogisticRegression(max_iter=1000),
    "SVC": SVC(),
    "random forest": RandomForestClassifier(random_state=0),
}
WRAPPERS: dict[str, Callable[[Any], Any]] = {
    "CalibratedClassifierCV": lambda c: CalibratedClassifierCV(c, ensemble=False, cv=5),
    "EvidentialClassifier": lambda c: EvidentialClassifier(c, cv=5),
    "with a sigmoid": lambda c: EvidentialClassifier(
        c, calibrator=LogisticCalibrator(model="bayesian"), cv=5
    ),
}


def seconds(wrapper: Callable[[Any], Any], classifier: Any, X: Any, y: Any) -> float:
    """CPU time of the fastest of three fits."""
    times = []
    for _ in range(3):
        start = process_time()
        wrapper(classifier).fit(X, y)
        times.append(process_time() - start)
    return min(times)


def main() -> None:
    for n in (500, 1000, 5000):
        X, y = make_classification(n, 20, n_informative=8, random_state=0)
        for name, classifier in CLASSIFIERS.items():
            found = [seconds(wrapper, classifier, X, y) for wrapper in WRAPPERS.values()]
            cells = zip(WRAPPERS, found, strict=True)
            text = "  ".join(f"{label} {time:.3f} ({time / found[0]:.2f})" for label, time in cells)
            print(f"{n:>5} {name:20} {text}", flush=True)


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
