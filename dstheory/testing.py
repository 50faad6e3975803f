"""Hypothesis strategies for tests: frames and mass functions, exact or floating-point.

hypothesis is imported inside the functions, so this module can be imported without it.

Experimental: options for other kinds of mass functions may change.
"""

from fractions import Fraction
from typing import Any

from dstheory.checks import masses as checks
from dstheory.checks.arguments import check_flag
from dstheory.frame import Frame
from dstheory.mass import MassFunction
from dstheory.optional import require

__all__ = ["frames", "masses"]


def frames(min_size: int = 1, max_size: int = 4) -> Any:
    """Strategy for frames of distinct letters.

    Parameters
    ----------
    min_size, max_size : int
        Bounds on the number of labels (at most 26).

    Returns
    -------
    hypothesis strategy of Frame

    Examples
    --------
    >>> frames(2, 2).example()  # doctest: +SKIP
    Frame(['a', 'b'])
    """
    require("hypothesis", "dstheory.testing")
    from hypothesis import strategies as st

    return st.integers(min_size, max_size).map(lambda k: Frame([chr(97 + i) for i in range(k)]))


def masses(
    frame: Frame,
    *,
    exact: bool = True,
    empty: bool = False,
    dogmatic: bool = True,
    max_focal: int = 6,
) -> Any:
    """Strategy for mass functions on a frame.

    Parameters
    ----------
    frame : Frame
    exact : bool
        Fractions if True, else float64.
    empty : bool
        Whether the empty set may have mass.
    dogmatic : bool
        Whether the mass of the frame may be zero.
    max_focal : int
        Maximum number of focal sets.

    Returns
    -------
    hypothesis strategy of MassFunction

    Examples
    --------
    >>> masses(Frame(["a", "b"])).example()  # doctest: +SKIP
    MassFunction on {a, b}
      {a}     1/3
      {a, b}  2/3
    """
    check_flag("exact", exact)
    check_flag("empty", empty)
    check_flag("dogmatic", dogmatic)
    require("hypothesis", "dstheory.testing")
    from hypothesis import strategies as st

    checks.as_frame(frame)
    sets = st.lists(
        st.integers(0 if empty else 1, frame.full), min_size=1, max_size=max_focal, unique=True
    )

    def weighted(focal: list[int]) -> Any:
        chosen = focal if dogmatic or frame.full in focal else [*focal, frame.full]
        weights = st.lists(st.integers(1, 20), min_size=len(chosen), max_size=len(chosen))
        return weights.map(lambda w: _mass_function(frame, chosen, w, exact))

    return sets.flatmap(weighted)


def _mass_function(frame: Frame, focal: list[int], weights: list[int], exact: bool) -> MassFunction:
    shares = [Fraction(weight, sum(weights)) for weight in weights]
    return MassFunction(frame, focal, shares if exact else [float(share) for share in shares])
