"""The first four proportional conflict redistribution rules, kept for comparison.

PCR1 and PCR2 share out the whole conflict at once, PCR3 and PCR4 each partial conflict; in
proportion to the masses that all sources give to a set (its column sum) or, in PCR4, to
its mass after conjunctive combination. A set that contains another one of the same partial
conflict takes no part in it. Smarandache & Dezert 2005; they recommend PCR5 or PCR6.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory._masses import batch_of
from dstheory.combine._average import mixing
from dstheory.combine._boolean import conjunctive
from dstheory.combine._conflicts import Conflict, only, redistributed, row_blocks
from dstheory.combine._global_conflict import lefevre
from dstheory.combine._sources import check_sources, refuse_subnormal
from dstheory.kernels import setwise
from dstheory.kernels.shapes import stretched
from dstheory.mass import MassFunction

__all__ = ["pcr1", "pcr2", "pcr3", "pcr4"]


def pcr1(m1: MassFunction, m2: MassFunction, *more: MassFunction) -> MassFunction:
    """Proportional conflict redistribution no. 1: the conflict goes to all sets.

    m(X) = m∩(X) + κ (m1(X) + ... + mS(X)) / S, which is also the weighted average
    operator with equal weights.

    Parameters
    ----------
    m1, m2, *more : MassFunction
        Normalized sources on one frame; their batch shapes broadcast.

    Returns
    -------
    MassFunction
        Normalized.

    Raises
    ------
    MassError
        If a source gives mass to the empty set.
    FrameError
        If the frames differ.
    TypeError
        If a source is no mass function.

    References
    ----------
    Smarandache, F. & Dezert, J. (2005). Proportional conflict redistribution rules for
    information fusion. arXiv:cs/0408064.

    Examples
    --------
    >>> from dstheory import Frame
    >>> frame = Frame(["a", "b"])
    >>> m1 = MassFunction.from_dict(frame, {"a": 0.5, frame: 0.5})
    >>> m2 = MassFunction.from_dict(frame, {"b": 0.5, frame: 0.5})
    >>> pcr1(m1, m2)
    MassFunction on {a, b}
      {a}     0.3125
      {b}     0.3125
      {a, b}  0.375
    """
    check_sources(m1, m2, *more)
    refuse_subnormal("PCR1", m1, m2, *more)
    return lefevre(m1, m2, *more, share=mixing)


def pcr2(m1: MassFunction, m2: MassFunction, *more: MassFunction) -> MassFunction:
    """Proportional conflict redistribution no. 2: the conflict goes to the sets involved.

    m(X) = m∩(X) + κ c(X) / e for X in some partial conflict, with the column sum
    c(X) = m1(X) + ... + mS(X) and e the sum of c over these sets.

    Parameters
    ----------
    m1, m2, *more : MassFunction
        Normalized sources on one frame; their batch shapes broadcast.

    Returns
    -------
    MassFunction
        Normalized.

    Raises
    ------
    MassError
        If a source gives mass to the empty set.
    FrameError
        If the frames differ.
    TypeError
        If a source is no mass function.

    Notes
    -----
    The vacuous mass function is neutral.

    References
    ----------
    Smarandache & Dezert (2005), as for `pcr1`.

    Examples
    --------
    >>> from dstheory import Frame
    >>> frame = Frame(["a", "b"])
    >>> m1 = MassFunction.from_dict(frame, {"a": 0.5, frame: 0.5})
    >>> m2 = MassFunction.from_dict(frame, {"b": 0.5, frame: 0.5})
    >>> pcr2(m1, m2)
    MassFunction on {a, b}
      {a}     0.375
      {b}     0.375
      {a, b}  0.25
    """
    sources = (m1, m2, *more)
    check_sources(*sources)
    refuse_subnormal("PCR2", *sources)
    return lefevre(*sources, share=_involved)


def pcr3(m1: MassFunction, m2: MassFunction, *more: MassFunction) -> MassFunction:
    """Proportional conflict redistribution no. 3: each conflict to its sets, by column sums.

    A partial conflict X1, ..., XS returns to its minimal sets, in proportion to the column
    sums c(X) = m1(X) + ... + mS(X).

    Parameters
    ----------
    m1, m2, *more : MassFunction
        Normalized sources on one frame; their batch shapes broadcast.

    Returns
    -------
    MassFunction
        Normalized.

    Raises
    ------
    MassError
        If a source gives mass to the empty set.
    FrameError
        If the frames differ.
    TypeError
        If a source is no mass function.

    Notes
    -----
    The vacuous mass function is neutral. The cost is the product of the numbers of focal
    sets.

    References
    ----------
    Smarandache & Dezert (2005), as for `pcr1`.

    Examples
    --------
    >>> from dstheory import Frame
    >>> frame = Frame(["a", "b"])
    >>> m1 = MassFunction.from_dict(frame, {"a": 0.75, frame: 0.25})
    >>> m2 = MassFunction.from_dict(frame, {"b": 0.25, frame: 0.75})
    >>> m = pcr3(m1, m2)  # the conflict 3/16 is shared as 3 to 1
    >>> m.mass("a") - (m1 & m2).mass("a"), m.mass("b") - (m1 & m2).mass("b")
    (0.140625, 0.046875)
    """
    sources = (m1, m2, *more)
    columns = _Columns(sources)

    def claims(block: Conflict, _: list[NDArray[Any]], rows: slice) -> list[NDArray[Any]]:
        return only(columns.sums(block, rows), block.minimal & block.first)

    return redistributed("PCR3", sources, claims)


def pcr4(m1: MassFunction, m2: MassFunction, *more: MassFunction) -> MassFunction:
    """Proportional conflict redistribution no. 4: each conflict by what the sources agree on.

    As `pcr3`, in proportion to the conjunctive masses m∩(X); by column sums where one of
    them is zero.

    Parameters
    ----------
    m1, m2, *more : MassFunction
        Normalized sources on one frame; their batch shapes broadcast.

    Returns
    -------
    MassFunction
        Normalized.

    Raises
    ------
    MassError
        If a source gives mass to the empty set.
    FrameError
        If the frames differ.
    TypeError
        If a source is no mass function.

    Notes
    -----
    The vacuous mass function is neutral. The cost is the product of the numbers of focal
    sets.

    References
    ----------
    Smarandache & Dezert (2005), as for `pcr1`.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from dstheory import Frame
    >>> frame = Frame(["a", "b"])
    >>> m1 = MassFunction.from_dict(frame, {"a": Fraction(1, 2), "b": Fraction(1, 2)})
    >>> m2 = MassFunction.from_dict(frame, {"a": Fraction(3, 4), "b": Fraction(1, 4)})
    >>> pcr4(m1, m2)  # two conflicts, 1/8 and 3/8, are shared as 3 to 1
    MassFunction on {a, b}
      {a}  3/4
      {b}  1/4
    """
    sources = (m1, m2, *more)
    columns = _Columns(sources)
    agreed = columns.spread(conjunctive(*sources))

    def claims(block: Conflict, _: list[NDArray[Any]], rows: slice) -> list[NDArray[Any]]:
        masses = [agreed[places, rows] for places in columns.places(block)]
        lacking = [
            np.asarray(mass == 0, dtype=bool) & least[:, np.newaxis]
            for mass, least in zip(masses, block.minimal, strict=True)
        ]
        instead = np.logical_or.reduce(lacking)
        chosen = [
            np.where(instead, total, mass)
            for total, mass in zip(columns.sums(block, rows), masses, strict=True)
        ]
        return only(chosen, block.minimal & block.first)

    return redistributed("PCR4", sources, claims)


class _Columns:
    """The masses of all sources side by side, over the sets that are focal in one of them."""

    def __init__(self, sources: tuple[MassFunction, ...]) -> None:
        check_sources(*sources)
        self.batch = batch_of(*sources)
        self.sets = np.unique(np.concatenate([source.focal for source in sources]))
        spread = [self.spread(source) for source in sources]
        self.totals = sum(spread[1:], start=spread[0])

    def spread(self, m: MassFunction) -> NDArray[Any]:
        """Masses (U, rows) of `m` on these sets; on other sets they are dropped."""
        known = np.isin(m.focal, self.sets)
        masses = stretched(m.store, self.batch).reshape(len(m.focal), math.prod(self.batch))
        result = np.zeros((len(self.sets), masses.shape[1]), dtype=m.store.dtype)
        result[np.searchsorted(self.sets, m.focal[known])] = masses[known]
        return result

    def places(self, block: Conflict) -> list[NDArray[np.intp]]:
        """Where the chosen sets stand, (T,) for each source."""
        return [np.searchsorted(self.sets, chosen) for chosen in block.sets]

    def sums(self, block: Conflict, rows: slice) -> list[NDArray[Any]]:
        """Column sums (T, rows) of the sets of each source."""
        return [self.totals[places, rows] for places in self.places(block)]


def _involved(*sources: MassFunction) -> MassFunction:
    """Column sums of the sets with a part in some conflict, in proportion (none: zero)."""
    columns = _Columns(sources)
    involved = np.zeros(columns.totals.shape, dtype=bool)
    for block, masses, rows in row_blocks(sources):
        happens = np.logical_and.reduce([np.asarray(mass != 0, dtype=bool) for mass in masses])
        for places, least in zip(columns.places(block), block.minimal, strict=True):
            takes = (happens & least[:, np.newaxis]).astype(np.float64)
            at = places == np.arange(len(columns.sets))[:, np.newaxis]
            involved[:, rows] |= setwise.weighted_sum(at, takes) > 0
    total = np.where(involved, columns.totals, 0).sum(axis=0)
    total = np.where(np.asarray(total == 0, dtype=bool), 1, total)
    store = np.where(involved, columns.totals / total, 0)
    shaped = store.reshape(len(columns.sets), *columns.batch)
    return MassFunction.from_store(sources[0].frame, columns.sets, shaped)
