"""Temperature scaling: the log-odds are the margin divided by a temperature.

The most likely temperature softens or sharpens the probabilities of a classifier without changing
its decisions (Guo et al. 2017). The uncertainty about the temperature becomes a mass function as
for the sigmoid (Xu et al. 2016, section 4.3), here in closed form.
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
from evical.curves.temperature import (
    TemperatureFit,
    TemperatureProfile,
    fit_temperature,
    temperature_profile,
)
from evical.scores import ScoreCounts
from evical.scores.counts import refuse_separated


@dataclass(kw_only=True, eq=False, repr=False)
class TemperatureCalibrator(
    FromLogOdds, Profiled[TemperatureFit, TemperatureProfile], BaseCalibrator
):
    """Evidential temperature scaling of the margins of a binary classifier.

    Parameters
    ----------
    smooth : bool
        Whether Platt's targets (N+ + 1) / (N+ + 2) and 1 / (N- + 2) replace the labels, as in
        logistic calibration. The paper uses labels; then margins that are all on the right side
        have no fit and are refused.
    model : {"likelihood", "confidence", "inverse_pignistic", "bayesian"}
        "bayesian" is the method of the paper; "inverse_pignistic" the least committed mass
        function with that pignistic probability; "confidence" uses the delta method; "likelihood"
        the relative likelihood of the temperature.
    confidence : float
        Level of the interval of the model "confidence".
    transform : {None, "auto", "logit", "sigmoid", "rank"}
        Scale on which scores are read. Temperature scaling takes margins (log-odds, 0 for a
        probability of 1/2). "auto" takes training scores that all lie in [0, 1] for probabilities,
        and reads their log-odds; it takes others for margins. None takes all for margins.
    extrapolate : bool
        Whether scores beyond the calibration data follow the fitted function. False reads them as
        the least or the greatest calibration score, so that nothing beyond is more certain.

    Attributes
    ----------
    classes_ : (2,) array
    temperature_ : float
        T; infinite if margins are reversed, or are all 0, so that p = 1/2 everywhere.

    Notes
    -----
    A margin of 0 always means p = 1/2, in all models: that is the assumption of the method.

    The plausibility of a probability p at a margin z is the relative likelihood of the temperature
    z / logit(p), and masses are means of the probability at the ends of the corresponding random
    interval of 1 / T; they are exact up to quadrature and interpolation (1e-7). An infinite
    temperature is possible.

    References
    ----------
    Guo, Pleiss, Sun & Weinberger (2017), On calibration of modern neural networks, ICML. Xu,
    Davoine, Zha & Denoeux (2016), Int. J. Approx. Reasoning 72, 55-70.

    Examples
    --------
    Margins 2 log(2) and -2 log(2), right in 2 of 3 cases, are log-odds at the temperature 2:

    >>> margin = 2 * np.log(2)
    >>> scores, y = [margin] * 3 + [-margin] * 3, [1, 1, 0, 0, 0, 1]
    >>> calibrator = TemperatureCalibrator(smooth=False).fit(scores, y)
    >>> round(calibrator.temperature_, 6)
    2.0
    >>> calibrator.predict_interval([0.0, margin]).round(3)
    array([[0.5  , 0.5  ],
           [0.517, 0.853]])
    """

    _of_margins: ClassVar[bool] = True
    _fit_type, _profile_type = TemperatureFit, TemperatureProfile
    _of_fit = ("scale", "inverse", "deviation")
    _of_profile = ("nodes", "weights", "slope")
    _state: ClassVar = {
        "scale": fields.positive(),
        "inverse": fields.Field(least=0.0),
        "deviation": fields.Field(least=0.0),
        "nodes": fields.optional(fields.finite("n")),
        "weights": fields.optional(fields.finite("n")),
        "slope": fields.optional(fields.finite()),
        "edges": fields.optional(fields.finite("p+1")),
        "coefficients": fields.optional(fields.finite(2, "q", "p")),
    }

    smooth: bool = True
    model: LogOddsModel = "likelihood"
    confidence: float = 0.95
    transform: str | None = "auto"
    extrapolate: bool = True

    def _fitted(self, counts: ScoreCounts) -> TemperatureFit:
        if not self.smooth:
            refuse_separated(counts, 0.0)
        return fit_temperature(counts, self.smooth)

    def _profiled(self, counts: ScoreCounts) -> TemperatureProfile:
        return temperature_profile(counts, self._fit, self.smooth)

    @property
    def temperature_(self) -> float:
        """The temperature, in units of the margins."""
        check_is_fitted(self)
        return self._fit.scale / self._fit.inverse if self._fit.inverse > 0.0 else float("inf")

    def _predict_mass(self, scores: Floats) -> tuple[Floats, Floats]:
        best = self._fit.log_odds(scores)
        size = np.abs(self._fit.standardize(scores))
        if self._table is None:
            deviation = self._fit.deviation * size
            # No temperature is negative: an interval of log-odds ends at 0.
            favored, against = masses_from_log_odds(
                self.model, np.abs(best), deviation, self.confidence
            )
            if self.model == "confidence":
                favored = np.maximum(favored, 0.5 * self.confidence)
            up = scores >= 0.0
            return np.where(up, favored, against), np.where(up, against, favored)
        x = np.arcsinh(size / self._profile.unit)
        favored, against = self._table.masses(x, np.abs(best))
        favored, against = (np.where(size == 0.0, 0.5, mass) for mass in (favored, against))
        positive = scores > 0.0
        return np.where(positive, favored, against), np.where(positive, against, favored)

    def _log_odds_at(self, scores: Floats) -> tuple[Floats, Floats]:
        size = np.abs(self._fit.standardize(scores))
        return self._fit.log_odds(scores), self._fit.deviation * size

    def _ends(self, scores: Floats, level: float) -> Floats:
        lower, upper = super()._ends(scores, level)
        least = np.where(scores >= 0.0, 0.5, 0.0)  # no temperature is negative
        return np.stack([np.maximum(lower, least), np.minimum(upper, 0.5 + least)])

    def _landmarks(self) -> Floats:
        return np.array([-self._fit.scale, 0.0, self._fit.scale])

    def _place(self, scores: Floats) -> Floats:
        return self._fit.standardize(scores)
