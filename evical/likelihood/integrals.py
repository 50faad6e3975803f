"""Predictive masses of one future label, from the profile likelihood of its log-odds.

With `eta` the log-odds at a score and `D` its profile deviance, Bel of a class is the integral of
``sigmoid'(eta) * (1 - exp(-D))`` on the far side of the optimum. The integrand has two scales, that
of the sigmoid and the standard error of `eta`; the substitution ``eta = pi * sinh(t)``, which is
aimed at the poles of the sigmoid, makes it smooth on both. Where an outlier changes sides, or a
constraint becomes active, `D` has something like a corner, and where the model ends it jumps to
infinity: panels are halved until their integrand is smooth, and integrals begin at the end.

Source: Xu, Davoine, Zha & Denoeux, IJAR 72 (2016), equations 22-23 and 40.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evical._typing import Floats
from evical.errors import ConvergenceError

NO_PROFILE = (
    "the profile of the likelihood was not found: scores or weights differ by too many powers of "
    "ten; leave out the extreme ones, use transform='rank' or model='bayesian'"
)

ProfileAt = Callable[[Any, Floats], Floats]
"""From scores (k,), or what stands for them, and log-odds (k, q) to profile deviances (k, q)."""
Ends = Callable[[Any], tuple[Floats, Floats]]
"""From scores (k,) to the least and the greatest possible log-odds."""

_TAIL = 40.0  # log-odds beyond which the sigmoid is flat: exp(-40) = 4e-18
# Integrals begin where D is about 60. D is convex: where it was v < 60, it is sqrt(60 v) or more at
# sqrt(60 / v) times the distance; from v = 11.5 on that is 26, and exp(-26) is no plausibility.
_LEAST, _ENOUGH = 11.5, 60.0
_STEPS = 100
_SIZE, _PANELS = 20, 2
_POINTS, _WEIGHTS = np.polynomial.legendre.leggauss(_SIZE)
_ORDERS = np.arange(_SIZE - 3, _SIZE)
_LAST = np.polynomial.legendre.legvander(_POINTS, _SIZE - 1)[:, _ORDERS] * (_ORDERS + 0.5)
_HALVINGS = 12
_MOST_PANELS = 16  # for an integral on average; two to six are the rule
# Last Legendre coefficients of an integrand that need no halving. Where it is analytic the error of
# the integral is about their square (1e-10 at most in all cases tried), and a small part of them at
# a corner (1e-7 at most).
SMOOTH, CORNERS = 3e-5, 1e-6


def belief_log_odds(
    scores: NDArray[Any],
    mle: Floats,
    spread: Floats,
    profile: ProfileAt,
    ends: Ends | None = None,
    rough: float = SMOOTH,
) -> Floats:
    """Log-odds of the masses of the positive and of the negative class.

    Parameters
    ----------
    scores : (k,) array
        As `profile` takes them: numbers, or positions in a table.
    mle, spread : (k,) arrays
        Most plausible log-odds at each score, and their standard error (a first guess only).
    profile : callable
        Profile deviance: convex in the log-odds, 0 at the `mle`.
    ends : callable, optional
        Where the log-odds that are possible end; everywhere from minus to plus infinity if not
        given.
    rough : float
        Last Legendre coefficients from which panels are halved: `CORNERS` if D may have corners.

    Returns
    -------
    (k, 2) array
        log(m / (1 - m)), which keeps the relative precision of small masses.

    Raises
    ------
    ConvergenceError
        If most integrands stay rough however often their panels are halved.

    Examples
    --------
    With D = 0 at the top and very large elsewhere there is no doubt about p = 1/2:

    >>> zero = np.zeros(1)
    >>> found = belief_log_odds(zero, zero, zero + 1e-6, lambda s, eta: 5e11 * eta**2)
    >>> bool(abs(found).max() < 1e-5)
    True
    """
    low, high = ends(scores) if ends else (np.full_like(mle, -np.inf), np.full_like(mle, np.inf))
    # Labels exchanged, Bel({0}) is Bel({1}): both are integrated at once.
    sign = np.repeat([1.0, -1.0], len(mle))
    scores, spread = np.concatenate([scores, scores]), np.concatenate([spread, spread])
    mle, end = np.concatenate([mle, -mle]), np.concatenate([low, -high])
    shift = np.minimum(mle, 0.0)  # all is divided by exp(shift), against underflow
    floor = np.maximum(end, shift - _TAIL)
    bottom = np.minimum(_bottom(scores, sign, mle, spread, floor, profile), mle)
    # Nothing is plausible below, or nothing possible; else what is left is below all digits.
    closed = (bottom > floor) | (floor == end)
    high = np.minimum(mle, np.maximum(bottom, _TAIL))
    inside, outside = _integrals(scores, sign, shift, (bottom, high), profile, rough)
    inside += np.where(closed, _scaled_sigmoid(bottom, shift), 0.0)
    outside = _scaled_sigmoid(-high, np.zeros_like(high)) + np.exp(shift) * outside
    inside, outside = np.maximum(inside, 1e-300), np.maximum(outside, 1e-300)
    return (np.log(inside) + shift - np.log(outside)).reshape(2, -1).T


def _bottom(
    scores: NDArray[Any],
    sign: Floats,
    mle: Floats,
    spread: Floats,
    floor: Floats,
    profile: ProfileAt,
) -> Floats:
    """Least log-odds with some plausibility, roughly, but not below the floor."""
    room = np.maximum(mle - floor, 0.0)
    near, far = np.zeros_like(mle), room.copy()
    step = np.minimum(np.sqrt(_ENOUGH) * spread, room)
    open_ended = np.ones(len(mle), dtype=bool)  # the floor itself was not tried
    left = np.arange(len(mle))
    for count in range(_STEPS):
        value = profile(scores[left], (sign * (mle - step))[left, None])[:, 0]
        short = value < _LEAST
        near[left[short]] = step[left[short]]
        far[left[~short]], open_ended[left[~short]] = step[left[~short]], False
        good = ~short & (value < _ENOUGH)
        # To where D is about `_ENOUGH`, so that masses are smooth in the score.
        far[left[good]] *= np.sqrt(_ENOUGH / value[good])
        good |= far[left] - near[left] <= 1e-3 * far[left]
        left, value = left[~good], value[~good]
        if not len(left):
            break
        factor = np.sqrt(0.5 * _ENOUGH / np.maximum(value, 1e-300))
        new = np.minimum(step[left] * np.clip(factor, 0.2, 5.0), far[left])
        inside = (new > near[left]) & ((new < far[left]) | open_ended[left]) & (count < 12)
        step[left] = np.where(inside, new, 0.5 * (near[left] + far[left]))
    return np.asarray(np.where(far >= room, np.minimum(floor, mle), mle - far))


def _integrals(
    scores: NDArray[Any],
    sign: Floats,
    shift: Floats,
    ends: tuple[Floats, Floats],
    profile: ProfileAt,
    rough: float,
) -> tuple[Floats, Floats]:
    """Integrals of the sigmoid's density times 1 - exp(-D), and times exp(-D)."""
    inside, outside = np.zeros_like(shift), np.zeros_like(shift)
    first, last = (np.arcsinh(end / np.pi) for end in ends)
    grid = np.linspace(0.0, 1.0, _PANELS + 1)
    owner, visited = np.repeat(np.arange(len(shift)), _PANELS), 0
    points = first[:, None] + (last - first)[:, None] * grid
    left, right = points[:, :-1].ravel(), points[:, 1:].ravel()
    for halving in range(_HALVINGS + 1):
        visited += len(owner)
        if visited > _MOST_PANELS * len(shift):
            raise ConvergenceError(NO_PROFILE)
        half = 0.5 * (right - left)[:, None]
        t = 0.5 * (left + right)[:, None] + half * _POINTS
        eta = np.pi * np.sinh(t)
        value = profile(scores[owner], sign[owner, None] * eta)
        size = np.abs(eta)
        # Log-odds beyond 1e16 are rounded by more than their differences; none exceeds the shift.
        density = np.exp(np.minimum(-size - shift[owner, None], 0.0)) / (1.0 + np.exp(-size)) ** 2
        measure = half * _WEIGHTS * np.pi * np.cosh(t) * density
        probable = measure * np.exp(-value)
        last, rounding = np.abs(probable @ _LAST).max(axis=1), 1e-15 * size.max(axis=1)
        good = (last <= rough + rounding) | (halving == _HALVINGS)
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
