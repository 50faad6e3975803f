"""Sources that see some columns, and are silent on rows where these are missing."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils import _safe_indexing

from dstheory.checks.arguments import as_array, shown, without_mask
from evical._typing import Flags, SamplesLike
from evical.scores.checks import missing

Rows = NDArray[np.intp]


def of_columns(X: SamplesLike, columns: Any) -> Any:
    """Some columns of a table, as a table.

    Parameters
    ----------
    X : (n, n_features) array, data frame or sparse matrix
    columns : int, str, list, slice, mask or None
        None for all.

    Returns
    -------
    (n, p) array, data frame or sparse matrix

    Raises
    ------
    ValueError
        If there are no such columns.

    Examples
    --------
    >>> of_columns([[1, 2, 3], [4, 5, 6]], [0, 2])
    array([[1, 3],
           [4, 6]])
    """
    X = without_mask(X)
    if columns is None:
        return X
    if not hasattr(X, "shape"):
        X = np.asarray(X)
    one = isinstance(columns, int | np.integer | str)
    try:
        return _safe_indexing(X, [columns] if one else columns, axis=1)
    except (IndexError, KeyError, TypeError, ValueError):  # by what scikit-learn calls
        raise ValueError(
            f"columns are {shown(columns)}, expected numbers below {X.shape[1]}, names of a data "
            "frame, a slice or a mask"
        ) from None


def missing_rows(X: SamplesLike, *, some: bool) -> Flags:
    """Rows (n,) in which some numbers are missing, or all of them.

    Parameters
    ----------
    X : (n, n_features) array or data frame
        NaN, None, what is masked and what a data frame calls missing.
    some : bool

    Returns
    -------
    (n,) array of bool

    Raises
    ------
    TypeError
        If it is sparse.

    Examples
    --------
    >>> missing_rows([[1.0, np.nan], [2.0, 3.0], [np.nan, np.nan]], some=True)
    array([ True, False,  True])
    """
    if issparse(X):
        raise TypeError(
            "X is sparse, but silent_if_missing looks for missing numbers; take an array or a "
            "data frame, or silent_if_missing=None"
        )
    found = np.asarray(X.isna()) if hasattr(X, "isna") else missing(as_array(X, "X"))
    flags = found.reshape(len(found), -1)
    return np.asarray(flags.any(axis=1) if some else flags.all(axis=1))
