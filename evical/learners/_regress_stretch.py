"""Belief intervals, stretched by one factor until they cover held-out responses.

Errors in units of the half width of belief intervals are exchangeable, so a quantile of those of
held-out samples covers a new one: split conformal prediction with normalized residuals.

Source: Lei, G'Sell, Rinaldo, Tibshirani & Wasserman (2018), Distribution-free predictive inference
for regression, J. American Statistical Association 113, 1094-1111.
"""

from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from dstheory.inference import GRFN
from evical._typing import Floats

__all__ = ["Stretch", "split"]


_LEVEL = 0.9
"""Belief of the intervals that are stretched. One for all levels keeps intervals nested."""


class Stretch(NamedTuple):
    """Errors of held-out samples by half widths (m,), ascending, and the weight up to each.

    Without held-out samples intervals stay as they are.
    """

    ratio: Floats
    weight: Floats

    @classmethod
    def of(cls, grfn: GRFN, y: Floats, weight: Floats) -> Self:
        _, high = grfn.belief_interval(_LEVEL)
        error, half = abs(y - grfn.mu), high - grfn.mu
        # A width that is lost to rounding covers no error.
        ratio = np.divide(error, half, out=np.where(error > 0, np.inf, 0.0), where=half > 0)
        order = np.argsort(ratio, kind="stable")
        return cls(ratio[order], np.cumsum(weight[order]))

    def factor(self, level: float) -> float:
        """The least ratio that level (W + 1) of a total weight W do not exceed, or infinity.

        Examples
        --------
        >>> three = Stretch(np.array([0.5, 1.0, 2.0]), np.array([1.0, 2.0, 3.0]))
        >>> three.factor(0.5), three.factor(0.75), three.factor(0.9)
        (1.0, 2.0, inf)
        """
        total = self.weight[-1]
        place = np.searchsorted(self.weight, level * (total + 1) * (1 - 1e-12))
        return float(self.ratio[place]) if place < len(self.ratio) else float("inf")

    def interval(self, grfn: GRFN, level: float) -> Floats:
        """Intervals (n, 2) that cover new responses."""
        if not len(self.ratio):
            return np.column_stack(grfn.belief_interval(level))
        _, high = grfn.belief_interval(_LEVEL)
        half, factor = high - grfn.mu, self.factor(level)
        known = np.isfinite(half) & np.isfinite(factor)
        half = np.multiply(half, factor, out=np.full_like(half, np.inf), where=known)
        return np.column_stack([grfn.mu - half, grfn.mu + half])


def split(
    weight: Floats, fraction: float | None, random: np.random.RandomState
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows to learn from, and rows to hold out.

    Parameters
    ----------
    weight : (n,) array
        Samples without weight are in neither.
    fraction : float or None
        Share of the samples to hold out.
    random : RandomState

    Returns
    -------
    kept, held_out : arrays of int
    """
    rows = np.flatnonzero(weight > 0)
    if fraction is None:
        return rows, rows[:0]
    rows = random.permutation(rows)
    count = round(float(fraction) * len(rows))
    if not 1 <= count < len(rows):
        raise ValueError(
            f"calibration_fraction is {fraction!r}, which holds out {count} of {len(rows)} samples "
            f"(n_samples={len(rows)}); leave some to learn from and some to calibrate"
        )
    return rows[count:], rows[:count]
