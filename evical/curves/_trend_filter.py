"""Linear trend filtering: piecewise linear fits that choose their own kinks.

Every change of slope costs lambda for each unit, so that few are worth it. As lambda falls,
the fit goes from the least squares line to the data themselves (Kim, Koh, Boyd & Gorinevsky
2009; Naeini 2016, section 3.4).
"""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dstheory.checks.arguments import as_real, check_count, shown
from dstheory.notebook import ShownFields
from evical._typing import Floats
from evical.curves._bent_line import NO_KINKS, Points, bend, line, string
from evical.scores.checks import check_numbers, check_positive, check_same_length
from evical.scores.scale import interpolated

__all__ = ["TrendFilterPath", "trend_filter", "trend_filter_path"]


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
class TrendFilterPath(ShownFields):
    """Trend filters for several lambda; make one with `trend_filter_path`.

    Only knots are kept, so that the path takes little memory; `fits` makes all t n numbers
    (40 MB for 50 lambdas and 1e5 points).

    Parameters
    ----------
    x : (n,) array
    lambdas : (t,) array
        Descending, from the least lambda at which the fit is a straight line.
    knots, values : t arrays each
        Each fit as a polyline: its ends and kinks, ascending, and its values there.

    Examples
    --------
    >>> path = trend_filter_path([0, 1, 2], [0, 3, 0], n_lambdas=3, min_ratio=0.25)
    >>> path.lambdas
    array([1.  , 0.5 , 0.25])
    >>> path.fits
    array([[1.  , 1.  , 1.  ],
           [0.5 , 2.  , 0.5 ],
           [0.25, 2.5 , 0.25]])
    """

    x: Floats
    lambdas: Floats
    knots: tuple[Floats, ...]
    values: tuple[Floats, ...]

    @property
    def fits(self) -> Floats:
        """Fit (t, n) of each lambda at each `x`."""
        return self.predict(self.x)

    @property
    def degrees_of_freedom(self) -> NDArray[np.int64]:
        """Number (t,) of kinks, and two for the line; one if there is a single `x`.

        It is the unbiased estimate of Tibshirani & Taylor (2011), and is counted, without a
        tolerance: the kinks of a solution are known exactly.
        """
        return np.array([len(knots) for knots in self.knots], dtype=np.int64)

    def predict(self, x: Any) -> Floats:
        """Each fit at other points.

        Parameters
        ----------
        x : (m,) array

        Returns
        -------
        (t, m) array
            Linear between the knots, constant outside the data.

        Examples
        --------
        >>> trend_filter_path([0, 2], [0, 1], n_lambdas=1).predict([-1, 1, 3])
        array([[0. , 0.5, 1. ]])
        """
        at = check_numbers(x, "x")
        return np.stack(
            [interpolated(at, *polyline) for polyline in zip(self.knots, self.values, strict=True)]
        )


def trend_filter(x: Any, y: Any, lam: float, weights: Any = None, rtol: float = 1e-10) -> Floats:
    """Linear trend filter of unevenly spaced points.

    The fit p minimizes 1/2 sum_i w_i (p_i - y_i)^2 + lam sum_i abs(v_i), where v_i is the change
    of slope (p_{i+2} - p_{i+1}) / (x_{i+2} - x_{i+1}) - (p_{i+1} - p_i) / (x_{i+1} - x_i).

    Parameters
    ----------
    x : (n,) array
        Ascending. Points with the same `x` share one value of the fit, that of their
        weighted mean (Naeini 2016, footnote 10 of chapter 3).
    y : (n,) array
    lam : float
        Price of a unit of slope, from 0 to infinity; a multiple of `x` asks for the same
        multiple of `lam`.
    weights : (n,) array, optional
        Positive; all 1 by default.
    rtol : float
        By how much, relative to `lam`, the dual may leave its bounds; the objective is
        above its minimum by no more than about that share.

    Returns
    -------
    (n,) array
        The data for `lam` 0; the least squares line for a great `lam`, see
        `trend_filter_path`.

    Raises
    ------
    ValueError
        If there is no point, lengths differ, a number is not finite, `x` falls or a weight is
        not positive; the row is named.
    ConvergenceError
        If `x` or weights are so extreme that no optimum can be proven.

    Notes
    -----
    An active set of kinks: O(n) for each of some tens of rounds, and exact up to rounding, as
    the duality gap proves.
    Points at 1e-12 of the range from each other and weights from 1 to 1e9 do no harm; a
    fit with nearly as many kinks as points takes more rounds. Weights below 1e-12 of the
    greatest count as that, and points nearer than 1e-150 of the range as one.

    References
    ----------
    Naeini (2016), Obtaining accurate probabilities using classifier calibration, eq. 3.23.
    Tibshirani (2014), Annals of Statistics 42, 285-323.

    Examples
    --------
    The least squares line is 1. The double sum of its residuals -1, 2, -1 is 0, -1, 0, so that
    the fit is the line from lam = 1 on, and halfway between it and the data for lam = 1/2.

    >>> trend_filter([0, 1, 2], [0, 3, 0], 0.5)
    array([0.5, 2. , 0.5])
    >>> trend_filter([0, 1, 2], [0, 3, 0], 1)
    array([1., 1., 1.])
    """
    lam = _check_real("lam", lam, 0.0, np.inf)
    problem = _problem(x, y, weights)
    if lam == 0 and len(problem.points.x) > 1:
        return interpolated(problem.x, problem.distinct, problem.points.y + problem.base)
    (knots,), (values,) = _fits(problem, [lam * problem.unit], rtol)
    return interpolated(problem.x, knots, values)


