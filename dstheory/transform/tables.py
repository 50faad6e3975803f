"""Dense tables of a mass function: mass, belief, plausibility, commonality, implicability.

Entry *i* of a table belongs to the set with mask *i*. Butterflies compute sums over subsets and
supersets (Kennes 1992).
"""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dstheory._masses import check_mass
from dstheory.checks.arguments import check_choice
from dstheory.checks.masses import check_table_size
from dstheory.kernels import moebius
from dstheory.mass import MassFunction
from dstheory.transform._butterflies import beliefs, plausibilities


def mass_table(m: MassFunction) -> NDArray[Any]:
    """Masses of all subsets.

    Examples
    --------
    >>> from dstheory import Frame, MassFunction
    >>> mass_table(MassFunction(Frame(["ant", "bee"]), [1, 3], [0.75, 0.25]))
    array([0.  , 0.75, 0.  , 0.25])
    """
    return np.moveaxis(dense_masses(m), 0, -1)


def bel_table(m: MassFunction) -> NDArray[Any]:
    """Beliefs of all subsets: Bel(A) is the mass of the non-empty subsets of A.

    References
    ----------
    Shafer (1976), ch. 2; Xu et al. (2016), eq. 8.

    Examples
    --------
    >>> from dstheory import Frame, MassFunction
    >>> bel_table(MassFunction(Frame(["ant", "bee"]), [1, 3], [0.75, 0.25]))
    array([0.  , 0.75, 0.  , 1.  ])
    """
    return np.moveaxis(beliefs(dense_masses(m)), 0, -1)


def pl_table(m: MassFunction) -> NDArray[Any]:
    """Plausibilities of all subsets: Pl(A) is the mass of the sets that meet A.

    References
    ----------
    Shafer (1976), ch. 2; Xu et al. (2016), eq. 8.

    Examples
    --------
    >>> from dstheory import Frame, MassFunction
    >>> pl_table(MassFunction(Frame(["ant", "bee"]), [1, 3], [0.75, 0.25]))
    array([0.  , 1.  , 0.25, 1.  ])
    """
    return np.moveaxis(plausibilities(dense_masses(m)), 0, -1)


def q_table(m: MassFunction) -> NDArray[Any]:
    """Commonalities of all subsets: q(A) is the mass of the sets that contain A.

    References
    ----------
    Shafer (1976), A Mathematical Theory of Evidence, ch. 2.

    Examples
    --------
    >>> from dstheory import Frame, MassFunction
    >>> q_table(MassFunction(Frame(["ant", "bee"]), [1, 3], [0.75, 0.25]))
    array([1.  , 1.  , 0.25, 0.25])
    """
    return np.moveaxis(moebius.superset_sums(dense_masses(m)), 0, -1)


def b_table(m: MassFunction) -> NDArray[Any]:
    """Implicabilities of all subsets: b(A) is the mass of the subsets of A, the empty one too.

    References
    ----------
    Smets (2002), The application of the matrix calculus to belief functions.

    Examples
    --------
    >>> from dstheory import Frame, MassFunction
    >>> b_table(MassFunction(Frame(["ant", "bee"]), [0, 1], [0.25, 0.75]))
    array([0.25, 1.  , 0.25, 1.  ])
    """
    return np.moveaxis(moebius.subset_sums(dense_masses(m)), 0, -1)


def dense_masses(m: MassFunction) -> NDArray[Any]:
    """Masses of all subsets, set-major: (2**K, *batch)."""
    size = len(check_mass(m).frame)
    check_table_size(size, "use m.bel(event), m.pl(event), ... for single events")
    table = np.zeros((1 << size, *m.batch_shape), dtype=m.store.dtype)
    table[m.focal] = m.store
    return table


TableKind = Literal["m", "bel", "pl", "q", "b"]

_BY_KIND: dict[str, Callable[[MassFunction], NDArray[Any]]] = {
    "m": mass_table,
    "bel": bel_table,
    "pl": pl_table,
    "q": q_table,
    "b": b_table,
}


def table(m: MassFunction, kind: TableKind = "m") -> NDArray[Any]:
    """Masses, beliefs or the like of all subsets.

    Parameters
    ----------
    m : MassFunction
        One or a batch, on K labels.
    kind : {"m", "bel", "pl", "q", "b"}
        Masses; beliefs, Bel(A) being the mass of the non-empty subsets of A; plausibilities, Pl(A)
        that of the sets that meet A; commonalities, q(A) that of the sets that contain A; or
        implicabilities, b(A) that of the subsets of A, the empty one too (Shafer 1976, ch. 2).

    Returns
    -------
    (*batch, 2**K) array
        Indexed by mask; float64 or exact objects as in `m`. Small plausibilities have the same
        relative precision as large ones.

    Raises
    ------
    CostLimitError
        If K is above 26.
    ValueError
        If the kind is unknown.

    Examples
    --------
    >>> from dstheory import Frame, MassFunction
    >>> m = MassFunction(Frame(["ant", "bee"]), [1, 3], [0.75, 0.25])
    >>> table(m), table(m, "pl")
    (array([0.  , 0.75, 0.  , 0.25]), array([0.  , 1.  , 0.25, 1.  ]))
    """
    check_choice("kind", kind, _BY_KIND)
    return _BY_KIND[kind](m)
