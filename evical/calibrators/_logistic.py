"""Logistic calibration: Platt's sigmoid, and its uncertainty as a mass function.

The sigmoid of the score that fits the labels best gives a probability (Platt 1999; Xu et al. 2016,
eq. 2-4). Its two parameters are uncertain. A normal-approximation interval, or the profile of the
relative likelihood, turns this uncertainty into a mass function (Xu et al. 2016, section 4.3, eq.
22-28 and 33-40).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from evical._typing import Floats
from evical.calibrators import fields
from evical.calibrators._base import BaseCalibrator
from evical.calibrators._level_set import LevelSets
from evical.calibrators.models import FromLogOdds, LogOddsModel, masses_from_log_odds
from evical.curves.logistic_profile import LogisticProfile, profile_of_counts
from evical.curves.platt import PlattFit, platt_of_counts
from evical.scores import ScoreCounts


@dataclass(kw_only=True, eq=False, repr=False)
class LogisticCalibrator(FromLogOdds, BaseCalibrator, LevelSets):
    """Evidential calibration by logistic regression of the label on the score.

    Parameters
    ----------
    model : {"likelihood", "confidence", "inverse_pignistic", "bayesian"}
        "bayesian" is Platt's calibration; "inverse_pignistic" the least committed mass
        function with that pignistic probability; "confidence" uses the delta method;
        "likelihood" the profile likelihood, which the paper recommends.
    confidence : float
        Level of the interval of the model "confidence".
    transform : {None, "auto", "logit", "sigmoid", "rank"}
        Scale on which scores are read: unchanged, log-odds of probabilities, the sigmoid of
        margins, or ranks among the training scores; "auto" takes the sigmoid of standardized
        scores, if one in training lies outside [0, 1]. The sigmoid is fitted on that scale.
    extrapolate : bool
        Whether scores beyond the calibration data follow the fitted function. False reads them as
        the least or the greatest calibration score, so that nothing beyond is more certain.

    Attributes
    ----------
    classes_ : (2,) array
    theta_ : (2,) array
        theta_0 and theta_1 of P(positive | s) = 1 / (1 + exp(theta_0 + theta_1 s)).
    sigmoid_ : PlattFit
        The same on centered and scaled scores, which predictions use.
    profile_ : LogisticProfile or None
        The profile likelihood; None for other models.

    Notes
    -----
    With ``h(s)`` the sigmoid at a score and ``L`` the likelihood, the model "likelihood" gives a
    probability `tau` of the positive class the plausibility (eq. 34-40) ::

        pl(tau) = max {L(theta) : h(s) = tau} / max L(theta)

    which is 1 at Platt's `tau_hat`. The masses are areas beside this contour (eq. 22-23) ::

        m({1}) = Bel({1})    = tau_hat - integral of pl from 0 to tau_hat
        m({0}) = 1 - Pl({1}) = 1 - tau_hat - integral of pl from tau_hat to 1

    and the rest, the area under it, is on {0, 1}.

    Labels are replaced by Platt's targets (eq. 4) in the fit and in the relative likelihood, so
    separable classes need no special care. Masses of the likelihood model agree with brute-force
    integration to 1e-8; fitting reduces the sample to a quadrature once, so the cost of a
    prediction does not depend on the sample size.

    References
    ----------
    Xu, Davoine, Zha & Denoeux (2016), Int. J. Approx. Reasoning 72, 55-70, section 4.3.

    Examples
    --------
    >>> scores, y = [-1.0, -0.5, 0.5, 1.0], [0, 0, 1, 1]
    >>> calibrator = LogisticCalibrator().fit(scores, y)
    >>> calibrator.predict_interval([0.0, 2.0]).round(4)
    array([[0.2027, 0.7973],
           [0.3666, 0.9957]])
    >>> LogisticCalibrator(model="bayesian").fit(scores, y).predict_proba([2.0]).round(4)
    array([[0.0632, 0.9368]])
    """

    _state: ClassVar = {
        **{f"sigmoid.{name}": fields.finite() for name in ("center", "beta0", "beta1")},
        "sigmoid.scale": fields.positive(),
        "sigmoid.covariance": fields.finite(2, 2),
        **{
            f"profile.{name}": fields.optional(fields.finite(*shape))
            for name, shape in {
                **dict.fromkeys(("center", "scale", "intercept", "slope", "unit", "limit"), ()),
                "nodes": ("n",),
                "weights": ("n",),
                "edges": ("p+1",),
                "coefficients": (2, "q", "p"),
            }.items()
        },
    }

    model: LogOddsModel = "likelihood"
    confidence: float = 0.95
    transform: str | None = None
    extrapolate: bool = True

    def _fit_counts(self, counts: ScoreCounts) -> None:
        self.sigmoid_ = platt_of_counts(counts)
        likelihood = self.model == "likelihood"
        self.profile_ = profile_of_counts(counts, self.sigmoid_) if likelihood else None

    @property
    def theta_(self) -> Floats:
        """Parameters (theta_0, theta_1) of the sigmoid on the score as read (eq. 2)."""
        check_is_fitted(self)
        return np.array([self.sigmoid_.theta0, self.sigmoid_.theta1])

    def _predict_mass(self, scores: Floats) -> tuple[Floats, Floats]:
        if self.profile_ is not None:
            return self.profile_.masses(scores)
        return masses_from_log_odds(self.model, *self._log_odds_at(scores), self.confidence)

    def _log_odds_at(self, scores: Floats) -> tuple[Floats, Floats]:
        return self.sigmoid_.logit(scores), self.sigmoid_.standard_error(scores)

    def _landmarks(self) -> Floats:
        fit = self.sigmoid_
        turns = [fit.center - fit.scale, fit.center, fit.center + fit.scale]
        return np.array(turns if self.profile_ is None else [*turns, self.profile_.center])

    def contour(self, scores: ArrayLike, probability: ArrayLike) -> Floats:
        """Plausibility that the positive class has this probability at a score (eq. 40).

        Parameters
        ----------
        scores, probability : arrays that broadcast
            Finite scores, and probabilities in [0, 1].

        Returns
        -------
        array of the common shape
            Relative likelihood of the best sigmoid through that point.

        Raises
        ------
        ValueError
            If the model is not "likelihood": the others have no contour function; if a score
            is not finite, or a probability not in [0, 1].

        Examples
        --------
        >>> calibrator = LogisticCalibrator().fit([-1.0, -0.5, 0.5, 1.0], [0, 0, 1, 1])
        >>> calibrator.contour(0.0, [0.25, 0.5]).round(2)
        array([0.65, 1.  ])
        """
        return self._likelihood().contour(self._read(scores), probability)

    def _level_set(self, scores: Floats, level: float) -> Floats:
        return self._likelihood().level_set(scores, level)

    def relative_likelihood(self, theta0: ArrayLike, theta1: ArrayLike) -> Floats:
        """Plausibility of a pair of parameters (eq. 34).

        Parameters
        ----------
        theta0, theta1 : arrays that broadcast

        Returns
        -------
        array of the common shape
            1 at `theta_`.

        Raises
        ------
        ValueError
            If the model is not "likelihood".

        Examples
        --------
        >>> calibrator = LogisticCalibrator().fit([-1.0, -0.5, 0.5, 1.0], [0, 0, 1, 1])
        >>> float(calibrator.relative_likelihood(*calibrator.theta_).round(9))
        1.0
        """
        return self._likelihood().relative_likelihood(theta0, theta1)

    def _likelihood(self) -> LogisticProfile:
        check_is_fitted(self)
        if self.profile_ is None:
            raise ValueError(f"model is {self.model!r}; a contour function needs 'likelihood'")
        return self.profile_

    def _get_state(self) -> dict[str, Any]:
        fit = self.sigmoid_
        covariance = fit.covariance if fit.identified else np.diag([fit.covariance[0, 0], 0.0])
        line = {name: getattr(fit, name) for name in ("center", "scale", "beta0", "beta1")}
        profile = {} if self.profile_ is None else self.profile_.to_arrays()
        return {"sigmoid": {**line, "covariance": covariance}, "profile": profile}

    def _set_state(self, state: dict[str, Any]) -> None:
        line = dict(state["sigmoid"])
        covariance = np.array(line.pop("covariance"))
        if covariance[1, 1] == 0:  # the slope was not identified; JSON has no infinity
            covariance[1, 1] = np.inf
        self.sigmoid_ = PlattFit(**line, covariance=covariance)
        profile = state["profile"]
        self.profile_ = LogisticProfile(**profile) if profile else None

    def _check_state(self) -> None:
        if (self.profile_ is None) == (self.model == "likelihood"):
            raise ValueError(
                f"saved calibrator is damaged: its model is {self.model!r}, but it was saved "
                f"{'without' if self.profile_ is None else 'with'} a likelihood"
            )
