"""Simulated scores whose true probability of the positive class is known.

If P(y = 1 | s) is known, a calibrator can be compared with the truth, without the noise of labels.
Some maps increase, as for a classifier that ranks well; others do not, as for a classifier that is
too simple for its data (Naeini 2016, section 4.1).
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, logit, ndtri

from dstheory.checks.arguments import as_floats, check_choice, check_count, check_rng
from evical._typing import Floats
from evical.scores.checks import refuse


class SimulatedScores(NamedTuple):
    """A simulated sample of scores.

    Parameters
    ----------
    scores : (n,) array
    y : (n,) int array of 0 and 1
    probability : (n,) array
        True P(y = 1 | s) of each score.

    Examples
    --------
    >>> sample = simulated_scores("margin", 3, np.random.default_rng(0))
    >>> sample.scores.shape, sample.y.dtype.kind
    ((3,), 'i')
    """

    scores: Floats
    y: NDArray[np.int64]
    probability: Floats


def _monotone(s: Floats) -> Floats:
    return np.asarray(0.05 + 0.9 * (s - 0.9 * np.sin(4 * np.pi * s) / (4 * np.pi)))


def _nonmonotone(s: Floats) -> Floats:
    return np.asarray(0.5 - 0.4 * np.cos(3 * np.pi * s))


def _margin(s: Floats) -> Floats:
    near = np.clip(s, -100, 100)  # beyond, the exponential is 0, and a square may overflow
    return np.asarray(0.05 + 0.85 * np.exp(-near * near / 2))


def _overconfident(s: Floats) -> Floats:
    z = logit(np.clip(s, 1e-300, 1 - 2.0**-53)) / 4  # a sine has no value at infinity
    return np.asarray(0.02 + 0.96 * expit(1.2 * z + 0.4 * np.sin(3 * z)))


def _unit_quantile(u: Floats) -> Floats:
    return np.asarray(expit(1.5 * ndtri(u)))


def _extreme_quantile(u: Floats) -> Floats:
    return np.asarray(expit(4 * ndtri(u)))


def _margin_quantile(u: Floats) -> Floats:
    return np.asarray(1.5 * ndtri(u))


_KINDS: dict[str, tuple[Callable[[Floats], Floats], Callable[[Floats], Floats]]] = {
    "monotone": (_monotone, _unit_quantile),
    "nonmonotone": (_nonmonotone, _unit_quantile),
    "overconfident": (_overconfident, _extreme_quantile),
    "margin": (_margin, _margin_quantile),
}
SIMULATIONS = tuple(_KINDS)
_MOST = 10**8  # numbers of a sample, 800 MB


def simulated_scores(kind: str, n: int, rng: np.random.Generator) -> SimulatedScores:
    """Draw scores, and labels from their true probability.

    Parameters
    ----------
    kind : {"monotone", "nonmonotone", "overconfident", "margin"}
        See Notes.
    n : int
        Number of samples.
    rng : numpy.random.Generator

    Returns
    -------
    SimulatedScores
        Named tuple ``scores, y, probability``, (n,) each.

    Raises
    ------
    ValueError
        If there is no such kind, or `n` is not positive.

    Notes
    -----
    ``"monotone"`` and ``"nonmonotone"`` have scores in (0, 1), s = expit(1.5 z) with z standard
    normal, and the true maps 0.05 + 0.9 (s - 0.9 sin(4 pi s) / (4 pi)), which climbs in two steps,
    and 0.5 - 0.4 cos(3 pi s), which goes up, down and up again. ``"overconfident"`` has scores
    expit(4 z), most of them near 0 or 1 as those of naive Bayes are, and the increasing map
    0.02 + 0.96 expit(1.2 z + 0.4 sin(3 z)). ``"margin"`` has scores 1.5 z on the real line and the
    true map 0.05 + 0.85 exp(-s^2 / 2): the margin of a linear classifier on a class that lies
    inside the other.

    Examples
    --------
    >>> scores, y, p = simulated_scores("monotone", 4, np.random.default_rng(0))
    >>> y.shape, bool(((p > 0.05) & (p < 0.95)).all())
    ((4,), True)
    """
    _, quantile = _kind(kind)
    size = check_count("n", n, 1, _MOST)
    check_rng(rng)
    # ndtri has no value at 0, which a uniform draw can be.
    scores = quantile(np.maximum(rng.random(size), 2.0**-54))
    probability = simulated_probability(kind, scores)
    return SimulatedScores(scores, (rng.random(size) < probability).astype(np.int64), probability)


def simulated_probability(kind: str, scores: ArrayLike) -> Floats:
    """True P(y = 1 | s) of a kind of simulated scores.

    Parameters
    ----------
    kind : {"monotone", "nonmonotone", "overconfident", "margin"}
        As in `simulated_scores`.
    scores : array

    Returns
    -------
    array of the shape of `scores`

    Raises
    ------
    ValueError
        If there is no such kind, or a score is none of that kind.

    Examples
    --------
    >>> simulated_probability("monotone", [0, 0.5, 1])
    array([0.05, 0.5 , 0.95])
    """
    probability, _ = _kind(kind)
    s = as_floats(scores, "scores")
    low, high = (-np.inf, np.inf) if kind == "margin" else (0.0, 1.0)
    wrong = ~(np.isfinite(s) & (s >= low) & (s <= high))
    expected = "a finite score" if kind == "margin" else "a score in [0, 1]"
    refuse(s, wrong, "scores", f"{expected} of kind {kind!r}")
    return probability(s)


def simulated_quantiles(kind: str, n: int) -> Floats:
    """Quantiles of simulated scores at (i - 1/2) / n, over which a mean is an expectation.

    Parameters
    ----------
    kind : {"monotone", "nonmonotone", "overconfident", "margin"}
        As in `simulated_scores`.
    n : int
        Number of quantiles.

    Returns
    -------
    (n,) array
        Ascending. A mean over them is the midpoint rule for the expectation over scores.

    Raises
    ------
    ValueError
        If there is no such kind, or `n` is not positive.

    Examples
    --------
    >>> simulated_quantiles("margin", 3)[1]
    np.float64(0.0)
    """
    size = check_count("n", n, 1, _MOST)
    return _kind(kind)[1]((np.arange(size) + 0.5) / size)


def _kind(kind: str) -> tuple[Callable[[Floats], Floats], Callable[[Floats], Floats]]:
    check_choice("kind", kind, _KINDS)
    return _KINDS[kind]
