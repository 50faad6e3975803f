"""`PosteriorCurve`: calibrators that keep a curve of log-odds with its standard error.

The log-odds at a score have a posterior mean and a standard error. With a normal contour between
them, of level sets whose half-width is r standard errors, r from a Rayleigh distribution, the
expected ends are Bel and Pl of a likelihood-based belief function (Xu et al. 2016, eq. 22-23).
"""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from evical._typing import Floats
from evical.calibrators import fields
from evical.calibrators._from_log_odds import masses_from_log_odds
from evical.curves.candidates import AveragedCurve
from evical.likelihood.normal import half_widths
from evical.scores import ScoreCounts
from evical.scores.scale import between

__all__ = ["PosteriorCurve", "posterior_state"]


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


class PosteriorCurve(ABC):
    """Abstract calibrator that averages candidates and keeps the curve at a table of scores."""

    model: str
    confidence: float
    knots_: Floats
    probability_: Floats
    log_odds_: Floats
    standard_error_: Floats
    masses_: Floats
    weights_: Floats
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
            return np.stack(masses_from_log_odds("confidence", eta, error, self.confidence))
        half = half_widths(p, self.log_odds_, self.standard_error_)
        return np.stack([p - half, 1.0 - p - half])

    def _predict_mass(self, scores: Floats) -> tuple[Floats, Floats]:
        positive, negative = self._at(scores, self.masses_)
        return positive, np.minimum(negative, 1.0 - positive)  # rounding

    def _at(self, scores: Floats, rows: Any) -> Floats:
        """Rows (r, t) of the table at scores (m,)."""
        return between(self.knots_, np.asarray(rows), scores)
