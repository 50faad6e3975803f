"""Proper scores, which the true probabilities optimize in expectation.

Each is the mean over samples of a score of the whole forecast. Brier 1950; Good 1952; Gneiting &
Raftery 2007.
"""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from dstheory.checks.arguments import as_real, check_choice, check_flag, shown
from evical._typing import Labels, Weights
from evical.metrics.inputs import Predicted, average, class_sample, mean_squares, of_class


def brier_score(
    y_true: ArrayLike,
    y_prob: Predicted,
    *,
    labels: Labels = None,
    sample_weight: Weights = None,
    scale_by_half: bool | Literal["auto"] = "auto",
) -> float:
    r"""Brier score: mean squared distance of probabilities from outcomes; 0 is best.

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
    r"""Root of the mean squared error over samples and classes; 0 is best.

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
    r"""Mean negative logarithm of the probability of the true class; 0 is best.

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
    if not 0 <= as_real("eps", eps, "a number in [0, 1)") < 1:
        raise ValueError(f"eps is {shown(eps)}, expected a number in [0, 1)")
    sample = class_sample(y_true, y_prob, labels, sample_weight)
    p = of_class(sample.p, sample.codes)
    with np.errstate(divide="ignore"):  # a wrong certain prediction has infinite cost
        return average(-np.log(np.maximum(p, eps)), sample.weight) + 0.0  # not -0


def spherical_score(
    y_true: ArrayLike, y_prob: Predicted, *, labels: Labels = None, sample_weight: Weights = None
) -> float:
    r"""Spherical score: probability of the true class over the norm of the forecast; 1 is best.

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
    r"""Ranked probability score of ordered classes, where a near miss costs less; 0 is best.

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
        As `brier_score`.

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
    n_steps = sample.p.shape[1] - 1
    reached = sample.codes[:, np.newaxis] <= np.arange(n_steps)
    gaps = np.cumsum(sample.p, axis=1)[:, :n_steps] - reached
    return average((gaps**2).sum(axis=1) / n_steps, sample.weight)
