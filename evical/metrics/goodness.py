"""Tests of the hypothesis that each outcome is positive with its predicted probability.

All tests take outcomes for independent. Those by cumulative residuals are in
`evical.metrics.cumulative`. Spiegelhalter's compares the Brier score with its distribution for
calibrated predictions, which is approximately normal for many samples (1986). Hosmer and Lemeshow's
adds up the squared gaps of bins, divided by their binomial variances, to a chi-square variable
(1980). The binomial test compares the positives of each bin with a binomial distribution at the
mean prediction; if predictions differ within the bin, this is wider than the true distribution, so
the test is conservative. Bins are independent, so Sidak's correction is exact.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, ndtr
from scipy.stats import chi2

from dstheory.checks.arguments import check_choice
from dstheory.inference.counts.quantiles import lower_limit
from dstheory.notebook import ShownFields
from evical._typing import Floats, Label, Weights
from evical.metrics.bins import check_bins, filled_bins
from evical.metrics.cumulative import (
    DISTANCES,
    brownian_maximum_sf,
    brownian_range_sf,
    in_deviations,
    path_of,
)
from evical.metrics.inputs import BinarySample, Predicted, binary_sample


@dataclass(frozen=True)
class CalibrationTest(ShownFields):
    """A test of calibration.

    Parameters
    ----------
    name : str
    statistic : float
    pvalue : float
        Probability of a statistic at least as extreme if the hypothesis holds.
    hypothesis, definition : str
        The tested hypothesis, and the definition of the statistic.
    """

    name: str
    statistic: float
    pvalue: float
    hypothesis: str
    definition: str

    def __str__(self) -> str:
        return (
            f"{self.name}: statistic {self.statistic:.4g}, {pvalue_text(self.pvalue)}\n"
            f"  hypothesis: {self.hypothesis}\n"
            f"  statistic: {self.definition}"
        )


def pvalue_text(pvalue: float) -> str:
    """A p-value as text for a sentence.

    >>> pvalue_text(0.0312), pvalue_text(1e-9)
    ('p = 0.031', 'p < 0.0001')
    """
    return "p < 0.0001" if pvalue < 1e-4 else f"p = {pvalue:.2g}"


def refuted(sample: BinarySample) -> bool:
    """Whether a prediction of 0 or 1 was wrong, which refutes calibration with certainty."""
    if sample.p.min() > 0 and sample.p.max() < 1:
        return False
    wrong = ((sample.p == 0) & (sample.y == 1)) | ((sample.p == 1) & (sample.y == 0))
    if sample.weight is not None:
        wrong &= sample.weight > 0
    return bool(wrong.any())


def _kuiper(sample: BinarySample, n_bins: int, strategy: str) -> CalibrationTest:
    over = "an interval of predictions"
    return _cumulative(sample, "Kuiper", DISTANCES["kuiper"], brownian_range_sf, over)


def _kolmogorov_smirnov(sample: BinarySample, n_bins: int, strategy: str) -> CalibrationTest:
    distance, over = DISTANCES["kolmogorov_smirnov"], "samples up to a prediction"
    return _cumulative(sample, "Kolmogorov-Smirnov", distance, brownian_maximum_sf, over)


def _cumulative(
    sample: BinarySample,
    name: str,
    distance: Callable[[Floats], float],
    survival: Callable[[float], float],
    over: str,
) -> CalibrationTest:
    path, deviation = path_of(sample)
    statistic = in_deviations(distance(path), deviation)
    hypothesis = "each outcome is positive with the probability predicted for it"
    definition = f"largest |sum of y - p| over {over}, by its standard deviation"
    return CalibrationTest(name, statistic, survival(statistic), hypothesis, definition)


def _spiegelhalter(sample: BinarySample, n_bins: int, strategy: str) -> CalibrationTest:
    z = _standardized(sample)
    return CalibrationTest(
        "Spiegelhalter",
        z,
        float(2 * ndtr(-abs(z))),
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
    return sample.weighted(1 - 2 * sample.p)


def _hosmer_lemeshow(sample: BinarySample, n_bins: int, strategy: str) -> CalibrationTest:
    bins = filled_bins(sample, n_bins, strategy)
    gaps = bins.size * (bins.true - bins.prob) ** 2
    variance = bins.prob * (1 - bins.prob)
    # A bin of certain predictions adds nothing if they are right; otherwise they refute
    # calibration.
    parts = np.divide(gaps, variance, out=np.zeros_like(gaps), where=variance > 0)
    statistic = float(parts.sum())
    return CalibrationTest(
        "Hosmer-Lemeshow",
        statistic,
        float(chi2.sf(statistic, len(bins.size))),
        "positives of each bin are binomial with its mean prediction",
        f"sum over {len(bins.size)} bins of n (share - mean p)^2 / (mean p (1 - mean p))",
    )


_TESTS = {
    "kuiper": _kuiper,
    "kolmogorov_smirnov": _kolmogorov_smirnov,
    "spiegelhalter": _spiegelhalter,
    "hosmer_lemeshow": _hosmer_lemeshow,
}


def calibration_test(
    y_true: ArrayLike,
    y_prob: Predicted,
    kind: Literal["kuiper", "kolmogorov_smirnov", "spiegelhalter", "hosmer_lemeshow"] = "kuiper",
    *,
    n_bins: int = 10,
    strategy: Literal["uniform", "quantile"] = "quantile",
    pos_label: Label = None,
    sample_weight: Weights = None,
) -> CalibrationTest:
    r"""Test whether probabilities are calibrated.

    Parameters
    ----------
    y_true : (n,) array of labels
    y_prob : (n,) or (n, 2) array, or MassFunction
    kind : {"kuiper", "kolmogorov_smirnov", "spiegelhalter", "hosmer_lemeshow"}
        The statistic: the range or the largest distance of the cumulative residuals, the Brier
        score, or the squared gaps of bins.
    n_bins : int
    strategy : "quantile" or "uniform"
        Bins of "hosmer_lemeshow", as in `binomial_test`; the others have none.
    pos_label : label, optional
    sample_weight : (n,) array, optional
        All as in `expected_calibration_error`. Weights are not repetitions: a sample with a large
        weight remains one observation.

    Returns
    -------
    CalibrationTest
        Printing it shows the hypothesis and the definition of the statistic. The p-value is
        asymptotic; it is 0 if a prediction of 0 or 1 was wrong.

    Raises
    ------
    ValueError
        As `expected_calibration_error`, or if `kind` is unknown.

    See Also
    --------
    binomial_test : exact for few samples, and shows which bins deviate.

    Notes
    -----
    "kuiper" and "kolmogorov_smirnov" divide the `cumulative_calibration_error` of that kind by the
    standard deviation of the end of the path. Kuiper's is more powerful if errors in the middle
    cancel before the end, so it is the better default.

    "spiegelhalter" is
    :math:`z = \sum_i w_i (y_i - p_i)(1 - 2 p_i) / \sqrt{\sum_i w_i^2 (1 - 2 p_i)^2 p_i (1 - p_i)}`,
    positive if the Brier score is too large, and two-sided. It is blind to predictions of 1/2 and
    to errors that cancel in this sum.

    "hosmer_lemeshow" is :math:`\sum_b n_b (o_b - e_b)^2 / (e_b (1 - e_b))`, with as many degrees
    of freedom as bins, because predictions were not fitted to these samples; for training samples
    there are two fewer. It needs at least 5 expected positives and negatives in each bin.

    References
    ----------
    Arrieta-Ibarra, Gujral, Tannen, Tygert & Xu (2022), Metrics of calibration for probabilistic
    predictions, Journal of Machine Learning Research 23, 1-54.
    Spiegelhalter (1986), Probabilistic prediction in patient management and clinical trials,
    Statistics in Medicine 5, 421-433.
    Hosmer & Lemeshow (1980), Goodness of fit tests for the multiple logistic regression model,
    Communications in Statistics - Theory and Methods 9, 1043-1069.

    Examples
    --------
    Each residual is 0.5, so that the path ends at 2.5; its standard deviation is
    sqrt(5 / 4) = 1.118:

    >>> test = calibration_test([1] * 5, [0.5] * 5)
    >>> round(test.statistic, 4), round(test.pvalue, 4)
    (2.2361, 0.1013)
    >>> test = calibration_test([1] * 5, [0.5] * 5, "kolmogorov_smirnov")
    >>> round(test.statistic, 4), round(test.pvalue, 4)
    (2.2361, 0.0507)

    Five samples, one positive, predicted 1/5: the numerator is 0.6 (1 - 5 / 5) = 0. With three
    positives, it is 0.6 (3 - 1), and its standard deviation sqrt(5 0.36 0.16):

    >>> test = calibration_test([0, 0, 0, 0, 1], [0.2] * 5, "spiegelhalter")
    >>> round(test.statistic, 4), round(test.pvalue, 4)
    (0.0, 1.0)
    >>> test = calibration_test([0, 0, 1, 1, 1], [0.2] * 5, "spiegelhalter")
    >>> round(test.statistic, 4), round(test.pvalue, 4)
    (2.2361, 0.0253)

    Bins of 4 with means 1/2: 4 and 2 positives, so 4 (1/2)^2 / (1/4) + 0 = 4:

    >>> y, p = [1] * 4 + [0, 0, 1, 1], [0.5] * 4 + [0.501] * 4
    >>> test = calibration_test(y, p, "hosmer_lemeshow", n_bins=2)
    >>> round(test.statistic, 2), round(test.pvalue, 2)
    (4.0, 0.14)
    """
    check_choice("kind", kind, _TESTS)
    check_bins(n_bins, strategy)
    sample = binary_sample(y_true, y_prob, pos_label, sample_weight)
    found = _TESTS[kind](sample, n_bins, strategy)
    return replace(found, pvalue=0.0) if refuted(sample) else found


@dataclass(frozen=True, eq=False)
class BinomialBins(ShownFields):
    """Binomial tests of all bins that contain samples.

    Parameters
    ----------
    size, predicted, observed : (b,) arrays
        Number of samples (effective number, with weights), mean prediction and share of
        positives of each bin.
    pvalues : (b,) array
        P-value of each bin separately, two-sided and exact.
    adjusted : (b,) array
        P-values corrected for the number of bins by Sidak's formula.
    pvalue : float
        P-value of the hypothesis that no bin deviates: the smallest adjusted one.
    """

    size: Floats
    predicted: Floats
    observed: Floats
    pvalues: Floats
    adjusted: Floats
    pvalue: float

    def __str__(self) -> str:
        head = (
            f"binomial tests of {len(self.size)} bins: {pvalue_text(self.pvalue)} "
            "(least p-value, corrected for the number of bins)"
        )
        rows = zip(self.size, self.predicted, self.observed, self.adjusted, strict=True)
        lines = [f"  {n:8.6g}  {e:9.3f}  {o:8.3f}  {q:10.2g}" for n, e, o, q in rows]
        return "\n".join([head, "   samples  predicted  observed  adjusted p", *lines])


def binomial_test(
    y_true: ArrayLike,
    y_prob: Predicted,
    *,
    n_bins: int = 10,
    strategy: Literal["uniform", "quantile"] = "quantile",
    pos_label: Label = None,
    sample_weight: Weights = None,
) -> BinomialBins:
    r"""Binomial test of calibration of each bin, and of all.

    Parameters
    ----------
    y_true : (n,) array of labels
    y_prob : (n,) or (n, 2) array, or MassFunction
    n_bins : int
    strategy : "quantile" or "uniform"
    pos_label : label, optional
    sample_weight : (n,) array, optional
        All as in `expected_calibration_error`. Weights are not repetitions: a bin has the effective
        number of samples, the squared sum of weights divided by the sum of squared weights.

    Returns
    -------
    BinomialBins
        Printing it shows a table.

    Raises
    ------
    ValueError
        As `expected_calibration_error`.

    Notes
    -----
    The p-value of k positives of n is twice the smaller tail,
    :math:`2 \min\{P(X \le k), P(X \ge k)\}`, computed by incomplete beta functions, which also take
    effective numbers. For b bins it becomes :math:`1 - (1 - p)^b` (Sidak 1967).

    References
    ----------
    Sidak (1967), Journal of the American Statistical Association 62, 626-633. Hoeffding (1956)
    on sums of unequal trials, Annals of Mathematical Statistics 27, 713-721.

    Examples
    --------
    Five of five are positive, with predictions of 1/2: twice 1/32, in one bin:

    >>> binomial_test([1] * 5, [0.5] * 5, n_bins=1).pvalue
    0.0625
    """
    sample = binary_sample(y_true, y_prob, pos_label, sample_weight)
    bins = filled_bins(sample, n_bins, strategy)
    pvalues = outside_pvalues(bins.true, bins.size, bins.prob, bins.prob)
    adjusted = sidak(pvalues)
    overall = 0.0 if refuted(sample) else float(adjusted.min())
    return BinomialBins(bins.size, bins.prob, bins.true, pvalues, adjusted, overall)


def outside_pvalues(observed: Floats, size: Floats, low: Floats, high: Floats) -> Floats:
    """Two-sided p-values of observed shares, if probabilities are from low to high."""
    k = observed * size
    tails = np.minimum(at_least(k, size, high), at_most(k, size, low))
    return np.asarray(np.minimum(2 * tails, 1.0))


def at_least(k: Floats, n: Floats, p: Floats) -> Floats:
    """Probability of k or more successes in n trials, which need not be whole numbers.

    >>> at_least(np.array([2.0]), np.array([2.0]), np.array([0.5]))
    array([0.25])
    """
    k = np.minimum(k, n)
    return np.where(k <= 0, 1.0, betainc(np.maximum(k, 1e-300), n - k + 1, p))


def at_most(k: Floats, n: Floats, p: Floats) -> Floats:
    """Probability of k or fewer successes in n trials, which need not be whole numbers.

    >>> at_most(np.array([0.0]), np.array([2.0]), np.array([0.5]))
    array([0.25])
    """
    return at_least(n - k, n, 1 - p)


def sidak(pvalues: Floats) -> Floats:
    """P-values of independent tests, corrected for their number.

    >>> sidak(np.array([0.5, 1.0]))
    array([0.75, 1.  ])
    """
    with np.errstate(divide="ignore"):  # a p-value of 1 stays 1
        return np.asarray(-np.expm1(len(pvalues) * np.log1p(-pvalues)))


def share_limits(
    successes: ArrayLike, trials: ArrayLike, confidence: float = 0.95
) -> tuple[Floats, Floats]:
    """Confidence limits of shares by Clopper & Pearson; numbers may be effective ones.

    Parameters
    ----------
    successes, trials : arrays
        Broadcast; of no trials the limits are 0 and 1.
    confidence : float

    Returns
    -------
    pair of arrays

    References
    ----------
    Clopper & Pearson (1934), Biometrika 26, 404-413.

    Examples
    --------
    None of two: up to 1 - sqrt(0.025).

    >>> low, high = share_limits(0, 2)
    >>> float(low), round(float(high), 4)
    (0.0, 0.8419)
    """
    k, n = np.broadcast_arrays(np.asarray(successes, float), np.asarray(trials, float))
    tail = (1 - confidence) / 2
    return lower_limit(k, n - k, tail), 1 - lower_limit(n - k, k, tail)
