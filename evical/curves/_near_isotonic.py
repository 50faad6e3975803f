"""Near-isotonic regression: the whole path from the data to their isotonic regression.

A fall from one value to the next is allowed, at a price of lambda for each unit. As lambda
grows, values move along straight lines, neighbors that meet stay together, and no block
ever splits, so that the lambda at which each two neighbors join describes the whole path
(Tibshirani, Hoefling & Tibshirani 2011; Naeini 2016, section 3.3).
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory.checks.arguments import as_real, shown
from dstheory.notebook import ShownFields
from evical._typing import Floats, Indices
from evical.curves._near_isotonic_joins import EQUAL, join_lambdas
from evical.scores.checks import check_numbers, check_positive, check_same_length

__all__ = ["NearIsotonicPath", "block_slopes", "joins_of", "near_isotonic_path", "power_of_two"]


@dataclass(frozen=True, eq=False)
class NearIsotonicPath(ShownFields):
    """Near-isotonic fits for all lambda; make one with `near_isotonic_path`.

    Parameters
    ----------
    values, weights : (n,) arrays
        What is fitted.
    joins : (n - 1,) array
        Lambda at which value i and value i + 1 become one block: 0 for equal neighbors,
        infinity for those that the isotonic regression keeps apart.

    Examples
    --------
    >>> path = near_isotonic_path([3, 1, 2, 0])
    >>> path.joins, path.lambdas
    (array([1.5, 0.5, 1.5]), array([0. , 0.5, 1.5]))
    >>> path.at(0.5)
    array([2.5, 1.5, 1.5, 0.5])
    """

    values: Floats
    weights: Floats
    joins: Floats

    @property
    def lambdas(self) -> Floats:
        """Breakpoints (t,), ascending from 0; between two of them the fit is linear in lambda."""
        return np.unique(np.append(self.joins[np.isfinite(self.joins)], 0.0))

    def starts(self, lam: float) -> Indices:
        """Starts of the blocks of equal values.

        Parameters
        ----------
        lam : float, from 0 to infinity

        Returns
        -------
        (b,) int array
            Ascending, the first 0; their number is the number of degrees of freedom.

        Examples
        --------
        >>> near_isotonic_path([3, 1, 2, 0]).starts(0.5)
        array([0, 1, 3])
        """
        apart = (self.joins > _check_lambda(lam)) | np.isinf(self.joins)
        return np.append(0, np.flatnonzero(apart) + 1)

    def at(self, lam: float) -> Floats:
        """The fit at one lambda.

        Parameters
        ----------
        lam : float, from 0 (the values themselves) to infinity (their isotonic regression)

        Returns
        -------
        (n,) array

        Raises
        ------
        ValueError
            If `lam` is negative or NaN.
        TypeError
            If it is not a number.

        Examples
        --------
        >>> near_isotonic_path([3, 1, 2, 0]).at(float("inf"))
        array([1.5, 1.5, 1.5, 1.5])
        """
        starts = self.starts(lam)
        if lam == 0:
            return self.values.copy()
        # Deviations from one value of each block, whose rounding does not grow with the values.
        sizes = np.diff(starts, append=len(self.values))
        first = self.values[starts]
        total = np.add.reduceat(self.weights, starts)
        excess = np.add.reduceat(self.weights * (self.values - np.repeat(first, sizes)), starts)
        falls = self.values[starts[1:] - 1] > self.values[starts[1:]]
        slopes = block_slopes(falls)
        # No block moves beyond the last breakpoint, where lambda may be infinite.
        last = self.joins[np.isfinite(self.joins)].max(initial=0)
        moved = slopes * min(lam, float(last))
        return np.repeat(first + (excess + moved) / total, sizes)


def near_isotonic_path(values: Any, weights: Any = None) -> NearIsotonicPath:
    """All solutions of near-isotonic regression.

    The fit b at lambda minimizes 1/2 sum_i w_i (y_i - b_i)^2 + lambda sum_i (b_i - b_{i+1})_+,
    where y are the `values` and w the `weights`.

    Parameters
    ----------
    values : (n,) array
        Finite, in the order that the fit shall nearly follow.
    weights : (n,) array, optional
        Positive; all 1 by default.

    Returns
    -------
    NearIsotonicPath
        With the breakpoints `lambdas`, the merges `joins`, and ``at(lam) -> (n,)``.

    Raises
    ------
    ValueError
        If there is no value, lengths differ, a value is not finite or a weight not positive;
        the row is named.

    Notes
    -----
    A heap of the meetings of neighbors makes it O(n log n). Merges at the same lambda are the
    rule for values of 0 and 1. They are found exactly where weights and weighted values are
    whole numbers (of which the product of sums is below 2^53, as for 9e7 labels); otherwise,
    lambdas that differ by no more than the rounding of sums can explain count as one.

    References
    ----------
    Tibshirani, Hoefling & Tibshirani (2011), Technometrics 53, 54-61, algorithm 1.
    Naeini (2016), Obtaining accurate probabilities using classifier calibration, eq. 3.15-3.21.

    Examples
    --------
    >>> path = near_isotonic_path([1, 0, 1, 0, 1, 0])
    >>> path.lambdas
    array([0. , 0.5])
    >>> path.at(0.25)
    array([0.75, 0.25, 0.75, 0.25, 0.75, 0.25])
    >>> path.at(0.5)
    array([0.5, 0.5, 0.5, 0.5, 0.5, 0.5])
    """
    y = check_numbers(values, "values")
    w = np.ones(len(y)) if weights is None else check_numbers(weights, "weights")
    check_same_length(values=y, weights=w)
    check_positive(w, "weights")
    unit_y, unit_w = power_of_two(float(np.abs(y).max())), power_of_two(float(w.max()))
    scaled, heavy = y / unit_y, w / unit_w
    joins, _ = joins_of((scaled - scaled.min()) * heavy, heavy)
    return NearIsotonicPath(y, w, joins * unit_y * unit_w)


def joins_of(sums: Floats, weights: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Lambda (n - 1,) at which neighbors join, and whether values fall there.

    Parameters
    ----------
    sums : (n,) array
        Non-negative weighted values; exact sums give exact ties.
    weights : (n,) array, positive
        Both below 1e60 or so; `power_of_two` gives units.

    Returns
    -------
    joins : (n - 1,) array
    falls : (n - 1,) bool array

    Examples
    --------
    >>> joins_of(np.array([1.0, 1.0, 0.0]), np.array([2.0, 1.0, 2.0]))
    (array([0.5, 0.8]), array([False,  True]))
    """
    left, right = sums[:-1] * weights[1:], sums[1:] * weights[:-1]
    falls = left > right
    tol = 0.0 if _exact(sums, weights) else EQUAL
    apart = np.abs(left - right) > tol * (left + right)
    starts = np.append(0, np.flatnonzero(apart) + 1)
    bounds = np.concatenate([[0], falls[apart], [0]]).astype(np.int64)
    joins = np.zeros(len(falls))
    runs = np.add.reduceat(sums, starts), np.add.reduceat(weights, starts)
    joins[apart] = join_lambdas(*runs, bounds, tol)[1:]
    return joins, falls


