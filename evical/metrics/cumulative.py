"""Cumulative tests of calibration: Kolmogorov-Smirnov and Kuiper, without bins.

Sort by prediction and add up the residuals: if predictions are calibrated, the path is a random
walk. For many samples, its largest distance from 0 (Kolmogorov-Smirnov) and its range (Kuiper), in
standard deviations, are distributed as those of a Brownian motion. Arrieta-Ibarra et al. 2022.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from evical._typing import Floats, Label, Weights
from evical.metrics.inputs import BLOCK, BinarySample, Predicted, binary_sample, total_weight
from evical.metrics.outcome import CalibrationTest, refuted

_HYPOTHESIS = "each outcome is positive with the probability predicted for it"


def kolmogorov_smirnov_error(
    y_true: ArrayLike, y_prob: Predicted, *, pos_label: Label = None, sample_weight: Weights = None
) -> float:
    r"""Largest cumulative calibration error (ECCE-MAD); 0 is best.

    Parameters
    ----------
    y_true : (n,) array of labels
    y_prob : (n,) or (n, 2) array, or MassFunction
    pos_label : label, optional
    sample_weight : (n,) array, optional
        All as in `expected_calibration_error`.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    ValueError
        As `expected_calibration_error`.

    Notes
    -----
    :math:`\max_t |\frac1n \sum_{p_i \le t} (y_i - p_i)|`. Equal predictions are added together, so
    the order of samples does not matter.

    References
    ----------
    Arrieta-Ibarra, Gujral, Tannen, Tygert & Xu (2022), Metrics of calibration for probabilistic
    predictions, Journal of Machine Learning Research 23, 1-54.

    Examples
    --------
    The path is (-0.1, 0.6, 0.1, 0.4, 0.5) / 5:

    >>> round(kolmogorov_smirnov_error([0, 1, 0, 1, 1], [0.1, 0.3, 0.5, 0.7, 0.9]), 4)
    0.12
    """
    path, _ = _path(binary_sample(y_true, y_prob, pos_label, sample_weight))
    return float(np.abs(path).max())


def kuiper_error(
    y_true: ArrayLike, y_prob: Predicted, *, pos_label: Label = None, sample_weight: Weights = None
) -> float:
    r"""Range of the cumulative calibration error (ECCE-R); 0 is best.

    Parameters
    ----------
    y_true : (n,) array of labels
    y_prob : (n,) or (n, 2) array, or MassFunction
    pos_label : label, optional
    sample_weight : (n,) array, optional
        All as in `expected_calibration_error`.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    ValueError
        As `expected_calibration_error`.

    Notes
    -----
    :math:`\max_{s < t} |\frac1n \sum_{s < p_i \le t} (y_i - p_i)|`, the largest error of any
    interval of predictions. Swapping the labels does not change it.

    References
    ----------
    Arrieta-Ibarra et al. (2022), Journal of Machine Learning Research 23, 1-54.

    Examples
    --------
    The path is (0, -0.1, 0.6, 0.1, 0.4, 0.5) / 5:

    >>> round(kuiper_error([0, 1, 0, 1, 1], [0.1, 0.3, 0.5, 0.7, 0.9]), 4)
    0.14
    """
    path, _ = _path(binary_sample(y_true, y_prob, pos_label, sample_weight))
    return _range(path)


def kolmogorov_smirnov_test(
    y_true: ArrayLike, y_prob: Predicted, *, pos_label: Label = None, sample_weight: Weights = None
) -> CalibrationTest:
    """Kolmogorov-Smirnov test of calibration, by cumulative residuals.

    Parameters
    ----------
    y_true : (n,) array of labels
    y_prob : (n,) or (n, 2) array, or MassFunction
    pos_label : label, optional
    sample_weight : (n,) array, optional
        All as in `expected_calibration_error`. Weights are not repetitions: a sample with a large
        weight remains one observation.

    Returns
    -------
    CalibrationTest
        The statistic is `kolmogorov_smirnov_error` divided by the standard deviation of
        the end of the path. The p-value is asymptotic; it is 0 if a prediction of 0 or 1 was
        wrong.

    Raises
    ------
    ValueError
        As `expected_calibration_error`.

    References
    ----------
    Arrieta-Ibarra et al. (2022), Journal of Machine Learning Research 23, 1-54.

    Examples
    --------
    Each residual is 0.5, so that the path ends at 2.5; its standard deviation is
    sqrt(5 / 4) = 1.118:

    >>> test = kolmogorov_smirnov_test([1] * 5, [0.5] * 5)
    >>> round(test.statistic, 4), round(test.pvalue, 4)
    (2.2361, 0.0507)
    """
    sample = binary_sample(y_true, y_prob, pos_label, sample_weight)
    path, deviation = _path(sample)
    statistic = in_deviations(float(np.abs(path).max()), deviation)
    pvalue = 0.0 if refuted(sample) else brownian_maximum_sf(statistic)
    definition = "largest |sum of y - p| over samples up to a prediction, by its standard deviation"
    return CalibrationTest("Kolmogorov-Smirnov", statistic, pvalue, _HYPOTHESIS, definition)


def kuiper_test(
    y_true: ArrayLike, y_prob: Predicted, *, pos_label: Label = None, sample_weight: Weights = None
) -> CalibrationTest:
    """Kuiper's test of calibration, by cumulative residuals.

    Parameters
    ----------
    y_true : (n,) array of labels
    y_prob : (n,) or (n, 2) array, or MassFunction
    pos_label : label, optional
    sample_weight : (n,) array, optional
        All as in `kolmogorov_smirnov_test`.

    Returns
    -------
    CalibrationTest
        The statistic is `kuiper_error` divided by the standard deviation of the end of the path.
        The p-value is asymptotic; it is 0 if a prediction of 0 or 1 was wrong.

    Raises
    ------
    ValueError
        As `expected_calibration_error`.

    Notes
    -----
    It is more powerful than the Kolmogorov-Smirnov test if errors in the middle cancel before the
    end, so it is the better default.

    References
    ----------
    Arrieta-Ibarra et al. (2022), Journal of Machine Learning Research 23, 1-54.

    Examples
    --------
    >>> test = kuiper_test([1] * 5, [0.5] * 5)
    >>> round(test.statistic, 4), round(test.pvalue, 4)
    (2.2361, 0.1013)
    """
    sample = binary_sample(y_true, y_prob, pos_label, sample_weight)
    path, deviation = _path(sample)
    statistic = in_deviations(_range(path), deviation)
    pvalue = 0.0 if refuted(sample) else brownian_range_sf(statistic)
    definition = "largest |sum of y - p| over an interval of predictions, by its standard deviation"
    return CalibrationTest("Kuiper", statistic, pvalue, _HYPOTHESIS, definition)


def _path(sample: BinarySample) -> tuple[Floats, float]:
    """Cumulative residuals after each distinct prediction, and the deviation of the end."""
    total = total_weight(sample.weight, len(sample.p))
    path = _residuals(sample, np.argsort(sample.p))
    np.cumsum(path, out=path)
    p = np.sort(sample.p)
    path = path[np.append(p[1:] != p[:-1], True)]
    path /= total
    return path, float(np.sqrt(sample.total(variances))) / total


def _residuals(sample: BinarySample, order: NDArray[np.intp]) -> Floats:
    """Weighted y - p in this order."""
    found = np.empty(len(order))
    for start in range(0, len(order), BLOCK):
        rows = order[start : start + BLOCK]
        part = sample.y[rows] - sample.p[rows]
        found[start : start + BLOCK] = part if sample.weight is None else part * sample.weight[rows]
    return found


def variances(sample: BinarySample) -> Floats:
    """Variances (n,) of the weighted outcomes if predictions are calibrated."""
    variance = sample.p * (1 - sample.p)
    return variance if sample.weight is None else variance * sample.weight**2


def _range(path: Floats) -> float:
    return max(float(path.max()), 0.0) - min(float(path.min()), 0.0)


def in_deviations(distance: float, deviation: float) -> float:
    """A distance in standard deviations; infinite if the deviation is 0."""
    if deviation > 0:
        return distance / deviation
    return np.inf if distance > 0 else 0.0


def brownian_maximum_sf(x: float) -> float:
    """Probability that a Brownian motion on [0, 1] leaves [-x, x].

    >>> round(brownian_maximum_sf(2.2414), 4)
    0.05
    """
    if x < 0.2:
        return 1.0
    if x == np.inf:
        return 0.0
    if x > 1.5:  # by passages with alternating signs, because the series below would cancel
        k = np.arange(10)
        return float(4 * ((-1.0) ** k * ndtr(-(2 * k + 1) * x)).sum())
    odd = 2 * np.arange(20) + 1
    signs = np.where(odd % 4 == 1, 1, -1)
    inside = 4 / np.pi * (signs / odd * np.exp(-((odd * np.pi / x) ** 2) / 8)).sum()
    return float(1 - inside)


def brownian_range_sf(x: float) -> float:
    """Probability that the range of a Brownian motion on [0, 1] exceeds x (Feller 1951).

    >>> round(brownian_range_sf(2.4978), 4)
    0.05
    """
    if x < 0.3:  # less than 1e-15 from certainty
        return 1.0
    if x == np.inf:
        return 0.0
    k = np.arange(1, 61)
    tails = 8 * (-1.0) ** (k - 1) * k * ndtr(-k * x)
    return float(min(max(tails.sum(), 0.0), 1.0))
