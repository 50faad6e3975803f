"""The evidential models that calibrators share: their names, their checks, and their masses.

Masses follow from counts, or from log-odds and their standard error alone.

Source: Xu, Davoine, Zha & Denoeux, IJAR 72 (2016), section 4.3 and equations 10, 26-28.
"""

from abc import ABC, abstractmethod
from typing import Literal, TypeAlias

import numpy as np
from scipy.special import expit

from dstheory.checks.arguments import check_count
from dstheory.inference import binomial_masses
from dstheory.inference.counts.checks import BinomialModel
from evical._typing import Floats
from evical.beliefs.bounded import normal_bounds
from evical.likelihood.level_set import binomial_level_set
from evical.scores.scale import sides

# Trials of less weight say nothing; every model has reached its limit long before.
_LEAST = 1e-12
_ROUNDING = 1e-15


def count_masses(
    positive: Floats, total: Floats, model: BinomialModel, confidence: float
) -> Floats:
    """Masses (2, q) of the positive and the negative class from k of n, both real.

    Without trials the mass function is vacuous, or 1/2 for both classes if the model gives only
    probabilities.
    """
    masses = np.full((2, len(total)), 0.5 if model in ("bayesian", "laplace") else 0.0)
    some = np.flatnonzero(total > _LEAST)
    if len(some):
        n = total[some]
        # Shares of fractions are rounded; k must stay within [0, n].
        k = np.clip(positive[some], 0.0, n)
        found = np.stack(binomial_masses(k, n, model, confidence=confidence))
        # Next to the mass of the frame these would be rounded away, but not in comparisons.
        masses[:, some] = np.where(found < _ROUNDING, 0.0, found)
    return masses


LogOddsModel: TypeAlias = Literal["likelihood", "confidence", "inverse_pignistic", "bayesian"]


def masses_from_log_odds(
    model: str,
    log_odds: Floats,
    deviation: Floats,
    confidence: float,
    mean: Floats | None = None,
) -> tuple[Floats, Floats]:
    """m({positive}) and m({negative}) by a model other than "likelihood".

    Parameters
    ----------
    model : {"confidence", "inverse_pignistic", "bayesian"}
    log_odds, deviation : (n,) arrays
        Of the positive class, and their standard error.
    confidence : float
        Level of the normal interval of the log-odds (delta method).
    mean : (n,) array, optional
        Posterior mean of the probability, as for `normal_bounds`.

    Returns
    -------
    two (n,) arrays

    Examples
    --------
    >>> zero = np.zeros(1)
    >>> masses_from_log_odds("confidence", zero, zero, 0.9)
    (array([0.45]), array([0.45]))
    """
    if model == "confidence":
        # The upper end from the other class, whose mass keeps its digits.
        positive, _ = normal_bounds(log_odds, deviation, confidence, mean)
        rest = None if mean is None else 1.0 - mean
        negative, _ = normal_bounds(-log_odds, deviation, confidence, rest)
        return confidence * positive, confidence * negative
    positive, negative = sides(log_odds)
    if model == "inverse_pignistic":
        return np.maximum(positive - negative, 0), np.maximum(negative - positive, 0)
    return positive, negative


class FromCounts(ABC):
    """Mixin of calibrators whose probability at a score is that of k positives among n."""

    @abstractmethod
    def _counts_at(self, scores: Floats) -> tuple[Floats, Floats]:
        """k and n at scores (m,), as the fit reads them."""

    def _ends(self, scores: Floats, level: float) -> Floats:
        """Clopper-Pearson limits (2, m)."""
        return count_limits(*self._counts_at(scores), level)

    def _level_set(self, scores: Floats, level: float) -> Floats:
        """Level sets (2, m) of the binomial likelihood."""
        return binomial_level_set(*self._counts_at(scores), level)

    def _point(self, scores: Floats) -> Floats:
        """Pignistic probability of the model "likelihood"."""
        return count_estimates(*self._counts_at(scores))


class FromLogOdds(ABC):
    """Mixin of calibrators that know the log-odds at a score and their standard error."""

    @abstractmethod
    def _log_odds_at(self, scores: Floats) -> tuple[Floats, Floats]:
        """Log-odds at scores (m,), as the fit reads them, and their standard errors."""

    def _ends(self, scores: Floats, level: float) -> Floats:
        """Limits (2, m) by the delta method."""
        return np.stack(normal_bounds(*self._log_odds_at(scores), level))

    def _point(self, scores: Floats) -> Floats:
        """The fitted probability."""
        return np.asarray(expit(self._log_odds_at(scores)[0]))


def count_limits(positive: Floats, total: Floats, level: float) -> Floats:
    """Clopper-Pearson limits (2, q) from k of n, both real; 0 and 1 without trials.

    Examples
    --------
    >>> count_limits(np.array([5.0, 0.0]), np.array([10.0, 0.0]), 0.95).round(3)
    array([[0.187, 0.   ],
           [0.813, 1.   ]])
    """
    lower, beyond = count_masses(positive, total, "confidence", level) / level
    return np.stack([lower, np.where(total > _LEAST, 1 - beyond, 1.0)])


def count_estimates(positive: Floats, total: Floats) -> Floats:
    """Pignistic probabilities (q,) of the model "likelihood" from k of n, both real.

    Examples
    --------
    >>> count_estimates(np.array([5.0, 0.0, 0.0]), np.array([10.0, 1.0, 0.0]))
    array([0.5 , 0.25, 0.5 ])
    """
    one, other = count_masses(positive, total, "likelihood", 0.95)
    return np.asarray(one + (1 - (one + other)) / 2)


_MOST = 2**24  # things in one array: 128 MB of numbers


def check_size(name: str, value: object, least: int = 1) -> None:
    """Raise unless a parameter is a whole number that an array can have as its size."""
    check_count(name, value, least, _MOST)
