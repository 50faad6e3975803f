"""What a repeat measures of fused beliefs about its test samples."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evical._typing import Floats
from evical.metrics import brier_score, coverage_test, log_loss, mean_imprecision
from evical.metrics.coverage import BeliefCoverage

__all__ = ["MEASURES", "METRICS", "Fused", "Measure", "Metric"]


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


@dataclass(frozen=True)
class Metric:
    """A measure of a repeat, with its format in tables.

    Parameters
    ----------
    key, name, meaning : str
        For programs, for the head of a column, and in words.
    measure : callable
        From the fused beliefs of a test set to the number.
    factor : float
        Unit in tables, such as 100 for percent.
    digits : int
        Decimal places in tables.
    """

    key: str
    name: str
    meaning: str
    measure: Callable[[Fused], float]
    factor: float
    digits: int


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


METRICS = (
    Metric(
        "error_rate",
        "Error %",
        "share of test samples whose more probable class is wrong; an even probability counts "
        "as half an error",
        _error_rate,
        100,
        1,
    ),
    Metric(
        "brier",
        "Brier",
        "mean squared distance of the pignistic probability from the label",
        _brier,
        1,
        3,
    ),
    Metric(
        "log_loss",
        "Log loss",
        "mean negative logarithm of the pignistic probability of the true class, at least "
        "2.2e-16 as in scikit-learn: a wrong certainty costs 36",
        _log_loss,
        1,
        2,
    ),
    Metric(
        "imprecision",
        "Pl - Bel",
        "mean difference between plausibility and belief: what the evidence leaves open",
        _imprecision,
        1,
        3,
    ),
    Metric(
        "total_conflict",
        "Conflict %",
        "share of test samples for which the classifiers exclude each other, so that Dempster's "
        "rule has no result; they are taken as vacuous, with probability 1/2",
        _total_conflict,
        100,
        1,
    ),
)
"""Columns of the table; of all but the last two, lower is better."""

Measure = Callable[[Fused, Fused], float]
"""From the beliefs of a method, and those of a reference, to a number."""

_LEVEL = 0.05


def _of_one(metric: Metric) -> Measure:
    return lambda fused, reference: metric.measure(fused)


def _only_right(this: Fused, other: Fused) -> float:
    """Test samples of which the first alone is right; an even probability is not right."""
    return float(np.sum(_right(this) & ~_right(other)))


def _right(fused: Fused) -> NDArray[np.bool_]:
    return np.where(fused.y == 1, fused.probability > 0.5, fused.probability < 0.5)


def _coverage(fused: Fused) -> BeliefCoverage:
    interval = np.stack([fused.bel, fused.pl], axis=1)
    return coverage_test(fused.y, interval, strategy="quantile")


MEASURES: dict[str, Measure] = {
    **{metric.key: _of_one(metric) for metric in METRICS},
    "only_this": _only_right,
    "only_reference": lambda fused, reference: _only_right(reference, fused),
    "covered": lambda fused, reference: _coverage(fused).share,
    "refuted": lambda fused, reference: float(_coverage(fused).pvalue < _LEVEL),
}
"""Name to measure: the metrics, discordant test samples, and the coverage of intervals."""
