"""Conversions between the equivalent tables of a belief function: m, bel, pl, q, b, w, v.

Commonality and conjunctive weights are sums and products over supersets; implicability, belief,
plausibility and disjunctive weights are over subsets. A conversion within one side does not go
through the masses; between the sides it must.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dstheory._typing import Numbers
from dstheory.checks import masses as checks
from dstheory.checks.arguments import check_choice
from dstheory.errors import DSTheoryError
from dstheory.kernels import moebius
from dstheory.transform._butterflies import FROM_MASSES
from dstheory.transform._weights import (
    check_positive,
    commonalities_of_weights,
    weights_of_commonalities,
)

TableKind = Literal["m", "bel", "pl", "q", "b", "w", "v"]
_Step = Callable[[NDArray[Any]], NDArray[Any]]

# The table from which each kind follows without a Moebius inversion.
_SIDE = {"m": "m", "q": "q", "w": "q", "b": "b", "bel": "b", "pl": "b", "v": "b"}


def convert_table(table: Numbers, source: TableKind, target: TableKind) -> NDArray[Any]:
    """Convert tables of all subsets from one representation to another.

    Parameters
    ----------
    table : (*batch, 2**K) array
        Indexed by mask. Signed ("latent") beliefs are allowed: the values need not be a belief
        function, but their total mass must be 1.
    source, target : {"m", "bel", "pl", "q", "b", "w", "v"}
        Mass, belief, plausibility, commonality, implicability, conjunctive weights,
        disjunctive weights. In a source, w(frame) and v(empty) are ignored; in a target they are 1.

    Returns
    -------
    (*batch, 2**K) array
        A new array; float64, or exact objects as in `table`.

    Raises
    ------
    DSTheoryError
        If a kind is unknown, the last axis is not a power of two, or an entry is not finite.
    MassError
        If weights are requested and a commonality (for w: dogmatic) or implicability (for v:
        normalized) is not positive, or given weights are negative.
    TypeError
        If an entry is not a number.

    See Also
    --------
    dstheory.construct.from_table : also checks that the table is a belief function.

    References
    ----------
    Smets (2002), The application of the matrix calculus to belief functions, Int. J.
    Approximate Reasoning 31, 1-30; Denoeux (2008), Artificial Intelligence 172, 234-264.

    Examples
    --------
    >>> convert_table([0, 0.75, 0, 0.25], "m", "pl")
    array([0.  , 1.  , 0.25, 1.  ])
    >>> convert_table([0, 0.5, 0.25, 1], "bel", "m")
    array([0.  , 0.5 , 0.25, 0.25])
    """
    check_choice("source", source, _SIDE)
    check_choice("target", target, _SIDE)
    values = _set_major(table, source)
    if source == target:
        return np.moveaxis(values, 0, -1)
    side = _SIDE[source]
    if side != source:
        values = _TO_SIDE[source](values)
    if side == "m" or _SIDE[target] != side:
        result = _from_masses(_TO_MASSES[side](values), target)
    else:
        result = values if target == side else _from_side(values, target)
    return np.moveaxis(result, 0, -1)


def _set_major(table: Numbers, source: str) -> NDArray[Any]:
    array = checks.as_masses(table)
    n_sets = array.shape[-1] if array.ndim else 0
    if n_sets < 2 or n_sets & (n_sets - 1):
        raise DSTheoryError(
            f"table has shape {array.shape}, but its last axis runs over all subsets: "
            "its length is 2, 4, 8, ..."
        )
    if source in ("w", "v"):
        checks.check_nonnegative(array, "weight")
    checks.check_finite(array, source)
    return np.array(np.moveaxis(array, -1, 0), order="C")


def _from_masses(masses: NDArray[Any], target: str) -> NDArray[Any]:
    if target in FROM_MASSES:
        return FROM_MASSES[target](masses)
    return _from_side(FROM_MASSES[_SIDE[target]](masses), target)


def _from_side(values: NDArray[Any], target: str) -> NDArray[Any]:
    if target == "w":
        check_positive(values, "q", "m(frame) > 0")
    elif target == "v":
        check_positive(values, "b", "m(empty) > 0")
    return _FROM_SIDE[target](values)


_TO_SIDE: dict[str, _Step] = {
    "w": commonalities_of_weights,
    "bel": lambda bel: bel + (1 - bel[-1]),
    "pl": lambda pl: 1 - pl[::-1],
    "v": lambda v: commonalities_of_weights(v[::-1])[::-1],
}
_TO_MASSES: dict[str, _Step] = {
    "m": lambda masses: masses,
    "q": moebius.superset_differences,
    "b": moebius.subset_differences,
}
_FROM_SIDE: dict[str, _Step] = {
    "w": weights_of_commonalities,
    "bel": lambda b: b - b[0],
    "pl": lambda b: b[-1] - b[::-1],
    "v": lambda b: weights_of_commonalities(b[::-1])[::-1],
}
