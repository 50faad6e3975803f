"""A toy: two bins, below and above the mean score.

Nobody (2000).
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dstheory.inference import binomial_masses
from evical.calibrators import fields
from evical.calibrators._base import BaseCalibrator
from evical.scores import ScoreCounts

__all__ = ["ThresholdCalibrator"]

Floats = NDArray[np.float64]


@dataclass(kw_only=True, eq=False, repr=False)
class ThresholdCalibrator(BaseCalibrator):
    """Two bins: below the mean score, and from it on.

    Parameters
    ----------
    transform : {None, "auto", "logit", "sigmoid", "rank"}
        Scale on which scores are read.

    Attributes
    ----------
    classes_ : (2,) array
    threshold_ : float
        Mean training score.
    masses_ : (2, 2) array
        Masses of the positive and of the negative class; one column a bin.

    References
    ----------
    Nobody (2000). Thresholds. Journal of Toys 1(1), 3-4.

    Examples
    --------
    >>> scores, y = [0.0, 0.25, 0.75, 1.0], [0, 0, 1, 1]
    >>> ThresholdCalibrator().fit(scores, y).predict_interval([0.25]).round(2)
    array([[0.  , 0.33]])
    """

    _state: ClassVar = {"threshold_": fields.Field(), "masses_": fields.masses(2)}

    transform: str | None = None

    def _fit_counts(self, counts: ScoreCounts) -> None:
        shares = counts.total / counts.total.sum()
        self.threshold_ = float((shares * counts.scores).sum())
        above = counts.scores >= self.threshold_
        positive = [counts.positive[~above].sum(), counts.positive[above].sum()]
        total = [counts.total[~above].sum(), counts.total[above].sum()]
        self.masses_ = np.array(binomial_masses(positive, total, model="likelihood"))

    def _predict_mass(self, scores: Floats) -> tuple[Floats, Floats]:
        m1, m0 = self.masses_[:, (scores >= self.threshold_).astype(int)]
        return m1, m0

    def _set_state(self, state: dict[str, Any]) -> None:
        self.threshold_, self.masses_ = float(state["threshold_"]), state["masses_"]
