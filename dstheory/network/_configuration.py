"""The most plausible joint configuration, by max-product on contours.

Commonalities multiply under the conjunctive rule and Dempster's rule. The plausibility of a single
configuration x is its commonality, Pl({x}) = q({x}). Vacuous extension preserves it: the cylinder
of A contains x if and only if A contains the part of x on its scope. Hence the contour of the joint
belief is the product of the contours of the valuations, each evaluated on its own scope. One
elimination with max instead of sum finds its maximum without computing the joint belief. For
probabilities, it is the most probable explanation, Pearl (1988).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dstheory.network._algebra import Amount
from dstheory.network._errors import NetworkError
from dstheory.network._table import TableAlgebra, TablePart
from dstheory.notebook import ShownFields


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
    steps: list[tuple[int, TablePart | None]] = []
    for variable in order:
        speaking = [part for part in left if variable in part.scope]
        left = [part for part in left if variable not in part.scope]
        together = None
        for part in sorted(speaking, key=lambda part: part.values.size):
            together = part if together is None else algebra.combine(together, part)
        steps.append((variable, together))
        if together is not None:
            others = [v for v in together.scope if v != variable]
            left.append(algebra.marginalize(together, others))
    places: dict[int, int] = {}
    for variable, table in reversed(steps):
        places[variable] = 0 if table is None else _best(table, variable, places)
    return places, _product(algebra, left)


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


def _product(algebra: TableAlgebra, parts: list[TablePart]) -> Amount:
    if not parts:
        return Amount(1)
    whole = parts[0]
    for part in parts[1:]:
        whole = algebra.combine(whole, part)
    return algebra.total(whole)
