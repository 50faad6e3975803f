"""Scores of the whole forecast: proper ones, and those of Gebel's thesis.

The true probabilities optimize a proper score in expectation. Brier 1950; Good 1952; Gneiting &
Raftery 2007. Gebel's measures ask whether true classes have high probabilities, and whether
probabilities agree with frequencies among the samples assigned to each class. Gebel 2009, section
2.4, equations 2.3-2.7.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from dstheory.checks.arguments import check_choice, check_flag
from evical._fitting import number
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
    of_class,
    unlabeled_probabilities,
)


def brier_score(
    y_true: ArrayLike,
    y_prob: Predicted,
    *,
    labels: Labels = None,
    sample_weight: Weights = None,
    scale_by_half: bool | Literal["auto"] = "auto",
) -> float:
    r"""Brier score, the mean squared distance of probabilities from outcomes, 0 at best.

    Parameters
    ----------
    y_true : (n,) array of labels
    y_prob : (n,) or (n, K) array, or MassFunction
        Probability of the greater of two labels, or of each label, in sorted order; mass functions
        stand for their pignistic transform.
    labels : sequence of K labels, optional
        Labels of the columns. Default: those of `y_true`, sorted.
    sample_weight : (n,) array, optional
    scale_by_half : bool or "auto"
        Halve the sum over classes; "auto" does so for two classes, like scikit-learn.

    Returns
    -------
    float
        In [0, 1] if halved, else in [0, 2].

    Raises
    ------
    ValueError
        If a probability lies outside [0, 1], a row does not sum to 1, lengths differ, or
        `scale_by_half` is unknown.

    Notes
    -----
    :math:`\frac1n \sum_i \sum_k (p_{ik} - [y_i = k])^2`, and half of it for two classes, which
    is :math:`\frac1n \sum_i (p_i - y_i)^2`.

    References
    ----------
    Brier (1950), Monthly Weather Review 78, 1-3.

    Examples
    --------
    Squares 0.25, 0, 0.25, 0, 1 of five samples:

    >>> brier_score([0, 0, 1, 1, 1], [0.5, 0.0, 0.5, 1.0, 0.0])
    0.3
    """
    check_choice("scale_by_half", scale_by_half, (True, False, "auto"))
    sample = class_sample(y_true, y_prob, labels, sample_weight)
    n_classes = sample.p.shape[1]
    half = n_classes == 2 if scale_by_half == "auto" else scale_by_half
    scale = n_classes / 2 if half else n_classes
    return float(scale * average(mean_squares(sample), sample.weight))


def root_mean_squared_error(
    y_true: ArrayLike,
    y_prob: Predicted,
    *,
    each_sample: bool = False,
    labels: Labels = None,
    sample_weight: Weights = None,
) -> float:
    r"""Root of the mean squared error over samples and classes, 0 at best.

    Parameters
    ----------
    y_true : (n,) array of labels
    y_prob : (n,) or (n, K) array, or MassFunction
    each_sample : bool
        Average the roots of the samples, which is Gebel's "RMSE", instead of one root of the mean.
        It is not proper: for two classes, where it is the mean absolute error, the best forecast
        is always a probability of 0 or 1.
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
    TypeError
        If `each_sample` is not True or False.

    Notes
    -----
    :math:`\sqrt{\frac{1}{nK} \sum_{ik} (p_{ik} - [y_i = k])^2}`; for two classes the root of the
    Brier score (Naeini 2016, section 2.4.3). Of each sample,
    :math:`\frac1n \sum_i \sqrt{\frac1K \sum_k (p_{ik} - [y_i = k])^2}` (Gebel 2009, equation 2.4).

    Examples
    --------
    >>> root_mean_squared_error([0, 0, 1, 1], [0.5, 0.5, 0.5, 0.5])
    0.5

    Distances 0.25, 0.75, 0.5, 0, 1 of five samples:

    >>> y, p = [0, 0, 1, 1, 1], [0.25, 0.75, 0.5, 1.0, 0.0]
    >>> root_mean_squared_error(y, p, each_sample=True)
    0.5
    """
    check_flag("each_sample", each_sample)
    sample = class_sample(y_true, y_prob, labels, sample_weight)
    if each_sample:
        return average(np.sqrt(mean_squares(sample)), sample.weight)
    return float(np.sqrt(average(mean_squares(sample), sample.weight)))


def log_loss(
    y_true: ArrayLike,
    y_prob: Predicted,
    *,
    labels: Labels = None,
    sample_weight: Weights = None,
    eps: float = 0.0,
) -> float:
    r"""Mean negative logarithm of the probability of the true class, 0 at best.

    Parameters
    ----------
    y_true : (n,) array of labels
    y_prob : (n,) or (n, K) array, or MassFunction
    labels : sequence of K labels, optional
    sample_weight : (n,) array, optional
        All as in `brier_score`.
    eps : float
        Lower limit of probabilities of the true class. By default there is none, so one wrong
        certain prediction makes the loss infinite. In scikit-learn it is 2.2e-16, so such a
        prediction costs 36.

    Returns
    -------
    float
        In nats; not negative.

    Raises
    ------
    ValueError
        As `brier_score`, or if `eps` is not in [0, 1).

    Notes
    -----
    :math:`-\frac1n \sum_i \ln p_{i y_i}`.

    References
    ----------
    Good (1952), Rational decisions, Journal of the Royal Statistical Society B 14, 107-114.

    Examples
    --------
    The true classes have probabilities 1/2, 1/2, 1, 1, 1; the mean of ln 2, ln 2, 0, 0, 0:

    >>> round(log_loss([0, 1, 1, 1, 0], [0.5, 0.5, 1.0, 1.0, 0.0]), 4)
    0.2773
    >>> log_loss([0, 1], [0.5, 0.0])
    inf
    """
    number("a number in [0, 1)", lambda x: 0 <= x < 1)("eps", eps)
    sample = class_sample(y_true, y_prob, labels, sample_weight)
    p = of_class(sample.p, sample.codes)
    with np.errstate(divide="ignore"):  # a wrong certain prediction has infinite cost
        return average(-np.log(np.maximum(p, eps)), sample.weight) + 0.0  # not -0


def spherical_score(
    y_true: ArrayLike, y_prob: Predicted, *, labels: Labels = None, sample_weight: Weights = None
) -> float:
    r"""Spherical score, the probability of the true class over the norm of the forecast, 1 at best.

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
    :math:`\frac1n \sum_i p_{i y_i} / \sqrt{\sum_k p_{ik}^2}`.

    References
    ----------
    Gneiting & Raftery (2007), Strictly proper scoring rules, prediction, and estimation,
    Journal of the American Statistical Association 102, 359-378, example 2.

    Examples
    --------
    The forecast (1/2, 1/2, 0) has length 0.7071, (0, 0, 1) has length 1; the scores are four
    times 0.7071, and 1:

    >>> round(spherical_score([1, 0, 0, 1, 2], [[0.5, 0.5, 0.0]] * 4 + [[0.0, 0.0, 1.0]]), 4)
    0.7657
    """
    sample = class_sample(y_true, y_prob, labels, sample_weight)
    p = of_class(sample.p, sample.codes)
    return average(p / np.sqrt((sample.p**2).sum(axis=1)), sample.weight)


def ranked_probability_score(
    y_true: ArrayLike, y_prob: Predicted, *, labels: Labels = None, sample_weight: Weights = None
) -> float:
    r"""Ranked probability score of ordered classes, where a near miss costs less, 0 at best.

    Parameters
    ----------
    y_true : (n,) array of labels
    y_prob : (n,) or (n, K) array, or MassFunction
    labels : sequence of K labels, optional
        Labels of the columns in their order, such as ``["low", "medium", "high"]``. Default: those
        of `y_true`, sorted.
    sample_weight : (n,) array, optional
        All others as in `brier_score`.

    Returns
    -------
    float
        In [0, 1]; of two classes the Brier score.

    Raises
    ------
    ValueError
        As `brier_score`, or if `y_true` is an ordered categorical of another order.

    Notes
    -----
    :math:`\frac1n \sum_i \frac1{K - 1} \sum_{k < K} (P_i(Y \le k) - [y_i \le k])^2`.

    References
    ----------
    Epstein (1969), A scoring system for probability forecasts of ranked categories, Journal of
    Applied Meteorology 8, 985-987; in the form of Murphy (1971), ibid. 10, 155-156.

    Examples
    --------
    The class is the first. To predict the second costs (1 + 0) / 2, to predict the third costs
    (1 + 1) / 2:

    >>> ranked_probability_score([0], [[0.0, 1.0, 0.0]], labels=[0, 1, 2])
    0.5
    >>> ranked_probability_score([0], [[0.0, 0.0, 1.0]], labels=[0, 1, 2])
    1.0
    """
    sample = class_sample(y_true, y_prob, labels, sample_weight)
    own = getattr(y_true, "dtype", None)
    if getattr(own, "ordered", False):  # of pandas
        names = sample.labels.tolist()
        ranked = [label for label in getattr(own, "categories", ()) if label in names]
        if ranked != [name for name in names if name in ranked]:
            raise ValueError(
                f"the order of y_true is {ranked}, but the columns are read as {names}; bring them "
                "into that order, and give it as labels"
            )
    n_steps = sample.p.shape[1] - 1
    reached = sample.codes[:, np.newaxis] <= np.arange(n_steps)
    gaps = np.cumsum(sample.p, axis=1)[:, :n_steps] - reached
    return average((gaps**2).sum(axis=1) / n_steps, sample.weight)


def correctness_rate(
    y_true: ArrayLike, y_prob: Predicted, *, labels: Labels = None, sample_weight: Weights = None
) -> float:
    """Share of samples whose most probable class is the true one, 1 at best.

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
    r"""Well-calibration ratio WCR, agreement of mean probabilities and frequencies, 1 at best.

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
    r"""Gebel's Cal, the geometric mean of effectiveness and well-calibration, 1 at best.

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
    error = average(np.sqrt(mean_squares(sample)), sample.weight)
    return float(np.sqrt((1 - error) * _well_calibration(sample)))


def ability_to_separate(
    y_prob: Predicted, *, sample_weight: Weights = None, scale: Literal["unit", "printed"] = "unit"
) -> float:
    r"""Ability to separate AS, the closeness of probabilities to certainty, at most 1.

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
        In [0, 1] for "unit". It does not use labels, so it does not measure correctness.

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
