"""Deconditioning: the least committed belief with a given conditional belief.

Conditioning on an event removes the part of each focal set outside the event. Ballooning extension
restores the largest possible part (Smets 1993).
"""

from typing import Any

from dstheory._masses import check_mass
from dstheory.mass import MassFunction
from dstheory.revise.transfer import transfer

__all__ = ["decondition"]


def decondition(m: MassFunction, event: Any) -> MassFunction:
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
