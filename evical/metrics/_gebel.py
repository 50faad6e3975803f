"""Gebel's measures: correctness, effectiveness, well-calibration, their mean, separation.

They ask whether true classes have high probabilities, and whether probabilities agree with
frequencies among the samples assigned to each class. Gebel 2009, section 2.4, equations 2.3-2.7.
"""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from dstheory.checks.arguments import check_choice
from evical._typing import Labels, Weights
from evical.metrics.inputs import (
    ClassSample,
    Predicted,
    assigned_classes,
    average,
    checked_weights,
    class_sample,
    indicators,
    mean_squares,
    unlabeled_probabilities,
)


def correctness_rate(
    y_true: ArrayLike, y_prob: Predicted, *, labels: Labels = None, sample_weight: Weights = None
) -> float:
    """Share of samples whose most probable class is the true one; 1 is best.

    Parameters
    ----------
    y_true : (n,) array of labels
    y_prob : (n,) or (n, K) array, or MassFunction
        Ties go to the first class.
    labels : sequence of K labels, optional
    sample_weight : (n,) array, optional
        All as in `brier_score`.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    ValueError
        As `brier_score`.

    References
    ----------
    Gebel (2009), equation 2.3.

    Examples
    --------
    >>> correctness_rate([0, 0, 1, 1, 1], [0.1, 0.6, 0.5, 0.7, 0.9])
    0.6
    """
    sample = class_sample(y_true, y_prob, labels, sample_weight)
    right = np.asarray(assigned_classes(sample.p) == sample.codes, dtype=np.float64)
    return average(right, sample.weight)


def well_calibration_ratio(
    y_true: ArrayLike, y_prob: Predicted, *, labels: Labels = None, sample_weight: Weights = None
) -> float:
    r"""Well-calibration ratio WCR: agreement of mean probabilities and frequencies; 1 is best.

    Parameters
    ----------
    y_true : (n,) array of labels
    y_prob : (n,) or (n, K) array, or MassFunction
        Ties go to the first class.
    labels : sequence of K labels, optional
    sample_weight : (n,) array, optional
        All as in `brier_score`.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    ValueError
        As `brier_score`.

    Notes
    -----
    :math:`1 - \frac1{K^2} \sum_{k j} |Cf_{kj} - CR_{kj}|`, where, among the samples assigned to
    class k, :math:`Cf_{kj}` is the mean probability and :math:`CR_{kj}` the share of class j. The
    sum is over classes with assigned samples, and the divisor counts these; the thesis does not
    mention other classes.

    References
    ----------
    Gebel (2009), equation 2.5.

    Examples
    --------
    The first three samples are assigned to 0 with mean 1/4 against 1/3, the others to 1 with
    mean 3/4 against 1:

    >>> round(well_calibration_ratio([0, 0, 1, 1, 1], [0.25, 0.25, 0.25, 0.75, 0.75]), 4)
    0.8333
    """
    return _well_calibration(class_sample(y_true, y_prob, labels, sample_weight))


def calibration_measure(
    y_true: ArrayLike, y_prob: Predicted, *, labels: Labels = None, sample_weight: Weights = None
) -> float:
    r"""Gebel's Cal: geometric mean of effectiveness and well-calibration; 1 is best.

    Parameters
    ----------
    y_true : (n,) array of labels
    y_prob : (n,) or (n, K) array, or MassFunction
    labels : sequence of K labels, optional
    sample_weight : (n,) array, optional
        All as in `brier_score`.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    ValueError
        As `brier_score`.

    Notes
    -----
    :math:`\sqrt{(1 - \mathrm{RMSE}) \cdot \mathrm{WCR}}`, with `root_mean_squared_error` of each
    sample and `well_calibration_ratio`.

    References
    ----------
    Gebel (2009), equation 2.6.

    Examples
    --------
    Effectiveness 0.75 and WCR 0.75:

    >>> calibration_measure([0, 0, 1, 1], [0.25, 0.25, 0.75, 0.75])
    0.75
    """
    sample = class_sample(y_true, y_prob, labels, sample_weight)
    return float(np.sqrt((1 - _mean_root(sample)) * _well_calibration(sample)))


def ability_to_separate(
    y_prob: Predicted, *, sample_weight: Weights = None, scale: Literal["unit", "printed"] = "unit"
) -> float:
    r"""Ability to separate AS: how close probabilities are to certainty; 1 is certainty.

    Parameters
    ----------
    y_prob : (n,) or (n, K) array, or MassFunction
    sample_weight : (n,) array, optional
    scale : "unit" or "printed"
        Factor of the distances. With the printed one, K / (K - 1), uniform probabilities score 1 -
        sqrt(K / (K - 1)) < 0; with its root they score 0.

    Returns
    -------
    float
        In [0, 1] for "unit". It does not use labels, so it says nothing about correctness.

    Raises
    ------
    ValueError
        As `brier_score`, or if there is only one class, or `scale` is unknown.

    Notes
    -----
    :math:`1 - \sqrt{\frac{K}{K - 1}} \frac1n \sum_i \sqrt{\sum_k ([\hat c_i = k] - p_{ik})^2}`,
    with :math:`\hat c_i` the most probable class. For two classes and "unit" it is the mean of
    2 max p - 1.

    References
    ----------
    Gebel (2009), equation 2.7, after Garczarek (2002).

    Examples
    --------
    >>> ability_to_separate([0.5, 0.25, 0.75, 1.0, 0.0])
    0.6
    >>> round(ability_to_separate([0.5], scale="printed"), 4)
    -0.4142
    """
    check_choice("scale", scale, ("unit", "printed"))
    sample = _unlabeled(y_prob, sample_weight)
    n_classes = sample.p.shape[1]
    if n_classes < 2:
        raise ValueError("there is only one class; nothing can be separated")
    gaps = sample.p - indicators(sample)
    distance = average(np.sqrt((gaps**2).sum(axis=1)), sample.weight)
    factor = n_classes / (n_classes - 1)
    return float(1 - (factor if scale == "printed" else np.sqrt(factor)) * distance)


def _unlabeled(y_prob: Predicted, sample_weight: Weights) -> ClassSample:
    """The sample, with the assigned classes as true classes."""
    p = unlabeled_probabilities(y_prob)
    return ClassSample(
        assigned_classes(p), p, checked_weights(sample_weight, len(p)), np.arange(p.shape[1])
    )


def _mean_root(sample: ClassSample) -> float:
    return average(np.sqrt(mean_squares(sample)), sample.weight)


def _well_calibration(sample: ClassSample) -> float:
    n_classes = sample.p.shape[1]
    assigned, weight = assigned_classes(sample.p), sample.weight
    sizes = np.bincount(assigned, weight, n_classes)
    sums = []
    for k in range(n_classes):
        gap = sample.p[:, k] - (sample.codes == k)
        sums.append(np.bincount(assigned, gap if weight is None else gap * weight, n_classes))
    parts = sizes > 0
    return float(1 - np.mean(np.abs(np.array(sums)[:, parts] / sizes[parts])))
