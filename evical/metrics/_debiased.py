"""Debiased squared calibration error: squared gaps of bins minus their sampling noise.

On average, the squared gap of a bin is too large by the variance of the share of positives, so an
estimate of this variance is subtracted. Kumar, Liang & Ma 2019; Ferro & Fricker 2012.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dstheory.checks.arguments import check_count, check_level, check_rng
from dstheory.notebook import ShownFields
from evical._typing import Floats
from evical.metrics.bins import Bins, bin_numbers, check_bins, filled_bins, summed_bins
from evical.metrics.inputs import MOST_REPEATS, BinarySample, binary_sample

__all__ = [
    "DebiasedError",
    "debiased_calibration_error",
    "debiased_interval",
    "debiased_squared_calibration_error",
]

Strategy = Literal["uniform", "quantile"]


@dataclass(frozen=True)
class DebiasedError(ShownFields):
    """Debiased squared calibration error with an interval.

    Parameters
    ----------
    estimate : float
        May be negative, if the gaps are smaller than expected from noise alone.
    low, high : float
        Limits of the bootstrap interval.
    confidence : float
    """

    estimate: float
    low: float
    high: float
    confidence: float

    def __str__(self) -> str:
        return (
            f"debiased squared calibration error: {self.estimate:.4g}, "
            f"{self.confidence:.0%} interval [{self.low:.4g}, {self.high:.4g}] (bootstrap)"
        )


def debiased_squared_calibration_error(
    y_true: Any,
    y_prob: Any,
    *,
    n_bins: int = 10,
    strategy: Strategy = "quantile",
    pos_label: Any = None,
    sample_weight: Any = None,
) -> float:
    r"""Squared calibration error minus the part due to noise; about 0 if calibrated.

    Parameters
    ----------
    y_true : (n,) array of labels
    y_prob : (n,) or (n, 2) array, or MassFunction
    n_bins : int
    strategy : "quantile" or "uniform"
    pos_label : label, optional
    sample_weight : (n,) array, optional
        All as in `expected_calibration_error`. Weights are not repetitions: the noise is that of as
        many independent samples as there are rows.

    Returns
    -------
    float
        May be negative.

    Raises
    ------
    ValueError
        As `expected_calibration_error`.

    Notes
    -----
    :math:`\sum_b \pi_b \big[(o_b - e_b)^2 - \frac{o_b (1 - o_b)}{n_b - 1}\big]`, unbiased if
    predictions are equal within bins. With weights, :math:`n_b` is the effective number of samples.
    A bin of one sample counts 0, because its noise cannot be estimated.

    References
    ----------
    Kumar, Liang & Ma (2019), Verified uncertainty calibration, NeurIPS, section 5. Ferro &
    Fricker (2012), Quarterly Journal of the Royal Meteorological Society 138, 1954-1960.

    Examples
    --------
    Two samples with gap 1/2 - 0.1 = 0.4, minus 1/4; three with gap 1/3 - 0.9, minus (2/9) / 2:

    >>> y, p = [0, 1, 1, 0, 0], [0.1, 0.1, 0.9, 0.9, 0.9]
    >>> round(debiased_squared_calibration_error(y, p, n_bins=2), 4)
    0.09
    """
    sample = binary_sample(y_true, y_prob, pos_label, sample_weight)
    return _debiased(filled_bins(sample, n_bins, strategy))


def debiased_calibration_error(
    y_true: Any,
    y_prob: Any,
    *,
    n_bins: int = 10,
    strategy: Strategy = "quantile",
    pos_label: Any = None,
    sample_weight: Any = None,
) -> float:
    """Root of the debiased squared calibration error, or 0 if that is negative.

    Parameters
    ----------
    y_true : (n,) array of labels
    y_prob : (n,) or (n, 2) array, or MassFunction
    n_bins : int
    strategy : "quantile" or "uniform"
    pos_label : label, optional
    sample_weight : (n,) array, optional
        All as in `debiased_squared_calibration_error`.

    Returns
    -------
    float
        On the scale of the ECE; the root itself is not unbiased.

    Raises
    ------
    ValueError
        As `expected_calibration_error`.

    Examples
    --------
    >>> y, p = [0, 1, 1, 0, 0], [0.1, 0.1, 0.9, 0.9, 0.9]
    >>> round(debiased_calibration_error(y, p, n_bins=2), 4)
    0.3
    """
    sample = binary_sample(y_true, y_prob, pos_label, sample_weight)
    return float(np.sqrt(max(_debiased(filled_bins(sample, n_bins, strategy)), 0.0)))


def debiased_interval(
    y_true: Any,
    y_prob: Any,
    *,
    rng: np.random.Generator,
    n_bins: int = 10,
    strategy: Strategy = "quantile",
    confidence: float = 0.95,
    n_resamples: int = 1000,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> DebiasedError:
    """Debiased squared calibration error with a bootstrap interval.

    Parameters
    ----------
    y_true : (n,) array of labels
    y_prob : (n,) or (n, 2) array, or MassFunction
    rng : numpy.random.Generator
    n_bins : int
    strategy : "quantile" or "uniform"
    confidence : float
    n_resamples : int
    pos_label : label, optional
    sample_weight : (n,) array, optional
        As in `debiased_squared_calibration_error`.

    Returns
    -------
    DebiasedError
        Printing it shows the estimate and the interval.

    Raises
    ------
    ValueError
        As `expected_calibration_error`, or if `confidence` is not inside (0, 1).
    TypeError
        If `rng` is not a Generator.

    Notes
    -----
    Samples are drawn with replacement, and bins do not change. The true value for a resample is the
    squared error of the sample itself, noise included. The deviations of resampled estimates from
    it stand for the error of the estimate (the basic bootstrap). The cost is that of `n_resamples`
    estimates.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(1000)
    >>> y = rng.random(1000) < p ** 2  # squared error: mean of (p - p ** 2) ** 2, 1 / 30
    >>> print(debiased_interval(y, p, rng=rng))
    debiased squared calibration error: 0.02738, 95% interval [0.01623, 0.03639] (bootstrap)
    """
    check_bins(n_bins, strategy)
    check_count("n_resamples", n_resamples, 1, MOST_REPEATS)
    check_rng(rng)
    check_level("confidence", confidence)
    sample = binary_sample(y_true, y_prob, pos_label, sample_weight)
    number = bin_numbers(sample.p, sample.weight, n_bins, strategy)
    bins = summed_bins(sample, number, n_bins)
    estimate = _debiased(bins)
    of_sample = float((bins.weight * (bins.prob - bins.true) ** 2).sum() / bins.weight.sum())
    draws = np.array([_resampled(sample, number, n_bins, rng) for _ in range(n_resamples)])
    tail = (1 - confidence) / 2
    low, high = estimate + of_sample - np.quantile(draws, [1 - tail, tail])
    return DebiasedError(estimate, float(low), float(high), confidence)


def _debiased(bins: Bins) -> float:
    noise = bins.true * (1 - bins.true)
    usable = bins.size > 1 + 1e-9  # rounding can make an effective size of one slightly larger
    terms = (bins.prob - bins.true)[usable] ** 2 - noise[usable] / (bins.size[usable] - 1)
    return float((bins.weight[usable] * terms).sum() / bins.weight.sum())


def _resampled(
    sample: BinarySample, number: NDArray[np.intp], n_bins: int, rng: np.random.Generator
) -> float:
    rows = rng.integers(len(number), size=len(number))
    weight: Floats | None = None if sample.weight is None else sample.weight[rows]
    if weight is not None and not weight.any():  # the resample has only samples of weight zero
        return 0.0
    drawn = BinarySample(sample.y[rows], sample.p[rows], weight)
    return _debiased(summed_bins(drawn, number[rows], n_bins))
