"""Binned calibration errors of many classes, each an ECE or MCE of a binary problem.

Classwise: each class against all others. Micro: all classes and samples pooled. Top label: whether
the most probable class is the true one. They answer different questions and differ in size,
although all are called ECE.
"""

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np

from evical.metrics._ece import binned_error, largest_gap
from evical.metrics.inputs import (
    BinarySample,
    ClassSample,
    assigned_classes,
    class_sample,
    of_class,
)

__all__ = [
    "classwise_calibration_error",
    "classwise_maximum_calibration_error",
    "micro_calibration_error",
    "micro_maximum_calibration_error",
    "top_label_calibration_error",
]

Strategy = Literal["uniform", "quantile"]


def classwise_calibration_error(
    y_true: Any,
    y_prob: Any,
    *,
    n_bins: int = 10,
    strategy: Strategy = "uniform",
    labels: Any = None,
    sample_weight: Any = None,
) -> float:
    r"""Classwise ECE: mean over classes of the ECE of each against all others; 0 is best.

    Parameters
    ----------
    y_true : (n,) array of labels
    y_prob : (n,) or (n, K) array, or MassFunction
        Probability of the greater of two labels, or of each label, in sorted order.
    n_bins : int
    strategy : "uniform" or "quantile"
        As in `expected_calibration_error`.
    labels : sequence of K labels, optional
        Labels of the columns. Default: those of `y_true`, sorted.
    sample_weight : (n,) array, optional

    Returns
    -------
    float
        In [0, 1]; small for many classes, because most of their probabilities are small.

    Raises
    ------
    ValueError
        If a probability lies outside [0, 1], a row does not sum to 1, lengths differ, or the
        binning is unknown.

    Notes
    -----
    :math:`\frac1K \sum_k \sum_b \pi_{kb} |o_{kb} - e_{kb}|`.

    References
    ----------
    Kull et al. (2019), Beyond temperature scaling, NeurIPS, section 2.

    Examples
    --------
    One bin compares the share of each class with its mean probability: the gaps are 0.2, 0.2 and 0.

    >>> p = [[0.5, 0.5, 0.0]] * 4 + [[0.0, 0.0, 1.0]]
    >>> round(classwise_calibration_error([0, 0, 0, 1, 2], p, n_bins=1), 4)
    0.1333
    """
    sample = class_sample(y_true, y_prob, labels, sample_weight)
    return float(np.mean([binned_error(one, n_bins, strategy) for one in _each_class(sample)]))


def classwise_maximum_calibration_error(
    y_true: Any,
    y_prob: Any,
    *,
    n_bins: int = 10,
    strategy: Strategy = "uniform",
    labels: Any = None,
    sample_weight: Any = None,
) -> float:
    """Classwise MCE: the largest gap of a bin of any class against all others; 0 is best.

    Parameters
    ----------
    y_true : (n,) array of labels
    y_prob : (n,) or (n, K) array, or MassFunction
    n_bins : int
    strategy : "uniform" or "quantile"
    labels : sequence of K labels, optional
    sample_weight : (n,) array, optional
        All as in `classwise_calibration_error`.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    ValueError
        As `classwise_calibration_error`.

    Examples
    --------
    >>> p = [[0.5, 0.5, 0.0]] * 4 + [[0.0, 0.0, 1.0]]
    >>> round(classwise_maximum_calibration_error([0, 0, 0, 1, 2], p, n_bins=1), 4)
    0.2
    """
    sample = class_sample(y_true, y_prob, labels, sample_weight)
    return max(largest_gap(one, n_bins, strategy) for one in _each_class(sample))


