"""Scores of a fitted classifier: what a calibrator learns from.

A decision function is used as it is. Without one, probabilities become log-odds. Calibrators such
as Platt's fit a line to the log-odds, so on this scale they can leave an already calibrated
classifier unchanged; on the scale of probabilities they cannot.

Some classifiers, such as XGBoost's, accept only the labels 0, 1, ..., K - 1. They are trained on
the numbers of the sorted classes, and predict the labels.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline

from dstheory.checks.arguments import without_mask
from evical._typing import Floats
from evical.estimators._eval_sets import with_numbers
from evical.scores.scale import log_odds

__all__ = ["CodedLabels", "class_scores", "fit_to_labels"]


def class_scores(estimator: Any, X: Any, classes: NDArray[Any], scale: str = "any") -> Floats:
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
        Greater scores speak for ``classes[1]``, or for class k.

    Raises
    ------
    TypeError
        If the estimator has neither method, or no `classes_`.
    ValueError
        If its classes differ from `classes`, or it does not give one score per class.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> svm = SVC(kernel="linear").fit([[-1.0], [1.0]], ["no", "yes"])
    >>> class_scores(svm, [[0.25], [-0.5]], np.array(["no", "yes"]))
    array([[ 0.25],
           [-0.5 ]])
    """
    known = _known_classes(estimator)
    X = without_mask(X)
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
    return raw[:, order]


def _known_classes(estimator: Any) -> NDArray[Any]:
    known = getattr(estimator, "classes_", None)
    if known is None:
        raise TypeError(f"{_name(estimator)} has no classes_ after fit; a classifier is needed")
    return np.asarray(known)


def _check_classes(known: NDArray[Any], classes: NDArray[Any]) -> None:
    listed, wanted = known.tolist(), classes.tolist()
    strange = [label for label in wanted if label not in listed]
    if strange:
        raise ValueError(
            f"class {strange[0]!r} of y is unknown to the fitted classifier, whose classes are "
            f"{listed}; fit it on all classes"
        )
    missing = [label for label in listed if label not in wanted]
    if missing:
        raise ValueError(
            f"class {missing[0]!r} of the fitted classifier has no sample in y; "
            "calibration needs samples of every class"
        )


def _gives_probabilities(estimator: Any, n_columns: int) -> bool:
    """Whether they say more than a decision function, whose columns are not each for itself."""
    if not hasattr(estimator, "decision_function"):
        return hasattr(estimator, "predict_proba")
    return n_columns > 1 and hasattr(estimator, "predict_proba")


def _raw_scores(estimator: Any, X: Any) -> Floats:
    """Scores (n, columns), one column for two classes."""
    if hasattr(estimator, "decision_function"):
        values = np.asarray(estimator.decision_function(X), dtype=np.float64)
        return values.reshape(len(values), -1)
    if hasattr(estimator, "predict_proba"):
        values = log_odds(estimator.predict_proba(X))
        return values[:, 1:] if values.shape[1] == 2 else values
    raise TypeError(
        f"{_name(estimator)} has neither decision_function nor predict_proba; "
        "a classifier that gives scores is needed"
    )


def _probabilities(estimator: Any, X: Any) -> Floats:
    """Probabilities (n, columns), one column for two classes."""
    if not hasattr(estimator, "predict_proba"):
        raise TypeError(
            f"{_name(estimator)} has no predict_proba, but the calibrator reads probabilities; "
            "take another calibrator, or a classifier that gives them"
        )
    values = np.asarray(estimator.predict_proba(X), dtype=np.float64)
    return values[:, 1:] if values.shape[1] == 2 else values


def _is_one_vs_one(estimator: Any) -> bool:
    """Whether three columns mean three pairs of classes and not three classes."""
    inner = _innermost(estimator)
    shape = getattr(inner, "decision_function_shape", "ovr")
    return bool(shape == "ovo") and hasattr(inner, "decision_function")


def _innermost(estimator: Any) -> Any:
    """The classifier whose scores a frozen classifier, a pipeline or a search passes on."""
    if isinstance(estimator, FrozenEstimator | CodedLabels):
        return _innermost(estimator.estimator)
    if isinstance(estimator, Pipeline):
        return _innermost(estimator.steps[-1][1])
    best = getattr(estimator, "best_estimator_", None)
    return estimator if best is None else _innermost(best)


def _shape_message(estimator: Any, raw: Floats, expected: int, n_classes: int) -> str:
    pairs = "; decision_function_shape='ovo' scores pairs of classes, use 'ovr'"
    return (
        f"{_name(estimator)} gives scores of shape {raw.shape} for {n_classes} classes, "
        f"expected {expected} column{'s' if expected > 1 else ''}"
        f"{pairs if _is_one_vs_one(estimator) else ''}"
    )


def _name(estimator: Any) -> str:
    if isinstance(estimator, CodedLabels):
        estimator = estimator.estimator
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

    def predict(self, X: Any) -> NDArray[Any]:
        """Labels (n,)."""
        return np.asarray(self.classes_[np.asarray(self.estimator.predict(X), dtype=np.intp)])

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in ("estimator", "classes_"):  # while it is unpickled
            raise AttributeError(name)
        return getattr(self.estimator, name)


def fit_to_labels(estimator: Any, X: Any, y: NDArray[Any], params: dict[str, Any]) -> Any:
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
