"""Inputs of metrics of belief functions: mass functions, or intervals [Bel, Pl].

Imprecision of belief functions, and plausibility of the outcomes.

A wide interval is safe but says little; an interval that excludes the outcome is wrong. Each metric
here measures only one side, so look at both.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dstheory import MassFunction
from dstheory.checks.arguments import check_flag, check_rows
from evical._typing import Floats, Label, Weights
from evical.metrics.inputs import (
    BinarySample,
    Predicted,
    WeightedRows,
    average,
    check_batch,
    check_some,
    checked_weights,
    class_codes,
    is_positive,
    numbers,
    positive_label,
)
from evical.scores.checks import check_same_length, refuse


def mean_imprecision(y_belief: Predicted, *, sample_weight: Weights = None) -> float:
    """Mean width Pl - Bel, 0 for probabilities and 1 for vacuous beliefs.

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
    y_true: ArrayLike,
    y_belief: Predicted,
    *,
    normalize: bool = True,
    pos_label: Label = None,
    sample_weight: Weights = None,
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


# Tolerance for 1 - m({0}) below m({1}) by rounding.
_ATOL = 1e-9


@dataclass(frozen=True, eq=False)
class IntervalSample(WeightedRows):
    """Outcomes (n,) of 0 and 1, belief and plausibility (n,) of 1, and weights (n,) or None."""

    y: Floats
    bel: Floats
    pl: Floats
    weight: Floats | None

    @property
    def middle(self) -> BinarySample:
        """The sample with pignistic probabilities, the middles of the intervals."""
        middle = self.bel + self.pl
        middle /= 2
        return BinarySample(self.y, middle, self.weight)

    @property
    def nearest(self) -> BinarySample:
        """The sample with the probabilities within the intervals that are closest to 1/2."""
        return BinarySample(self.y, np.clip(0.5, self.bel, self.pl), self.weight)


def interval_sample(
    y_true: ArrayLike, y_belief: Predicted, pos_label: Hashable, sample_weight: ArrayLike | None
) -> IntervalSample:
    """Belief and plausibility of the positive one of two classes, from any input."""
    check_rows(y_true=y_true, y_belief=y_belief, sample_weight=sample_weight)
    if isinstance(y_belief, MassFunction):
        pos_label = positive_label(y_belief, pos_label)
        class_codes(y_true, np.asarray(y_belief.frame.labels))  # no label outside the frame
        m = normal(y_belief)
        bel, pl = (np.asarray(of(pos_label), dtype=np.float64) for of in (m.bel, m.pl))
    else:
        bounds = numbers(y_belief, "y_belief")
        if bounds.ndim != 2 or bounds.shape[1] != 2:
            raise ValueError(
                f"y_belief has shape {bounds.shape}, expected a mass function or rows [Bel, Pl] "
                "of the positive class, (n, 2)"
            )
        bel, pl = bounds.T
    check_some(bel)
    bel, pl = checked_bounds(bel, pl)
    y = is_positive(y_true, pos_label)
    check_same_length(y_true=y, y_belief=bel)
    return IntervalSample(y, bel, pl, checked_weights(sample_weight, len(y)))


def class_intervals(y_belief: Predicted) -> Floats:
    """[Bel, Pl] of each class (n, K, 2), or of the positive one of two (n, 1, 2)."""
    if isinstance(y_belief, MassFunction):
        m = normal(y_belief)
        bel = np.stack([m.bel(mask=1 << k) for k in range(len(m.frame))], axis=-1)
        bounds = np.stack([bel, m.contour()], axis=-1).astype(np.float64)
    else:
        bounds = numbers(y_belief, "y_belief")
        if bounds.ndim == 2:
            bounds = bounds[:, np.newaxis]
        if bounds.ndim != 3 or bounds.shape[2] != 2 or bounds.shape[1] == 0:
            raise ValueError(
                f"y_belief has shape {bounds.shape}, expected a mass function or rows [Bel, Pl], "
                "(n, 2) or (n, n_classes, 2)"
            )
    check_some(bounds)
    return np.stack(checked_bounds(bounds[..., 0], bounds[..., 1]), axis=-1)


def true_plausibility(
    y_true: ArrayLike, y_belief: Predicted, pos_label: Hashable, sample_weight: ArrayLike | None
) -> tuple[Floats, Floats | None]:
    """Plausibility (n,) of the true class of each sample, and the weights."""
    check_rows(y_true=y_true, sample_weight=sample_weight)
    if isinstance(y_belief, MassFunction):
        contour = np.asarray(normal(y_belief).contour(), dtype=np.float64)
        check_some(contour)
        codes = class_codes(y_true, np.asarray(y_belief.frame.labels))
        check_same_length(y_true=codes, y_belief=contour)
        return contour[np.arange(len(codes)), codes], checked_weights(sample_weight, len(codes))
    sample = interval_sample(y_true, y_belief, pos_label, sample_weight)
    return np.where(sample.y == 1, sample.pl, 1 - sample.bel), sample.weight


def checked_bounds(bel: Floats, pl: Floats) -> tuple[Floats, Floats]:
    """Copies of Bel and Pl, which must satisfy 0 <= Bel <= Pl <= 1."""
    wrong = (bel < -_ATOL) | (pl > 1 + _ATOL) | (bel > pl + _ATOL)
    if wrong.any():
        refuse(np.stack([bel, pl], axis=-1), wrong, "y_belief", "0 <= Bel <= Pl <= 1")
    low, high = np.clip(bel, 0, 1), np.clip(pl, 0, 1)
    return low, np.maximum(high, low, out=high)


def normal(m: MassFunction) -> MassFunction:
    """A batch (n,) without mass on the empty set."""
    check_batch(m)
    return m if np.all(m.is_normalized) else m.normalize()
