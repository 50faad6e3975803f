"""Short texts for sets of configurations of any size.

Most sets in use are rectangles, such as ``{rain=yes}``, or complements of rectangles, such as
implications. Of others, the first few configurations are listed.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory.product._variable import Variable

__all__ = ["event_text", "title"]

_MAX_LISTED = 4
_MAX_VALUES = 5
_MAX_VARIABLES = 6


def event_text(variables: Sequence[Variable], cells: NDArray[np.bool_]) -> str:
    """A set of configurations, given as an array of the shape of the product.

    Examples
    --------
    >>> pair = [Variable("rain", ["yes", "no"]), Variable("wet", [1, 0])]
    >>> event_text(pair, np.array([[True, True], [False, False]]))
    '{rain=yes}'
    >>> event_text(pair, np.array([[True, False], [True, True]]))
    'not {rain=yes, wet=0}'
    >>> event_text(pair, np.array([[True, False], [False, True]]))
    '{(yes, 1), (no, 0)}'
    """
    if cells.all():
        return "{all}"
    if not cells.any():
        return "{}"
    sides = _sides(cells)
    if _is_rectangle(sides, cells):
        return _rectangle(variables, sides)
    outside = _sides(~cells)
    if _is_rectangle(outside, ~cells):
        return "not " + _rectangle(variables, outside)
    return _listed(variables, cells)


def title(variables: Sequence[Variable]) -> str:
    """The product, such as ``rain × wet``."""
    names = [variable.name for variable in variables]
    if len(names) <= _MAX_VARIABLES:
        return " × ".join(names)
    return " × ".join(names[:_MAX_VARIABLES]) + f" × ... ({len(names)} variables)"


def _sides(cells: NDArray[np.bool_]) -> list[NDArray[np.bool_]]:
    """Projections on each axis."""
    axes = range(cells.ndim)
    return [np.asarray(cells.any(axis=tuple(a for a in axes if a != axis))) for axis in axes]


def _is_rectangle(sides: list[NDArray[np.bool_]], cells: NDArray[np.bool_]) -> bool:
    size = 1
    for side in sides:
        size *= int(side.sum())
    return size == int(cells.sum())


def _rectangle(variables: Sequence[Variable], sides: list[NDArray[np.bool_]]) -> str:
    parts = [
        f"{variable.name}={_alternatives(variable.values, side)}"
        for variable, side in zip(variables, sides, strict=True)
        if not side.all()
    ]
    more = f", ... {len(parts)} variables" if len(parts) > _MAX_VARIABLES else ""
    return "{" + ", ".join(parts[:_MAX_VARIABLES]) + more + "}"


def _alternatives(values: tuple[Any, ...], side: NDArray[np.bool_]) -> str:
    places = np.flatnonzero(side)
    more = f"|... {len(places)} values" if len(places) > _MAX_VALUES else ""
    return "|".join(str(values[i]) for i in places[:_MAX_VALUES]) + more


def _listed(variables: Sequence[Variable], cells: NDArray[np.bool_]) -> str:
    places = np.flatnonzero(cells)
    columns = np.unravel_index(places[:_MAX_LISTED], cells.shape)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    shown = [
        "(" + ", ".join(str(v.values[i]) for v, i in zip(variables, row, strict=True)) + ")"
        for row in rows
    ]
    more = f", ... {len(places)} configurations" if len(places) > _MAX_LISTED else ""
    return "{" + ", ".join(shown) + more + "}"
