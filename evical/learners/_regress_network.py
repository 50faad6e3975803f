"""Prototypes as pieces of evidence about a response: the network ENNreg.

Prototype k says of a sample x that the response is a Gaussian random fuzzy number with the mode
b_k + beta_k . x, the variance sigma_k^2, and the precision h_k exp(-gamma_k^2 |x - w_k|^2), which
fades with distance. The product-intersection rule with hard normalization combines them: precisions
add up, and modes are averaged with weights proportional to precision.

Source: Denoeux (2023), Quantifying prediction uncertainty in regression using random fuzzy sets:
the ENNreg model, IEEE Trans. Fuzzy Systems 31, 3690-3699.
"""

from typing import NamedTuple

import numpy as np

from dstheory.kernels.batches import blocks
from evical._typing import Floats
from evical.learners._features import squared_distances
from evical.learners._regress_loss import Errors, Loss

CHUNK = 2**21
"""Numbers in an array of samples by prototypes."""


class Network(NamedTuple):
    """K prototypes for p features.

    Parameters
    ----------
    intercept, log_sigma, log_h, log_gamma : (K,) arrays
    coef, centers : (K, p) arrays
    """

    intercept: Floats
    log_sigma: Floats
    log_h: Floats
    log_gamma: Floats
    coef: Floats
    centers: Floats

    def packed(self) -> Floats:
        """All parameters as one vector."""
        return np.concatenate([part.ravel() for part in self])

    def unpacked(self, vector: Floats) -> "Network":
        """A network of the same size from a vector."""
        ends = np.cumsum([part.size for part in self])[:-1]
        parts = np.split(vector, ends)
        return Network(*(new.reshape(old.shape) for new, old in zip(parts, self, strict=True)))


class Prediction(NamedTuple):
    """What n samples get.

    Parameters
    ----------
    mu, variance, log_h : (n,) arrays
        The random fuzzy number; log(h) does not underflow far from all prototypes.
    share : (n, K) array
        Weights of the prototypes, proportional to their precision.
    local : (n, K) array
        Their modes.
    squared : (n, K) array
        Squared distances.
    """

    mu: Floats
    variance: Floats
    log_h: Floats
    share: Floats
    local: Floats
    squared: Floats


def forward(network: Network, X: Floats) -> Prediction:
    """Predictions.

    Parameters
    ----------
    network : Network
    X : (n, p) array
        Best centered, as distances are differences.

    Returns
    -------
    Prediction

    Examples
    --------
    >>> zero, one = np.zeros(2), np.array([[1.0], [3.0]])
    >>> two = Network(np.array([0.0, 4.0]), zero, np.log([1.0, 3.0]), zero - 9, 0 * one, one)
    >>> found = forward(two, np.array([[2.0]]))
    >>> found.mu.round(3), np.exp(found.log_h).round(3)
    (array([3.]), array([4.]))
    """
    squared = squared_distances(X, network.centers)
    log_h = network.log_h - np.exp(2 * network.log_gamma) * squared
    top = log_h.max(axis=1, keepdims=True)
    share = np.exp(log_h - top)
    total = share.sum(axis=1, keepdims=True)
    share /= total
    local = X @ network.coef.T + network.intercept
    variance = share**2 @ np.exp(2 * network.log_sigma)
    return Prediction(
        (share * local).sum(axis=1), variance, (top + np.log(total))[:, 0], share, local, squared
    )


class Penalties(NamedTuple):
    """Factors of mean(h_k), of mean(gamma_k^2), and of the sum of squared slopes by sample size.

    Parameters
    ----------
    xi, rho, slope : float
    """

    xi: float
    rho: float
    slope: float


class Objective(NamedTuple):
    """Mean loss of training samples, and penalties.

    Parameters
    ----------
    X : (n, p) array
    y : (n,) array
    weight : (n,) array
        Of samples; they sum to 1.
    size : float
        How many samples they are.
    loss : Loss
    penalties : Penalties
    """

    X: Floats
    y: Floats
    weight: Floats
    size: float
    loss: Loss
    penalties: Penalties

    def __call__(self, network: Network) -> tuple[float, Network]:
        """Value, and its derivatives in the place of the parameters."""
        n_prototypes = len(network.intercept)
        h, gamma2 = np.exp(network.log_h), np.exp(2 * network.log_gamma)
        xi, rho, ridge = self.penalties
        ridge /= self.size
        value = xi * float(h.mean()) + rho * float(gamma2.mean())
        value += ridge * float((network.coef**2).sum())
        gradient = Network(*(np.zeros_like(part) for part in network))
        gradient.log_h[:] = xi * h / n_prototypes
        gradient.log_gamma[:] = 2 * rho * gamma2 / n_prototypes
        gradient.coef[:] = 2 * ridge * network.coef
        for rows in blocks(len(self.X), CHUNK // n_prototypes):
            part, slopes = self._rows(network, rows)
            value += part
            for total, slope in zip(gradient, slopes, strict=True):
                total += slope
        return value, gradient

    def _rows(self, network: Network, rows: slice) -> tuple[float, Network]:
        """The share of some samples."""
        X, weight = self.X[rows], self.weight[rows]
        found = forward(network, X)
        errors = Errors(self.y[rows] - found.mu, found.variance, found.log_h)
        loss, slopes = self.loss(errors)
        by_mu, by_variance, by_log_h = (weight * slope for slope in slopes)
        sigma2, gamma2 = np.exp(2 * network.log_sigma), np.exp(2 * network.log_gamma)
        # By the logarithm of the precision that a prototype has for a sample.
        apart = by_mu[:, np.newaxis] * (found.local - found.mu[:, np.newaxis])
        spread = found.share * sigma2 - found.variance[:, np.newaxis]
        by_log = found.share * (
            by_log_h[:, np.newaxis] + apart + 2 * by_variance[:, np.newaxis] * spread
        )
        by_local = by_mu[:, np.newaxis] * found.share
        total = by_log.sum(axis=0)
        return float(weight @ loss), Network(
            intercept=by_local.sum(axis=0),
            log_sigma=2 * sigma2 * (by_variance @ found.share**2),
            log_h=total,
            log_gamma=-2 * gamma2 * (by_log * found.squared).sum(axis=0),
            coef=by_local.T @ X,
            centers=2
            * gamma2[:, np.newaxis]
            * (by_log.T @ X - network.centers * total[:, np.newaxis]),
        )
