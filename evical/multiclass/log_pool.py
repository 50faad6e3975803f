"""A logarithmic pool: logits of the classes as weighted sums of what the sources say.

The weights are uncertain. With their covariance a pool tells the log-odds of each class and how far
they may be off (delta method).
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp, softmax

from evical._typing import Floats

__all__ = ["LogPool", "chunks", "with_ones"]


_CELLS = 1 << 21  # numbers in a temporary array


@dataclass(frozen=True, eq=False)
class LogPool:
    """Weights and intercepts of a pool, with their covariance.

    Parameters
    ----------
    weights : (S,) or (K, S) array
        Of the sources, for all classes or for each.
    intercepts : (K,) array
    covariance : (S + K, S + K) or (K (S + 1), K (S + 1)) array
        Of the weights and then the intercepts; if each class has weights of its own, of these with
        the intercept, class by class.
    filled : float
        How far filled samples counted, from 0 to 1.
    """

    weights: Floats
    intercepts: Floats
    covariance: Floats
    filled: float = 0.0

    def standard_errors(self) -> Floats:
        """Posterior standard deviations of the weights, in their shape."""
        deviation = np.sqrt(np.maximum(np.diagonal(self.covariance), 0))
        if self.weights.ndim == 1:
            return np.asarray(deviation[: len(self.weights)])
        return np.asarray(deviation.reshape(len(self.intercepts), -1)[:, :-1])

    def logits(self, evidence: Floats) -> Floats:
        """Logits (n, K) for evidence (n, K, S)."""
        return np.asarray((evidence * self.weights).sum(axis=2) + self.intercepts)

    def log_odds(self, evidence: Floats) -> tuple[Floats, Floats, Floats]:
        """Probability of each class, log-odds against the others, and their standard error.

        Parameters
        ----------
        evidence : (n, K, S) array

        Returns
        -------
        three (n, K) arrays
        """
        parts = [self._log_odds(evidence[rows]) for rows in chunks(*evidence.shape)]
        p, odds, error = (np.concatenate(part) for part in zip(*parts, strict=True))
        return p, odds, error

    def _log_odds(self, evidence: Floats) -> tuple[Floats, Floats, Floats]:
        """The derivative of log(p / (1 - p)) in the logits is (e - p) / (1 - p)."""
        logits = self.logits(evidence)
        p = softmax(logits, axis=1)
        k = p.shape[1]
        others = np.where(np.eye(k, dtype=bool), -np.inf, logits[:, np.newaxis])
        odds = logits - logsumexp(others, axis=2)
        spread = self.spread(evidence, logits.argmax(axis=1))
        mean = np.einsum("nkl,nl->nk", spread, p)
        variance = np.einsum("nkk->nk", spread) - 2 * mean + np.einsum("nk,nk->n", mean, p)[:, None]
        # With the most likely class at 0, nothing is lost to rounding where it is nearly certain.
        rest = np.exp(-np.logaddexp(0.0, odds))
        return p, odds, np.sqrt(np.maximum(variance, 0)) / rest

    def spread(self, evidence: Floats, origin: NDArray[np.intp]) -> Floats:
        """Covariance (n, K, K) of the logits less that of a class (n,), the origin."""
        n, k, s = evidence.shape
        if self.weights.ndim == 1:
            both = self.covariance[:s, :s]
            cross = evidence @ self.covariance[:s, s:]
            found = evidence @ both @ evidence.transpose(0, 2, 1)
            found += cross + cross.transpose(0, 2, 1) + self.covariance[s:, s:]
        else:
            full = with_ones(evidence)
            blocks = self.covariance.reshape(k, s + 1, k, s + 1)
            half = np.einsum("nkm,kmlj->nklj", full, blocks)
            found = np.einsum("nklj,nlj->nkl", half, full)
        row = np.arange(n)
        own, column = found[row, origin, origin], found[row, :, origin]
        return np.asarray(
            found - column[:, :, None] - column[:, None, :] + own[:, np.newaxis, np.newaxis]
        )


def with_ones(evidence: Floats) -> Floats:
    """Evidence (n, K, S + 1), with that for the intercept.

    Parameters
    ----------
    evidence : (n, K, S) array

    Returns
    -------
    (n, K, S + 1) array

    Examples
    --------
    >>> with_ones(np.zeros((1, 2, 1))).tolist()
    [[[0.0, 1.0], [0.0, 1.0]]]
    """
    return np.concatenate([evidence, np.ones((*evidence.shape[:2], 1))], axis=2)


def chunks(n: int, k: int, s: int) -> Iterator[slice]:
    """Rows of which the covariances of the logits fit into a temporary array.

    Parameters
    ----------
    n, k, s : int
        Numbers of samples, classes and sources.

    Yields
    ------
    slice

    Examples
    --------
    >>> list(chunks(300_000, 2, 3))
    [slice(0, 131072, None), slice(131072, 262144, None), slice(262144, 393216, None)]
    """
    step = max(1, _CELLS // (k * k * (s + 1)))
    return (slice(start, start + step) for start in range(0, max(n, 1), step))