def trend_filter_path(
    x: Any,
    y: Any,
    weights: Any = None,
    n_lambdas: int = 50,
    min_ratio: float = 1e-4,
    rtol: float = 1e-10,
) -> TrendFilterPath:
    """Linear trend filters for lambdas from the straight line down.

    Parameters
    ----------
    x, y, weights : (n,) arrays
        As for `trend_filter`.
    n_lambdas : int, at least 1
    min_ratio : float in (0, 1)
        The least lambda as a share of the greatest; between them lambdas are equally spaced
        on the log scale (Naeini 2016, section 3.4).
    rtol : float
        As for `trend_filter`.

    Returns
    -------
    TrendFilterPath

    Raises
    ------
    ValueError
        As for `trend_filter`, or if a parameter is out of its range.
    ConvergenceError
        As for `trend_filter`.

    Notes
    -----
    The greatest lambda is exact: the least at which the fit is the weighted least squares
    line, that is the greatest double sum of the residuals of that line,
    max_i abs(sum_j w_j r_j (x_i - x_j)_+). It is 0 where the data lie on a line, as two points
    do: then so are all lambdas, and all fits are the line. Each fit starts from the kinks
    of the one before.

    References
    ----------
    Naeini (2016), Obtaining accurate probabilities using classifier calibration, section 3.4.

    Examples
    --------
    >>> path = trend_filter_path([0, 1, 2, 3], [0, 0, 0, 3], n_lambdas=2, min_ratio=0.5)
    >>> path.lambdas.round(9), path.degrees_of_freedom
    (array([0.9 , 0.45]), array([2, 3]))
    """
    check_count("n_lambdas", n_lambdas, 1, 2**24)
    min_ratio = _check_real("min_ratio", min_ratio, 0.0, 1.0)
    if not 0 < min_ratio < 1:
        raise ValueError(f"min_ratio is {min_ratio!r}, expected a number between 0 and 1")
    problem = _problem(x, y, weights)
    ratios = np.geomspace(1.0, min_ratio, int(n_lambdas))
    knots, values = _fits(problem, problem.greatest * ratios, rtol)
    with np.errstate(over="ignore"):  # x up to 1e308 may ask for one beyond all floats
        lambdas = np.minimum(problem.greatest * ratios / problem.unit, np.finfo(float).max)
    return TrendFilterPath(problem.x, lambdas, knots, values)


class _Problem(NamedTuple):
    """Distinct points on a range of about one, less their least squares line."""

    x: Floats  # as given, with ties
    distinct: Floats
    points: Points
    base: Floats  # the line
    unit: float  # what x is multiplied by
    greatest: float  # the greatest lambda, on that scale


def _problem(x: Any, y: Any, weights: Any) -> _Problem:
    given, target = check_numbers(x, "x"), check_numbers(y, "y")
    w = np.ones(len(given)) if weights is None else check_numbers(weights, "weights")
    check_same_length(x=given, y=target, weights=w)
    check_positive(w, "weights")
    _check_ascending(given)
    w = np.maximum(w, _LIGHTEST * w.max())
    # A power of two changes no digit; halves first, as their difference cannot overflow.
    unit = math.ldexp(1.0, -max(math.frexp(given[-1] / 2 - given[0] / 2)[1], -1000) - 1)
    scaled = given * unit
    starts = np.flatnonzero(np.diff(scaled, prepend=-np.inf) > _SAME)
    total = np.add.reduceat(w, starts)
    share = w / np.repeat(total, np.diff(starts, append=len(w)))
    points = Points(scaled[starts], np.add.reduceat(share * target, starts), total)
    if len(starts) == 1:
        return _Problem(given, given[starts], points, np.zeros(1), unit, 0.0)
    base = np.interp(points.x, points.x[[0, -1]], line(points).values)
    return _lessened(_Problem(given, given[starts], points, base, unit, 0.0))


def _lessened(problem: _Problem) -> _Problem:
    points, base = problem.points, problem.base
    rest = points._replace(y=points.y - base, size=np.abs(points.y) + np.abs(base))
    heights = np.abs(string(rest))
    nearer = np.minimum(points.x - points.x[0], points.x[-1] - points.x)
    heights[heights <= _ROUNDING * (points.w @ np.abs(points.y)) * nearer] = 0.0
    return problem._replace(points=rest, greatest=float(heights.max()))


def _fits(
    problem: _Problem, lambdas: Any, rtol: float
) -> tuple[tuple[Floats, ...], tuple[Floats, ...]]:
    """Knots and values for each of some lambdas, each from the kinks of the one before."""
    rtol = _check_real("rtol", rtol, 0.0, 1.0)
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


def _check_ascending(x: Floats) -> None:
    falls = x[1:] < x[:-1]
    if falls.any():
        row = int(np.argmax(falls)) + 1
        raise ValueError(
            f"x[{row}] is {x[row]}, less than the {x[row - 1]} before it; x must be ascending: "
            "sort the points by x"
        )


def _check_real(name: str, value: Any, least: float, greatest: float) -> float:
    expected = f"a number from {least:g} to {greatest:g}"
    number = as_real(name, value, expected)
    if not least <= number <= greatest:
        raise ValueError(f"{name} is {shown(value)}, expected {expected}")
    return number
