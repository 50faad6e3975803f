"""Scores of a fitted classifier: what a calibrator learns from.

A decision function is used as it is. Without one, probabilities become log-odds. Calibrators such
as Platt's fit a line to the log-odds, so on this scale they can leave an already calibrated
classifier unchanged; on the scale of probabilities they cannot.

Some classifiers, such as XGBoost's, accept only the labels 0, 1, ..., K - 1. They are trained on
the numbers of the sorted classes, and predict the labels.

Where classifiers are trained on some rows (`trained_on`), classes that these lack are kept, as the
least likely ones: a sample split at random may miss
rare ones, and what is promised about random splits would not hold for chosen ones.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted

from dstheory.checks.arguments import as_floats, shown, without_mask
from evical._fitting import params_of_rows
from evical._typing import Floats, SamplesLike
from evical.estimators._eval_sets import with_numbers
from evical.scores.scale import log_odds


def class_scores(
    estimator: BaseEstimator, X: SamplesLike, classes: NDArray[Any], scale: str = "any"
) -> Floats:
    """Scores of each sample, in the order of `classes`.

    Parameters
    ----------
    estimator : fitted classifier
        With `decision_function`, or else `predict_proba`.
    X : (n, n_features) array, data frame or sparse matrix
        Whatever the classifier takes.
    classes : (K,) array
        The classes, which must be those of the classifier.
    scale : {"any", "given", "probability"}
        Where there is no decision function, "any" makes log-odds of probabilities, and "given"
        leaves them as they are; of more than two classes it takes probabilities first, because a
        decision function of many classes means something only as a whole. "probability" asks for
        those of `predict_proba`.

    Returns
    -------
    (n, 1) array for K = 2, else (n, K)
        Higher scores indicate ``classes[1]``, or for class k.

    Raises
    ------
    TypeError
        If the estimator has neither method, or no `classes_`.
    ValueError
        If its classes differ from `classes`, or it does not give one score per class; if it reads
        the columns of a data frame by their places, and they are in another order than in `fit`.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> svm = SVC(kernel="linear").fit([[-1.0], [1.0]], ["no", "yes"])
    >>> class_scores(svm, [[0.25], [-0.5]], np.array(["no", "yes"]))
    array([[ 0.25],
           [-0.5 ]])
    """
    known = _known_classes(estimator)
    if type(X) is not np.ndarray:
        X = without_mask(X)
        _refuse_other_order(estimator, X)
    _check_classes(known, classes)
    n_columns = 1 if len(classes) == 2 else len(classes)
    given = scale == "given" and _gives_probabilities(estimator, n_columns)
    unit = given or scale == "probability"
    raw = _probabilities(estimator, X) if unit else _raw_scores(estimator, X)
    pairs = not unit and n_columns > 1 and _is_one_vs_one(estimator)
    if raw.shape[1] != n_columns or pairs:
        raise ValueError(_shape_message(estimator, raw, n_columns, len(classes)))
    listed = known.tolist()
    order = [listed.index(label) for label in classes.tolist()]
    if n_columns == 1:
        if order == [0, 1]:
            return raw
        return 1 - raw if unit else -raw
    return raw if order == list(range(n_columns)) else raw[:, order]


def _known_classes(estimator: BaseEstimator) -> NDArray[Any]:
    known = getattr(estimator, "classes_", None)
    if known is None:
        raise TypeError(f"{_name(estimator)} has no classes_ after fit; a classifier is needed")
    return np.asarray(known)


def _check_classes(known: NDArray[Any], classes: NDArray[Any]) -> None:
    _refuse_unknown(known, classes)
    wanted = classes.tolist()
    missing = [label for label in known.tolist() if label not in wanted]
    if missing:
        raise ValueError(
            f"class {missing[0]!r} of the fitted classifier is none of the classes "
            f"{wanted}; its scores need a column for each"
        )


def _refuse_unknown(known: NDArray[Any], labels: NDArray[Any]) -> None:
    listed = known.tolist()
    strange = [label for label in labels.tolist() if label not in listed]
    if strange:
        remedy = "fit it on all classes" if len(strange) < len(labels) else "give y in these labels"
        raise ValueError(
            f"class {strange[0]!r} of y is unknown to the fitted classifier, whose classes are "
            f"{listed}; {remedy}"
        )


def _refuse_other_order(estimator: BaseEstimator, X: SamplesLike) -> None:
    """Refuse what scikit-learn's estimators refuse themselves, and LightGBM's do not notice."""
    first = _innermost(estimator, 0)
    known = getattr(first, "feature_names_in_", None)
    if known is None or type(first).__module__.startswith(("sklearn.", "evical.")):
        return
    wanted, given = np.asarray(known).tolist(), list(getattr(X, "columns", known))
    if given != wanted and sorted(map(str, given)) == sorted(map(str, wanted)):
        raise ValueError(
            f"X has the columns {shown(given)}, in fit they were {shown(wanted)}, and "
            f"{_name(first)} reads them by their places: give X[list(feature_names_in_)]"
        )


def _gives_probabilities(estimator: BaseEstimator, n_columns: int) -> bool:
    """Whether they say more than a decision function, whose columns are not each for itself."""
    if not hasattr(estimator, "decision_function"):
        return hasattr(estimator, "predict_proba")
    return n_columns > 1 and hasattr(estimator, "predict_proba")


def _raw_scores(estimator: BaseEstimator, X: SamplesLike) -> Floats:
    """Scores (n, columns), one column for two classes."""
    if hasattr(estimator, "decision_function"):
        values = _floats(estimator.decision_function(X))
        return values.reshape(len(values), -1)
    if hasattr(estimator, "predict_proba"):
        values = log_odds(_floats(estimator.predict_proba(X)))
        return values[:, 1:] if values.shape[1] == 2 else values
    raise TypeError(
        f"{_name(estimator)} has neither decision_function nor predict_proba; "
        "a classifier that gives scores is needed"
    )


def _floats(values: object) -> Floats:
    """What a classifier returns, such as a network a tensor."""
    if type(values) is np.ndarray and values.dtype == np.float64:
        return values
    return as_floats(values, "scores")


def _probabilities(estimator: BaseEstimator, X: SamplesLike) -> Floats:
    """Probabilities (n, columns), one column for two classes."""
    if not hasattr(estimator, "predict_proba"):
        raise TypeError(
            f"{_name(estimator)} has no predict_proba, but the calibrator reads probabilities; "
            "take another calibrator, or a classifier that gives them"
        )
    values = _floats(estimator.predict_proba(X))
    return values[:, 1:] if values.shape[1] == 2 else values


def _is_one_vs_one(estimator: BaseEstimator) -> bool:
    """Whether three columns mean three pairs of classes and not three classes."""
    inner = _innermost(estimator)
    shape = getattr(inner, "decision_function_shape", "ovr")
    return bool(shape == "ovo") and hasattr(inner, "decision_function")


def _innermost(estimator: BaseEstimator, step: int = -1) -> Any:
    """The classifier whose scores a frozen classifier, a pipeline or a search passes on.

    With 0 in place of -1, what reads the samples first.
    """
    if isinstance(estimator, FrozenEstimator | CodedLabels):
        return _innermost(estimator.estimator, step)
    if isinstance(estimator, Pipeline):
        return _innermost(estimator.steps[step][1], step)
    best = getattr(estimator, "best_estimator_", None)
    return estimator if best is None else _innermost(best, step)


def _shape_message(estimator: BaseEstimator, raw: Floats, expected: int, n_classes: int) -> str:
    pairs = "; decision_function_shape='ovo' scores pairs of classes, use 'ovr'"
    return (
        f"{_name(estimator)} gives scores of shape {raw.shape} for {n_classes} classes, "
        f"expected {expected} column{'s' if expected > 1 else ''}"
        f"{pairs if _is_one_vs_one(estimator) else ''}"
    )


def _name(estimator: BaseEstimator) -> str:
    if isinstance(estimator, FrozenEstimator | CodedLabels):
        return _name(estimator.estimator)
    return type(estimator).__name__


@dataclass(frozen=True, eq=False)
class CodedLabels:
    """A classifier fitted to numbers of classes, with the labels that they stand for.

    Parameters
    ----------
    estimator : fitted classifier
    classes_ : (K,) array
        Labels, sorted.
    """

    estimator: Any
    classes_: NDArray[Any]

    def predict(self, X: SamplesLike) -> NDArray[Any]:
        """Labels (n,)."""
        return np.asarray(self.classes_[np.asarray(self.estimator.predict(X), dtype=np.intp)])

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in ("estimator", "classes_"):  # while it is unpickled
            raise AttributeError(name)
        return getattr(self.estimator, name)


def fit_to_labels(
    estimator: BaseEstimator, X: SamplesLike, y: NDArray[Any], params: dict[str, Any]
) -> Any:
    """A classifier fitted to labels, or to their numbers if it refuses the labels.

    Parameters
    ----------
    estimator : classifier, not fitted
    X : array, data frame or sparse matrix
    y : (n,) array of labels
    params : dict
        More arguments of `fit`; where it gets numbers, so do the labels of ``eval_set``.

    Returns
    -------
    fitted classifier
        Its `classes_` are the labels.

    Raises
    ------
    TypeError, ValueError
        The classifier's error for the labels, if it refuses numbers too; for an ``eval_set`` with
        other classes, or that is not of pairs (X, y).
    """
    try:
        return estimator.fit(X, y, **params)
    except (TypeError, ValueError) as error:
        classes, codes = np.unique(y, return_inverse=True)
        if np.array_equal(classes, np.arange(len(classes))):
            raise
        coded = with_numbers(params, classes, np.arange(len(classes)))
        try:
            return CodedLabels(clone(estimator).fit(X, codes, **coded), classes)
        except (TypeError, ValueError) as second:
            if str(second) != str(error):  # the labels were not the only reason
                error.add_note(f"with numbers in place of the labels: {second}")
            raise error from None


def trained_on(
    estimator: BaseEstimator,
    X: SamplesLike,
    y: NDArray[Any],
    rows: NDArray[np.intp],
    params: dict[str, Any],
) -> Any:
    """A clone of a classifier, fitted to some rows.

    Parameters
    ----------
    estimator : classifier
    X : (n, n_features) array, data frame or sparse matrix
    y : (n,) array of labels
    rows : (r,) array of int
    params : dict
        More arguments of `fit`; arrays of n rows are cut like X.

    Returns
    -------
    fitted classifier

    Raises
    ------
    ValueError
        If the rows have one class only, or as the classifier.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = [[1.0], [2.0], [3.0]], np.array(["a", "b", "a"])
    >>> trained_on(GaussianNB(), X, y, np.array([0, 2]), {})
    Traceback (most recent call last):
    ValueError: the 2 samples for training have one class only (all 'a'); hold out fewer, take \
