"""Hosmer and Lemeshow's test of the numbers of positives in bins.

The squared gaps of bins, divided by their binomial variances, sum to a chi-square variable if
predictions are calibrated. Hosmer & Lemeshow 1980.

Spiegelhalter's test: does the Brier score fit calibrated probabilities?

If predictions are calibrated, the Brier score has a known mean and variance, and is approximately
normal for many samples. Spiegelhalter 1986.
"""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr
from scipy.stats import chi2

from evical._typing import Floats, Label, Weights
from evical.metrics.bins import filled_bins
from evical.metrics.inputs import BinarySample, Predicted, binary_sample
from evical.metrics.outcome import CalibrationTest, refuted


def spiegelhalter_test(
    y_true: ArrayLike, y_prob: Predicted, *, pos_label: Label = None, sample_weight: Weights = None
) -> CalibrationTest:
    r"""Spiegelhalter's z test of calibration.

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
        The statistic is z, positive if the Brier score is too large; the p-value is two-sided,
        and 0 if a prediction of 0 or 1 was wrong.

    Raises
    ------
    ValueError
        As `expected_calibration_error`.

    Notes
    -----
    :math:`z = \sum_i w_i (y_i - p_i)(1 - 2 p_i) / \sqrt{\sum_i w_i^2 (1 - 2 p_i)^2 p_i (1 - p_i)}`.
    It is blind to predictions of 1/2 and to errors that cancel in this sum.

    References
    ----------
    Spiegelhalter (1986), Probabilistic prediction in patient management and clinical trials,
    Statistics in Medicine 5, 421-433.

    Examples
    --------
    Five samples, one positive, predicted 1/5: the numerator is 0.6 (1 - 5 / 5) = 0.

    >>> test = spiegelhalter_test([0, 0, 0, 0, 1], [0.2] * 5)
    >>> round(test.statistic, 4), round(test.pvalue, 4)
    (0.0, 1.0)
    >>> test = spiegelhalter_test([0, 0, 1, 1, 1], [0.2] * 5)  # 0.6 (3 - 1) / sqrt(5 0.36 0.16)
    >>> round(test.statistic, 4), round(test.pvalue, 4)
    (2.2361, 0.0253)
    """
    sample = binary_sample(y_true, y_prob, pos_label, sample_weight)
    z = _standardized(sample)
    pvalue = 0.0 if refuted(sample) else float(2 * ndtr(-abs(z)))
    return CalibrationTest(
        "Spiegelhalter",
        z,
        pvalue,
        "the Brier score is that of calibrated probabilities",
        "sum of (y - p)(1 - 2p) by its standard deviation",
    )


def _standardized(sample: BinarySample) -> float:
    total = sample.total(lambda part: _slope(part) * (part.y - part.p))
    variance = sample.total(lambda part: _slope(part) ** 2 * (part.p * (1 - part.p)))
    if variance > 0:
        return total / float(np.sqrt(variance))
    return float(np.copysign(np.inf, total)) if total else 0.0


def _slope(sample: BinarySample) -> Floats:
    """Weight of y - p."""
    slope = 1 - 2 * sample.p
    return slope if sample.weight is None else slope * sample.weight


def hosmer_lemeshow_test(
    y_true: ArrayLike,
    y_prob: Predicted,
    *,
    n_bins: int = 10,
    strategy: Literal["uniform", "quantile"] = "quantile",
    pos_label: Label = None,
    sample_weight: Weights = None,
) -> CalibrationTest:
    r"""Hosmer and Lemeshow's chi-square test of calibration.

    Parameters
    ----------
    y_true : (n,) array of labels
    y_prob : (n,) or (n, 2) array, or MassFunction
    n_bins : int
    strategy : "quantile" or "uniform"
    pos_label : label, optional
    sample_weight : (n,) array, optional
        All as in `binomial_test`.

    Returns
    -------
    CalibrationTest
        The p-value is asymptotic; it is 0 if a prediction of 0 or 1 was wrong.

    Raises
    ------
    ValueError
        As `expected_calibration_error`.

    See Also
    --------
    binomial_test : exact for few samples, and tells which bins deviate.

    Notes
    -----
    :math:`\sum_b n_b (o_b - e_b)^2 / (e_b (1 - e_b))`, with as many degrees of freedom as bins,
    because predictions were not fitted to these samples; for training samples there are two fewer.
    The approximation needs at least 5 expected positives and negatives in each bin.

    References
    ----------
    Hosmer & Lemeshow (1980), Goodness of fit tests for the multiple logistic regression model,
    Communications in Statistics - Theory and Methods 9, 1043-1069.

    Examples
    --------
    Bins of 4 with means 1/2: 4 and 2 positives, so 4 (1/2)^2 / (1/4) + 0 = 4:

    >>> test = hosmer_lemeshow_test([1] * 4 + [0, 0, 1, 1], [0.5] * 4 + [0.501] * 4, n_bins=2)
    >>> round(test.statistic, 2), round(test.pvalue, 2)
    (4.0, 0.14)
    """
    sample = binary_sample(y_true, y_prob, pos_label, sample_weight)
    bins = filled_bins(sample, n_bins, strategy)
    gaps = bins.size * (bins.true - bins.prob) ** 2
    variance = bins.prob * (1 - bins.prob)
    # A bin of certain predictions adds nothing if they are right; otherwise they refute
    # calibration.
    parts = np.divide(gaps, variance, out=np.zeros_like(gaps), where=variance > 0)
    statistic = float(parts.sum())
    pvalue = 0.0 if refuted(sample) else float(chi2.sf(statistic, len(bins.size)))
    return CalibrationTest(
        "Hosmer-Lemeshow",
        statistic,
        pvalue,
        "positives of each bin are binomial with its mean prediction",
        f"sum over {len(bins.size)} bins of n (share - mean p)^2 / (mean p (1 - mean p))",
    )
