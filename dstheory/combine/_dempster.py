"""Dempster's rule: the conjunctive rule, normalized by what the sources agree on.

Each step divides by the sum of the non-empty masses, never by 1 - kappa, so no digits are lost when
the conflict is near 1. Products beyond the range of floats are added up as logarithms.

Source: Dempster 1967; Shafer 1976, A Mathematical Theory of Evidence, ch. 3; Xu et al. 2016,
eq. 6-7.
"""

from functools import reduce

import numpy as np

from dstheory._masses import batch_of
from dstheory.combine.sources import any_exact, check_sources, combination_rule
from dstheory.kernels.arguments import check_flag
from dstheory.kernels.batches import stretch
from dstheory.kernels.pairwise import agreement, log_agreement, logarithms, refuse_total_conflict
from dstheory.mass import MassFunction

__all__ = ["dempster"]


@combination_rule
def dempster(
    m1: MassFunction, m2: MassFunction, *more: MassFunction, log: bool = False
) -> MassFunction:
    """Dempster's rule, the orthogonal sum: all sources are reliable and independent.

    For C not empty, m(C) is the sum of m1(A) m2(B) over A ∩ B = C, divided by the sum of
    m1(A) m2(B) over all A and B that meet; m(∅) = 0.

    Parameters
    ----------
    m1, m2, *more : MassFunction
        Sources on one frame; their batch shapes broadcast.
    log : bool
        Work with logarithms of masses. Only needed for hundreds of sources: without it, a mass that
        falls below 1e-308 is lost even if all later sources support it.

    Returns
    -------
    MassFunction
        Normalized.

    Raises
    ------
    TotalConflictError
        If sources exclude each other; the message names the rows.
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

    Masses are correct to 1e-15, whatever the conflict. Only a mass whose products are below 1e-308
    while another is near 1 loses digits or becomes 0; ``log=True`` keeps it.

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
    check_flag("log", log)
    check_sources(m1, m2, *more)
    if log and not any_exact((m1, m2, *more)):  # exact masses never underflow
        return _by_logarithms((m1, m2, *more))
    return reduce(_orthogonal_sum, (m1, m2, *more))


def _orthogonal_sum(m1: MassFunction, m2: MassFunction) -> MassFunction:
    """Two sources: sums of m1(A) m2(B) over A ∩ B = C, normalized; as ``m1 @ m2``."""
    focal, sums, total = agreement(m1.focal, m1.store, m2.focal, m2.store)
    refuse_total_conflict(total)
    sums /= total  # in place: there may be no memory for a second large batch
    return MassFunction.from_store(m1.frame, focal, sums)


def _by_logarithms(sources: tuple[MassFunction, ...]) -> MassFunction:
    """Dempster's rule with logarithms throughout: no mass ever becomes too small to recover."""
    batch = batch_of(*sources)
    first, *others = ((m.focal, logarithms(stretch(m.store, batch))) for m in sources)
    focal, logs = first[0], first[1]
    for other in others:
        focal, logs = log_agreement((focal, logs), other)
        top = logs.max(axis=0, initial=-np.inf)
        refuse_total_conflict(np.isfinite(top).astype(np.float64))
    masses = np.exp(logs - np.logaddexp.reduce(logs, axis=0))
    return MassFunction.from_store(sources[0].frame, focal, np.array(masses, order="C"))
