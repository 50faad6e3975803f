"""The least squares line that bends only as far as it pays: linear trend filtering, exactly.

The fit is a line with kinks at some of the points. Given where it bends, and which way, it
is the solution of a tridiagonal system; the double running sum of its residuals, a string
between -lambda and lambda, tells where it ought to bend in addition, and a kink that would
bend the other way goes. Each round lowers the objective, so that the search ends, at the
solution itself (Tibshirani & Taylor 2011 for the dual string; Osborne, Presnell & Turlach
2000 for the active set). The string proves it: what it promises by weak duality is checked.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solveh_banded

from evical._typing import Floats, Indices
from evical.errors import ConvergenceError

__all__ = ["NO_KINKS", "Kinks", "Points", "Polyline", "bend", "line", "string"]


# Measured with labels 0 and 1 and 50 lambdas at n = 1e5: a path takes 300 rounds and 1,500
# tridiagonal systems, 2 s of one core. In the same run an interior-point method on the dual
# (banded Cholesky, LAPACK pbsv; tests/benchmarks/bench_trend_filter.py) took 36 times as long:
# 30 to 140 iterations a fit, which for great lambda ended at a gap of 6e-2, as its matrices
# are singular to rounding there. R's glmgen (ADMM) is reported at 20 s.

# A bend below this share of value / distance is rounding. The string of labels 0 and 1 often
# comes to +-lambda at points where the line need not bend: bends of 1e-15 to 4e-14 there, and
# of more than 1e-2 elsewhere, were seen for 200 points on [0, 1].
_ROUNDING = 1e-14

# Rounds that gain no more than the rounding of the objective: heavy points may still find their
# kinks, but what they cost no longer shows.
_STALLS = 30

# Of the objective: the duality gap of a proven fit. Gaps above 1e-11 were not seen.
_GAP = 1e-9

# Rounding errors of one point in the string of a fit, at most; 1.2 of all points were seen, in
# 70,000 fits of extreme samples.
_ERRORS = 16.0 * np.finfo(np.float64).eps


class Points(NamedTuple):
    """Two or more points: strictly ascending x, y, and positive weights w, each (n,).

    `size` is that of the numbers of which `y` is a difference, with its digits.
    """

    x: Floats
    y: Floats
    w: Floats
    size: Floats | float = 0.0


class Kinks(NamedTuple):
    """Inner points at which a line bends: positions (k,), signs and sizes of the bends."""

    at: Indices
    signs: Floats
    bends: Floats


class Polyline(NamedTuple):
    """Piecewise linear function: positions of its knots, both ends included, and its values."""

    knots: Indices
    values: Floats


NO_KINKS = Kinks(np.empty(0, dtype=np.intp), np.empty(0), np.empty(0))


def line(points: Points) -> Polyline:
    """Weighted least squares line.

    Parameters
    ----------
    points : Points

    Returns
    -------
    Polyline
        With the two end points as knots.

    Examples
    --------
    >>> line(Points(np.array([0.0, 1, 2]), np.array([0.0, 3, 0]), np.ones(3))).values
    array([1., 1.])
    """
    return _settled(points, 0.0, NO_KINKS)[1]


def bend(points: Points, lam: float, start: Kinks, rtol: float) -> tuple[Kinks, Polyline]:
    """Trend filter at one lambda.

    Parameters
    ----------
    points : Points
    lam : float, positive
    start : Kinks
        Of a fit at another lambda, or none.
    rtol : float
        The string may leave [-lam, lam] by ``rtol * lam``.

    Returns
    -------
    Kinks, Polyline
        The solution.

    Raises
    ------
    ConvergenceError
        If the duality gap is above `rtol`, and above 1e-9 of the objective, by more than rounding.

    Examples
    --------
    >>> points = Points(np.array([0.0, 1, 2]), np.array([0.0, 3, 0]), np.ones(3))
    >>> bend(points, 0.5, NO_KINKS, 1e-10)[1].values
    array([0.5, 2. , 0.5])
    """
    kinks, fit = _settled(points, lam, start)
    residual = _residual(points, fit)
    cost, stalled = _cost(points, lam, kinks, residual), 0
    while stalled < _STALLS:
        tension = lam * np.concatenate([[0.0], kinks.signs, [0.0]])
        heights = _tied(points, residual, fit.knots, tension)
        beyond, signs = _excursions(heights, lam * (1 + rtol))
        if len(beyond) == 0:
            break
        more = _united(kinks, Kinks(beyond, signs, np.zeros(len(beyond))))
        kinks, fit = _settled(points, lam, more)
        residual = _residual(points, fit)
        lower = _cost(points, lam, kinks, residual)
        stalled, cost = (0, lower) if lower < cost else (stalled + 1, cost)
    check_optimal(points, lam, kinks, fit, max(rtol, _GAP))
    return kinks, fit


def check_optimal(points: Points, lam: float, kinks: Kinks, fit: Polyline, gap: float) -> None:
    """Raise unless the string of the residuals proves a fit.

    The string solves the dual problem where it is lambda at the kinks, with their signs, and
    between -lambda and lambda elsewhere. One that goes beyond by a share e of lambda does, divided
    by 1 + e, but for a duality gap of e / (1 + e) of the price of the bends and the square of that
    of the sum of squares.

    Parameters
    ----------
    points : Points
    lam : float, positive
    kinks, fit : Kinks, Polyline
        The solution to be proven.
    gap : float
        Greatest share of the objective that may be left to gain.

    Raises
    ------
    ConvergenceError
        If more than that, and than rounding, is left.

    Examples
    --------
    >>> points = Points(np.array([0.0, 1, 2]), np.array([0.0, 3, 0]), np.ones(3))
    >>> check_optimal(points, 0.5, *bend(points, 0.5, NO_KINKS, 1e-10), 1e-9)
    >>> check_optimal(points, 0.5, NO_KINKS, line(points), 1e-9)
    Traceback (most recent call last):
    evical.errors.ConvergenceError: no proof of an optimum: ... may still gain 0.75 of 3; ...
    """
    residual = _residual(points, fit)
    rises = np.cumsum((points.w * residual)[:-1]) * np.diff(points.x)
    heights = np.concatenate([[0.0], np.cumsum(rises)])
    tension = lam * np.concatenate([[0.0], kinks.signs, [0.0]])
    values, sizes = np.abs(fit.values), np.diff(fit.knots)
    sizes[-1] += 1  # the last point
    size = np.abs(points.y) + np.repeat(np.maximum(values[:-1], values[1:]), sizes) + points.size
    rounding = _ERRORS * float(points.w @ size) * float(points.x[-1] - points.x[0])
    slack = float(np.abs(heights[fit.knots] - tension).max()) - rounding
    beyond = max(float(np.abs(heights).max()) - lam - rounding, 0.0)
    share = beyond / (lam + beyond) if beyond else 0.0  # lambda may underflow to 0
    squares, price = float(residual @ (points.w * residual)), lam * np.abs(kinks.bends).sum()
    left, cost = share * price + share**2 * squares / 2, squares / 2 + price
    agree = (kinks.signs * kinks.bends > 0.0).all()
    if not (slack <= 0.0 and agree and left <= gap * cost):
        raise ConvergenceError(
            f"no proof of an optimum: the trend filter may still gain {left:.2g} of {cost:.2g}; "
            "x or weights differ by too many powers of ten: leave out the extreme ones, or take "
            "ranks for x (transform='rank')"
        )


def _residual(points: Points, fit: Polyline) -> Floats:
    return points.y - np.interp(points.x, points.x[fit.knots], fit.values)


def _cost(points: Points, lam: float, kinks: Kinks, residual: Floats) -> float:
    return float(residual @ (points.w * residual) / 2 + lam * np.abs(kinks.bends).sum())


def string(points: Points) -> Floats:
    """Double running sum of the residuals of the least squares line.

    Parameters
    ----------
    points : Points

    Returns
    -------
    (n,) array
        sum_j w_j r_j (x_i - x_j)_+ at each point, 0 at both ends. The line is the trend filter
        for every lambda from the greatest size of it.

    Examples
    --------
    >>> string(Points(np.array([0.0, 1, 2]), np.array([0.0, 3, 0]), np.ones(3)))
    array([ 0., -1.,  0.])
    """
    fit = line(points)
    return _tied(points, _residual(points, fit), fit.knots, np.zeros(2))


def _tied(points: Points, residual: Floats, knots: Indices, tension: Floats) -> Floats:
    """Double running sum of residuals, which is the tension at the knots.

    The solution of the tridiagonal system says so; what a long sum drifts away by rounding is
    taken off.
    """
    rises = np.cumsum((points.w * residual)[:-1]) * np.diff(points.x)
    heights = np.concatenate([[0.0], np.cumsum(rises)])
    drift = heights[knots] - tension
    return np.asarray(heights - np.interp(points.x, points.x[knots], drift))


def _settled(points: Points, lam: float, kinks: Kinks) -> tuple[Kinks, Polyline]:
    """Minimum over lines with some of the given kinks, none of which bends the wrong way.

    From the given bends we go straight towards the best ones, and a kink that becomes
    straight on the way is let go, so that the objective never rises.
    """
    segments = _segments(points, np.concatenate([[0], kinks.at, [len(points.x) - 1]]))
    while True:
        bends, fit = _bent(points.x, segments, lam * kinks.signs)
        wrong = bends * kinks.signs <= 0
        if not wrong.any():
            return kinks._replace(bends=bends), fit
        steps = np.full(len(bends), np.inf)
        # A kink that was straight before and would bend the wrong way goes at once.
        old = np.abs(kinks.bends[wrong])
        steps[wrong] = old / np.maximum(old + np.abs(bends[wrong]), np.finfo(np.float64).tiny)
        step = steps.min()
        keep = steps > step
        moved = kinks.bends + step * (bends - kinks.bends)
        kinks = Kinks(kinks.at[keep], kinks.signs[keep], moved[keep])
        segments = _joined(points.x, segments, keep)


class _Segments(NamedTuple):
    """Stretches between neighboring knots, with sums over their points.

    The rows are the sums of w times 1, y, l, r, l l, r r, l r, y l and y r, where l and r are
    the distances of a point from the left and from the right knot: without y, they are
    sums of positive numbers, which lose nothing by rounding.
    """

    knots: Indices
    sums: Floats


def _segments(points: Points, knots: Indices) -> _Segments:
    starts, sizes = knots[:-1], np.diff(knots)
    sizes[-1] += 1  # the last point
    left = points.x - np.repeat(points.x[starts], sizes)
    right = np.repeat(points.x[knots[1:]], sizes) - points.x
    w_left, w_right, w_y = points.w * left, points.w * right, points.w * points.y
    terms = (
        *(points.w, w_y, w_left, w_right),
        *(w_left * left, w_right * right, w_left * right, w_y * left, w_y * right),
    )
    return _Segments(knots, np.stack([np.add.reduceat(term, starts) for term in terms]))


def _joined(x: Floats, segments: _Segments, keep: NDArray[np.bool_]) -> _Segments:
    """The same sums when only some of the inner knots are kept."""
    kept = np.flatnonzero(np.concatenate([[True], keep, [True]]))
    knots, starts = segments.knots[kept], kept[:-1]
    group = np.repeat(np.arange(len(starts)), np.diff(kept))
    a = x[segments.knots[:-1]] - x[knots[group]]
    b = x[knots[group + 1]] - x[segments.knots[1:]]
    w, y, l, r, ll, rr, lr, yl, yr = segments.sums  # noqa: E741  # as in _Segments
    moved = (
        *(w, y, l + a * w, r + b * w),
        *(ll + a * (2 * l + a * w), rr + b * (2 * r + b * w)),
        *(lr + b * l + a * r + a * b * w, yl + a * y, yr + b * y),
    )
    return _Segments(knots, np.add.reduceat(np.stack(moved), starts, axis=1))


def _bent(x: Floats, segments: _Segments, tension: Floats) -> tuple[Floats, Polyline]:
    """Bends and values of the best line with given knots and string at the inner ones.

    In the values at the knots it is tridiagonal: each segment adds the products of its two
    hat functions, and the string between its ends pulls with its slope.
    """
    widths = np.diff(x[segments.knots])
    pull = np.diff(np.concatenate([[0.0], tension, [0.0]])) / widths
    _, _, _, _, ll, rr, lr, yl, yr = segments.sums
    banded = np.zeros((2, len(segments.knots)))
    banded[0, 1:] = lr / widths / widths
    banded[1, :-1] = rr / widths / widths
    banded[1, 1:] += ll / widths / widths
    rhs = np.zeros(len(segments.knots))
    rhs[:-1] = yr / widths - pull
    rhs[1:] += yl / widths + pull
    values = solveh_banded(banded, rhs, check_finite=False)
    bends = np.diff(np.diff(values) / widths)
    # Of values beside the kink: light points may bend a line that hardly moves at heavy ones.
    sizes = np.maximum(np.abs(values[:-1]), np.abs(values[1:])) / widths
    least = _ROUNDING * (sizes[:-1] + sizes[1:])
    bends[np.abs(bends) <= least] = 0.0
    return bends, Polyline(segments.knots, values)


def _excursions(heights: Floats, limit: float) -> tuple[Indices, Floats]:
    """The highest point of each run of points beyond a limit, and its sign."""
    side = np.where(np.abs(heights) > limit, np.sign(heights), 0.0)
    starts = np.flatnonzero(np.diff(side, prepend=0.0))
    if len(starts) == 0:
        return NO_KINKS.at, NO_KINKS.signs
    size = np.abs(heights[starts[0] :])
    runs = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(heights)))
    tops = np.maximum.reduceat(size, starts - starts[0])
    highest = np.flatnonzero((size == tops[runs]) & (side[starts[0] :] != 0))
    at = highest[np.diff(runs[highest], prepend=-1) > 0] + starts[0]
    return at, side[at]


def _united(old: Kinks, new: Kinks) -> Kinks:
    at = np.concatenate([old.at, new.at])
    # A point that bends already stays as it is: it comes first.
    at, first = np.unique(at, return_index=True)
    signs = np.concatenate([old.signs, new.signs])[first]
    return Kinks(at, signs, np.concatenate([old.bends, new.bends])[first])
