"""`EvidentialEnsemble` beside all other ways to fuse the same classifiers."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.base import clone
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from evical._typing import Floats
from evical.beliefs import Beliefs, as_beliefs
from evical.classifier import EvidentialClassifier
from evical.datasets import Dataset
from evical.ensemble import EvidentialEnsemble
from evical.estimators.calibrated import of_classifier
from evical.evaluation import Evaluation, check_promise
from evical.fusion import Stacked
from evical.metrics import debiased_calibration_error
from examples.studies._beside import read_prose
from examples.studies._study import Record, Study, repeat_rng
from examples.studies.calarena_small.data import SETS, DataSource, read_packaged
from examples.studies.default_classifier.methods import CLASSIFIERS
from examples.studies.fusion_benchmark._summary import summary
from examples.studies.fusion_benchmark.recorded import Recorded
from examples.studies.fusion_benchmark.ways import DEFAULT, WAYS, Material

__all__ = ["FUSION_BENCHMARK", "Fusions", "different", "unequal", "unequal_parts"]

Rows = NDArray[np.intp]

_N_MOST, _N_TEST, _N_OF_CLASS = 800, 2000, 20
_LEAST = 1e-15  # a probability, in the log loss
_RATIO = 0.75  # of the size of a part and of the one before


@dataclass(frozen=True)
class Fusions:
    """All ways on the members of a data set.

    Parameters
    ----------
    source : DataSource
    members : {"different", "unequal"}
        Eight different classifiers on all samples; or ten support vector machines on disjoint
        parts of unequal size.
    """

    source: DataSource
    members: str

    @property
    def key(self) -> str:
        return f"{self.source.name}-{self.members}"

    @property
    def datasets(self) -> tuple[str, ...]:
        return self.source.loaded

    def run_repeat(self, data: Mapping[str, Dataset], number: int, seed: int) -> list[Record]:
        dataset = data[self.source.name] if self.datasets else read_packaged(self.source)
        rng = repeat_rng(self.source.name, number, seed)
        X, y = _kept(dataset.X, dataset.y)
        train, test = _split(y, rng)
        # That a network has not converged, or a classifier is of no use, is part of what is judged.
        with warnings.catch_warnings(action="ignore", category=UserWarning):
            if self.members == "different":
                material = different(X[train], y[train], X[test])
            else:
                parts = unequal_parts(y[train], rng)
                material = unequal(X[train], y[train], X[test], parts)
        predictions = {name: way(material) for name, way in WAYS.items() if _fits(name, material)}
        losses = {name: _losses(p, y[test]) for name, p in predictions.items()}
        best = min((v for name, v in losses.items() if name != DEFAULT), key=np.mean)
        found: list[Record] = []
        for name, p in predictions.items():
            gap = losses[name] - best
            refuted = _refuted(material, y[test]) if name == DEFAULT else np.nan
            figures = (
                float(losses[name].mean()),
                _brier(p, y[test]),
                float(np.mean(p.argmax(axis=1) != y[test])),
                _calibration_error(p, y[test]),
                float(gap.mean() > gap.std(ddof=1) / np.sqrt(len(gap))),
                refuted,
            )
            found.append(((self.members, self.source.classes, self.source.name, name), figures))
        return found


def _kept(X: Any, y: Any) -> tuple[Any, Rows]:
    labels, counts = np.unique(y, return_counts=True)
    kept = np.flatnonzero(np.isin(y, labels[counts >= _N_OF_CLASS]))
    return X[kept], np.unique(y[kept], return_inverse=True)[1]


def _split(y: Rows, rng: np.random.Generator) -> tuple[Rows, Rows]:
    n_train = min(len(y) // 2, _N_MOST)
    train, test = train_test_split(
        np.arange(len(y)),
        train_size=n_train,
        test_size=min(len(y) - n_train, _N_TEST),
        stratify=y,
        random_state=int(rng.integers(2**31)),
    )
    return train, test


def unequal_parts(y: Rows, rng: np.random.Generator) -> list[Rows]:
    """Up to ten disjoint parts, each three quarters of the one before, all with all classes.

    Parameters
    ----------
    y : (n,) array
    rng : Generator

    Returns
    -------
    list of index arrays
    """
    least = int(np.bincount(y).min())
    number = max(2, min(10, least // 4))
    shares = _RATIO ** np.arange(number)
    parts: list[list[int]] = [[] for _ in range(number)]
    for k in np.unique(y):
        rows = rng.permutation(np.flatnonzero(y == k))
        own = np.tile(np.arange(number), 2)  # two of each class for all
        rest = rng.choice(number, size=len(rows) - len(own), p=shares / shares.sum())
        for row, part in zip(rows.tolist(), np.concatenate([own, rest]).tolist(), strict=True):
            parts[part].append(row)
    return [np.sort(np.array(part, dtype=np.intp)) for part in parts]


def different(X: Any, y: Rows, X_new: Any) -> Material:
    """What eight different classifiers say: their beliefs as `EvidentialEnsemble` fuses them.

    Parameters
    ----------
    X, y : training samples and labels
    X_new : new samples

    Returns
    -------
    Material
    """
    seen, new, raw_seen, raw_new = [], [], [], []
    for classifier in CLASSIFIERS.values():
        member: Any = EvidentialClassifier(clone(classifier), ensemble="auto")
        scored = member._fit(X, y)
        part, *others = member.calibrated_classifiers_
        seen.append(_spoken(part.beliefs_of(scored.scores)))
        new.append(_spoken(member.beliefs(X_new)))
        if others:  # not trained on everything, as all that scikit-learn stacks are
            part = of_classifier(part, clone(classifier).fit(X, y))
        change = _unstacked(part.estimator)
        raw_seen.append(change(scored.scores))
        raw_new.append(change(part.scores(X_new)))
    sizes = np.full(len(seen), float(len(y)))
    raw, later = (np.concatenate(parts, axis=1) for parts in (raw_seen, raw_new))
    return Material(np.stack(seen), y, np.stack(new), raw, later, sizes)


def _unstacked(estimator: Any) -> Any:
    """From scores to what `StackingClassifier` takes: probabilities, if the classifier has any."""
    both = hasattr(estimator, "decision_function") and hasattr(estimator, "predict_proba")
    return lambda scores: expit(scores) if both and scores.shape[1] == 1 else scores


def unequal(X: Any, y: Rows, X_new: Any, parts: list[Rows]) -> Material:
    """What support vector machines on disjoint parts say, by `EvidentialEnsemble`.

    Parameters
    ----------
    X, y : training samples and labels
    X_new : new samples
    parts : list of index arrays

    Returns
    -------
    Material
    """
    machines = [make_pipeline(StandardScaler(), SVC()) for _ in parts]
    ensemble = EvidentialEnsemble(machines, subsets=parts, rule=Recorded()).fit(X, y)
    record: Any = ensemble.fusion_
    new = np.stack([_spoken(member.beliefs(X_new)) for member in ensemble.estimators_])
    held_out = record.held_out_
    none = np.empty((0, 0))
    return Material(held_out.probabilities, y, new, none, none, record.sizes_)


def _spoken(beliefs: Beliefs) -> Floats:
    """Pignistic probabilities (n, K), NaN where nothing is said."""
    return np.where(beliefs.silent[:, np.newaxis], np.nan, beliefs.betp())


def _fits(name: str, material: Material) -> bool:
    return name != "StackingClassifier" or material.raw_seen.shape[1] > 0


def _losses(p: Floats, y: Rows) -> Floats:
    return -np.log(np.maximum(p[np.arange(len(y)), y], _LEAST))


def _brier(p: Floats, y: Rows) -> float:
    squares = ((p - np.eye(p.shape[1])[y]) ** 2).sum(axis=1)
    return float(squares.mean() / (2 if p.shape[1] == 2 else 1))


def _calibration_error(p: Floats, y: Rows) -> float:
    if p.shape[1] > 2:
        return float("nan")
    return float(debiased_calibration_error(y, p[:, 1]))


def _refuted(material: Material, y: Rows) -> float:
    """Whether a test of coverage at 5 % refutes the intervals of the fused probability."""
    if material.new.shape[2] > 2:
        return float("nan")
    fusion = Stacked(model="confidence")
    classes = np.arange(2)
    fusion.fit([as_beliefs(p, classes) for p in material.seen], material.y, material.sizes)
    beliefs = fusion.combine([as_beliefs(p, classes) for p in material.new])
    lower, upper = beliefs.interval()[:, 1].T
    made = Evaluation.from_predictions(y, beliefs.betp()[:, 1], bel=lower, pl=upper)
    promise = check_promise(made)
    return float(promise is not None and promise.broken)


def _sources(members: str) -> Sequence[DataSource]:
    if members == "different":
        return SETS
    return [source for source in SETS if source.classes == "two"][::2]


TEXT = read_prose(__file__)
FUSION_BENCHMARK = Study(
    name="fusion_benchmark",
    title="All ways to fuse classifiers",
    source="A study of this package, on data sets of UCI, KEEL and OpenML",
    labels=("members", "classes", "data", "way"),
    measures=("log_loss", "brier", "error", "calibration_error", "clearly_worse", "refuted"),
    conditions=tuple(
        Fusions(source, members)
        for members in ("different", "unequal")
        for source in _sources(members)
    ),
    repeats=4,
    protocol=TEXT.protocol,
    comment=TEXT.comment,
    quick=("sonar-different", "glass-different", "sonar-unequal"),
    extra=summary,
)
"""The learned fusion beside stacking, super learners, pools, votes and single classifiers."""
