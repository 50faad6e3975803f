"""Bayesian binnings: the best binning, the average over all, and over those of equal frequency.

SBB: the best of all binnings of the training scores.

Every way to cut the sorted scores into bins is scored by its posterior probability, and
dynamic programming finds the best of the 2^(m-1) ways in O(m^2) (Naeini 2016, section 3.2.1).

ABB: the average over all binnings of the training scores.

Each of the 2^(m-1) ways to cut the sorted scores into bins counts by its posterior
probability; dynamic programming sums over them in O(m^2), for all scores at once
(Naeini 2016, section 3.2.1).

BBQ: equal-frequency binnings, averaged by their Bayesian scores.

Binnings with few and with many bins are scored by the probability of the labels given the binning.
The best ones are kept, and their predictions are averaged (Naeini 2016, section 3.2.2).
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from dstheory.checks.arguments import check_count
from dstheory.inference.counts.checks import BinomialModel
from evical._fitting import number, optional
from evical._typing import Floats
from evical.calibrators import fields
from evical.calibrators._base import BaseCalibrator
from evical.calibrators._binning import AVERAGED_CELLS, CELLS, Cells, CountedCells, bin_masses
from evical.calibrators._level_set import LevelSets
from evical.curves.bayesian_binning import (
    BinPrior,
    Bins,
    BinScores,
    average_over_binnings,
    best_binning,
    bin_scores,
    cumulate,
    log_marginal,
    posterior_mean,
)
from evical.curves.quantile_binning import (
    bin_range,
    layered_average,
    quantile_binnings,
    select_best,
)
from evical.scores import ScoreCounts


def covering_masses(
    positive: Floats,
    negative: Floats,
    alpha: float,
    beta: Any,
    model: BinomialModel,
    confidence: float,
) -> Floats:
    """Masses (2, n) of the positive and the negative class from bins of these counts.

    The model "bayesian" is the posterior mean under the Beta prior; the others are those of
    `dstheory.inference.binomial`, without a prior.
    """
    if model == "bayesian":
        share = posterior_mean(positive, negative, alpha, beta)
        return np.stack([share, 1 - share])
    return bin_masses(positive, positive + negative, model, confidence)


def _with_counts(masses: Floats, positive: Floats, negative: Floats) -> Floats:
    """Masses (2, n) of bins, and their counts k and n: (4, n)."""
    return np.concatenate([masses, [positive, positive + negative]])


def repaired(averages: Floats, model: str) -> tuple[Floats, Floats]:
    """Averages (4, n) of masses and counts, without the rounding errors of long sums."""
    (positive, negative), counts = np.clip(averages[:2], 0, 1), np.maximum(averages[2:], 0)
    if model in ("bayesian", "laplace"):
        positive = positive / (positive + negative)
        return np.stack([positive, 1 - positive]), counts
    return np.stack([positive, np.minimum(negative, 1 - positive)]), counts


Criterion: TypeAlias = Literal["k2", "bdeu"]

_POSITIVE = number("a positive number", lambda x: 0 < x < np.inf)
_PRIOR = {
    "strength": _POSITIVE,
    "clip": number("a positive number up to 0.5", lambda x: 0 < x <= 0.5),
}


@dataclass(kw_only=True, eq=False, repr=False)
class AllBinnings(Cells):
    """What calibrators by all binnings of the training scores have in common."""

    _ranges: ClassVar = {
        **_PRIOR,
        "lam": _POSITIVE,
        "max_size": optional(partial(check_count, least=1)),
    }

    criterion: Criterion = "k2"
    lam: float = 10.0
    strength: float = 2.0
    clip: float = 0.005
    max_size: int | None = 5000
    model: BinomialModel = "bayesian"
    confidence: float = 0.95
    transform: str | None = "auto"

    def _bin_scores(self, counts: ScoreCounts) -> BinScores:
        counts = counts if self.max_size is None else counts.compress(self.max_size)
        return bin_scores(counts, self.lam, BinPrior(self.criterion, self.strength, self.clip))


class SBBCalibrator(CountedCells, AllBinnings, BaseCalibrator, LevelSets):  # type: ignore[misc]  # a model is text
    r"""Calibration by the best of all binnings (Selection over Bayesian Binnings, SBB).

    Parameters
    ----------
    criterion : {"k2", "bdeu"}
        Beta prior of the share of positives in a bin: uniform, or centered on the middle of
        the bin; see the Notes.
    lam : float
        Mean number of cuts that the prior of binnings expects, lambda of eq. 3.7.
    strength : float
        Equivalent sample size of the prior of a bin, N'/B; "bdeu" only.
    clip : float
        The middle of a bin is kept inside [clip, 1 - clip]; "bdeu" only.
    max_size : int or None
        If there are more distinct scores, they are first merged into this many groups of nearly
        equal weight, because time grows with the square of their number; None never merges.
    model : {"bayesian", "laplace", "dempster", "inverse_pignistic", "confidence", "likelihood"}
        "bayesian" is the method itself, a probability; the others make k positives among the n
        samples of a bin a mass function, see `dstheory.inference.binomial`.
    confidence : float
        Level of the Clopper-Pearson interval of the model "confidence".
    transform : {None, "auto", "logit", "sigmoid", "rank"}
        Scale on which scores are read: unchanged, log-odds of probabilities, the sigmoid of
        margins, or ranks among the training scores; "auto" takes the sigmoid of standardized
        scores, if one in training lies outside [0, 1]. Thresholds lie on that scale.

    Attributes
    ----------
    classes_ : (2,) array
    thresholds_ : (n_bins - 1,) array
        Ascending; bin j holds the scores from threshold j - 1, included, to threshold j. They
        lie midway between the scores that they divide; scores outside take the end bins.
    positive_, total_ : (n_bins,) arrays
        Weight of the positive samples and of all samples of each bin.
    masses_ : (2, n_bins) array
        m({positive}) and m({negative}) of each bin.
    log_score_ : float
        Logarithm of the score of the binning.

    Notes
    -----
    With distinct scores :math:`y_1 < \dots < y_N`, a cut falls between :math:`y_k` and
    :math:`y_{k+1}` with the prior probability (eq. 3.7)

    .. math:: Prior(k) = 1 - e^{-\lambda (y_{k+1} - y_k) / (y_N - y_1)}, \quad Prior(N) = 1,

    which is 0 between equal scores: ties stay in one bin. A binning M has the score (eq. 3.9)

    .. math::
        \prod_b Prior(u_b) \prod_{k=l_b}^{u_b-1} (1 - Prior(k))
        \frac{B(m_b + \alpha_b, n_b + \beta_b)}{B(\alpha_b, \beta_b)}

    where bin b holds :math:`y_{l_b}, \dots, y_{u_b}` with :math:`m_b` positives and
    :math:`n_b` negatives, and B is the beta function. K2 is :math:`\alpha_b = \beta_b = 1`
    (eq. 3.6); BDeu is :math:`\alpha_b = s p_b` and :math:`\beta_b = s (1 - p_b)`, with :math:`p_b`
    the middle of the bin and s the `strength`. N' is thus s for each bin; with a total N' that all
    bins share, the score would not be a product over bins, as dynamic programming needs. The
    outermost bins reach to 0 and 1, or to the last score where that lies outside.

    The model "bayesian" gives the posterior mean
    :math:`(m_b + \alpha_b) / (m_b + n_b + \alpha_b + \beta_b)` (footnote 3), never 0 or 1.
    The other models go beyond the thesis: they use the counts of the bin as binomial evidence,
    without the Beta prior.

    The thesis does not state lambda; a higher one makes more bins. Of 0.5, 1, 2, 5, 10 and 30, the
    default gave `ABBCalibrator` the least expected log loss in simulations with 200 and 1000
    samples, and the second least with 3000.

    References
    ----------
    Pakdaman Naeini (2016), Obtaining accurate probabilities using classifier calibration,
    University of Pittsburgh, section 3.2.1.

    Examples
    --------
    >>> scores, y = [0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9], [0, 0, 0, 0, 1, 1, 1, 1]
    >>> calibrator = SBBCalibrator(lam=1.0).fit(scores, y)
    >>> calibrator.thresholds_
    array([0.5])

    The smoothed shares of 0 and of 4 positives among 4:

    >>> calibrator.predict_proba([0.25, 0.75])[:, 1] * 6
    array([1., 5.])
    """

    _state: ClassVar = {
        **CELLS,
        "positive_": fields.weights("n"),
        "total_": fields.weights("n"),
        "log_score_": fields.finite(),
    }

    def _fit_counts(self, counts: ScoreCounts) -> None:
        scores = self._bin_scores(counts)
        starts, self.log_score_ = best_binning(scores)
        bins = scores.cumulated.bins(starts)
        alpha, beta = scores.prior(bins.edges[:-1], bins.edges[1:])
        self.thresholds_ = bins.edges[1:-1]
        self.positive_, self.total_ = bins.positive, bins.positive + bins.negative
        self.masses_ = covering_masses(
            bins.positive, bins.negative, alpha, beta, self.model, self.confidence
        )


class ABBCalibrator(AllBinnings, BaseCalibrator):
    r"""Calibration by the average over all binnings (Averaging over Bayesian Binnings, ABB).

    Parameters
    ----------
    criterion : {"k2", "bdeu"}
        Beta prior of the share of positives in a bin: uniform, or centered on the middle of
        the bin; see `SBBCalibrator`.
    lam : float
        Mean number of cuts that the prior of binnings expects, lambda of eq. 3.7.
    strength : float
        Equivalent sample size of the prior of a bin, N'/B; "bdeu" only.
    clip : float
        The middle of a bin is kept inside [clip, 1 - clip]; "bdeu" only.
    max_size : int or None
        If there are more distinct scores, they are first merged into this many groups of nearly
        equal weight, because time grows with the square of their number; None never merges.
    model : {"bayesian", "laplace", "dempster", "inverse_pignistic", "confidence", "likelihood"}
        "bayesian" is the method itself, a probability; the others make k positives among the n
        samples of a bin a mass function, see `dstheory.inference.binomial`.
    confidence : float
        Level of the Clopper-Pearson interval of the model "confidence".
    transform : {None, "auto", "logit", "sigmoid", "rank"}
        Scale on which scores are read: unchanged, log-odds of probabilities, the sigmoid of
        margins, or ranks among the training scores; "auto" takes the sigmoid of standardized
        scores, if one in training lies outside [0, 1]. Thresholds lie on that scale.

    Attributes
    ----------
    classes_ : (2,) array
    thresholds_ : (n_cells - 1,) array
        Midpoints between neighboring distinct scores, ascending; cell j reaches from threshold
        j - 1, included, to threshold j.
    masses_ : (2, n_cells) array
        m({positive}) and m({negative}) of each cell.

    Notes
    -----
    The binnings and their scores are those of `SBBCalibrator`. A cut between two scores lies
    midway, so that the average (eq. 3.10, 3.11)

    .. math::
        P(x) \propto \sum_{l \le k \le u} V^f_{l-1} \, Score_{l,u} \, V^b_{u+1} \,
        \hat p_{l,u}, \quad x \text{ in the cell of } y_k

    is the same in the whole cell around a training score; fitting makes the table of all cells, and
    prediction looks it up. :math:`V^f` and :math:`V^b` are the sums of the scores of all binnings
    of what lies below and above; they are stored as logarithms (V^b) and as probabilities of a cut
    (V^f), so they do not underflow for large samples.

    The model "bayesian" averages the posterior means :math:`\hat p = (m + \alpha) / (m + n + \alpha
    + \beta)` (footnote 3). The other models go beyond the thesis: they average the mass functions
    of the covering bins, each from the counts of the bin. "likelihood" and "confidence" evaluate
    special functions for each bin of positive weight and take several times longer.

    References
    ----------
    Pakdaman Naeini (2016), Obtaining accurate probabilities using classifier calibration,
    University of Pittsburgh, section 3.2.1.

    Examples
    --------
    Half of the prior is on one bin, where each label has the probability 1/6 and the mean is
    1/2; half is on two bins of probability 1/4, of means 1/3 and 2/3.

    >>> import numpy as np
    >>> calibrator = ABBCalibrator(lam=np.log(2)).fit([0.25, 0.75], [0, 1])
    >>> calibrator.predict_proba([0.3, 0.6])
    array([[0.6, 0.4],
           [0.4, 0.6]])
    """

    _state: ClassVar = AVERAGED_CELLS

    def _fit_counts(self, counts: ScoreCounts) -> None:
        scores = self._bin_scores(counts)
        masses = partial(covering_masses, model=self.model, confidence=self.confidence)

        def value(positive: Floats, negative: Floats, alpha: float, beta: float) -> Floats:
            return _with_counts(masses(positive, negative, alpha, beta), positive, negative)

        self.thresholds_ = scores.cumulated.edges[1:-1]
        averages = average_over_binnings(scores, value)
        self.masses_, self.counts_behind_ = repaired(averages, self.model)


def _check_range(name: str, n_bins: Any) -> None:
    message = f"{name} is {n_bins!r}, expected two whole numbers, 1 <= least <= greatest, or None"
    if not isinstance(n_bins, tuple | list) or len(n_bins) != 2:
        raise ValueError(message)
    whole = all(isinstance(n, int | np.integer) and not isinstance(n, bool) for n in n_bins)
    if not whole or not 1 <= n_bins[0] <= n_bins[1]:
        raise ValueError(message)


@dataclass(kw_only=True, eq=False, repr=False)
class BBQCalibrator(Cells, BaseCalibrator):
    r"""Calibration by averaged equal-frequency binnings (Bayesian Binning into Quantiles, BBQ).

    Parameters
    ----------
    criterion : {"bdeu", "k2"}
        Beta prior of the share of positives in a bin: centered on the middle of the bin, or
        uniform; see the Notes.
    strength : float
        Equivalent sample size of the prior; "bdeu" only.
    strength_of : {"bin", "binning"}
        "bin": each bin has this `strength`, N' = strength B. "binning": `strength` is N', shared by
        the B bins.
    clip : float
        The middle of a bin is kept inside [clip, 1 - clip]; "bdeu" only.
    n_bins : (int, int) or None
        Least and greatest number of bins. None: from max(1, floor(N^(1/3) / 10)) to
        min(ceil(N / 5), ceil(10 N^(1/3))).
    remainder : {"last", "spread"}
        "last": each bin has floor(N / B) samples, and the last one also the rest. "spread": all
        bins have N / B samples, as nearly as possible.
    alpha : float or None
        Binnings are kept until their scores level off by less than this, see the Notes; None keeps
        all.
    smoothing : {"prior", "scores"}
        Shares of positives are smoothed by the prior of the criterion, or by one sample that
        counts as the mean score of the positives; model "bayesian" only.
    model : {"bayesian", "laplace", "dempster", "inverse_pignistic", "confidence", "likelihood"}
        "bayesian" is the method itself, a probability; the others make k positives among the n
        samples of a bin a mass function, see `dstheory.inference.binomial`.
    confidence : float
        Level of the Clopper-Pearson interval of the model "confidence".
    transform : {None, "auto", "logit", "sigmoid", "rank"}
        Scale on which scores are read: unchanged, log-odds of probabilities, the sigmoid of
        margins, or ranks among the training scores; "auto" takes the sigmoid of standardized
        scores, if one in training lies outside [0, 1]. Thresholds lie on that scale.

    Attributes
    ----------
    classes_ : (2,) array
    thresholds_ : (n_cells - 1,) array
        Thresholds of all binnings that were kept, ascending; cell j reaches from threshold
        j - 1, included, to threshold j.
    masses_ : (2, n_cells) array
        m({positive}) and m({negative}) of each cell.
    n_bins_ : (n_kept,) int array
        Number of bins of each binning that was kept, best first.
    weights_ : (n_kept,) array
        Their shares in the average.

    Notes
    -----
    A binning into B bins puts score y_i into bin min(floor(c_i / w), B - 1), where c_i is the
    weight of lower scores and half of that of y_i, and w is the weight of a bin: equal scores
    stay together, and binnings that ties make the same count once. Bins meet midway between
    scores; the outermost reach to 0 and 1, or to the last score where that lies outside. The
    score of a binning is

    .. math:: \prod_b \frac{B(m_b + \alpha_b, n_b + \beta_b)}{B(\alpha_b, \beta_b)}

    with :math:`m_b` positives and :math:`n_b` negatives in bin b, B of two the beta function,
    :math:`\alpha_b = p_b N'/B` and :math:`\beta_b = (1 - p_b) N'/B`, :math:`p_b` the
    middle of the bin. The thesis does not state N'. The default of two samples per bin is that of
    the author's program, as are the remainder, the clipping of p_b and the range of B. K2 is
    :math:`\alpha_b = \beta_b = 1`; a total N' and even priors, the other BDeu of that program,
    is `strength_of` "binning" with a `clip` of 1/2. Scores are divided by the best one; of
    these, sorted as :math:`S_1 \ge S_2 \ge \dots`, the first
    :math:`k_\alpha = \min\{k : (S_k - S_{k+1}) / \sigma^2 \le \alpha\}` are kept, with
    :math:`\sigma^2` the population variance of all; scores equal to the best count as one.
    (The author's program keeps one less.) The kept scores, made to sum to 1, are the weights.

    With the model "bayesian" a bin gives the posterior mean
    :math:`(m_b + \alpha_b) / (m_b + n_b + \alpha_b + \beta_b)` (footnote 3), never 0 or 1; or,
    with `smoothing` "scores" as in the author's program,
    :math:`(m_b + q_b) / (m_b + n_b + 1)`, where :math:`q_b` is the mean of the scores of its
    positives and of p_b, kept inside [clip, 1 - clip]. The other models go beyond the thesis: they
    average the mass functions of the covering bins, each from the counts of the bin.

    References
    ----------
    Pakdaman Naeini (2016), Obtaining accurate probabilities using classifier calibration,
    University of Pittsburgh, section 3.2.2.

    Examples
    --------
    Binnings into one and two bins. With K2 the labels have the probability 4! 4! / 9! = 1/630
    in one bin and (1/5)^2 in two: 25.2 times as much.

    >>> scores, y = [0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9], [0, 0, 0, 0, 1, 1, 1, 1]
    >>> calibrator = BBQCalibrator(criterion="k2", n_bins=(1, 2)).fit(scores, y)
    >>> calibrator.n_bins_, calibrator.weights_ * 26.2
    (array([2, 1]), array([25.2,  1. ]))

    Shares of 5/6 in the upper one of two bins and of 1/2 in one, so weighted: 21.5 / 26.2.

    >>> calibrator.predict_proba([0.7])[:, 1] * 26.2
    array([21.5])
    """

    _ranges: ClassVar = {
        **_PRIOR,
        "n_bins": optional(_check_range),
        "alpha": optional(_POSITIVE),
    }
    _state: ClassVar = {
        **AVERAGED_CELLS,
        "n_bins_": fields.whole("t"),
        "weights_": fields.shares("t"),
    }

    criterion: Criterion = "bdeu"
    strength: float = 2.0
    strength_of: Literal["bin", "binning"] = "bin"
    clip: float = 0.005
    n_bins: Any = None
    remainder: Literal["last", "spread"] = "last"
    alpha: float | None = 0.001
    smoothing: Literal["prior", "scores"] = "prior"
    model: BinomialModel = "bayesian"
    confidence: float = 0.95
    transform: str | None = "auto"

    def _fit_counts(self, counts: ScoreCounts) -> None:
        cumulated = cumulate(counts)
        least, greatest = bin_range(counts.total.sum()) if self.n_bins is None else self.n_bins
        candidates = list(quantile_binnings(counts, least, greatest, self.remainder))
        log_scores = np.array([self._log_score(cumulated.bins(starts)) for starts in candidates])
        relative = np.exp(log_scores - log_scores.max())
        kept = select_best(relative, self.alpha)
        starts = [candidates[i] for i in kept]
        self.n_bins_ = np.array([len(s) for s in starts])
        self.weights_ = relative[kept] / relative[kept].sum()
        values = [self._bin_masses(cumulated.bins(s)) for s in starts]
        merged, averaged = layered_average(starts, self.weights_, values)
        self.thresholds_ = cumulated.edges[merged[1:]]
        self.masses_, self.counts_behind_ = repaired(averaged, self.model)

    def _bin_prior(self, bins: Bins) -> tuple[Any, Any]:
        prior = BinPrior(self.criterion, self.strength, self.clip)
        if self.strength_of == "binning":
            prior = replace(prior, strength=self.strength / len(bins.starts))
        return prior(bins.edges[:-1], bins.edges[1:])

    def _log_score(self, bins: Bins) -> float:
        return float(log_marginal(bins.positive, bins.negative, *self._bin_prior(bins)).sum())

    def _bin_masses(self, bins: Bins) -> Floats:
        alpha, beta = self._bin_prior(bins)
        if self.smoothing == "scores":
            middle = bins.edges[:-1] / 2 + bins.edges[1:] / 2
            share = (bins.positive_scores + middle) / (bins.positive + 1)
            alpha = np.clip(share, self.clip, 1 - self.clip)
            beta = 1 - alpha
        masses = covering_masses(
            bins.positive, bins.negative, alpha, beta, self.model, self.confidence
        )
        return _with_counts(masses, bins.positive, bins.negative)
