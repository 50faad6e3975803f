"""The maximum of a likelihood, its scale, and its other local maxima."""

from collections.abc import Callable
from typing import Any

import numpy as np

from dstheory.inference.contours.checks import Space, numbers
from dstheory.inference.contours.levels import crossing, radius
from dstheory.inference.contours.maximum import REACH, Floats, Line, maximize_rows, zoom

__all__ = ["find_maximum", "find_peaks", "given_maximum", "profile_rows", "widths"]

Function = Callable[..., Floats]
Point = tuple[float, ...]

_BEFORE = 10.0  # a likelihood that still rises over the last factor exp(10) has no maximum
_RISE = 1e-6
_NESTED_ROUNDS = 10  # of the first search in two dimensions, before a simplex polishes the result
_VISIBLE = -50.0  # peaks below exp(-50) are negligible
_PROMINENCE = 1e-9  # relative prominence of a peak of the log-likelihood; less is rounding


def find_maximum(f: Function, bounds: Space, scales: Point) -> tuple[Point, float]:
    """Mode and maximum of the log-likelihood; raise if there is none.

    >>> find_maximum(lambda x: -x, ((0.0, np.inf),), (1.0,))
    ((0.0,), -0.0)
    """
    if len(bounds) == 1:
        line = _line(bounds[0], 0.0, scales[0])
        x, value = maximize_rows(f, line)
        _require_maximum(f, line, float(value[0]), "")
        return (float(x[0]),), float(value[0])
    return _find_in_plane(f, bounds, scales)


def _find_in_plane(f: Function, bounds: Space, scales: Point) -> tuple[Point, float]:
    def profile(x: Floats) -> Floats:
        return profile_rows(f, x, bounds[1], 0.0, scales[1], _NESTED_ROUNDS)[1]

    line = _line(bounds[0], 0.0, scales[0])
    first, value = maximize_rows(profile, line, 2.0, _NESTED_ROUNDS)
    _require_maximum(profile, line, float(value[0]), " of the first parameter")
    second, _ = profile_rows(f, first, bounds[1], 0.0, scales[1], _NESTED_ROUNDS)

    def slice_(y: Floats) -> Floats:
        return f(np.full(y.shape, first[0]), y)

    _require_maximum(slice_, _line(bounds[1], 0.0, scales[1]), float(value[0]), " of the second")
    return _polished(f, bounds, (float(first[0]), float(second[0])), float(value[0]), scales)


def _polished(
    f: Function, bounds: Space, start: Point, value: float, scales: Point
) -> tuple[Point, float]:
    """Refine by a simplex of the size of the peak, for maxima on narrow oblique ridges."""
    from scipy.optimize import minimize

    size = np.array(widths(f, bounds, start, value, scales))
    corners = np.array(start) + 1e-2 * np.array([[0, 0], [1, 0], [0, 1]]) * size
    low, high = np.array(bounds).T

    def loss(x: Floats) -> float:
        return -float(f(*np.clip(x, low, high)[:, None])[0])

    # The tolerances are absolute, so the unit is the size of the peak.
    simplex = (corners - np.array(start)) / size
    options: Any = {"initial_simplex": simplex, "xatol": 1e-9, "fatol": 1e-13, "maxfev": 2000}

    def scaled(u: Any) -> float:
        return loss(np.array(start) + u * size)

    found = minimize(scaled, np.zeros(2), method="Nelder-Mead", options=options)
    place = np.clip(np.array(start) + found.x * size, low, high)
    if -found.fun <= value:
        return start, value
    return (float(place[0]), float(place[1])), float(-found.fun)


def given_maximum(f: Function, bounds: Space, mode: Any) -> tuple[Point, float]:
    """The mode given by the caller, if it lies in the space and has a positive likelihood.

    >>> given_maximum(lambda x: -abs(x), ((-1.0, 1.0),), 0)
    ((0.0,), -0.0)
    """
    place = np.atleast_1d(numbers("mode", mode))
    if place.shape != (len(bounds),):
        raise ValueError(f"mode has shape {place.shape}; give {len(bounds)} (one per dimension)")
    if not all(a <= x <= b and np.isfinite(x) for x, (a, b) in zip(place, bounds, strict=True)):
        raise ValueError(f"mode {mode} is not a point of the parameter space {bounds}")
    value = float(f(*place[:, None])[0])
    if value == -np.inf:
        raise ValueError(f"log_likelihood is -inf at the mode {mode}; give the right mode or none")
    return tuple(float(x) for x in place), value


