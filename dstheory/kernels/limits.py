"""Limits on work and memory, checked before anything is allocated.

Every task whose cost can explode goes through `check_cost`. A combination of several sources lists
the intersections (unions, differences) of their focal sets; how many there are is bounded by a
product of counts, and counted only where that bound is too large to decide.
"""

import math
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory.errors import CostLimitError
from dstheory.kernels import bits

# Clearing and scanning a table entry costs about an eighth of a pair.
_TABLE_PER_PAIR = 8
# Pairs that fit no table are sorted: 0.3 microseconds and 80 bytes each, 5 s and 1.3 GB in all.
_MAX_SORTED = 1 << 24
# Sets above 62 labels are Python integers, at 0.5 microseconds and 150 bytes a pair.
_MAX_LONG = 1 << 23
# Pairs of exact masses take 3 microseconds, a minute in all.
_MAX_EXACT = 1 << 24
# Pairs on a table take 5 nanoseconds, a minute or two in all; a sorted pair counts for 64.
_MAX_PAIRS, _SORTED_WEIGHT = 1 << 34, 64
# So few choices of a set a source need no other check.
_FEW = 1 << 20
# Focal sets of a result; with their masses and the work space they take 1 GB.
_MAX_SETS = 1 << 23
# Pairs that make new sets and are counted before a combination starts, in half a second.
_COUNTED, _COUNTED_LONG = 1 << 23, 1 << 20
# 2^31 doubles are 16 GiB.
_MAX_VALUES = 1 << 31
_ADVICE = "approximate the sources (dstheory.approximate) or merge labels (revise.coarsen)"


def check_cost(estimate: int, limit: int, task: str, unit: str, advice: str) -> None:
    """Raise if a task would take more than `limit` of some unit of work or memory.

    The message states the estimate, the limit and what to do instead.
    """
    if estimate > limit:
        raise CostLimitError(
            f"{task} takes {_number(estimate)} {unit}, more than {_number(limit)}; {advice}"
        )


def _number(value: int) -> str:
    """A count in digits, or as a power of ten if it is very large."""
    return f"{value:,}" if value < 10**12 else f"about 10^{round(math.log10(value))}"


_IN_PARTS = (
    "combine the batch in parts, such as m[:100_000], or approximate the sources "
    "(dstheory.approximate)"
)


def check_result(n_sets: int, n_rows: int, advice: str = _IN_PARTS) -> None:
    """Refuse a result too large for memory; blocks of rows keep everything else small."""
    if n_sets * n_rows > _MAX_VALUES:
        raise CostLimitError(
            f"a result of {n_sets:,} sets in {n_rows:,} rows takes {n_sets * n_rows >> 27:,} GiB, "
            f"more than {_MAX_VALUES >> 27}; {advice}"
        )


def table_size(focal1: NDArray[Any], focal2: NDArray[Any]) -> int:
    """Length of a table that holds every result of a pair; focal sets are ascending."""
    return 1 << max(int(focal1[-1]), int(focal2[-1])).bit_length()


def fits_table(focal1: NDArray[Any], focal2: NDArray[Any]) -> bool:
    """Whether the results of all pairs are found faster in a table than by sorting."""
    n_pairs = len(focal1) * len(focal2)
    if n_pairs == 0 or focal1.dtype == object:
        return False
    return table_size(focal1, focal2) <= _TABLE_PER_PAIR * n_pairs


def check_pairs(
    focal1: NDArray[Any],
    focal2: NDArray[Any],
    *,
    exact: bool = False,
    task: str = "a combination of two sources",
) -> None:
    """Refuse too many pairs of focal sets.

    Examples
    --------
    >>> check_pairs(np.arange(1 << 12) << 40, np.arange(1 << 13) << 40)
    Traceback (most recent call last):
    dstheory.errors.CostLimitError: a combination of two sources takes 33,554,432 pairs of focal \
sets, more than 16,777,216; approximate the sources (dstheory.approximate) or merge labels \
(revise.coarsen)
    """
    n_pairs = len(focal1) * len(focal2)
    if n_pairs > _FEW:
        limit = _most_pairs(focal1, focal2, exact=exact)
        check_cost(n_pairs, limit, task, "pairs of focal sets", _ADVICE)


def _most_pairs(focal1: NDArray[Any], focal2: NDArray[Any], *, exact: bool) -> int:
    if object in (focal1.dtype, focal2.dtype):
        return _MAX_LONG
    limit = _MAX_PAIRS if fits_table(focal1, focal2) else _MAX_SORTED
    return min(limit, _MAX_EXACT) if exact else limit


