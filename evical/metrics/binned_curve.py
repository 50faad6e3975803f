"""The calibration curve in numbers: observed frequency against prediction, bin by bin.

Each bin has the share of positives among samples with similar predictions, their mean prediction,
and limits for the probability (Niculescu-Mizil & Caruana 2005, Predicting good probabilities with
supervised learning; Clopper & Pearson 1934).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dstheory.checks.arguments import check_choice, check_level
from dstheory.inference import binomial_masses
from dstheory.notebook import ShownFields
from evical._typing import Floats, Label, Weights
from evical.metrics.bins import bin_numbers, filled_bins
from evical.metrics.goodness import share_limits
from evical.metrics.inputs import BinarySample, Predicted, binary_sample, counted

INTERVALS = ("clopper_pearson", "likelihood")


@dataclass(frozen=True, eq=False)
class CalibrationCurve(ShownFields):
    """A calibration curve over the bins that contain samples.

    Parameters
    ----------
    centers : (b,) array
        Mean prediction of each bin, ascending.
    frequencies : (b,) array
        Share of positives.
    counts : (b,) array of int
        Number of samples.
    lower, upper : (b,) arrays or None
        Limits for the probability of a positive.
    number : (b,) array of int
        Index of the bin among all bins, from 0.
    """

    centers: Floats
    frequencies: Floats
    counts: NDArray[np.int64]
    lower: Floats | None
    upper: Floats | None
    number: NDArray[np.intp]

    def __str__(self) -> str:
        columns = [self.counts, self.centers, self.frequencies]
        head = " samples  predicted  observed"
        if self.lower is not None and self.upper is not None:
            columns, head = [*columns, self.lower, self.upper], head + "  interval"
        rows = [
            f"{n:8d}  {c:9.3f}  {f:8.3f}" + "".join(f"  {limit:.3f}" for limit in limits)
            for n, c, f, *limits in zip(*columns, strict=True)
        ]
        return "\n".join([head, *rows])


def calibration_curve(
    y_true: ArrayLike,
    y_prob: Predicted,
    *,
    n_bins: int = 10,
    strategy: Literal["uniform", "quantile"] = "uniform",
    interval: Literal["clopper_pearson", "likelihood"] | None = "clopper_pearson",
    confidence: float = 0.95,
    pos_label: Label = None,
    sample_weight: Weights = None,
) -> CalibrationCurve:
    """Share of positives against mean prediction, with limits, for each bin of predictions.

    Parameters
    ----------
    y_true : (n,) array of labels
    y_prob : (n,) or (n, 2) array, or MassFunction
    n_bins : int
    strategy : "uniform" or "quantile"
        Bins of equal width or of equal frequency.
    interval : "clopper_pearson", "likelihood" or None
        Confidence limits, or belief and plausibility that the next sample of the bin is positive.
    confidence : float
        Level of the Clopper-Pearson limits.
    pos_label : label, optional
    sample_weight : (n,) array, optional
        All as in `expected_calibration_error`. Weights are not repetitions: limits are those of the
        effective number of samples, the squared sum of weights divided by the sum of squared
        weights.

    Returns
    -------
    CalibrationCurve
        The bins that contain samples of positive weight. Printing it shows a table.

    Raises
    ------
    ValueError
        As `expected_calibration_error`; or if `interval` is unknown, or `confidence` is not inside
        (0, 1).

    See Also
    --------
    evical.plot.ReliabilityDisplay : the same as a picture.

    Notes
    -----
    A prediction on the edge of two bins of equal width belongs to the upper one (in scikit-learn's
    function of this name, to the lower one). Equal predictions always share a bin.

    References
    ----------
    Clopper & Pearson (1934), Biometrika 26, 404-413. Xu, Davoine, Zha & Denoeux (2016),
    eqs. 26-32, on both kinds of limits.

    Examples
    --------
    >>> curve = calibration_curve([0, 1, 1, 1], [0.2, 0.4, 0.6, 0.8], n_bins=2)
    >>> curve.centers.round(3), curve.frequencies, curve.counts
    (array([0.3, 0.7]), array([0.5, 1. ]), array([2, 2]))
    >>> curve.lower.round(4), curve.upper.round(4)
    (array([0.0126, 0.1581]), array([0.9874, 1.    ]))
    """
    sample = counted(binary_sample(y_true, y_prob, pos_label, sample_weight))
    check_choice("interval", interval, (*INTERVALS, None))
    check_level("confidence", confidence)
    return curve_of(sample, n_bins, strategy, interval, confidence)


def curve_of(
    sample: BinarySample, n_bins: int, strategy: str, interval: str | None, confidence: float
) -> CalibrationCurve:
    """The curve of a checked sample without weights of zero."""
    bins = filled_bins(sample, n_bins, strategy)
    counts = np.bincount(bin_numbers(sample.p, sample.weight, n_bins, strategy))
    lower = upper = None
    if interval is not None:
        positives = bins.true * bins.size
        positives = np.round(positives) if sample.weight is None else positives
        lower, upper = share_intervals(positives, bins.size, interval, confidence)
    return CalibrationCurve(bins.prob, bins.true, counts[bins.number], lower, upper, bins.number)


def share_intervals(
    positives: NDArray[Any], trials: Floats, interval: str, confidence: float
) -> tuple[Floats, Floats]:
    """Lower and upper limit for the probability of each bin that contains samples.

    `clopper_pearson` gives confidence limits, `likelihood` the belief and plausibility that the
    next sample is positive.

    >>> low, high = share_intervals(np.array([5.0]), np.array([5.0]), "likelihood", 0.95)
    >>> low.round(6), high
    (array([0.833333]), array([1.]))
    """
    if interval == "likelihood":
        low, miss = binomial_masses(positives, trials, "likelihood")
        return low, 1 - miss
    return share_limits(positives, trials, confidence)
