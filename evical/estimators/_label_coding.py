"""Classifiers that accept only the labels 0, 1, ..., K - 1, such as XGBoost's.

They are trained on the numbers of the sorted classes, and predict the labels.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

__all__ = ["CodedLabels", "fit_to_labels"]


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
        More arguments of `fit`.

    Returns
    -------
    fitted classifier
        Its `classes_` are the labels.

    Raises
    ------
    TypeError, ValueError
        The classifier's error for the labels, if it refuses numbers too.
    """
    try:
        return estimator.fit(X, y, **params)
    except (TypeError, ValueError) as error:
        classes, codes = np.unique(y, return_inverse=True)
        if np.array_equal(classes, np.arange(len(classes))):
            raise
        try:
            return CodedLabels(clone(estimator).fit(X, codes, **params), classes)
        except (TypeError, ValueError):  # the labels were not the reason
            raise error from None
