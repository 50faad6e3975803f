"""Cautious and bold rules: combination of sources that may share their evidence.

The result is the least committed one that is at least as informative as each source, in the order
of canonical weights: each set gets its smallest weight. Combining a source with itself changes
nothing. The bold rule is the dual under complements. Denoeux 2008.
"""

import numpy as np

from dstheory.combine._weights import with_weights
from dstheory.combine.sources import combination_rule, refuse_normal
from dstheory.mass import MassFunction


@combination_rule
def cautious(m1: MassFunction, m2: MassFunction, *more: MassFunction) -> MassFunction:
    """Combine reliable sources that may share evidence (cautious rule).

    The conjunctive weights of the result are the smallest of the sources:
    w(A) = min(w1(A), w2(A)) for A other than the frame.

    Parameters
    ----------
    m1, m2, *more : MassFunction
        Non-dogmatic sources (the frame has mass) on one frame; their batch shapes
        broadcast.

    Returns
    -------
    MassFunction
        In general not normalized.

    Raises
    ------
    MassError
        If a source is dogmatic.
    FrameError
        If the frames differ.
    TypeError
        If a source is not a mass function.

    See Also
    --------
    tnorm_conjunctive : the rules between this one and the conjunctive rule.

    Notes
    -----
    Commutative, associative and idempotent; the conjunctive rule distributes over it. The
    vacuous mass function is neutral for separable sources only (weights at most 1).

    References
    ----------
    Denoeux, T. (2008). Conjunctive and disjunctive combination of belief functions induced
    by nondistinct bodies of evidence. Artificial Intelligence 172, 234-264.

    Examples
    --------
    >>> from dstheory import Frame
    >>> frame = Frame(["a", "b"])
    >>> m1 = MassFunction.from_dict(frame, {"a": 0.5, frame: 0.5})
    >>> m2 = MassFunction.from_dict(frame, {"a": 0.75, frame: 0.25})
    >>> cautious(m1, m2)
    MassFunction on {a, b}
      {a}     0.75
      {a, b}  0.25
    """
    return with_weights((m1, m2, *more), np.minimum)


@combination_rule
def bold(m1: MassFunction, m2: MassFunction, *more: MassFunction) -> MassFunction:
    """Combine sources of which at least one is reliable and which may share evidence (bold rule).

    The disjunctive weights of the result are the smallest of the sources:
    v(A) = min(v1(A), v2(A)) for A not empty.

    Parameters
    ----------
    m1, m2, *more : MassFunction
        Subnormal sources (the empty set has mass) on one frame; their batch shapes
        broadcast.

    Returns
    -------
    MassFunction

    Raises
    ------
    MassError
        If a source is normalized.
    FrameError
        If the frames differ.
    TypeError
        If a source is not a mass function.

    Notes
    -----
    Commutative, associative and idempotent. The disjunctive weights of a mass function
    are the conjunctive weights of its negation: bold(m1, m2) = ~cautious(~m1, ~m2).

    References
    ----------
    Denoeux (2008), as for `cautious`.

    Examples
    --------
    >>> from dstheory import Frame
    >>> frame = Frame(["a", "b"])
    >>> m1 = MassFunction.from_dict(frame, {(): 0.5, "a": 0.5})
    >>> m2 = MassFunction.from_dict(frame, {(): 0.25, "a": 0.75})
    >>> bold(m1, m2)
    MassFunction on {a, b}
      {}   0.25
      {a}  0.75
    """
    sources = (m1, m2, *more)
    refuse_normal("the bold rule", *sources)
    return ~cautious(*(~source for source in sources))
