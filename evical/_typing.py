"""Names of what functions take and return; the shapes of arrays stand in their docstrings."""

from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Flags", "Floats", "Indices", "Ints", "RandomState", "Samples"]


Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Indices = NDArray[np.intp]
Flags = NDArray[np.bool_]

RandomState: TypeAlias = int | np.random.RandomState | None


class _Shaped(Protocol):
    @property
    def shape(self) -> tuple[int, ...]: ...


Samples: TypeAlias = ArrayLike | _Shaped
"""Features (n, n_features): an array, a data frame or a sparse matrix."""
