"""`Table`: a number for each configuration of some variables, as users write valuations.

For probabilities, it is a prior, a conditional table or a likelihood; for possibilities, a joint or
conditional possibility distribution or a soft constraint.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory._typing import Numbers
from dstheory.checks.arguments import as_sequence, axis_labels, check_instance
from dstheory.checks.masses import as_masses
from dstheory.errors import MassError
from dstheory.kernels.immutable import Immutable
from dstheory.network._errors import NetworkError
from dstheory.notebook import brief, html_table

# Rows and columns that a notebook shows.
_MAX_SHOWN = 12


class Table(Immutable):
    """An immutable table of numbers for the configurations of some variables.

    Parameters
    ----------
    names : str, or sequence of str
        Variables, one for each axis.
    values : array
        Non-negative and not all zero; floats, or objects such as Fractions, which stay exact.

    Attributes
    ----------
    names : tuple of str
        Variables, one for each axis.
    values : array
        The numbers; read-only.

    Raises
    ------
    NetworkError
        If names repeat, or their number is not that of the axes.
    MassError
        If a number is negative or not finite, or all are zero.
    TypeError
        If names are not strings, or values are not numbers.

    Examples
    --------
    Rows are values of the first variable; those of a conditional probability sum to 1:

    >>> Table(["rain", "grass"], [[0.75, 0.25], [0.5, 0.5]])
    Table on rain × grass, shape (2, 2)
    """

    __slots__ = ("_axes", "names", "values")

    names: tuple[str, ...]
    values: NDArray[Any]
    _axes: tuple[list[Any], ...]  # values that name the rows and columns of a data frame, to check

    def __init__(self, names: str | Iterable[str], values: Numbers) -> None:
        listed = tuple(
            [names] if isinstance(names, str) else as_sequence(names, "names", "names of variables")
        )
        for name in listed:
            check_instance("names", name, str, "strings")
        if len(set(listed)) < len(listed) or not listed:
            raise NetworkError(f"names are {listed!r}, expected one or more distinct names")
        array = np.array(as_masses(values))
        if array.ndim != len(listed):
            raise NetworkError(
                f"values have {array.ndim} axes, but there are {len(listed)} names {listed!r}; "
                "give one axis per variable"
            )
        _check_values(array)
        self._keep(names=listed, values=array, _axes=axis_labels(values))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table):
            return NotImplemented
        return self.names == other.names and np.array_equal(self.values, other.values)

    def __hash__(self) -> int:
        return hash((self.names, self.values.shape))

    def __reduce__(self) -> tuple[Any, ...]:
        return _read, (self.names, self.values, self._axes)

    def __repr__(self) -> str:
        return f"Table on {' × '.join(self.names)}, shape {self.values.shape}"

    def _repr_html_(self) -> str:
        *others, last = self.names
        flat = self.values.reshape(-1, self.values.shape[-1])[:_MAX_SHOWN, :_MAX_SHOWN]
        head = [" × ".join(others), *(f"{last} {place}" for place in range(flat.shape[1]))]
        places = np.ndindex(self.values.shape[:-1])
        rows = [[brief(at), *map(brief, row)] for at, row in zip(places, flat, strict=False)]
        more = [f"... {self.values.size} numbers in all"] if self.values.size > flat.size else []
        return html_table(repr(self), [head, *rows], more)


def _read(names: tuple[str, ...], values: NDArray[Any], axes: tuple[list[Any], ...]) -> Table:
    table = Table(names, values)
    table._keep(_axes=axes)
    return table


def _check_values(values: NDArray[Any]) -> None:
    for place, value in np.ndenumerate(values):
        symbolic = hasattr(value, "free_symbols") and value.free_symbols
        if not symbolic and not (value >= 0 and value < float("inf")):
            raise MassError(f"number {value} at {place} is negative or not finite")
    if not any(value != 0 for value in values.ravel().tolist()):
        raise MassError("all numbers are zero, so nothing is possible")
