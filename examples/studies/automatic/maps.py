"""Twenty maps from scores to probabilities: ten to choose constants on, and ten held back.

A map is the quantile function of the scores and the true P(y = 1 | s).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, ndtri
from scipy.stats import betabinom, laplace, norm, t

from evical._typing import Floats

__all__ = ["CHOSEN", "HELD_BACK", "MAPS", "SimulatedMap"]


@dataclass(frozen=True)
class SimulatedMap:
    """Scores and their true probabilities.

    Parameters
    ----------
    quantile : callable
        From (n,) levels in (0, 1) to scores.
    probability : callable
        From (n,) scores to P(y = 1 | s).
    bounded : bool
        Whether scores lie in [0, 1]; else they are margins.
    """

    quantile: Callable[[Floats], Floats]
    probability: Callable[[Floats], Floats]
    bounded: bool = True

    def quantiles(self, n: int) -> Floats:
        """Scores at the levels (i - 1/2) / n, over which a mean is an expectation."""
        return self.quantile((np.arange(n) + 0.5) / n)

    def draw(self, n: int, rng: np.random.Generator) -> tuple[Floats, NDArray[np.int64]]:
        """Scores and labels of both classes; a sample with one class is drawn again."""
        while True:
            scores = self.quantile(np.maximum(rng.random(n), 2.0**-54))
            y = (rng.random(n) < self.probability(scores)).astype(np.int64)
            if 0 < y.sum() < n:
                return scores, y


def _mixture(deviation: float) -> Callable[[Floats], Floats]:
    """Quantiles of N(-1, 1) and N(1, deviation) in equal shares."""
    at = np.linspace(-8 * deviation, 8 * deviation, 20_001)
    share = (norm.cdf(at, -1, 1) + norm.cdf(at, 1, deviation)) / 2
    return lambda u: np.interp(u, share, at)


def _unit(spread: float) -> Callable[[Floats], Floats]:
    """Quantiles of probabilities with normal log-odds."""
    return lambda u: np.asarray(expit(spread * ndtri(u)))


def _levels(*values: float) -> Callable[[Floats], Floats]:
    """Steps of equal width on [0, 1]."""
    steps, last = np.array(values), len(values) - 1
    return lambda u: steps[np.minimum((u * len(steps)).astype(int), last)]


def _votes(u: Floats) -> Floats:
    """Shares of a hundred trees, mostly near 0 and 1."""
    share = betabinom.cdf(np.arange(101), 100, 0.3, 0.5)
    return np.searchsorted(share, u).clip(0, 100) / 100


def _odds(s: Floats) -> Floats:
    return np.asarray(logit(np.clip(s, 1e-300, 1 - 2.0**-53)))


def _plateau(s: Floats) -> Floats:
    first, second = np.clip((s - 0.3) / 0.15, 0, 1), np.clip((s - 0.7) / 0.1, 0, 1)
    return np.asarray(0.05 + 0.45 * first + 0.45 * second)


def _beta(s: Floats) -> Floats:
    near = np.clip(s, 1e-12, 1 - 1e-12)
    return np.asarray(expit(0.6 * np.log(near) - 1.5 * np.log1p(-near) - 0.8))


_TWO, _WIDE = _mixture(1.0), _mixture(2.0)
_FIVE = (0.1, 0.3, 0.5, 0.7, 0.9)

CHOSEN = {
    "sigmoid": SimulatedMap(_TWO, lambda s: expit(2 * s), False),
    "waves": SimulatedMap(
        _unit(1.5), lambda s: 0.05 + 0.9 * (s - 0.9 * np.sin(4 * np.pi * s) / (4 * np.pi))
    ),
    "steps": SimulatedMap(
        _unit(1.5), lambda s: np.where(s < 0.35, 0.1, np.where(s < 0.7, 0.45, 0.9))
    ),
    "plateau": SimulatedMap(lambda u: u, _plateau),
    "U": SimulatedMap(lambda u: 1.5 * ndtri(u), lambda s: 0.05 + 0.85 * np.exp(-s * s / 2), False),
    "rare class": SimulatedMap(lambda u: 1.5 * _TWO(u), lambda s: expit(1.2 * s - 6), False),
    "five scores": SimulatedMap(
        _levels(*_FIVE), lambda s: np.interp(s, _FIVE, [0.03, 0.15, 0.6, 0.55, 0.97])
    ),
    "heavy tails": SimulatedMap(
        lambda u: t.ppf(u, 2), lambda s: expit(2.5 * np.arctan(1.5 * s) + 0.3), False
    ),
    "overconfident": SimulatedMap(
        _unit(4.0),
        lambda s: 0.02 + 0.96 * expit(0.3 * _odds(s) + 0.4 * np.sin(0.75 * _odds(s))),
    ),
    "votes": SimulatedMap(_votes, lambda s: expit(logit((100 * s + 2) / 104) + 0.2)),
}
"""Name to map; constants of `AutoCalibrator` were chosen on these."""

HELD_BACK = {
    "two variances": SimulatedMap(
        _WIDE, lambda s: expit(-np.log(2) - (s - 1) ** 2 / 8 + (s + 1) ** 2 / 2), False
    ),
    "calibrated": SimulatedMap(_unit(1.5), lambda s: s),
    "beta": SimulatedMap(_unit(2.5), _beta),
    "stairs": SimulatedMap(lambda u: u, _levels(0.02, 0.2, 0.25, 0.6, 0.65, 0.98)),
    "sine": SimulatedMap(
        lambda u: 2 * ndtri(u), lambda s: expit(0.8 * s + 1.2 * np.sin(1.7 * s)), False
    ),
    "two slopes": SimulatedMap(laplace.ppf, lambda s: expit(np.where(s < 0, 3, 0.7) * s), False),
    "kink": SimulatedMap(_unit(1.5), lambda s: 0.08 + 1.7 * np.maximum(s - 0.5, 0)),
    "ten votes": SimulatedMap(lambda u: _votes(u).round(1), lambda s: 0.9 * s + 0.05),
    "naive Bayes": SimulatedMap(_unit(12.0), lambda s: expit(0.08 * _odds(s) - 0.5)),
    "rare steps": SimulatedMap(lambda u: u, lambda s: np.where(s < 0.9, 0.002, 0.08)),
}
"""Name to map; these were looked at after all constants had been chosen."""

MAPS = CHOSEN | HELD_BACK
