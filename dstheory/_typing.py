"""Names of what functions take and return; the shapes of arrays stand in their docstrings."""

from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction
from typing import Any, Protocol, SupportsFloat, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Event", "Flags", "Floats", "Indices", "Ints", "Numbers", "Scalar", "Table", "Utilities"]

Event: TypeAlias = Hashable | Iterable[Hashable]
"""One label, several of them, or a frame."""

Numbers: TypeAlias = ArrayLike | SupportsFloat | Sequence[object]
"""A number or an array of them: floats, fractions, or expressions of SymPy."""

Scalar: TypeAlias = float | Fraction
"""One number; a fraction keeps results exact."""

Utilities: TypeAlias = Numbers | None
"""Utility of each act (row) under each class (column); None: acts are labels."""


class _Table(Protocol):
    @property
    def iloc(self) -> Any: ...
    def __array__(self) -> NDArray[Any]: ...


Table = TypeVar("Table", bound=_Table)
"""A pandas frame."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Indices = NDArray[np.intp]
Flags = NDArray[np.bool_]
