"""Gaussian calibration: normal densities of the scores of each class, and Bayes' rule.

The scores of each class are assumed to be normally distributed; with the shares of the classes,
Bayes' rule gives the probability of the positive class at a score (Gebel 2009, section 4.3.2). The
likelihood model accounts for the uncertainty about the five parameters by the profile likelihood of
that probability, as Xu et al. (2016, section 4.3) do for the logistic function.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

from evical._typing import Floats
from evical.calibrators import fields
from evical.calibrators._base import BaseCalibrator
from evical.calibrators._level_set import Profiled
from evical.curves.gaussian import LEAST_VARIANCE, GaussianFit, GaussianProfile, fit_gaussian
from evical.scores import ScoreCounts
from evical.scores.scale import sides


@dataclass(kw_only=True, eq=False, repr=False)
class GaussianCalibrator(Profiled[GaussianFit, GaussianProfile], BaseCalibrator):
    """Calibration by normal densities of the scores of each class.

    Parameters
    ----------
    variances : {"unequal", "equal"}
        Each class has its own variance, as in the thesis, or both share the pooled variance. With
        equal variances the log-odds are linear in the score. With unequal ones they are quadratic,
        so extreme scores on both sides belong to the class with the larger variance.
    model : {"bayesian", "likelihood"}
        "bayesian" is the method of the thesis: sums of squares are divided by the degrees of
        freedom, and the estimates are treated as known. "likelihood" accounts for the uncertainty
        about means, variances and prior.
    transform : {None, "auto", "logit", "sigmoid", "rank"}
        Scale on which scores are read: unchanged, log-odds of probabilities (which are more
        nearly normal than the probabilities, Gebel's eq. 4.7), the sigmoid of margins, or ranks;
        "auto" takes the sigmoid of standardized scores, if one in training lies outside [0, 1].
    extrapolate : bool
        Whether scores beyond the calibration data follow the fitted function. False reads them as
        the least or the greatest calibration score, so that nothing beyond is more certain.

    Attributes
    ----------
    classes_ : (2,) array
    prior_ : float
        Share of the positive class.
    means_, deviations_ : (2,) arrays
        Of the scores of the negative and the positive class; standard deviations are those of
        the model.

    Notes
    -----
    A class whose scores do not vary takes the variance of the other class; if neither varies, both
    take that of all scores. If there is only one distinct score, the prior holds everywhere. The
    likelihood model treats such variances as known, because the likelihood would have no maximum.

    The likelihood model is exact up to the error of quadrature and interpolation (1e-7 of a mass):
    the most likely densities with given log-odds at a score are known in closed form
    (`evical.curves.gaussian`). Its most plausible probability uses the maximum likelihood
    variances, with sums of squares divided by the number of samples.

    References
    ----------
    Gebel (2009), Multivariate calibration of classifier scores into the probability space,
    section 4.3.2. Xu, Davoine, Zha & Denoeux (2016), Int. J. Approx. Reasoning 72, 55-70.

    Examples
    --------
    Means -1 and 2, both with variance 2: the log-odds are 1.5 (s - 0.5).

    >>> scores, y = [-2.0, 0.0, 1.0, 3.0], [0, 0, 1, 1]
    >>> calibrator = GaussianCalibrator().fit(scores, y)
    >>> calibrator.means_.tolist(), calibrator.deviations_.round(4).tolist()
    ([-1.0, 2.0], [1.4142, 1.4142])
    >>> bool(abs(calibrator.predict_proba([1.5])[0, 1] - 1 / (1 + np.exp(-1.5))) < 1e-12)
    True
    """

    _profile_type = GaussianProfile
    _of_fit = ("center", "scale", "weights", "means", "variances")
    _of_profile = ()
    _state: ClassVar = {
        "center": fields.finite(),
        "scale": fields.positive(),
        "weights": fields.Field((2,), 1e-16, 2.0**54),
        "means": fields.Field((2,), -1e20, 1e20),
        "variances": fields.Field((2,), LEAST_VARIANCE, 1e300),
        "known": fields.Field((), 0.0, 1.0, is_whole=True),
        "edges": fields.optional(fields.Field(("p+1",), -100.0, 100.0, "rises")),
        "coefficients": fields.optional(fields.log_odds(2, "q", "p")),
    }

    variances: Literal["unequal", "equal"] = "unequal"
    model: Literal["bayesian", "likelihood"] = "bayesian"
    transform: str | None = None
    extrapolate: bool = True

    def _fitted(self, counts: ScoreCounts) -> GaussianFit:
        return fit_gaussian(counts, self.variances == "equal")

    def _profiled(self, counts: ScoreCounts) -> GaussianProfile:
        return self._profile

    @property
    def _used_variances(self) -> Floats:
        likelihood = self.model == "likelihood"
        return self._fit.variances if likelihood else self._fit.sample_variances()

    @property
    def prior_(self) -> float:
        """Share of the positive class in the training sample."""
        check_is_fitted(self)
        return float(self._fit.weights[1] / self._fit.weights.sum())

    @property
    def means_(self) -> Floats:
        """Mean score of the negative and of the positive class."""
        check_is_fitted(self)
        return np.asarray(self._fit.center + self._fit.scale * self._fit.means)

    @property
    def deviations_(self) -> Floats:
        """Standard deviation of the scores of the negative and of the positive class."""
        check_is_fitted(self)
        return np.asarray(self._fit.scale * np.sqrt(self._used_variances))

    def _predict_mass(self, scores: Floats) -> tuple[Floats, Floats]:
        log_odds = self._fit.log_odds(scores, self._used_variances)
        if self._table is None:
            return sides(log_odds)
        x = np.arcsinh(self._place(scores) / self._profile.narrow)
        return self._table.masses(x, log_odds)

    def _landmarks(self) -> Floats:
        fit = self._fit
        units = fit.scale * np.sqrt(self._used_variances)
        with np.errstate(over="ignore"):
            return np.ravel(self.means_ + units * np.array([[-1.0], [0.0], [1.0]]))

    def _place(self, scores: Floats) -> Floats:
        return self._fit.standardize(scores) - self._fit.origin

    def _get_state(self) -> dict[str, Any]:
        return super()._get_state() | {"known": float(self._fit.known)}

    def _restored_fit(self, state: dict[str, Any]) -> GaussianFit:
        parts = {name: state[name] for name in self._of_fit}
        return GaussianFit(**parts, known=bool(state["known"]), common=self.variances == "equal")

    def _check_state(self) -> None:
        if not (self._fit.sample_variances() > 0).all():
            raise ValueError("saved calibrator is damaged: state weights leave no variance")
        super()._check_state()
