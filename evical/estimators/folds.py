"""Folds: classifiers are never trained and calibrated on the same samples.

Scores of training samples are too optimistic, so a calibrator fitted to them is overconfident
(Platt 1999, section 2.1). The folds are checked before anything is fitted.

A calibrator of pooled scores reads those of another classifier, trained on all samples. That works
as long as classifiers of different samples give alike scores. Whether they do, the folds tell.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import kolmogorov, smirnov
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import StratifiedGroupKFold, check_cv
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted

from dstheory.checks.arguments import as_array, as_sequence, shown
from evical._fitting import Progress, params_of_rows
from evical._typing import Floats, SamplesLike
from evical.estimators.calibrated import (
    Calibrated,
    Decoder,
    fit_calibrated,
    of_classifier,
    score_scale,
)
from evical.estimators.responses import class_scores, fit_to_labels
from evical.scores.checks import check_groups

Rows = NDArray[np.intp]
Fold = tuple[Rows, Rows]

SILENT = Progress()

_FEW_PAIRS = 100
_LEVEL = 0.05  # of the tests, together, that refute that scores of the folds are alike
_SHORT = 0.06  # mean distance of distribution functions below which those of a fold are alike


class Scored(NamedTuple):
    """Scores on which one calibrator was trained: of classifiers that did not see the samples.

    Parameters
    ----------
    scores : (n, C) array
        As `class_scores` gives them.
    folds : list of (train, test) index arrays
        Empty for a frozen classifier.
    """

    scores: Floats
    folds: list[Fold]


def make_folds(
    cv: Any,
    X: SamplesLike,
    y: NDArray[Any],
    weight: Floats | None,
    split_params: dict[str, Any],
    *,
    ensemble: bool | str | None,
) -> tuple[list[Fold], bool | str]:
    """Training and calibration rows of each fold, checked to have the classes that they need.

    Parameters
    ----------
    cv : int, splitter, iterable of (train, test) or None
        None means 5, or the number of samples of the rarest class if that is smaller. A number of
        folds keeps groups together, if there are any.
    X, y, weight : samples, labels and weights (or None)
    split_params : dict
        More arguments of the splitter, such as groups.
    ensemble : bool, "shared", "auto" or None
        Whether each fold is calibrated on its own, or all of them together, which "shared" and
        "auto" are if the test parts are a partition. None: each sample is tested once, and nobody
        chose it.

    Returns
    -------
    folds : list of (train, test) index arrays
    ensemble : bool, "shared" or "auto"

    Raises
    ------
    ValueError
        If a class is missing from a fold, naming both; if a fold tests what it trains on;
        if the test parts are not a partition although they are pooled.
    """
    groups = split_params.get("groups")
    if groups is not None:
        groups = check_groups(groups, len(y))
    splitter = _splitter(cv, y, groups)
    folds = [
        (_rows(train, len(y)), _rows(test, len(y)))
        for train, test in splitter.split(X, y, **split_params)
    ]
    if ensemble in ("auto", "shared"):
        once = bool((_times_tested(folds, len(y)) == 1).all())
        ensemble = ensemble if once else True
    counting = np.ones(len(y), dtype=bool) if weight is None else weight > 0
    coded = np.unique(y, return_inverse=True)
    for number, (train, test) in enumerate(folds):
        where = f"fold {number} (of {len(folds)})"
        _check_unseen(where, train, test, len(y))
        _check_classes(f"training part of {where}", *coded, train[counting[train]])
        if ensemble is True:
            _check_classes(f"calibration part of {where}", *coded, test[counting[test]])
    if not ensemble:
        _check_partition(folds, len(y), chosen=ensemble is False)
    return folds, ensemble or False


def n_folds(cv: Any, X: SamplesLike, y: NDArray[Any], groups: NDArray[Any] | None) -> int:
    """Number of folds that `make_folds` would make.

    Parameters
    ----------
    cv : int, splitter, iterable of (train, test) or None
    X, y : samples and labels
    groups : (n,) array or None

    Returns
    -------
    int
    """
    return int(_splitter(cv, y, groups).get_n_splits(X, y, groups))


def _splitter(cv: object, y: NDArray[Any], groups: NDArray[Any] | None) -> Any:
    chosen = _enough(checked_cv(cv), y, groups)
    if groups is not None and isinstance(chosen, int | np.integer):
        return StratifiedGroupKFold(chosen)
    return check_cv(chosen, y, classifier=True)


def units_of_classes(y: NDArray[Any], groups: NDArray[Any] | None) -> NDArray[np.intp]:
    """Number of samples of each class, or of groups that have it.

    Parameters
    ----------
    y : (n,) array
    groups : (n,) array or None

    Returns
    -------
    (K,) array
    """
    _, codes = np.unique(y, return_inverse=True)
    if groups is None:
        return np.bincount(codes)
    _, units = np.unique(groups, return_inverse=True)
    return np.bincount(np.unique(np.stack([codes, units]), axis=1)[0])


def _enough(cv: object, y: NDArray[Any], groups: NDArray[Any] | None) -> Any:
    """`cv`, or the default, unless it asks for more folds than the rarest class has samples."""
    if isinstance(cv, str):
        hint = "; a fitted classifier comes in sklearn.frozen.FrozenEstimator, without cv"
        raise ValueError(
            f"cv is {cv!r}, expected a number of folds, a splitter, pairs of row numbers or None"
            f"{hint if cv == 'prefit' else ''}"
        )
    classes, counts = np.unique(y), units_of_classes(y, groups)
    least = int(counts.min())
    n_folds = max(2, min(5, least)) if cv is None else cv
    if not isinstance(n_folds, int | np.integer) or least >= n_folds:
        return n_folds  # other splitters are judged by their folds
    rare = classes.tolist()[int(np.argmin(counts))]
    unit = "sample" if groups is None else "group"
    advice = f"take cv={least} or less, or more {unit}s" if least > 1 else f"take more {unit}s"
    raise ValueError(
        f"class {rare!r} has {least} {unit}{'s' if least > 1 else ''}, but each of {n_folds} "
        f"folds needs one; {advice}"
    )


def checked_cv(cv: object) -> Any:
    """`cv`; pairs of row numbers as a list.

    Parameters
    ----------
    cv : int, splitter, iterable of (train, test) or None

    Returns
    -------
    the same, but a list of an iterable

    Raises
    ------
    TypeError, ValueError

    Examples
    --------
    >>> checked_cv(2.5)
    Traceback (most recent call last):
    TypeError: cv is 2.5, expected a number of folds, a splitter, pairs of row numbers or None
    """
    is_splitter = hasattr(cv, "split") and not isinstance(cv, bytes)
    if cv is None or isinstance(cv, str | int | np.integer) or is_splitter:
        return cv
    expected = "a number of folds, a splitter, pairs of row numbers or None"
    pairs = as_sequence(cv, "cv", expected)
    if not pairs:
        raise ValueError(f"cv is {shown(cv)}, expected at least one fold")
    for number, pair in enumerate(pairs):
        if not isinstance(pair, tuple | list | np.ndarray) or len(pair) != 2:
            raise TypeError(f"cv has {shown(pair)} as fold {number}, expected a pair (train, test)")
    return pairs


def _rows(index: object, n: int) -> Rows:
    rows = as_array(index, "rows of a fold")
    if rows.ndim != 1 or (rows.dtype.kind not in "iub" and len(rows)):
        raise TypeError(f"cv has the rows {shown(index)} in a fold, expected row numbers")
    if rows.dtype == bool and len(rows) != n:
        raise ValueError(f"cv has a mask of {len(rows)} rows in a fold, but there are {n} samples")
    if rows.dtype != bool and len(rows) and not (-n <= rows.min() and rows.max() < n):
        raise ValueError(f"cv has row {rows.max()} in a fold, but there are {n} samples")
    return np.asarray(np.arange(n)[rows if len(rows) else np.empty(0, int)])  # of a mask too


def _check_classes(part: str, classes: NDArray[Any], codes: Rows, rows: Rows) -> None:
    missing = np.bincount(codes[rows], minlength=len(classes)) == 0
    if missing.any():
        raise ValueError(
            f"class {classes[missing].tolist()[0]!r} is missing from the {part}; take fewer or "
            "stratified folds, larger parts, or more samples"
        )


def _check_unseen(where: str, train: Rows, test: Rows, n: int) -> None:
    seen = np.flatnonzero(np.bincount(train, minlength=n) * np.bincount(test, minlength=n))
    if len(seen):
        raise ValueError(
            f"{where} both trains and calibrates on row {seen[0]} ({len(seen)} such rows); the "
            "parts of a fold must be disjoint"
        )


def _times_tested(folds: Sequence[Fold], n: int) -> NDArray[np.intp]:
    return np.bincount(np.concatenate([test for _, test in folds]), minlength=n)


def _check_partition(folds: Sequence[Fold], n: int, *, chosen: bool) -> None:
    times = _times_tested(folds, n)
    if (times != 1).any():
        row = int(np.argmax(times != 1))
        why, other = ("with ensemble=False ", ", or ensemble=True") if chosen else ("", "")
        raise ValueError(
            f"row {row} is in {times[row]} test parts, but {why}each sample is scored once; take a "
            f"cv that partitions the samples{other}"
        )


def _named(folds: Sequence[Fold]) -> list[tuple[str, Fold]]:
    return [(f"fold {number}", fold) for number, fold in enumerate(folds, start=1)]


def _joined(folds: Sequence[Fold], parts: Sequence[Floats]) -> Floats:
    """Scores (n, C) of all samples, from those of the test parts, which are a partition."""
    scores = np.empty((sum(map(len, parts)), parts[0].shape[1]))
    for (_, test), part in zip(folds, parts, strict=True):
        scores[test] = part
    return scores


def _alike(parts: Sequence[Floats]) -> bool:
    """Whether scores (n_i, C) of the folds are alike: each fold like the others (Smirnov's test).

    Scores that differ from fold to fold tell more of the classifier than of the sample: those of a
    useless support vector machine lie within rounding of its bias. Many samples or classes show
    differences that do no harm; distances that are short on average over the classes do not count
    (tests/benchmarks/bench_refit.py).
    """
    scores = np.ascontiguousarray(np.concatenate(parts).T)
    order = scores.argsort(axis=1)
    ordered = np.take_along_axis(scores, order, axis=1)
    inside = ordered[:, 1:] == ordered[:, :-1]  # of equal scores
    fold = np.repeat(np.arange(len(parts)), [len(part) for part in parts])[order]
    rank = np.arange(1, len(order[0]) + 1)
    sizes = np.array([len(part) for part in parts])
    distances = np.empty((len(parts), len(scores)))
    for at, n in enumerate(sizes):
        apart = (fold == at).cumsum(axis=1)  # below / n - (rank - below) / m, times n m
        apart *= len(rank)
        apart -= n * rank
        apart[:, :-1][inside] = 0
        distances[at] = np.abs(apart, out=apart).max(axis=1) / (n * (len(rank) - n))
    # As `scipy.stats.ks_2samp`.
    pairs = np.maximum(np.round(sizes * (len(rank) - sizes) / len(rank)), 1)
    level = _LEVEL / distances.size
    by_chance = _smirnov(distances.max(axis=1), pairs, level) >= level
    return bool((by_chance | (distances.mean(axis=1) < _SHORT)).all())


def _smirnov(farthest: Floats, pairs: Floats, level: float) -> Floats:
    """Probabilities of distances that are as great; near a level of some percent exact to 1e-4.

    There they are twice those of one side, which take O(pairs): distances so great on both sides at
    once are rarer by far. Elsewhere that of Stephens (1970), J. R. Stat. Soc. B 32, 115-122, is
    good to some percent, but not of few pairs.
    """
    root = np.sqrt(pairs)
    found = kolmogorov((root + 0.12 + 0.11 / root) * farthest)
    close = (pairs < _FEW_PAIRS) | ((found > level / 2) & (found < 2 * level))
    found[close] = 2.0 * smirnov(pairs[close], farthest[close])
    return np.asarray(found)


@dataclass(frozen=True, eq=False)
class FoldFitter:
    """Fit classifiers and calibrators on parts of one sample.

    Parameters
    ----------
    estimator, calibrator : templates, cloned before each fit
    X : array, data frame or sparse matrix
    y : (n,) array
    weight : (n,) array or None
        Weights for the calibrators.
    params : dict
        More arguments of the `fit` of the estimator; arrays of n rows are cut like X.
    decoder : Decoder
        Of the classes in `y`.
    n_jobs : int or None
    progress : Progress
    """

    estimator: Any
    calibrator: Any
    X: Any
    y: NDArray[Any]
    weight: Floats | None
    params: dict[str, Any]
    decoder: Decoder
    n_jobs: int | None
    progress: Progress = SILENT

    def fit(self, way: bool | str, folds: Sequence[Fold]) -> tuple[list[Calibrated], Scored | None]:
        """Fitted pairs, and the scores of all samples if one calibrator was trained on them.

        Parameters
        ----------
        way : {True, False, "shared", "auto"}
            True: a pair a fold, trained on one part and calibrated on the other. "shared": a pair a
            fold, all calibrated on the scores of all folds. False: one pair, calibrated on the
            scores of all folds, then trained on everything. "auto": as False if the scores of all
            folds are alike, and else as "shared".
        folds : sequence of (train, test)
            None for an estimator that is fitted already: all samples are for calibration.

        Returns
        -------
        list of Calibrated, Scored or None
        """
        if not folds:
            check_is_fitted(self.estimator)
            scores = self._scores_of(self.estimator, self.X)
            return [self._calibrated(self.estimator, scores)], Scored(scores, [])
        if way is True:
            return self.progress.each(self._pair, _named(folds), self.n_jobs), None
        steps = len(folds) + (way is False or way == "auto")
        work = self._scores if way is False else self._with_scores
        parts = self.progress.each(work, _named(folds), self.n_jobs, steps)
        each = [scores for _, scores in parts]
        scored = Scored(_joined(folds, each), list(folds))
        if way is False or (way == "auto" and _alike(each)):
            with self.progress.step("all samples", steps, steps):
                estimator = fit_to_labels(clone(self.estimator), self.X, self.y, self.params)
                return [self._calibrated(estimator, scored.scores)], scored
        first = self._calibrated(parts[0][0], scored.scores)
        return [of_classifier(first, estimator) for estimator, _ in parts], scored

    def again(self, calibrated: Calibrated) -> Calibrated:
        """The same classifier, calibrated on the scores of the samples.

        Parameters
        ----------
        calibrated : Calibrated

        Returns
        -------
        Calibrated
        """
        estimator = calibrated.estimator
        return self._calibrated(estimator, self._scores_of(estimator, self.X))

    def _pair(self, train: Rows, test: Rows) -> Calibrated:
        return self._calibrated(*self._with_scores(train, test), test)

    def _with_scores(self, train: Rows, test: Rows) -> tuple[Any, Floats]:
        """A classifier trained on one part, and its scores of the other."""
        params = params_of_rows(self.X, self.params, train)
        X = _safe_indexing(self.X, train)
        estimator = fit_to_labels(clone(self.estimator), X, self.y[train], params)
        return estimator, self._scores_of(estimator, _safe_indexing(self.X, test))

    def _scores(self, train: Rows, test: Rows) -> tuple[None, Floats]:
        """The scores without the classifier, which need not be kept or sent."""
        return None, self._with_scores(train, test)[1]

    def _scores_of(self, estimator: BaseEstimator, X: SamplesLike) -> Floats:
        scale = score_scale(self.calibrator)
        return class_scores(estimator, X, self.decoder.classes, scale)

    def _calibrated(
        self, estimator: BaseEstimator, scores: Floats, rows: Rows | None = None
    ) -> Calibrated:
        y = self.y if rows is None else self.y[rows]
        weight = self.weight if rows is None or self.weight is None else self.weight[rows]
        return fit_calibrated(estimator, self.calibrator, scores, y, self.decoder, weight)
