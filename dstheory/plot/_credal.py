"""Credal set of a mass function, by its extreme points.

It contains every probability that gives each event at least its degree of belief. These
probabilities form a polytope. Each order of the labels gives one of its vertices, where every mass
goes to the first label of its set (Dempster 1967; Shapley 1971, "Cores of convex games", theorem 3:
beliefs are convex games).
"""

from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory._masses import check_mass
from dstheory.errors import MassError
from dstheory.kernels import bits, setwise
from dstheory.kernels.rows import in_row
from dstheory.mass import MassFunction

# 7! = 5040 orders; with 8 labels and all their sets the tables would take hundreds of megabytes.
_MAX_LABELS = 7


def credal_vertices(m: MassFunction) -> NDArray[Any]:
    """Vertices of the set of probabilities P with P(A) >= Bel(A) for all A.

    Parameters
    ----------
    m : MassFunction
        One or a batch, on up to 7 labels, with m(empty) = 0.

    Returns
    -------
    (*batch, K!, K) array
        A probability for each order of the labels, in the order of `itertools.permutations`;
        several orders may give the same. Exact for exact masses.

    Raises
    ------
    MassError
        If the empty set has mass, so that no probability agrees with the belief.
    ValueError
        If there are more than 7 labels.

    Notes
    -----
    Orders that differ by a swap of neighbors give the same vertex or two joined by an edge. So for
    three labels, a cycle of swaps lists the polygon, at most a hexagon.

    References
    ----------
    .. [1] A. P. Dempster (1967), "Upper and lower probabilities induced by a multivalued mapping".
    .. [2] A. Chateauneuf & J.-Y. Jaffray (1989), "Some characterizations of lower probabilities
       and other monotone capacities through the use of Moebius inversion".

    Examples
    --------
    >>> from dstheory import Frame
    >>> frame = Frame(["ant", "bee"])
    >>> credal_vertices(MassFunction(frame, [1, 3], [0.25, 0.75]))
    array([[1.  , 0.  ],
           [0.25, 0.75]])
    """
    size = len(check_mass(m).frame)
    if size > _MAX_LABELS:
        raise ValueError(
            f"the frame has {size} labels, which have too many orders; coarsen it to at most "
            f"{_MAX_LABELS}"
        )
    _refuse_subnormal(m)
    # position of each label in each order, and the members of each focal set
    place = np.argsort(list(permutations(range(size))), axis=1)
    members = bits.members(m.focal, size)
    first = np.where(members, place[:, :, np.newaxis], size).argmin(axis=1)
    takes = first[:, np.newaxis] == np.arange(size)[:, np.newaxis]
    points = setwise.weighted_sum(takes.reshape(-1, len(m.focal)), m.store)
    points = points.reshape(len(place), size, *m.batch_shape)
    return np.moveaxis(points, (0, 1), (-2, -1))


def _refuse_subnormal(m: MassFunction) -> None:
    conflict = np.asarray(m.mass(mask=0))
    wrong = np.asarray(conflict != 0, dtype=bool)
    if wrong.any():
        row = tuple(np.argwhere(wrong)[0].tolist())
        raise MassError(
            f"m(empty) is {float(conflict[row]):.4g}{in_row(row)}, but a credal set needs "
            "m(empty) = 0; use m.normalize()"
        )
