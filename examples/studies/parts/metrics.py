"""What a repeat measures of fused beliefs about its test samples."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evical._typing import Floats
from evical.metrics import brier_score, coverage_test, log_loss, mean_imprecision
from evical.metrics.coverage import BeliefCoverage

__all__ = ["MEASURES", "METRICS", "Fused", "Measure"]


@dataclass(frozen=True, eq=False)
class Fused:
    """Belief and plausibility of the positive class, and which rows were in total conflict."""

    y: NDArray[np.intp]
    bel: Floats
    pl: Floats
    conflicting: NDArray[np.bool_]

    @property
    def probability(self) -> Floats:
        """Pignistic probability of the positive class (Xu et al. 2016, eq. 9)."""
        return (self.bel + self.pl) / 2


def _error_rate(fused: Fused) -> float:
    # An even probability decides nothing; half an error, whichever class is called positive.
    wrong = np.where(fused.y == 1, fused.probability < 0.5, fused.probability > 0.5)
    return float(np.mean(wrong + 0.5 * (fused.probability == 0.5)))


def _brier(fused: Fused) -> float:
    return brier_score(fused.y, fused.probability)


def _log_loss(fused: Fused) -> float:
    return log_loss(fused.y, fused.probability, eps=float(np.finfo(np.float64).eps))


def _imprecision(fused: Fused) -> float:
    return mean_imprecision(np.stack([fused.bel, fused.pl], axis=1))


def _total_conflict(fused: Fused) -> float:
    return float(np.mean(fused.conflicting))


METRICS: dict[str, Callable[[Fused], float]] = {
    "error_rate": _error_rate,
    "brier": _brier,
    "log_loss": _log_loss,
    "imprecision": _imprecision,
    "total_conflict": _total_conflict,
}
"""Name to measure of one method; of all but the last two, lower is better."""

Measure = Callable[[Fused, Fused], float]
"""From the beliefs of a method, and those of a reference, to a number."""

_LEVEL = 0.05


def _of_one(metric: Callable[[Fused], float]) -> Measure:
    return lambda fused, reference: metric(fused)


def _only_right(this: Fused, other: Fused) -> float:
    """Test samples of which the first alone is right; an even probability is not right."""
    return float(np.sum(_right(this) & ~_right(other)))


def _right(fused: Fused) -> NDArray[np.bool_]:
    return np.where(fused.y == 1, fused.probability > 0.5, fused.probability < 0.5)


def _coverage(fused: Fused) -> BeliefCoverage:
    interval = np.stack([fused.bel, fused.pl], axis=1)
    return coverage_test(fused.y, interval, strategy="quantile")


MEASURES: dict[str, Measure] = {
    **{name: _of_one(metric) for name, metric in METRICS.items()},
    "only_this": _only_right,
    "only_reference": lambda fused, reference: _only_right(reference, fused),
    "covered": lambda fused, reference: _coverage(fused).share,
    "refuted": lambda fused, reference: float(_coverage(fused).pvalue < _LEVEL),
}
"""Name to measure: the metrics, discordant test samples, and the coverage of intervals."""
