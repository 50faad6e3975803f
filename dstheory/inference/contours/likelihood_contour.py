"""Consonant belief functions on a parameter, from its likelihood.

The plausibility of a parameter value is its likelihood relative to the largest one; that of a set
is the supremum over the set. Belief is one minus the plausibility of the complement. A function of
the parameter gets its plausibility by profiling: the supremum over all parameter values with the
same value of the function.

Source: G. Shafer, A mathematical theory of evidence, 1976, chapter 11; Xu, Davoine, Zha and
Denoeux, IJAR 72, 2016, equations 11-14 and 33-40.

Boundary of a level set of a contour in the plane, and its largest value on the edge of a box.

Rays from the mode meet the boundary. They are evenly spread after the numerical Hessian at the mode
has made an oblique ridge round.

The maximum of a likelihood, its scale, and its other local maxima.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from dstheory._typing import Floats
from dstheory.inference.contours.checks import (
    Space,
    as_bounds,
    as_box,
    as_interval,
    as_levels,
    as_scales,
    guard,
    numbers,
)
from dstheory.inference.contours.levels import crossing, radius
from dstheory.inference.contours.maximum import REACH, Line, maximize_rows, zoom
from dstheory.kernels.batches import scalar
from dstheory.kernels.immutable import Immutable

Function = Callable[..., Floats]
Point = tuple[float, ...]
Place = float | Sequence[float] | Floats

_BEFORE = 10.0  # a likelihood that still rises over the last factor exp(10) has no maximum
_RISE = 1e-6
_ROUNDED = 1e-10  # of a log-likelihood
_ROUNDS = 20  # of searches that start where the last one ended, each up to 1e34 times finer
_NEAR = np.array([1e-2, 0.1, 1.0])  # widths from a given mode, where it is checked
_GAIN = 1e-14  # of the log-likelihood: rounding
_NESTED_ROUNDS = 10  # of the first search in two dimensions, before a simplex polishes the result
_VISIBLE = -50.0  # peaks below exp(-50) are negligible
_PROMINENCE = 1e-9  # relative prominence of a peak of the log-likelihood; less is rounding


def find_maximum(
    f: Function, bounds: Space, scales: Point, starts: Sequence[tuple[float, float]] = ()
) -> tuple[Point, float]:
    """Find the mode and maximum of the log-likelihood, or raise.

    In dimension 1, `starts` are places near which there may be one, each with its scale.

    >>> find_maximum(lambda x: -x, ((0.0, np.inf),), (1.0,))
    ((0.0,), -0.0)
    >>> place, value = find_maximum(lambda x: -abs(x / 1e-99 - 3), ((-np.inf, np.inf),), (1.0,))
    >>> round(place[0] / 1e-99, 9)
    3.0
    """
    if len(bounds) == 2:
        return _find_in_plane(f, bounds, scales)
    x, value = _search(f, bounds, [(0.0, scales[0]), *starts])
    return (x,), value


def _search(
    f: Function, bounds: Space, starts: Sequence[tuple[float, float]]
) -> tuple[float, float]:
    """Place and value of the maximum, searched for around the last one until nothing is gained.

    A first search sees peaks of the given scales only as far as its coordinates resolve them.
    """
    x, value = starts[0][0], -np.inf
    for _ in range(_ROUNDS):
        centers, scales = np.array(starts).T
        low, high = (np.full(centers.size, end) for end in bounds[0])
        line = Line(low, high, centers, scales)
        places, values = maximize_rows(f, line)
        best = int(values.argmax())
        gain = float(values[best]) - value
        if gain > 0:
            x, value = float(places[best]), float(values[best])
        _require_maximum(f, line, value, "")
        if not gain > _GAIN * (1 + abs(value)):
            break
        starts = [(x, widths(f, bounds, (x,), value, (float(scales[best]),))[0])]
    return x, value


def _find_in_plane(f: Function, bounds: Space, scales: Point) -> tuple[Point, float]:
    def along(first: Floats) -> tuple[Floats, Floats]:
        """Where the second parameter is likeliest for each value of the first, and the largest."""
        ends = [np.full(first.size, x, dtype=np.float64) for x in (*bounds[1], 0.0, scales[1])]
        flat = first.reshape(-1, 1)
        second, value = maximize_rows(
            lambda y: f(np.broadcast_to(flat, y.shape), y), Line(*ends), 2.0, _NESTED_ROUNDS
        )
        return second.reshape(first.shape), value.reshape(first.shape)

    def profile(x: Floats) -> Floats:
        return along(x)[1]

    line = _line(bounds[0], 0.0, scales[0])
    first, value = maximize_rows(profile, line, 2.0, _NESTED_ROUNDS)
    _require_maximum(profile, line, float(value[0]), " of the first parameter")

    def slice_(y: Floats) -> Floats:
        return f(np.full(y.shape, first[0]), y)

    _require_maximum(slice_, _line(bounds[1], 0.0, scales[1]), float(value[0]), " of the second")
    place = float(first[0]), float(along(first)[0][0])
    return _polished(f, bounds, place, float(value[0]), scales)


def _polished(
    f: Function, bounds: Space, start: Point, value: float, scales: Point
) -> tuple[Point, float]:
    """Refine by a simplex of the size of the peak, for maxima on narrow oblique ridges."""
    from scipy.optimize import minimize

    # The tolerances are absolute, so the unit is the size of the peak.
    center, size = np.array(start), np.array(widths(f, bounds, start, value, scales))
    low, high = np.array(bounds).T
    simplex = (center + 1e-2 * np.array([[0, 0], [1, 0], [0, 1]]) * size - center) / size
    options: Any = {"initial_simplex": simplex, "xatol": 1e-9, "fatol": 1e-13, "maxfev": 2000}

    def loss(u: Floats) -> float:
        return -float(f(*np.clip(center + u * size, low, high)[:, None])[0])

    found = minimize(loss, np.zeros(2), method="Nelder-Mead", options=options)
    place = np.clip(center + found.x * size, low, high)
    if -found.fun <= value:
        return start, value
    return (float(place[0]), float(place[1])), float(-found.fun)


def given_maximum(f: Function, bounds: Space, mode: Place) -> tuple[Point, float]:
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


def _refuse_higher(f: Function, bounds: Space, place: Point, value: float, size: Point) -> None:
    """Raise if the likelihood is larger on an axis near the given mode than there."""
    for axis, (low, high) in enumerate(bounds):
        theta = [np.full(2 * _NEAR.size, x) for x in place]
        steps = size[axis] * np.concatenate([-_NEAR, _NEAR])
        theta[axis] = np.clip(place[axis] + steps, low, high)
        values = f(*theta)
        best = int(values.argmax())
        if values[best] > value + _RISE + _ROUNDED * abs(value):
            raise ValueError(
                f"log_likelihood is {values[best] - value:.6g} higher at "
                f"{[float(x[best]) for x in theta]} than at the mode {list(place)}; give the right "
                "mode or none"
            )


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
                "give bounds away from there, a likelihood that has a maximum, or its scale"
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


def _highest(
    f: Function, bounds: Space, place: Point, value: float, size: Point
) -> tuple[Point, float, Point, Floats]:
    """Mode, maximum, width and peaks, of dimension 1; a peak above the mode takes its place."""
    for _ in range(_ROUNDS):
        top = value

        def above(x: Floats, top: float = top) -> Floats:
            return np.asarray(f(x) - top)

        peaks = find_peaks(above, bounds[0], place[0], size[0])
        heights = above(peaks)
        if heights.max() <= _PROMINENCE:
            break
        x, value = _search(f, bounds, [(float(peaks[heights.argmax()]), size[0])])
        place, size = (x,), widths(f, bounds, (x,), value, size)
    return place, value, size, peaks


def find_peaks(f: Function, bounds: tuple[float, float], mode: float, width: float) -> Floats:
    """Local maxima of a log contour in dimension 1, with the mode, ascending.

    >>> find_peaks(lambda x: abs(abs(x) - 2) * -1.0, (-9, 9), 2, 1.0)
    array([-2.,  2.])
    """
    v = np.arange(-REACH, REACH + 0.25, 0.25)
    x = np.unique(np.append(_line(bounds, mode, width).point(v[None])[0], mode))
    seen = np.flatnonzero(f(x) > _VISIBLE)
    left, right = x[max(seen[0] - 1, 0)], x[min(seen[-1] + 1, x.size - 1)]
    x = np.unique(np.concatenate([x, np.linspace(left, right, 2049)]))
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


def _moved(center: Floats, t: Floats, rays: Floats) -> Floats:
    """Points at `t` along the rays; a ray along an axis stays on it, even at infinity."""
    with np.errstate(invalid="ignore"):  # infinity times 0 is replaced
        return np.asarray(center + np.where(rays == 0, 0.0, t * rays))


def _ray_ends(bounds: Space, center: Floats, rays: Floats) -> Floats:
    low, high = np.array(bounds).T[:, :, None]
    # A ray parallel to an axis never meets its bounds.
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = np.where(rays > 0, (high - center) / rays, (low - center) / rays)
    ends = np.where(rays == 0, np.inf, ends)
    return np.asarray(np.maximum(ends.min(axis=0), 0.0))


@final
class LikelihoodContour(Immutable):
    """The consonant belief function on a parameter of dimension 1 or 2.

    Parameters
    ----------
    log_likelihood : callable
        Log-likelihood up to a constant. It takes one array per dimension, all of one shape, and
        returns an array of that shape. It may be -inf but never +inf. If it is NaN on a finite
        bound (0 * log 0), the value at the nearest float inside is used.
    bounds : (low, high), or a pair of them
        The parameter space, closed; bounds may be infinite.
    mode : float or pair of float, optional
        Where the likelihood is largest, if known. No search takes place then, and the contour is
        assumed to have no other local maximum.
    scale : float or pair of float, optional
        Rough distance from the mode, or from 0, over which the log-likelihood changes by about 1.
        On an unbounded space, the search starts there.
    chunk : int
        Maximum number of points in one call of `log_likelihood`.

    Attributes
    ----------
    bounds : tuple of (low, high)
        One pair per dimension.
    mode : float or tuple of float
        A value of plausibility 1. If the supremum is approached only at infinity, a value so far
        out that the likelihood equals its limit.
    peaks : ndarray
        In dimension 1, all local maxima found, in ascending order. With one peak the contour is
        unimodal.

    Raises
    ------
    ValueError
        If bounds are not intervals, the likelihood is unbounded, NaN, or zero at all points tried,
        or the given mode is not a maximum.
    TypeError
        If an argument has the wrong type.

    Notes
    -----
    The maximum is bracketed on a grid that is exponential near bounds and towards infinity, then by
    nested brackets (in dimension 2, of the profile). This finds the maximum of a unimodal
    likelihood on any scale, on a bound or inside. Local maxima are found if they are wider than
    about a thousandth of the plausible range.

    A flat likelihood gives the vacuous belief function, with a contour of 1 everywhere.

    References
    ----------
    .. [1] Shafer, "A mathematical theory of evidence", Princeton, 1976, chapter 11.
    .. [2] Xu, Davoine, Zha, Denoeux, "Evidential calibration of binary SVM classifiers",
       International Journal of Approximate Reasoning 72, 2016, equations 11-14, 33-40.

    Examples
    --------
    Two successes in two trials: the likelihood is u**2.

    >>> contour = LikelihoodContour(lambda u: 2 * np.log(u), (0, 1))
    >>> contour.mode, contour.contour([0.0, 0.5, 1.0])
    (1.0, array([0.  , 0.25, 1.  ]))
    >>> contour.pl(0, 0.5), contour.bel(0.5, 1)
    (0.25, 0.75)
    """

    __slots__ = ("_f", "_peak_value", "_scale", "bounds", "mode", "peaks")

    bounds: Space
    mode: Any
    peaks: Floats
    _f: Callable[..., Floats]
    _peak_value: float
    _scale: tuple[float, ...]

    def __init__(
        self,
        log_likelihood: Callable[..., Any],
        bounds: Sequence[Any],
        *,
        mode: Place | None = None,
        scale: ArrayLike | None = None,
        chunk: int = 256,
    ) -> None:
        self._fill(log_likelihood, bounds, mode, scale, chunk)

    @classmethod
    def _near(
        cls,
        log_likelihood: Callable[..., Any],
        bounds: Sequence[Any],
        scale: ArrayLike | None,
        starts: Sequence[tuple[float, float]],
    ) -> LikelihoodContour:
        """Search for the mode near some places too, each with its scale (dimension 1)."""
        self = cls.__new__(cls)
        self._fill(log_likelihood, bounds, None, scale, 256, starts)
        return self

    def _fill(
        self,
        log_likelihood: Callable[..., Any],
        bounds: Sequence[Any],
        mode: Place | None,
        scale: ArrayLike | None,
        chunk: int,
        starts: Sequence[tuple[float, float]] = (),
    ) -> None:
        spaces = as_bounds(bounds)
        f = guard(log_likelihood, spaces, chunk)
        scales = as_scales(scale, len(spaces))
        if mode is None:
            place, value = find_maximum(f, spaces, scales, starts)
        else:
            place, value = given_maximum(f, spaces, mode)
        size, peaks = widths(f, spaces, place, value, scales), np.array(place[:1])
        if mode is not None:
            _refuse_higher(f, spaces, place, value, size)
        elif len(spaces) == 1:
            place, value, size, peaks = _highest(f, spaces, place, value, size)
        self._keep(bounds=spaces, mode=place[0] if len(spaces) == 1 else place)
        self._keep(_f=f, _peak_value=value, _scale=size, peaks=peaks)

    def __repr__(self) -> str:
        space = " x ".join(f"[{low:g}, {high:g}]" for low, high in self.bounds)
        return f"LikelihoodContour on {space} with mode {self.mode}"

    @property
    def scale(self) -> Any:
        """Distance from the mode along each axis at which the log-likelihood is lower by 1/2."""
        return self._scale[0] if self.dimension == 1 else self._scale

    @property
    def dimension(self) -> int:
        """Dimension of the parameter, 1 or 2."""
        return len(self.bounds)

    @property
    def is_unimodal(self) -> bool:
        """Whether one peak was found, so that level sets in dimension 1 are intervals."""
        return len(self.peaks) == 1

    def log_contour(self, *theta: ArrayLike) -> Any:
        """Log plausibility of parameter values.

        Parameters
        ----------
        *theta : array_like
            One array for each dimension; they broadcast.

        Returns
        -------
        float or ndarray
            At most 0; -inf outside the parameter space.

        Raises
        ------
        ValueError
            If a value is NaN, or the number of arrays is not the dimension.

        Examples
        --------
        >>> contour = LikelihoodContour(lambda x: -(x**2), (-np.inf, np.inf))
        >>> contour.log_contour(2.0)
        -4.0
        """
        if len(theta) != self.dimension:
            raise ValueError(f"the parameter has dimension {self.dimension}, not {len(theta)}")
        points = np.broadcast_arrays(*(numbers("theta", x) for x in theta))
        inside = np.ones(points[0].shape, dtype=bool)
        for x, (low, high) in zip(points, self.bounds, strict=True):
            inside &= (x >= low) & (x <= high)
        result = np.full(points[0].shape, -np.inf)
        result[inside] = np.minimum(self._f(*(x[inside] for x in points)) - self._peak_value, 0.0)
        return scalar(result)

    def contour(self, *theta: ArrayLike) -> Any:
        """Plausibility of parameter values, which is the relative likelihood (eq. 11).

        Parameters
        ----------
        *theta : array_like
            One array for each dimension; they broadcast.

        Returns
        -------
        float or ndarray
            In [0, 1]; 0 outside the parameter space.

        Raises
        ------
        ValueError
            As `log_contour`.

        Examples
        --------
        >>> contour = LikelihoodContour(lambda a, b: a + b, [(0, 1), (0, 1)])
        >>> contour.contour(1.0, [0.0, 1.0]).round(4)
        array([0.3679, 1.    ])
        """
        return scalar(np.exp(self.log_contour(*theta)))

    def pl(self, *region: ArrayLike) -> Any:
        """Plausibility of a region, the largest relative likelihood in it (eq. 12).

        Parameters
        ----------
        *region : array_like
            In dimension 1, `low, high` of a closed interval, arrays that broadcast. In dimension 2,
            the four numbers `low, high, low, high` of a closed box.

        Returns
        -------
        float or ndarray
            0 where the region does not meet the parameter space.

        Raises
        ------
        ValueError
            If an end is NaN, low > high, or the number of ends is wrong.

        See Also
        --------
        profile : for regions between parallel lines.
        profile_of : for regions that a function of the parameter describes.

        Examples
        --------
        >>> contour = LikelihoodContour(lambda x: -(x**2), (-np.inf, np.inf))
        >>> contour.pl([0, 1, -2], [1, 2, -1]).round(4)
        array([1.    , 0.3679, 0.3679])
        """
        if self.dimension == 2:
            return self._pl_box(as_box(region))
        low, high = as_interval(region)
        bottom, top = self.bounds[0]
        meets = (low <= top) & (high >= bottom)
        a, b = np.clip(low, bottom, top), np.clip(high, bottom, top)
        best = np.maximum(self.contour(a), self.contour(b))
        for x, height in zip(self.peaks, self.contour(self.peaks), strict=True):
            best = np.where((low <= x) & (x <= high), np.maximum(best, height), best)
        return scalar(np.where(meets, best, 0.0))

    def bel(self, *region: ArrayLike) -> Any:
        """Belief in a region, 1 minus the plausibility of its complement (eqs. 12, 14).

        Parameters
        ----------
        *region : array_like
            As in `pl`.

        Returns
        -------
        float or ndarray
            1 where the region covers the parameter space.

        Raises
        ------
        ValueError
            As `pl`.

        Examples
        --------
        >>> contour = LikelihoodContour(lambda x: -(x**2), (-np.inf, np.inf))
        >>> contour.bel(-1, [1, 2]).round(4)
        array([0.6321, 0.6321])
        """
        ends = as_box(region) if self.dimension == 2 else as_interval(region)
        outside: Any = 0.0
        for axis, (bottom, top) in enumerate(self.bounds):
            low, high = ends[2 * axis : 2 * axis + 2]
            start, stop = np.full(low.shape, bottom), np.full(high.shape, top)
            for beyond, a, b in (
                (low > bottom, start, np.clip(low, bottom, top)),
                (high < top, np.clip(high, bottom, top), stop),
            ):
                if beyond.any():
                    outside = np.maximum(outside, np.where(beyond, self._pl_slab(axis, a, b), 0.0))
        return scalar(1.0 - outside)

    def _pl_slab(self, axis: int, low: Floats, high: Floats) -> Any:
        """Plausibility that one coordinate lies in an interval.

        The supremum over an open half space equals that over its closure.
        """
        region: list[Any] = [end for pair in self.bounds for end in pair]
        region[2 * axis : 2 * axis + 2] = [low, high]
        return self.pl(*region)

    def _pl_box(self, box: tuple[Floats, ...]) -> float:
        """Plausibility of a box: with one peak, a supremum outside the mode is on the boundary."""
        pairs = []
        for low, high, (bottom, top) in zip(box[::2], box[1::2], self.bounds, strict=True):
            if low > top or high < bottom:
                return 0.0
            pairs.append((float(np.clip(low, bottom, top)), float(np.clip(high, bottom, top))))
        if all(a <= x <= b for x, (a, b) in zip(self.mode, pairs, strict=True)):
            return 1.0
        return float(np.exp(self._edge_maximum(pairs)))

    def _edge_maximum(self, box: list[tuple[float, float]]) -> float:
        """Largest log-plausibility on the four edges of a box, which may be unbounded."""
        (a, b), (c, d) = box
        fixed = np.array([a, b, c, d])
        upright = np.array([True, True, False, False])  # edges of constant first coordinate
        low, high = np.where(upright, c, a), np.where(upright, d, b)
        kept = np.isfinite(fixed)
        if not kept.any():
            raise ValueError("the region has no edge; give a box with a finite end")
        fixed, upright, low, high = (x[kept] for x in (fixed, upright, low, high))

        def edges(t: Floats) -> Floats:
            still = np.broadcast_to(fixed[:, None], t.shape)
            found: Floats = self.log_contour(
                np.where(upright[:, None], still, t), np.where(upright[:, None], t, still)
            )
            return found

        center, scale = (np.where(upright, x[1], x[0]) for x in (self.mode, self._scale))
        return float(maximize_rows(edges, Line(low, high, center, scale))[1].max())

    def level_set(self, gamma: ArrayLike, n_points: int = 64) -> tuple[Any, Any]:
        """Focal set of the parameters whose plausibility is at least gamma (eq. 13).

        Parameters
        ----------
        gamma : array_like
            Levels in [0, 1]; 0 gives the (closed) parameter space. One number in dimension 2.
        n_points : int
            In dimension 2, number of points on the boundary.

        Returns
        -------
        low, high : float or ndarray
            In dimension 1, the ends of the interval, with the shape of `gamma`. In dimension 2, the
            coordinates (n_points,) of boundary points, counterclockwise: the first ones along rays
            from the mode, which is the whole boundary if the set is star-shaped.

        Raises
        ------
        ValueError
            If a level is outside [0, 1], or the contour has several peaks.

        Examples
        --------
        >>> contour = LikelihoodContour(lambda u: 2 * np.log(u), (0, 1))
        >>> low, high = contour.level_set([0.25, 0.0])
        >>> low.round(9), high
        (array([0.5, 0. ]), array([1., 1.]))
        """
        levels = as_levels("gamma", gamma)
        with np.errstate(divide="ignore"):  # level 0 is radius inf
            r = radius(np.log(levels))
        if self.dimension == 2:
            if levels.ndim or not levels:
                raise ValueError(f"gamma is {gamma!r}; give one positive number in dimension 2")
            return self._outline(float(r), n_points)
        low, high = self.at_radius(r.ravel())
        return scalar(low.reshape(r.shape)), scalar(high.reshape(r.shape))

    def _outline(self, r: float, n_points: int) -> tuple[Floats, Floats]:
        """Boundary, counterclockwise, of the set where the plausibility is exp(-r**2 / 2)."""
        angle = 2 * np.pi * np.arange(n_points) / n_points
        rays = self._rounding() @ np.stack([np.cos(angle), np.sin(angle)])
        center = np.array(self.mode)[:, None]

        def along(t: Floats) -> Floats:
            x, y = _moved(center, t, rays)
            # Rounding can move the end of a ray out of the space.
            return radius(
                self.log_contour(np.clip(x, *self.bounds[0]), np.clip(y, *self.bounds[1]))
            )

        zero = np.zeros(n_points)
        end = _ray_ends(self.bounds, center, rays)
        t = crossing(along, zero, end, zero + 1.0, zero + r)
        x, y = _moved(center, t, rays)
        return np.clip(x, *self.bounds[0]), np.clip(y, *self.bounds[1])

    def _rounding(self) -> Floats:
        """Matrix that maps a circle to the ellipse of the normal approximation."""
        step = 0.1 * np.array(self._scale)
        i, j = (g.ravel() for g in np.meshgrid([-1.0, 0.0, 1.0], [-1.0, 0.0, 1.0], indexing="ij"))
        x, y = self.mode
        f = self.log_contour(x + step[0] * i, y + step[1] * j).reshape(3, 3)
        with np.errstate(invalid="ignore"):
            a, c = f[2, 1] - 2 * f[1, 1] + f[0, 1], f[1, 2] - 2 * f[1, 1] + f[1, 0]
            b = (f[2, 2] - f[2, 0] - f[0, 2] + f[0, 0]) / 4
        information = -np.array([[a, b], [b, c]]) / 0.01
        proper = np.isfinite(information).all() and a < 0 and np.linalg.det(information) > 0
        if not proper:  # a mode on a bound, or a likelihood that is not smooth
            return np.asarray(np.diag(self._scale), dtype=np.float64)
        return np.asarray(np.diag(self._scale) @ np.linalg.cholesky(np.linalg.inv(information)))

    def at_radius(self, r: ArrayLike) -> tuple[Floats, Floats]:
        """Ends of the level sets at gamma = exp(-r**2 / 2), of dimension 1.

        Parameters
        ----------
        r : array_like of shape (N,)
            Not negative. For a normal likelihood, the ends are r standard errors from the mode. For
            others they are smooth in r, which makes r the variable to integrate over.

        Returns
        -------
        low, high : ndarray of shape (N,)
            Ends of the intervals.

        Raises
        ------
        ValueError
            If the contour has several peaks or two dimensions.

        Examples
        --------
        >>> contour = LikelihoodContour(lambda x: -(x**2) / 2, (-np.inf, np.inf), mode=0.0)
        >>> contour.at_radius([1.0, 2.0])
        (array([-1., -2.]), array([1., 2.]))
        """
        if self.dimension == 2 or not self.is_unimodal:
            raise ValueError(f"level sets are not intervals: {self!r} has peaks at {self.peaks}")
        level = np.atleast_1d(numbers("r", r))
        if level.ndim > 1:
            raise ValueError(f"r has shape {level.shape}, expected (N,)")
        mode, step = np.full(level.size, self.mode), np.full(level.size, self._scale[0])

        def distance(x: Floats) -> Floats:
            return radius(self.log_contour(x))

        low, high = (
            crossing(distance, mode, np.full(level.size, end), step, level)
            for end in self.bounds[0]
        )
        return low, high


def normal_curve(center: float, spread: float, chunk: int = 256) -> LikelihoodContour:
    """Contour of the shape of a normal density."""
    return LikelihoodContour(
        lambda x: -(((x - center) / spread) ** 2) / 2,
        (-np.inf, np.inf),
        mode=center,
        scale=spread,
        chunk=chunk,
    )


def student_curve(center: float, size: float, n: int, chunk: int = 256) -> LikelihoodContour:
    """Contour of the mean of `n` normal observations whose deviation is profiled out."""
    return LikelihoodContour(
        lambda x: -(n / 2) * np.log1p(((x - center) / size) ** 2),
        (-np.inf, np.inf),
        mode=center,
        scale=size / np.sqrt(n),
        chunk=chunk,
    )
