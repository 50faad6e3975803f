"""Checks of training data, for the classifier and the ensemble."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import indexable

from dstheory.checks.arguments import as_array, without_mask
from evical.scores.checks import check_labels, check_weights

__all__ = ["check_groups", "check_samples"]


def check_groups(groups: Any, n: int) -> NDArray[Any]:
    """Groups of samples, one for each.

    Parameters
    ----------
    groups : (n,) array
    n : int

    Returns
    -------
    (n,) array

    Raises
    ------
    ValueError

    Examples
    --------
    >>> check_groups(["a", "b"], 3)
    Traceback (most recent call last):
    ValueError: groups have shape (2,), expected (3,), one for each sample
    """
    array = as_array(groups, "groups")
    if array.shape != (n,):
        raise ValueError(f"groups have shape {array.shape}, expected ({n},), one for each sample")
    return array


def check_samples(
    X: Any, y: Any, sample_weight: Any
) -> tuple[Any, NDArray[Any], NDArray[np.float64] | None]:
    """Samples that can be indexed, labels of at least two classes, and weights.

    Parameters
    ----------
    X : (n, n_features) array, data frame or sparse matrix
        The classifiers check its content.
    y : (n,) array of labels
    sample_weight : (n,) array or None

    Returns
    -------
    X : indexable
    y : (n,) array
    sample_weight : (n,) float array or None

    Raises
    ------
    ValueError
        If there are no samples, lengths differ, a label is NaN or infinite, `y` is not of
        classes or has one class only, a weight is unusable, or all of a class are zero.

    Examples
    --------
    >>> check_samples([[1.0], [2.0]], ["a", "a"], None)
    Traceback (most recent call last):
    ValueError: y has one class only (all 'a'); at least two are needed
    """
    if y is None:
        raise ValueError("fit requires y to be passed, but the target y is None")
    y = check_labels(y)
    X, y = indexable(without_mask(X), y)
    weight = check_weights(sample_weight, len(y))
    classes = np.unique(y)
    if len(classes) < 2:
        raise ValueError(
            f"y has one class only (all {classes.tolist()[0]!r}); at least two are needed"
        )
    if weight is not None:
        lost = np.setdiff1d(classes, y[weight > 0]).tolist()
        if lost:
            raise ValueError(
                f"all samples of class {lost[0]!r} have weight zero; drop them, or give them weight"
            )
    return X, y, weight
