"""Dempster's rule: the conjunctive rule, normalized by what the sources agree on.

Each step divides by the sum of the non-empty masses, never by 1 - kappa, so no digits are lost when
the conflict is near 1. Products beyond the range of floats are added up as logarithms.

Source: Dempster 1967; Shafer 1976, A Mathematical Theory of Evidence, ch. 3; Xu et al. 2016,
eq. 6-7.
"""

from dstheory.combine._orthogonal import TotalConflict, combined
from dstheory.combine.sources import combination_rule
from dstheory.mass import MassFunction


@combination_rule
def dempster(
    m1: MassFunction,
    m2: MassFunction,
    *more: MassFunction,
    log: bool = False,
    total_conflict: TotalConflict = "error",
) -> MassFunction:
    """Combine reliable and independent sources by Dempster's rule, the orthogonal sum.

    For C not empty, m(C) is the sum of m1(A) m2(B) over A ∩ B = C, divided by the sum of
    m1(A) m2(B) over all A and B that meet; m(∅) = 0.

    Parameters
    ----------
    m1, m2, *more : MassFunction
        Sources on one frame; their batch shapes broadcast.
    log : bool
        Work with logarithms of masses in all rows. By default, only rows in which a positive mass
        falls below 1e-290 before the last source do; there, later sources may support it again.
    total_conflict : {"error", "vacuous", "nan"}
        What to return for rows in which the sources exclude each other: an error, the vacuous mass
        function, or masses that are not numbers.

    Returns
    -------
    MassFunction
        Normalized.

    Raises
    ------
    TotalConflictError
        If sources exclude each other, or agree on masses only that an earlier combination has
        rounded to the smallest float; the message names the rows.
    CostLimitError
        If there are too many focal sets or pairs of them.
    FrameError
        If the frames differ.
    TypeError
        If a source is not a mass function.

    See Also
    --------
    conjunctive : the same, with the conflict kept on the empty set.

    Notes
    -----
    Commutative and associative; the vacuous mass function is neutral. On Bayesian mass
    functions it is Bayes' rule with a uniform prior.

    Masses are correct to 1e-15, whatever the conflict and the number of sources. A positive mass
    never becomes 0: below the range of floats it is the smallest of them, 5e-324. All sources
    should be combined in one call, because such a mass has no digits.

    References
    ----------
    Dempster, A. P. (1967). Upper and lower probabilities induced by a multivalued mapping.
    Annals of Mathematical Statistics 38, 325-339. Xu, P. et al. (2016), eq. 6-7.

    Examples
    --------
    Zadeh's two physicians agree on one disease only, which both consider almost impossible:

    >>> from dstheory import Frame
    >>> frame = Frame(["a", "b", "c"])
    >>> m1 = MassFunction.from_dict(frame, {"a": 1 - 1e-9, "c": 1e-9})
    >>> m2 = MassFunction.from_dict(frame, {"b": 1 - 1e-9, "c": 1e-9})
    >>> dempster(m1, m2)
    MassFunction on {a, b, c}
      {c}  1
    """
    return combined("dempster", (m1, m2, *more), total_conflict, log=log)
