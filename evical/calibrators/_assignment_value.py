"""Calibration by assignment values: confidence in the assigned class, scaled to its accuracy.

The training samples are split by the class that they are assigned to. In each part the
probabilities of that class are mapped, through Beta distribution functions, to ones whose mean is
the share of correct assignments (Garczarek 2002; Gebel 2009, section 4.4.3).
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from evical._typing import Floats
from evical.calibrators import fields
from evical.calibrators._base import BaseCalibrator
from evical.curves.assignment_value import Branch, fit_branch
from evical.likelihood.interpolant import evaluate_piecewise, fit_piecewise
from evical.scores import ScoreCounts
from evical.scores.scale import log_odds, sides

# The search calibrates the sample once for each dispersion, which is slow; this many groups of
# neighboring scores serve it as well as the sample.
_SEARCHED = 256
_CERTAIN = 36.1  # log-odds of the number next to 1


@dataclass(kw_only=True, eq=False, repr=False)
class AssignmentValueCalibrator(BaseCalibrator):
    """Calibration by assignment values.

    Parameters
    ----------
    transform : {None, "auto", "logit", "sigmoid", "rank"}
        Scale on which scores are read. The method is defined on probabilities of the positive
        class: "auto" takes the sigmoid of standardized scores, if one in training lies outside
        [0, 1], and otherwise unchanged scores. The thesis puts margins into [0, 1] by
        `NormalizingCalibrator`, whose probabilities may be given as scores.
    extrapolate : bool
        Whether scores beyond the calibration data follow the fitted function. False reads them as
        the least or the greatest calibration score, so that nothing beyond is more certain.

    Attributes
    ----------
    classes_ : (2,) array
    branches_ : (2, 4) array
        For samples assigned to the negative and to the positive class: mean and dispersion of the
        assignment values, and of the calibrated ones. A dispersion of 0 stands for a constant; with
        a mean of 0, for no change.
    edges_, log_odds_ : arrays
        Both maps as piecewise polynomials of the log-odds of the assignment values, in which
        predictions are looked up, because distribution functions are slow to invert.

    Notes
    -----
    A score above 1/2 is assigned to the positive class; 1/2 and less to the negative one. The two
    branches are independent: at 1/2 the probability usually jumps, and it may fall there or cross
    1/2 elsewhere, which changes decisions.

    The new dispersion is the integer between the number of samples and the old dispersion which has
    the greatest number of right assignments after calibration plus Garczarek's accuracy (eq. 4.12
    is printed with the number before calibration, which no dispersion changes, and the algorithm
    says "minimize"). If there are very many integers, 128 in equal ratios are tried; if there are
    very many scores, each part is reduced to 256 groups of neighbors.

    Parts without a Beta distribution: if all assignments are right, or all wrong, the share of
    right ones is smoothed to (N + 1) / (N + 2), or 1 / (N + 2); a part with one member, or with
    equal scores, gets the share of right assignments as a constant; a part without members leaves
    scores as they are. Scores outside [0, 1] are refused in training, where `transform` allows
    them, and taken as 0 or 1 in prediction; 0 and 1 are replaced by the nearest floats inside, so
    that nothing is certain.

    References
    ----------
    Garczarek (2002), Classification rules in standardized partition spaces, Dortmund. Gebel
    (2009), Multivariate calibration of classifier scores into the probability space, section 4.4.

    Examples
    --------
    Three of four assignments to the positive class are right, all with the same score; the one
    to the negative class is right, which counts as 2 of 3:

    >>> scores, y = [0.8, 0.8, 0.8, 0.8, 0.3], [1, 1, 1, 0, 0]
    >>> AssignmentValueCalibrator().fit(scores, y).predict_proba([0.8, 0.3])[:, 1].round(4)
    array([0.75  , 0.3333])
    """

    _state: ClassVar = {
        "branches_": fields.Field((2, 4), least=0.0),
        "edges_": fields.Field(("p+1",), 0.0, 100.0, "rises"),
        "log_odds_": fields.log_odds(2, "q", "p"),
    }

    transform: str | None = "auto"
    extrapolate: bool = True

    def _fit_counts(self, counts: ScoreCounts) -> None:
        scores = counts.scores
        outside = (scores < 0) | (scores > 1)
        if outside.any():
            raise ValueError(
                f"score {scores[outside][0]:g} is outside [0, 1]; use transform='auto' or "
                "'sigmoid' for margins"
            )
        self.branches_ = np.array([_branch(counts, 0), _branch(counts, 1)])

        edges = np.linspace(0.0, _CERTAIN, 9)
        self.edges_, self.log_odds_ = fit_piecewise(self._branch_log_odds, edges, _accurate)

    def _branch_log_odds(self, x: Floats) -> Floats:
        branches = [Branch(*row) for row in self.branches_.tolist()]
        return np.stack([branch.log_odds(x) for branch in branches], axis=1)

    def _predict_positive(self, scores: Floats) -> Floats:
        return np.asarray(expit(self._log_odds(scores)))

    def _predict_mass(self, scores: Floats) -> tuple[Floats, Floats]:
        return sides(self._log_odds(scores))

    def _landmarks(self) -> Floats:
        return np.array([0.5])

    def _log_odds(self, scores: Floats) -> Floats:
        x = log_odds(scores)
        # Both at once: the other branch costs little.
        negative, positive = evaluate_piecewise(self.edges_, self.log_odds_, np.abs(x))
        return np.asarray(np.where(scores > 0.5, positive, -negative))


def _accurate(values: Floats, error: Floats) -> NDArray[np.bool_]:
    """Whether probabilities, interpolated by their log-odds, are accurate."""
    sensitivity = np.exp(-np.abs(values)).max(axis=1)
    return np.asarray(((error * sensitivity < 1e-10) & (error < 1e-6)).all(axis=1))


def _branch(counts: ScoreCounts, assigned: int) -> Branch:
    """Map for the samples assigned to class 0 or 1."""
    part = (counts.scores > 0.5) == bool(assigned)
    if not part.any():
        return Branch()
    own = ScoreCounts(counts.scores[part], counts.negative[part], counts.positive[part])
    thin = own.compress(_SEARCHED)
    if assigned:
        return fit_branch(thin.scores, thin.positive, thin.negative)
    return fit_branch(1 - thin.scores, thin.negative, thin.positive)
