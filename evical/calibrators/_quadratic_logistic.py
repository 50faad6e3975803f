"""Quadratic logistic calibration: log-odds that are a parabola of the score.

One coefficient more than Platt's sigmoid, for probabilities that are overconfident at one end only,
or that turn back. On log-odds of probabilities it is the quadratic scaling of Berta et al. (2025).
The uncertainty about the coefficients becomes a mass function as for the sigmoid (Xu et al. 2016,
section 4.3).
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from evical._typing import Floats
from evical.calibrators import fields
from evical.calibrators._base import BaseCalibrator
from evical.calibrators._level_set import Profiled
from evical.calibrators.models import FromLogOdds, LogOddsModel, masses_from_log_odds
from evical.curves.quadratic import (
    QuadraticFit,
    QuadraticProfile,
    quadratic_of_counts,
    quadratic_profile,
)
from evical.scores import ScoreCounts


@dataclass(kw_only=True, eq=False, repr=False)
class QuadraticLogisticCalibrator(
    FromLogOdds, Profiled[QuadraticFit, QuadraticProfile], BaseCalibrator
):
    """Evidential calibration by logistic regression of the label on the score and its square.

    Parameters
    ----------
    smooth : bool
        Whether Platt's targets (N+ + 1) / (N+ + 2) and 1 / (N- + 2) replace the labels, as in
        logistic calibration. The paper uses labels; then classes that a parabola separates have no
        fit and are refused.
    model : {"likelihood", "confidence", "inverse_pignistic", "bayesian"}
        "bayesian" gives the probability; "inverse_pignistic" the least committed mass function with
        that pignistic probability; "confidence" uses the delta method; "likelihood" the profile
        likelihood.
    confidence : float
        Level of the interval of the model "confidence".
    transform : {None, "auto", "logit", "sigmoid", "rank"}
        Scale on which scores are read: unchanged, log-odds of probabilities, the sigmoid of
        margins, or ranks among the training scores; "auto" takes the sigmoid of standardized
        scores, if one in training lies outside [0, 1]. The parabola is fitted on that scale.
    extrapolate : bool
        Whether scores beyond the calibration data follow the fitted function. False reads them as
        the least or the greatest calibration score, so that nothing beyond is more certain, and
        no parabola turns back there.

    Attributes
    ----------
    classes_ : (2,) array
    coefficients_ : (3,) array
        a, b and c of the log-odds a + b s + c s^2 at a score s as read.
    turning_point_ : float
        The score, as read, from which probabilities go the other way; infinite for a line.

    Notes
    -----
    Probabilities need not rise along the scores: the parabola turns back at `turning_point_`, which
    may lie among the scores or beyond them. Far beyond, the class is that of the sign of c.

    With ``transform="logit"``, ``smooth=False`` and ``model="bayesian"`` this is the quadratic
    scaling of the package probmetrics (``BinaryLogisticCalibrator(type="quadratic")``), which has
    no penalty either. It rounds probabilities to float32 and keeps their logarithms above -87.3,
    where this package keeps log-odds within 36.04; and its optimizer stops earlier.

    A sample of two distinct scores has a line, one of a single score a constant, about which the
    likelihood model leaves everything open elsewhere. Scores that differ by less than 1e-13 of
    their standard deviation count as one: beside an outlier that far, take ``transform="rank"``.

    The likelihood model profiles exactly (a convex problem) up to quadrature and interpolation,
    which err by less than 1e-6 of a mass.

    References
    ----------
    Berta, Holzmueller, Jordan & Bach (2025), Structured matrix scaling for multi-class calibration,
    arXiv 2511.03685. Xu, Davoine, Zha & Denoeux (2016), Int. J. Approx. Reasoning 72, 55-70.

    Examples
    --------
    Shares 1/4, 3/4 and 1/4 of positives at three scores lie on a parabola of log-odds:

    >>> scores, y = [0.0, 1.0, 2.0] * 4, [0, 1, 0, 0, 1, 0, 0, 1, 0, 1, 0, 1]
    >>> calibrator = QuadraticLogisticCalibrator(smooth=False, model="bayesian").fit(scores, y)
    >>> calibrator.predict_proba([0.0, 1.0, 2.0])[:, 1].round(9).tolist()
    [0.25, 0.75, 0.25]
    >>> round(calibrator.turning_point_, 9)
    1.0
    """

    _fit_type, _profile_type = QuadraticFit, QuadraticProfile
    _of_fit = ("center", "scale", "coefficients", "root")
    _of_table = "table"
    _state: ClassVar = {
        "center": fields.finite(),
        "scale": fields.positive(),
        "coefficients": fields.product("d"),
        "root": fields.product("d", "d"),
        "nodes": fields.optional(fields.finite("n")),
        "weights": fields.optional(fields.weights("n")),
        "edges": fields.optional(fields.rising("p+1")),
        "table": fields.optional(fields.log_odds(2, "q", "p")),
    }

    smooth: bool = True
    model: LogOddsModel = "likelihood"
    confidence: float = 0.95
    transform: str | None = None
    extrapolate: bool = True

    def _fitted(self, counts: ScoreCounts) -> QuadraticFit:
        return quadratic_of_counts(counts, self.smooth)

    def _profiled(self, counts: ScoreCounts) -> QuadraticProfile:
        return quadratic_profile(counts, self._fit)

    @property
    def coefficients_(self) -> Floats:
        """Coefficients a, b and c of the log-odds of the positive class."""
        check_is_fitted(self)
        fit = self._fit
        a, b, c = np.pad(fit.coefficients, (0, 3 - len(fit.coefficients)))
        with np.errstate(over="ignore", invalid="ignore"):  # of scores as small as floats can be
            origin, slope = fit.center / fit.scale, b / fit.scale
            bend = c / fit.scale / fit.scale
            start = a - (b - c * origin) * origin
            return np.array([start, slope - 2.0 * c * origin / fit.scale, bend])

    @property
    def turning_point_(self) -> float:
        """The score from which probabilities go the other way."""
        check_is_fitted(self)
        fit = self._fit
        if len(fit.coefficients) < 3 or fit.coefficients[2] == 0.0:
            return float("inf")
        _, b, c = fit.coefficients.tolist()
        return float(fit.center - 0.5 * (b / c) * fit.scale)

    def _predict_mass(self, scores: Floats) -> tuple[Floats, Floats]:
        fit = self._fit
        z = fit.standardize(scores)
        if self._table is None:
            return masses_from_log_odds(self.model, *self._log_odds_at(scores), self.confidence)
        positive, negative = self._table.masses(np.arcsinh(z), fit.log_odds(scores))
        known = (z == 0.0) | (len(fit.coefficients) > 1)
        return np.where(known, positive, 0.0), np.where(known, negative, 0.0)

    def _log_odds_at(self, scores: Floats) -> tuple[Floats, Floats]:
        return self._fit.log_odds(scores), self._fit.deviation(scores)

    def _landmarks(self) -> Floats:
        fit = self._fit
        turns = [fit.center - fit.scale, fit.center, fit.center + fit.scale]
        return np.append(turns, self.turning_point_)

    def _place(self, scores: Floats) -> Floats:
        return self._fit.standardize(scores)

    def _check_state(self) -> None:
        root, size = np.atleast_2d(self._fit.root), np.size(self._fit.coefficients)
        if size > 3 or np.linalg.matrix_rank(root, tol=0.0) < size:
            raise ValueError("saved calibrator is damaged: state root is that of no parabola")
        super()._check_state()
