"""Venn-Abers calibration: two isotonic regressions, whose values bound the probability.

The test sample joins the calibration samples, once with each label. Isotonic regression gives it p0
or p1, and one of the two is perfectly calibrated for any distribution (Vovk & Petej 2014, theorem
1). Read as a belief interval, [p0, p1] is a mass function: narrow where there are many samples,
wide where there are few.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from evical._typing import Floats
from evical.calibrators import fields
from evical.calibrators._base import BaseCalibrator
from evical.curves.venn_abers import venn_abers_table
from evical.scores import ScoreCounts


@dataclass(kw_only=True, eq=False, repr=False)
class VennAbersCalibrator(BaseCalibrator):
    """Inductive Venn-Abers calibration as an evidential calibrator.

    The multiprobability (p0, p1) is the belief interval of the positive class:
    m({positive}) = p0, m({negative}) = 1 - p1, and the rest on the frame.

    Parameters
    ----------
    transform : {None, "auto", "logit", "sigmoid", "rank"}
        Scale on which scores are read. It can only change ties, because the method uses only the
        order of the scores.

    Attributes
    ----------
    classes_ : (2,) array
    thresholds_ : (m,) array
        Training scores, ascending, at which the interval changes.
    intervals_ : (2, 2 m + 1) array
        p0 and p1: entry ``2 i + 1`` for a score equal to threshold i, entry ``2 i`` for one
        between its predecessor and itself.

    Notes
    -----
    `predict_proba` is pignistic, (p0 + p1) / 2. The value p1 / (1 - p0 + p1), which has the
    smallest log loss in the worst case (Vovk et al. 2015, section 4), is the plausibility
    transform: ``dstheory.transform.plausibility_transform(calibrator.predict_mass(scores))``.

    The test sample has weight 1. Fitting takes O(n log n) time; each prediction is one binary
    search.

    References
    ----------
    Vovk & Petej (2014), Venn-Abers predictors, Uncertainty in Artificial Intelligence 30.
    Vovk, Petej & Fedorova (2015), Large-scale probabilistic predictors with and without
    guarantees of validity, Advances in Neural Information Processing Systems 28.

    Examples
    --------
    >>> scores, y = [1, 2, 3, 4], [0, 1, 0, 1]
    >>> calibrator = VennAbersCalibrator().fit(scores, y)
    >>> calibrator.predict_interval([0, 2.5, 4])
    array([[0.        , 0.5       ],
           [0.33333333, 0.66666667],
           [0.5       , 1.        ]])
    """

    _turns: ClassVar = ("thresholds_",)
    _state: ClassVar = {"thresholds_": fields.rising("n-1"), "intervals_": fields.shares(2, "2n-1")}

    transform: str | None = None

    def _fit_counts(self, counts: ScoreCounts) -> None:
        # Slopes of sums of fractions leave [0, 1] by their rounding, and p0 = p1 may change places.
        table = np.clip(np.stack(venn_abers_table(counts.positive, counts.total)), 0, 1)
        table[1] = np.maximum(table[1], table[0])
        changes = (np.diff(table) != 0).any(axis=0).reshape(-1, 2).any(axis=1)
        self.thresholds_ = counts.scores[changes]
        kept = np.append(np.repeat(changes, 2), True)
        self.intervals_ = table[:, kept]

    def _predict_mass(self, scores: Floats) -> tuple[Floats, Floats]:
        below = np.searchsorted(self.thresholds_, scores, side="left")
        entry = below + np.searchsorted(self.thresholds_, scores, side="right")
        return self.intervals_[0, entry], 1 - self.intervals_[1, entry]

    def _check_state(self) -> None:
        lower, upper = self.intervals_
        if not (lower <= upper).all():
            raise ValueError("saved calibrator is damaged: state intervals_ are not intervals")
