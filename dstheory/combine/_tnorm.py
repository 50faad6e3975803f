"""Rules of canonical weights: cautious and bold, and those between them and the products.

The minimum of the weights suits sources that share all their evidence: the result is the least
committed one that is at least as informative as each source, and combining a source with itself
changes nothing. The product suits sources that share none. A t-norm lies in between: its parameter
says how much they share, and can be learned. The bold rule and the disjunctive ones are the duals
under complements. Denoeux 2008; Quost, Masson & Denoeux 2011.
"""

import numpy as np

from dstheory.combine._norms import Family, extend_norm, t_norm
from dstheory.combine._orthogonal import TotalConflict, settled
from dstheory.combine._weights import common_weights, joined_normalized, with_weights
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


@combination_rule
def tnorm_conjunctive(
    m1: MassFunction,
    m2: MassFunction,
    *more: MassFunction,
    family: Family = "frank",
    parameter: float,
    normalize: bool = False,
    total_conflict: TotalConflict = "error",
) -> MassFunction:
    """Combine by a t-norm, between distinct and fully dependent reliable sources.

    Conjunctive weights of at most 1 are combined by the t-norm, w(A) = w1(A) T w2(A). Two weights
    above 1 give 1 / (1/w1 S 1/w2), where S is the dual t-conorm; otherwise the smaller weight
    remains.

    Parameters
    ----------
    m1, m2, *more : MassFunction
        Non-dogmatic sources (the frame has mass) on one frame; their batch shapes
        broadcast.
    family : {"frank", "sugeno_weber", "dubois_prade"}
        Frank: from the minimum (0) through the product (1) to Łukasiewicz' (inf).
        Sugeno-Weber: above -1, through Łukasiewicz' (0) to the product (inf).
        Dubois-Prade: from the minimum (0) to the product (1).
    parameter : float
        Parameter of the family; `learn_tnorm` chooses it from samples.
    normalize : bool
        Whether to normalize; correct even if 1 - m(empty) underflows.
    total_conflict : {"error", "vacuous", "nan"}
        What to return, if `normalize`, for rows in which all mass is on the empty set: an error,
        the vacuous mass function, or masses that are not numbers.

    Returns
    -------
    MassFunction
        In general not normalized, unless `normalize`.

    Raises
    ------
    MassError
        If a source is dogmatic.
    TotalConflictError
        If `normalize`, and all mass of a row is on the empty set.
    ValueError
        If the family is unknown or the parameter lies outside its range.
    FrameError
        If the frames differ.
    TypeError
        If a source is not a mass function.

    Notes
    -----
    Commutative and associative. The minimum gives the cautious rule; the product gives
    the conjunctive rule of separable sources (weights at most 1). Fractions stay exact, except that
    Frank's norm is rounded unless the parameter is 0, 1 or infinite.

    References
    ----------
    Quost, B., Masson, M.-H. & Denoeux, T. (2011). Classifier fusion in the Dempster-Shafer
    framework using optimized t-norm based combination rules. International Journal of
    Approximate Reasoning 52(3), 353-374. Denoeux (2008), as for `cautious`.

    Examples
    --------
    >>> from dstheory import Frame
    >>> frame = Frame(["a", "b"])
    >>> m = MassFunction.from_dict(frame, {"a": 0.5, frame: 0.5})
    >>> for gamma in [0, 0.75, 1]:
    ...     result = tnorm_conjunctive(m, m, family="dubois_prade", parameter=gamma)
    ...     print(round(result.mass("a"), 6))
    0.5
    0.666667
    0.75
    """
    frame = m1.frame
    sources, operation = (m1, m2, *more), extend_norm(t_norm(family, parameter))
    if normalize:
        agreed = joined_normalized(m1, *common_weights(sources), operation)
        return settled(frame, agreed, total_conflict)
    return with_weights(sources, operation)


@combination_rule
def tnorm_disjunctive(
    m1: MassFunction,
    m2: MassFunction,
    *more: MassFunction,
    family: Family = "frank",
    parameter: float,
) -> MassFunction:
    """Combine by a t-norm, between the disjunctive and the bold rule.

    As `tnorm_conjunctive`, on disjunctive weights.

    Parameters
    ----------
    m1, m2, *more : MassFunction
        Subnormal sources (the empty set has mass) on one frame; their batch shapes
        broadcast.
    family : {"frank", "sugeno_weber", "dubois_prade"}
        See `tnorm_conjunctive`.
    parameter : float
        Parameter of the family.

    Returns
    -------
    MassFunction

    Raises
    ------
    MassError
        If a source is normalized.
    ValueError
        If the family is unknown or the parameter lies outside its range.
    FrameError
        If the frames differ.
    TypeError
        If a source is not a mass function.

    Notes
    -----
    Commutative and associative. The minimum gives the bold rule.

    References
    ----------
    Denoeux (2008), as for `cautious`.

    Examples
    --------
    >>> from dstheory import Frame
    >>> frame = Frame(["a", "b"])
    >>> m = MassFunction.from_dict(frame, {(): 0.5, "a": 0.5})
    >>> tnorm_disjunctive(m, m, parameter=1)
    MassFunction on {a, b}
      {}   0.25
      {a}  0.75
    """
    sources = (m1, m2, *more)
    refuse_normal("a disjunctive t-norm rule", *sources)
    negated = (~source for source in sources)
    return ~tnorm_conjunctive(*negated, family=family, parameter=parameter)
