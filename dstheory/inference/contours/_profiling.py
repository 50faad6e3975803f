"""Profile likelihood of a function of a parameter in the plane.

Each value of the function defines a curve of parameter values. The profile is the largest
likelihood along it, which is the contour of the marginal belief function. Xu et al. 2016, eq. 40,
is the case of a sigmoid's value at a score.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dstheory._typing import Floats
from dstheory.checks.arguments import check_callable, check_instance
from dstheory.inference.contours.checks import as_bounds, numbers
from dstheory.inference.contours.likelihood_contour import LikelihoodContour
from dstheory.inference.contours.maximum import Line, maximize_rows

Interval = tuple[float, float]


def profile(contour: LikelihoodContour, weights: tuple[float, float]) -> LikelihoodContour:
    """Contour of a coordinate or another linear function of a parameter in the plane.

    Parameters
    ----------
    contour : LikelihoodContour
        Of dimension 2.
    weights : pair of float
        (w0, w1) of the function w0 * theta0 + w1 * theta1; (1, 0) is the first coordinate.

    Returns
    -------
    LikelihoodContour
        Of dimension 1: the largest plausibility along each line.

    Raises
    ------
    ValueError
        If the dimension is 1, or the weights are zero, infinite or not two.

    Examples
    --------
    >>> contour = LikelihoodContour(lambda a, b: -((a - b) ** 2) - b**2, [(-9, 9), (-9, 9)])
    >>> round(profile(contour, (1, 0)).contour(1.0), 6)
    0.606531
    """
    _require_plane(contour)
    bounds, mode, scale = contour.bounds, contour.mode, contour.scale
    w = numbers("weights", weights)
    if w.shape != (2,) or not np.isfinite(w).all() or not w.any():
        raise ValueError(f"weights are {weights}; give two finite numbers, not both 0")
    # Eliminate the coordinate that matters more on its own scale.
    gone = int(abs(w[1]) * scale[1] > abs(w[0]) * scale[0])
    kept, ratio = 1 - gone, w[1 - gone] / w[gone]

    def solve(value: Floats, free: Floats) -> list[Floats]:
        theta = [free, free]
        along = ratio * free if ratio else 0.0  # not 0 * inf
        theta[gone] = np.clip(value / w[gone] - along, *bounds[gone])
        return theta

    def largest(value: Floats) -> Floats:
        low, high = _feasible(value / w[gone], ratio, bounds[gone], bounds[kept])
        center = np.full(value.size, mode[kept])
        line = Line(low, high, center, np.full(value.size, scale[kept]))
        return maximize_rows(lambda y: contour.log_contour(*solve(_as_row(value, y), y)), line)[1]

    ends = [np.multiply(x, b) if x else np.zeros(2) for x, b in zip(w, bounds, strict=True)]
    span = float(sum(e.min() for e in ends)), float(sum(e.max() for e in ends))
    best = float(np.clip(w @ np.array(mode), *span))
    return LikelihoodContour(
        largest, span, mode=best, scale=float(np.hypot(*np.multiply(weights, scale)))
    )


def profile_of(
    contour: LikelihoodContour,
    functional: Callable[..., Any],
    solve: Callable[[Floats, Floats], tuple[ArrayLike, ArrayLike]],
    bounds: tuple[float, float],
    free: tuple[float, float] = (-np.inf, np.inf),
) -> LikelihoodContour:
    """Contour of any function of a parameter in the plane (eqs. 35-40).

    Parameters
    ----------
    contour : LikelihoodContour
        Of dimension 2.
    functional : callable
        The function of (theta0, theta1), arrays of one shape.
    solve : callable
        Maps values of the function and of a free variable, arrays of one shape, to a (theta0,
        theta1) where the function has that value. As the free variable runs through its interval,
        it must reach all such points, continuously.
    bounds : (low, high)
        Values of the function.
    free : (low, high)
        Values of the free variable.

    Returns
    -------
    LikelihoodContour
        Of dimension 1: the largest plausibility of all solutions.

    Raises
    ------
    ValueError
        If the dimension is 1, or `solve` does not invert `functional`.

    References
    ----------
    .. [1] Xu, Davoine, Zha, Denoeux, "Evidential calibration of binary SVM classifiers",
       International Journal of Approximate Reasoning 72, 2016, equations 35-40.

    Examples
    --------
    The probability 1 / (1 + exp(a + b s)) of eq. 2, at the score s = 2.

    >>> contour = LikelihoodContour(lambda a, b: -(a**2) / 2 - b**2 / 2, [(-9, 9), (-9, 9)])
    >>> tau = profile_of(
    ...     contour,
    ...     lambda a, b: 1 / (1 + np.exp(a + 2 * b)),
    ...     lambda tau, b: (np.log(1 / tau - 1) - 2 * b, b),
    ...     (0, 1),
    ... )
    >>> tau.contour([0.0, 0.5, 1 / (1 + np.exp(2.0))]).round(6)
    array([0.     , 1.     , 0.67032])
    """
    check_callable("functional", functional, "a function of both coordinates")
    check_callable("solve", solve, "a function of a value and a coordinate")
    _require_plane(contour)
    (low, high), ends = as_bounds(bounds)[0], as_bounds(free)[0]
    best = float(np.asarray(functional(*(np.array([x]) for x in contour.mode)))[0])
    if not low <= best <= high:
        raise ValueError(f"functional is {best:g} at the mode, outside its bounds")

    def largest(value: Floats) -> Floats:
        def rows(y: Floats) -> Floats:
            # Values on a bound may have solutions at infinity, computed as inf - inf.
            with np.errstate(all="ignore"):
                theta = [np.asarray(x, dtype=np.float64) for x in solve(_as_row(value, y), y)]
            lost = np.isnan(theta[0]) | np.isnan(theta[1])
            found = contour.log_contour(*(np.where(lost, 0.0, x) for x in theta))
            return np.where(lost, -np.inf, found)

        line = [np.full(value.size, x, dtype=np.float64) for x in (*ends, 0.0, 1.0)]
        return maximize_rows(rows, Line(*line))[1]

    if largest(np.array([best]))[0] < -1e-6:
        raise ValueError(
            f"solve does not reach the mode {contour.mode} from its value {best:g} of functional; "
            "it must give all parameters of that value"
        )
    return LikelihoodContour(largest, (low, high), mode=best)


def _require_plane(contour: LikelihoodContour) -> None:
    check_instance("contour", contour, LikelihoodContour, "a LikelihoodContour")
    if contour.dimension == 1:
        raise ValueError("a profile is that of a parameter of dimension 2, not 1")


def _feasible(level: Floats, ratio: float, gone: Interval, kept: Interval) -> tuple[Floats, Floats]:
    """Values of the kept coordinate for which level - ratio * kept is feasible for the other."""
    low, high = np.full(level.size, kept[0]), np.full(level.size, kept[1])
    if ratio:
        ends = np.sort(np.stack([(level - gone[0]) / ratio, (level - gone[1]) / ratio]), axis=0)
        low, high = np.maximum(low, ends[0]), np.minimum(high, ends[1])
    # Rounding can make the ends cross where only one point remains.
    return np.minimum(low, high), high


def _as_row(value: Floats, points: Floats) -> Floats:
    return np.broadcast_to(value[:, None], points.shape)
