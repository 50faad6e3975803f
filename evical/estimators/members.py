"""Members of an ensemble: their names and parameters, how they are fitted, their shares of rows.

scikit-learn's compositions need a name for each part. Parts given without names are called
``classifier0``, ``classifier1`` and so on, and the given list is not changed.
"""

import inspect
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing
from sklearn.utils.metaestimators import _BaseComposition

from dstheory.checks.arguments import as_sequence
from evical._fitting import params_of_rows
from evical._typing import Floats, SamplesLike
from evical.estimators.folds import Scored
from evical.estimators.predictor import BeliefPredictor
from evical.scores.direction import fit_quietly

Rows = NDArray[np.intp]


def fitted(member: Any, X: SamplesLike, y: NDArray[Any], params: dict[str, Any]) -> Any:
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
    if fits_itself(member):
        member._fit(X, y, **params)
        return member
    known = inspect.signature(member.fit).parameters
    if all(one.kind is not one.VAR_KEYWORD for one in known.values()):
        params = {name: value for name, value in params.items() if name in known}
    return fit_quietly(member, X, y, **params)


def fit_member(
    name: str,
    member: Any,
    X: SamplesLike,
    y: NDArray[Any],
    rows: Rows | None,
    params: dict[str, Any],
    beyond: tuple[Rows, Floats | None] | None = None,
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
    beyond : (rows, weights), optional
        Other rows on which it is calibrated once it is trained, if it can be.

    Returns
    -------
    member : the member
    scored : Scored or None
        Scores of its rows, if one calibrator was trained on them.
    """
    everything = X, y
    if rows is not None:
        params = params_of_rows(X, params, rows)
        X, y = _safe_indexing(X, rows), y[rows]
    try:
        if fits_itself(member):
            scored = member._fit(X, y, **params)
            if beyond is not None and hasattr(member, "_recalibrate"):
                new, weight = beyond
                member._recalibrate(_safe_indexing(everything[0], new), everything[1][new], weight)
            return member, scored
        return fitted(member, X, y, params), None
    except ValueError as error:
        error.add_note(f"while fitting {name!r} on {len(y)} samples")
        raise


def fits_itself(member: Any) -> bool:
    """Whether a member is fitted by a `_fit` of this package, not frozen or foreign."""
    kinds = type(member).__mro__
    own = next((kind for kind in kinds if "fit" in vars(kind)), object)
    known = next((kind for kind in kinds if "_fit" in vars(kind)), object)
    return isinstance(member, BeliefPredictor) and issubclass(known, own)


def as_subsets(subsets: object, names: list[str], y: NDArray[Any]) -> list[Rows | None]:
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


def _rows(subset: object, name: str, n: int) -> Rows:
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


def named_members(estimators: Any) -> list[tuple[str, Any]]:
    """Pairs of names and classifiers, from a list of either.

    Parameters
    ----------
    estimators : list of classifiers, or of (name, classifier) pairs
        "drop" in place of a classifier leaves it out.

    Returns
    -------
    list of (str, classifier or "drop")
        Without names, ``classifier0``, ``classifier1`` and so on.

    Raises
    ------
    TypeError
        If it is no list of these, or mixes them.
    ValueError
        If it is empty.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> named_members([SVC(), SVC(C=10)])
    [('classifier0', SVC()), ('classifier1', SVC(C=10))]
    """
    if not isinstance(estimators, list | tuple):
        raise TypeError(
            "estimators is a list of classifiers or of (name, classifier) pairs, "
            f"not {estimators!r}"
        )
    if len(estimators) == 0:
        raise ValueError("estimators is empty; an ensemble needs a classifier")
    paired = any(isinstance(item, tuple | list) for item in estimators)
    pairs = (
        list(estimators) if paired else [(f"classifier{i}", c) for i, c in enumerate(estimators)]
    )
    for position, pair in enumerate(pairs):
        if not _is_pair(pair):
            raise TypeError(
                f"estimators[{position}] is {estimators[position]!r}, expected "
                f"{'a (name, classifier) pair' if paired else 'a classifier'}"
            )
    return [(name, classifier) for name, classifier in pairs]


def _is_pair(pair: object) -> bool:
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        return False
    name, classifier = pair
    fits = hasattr(classifier, "fit") and not isinstance(classifier, type)
    return isinstance(name, str) and (fits or is_dropped(classifier))


def is_dropped(classifier: object) -> bool:
    """Whether "drop" stands in place of a classifier, as in scikit-learn's compositions.

    Parameters
    ----------
    classifier : classifier or "drop"

    Returns
    -------
    bool

    Examples
    --------
    >>> is_dropped("drop"), is_dropped("svm")
    (True, False)
    """
    return isinstance(classifier, str) and classifier == "drop"


class Composition(_BaseComposition):  # type: ignore[misc]  # untyped base
    """An estimator made of `estimators`, reached by their names; abstract."""

    estimators: Any

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters of the ensemble and, by ``name__parameter``, of its classifiers.

        Parameters
        ----------
        deep : bool
            Whether to include the classifiers' own.

        Returns
        -------
        dict
        """
        return dict(self._get_params("_pairs", deep=deep))

    def set_params(self, **params: Any) -> Self:
        """Set parameters of the ensemble, a classifier by its name, or its parameters.

        Parameters
        ----------
        **params
            Such as ``rule=conjunctive``, ``svm=SVC()`` or ``svm__C=10``; ``svm="drop"`` leaves that
            classifier out.

        Returns
        -------
        self
        """
        if "estimators" in params:  # first, because other names may be of the new ones
            self.estimators = params.pop("estimators")
        self._set_params("_pairs", **params)
        return self

    @property
    def _pairs(self) -> list[tuple[str, Any]]:
        """`estimators` with names; an assignment does not add names to a list without them."""
        try:
            return named_members(self.estimators)
        except (TypeError, ValueError):
            return []  # refused by fit, with the reason

    @_pairs.setter
    def _pairs(self, pairs: list[tuple[str, Any]]) -> None:
        has_names = isinstance(self.estimators[0], tuple | list)
        self.estimators = pairs if has_names else [classifier for _, classifier in pairs]

    @property
    def _used_pairs(self) -> list[tuple[str, Any]]:
        """Those that are not dropped."""
        return [(name, one) for name, one in self._pairs if not is_dropped(one)]
