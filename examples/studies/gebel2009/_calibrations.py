"""From scores of columns to probabilities of many classes, in each of the thesis' ways and in ours.

Calibrated columns are coupled (section 5.3); Dirichlet calibration takes normalized columns, or
probabilities (section 5.4). The evidential reduction and `EvidentialClassifier` stand beside them.
Source: Gebel (2009), sections 5.3, 5.4 and 6.2.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evical._typing import Floats
from evical.calibrators import (
    AssignmentValueCalibrator,
    AsymmetricLaplaceCalibrator,
    AutoCalibrator,
    BaseCalibrator,
    IsotonicCalibrator,
    LogisticCalibrator,
    NormalizingCalibrator,
    PiecewiseLogisticCalibrator,
)
from evical.multiclass import (
    AutoMulticlassCalibrator,
    DirichletCalibrator,
    hastie_tibshirani,
    normalize,
)
from evical.multiclass.coded import code_betp, code_without_conflict
from examples.studies.gebel2009._columns import CROSS_FIT, Scores, column_labels
from examples.studies.parts.quiet import fit_quietly

__all__ = ["DEFAULT", "REDUCED", "Found", "Task", "calibrated", "calibrated_direct"]

Integers = NDArray[np.intp]

ORIGINAL, DIRECT = "original", "Dirichlet direct"
REDUCED, DEFAULT = "evidential reduction", "EvidentialClassifier"

# Of the coupling as printed by Zadrozny (2001), which may go on for ever.
_MAX_ITER = 100
_SINGLE = ", h degrees"
_FREE = ", free factor"
# The search as printed, and one that may go on below its bound.
_PRINTED_SEARCH, _FREE_SEARCH = {"smallest_factor": 1}, {"smallest_factor": 0.01}

_NORMALIZED: dict[str, Callable[[], BaseCalibrator]] = {
    "assignment value": AssignmentValueCalibrator
}
_MARGINS: dict[str, Callable[[], BaseCalibrator]] = {
    "asymmetric Laplace": AsymmetricLaplaceCalibrator,
    "isotonic": lambda: IsotonicCalibrator(model="bayesian"),
    "logistic": lambda: LogisticCalibrator(model="bayesian"),
    "piecewise logistic": PiecewiseLogisticCalibrator,
}
# Up to nine columns of a class, a tenth of them on either side is none: the trimmed mean of the
# thesis is the geometric one on all of its data sets, and has its numbers.
_DIRICHLET: dict[tuple[str, ...], dict[str, Any]] = {
    ("Dirichlet geometric", "Dirichlet trimmed"): {"combine": "geometric", **_PRINTED_SEARCH},
    ("Dirichlet product",): {"combine": "product", **_PRINTED_SEARCH},
    (f"Dirichlet geometric{_SINGLE}",): {
        "combine": "geometric",
        "degrees": "single",
        **_PRINTED_SEARCH,
    },
    (f"Dirichlet product{_SINGLE}",): {
        "combine": "product",
        "degrees": "single",
        **_PRINTED_SEARCH,
    },
    (f"Dirichlet geometric{_FREE}",): {"combine": "geometric", **_FREE_SEARCH},
    (f"Dirichlet product{_FREE}",): {"combine": "product", **_FREE_SEARCH},
}
_DIRECTLY: dict[str, dict[str, Any]] = {
    DIRECT: _PRINTED_SEARCH,
    f"{DIRECT}{_SINGLE}": {"degrees": "single", **_PRINTED_SEARCH},
    f"{DIRECT}{_FREE}": _FREE_SEARCH,
}


@dataclass(frozen=True, eq=False)
class Task:
    """Scores of one code and one training part, and which of them teach.

    Parameters
    ----------
    kind : {"one_vs_rest", "all_pairs"}
    code : (K, B) array of 1, -1 and 0
    y : (n,) array
        Classes of the training samples.
    scores : Scores
    source : {"training", "cross_fit"}
        The scores that calibrations learn from.
    probable : bool
        Whether margins are probabilities, as 2 p - 1.
    """

    kind: str
    code: NDArray[np.int8]
    y: Integers
    scores: Scores
    source: str
    probable: bool

    @property
    def seen(self) -> Floats:
        return self.scores.seen[self.source]

    def natural(self, scores: Floats) -> Floats:
        """What the classifiers say, probabilities if there are any."""
        return (scores + 1) / 2 if self.probable else scores


Found = tuple[str, Floats, float]
"""A calibration's name, its probabilities (m, K) of the new samples, and its factor, if any."""


