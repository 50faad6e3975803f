"""Bel, Pl and BetP after Dempster's rule, as quotients of sums.

If all other sources are fixed, each of the three is a quotient of two sums over the focal sets of
one source, f = sum m(A) n(A) / sum m(A) d(A). The other sources, combined into `rest`, give n(A)
(mass that supports the event within A) and d(A) = Pl_rest(A). Derivatives and bounds need only
these two columns. Notation of Shafer 1976, A Mathematical Theory of Evidence, ch. 3.
"""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory._masses import certain
from dstheory.checks.arguments import check_choice, check_label_order, shown
from dstheory.combine import dempster
from dstheory.kernels import bits, setwise
from dstheory.mass import MassFunction

QUANTITIES = ("bel", "pl", "betp")


def check_quantity(quantity: str) -> None:
    """Raise unless the quantity is one of the three."""
    check_choice("quantity", quantity, QUANTITIES)


def named_sources(sources: object) -> dict[str, MassFunction]:
    """Sources with their names; those of a sequence are called source 1, source 2, ..."""
    if isinstance(sources, MassFunction) or not isinstance(sources, Mapping | Sequence):
        raise TypeError(
            f"sources are {shown(sources)}, expected a list or a dict of mass functions"
        )
    if not isinstance(sources, Mapping):
        sources = {f"source {number}": m for number, m in enumerate(sources, start=1)}
    if not sources:
        raise ValueError("there is no source; give at least one")
    named = {str(name): m for name, m in sources.items()}
    if len(named) < len(sources):
        raise ValueError(f"two sources have the same name as text: {', '.join(map(repr, sources))}")
    return named


def by_name(shares: object, names: Iterable[str], kind: str) -> Any:
    """Shares of sources by the texts that name them, or in the order of the sources."""
    if isinstance(shares, Mapping):
        return {str(name): share for name, share in shares.items()}
    check_label_order(shares, names, kind)
    return shares


def weights(focal: NDArray[Any], event: int, quantity: str) -> NDArray[Any]:
    """Share of the mass of each set that counts for the event, 0 for the empty set."""
    inside = bits.cardinality(focal & event)
    sizes = bits.cardinality(focal)
    if quantity == "pl":
        return np.asarray(inside > 0, dtype=bool)
    if quantity == "bel":
        return np.asarray((inside == sizes) & (sizes > 0), dtype=bool)
    shares = [Fraction(int(i), max(int(n), 1)) for i, n in zip(inside, sizes, strict=True)]
    return np.array(shares, dtype=object)


def conclusion(m: MassFunction, event: int, quantity: str) -> Any:
    """Bel, Pl or BetP of an event under a normalized mass function, (*batch,)."""
    return setwise.weighted_sum(weights(m.focal, event, quantity)[np.newaxis], m.store)[0]


def columns(
    focal: NDArray[Any], rest: MassFunction, event: int, quantity: str
) -> tuple[NDArray[Any], NDArray[Any]]:
    """n(A) and d(A) of the sets A of one source, (F, *batch of rest)."""
    pairs = np.bitwise_and.outer(focal, rest.focal)
    counted = weights(pairs.ravel(), event, quantity).reshape(pairs.shape)
    meeting = np.asarray(pairs != 0, dtype=bool)
    return setwise.weighted_sum(counted, rest.store), setwise.weighted_sum(meeting, rest.store)


def rests(sources: Sequence[MassFunction]) -> list[MassFunction]:
    """For each source, all others combined by Dempster's rule, or a vacuous belief."""
    if len(sources) == 1:
        frame = sources[0].frame
        return [certain(frame, frame.full, dtype=sources[0].store.dtype)]
    before = list(accumulate(sources, dempster))
    after = list(accumulate(sources[::-1], dempster))[::-1]
    inner = [dempster(before[i - 1], after[i + 1]) for i in range(1, len(sources) - 1)]
    return [after[1], *inner, before[-2]]
