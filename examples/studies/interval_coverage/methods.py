"""The models whose intervals are tried, and how an interval is taken from them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evical import calibrators
from evical._typing import Floats
from examples.studies.parts.quiet import fit_quietly

__all__ = ["ALPHA", "LEVEL", "METHODS", "Method"]


ALPHA = 0.1465  # of level sets: P(chi2_1 <= -2 log(alpha)) is 95 %
LEVEL = 0.95


@dataclass(frozen=True)
class Method:
    """A calibrator, and its intervals: [Bel, Pl], confidence intervals and level sets.

    Parameters
    ----------
    name : str
        In tables.
    calibrator : str
        Class of `evical.calibrators`.
    options : tuple of (str, value) pairs
    interval : bool
        Whether the confidence interval of 95 % is tried too, under a name of its own.
    level_set : bool
        Whether the level set of 95 % is.
    every : int
        Of so many repeats one tries it: for what takes long.
    """

    name: str
    calibrator: str
    options: tuple[tuple[str, Any], ...] = ()
    interval: bool = False
    level_set: bool = False
    every: int = 1

    @property
    def names(self) -> tuple[str, ...]:
        """Of its intervals."""
        base = self.name.rpartition(", ")[0]
        more = {"level 95 %": self.interval, "level set 95 %": self.level_set}
        return (self.name, *(f"{base}, {kind}" for kind, tried in more.items() if tried))

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
        if self.interval:
            found.append(fitted.predict_interval(at, level=LEVEL))
        return [*found, fitted.level_set(at, ALPHA)] if self.level_set else found


_CONFIDENCE, _ALONE = ("model", "confidence"), ("envelope", False)
_SIGMOID = ("transform", "sigmoid")  # of scores that are margins
_LOGISTIC, _ISOTONIC, _BINS = "LogisticCalibrator", "IsotonicCalibrator", "BinningCalibrator"

METHODS = (
    Method("AutoCalibrator, likelihood", "AutoCalibrator", (), True),
    Method("AutoCalibrator, confidence 95 %", "AutoCalibrator", (_CONFIDENCE,)),
    Method("spline, likelihood", "SplineCalibrator", (), True, True),
    Method("logistic, likelihood", _LOGISTIC, (), True, True),
    Method("logistic, confidence 95 %", _LOGISTIC, (_CONFIDENCE,)),
    Method("logistic, inverse pignistic", _LOGISTIC, (("model", "inverse_pignistic"),)),
    Method("beta, likelihood", "BetaCalibrator", (_SIGMOID,), True, True, 5),
    Method("quadratic, likelihood", "QuadraticLogisticCalibrator", (), True, False, 5),
    Method("isotonic, band 95 %", _ISOTONIC, (("model", "band"),)),
    Method("isotonic, likelihood", _ISOTONIC, (), True),
    Method("isotonic without envelope, likelihood", _ISOTONIC, (_ALONE,), True, True),
    Method("isotonic, Dempster", _ISOTONIC, (("model", "dempster"),)),
    Method("bins, likelihood", _BINS, (), True, True),
    Method("bins, Dempster", _BINS, (("model", "dempster"),)),
    Method("Venn-Abers", "VennAbersCalibrator"),
    Method("kernels, likelihood", "KDECalibrator", (("model", "likelihood"), _SIGMOID), True),
    Method("BBQ, likelihood", "BBQCalibrator", (("model", "likelihood"), _SIGMOID), True),
    Method("ENIR, likelihood", "ENIRCalibrator", (("model", "likelihood"), _SIGMOID), True),
)
"""In the order of tables: the default, curves with a form, and those that follow the data."""
