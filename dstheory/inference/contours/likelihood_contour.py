"""Consonant belief functions on a parameter, from its likelihood.

The plausibility of a parameter value is its likelihood relative to the largest one; that of a set
is the supremum over the set. Belief is one minus the plausibility of the complement. A function of
the parameter gets its plausibility by profiling: the supremum over all parameter values with the
same value of the function.

Source: G. Shafer, A mathematical theory of evidence, 1976, chapter 11; Xu, Davoine, Zha and
Denoeux, IJAR 72, 2016, equations 11-14 and 33-40.
"""

from collections.abc import Callable, Sequence
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from dstheory.inference.contours._outline import edge_maximum, outline
from dstheory.inference.contours._search import find_maximum, find_peaks, given_maximum, widths
from dstheory.inference.contours.checks import (
    as_bounds,
    as_box,
    as_interval,
    as_levels,
    as_scales,
    guard,
    numbers,
    plain,
)
from dstheory.inference.contours.levels import crossing, radius
from dstheory.inference.contours.maximum import Floats
from dstheory.kernels.immutable import Immutable

__all__ = ["LikelihoodContour"]

Bounds = tuple[tuple[float, float], ...]


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

    bounds: Bounds
    mode: Any
    peaks: Floats
    _f: Callable[..., Floats]
    _peak_value: float
    _scale: tuple[float, ...]

    def __init__(
        self,
        log_likelihood: Callable[..., Any],
        bounds: Sequence[Any],
        mode: Any = None,
        scale: Any = None,
        chunk: int = 256,
    ) -> None:
        spaces = as_bounds(bounds)
        f = guard(log_likelihood, spaces, chunk)
        scales = as_scales(scale, len(spaces))
        if mode is None:
            place, value = find_maximum(f, spaces, scales)
        else:
            place, value = given_maximum(f, spaces, mode)
        put = object.__setattr__
        put(self, "bounds", spaces)
        put(self, "mode", place[0] if len(spaces) == 1 else place)
        put(self, "_f", f)
        put(self, "_peak_value", value)
        put(self, "_scale", widths(f, spaces, place, value, scales))
        if mode is None and len(spaces) == 1:
            peaks = find_peaks(self.log_contour, spaces[0], place[0], self._scale[0])
        else:
            peaks = np.array(place[:1])
        peaks.flags.writeable = False
        put(self, "peaks", peaks)

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
        return plain(result)

    def contour(self, *theta: ArrayLike) -> Any:
        """Plausibility of parameter values: the relative likelihood (eq. 11).

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
        return plain(np.exp(self.log_contour(*theta)))

    def pl(self, *region: ArrayLike) -> Any:
        """Plausibility of a region: the largest relative likelihood in it (eq. 12).

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
        return plain(np.where(meets, best, 0.0))

    def bel(self, *region: ArrayLike) -> Any:
        """Belief in a region: one minus the plausibility of its complement (eqs. 12, 14).

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
        return plain(1.0 - outside)

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
        return float(np.exp(edge_maximum(self.log_contour, pairs, self.mode, self._scale)))

    def level_set(self, gamma: ArrayLike, n_points: int = 64) -> tuple[Any, Any]:
        """Focal sets: where the plausibility is at least gamma (eq. 13).

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
            return outline(
                self.log_contour, self.bounds, self.mode, self._scale, float(r), n_points
            )
        low, high = self.at_radius(r.ravel())
        return plain(low.reshape(r.shape)), plain(high.reshape(r.shape))

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
