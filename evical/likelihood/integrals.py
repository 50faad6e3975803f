"""Belief from a profile likelihood with corners and ends: adaptive integrals.

Bel of a class is the integral of the sigmoid's density times ``1 - exp(-D)`` on the far side of
the optimum. Where constraints become active D has a corner in a derivative, and where the model
ends it jumps to infinity: panels are halved until their integrand is smooth, and integrals begin
at the end.

Source: Xu, Davoine, Zha & Denoeux, IJAR 72 (2016), equations 22-23 and 40.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = ["Deviances", "integrated_log_odds"]

Floats = NDArray[np.float64]
Deviances = Callable[[Floats, Floats], Floats]
"""From scores (k,) and log-odds (k,) to profile deviances (k,)."""

_TAIL = 40.0  # log-odds beyond which the sigmoid is flat: exp(-40) = 4e-18
_IMPLAUSIBLE = 36.0  # deviances beyond which exp(-D) = 2e-16 is no plausibility
_STEPS = 100
_SIZE = 14
_POINTS, _WEIGHTS = np.polynomial.legendre.leggauss(_SIZE)
_LAST = np.polynomial.legendre.legvander(_POINTS, _SIZE - 1)[:, -3:] * (
    np.arange(_SIZE - 3, _SIZE) + 0.5
)
_PANELS = 2
_HALVINGS = 10
# Last Legendre coefficients of a smooth integrand; the error of the integral is about their square
# where it is analytic, and a small part of them at a corner.
_ROUGH = 3e-7


def integrated_log_odds(
    scores: Floats,
    top: Floats,
    spread: Floats,
    ends: Callable[[Floats], tuple[Floats, Floats]],
    deviance: Deviances,
) -> Floats:
    """Log-odds of the masses of the positive and of the negative class.

    Parameters
    ----------
    scores : (k,) array
        As the two functions take them.
    top, spread : (k,) arrays
        Most plausible log-odds at each score, and their standard error (a first guess only).
    ends : callable
        Least and greatest possible log-odds, which may be infinite.
    deviance : callable
        Convex in the log-odds, 0 at the top.

    Returns
    -------
    (k, 2) array
        log(m / (1 - m)), which keeps the relative precision of small masses.

    Examples
    --------
    With D = 0 at the top and very large elsewhere there is no doubt about p = 1/2:

    >>> zero = np.zeros(1)
    >>> found = integrated_log_odds(
    ...     zero, zero, zero + 1e-6, lambda s: (s - np.inf, s + np.inf), lambda s, e: 5e11 * e**2
    ... )
    >>> bool(abs(found).max() < 1e-5)
    True
    """
    low, high = ends(scores)
    sides = [
        _belief(scores, sign, sign * top, spread, end, deviance)
        for sign, end in ((1.0, low), (-1.0, -high))
    ]
    return np.stack(sides, axis=1)


def _belief(
    scores: Floats, sign: float, top: Floats, spread: Floats, end: Floats, deviance: Deviances
) -> Floats:
    """Log-odds of Bel of a class, of whose log-odds `top` is the optimum and `end` the least."""
    shift = np.minimum(top, 0.0)  # all is divided by exp(shift), against underflow
    floor = np.maximum(end, shift - _TAIL)
    bottom = np.minimum(_bottom(scores, sign, top, spread, floor, deviance), top)
    # Nothing is plausible below, or nothing possible; else what is left is below all digits.
    closed = (bottom > floor) | (floor == end)
    high = np.minimum(top, np.maximum(bottom, _TAIL))
    inside, outside = _integrals(scores, sign, shift, (bottom, high), deviance)
    inside += np.where(closed, _scaled_sigmoid(bottom, shift), 0.0)
    outside = _scaled_sigmoid(-high, np.zeros_like(high)) + np.exp(shift) * outside
    inside, outside = np.maximum(inside, 1e-300), np.maximum(outside, 1e-300)
    return np.asarray(np.log(inside) + shift - np.log(outside))


def _bottom(
    scores: Floats, sign: float, top: Floats, spread: Floats, floor: Floats, deviance: Deviances
) -> Floats:
    """Least log-odds with some plausibility, roughly, but not below the floor."""
    room = np.maximum(top - floor, 0.0)
    near, far = np.zeros_like(top), room.copy()
    step = np.minimum(np.sqrt(2.0 * _IMPLAUSIBLE) * spread, room)
    open_ended = np.ones(len(top), dtype=bool)  # the floor itself was not tried
    left = np.arange(len(top))
    for count in range(_STEPS):
        value = deviance(scores[left], sign * (top[left] - step[left]))
        short = value < _IMPLAUSIBLE
        near[left[short]] = step[left[short]]
        far[left[~short]], open_ended[left[~short]] = step[left[~short]], False
        good = (value >= _IMPLAUSIBLE) & (value < 3.0 * _IMPLAUSIBLE)
        good |= far[left] - near[left] <= 1e-3 * far[left]
        left, value = left[~good], value[~good]
        if not len(left):
            break
        factor = np.clip(np.sqrt(1.5 * _IMPLAUSIBLE / np.maximum(value, 1e-300)), 0.2, 5.0)
        new = np.minimum(step[left] * factor, far[left])
        inside = (new > near[left]) & ((new < far[left]) | open_ended[left]) & (count < 12)
        step[left] = np.where(inside, new, 0.5 * (near[left] + far[left]))
    return np.asarray(np.where(far >= room, np.minimum(floor, top), top - far))


def _integrals(
    scores: Floats, sign: float, shift: Floats, ends: tuple[Floats, Floats], deviance: Deviances
) -> tuple[Floats, Floats]:
    """Integrals of the sigmoid's density times 1 - exp(-D), and times exp(-D).

    The variable is t with eta = pi * sinh(t), which is aimed at the poles of the sigmoid.
    """
    inside, outside = np.zeros_like(shift), np.zeros_like(shift)
    first, last = (np.arcsinh(end / np.pi) for end in ends)
    grid = np.linspace(0.0, 1.0, _PANELS + 1)
    owner = np.repeat(np.arange(len(shift)), _PANELS)
    points = first[:, None] + (last - first)[:, None] * grid
    left, right = points[:, :-1].ravel(), points[:, 1:].ravel()
    for halving in range(_HALVINGS + 1):
        half = 0.5 * (right - left)[:, None]
        t = 0.5 * (left + right)[:, None] + half * _POINTS
        eta = np.pi * np.sinh(t)
        at = np.repeat(scores[owner], _SIZE)
        value = deviance(at, sign * eta.ravel()).reshape(eta.shape)
        size = np.abs(eta)
        density = np.exp(-size - shift[owner, None]) / (1.0 + np.exp(-size)) ** 2
        measure = half * _WEIGHTS * np.pi * np.cosh(t) * density
        probable = measure * np.exp(-value)
        good = (np.abs(probable @ _LAST).max(axis=1) <= _ROUGH) | (halving == _HALVINGS)
        np.add.at(inside, owner[good], -(measure * np.expm1(-value)).sum(axis=1)[good])
        np.add.at(outside, owner[good], probable.sum(axis=1)[good])
        if good.all():
            break
        owner, left, right = owner[~good], left[~good], right[~good]
        middle = 0.5 * (left + right)
        owner = np.concatenate([owner, owner])
        left, right = np.concatenate([left, middle]), np.concatenate([middle, right])
    return inside, outside


def _scaled_sigmoid(eta: Floats, shift: Floats) -> Floats:
    """sigmoid(eta) / exp(shift)."""
    return np.asarray(np.exp(np.minimum(eta, 0.0) - shift) / (1.0 + np.exp(-np.abs(eta))))
