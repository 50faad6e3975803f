"""The calibration error that a test can detect.

A test that does not reject says little if it has no power. So its p-value comes with the error that
it detects with a probability of 80 %. Each test has its own kind of error. Variances are those of
calibrated predictions, which is nearly right for small errors.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.stats import chi2, ncx2, norm

from evical.metrics.beliefs import IntervalSample
from evical.metrics.bins import filled_bins
from evical.metrics.cumulative import brownian_maximum_sf, brownian_range_sf
from evical.metrics.inputs import BinarySample

POWER = 0.8
_Z = float(norm.ppf(POWER))


def too_extreme(sample: BinarySample, level: float, n_bins: int) -> float:
    """Mean distance of predictions from truths p + c (1 - 2 p), by Spiegelhalter's z.

    The mean of z is then c sum (1 - 2 p)^2, divided by the standard deviation of sum (y - p)(1 - 2
    p).
    """
    variance = sample.total(lambda part: part.variances() * (1 - 2 * part.p) ** 2)
    gain = sample.total(lambda part: part.weighted((1 - 2 * part.p) ** 2))
    if not gain:
        return float("inf")
    size = (norm.isf(level / 2) + _Z) * np.sqrt(variance) / gain
    distance = sample.total(lambda part: part.weighted(np.abs(1 - 2 * part.p)))
    return float(size * distance / sample.total_weight)


def shift_by_maximum(sample: BinarySample, level: float, n_bins: int) -> float:
    """Distance of all truths from predictions, to one side, by Kolmogorov and Smirnov's test."""
    return (_critical(brownian_maximum_sf, level) + _Z) * sample.deviation


def shift_by_range(sample: BinarySample, level: float, n_bins: int) -> float:
    """The same by Kuiper's test."""
    return (_critical(brownian_range_sf, level) + _Z) * sample.deviation


def shift_by_bins(sample: BinarySample, level: float, n_bins: int) -> float:
    """The same by Hosmer and Lemeshow's test: what noncentrality has the power, and what shift."""
    if level >= POWER:  # rejected this often without any error
        return 0.0
    bins = filled_bins(sample, n_bins, "quantile")
    critical = chi2.isf(level, len(bins.size))
    wanted = brentq(lambda nc: ncx2.sf(critical, len(bins.size), nc) - POWER, 1e-6, 1e4)
    variance = np.maximum(bins.prob * (1 - bins.prob), 1e-12)
    return float(np.sqrt(wanted / (bins.size / variance).sum()))


def one_bin(sample: BinarySample, level: float, n_bins: int) -> float:
    """Error of a bin of middling size, by a binomial test of each, corrected by Sidak's formula."""
    bins = filled_bins(sample, n_bins, "quantile")
    alone = -np.expm1(np.log1p(-level) / len(bins.size))
    deviation = np.sqrt(bins.prob * (1 - bins.prob) / bins.size)
    return float((norm.isf(alone / 2) + _Z) * np.median(deviation))


def beyond_bounds(sample: IntervalSample, level: float, n_bins: int) -> float:
    """Distance of all truths from the nearer of Bel and Pl, to one side, by the interval test."""
    return shift_by_range(sample.nearest, level, n_bins)


def _critical(survival: Callable[[float], float], level: float) -> float:
    found: Any = brentq(lambda x: survival(x) - level, 0.01, 40.0)
    return float(found)
