"""`PieceTable`: the one form from which every target is written.

A calibrator's prediction is a function of one score. It is compiled to pieces of the line, on each
of which [Bel, Pl, BetP] are polynomials of the score: constants for steps, and polynomials of low
degree for curves. Additions, products and comparisons are all that a target needs.

The order of the floats: their number on the line, and the first of them past a point.

A step is exact if it lies at the first float on its far side. Floats are numbered in their order,
so halving such numbers finds it in 64 steps, whatever the scale of the scores.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from evical._typing import Floats

_LEAST = np.iinfo(np.int64).min


def _number(values: Floats) -> NDArray[np.int64]:
    """Numbers of floats, ascending with them; that of zero is 0."""
    bits = np.asarray(values, dtype=np.float64).view(np.int64)
    return np.where(bits < 0, _LEAST - np.minimum(bits, 0), bits)


def _float(numbers: NDArray[np.int64]) -> Floats:
    bits = np.where(numbers < 0, _LEAST - np.minimum(numbers, 0), numbers)
    return np.asarray(bits, dtype=np.int64).view(np.float64)


def previous_float(values: Floats) -> Floats:
    """The floats before these.

    >>> previous_float(np.array([1.0])).tolist()
    [0.9999999999999999]
    """
    return _float(_number(np.asarray(values)) - 1)


def next_float(values: Floats, steps: int | NDArray[np.int64] = 1) -> Floats:
    """The floats after these, or some steps on.

    >>> next_float(np.array([1.0])).tolist()
    [1.0000000000000002]
    """
    return _float(_number(np.asarray(values)) + steps)


def midpoint_floats(low: Floats, high: Floats) -> Floats:
    """Floats with as many others down to `low` as up to `high`.

    Of the same sign they are near the geometric mean.

    >>> midpoint_floats(np.array([1.0]), np.array([16.0])).tolist()
    [4.0]
    """
    return _float(_middle(_number(low), _number(high)))


def _middle(a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.asarray((a >> 1) + (b >> 1) + (a & b & 1))  # their sum may overflow


def first_floats(
    rising: Callable[[Floats], Floats], values: Floats, low: float, high: float
) -> Floats:
    """The first float from `low` to `high` at which a rising function reaches each value.

    Values that it reaches nowhere, or everywhere, are left out.

    >>> first_floats(np.sqrt, np.array([0.0, 2.0]), 0.0, 9.0).tolist()
    [4.0]
    """
    ends = rising(np.array([low, high]))
    values = values[(values > ends[0]) & (values <= ends[1])]
    a = np.full(len(values), _number(np.array([low]))[0])
    b = np.full(len(values), _number(np.array([high]))[0])
    for _ in range(65):
        middle = _middle(a, b)
        reached = rising(_float(middle)) >= values
        b = np.where(reached, middle, b)
        a = np.where(reached, a, middle)
    return np.unique(_float(b))


_NEAR, _FAR = 1e-280, 1e300
COLUMNS = ("bel", "pl", "betp")


@dataclass(frozen=True, eq=False)
class PieceTable:
    """Columns over the scores, such as belief, plausibility and pignistic probability.

    Parameters
    ----------
    low, high : float
        Scores from `low` to `high` have a value; others are missing.
    starts : (p - 1,) array
        Ascending; piece j + 1 begins at ``starts[j]``, which belongs to it.
    centers, factors : (p,) arrays
        On a piece, the polynomials are those of ``(score - center) * factor``.
    coefficients : (c, d + 1, p) array
        Of rising powers, for each column; what is exported has those of `COLUMNS`.
    error : float
        Greatest difference to Python that was found; 0 for steps.
    is_log_odds : bool
        Whether what polynomials give are the log-odds of probabilities.
    """

    low: float
    high: float
    starts: Floats
    centers: Floats
    factors: Floats
    coefficients: Floats
    error: float
    is_log_odds: bool = False

    def __len__(self) -> int:
        return len(self.centers)

    @property
    def degree(self) -> int:
        """The greatest degree of a polynomial."""
        return int(self.coefficients.shape[1]) - 1

    @property
    def is_probability(self) -> bool:
        """Whether all columns are the same, or one: Bel and Pl are one probability."""
        return bool((self.coefficients == self.coefficients[0]).all())

    def __call__(self, scores: Floats) -> Floats:
        """The columns (c, n) at scores; NaN where one is missing."""
        known = (scores >= self.low) & (scores <= self.high)
        piece = np.searchsorted(self.starts, scores, side="right")
        t = (scores - self.centers[piece]) * self.factors[piece]
        values = self.coefficients[:, self.degree, piece]
        for power in range(self.degree - 1, -1, -1):
            values = values * t + self.coefficients[:, power, piece]
        if self.is_log_odds:
            values = expit(values)
        return np.where(known, values, np.nan)


def of_both_classes(table: PieceTable) -> PieceTable:
    """The columns of the negative class, one less those of the positive one, and then the latter.

    Parameters
    ----------
    table : PieceTable
        With the columns of `COLUMNS`, and the ends of an interval if it has five.
    """
    other = -table.coefficients[[1, 0, 2, 4, 3][: len(table.coefficients)]]
    other[:, 0] += 1.0
    return replace(table, coefficients=np.concatenate([other, table.coefficients]))


def polyline(starts: Floats, last: float, function: Callable[[Floats], Floats]) -> PieceTable:
    """Lines from each start to just before the next one, where the function has its value too.

    The first start is the least score, and `last` the greatest.
    """
    ends = np.append(previous_float(starts[1:]), last)
    values, others = function(starts), function(ends)
    gap = ends / 2 - starts / 2  # halves: the range may exceed all floats
    rise = others / 2 - values / 2
    factors = np.where(gap < _NEAR, _FAR, 1.0)  # slopes would exceed all floats
    slopes = np.divide(rise, gap * factors, out=np.zeros_like(rise), where=(gap > 0) & (rise != 0))
    return PieceTable(
        low=float(starts[0]),
        high=last,
        starts=starts[1:],
        centers=np.where(slopes.any(axis=0), starts, 0.0),
        factors=np.where(slopes.any(axis=0), factors, 1.0),
        coefficients=np.stack([values, slopes], axis=1),
        error=0.0,
    )
