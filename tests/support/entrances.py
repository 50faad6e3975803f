"""Every public entrance that takes labels, scores or samples, called with any of them.

`labeled` calls get labels beside values that are right; `numbered` ones get values beside labels
that are right. Each is a table from a name to a function of the array that is tried.
"""

import inspect
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from dstheory import Frame
from dstheory.construct import bayesian
from evical import (
    EvidentialClassifier,
    EvidentialEnsemble,
    EvidentialFusion,
    EvidentialSource,
    calibrators,
    fusion,
    metrics,
    multiclass,
)
from evical.conformal import ConformalClassifier, ConformalScores
from evical.evaluation import Evaluation, compare
from evical.learners import (
    ConstrainedEvidentialCMeans,
    EvidentialCMeans,
    EvidentialKNeighborsClassifier,
    EvidentialKNNClustering,
    EvidentialNeuralClassifier,
    EvidentialRBFClassifier,
    EvidentialRegressor,
)
from evical.scores import ScoreCounts

N = 12
P = np.linspace(0.05, 0.95, N)
CODES = np.array([0, 1] * (N // 2))
X = np.stack([P, P[::-1] ** 2], axis=1)
TABLE = np.stack([1 - P, P], axis=1)
VALUES = {
    "y_prob": P,
    "y_belief": np.stack([P / 2, P], axis=1),
    "y_set": TABLE >= 0.4,
}
OPTIONS = {
    "rng": lambda: np.random.default_rng(0),
    "cost": lambda: [[0, 1], [1, 0]],
    "profit": lambda: [[1, 0], [0, 1]],
    "gain": lambda: np.ones(N),
}
BINARY = sorted(
    name
    for name in calibrators.__all__
    if inspect.isclass(getattr(calibrators, name)) and name != "BaseCalibrator"
)
MANY = sorted(
    name
    for name in multiclass.__all__
    if name.endswith("Calibrator") and name != "BaseMulticlassCalibrator"
)
CLASSIFIERS = {
    "classifier": lambda: EvidentialClassifier(LogisticRegression(), cv=2),
    "ensemble": lambda: EvidentialEnsemble([("one", LogisticRegression())], cv=2),
    "source": lambda: EvidentialSource(LogisticRegression()),
    "conformal": lambda: ConformalClassifier(LogisticRegression(), random_state=0),
    "latent": lambda: EvidentialClassifier(LogisticRegression(), calibrator="latent"),
    "neighbors": EvidentialKNeighborsClassifier,
    "neural": EvidentialNeuralClassifier,
    "rbf": EvidentialRBFClassifier,
}
LEARNERS = {
    "regressor": EvidentialRegressor,
    "c-means": EvidentialCMeans,
    "clusters": EvidentialKNNClustering,
    "constrained": ConstrainedEvidentialCMeans,
}


def refused(call: Callable[[Any], Any], value: Any, name: str, match: str | None = None) -> None:
    """Fail, by the name of the entrance, unless it refuses the value."""
    found = ""
    try:
        call(value)
    except (TypeError, ValueError) as error:
        found = str(error)
    if not re.search(match or ".", found):
        pytest.fail(f"{name}: {found or f'takes {value!r}'}")


def metric_calls() -> dict[str, tuple[Callable[..., Any], str, dict[str, Any]]]:
    """Metrics of labels: the function, the name of its values, and what else it needs."""
    found = {}
    for name in metrics.__all__:
        metric = getattr(metrics, name)
        names = list(inspect.signature(metric).parameters) if inspect.isfunction(metric) else []
        if names[:1] == ["y_true"]:
            options = {key: make() for key, make in OPTIONS.items() if key in names}
            if name == "solicitation_profit":
                options["cost"] = 0.5
            found[name] = metric, names[1], options
    return found


def labeled() -> dict[str, Callable[[Any, Any], Any]]:
    """Calls with labels (n,) of two classes, and the second of these."""
    calls: dict[str, Callable[[Any, Any], Any]] = {}
    for name, (metric, values, options) in metric_calls().items():
        named = "pos_label" in inspect.signature(metric).parameters

        def judge(
            y: Any,
            positive: Any,
            f: Any = metric,
            v: str = values,
            o: Any = options,
            named: bool = named,
        ) -> Any:
            return f(y, VALUES[v], **o, **({"pos_label": positive} if named else {}))

        calls[name] = judge
    for name in BINARY:
        calls[name] = lambda y, _, name=name: getattr(calibrators, name)().fit(P, y)
    for name in MANY:
        calls[name] = lambda y, _, name=name: getattr(multiclass, name)().fit(TABLE, y)
    for name, make in CLASSIFIERS.items():
        calls[name] = lambda y, _, make=make: make().fit(X, y)
    calls["fusion"] = lambda y, _: EvidentialFusion("stacked").fit([TABLE, TABLE], y)
    for name in ("Discounted", "Stacked"):
        calls[name] = lambda y, last, name=name: getattr(fusion, name)().fit(
            [bayesian(Frame(["a", "b"]), TABLE)] * 2, y
        )
    calls["Mixture"] = lambda y, last: fusion.Mixture(weights="likelihood").fit(
        [bayesian(Frame(["a", "b"]), TABLE)] * 2, y
    )
    calls["conformal scores"] = lambda y, _: ConformalScores.from_samples(TABLE, y)
    calls["evaluation"] = lambda y, last: Evaluation.from_predictions(
        y, scores=P, pos_label=last, n_resamples=None
    )
    calls["compare"] = lambda y, last: compare(P, y, methods=["logistic"], pos_label=last)
    return calls


def numbered() -> dict[str, Callable[[Any], Any]]:
    """Calls with an array (n,) of probabilities, beside labels 0 and 1."""
    calls: dict[str, Callable[[Any], Any]] = {}
    for name, (metric, values, options) in metric_calls().items():
        if values == "y_prob":
            calls[name] = lambda p, f=metric, o=options: f(CODES, p, **o)
    for name in BINARY:
        calls[name] = lambda p, name=name: getattr(calibrators, name)().fit(p, CODES)
    for name in MANY:
        calls[name] = lambda p, name=name: getattr(multiclass, name)().fit(p, CODES)
    calls["counts"] = lambda p: ScoreCounts.from_samples(p, CODES)
    calls["conformal scores"] = lambda p: ConformalScores.from_samples(p, CODES)
    calls["evaluation"] = lambda p: Evaluation.from_predictions(CODES, scores=p, n_resamples=None)
    calls["weights"] = lambda w: metrics.brier_score(CODES, P, sample_weight=w)
    return calls


def featured() -> dict[str, Callable[[Any], Any]]:
    """Calls with samples (n, 2), beside labels 0 and 1: fits, and predictions of the fitted."""
    calls: dict[str, Callable[[Any], Any]] = {}
    for name, make in {**CLASSIFIERS, **LEARNERS}.items():
        calls[f"{name} fit"] = lambda x, make=make: make().fit(x, CODES)
    for name, make in CLASSIFIERS.items():
        calls[f"{name} predict"] = lambda x, make=make: make().fit(X, CODES).predict_proba(x)
    return calls
