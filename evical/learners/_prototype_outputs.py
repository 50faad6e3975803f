"""From the answers of prototypes to weights of evidence for classes; gradients.

A prototype of the evidential neural network commits a mass s, gives it to classes in shares u_k,
and leaves 1 - s to the frame. Dempster's rule combines prototypes to masses of single classes and
of the frame, so that each class has one weight of evidence, the sum over prototypes of
log(1 + u_k s / (1 - s)). In a radial basis function network the weights are linear in the answers.

Arrays are (R, n), (R, K) and (K, n) for R prototypes, K classes and n samples.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.special import expit

from evical._typing import Floats

GREATEST_MASS = 0.99
"""That a prototype commits: less than 1, so that the frame always keeps some mass."""

_BLOCK = 128
"""Factors in a product of 1 + u s / (1 - s) <= 100 each: at most 1e256."""


class Output(ABC):
    """Weights of evidence, from the answers of R prototypes; its parameters make up a vector."""

    @abstractmethod
    def vector(self) -> Floats:
        """All parameters, (q,)."""

    @abstractmethod
    def replaced(self, vector: Floats) -> Self:
        """The same with other parameters."""

    @abstractmethod
    def weights(self, answers: Floats) -> Floats:
        """Weights of evidence (K, n) from answers (R, n)."""

    @abstractmethod
    def slopes(self, answers: Floats, given: Floats) -> tuple[Floats, Floats]:
        """Derivatives by answers (R, n) and parameters (q,), of what has those given (K, n)."""

    @abstractmethod
    def penalty(self) -> tuple[float, Floats]:
        """What regularization adds, and its derivatives (q,)."""


@dataclass(frozen=True, eq=False)
class Committed(Output):
    """Each prototype commits a mass, in shares of classes (Denoeux 2000).

    Parameters
    ----------
    logits : (R,) array
        Of the masses at the prototypes, over `GREATEST_MASS`.
    roots : (R, K) array
        Their squares are in proportion to the shares.
    """

    logits: Floats
    roots: Floats

    @property
    def alpha(self) -> Floats:
        """Mass that a prototype commits at distance 0, (R,)."""
        return np.asarray(GREATEST_MASS * expit(self.logits))

    @property
    def shares(self) -> Floats:
        """Membership of the prototypes in classes, (R, K)."""
        squares = self.roots**2
        return np.asarray(squares / squares.sum(axis=1, keepdims=True))

    def vector(self) -> Floats:
        """All parameters, (q,)."""
        return np.concatenate([self.logits, self.roots.ravel()])

    def replaced(self, vector: Floats) -> Self:
        """The same with other parameters."""
        n = len(self.logits)
        return type(self)(vector[:n], vector[n:].reshape(n, -1))

    def weights(self, answers: Floats) -> Floats:
        """Weights of evidence (K, n) from answers (R, n)."""
        return committed_weights(self.alpha[:, np.newaxis] * answers, self.shares)

    def slopes(self, answers: Floats, given: Floats) -> tuple[Floats, Floats]:
        """Derivatives by answers (R, n) and parameters (q,), of what has those given (K, n)."""
        alpha, shares = self.alpha[:, np.newaxis], self.shares
        by_mass, by_share = committed_slopes(alpha * answers, shares, given)
        by_alpha = np.einsum("rn,rn->r", by_mass, answers)
        by_mass *= alpha
        inner = by_share - (by_share * shares).sum(axis=1, keepdims=True)
        by_root = 2 * self.roots / (self.roots**2).sum(axis=1, keepdims=True) * inner
        return by_mass, np.concatenate([by_alpha * self._by_logit(), by_root.ravel()])

    def _by_logit(self) -> Floats:
        return self.alpha * (1 - self.alpha / GREATEST_MASS)

    def penalty(self) -> tuple[float, Floats]:
        """Sum of the masses at the prototypes: some may fall silent."""
        none = np.zeros(self.roots.size)
        return float(self.alpha.sum()), np.concatenate([self._by_logit(), none])


@dataclass(frozen=True, eq=False)
class Linear(Output):
    """Weights of evidence are linear in the answers (Denoeux 2019).

    Parameters
    ----------
    coef : (R, K) array
    """

    coef: Floats

    def vector(self) -> Floats:
        """All parameters, (q,)."""
        return self.coef.ravel()

    def replaced(self, vector: Floats) -> Self:
        """The same with other parameters."""
        return type(self)(vector.reshape(self.coef.shape))

    def weights(self, answers: Floats) -> Floats:
        """Weights of evidence (K, n) from answers (R, n)."""
        return np.asarray(self.coef.T @ answers)

    def slopes(self, answers: Floats, given: Floats) -> tuple[Floats, Floats]:
        """Derivatives by answers (R, n) and parameters (q,), of what has those given (K, n)."""
        return self.coef @ given, (answers @ given.T).ravel()

    def penalty(self) -> tuple[float, Floats]:
        """Sum of squares."""
        return float((self.coef**2).sum()), 2 * self.coef.ravel()


def committed_weights(mass: Floats, shares: Floats) -> Floats:
    """Weights of the evidence for classes, if prototypes commit masses.

    Parameters
    ----------
    mass : (R, n) array
        At most 0.99.
    shares : (R, K) array

    Returns
    -------
    (K, n) array

    Examples
    --------
    >>> committed_weights(np.array([[0.5]]), np.array([[1.0, 0.0]])).round(3).tolist()
    [[0.693], [0.0]]
    """
    odds = mass / (1 - mass)
    weights = np.zeros((shares.shape[1], mass.shape[1]))
    for k, share in enumerate(shares.T[:, :, np.newaxis]):
        factors = share * odds
        factors += 1
        for start in range(0, len(mass), _BLOCK):
            weights[k] += np.log(np.multiply.reduce(factors[start : start + _BLOCK], axis=0))
    return weights


def committed_slopes(mass: Floats, shares: Floats, given: Floats) -> tuple[Floats, Floats]:
    """Derivatives with respect to the masses (R, n) and the shares (R, K).

    Parameters
    ----------
    mass, shares
        As of `committed_weights`.
    given : (K, n) array
        Derivatives with respect to the weights.
    """
    odds = mass / (1 - mass)
    by_odds, by_share = np.zeros_like(mass), np.empty_like(shares)
    part = np.empty_like(mass)  # one array for all classes: half the time
    for k, share in enumerate(shares.T[:, :, np.newaxis]):
        np.multiply(share, odds, out=part)
        part += 1
        np.divide(given[k], part, out=part)
        by_share[:, k] = np.einsum("rn,rn->r", odds, part)
        part *= share
        by_odds += part
    return by_odds / (1 - mass) ** 2, by_share
