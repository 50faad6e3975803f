"""A toy: the mean of the conjunctive and the disjunctive rule.

m = (m∩ + m∪) / 2. Nobody (2000).
"""

from dstheory.combine._average import mixing
from dstheory.combine._boolean import conjunctive, disjunctive
from dstheory.combine.sources import combination_rule
from dstheory.mass import MassFunction

__all__ = ["halfway"]


@combination_rule
def halfway(m1: MassFunction, m2: MassFunction, *more: MassFunction) -> MassFunction:
    """Mean of the conjunctive and the disjunctive rule.

    m(A) = (m∩(A) + m∪(A)) / 2.

    Parameters
    ----------
    m1, m2, *more : MassFunction
        Sources on one frame; their batch shapes broadcast.

    Returns
    -------
    MassFunction
        Unnormalized.

    Raises
    ------
    FrameError
        If the frames differ.
    TypeError
        If a source is no mass function.

    References
    ----------
    Nobody (2000). Halfway. Journal of Toys 1(1), 1-2.

    Examples
    --------
    >>> from dstheory import Frame
    >>> frame = Frame(["a", "b"])
    >>> m1 = MassFunction.from_dict(frame, {"a": 1})
    >>> m2 = MassFunction.from_dict(frame, {"a": 0.5, "b": 0.5})
    >>> halfway(m1, m2).mass("a")
    0.5
    """
    return mixing(conjunctive(m1, m2, *more), disjunctive(m1, m2, *more))
