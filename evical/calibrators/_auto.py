"""Automatic calibration: an average over methods, scales and smoothness, with nothing to choose.

What a method assumes decides how good it is on a given sample, and nobody knows beforehand. So all
of them are fitted, and count by what they say about samples that are left out.

`PosteriorCurve`: calibrators that keep a curve of log-odds with its standard error.

The log-odds at a score have a posterior mean and a standard error. With a normal contour between
them, of level sets whose half-width is r standard errors, r from a Rayleigh distribution, the
expected ends are Bel and Pl of a likelihood-based belief function (Xu et al. 2016, eq. 22-23).
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

from evical._typing import Floats
from evical.beliefs.bounded import half_widths, normal_bounds
from evical.calibrators import fields
from evical.calibrators._base import BaseCalibrator
from evical.calibrators.models import LogOddsModel, masses_from_log_odds
from evical.curves.automatic import CANDIDATES, automatic_curve
from evical.curves.candidates import AveragedCurve
from evical.scores import ScoreCounts
from evical.scores.scale import between


def posterior_state(names: tuple[str, ...]) -> dict[str, fields.Field]:
    """The fields of a saved curve with candidates of these names."""
    return {
        "knots_": fields.rising("t"),
        "probability_": fields.shares("t"),
        "log_odds_": fields.log_odds("t"),
        "standard_error_": fields.log_odds("t"),
        "masses_": fields.masses("t"),
        "weights_": fields.shares(len(names)),
    }


@dataclass(kw_only=True, eq=False, repr=False)
class PosteriorCurve(ABC):
    """Abstract calibrator that averages candidates and keeps the curve at a table of scores."""

    model: LogOddsModel = "likelihood"
    confidence: float = 0.95
    transform: str | None = None
    extrapolate: bool = True

    _names: ClassVar[tuple[str, ...]]  # of all candidates that there can be
    _turns: ClassVar[tuple[str, ...]] = ("knots_",)

    @abstractmethod
    def _curve(self, counts: ScoreCounts) -> AveragedCurve:
        """The average of the candidates."""

    def _fit_counts(self, counts: ScoreCounts) -> None:
        curve = self._curve(counts)
        self.knots_, self.probability_ = curve.scores, curve.probability
        self.log_odds_, self.standard_error_ = curve.log_odds, curve.error
        found = dict(zip(curve.names, curve.weights, strict=True))
        self.weights_ = np.array([found.get(name, 0.0) for name in self._names])
        self.masses_ = self._masses_of_knots()

    @property
    def candidates_(self) -> dict[str, float]:
        """What was chosen: candidates and their weights, the greatest first."""
        check_is_fitted(self)
        order = np.argsort(-self.weights_, kind="stable")
        return {self._names[i]: float(self.weights_[i]) for i in order if self.weights_[i] > 0}

    def _masses_of_knots(self) -> Floats:
        p = self.probability_
        if self.model == "bayesian":
            return np.stack([p, 1.0 - p])
        if self.model == "inverse_pignistic":
            return np.stack([np.maximum(2.0 * p - 1.0, 0.0), np.maximum(1.0 - 2.0 * p, 0.0)])
        if self.model == "confidence":
            eta, error = self.log_odds_, self.standard_error_
            return np.stack(masses_from_log_odds("confidence", eta, error, self.confidence, p))
        half = half_widths(p, self.log_odds_, self.standard_error_)
        return np.stack([p - half, 1.0 - p - half])

    def _predict_mass(self, scores: Floats) -> tuple[Floats, Floats]:
        positive, negative = self._at(scores, self.masses_)
        return positive, np.minimum(negative, 1.0 - positive)  # rounding

    def _ends(self, scores: Floats, level: float) -> Floats:
        ends = normal_bounds(self.log_odds_, self.standard_error_, level, self.probability_)
        return self._at(scores, np.stack(ends))

    def _point(self, scores: Floats) -> Floats:
        return np.asarray(self._at(scores, self.probability_[np.newaxis])[0])

    @property
    def _knows_betp(self) -> bool:
        return bool(self.masses_.any(axis=0).all())

    def _at(self, scores: Floats, rows: object) -> Floats:
        """Rows (r, t) of the table at scores (m,)."""
        return between(self.knots_, np.asarray(rows), scores)


@dataclass(kw_only=True, eq=False, repr=False)
class AutoCalibrator(PosteriorCurve, BaseCalibrator):
    r"""Calibrator that averages over methods, score scales and smoothness.

    Parameters
    ----------
    model : {"likelihood", "confidence", "bayesian"}
        "bayesian" gives the posterior mean alone; "likelihood" surrounds it by what the samples and
        the candidates leave open; "confidence" gives the posterior interval, see Notes.
    confidence : float
        Level of the interval of the model "confidence".
    transform : {None, "auto", "logit", "sigmoid", "rank"}
        Scale on which scores are read before anything else. None is best: several scales are
        tried.
    extrapolate : bool
        Whether scores beyond the calibration data follow the fitted function, for the length of
        their range. False reads them as the least or the greatest calibration score.

    Attributes
    ----------
    classes_ : (2,) array
    knots_ : (t,) array
        Scores at which the curve is kept; between them it is a line, beyond them constant.
    probability_, log_odds_, standard_error_ : (t,) arrays
        Posterior mean of the probability; posterior mean and standard deviation of the log-odds.
    masses_ : (2, t) array
        m({positive}) and m({negative}).
    weights_ : (c,) array
        Weights of all candidates that there can be.
    candidates_ : dict of str to float
        What was chosen: candidates and their weights, the greatest first.

    Notes
    -----
    The candidates are

    * the scores as given: "as probabilities" if all lie in [0, 1], else "as log-odds";
    * logistic regression, with a parabola too, on the scale as given, on log-odds of probabilities,
      and on log-odds of ranks; beta calibration of probabilities; temperature scaling;
    * smoothing splines of the log-odds on the same scales, from stiff to flexible;
    * step functions, averaged over all ways to cut the scores.

    All have proper priors, so that two samples suffice and separated classes need no care. A
    candidate's weight is proportional to its prior weight times :math:`\exp(l - 0.4 d)`, where l is
    the log-likelihood of the samples, each under the posterior without it, and d the degrees of
    freedom. Nothing is drawn at random, and a weight of 2 is two samples. Half of that exponent
    counts for the standard error, because l is uncertain; and scores that count as given have that
    of a line, because the samples do not support more. Margins read as log-odds have an origin and
    a unit, so predictions change if these do: by up to 0.3 at 60 samples, beyond their range. No
    other candidate but temperature scaling, which has an origin, depends on them.

    The log-odds at a score have a posterior mean :math:`\mu` and a standard error :math:`\sigma`,
    which includes what the candidates disagree on. With the normal contour
    :math:`\exp(-(\eta - \mu)^2 / 2 \sigma^2)`, of level sets with the half-width :math:`r \sigma`,
    r from a Rayleigh distribution, the expected ends are Bel and Pl of a likelihood-based belief
    function (Xu et al. 2016, eq. 22-23). The model "likelihood" has that width, around the
    posterior mean, so its pignistic probability is the prediction of "bayesian". "confidence" takes
    the interval :math:`\mu \pm z \sigma`, and discounts it by its level as `LogisticCalibrator`
    does. Near 0 and 1 log-odds are far from normal, so no interval ends further out than a quantile
    of any gamma distribution whose mean is that of the probability: at 95 % 11.45 times the mean.

    References
    ----------
    Gelfand, Dey & Chang (1992), Model determination using predictive distributions, Bayesian
    Statistics 4. Rad & Maleki (2020), A scalable estimate of the out-of-sample prediction error via
    approximate leave-one-out cross-validation, J. R. Stat. Soc. B 82, 965-996. Yao, Vehtari,
    Simpson & Gelman (2018), Using stacking to average Bayesian predictive distributions, Bayesian
    Analysis 13, 917-1007.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.random(500)
    >>> y = rng.random(500) < scores**3
    >>> calibrator = AutoCalibrator().fit(scores, y)
    >>> calibrator.predict_interval([0.2, 0.5, 0.9]).round(2)
    array([[0.01, 0.03],
           [0.09, 0.15],
           [0.72, 0.82]])
    >>> next(iter(AutoCalibrator().fit(scores, y).candidates_))
    'rank: line'
    """

    _names = CANDIDATES
    _state: ClassVar = posterior_state(CANDIDATES)

    model: Literal["likelihood", "confidence", "bayesian"] = "likelihood"

    @property
    def candidates_(self) -> dict[str, float]:
        """Chosen candidates with their weights, the largest first."""
        # The table of probabilities ends at 0 and 1; that of margins goes on beyond them.
        within = self.knots_[0] >= 0.0 and self.knots_[-1] <= 1.0
        reading = "as probabilities" if within else "as log-odds"
        found = super().candidates_
        return {reading if name == CANDIDATES[0] else name: w for name, w in found.items()}

    def _curve(self, counts: ScoreCounts) -> AveragedCurve:
        return automatic_curve(counts)
