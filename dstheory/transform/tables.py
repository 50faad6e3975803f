"""Dense tables of a mass function: mass, belief, plausibility, commonality, implicability.

Entry *i* of a table belongs to the set with mask *i*. Butterflies compute sums over subsets and
supersets (Kennes 1992).
"""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dstheory._masses import check_mass
from dstheory.checks.arguments import check_choice
from dstheory.checks.masses import check_table_size
from dstheory.mass import MassFunction
from dstheory.transform._butterflies import FROM_MASSES


def dense_masses(m: MassFunction) -> NDArray[Any]:
    """Masses of all subsets, set-major (2**K, *batch)."""
    size = len(check_mass(m).frame)
    check_table_size(size, "use m.bel(event), m.pl(event), ... for single events")
    table = np.zeros((1 << size, *m.batch_shape), dtype=m.store.dtype)
    table[m.focal] = m.store
    return table


TableKind = Literal["m", "bel", "pl", "q", "b"]


def table(m: MassFunction, kind: TableKind = "m") -> NDArray[Any]:
    """Masses, beliefs or the like of all subsets.

    Parameters
    ----------
    m : MassFunction
        One or a batch, on K labels.
    kind : {"m", "bel", "pl", "q", "b"}
        Masses; beliefs, Bel(A) being the mass of the non-empty subsets of A; plausibilities, Pl(A)
        that of the sets that meet A; commonalities, q(A) that of the sets that contain A; or
        implicabilities, b(A) that of the subsets of A, the empty one too.

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

    References
    ----------
    Shafer (1976), A Mathematical Theory of Evidence, ch. 2; Smets (2002), The application of the
    matrix calculus to belief functions; Xu et al. (2016), eq. 8.

    Examples
    --------
    >>> from dstheory import Frame, MassFunction
    >>> m = MassFunction(Frame(["ant", "bee"]), [1, 3], [0.75, 0.25])
    >>> table(m), table(m, "pl")
    (array([0.  , 0.75, 0.  , 0.25]), array([0.  , 1.  , 0.25, 1.  ]))
    """
    check_choice("kind", kind, FROM_MASSES)
    return np.moveaxis(FROM_MASSES[kind](dense_masses(m)), 0, -1)
