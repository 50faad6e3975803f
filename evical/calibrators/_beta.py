"""Beta calibration: the curve that follows if the scores of each class are Beta distributed.

Log-odds are a log(s) - b log(1 - s) + c with non-negative a and b (Kull, Silva Filho & Flach 2017),
which, unlike a sigmoid of the score, can leave calibrated probabilities unchanged. The uncertainty
about the coefficients becomes a mass function as for the sigmoid (Xu et al. 2016, section 4.3).
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit
from sklearn.utils.validation import check_is_fitted

from evical._typing import Floats
from evical.calibrators import fields
from evical.calibrators._base import BaseCalibrator
from evical.calibrators._level_set import Profiled
from evical.calibrators.models import FromLogOdds, LogOddsModel, masses_from_log_odds
from evical.curves.beta import ROUNDING, BetaFit, BetaProfile, beta_profile, beta_sample, fit_beta
from evical.scores import ScoreCounts
from evical.scores.counts import refuse_separated

_END = 36.1  # log-odds of scores are cut off at about 36.04


@dataclass(kw_only=True, eq=False, repr=False)
class BetaCalibrator(FromLogOdds, Profiled[BetaFit, BetaProfile], BaseCalibrator):
    """Evidential beta calibration of scores in [0, 1].

    Parameters
    ----------
    parameters : {"abm", "am", "ab", "a"}
        "abm" fits a, b and the midpoint m, the score whose log-odds are 0; "am" has a = b, and is
        the sigmoid of the log-odds of the score; "ab" has m = 1/2; "a" has both restrictions.
    smooth : bool
        Whether Platt's targets (N+ + 1) / (N+ + 2) and 1 / (N- + 2) replace the labels, as in
        logistic calibration. The paper uses labels; then classes that a threshold separates have no
        fit and are refused.
    model : {"likelihood", "confidence", "inverse_pignistic", "bayesian"}
        "bayesian" is the method of the paper; "inverse_pignistic" the least committed mass
        function with that pignistic probability; "confidence" uses the delta method; "likelihood"
        the profile likelihood, under the same constraints.
    confidence : float
        Level of the interval of the model "confidence".
    transform : {"auto", None, "sigmoid", "rank"}
        Scale on which scores are read: "auto" takes the sigmoid of standardized scores, if one in
        training lies outside [0, 1], and unchanged scores otherwise. Log-odds, which are not in
        [0, 1], are refused.
    extrapolate : bool
        Whether scores beyond the calibration data follow the fitted function. False reads them as
        the least or the greatest calibration score, so that nothing beyond is more certain.

    Attributes
    ----------
    classes_ : (2,) array
    coefficients_ : (3,) array
        a, b and c.
    midpoint_ : float
        m, the score whose log-odds are 0; NaN if there is none or a = b = 0.

    Notes
    -----
    Scores 0 and 1 have infinite log-odds, so scores are kept away from both by the spacing of
    floats (2e-16). Scores below 0 or above 1 in prediction count as
    0 or 1.

    A coefficient that would be negative is set to 0, and the others are refitted; if both would be,
    the better of the two is used. For scores that are reversed, or that are all equal,
    a = b = 0. If there are fewer distinct scores than coefficients, a = b.

    The likelihood model profiles over all non-negative a and b: even if the optimum has a zero, the
    sample may leave a and b open. Absolute errors of its masses are below 1e-6. The model
    "confidence" treats a coefficient at zero as known.

    Probabilities never fall along the scores, and belief and plausibility of the likelihood model
    fall by no more than its error. Those of the model "confidence" may fall far from the data,
    where the standard error grows faster than the log-odds.

    References
    ----------
    Kull, Silva Filho & Flach (2017), Beta calibration: a well-founded and easily implemented
    improvement on logistic calibration for binary classifiers, AISTATS. Kull, Silva Filho & Flach
    (2017), Beyond sigmoids, Electronic Journal of Statistics 11, 5052-5080. Xu, Davoine, Zha &
    Denoeux (2016), Int. J. Approx. Reasoning 72, 55-70.

    Examples
    --------
    Scores 0.2 and 0.6 of which 1 in 5 and 3 in 5 are positive are calibrated already:

    >>> scores, y = [0.2] * 5 + [0.6] * 5, [0, 0, 0, 0, 1, 0, 0, 1, 1, 1]
    >>> calibrator = BetaCalibrator(parameters="a", smooth=False, model="bayesian").fit(scores, y)
    >>> calibrator.predict_proba([0.3, 0.9])[:, 1].round(6)
    array([0.3, 0.9])
    >>> BetaCalibrator(parameters="a", smooth=False).fit(scores, y).predict_interval([0.9]).round(2)
    array([[0.62, 0.98]])
    """

    _fit_type = BetaFit
    _of_fit = ("coefficients", "covariance")
    _of_profile = ("nodes", "weights", "slope")
    _of_table = "table"
    _state: ClassVar = {
        "coefficients": fields.product(3),
        "covariance": fields.Field((3, 3), -1e200, 1e200),
        "nodes": fields.optional(fields.Field(("n",), -_END, _END, "rises")),
        "weights": fields.optional(fields.weights("n")),
        "slope": fields.optional(fields.product(3)),
        "edges": fields.optional(fields.Field(("p+1",), -100.0, 100.0, "rises")),
        "table": fields.optional(fields.log_odds(2, "q", "p")),
    }

    parameters: Literal["abm", "am", "ab", "a"] = "abm"
    smooth: bool = True
    model: LogOddsModel = "likelihood"
    confidence: float = 0.95
    transform: str | None = "auto"
    extrapolate: bool = True

    def _check_parameters(self) -> None:
        if self.transform == "logit":
            raise ValueError("transform is 'logit', but beta calibration takes scores in [0, 1]")

    def _sample(self, counts: ScoreCounts) -> ScoreCounts:
        if counts.scores[0] < 0 or counts.scores[-1] > 1:
            raise ValueError(
                f"scores reach from {counts.scores[0]:g} to {counts.scores[-1]:g}, but beta "
                "calibration takes scores in [0, 1]; use transform='auto' for margins"
            )
        sample = beta_sample(counts)
        if not self.smooth:
            refuse_separated(sample, None if self._has_midpoint else 0.0)
        return sample

    def _fitted(self, counts: ScoreCounts) -> BetaFit:
        return fit_beta(counts, self.parameters, self.smooth)

    def _profiled(self, counts: ScoreCounts) -> BetaProfile:
        return beta_profile(counts, self._fit, self.parameters, self.smooth)

    @property
    def _has_midpoint(self) -> bool:
        return self.parameters.endswith("m")

    def _on_scale(self, scores: Floats) -> Floats:
        """Log-odds of the scores, without the steps of probabilities next to 1."""
        return self._scale.log_odds(scores)

    def _log_odds_at(self, x: Floats) -> tuple[Floats, Floats]:
        return self._fit.log_odds(x), self._fit.deviation(x)

    def _predict_mass(self, x: Floats) -> tuple[Floats, Floats]:
        """Masses at log-odds of scores."""
        best = self._fit.log_odds(x)
        if self._table is None:
            return masses_from_log_odds(self.model, best, self._fit.deviation(x), self.confidence)
        if self._profile.one_score:
            positive, negative = self._table.masses(np.zeros_like(x), best)
            known = float(self._profile.nodes[0])  # where log-odds may jump, but not downwards
            near = np.abs(x - known) <= ROUNDING * max(1.0, abs(known))
            above, below = near | (x > known), near | (x < known)
            return np.where(above, positive, 0.0), np.where(below, negative, 0.0)
        center, unit = self._profile.scale
        positive, negative = self._table.masses(np.arcsinh((x - center) / unit), best)
        certain = (x == 0.0) & (not self._has_midpoint)
        return np.where(certain, 0.5, positive), np.where(certain, 0.5, negative)

    def _landmarks(self) -> Floats:
        return np.append(expit(self._profile.nodes), [0.5, self.midpoint_])

    @property
    def coefficients_(self) -> Floats:
        """Coefficients a, b and c of the log-odds."""
        check_is_fitted(self)
        return self._fit.coefficients

    @property
    def midpoint_(self) -> float:
        """The score whose log-odds are 0 (m of the paper)."""
        check_is_fitted(self)
        if not self._has_midpoint:
            return 0.5

        def log_odds_at(x: float) -> float:
            return float(self._fit.log_odds(np.array([x]))[0])

        if not log_odds_at(-_END) < 0.0 < log_odds_at(_END):
            return float("nan")
        return float(expit(brentq(log_odds_at, -_END, _END, xtol=1e-14)))

    def _place(self, x: Floats) -> Floats:
        return x

    def _restored_profile(self, *parts: Any) -> BetaProfile:
        return BetaProfile(self._fit.coefficients, self.parameters, *parts)

    def _check_state(self) -> None:
        if (self._fit.coefficients[:2] < 0).any():
            raise ValueError("saved calibrator is damaged: state coefficients are negative")
        super()._check_state()
        if self._table is not None and not np.sum(self._profile.weights) > 0:
            raise ValueError("saved calibrator is damaged: state weights are all zero")
