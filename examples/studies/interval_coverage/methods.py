"""The models whose intervals are tried, and how an interval is taken from them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evical import calibrators
from evical._typing import Floats
from examples.studies.parts.quiet import fit_quietly

__all__ = ["ALPHA", "METHODS", "Method"]


ALPHA = 0.1465  # of level sets: P(chi2_1 <= -2 log(alpha)) is 95 %


@dataclass(frozen=True)
class Method:
    """A calibrator, and its intervals: [Bel, Pl] and level sets.

    Parameters
    ----------
    name : str
        In tables.
    calibrator : str
        Class of `evical.calibrators`.
    options : tuple of (str, value) pairs
    level_set : bool
        Whether the level set of 95 % is tried too, under a name of its own.
    every : int
        Of so many repeats one tries it: for what takes long.
    """

    name: str
    calibrator: str
    options: tuple[tuple[str, Any], ...] = ()
    level_set: bool = False
    every: int = 1

    @property
    def names(self) -> tuple[str, ...]:
        """Of its intervals."""
        more = (self.name.replace("likelihood", "level set 95 %"),) if self.level_set else ()
        return (self.name, *more)

    def intervals(self, scores: Floats, y: NDArray[np.int64], at: Floats) -> list[Floats]:
        """Intervals (q, 2) at scores (q,), learned from a sample; one for each name.

        Parameters
        ----------
        scores, y : (n,) arrays
        at : (q,) array

        Returns
        -------
        list of (q, 2) arrays
        """
        fitted = getattr(calibrators, self.calibrator)(**dict(self.options))
        fit_quietly(fitted, scores, y)  # few samples may point the wrong way
        found = [np.asarray(fitted.predict_interval(at))]
        return [*found, fitted.level_set(at, ALPHA)] if self.level_set else found


_CONFIDENCE, _ALONE = ("model", "confidence"), ("envelope", False)
_SIGMOID = ("transform", "sigmoid")  # of scores that are margins
_LOGISTIC, _ISOTONIC, _BINS = "LogisticCalibrator", "IsotonicCalibrator", "BinningCalibrator"

METHODS = (
    Method("AutoCalibrator, likelihood", "AutoCalibrator"),
    Method("AutoCalibrator, confidence 95 %", "AutoCalibrator", (_CONFIDENCE,)),
    Method("spline, likelihood", "SplineCalibrator", (), True),
    Method("spline, confidence 95 %", "SplineCalibrator", (_CONFIDENCE,)),
    Method("logistic, likelihood", _LOGISTIC, (), True),
    Method("logistic, confidence 95 %", _LOGISTIC, (_CONFIDENCE,)),
    Method("logistic, inverse pignistic", _LOGISTIC, (("model", "inverse_pignistic"),)),
    Method("beta, likelihood", "BetaCalibrator", (_SIGMOID,), True, 5),
    Method("beta, confidence 95 %", "BetaCalibrator", (_CONFIDENCE, _SIGMOID)),
    Method("quadratic, likelihood", "QuadraticLogisticCalibrator", (), False, 5),
    Method("quadratic, confidence 95 %", "QuadraticLogisticCalibrator", (_CONFIDENCE,)),
    Method("isotonic, band 95 %", _ISOTONIC, (("model", "band"),)),
    Method("isotonic, likelihood", _ISOTONIC),
    Method("isotonic without envelope, likelihood", _ISOTONIC, (_ALONE,), True),
    Method("isotonic, confidence 95 %", _ISOTONIC, (_CONFIDENCE,)),
    Method("isotonic without envelope, confidence 95 %", _ISOTONIC, (_CONFIDENCE, _ALONE)),
    Method("isotonic, Dempster", _ISOTONIC, (("model", "dempster"),)),
    Method("bins, likelihood", _BINS, (), True),
    Method("bins, confidence 95 %", _BINS, (_CONFIDENCE,)),
    Method("bins, Dempster", _BINS, (("model", "dempster"),)),
    Method("Venn-Abers", "VennAbersCalibrator"),
    Method("kernels, likelihood", "KDECalibrator", (("model", "likelihood"), _SIGMOID)),
    Method("kernels, confidence 95 %", "KDECalibrator", (_CONFIDENCE, _SIGMOID)),
    Method("BBQ, likelihood", "BBQCalibrator", (("model", "likelihood"), _SIGMOID)),
    Method("BBQ, confidence 95 %", "BBQCalibrator", (_CONFIDENCE, _SIGMOID)),
    Method("ENIR, likelihood", "ENIRCalibrator", (("model", "likelihood"), _SIGMOID)),
    Method("ENIR, confidence 95 %", "ENIRCalibrator", (_CONFIDENCE, _SIGMOID)),
)
"""In the order of tables: the default, curves with a form, and those that follow the data."""
