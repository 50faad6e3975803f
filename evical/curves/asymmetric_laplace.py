"""The asymmetric Laplace density: an exponential tail on each side of a mode.

For a fixed mode the most likely scales have a closed form in the sums of distances to either side;
the mode is sought among all scores. Cumulative sums give those distances for every candidate at
once, so that the search takes no longer than sorting.

Source: Bennett (2002); Gebel (2009), section 4.3.3, eq. 4.8.
"""

from typing import NamedTuple

import numpy as np

from evical._typing import Floats

STEEPEST = 1e200  # inverse scale; log-densities at the farthest scores, 1e100, are finite


class AsymmetricLaplace(NamedTuple):
    """Mode theta and inverse scales beta, to its left, and gamma, to its right."""

    mode: float
    beta: float
    gamma: float

    def log_density(self, scores: Floats) -> Floats:
        """Logarithm of the density at scores (n,)."""
        distance = scores - self.mode
        left, right = np.log(self.beta), np.log(self.gamma)
        height = left - np.logaddexp(0, left - right)
        return np.asarray(height - np.where(distance > 0, self.gamma, -self.beta) * distance)


def fit_asymmetric_laplace(
    scores: Floats, weights: Floats, spread: float = 0.0
) -> AsymmetricLaplace | None:
    """Fit the density by maximum likelihood.

    Parameters
    ----------
    scores : (m,) array
        Ascending scores; each is a candidate for the mode.
    weights : (m,) array
        Weight of the samples at each score, possibly zero.
    spread : float
        Mean distance from the mode to assume if all samples are at one score.

    Returns
    -------
    AsymmetricLaplace or None
        None if all samples are at one score and `spread` is zero.

    Notes
    -----
    With D_l and D_r the sums of distances to the left and to the right of a mode, the likelihood
    falls with (sqrt(D_l) + sqrt(D_r))^2, so the mode is where that is least (the first one of
    equals). A side without any distance would have an infinite inverse scale, and no score there
    a density; its mean distance is taken to be the N-th part of the other's, which is the gap to
    be expected between the mode and its next neighbor, and such a mode is judged by the
    likelihood that it has then.

    Examples
    --------
    Of 12 samples, distances from mode 2 are 1 to the left and 4 to the right:

    >>> fit = fit_asymmetric_laplace(np.array([1.0, 2.0, 6.0]), np.array([1.0, 10, 1]))
    >>> fit.mode, fit.beta, fit.gamma
    (2.0, 4.0, 2.0)
    """
    n = float(weights.sum())
    left, right = _distances(scores, weights)
    largest = np.maximum(left, right)
    if not largest.all():  # all samples are at one score
        mode = float(scores[int(np.argmin(largest))])
        return AsymmetricLaplace(mode, 1.0 / spread, 1.0 / spread) if spread else None
    least = largest / max(n, 1.0) ** 2
    d_left, d_right = np.where(left > 0, left, least), np.where(right > 0, right, least)
    middle = np.sqrt(d_left) * np.sqrt(d_right)
    before, after = d_left + middle, d_right + middle
    # Minus the log-likelihood of a sample; the second part is 1 unless a side had no distance.
    loss = np.log(before + after) + left / before + right / after
    best = int(np.argmin(loss))
    with np.errstate(over="ignore"):
        beta, gamma = (min(float(n / side[best]), STEEPEST) for side in (before, after))
    return AsymmetricLaplace(float(scores[best]), beta, gamma)


def _distances(scores: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Weighted sums of distances (m,) to scores on the left and on the right of each score."""
    gaps = np.diff(scores)
    below, above = np.cumsum(weights)[:-1], np.cumsum(weights[::-1])[-2::-1]
    # Sums of positive terms: no differences, in which small distances would be lost.
    left = np.concatenate([[0.0], np.cumsum(below * gaps)])
    right = np.concatenate([np.cumsum((above * gaps)[::-1])[::-1], [0.0]])
    return left, right
