"""Where a function that decreases away from a point crosses a level, for many rows at once.

Doubling steps from the maximum of a contour bracket the crossing. The secant rule (Illinois
variant) narrows the bracket; it is exact for a normal likelihood, because levels are measured as r
= sqrt(-2 log plausibility). Bisection takes over where secants fail.
"""

from collections.abc import Callable

import numpy as np

from dstheory._typing import Floats

# r of a uniform level has a Rayleigh distribution, with a tail of exp(-40.5) = 3e-18 beyond 9.
RAYLEIGH_END = 9.0

_TOLERANCE = 2e-14  # relative, of a level: the rounding of log-likelihoods
_PEAK = 1e-6  # steps: closer to the mode, distances may round to 0
_SECANTS = 20  # usually five suffice
_STEPS = 120  # with bisections, enough for any bracket of floats of one sign
_DOUBLINGS = 2200  # from the smallest float to the largest


def radius(log_plausibility: Floats) -> Floats:
    """Distance from the mode, in standard errors, that corresponds to a plausibility.

    >>> float(radius(np.array(-2.0)))
    2.0
    """
    return np.sqrt(np.maximum(-2.0 * log_plausibility, 0.0))


def crossing(
    distance: Callable[[Floats], Floats], mode: Floats, end: Floats, step: Floats, level: Floats
) -> Floats:
    """Last point between mode and end whose distance is at most the level.

    Parameters
    ----------
    distance : callable
        Maps points (N,) to distances (N,), which increase from the mode of a row to its end.
    mode, end : ndarray of shape (N,)
        Start and end of the search; the end may be infinite.
    step : ndarray of shape (N,)
        Length of the first step, positive.
    level : ndarray of shape (N,)
        Level of each row, not negative; inf gives the end.

    Returns
    -------
    ndarray of shape (N,)
        Crossings; the end if the level is not reached before it.

    Examples
    --------
    >>> at = [np.array([v]) for v in (0.0, np.inf, 1.0, 3.0)]
    >>> crossing(lambda x: 2 * x, *at)
    array([1.5])
    """
    inside, outside = _bracket(distance, mode, end, step, level)
    everything = np.isinf(level)
    top = level == 0  # look for the end of a plateau
    level = np.where(everything, 0.0, level)
    g_in, g_out = distance(inside) - level, distance(outside) - level
    if top.any():  # at most peaks no plateau is wider than a millionth of a step: it is the mode
        at = _toward(mode, np.where(end > mode, _PEAK, -_PEAK) * step, end)
        peak = top & (distance(at) > _TOLERANCE)
        outside, g_out = np.where(peak, mode, outside), np.where(peak, 0.0, g_out)
    w_in, w_out = g_in, g_out  # values for the secant; halved at an end that stays a second time
    was_near, was_far = np.zeros((2, level.size), dtype=bool)
    tolerance = _TOLERANCE * (1.0 + level)
    for count in range(_STEPS):
        open_ = ((g_in < -tolerance) | top) & (g_out > tolerance) & ~everything
        open_ &= np.abs(outside / 2 - inside / 2) > 4e-16 * np.abs(inside / 2 + outside / 2)
        if not open_.any():
            break
        with np.errstate(invalid="ignore", divide="ignore"):
            share = w_in / (w_in - w_out)
        # A jump or -inf at the end makes secants useless.
        useless = ~((share > 0) & (share < 1)) | (count > _SECANTS)
        x = np.where(open_, inside + np.where(useless, 0.5, share) * (outside - inside), inside)
        g = distance(x) - level
        near, far = open_ & (g <= 0), open_ & (g > 0)
        w_in = np.where(far & was_far, w_in / 2, w_in)
        w_out = np.where(near & was_near, w_out / 2, w_out)
        was_near, was_far = near, far
        inside, outside = np.where(near, x, inside), np.where(far, x, outside)
        g_in, g_out = np.where(near, g, g_in), np.where(far, g, g_out)
        w_in, w_out = np.where(near, g, w_in), np.where(far, g, w_out)
    on_end = everything | (g_out <= tolerance)
    found = np.where(on_end, outside, inside)
    # Near a smooth maximum, distances within 1e-8 steps round to 0; that is not a plateau.
    return np.where(top & (np.abs(found - mode) < _PEAK * step), mode, found)


def _bracket(
    distance: Callable[[Floats], Floats], mode: Floats, end: Floats, step: Floats, level: Floats
) -> tuple[Floats, Floats]:
    """Two points per row with the crossing between them; both are the end if there is none."""
    sign = np.where(end > mode, 1.0, -1.0)
    inside = mode.copy()
    size = step * np.maximum(np.where(np.isfinite(level), level, 0.0), 1.0)
    outside = np.where(np.isinf(level), end, _toward(mode, sign * size, end))
    for _ in range(_DOUBLINGS):
        on = (distance(outside) <= level) & (outside != end)
        if not on.any():
            break
        inside = np.where(on, outside, inside)
        with np.errstate(over="ignore"):  # the bound may be infinite
            size = np.where(on, 2 * size, size)
        outside = np.where(on, _toward(mode, sign * size, end), outside)
    return inside, outside


def _toward(start: Floats, move: Floats, end: Floats) -> Floats:
    with np.errstate(over="ignore"):
        x = start + move
    return np.where(move > 0, np.minimum(x, end), np.maximum(x, end))
