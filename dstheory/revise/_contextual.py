"""Correction by the reliability of a source, overall or as it depends on the true label.

With probability `rate`, the source is irrelevant (discounting) or says the opposite of the truth
(negation).

In contextual correction, each context A has a rate, the probability that the source fails in this
context. If it does, its statement B becomes "B or A" (discounting), "B and A" (reinforcement), or
"B if and only if A" (negation). Failures in different contexts are independent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dstheory._masses import check_mass, collect, discounted, two_sets
from dstheory._typing import Numbers
from dstheory.checks.arguments import check_rows
from dstheory.checks.naming import RATE, RATES, shares_by_name
from dstheory.errors import FrameError
from dstheory.kernels import pairwise
from dstheory.mass import MassFunction
from dstheory.revise._arguments import as_rate, given_contexts, given_rate


@shares_by_name(**RATE)
def discount(
    m: MassFunction, *, rate: Numbers | None = None, reliability: Numbers | None = None
) -> MassFunction:
    """Discount a source by moving a share of all mass to the frame (Shafer).

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
    """Revise by a source that reports the opposite of the truth with probability `rate`.

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


@shares_by_name(**RATES)
def contextual_discount(
    m: MassFunction,
    *,
    rates: Mapping[Any, Any] | None = None,
    reliabilities: Mapping[Any, Any] | None = None,
) -> MassFunction:
    """Discount a source that may be irrelevant if the truth lies in a context.

    For each context A in turn, the share `rate` of the mass of B moves to B or A.

    Parameters
    ----------
    m : MassFunction
        One or a batch.
    rates : mapping of event to number or array
        Rate of each context, between 0 and 1; broadcasts with the batch of `m`.
        Contexts are often the single labels, or the sets of a partition.

    reliabilities : mapping of event to number or array
        beta_A = 1 - rate of each context. Give one of the two.

    Returns
    -------
    MassFunction
        The disjunctive combination of `m` with, for each context, the mass function
        m(A) = rate, m(empty) = 1 - rate. The order of contexts does not matter.

    Raises
    ------
    MassError
        If a share does not lie between 0 and 1.
    FrameError
        If a label is unknown.
    TypeError
        If `m` is not a mass function, a share is not a number, or not exactly one of `rates` and
        `reliabilities` is given by name, as a mapping.
    ValueError
        If a share does not broadcast with the batch.

    See Also
    --------
    discount : one context, the frame.
    learn_contextual_rates : rates from labeled data.

    Notes
    -----
    The plausibility of a label outside all contexts does not change. With a context {x}, that of x
    becomes 1 - (1 - rate)(1 - pl(x)).

    References
    ----------
    Mercier, Quost & Denoeux (2008), Refined modeling of sensor reliability in the belief
    function framework using contextual discounting, Information Fusion 9 (partitions);
    Mercier, Lefevre & Delmotte (2012), Belief functions contextual discounting and canonical
    decompositions, International Journal of Approximate Reasoning 53 (any contexts).

    Examples
    --------
    A sensor that recognizes airplanes with reliability 0.6 (Mercier et al. 2008):

    >>> from dstheory import Frame
    >>> frame = Frame(["airplane", "helicopter", "rocket"])
    >>> m = MassFunction.from_dict(frame, {"airplane": 0.5, "rocket": 0.5})
    >>> contextual_discount(m, reliabilities={"airplane": 0.6}).to_dict()
    {('airplane',): 0.5, ('rocket',): 0.3, ('airplane', 'rocket'): 0.2}
    """
    return _corrected(m, given_contexts(rates, reliabilities), np.bitwise_or, neutral=0)


@shares_by_name(**RATES)
def contextual_reinforce(
    m: MassFunction,
    *,
    rates: Mapping[Any, Any] | None = None,
    reliabilities: Mapping[Any, Any] | None = None,
) -> MassFunction:
    """Reinforce a source that may have failed to exclude what lies outside a context.

    For each context A in turn, the share `rate` of the mass of B moves to B and A.

    Parameters
    ----------
    m : MassFunction
        One or a batch.
    rates : mapping of event to number or array
        Rate of each context, between 0 and 1; broadcasts with the batch of `m`.
        Contexts are often the complements of the single labels.

    reliabilities : mapping of event to number or array
        beta_A = 1 - rate of each context. Give one of the two.

    Returns
    -------
    MassFunction
        The conjunctive combination of `m` with, for each context, the simple mass function
        m(A) = rate, m(frame) = 1 - rate; in general not normalized.

    Raises
    ------
    MassError
        If a share does not lie between 0 and 1.
    FrameError
        If a label is unknown.
    TypeError
        If `m` is not a mass function, a share is not a number, or not exactly one of `rates` and
        `reliabilities` is given by name, as a mapping.
    ValueError
        If a share does not broadcast with the batch.

    See Also
    --------
    contextual_discount : the dual under complement.

    References
    ----------
    Mercier, Lefevre & Delmotte (2012), Belief functions contextual discounting and canonical
    decompositions, International Journal of Approximate Reasoning 53; Pichon, Mercier,
    Lefevre & Delmotte (2016), Proposition and learning of some belief function contextual
    correction mechanisms, International Journal of Approximate Reasoning 72, eq. 18.

    Examples
    --------
    >>> from dstheory import Frame
    >>> frame = Frame(["ant", "bee", "cat"])
    >>> m = MassFunction.from_dict(frame, {frame: 1})
    >>> contextual_reinforce(m, rates={("bee", "cat"): 0.75}).to_dict()
    {('bee', 'cat'): 0.75, ('ant', 'bee', 'cat'): 0.25}
    """
    contexts = given_contexts(rates, reliabilities)
    return _corrected(m, contexts, np.bitwise_and, neutral=check_mass(m).frame.full)


@shares_by_name(**RATES)
def contextual_negate(
    m: MassFunction,
    *,
    rates: Mapping[Any, Any] | None = None,
    reliabilities: Mapping[Any, Any] | None = None,
) -> MassFunction:
    """Revise by a source that may lie unless the truth lies in a context.

    For each context A in turn, the share `rate` of the mass of B moves to the set of labels that
    belong to both B and A or to neither. So the source is truthful about labels in A, and lies
    about the others.

    Parameters
    ----------
    m : MassFunction
        One or a batch.
    rates : mapping of event to number or array
        Rate of each context, between 0 and 1; broadcasts with the batch of `m`.
        Contexts are often the complements of the single labels.

    reliabilities : mapping of event to number or array
        beta_A = 1 - rate of each context. Give one of the two.

    Returns
    -------
    MassFunction
        In general not normalized.

    Raises
    ------
    MassError
        If a share does not lie between 0 and 1.
    FrameError
        If a label is unknown.
    TypeError
        If `m` is not a mass function, a share is not a number, or not exactly one of `rates` and
        `reliabilities` is given by name, as a mapping.
    ValueError
        If a share does not broadcast with the batch.

    See Also
    --------
    negate : one context, the empty set: the source lies everywhere.

    Notes
    -----
    The plausibility of a label x outside one context becomes
    (1 - rate) pl(x) + rate (1 - pl(x)).

    References
    ----------
    Pichon, Mercier, Lefevre & Delmotte (2016), Proposition and learning of some belief
    function contextual correction mechanisms, International Journal of Approximate
    Reasoning 72, definition 11 and eq. 39.

    Examples
    --------
    >>> from dstheory import Frame
    >>> m = MassFunction.from_dict(Frame(["ant", "bee", "cat"]), {"ant": 1})
    >>> contextual_negate(m, rates={("bee", "cat"): 0.25}).to_dict()
    {(): 0.25, ('ant',): 0.75}
    """
    # B if and only if A is the symmetric difference of B and the complement of A.
    contexts = given_contexts(rates, reliabilities)
    return _corrected(m, contexts, np.bitwise_xor, neutral=0, reverse=check_mass(m).frame.full)


def _corrected(
    m: MassFunction,
    contexts: tuple[str, Mapping[Any, Any]],
    operation: np.ufunc,
    *,
    neutral: int,
    reverse: int = 0,
) -> MassFunction:
    """Combine with a mass function on {neutral, context} for each context."""
    frame = check_mass(m).frame
    name, shares = contexts
    check_rows(**{f"the {name} of {context!r}": value for context, value in shares.items()})
    masks = [frame.mask(context) for context in shares]
    for place, (context, value) in enumerate(shares.items()):
        mask = masks[place]
        if mask in masks[:place]:
            raise FrameError(f"context {context!r} occurs twice; give it one {name}")
        lost, kept = as_rate(name, value, m, f" of context {frame.event(mask)!r}")
        source = two_sets(frame, neutral, kept, mask ^ reverse, lost)
        joint = pairwise.combine_pairs(m.focal, m.store, source.focal, source.store, operation)
        m = MassFunction.from_store(frame, *joint)
    return m.prune()
