"""`PieceTable`: the one form from which every target is written.

A calibrator's prediction is a function of one score. It is compiled to pieces of the line, on each
of which [Bel, Pl, BetP] are polynomials of the score: constants for steps, and polynomials of low
degree for curves. Additions, products and comparisons are all that a target needs.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["COLUMNS", "PieceTable"]

Floats = NDArray[np.float64]

COLUMNS = ("bel", "pl", "betp")


@dataclass(frozen=True, eq=False)
class PieceTable:
    """Belief, plausibility and pignistic probability of the positive class over the scores.

    Parameters
    ----------
    low, high : float
        Scores from `low` to `high` have a value; others are missing.
    starts : (p - 1,) array
        Ascending; piece j + 1 begins at ``starts[j]``, which belongs to it.
    centers, factors : (p,) arrays
        On a piece, the polynomials are those of ``(score - center) * factor``.
    coefficients : (3, d + 1, p) array
        Of rising powers, for each of `COLUMNS`.
    error : float
        Greatest difference to Python that was found; 0 for steps.
    """

    low: float
    high: float
    starts: Floats
    centers: Floats
    factors: Floats
    coefficients: Floats
    error: float

    def __len__(self) -> int:
        return len(self.centers)

    @property
    def degree(self) -> int:
        """The greatest degree of a polynomial."""
        return int(self.coefficients.shape[1]) - 1

    def __call__(self, scores: Floats) -> Floats:
        """The columns (3, n) at scores; NaN where one is missing."""
        known = (scores >= self.low) & (scores <= self.high)
        piece = np.searchsorted(self.starts, scores, side="right")
        t = (scores - self.centers[piece]) * self.factors[piece]
        values = self.coefficients[:, self.degree, piece]
        for power in range(self.degree - 1, -1, -1):
            values = values * t + self.coefficients[:, power, piece]
        return np.where(known, values, np.nan)
