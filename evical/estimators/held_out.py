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
from sklearn.utils.validation import _num_samples

from dstheory.errors import CostLimitError
from evical._fitting import Progress, params_of_rows
from evical._typing import Floats, SamplesLike
from evical.beliefs import Beliefs, as_beliefs
from evical.beliefs.composed import placed
from evical.calibrators import AutoCalibrator
from evical.estimators.calibrated import Calibrated, fit_calibrated
from evical.estimators.folds import Fold, Scored, checked_cv, units_of_classes
from evical.estimators.members import fitted
from evical.estimators.predictor import BeliefPredictor, plain
from evical.fusion import Rule

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

    def folds(self, samples: "Samples") -> list[Fold]:
        """Folds of its rows that have a weight, if copies are to be refitted without each of them.

        Beliefs about its own rows need such copies, unless scores are known or it is frozen.
        """
        if self.scored is not None or isinstance(self.member, FrozenEstimator):
            return []
        rows = self.rows[samples.counts[self.rows] > 0]
        found = samples.folds(rows, samples.y[rows])
        return [(rows[train], rows[test]) for train, test in found]


def available_rows(member: Any, X: Any, rows: Rows) -> Rows:
    """Of some rows, those for which a fitted member is available.

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


@dataclass(frozen=True, eq=False)
class Samples:
    """Training samples of an ensemble.

    Parameters
    ----------
    X : samples, as the members read them
    y : (n,) array
    weight : (n,) array or None
    groups : (n,) array or None
        Groups of samples that no fold splits.
    """

    X: Any
    y: NDArray[Any]
    weight: Floats | None
    groups: NDArray[Any] | None

    @property
    def counts(self) -> Floats:
        """Weights (n,), or ones."""
        return np.ones(len(self.y)) if self.weight is None else self.weight

    def folds(self, rows: Rows, labels: NDArray[Any]) -> list[Fold]:
        """Stratified folds of some rows with these labels; none if a class has one unit only."""
        groups = None if self.groups is None else self.groups[rows]
        least = int(units_of_classes(labels, groups).min())
        if least < 2:
            return []
        kind = StratifiedKFold if groups is None else StratifiedGroupKFold
        return list(kind(min(_FOLDS, least)).split(rows, labels, groups))


def fit_rule(
    rule: Rule, shares: Sequence[Share], samples: Samples, n_jobs: int | None, progress: Progress
) -> None:
    """Fit a rule to the sizes of the shares, and to held-out beliefs if it learns from them.

    Parameters
    ----------
    rule : Rule
        Is fitted.
    shares : list of Share
        Of all members.
    samples : Samples
    n_jobs : int or None
        Copies trained at once.
    progress : Progress

    Raises
    ------
    ValueError
        If no sample can be held out, or the rule refuses the beliefs.
    """
    y, counts = samples.y, samples.counts
    sizes = [counts[share.rows].sum() for share in shares]
    if not rule.learns:
        rule.fit(sizes=sizes)
        return
    classes = shares[0].fitted.classes_
    reads = rule.reads(len(classes))
    folds_of = [share.folds(samples) for share in shares]
    tasks = [
        (f"{share.name}, copy {number}", (share, samples.X, y, *fold, reads))
        for share, folds in zip(shares, folds_of, strict=True)
        for number, fold in enumerate(folds, start=1)
    ]
    copies = iter(progress.each(_without, tasks, n_jobs))
    parts = [
        _held_out(share, samples, [one for _ in folds for one in next(copies)])
        for share, folds in zip(shares, folds_of, strict=True)
    ]
    if not any(parts):
        raise ValueError(
            f"{len(y)} samples are too few to hold any out, but {rule!r} learns from held-out "
            "beliefs; take a rule that learns nothing, such as 'dempster' or 'size_mixture'"
        )
    beliefs = [placed(classes, len(y), own) for own in parts]
    for share, own in zip(shares, beliefs, strict=True):
        if reads == "products" and own.n_products is None:
            raise _listed(share.fitted)
    rule._fit(beliefs, y, sizes, samples.weight)


def _listed(member: Any) -> CostLimitError:
    """The error for a member whose beliefs are no products over the classes."""
    return CostLimitError(
        f"beliefs of {type(plain(member)).__name__} about {len(member.classes_)} classes list all "
        "sets, so rates cannot be learned from them; take the fusion 'stacked'"
    )


def beliefs_of(member: Any, share: Share | None, samples: Samples) -> Beliefs:
    """Beliefs of a source about the samples from which a rule learns.

    Parameters
    ----------
    member : fitted BeliefPredictor
    share : Share or None
        With the scores on which it was calibrated, if it was.
    samples : Samples

    Returns
    -------
    Beliefs
    """
    if share is None or share.scored is None:
        found: Beliefs = member.beliefs(samples.X)
        return found
    own = _calibrated(share, share.scored, samples.y, samples)
    return placed(member.classes_, len(samples.y), own)


def _held_out(share: Share, samples: Samples, copies: Parts) -> Parts:
    """Beliefs of a member about rows that are new to it, those of refitted copies among them."""
    n = len(samples.y)
    if isinstance(share.member, FrozenEstimator):  # `fit` left it as it was
        return [(np.arange(n), plain(share.fitted).beliefs(samples.X))]
    others = np.flatnonzero(np.bincount(share.rows, minlength=n) == 0)
    if len(others):
        copies.append((others, share.fitted.beliefs(_safe_indexing(samples.X, others))))
    if share.scored is not None:
        copies += _calibrated(share, share.scored, samples.y, samples)
    return copies


def _calibrated(share: Share, scored: Scored, y: NDArray[Any], samples: Samples) -> Parts:
    """Beliefs about a member's own rows, from scores of classifiers that did not see them.

    The default calibrator is smooth, and has no parameters to speak of: its own samples are as good
    as new. Others, which may have a step for each sample, are fitted again without each fold. A
    source has labels y of its own.
    """
    if hasattr(share.fitted, "_extended"):  # a source
        source = share.fitted
        inner = replace(share, member=source._classifier(), fitted=source.estimator_)
        labels = y if source.merged_ is None else source._coarse(y)
        parts = _calibrated(inner, scored, labels, samples)
        return [(rows, source._extended(beliefs)) for rows, beliefs in parts]
    part = share.fitted.calibrated_classifiers_[0]
    calibrator = share.fitted._given_calibrator(len(share.fitted.classes_))
    if calibrator is None or isinstance(calibrator, AutoCalibrator):
        return [(share.rows, part.beliefs_of(scored.scores))]
    labels, counts = y[share.rows], samples.counts[share.rows]
    used = np.flatnonzero(counts)
    tests = [test for _, test in scored.folds] or [
        used[test] for _, test in samples.folds(share.rows[used], labels[used])
    ]
    found: Parts = []
    for test in tests:
        train = np.setdiff1d(used, test)
        copy = _recalibrated(share, calibrator, scored, train, labels, counts)
        if copy is not None:
            found.append((share.rows[test], copy.beliefs_of(scored.scores[test])))
    return found


def _recalibrated(
    share: Share,
    calibrator: object,
    scored: Scored,
    train: Rows,
    labels: NDArray[Any],
    counts: Floats,
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


def _without(
    share: Share, X: SamplesLike, y: NDArray[Any], train: Rows, test: Rows, reads: str
) -> Parts:
    """Rows, and the beliefs about them of a copy fitted to others; none if these are too few."""
    cut = params_of_rows(X, share.params, train)
    try:
        copy = fitted(clone(share.member), _safe_indexing(X, train), y[train], cut)
    except ValueError:  # the same fit succeeded with more rows
        return []
    return [(test, _computed(copy.beliefs(_safe_indexing(X, test)), copy, reads))]


def _computed(beliefs: Beliefs, member: object, reads: str) -> Beliefs:
    """What a rule reads of beliefs, computed, so that it travels between processes."""
    if reads == "probabilities":
        p = np.where(beliefs.silent[:, np.newaxis], np.nan, beliefs.probability())
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
