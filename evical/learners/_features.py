"""Features of samples, as an estimator reads them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import validate_data

__all__ = ["read_features"]

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
