"""Nine scenarios of sources that say something about the same samples, none with labels."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from evical._typing import Floats
from evical.classifier import EvidentialClassifier
from examples.studies.fusion_benchmark.study import unequal_parts

__all__ = ["SCENARIOS", "sources"]

Rows = NDArray[np.intp]

SCENARIOS = {
    "different": "eight different classifiers of all samples and features",
    "useless features": "eight classifiers of a few features each; half of all features are noise",
    "disjoint": "up to ten classifiers of disjoint samples, each with three quarters as many",
    "copies": "seven linear classifiers of the same few features, and three better ones",
    "bagged": "ten trees on bootstrap samples",
    "votes": "eight different classifiers that only name a class",
    "weak": "ten small trees of two features each",
    "useless majority": "four classifiers, and six that learned from permuted labels",
    "swapped": "six classifiers, and one that learned from swapped labels",
}
"""Name of each scenario, and what its sources are."""


def _scaled(classifier: Any) -> Any:
    return make_pipeline(StandardScaler(), classifier)


def _classifiers() -> list[Any]:
    return [
        GaussianNB(),
        _scaled(LogisticRegression()),
        _scaled(KNeighborsClassifier(10)),
        DecisionTreeClassifier(max_depth=6, random_state=0),
        RandomForestClassifier(50, random_state=0),
        ExtraTreesClassifier(50, random_state=0),
        _scaled(MLPClassifier((30,), max_iter=100, random_state=0)),
        _scaled(LinearDiscriminantAnalysis()),
    ]


def sources(
    scenario: str, calibrated: bool, X: Floats, y: Rows, new: Floats, rng: np.random.Generator
) -> Floats:
    """Probabilities of each source about new samples.

    Parameters
    ----------
    scenario : str
    calibrated : bool
        Whether `EvidentialClassifier` calibrates each source, or it gives its `predict_proba`.
    X, y : training samples and labels
    new : (m, d) array
    rng : Generator

    Returns
    -------
    (S, m, K) array
    """
    if scenario == "useless features":
        noise = rng.normal(size=(len(X) + len(new), X.shape[1]))
        X, new = np.hstack([X, noise[: len(X)]]), np.hstack([new, noise[len(X) :]])
    found = []
    for classifier, columns, rows, labels in _members(scenario, X, y, rng):
        model = EvidentialClassifier(classifier) if calibrated else clone(classifier)
        try:
            model.fit(X[np.ix_(rows, columns)], labels[rows])
            said = model.predict_proba(new[:, columns])
        except ValueError:  # ten neighbors among nine samples: the source is left out
            continue
        p = np.zeros((len(new), y.max() + 1))
        p[:, model.classes_] = said / said.sum(axis=1, keepdims=True)  # some are float32
        found.append(p)
    table = np.stack(found)
    return np.eye(table.shape[2])[table.argmax(axis=2)] if scenario == "votes" else table


def _members(
    scenario: str, X: Floats, y: Rows, rng: np.random.Generator
) -> Iterator[tuple[Any, Rows, Rows, Rows]]:
    """Classifier, columns, rows and labels of each source."""
    n, d = X.shape
    columns, rows, classifiers = np.arange(d), np.arange(n), _classifiers()
    if scenario in ("different", "votes"):
        yield from ((one, columns, rows, y) for one in classifiers)
    elif scenario == "useless features":
        for one in classifiers:
            yield one, rng.choice(columns, max(1, d // 6), replace=False), rows, y
    elif scenario == "disjoint":
        for at, part in enumerate(unequal_parts(y, rng)):
            yield classifiers[at % 3], columns, part, y
    elif scenario == "copies":
        few = rng.choice(columns, max(1, d // 5), replace=False)
        for _ in range(7):
            yield classifiers[1], few, rng.integers(0, n, size=(n,)), y
        yield from ((classifiers[at], columns, rows, y) for at in (4, 2, 0))
    elif scenario == "bagged":
        for _ in range(10):
            tree = DecisionTreeClassifier(min_samples_leaf=3, random_state=0)
            yield tree, columns, rng.integers(0, n, size=(n,)), y
    elif scenario == "weak":
        for _ in range(10):
            tree = DecisionTreeClassifier(max_depth=2, random_state=0)
            yield tree, rng.choice(columns, min(d, 2), replace=False), rows, y
    elif scenario == "useless majority":
        yield from ((classifiers[at], columns, rows, y) for at in (0, 1, 2, 4))
        for at in (0, 1, 2, 3, 6, 7):
            yield clone(classifiers[at]), columns, rows, rng.permutation(y)
    else:
        yield from ((one, columns, rows, y) for one in classifiers[:6])
        yield classifiers[7], columns, rows, (y + 1) % (y.max() + 1)
