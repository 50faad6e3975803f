"""Logistic regression of one class on the log-odds that the sources give it.

Weights are not negative and are drawn to a default, so that a few dozen samples do. What
the samples leave open about all coefficients together becomes belief and plausibility, by
the likelihood in its quadratic approximation (Xu et al. 2016, eq. 22-23 and 33-40, for
several scores instead of one).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, minimize
from scipy.special import expit

from evical.scores import platt_targets

__all__ = ["Pool", "fit_pool"]

Floats = NDArray[np.float64]

# Levels of the likelihood as distances r from its peak, in standard errors, with probability
# r exp(-r^2 / 2) dr; what lies beyond 6.5 has 7e-10 of it.
_POINTS, _SHARES = np.polynomial.legendre.leggauss(48)
_DISTANCES = 3.25 * (_POINTS + 1)
_LEVELS = _SHARES * _DISTANCES * np.exp(-(_DISTANCES**2) / 2)
_LEVELS = _LEVELS / _LEVELS.sum()
_PRECISION: Any = {"ftol": 1e-14, "gtol": 1e-8, "maxiter": 1000}


@dataclass(frozen=True, eq=False)
class Pool:
    """A weighted sum of log-odds, and how well its coefficients are known.

    Parameters
    ----------
    weights : (S,) array
    intercept : float
    covariance : (S + 1, S + 1) array
        Of weights and intercept.
    """

    weights: Floats
    intercept: float
    covariance: Floats

    def masses(self, log_odds: Floats) -> Floats:
        """Masses (3, *batch) of "not this class", "this class" and "either".

        Parameters
        ----------
        log_odds : (*batch, S) array

        Returns
        -------
        (3, *batch) array
        """
        row = np.concatenate([log_odds, np.ones((*log_odds.shape[:-1], 1))], axis=-1)
        top = log_odds @ self.weights + self.intercept
        error = np.sqrt(np.maximum(np.einsum("...i,ij,...j", row, self.covariance, row), 0))
        bel, doubt = np.zeros_like(top), np.zeros_like(top)
        for distance, level in zip(_DISTANCES, _LEVELS, strict=True):
            bel += level * expit(top - distance * error)
            doubt += level * expit(-top - distance * error)
        return np.stack([doubt, bel, np.maximum(1 - bel - doubt, 0)])


def fit_pool(
    log_odds: Floats, positive: NDArray[np.bool_], weight: Floats, default: Floats, penalty: float
) -> Pool:
    """Weights and intercept of the largest penalized likelihood.

    Minimizes the log loss, under Platt's targets, plus ``penalty / 2`` times the squared
    distance of the weights from their default, over weights that are not negative.

    Parameters
    ----------
    log_odds : (n, S) array
    positive : (n,) array of bool
    weight : (n,) array
    default : (S,) array
    penalty : float
        Positive.

    Returns
    -------
    Pool
    """
    total = float(weight[positive].sum())
    low, high = platt_targets(float(weight.sum()) - total, total)
    target = np.where(positive, high, low)
    design = np.hstack([log_odds, np.ones((len(log_odds), 1))])
    pull = np.append(np.full(len(default), penalty), 0.0)
    start = np.append(default, 0.0)

    def objective(coefficients: Floats) -> tuple[float, Floats]:
        z, moved = design @ coefficients, coefficients - start
        loss = float(weight @ (np.logaddexp(0, z) - target * z)) + 0.5 * float(pull @ moved**2)
        return loss, design.T @ (weight * (expit(z) - target)) + pull * moved

    bounds = Bounds(np.append(np.zeros(len(default)), -np.inf), np.inf)
    found = minimize(
        objective, start, jac=True, method="L-BFGS-B", bounds=bounds, options=_PRECISION
    )
    probability = expit(design @ found.x)
    curvature = weight * probability * (1 - probability)
    information = (design.T * curvature) @ design + np.diag(pull)
    covariance: Floats = np.linalg.inv(information).astype(np.float64)
    return Pool(found.x[:-1], float(found.x[-1]), covariance)
