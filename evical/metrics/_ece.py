"""Expected and maximum calibration error of two classes, by bins.

In each bin of predictions, the mean prediction is compared with the share of positives. Naeini
2016, section 2.4.3, with ten bins of equal width.
"""

from typing import Any, Literal

import numpy as np

from evical.metrics.bins import bin_gaps, filled_bins
from evical.metrics.inputs import BinarySample, binary_sample, total_weight

__all__ = [
    "adaptive_calibration_error",
    "binned_error",
    "expected_calibration_error",
    "largest_gap",
    "maximum_calibration_error",
]

Strategy = Literal["uniform", "quantile"]


def expected_calibration_error(
    y_true: Any,
    y_prob: Any,
    *,
    n_bins: int = 10,
    strategy: Strategy = "uniform",
    pos_label: Any = None,
    sample_weight: Any = None,
) -> float:
    r"""Expected calibration error ECE of the positive class; 0 is best.

    Parameters
    ----------
    y_true : (n,) array of labels
        0 and 1, or -1 and 1, or any two with `pos_label`.
    y_prob : (n,) or (n, 2) array, or MassFunction
        Probability of the positive class, or of both classes with the positive one second; mass
        functions stand for their pignistic transform.
    n_bins : int
    strategy : "uniform" or "quantile"
        Bins of equal width, which contain their left edges, or of equal frequency, which keep equal
        predictions together.
    pos_label : label, optional
        By default 1, or the second label of a frame.
    sample_weight : (n,) array, optional

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    ValueError
        If a probability lies outside [0, 1], there are not two labels, lengths differ, or the
        binning is unknown.

    See Also
    --------
    top_label_calibration_error : for the most probable class, which is also called ECE.
    smooth_calibration_error : an error without bins.

    Notes
    -----
    :math:`\sum_b \pi_b |o_b - e_b|`: share of samples, share of positives and mean prediction
    of bin b. For few samples it is biased upward: see `debiased_squared_calibration_error`.

    References
    ----------
    Naeini (2016), section 2.4.3; Naeini, Cooper & Hauskrecht (2015), AAAI, 2901-2907.

    Examples
    --------
    Bin [0, 1/2) has mean 0.2 and one positive in two samples; bin [1/2, 1] has mean 0.7 and two in
    three:

    >>> y, p = [0, 1, 0, 1, 1], [0.1, 0.3, 0.5, 0.7, 0.9]
    >>> round(expected_calibration_error(y, p, n_bins=2), 4)  # (2 * 0.3 + 3 * 0.0333) / 5
    0.14
    """
    sample = binary_sample(y_true, y_prob, pos_label, sample_weight)
    return binned_error(sample, n_bins, strategy)


def maximum_calibration_error(
    y_true: Any,
    y_prob: Any,
    *,
    n_bins: int = 10,
    strategy: Strategy = "uniform",
    pos_label: Any = None,
    sample_weight: Any = None,
) -> float:
    r"""Maximum calibration error MCE of the positive class: the largest gap of a bin; 0 is best.

    Parameters
    ----------
    y_true : (n,) array of labels
    y_prob : (n,) or (n, 2) array, or MassFunction
    n_bins : int
    strategy : "uniform" or "quantile"
    pos_label : label, optional
    sample_weight : (n,) array, optional
        All as in `expected_calibration_error`.

    Returns
    -------
    float
        In [0, 1]. A bin with one sample counts as much as any other, so prefer "quantile" or few
        bins.

    Raises
    ------
    ValueError
        As `expected_calibration_error`.

    Notes
    -----
    :math:`\max_b |o_b - e_b|` over bins that contain samples.

    References
    ----------
    Naeini (2016), section 2.4.3.

    Examples
    --------
    >>> y, p = [0, 1, 0, 1, 1], [0.1, 0.3, 0.5, 0.7, 0.9]
    >>> round(maximum_calibration_error(y, p, n_bins=2), 4)  # |0.2 - 1 / 2|
    0.3
    """
    sample = binary_sample(y_true, y_prob, pos_label, sample_weight)
    return largest_gap(sample, n_bins, strategy)


def adaptive_calibration_error(
    y_true: Any,
    y_prob: Any,
    *,
    n_bins: int = 10,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> float:
    """Adaptive calibration error: the ECE with bins of equal frequency; 0 is best.

    Parameters
    ----------
    y_true : (n,) array of labels
    y_prob : (n,) or (n, 2) array, or MassFunction
    n_bins : int
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

    See Also
    --------
    classwise_calibration_error : with ``strategy="quantile"``, the same for many classes.

    Notes
    -----
    Bins are weighted by their share of samples, which differs from 1 / n_bins if there are ties.

    References
    ----------
    Nguyen & O'Connor (2015), EMNLP, 1587-1598; Nixon et al. (2019), CVPR workshops, 38-41.

    Examples
    --------
    Bins {0.1, 0.1} and {0.2, 0.9, 0.9}: gaps 0.4 and 0.3333, shares 2/5 and 3/5:

    >>> y, p = [0, 1, 0, 1, 0], [0.1, 0.1, 0.2, 0.9, 0.9]
    >>> round(adaptive_calibration_error(y, p, n_bins=2), 4)
    0.36
    """
    sample = binary_sample(y_true, y_prob, pos_label, sample_weight)
    return binned_error(sample, n_bins, "quantile")


def binned_error(sample: BinarySample, n_bins: int, strategy: str) -> float:
    """Mean gap of bins, weighted by their share of samples."""
    gaps = bin_gaps(sample, n_bins, strategy)
    return float(np.abs(gaps).sum() / total_weight(sample.weight, len(sample.p)))


def largest_gap(sample: BinarySample, n_bins: int, strategy: str) -> float:
    """Largest gap of a bin that contains samples."""
    bins = filled_bins(sample, n_bins, strategy)
    return float(np.abs(bins.prob - bins.true).max())
