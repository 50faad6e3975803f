"""Members of an ensemble: how they are fitted, their shares of the data, and their conflict."""

import inspect
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _check_method_params

from dstheory.checks.arguments import as_sequence
from evical.estimators.folds import Scored
from evical.scores.direction import fit_quietly

__all__ = ["as_subsets", "fit_member", "fits_scored", "fitted"]

Rows = NDArray[np.intp]


def fitted(member: Any, X: Any, y: NDArray[Any], params: dict[str, Any]) -> Any:
    """Fit a member, without repeating the warnings of the ensemble.

    Parameters
    ----------
    member : BeliefPredictor, a frozen one, or a calibrator
    X : array, data frame or sparse matrix
    y : (n,) array
    params : dict
        More arguments of `fit`; those that it does not take are left out. Without weights, or
        groups, a member can still be trained, and its ensemble observes them in the fusion.

    Returns
    -------
    the member
    """
    known = inspect.signature(member.fit).parameters
    if all(one.kind is not one.VAR_KEYWORD for one in known.values()):
        params = {name: value for name, value in params.items() if name in known}
    return fit_quietly(member, X, y, **params)


def fit_member(
    name: str, member: Any, X: Any, y: NDArray[Any], rows: Rows | None, params: dict[str, Any]
) -> tuple[Any, Scored | None]:
    """Fit a member to its rows; errors get a note with its name.

    Parameters
    ----------
    name : str
    member : BeliefPredictor, or a frozen one
    X : array, data frame or sparse matrix
    y : (n,) array
    rows : (r,) array, or None for all
    params : dict
        More arguments of `fit`; arrays of n rows are cut like X.

    Returns
    -------
    member : the member
    scored : Scored or None
        Scores of its rows, if one calibrator was trained on them.
    """
    if rows is not None:
        params = _check_method_params(X, params=params, indices=rows)
        X, y = _safe_indexing(X, rows), y[rows]
    try:
        if fits_scored(member):
            return member, member._fit_scored(X, y, **params)
        return fitted(member, X, y, params), None
    except ValueError as error:
        error.add_note(f"while fitting {name!r} on {len(y)} samples")
        raise


def fits_scored(member: Any) -> bool:
    """Whether a member is fitted by `EvidentialClassifier.fit`, not frozen or foreign."""
    kinds = type(member).__mro__
    own = next((kind for kind in kinds if "fit" in vars(kind)), object)
    known = next((kind for kind in kinds if "_fit_scored" in vars(kind)), None)
    return known is not None and issubclass(known, own)


def as_subsets(subsets: Any, names: list[str], y: NDArray[Any]) -> list[Rows | None]:
    """Rows of each member, checked; None for all rows.

    Parameters
    ----------
    subsets : list of index arrays, or None
    names : list of str
        Names of the members, for messages.
    y : (n,) array of labels

    Returns
    -------
    list of index arrays, or of None

    Raises
    ------
    TypeError
        If it is not a list, or a subset does not hold integers.
    ValueError
        If there is not one subset for each member, an index is out of range or used twice, or a
        class is missing from a subset.

    Examples
    --------
    >>> as_subsets([[0, 1], [2, 1]], ["a", "b"], np.array([0, 1, 0]))
    Traceback (most recent call last):
    ValueError: row 1 is in the subsets of 'a' and 'b'; Dempster's rule would count it twice, \
take disjoint subsets
    """
    if subsets is None:
        return [None] * len(names)
    subsets = as_sequence(subsets, "subsets", "a list of arrays of row numbers")
    if len(subsets) != len(names):
        raise ValueError(f"there are {len(subsets)} subsets for {len(names)} classifiers")
    listed = [_rows(subset, name, len(y)) for subset, name in zip(subsets, names, strict=True)]
    _check_disjoint(listed, names)
    classes = np.unique(y)
    for rows, name in zip(listed, names, strict=True):
        missing = np.setdiff1d(classes, y[rows]).tolist()
        if missing:
            raise ValueError(
                f"class {missing[0]!r} is missing from the subset of {name!r} "
                f"({len(rows)} rows); each classifier needs samples of all classes"
            )
    return list(listed)


def _rows(subset: Any, name: str, n: int) -> Rows:
    rows = np.asarray(subset)
    if rows.ndim != 1 or (rows.dtype.kind not in "iu" and len(rows)):
        raise TypeError(
            f"the subset of {name!r} is an array of row numbers, not of shape {rows.shape} and "
            f"type {rows.dtype}; np.flatnonzero turns a mask into one"
        )
    outside = rows[(rows < 0) | (rows >= n)]
    if len(outside):
        raise ValueError(
            f"row {outside[0]} in the subset of {name!r} is out of range, expected 0 to {n - 1}"
        )
    return rows.astype(np.intp)


def _check_disjoint(listed: list[Rows], names: list[str]) -> None:
    rows, times = np.unique(np.concatenate(listed), return_counts=True)
    if (times > 1).any():
        row = int(rows[np.argmax(times > 1)])
        owners = [repr(name) for part, name in zip(listed, names, strict=True) if row in part]
        where = f"in the subsets of {' and '.join(owners)}"
        if len(owners) == 1:
            where = f"twice in the subset of {owners[0]}"
        raise ValueError(
            f"row {row} is {where}; Dempster's rule would count it twice, take disjoint subsets"
        )
