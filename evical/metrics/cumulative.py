"""Cumulative tests of calibration: Kolmogorov-Smirnov and Kuiper, without bins.

Sort by prediction and add up the residuals: if predictions are calibrated, the path is a random
walk. For many samples, its largest distance from 0 (Kolmogorov-Smirnov) and its range (Kuiper), in
standard deviations, are distributed as those of a Brownian motion. Arrieta-Ibarra et al. 2022.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from dstheory.checks.arguments import check_choice
from evical._typing import Floats, Label, Weights
from evical.metrics.inputs import BLOCK, BinarySample, Predicted, binary_sample


def cumulative_calibration_error(
    y_true: ArrayLike,
    y_prob: Predicted,
    kind: Literal["kuiper", "kolmogorov_smirnov"] = "kuiper",
    *,
    pos_label: Label = None,
    sample_weight: Weights = None,
) -> float:
    r"""Cumulative calibration error, without bins, 0 at best.

    Parameters
    ----------
    y_true : (n,) array of labels
    y_prob : (n,) or (n, 2) array, or MassFunction
    kind : {"kuiper", "kolmogorov_smirnov"}
        Range of the cumulative error (ECCE-R), or its largest distance from 0 (ECCE-MAD).
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
        As `expected_calibration_error`, or if `kind` is unknown.

    See Also
    --------
    calibration_test : the tests that go with both kinds.

    Notes
    -----
    "kuiper" is :math:`\max_{s < t} |\frac1n \sum_{s < p_i \le t} (y_i - p_i)|`, the largest error
    of any interval of predictions. Swapping the labels does not change it. "kolmogorov_smirnov" is
    :math:`\max_t |\frac1n \sum_{p_i \le t} (y_i - p_i)|`. Equal predictions are added together, so
    the order of samples does not matter.

    References
    ----------
    Arrieta-Ibarra, Gujral, Tannen, Tygert & Xu (2022), Metrics of calibration for probabilistic
    predictions, Journal of Machine Learning Research 23, 1-54.

    Examples
    --------
    The path is (0, -0.1, 0.6, 0.1, 0.4, 0.5) / 5:

    >>> y, p = [0, 1, 0, 1, 1], [0.1, 0.3, 0.5, 0.7, 0.9]
    >>> round(cumulative_calibration_error(y, p), 4)
    0.14
    >>> round(cumulative_calibration_error(y, p, "kolmogorov_smirnov"), 4)
    0.12
    """
    check_choice("kind", kind, DISTANCES)
    path, _ = path_of(binary_sample(y_true, y_prob, pos_label, sample_weight))
    return DISTANCES[kind](path)


def path_of(sample: BinarySample) -> tuple[Floats, float]:
    """Cumulative residuals after each distinct prediction, and the deviation of the end."""
    path = _residuals(sample, np.argsort(sample.p))
    np.cumsum(path, out=path)
    p = np.sort(sample.p)
    path = path[np.append(p[1:] != p[:-1], True)]
    path /= sample.total_weight
    return path, sample.deviation


def _residuals(sample: BinarySample, order: NDArray[np.intp]) -> Floats:
    """Weighted y - p in this order."""
    found = np.empty(len(order))
    for start in range(0, len(order), BLOCK):
        part = sample.rows(order[start : start + BLOCK])
        found[start : start + BLOCK] = part.weighted(part.y - part.p)
    return found


def in_deviations(distance: float, deviation: float) -> float:
    """A distance in standard deviations, infinite if the deviation is 0."""
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


DISTANCES: dict[str, Callable[[Floats], float]] = {
    "kuiper": lambda path: max(float(path.max()), 0.0) - min(float(path.min()), 0.0),
    "kolmogorov_smirnov": lambda path: float(np.abs(path).max()),
}
