"""`Estimate`: a mean with its standard error."""

from dataclasses import dataclass

import numpy as np

from dstheory.checks.arguments import as_floats
from dstheory.notebook import ShownFields
from evical._typing import Floats


@dataclass(frozen=True)
class Estimate(ShownFields):
    """A mean over repeats with its standard error.

    Parameters
    ----------
    mean : float
    standard_error : float
        NaN after a single repeat, which has no standard error.

    Examples
    --------
    >>> Estimate.of(np.array([1.0, 3.0]))
    Estimate(mean=2.0, standard_error=1.0)
    """

    mean: float
    standard_error: float

    @classmethod
    def of(cls, values: Floats) -> "Estimate":
        """Estimate from one value of each repeat."""
        array = as_floats(values, "values")
        n = array.size
        if array.ndim != 1 or n == 0:
            raise ValueError(f"values have shape {array.shape}, expected (n,) with n of at least 1")
        error = float(np.std(array, ddof=1) / np.sqrt(n)) if n > 1 else float("nan")
        return cls(float(np.mean(array)), error)

    def is_clear(self, errors: float = 2.0) -> bool:
        """Whether the mean lies more than that many standard errors from zero."""
        return abs(self.mean) > errors * self.standard_error
