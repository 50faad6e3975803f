"""Maps from scores to probabilities, for which intervals are tried: forms right and wrong.

Scores are standard normal, as margins are. A sigmoid is what logistic calibration assumes, and the
rare class too; two steps, waves, a plateau and a U are what it cannot be. The first, the steps, the
plateau and the rare class rise, as isotonic calibration assumes.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtri

from evical._typing import Floats

__all__ = ["MAPS", "coverage", "draw", "quantiles"]


def _sigmoid(z: Floats) -> Floats:
    return np.asarray(expit(2 * z))


def _steps(z: Floats) -> Floats:
    return np.where(z < -0.5, 0.1, np.where(z < 0.5, 0.5, 0.9))


def _wavy(z: Floats) -> Floats:
    return np.asarray(expit(1.5 * z + 1.2 * np.sin(3 * z)))


def _plateau(z: Floats) -> Floats:
    return np.asarray(expit(4 * np.sign(z) * np.maximum(np.abs(z) - 0.8, 0.0)))


def _u(z: Floats) -> Floats:
    return np.asarray(0.9 - 0.8 * np.exp(-z * z))


def _rare(z: Floats) -> Floats:
    return np.asarray(expit(1.5 * z - 5.7))


MAPS: dict[str, Callable[[Floats], Floats]] = {
    "sigmoid": _sigmoid,
    "two steps": _steps,
    "wavy": _wavy,
    "plateau": _plateau,
    "U": _u,
    "rare": _rare,
}
"""Name to the true P(y = 1 | z); "rare" has a class of 1 %."""


def quantiles(n: int) -> Floats:
    """Quantiles of the scores at (i - 1/2) / n, over which a mean is an expectation.

    Parameters
    ----------
    n : int

    Returns
    -------
    (n,) array
    """
    return np.asarray(ndtri((np.arange(n) + 0.5) / n))


def draw(name: str, n: int, rng: np.random.Generator) -> tuple[Floats, NDArray[np.int64]]:
    """Scores and labels of both classes; a sample with one class is drawn again.

    Parameters
    ----------
    name : str
        In `MAPS`.
    n : int
    rng : numpy.random.Generator

    Returns
    -------
    scores, y : (n,) arrays

    Examples
    --------
    >>> scores, y = draw("rare", 50, np.random.default_rng(0))
    >>> scores.shape, sorted(set(y.tolist()))
    ((50,), [0, 1])
    """
    while True:
        scores = rng.normal(size=n)
        y = (rng.random(n) < MAPS[name](scores)).astype(np.int64)
        if 0 < y.sum() < n:
            return scores, y


def coverage(interval: Floats, truth: Floats) -> tuple[float, float, float]:
    """Share of scores whose probability an interval covers, whether all are, and mean width.

    Parameters
    ----------
    interval : (n, 2) array
    truth : (n,) array

    Returns
    -------
    three floats

    Examples
    --------
    >>> coverage(np.array([[0.1, 0.5], [0.2, 0.4]]), np.array([0.5, 0.1]))
    (0.5, 0.0, 0.3)
    """
    low, high = interval.T
    inside = (low <= truth + 1e-12) & (truth - 1e-12 <= high)  # rounding of the interval
    width = round(float(np.mean(high - low)), 12)
    return float(inside.mean()), float(inside.all()), width
