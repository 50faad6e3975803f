"""Features and labels of samples, as an estimator reads them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d, validate_data

from dstheory import MassFunction
from evical.scores.checks import check_weights

__all__ = ["read_features", "read_labels", "read_responses", "read_weights"]

Floats = NDArray[np.float64]


def read_features(estimator: Any, X: Any, y: Any = None, *, reset: bool) -> Floats:
    """Samples as floats, with the number and the names of features checked, or kept.

    Parameters
    ----------
    estimator : object
    X : (n, n_features) array or data frame
    y : (n,) array, optional
        Labels that must fit to them.
    reset : bool
        Whether the estimator takes the number and the names over, as in `fit`.

    Returns
    -------
    (n, n_features) array

    Raises
    ------
    TypeError, ValueError
        If they are no table of finite numbers, or not of the features of `fit`.
    """
    options: dict[str, Any] = {"reset": reset, "dtype": np.float64}
    try:
        if y is None:
            return np.asarray(validate_data(estimator, X, **options))
        return np.asarray(validate_data(estimator, X, y, **options)[0])
    except (TypeError, ValueError, OverflowError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        what = "X is no table of numbers" if y is None else "X and y are no samples with labels"
        raise kind(f"{what}: {error}") from error


def read_labels(y: Any, n: int, refusal: str | None = None) -> tuple[NDArray[Any], Floats]:
    """Classes, and the plausibility of each for each sample.

    Parameters
    ----------
    y : (n,) array or MassFunction
        Labels, or a batch (n,) of mass functions about them.
    n : int
        Number of samples.
    refusal : str, optional
        Why labels must be hard, if they must.

    Returns
    -------
    classes : (K,) array
    plausibility : (n, K) array

    Raises
    ------
    ValueError
        If there is one class only, a batch is of another size, or labels are uncertain and must
        be hard.
    """
    if not isinstance(y, MassFunction):
        check_classification_targets(y)
        classes, codes = np.unique(column_or_1d(y, warn=True), return_inverse=True)
        _check_classes(classes.tolist())
        return classes, np.eye(len(classes))[codes]
    if y.batch_shape != (n,):
        raise ValueError(f"y is a batch {y.batch_shape} of mass functions, expected ({n},)")
    if refusal is not None:
        raise ValueError(refusal)
    _check_classes(list(y.frame.labels))
    return np.array(y.frame.labels), np.asarray(y.contour(), dtype=np.float64)


def _check_classes(classes: list[Any]) -> None:
    if len(classes) < 2:
        raise ValueError(f"y has one class only (all {classes[0]!r}); at least two are needed")


def read_responses(estimator: Any, X: Any, y: Any) -> tuple[Floats, Floats]:
    """Samples and their responses as floats, with the number and the names of features kept.

    Parameters
    ----------
    estimator : object
    X : (n, n_features) array or data frame
    y : (n,) array

    Returns
    -------
    X : (n, n_features) array
    y : (n,) array

    Raises
    ------
    TypeError, ValueError
        If they are no samples with finite real responses.
    """
    try:
        X, y = validate_data(estimator, X, y, dtype=np.float64, y_numeric=True)
        return np.asarray(X), np.asarray(y, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"X and y are no samples with responses: {error}") from error


def read_weights(sample_weight: Any, n: int) -> Floats:
    """Weights of samples, 1 by default.

    Parameters
    ----------
    sample_weight : (n,) array or None
    n : int
        Number of samples.

    Returns
    -------
    (n,) array

    Raises
    ------
    TypeError, ValueError
        If they are no weights of n samples, or all zero.
    """
    weight = check_weights(sample_weight, n)
    if weight is None:
        return np.ones(n)
    if not weight.any():
        raise ValueError("sample_weight is zero for all samples; at least one must count")
    return weight
