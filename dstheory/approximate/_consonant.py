"""Consonant approximations: an inner and an outer possibility distribution.

Dubois & Prade 1990. The contour determines the inner one. Each order of the labels gives an outer
one.
"""

from collections.abc import Hashable, Iterable

import numpy as np
from numpy.typing import NDArray

from dstheory._masses import check_mass
from dstheory.checks.arguments import as_sequence
from dstheory.construct.chains import assemble, falling_order
from dstheory.kernels import bits
from dstheory.mass import MassFunction


def inner_consonant(m: MassFunction) -> MassFunction:
    """The largest consonant mass function whose plausibilities never exceed those of `m`.

    Parameters
    ----------
    m : MassFunction
        One or a batch.

    Returns
    -------
    MassFunction
        Consonant, with the contour of `m`: Pl(A) = max of pl(x) over A. If its maximum is below 1,
        the empty set gets the difference.

    Raises
    ------
    TypeError
        If `m` is not a mass function.

    See Also
    --------
    outer_consonant : bounds from the other side.

    Notes
    -----
    The plausibility of an event is at least that of each of its labels. So the consonant mass
    function with this contour is an inner approximation, and any other has a lower contour.

    References
    ----------
    Dubois & Prade (1990), Consonant approximations of belief functions, International
    Journal of Approximate Reasoning 4, 419-449.

    Examples
    --------
    >>> from dstheory import Frame
    >>> inner_consonant(MassFunction(Frame(["ant", "bee"]), [1, 2], [0.75, 0.25])).to_dict()
    {(): 0.25, ('ant',): 0.5, ('ant', 'bee'): 0.25}
    """
    contour = check_mass(m).contour()
    order = falling_order(contour)
    levels = np.take_along_axis(contour, order, -1)
    whole = np.ones_like(levels[..., :1])
    drops = -np.diff(np.concatenate([whole, levels], axis=-1), append=0, axis=-1)
    # The contour may exceed 1 by rounding.
    clipped = drops if drops.dtype == object else np.maximum(drops, 0)
    return assemble(m.frame, order, clipped)


def outer_consonant(m: MassFunction, order: Iterable[Hashable] | None = None) -> MassFunction:
    """The smallest consonant generalization of `m` along an order of the labels.

    Each focal set grows to the first labels of the order that contain it.

    Parameters
    ----------
    m : MassFunction
        One or a batch.
    order : sequence of K labels, optional
        The most possible label comes first. By default each row is ordered by decreasing
        plausibility; ties keep the order of the frame.

    Returns
    -------
    MassFunction
        Consonant; beliefs are not higher, plausibilities not lower.

    Raises
    ------
    FrameError
        If a label of `order` is unknown.
    TypeError
        If `m` is not a mass function.
    ValueError
        If `order` does not hold each label once.

    See Also
    --------
    inner_consonant : bounds from the other side.

    Notes
    -----
    The best order (least expected size) needs a search over all orders; the default is a
    heuristic.

    References
    ----------
    Dubois & Prade (1990), Consonant approximations of belief functions, International
    Journal of Approximate Reasoning 4, 419-449.

    Examples
    --------
    >>> from dstheory import Frame
    >>> m = MassFunction(Frame(["ant", "bee"]), [1, 2], [0.75, 0.25])
    >>> outer_consonant(m).to_dict()
    {('ant',): 0.75, ('ant', 'bee'): 0.25}
    >>> outer_consonant(m, ["bee", "ant"]).to_dict()
    {('bee',): 0.25, ('ant', 'bee'): 0.75}
    """
    if order is None:
        positions = falling_order(check_mass(m).contour())
    else:
        fixed = _positions(check_mass(m), order)
        positions = np.broadcast_to(fixed, (*m.batch_shape, len(fixed)))
    size, n_sets = len(m.frame), len(m.focal)
    ranks = np.argsort(positions, axis=-1).reshape(-1, size).T
    n_rows = ranks.shape[1]
    # Number of first labels that contain each focal set, (F, rows); the empty set needs none.
    members = bits.members(m.focal, size)
    reach = np.zeros((n_sets, n_rows), dtype=np.intp)
    for label, rank in enumerate(ranks):
        reach[members[label]] = np.maximum(reach[members[label]], rank + 1)
    levels = np.zeros((size + 1, n_rows), dtype=m.store.dtype)
    rows = np.broadcast_to(np.arange(n_rows), (n_sets, n_rows))
    np.add.at(levels, (reach, rows), m.store.reshape(n_sets, n_rows))
    return assemble(m.frame, positions, levels.T.reshape(*m.batch_shape, size + 1))


def _positions(m: MassFunction, order: Iterable[Hashable]) -> NDArray[np.intp]:
    labels = as_sequence(order, "order", "the labels in some order")
    positions = [m.frame.mask((label,)).bit_length() - 1 for label in labels]
    if sorted(positions) != list(range(len(m.frame))):
        raise ValueError(f"order {labels!r} does not hold each label of {m.frame!r} once")
    return np.array(positions, dtype=np.intp)
