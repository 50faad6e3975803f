"""Tables as valuations: probability (sum, product) and possibility (max, product or min).

A table assigns a number to each configuration of its scope. Tables are multiplied, or their minimum
is taken, cell by cell; a variable is summed or maximized out. With max and product, the same
algebra finds the most probable and the most plausible configuration. Products that leave the range
of floats are kept as logarithms. Shenoy, P. P. (1992),
Valuation- based systems: a framework for managing uncertainty in expert systems.

The most plausible joint configuration, by max-product on contours.

Commonalities multiply under the conjunctive rule and Dempster's rule. The plausibility of a single
configuration x is its commonality, Pl({x}) = q({x}). Vacuous extension preserves it: the cylinder
of A contains x if and only if A contains the part of x on its scope. Hence the contour of the joint
belief is the product of the contours of the valuations, each evaluated on its own scope. One
elimination with max instead of sum finds its maximum without computing the joint belief. For
probabilities, it is the most probable explanation, Pearl (1988).
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory._typing import Numbers
from dstheory.network._algebra import (
    SMALL_LOG,
    SMALL_TOTAL,
    Algebra,
    Amount,
    Part,
    eliminated,
    log_of,
    together,
)
from dstheory.network._errors import NetworkError
from dstheory.network._join_tree import Scope
from dstheory.network._limits import DEFAULT, Limits
from dstheory.notebook import ShownFields

# Below, whole numbers are exact as floats, so that they can meet fractions.
_MAX_WHOLE = 2.0**53


@dataclass(frozen=True, slots=True, eq=False)
class TablePart(Part):
    """Numbers for the configurations of a scope, one axis per variable."""

    scope: Scope
    values: NDArray[Any]
    log_scale: float = 0.0
    logs: bool = False

    def as_floats(self) -> "TablePart":
        """The same numbers, of which those that are too small become the smallest float."""
        floats = np.where(np.isneginf(self.values), 0.0, np.maximum(np.exp(self.values), 5e-324))
        return TablePart(self.scope, floats, self.log_scale) if self.logs else self


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

    def part(self, scope: Scope, values: Numbers) -> TablePart:
        """A part from an array of the shape of the scope."""
        array = np.asarray(values)
        return TablePart(scope, array if array.dtype == object else array.astype(np.float64))

    def combine(self, one: TablePart, two: TablePart) -> TablePart:
        """Join cell by cell on the union of the scopes."""
        scope = tuple(sorted({*one.scope, *two.scope}))
        if one.values.dtype != two.values.dtype:
            one, two = _same_kind(one, two)
        log_scale = one.log_scale + two.log_scale
        left, right = align(one, scope), align(two, scope)
        if not (one.logs or two.logs):
            with np.errstate(over="ignore", under="ignore"):  # both are handled below
                values = np.asarray(self.join(left, right), dtype=left.dtype)
            if values.dtype == object or self.join is np.minimum:  # must not be scaled
                return TablePart(scope, values, log_scale)
            if not _underflows(values, left, right):
                return _scaled(scope, values, log_scale)
        left, right = (align(_as_logs(part), scope) for part in (one, two))
        return _from_logs(scope, left + right, log_scale)

    def marginalize(self, part: TablePart, scope: Sequence[int]) -> TablePart:
        """Sum or maximum over the other variables."""
        axes = tuple(axis for axis, v in enumerate(part.scope) if v not in scope)
        if not axes:
            return part
        kept = tuple(v for v in part.scope if v in scope)
        values = part.values
        drop = np.logaddexp if part.logs and self.drop is np.add else self.drop
        for axis in reversed(axes):  # one at a time: NumPy may reduce objects in another order
            values = np.asarray(drop.reduce(values, axis=axis), dtype=values.dtype)
        if part.logs:
            return _from_logs(kept, values, part.log_scale)
        return TablePart(kept, values, part.log_scale)

    def total(self, part: TablePart) -> Amount:
        """Sum or maximum over all configurations."""
        whole = self.marginalize(part, ())
        return Amount(whole.values.item(), whole.log_scale)

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


def _same_kind(one: TablePart, two: TablePart) -> tuple[TablePart, TablePart]:
    """An exact and a floating part: both exact if all floats are whole, otherwise both floats."""
    if two.values.dtype == object:
        return _same_kind(two, one)[::-1]
    whole = not two.logs and two.values.max() < _MAX_WHOLE
    if whole and np.equal(two.values, np.rint(two.values)).all():
        return one, TablePart(two.scope, two.values.astype(np.int64).astype(object), two.log_scale)
    try:
        floats = one.values.astype(np.float64)
    except TypeError as error:
        raise NetworkError(
            "a table has symbols and meets floats; make the numbers of all tables fractions or "
            "symbols (sympy.Rational)"
        ) from error
    if ((floats < SMALL_TOTAL) & np.asarray(one.values != 0, dtype=bool)).any():
        logs = np.array([log_of(value) for value in one.values.ravel()]).reshape(floats.shape)
        return _from_logs(one.scope, logs, one.log_scale), two
    return TablePart(one.scope, floats, one.log_scale), two


def _underflows(values: NDArray[Any], left: NDArray[Any], right: NDArray[Any]) -> bool:
    """Whether a product of positive numbers is too small for a float, or soon will be."""
    if values.min() >= SMALL_TOTAL:
        return False
    return bool(((values < SMALL_TOTAL) & (left > 0) & (right > 0)).any())


def _scaled(scope: Scope, values: NDArray[Any], log_scale: float) -> TablePart:
    """Floats scaled to a maximum of 1, unless they may be sums of 0 and 1, which stay exact."""
    top = float(values.max())
    if top == 0 or 1 <= top < _MAX_WHOLE:
        return TablePart(scope, values, log_scale)
    if not math.isfinite(top):
        raise NetworkError("a table has numbers above the range of floats; scale it down")
    return TablePart(scope, np.asarray(values / top), log_scale + math.log(top))


def _as_logs(part: TablePart) -> TablePart:
    if part.logs:
        return part
    with np.errstate(divide="ignore"):  # ln 0 = -inf is intended
        logs = np.asarray(np.log(part.values))  # NumPy turns an array without axes into a number
    return TablePart(part.scope, logs, part.log_scale, logs=True)


def _from_logs(scope: Scope, logs: NDArray[Any], log_scale: float) -> TablePart:
    """A part from logarithms, as floats if all but zeros are far above the smallest ones."""
    top = float(logs.max())
    if top == -math.inf:
        return TablePart(scope, np.zeros(logs.shape), log_scale)
    logs = np.asarray(logs - top)
    possible = logs[~np.isneginf(logs)]
    if possible.min() < SMALL_LOG:
        return TablePart(scope, logs, log_scale + top, logs=True)
    return TablePart(scope, np.asarray(np.exp(logs)), log_scale + top)


@dataclass(frozen=True)
class Configuration(ShownFields):
    """A joint configuration and its degree of plausibility.

    Attributes
    ----------
    values : dict of str to value
        One value for each variable.
    degree : number
        Its plausibility (belief), probability, or possibility, given all valuations.
    log_degree : float
        Natural logarithm of the degree, which may itself be too small for a float.
    """

    values: dict[str, Any]
    degree: Any
    log_degree: float


def best_places(
    algebra: TableAlgebra, parts: Iterable[TablePart], order: Sequence[int]
) -> tuple[dict[int, int], Amount]:
    """Positions of a best value for each variable, and their joint degree.

    Ties go to the first value, variable by variable in reverse order.

    >>> search = TableAlgebra([2, 2], np.maximum, np.multiply)
    >>> part = search.part((0, 1), [[0.25, 0.5], [0.125, 0.125]])
    >>> best_places(search, [part], (0, 1))
    ({1: 1, 0: 0}, Amount(value=0.5, log_scale=0.0))
    """
    left = list(parts)
    _refuse_symbols(left)
    left, steps = eliminated(algebra, left, order)
    places: dict[int, int] = {}
    for variable in reversed(order):
        table = steps.get(variable)
        places[variable] = 0 if table is None else _best(table, variable, places)
    return places, algebra.total(together(algebra, left)) if left else Amount(1)


def _refuse_symbols(parts: Iterable[TablePart]) -> None:
    for part in parts:
        values = part.values.ravel().tolist() if part.values.dtype == object else []
        for value in values:
            if hasattr(value, "free_symbols") and value.free_symbols:
                raise NetworkError(
                    f"cannot compare plausibilities: {value} is symbolic; substitute numbers"
                )


def _best(table: TablePart, variable: int, places: dict[int, int]) -> int:
    index = tuple(slice(None) if v == variable else places[v] for v in table.scope)
    return int(np.argmax(table.values[index]))
