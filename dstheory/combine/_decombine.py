"""Decombination: remove a source that was combined before.

The conjunctive rule multiplies commonalities; decombination divides them. The quotient is a mass
function only if the source was part of the combination. Smets 1995, "The canonical decomposition of
a weighted belief".
"""

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dstheory.checks.arguments import check_atol, check_choice
from dstheory.combine._weights import (
    align,
    commonalities,
    differences,
    intersections,
    lacks_ignorance,
)
from dstheory.combine.sources import check_sources
from dstheory.kernels import predicates
from dstheory.kernels.rows import first_entry, refuse_rows
from dstheory.mass import MassFunction

# Sums of about ten terms up to 1, each with an error of 1e-16.
_ROUNDING = 1e-14


def decombine(
    m: MassFunction,
    m2: MassFunction,
    *,
    rule: Literal["conjunctive", "dempster", "disjunctive"] = "conjunctive",
    atol: float = 1e-9,
) -> MassFunction:
    """The mass function that gives `m` when combined with `m2`.

    Parameters
    ----------
    m : MassFunction
        The combination.
    m2 : MassFunction
        The source to remove. Its frame must have mass (for the disjunctive rule, its empty set).
        Batch shapes broadcast.
    rule : {"conjunctive", "dempster", "disjunctive"}
        The rule by which `m2` was combined.
    atol : float
        Masses down to -atol count as rounding errors.

    Returns
    -------
    MassFunction

    Raises
    ------
    MassError
        If `m2` is dogmatic (for the disjunctive rule, normalized), or if it is not part of
        `m`: the quotient would have negative masses.
    ValueError
        If `rule` is unknown.
    FrameError
        If the frames differ.
    TypeError
        If an argument is not a mass function.

    Notes
    -----
    Masses are differences of commonalities. Floating-point masses carry an absolute error of about
    1e-16 / q2(frame); those below a hundred times that are dropped as noise.

    References
    ----------
    Smets, P. (1995). The canonical decomposition of a weighted belief. IJCAI, 1896-1901.

    Examples
    --------
    >>> from dstheory import Frame
    >>> frame = Frame(["a", "b"])
    >>> m1 = MassFunction.from_dict(frame, {"a": 0.5, frame: 0.5})
    >>> m2 = MassFunction.from_dict(frame, {"b": 0.5, frame: 0.5})
    >>> decombine(m1 & m2, m2).prune() == m1
    True
    """
    check_atol(atol)
    check_choice("rule", rule, ("conjunctive", "dempster", "disjunctive"))
    check_sources(m, m2)
    if rule == "disjunctive":
        fault = "m2 is normalized (m(empty) = 0) and cannot be removed"
        refuse_rows(lacks_ignorance(~m2), fault, "combine the other sources again")
        return ~decombine(~m, ~m2, atol=atol)
    fault = "m2 is dogmatic (m(frame) = 0) and cannot be removed"
    refuse_rows(lacks_ignorance(m2), fault, "combine the other sources again")
    sets = intersections(m, m2)
    combined, part = align(commonalities(m, sets), commonalities(m2, sets))
    masses = differences(sets, combined / part)
    if rule == "dempster":
        # All commonalities of non-empty sets have the same factor, from normalization.
        sets, masses = sets[sets != 0], masses[sets != 0]
        masses = masses / masses.sum(axis=0)
    negative = predicates.below(masses, atol)
    if negative.any():
        event = m.frame.event(int(sets[first_entry(negative)[0]]))
        fault = f"m2 is not part of m, as {event!r} would have negative mass without it"
        advice = f"{rule!r} may not be the rule that combined them"
        refuse_rows(negative.any(axis=0), fault, advice)
    if masses.dtype != object:
        masses = _without_noise(masses, m2.mass(mask=m2.frame.full), atol)
    return MassFunction.from_store(m.frame, sets, np.array(masses, order="C")).prune()


def _without_noise(masses: NDArray[Any], part: ArrayLike, atol: float) -> NDArray[Any]:
    """Masses without rounding noise; the commonalities of m2 are at least `part`."""
    noise = np.minimum(atol, _ROUNDING / np.asarray(part, dtype=np.float64))
    kept = np.where(masses <= noise, 0, masses)
    return np.asarray(kept / kept.sum(axis=0))
