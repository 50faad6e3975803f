"""Write conformal.json: p-values of the package crepes and sets of MAPIE for a few samples.

Run ``python -m tests.oracles.make_conformal`` where both packages are installed. Probabilities are
multiples of 2**-10, and no two of a row are equal, since the packages break such ties by position.
"""

import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

# A collection of the tests, which reads this file for doctests, goes on without them.
crepes = pytest.importorskip("crepes")
extras = pytest.importorskip("crepes.extras")
mapie = pytest.importorskip("mapie.classification")
aps = pytest.importorskip("mapie.conformity_scores")

_UNIT, ALPHAS = 1 << 10, (0.05, 0.1, 0.25)


class Table(ClassifierMixin, BaseEstimator):
    """A fitted classifier whose samples are rows of a table of probabilities."""

    def __init__(self, p: Any = None) -> None:
        self.p = p

    def fit(self, X: Any, y: Any) -> "Table":
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True

    @property
    def classes_(self) -> np.ndarray:
        return np.arange(self.p.shape[1])

    def predict_proba(self, X: Any) -> np.ndarray:
        return self.p[np.asarray(X)[:, 0].astype(int)]

    def predict(self, X: Any) -> np.ndarray:
        return self.predict_proba(X).argmax(axis=1)


def table(rng: np.random.Generator, n: int, k: int) -> np.ndarray:
    """Rows of probabilities, all different."""
    rows: list[np.ndarray] = []
    while len(rows) < n:
        cuts = np.sort(rng.choice(np.arange(1, _UNIT), k - 1, replace=False))
        row = np.diff([0, *cuts, _UNIT])
        if len(set(row)) == k:
            rows.append(row)
    return np.array(rows) / _UNIT


def of_crepes(p: np.ndarray, y: np.ndarray, new: np.ndarray) -> dict[str, Any]:
    found: dict[str, Any] = {}
    classes = np.arange(p.shape[1])
    for name, score in (("lac", extras.hinge), ("margin", extras.margin)):
        own = score(p, classes, y)
        plain = crepes.ConformalClassifier().fit(own)
        found[name] = plain.predict_p(score(new), smoothing=False).tolist()
        by_class = crepes.ConformalClassifier().fit(own, bins=y)
        columns = [
            by_class.predict_p(score(new)[:, [k]], bins=np.full(len(new), k), smoothing=False)
            for k in classes
        ]
        found[f"{name}_by_class"] = np.hstack(columns).tolist()
        sets = plain.predict_set(score(new), confidence=0.88, smoothing=False)
        found[f"{name}_sets"] = np.asarray(sets).tolist()
    return found


def of_mapie(p: np.ndarray, y: np.ndarray, new: np.ndarray) -> dict[str, Any]:
    rows = np.arange(len(p) + len(new))[:, np.newaxis]
    # Of two classes the package takes lac only.
    seeds = {"lac": None} | ({"aps": 7} if p.shape[1] > 2 else {})
    found: dict[str, Any] = {}
    for name, seed in seeds.items():
        clf = mapie.SplitConformalClassifier(
            Table(np.vstack([p, new])),
            confidence_level=[1 - alpha for alpha in ALPHAS],
            conformity_score=name,
            prefit=True,
            random_state=seed,
        ).conformalize(rows[: len(p)], y)
        options = {"include_last_label": "randomized"} if name == "aps" else {}
        _, sets = clf.predict_set(rows[len(p) :], conformity_score_params=options)
        found[name] = sets.astype(int).tolist()
    # The package draws numbers for both parts anew from one seed; its share is what u leaves.
    for name, n in (("u", len(p)), ("new_u", len(new))):
        found[name] = (1 - np.random.RandomState(7).uniform(size=n)).tolist()
    return found


def case(rng: np.random.Generator, n: int, k: int) -> dict[str, Any]:
    p, new = table(rng, n, k), table(rng, 20, k)
    y = (rng.random((n, 1)) > p.cumsum(axis=1)).sum(axis=1)
    y[:k] = np.arange(k)
    return {
        "p": p.tolist(),
        "y": y.tolist(),
        "new": new.tolist(),
        "crepes": of_crepes(p, y, new),
        "mapie": of_mapie(p, y, new),
    }


def main() -> None:
    rng = np.random.default_rng(0)
    found = {
        "about": (
            "Of rows 'new', after calibration with probabilities 'p' and classes 'y'. crepes: "
            "p-values without smoothing by hinge (lac) and margin, also by class, and sets of "
            "confidence 0.88. mapie: sets (rows, classes, levels) of SplitConformalClassifier at "
            f"alpha = {list(ALPHAS)}, lac and aps with the shares u and new_u; by "
            "python -m tests.oracles.make_conformal"
        ),
        "versions": {name: version(name) for name in ("crepes", "mapie", "scikit-learn", "numpy")},
        "alphas": ALPHAS,
        "cases": [case(rng, *size) for size in ((30, 2), (39, 3), (60, 5))],
    }
    text = json.dumps(found).replace("], [", "],\n[").replace(', "', ',\n"')
    Path(__file__).with_name("conformal.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