def block_slopes(falls: NDArray[np.bool_]) -> Floats:
    """How blocks move, in units of lambda / weight (Naeini 2016, eq. 3.19).

    Parameters
    ----------
    falls : (b - 1,) bool array
        Whether the value falls from each block to the next.

    Returns
    -------
    (b,) array of -1, 0 and 1

    Examples
    --------
    >>> block_slopes(np.array([True, False, True]))
    array([-1.,  1., -1.,  1.])
    """
    # The boundary before each block and the one after it; nothing falls at the ends.
    edges = np.pad(falls.astype(np.float64), 1)
    return edges[:-1] - edges[1:]


def _exact(sums: Floats, weights: Floats) -> bool:
    """Whether all cross products of sums are whole numbers that floats hold exactly."""
    whole = all((np.rint(a) == a).all() for a in (sums, weights))
    return whole and float(sums.sum() * weights.sum()) < 2.0**53


def power_of_two(size: float) -> float:
    """A unit that keeps products of numbers up to `size` off the ends of the floats.

    Parameters
    ----------
    size : float, at least 0

    Returns
    -------
    float
        1 where none is needed, so that whole numbers stay whole; dividing by it is exact.

    Examples
    --------
    >>> power_of_two(1e6), power_of_two(2.0**300)
    (1.0, 2.037035976334486e+90)
    """
    return 1.0 if 1e-50 < size < 1e50 or size == 0 else math.ldexp(1.0, math.frexp(size)[1] - 1)


def _check_lambda(lam: Any) -> float:
    expected = "a number from 0 to infinity"
    number = as_real("lam", lam, expected)
    if not number >= 0:
        raise ValueError(f"lam is {shown(lam)}, expected {expected}")
    return number
