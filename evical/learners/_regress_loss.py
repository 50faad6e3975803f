"""How badly random fuzzy numbers predict responses, by log belief and plausibility of intervals.

A response y is an interval [y - epsilon, y + epsilon], and the loss of a Gaussian random fuzzy
number is -lambda log(Bel) - (1 - lambda) log(Pl) of it. Belief is the mean over the normal mode M
of 1 - exp(-h d^2 / 2), where d is how deep M lies inside, and 0 outside; its logarithm and slopes
are weighted means over nodes of a quadrature, which cannot cancel or underflow.

Source: Denoeux (2023), Quantifying prediction uncertainty in regression using random fuzzy sets:
the ENNreg model, IEEE Trans. Fuzzy Systems 31, 3690-3699.
"""

from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from scipy.special import erfcx, log_ndtr

from evical._typing import Floats

Kind: TypeAlias = Literal["evreg", "belief"]

# Nodes in [-1, 1], with a rule for each half: belief has a kink at 0.
_HALF, _HALF_WEIGHTS = np.polynomial.legendre.leggauss(8)
_NODES = np.concatenate([_HALF - 1, _HALF + 1])[:, np.newaxis] / 2
_WEIGHTS = np.concatenate([_HALF_WEIGHTS, _HALF_WEIGHTS])[:, np.newaxis] / 2
_LOG_ROOT = np.log(2 * np.pi) / 2


class Errors(NamedTuple):
    """Predictions of n responses: y - mu, sigma^2 > 0 and log(h), each (n,)."""

    error: Floats
    variance: Floats
    log_h: Floats


class Slopes(NamedTuple):
    """Derivatives with respect to mu, sigma^2 and log(h), each (n,)."""

    mu: Floats
    variance: Floats
    log_h: Floats


class Loss(NamedTuple):
    """The loss of single predictions.

    Parameters
    ----------
    epsilon : float
        Half the width of the interval around a response.
    pessimism : float
        The weight lambda of the belief.
    kind : {"evreg", "belief"}
        "belief": as defined. "evreg": for the belief in an interval stands the probability that
        the mode is inside, times h sigma^2 / (1 + h sigma^2). That is the limit of narrow intervals
        of what the R package evreg minimizes since its version 1.1.1.
    """

    epsilon: float
    pessimism: float
    kind: str

    def __call__(self, errors: Errors) -> tuple[Floats, Slopes]:
        """Loss of each prediction, and its slopes.

        Examples
        --------
        >>> one = Errors(*np.array([[0.0], [1.0], [0.0]]))
        >>> value, slopes = Loss(0.1, 1.0, "belief")(one)
        >>> np.exp(-value).round(6)  # Bel([-0.1, 0.1])
        array([0.000133])
        """
        inside = _Inside.of(errors, self.epsilon)
        belief = _belief if self.kind == "belief" else _damped_probability
        bel, bel_slopes = belief(errors, self.epsilon, inside)
        pl, pl_slopes = _plausibility(errors, self.epsilon, inside)
        rest = 1 - self.pessimism
        slopes = zip(bel_slopes, pl_slopes, strict=True)
        return -self.pessimism * bel - rest * pl, Slopes(
            *(-self.pessimism * one - rest * two for one, two in slopes)
        )


class _Inside(NamedTuple):
    """The density of the mode at nodes of the interval, scaled, and the log of the scale."""

    offset: Floats  # of the nodes from mu, (nodes, n)
    density: Floats
    log_scale: Floats

    @classmethod
    def of(cls, errors: Errors, epsilon: float) -> "_Inside":
        error, variance, _ = errors
        offset = error + epsilon * _NODES
        exponent = -(offset**2) / (2 * variance)
        top = exponent.max(axis=0)
        density = _WEIGHTS * np.exp(exponent - top)
        return cls(offset, density, top + np.log(epsilon) - _LOG_ROOT - np.log(variance) / 2)

    def mean(self, variance: Floats, factor: Floats | float) -> tuple[Floats, Floats, Slopes]:
        """Log integral of density times factor, the shares of nodes, and slopes by density."""
        share = self.density * factor
        total = share.sum(axis=0)
        share = share / total
        by_mu = (share * self.offset).sum(axis=0) / variance
        second = (share * self.offset**2).sum(axis=0)
        by_variance = (second / variance - 1) / (2 * variance)
        return self.log_scale + np.log(total), share, Slopes(by_mu, by_variance, 0 * by_mu)


def _belief(errors: Errors, epsilon: float, inside: _Inside) -> tuple[Floats, Slopes]:
    """Log of the belief: with q = h d^2 / 2, the factor is h d^2 / 2 times (1 - exp(-q)) / q."""
    depth = (epsilon * (1 - abs(_NODES))) ** 2 / 2
    q = np.exp(errors.log_h) * depth
    quotient = np.where(q < 1e-300, 1.0, -np.expm1(-q) / np.maximum(q, 1e-300))
    log, share, slopes = inside.mean(errors.variance, depth * quotient)
    by_log_h = (share * np.exp(-q) / quotient).sum(axis=0)
    return log + errors.log_h, slopes._replace(log_h=by_log_h)


def _damped_probability(errors: Errors, epsilon: float, inside: _Inside) -> tuple[Floats, Slopes]:
    """Log of P(M inside) h sigma^2 / (1 + h sigma^2)."""
    log, _, slopes = inside.mean(errors.variance, 1.0)
    log_product = errors.log_h + np.log(errors.variance)
    rest = np.exp(-np.logaddexp(0, log_product))  # 1 / (1 + h sigma^2)
    by_variance = slopes.variance + rest / errors.variance
    return log - np.logaddexp(0, -log_product), Slopes(slopes.mu, by_variance, rest)


def _plausibility(errors: Errors, epsilon: float, inside: _Inside) -> tuple[Floats, Slopes]:
    """Log of the plausibility: the mode is inside, or an end is near enough to it.

    Below and above the interval the membership of the nearest end is exp(-h d^2 / 2). Weighted by
    it the mode is normal, of which the first and the second moment of d follow.
    """
    error, variance, log_h = errors
    h = np.exp(log_h)
    s2 = 1 + h * variance
    logs = [inside.mean(variance, 1.0)[0]]
    moments = []
    for distance in (error - epsilon, -error - epsilon):  # of the end, outwards
        a = distance / np.sqrt(s2 * variance)
        log_share = log_ndtr(a)
        mills = np.sqrt(2 / np.pi) / erfcx(-a / np.sqrt(2))  # density / distribution function
        logs.append(-np.log(s2) / 2 - h * distance**2 / (2 * s2) + log_share)
        moments.append(
            (np.sqrt(variance / s2) * (a + mills), variance / s2 * (1 + a**2 + a * mills))
        )
    total = np.logaddexp(np.logaddexp(logs[0], logs[1]), logs[2])
    above, below = (np.exp(log - total) for log in logs[1:])
    by_mu = h * (above * moments[0][0] - below * moments[1][0])
    spread = h * (above * moments[0][1] + below * moments[1][1])
    return total, Slopes(by_mu, h * (spread - above - below) / 2, -spread / 2)
