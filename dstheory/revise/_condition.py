"""Conditioning: the belief after an event has become certain.

Dempster's rule moves the mass of every focal set to its part within the event; the geometric rule
keeps only the focal sets within the event. `_focusing` holds the third rule.

Deconditioning: the least committed belief with a given conditional belief.

Conditioning on an event removes the part of each focal set outside the event. Ballooning extension
restores the largest possible part (Smets 1993).
"""

import numpy as np

from dstheory._masses import check_mass
from dstheory._typing import Event
from dstheory.checks.arguments import check_flag
from dstheory.errors import TotalConflictError
from dstheory.kernels import bits, setwise
from dstheory.mass import MassFunction
from dstheory.revise._arguments import refuse_rows
from dstheory.revise.transfer import transfer


def decondition(m: MassFunction, event: Event) -> MassFunction:
    """Ballooning extension: undo conditioning on an event with the least commitment.

    The mass of each focal set A goes to A or "not the event".

    Parameters
    ----------
    m : MassFunction
        One or a batch: the belief given the event. Mass of the empty set goes to the complement of
        the event.
    event : label, collection of labels, or the frame
        The condition of `m`.

    Returns
    -------
    MassFunction
        On the same frame: the least committed one whose conditional on the event,
        ``condition(..., event, normalize=False)``, is the conditional of `m`.

    Raises
    ------
    FrameError
        If a label is unknown.
    TypeError
        If `m` is not a mass function.

    See Also
    --------
    condition : the inverse.
    generalized_bayes : combines deconditioned beliefs.

    References
    ----------
    Smets (1993), Belief functions: the disjunctive rule of combination and the generalized
    Bayesian theorem, International Journal of Approximate Reasoning 9.

    Examples
    --------
    >>> from dstheory import Frame
    >>> frame = Frame(["ant", "bee", "cat"])
    >>> m = MassFunction.from_dict(frame, {"ant": 0.75, ("ant", "bee"): 0.25})
    >>> decondition(m, ["ant", "bee"])
    MassFunction on {ant, bee, cat}
      {ant, cat}       0.75
      {ant, bee, cat}  0.25
    """
    frame = check_mass(m).frame
    return transfer(m, m.focal | (frame.full ^ frame.mask(event)))


def condition(m: MassFunction, event: Event, *, normalize: bool = True) -> MassFunction:
    """Dempster's conditioning: the answer is known to lie in an event.

    The mass of A goes to the part of A within the event. Mass that contradicts the event goes to
    the empty set or, with normalization, is divided out: Pl(A | B) = Pl(A and B) / Pl(B).

    Parameters
    ----------
    m : MassFunction
        One or a batch.
    event : label, collection of labels, or the frame
        What is known for certain.
    normalize : bool
        False keeps the conflict 1 - Pl(event) on the empty set (transferable belief model).

    Returns
    -------
    MassFunction
        On the same frame.

    Raises
    ------
    TotalConflictError
        If the event has plausibility 0 in a row, and `normalize` is True.
    FrameError
        If a label is unknown.
    TypeError
        If `m` is not a mass function.

    See Also
    --------
    condition_geometric : keeps only what implies the event.
    condition_focusing : bounds of all conditional probabilities.

    Notes
    -----
    The same as Dempster's rule with the categorical mass function on the event.

    References
    ----------
    Shafer (1976), A Mathematical Theory of Evidence, theorem 3.6; without normalization
    Smets & Kennes (1994), The transferable belief model, Artificial Intelligence 66.

    Examples
    --------
    >>> from dstheory import Frame
    >>> frame = Frame(["ant", "bee", "cat"])
    >>> m = MassFunction.from_dict(frame, {("ant", "bee"): 0.5, "cat": 0.5})
    >>> condition(m, ["bee", "cat"])
    MassFunction on {ant, bee, cat}
      {bee}  0.5
      {cat}  0.5
    >>> condition(m, "bee", normalize=False).to_dict()
    {(): 0.5, ('bee',): 0.5}
    """
    mask = check_mass(m).frame.mask(event)
    check_flag("normalize", normalize)
    moved = transfer(m, m.focal & mask)
    if not normalize:
        return moved
    refuse_rows(
        setwise.plausibility(m.focal, m.store, mask) == 0,
        f"event {m.frame.event(mask)!r} has plausibility 0",
        "conditioning on it has no result: discount first, or use normalize=False",
        TotalConflictError,
    )
    return moved.normalize()


def condition_geometric(m: MassFunction, event: Event) -> MassFunction:
    """Geometric conditioning: only evidence that implies the event is kept.

    m(A | B) = m(A) / Bel(B) for the non-empty A within B, so that
    Bel(A | B) = Bel(A and B) / Bel(B).

    Parameters
    ----------
    m : MassFunction
        One or a batch.
    event : label, collection of labels, or the frame

    Returns
    -------
    MassFunction
        Normalized, on the same frame.

    Raises
    ------
    TotalConflictError
        If the event has belief 0 in a row.
    FrameError
        If a label is unknown.
    TypeError
        If `m` is not a mass function.

    See Also
    --------
    condition : Dempster's conditioning, which divides plausibilities.

    References
    ----------
    Suppes & Zanotti (1977), On using random relations to generate upper and lower
    probabilities, Synthese 36; Smets (1991), About updating, UAI 7, where it is called
    geometrical.

    Examples
    --------
    >>> from dstheory import Frame
    >>> frame = Frame(["ant", "bee", "cat"])
    >>> m = MassFunction.from_dict(frame, {"ant": 0.25, ("ant", "bee"): 0.25, frame: 0.5})
    >>> condition_geometric(m, ["ant", "bee"])
    MassFunction on {ant, bee, cat}
      {ant}       0.5
      {ant, bee}  0.5
    """
    mask = check_mass(m).frame.mask(event)
    refuse_rows(
        setwise.belief(m.focal, m.store, mask) == 0,
        f"event {m.frame.event(mask)!r} has belief 0",
        "no focal set lies within it: use condition(), which needs plausibility only",
        TotalConflictError,
    )
    kept = bits.subset_of(m.focal, mask) & np.asarray(m.focal != 0, dtype=bool)
    store = m.store[kept]
    return MassFunction.from_store(m.frame, m.focal[kept], np.asarray(store / store.sum(axis=0)))
