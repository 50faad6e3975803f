"""BBQ: equal-frequency binnings, averaged by their Bayesian scores.

Binnings with few and with many bins are scored by the probability of the labels given the binning.
The best ones are kept, and their predictions are averaged (Naeini 2016, section 3.2.2).
"""

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from dstheory.checks.arguments import check_choice
from evical._typing import Floats
from evical.calibrators import fields
from evical.calibrators._base import BaseCalibrator
from evical.calibrators._covering import (
    check_number,
    check_prior,
    covering_masses,
    look_up,
    repaired,
)
from evical.calibrators._models import check_confidence, check_model
from evical.curves.bayesian_binning import BinPrior, Bins, cumulate, log_marginal
from evical.curves.quantile_binning import (
    bin_range,
    layered_average,
    quantile_binnings,
    select_best,
)
from evical.scores import ScoreCounts

__all__ = ["BBQCalibrator"]


_CHOICES = {
    "strength_of": ("bin", "binning"),
    "remainder": ("last", "spread"),
    "smoothing": ("prior", "scores"),
}


class BBQCalibrator(BaseCalibrator):
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
        Scale on which scores are read: as they are, log-odds of probabilities, the sigmoid of
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
    >>> calibrator = BBQCalibrator("k2", n_bins=(1, 2)).fit(scores, y)
    >>> calibrator.n_bins_, calibrator.weights_ * 26.2
    (array([2, 1]), array([25.2,  1. ]))

    Shares of 5/6 in the upper one of two bins and of 1/2 in one, so weighted: 21.5 / 26.2.

    >>> calibrator.predict_proba([0.7])[:, 1] * 26.2
    array([21.5])
    """

    _turns: ClassVar = ("thresholds_",)
    _state: ClassVar = {
        "thresholds_": fields.ascending("n-1"),
        "masses_": fields.masses("n"),
        "n_bins_": fields.whole("t"),
        "weights_": fields.shares("t"),
    }

    def __init__(
        self,
        criterion: str = "bdeu",
        strength: float = 2.0,
        strength_of: str = "bin",
        clip: float = 0.005,
        n_bins: Any = None,
        remainder: str = "last",
        alpha: float | None = 0.001,
        smoothing: str = "prior",
        model: str = "bayesian",
        confidence: float = 0.95,
        transform: str | None = "auto",
    ) -> None:
        self.criterion = criterion
        self.strength = strength
        self.strength_of = strength_of
        self.clip = clip
        self.n_bins = n_bins
        self.remainder = remainder
        self.alpha = alpha
        self.smoothing = smoothing
        self.model = model
        self.confidence = confidence
        self.transform = transform

    def _check_parameters(self) -> None:
        check_prior(self)
        for name, choices in _CHOICES.items():
            check_choice(name, getattr(self, name), choices)
        if self.n_bins is not None:
            _check_range(self.n_bins)
        if self.alpha is not None:
            check_number(self, "alpha")
        check_model(self.model)
        check_confidence(self.confidence)

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
        self.masses_ = repaired(averaged, self.model)

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
        return covering_masses(
            bins.positive, bins.negative, alpha, beta, self.model, self.confidence
        )

    def _predict_mass(self, scores: Floats) -> tuple[Floats, Floats]:
        return look_up(self, scores)


def _check_range(n_bins: Any) -> None:
    message = f"n_bins is {n_bins!r}, expected two whole numbers, 1 <= least <= greatest, or None"
    if not isinstance(n_bins, tuple | list) or len(n_bins) != 2:
        raise ValueError(message)
    whole = all(isinstance(n, int | np.integer) and not isinstance(n, bool) for n in n_bins)
    if not whole or not 1 <= n_bins[0] <= n_bins[1]:
        raise ValueError(message)
