"""Linear trend filtering: piecewise linear fits that choose their own kinks.

Every change of slope costs lambda for each unit, so that few are worth it. As lambda falls,
the fit goes from the least squares line to the data themselves (Kim, Koh, Boyd & Gorinevsky
2009; Naeini 2016, section 3.4).

The least squares line that bends only as far as it pays: linear trend filtering, exactly.

The fit is a line with kinks at some of the points. Given where it bends, and which way, it
is the solution of a tridiagonal system; the double running sum of its residuals, a string
between -lambda and lambda, tells where it ought to bend in addition, and a kink that would
bend the other way goes. Each round lowers the objective, so that the search ends, at the
solution itself (Tibshirani & Taylor 2011 for the dual string; Osborne, Presnell & Turlach
2000 for the active set). The string proves it: what it promises by weak duality is checked.
"""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solveh_banded

from evical._typing import Floats, Indices
from evical.errors import ConvergenceError

# Measured with labels 0 and 1 and 50 lambdas at n = 1e5: a path takes 300 rounds and 1,500
# tridiagonal systems, 2 s of one core. In the same run an interior-point method on the dual
# (banded Cholesky, LAPACK pbsv; tests/benchmarks/bench_trend_filter.py) took 36 times as long:
# 30 to 140 iterations a fit, which for great lambda ended at a gap of 6e-2, as its matrices
# are singular to rounding there. R's glmgen (ADMM) is reported at 20 s.

# A bend below this share of value / distance is rounding. The string of labels 0 and 1 often
# comes to +-lambda at points where the line need not bend: bends of 1e-15 to 4e-14 there, and
# of more than 1e-2 elsewhere, were seen for 200 points on [0, 1].
_SLOPE_ROUNDING = 1e-14

# Rounds that gain no more than the rounding of the objective: heavy points may still find their
# kinks, but what they cost no longer shows.
_STALLS = 30

# Of the objective: the duality gap of a proven fit. Gaps above 1e-11 were not seen.
_GAP = 1e-9

# Rounding errors of one point in the string of a fit, at most; 1.2 of all points were seen, in
# 70,000 fits of extreme samples.
_ERRORS = 16.0 * np.finfo(np.float64).eps


class Points(NamedTuple):
    """Two or more points with strictly ascending x, y, and positive weights w, each (n,).

    `size` is that of the numbers of which `y` is a difference, with its digits.
    """

    x: Floats
    y: Floats
    w: Floats
    size: Floats | float = 0.0


class Kinks(NamedTuple):
    """Inner points at which a line bends, with positions (k,), signs and sizes of the bends."""

    at: Indices
    signs: Floats
    bends: Floats


class Polyline(NamedTuple):
    """Piecewise linear function by its knots, both ends included, and its values."""

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
    least = _SLOPE_ROUNDING * (sizes[:-1] + sizes[1:])
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


# Points nearer to each other than this share of the range count as one: slopes between them
# and squares of their distance would overflow.
_SAME = 1e-150

# Share of the greatest weight that every point has at least: beyond a ratio of 1e14 the light
# points are lost in the rounding of the heavy ones, and factorizations fail.
_LIGHTEST = 1e-12

# The string of the residuals of a line is rounding where it is below this share of what the
# same points could give at most, the sum of w |y| times the distance from the nearer end.
_ROUNDING = 1e-14


@dataclass(frozen=True, eq=False)
class TrendFilterPath:
    """Trend filters for several lambda, made by `trend_filter_path`.

    Only knots are kept, so that the path takes little memory.

    Parameters
    ----------
    x : (n,) array
    lambdas : (t,) array
        Descending, from the least lambda at which the fit is a straight line.
    knots, values : t arrays each
        Each fit as a polyline: its ends and kinks, ascending, and its values there.
    """

    x: Floats
    lambdas: Floats
    knots: tuple[Floats, ...]
    values: tuple[Floats, ...]

    @property
    def degrees_of_freedom(self) -> NDArray[np.int64]:
        """Number (t,) of kinks and two for the line, or one if there is a single `x`.

        It is the unbiased estimate of Tibshirani & Taylor (2011), and is counted, without a
        tolerance: the kinks of a solution are known exactly.
        """
        return np.array([len(knots) for knots in self.knots], dtype=np.int64)