def profile_rows(
    f: Function,
    first: Floats,
    bounds: tuple[float, float],
    center: float,
    scale: float,
    rounds: int,
) -> tuple[Floats, Floats]:
    """Largest log-likelihood over the second parameter for each value of the first, and where.

    >>> profile_rows(lambda x, y: -((x - y) ** 2), np.array([[3.0]]), (0, 2), 0, 1, 16)
    (array([[2.]]), array([[-1.]]))
    """
    flat = first.reshape(-1, 1)

    def rows(y: Floats) -> Floats:
        return f(np.broadcast_to(flat, y.shape), y)

    ends = [np.full(flat.size, x, dtype=np.float64) for x in (*bounds, center, scale)]
    y, value = maximize_rows(rows, Line(*ends), 2.0, rounds)
    return y.reshape(first.shape), value.reshape(first.shape)


def _line(bounds: tuple[float, float], center: float, scale: float) -> Line:
    return Line(*(np.array([x], dtype=np.float64) for x in (*bounds, center, scale)))


def _require_maximum(f: Function, line: Line, value: float, which: str) -> None:
    if value == -np.inf:
        raise ValueError(
            "log_likelihood is -inf at all points tried; give tighter bounds or a scale"
        )
    for side in (-1, 1):
        ends = line.point(side * np.array([[REACH - _BEFORE, REACH]]))
        before, last = f(ends)[0].tolist()
        if last >= value - _RISE and last > before + _RISE * max(1.0, abs(before)):
            raise ValueError(
                f"the likelihood still rises at {ends[0, 1]:g}{which}: it is unbounded; "
                "give bounds away from there, or a likelihood that has a maximum"
            )


def widths(f: Function, bounds: Space, place: Point, value: float, scales: Point) -> Point:
    """Distance from the mode along each axis at which the log-likelihood is lower by 1/2.

    >>> widths(lambda x: -2 * x**2, ((-np.inf, np.inf),), (0.0,), 0.0, (1.0,))
    (0.5,)
    """
    result = []
    for i, (low, high) in enumerate(bounds):

        def distance(x: Floats, i: int = i) -> Floats:
            theta = [np.full(x.shape, p) for p in place]
            theta[i] = x
            return radius(f(*theta) - value)

        mode, one = np.full(2, place[i]), np.ones(2)
        ends = crossing(distance, mode, np.array([low, high]), one * scales[i], one)
        size = np.abs(ends - mode)
        reached = np.isfinite(size) & (size > 0)
        result.append(float(size[reached].max()) if reached.any() else scales[i])
    return tuple(result)


def find_peaks(
    f: Function, bounds: tuple[float, float], mode: float, width: float, n_points: int = 2049
) -> Floats:
    """Local maxima of a log contour in dimension 1, with the mode, ascending.

    >>> find_peaks(lambda x: abs(abs(x) - 2) * -1.0, (-9, 9), 2, 1.0)
    array([-2.,  2.])
    """
    v = np.arange(-REACH, REACH + 0.25, 0.25)
    x = np.unique(np.append(_line(bounds, mode, width).point(v[None])[0], mode))
    seen = np.flatnonzero(f(x) > _VISIBLE)
    left, right = x[max(seen[0] - 1, 0)], x[min(seen[-1] + 1, x.size - 1)]
    x = np.unique(np.concatenate([x, np.linspace(left, right, n_points)]))
    x = x[np.isfinite(x)]
    values = np.maximum(f(x), 2 * _VISIBLE)
    tops = [i for i in _local_maxima(values) if values[i] > _VISIBLE]
    near = (
        np.array([x[max(i - 1, 0)] for i in tops]),
        np.array([x[min(i + 1, x.size - 1)] for i in tops]),
    )
    places, _ = zoom(f, *near)
    # The peak of plausibility 1 is the mode, which is known more accurately.
    around = (near[0] <= mode) & (mode <= near[1])
    return np.unique(np.append(places[~around], mode))


def _local_maxima(values: Floats) -> list[int]:
    """Indices of maxima above the valleys on both sides by more than rounding.

    Walks up along the values until they fall, then down until they rise, and so on.
    """
    tops: list[int] = []
    top = bottom = 0
    rising = True
    for i, value in enumerate(values.tolist()):
        if rising:
            top = i if value > values[top] else top
            if value < values[top] - _PROMINENCE * (1 + abs(values[top])):
                tops.append(top)
                bottom, rising = i, False
        else:
            bottom = i if value < values[bottom] else bottom
            if value > values[bottom] + _PROMINENCE * (1 + abs(value)):
                top, rising = i, True
    return [*tops, top] if rising else tops
