"""The share of each source in the conflict, by the Shapley value, and discounting by it.

Conflict is a cooperative game in which coalitions of sources "earn" the conflict among them. The
Shapley value divides it fairly: each source gets its mean contribution over all orders of arrival
(Shapley 1953, "A value for n-person games").
"""

from fractions import Fraction
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory._masses import batch_of, check_masses
from dstheory._typing import Scalar
from dstheory.checks.arguments import check_not_negative
from dstheory.mass import MassFunction
from dstheory.revise import discount

# 16 sources have 2^16 coalitions to combine.
_MAX_SOURCES = 16


def conflict_blame(m1: MassFunction, m2: MassFunction, *more: MassFunction) -> NDArray[Any]:
    """Share of each source in the degree of conflict.

    Parameters
    ----------
    m1, m2, *more : MassFunction
        At most 16 sources on one frame; batches broadcast.

    Returns
    -------
    (*batch, S) array
        Non-negative, one entry for each source; they sum to the conflict of all sources. Exact for
        exact masses.

    Raises
    ------
    FrameError
        If frames differ.
    ValueError
        If there are more than 16 sources.

    See Also
    --------
    blame_discount : reduce the conflict at its origin.

    Notes
    -----
    A source gets the conflict that it adds to those before it, averaged over all orders of arrival.
    A single source gets its own m(empty).

    Examples
    --------
    Two sources agree, and the third contradicts both:

    >>> from dstheory import Frame, MassFunction
    >>> frame = Frame(["ant", "bee"])
    >>> ant = MassFunction.from_dict(frame, {"ant": 0.75, frame: 0.25})
    >>> bee = MassFunction.from_dict(frame, {"bee": 0.5, frame: 0.5})
    >>> conflict_blame(ant, ant, bee)
    array([0.09375, 0.09375, 0.28125])
    """
    sources = (m1, m2, *more)
    check_masses(*sources)
    if len(sources) > _MAX_SOURCES:
        raise ValueError(f"there are {len(sources)} sources, but blame takes at most 16")
    conflicts = _coalition_conflicts(sources)
    shares = [_shapley(conflicts, source, len(sources)) for source in range(len(sources))]
    return np.stack(shares, axis=-1)


def blame_discount(
    m1: MassFunction, m2: MassFunction, *more: MassFunction, strength: Scalar = 1
) -> tuple[MassFunction, ...]:
    """The sources, each discounted in proportion to its share in the conflict.

    Parameters
    ----------
    m1, m2, *more : MassFunction
        At most 16 sources on one frame; batches broadcast.
    strength : number
        Non-negative. The discount rate of a source is its blame times `strength`, at most 1.

    Returns
    -------
    tuple of MassFunction
        One for each source, ready to be combined by any rule. Sources without blame are unchanged.
        Exact for exact masses and exact `strength`.

    Raises
    ------
    FrameError
        If frames differ.
    ValueError
        If there are more than 16 sources, or `strength` is negative or not finite.

    See Also
    --------
    conflict_blame : the shares.

    Examples
    --------
    >>> from dstheory import Frame, MassFunction
    >>> frame = Frame(["ant", "bee"])
    >>> ant = MassFunction.from_dict(frame, {"ant": 0.5, frame: 0.5})
    >>> bee = MassFunction.from_dict(frame, {"bee": 1})
    >>> one, two = blame_discount(ant, bee)  # each is to blame for 0.25
    >>> one.mass("ant"), two.mass("bee")
    (0.375, 0.75)
    """
    sources = (m1, m2, *more)
    blame = conflict_blame(*sources)
    check_not_negative(strength=strength)
    rates = np.minimum(strength * blame, 1)
    return tuple(discount(m, rate=rates[..., i]) for i, m in enumerate(sources))


def _coalition_conflicts(sources: tuple[MassFunction, ...]) -> NDArray[Any]:
    """Conflict (2^S, *batch) within every coalition; source i is bit i of its index."""
    shape = (1 << len(sources), *batch_of(*sources))
    conflicts = np.zeros(shape, dtype=np.result_type(*(m.store for m in sources)))

    def grow(coalition: int, joined: MassFunction | None, first: int) -> None:
        for i in range(first, len(sources)):
            larger = sources[i] if joined is None else joined & sources[i]
            conflicts[coalition | 1 << i] = larger.mass(mask=0)
            grow(coalition | 1 << i, larger, i + 1)

    grow(0, None, 0)
    return conflicts


def _shapley(conflicts: NDArray[Any], source: int, n_sources: int) -> NDArray[Any]:
    without = np.array([c for c in range(len(conflicts)) if not c >> source & 1])
    added = conflicts[without | 1 << source] - conflicts[without]
    sizes = np.bitwise_count(without)
    shares = [Fraction(1, n_sources * comb(n_sources - 1, int(size))) for size in sizes]
    if added.dtype != object:
        return np.tensordot(np.array(shares, dtype=np.float64), added, axes=1)
    return np.asarray(sum(share * row for share, row in zip(shares, added, strict=True)))