def check_fold(
    task: str,
    focals: Sequence[NDArray[Any]],
    n_bits: int,
    operation: np.ufunc = np.bitwise_and,
    *,
    exact: bool = False,
) -> None:
    """Refuse to combine sources, one after the other, if it takes too many sets or pairs.

    Parameters
    ----------
    task : str
        What is refused, as the subject of the message.
    focals : sequence of (F,) arrays
        Focal sets of the sources, as masks of `n_bits` bits.
    operation : `numpy.bitwise_and`, `bitwise_or` or `bitwise_xor`
    exact : bool
        Whether masses are exact or symbolic.

    Examples
    --------
    >>> check_fold("a rule", [np.array([1 << i, (1 << 40) - 1]) for i in range(24)], 40)
    >>> check_fold("a rule", [np.array([(1 << 40) - 1 - (1 << i)]) for i in range(24)], 40)
    >>> simple = [np.array([(1 << 40) - 1 - (1 << i), (1 << 40) - 1]) for i in range(24)]
    >>> check_fold("a rule", simple, 40)
    Traceback (most recent call last):
    dstheory.errors.CostLimitError: a rule of 24 sources takes 16,777,216 focal sets at most, \
more than 8,388,608; approximate the sources (dstheory.approximate) or merge labels (revise.coarsen)
    """
    counts = [len(focal) for focal in focals]
    if math.prod(counts) <= _FEW:
        return
    limit = _MAX_EXACT if exact else _MAX_PAIRS
    if n_bits > _MAX_SETS.bit_length() and not exact:
        limit //= _SORTED_WEIGHT
    sets, pairs = _bounds(counts[0], counts[1:], n_bits)
    if sets > _MAX_SETS or pairs > limit:
        task = f"{task} of {len(focals)} sources"
        sets, pairs = _counted(task, focals, n_bits, operation, exact)
        check_cost(sets, _MAX_SETS, task, "focal sets at most", _ADVICE)
        check_cost(pairs, limit, task, "pairs of focal sets at most", _ADVICE)


def fold_order(
    task: str,
    focals: Sequence[NDArray[Any]],
    n_bits: int,
    operation: np.ufunc = np.bitwise_and,
    *,
    exact: bool = False,
) -> Sequence[int]:
    """Places of sources in an order in which they can be combined; refuse if there is none.

    For rules that are commutative and associative. The order is the given one, or if that takes too
    much, those with few focal sets first: they leave few intersections for the others to meet.

    Parameters
    ----------
    task, focals, n_bits, operation, exact
        As `check_fold` has them.

    Returns
    -------
    sequence of int

    Examples
    --------
    >>> many = np.arange(1, 1 << 13) << 40
    >>> fold_order("a rule", [many, many, np.array([1 << 41])], 60)
    [2, 0, 1]
    """
    try:
        check_fold(task, focals, n_bits, operation, exact=exact)
    except CostLimitError:
        order = sorted(range(len(focals)), key=lambda i: (len(focals[i]), focals[i].tolist()))
        with suppress(CostLimitError):
            check_fold(task, [focals[i] for i in order], n_bits, operation, exact=exact)
            return order
        raise
    return range(len(focals))


def _counted(
    task: str, focals: Sequence[NDArray[Any]], n_bits: int, operation: np.ufunc, exact: bool
) -> tuple[int, int]:
    """Sets of the result and pairs of all steps; bounds on them once counting takes too long."""
    budget = _COUNTED_LONG if n_bits > 62 else _COUNTED
    found, pairs, grown, settled = focals[0], 0, 0, None
    for place, focal in enumerate(focals[1:], start=1):
        check_pairs(found, focal, exact=exact, task=task)
        step = len(found) * len(focal)
        if focal is not settled:  # sources of one batch share their focal sets
            if grown + step > budget:
                sets, more = _bounds(len(found), [len(other) for other in focals[place:]], n_bits)
                return sets, pairs + more
            results = bits.distinct(operation.outer(found, focal))
            grown += step if len(results) > len(found) else 0
            settled = focal if np.array_equal(results, found) else None
            found = results
        pairs += step
    return len(found), pairs


def _bounds(found: int, counts: Sequence[int], n_bits: int) -> tuple[int, int]:
    """Upper bounds on the sets of any step and on the pairs of all, without counting."""
    most, pairs, everything = found, 0, 1 << n_bits
    for count in counts:
        pairs += found * count
        found = min(found * count, everything)
        most = max(most, found)
    return most, pairs
