"""What a focal set of the parameter says about a future Y = phi(theta, Z), level by level.

With Z uniform and phi the quantile function of Y, the values phi(theta, z) of a focal set fill an
interval, and lie below y exactly if z does not exceed the distribution function at y of any
theta in the set. So all that predictions need of a model are the least and the largest value of
its distribution function, quantile function and mean over a focal set.

Source: Xu, Davoine, Zha and Denoeux, IJAR 72, 2016, equations 15-17; O. Kanjanatarakul, T.
Denoeux, S. Sriboonchitta, Prediction of future observations using belief functions: a
likelihood-based approach, IJAR 72, 2016.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from dstheory.inference._contour import LikelihoodContour
from dstheory.inference._levels import crossing
from dstheory.inference._maximum import Floats

__all__ = ["FamilyLaw", "LinearLaw", "SamplingLaw"]

Pair = tuple[Floats, Floats]

_NORMAL_END = 8.0  # in standard deviations; beyond lies a probability of 1e-15


class SamplingLaw(Protocol):
    """Ranges over the focal set at gamma = exp(-r**2 / 2); arrays broadcast."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the predicted quantity."""

    @property
    def kinks(self) -> Floats:
        """Values of r where the ranges are not smooth."""

    def cdf_range(self, y: Floats, r: Floats) -> Pair:
        """Least and largest P(Y <= y)."""

    def quantile_range(self, z: Floats, r: Floats) -> Pair:
        """Least and largest quantile."""

    def mean_range(self, r: Floats) -> Pair:
        """Expectation over Z of the least and the largest quantile."""


@dataclass(frozen=True, eq=False)
class FamilyLaw:
    """A family of distributions that increases or decreases stochastically in its parameter.

    Attributes
    ----------
    contour : LikelihoodContour
        Unimodal, of dimension 1.
    family : callable
        From an array of parameters to an object with methods cdf, ppf and mean.
    kinks : ndarray
        Values of r at which a level set arrives at a bound.
    """

    contour: LikelihoodContour
    family: Callable[[Floats], Any]
    kinks: Floats

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the predicted quantity."""
        return ()

    def cdf_range(self, y: Floats, r: Floats) -> Pair:
        """Least and largest P(Y <= y)."""
        return self._range("cdf", r, y)

    def quantile_range(self, z: Floats, r: Floats) -> Pair:
        """Least and largest quantile."""
        return self._range("ppf", r, z)

    def mean_range(self, r: Floats) -> Pair:
        """Least and largest mean: quantiles are ordered as the parameters are."""
        return self._range("mean", r)

    def _range(self, method: str, r: Floats, *args: Floats) -> Pair:
        ends = self.contour.at_radius(r.ravel())
        one, two = (
            np.asarray(getattr(self.family(x.reshape(r.shape)), method)(*args)) for x in ends
        )
        for values, theta in zip((one, two), ends, strict=True):
            if np.isnan(values).any():
                raise ValueError(
                    f"the family's {method} is nan for a parameter in [{theta.min():g}, "
                    f"{theta.max():g}]; keep the parameter space where it is defined"
                )
        return np.minimum(one, two), np.maximum(one, two)


@dataclass(frozen=True, eq=False)
class LinearLaw:
    """New observations of a linear model with normal errors.

    With m the mean response and s the standard deviation, in units of the estimate, the log
    relative likelihood is n log(1 / s) - (n / s**2 + (m - m0)**2 / (h s**2) - n) / 2. Along the
    parameters with m + s t = y it is largest where 1 / s solves a quadratic equation, so the
    plausibility that "the error t leads to y" has a closed form, and all ranges are its levels.

    Attributes
    ----------
    center : ndarray of shape (N,)
        Most plausible mean responses m0.
    unit : float
        Most plausible standard deviation.
    leverage : ndarray of shape (N,)
        h, the variance of the estimated mean response in units of the squared deviation.
    n : float
        Number of observations; inf if the standard deviation is known.
    """

    center: Floats
    unit: float
    leverage: Floats
    n: float

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the predicted quantity."""
        return self.center.shape

    @property
    def kinks(self) -> Floats:
        """None: all is smooth."""
        return np.empty(0)

    def cdf_range(self, y: Floats, r: Floats) -> Pair:
        """Least and largest P(Y <= y)."""
        from scipy.special import ndtr

        u = (y - self.center[..., None]) / self.unit
        low, high = self._levels(u, r, lambda t, u, h: self.distance(u, t, h))
        return np.asarray(ndtr(low)), np.asarray(ndtr(high))

    def quantile_range(self, z: Floats, r: Floats) -> Pair:
        """Least and largest quantile."""
        from scipy.special import ndtri

        return self._responses(np.asarray(ndtri(z)), r)

    def mean_range(self, r: Floats) -> Pair:
        """Expectation over Z of the least and the largest quantile."""
        x, w = np.polynomial.legendre.leggauss(48)
        t = _NORMAL_END * x
        w = w * np.exp(-(t**2) / 2)
        w /= w.sum()
        low, high = self._responses(t, np.asarray(r)[..., None], extra=1)
        return low @ w, high @ w

    def _responses(self, t: Floats, r: Floats, extra: int = 0) -> Pair:
        low, high = self._levels(t, r, self.distance, extra)
        center = self.center.reshape(self.center.shape + (1,) * (1 + extra))
        return center + self.unit * low, center + self.unit * high

    def _levels(
        self, at: Floats, r: Floats, distance: Callable[..., Floats], extra: int = 0
    ) -> Pair:
        """Both ends of where distance(x, at) <= r; it is 0 at x = at."""
        h = self.leverage.reshape(self.leverage.shape + (1,) * (1 + extra))
        shape = np.broadcast_shapes(at.shape, np.shape(r), h.shape)
        at, r, h = (np.broadcast_to(x, shape).ravel() for x in (at, r, h))
        # An infinite y or t has no range around it.
        proper = np.isfinite(at)
        ends = [at.copy(), at.copy()]
        for side, end in enumerate((-np.inf, np.inf)):
            ends[side][proper] = crossing(
                lambda x: distance(x, at[proper], h[proper]),
                at[proper],
                np.full(int(proper.sum()), end),
                np.sqrt(h[proper]),
                r[proper],
            )
        return ends[0].reshape(shape), ends[1].reshape(shape)

    def distance(self, y: Floats, t: Floats, h: Floats) -> Floats:
        """Distance r of the most plausible parameters with m + s t = y, in the units of s.

        >>> law = LinearLaw(np.zeros(1), 1.0, np.ones(1), np.inf)
        >>> law.distance(np.array(3.0), np.array(1.0), np.array(1.0))
        array(2.)
        """
        if np.isinf(self.n):
            return np.asarray(np.abs(y - t) / np.sqrt(h))
        # With x = 1 / s: minimize -n log x + (n x**2 + (y x - t)**2 / h) / 2; a x**2 - b x = n.
        # An end of the search may be infinite.
        with np.errstate(over="ignore", invalid="ignore"):
            a, b = self.n + y * y / h, y * t / h
            root = np.sqrt(b * b + 4 * a * self.n)
            x = np.where(b > 0, (b + root) / (2 * a), 2 * self.n / (root - b))
            # (x**2 - 1) / 2 - log x loses its digits near x = 1, where it is (x - 1)**2.
            e = x - 1
            loss = self.n * (e * e / 2 + e - np.log1p(e)) + (y * x - t) ** 2 / (2 * h)
            result = np.sqrt(2 * np.maximum(loss, 0.0))
        return np.where(np.isnan(result), np.inf, result)
