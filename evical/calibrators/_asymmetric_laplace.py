"""Asymmetric Laplace calibration: densities with two exponential tails, and Bayes' rule.

Scores between the modes of the two classes are hard cases, and scores beyond are obvious ones. They
spread differently, so each class has an asymmetric density (Bennett 2002; Gebel 2009, section
4.3.3). The log-odds are piecewise linear in the score.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import expit
from sklearn.utils.validation import check_is_fitted

from evical._typing import Floats
from evical.calibrators import fields
from evical.calibrators._base import BaseCalibrator
from evical.curves.asymmetric_laplace import STEEPEST, AsymmetricLaplace, fit_asymmetric_laplace
from evical.scores import ScoreCounts
from evical.scores.scale import sides, standardized

_FAR = 1e100  # units beyond which log-odds might overflow


@dataclass(kw_only=True, eq=False, repr=False)
class AsymmetricLaplaceCalibrator(BaseCalibrator):
    """Calibration by asymmetric Laplace densities of the scores of each class.

    Parameters
    ----------
    transform : {None, "auto", "logit", "sigmoid", "rank"}
        Scale on which scores are read: unchanged, which is meant for margins; "logit" for
        probabilities, which are to be calibrated on their log-odds (eq. 4.7); the sigmoid of
        margins, or ranks; "auto" takes the sigmoid of standardized scores, if one in training lies
        outside [0, 1].
    extrapolate : bool
        Whether scores beyond the calibration data follow the fitted function. False reads them as
        the least or the greatest calibration score, so that nothing beyond is more certain.

    Attributes
    ----------
    classes_ : (2,) array
    prior_ : float
        Smoothed share (N_k + 1) / (N + 2) of the positive class.
    modes_, beta_, gamma_ : (2,) arrays
        Mode of the scores of the negative and the positive class, and inverse scales to the left
        and to the right of it.

    Notes
    -----
    The search for modes among all scores takes no more time than sorting them.

    If one side of a mode has no samples, its mean distance is that of the other side divided by N,
    the size of the class; the estimate of the thesis divides by zero. A class with only one
    distinct score takes the mean distance of the other class from its mode, or that of all scores
    if this is zero too. If there is only one distinct score in all, the prior holds everywhere.

    References
    ----------
    Bennett (2002), Using asymmetric distributions to improve text classifier probability
    estimates, report CMU-CS-02-126. Gebel (2009), Multivariate calibration of classifier scores
    into the probability space, section 4.3.3.

    Examples
    --------
    Mode 2, with distances 1 to the left and 4 to the right; the negative class is its mirror image.

    >>> scores = np.array([1.0, 2.0, 6.0, -1.0, -2.0, -6.0])
    >>> weights = [1, 10, 1, 1, 10, 1]
    >>> calibrator = AsymmetricLaplaceCalibrator().fit(scores, scores > 0, weights)
    >>> calibrator.modes_.round(9).tolist()
    [-2.0, 2.0]
    >>> calibrator.beta_.round(9).tolist(), calibrator.gamma_.round(9).tolist()
    ([2.0, 4.0], [4.0, 2.0])

    The log-odds are (4 + 4) s between the modes, and grow by 4 - 2 beyond:

    >>> p = calibrator.predict_proba([1.0, 6.0])
    >>> np.log(p[:, 1] / p[:, 0]).round(9).tolist()
    [8.0, 24.0]
    """

    _turns: ClassVar = ("modes_",)
    _state: ClassVar = {
        "center_": fields.finite(),
        "scale_": fields.positive(),
        "prior_": fields.Field((), 1e-40, 1 - 2.0**-53),
        "densities_": fields.Field((2, 3), -STEEPEST, STEEPEST),
    }

    transform: str | None = None
    extrapolate: bool = True

    def _fit_counts(self, counts: ScoreCounts) -> None:
        first, last = float(counts.scores[0]), float(counts.scores[-1])
        with np.errstate(over="ignore"):  # half the range is as good a unit
            span = min(last - first, float(np.finfo(np.float64).max))
        self.center_, self.scale_ = first / 2 + last / 2, span or 1.0
        z = standardized(counts.scores, self.center_, self.scale_)
        self.densities_ = _densities(z, counts.negative, counts.positive)
        self.prior_ = (counts.n_positive + 1) / (counts.n_negative + counts.n_positive + 2)

    @property
    def modes_(self) -> Floats:
        """Modes of the scores of the negative and of the positive class."""
        check_is_fitted(self)
        return np.asarray(self.center_ + self.scale_ * self.densities_[:, 0])

    @property
    def beta_(self) -> Floats:
        """Inverse scales to the left of the modes."""
        check_is_fitted(self)
        return np.asarray(self.densities_[:, 1] / self.scale_)

    @property
    def gamma_(self) -> Floats:
        """Inverse scales to the right of the modes."""
        check_is_fitted(self)
        return np.asarray(self.densities_[:, 2] / self.scale_)

    def _log_odds(self, scores: Floats) -> Floats:
        z = np.clip(standardized(scores, self.center_, self.scale_), -_FAR, _FAR)
        negative, positive = (AsymmetricLaplace(*row) for row in self.densities_)
        prior = np.log(self.prior_) - np.log1p(-self.prior_)
        return np.asarray(prior + positive.log_density(z) - negative.log_density(z))

    def _predict_positive(self, scores: Floats) -> Floats:
        return np.asarray(expit(self._log_odds(scores)))

    def _predict_mass(self, scores: Floats) -> tuple[Floats, Floats]:
        return sides(self._log_odds(scores))

    def _check_state(self) -> None:
        if not (self.densities_[:, 1:] > 0).all() or (np.abs(self.densities_[:, 0]) > 2).any():
            raise ValueError("saved calibrator is damaged: state densities_ are not densities")


def _densities(z: Floats, negative: Floats, positive: Floats) -> Floats:
    """Mode, beta and gamma (2, 3) of each class."""
    own = [fit_asymmetric_laplace(z, weights) for weights in (negative, positive)]
    spreads = [0.0 if fit is None else _mean_distance(fit) for fit in own]
    spread = max(spreads)
    if spread == 0.0:
        both = fit_asymmetric_laplace(z, negative + positive)
        # Where all scores are equal, both densities are the same whatever their scale.
        spread = 1.0 if both is None else _mean_distance(both)
    pairs = zip(own, (negative, positive), strict=True)
    return np.array([fit or fit_asymmetric_laplace(z, w, spread) for fit, w in pairs])


def _mean_distance(fit: AsymmetricLaplace) -> float:
    """Mean distance from the mode: that of the sample, unless a side has no samples."""
    left, right = 1.0 / fit.beta, 1.0 / fit.gamma
    return (left**2 + right**2) / (left + right)
