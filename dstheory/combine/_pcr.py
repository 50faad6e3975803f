"""Proportional conflict redistribution: a conflict returns to the sets that cause it.

A choice of one focal set per source is a partial conflict if the sets have an empty intersection.
Its mass returns to these sets, in proportion to the masses that the sources gave them. PCR5
multiplies the masses of sources that chose the same set; PCR6 adds them. The improved rules leave
out sets that take no part in the conflict. Smarandache & Dezert 2005; Martin & Osswald 2006;
Dezert, Dezert & Smarandache 2021.
"""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory.combine._conflicts import Conflict, n_choices, only, redistribute
from dstheory.combine._pcr_integral import integral_is_faster, redistributed_by_integral
from dstheory.combine.sources import check_sources, combination_rule, refuse_subnormal
from dstheory.mass import MassFunction

__all__ = ["pcr5", "pcr5_plus", "pcr6", "pcr6_plus"]


@combination_rule
def pcr5(m1: MassFunction, m2: MassFunction, *more: MassFunction) -> MassFunction:
    """Proportional conflict redistribution no. 5.

    The mass π of a conflict X1, ..., XS returns to its distinct sets. The share of X is
    proportional to the product of the masses of the sources with Xi = X.

    Parameters
    ----------
    m1, m2, *more : MassFunction
        Normalized sources on one frame; their batch shapes broadcast.

    Returns
    -------
    MassFunction
        Normalized.

    Raises
    ------
    MassError
        If a source gives mass to the empty set.
    FrameError
        If the frames differ.
    CostLimitError
        If there are more than 2^26 choices of one focal set a source (exact masses: 2^20).
    TypeError
        If a source is not a mass function.

    See Also
    --------
    pcr6 : the same for two sources, better behaved for more.

    Notes
    -----
    Commutative, not associative: combine all sources in one call. The cost is the product of the
    numbers of focal sets. The vacuous mass function is neutral with one other source but not with
    several; for `pcr5_plus` it always is.

    References
    ----------
    Smarandache, F. & Dezert, J. (2005). Proportional conflict redistribution rules for
    information fusion. arXiv:cs/0408064. Dezert, T., Dezert, J. & Smarandache, F. (2021).
    Improvement of proportional conflict redistribution rules of combination of basic
    belief assignments. Journal of Advances in Information Fusion 16(1), 48-74.

    Examples
    --------
    Smarandache & Dezert, example 12.5: the conflict of 0.9 is shared in the ratio 1 to 0.9.

    >>> from fractions import Fraction
    >>> from dstheory import Frame
    >>> frame = Frame(["a", "b"])
    >>> m1 = MassFunction.from_dict(frame, {"a": Fraction(1)})
    >>> m2 = MassFunction.from_dict(frame, {"a": Fraction(1, 10), "b": Fraction(9, 10)})
    >>> pcr5(m1, m2)
    MassFunction on {a, b}
      {a}  109/190
      {b}  81/190
    """
    claims = partial(_claims, product=True, improved=False)
    return redistribute("PCR5", (m1, m2, *more), claims)


@combination_rule
def pcr6(m1: MassFunction, m2: MassFunction, *more: MassFunction) -> MassFunction:
    """Proportional conflict redistribution no. 6, for any number of sources.

    The mass π of a conflict X1, ..., XS returns to its sets: Xi receives the share
    π mi(Xi) / (m1(X1) + ... + mS(XS)).

    Parameters
    ----------
    m1, m2, *more : MassFunction
        Normalized sources on one frame; their batch shapes broadcast.

    Returns
    -------
    MassFunction
        Normalized.

    Raises
    ------
    MassError
        If a source gives mass to the empty set.
    FrameError
        If the frames differ.
    CostLimitError
        If there are more than 2^26 choices of one focal set a source (exact masses: 2^20),
        and the integral in the notes would take more than a minute or two.
    TypeError
        If a source is not a mass function.

    Notes
    -----
    Equal to `pcr5` for two sources. Commutative, not associative: combine all sources in
    one call.

    With 4,096 choices of focal sets or more, floating-point masses use 1/s = ∫ exp(-s t) dt: under
    the integral, the sum over all choices is a sequence of conjunctive combinations. The relative
    error is due to rounding only, below 1e-14. For exact masses, the cost is the product of the
    numbers of focal sets.

    References
    ----------
    Martin, A. & Osswald, C. (2006). A new generalization of the proportional conflict
    redistribution rule stable in terms of decision. In Advances and Applications of DSmT
    for Information Fusion, vol. 2. Dezert, Dezert & Smarandache (2021).

    Examples
    --------
    Dezert et al. 2021, example 3: four categorical sources, two of which agree.

    >>> from fractions import Fraction
    >>> from dstheory import Frame
    >>> frame = Frame(["a", "b", "c"])
    >>> sure = [
    ...     MassFunction.from_dict(frame, {event: Fraction(1)})
    ...     for event in [("a", "b"), "b", ("a", "b"), "c"]
    ... ]
    >>> pcr6(*sure)
    MassFunction on {a, b, c}
      {b}     1/4
      {a, b}  1/2
      {c}     1/4
    """
    sources = (m1, m2, *more)
    check_sources(*sources)
    refuse_subnormal("PCR6", *sources)
    if integral_is_faster(sources, n_choices(sources)):
        return redistributed_by_integral(sources)
    claims = partial(_claims, product=False, improved=False)
    return redistribute("PCR6", sources, claims)