def micro_calibration_error(
    y_true: Any,
    y_prob: Any,
    *,
    n_bins: int = 10,
    strategy: Strategy = "uniform",
    labels: Any = None,
    sample_weight: Any = None,
) -> float:
    """Naeini's ECE_micro: the ECE of the pooled probabilities of all classes; 0 is best.

    Parameters
    ----------
    y_true : (n,) array of labels
    y_prob : (n,) or (n, K) array, or MassFunction
    n_bins : int
    strategy : "uniform" or "quantile"
    labels : sequence of K labels, optional
    sample_weight : (n,) array, optional
        All as in `classwise_calibration_error`.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    ValueError
        As `classwise_calibration_error`.

    Notes
    -----
    It is one ECE whose predictions are all n K probabilities and whose outcomes are the indicators
    of the true classes. Gaps of different classes can cancel within a bin.

    References
    ----------
    Naeini (2016), section 6.1.1.

    Examples
    --------
    Below 1/2 there are six zeros, two of which should be 1; the other nine sum to 5, and three
    should be 1:

    >>> p = [[0.5, 0.5, 0.0]] * 4 + [[0.0, 0.0, 1.0]]
    >>> y = [0, 0, 2, 2, 2]
    >>> round(micro_calibration_error(y, p, n_bins=2, labels=[0, 1, 2]), 4)  # (2 + 2) / 15
    0.2667
    """
    sample = class_sample(y_true, y_prob, labels, sample_weight)
    return binned_error(_heap(sample), n_bins, strategy)


def micro_maximum_calibration_error(
    y_true: Any,
    y_prob: Any,
    *,
    n_bins: int = 10,
    strategy: Strategy = "uniform",
    labels: Any = None,
    sample_weight: Any = None,
) -> float:
    """Naeini's MCE_micro: the MCE of the pooled probabilities of all classes; 0 is best.

    Parameters
    ----------
    y_true : (n,) array of labels
    y_prob : (n,) or (n, K) array, or MassFunction
    n_bins : int
    strategy : "uniform" or "quantile"
    labels : sequence of K labels, optional
    sample_weight : (n,) array, optional
        All as in `classwise_calibration_error`.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    ValueError
        As `classwise_calibration_error`.

    References
    ----------
    Naeini (2016), section 6.1.1.

    Examples
    --------
    >>> p = [[0.5, 0.5, 0.0]] * 4 + [[0.0, 0.0, 1.0]]
    >>> y = [0, 0, 2, 2, 2]
    >>> round(micro_maximum_calibration_error(y, p, n_bins=2, labels=[0, 1, 2]), 4)  # 2 / 6
    0.3333
    """
    sample = class_sample(y_true, y_prob, labels, sample_weight)
    return largest_gap(_heap(sample), n_bins, strategy)


def top_label_calibration_error(
    y_true: Any,
    y_prob: Any,
    *,
    n_bins: int = 10,
    strategy: Strategy = "uniform",
    labels: Any = None,
    sample_weight: Any = None,
) -> float:
    """Top-label (confidence) ECE: greatest probabilities against correctness; 0 is best.

    Parameters
    ----------
    y_true : (n,) array of labels
    y_prob : (n,) or (n, K) array, or MassFunction
        Ties go to the first class.
    n_bins : int
    strategy : "uniform" or "quantile"
    labels : sequence of K labels, optional
    sample_weight : (n,) array, optional
        All as in `classwise_calibration_error`.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    ValueError
        As `classwise_calibration_error`.

    References
    ----------
    Guo, Pleiss, Sun & Weinberger (2017), On calibration of modern neural networks, ICML.

    Examples
    --------
    The confidence is always 0.8; first four of five are correct, then three:

    >>> p = [0.2, 0.2, 0.8, 0.8, 0.8]
    >>> round(top_label_calibration_error([0, 0, 1, 1, 0], p), 4)
    0.0
    >>> round(top_label_calibration_error([0, 1, 1, 1, 0], p), 4)
    0.2
    """
    sample = class_sample(y_true, y_prob, labels, sample_weight)
    assigned = assigned_classes(sample.p)
    top = of_class(sample.p, assigned)
    right = np.asarray(assigned == sample.codes, dtype=np.float64)
    return binned_error(BinarySample(right, top, sample.weight), n_bins, strategy)


def _each_class(sample: ClassSample) -> Iterator[BinarySample]:
    for k, p in enumerate(sample.p.T):
        y = np.asarray(sample.codes == k, dtype=np.float64)
        yield BinarySample(y, np.ascontiguousarray(p), sample.weight)


def _heap(sample: ClassSample) -> BinarySample:
    n_classes = sample.p.shape[1]
    y = np.concatenate([sample.codes == k for k in range(n_classes)]).astype(np.float64)
    weight = None if sample.weight is None else np.tile(sample.weight, n_classes)
    return BinarySample(y, sample.p.T.ravel(), weight)
