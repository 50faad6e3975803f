"""Logistic regression of one class on the log-odds that the sources give it.

Weights are non-negative and shrunk to a default, so a few dozen samples suffice; one more term
bends the sigmoid if frequencies do not follow one. The joint uncertainty about all coefficients
becomes belief and plausibility, by the quadratic approximation of the likelihood (Xu et al. 2016,
eq. 22-23 and 33-40, for several scores).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, minimize
from scipy.special import expit

__all__ = ["Pool", "fit_pool"]

Floats = NDArray[np.float64]

# Levels of the likelihood as distances r from its peak, in standard errors, with probability
# r exp(-r^2 / 2) dr; what lies beyond 6.5 has 7e-10 of it.
_POINTS, _SHARES = np.polynomial.legendre.leggauss(48)
_DISTANCES = 3.25 * (_POINTS + 1)
_LEVELS = _SHARES * _DISTANCES * np.exp(-(_DISTANCES**2) / 2)
_LEVELS = _LEVELS / _LEVELS.sum()
# Log-odds that differ by less are equal but for rounding.
_SAME = 1e-9
_PRECISION: Any = {"ftol": 1e-14, "gtol": 1e-8, "maxiter": 1000}


@dataclass(frozen=True, eq=False)
class Bend:
    """The sum of log-odds by default weights, standardized and saturated.

    Parameters
    ----------
    weights : (S,) array
    center, scale : float
    """

    weights: Floats
    center: float
    scale: float

    @classmethod
    def of(cls, log_odds: Floats, weights: Floats, counts: Floats) -> "Bend":
        """Standardized by the mean and the standard deviation of samples (n, S)."""
        total = log_odds @ weights
        center = float(np.average(total, weights=counts))
        scale = float(np.sqrt(np.average((total - center) ** 2, weights=counts)))
        return cls(weights, center, scale if scale > _SAME else 1.0)

    def __call__(self, log_odds: Floats) -> Floats:
        return np.asarray(np.tanh((log_odds @ self.weights - self.center) / self.scale))


@dataclass(frozen=True, eq=False)
class Pool:
    """A weighted sum of log-odds, bent, with the covariance of its coefficients.

    Parameters
    ----------
    bend : Bend
    coefficients : (S + 2,) array
        Weights of the sources, of the bend, and the intercept.
    covariance : (S + 2, S + 2) array
    """

    bend: Bend
    coefficients: Floats
    covariance: Floats

    @property
    def weights(self) -> Floats:
        """Weights (S,) of the sources."""
        return self.coefficients[:-2]

    def masses(self, log_odds: Floats) -> Floats:
        """Masses (3, *batch) of "not this class", "this class" and "either".

        Parameters
        ----------
        log_odds : (*batch, S) array

        Returns
        -------
        (3, *batch) array
        """
        row = _design(log_odds, self.bend)
        mle = np.asarray(row @ self.coefficients)
        variance = np.einsum("...i,ij,...j", row, self.covariance, row)
        error = np.sqrt(np.maximum(variance, 0))
        bel, doubt = np.zeros_like(mle), np.zeros_like(mle)
        for distance, level in zip(_DISTANCES, _LEVELS, strict=True):
            bel += level * expit(mle - distance * error)
            doubt += level * expit(-mle - distance * error)
        return np.stack([doubt, bel, np.maximum(1 - bel - doubt, 0)])


def fit_pool(
    log_odds: Floats, positive: NDArray[np.bool_], counts: Floats, default: Floats, penalty: float
) -> Pool:
    """Coefficients of the largest penalized likelihood.

    Minimizes the log loss plus ``penalty / 2`` times the squared distance of the weights from
    their default, and of the weight of the bend from 0; weights of sources are not negative.

    Parameters
    ----------
    log_odds : (n, S) array
    positive : (n,) array of bool
        Some are, some are not.
    counts : (n,) array
        Number of samples that each one counts for.
    default : (S,) array
    penalty : float
        Positive, so that labels need no smoothing: separable ones have a finite optimum.

    Returns
    -------
    Pool
    """
    bend = Bend.of(log_odds, default, counts)
    design = _design(log_odds, bend)
    pull = np.append(np.full(len(default) + 1, penalty), 0.0)
    start = np.append(default, [0.0, 0.0])

    def objective(coefficients: Floats) -> tuple[float, Floats]:
        z, moved = design @ coefficients, coefficients - start
        loss = float(counts @ (np.logaddexp(0, z) - positive * z)) + 0.5 * float(pull @ moved**2)
        return loss, design.T @ (counts * (expit(z) - positive)) + pull * moved

    bounds = Bounds(np.append(np.zeros(len(default)), [-np.inf, -np.inf]), np.inf)
    found = minimize(
        objective, start, jac=True, method="L-BFGS-B", bounds=bounds, options=_PRECISION
    )
    probability = expit(design @ found.x)
    curvature = counts * probability * (1 - probability)
    information = (design.T * curvature) @ design + np.diag(pull)
    covariance: Floats = np.linalg.inv(information).astype(np.float64)
    return Pool(bend, found.x, covariance)


def _design(log_odds: Floats, bend: Bend) -> Floats:
    bent = bend(log_odds)
    return np.concatenate([log_odds, bent[..., np.newaxis], np.ones((*bent.shape, 1))], axis=-1)
