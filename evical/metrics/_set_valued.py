"""Accuracy of set-valued predictions: a correct set counts less the larger it is.

The utility of a set that contains the true class is a function of its precision 1 / size. Precision
itself values a set like a random choice from it. u65 and u80 value it more, for users who prefer an
honest "I do not know". Zaffalon, Corani & Maua 2012.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory import MassFunction
from dstheory.checks.arguments import as_array
from dstheory.decide import interval_dominance
from evical._typing import Floats
from evical.metrics.beliefs import normal
from evical.metrics.inputs import (
    average,
    check_some,
    checked_weights,
    class_codes,
    class_labels,
    known_labels,
)
from evical.scores.checks import check_same_length

__all__ = ["discounted_accuracy", "sets_of", "u65_score", "u80_score"]


def discounted_accuracy(
    y_true: Any, y_set: Any, *, labels: Any = None, sample_weight: Any = None
) -> float:
    """Discounted accuracy: mean of 1 / size for sets that contain the true class, else 0.

    Parameters
    ----------
    y_true : (n,) array of labels
    y_set : (n, K) array of bool, or MassFunction
        Which classes are predicted, as returned by `predict_set`; for mass functions, the classes
        that interval dominance keeps.
    labels : sequence of K labels, optional
        Labels of the columns. Default: those of `y_true`, sorted.
    sample_weight : (n,) array, optional

    Returns
    -------
    float
        In [0, 1]. An empty set is worth 0.

    Raises
    ------
    ValueError
        If a label is unknown, or lengths differ.
    TypeError
        If `y_set` is neither bool nor a mass function.

    References
    ----------
    Zaffalon, Corani & Maua (2012), Evaluating credal classifiers by utility-discounted
    predictive accuracy, International Journal of Approximate Reasoning 53, 1282-1301.

    Examples
    --------
    Worth 1, 1/2, 0, 1/2, 1/2:

    >>> sets = [[True, False], [True, True], [True, False], [True, True], [True, True]]
    >>> discounted_accuracy([0, 0, 1, 1, 1], sets)
    0.5
    """
    precision, weight = _precision(y_true, y_set, labels, sample_weight)
    return average(precision, weight)


def u65_score(y_true: Any, y_set: Any, *, labels: Any = None, sample_weight: Any = None) -> float:
    r"""Utility-discounted accuracy u65: a correct set of two classes is worth 0.65.

    Parameters
    ----------
    y_true : (n,) array of labels
    y_set : (n, K) array of bool, or MassFunction
    labels : sequence of K labels, optional
    sample_weight : (n,) array, optional
        All as in `discounted_accuracy`.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    ValueError, TypeError
        As `discounted_accuracy`.

    Notes
    -----
    The mean of :math:`-0.6 x^2 + 1.6 x`, with x the discounted accuracy of a sample.

    References
    ----------
    Zaffalon, Corani & Maua (2012), International Journal of Approximate Reasoning 53, 1282-1301.

    Examples
    --------
    Worth 1, 0.65, 0, 0.65, 0.65:

    >>> sets = [[True, False], [True, True], [True, False], [True, True], [True, True]]
    >>> round(u65_score([0, 0, 1, 1, 1], sets), 4)
    0.59
    """
    x, weight = _precision(y_true, y_set, labels, sample_weight)
    return average(x + 0.6 * x * (1 - x), weight)


def u80_score(y_true: Any, y_set: Any, *, labels: Any = None, sample_weight: Any = None) -> float:
    r"""Utility-discounted accuracy u80: a correct set of two classes is worth 0.8.

    Parameters
    ----------
    y_true : (n,) array of labels
    y_set : (n, K) array of bool, or MassFunction
    labels : sequence of K labels, optional
    sample_weight : (n,) array, optional
        All as in `discounted_accuracy`.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    ValueError, TypeError
        As `discounted_accuracy`.

    Notes
    -----
    The mean of :math:`-1.2 x^2 + 2.2 x`, with x the discounted accuracy of a sample.

    References
    ----------
    Zaffalon, Corani & Maua (2012), International Journal of Approximate Reasoning 53, 1282-1301.

    Examples
    --------
    Worth 1, 0.8, 0, 0.8, 0.8:

    >>> sets = [[True, False], [True, True], [True, False], [True, True], [True, True]]
    >>> round(u80_score([0, 0, 1, 1, 1], sets), 4)
    0.68
    """
    x, weight = _precision(y_true, y_set, labels, sample_weight)
    return average(x + 1.2 * x * (1 - x), weight)


def _precision(
    y_true: Any, y_set: Any, labels: Any, sample_weight: Any
) -> tuple[Floats, Floats | None]:
    """1 / size of each set that contains the true class, else 0, and the weights."""
    kept, names = sets_of(y_true, y_set, labels)
    check_some(kept)
    codes = class_codes(y_true, names)
    check_same_length(y_true=codes, y_set=kept)
    right = kept[np.arange(len(codes)), codes]
    sizes = np.maximum(kept.sum(axis=1), 1)
    return right / sizes, checked_weights(sample_weight, len(codes))


def sets_of(y_true: Any, y_set: Any, labels: Any) -> tuple[NDArray[np.bool_], NDArray[Any]]:
    """Which classes (n, K) each set has, and the labels (K,) of the columns.

    Parameters
    ----------
    y_true : (n,) array of labels
    y_set : (n, K) array of bool, or MassFunction
    labels : sequence of K labels, or None

    Returns
    -------
    sets : (n, K) array of bool
    labels : (K,) array

    Raises
    ------
    TypeError, ValueError
        As `discounted_accuracy`.
    """
    if isinstance(y_set, MassFunction):
        names = known_labels(np.asarray(y_set.frame.labels), labels, "the frame of y_set")
        return interval_dominance(normal(y_set)), names
    kept = as_array(y_set, "y_set")
    if kept.dtype != bool:
        raise TypeError(
            f"y_set holds {kept.dtype.name} values, expected bool: whether each class is predicted"
        )
    if kept.ndim != 2:
        raise ValueError(f"y_set has shape {kept.shape}, expected (n, n_classes)")
    return kept, class_labels(y_true, labels, kept.shape[1])
