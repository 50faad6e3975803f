"""Binomial tests of calibration: does the number of positives in each bin match the predictions?

The samples of different bins are independent, so Sidak's correction is exact. The number of
positives is compared with a binomial distribution at the mean prediction. If predictions differ
within the bin, this is wider than the true distribution, so the test is conservative.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc

from dstheory.notebook import ShownFields
from evical._typing import Floats, Label, Weights
from evical.metrics.bins import filled_bins
from evical.metrics.goodness import pvalue_text, refuted
from evical.metrics.inputs import Predicted, binary_sample


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
    k = bins.true * bins.size
    tails = np.minimum(at_most(k, bins.size, bins.prob), at_least(k, bins.size, bins.prob))
    pvalues = np.minimum(2 * tails, 1.0)
    adjusted = sidak(pvalues)
    overall = 0.0 if refuted(sample) else float(adjusted.min())
    return BinomialBins(bins.size, bins.prob, bins.true, pvalues, adjusted, overall)


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
