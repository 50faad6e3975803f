"""Names of what functions take and return; the shapes of arrays stand in their docstrings."""

from collections.abc import Hashable, Iterable, Sequence
from typing import SupportsFloat, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Event", "Flags", "Floats", "Indices", "Ints", "Numbers"]

Event: TypeAlias = Hashable | Iterable[Hashable]
"""One label, several of them, or a frame."""

Numbers: TypeAlias = ArrayLike | SupportsFloat | Sequence[object]
"""A number or an array of them: floats, fractions, or expressions of SymPy."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Indices = NDArray[np.intp]
Flags = NDArray[np.bool_]