def calibrated(task: Task) -> Iterator[Found]:
    """All calibrations of columns."""
    labels = column_labels(task.code, task.y)
    seen, new = _normalized(task, labels)
    sizes = np.array([np.sum(one >= 0) for one in labels])

    def couple(r: Floats) -> Floats:
        return hastie_tibshirani(r, task.code, sizes, update="zadrozny", max_iter=_MAX_ITER)

    yield ORIGINAL, couple(new), np.nan
    for name, make in _NORMALIZED.items():
        yield name, couple(_each(make, labels, seen, new)), np.nan
    for name, make in _MARGINS.items():
        yield name, couple(_each(make, labels, task.seen, task.scores.new)), np.nan
    for names, options in _DIRICHLET.items():
        dirichlet = DirichletCalibrator(code=task.kind, **options).fit(seen, task.y)
        p = dirichlet.predict_proba(new)
        yield from ((name, p, dirichlet.factor_) for name in names)
    if task.source == CROSS_FIT:
        yield from _evidential(task, labels)


def _evidential(task: Task, labels: list[Integers]) -> Iterator[Found]:
    """Ours, which learn from cross-fitted scores only."""
    yield REDUCED, _reduced(task, labels), np.nan
    if task.kind == "one_vs_rest":
        fold = [_of_classes(task, new) for new in task.scores.new_of_folds]
        yield DEFAULT, _shared(_of_classes(task, task.seen), task.y, fold), np.nan


def calibrated_direct(scores: Scores, y: Integers, source: str) -> Iterator[Found]:
    """The same for probabilities of all classes."""
    yield ORIGINAL, scores.new, np.nan
    for name, options in _DIRECTLY.items():
        dirichlet = DirichletCalibrator(**options).fit(scores.seen[source], y)
        yield name, dirichlet.predict_proba(scores.new), dirichlet.factor_
    if source == CROSS_FIT:
        yield DEFAULT, _shared(scores.seen[source], y, list(scores.new_of_folds)), np.nan


def _normalized(task: Task, labels: list[Integers]) -> tuple[Floats, Floats]:
    """Columns by eq. 4.1 with a smoothing factor of 1.05, seen and new."""
    seen, new = np.empty_like(task.seen), np.empty_like(task.scores.new)
    for b, one in enumerate(labels):
        used = one >= 0
        normalizing = fit_quietly(NormalizingCalibrator(), task.seen[used, b], one[used])
        for part, scores in ((seen, task.seen), (new, task.scores.new)):
            part[:, b] = normalizing.predict_proba(scores[:, b])[:, 1]
    return seen, new


def _each(
    make: Callable[[], BaseCalibrator], labels: list[Integers], seen: Floats, new: Floats
) -> Floats:
    """Probabilities (m, B) of the positive sides."""
    columns = [
        fit_quietly(make(), seen[one >= 0, b], one[one >= 0]).predict_proba(new[:, b])[:, 1]
        for b, one in enumerate(labels)
    ]
    return np.asarray(np.clip(np.stack(columns, axis=1), 0, 1))


def _reduced(task: Task, labels: list[Integers]) -> Floats:
    """Evidence of each column by `AutoCalibrator`, combined by Dempster's rule."""
    seen, new = task.natural(task.seen), task.natural(task.scores.new)
    masses = []
    for b, one in enumerate(labels):
        calibrator = fit_quietly(AutoCalibrator(), seen[one >= 0, b], one[one >= 0])
        m = calibrator.predict_mass(new[:, b])
        masses.append([m.mass(0), m.mass(1), m.mass((0, 1))])
    columns = np.moveaxis(np.array(masses), 0, 1)
    existing = code_without_conflict(columns, task.code, "vacuous")
    return np.asarray(code_betp(existing, task.code))


def _of_classes(task: Task, scores: Floats) -> Floats:
    """One against rest as `EvidentialClassifier` sees it: margins, or probabilities of sum 1."""
    natural = task.natural(scores)
    return normalize(natural) if task.probable else natural


def _shared(seen: Floats, y: Integers, new: list[Floats]) -> Floats:
    """Mean over the classifiers of all folds, calibrated by their pooled cross-fitted scores."""
    calibrator = fit_quietly(AutoMulticlassCalibrator(), seen, y)
    return np.asarray(np.mean([calibrator.predict_proba(one) for one in new], axis=0))
