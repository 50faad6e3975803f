"""Numbers up to rounding: results that are equal in exact arithmetic are ties."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["without_rounding"]

Floats = NDArray[np.float64]

# Digits kept of the greatest number. Means of the same values in another order, or differences
# such as 0.3 - 0.2 and 0.2 - 0.1, differ in the sixteenth.
_DIGITS = 12


def without_rounding(values: Floats, size: Any) -> Floats:
    """Values to twelve digits of numbers of this size.

    >>> without_rounding(np.array([0.3 - 0.2, 0.2 - 0.1]), 0.5)
    array([0.1, 0.1])
    """
    unit = np.where(np.asarray(size) > 0, size, 1.0)
    return np.asarray(np.round(values / unit, _DIGITS) * unit)
