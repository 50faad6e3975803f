"""Out-of-fold beliefs of the members of an ensemble.

If a fusion learned from beliefs about training samples, it would trust the member that overfits
most. So a fitted member predicts only rows outside its own subset. Beliefs about its own rows come
from the out-of-fold scores on which it was calibrated; a member without them is refitted, fold by
fold (Wolpert 1992, Stacked generalization, Neural Networks 5, 241-259).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _check_method_params, _num_samples

from dstheory.errors import CostLimitError
from evical._fitting import Progress
from evical._typing import Floats
from evical.beliefs import Beliefs, as_beliefs, placed
from evical.calibrators import AutoCalibrator
from evical.estimators.calibrated import Calibrated, fit_calibrated
from evical.estimators.folds import Scored, checked_cv, units_of_classes
from evical.estimators.members import fitted
from evical.estimators.predictor import BeliefPredictor, plain
from evical.fusion import Rule

__all__ = [
    "Share",
    "beliefs_of",
    "check_refittable",
    "fit_fusion",
    "learned_by_name",
    "rows_told",
]

Rows = NDArray[np.intp]

Parts = list[tuple[Rows, Beliefs]]
"""Numbers of rows, with beliefs about them."""

_FOLDS = 5


@dataclass(frozen=True, eq=False)
class Share:
    """A member of an ensemble with its own samples.

    Parameters
    ----------
    name : str
    member : classifier with `predict_mass`, not fitted (or frozen)
    fitted : the same classifier, fitted to `rows`
    scored : Scored or None
        Out-of-fold scores of the rows, if one calibrator was trained on them.
    rows : (r,) array
        Those about which it speaks.
    params : dict
        Arguments of its `fit`; arrays with as many rows as X are cut like X.
    """

    name: str
    member: Any
    fitted: Any
    scored: Scored | None
    rows: Rows
    params: dict[str, Any]

    @property
    def is_refitted(self) -> bool:
        """Whether beliefs about its own rows need copies that are trained without them."""
        return self.scored is None and not isinstance(self.member, FrozenEstimator)


def rows_told(member: Any, X: Any, rows: Rows) -> Rows:
    """Of some rows, those about which a fitted member speaks.

    Parameters
    ----------
    member : BeliefPredictor, or a frozen one
    X : array, data frame or sparse matrix
    rows : (r,) array

    Returns
    -------
    array
    """
    if not isinstance(member, BeliefPredictor):
        return rows
    everything = len(rows) == _num_samples(X)
    available = member._available(X if everything else _safe_indexing(X, rows))
    return rows if available is None else rows[available]


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
    cv = checked_cv(getattr(member, "cv", None))
    if not (cv is None or isinstance(cv, int | np.integer) or hasattr(cv, "split")):
        raise ValueError(
            f"{name!r} has a cv of fixed rows, {needs}; give cv as a number or a splitter"
        )
    if getattr(member, "subsets", None) is not None:
        raise ValueError(f"{name!r} has subsets of its own, {needs}; give it none")
    for inner in getattr(member, "_used_pairs", []):  # an ensemble's
        check_refittable(*inner)
    if hasattr(member, "coarsening"):  # a source
        check_refittable(name, member.estimator)


def fit_fusion(
    fusion: Rule,
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
    fusion : Rule
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
    if fusion.needs != "labels":
        fusion.fit(sizes=sizes)
        return
    classes = shares[0].fitted.classes_
    reads = fusion.reads(len(classes))
    folds_of = [_folds_of(share, y, counts, groups) for share in shares]
    tasks = [
        (f"{share.name}, copy {number}", (share, X, y, train, test, reads))
        for share, folds in zip(shares, folds_of, strict=True)
        for number, (train, test) in enumerate(folds, start=1)
    ]
    copies = iter(progress.each(_without, tasks, n_jobs))
    parts = [
        _held_out(share, X, y, counts, [one for _ in folds for one in next(copies)], groups)
        for share, folds in zip(shares, folds_of, strict=True)
    ]
    if not any(parts):
        raise ValueError(
            f"{len(y)} samples are too few to hold any out, but {fusion!r} learns from held-out "
            "beliefs; take a rule that learns nothing, such as 'dempster' or 'size_mixture'"
        )
    beliefs = [placed(classes, len(y), own) for own in parts]
    for share, own in zip(shares, beliefs, strict=True):
        if reads == "products" and own.n_products is None:
            raise _listed(share.fitted)
    fusion.fit(beliefs, y, sizes, sample_weight=weight)


def _listed(member: Any) -> CostLimitError:
    """The error for a member whose beliefs are no products over the classes."""
    return CostLimitError(
        f"beliefs of {type(plain(member)).__name__} about {len(member.classes_)} classes list all "
        "sets, so rates cannot be learned from them; take the fusion 'stacked'"
    )


def beliefs_of(
    member: Any,
    X: Any,
    share: Share | None,
    y: NDArray[Any],
    weight: Floats | None,
    groups: NDArray[Any] | None,
) -> Beliefs:
    """Beliefs of a source about the samples from which a rule learns.

    Parameters
    ----------
    member : fitted BeliefPredictor
    X : samples
    share : Share or None
        With the scores on which it was calibrated, if it was.
    y : (n,) array
    weight : (n,) array or None
    groups : (n,) array or None

    Returns
    -------
    Beliefs
    """
    if share is None or share.scored is None:
        found: Beliefs = member.beliefs(X)
        return found
    counts = np.ones(len(y)) if weight is None else weight
    return placed(member.classes_, len(y), _calibrated(share, share.scored, y, counts, groups))


def _folds_of(
    share: Share, y: NDArray[Any], counts: Floats, groups: NDArray[Any] | None
) -> list[tuple[Rows, Rows]]:
    """Folds of the rows of a member that have a weight, if copies are to be refitted."""
    if not share.is_refitted:
        return []
    rows = share.rows[counts[share.rows] > 0]
    return _folds(y[rows], rows, None if groups is None else groups[rows])


def _folds(y: NDArray[Any], rows: Rows, groups: NDArray[Any] | None) -> list[tuple[Rows, Rows]]:
    least = int(units_of_classes(y, groups).min())
    if least < 2:
        return []
    kind = StratifiedKFold if groups is None else StratifiedGroupKFold
    splits = kind(min(_FOLDS, least)).split(rows, y, groups)
    return [(rows[train], rows[test]) for train, test in splits]


def _held_out(
    share: Share,
    X: Any,
    y: NDArray[Any],
    counts: Floats,
    own: Parts,
    groups: NDArray[Any] | None,
) -> Parts:
    """Beliefs of a member about rows that are new to it; `own` are those of refitted copies."""
    if isinstance(share.member, FrozenEstimator):  # `fit` left it as it was
        return [(np.arange(len(y)), plain(share.fitted).beliefs(X))]
    parts = list(own)
    others = np.setdiff1d(np.arange(len(y)), share.rows)
    if len(others):
        parts.append((others, share.fitted.beliefs(_safe_indexing(X, others))))
    if share.scored is not None:
        parts += _calibrated(share, share.scored, y, counts, groups)
    return parts


def _calibrated(
    share: Share,
    scored: Scored,
    y: NDArray[Any],
    counts: Floats,
    groups: NDArray[Any] | None,
) -> Parts:
    """Beliefs about a member's own rows, from scores of classifiers that did not see them.

    The default calibrator is smooth, and has no parameters to speak of: its own samples are as good
    as new. Others, which may have a step for each sample, are fitted again without each fold.
    """
    if hasattr(share.fitted, "_extended"):
        return _carried(share, scored, y, counts, groups)
    part = share.fitted.calibrated_classifiers_[0]
    calibrator = share.fitted._given_calibrator(len(share.fitted.classes_))
    if calibrator is None or isinstance(calibrator, AutoCalibrator):
        return [(share.rows, part.beliefs_of(scored.scores))]
    labels, own = y[share.rows], counts[share.rows]
    used = np.flatnonzero(own)
    its_groups = None if groups is None else groups[share.rows][used]
    parts: Parts = []
    for _, test in scored.folds or _folds(labels[used], used, its_groups):
        train = np.setdiff1d(used, test)
        copy = _recalibrated(share, calibrator, scored, train, labels, own)
        if copy is not None:
            parts.append((share.rows[test], copy.beliefs_of(scored.scores[test])))
    return parts


def _carried(
    share: Share,
    scored: Scored,
    y: NDArray[Any],
    counts: Floats,
    groups: NDArray[Any] | None,
) -> Parts:
    """The same of a source, whose classifier has labels of its own."""
    source = share.fitted
    inner = replace(share, member=source._classifier(), fitted=source.estimator_)
    labels = y if source.merged_ is None else source._coarse(y)
    parts = _calibrated(inner, scored, labels, counts, groups)
    return [(rows, source._extended(beliefs)) for rows, beliefs in parts]


def _recalibrated(
    share: Share, calibrator: Any, scored: Scored, train: Rows, labels: NDArray[Any], counts: Floats
) -> Calibrated | None:
    """The member with calibrators of some of its samples; None if these are too few."""
    decoder = share.fitted._decoder(labels, counts)
    part = share.fitted.calibrated_classifiers_[0]
    try:
        return fit_calibrated(
            part.estimator,
            calibrator,
            scored.scores[train],
            labels[train],
            decoder,
            counts[train],
        )
    except ValueError:  # the same fit succeeded with more samples
        return None


def _without(share: Share, X: Any, y: NDArray[Any], train: Rows, test: Rows, reads: str) -> Parts:
    """Rows, and the beliefs about them of a copy fitted to others; none if these are too few."""
    cut = _check_method_params(X, params=share.params, indices=train)
    try:
        copy = fitted(clone(share.member), _safe_indexing(X, train), y[train], cut)
    except ValueError:  # the same fit succeeded with more rows
        return []
    return [(test, _computed(copy.beliefs(_safe_indexing(X, test)), copy, reads))]


def _computed(beliefs: Beliefs, member: Any, reads: str) -> Beliefs:
    """What a rule reads of beliefs, computed, so that it travels between processes."""
    if reads == "probabilities":
        p = np.where(beliefs.silent[:, np.newaxis], np.nan, beliefs.betp())
        return as_beliefs(p, beliefs.classes)
    if reads == "masses":
        return as_beliefs(beliefs.mass(), beliefs.classes)
    if beliefs.n_products is None:
        raise _listed(member)
    products: Beliefs = beliefs.products()
    return products


def learned_by_name(rule: Rule, names: list[str]) -> dict[str, dict[str, Any]]:
    """What a rule learned about each source, by the names of the sources.

    Parameters
    ----------
    rule : Rule
        Fitted.
    names : list of str

    Returns
    -------
    dict
        From the name of a fitted attribute to a dict from names of sources.
    """
    return {
        attribute: dict(zip(names, values.tolist(), strict=True))
        for attribute, values in rule.by_source().items()
    }
