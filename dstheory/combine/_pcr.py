"""Proportional conflict redistribution: a conflict goes back to the sets that cause it.

Every choice of one focal set a source whose intersection is empty is a partial conflict;
its mass returns to these sets, in proportion to the masses that the sources gave them.
PCR5 multiplies the masses of sources that name the same set, PCR6 adds them; the improved
rules leave out sets that take no part in the conflict. Smarandache & Dezert 2005; Martin
& Osswald 2006; Dezert, Dezert & Smarandache 2021.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory.combine._boolean import conjunctive
from dstheory.combine._conflicts import Conflict, conflicts
from dstheory.combine._sources import (
    batch_of,
    check_sources,
    collected,
    nonempty,
    refuse_subnormal,
    stretched,
)
from dstheory.kernels import setwise
from dstheory.mass import MassFunction

__all__ = ["pcr5", "pcr5_plus", "pcr6", "pcr6_plus"]


def pcr5(m1: MassFunction, m2: MassFunction, *more: MassFunction) -> MassFunction:
    """Proportional conflict redistribution no. 5.

    The mass π of a conflict X1, ..., XS returns to its distinct sets; X receives the
    share that is proportional to the product of the masses of the sources with Xi = X.

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

    See Also
    --------
    pcr6 : the same for two sources, better behaved for more.

    Notes
    -----
    Commutative, not associative: combine all sources in one call. The cost is the product
    of the numbers of focal sets. The vacuous mass function is neutral beside one source,
    not beside several; it always is for `pcr5_plus`.

    References
    ----------
    Smarandache, F. & Dezert, J. (2005). Proportional conflict redistribution rules for
    information fusion. arXiv:cs/0408064. Dezert, T., Dezert, J. & Smarandache, F. (2021).
    Improvement of proportional conflict redistribution rules of combination of basic
    belief assignments. Journal of Advances in Information Fusion 16(1), 48-74, eq. 14.

    Examples
    --------
    Smarandache & Dezert, example 12.5: the conflict 0.9 is shared as 1 to 0.9.

    >>> from fractions import Fraction
    >>> from dstheory import Frame
    >>> frame = Frame(["a", "b"])
    >>> m1 = MassFunction.from_dict(frame, {"a": Fraction(1)})
    >>> m2 = MassFunction.from_dict(frame, {"a": Fraction(1, 10), "b": Fraction(9, 10)})
    >>> pcr5(m1, m2)
    MassFunction on {a, b}
      {a}  109/190
      {b}  81/190
    """
    return _redistributed("PCR5", (m1, m2, *more), product=True, improved=False)


def pcr6(m1: MassFunction, m2: MassFunction, *more: MassFunction) -> MassFunction:
    """Proportional conflict redistribution no. 6, for any number of sources.

    The mass π of a conflict X1, ..., XS returns to its sets: Xi receives the share
    π mi(Xi) / (m1(X1) + ... + mS(XS)).

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
    Equal to `pcr5` for two sources. Commutative, not associative: combine all sources in
    one call. The cost is the product of the numbers of focal sets.

    References
    ----------
    Martin, A. & Osswald, C. (2006). A new generalization of the proportional conflict
    redistribution rule stable in terms of decision. In Advances and Applications of DSmT
    for Information Fusion, vol. 2. Dezert, Dezert & Smarandache (2021), eq. 15.

    Examples
    --------
    Dezert et al. 2021, example 3: four certain sources, two of which agree.

    >>> from fractions import Fraction
    >>> from dstheory import Frame
    >>> frame = Frame(["a", "b", "c"])
    >>> sure = [
    ...     MassFunction.from_dict(frame, {event: Fraction(1)})
    ...     for event in [("a", "b"), "b", ("a", "b"), "c"]
    ... ]
    >>> pcr6(*sure)
    MassFunction on {a, b, c}
      {b}     1/4
      {a, b}  1/2
      {c}     1/4
    """
    return _redistributed("PCR6", (m1, m2, *more), product=False, improved=False)


def pcr5_plus(m1: MassFunction, m2: MassFunction, *more: MassFunction) -> MassFunction:
    """Improved PCR5: sets that take no part in a conflict receive nothing of it.

    As `pcr5`, among the sets of the conflict whose keeping index is 1. A set is left out
    if it, and every set of the conflict that is at least as large, contains all sets of
    the conflict that are no larger.

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
    Equal to `pcr5` for two sources. Commutative, not associative; the vacuous mass
    function is neutral.

    References
    ----------
    Dezert, Dezert & Smarandache (2021), eq. 23-25.

    Examples
    --------
    Dezert et al. 2021, example 12: the frame is no party to the conflict of a and bc.

    >>> from fractions import Fraction
    >>> from dstheory import Frame
    >>> frame = Frame(["a", "b", "c"])
    >>> sure = [
    ...     MassFunction.from_dict(frame, {event: Fraction(1)})
    ...     for event in [frame, "a", ("b", "c")]
    ... ]
    >>> pcr5_plus(*sure).prune()
    MassFunction on {a, b, c}
      {a}     1/2
      {b, c}  1/2
    """
    return _redistributed("PCR5+", (m1, m2, *more), product=True, improved=True)


def pcr6_plus(m1: MassFunction, m2: MassFunction, *more: MassFunction) -> MassFunction:
    """Improved PCR6: sets that take no part in a conflict receive nothing of it.

    As `pcr6`, among the sets of the conflict whose keeping index is 1; see `pcr5_plus`.

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
    Equal to `pcr5` for two sources. Commutative, not associative; the vacuous mass
    function is neutral.

    References
    ----------
    Dezert, Dezert & Smarandache (2021), eq. 23-24 and 26.

    Examples
    --------
    Dezert et al. 2021, example 8 (a, bc, ac, bc and the frame, all certain):

    >>> from fractions import Fraction
    >>> from dstheory import Frame
    >>> frame = Frame(["a", "b", "c", "d"])
    >>> sure = [
    ...     MassFunction.from_dict(frame, {event: Fraction(1)})
    ...     for event in ["a", ("b", "c"), ("a", "c"), ("b", "c"), frame]
    ... ]
    >>> pcr6_plus(*sure).prune()
    MassFunction on {a, b, c, d}
      {a}     1/4
      {a, c}  1/4
      {b, c}  1/2
    """
    return _redistributed("PCR6+", (m1, m2, *more), product=False, improved=True)


# Values held at once in a block of conflicts times rows: 2^17 doubles are 1 MiB, and a
# dozen such arrays are alive.
_BLOCK_VALUES = 1 << 17


def _redistributed(
    rule: str, sources: tuple[MassFunction, ...], *, product: bool, improved: bool
) -> MassFunction:
    frame = check_sources(*sources)
    refuse_subnormal(rule, *sources)
    batch = batch_of(*sources)
    n_rows = math.prod(batch)
    stores = [stretched(source, batch).reshape(len(source.focal), n_rows) for source in sources]
    returned = [np.zeros(store.shape, dtype=store.dtype) for store in stores]
    for block in conflicts([source.focal for source in sources]):
        receives = block.kept() if improved else np.ones_like(block.index, dtype=bool)
        step = max(1, _BLOCK_VALUES // block.index.shape[1])
        for start in range(0, n_rows, step):
            rows = slice(start, start + step)
            masses = [s[i, rows] for s, i in zip(stores, block.index, strict=True)]
            shares = _shares(masses, block, receives, product)
            for total, share, index in zip(returned, shares, block.index, strict=True):
                receivers = index == np.arange(len(total))[:, np.newaxis]
                total[:, rows] += setwise.weighted_sum(receivers, share)
    back = [(s.focal, r.reshape(len(r), *batch)) for s, r in zip(sources, returned, strict=True)]
    return collected(frame, nonempty(conjunctive(*sources)), *back)


def _shares(
    masses: list[NDArray[Any]], block: Conflict, receives: NDArray[np.bool_], product: bool
) -> list[NDArray[Any]]:
    """What each source's set receives (T, rows) of each of the T conflicts."""
    claims = block.products(masses) if product else masses
    entitled = receives & block.first() if product else receives
    claims = [claim * takes[:, np.newaxis] for claim, takes in zip(claims, entitled, strict=True)]
    total = sum(claims[1:], start=claims[0])
    conflict = masses[0]
    for mass in masses[1:]:
        conflict = conflict * mass
    # Where nothing is claimed a source gave its set no mass, and there is nothing to share.
    per_claim = conflict / np.where(np.asarray(total == 0, dtype=bool), 1, total)
    return [claim * per_claim for claim in claims]
