"""Names of the arrays that functions take and return; the shape stands in their docstrings."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["Flags", "Floats", "Indices", "Ints"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Indices = NDArray[np.intp]
Flags = NDArray[np.bool_]
