"""Imprecision of belief functions, and plausibility of the outcomes.

A wide interval is safe but says little; an interval that excludes the outcome is wrong. Each metric
here measures only one side, so look at both.
"""

from typing import Any

import numpy as np

from dstheory.checks.arguments import check_flag
from evical.metrics.beliefs import class_intervals, true_plausibility
from evical.metrics.inputs import average, checked_weights

__all__ = ["evidential_log_likelihood", "mean_imprecision"]


def mean_imprecision(y_belief: Any, *, sample_weight: Any = None) -> float:
    """Mean width Pl - Bel, what the evidence leaves open: 0 for probabilities, 1 if vacuous.

    Parameters
    ----------
    y_belief : MassFunction, (n, 2) or (n, K, 2) array
        Mass functions, or [Bel, Pl] of the positive class, or of each class.
    sample_weight : (n,) array, optional

    Returns
    -------
    float
        Mean over samples and classes, in [0, 1].

    Raises
    ------
    ValueError
        If a row is not 0 <= Bel <= Pl <= 1, or lengths differ.

    Examples
    --------
    >>> intervals = [[0.0, 1.0], [0.5, 0.5], [0.25, 0.75], [0.0, 0.5], [0.5, 1.0]]
    >>> mean_imprecision(intervals)
    0.5
    """
    bounds = class_intervals(y_belief)
    widths = (bounds[..., 1] - bounds[..., 0]).mean(axis=1)
    return average(widths, checked_weights(sample_weight, len(widths)))


def evidential_log_likelihood(
    y_true: Any,
    y_belief: Any,
    *,
    normalize: bool = True,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> float:
    r"""Logarithm of the evidential likelihood, the product of plausibilities of true classes.

    Parameters
    ----------
    y_true : (n,) array of labels
    y_belief : MassFunction or (n, 2) array
        Mass functions on any number of classes, or [Bel, Pl] of the positive class of two.
    normalize : bool
        Take the mean over samples; False gives the sum, the logarithm of the product.
    pos_label : label, optional
        For arrays, as in `expected_calibration_error`.
    sample_weight : (n,) array, optional

    Returns
    -------
    float
        At most 0, which vacuous beliefs attain, so look at `mean_imprecision` too. For
        probabilities it is the log likelihood. It is minus infinity if an outcome had plausibility
        0.

    Raises
    ------
    ValueError
        If a row is not 0 <= Bel <= Pl <= 1, a label is unknown, or lengths differ.

    Notes
    -----
    :math:`\sum_i \ln pl_i(y_i)`: the beliefs are assumed to be independent.

    References
    ----------
    Denoeux (2013), Maximum likelihood estimation from uncertain data in the belief function
    framework, IEEE Transactions on Knowledge and Data Engineering 25, 119-130.

    Examples
    --------
    True classes have plausibilities 1, 1/2, 3/4, 1, 1:

    >>> intervals = [[0.0, 1.0], [0.5, 0.5], [0.25, 0.75], [0.0, 0.5], [0.5, 1.0]]
    >>> total = evidential_log_likelihood([1, 0, 1, 0, 1], intervals, normalize=False)
    >>> round(float(np.exp(total)), 4)
    0.375
    """
    check_flag("normalize", normalize)
    plausible, weight = true_plausibility(y_true, y_belief, pos_label, sample_weight)
    with np.errstate(divide="ignore"):  # an impossible outcome has infinite cost
        logs = np.log(plausible)
    mean = average(logs, weight)
    return mean if normalize else mean * (len(logs) if weight is None else float(weight.sum()))
