"""Mass functions from possibility and necessity measures.

A necessity measure is a belief function with nested focal sets, and its possibility
distribution is the contour (Dubois & Prade 1988, Possibility Theory; Shafer 1976, ch. 10).
"""

import numpy as np

from dstheory._typing import Numbers
from dstheory.construct.arguments import as_rows, check_shares
from dstheory.construct.chains import assemble, falling_order
from dstheory.construct.tables import from_table
from dstheory.errors import MassError
from dstheory.frame import Frame
from dstheory.kernels.rows import in_row
from dstheory.mass import MassFunction


def from_possibility(frame: Frame, possibility: Numbers) -> MassFunction:
    """Consonant mass function of a possibility distribution, which may be subnormal.

    Parameters
    ----------
    frame : Frame
        K labels.
    possibility : (*batch, K) array
        Possibility of each label, between 0 and 1. If the largest value of a row is below 1, the
        empty set gets the difference.

    Returns
    -------
    MassFunction

    Raises
    ------
    MassError
        If a value does not lie between 0 and 1, or the last axis does not have K entries.
    TypeError
        If `frame` is not a Frame, or a value is not a number.

    See Also
    --------
    consonant : the same, but requires a maximum of 1.

    References
    ----------
    Dubois & Prade (1988), Possibility Theory.

    Examples
    --------
    >>> from_possibility(Frame(["ant", "bee"]), [0.75, 0.25]).to_dict()
    {(): 0.25, ('ant',): 0.5, ('ant', 'bee'): 0.25}
    """
    rows = as_rows(possibility, frame, "possibility")
    check_shares(rows, "possibility")
    order = falling_order(rows)
    falling = np.take_along_axis(rows, order, -1)
    return assemble(frame, order, -np.diff(falling, prepend=1, append=0, axis=-1))


def from_necessity(frame: Frame, table: Numbers, *, atol: float | None = None) -> MassFunction:
    """Consonant mass function of a necessity measure, N(A and B) = min(N(A), N(B)).

    Parameters
    ----------
    frame : Frame
        K labels.
    table : (*batch, 2**K) array
        Necessity of each set, indexed by mask; N(empty) = 0.
    atol : float, optional
        Float masses within `atol` of zero are dropped as rounding noise, see `from_table`.

    Returns
    -------
    MassFunction

    Raises
    ------
    MassError
        If a row is not a necessity measure (not a belief function, or not one with nested focal
        sets), or if the last axis does not have 2**K entries.
    TypeError
        If `frame` is not a Frame, or an entry is not a number.

    References
    ----------
    Dubois & Prade (1988), Possibility Theory.

    Examples
    --------
    >>> from_necessity(Frame(["ant", "bee"]), [0, 0.75, 0, 1]).to_dict()
    {('ant',): 0.75, ('ant', 'bee'): 0.25}
    """
    m = from_table(frame, table, "bel", atol=atol)
    wrong = ~np.asarray(m.is_consonant, dtype=bool)
    if wrong.any():
        raise MassError(
            f"the table{in_row(np.argwhere(wrong)[0])} is a belief function, but no necessity "
            "measure: its focal sets are not nested; use from_table"
        )
    return m
