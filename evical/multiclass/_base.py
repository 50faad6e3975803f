"""`BaseMulticlassCalibrator`: the contract of all calibrators of several scores at once.

It turns the K scores of a sample, one for each class, into a belief about its class: a mass
function on the frame of the K classes. A probabilistic calibrator is the Bayesian special case,
with masses on single classes only. Each method implements `_fit_scores`, and `_predict_single`
(probabilistic) or `_predict_beliefs` (evidential); the base class does the rest.

Tables of scores are checked here. Where cost grows too fast with their rows, thinning leaves a few
weighted rows that stand for many.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from dstheory import MassFunction
from dstheory.checks.arguments import check_rows
from evical._fitting import all_or_nothing
from evical._typing import Floats, Sets
from evical.beliefs import Beliefs
from evical.beliefs.bounded import Bayesian
from evical.calibrators import saved
from evical.scores.checks import (
    FINITE,
    as_column,
    check_column_order,
    check_fitted_order,
    check_labels,
    check_same_length,
    check_sorted,
    check_weights,
    columns_of,
    missing,
    real_numbers,
    refuse,
    warn_of_little_weight,
)
from evical.scores.direction import Direction, warn_of_wrong_ways
from evical.scores.scale import extent_of, warn_of_scale


def check_table(scores: Any) -> Floats:
    """Scores as a finite float64 array (n, C).

    Parameters
    ----------
    scores : (n, C) array, list of lists, or pandas object; (n,) is one column

    Returns
    -------
    (n, C) array

    Raises
    ------
    TypeError
        If a score is not a real number.
    ValueError
        If there are no scores, or a score is NaN or infinite.

    Examples
    --------
    >>> check_table([[0.5, 2]])
    array([[0.5, 2. ]])
    >>> check_table([[0.5, float("nan")]])
    Traceback (most recent call last):
    ValueError: scores[0, 1] is nan, expected a finite number (neither NaN nor infinity)
    """
    floats = type(scores) is np.ndarray and scores.dtype == np.float64
    if floats and scores.ndim == 2 and scores.size and np.isfinite(scores).all():
        return scores  # type: ignore[no-any-return]  # as they come from a classifier
    array = real_numbers(scores, "scores")
    if array.ndim == 1:
        array = array[:, np.newaxis]
    if array.ndim != 2:
        raise ValueError(f"scores have shape {array.shape}, expected (n, columns)")
    if array.size == 0:
        raise ValueError("scores are empty; at least one sample is needed")
    refuse(array, ~np.isfinite(array), "scores", FINITE)
    return array


def check_unit_table(scores: Floats) -> None:
    """Raise unless all scores are probabilities.

    Parameters
    ----------
    scores : (n, C) array

    Raises
    ------
    ValueError
        The message names the first score that is not.

    Examples
    --------
    >>> check_unit_table(np.array([[0.5, 2.0]]))
    Traceback (most recent call last):
    ValueError: scores[0, 1] is 2.0, expected a probability
    """
    if scores.min() < 0 or scores.max() > 1:
        refuse(scores, (scores < 0) | (scores > 1), "scores", "a probability")


def merged(
    rows: Floats, codes: NDArray[np.intp], weight: Floats
) -> tuple[Floats, NDArray[np.intp], Floats]:
    """Distinct rows with their classes and total weights, in sorted order.

    Samples with the same scores and class become one with their total weight. The order of the
    samples is lost.

    Examples
    --------
    >>> scores = np.array([[2.0], [1.0], [2.0]])
    >>> rows, codes, weight = merged(scores, np.array([0, 1, 0]), np.ones(3))
    >>> rows.ravel().tolist(), codes.tolist(), weight.tolist()
    ([1.0, 2.0], [1, 0], [1.0, 2.0])
    """
    table, place = np.unique(np.column_stack([codes, rows]), axis=0, return_inverse=True)
    total = np.bincount(place.ravel(), weight).astype(np.float64)
    order = np.lexsort(table.T[::-1][:-1])
    return table[order, 1:], table[order, 0].astype(np.intp), total[order]


def thinned(weight: Floats, size: int) -> tuple[NDArray[np.intp], Floats]:
    """Positions of at most `size` rows, spread evenly by weight, and their new weights.

    Parameters
    ----------
    weight : (n,) array
    size : int

    Returns
    -------
    places, weights : (m,) arrays
        All rows if there are no more than `size`; none if it is 0.

    Examples
    --------
    >>> thinned(np.ones(6), 2)
    (array([1, 4]), array([3., 3.]))
    """
    if size == 0:
        return np.arange(0), weight[:0]
    if len(weight) <= size:
        return np.arange(len(weight)), weight
    ends = np.cumsum(weight)
    middles = (np.arange(size) + 0.5) * (ends[-1] / size)
    places, count = np.unique(np.searchsorted(ends, middles), return_counts=True)
    return places, count * (ends[-1] / size)


FORMAT = "evical.multiclass_calibrator"


class BaseMulticlassCalibrator(saved.SavedCalibrator):
    """Abstract calibrator of the scores of a classifier of K classes."""

    n_features_in_: int
    _transforms = (None, "log")
    # Whether scores are probabilities, where a single score is that of the second of two classes.
    _takes_probabilities: bool = False
    # Whether each class is calibrated against the rest: of two the second, by its score alone.
    _against_rest: bool = False
    # Whether a class may have no sample.
    _learns_absent: bool = False
    # Lower limit of probabilities before logarithms.
    _least: float = float(np.finfo(np.float64).eps)

    @abstractmethod
    def _fit_scores(self, scores: Floats, codes: NDArray[np.intp], weight: Floats) -> None:
        """Learn from scores (n, C), indices of classes (n,) and weights (n,), all positive.

        Each class occurs, unless `_learns_absent`; attributes that are set end in ``_``.
        """

    def _predict_single(self, scores: Floats) -> Floats:
        """Probabilities (n, K) (probabilistic calibrators)."""
        raise TypeError(f"{type(self).__name__} is evidential; see _predict_beliefs")

    def _predict_beliefs(self, scores: Floats) -> Beliefs:
        """Beliefs about the class of each sample."""
        return Bayesian(self.classes_, self._predict_single(scores))

    def _n_columns(self, n_classes: int) -> int:
        """Number of scores per sample."""
        return n_classes

    @all_or_nothing
    def fit(
        self,
        scores: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        classes: ArrayLike | None = None,
    ) -> Self:
        """Learn the calibration from scores and labels.

        Parameters
        ----------
        scores : (n, K) array
            Scores of samples that the classifier was not trained on, with a column for each
            class in sorted order. For two classes also (n,) or (n, 1), the score of the
            greater label.
        y : (n,) array
            Labels of K classes, of any kind.
        sample_weight : (n,) array, optional
            Non-negative weights; a weight of 2 counts as two samples.
        classes : (K,) array of labels, optional
            Of the columns, sorted, where some have no sample: structured scaling and
            `AutoMulticlassCalibrator` calibrate those as the others are on average, with an
            interval as wide as classes differ. By default those in `y`.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a score, label or weight is not usable (the row is named), there are not as many
            columns as classes, those of a data frame are the classes in another order, or a class
            has no sample and the method needs one.

        Warns
        -----
        WrongWayWarning
            If a binary calibrator is fitted to each column, and higher scores of some column speak
            against its class.
        UserWarning
            If ten weights or more have a sum of at most 1, so that they count as one sample.
        """
        self._fit_quietly(scores, y, sample_weight, classes)
        self._extent = extent_of(check_table(scores))
        warn_of_little_weight(sample_weight)
        warn_of_wrong_ways(self._wrong_ways())
        return self

    def _fit_quietly(
        self,
        scores: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        classes: ArrayLike | None = None,
    ) -> Self:
        """`fit` without the warning, for callers that warn once for many calibrators."""
        self._check_all_parameters()
        check_rows(scores=scores, y=y, sample_weight=sample_weight)
        table, labels = check_table(scores), check_labels(y)
        check_same_length(scores=table, y=labels)
        seen, codes = np.unique(labels, return_inverse=True)
        weight = _present(check_weights(sample_weight, len(labels)), codes, seen)
        if classes is not None:
            given, (classes, codes) = classes, self._among(classes, seen, codes)
            check_sorted(given, scores, "scores")
        else:
            classes = seen
        check_column_order(scores, classes, "scores")
        columns = self._columns(table, len(classes), classes.tolist())
        used = weight > 0
        self._fit_scores(columns[used], codes[used], weight[used])
        self.classes_, self.n_features_in_ = classes, table.shape[1]
        self._fitted_columns, self._extent = columns_of(scores), None
        self._ready = True
        return self

    def _among(
        self, classes: ArrayLike, seen: NDArray[Any], codes: NDArray[np.intp]
    ) -> tuple[NDArray[Any], NDArray[np.intp]]:
        """All classes in order, and the codes among them of samples of the classes `seen`."""
        listed = as_column(classes, "classes")
        refuse(listed, missing(listed), "classes", "a label for every column")
        named = np.unique(listed)
        if strange := np.setdiff1d(seen, named).tolist():
            raise ValueError(f"y holds {strange[0]!r}, which is none of the classes")
        absent = np.setdiff1d(named, seen).tolist()
        if absent and not self._learns_absent:
            name = type(getattr(self, "_one", self)).__name__  # of each column, if they are apart
            raise ValueError(
                f"class {absent[0]!r} has no sample, which {name} needs; use "
                "AutoMulticlassCalibrator (the default) or StructuredMatrixCalibrator, which "
                "calibrate it as the other classes are on average"
            )
        return named, np.searchsorted(named, seen)[codes]

    def _wrong_ways(self) -> list[Direction]:
        """Directions of the reversed columns, if columns are fitted singly."""
        return []

    def _columns(self, table: Floats, n_classes: int, named: Any = None) -> Floats:
        """Scores as the method sees them: one column per class, on the scale of `transform`."""
        unit = self._takes_probabilities or self.transform == "log"
        if unit:
            check_unit_table(table)
        expected, alone = self._n_columns(n_classes), self._against_rest and n_classes == 2
        if table.shape[1] == 1 and alone:
            return table
        if table.shape[1] == 1 and n_classes == 2 and expected == 2:
            negative = 1 - table if unit else -table / 2
            table = np.hstack([negative, table if unit else table / 2])
        if table.shape[1] != expected:
            seen = "" if named is None else f" {named[:5]}{'...' if len(named) > 5 else ''}"
            raise ValueError(
                f"scores have shape {table.shape}, but {n_classes} classes{seen} need "
                f"{expected} columns; if a class has no sample, name all classes by classes=..., "
                "or calibrate without its column"
            )
        if self.transform == "log":
            table = np.maximum(table, self._least)
            return np.log(table, out=table)
        return table[:, 1:] if alone else table

    def __sklearn_is_fitted__(self) -> bool:
        return getattr(self, "_ready", False)

    def predict_mass(self, scores: ArrayLike, *, sets: Sets = "all") -> MassFunction:
        """Predict the belief about the class of each sample.

        See `predict_interval` for its coverage.

        Parameters
        ----------
        scores : (n, K) array
        sets : {"all", "singletons"}
            "singletons": masses of single classes and of all classes, for any number of classes; an
            outer approximation, see `evical.beliefs.Beliefs.singletons`.

        Returns
        -------
        MassFunction
            Batch (n,) on the frame `classes_`.

        Raises
        ------
        ValueError
            If a score is NaN or infinite; the row is named.
        sklearn.exceptions.NotFittedError
            Before `fit`.
        """
        return self.beliefs(scores).listed(sets)

    def beliefs(self, scores: ArrayLike) -> Beliefs:
        """Belief about the class of each sample, of which nothing is computed before it is asked.

        Parameters
        ----------
        scores : (n, K) array

        Returns
        -------
        Beliefs
            About n samples.
        """
        return self._predict_beliefs(self._read(scores))

    def _read(self, scores: ArrayLike) -> Floats:
        """Scores to predict from, checked and as the method sees them."""
        check_is_fitted(self)
        table = check_table(scores)
        if table.shape[1] != self.n_features_in_:
            raise ValueError(
                f"scores have shape {table.shape}, but this calibrator was fitted to "
                f"{self.n_features_in_} columns"
            )
        if table is not scores:
            check_column_order(scores, self.classes_, "scores")
            check_fitted_order(scores, self._fitted_columns, "scores")
        if self._extent is not None:
            warn_of_scale(table, self._extent)
        return self._columns(table, len(self.classes_))

    def predict_interval(self, scores: ArrayLike, *, level: float | None = None) -> Floats:
        """Confidence interval of each class's probability, or Bel and Pl.

        Parameters
        ----------
        scores : (n, K) array
        level : float, optional
            Of the confidence intervals, one class against the rest, such as 0.95. By default the
            intervals are [Bel, Pl].

        Returns
        -------
        (n, K, 2) array
            For any number of classes, unlike `predict_mass`. Confidence intervals contain
            `predict_proba` and do not depend on the model; [Bel, Pl] covers as its model does: see
            "Intervals and their coverage" in the guide.

        Raises
        ------
        ValueError
            If the level is not between 0 and 1, or the calibrator does not know its error.
        """
        beliefs = self.beliefs(scores)
        return beliefs.interval() if level is None else beliefs.confidence_interval(level)

    def predict_proba(self, scores: ArrayLike) -> Floats:
        """Estimate the probability of each class, pignistic unless the model is "confidence".

        Parameters
        ----------
        scores : (n, K) array

        Returns
        -------
        (n, K) array
        """
        return self.beliefs(scores).probability()

    def predict(self, scores: ArrayLike) -> NDArray[Any]:
        """Predict the class of maximum pignistic probability, the first of ties.

        Parameters
        ----------
        scores : (n, K) array

        Returns
        -------
        (n,) array of labels
        """
        best = self.predict_proba(scores).argmax(axis=1)
        return np.asarray(self.classes_[best])

    def _saved_parameters(self) -> dict[str, Any]:
        """Parameters as plain data."""
        return {k: saved.plain(v) for k, v in self.get_params(deep=False).items()}

    @classmethod
    def _from_parameters(cls, parameters: dict[str, Any]) -> Self:
        """An unfitted calibrator with saved parameters."""
        return cls(**parameters)

    def _restore_state(self, state: dict[str, Any]) -> None:
        saved.restore_state(self, state, k=len(self.classes_))

    def to_dict(self) -> dict[str, Any]:
        """The fitted calibrator as plain data, ready for JSON.

        Returns
        -------
        dict
            Strings, numbers, lists and dicts only; `from_dict` reads it back.
        """
        check_is_fitted(self)
        columns = [str(name) for name in self._fitted_columns]
        return {
            "format": FORMAT,
            "version": saved.VERSION,
            "class": type(self).__name__,
            "parameters": self._saved_parameters(),
            "classes": saved.plain(self.classes_),
            "n_columns": self.n_features_in_,
            **({"columns": columns} if columns else {}),
            **saved.extent_data(self),
            "state": saved.plain(self._get_state()),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Restore the calibrator from the output of `to_dict`.

        Parameters
        ----------
        data : dict
            ``BaseMulticlassCalibrator.from_dict`` takes any multiclass calibrator of this
            package, a subclass takes its own kind only.

        Returns
        -------
        fitted calibrator

        Raises
        ------
        ValueError
            If the data is not a saved calibrator, or is damaged, of a later version, or of another
            kind.
        """
        known = saved.kinds_of(cls)
        saved.check_saved(data, known, FORMAT)
        classes = saved.restored_classes(data["classes"])
        if len(classes) < 2:
            raise ValueError(f"saved calibrator is damaged: classes are {data['classes']!r}")
        calibrator = known[data["class"]]._from_parameters(data["parameters"])
        calibrator._check_all_parameters()
        calibrator.classes_ = classes
        calibrator.n_features_in_ = _n_columns(data, calibrator)
        calibrator._restore_state(data["state"])
        width, columns = calibrator.n_features_in_, data.get("columns", [])
        if not isinstance(columns, list) or len(columns) not in (0, width):
            raise ValueError(f"saved calibrator is damaged: columns are {columns!r}")
        calibrator._fitted_columns, calibrator._ready = columns, True
        calibrator._extent = saved.restored_extent(data)
        saved.check_trial(calibrator, np.stack([np.full(width, 1.0 / width), np.eye(width)[0]]))
        restored: Self = calibrator
        return restored


