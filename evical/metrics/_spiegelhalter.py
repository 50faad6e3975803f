"""Spiegelhalter's test: does the Brier score fit calibrated probabilities?

If predictions are calibrated, the Brier score has a known mean and variance, and is approximately
normal for many samples. Spiegelhalter 1986.
"""

from typing import Any

import numpy as np
from scipy.special import ndtr

from evical._typing import Floats
from evical.metrics.inputs import BinarySample, binary_sample
from evical.metrics.outcome import CalibrationTest, refuted

__all__ = ["spiegelhalter_test"]


def spiegelhalter_test(
    y_true: Any, y_prob: Any, *, pos_label: Any = None, sample_weight: Any = None
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
