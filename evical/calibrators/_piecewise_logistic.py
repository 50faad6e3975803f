"""Piecewise logistic calibration: separate slopes for obvious and for hard cases.

The log-odds are a piecewise linear function of the score with four knots, the inner ones sought
among pairs of quantiles by regularized likelihood (Zhang & Yang 2004; Gebel 2009, section 4.2.2).
The likelihood model accounts for the uncertainty about the log-odds, given the knots (Xu et al.
2016, section 4.3, carried over from the sigmoid).
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

from evical._fitting import number
from evical._typing import Floats
from evical.calibrators import fields
from evical.calibrators._base import BaseCalibrator
from evical.calibrators._level_set import Profiled
from evical.calibrators.saved import check_shapes
from evical.curves.piecewise_logistic import (
    PiecewiseFit,
    PiecewiseProfile,
    fit_piecewise_logistic,
    piecewise_profile,
)
from evical.scores import ScoreCounts
from evical.scores.counts import refuse_separated
from evical.scores.scale import at_share, sides


@dataclass(kw_only=True, eq=False, repr=False)
class PiecewiseLogisticCalibrator(Profiled[PiecewiseFit, PiecewiseProfile], BaseCalibrator):
    """Calibration by log-odds that are linear between four knots.

    Parameters
    ----------
    penalty : float
        Weight lambda of the squared changes of slope at the inner knots, per unit of the score
        as read.
    smooth : bool
        Whether Platt's targets (N+ + 1) / (N+ + 2) and 1 / (N- + 2) replace the labels, as in
        logistic calibration. The thesis uses labels; then classes that a threshold separates have
        no fit and are refused.
    knots : {"positives", "both"}
        Where the inner knots are sought: "positives", both among the 5% quantiles of the positive
        scores (Gebel); "both", the lower one among the 10% quantiles of the negative scores, the
        upper one among those of the positive scores (Naeini).
    model : {"bayesian", "likelihood"}
        "bayesian" is the method of the thesis; "likelihood" accounts for the uncertainty about the
        log-odds at the four knots, given the knots.
    transform : {None, "auto", "logit", "sigmoid", "rank"}
        Scale on which scores are read: unchanged, log-odds of probabilities, the sigmoid of
        margins, or ranks; "auto" takes the sigmoid of standardized scores, if one in training lies
        outside [0, 1].

    Attributes
    ----------
    classes_ : (2,) array
    knots_ : (k,) array
        Four scores, ascending: the least, two inner ones, the greatest. Fewer if no two quantiles
        between the ends make a pair.
    log_odds_ : (k,) array
        Log-odds at the knots (w of eq. 4.5); linear between them. Scores outside take the value at
        the nearest knot; the printed formula gives log-odds 0 there, and also at the greatest
        training score.

    Notes
    -----
    Quantiles are observed scores: the first ones that 5%, 10%, ... of a class do not exceed. Pairs
    of them are ranked by the objective (regularized negative log-likelihood) on at most 2000 groups
    of neighboring scores, all at once; the best pair is fitted to all scores.

    The likelihood model profiles the regularized likelihood exactly (a convex problem) up to
    quadrature and interpolation, which err by less than 1e-6 of a mass.

    References
    ----------
    Zhang & Yang (2004), Probabilistic score estimation with piecewise logistic regression, ICML.
    Gebel (2009), Multivariate calibration of classifier scores into the probability space,
    section 4.2.2. Naeini (2016), Obtaining accurate probabilities using classifier calibration,
    section 2.1.1.4. Xu, Davoine, Zha & Denoeux (2016), Int. J. Approx. Reasoning 72, 55-70.

    Examples
    --------
    Shares 0, 1/4, 3/4 and 1 of positives at four scores:

    >>> scores = np.repeat([0.0, 1.0, 2.0, 3.0], 4)
    >>> y = [0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 1, 1, 1, 1, 1]
    >>> calibrator = PiecewiseLogisticCalibrator().fit(scores, y)
    >>> calibrator.knots_.tolist()
    [0.0, 1.0, 2.0, 3.0]
    >>> calibrator.predict_proba([0.5, 1.5])[:, 1].round(2).tolist()
    [0.18, 0.5]
    """

    _fit_type, _profile_type = PiecewiseFit, PiecewiseProfile
    _of_fit = ("first", "last", "inner", "parameters", "strength", "objective")
    _ranges: ClassVar = {"penalty": number("a positive number", lambda x: 0 < x < np.inf)}
    _turns: ClassVar = ("knots_",)
    _state: ClassVar = {
        "first": fields.finite(),
        "last": fields.finite(),
        "inner": fields.optional(fields.finite("k")),
        "parameters": fields.finite("d"),
        "strength": fields.finite(),
        "objective": fields.finite(),
        "nodes": fields.optional(fields.finite("n")),
        "weights": fields.optional(fields.finite("n")),
        "edges": fields.optional(fields.finite("p+1")),
        "coefficients": fields.optional(fields.finite(2, "q", "p")),
    }

    penalty: float = 0.001
    smooth: bool = True
    knots: Literal["positives", "both"] = "positives"
    model: Literal["bayesian", "likelihood"] = "bayesian"
    transform: str | None = None

    def _fitted(self, counts: ScoreCounts) -> PiecewiseFit:
        if not self.smooth:
            for negative, positive in pairwise([counts.negative, counts.positive, counts.negative]):
                refuse_separated(ScoreCounts(counts.scores, negative, positive), None)
        return fit_piecewise_logistic(counts, float(self.penalty), self.smooth, self.knots)

    def _profiled(self, counts: ScoreCounts) -> PiecewiseProfile:
        return piecewise_profile(counts, self._fit)

    @property
    def knots_(self) -> Floats:
        """Scores, as read, between which the log-odds are linear."""
        check_is_fitted(self)
        return at_share(self._fit.knots()[0], self._fit.first, self._fit.last)

    @property
    def log_odds_(self) -> Floats:
        """Log-odds of the positive class at the knots."""
        check_is_fitted(self)
        return self._fit.knots()[1]

    def _predict_mass(self, scores: Floats) -> tuple[Floats, Floats]:
        log_odds = self._fit.log_odds(scores)
        if self._table is None:
            return sides(log_odds)
        return self._table.masses(self._fit.standardize(scores), log_odds)

    def _place(self, scores: Floats) -> Floats:
        return self._fit.standardize(scores)

    def _check_state(self) -> None:
        check_shapes(self._fit, inner=(np.size(self._fit.inner),))
        if np.size(self._fit.parameters) not in (1, 2 + len(self._fit.inner)):
            raise ValueError("saved calibrator is damaged: parameters do not fit the knots")
        super()._check_state()