more samples, or another random_state
    """
    classes = np.unique(y[rows]).tolist()
    if len(classes) < 2:
        raise ValueError(
            f"the {len(rows)} samples for training have one class only (all {classes[0]!r}); hold "
            "out fewer, take more samples, or another random_state"
        )
    cut = params_of_rows(X, params, rows)
    return fit_to_labels(clone(estimator), _safe_indexing(X, rows), y[rows], cut)


def frozen_classes(estimator: BaseEstimator, y: NDArray[Any]) -> NDArray[Any]:
    """Classes of a frozen classifier, among which those of the labels must be.

    Parameters
    ----------
    estimator : FrozenEstimator
    y : (n,) array of labels

    Returns
    -------
    (K,) array
        In sorted order.

    Raises
    ------
    TypeError
        If it is no classifier.
    ValueError
        If it is not fitted, or does not know a label.

    Examples
    --------
    >>> from sklearn.frozen import FrozenEstimator
    >>> from sklearn.naive_bayes import GaussianNB
    >>> fitted = FrozenEstimator(GaussianNB().fit([[1.0], [2.0], [3.0]], ["a", "b", "c"]))
    >>> frozen_classes(fitted, np.array(["a", "c"]))
    array(['a', 'b', 'c'], dtype='<U1')
    """
    check_is_fitted(estimator)
    known = _known_classes(estimator)
    _refuse_unknown(known, np.unique(y))
    return np.unique(known)


def class_values(
    estimator: BaseEstimator, X: SamplesLike, classes: NDArray[Any], *, unit: bool = False
) -> Floats:
    """Probabilities of all classes, or decision values where there are none.

    Parameters
    ----------
    estimator : fitted classifier
        With `predict_proba`, or else `decision_function`.
    X : samples
    classes : (K,) array
        In sorted order, all classes of the classifier among them.
    unit : bool
        Whether probabilities are needed.

    Returns
    -------
    (n, K) array
        A class that the classifier does not know has probability 0, or the least value less 1.

    Raises
    ------
    TypeError
        If the classifier has neither method, or no probabilities where they are needed.
    ValueError
        If it has other classes, or does not give one value for each.

    Examples
    --------
    >>> from sklearn.svm import LinearSVC
    >>> svm = LinearSVC().fit([[-1.0], [1.0]], ["no", "yes"])
    >>> class_values(svm, [[0.0]], np.array(["no", "unseen", "yes"])).round(2) + 0.0
    array([[ 0., -1.,  0.]])
    """
    known = np.asarray(getattr(estimator, "classes_", classes))
    X = without_mask(X)
    strange = np.setdiff1d(known, classes).tolist()
    if strange:
        raise ValueError(
            f"the classifier knows class {strange[0]!r}, but the classes are {classes.tolist()}"
        )
    probable = hasattr(estimator, "predict_proba")
    if unit and not probable:
        name = type(estimator).__name__
        raise TypeError(
            f"{name} has no predict_proba, which this nonconformity needs; take 'lac' or 'margin', "
            f"or EvidentialClassifier({name}(...))"
        )
    if probable:
        values = _floats(estimator.predict_proba(X))
    else:
        values = class_scores(estimator, X, known)
        values = np.hstack([-values, values]) if values.shape[1] == 1 else values
    if values.ndim != 2 or values.shape[1] != len(known):
        raise ValueError(
            f"{type(estimator).__name__} gives values of shape {values.shape} for {len(known)} "
            "classes, expected one column for each"
        )
    if len(known) == len(classes) and np.array_equal(known, classes):
        return values
    lowest = 0.0 if probable else values.min(axis=1, keepdims=True) - 1
    found = np.empty((len(values), len(classes)))
    found[...] = lowest
    found[:, np.searchsorted(classes, known)] = values
    return found
