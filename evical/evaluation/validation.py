"""Out-of-fold beliefs of several calibrators, and the measures of each fold."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Literal

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.validation import has_fit_parameter

from dstheory.checks.arguments import number_of
from evical._typing import Floats, Indices, RandomState
from evical.metrics import brier_score, expected_calibration_error, log_loss, roc_auc
from evical.metrics.inputs import average
from evical.scores.direction import fit_quietly

# Of each fold, in this order; names are those of `evical.metrics`.
MEASURES = ("brier_score", "log_loss", "expected_calibration_error", "roc_auc", "mean_imprecision")
CLIP = 1e-6  # the log loss of a probability of 0 would be infinite


@dataclass(frozen=True, eq=False)
class Fold:
    """Training rows and test rows, with the number of the repetition."""

    repetition: int
    train: Indices
    test: Indices


@dataclass(frozen=True, eq=False)
class Tried:
    """A method on a fold: its predictions, their measures and the seconds, or why it failed.

    Probabilities are (n_test,) or (n_test, K), and `bounds`, [Bel, Pl], (n_test, 2) or
    (n_test, K, 2).
    """

    probability: Floats
    bounds: Floats
    values: Floats
    seconds: float
    failure: str | None = None


def folds_of(
    y: NDArray[np.int64],
    cv: Any,
    repeats: int,
    random_state: RandomState,
    weight: Floats | None = None,
) -> list[Fold]:
    """Folds of all repetitions, with each sample in one test fold of each.

    Repetition i of a whole number `random_state` has the seed ``random_state + i``.
    """
    found = []
    for repetition in range(repeats):
        splitter = _splitter(y, cv, random_state, repetition)
        pairs = list(splitter.split(np.zeros((len(y), 1)), y))
        tested = np.bincount(np.concatenate([test for _, test in pairs]), minlength=len(y))
        if (tested != 1).any():
            row = int(np.argmax(tested != 1))
            raise ValueError(
                f"cv tests row {row} {tested[row]} times, expected once; take a number of folds"
            )
        for number, (train, test) in enumerate(pairs):
            for rows, part in ((train, "training"), (test, "test")):
                used = rows if weight is None else rows[weight[rows] > 0]
                there, wanted = len(np.unique(y[used])), len(np.unique(y))
                if there < wanted:
                    raise ValueError(
                        f"{part} samples of fold {number} have {there} of {wanted} classes, but "
                        "each fold needs all; give cv as a number, for stratified folds"
                    )
            found.append(Fold(repetition, train, test))
    return found


def is_splitter(cv: Any) -> bool:
    """Whether it is a splitter of rows; texts have a method `split` too."""
    return hasattr(cv, "split") and not isinstance(cv, str | bytes | type)


def _splitter(y: NDArray[np.int64], cv: Any, random_state: RandomState, repetition: int) -> Any:
    if is_splitter(cv):
        return cv
    rarer = int(np.bincount(y, minlength=2).min())
    if cv > rarer:
        ways = f"take at most {rarer} folds" if rarer > 1 else "more samples are needed"
        which = rarest(y)
        raise ValueError(
            f"the {which} class has {number_of(rarer, 'sample')}, fewer than {cv} folds; {ways}"
        )
    seed = random_state
    if isinstance(seed, int | np.integer):
        seed = int(seed) + repetition
    return StratifiedKFold(cv, shuffle=True, random_state=seed)


def try_methods(
    methods: dict[str, Any],
    scores: Floats,
    y: NDArray[np.int64],
    weight: Floats | None,
    folds: list[Fold],
    n_jobs: int | None,
    on_fit: Callable[[], object] | None,
) -> dict[str, list[Tried]]:
    """Results of each method, by fold."""
    column = scores if scores.ndim == 2 else scores[:, np.newaxis]
    found: dict[str, list[Tried]] = {}
    for name, method in methods.items():
        jobs = (delayed(_try_fold)(method, column, y, weight, fold) for fold in folds)
        done: Iterator[Tried] = Parallel(n_jobs=n_jobs, return_as="generator")(jobs)
        found[name] = []
        for one in done:
            found[name].append(one)
            if on_fit is not None:
                on_fit()
    return found


def _try_fold(
    method: Any, column: Floats, y: NDArray[np.int64], weight: Floats | None, fold: Fold
) -> Tried:
    nothing = np.empty(0)
    weights = {} if weight is None else {"sample_weight": weight[fold.train]}
    start = perf_counter()
    try:
        if weights and not has_fit_parameter(method, "sample_weight"):
            raise ValueError("its fit takes no sample_weight")
        fitted = fit_quietly(clone(method), column[fold.train], y[fold.train], **weights)
        seconds = perf_counter() - start
        p, bounds = _predict(fitted, column[fold.test])
        values = _values(y[fold.test], p, bounds, None if weight is None else weight[fold.test])
    except ValueError as error:
        return Tried(nothing, nothing, nothing, 0.0, str(error))
    return Tried(p, bounds, values, seconds)


def _predict(fitted: Any, column: Floats) -> tuple[Floats, Floats]:
    """Probability and [Bel, Pl] of the positive class, or of each of three and more classes.

    Bel and Pl are equal where there are no beliefs.
    """
    p = np.asarray(fitted.predict_proba(column), dtype=np.float64)
    p = p if column.shape[1] > 1 else p[:, 1]
    if hasattr(fitted, "predict_interval"):
        return p, np.asarray(fitted.predict_interval(column), dtype=np.float64)
    return p, np.stack([p, p], axis=-1)


def _values(y: NDArray[np.int64], p: Floats, bounds: Floats, weight: Floats | None) -> Floats:
    kind: Literal["positive", "classwise"] = "positive" if p.ndim == 1 else "classwise"
    widths = bounds[..., 1] - bounds[..., 0]
    return np.array(
        [
            brier_score(y, p, sample_weight=weight),
            log_loss(y, p, eps=CLIP, sample_weight=weight),
            expected_calibration_error(y, p, kind, sample_weight=weight),
            roc_auc(y, p, sample_weight=weight),
            average(widths.reshape(len(y), -1).mean(axis=1), weight),
        ]
    )


def rarest(y: NDArray[np.int64]) -> str:
    """Of two classes the rarer one, of more the rarest."""
    return "rarer" if y.max() < 2 else "rarest"
