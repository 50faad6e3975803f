"""Samples for training and samples for calibration, drawn so that the promise is exact.

A calibration part drawn at random from all samples is exchangeable with new samples. One with the
shares of the classes fixed is so within each class only, which is what a promise for each class
needs; and so it is for groups.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import GroupShuffleSplit

from evical.estimators.folds import make_folds
from evical.scores.checks import check_groups

__all__ = ["Fold", "counting_folds", "split_rows"]

Rows = NDArray[np.intp]
Fold = tuple[Rows, Rows]


def split_rows(
    y: NDArray[Any],
    weight: NDArray[np.float64] | None,
    held_out: float,
    rng: np.random.RandomState,
    strata: NDArray[Any] | None = None,
    groups: NDArray[Any] | None = None,
) -> Fold:
    """Rows for training, and rows that are held out; those of weight 0 are in neither.

    Parameters
    ----------
    y : (n,) array
    weight : (n,) array or None
    held_out : float
        Share that is held out.
    rng : RandomState
    strata : (n,) array, optional
        The share is held out of each stratum; a single sample is for training.
    groups : (n,) array, optional
        Of samples that no split separates; strata are then left out of account.

    Returns
    -------
    train, calibration : index arrays, sorted

    Raises
    ------
    ValueError
        If no sample is left for one of them.

    Examples
    --------
    >>> y, rng = np.repeat([0, 1], 5), np.random.RandomState(0)
    >>> train, calibration = split_rows(y, None, 0.3, rng)
    >>> len(train), len(calibration)
    (7, 3)
    """
    kept = np.arange(len(y)) if weight is None else np.flatnonzero(weight > 0)
    if groups is not None:
        splitter = GroupShuffleSplit(1, test_size=held_out, random_state=rng)
        own = check_groups(groups, len(y))[kept]
        train, test = next(splitter.split(np.empty((len(kept), 0)), groups=own))
        return np.sort(kept[train]), np.sort(kept[test])
    names = np.zeros(len(y)) if strata is None else strata
    parts = [rng.permutation(kept[names[kept] == name]) for name in np.unique(names[kept])]
    cuts = [round(held_out * len(part)) if len(part) > 1 else 0 for part in parts]
    held = np.concatenate([part[:cut] for part, cut in zip(parts, cuts, strict=True)])
    if not 0 < len(held) < len(kept):
        raise ValueError(
            f"held_out={held_out:g} of {len(kept)} samples leaves {len(kept) - len(held)} for "
            f"training and {len(held)} for calibration, but both need some; take more samples"
        )
    return np.setdiff1d(kept, held), np.sort(held)


def counting_folds(
    cv: Any, X: Any, y: NDArray[Any], weight: NDArray[np.float64] | None, split_params: Any
) -> list[Fold]:
    """Folds of `make_folds`, whose test parts hold each sample once, without weights of 0.

    Parameters
    ----------
    cv : int, splitter, iterable of (train, test) or None
    X, y, weight : samples, labels, and weights or None
    split_params : dict

    Returns
    -------
    list of (train, test) index arrays

    Raises
    ------
    ValueError
        As `make_folds`.
    """
    folds, _ = make_folds(cv, X, y, weight, split_params, ensemble=False)
    if weight is None:
        return folds
    cut = [(train[weight[train] > 0], test[weight[test] > 0]) for train, test in folds]
    return [(train, test) for train, test in cut if len(test)]
