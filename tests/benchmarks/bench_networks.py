"""Networks of prototypes beside scikit-learn's network, and beside a loop over samples.

Run with ``python -m tests.benchmarks.bench_networks`` from the repository. Times are CPU seconds.
"""

import time
import warnings
from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import StandardScaler

from evical.learners import EvidentialNeuralClassifier, EvidentialRBFClassifier
from evical.learners._evidence import log_loss
from evical.learners._prototype_classifier import Committed, Network, TrainingSamples, cost
from tests.benchmarks.bench_learners import losses
from tests.support.data_folder import DATA

HIDDEN = 50
METHODS: dict[str, Any] = {
    "MLPClassifier": MLPClassifier((HIDDEN,), max_iter=1000, random_state=0),
    "EvidentialNeuralClassifier": EvidentialNeuralClassifier(n_prototypes=HIDDEN, random_state=0),
    "EvidentialRBFClassifier": EvidentialRBFClassifier(n_prototypes=HIDDEN, random_state=0),
}

HELD_BACK = (
    *("ionosphere", "ecoli", "heart", "australian", "german_numeric", "segment", "iris"),
    *("balance_scale", "banknote"),
)
"""Defaults were chosen on wine, breast cancer, digits, glass, vehicle, diabetes, and sonar."""

DEFAULTS: dict[str, Any] = {
    "LogisticRegression()": LogisticRegression(max_iter=2000),
    "KNeighborsClassifier(10)": KNeighborsClassifier(10),
    "MLPClassifier()": MLPClassifier(max_iter=1000, random_state=0),
    "EvidentialNeuralClassifier()": EvidentialNeuralClassifier(random_state=0),
    "EvidentialRBFClassifier()": EvidentialRBFClassifier(random_state=0),
}


def seconds(function: Callable[[], Any], repeats: int = 1) -> float:
    """CPU seconds of a call, the least of some."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times)


def fits(X: Any, y: Any) -> None:
    """Times of whole fits, and of predictions."""
    for name, method in METHODS.items():
        fit = seconds(partial(method.fit, X, y))
        predict = seconds(partial(method.predict_proba, X), 3)
        print(
            f"digits, {HIDDEN} units: {name} fit {fit:.2f} s ({method.n_iter_} iterations), ",
            end="",
        )
        print(f"predict {predict * 1000:.0f} ms")


def gradient(X: Any, y: Any) -> None:
    """One cost with its gradient, at once and sample by sample."""
    rng = np.random.default_rng(0)
    n, k = len(X), 10
    output = Committed(np.zeros(HIDDEN), rng.uniform(0.1, 1, (HIDDEN, k)))
    network = Network(X[:HIDDEN], np.full(HIDDEN, 0.2), output)
    samples = TrainingSamples(X, np.eye(k)[:, y], np.full(n, 1 / n))
    loss = partial(log_loss, part=1 / k)

    def loop() -> None:
        for i in range(n):
            one = TrainingSamples(
                X[i : i + 1], samples.target[:, i : i + 1], samples.weight[i : i + 1]
            )
            cost(network, one, loss, 0.0)

    at_once = seconds(lambda: cost(network, samples, loss, 0.0), 5)
    each = seconds(loop)
    print(
        f"gradient, {n} samples: {at_once * 1000:.1f} ms, a loop over samples {each:.2f} s, ",
        end="",
    )
    print(f"ratio {each / at_once:.0f}")
    if find_spec("evtools") is None:
        return
    other = partial(import_module("evtools.classifiers.enn")._cost_and_grad, loss="ce_plp")
    parts = (network.prototypes, network.roots / 2**0.5, output.roots, output.logits)
    theirs = seconds(lambda: other(*parts, X, samples.target, 0.1, 0.0), 5)
    print(f"evtools {theirs * 1000:.0f} ms, ratio {theirs / at_once:.1f}")


def held_back() -> None:
    """Log loss and error on data sets that chose no default."""
    if DATA is None or not (DATA / "ionosphere.csv").exists():
        return
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in DEFAULTS}
    for name in HELD_BACK:
        table = pd.read_csv(DATA / f"{name}.csv").dropna()
        y = pd.factorize(table.iloc[:, -1])[0]
        kept = np.isin(y, np.flatnonzero(np.bincount(y) >= 10))
        X = pd.get_dummies(table.iloc[:, :-1]).to_numpy(dtype=float)[kept]
        y = np.unique(y[kept], return_inverse=True)[1]
        for method, model in DEFAULTS.items():
            loss, error, wrong = losses(model, X, y)
            found[method].append((loss, wrong))
            print(f"{name}, {method}: {loss:.3f} ± {error:.3f}, {wrong:.3f}", flush=True)
    for method, pairs in found.items():
        loss, wrong = np.mean(pairs, axis=0)
        print(f"mean of {len(pairs)} data sets, {method}: {loss:.3f}, {wrong:.3f}")


def unseen() -> None:
    """How well doubt ranks samples of a class that was left out above those of known classes."""
    doubts: dict[str, Callable[[Any, Any], Any]] = {
        "MLPClassifier()": lambda model, Z: 1 - model.predict_proba(Z).max(axis=1),
        "EvidentialNeuralClassifier()": gap,
        "EvidentialRBFClassifier()": gap,
    }
    for load in (load_iris, load_wine, load_digits):
        X, y = load(return_X_y=True)
        found: dict[str, list[float]] = {name: [] for name in doubts}
        for k in np.unique(y):
            train, known = train_test_split(
                np.flatnonzero(y != k), train_size=2 / 3, random_state=0
            )
            scale = StandardScaler().fit(X[train])
            Z = scale.transform(np.concatenate([X[known], X[y == k]]))
            strange = np.arange(len(Z)) >= len(known)
            for name, doubt in doubts.items():
                model = DEFAULTS[name].fit(scale.transform(X[train]), y[train])
                found[name].append(float(roc_auc_score(strange, doubt(model, Z))))
        for name, areas in found.items():
            print(f"{load.__name__}, a class left out, {name}: AUC {np.mean(areas):.2f}")


def gap(model: Any, Z: Any) -> Any:
    """Plausibility minus belief, the greatest of all classes."""
    interval = model.predict_interval(Z).reshape(len(Z), -1, 2)
    return (interval[..., 1] - interval[..., 0]).max(axis=1)


def main() -> None:
    warnings.simplefilter("ignore")  # of iterations of scikit-learn's network
    X, y = load_digits(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    fits(X, y)
    gradient(X, y)
    unseen()
    held_back()


if __name__ == "__main__":
    main()
