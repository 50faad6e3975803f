"""Dempster's rule on arrays: agreement of several sources, normalized after each of them.

Sums of products are divided by their total, so a high conflict costs no digits. A mass may still
fall below the range of floats and be supported again by later sources. Products of the smallest
masses bound what can fall; where the bound is too low, rows are checked one by one, and those that
need it are combined as logarithms. A positive mass never becomes 0: below the range of floats it is
the smallest float, which says that the set is possible, and a result that rests on such masses is
recognized.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dstheory._typing import Floats
from dstheory.errors import TotalConflictError
from dstheory.kernels.batches import placed, stretch
from dstheory.kernels.pairwise import (
    SMALL_TOTAL,
    agreement,
    log_agreement,
    logarithms,
    refuse_total_conflict,
)
from dstheory.kernels.rows import refuse_rows

Part = tuple[NDArray[Any], NDArray[Any]]

# Below the normal floats, masses have fewer digits: below 5e-315 fewer than nine, at last none.
_NORMAL, _FEW_DIGITS, _SMALLEST = 2.0**-1022, 5e-315, 5e-324
# Up to this size, a list is searched faster than an array.
_FEW_VALUES = 64
# Masses searched at once: 2^15 doubles are 256 KiB.
_BLOCK_VALUES = 1 << 15
# Logarithms of this size have a rounding error of 1e-14.
_LOW_LOG = -64.0
# A share of the result that masses with few digits may have.
_TOLERATED = 1e-9


class Agreed(NamedTuple):
    """Sets (T,), masses (T, *batch) that sum to 1, and rows (*batch,) without a result.

    In rows of `conflict` the sources exclude each other; in rows of `lost` they agree on masses
    below the range of floats only, of which nothing but the sets is known. None is no row.
    """

    focal: NDArray[Any]
    masses: NDArray[Any]
    conflict: NDArray[np.bool_] | None = None
    lost: NDArray[np.bool_] | None = None

    @property
    def without_result(self) -> NDArray[np.bool_] | None:
        """Rows of both kinds."""
        if self.conflict is None or self.lost is None:
            return self.lost if self.conflict is None else self.conflict
        return self.conflict | self.lost

    def refuse(self) -> None:
        """Raise if a row has no result."""
        if self.conflict is not None:
            refuse_total_conflict(np.where(self.conflict, 0.0, 1.0))
        if self.lost is not None:
            fault = "masses underflowed: the sources agree only on masses below 5e-315"
            advice = "an earlier combination lost their digits: combine all in one call of dempster"
            refuse_rows(self.lost, fault, advice, TotalConflictError)


def orthogonal_sum(parts: Sequence[Part], *, log: bool = False) -> Agreed:
    """Dempster's rule of parts: masks (F,), ascending, and masses (F, *batch) that sum to 1.

    Batches broadcast; `log` uses logarithms for all rows.

    Examples
    --------
    >>> agreed = orthogonal_sum([(np.array([1, 3]), np.array([0.5, 0.5]))] * 2)
    >>> agreed.focal, agreed.masses
    (array([1, 3]), array([0.75, 0.25]))
    """
    exact = False
    for _, masses in parts:
        exact = exact or masses.dtype == object
    if log and not exact:  # exact masses never underflow
        return by_logarithms(parts)
    focal, masses = parts[0]
    conflict: NDArray[np.bool_] | None = None
    fallen: Any = False
    low = 1.0 if exact else least_positive(masses)
    for place, (other, more) in enumerate(parts[1:], start=2):
        low *= 1.0 if exact else least_positive(more)
        least = _NORMAL if place == len(parts) else SMALL_TOTAL
        if low < least:
            low, small = _fallen(masses, more, least, fallen)
            fallen = fallen | small if small.any() else fallen
            if fallen is not False and fallen.all():
                return by_logarithms(parts)
        focal, masses, total = agreement(focal, masses, other, more)
        none = total == 0
        if none.any() if total.ndim else none:  # a microsecond less for a single row
            none = np.asarray(none, dtype=bool)
            new = none & ~np.asarray(fallen)
            conflict = new if conflict is None else conflict | new
            total = np.where(none, 1, total)
        masses /= total  # in place: there may be no memory for a second large batch
    if conflict is not None:
        conflict = np.broadcast_to(conflict, masses.shape[1:]) if conflict.any() else None
    agreed = Agreed(focal, masses, conflict)
    return agreed if fallen is False else _completed(agreed, parts, fallen)


def least_positive(masses: NDArray[Any]) -> float:
    """The smallest positive mass, 1 if there is none.

    Examples
    --------
    >>> least_positive(np.array([0.0, 0.25, 0.75]))
    0.25
    """
    if masses.size <= _FEW_VALUES:
        values = masses.tolist() if masses.ndim == 1 else masses.ravel().tolist()
        least = min(values) if values else 1.0
        return least if least > 0 else min((v for v in values if v > 0), default=1.0)
    # The bits of floats, less 1, ascend from the positive ones to zero and those with a sign.
    bits = np.ascontiguousarray(masses).reshape(-1).view(np.uint64)
    one = np.uint64(1)
    steps = range(0, len(bits), _BLOCK_VALUES)
    least_bits = min((bits[start : start + _BLOCK_VALUES] - one).min() for start in steps)
    # As whole numbers: scalars of NumPy warn where the bits of zero wrap around.
    found = float(np.uint64((int(least_bits) + 1) % 2**64).view(np.float64))
    return found if found > 0 else 1.0


def _fallen(
    masses: Floats, more: Floats, least: float, known: Any
) -> tuple[float, NDArray[np.bool_]]:
    """The least product of positive masses of rows that need no logarithms, and those that do."""
    product = np.asarray(_least_of_rows(masses) * _least_of_rows(more))
    small = np.asarray(product < least)
    others = product[~(small | known)]
    return float(others.min(initial=1.0)), small


def _least_of_rows(masses: Floats) -> Floats:
    return np.asarray(masses.min(axis=0, initial=1.0, where=masses > 0))


def _completed(agreed: Agreed, parts: Sequence[Part], fallen: NDArray[np.bool_]) -> Agreed:
    """The result, with some of its rows combined again as logarithms."""
    batch = agreed.masses.shape[1:]
    rows = np.broadcast_to(fallen, batch)
    again = by_logarithms([(focal, stretch(masses, batch)[:, rows]) for focal, masses in parts])
    focal = np.union1d(agreed.focal, again.focal)
    masses = placed(focal, agreed.focal, agreed.masses)
    masses[:, rows] = 0.0
    masses[np.searchsorted(focal, again.focal)[:, np.newaxis], rows] = again.masses
    conflict = _spread(agreed.conflict, again.conflict, rows)
    return Agreed(focal, masses, conflict, _spread(None, again.lost, rows))


def _spread(
    known: NDArray[np.bool_] | None, own: NDArray[np.bool_] | None, rows: NDArray[np.bool_]
) -> NDArray[np.bool_] | None:
    """Rows that are known, and some of the chosen rows."""
    if own is None:
        return known
    result = np.zeros(rows.shape, dtype=bool) if known is None else known.copy()
    result[rows] = own
    return result


def by_logarithms(parts: Sequence[Part]) -> Agreed:
    """Dempster's rule with logarithms throughout.

    Examples
    --------
    >>> tiny = np.array([1, 2]), np.array([1.0, 1e-200])
    >>> by_logarithms([tiny, tiny, (np.array([2]), np.array([1.0]))]).masses
    array([1.])
    """
    batch = np.broadcast_shapes(*(masses.shape[1:] for _, masses in parts))
    wide = [(focal, stretch(masses, batch)) for focal, masses in parts]
    focal, logs, shift = log_fold([(own, logarithms(masses)) for own, masses in wide])
    agreed = normalized_logs(focal, logs)
    return Agreed(focal, agreed.masses, agreed.conflict, _lost(wide, logs, shift))


def normalized(focal: NDArray[Any], values: NDArray[Any]) -> Agreed:
    """Values (T, *batch) divided by their sums; rows without any are in conflict.

    Examples
    --------
    >>> normalized(np.array([1, 2]), np.array([0.25, 0.25])).masses
    array([0.5, 0.5])
    """
    total = np.asarray(values.sum(axis=0))
    none = np.asarray(total == 0, dtype=bool)
    masses = np.asarray(values / np.where(none, 1, total))
    return Agreed(focal, masses, none if none.any() else None)


def normalized_logs(focal: NDArray[Any], logs: Floats) -> Agreed:
    """The same from ln of the values; no positive one becomes 0.

    Examples
    --------
    >>> normalized_logs(np.array([1, 2]), np.array([-2000.0, -1000.0])).masses
    array([5.e-324, 1.e+000])
    """
    top = np.asarray(logs.max(axis=0, initial=-np.inf))
    agreed = normalized(focal, np.exp(logs - np.where(np.isneginf(top), 0.0, top)))
    masses = np.where(np.isneginf(logs), 0.0, np.maximum(agreed.masses, _SMALLEST))
    return Agreed(focal, np.array(masses, order="C"), agreed.conflict)


def log_fold(parts: Sequence[tuple[NDArray[Any], Floats]]) -> tuple[NDArray[Any], Floats, Floats]:
    """Non-empty intersections, ln of sums of products relative to the largest, and its ln.

    Examples
    --------
    >>> part = np.array([1, 2]), np.array([0.0, -1000.0])
    >>> log_fold([part, part])[:2]
    (array([1, 2]), array([    0., -2000.]))
    """
    focal, logs = parts[0]
    shift = np.zeros(logs.shape[1:])
    for part in parts[1:]:
        focal, logs = log_agreement((focal, logs), part)
        top = logs.max(axis=0, initial=-np.inf)
        if top.min(initial=0.0) < _LOW_LOG:  # small numbers have more digits
            top = np.where(np.isneginf(top), 0.0, top)
            logs, shift = logs - top, shift + top
    return focal, logs, shift


def _lost(parts: Sequence[Part], logs: Floats, shift: Floats) -> NDArray[np.bool_] | None:
    """Rows of several sets whose masses rest on numbers with few digits; None if there is none."""
    small = [(masses > 0) & (masses < _FEW_DIGITS) for _, masses in parts]
    if not any(flags.any() for flags in small):
        return None
    clean = [
        (own, logarithms(np.where(flags, 0.0, masses)))
        for (own, masses), flags in zip(parts, small, strict=True)
    ]
    _, others, other_shift = log_fold(clean)
    missing = 1 - np.exp(np.minimum(_log_total(others) + other_shift - _log_total(logs) - shift, 0))
    lost = np.asarray((missing > _TOLERATED) & (np.isfinite(logs).sum(axis=0) > 1))
    return lost if lost.any() else None


def _log_total(logs: Floats) -> Floats:
    """ln of the sum, -1e300 for 0, of which differences exist."""
    total = np.log(np.maximum(np.exp(logs).sum(axis=0), _SMALLEST))
    return np.where(np.isneginf(logs).all(axis=0), -1e300, total)