@combination_rule
def pcr5_plus(m1: MassFunction, m2: MassFunction, *more: MassFunction) -> MassFunction:
    """Improved PCR5: sets that take no part in a conflict receive nothing of it.

    As `pcr5`, among the sets of the conflict with keeping index 1. A set is left out if it, and
    every set of the conflict at least as large, contains all sets of the conflict that are not
    larger.

    Parameters
    ----------
    m1, m2, *more : MassFunction
        Normalized sources on one frame; their batch shapes broadcast.

    Returns
    -------
    MassFunction
        Normalized.

    Raises
    ------
    MassError
        If a source gives mass to the empty set.
    FrameError
        If the frames differ.
    CostLimitError
        If there are more than 2^26 choices of one focal set a source (exact masses: 2^20).
    TypeError
        If a source is not a mass function.

    Notes
    -----
    Equal to `pcr5` for two sources. Commutative, not associative; the vacuous mass
    function is neutral.

    References
    ----------
    Dezert, Dezert & Smarandache (2021).

    Examples
    --------
    As in Dezert et al. 2021: the frame takes no part in the conflict of a and bc.

    >>> from fractions import Fraction
    >>> from dstheory import Frame
    >>> frame = Frame(["a", "b", "c"])
    >>> sure = [
    ...     MassFunction.from_dict(frame, {event: Fraction(1)})
    ...     for event in [frame, "a", ("b", "c")]
    ... ]
    >>> pcr5_plus(*sure).prune()
    MassFunction on {a, b, c}
      {a}     1/2
      {b, c}  1/2
    """
    claims = partial(_claims, product=True, improved=True)
    return redistribute("PCR5+", (m1, m2, *more), claims)


@combination_rule
def pcr6_plus(m1: MassFunction, m2: MassFunction, *more: MassFunction) -> MassFunction:
    """Improved PCR6: sets that take no part in a conflict receive nothing of it.

    As `pcr6`, among the sets of the conflict whose keeping index is 1; see `pcr5_plus`.

    Parameters
    ----------
    m1, m2, *more : MassFunction
        Normalized sources on one frame; their batch shapes broadcast.

    Returns
    -------
    MassFunction
        Normalized.

    Raises
    ------
    MassError
        If a source gives mass to the empty set.
    FrameError
        If the frames differ.
    CostLimitError
        If there are more than 2^26 choices of one focal set a source (exact masses: 2^20).
    TypeError
        If a source is not a mass function.

    Notes
    -----
    Equal to `pcr5` for two sources. Commutative, not associative; the vacuous mass
    function is neutral.

    References
    ----------
    Dezert, Dezert & Smarandache (2021).

    Examples
    --------
    As in Dezert et al. 2021 (categorical sources on a, bc, ac, bc and the frame):

    >>> from fractions import Fraction
    >>> from dstheory import Frame
    >>> frame = Frame(["a", "b", "c", "d"])
    >>> sure = [
    ...     MassFunction.from_dict(frame, {event: Fraction(1)})
    ...     for event in ["a", ("b", "c"), ("a", "c"), ("b", "c"), frame]
    ... ]
    >>> pcr6_plus(*sure).prune()
    MassFunction on {a, b, c, d}
      {a}     1/4
      {a, c}  1/4
      {b, c}  1/2
    """
    claims = partial(_claims, product=False, improved=True)
    return redistribute("PCR6+", (m1, m2, *more), claims)


def _claims(
    block: Conflict, masses: list[NDArray[Any]], rows: slice, *, product: bool, improved: bool
) -> list[NDArray[Any]]:
    """Claims of the sources on a conflict: each for its set, or one for all that chose the set."""
    claims = block.products(masses) if product else masses
    entitled = np.ones(block.index.shape, dtype=bool)
    if product:
        entitled &= block.first
    if improved:
        entitled &= block.kept
    return only(claims, entitled)
