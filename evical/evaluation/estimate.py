"""`Estimate`: a mean with its standard error."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Estimate"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """A mean over rounds with its standard error.

    Parameters
    ----------
    mean : float
    error : float
        NaN after a single round, which says nothing about chance.

    Examples
    --------
    >>> Estimate.of(np.array([1.0, 3.0]))
    Estimate(mean=2.0, error=1.0)
    """

    mean: float
    error: float

    @classmethod
    def of(cls, values: Floats) -> "Estimate":
        """Estimate from one value a round."""
        n = len(values)
        error = float(np.std(values, ddof=1) / np.sqrt(n)) if n > 1 else float("nan")
        return cls(float(np.mean(values)), error)

    def is_clear(self, errors: float = 2.0) -> bool:
        """Whether the mean lies more than so many standard errors from zero."""
        return abs(self.mean) > errors * self.error
