"""Predictive masses of one future label, from the profile likelihood of its log-odds.

With `eta` the log-odds at a score and `D` its profile deviance, the belief in the positive class
is the integral of ``sigmoid'(eta) * (1 - exp(-D))`` below the optimum. The integrand has two
scales, that of the sigmoid and the standard error of `eta`; the substitution
``eta = pi * sinh(t)``, which is aimed at the poles of the sigmoid, makes it smooth on both.

Source: Xu, Davoine, Zha & Denoeux, IJAR 72 (2016), equations 22-23 and 40.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from evical.errors import ConvergenceError
from evical.likelihood.deviance import NO_PROFILE, Deviance, DevianceSlices
from evical.likelihood.polar import PolarProfile

Array = NDArray[np.float64]

_TAIL = 40.0  # log-odds beyond which the sigmoid is flat: exp(-40) = 4e-18
_POINTS, _WEIGHTS = np.polynomial.legendre.leggauss(28)
# The last Legendre coefficients of a panel's integrand that are still fine: the integral converges
# twice as fast, so that its error is about their square (at most 1e-8 in all cases tried).
_ROUGH = 1e-6
_HALVINGS = 12
_MOST_PANELS = 16  # without a table, for an integral on average; four are the rule
_LAST_LEGENDRE = np.polynomial.legendre.legvander(_POINTS, 27)[:, -4:] * (np.arange(24, 28) + 0.5)


class _Slices(Protocol):
    """Profile deviances at some scores; `end` is where they are beyond all plausibility."""

    @property
    def end(self) -> Array: ...

    def take(self, index: NDArray[np.intp]) -> _Slices: ...

    def values(self, along: Array) -> Array: ...


@dataclass(frozen=True)
class _Beliefs:
    """Integrals to do, one an entry: of Bel({1}), or of Bel({0}) where `sign` is -1.

    Log-odds are those of the class believed in. `top` is the optimum, and `shift` the logarithm of
    (about) the sigmoid there, by which all is divided against underflow.
    """

    slices: _Slices
    sign: Array
    top: Array
    spread: Array
    shift: Array

    def take(self, owner: NDArray[np.intp]) -> _Beliefs:
        parts = (part[owner] for part in (self.sign, self.top, self.spread, self.shift))
        return _Beliefs(self.slices.take(owner), *parts)


def mass_log_odds(profile: Deviance | PolarProfile, y: Array) -> Array:
    """Return the log-odds of the masses of the positive and of the negative class.

    Parameters
    ----------
    profile : Deviance or PolarProfile
        Profile likelihood of the sample.
    y : ndarray of shape (k,)
        Standardized scores.

    Returns
    -------
    ndarray of shape (k, 2)
        ``log(m / (1 - m))`` for ``m1 = m({1})`` and ``m0 = m({0})``. Log-odds keep the relative
        precision of masses that are nearly zero.
    """
    sign = np.repeat([1.0, -1.0], y.size)
    return _belief_log_odds(profile, np.concatenate([y, y]), sign).reshape(2, -1).T


def _belief_log_odds(profile: Deviance | PolarProfile, y: Array, sign: Array) -> Array:
    """Return the log-odds of Bel({1}), and where `sign` is -1 of Bel({0}) (labels exchanged)."""
    spread = profile.unit * np.hypot(1.0, y)
    top = sign * (profile.intercept + profile.slope * y)
    slices = profile.slices(y, -sign)
    shift = np.minimum(top, 0.0)
    bottom = top - spread * np.abs(slices.end)
    low = np.maximum(bottom, shift - _TAIL)
    high = np.minimum(top, np.maximum(low, _TAIL))
    beliefs = _Beliefs(slices, sign, top, spread, shift)
    inside, outside = _integrals(beliefs, np.arcsinh(low / np.pi), np.arcsinh(high / np.pi))
    inside += np.where(low == bottom, _scaled_sigmoid(low, shift), 0.0)
    outside = _scaled_sigmoid(-high, np.zeros_like(high)) + np.exp(shift) * outside
    inside, outside = np.maximum(inside, 1e-300), np.maximum(outside, 1e-300)
    return np.asarray(np.log(inside) + shift - np.log(outside))


def _integrals(beliefs: _Beliefs, first: Array, last: Array) -> tuple[Array, Array]:
    """Integrate sigmoid' times 1 - exp(-D), and times exp(-D), over [first, last] in t.

    Rough panels are halved: a far outlier that changes sides gives D something like a corner.

    Raises
    ------
    ConvergenceError
        If there is no table, and most panels stay rough however often they are halved.
    """
    inside, outside = np.zeros(first.size), np.zeros(first.size)
    owner, visited = np.arange(first.size), 0
    most = _MOST_PANELS * first.size if isinstance(beliefs.slices, DevianceSlices) else np.inf
    for halving in range(_HALVINGS + 1):
        visited += owner.size
        if visited > most:
            raise ConvergenceError(NO_PROFILE)
        improbable, probable, rough = _panels(beliefs.take(owner), first, last)
        good = ~rough | (halving == _HALVINGS)
        np.add.at(inside, owner[good], improbable[good])
        np.add.at(outside, owner[good], probable[good])
        if good.all():
            break
        owner, first, last = owner[~good], first[~good], last[~good]
        middle = 0.5 * (first + last)
        owner = np.concatenate([owner, owner])
        first, last = np.concatenate([first, middle]), np.concatenate([middle, last])
    return inside, outside


def _panels(beliefs: _Beliefs, first: Array, last: Array) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Return the two integrals over one panel each, and whether they are in doubt."""
    half = 0.5 * (last - first)[:, None]
    t = 0.5 * (first + last)[:, None] + half * _POINTS
    eta = np.pi * np.sinh(t)
    along = (eta - beliefs.top[:, None]) * (beliefs.sign / beliefs.spread)[:, None]
    value = beliefs.slices.values(along)
    density = np.exp(-np.abs(eta) - beliefs.shift[:, None]) / (1.0 + np.exp(-np.abs(eta))) ** 2
    measure = half * _WEIGHTS * np.pi * np.cosh(t) * density
    probable = measure * np.exp(-value)
    rough = np.abs(probable @ _LAST_LEGENDRE).max(axis=1) > _ROUGH
    return -(measure * np.expm1(-value)).sum(axis=1), probable.sum(axis=1), rough


def _scaled_sigmoid(eta: Array, shift: Array) -> Array:
    """Return sigmoid(eta) / exp(shift)."""
    return np.asarray(np.exp(np.minimum(eta, 0.0) - shift) / (1.0 + np.exp(-np.abs(eta))))