def _n_columns(data: dict[str, Any], calibrator: BaseMulticlassCalibrator) -> int:
    found, n_classes = data.get("n_columns"), len(calibrator.classes_)
    expected = calibrator._n_columns(n_classes)
    if type(found) is int and (found == expected or (found == 1 and n_classes == 2)):
        return found
    raise ValueError(
        f"saved calibrator is damaged: it has {found!r} columns for {n_classes} classes, "
        f"expected {expected}"
    )


def normalized(positive: Floats) -> Floats:
    """Probabilities (n, K) divided by their sum, equal where all are 0."""
    total = positive.sum(axis=1, keepdims=True)
    none = total == 0
    return np.asarray(np.where(none, 1.0, positive) / np.where(none, positive.shape[1], total))


def _present(weight: Floats | None, codes: NDArray[np.intp], classes: NDArray[Any]) -> Floats:
    """Weights, if there are two classes or more and each has a positive weight."""
    if len(classes) == 1:
        raise ValueError(
            f"y has one class only (all {classes.tolist()[0]!r}); a calibrator needs several"
        )
    if weight is None:
        return np.ones(len(codes))
    if not weight.any():
        raise ValueError("all sample weights are zero")
    total = np.bincount(codes, weight)
    if not total.all():
        empty = classes.tolist()[int(np.argmin(total))]
        raise ValueError(
            f"class {empty!r} has no sample with positive weight; calibration needs samples of "
            "every class"
        )
    return weight
