"""Consonant approximations: an inner and an outer possibility distribution.

Dubois & Prade 1990. The contour determines the inner one. Each order of the labels gives an outer
one.
"""

from collections.abc import Hashable, Iterable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dstheory._masses import check_mass
from dstheory.approximate._rows import DIGITS
from dstheory.checks.arguments import as_sequence, check_choice
from dstheory.construct.chains import assemble, falling_order, of_contour
from dstheory.kernels import bits
from dstheory.mass import MassFunction


def consonant_approximation(
    m: MassFunction,
    *,
    kind: Literal["inner", "outer"] = "outer",
    order: Iterable[Hashable] | None = None,
) -> MassFunction:
    """A consonant mass function that bounds another one.

    Parameters
    ----------
    m : MassFunction
        One or a batch.
    kind : {"inner", "outer"}
        Outer: each focal set grows to the first labels of the order that contain it. Inner: the
        largest consonant mass function whose plausibilities never exceed those of `m`.
    order : sequence of K labels, optional
        Of the outer kind; the most possible label comes first. By default each row is ordered by
        decreasing plausibility; ties keep the order of the frame.

    Returns
    -------
    MassFunction
        Consonant. Outer: beliefs are not higher, plausibilities not lower. Inner: with the contour
        of `m`, Pl(A) = max of pl(x) over A; if its maximum is below 1, the empty set gets the
        difference.

    Raises
    ------
    FrameError
        If a label of `order` is unknown.
    TypeError
        If `m` is not a mass function.
    ValueError
        If `kind` is unknown, or `order` does not hold each label once or is given for the inner
        kind, which has none.

    Notes
    -----
    The plausibility of an event is at least that of each of its labels. So the consonant mass
    function with the contour of `m` is an inner approximation, and any other has a lower contour.

    The best order for the outer one (least expected size) needs a search over all orders; the
    default is a heuristic.

    References
    ----------
    Dubois & Prade (1990), Consonant approximations of belief functions, International
    Journal of Approximate Reasoning 4, 419-449.

    Examples
    --------
    >>> from dstheory import Frame
    >>> m = MassFunction(Frame(["ant", "bee"]), [1, 2], [0.75, 0.25])
    >>> consonant_approximation(m).to_dict()
    {('ant',): 0.75, ('ant', 'bee'): 0.25}
    >>> consonant_approximation(m, order=["bee", "ant"]).to_dict()
    {('bee',): 0.25, ('ant', 'bee'): 0.75}
    >>> consonant_approximation(m, kind="inner").to_dict()
    {(): 0.25, ('ant',): 0.5, ('ant', 'bee'): 0.25}
    """
    check_choice("kind", kind, ("inner", "outer"))
    if kind == "outer":
        return _outer(check_mass(m), order)
    if order is not None:
        raise ValueError("order belongs to the kind 'outer'; the contour determines the inner one")
    return of_contour(check_mass(m).frame, m.contour())


def _outer(m: MassFunction, order: Iterable[Hashable] | None) -> MassFunction:
    if order is None:
        contour = m.contour()
        positions = falling_order(contour if contour.dtype == object else contour.round(DIGITS))
    else:
        fixed = _positions(m, order)
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
