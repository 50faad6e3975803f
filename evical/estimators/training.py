"""One classifier trained on some rows, and its values of all classes: probabilities if it has any.

Classes that the rows lack are kept, as the least likely ones: a sample split at random may miss
rare ones, and what is promised about random splits would not hold for chosen ones.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _check_method_params, check_is_fitted

from dstheory.checks.arguments import without_mask
from evical._typing import Floats
from evical.estimators._responses import class_scores, fit_to_labels

__all__ = ["class_values", "frozen_classes", "trained_on"]


def trained_on(
    estimator: Any, X: Any, y: NDArray[Any], rows: NDArray[np.intp], params: dict[str, Any]
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
    cut = _check_method_params(X, params=params, indices=rows)
    return fit_to_labels(clone(estimator), _safe_indexing(X, rows), y[rows], cut)


def frozen_classes(estimator: Any, y: NDArray[Any]) -> NDArray[Any]:
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
    known = getattr(estimator, "classes_", None)
    if known is None:
        name = type(estimator.estimator).__name__
        raise TypeError(f"{name} has no classes_ after fit; a classifier is needed")
    strange = np.setdiff1d(y, known).tolist()
    if strange:
        raise ValueError(
            f"class {strange[0]!r} of y is unknown to the fitted classifier, whose classes are "
            f"{np.asarray(known).tolist()}; fit it on all classes"
        )
    return np.unique(known)


def class_values(estimator: Any, X: Any, classes: NDArray[Any], *, unit: bool = False) -> Floats:
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
    values = _probabilities(estimator, X) if probable else _decisions(estimator, X, known)
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


def _probabilities(estimator: Any, X: Any) -> Floats:
    return np.asarray(estimator.predict_proba(X), dtype=np.float64)


def _decisions(estimator: Any, X: Any, known: NDArray[Any]) -> Floats:
    scores = class_scores(estimator, X, known)
    return np.concatenate([-scores, scores], axis=1) if scores.shape[1] == 1 else scores
