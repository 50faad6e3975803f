"""Tables as valuations: probability (sum, product) and possibility (max, product or min).

A table assigns a number to each configuration of its scope. Tables are multiplied, or their minimum
is taken, cell by cell; a variable is summed or maximized out. With max and product, the same
algebra finds the most probable and the most plausible configuration. Shenoy, P. P. (1992),
Valuation- based systems: a framework for managing uncertainty in expert systems.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory.network._algebra import SMALL_TOTAL, Algebra, Amount, Part
from dstheory.network._errors import NetworkError
from dstheory.network._join_tree import Scope
from dstheory.network._limits import DEFAULT, Limits

__all__ = ["TableAlgebra", "TablePart", "align"]


@dataclass(frozen=True, slots=True, eq=False)
class TablePart(Part):
    """Numbers for the configurations of a scope, one axis per variable."""

    scope: Scope
    values: NDArray[Any]
    log_scale: float = 0.0


class TableAlgebra(Algebra[TablePart]):
    """Tables, joined by `np.multiply` or `np.minimum`, marginalized by `np.add` or `np.maximum`.

    >>> sums = TableAlgebra([2, 2], np.add, np.multiply)
    >>> prior, rule = sums.part((0,), [1, 0.5]), sums.part((0, 1), [[1, 0], [0.25, 0.75]])
    >>> sums.marginalize(sums.combine(prior, rule), (1,)).values
    array([1.125, 0.375])
    """

    def __init__(
        self, sizes: Sequence[int], drop: np.ufunc, join: np.ufunc, limits: Limits = DEFAULT
    ) -> None:
        self.sizes = tuple(sizes)
        self.limits = limits
        self.drop = drop
        self.join = join

    def part(self, scope: Scope, values: Any) -> TablePart:
        """A part from an array of the shape of the scope."""
        array = np.asarray(values)
        return TablePart(scope, array if array.dtype == object else array.astype(np.float64))

    def combine(self, one: TablePart, two: TablePart) -> TablePart:
        """Join cell by cell on the union of the scopes."""
        scope = tuple(sorted({*one.scope, *two.scope}))
        left, right = _same_kind(align(one, scope), align(two, scope))
        with np.errstate(over="ignore", under="ignore"):  # both are handled below
            values = np.asarray(self.join(left, right), dtype=left.dtype)
        log_scale = one.log_scale + two.log_scale
        if values.dtype == object or self.join is np.minimum:  # must not be scaled
            return TablePart(scope, values, log_scale)
        return _scaled(scope, values, log_scale, left, right)

    def marginalize(self, part: TablePart, scope: Sequence[int]) -> TablePart:
        """Sum or maximum over the other variables."""
        axes = tuple(axis for axis, v in enumerate(part.scope) if v not in scope)
        if not axes:
            return part
        kept = tuple(v for v in part.scope if v in scope)
        values = part.values
        for axis in reversed(axes):  # one at a time: NumPy may reduce objects in another order
            values = np.asarray(self.drop.reduce(values, axis=axis), dtype=values.dtype)
        return TablePart(kept, values, part.log_scale)

    def total(self, part: TablePart) -> Amount:
        """Sum or maximum over all configurations."""
        return Amount(self.marginalize(part, ()).values.item(), part.log_scale)

    def entries(self, part: TablePart) -> int:
        """Cells."""
        return part.values.size

    def n_bytes(self, part: TablePart) -> int:
        """Memory of the cells."""
        return part.values.nbytes


def align(part: TablePart, scope: Sequence[int]) -> NDArray[Any]:
    """The table with an axis of length 1 for each missing variable."""
    sizes = dict(zip(part.scope, part.values.shape, strict=True))
    return part.values.reshape([sizes.get(v, 1) for v in scope])


def _same_kind(one: NDArray[Any], two: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Both exact if all floats are 0 or 1; otherwise fractions become floats."""
    if one.dtype == two.dtype:
        return one, two
    if two.dtype == object:
        return _same_kind(two, one)[::-1]
    if np.isin(two, (0.0, 1.0)).all():
        return one, two.astype(np.int64).astype(object)
    try:
        return one.astype(np.float64), two
    except TypeError as error:
        raise NetworkError(
            "a table has symbols and meets floats; make the numbers of all tables fractions or "
            "symbols (sympy.Rational)"
        ) from error


def _scaled(
    scope: Scope, values: NDArray[Any], log_scale: float, left: NDArray[Any], right: NDArray[Any]
) -> TablePart:
    """Floats scaled to a maximum of 1, multiplied as logarithms if products underflow."""
    top = float(values.max())
    possible = np.asarray((left > 0) & (right > 0))
    if top < SMALL_TOTAL and possible.any():
        with np.errstate(divide="ignore"):  # ln 0 = -inf is intended
            logs = np.log(left) + np.log(right)
        shift = float(logs.max())
        return TablePart(scope, np.asarray(np.exp(logs - shift)), log_scale + shift)
    if top == 0 or top == 1:
        return TablePart(scope, values, log_scale)
    if not math.isfinite(top):
        raise NetworkError("a table has numbers above the range of floats; scale it down")
    return TablePart(scope, np.asarray(values / top), log_scale + math.log(top))
