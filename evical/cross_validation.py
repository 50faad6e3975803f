"""Out-of-fold beliefs: each sample is predicted by a copy that has not seen it.

Beliefs about training samples are too optimistic. This is the analog of scikit-learn's
`cross_val_predict` for mass functions (Stone 1974, Cross-validatory choice and assessment of
statistical predictions, Journal of the Royal Statistical Society B 36, 111-147).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, clone
from sklearn.frozen import FrozenEstimator
from sklearn.utils import _safe_indexing

from dstheory import MassFunction
from dstheory.checks.arguments import as_mapping
from evical._fitting import Progress, check_verbose, params_of_rows
from evical._typing import SamplesLike
from evical.beliefs import as_beliefs
from evical.beliefs.composed import placed
from evical.estimators.folds import make_folds
from evical.estimators.members import fitted
from evical.estimators.predictor import BeliefPredictor
from evical.scores.checks import check_groups, check_samples
from evical.scores.direction import Direction, warn_of_wrong_ways, wrong_ways

__all__ = ["cross_val_mass"]


def cross_val_mass(
    estimator: BaseEstimator,
    X: SamplesLike,
    y: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    cv: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    params: dict[str, Any] | None = None,
) -> MassFunction:
    """Out-of-fold belief about the class of each sample.

    Parameters
    ----------
    estimator : classifier or calibrator with `predict_mass`
        Such as `EvidentialClassifier` or `EvidentialEnsemble`; it is cloned, not fitted.
    X : (n, n_features) array, data frame or sparse matrix
        Scores (n,) for a calibrator.
    y : (n,) array
        Labels of two or more classes.
    groups : (n,) array, optional
        Groups of samples that stay together, in these folds and in those that a classifier or an
        ensemble makes internally.
    cv : int, splitter, iterable of (train, test) or None
        Folds, whose test parts hold each sample once; as in `EvidentialClassifier`.
    n_jobs : int, optional
        Number of copies fitted in parallel, see `joblib.Parallel`.
    verbose : int or bool
        Above 0, a line with the time for each fold is printed.
    params : dict, optional
        More arguments of `fit`, such as ``sample_weight``; arrays of n rows are cut like X.

    Returns
    -------
    MassFunction
        Batch (n,) on the frame of all classes, in the order of the samples.

    Raises
    ------
    TypeError
        If the estimator has no `predict_mass`.
    ValueError
        If it is frozen, so that it cannot be refitted; if a class is missing from a training part,
        or the test parts are not a partition; or as for its `fit`.

    Warns
    -----
    WrongWayWarning
        If scores are reversed, once for all copies.

    See Also
    --------
    evical.EvidentialEnsemble : learns fusions from such beliefs of its members.

    Examples
    --------
    >>> from evical.calibrators import BinningCalibrator
    >>> scores, y = [0.1, 0.2, 0.3, 0.7, 0.8, 0.9], [0, 0, 0, 1, 1, 1]
    >>> m = cross_val_mass(BinningCalibrator(n_bins=2), scores, y, cv=3)
    >>> m.bel(1).round(3)
    array([0.   , 0.   , 0.   , 0.667, 0.667, 0.667])
    """
    _check_estimator(estimator)
    check_verbose(verbose)
    params = {} if params is None else as_mapping(params, "params", "arguments of fit by name")
    X, y, weight = check_samples(X, y, params.get("sample_weight"), groups)
    split = {} if groups is None else {"groups": check_groups(groups, len(y))}
    folds, _ = make_folds(cv, X, y, weight, split, ensemble=None)
    if isinstance(estimator, BeliefPredictor):
        params |= split
    tasks = [
        (f"fold {number}", (estimator, X, y, params, *fold))
        for number, fold in enumerate(folds, start=1)
    ]
    copies = Progress("cross_val_mass", verbose).each(_unseen, tasks, n_jobs)
    warn_of_wrong_ways([one for _, found in copies for one in found], stacklevel=3)
    classes = np.unique(y)
    parts = [
        (test, as_beliefs(m, classes)) for (_, test), (m, _) in zip(folds, copies, strict=True)
    ]
    return placed(classes, len(y), parts).mass()


def _check_estimator(estimator: BaseEstimator) -> None:
    if isinstance(estimator, type) or not hasattr(estimator, "predict_mass"):
        raise TypeError(
            f"estimator is {estimator!r}, which has no predict_mass; wrap a classifier in "
            "EvidentialClassifier"
        )
    if isinstance(estimator, FrozenEstimator):
        raise ValueError(
            "the estimator is frozen, but out-of-fold beliefs need copies that are refitted; give "
            "it without FrozenEstimator"
        )


def _unseen(
    estimator: Any, X: Any, y: Any, params: dict[str, Any], train: Any, test: Any
) -> tuple[MassFunction, list[Direction]]:
    """Beliefs of a copy fitted to one part about the other part, and its warnings."""
    cut = params_of_rows(X, params, train)
    copy = fitted(clone(estimator), _safe_indexing(X, train), y[train], cut)
    return copy.predict_mass(_safe_indexing(X, test)), wrong_ways(copy)
