"""What some of the sources agree on, for each choice of them.

Discounting by a rate r is to leave a source out with probability r (Shafer 1976, p. 251-252). So
Dempster's rule of discounted sources is a mean over the choices of sources that are not left out,
before it is normalized. What each choice says of single classes is all that pignistic
probabilities need: no list of all sets, for any number of classes.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dstheory import MassFunction
from dstheory.combine import conjunctive
from evical._typing import Floats
from evical.beliefs.joined import Joined
from evical.beliefs.products import Products

__all__ = ["MAX_SOURCES", "Agreed", "agreed"]


# 2^8 choices of a thousand samples of 26 classes take seven million numbers.
MAX_SOURCES = 8


def agreed(sources: Sequence[MassFunction] | Sequence[Products], n_classes: int) -> Floats:
    """Masses that the conjunctive rule of each choice of sources gives to single classes.

    Parameters
    ----------
    sources : S mass functions, or S beliefs with products
        Batches (n,).
    n_classes : int

    Returns
    -------
    (2,) * S + (K, n) array
        Of each choice, 1 for a source that takes part; masses of sets are shared evenly by their
        classes, and that of the empty set is left out.
    """
    n_sources = len(sources)
    found = []
    for choice in np.ndindex((2,) * n_sources):
        part: Any = [source for source, taken in zip(sources, choice, strict=True) if taken]
        found.append(_shares(part) if part else None)
    n = next(shares.shape[1] for shares in found if shares is not None)
    even = np.full((n_classes, n), 1 / n_classes)
    table = np.stack([even if shares is None else shares for shares in found])
    return table.reshape((2,) * n_sources + (n_classes, n))


def _shares(part: list[MassFunction] | list[Products]) -> Floats:
    """Shares (K, n) of the classes in what some sources agree on."""
    products = [one for one in part if isinstance(one, Products)]
    if products:
        joined = Joined(products)
        dead = joined.impossible()
        possible = Joined([one.vacuous_where(dead) for one in products])
        return np.asarray(np.where(dead, 0, possible.betp().T * joined.agreement()))
    masses = [one for one in part if isinstance(one, MassFunction)]
    m = masses[0] if len(masses) == 1 else conjunctive(*masses)
    bits = np.arange(len(m.frame))[:, np.newaxis]
    members = ((m.focal >> bits) & 1).astype(np.float64)
    size = np.maximum(members.sum(axis=0), 1)
    return np.asarray((members / size) @ np.asarray(m.store, dtype=np.float64))


class Agreed:
    """What discounted sources agree on, as a function of the rates.

    Parameters
    ----------
    table : array, see `agreed`
    """

    def __init__(self, table: Floats) -> None:
        self.table = table

    def shares(self, rates: Floats) -> Floats:
        """Shares (K, n) under the rates (S,)."""
        return self._mean([np.array([rate, 1 - rate]) for rate in rates])

    def slopes(self, rates: Floats) -> Callable[[Floats], Floats]:
        """From slopes (K, n) of a function of the shares to those (S,) in the rates."""
        parts = [np.array([rate, 1 - rate]) for rate in rates]

        def slopes(outer: Floats) -> Floats:
            moved = np.array([1.0, -1.0])
            each = (
                self._mean([moved if other == own else part for other, part in enumerate(parts)])
                for own in range(len(parts))
            )
            return np.array([float((outer * one).sum()) for one in each])

        return slopes

    def _mean(self, parts: list[Floats]) -> Floats:
        found = self.table
        for part in parts:
            found = np.tensordot(part, found, axes=1)
        return found
