"""Whether [Bel, Pl] covers the frequency of the positive class on given samples.

Read as an interval, [Bel, Pl] promises to hold the probability. Of a bin of samples the share of
positives then lies in the mean interval but for chance, which a binomial test judges. But no
calibrator promises to hold the probability at all scores: intervals of the likelihood model are
1.25 standard errors to each side, and hold it at four scores of five. Twice as wide, 2.5 standard
errors, they hold a curve of two parameters everywhere in 95 % of the samples (Scheffe's factor is
the root of a chi-squared quantile, 2.45). So a promise counts as broken if even intervals twice as
wide miss by more than chance.
"""

from dataclasses import dataclass

import numpy as np

from dstheory.checks.arguments import check_instance, check_level
from dstheory.notebook import ShownFields
from evical.evaluation import _detectable as detectable
from evical.evaluation._evaluation import Evaluation
from evical.metrics.beliefs import IntervalSample
from evical.metrics.coverage import BeliefCoverage, coverage_test_of
from evical.metrics.goodness import pvalue_text

_WIDER = 2.0


@dataclass(frozen=True)
class BeliefPromise(ShownFields):
    """How well [Bel, Pl] held what was observed.

    Parameters
    ----------
    n_bins : int
        Bins of equal frequency of the pignistic probability that hold samples.
    missed : int
        Bins whose share of positives lies outside the mean interval by more than chance.
    worst : tuple of float
        Mean Bel and Pl, share of positives and number of samples of the bin that misses most
        clearly.
    pvalue, wider_pvalue : float
        Of the hypothesis that all bins hold their mean probability, in their intervals and in
        intervals twice as wide.
    level : float
    detectable : float
        Distance from a mean interval at which one bin is found with a probability of 80 %.
    """

    n_bins: int
    missed: int
    worst: tuple[float, float, float, float]
    pvalue: float
    wider_pvalue: float
    level: float
    detectable: float

    @property
    def broken(self) -> bool:
        """Whether even intervals twice as wide miss significantly."""
        return max(self.pvalue, self.wider_pvalue) <= self.level

    @property
    def doubtful(self) -> bool:
        """Whether intervals miss significantly, but not if they are twice as wide."""
        return self.pvalue <= self.level < self.wider_pvalue

    @property
    def warning(self) -> str:
        """Finding and remedy in sentences, or an empty text."""
        if not (self.broken or self.doubtful):
            return ""
        verdict = "fails to cover" if self.broken else "may fail to cover"
        return (
            f"[Bel, Pl] {verdict} the frequency of the positive class: "
            f"{self._figure()}. {self._test()} {self._advice()}"
        )

    def _figure(self) -> str:
        bel, pl, observed, size = self.worst
        bins = "1 bin" if self.n_bins == 1 else f"{self.n_bins} bins"
        return (
            f"the observed frequency lies significantly outside the mean interval in {self.missed} "
            f"of {bins} (most clearly {observed:.3g} of {size:.6g} samples, where Bel is {bel:.3g} "
            f"and Pl {pl:.3g})"
        )

    def _test(self) -> str:
        wider = "out of" if self.broken else "within"
        return (
            f"Binomial test of all bins: {pvalue_text(self.pvalue)}; {wider} intervals twice as "
            f"wide: {pvalue_text(self.wider_pvalue)}. It has 80 % power to detect an error of "
            f"{self.detectable:.2g} in one bin, and misses errors that cancel within a bin."
        )

    def _advice(self) -> str:
        if self.broken:
            return (
                "The calibrator is misspecified, or these samples come from another distribution "
                "than its training samples: use AutoCalibrator(model='confidence') or "
                "IsotonicCalibrator(model='band'), or calibrate on samples like these. Conformal "
                "beliefs have another guarantee; see ConformalEvaluation."
            )
        return (
            "The likelihood model guarantees no more, as its intervals cover the probability at "
            "four scores of five. For a stated level, use model='confidence' or more calibration "
            "samples."
        )


def check_promise(
    evaluation: Evaluation, *, level: float = 0.05, n_bins: int = 10
) -> BeliefPromise | None:
    """Test whether [Bel, Pl] held the probability on these samples.

    Parameters
    ----------
    evaluation : Evaluation
        Of samples that the calibrator has not learned from.
    level : float
        Greatest p-value of what counts as more than chance.
    n_bins : int

    Returns
    -------
    BeliefPromise or None
        None if predictions are probabilities, which have no interval.

    Raises
    ------
    ValueError
        If the level is not in (0, 1), or the number of bins not positive.

    Notes
    -----
    Simulated with the right form (``python -m examples.studies interval_coverage``), a promise of
    the logistic likelihood and confidence models was called broken for at most 1.4 % of the
    samples, with 50 to 10,000 samples to calibrate with and 200 to 10,000 to judge. Of the
    likelihood model on a map of two steps, which it cannot follow, with 1,000 samples to calibrate
    with, it was called broken for 59 % of the samples with 1,000 to judge, for all with 10,000, and
    for 2 % with 200.

    Examples
    --------
    Beliefs of 0.1 to 0.2 where half are positive:

    >>> made = Evaluation.from_predictions(
    ...     [0, 1] * 100, [0.15] * 200, bel=[0.1] * 200, pl=[0.2] * 200
    ... )
    >>> promise = check_promise(made)
    >>> promise.broken, promise.missed, promise.n_bins
    (True, 1, 1)
    """
    check_instance("evaluation", evaluation, Evaluation, "an Evaluation")
    check_level("level", level)
    beliefs = beliefs_of(evaluation)
    return None if beliefs is None else promise_of(beliefs, level, n_bins)


def beliefs_of(evaluation: Evaluation) -> IntervalSample | None:
    """Labels and intervals of an evaluation, if it has beliefs."""
    if evaluation.bel is None or evaluation.pl is None:
        return None
    y = evaluation.y.astype(np.float64)
    return IntervalSample(y, evaluation.bel, evaluation.pl, evaluation.weight)


def promise_of(sample: IntervalSample, level: float, n_bins: int) -> BeliefPromise | None:
    """The same for a sample that has been checked."""
    if not (sample.pl - sample.bel > 1e-9).any():
        return None
    found = coverage_test_of(sample, n_bins)
    wider = found.wider_pvalue(_WIDER)
    size = detectable.one_bin(sample.middle, level, n_bins)
    missed = int((found.adjusted <= level).sum())
    return BeliefPromise(len(found.size), missed, _worst(found), found.pvalue, wider, level, size)


def _worst(found: BeliefCoverage) -> tuple[float, float, float, float]:
    """The bin of least p-value; of several, that which is furthest out."""
    distance = np.maximum(found.bel - found.observed, found.observed - found.pl)
    at = int(np.lexsort((-distance, found.adjusted))[0])
    bel, pl, observed, size = (
        float(part[at]) for part in (found.bel, found.pl, found.observed, found.size)
    )
    return bel, pl, observed, size
