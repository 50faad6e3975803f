"""Members of an ensemble: how they are fitted, their shares of the data, and their conflict."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _check_method_params

from dstheory import Frame, MassFunction
from dstheory.checks.arguments import as_sequence
from dstheory.errors import TotalConflictError
from evical.estimators.folds import Scored
from evical.scores.direction import fit_quietly

__all__ = [
    "as_subsets",
    "exclusive",
    "fit_member",
    "fitted",
    "gather",
    "total_conflict",
    "vacuous_where",
]

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


def vacuous_where(
    dead: NDArray[np.bool_], rule: Callable[..., MassFunction], masses: list[MassFunction]
) -> MassFunction:
    """Combine by a rule; rows in which it fails are vacuous.

    Parameters
    ----------
    dead : (n,) array of bool
        Where the rule has no result, see `total_conflict`.
    rule : callable
        Takes two or more mass functions.
    masses : list of MassFunction
        Batches (n,) on one frame.

    Returns
    -------
    MassFunction
        Batch (n,).

    Examples
    --------
    >>> from dstheory import Frame
    >>> from dstheory.combine import dempster
    >>> frame = Frame(["a", "b"])
    >>> one = MassFunction(frame, [1, 2], [[1, 0], [0.5, 0.5]])
    >>> two = MassFunction(frame, [1, 2], [[0, 1], [0.2, 0.8]])
    >>> vacuous_where(total_conflict([one, two]), dempster, [one, two]).pl("a")
    array([1. , 0.2])
    """
    frame = masses[0].frame
    alive = np.flatnonzero(~dead)
    if not len(alive):
        return gather(frame, len(dead), [])
    return gather(frame, len(dead), [(alive, rule(*(m[alive] for m in masses)))])


def gather(frame: Frame, n: int, parts: list[tuple[Rows, MassFunction]]) -> MassFunction:
    """One batch from its parts; rows that are in no part are vacuous.

    Parameters
    ----------
    frame : Frame
    n : int
        Rows in all.
    parts : list of (rows, MassFunction)
        Row numbers (r,), disjoint, with a batch (r,) each.

    Returns
    -------
    MassFunction
        Batch (n,).

    Examples
    --------
    >>> frame = Frame(["a", "b"])
    >>> gather(frame, 2, [(np.array([1]), MassFunction(frame, [1], [[1]]))]).bel("a")
    array([0., 1.])
    """
    focal = np.unique(np.concatenate([[frame.full], *(m.focal for _, m in parts)]))
    store = np.zeros((len(focal), n))
    store[-1] = 1
    for rows, m in parts:
        store[-1, rows] = 0
        store[np.searchsorted(focal, m.focal)[:, np.newaxis], rows] = m.store
    return MassFunction.from_store(frame, focal, store)


def exclusive(dead: NDArray[np.bool_]) -> TotalConflictError:
    """The error for rows (n,) in which the classifiers are in total conflict."""
    return TotalConflictError(
        f"total conflict (kappa = 1) in {dead.sum()} of {dead.size} rows (first: row "
        f"{np.argmax(dead)}): the classifiers exclude each other; take an evidential "
        "calibrator, another rule, or total_conflict='vacuous'"
    )


def total_conflict(masses: list[MassFunction]) -> NDArray[np.bool_]:
    """Rows (n,) in which the sources are in total conflict: their focal sets never meet.

    Parameters
    ----------
    masses : list of MassFunction
        Batches (n,) on one frame.

    Returns
    -------
    (n,) array of bool

    Examples
    --------
    >>> from dstheory import Frame
    >>> one = MassFunction(Frame(["a", "b"]), [1, 2], [[1, 0], [0.5, 0.5]])
    >>> total_conflict([one, ~one])
    array([ True, False])
    """
    joint, dead = _on_support(masses[0]), np.zeros(len(masses[0]), dtype=bool)
    for m in masses[1:]:
        both = joint & _on_support(m)
        dead |= both.store[both.focal != 0].sum(axis=0) == 0
        joint = _on_support(both, dead)
    return dead


def _on_support(m: MassFunction, dead: NDArray[np.bool_] | bool = False) -> MassFunction:
    """Equal masses on the focal sets that are not empty; dead rows keep any set.

    Which sets meet does not depend on the masses, and equal ones cannot underflow.
    """
    focal = m.focal[:, np.newaxis]
    kept = np.where(dead, focal == focal[-1], (m.store > 0) & (focal != 0))
    return MassFunction.from_store(m.frame, m.focal.copy(), kept / kept.sum(axis=0))
