"""Rules by intersection, union and symmetric difference of focal sets.

The mass of a pair of focal sets goes to A and B (both sources are reliable), A or B (at
least one is) or A xor B (exactly one is). No mass is moved afterwards. Dubois & Prade
1986, "A set-theoretic view of belief functions"; Smets 1990 for the open world.
"""

from functools import reduce

import numpy as np

from dstheory.combine.sources import any_exact, combination_rule
from dstheory.kernels import pairwise
from dstheory.kernels.limits import fold_order
from dstheory.mass import MassFunction


@combination_rule
def conjunctive(m1: MassFunction, m2: MassFunction, *more: MassFunction) -> MassFunction:
    """Combine reliable and distinct sources, keeping the conflict on the empty set.

    m(C) is the sum of m1(A) m2(B) over A ∩ B = C; m(∅) is the conflict kappa.

    Parameters
    ----------
    m1, m2, *more : MassFunction
        Sources on one frame; their batch shapes broadcast.

    Returns
    -------
    MassFunction
        In general not normalized.

    Raises
    ------
    CostLimitError
        If there are too many focal sets or pairs of them.
    FrameError
        If the frames differ.
    TypeError
        If a source is not a mass function.

    See Also
    --------
    dempster : the same, normalized.

    Notes
    -----
    Commutative and associative; the vacuous mass function is neutral. Commonalities
    multiply: q(A) = q1(A) q2(A).

    References
    ----------
    Smets, P. (1990). The combination of evidence in the transferable belief model. IEEE
    Transactions on Pattern Analysis and Machine Intelligence 12(5), 447-458.

    Examples
    --------
    >>> from dstheory import Frame
    >>> frame = Frame(["a", "b"])
    >>> m1 = MassFunction.from_dict(frame, {"a": 0.5, frame: 0.5})
    >>> m2 = MassFunction.from_dict(frame, {"b": 0.5, frame: 0.5})
    >>> conjunctive(m1, m2)
    MassFunction on {a, b}
      {}      0.25
      {a}     0.25
      {b}     0.25
      {a, b}  0.25
    """
    return _folded("conjunctive", (m1, m2, *more), np.bitwise_and)


@combination_rule
def disjunctive(m1: MassFunction, m2: MassFunction, *more: MassFunction) -> MassFunction:
    """Combine sources of which at least one is reliable.

    m(C) is the sum of m1(A) m2(B) over A ∪ B = C.

    Parameters
    ----------
    m1, m2, *more : MassFunction
        Sources on one frame; their batch shapes broadcast.

    Returns
    -------
    MassFunction

    Raises
    ------
    CostLimitError
        If there are too many focal sets or pairs of them.
    FrameError
        If the frames differ.
    TypeError
        If a source is not a mass function.

    Notes
    -----
    Commutative and associative; the vacuous mass function absorbs, m(∅) = 1 is neutral.
    Implicabilities multiply: b(A) = b1(A) b2(A).

    References
    ----------
    Dubois, D. & Prade, H. (1986). A set-theoretic view of belief functions. International
    Journal of General Systems 12(3), 193-226.

    Examples
    --------
    >>> from dstheory import Frame
    >>> frame = Frame(["a", "b"])
    >>> m1 = MassFunction.from_dict(frame, {"a": 1})
    >>> m2 = MassFunction.from_dict(frame, {"a": 0.5, "b": 0.5})
    >>> disjunctive(m1, m2)
    MassFunction on {a, b}
      {a}     0.5
      {a, b}  0.5
    """
    return _folded("disjunctive", (m1, m2, *more), np.bitwise_or)


@combination_rule
def exclusive_or(m1: MassFunction, m2: MassFunction, *more: MassFunction) -> MassFunction:
    """Combine sources of which an odd number is reliable, such as one of two.

    m(C) is the sum of m1(A) m2(B) over A xor B = C, the symmetric difference.

    Parameters
    ----------
    m1, m2, *more : MassFunction
        Sources on one frame; their batch shapes broadcast.

    Returns
    -------
    MassFunction
        In general not normalized: A xor A is empty.

    Raises
    ------
    CostLimitError
        If there are too many focal sets or pairs of them.
    FrameError
        If the frames differ.
    TypeError
        If a source is not a mass function.

    Notes
    -----
    Commutative and associative; m(∅) = 1 is neutral, and a vacuous source negates.

    References
    ----------
    Dubois, D. & Prade, H. (1986). A set-theoretic view of belief functions. International
    Journal of General Systems 12(3), 193-226.

    Examples
    --------
    >>> from dstheory import Frame
    >>> frame = Frame(["a", "b", "c"])
    >>> m1 = MassFunction.from_dict(frame, {("a", "b"): 1})
    >>> m2 = MassFunction.from_dict(frame, {("b", "c"): 0.5, "c": 0.5})
    >>> exclusive_or(m1, m2)
    MassFunction on {a, b, c}
      {a, c}     0.5
      {a, b, c}  0.5
    """
    return _folded("exclusive_or", (m1, m2, *more), np.bitwise_xor)


def _folded(rule: str, sources: tuple[MassFunction, ...], operation: np.ufunc) -> MassFunction:
    """Combination over pairs of focal sets, one source after the other, in a feasible order."""
    frame, focals = sources[0].frame, [m.focal for m in sources]
    order = fold_order(rule, focals, len(frame), operation, exact=any_exact(sources))
    parts = [(focals[i], sources[i].store) for i in order]

    def joined(one: pairwise.Part, two: pairwise.Part) -> pairwise.Part:
        return pairwise.combine_pairs(*one, *two, operation)

    return MassFunction.from_store(frame, *reduce(joined, parts))
