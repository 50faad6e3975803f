"""Coverage: do frequencies lie within the belief intervals?

Samples with similar pignistic probabilities form a bin. Up to chance, the share of positives in a
bin should lie between its mean belief and its mean plausibility. A binomial test tells which
deviations exceed chance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dstheory.notebook import ShownFields
from evical._typing import Floats, Label, Weights
from evical.metrics.beliefs import IntervalSample, interval_sample
from evical.metrics.bins import Bins, added_bins, check_bins, numbering
from evical.metrics.goodness import outside_pvalues, pvalue_text, sidak
from evical.metrics.inputs import BLOCK, BinarySample, Predicted

Strategy = Literal["uniform", "quantile"]


@dataclass(frozen=True, eq=False)
class BeliefCoverage(ShownFields):
    """Frequencies and mean intervals of bins, and a test.

    Parameters
    ----------
    size, bel, pl, observed : (b,) arrays
        Number of samples (effective number, with weights), mean belief, mean plausibility
        and share of positives of each non-empty bin.
    covered : (b,) array of bool
        Whether the share lies in [bel, pl].
    share : float
        Share of the samples in covered bins.
    adjusted : (b,) array
        P-values of the hypothesis that the mean probability of the bin lies in [bel, pl],
        corrected for the number of bins.
    pvalue : float
        P-value of the hypothesis that all of them do.
    """

    size: Floats
    bel: Floats
    pl: Floats
    observed: Floats
    covered: NDArray[np.bool_]
    share: float
    adjusted: Floats
    pvalue: float

    def wider_pvalue(self, factor: float) -> float:
        """The p-value of intervals so many times as wide, around the same middles.

        Parameters
        ----------
        factor : float
            From 1.

        Returns
        -------
        float

        Examples
        --------
        >>> test = coverage_test([0] * 9 + [1], [[0.4, 0.6]] * 10, n_bins=1)
        >>> round(test.wider_pvalue(1.0), 3), round(test.wider_pvalue(2.0), 3)
        (0.093, 0.299)
        """
        reach = (self.pl - self.bel) * (factor - 1.0) / 2.0
        low, high = np.maximum(self.bel - reach, 0.0), np.minimum(self.pl + reach, 1.0)
        return float(sidak(outside_pvalues(self.observed, self.size, low, high)).min())

    def __str__(self) -> str:
        head = (
            f"frequency within mean [Bel, Pl] for {self.share:.1%} of samples, in "
            f"{int(self.covered.sum())} of {len(self.size)} bins; all within but for chance: "
            f"{pvalue_text(self.pvalue)} (binomial, corrected for the number of bins)"
        )
        columns = (self.size, self.bel, self.pl, self.observed, self.adjusted)
        rows = zip(*columns, strict=True)
        lines = [f"  {n:8.6g}  {a:5.3f}  {b:5.3f}  {o:8.3f}  {q:10.2g}" for n, a, b, o, q in rows]
        return "\n".join([head, "   samples    Bel     Pl  observed  adjusted p", *lines])


def coverage_test(
    y_true: ArrayLike,
    y_belief: Predicted,
    *,
    n_bins: int = 10,
    strategy: Strategy = "quantile",
    pos_label: Label = None,
    sample_weight: Weights = None,
) -> BeliefCoverage:
    r"""Binomial test whether the frequency of each bin is compatible with its beliefs.

    Parameters
    ----------
    y_true : (n,) array of labels
    y_belief : MassFunction or (n, 2) array
        Mass functions on two classes, or [Bel, Pl] of the positive one.
    n_bins : int
    strategy : "quantile" or "uniform"
        Bins of equal frequency or of equal width of the pignistic probability. With a rare class,
        bins of equal width put almost all samples into one bin.
    pos_label : label, optional
        By default 1, or the second label of the frame.
    sample_weight : (n,) array, optional
        Weights are not repetitions: a bin has the effective number of samples.

    Returns
    -------
    BeliefCoverage
        Printing it shows a table. Its `share` of the samples is in bins whose frequency lies in
        their mean [Bel, Pl]: about 0 for probabilities, because no frequency equals them exactly.

    Raises
    ------
    ValueError
        If a row is not 0 <= Bel <= Pl <= 1, there are not two labels, or lengths differ.

    Notes
    -----
    If the probability of each sample lies in its interval, the mean of a bin lies in the mean
    interval, and k positives in n samples are at most as extreme as for its ends. So the p-value is
    :math:`2 \min\{P(X \ge k; Pl), P(X \le k; Bel)\}`, the exact binomial test if Bel = Pl. The test
    is conservative for wide intervals. Sidak's correction accounts for the number of bins.

    Examples
    --------
    >>> print(coverage_test([0] * 9 + [1], [[0.4, 0.6]] * 10, n_bins=1))
    frequency within mean [Bel, Pl] for 0.0% of samples, in 0 of 1 bins; all within but for
    chance: p = 0.093 (binomial, corrected for the number of bins)
       samples    Bel     Pl  observed  adjusted p
            10  0.400  0.600     0.100       0.093

    Of the two samples with middles 0.2 and 0.3, one is positive, a share above 0.4; of the other
    three, all are positive:

    >>> intervals = [[0.1, 0.3], [0.1, 0.5], [0.5, 0.9], [0.6, 1.0], [0.6, 1.0]]
    >>> coverage_test([0, 1, 1, 0, 1], intervals, n_bins=2).share
    0.6
    """
    return coverage_test_of(
        interval_sample(y_true, y_belief, pos_label, sample_weight), n_bins, strategy
    )


def coverage_test_of(
    sample: IntervalSample, n_bins: int, strategy: Strategy = "quantile"
) -> BeliefCoverage:
    """The test of a validated sample."""
    bins, bel, pl = _binned(sample, n_bins, strategy)
    # Means of equal numbers can differ in their last digits.
    covered = np.asarray((bins.true >= bel - 1e-12) & (bins.true <= pl + 1e-12))
    adjusted = sidak(outside_pvalues(bins.true, bins.size, bel, pl))
    share = float(bins.weight[covered].sum() / bins.weight.sum())
    return BeliefCoverage(
        bins.size, bel, pl, bins.true, covered, share, adjusted, float(adjusted.min())
    )


def _binned(sample: IntervalSample, n_bins: int, strategy: str) -> tuple[Bins, Floats, Floats]:
    check_bins(n_bins, strategy)
    number = numbering(sample.middle.p, sample.weight, n_bins, strategy)
    low, high = (
        added_bins(
            (
                (BinarySample(part.y, getattr(part, bound), part.weight), number(part.middle.p))
                for part in sample.blocks(max(BLOCK, n_bins))
            ),
            n_bins,
        )
        for bound in ("bel", "pl")
    )
    return low, low.prob, high.prob
