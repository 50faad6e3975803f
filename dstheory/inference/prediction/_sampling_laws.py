"""Ranges of a future Y = phi(theta, Z) over the focal sets of the parameter, level by level.

With Z uniform and phi the quantile function of Y, the values phi(theta, z) of a focal set fill an
interval. They lie below y if and only if z does not exceed the distribution function at y of any
theta in the set. So predictions need only the smallest and the largest value of the distribution
and quantile functions over a focal set, and their expectations.

Source: Xu, Davoine, Zha and Denoeux, IJAR 72, 2016, equations 15-17; O. Kanjanatarakul, T.
Denoeux, S. Sriboonchitta, Prediction of future observations using belief functions: a
likelihood-based approach, IJAR 72, 2016.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from dstheory._typing import Floats
from dstheory.inference.contours.levels import RAYLEIGH_END
from dstheory.inference.contours.likelihood_contour import LikelihoodContour
from dstheory.inference.prediction._rayleigh import rayleigh_mean

_LOOKED_AT = np.array([0.1, 0.5, 0.9])  # probabilities of the values where a family is checked
_LEVEL = 1e-9
Pair = tuple[Floats, Floats]


class SamplingLaw(Protocol):
    """Ranges over the focal set at gamma = exp(-r**2 / 2), for arrays that broadcast."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the predicted quantity."""

    def cdf_range(self, y: Floats, r: Floats) -> Pair:
        """Least and largest P(Y <= y)."""

    def quantile_range(self, z: Floats, r: Floats) -> Pair:
        """Least and largest quantile."""

    def expected_cdf(self, y: Floats, end: int, atol: float) -> Floats:
        """Expectation over r of the least (end 0) or largest (end 1) P(Y <= y)."""

    def expected_quantile(self, end: int) -> Floats:
        """Expectation over r and Z of the least (end 0) or largest (end 1) quantile."""


@dataclass(frozen=True, eq=False)
class FamilyLaw:
    """A family of distributions that increases or decreases stochastically in its parameter.

    Attributes
    ----------
    contour : LikelihoodContour
        Unimodal, of dimension 1.
    family : callable
        Maps an array of parameters to an object with methods cdf, ppf and mean.
    kinks : ndarray
        Values of r at which a level set reaches a bound.
    crosses : bool
        Whether some probabilities P(Y <= y) increase with the parameter and others decrease.
    """

    contour: LikelihoodContour
    family: Callable[[Floats], Any]
    kinks: Floats
    crosses: bool = field(init=False)
    _seen: dict[bytes, Pair] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        low, high = self.contour.at_radius(np.arange(RAYLEIGH_END, -1.0, -1.0))
        theta = np.concatenate([low, high[::-1]])
        with np.errstate(all="ignore"):  # on bounds, where a family may not be defined
            y = np.asarray(self.family(theta[theta.size // 2, None]).ppf(_LOOKED_AT))
            change = np.diff(np.asarray(self.family(theta).cdf(y[:, None])))
        rises, falls = ((sign * change > _LEVEL).any(axis=1) for sign in (1, -1))
        for place in np.flatnonzero(rises & falls):
            raise ValueError(
                f"P(Y <= {y[place]:g}) increases with the parameter in some places and decreases "
                "in others; take a parameter in which it is monotone, or predictive_sampled()"
            )
        object.__setattr__(self, "crosses", bool(rises.any() and falls.any()))

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the predicted quantity."""
        return ()

    def cdf_range(self, y: Floats, r: Floats) -> Pair:
        """Least and largest P(Y <= y)."""
        return self._range("cdf", self._ends(r), y)

    def quantile_range(self, z: Floats, r: Floats) -> Pair:
        """Least and largest quantile."""
        return self._range("ppf", self._ends(r), z)

    def expected_cdf(self, y: Floats, end: int, atol: float) -> Floats:
        """Expectation over r of the least (end 0) or largest (end 1) P(Y <= y)."""
        at = y[..., None]
        return rayleigh_mean(
            lambda r: self._range("cdf", self._known_ends(r), at)[end],
            breaks=list(self.kinks),
            atol=atol,
        )

    def expected_quantile(self, end: int) -> Floats:
        """Expectation of the least or largest mean; quantiles have the order of the parameters."""
        if self.crosses:
            raise ValueError(
                "the distributions of the family cross, so that their means do not bound those of "
                "a focal set; average draws of sample()"
            )
        return rayleigh_mean(
            lambda r: self._range("mean", self._known_ends(r))[end], breaks=list(self.kinks)
        )

    def _range(self, method: str, ends: Pair, *args: Floats) -> Pair:
        one, two = (np.asarray(getattr(self.family(theta), method)(*args)) for theta in ends)
        for values, theta in zip((one, two), ends, strict=True):
            if np.isnan(values).any():
                raise ValueError(
                    f"the family's {method} is nan for a parameter in [{theta.min():g}, "
                    f"{theta.max():g}]; keep the parameter space where it is defined"
                )
        return np.minimum(one, two), np.maximum(one, two)

    def _ends(self, r: Floats) -> Pair:
        low, high = self.contour.at_radius(r.ravel())
        return low.reshape(r.shape), high.reshape(r.shape)

    def _known_ends(self, r: Floats) -> Pair:
        """Ends at the nodes of a quadrature, cached: the same few arrays recur."""
        key = r.tobytes()
        if key not in self._seen:
            self._seen[key] = self._ends(r)
        return self._seen[key]
