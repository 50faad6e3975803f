"""`PieceTable`: the one form from which every target is written.

A calibrator's prediction is a function of one score. It is compiled to pieces of the line, on each
of which [Bel, Pl, BetP] are polynomials of the score: constants for steps, and polynomials of low
degree for curves. Additions, products and comparisons are all that a target needs.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import expit

from evical._typing import Floats
from evical.export._floats import previous_float

__all__ = ["COLUMNS", "PieceTable", "of_both_classes", "polyline"]


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
        With the columns of `COLUMNS`.
    """
    other = -table.coefficients[[1, 0, 2]]
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