def trend_filter_path(
    x: Floats,
    y: Floats,
    weights: Floats,
    n_lambdas: int = 50,
    min_ratio: float = 1e-4,
    rtol: float = 1e-10,
) -> TrendFilterPath:
    """Linear trend filters of unevenly spaced points, from the line to nearly all of the points.

    The fit p minimizes 1/2 sum_i w_i (p_i - y_i)^2 + lam sum_i abs(v_i), where v_i is the change
    of slope (p_{i+2} - p_{i+1}) / (x_{i+2} - x_{i+1}) - (p_{i+1} - p_i) / (x_{i+1} - x_i).

    Parameters
    ----------
    x : (n,) array
        Ascending. Points with the same `x` share one value of the fit, that of their
        weighted mean (Naeini 2016, footnote 10 of chapter 3).
    y : (n,) array
    weights : (n,) array
        Positive.
    n_lambdas : int, at least 1
    min_ratio : float in (0, 1)
        The least lambda as a share of the greatest; between them lambdas are equally spaced
        on the log scale (Naeini 2016, section 3.4).
    rtol : float
        By how much, relative to lambda, the dual may leave its bounds; the objective is
        above its minimum by no more than about that share.

    Returns
    -------
    TrendFilterPath

    Raises
    ------
    ConvergenceError
        If `x` or weights are so extreme that no optimum can be proven.

    Notes
    -----
    An active set of kinks: O(n) for each of some tens of rounds, and exact up to rounding, as
    the duality gap proves. Points at 1e-12 of the range from each other and weights from 1 to 1e9
    do no harm; a fit with nearly as many kinks as points takes more rounds. Weights below 1e-12 of
    the greatest count as that, and points nearer than 1e-150 of the range as one.

    The greatest lambda is exact: the least at which the fit is the weighted least squares
    line, that is the greatest double sum of the residuals of that line,
    max_i abs(sum_j w_j r_j (x_i - x_j)_+). It is 0 where the data lie on a line, as two points
    do: then so are all lambdas, and all fits are the line. Each fit starts from the kinks
    of the one before.

    References
    ----------
    Naeini (2016), Obtaining accurate probabilities using classifier calibration, eq. 3.23 and
    section 3.4. Tibshirani (2014), Annals of Statistics 42, 285-323.

    Examples
    --------
    The least squares line is 1. The double sum of its residuals -1, 2, -1 is 0, -1, 0, so that
    the fit is the line from lambda = 1 on, and halfway between it and the data for 1/2.

    >>> x, y = np.arange(3.0), np.array([0.0, 3.0, 0.0])
    >>> path = trend_filter_path(x, y, np.ones(3), n_lambdas=2, min_ratio=0.5)
    >>> path.lambdas, path.values
    (array([1. , 0.5]), (array([1., 1.]), array([0.5, 2. , 0.5])))
    """
    problem = _problem(x, y, weights)
    ratios = np.geomspace(1.0, min_ratio, int(n_lambdas))
    knots, values = _fits(problem, problem.greatest * ratios, rtol)
    with np.errstate(over="ignore"):  # x up to 1e308 may ask for one beyond all floats
        lambdas = np.minimum(problem.greatest * ratios / problem.unit, np.finfo(float).max)
    return TrendFilterPath(x, lambdas, knots, values)


class _Problem(NamedTuple):
    """Distinct points on a range of about one, less their least squares line."""

    distinct: Floats
    points: Points
    base: Floats  # the line
    unit: float  # what x is multiplied by
    greatest: float  # the greatest lambda, on that scale


def _problem(x: Floats, y: Floats, weights: Floats) -> _Problem:
    w = np.maximum(weights, _LIGHTEST * weights.max())
    # A power of two changes no digit; halves first, as their difference cannot overflow.
    unit = math.ldexp(1.0, -max(math.frexp(x[-1] / 2 - x[0] / 2)[1], -1000) - 1)
    scaled = x * unit
    starts = np.flatnonzero(np.diff(scaled, prepend=-np.inf) > _SAME)
    total = np.add.reduceat(w, starts)
    share = w / np.repeat(total, np.diff(starts, append=len(w)))
    points = Points(scaled[starts], np.add.reduceat(share * y, starts), total)
    if len(starts) == 1:
        return _Problem(x[starts], points, np.zeros(1), unit, 0.0)
    base = np.interp(points.x, points.x[[0, -1]], line(points).values)
    rest = points._replace(y=points.y - base, size=np.abs(points.y) + np.abs(base))
    heights = np.abs(string(rest))
    nearer = np.minimum(points.x - points.x[0], points.x[-1] - points.x)
    heights[heights <= _ROUNDING * (points.w @ np.abs(points.y)) * nearer] = 0.0
    return _Problem(x[starts], rest, base, unit, float(heights.max()))


def _fits(
    problem: _Problem, lambdas: Any, rtol: float
) -> tuple[tuple[Floats, ...], tuple[Floats, ...]]:
    """Knots and values for each of some lambdas, each from the kinks of the one before."""
    points, kinks = problem.points, NO_KINKS
    knots, values = [], []
    for lam in lambdas:
        if len(points.x) == 1:
            at, rest = np.zeros(1, dtype=np.intp), points.y
        elif lam >= problem.greatest:
            at, rest = line(points)
        else:
            kinks, (at, rest) = bend(points, float(lam), kinks, rtol)
        knots.append(problem.distinct[at])
        values.append(rest + problem.base[at])
    return tuple(knots), tuple(values)
