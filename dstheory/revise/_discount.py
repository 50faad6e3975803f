"""Discounting and negation by the overall reliability of a source.

With probability `rate`, the source is irrelevant (discounting) or says the opposite of the truth
(negation).
"""

from dstheory._masses import check_mass, collect, discounted
from dstheory._typing import Numbers
from dstheory.checks.naming import RATE, shares_by_name
from dstheory.mass import MassFunction
from dstheory.revise._arguments import given_rate


@shares_by_name(**RATE)
def discount(
    m: MassFunction, *, rate: Numbers | None = None, reliability: Numbers | None = None
) -> MassFunction:
    """Shafer's discounting: a share of all mass moves to the frame.

    m(A) becomes (1 - rate) m(A); the frame gets `rate` in addition.

    Parameters
    ----------
    m : MassFunction
        One or a batch.
    rate : number or array
        Share moved to the frame, between 0 (reliable) and 1 (useless); broadcasts with the
        batch of `m`.
    reliability : number or array
        Share that is kept, 1 - rate. Give either `rate` or `reliability`; papers use both.

    Returns
    -------
    MassFunction
        Its batch shape is the broadcast shape of `m` and the share.

    Raises
    ------
    MassError
        If a share does not lie between 0 and 1.
    TypeError
        If `m` is not a mass function, a share is not a number, or not exactly one of `rate` and
        `reliability` is given by name.
    ValueError
        If the share does not broadcast with the batch.

    See Also
    --------
    contextual_discount : reliability that depends on the truth.

    References
    ----------
    Shafer (1976), A Mathematical Theory of Evidence, p. 251-252.

    Examples
    --------
    >>> from dstheory import Frame
    >>> frame = Frame(["ant", "bee"])
    >>> m = MassFunction.from_dict(frame, {"ant": 0.5, frame: 0.5})
    >>> discount(m, rate=0.25)
    MassFunction on {ant, bee}
      {ant}       0.375
      {ant, bee}  0.625
    >>> discount(m, reliability=0.75) == discount(m, rate=0.25)
    True
    """
    lost, kept = given_rate(rate, reliability, check_mass(m))
    return discounted(m, lost, kept).prune()


@shares_by_name(**RATE)
def negate(
    m: MassFunction, *, rate: Numbers | None = None, reliability: Numbers | None = None
) -> MassFunction:
    """Negation: with probability `rate`, the truth is the opposite of what the source says.

    m(A) becomes (1 - rate) m(A) + rate m(not A).

    Parameters
    ----------
    m : MassFunction
        One or a batch.
    rate : number or array
        Share of the mass that moves to the complements; broadcasts with the batch of `m`.
    reliability : number or array
        Share that is kept, 1 - rate: the truthfulness of the source. Give either one.

    Returns
    -------
    MassFunction
        With rate 1 the complement, ``~m``.

    Raises
    ------
    MassError
        If a share does not lie between 0 and 1.
    TypeError
        If `m` is not a mass function, a share is not a number, or not exactly one of `rate` and
        `reliability` is given by name.
    ValueError
        If the share does not broadcast with the batch.

    See Also
    --------
    contextual_negate : truthfulness that depends on the truth.

    References
    ----------
    Dubois & Prade (1986), A set-theoretic view of belief functions, International Journal
    of General Systems 12 (complement); Pichon, Dubois & Denoeux (2012), Relevance and
    truthfulness in information correction and fusion, International Journal of Approximate
    Reasoning 53.

    Examples
    --------
    >>> from dstheory import Frame
    >>> negate(MassFunction.from_dict(Frame(["ant", "bee"]), {"ant": 1}), rate=0.25).to_dict()
    {('ant',): 0.75, ('bee',): 0.25}
    """
    lost, kept = given_rate(rate, reliability, check_mass(m))
    parts = (m.focal, m.store, kept), (m.frame.full - m.focal, m.store, lost)
    return collect(m.frame, *parts).prune()
