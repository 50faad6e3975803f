"""Counts of calibration scores above a score: all that a conformal p-value is made of.

Counts add up: over the folds of a cross-conformal predictor, each with a classifier and scores of
its own, as over parts of one sample.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

__all__ = ["Counts", "ScoreSample"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Counts:
    """Weight of the calibration scores compared with each of some scores.

    Parameters
    ----------
    above : array
        Weight of the scores that are greater; needed for smoothing only.
    at_least : array
        Weight of the scores that are greater or equal.
    total : array
        Weight of all scores, in a shape that broadcasts.
    """

    above: Floats
    at_least: Floats
    total: Floats

    @classmethod
    def zeros(cls, shape: tuple[int, ...]) -> Self:
        """Of no calibration samples, to be filled."""
        return cls(np.zeros(shape), np.zeros(shape), np.zeros(shape))

    @classmethod
    def of_columns(cls, columns: Sequence[Self]) -> Self:
        """Counts (m, K) from those of each column, (m,)."""
        above = np.stack([one.above for one in columns], axis=1)
        at_least = np.stack([one.at_least for one in columns], axis=1)
        return cls(above, at_least, np.array([float(one.total) for one in columns]))

    def fill(self, rows: NDArray[np.bool_], part: Self) -> None:
        """Set the counts of some rows of a table that nobody else has."""
        self.above[rows], self.at_least[rows] = part.above, part.at_least
        self.total[rows] = part.total

    def __add__(self, other: Self) -> Self:
        above, at_least = self.above + other.above, self.at_least + other.at_least
        return type(self)(above, at_least, np.asarray(self.total + other.total))

    def p_values(self, weight: Any = 1.0, tau: Any = None) -> Floats:
        """P-values, see `evical.conformal.p_values`; 0 / 0 is 1, which excludes nothing."""
        share = weight + self.at_least
        if tau is not None:
            share = self.above + tau * (share - self.above)
        whole = weight + self.total
        # A sum of other weights in another order may exceed its whole by rounding.
        empty = whole == 0
        return np.asarray(np.minimum(np.where(empty, 1, share) / np.where(empty, 1, whole), 1))


@dataclass(frozen=True, eq=False)
class ScoreSample:
    """Calibration scores, in ascending order, with the weight from each one on.

    Parameters
    ----------
    scores : (n,) array
    tail : (n + 1,) array
        Weight of each score and all after it; the last entry is 0.
    """

    scores: Floats
    tail: Floats

    @classmethod
    def of(cls, scores: Floats, weights: Floats | None = None) -> Self:
        """From scores in any order; scores of weight 0 are left out."""
        if weights is None:
            return cls(np.sort(scores), np.arange(len(scores), -1.0, -1.0))
        kept = np.flatnonzero(weights > 0)
        order = kept[np.argsort(scores[kept], kind="stable")]
        tail = np.append(np.cumsum(weights[order][::-1])[::-1], 0.0)
        return cls(scores[order], tail)

    def counts(self, new: Floats, *, ties: bool) -> Counts:
        """Compared with new scores of any shape; without ties, those above are not searched for."""
        at_least = self.tail[np.searchsorted(self.scores, new, side="left")]
        above = self.tail[np.searchsorted(self.scores, new, side="right")] if ties else at_least
        return Counts(above, at_least, np.asarray(self.tail[0]))
