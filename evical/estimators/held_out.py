"""Out-of-fold beliefs of the members of an ensemble.

If a fusion learned from beliefs about training samples, it would trust the member that overfits
most. So a fitted member predicts only rows outside its own subset. Beliefs about its own rows come
from copies refitted without them, fold by fold (Wolpert 1992, Stacked generalization, Neural
Networks 5, 241-259).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _check_method_params

from dstheory import Frame, MassFunction
from evical.estimators.folds import units_of_classes
from evical.estimators.members import fitted, gather
from evical.estimators.progress import Progress
from evical.fusion import BaseFusion

__all__ = ["Share", "check_refittable", "fit_fusion", "learned_by_name"]

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

_FOLDS = 5


@dataclass(frozen=True, eq=False)
class Share:
    """A member of an ensemble with its own samples.

    Parameters
    ----------
    name : str
    member : classifier with `predict_mass`, not fitted (or frozen)
    fitted : the same classifier, fitted to `rows`
    rows : (r,) array
    params : dict
        Arguments of its `fit`; arrays with as many rows as X are cut like X.
    """

    name: str
    member: Any
    fitted: Any
    rows: Rows
    params: dict[str, Any]


def check_refittable(name: str, member: Any) -> None:
    """Refuse a member whose parameters name rows, which cannot be refitted to other rows.

    Parameters
    ----------
    name : str
    member : classifier, not fitted

    Raises
    ------
    ValueError

    Examples
    --------
    >>> from evical.classifier import EvidentialClassifier
    >>> check_refittable("svm", EvidentialClassifier(cv=[([0, 1], [2, 3])]))
    Traceback (most recent call last):
    ValueError: 'svm' has a cv of fixed rows, but a learned fusion has to refit it to \
parts of the data; give cv as a number or a splitter
    """
    if isinstance(member, FrozenEstimator):
        return
    needs = "but a learned fusion has to refit it to parts of the data"
    cv = getattr(member, "cv", None)
    if not (cv is None or isinstance(cv, int | np.integer) or hasattr(cv, "split")):
        raise ValueError(
            f"{name!r} has a cv of fixed rows, {needs}; give cv as a number or a splitter"
        )
    if getattr(member, "subsets", None) is not None:
        raise ValueError(f"{name!r} has subsets of its own, {needs}; give it none")
    for inner in getattr(member, "_pairs", []):  # an ensemble's
        check_refittable(*inner)


def fit_fusion(
    fusion: BaseFusion,
    shares: Sequence[Share],
    X: Any,
    y: NDArray[Any],
    weight: Floats | None,
    n_jobs: int | None,
    progress: Progress,
    groups: NDArray[Any] | None = None,
) -> None:
    """Fit a fusion to the sizes of the shares, and to held-out beliefs if it needs them.

    Parameters
    ----------
    fusion : BaseFusion
        Is fitted.
    shares : sequence of Share
    X : array, data frame or sparse matrix
    y : (n,) array
    weight : (n,) array or None
    n_jobs : int or None
    progress : Progress
    groups : (n,) array or None
        Groups that no fold splits.

    Raises
    ------
    ValueError
        If no sample could be held out from any member; or as the fusion.
    """
    counts = np.ones(len(y)) if weight is None else weight
    sizes = [counts[share.rows].sum() for share in shares]
    if not fusion.needs_beliefs:
        fusion.fit(sizes=sizes)
        return
    folds_of = [_folds_of(share, y, counts, groups) for share in shares]
    tasks = [
        (f"{share.name}, copy {number}", (share, X, y, train, test))
        for share, folds in zip(shares, folds_of, strict=True)
        for number, (train, test) in enumerate(folds, start=1)
    ]
    parts = iter(progress.each(_without, tasks, n_jobs))
    masses = [
        _held_out(share, X, y, [next(parts) for _ in folds])
        for share, folds in zip(shares, folds_of, strict=True)
    ]
    if all(m.is_vacuous.all() for m in masses):
        raise ValueError(
            f"{len(y)} samples are too few to hold any out, but {fusion!r} learns from held-out "
            "beliefs; take a rule that learns nothing, such as 'dempster' or 'size_mixture'"
        )
    fusion.fit(masses, y, sizes, sample_weight=weight)


def _folds_of(
    share: Share, y: NDArray[Any], counts: Floats, groups: NDArray[Any] | None
) -> list[tuple[Rows, Rows]]:
    """Folds of the rows of a member that have a weight; a frozen member has none."""
    if isinstance(share.member, FrozenEstimator):
        return []
    rows = share.rows[counts[share.rows] > 0]
    return _folds(y[rows], rows, None if groups is None else groups[rows])


def _held_out(
    share: Share, X: Any, y: NDArray[Any], own: Sequence[tuple[Rows, MassFunction | None]]
) -> MassFunction:
    """Belief of a member about each sample; refitted copies predict its own rows."""
    if isinstance(share.member, FrozenEstimator):  # `fit` left it as it was
        return share.fitted.predict_mass(X)  # type: ignore[no-any-return]  # a BeliefPredictor
    others = np.setdiff1d(np.arange(len(y)), share.rows)
    parts = []
    if len(others):
        parts.append((others, share.fitted.predict_mass(_safe_indexing(X, others))))
    parts += [(rows, belief) for rows, belief in own if belief is not None]
    return gather(Frame(share.fitted.classes_.tolist()), len(y), parts)


def _folds(y: NDArray[Any], rows: Rows, groups: NDArray[Any] | None) -> list[tuple[Rows, Rows]]:
    least = int(units_of_classes(y, groups).min())
    if least < 2:
        return []
    kind = StratifiedKFold if groups is None else StratifiedGroupKFold
    splits = kind(min(_FOLDS, least)).split(rows, y, groups)
    return [(rows[train], rows[test]) for train, test in splits]


def _without(
    share: Share, X: Any, y: NDArray[Any], train: Rows, test: Rows
) -> tuple[Rows, MassFunction | None]:
    """Rows, and the beliefs about them of a copy fitted to others; None if these are too few."""
    cut = _check_method_params(X, params=share.params, indices=train)
    try:
        copy = fitted(clone(share.member), _safe_indexing(X, train), y[train], cut)
    except ValueError:  # the same fit succeeded with more rows
        return test, None
    return test, copy.predict_mass(_safe_indexing(X, test))


def learned_by_name(fusion: Any, names: list[str]) -> dict[str, dict[str, Any]]:
    """What a fusion learned about each source, by the names of the sources.

    Parameters
    ----------
    fusion : fitted BaseFusion, or a plain rule, which knows nothing
    names : list of str

    Returns
    -------
    dict of str to dict
    """
    if not isinstance(fusion, BaseFusion):
        return {}
    return {
        attribute: dict(zip(names, values.tolist(), strict=True))
        for attribute, values in fusion.by_source().items()
    }
