"""Revision by uncertain input: Jeffrey's rule for belief functions.

The prior is conditioned on each focal set of the input, and the results are averaged with the
masses of the input. If conditioning is impossible, the mass stays on the event, because the input
takes precedence. Ichihashi & Tanaka 1989; Ma, Liu, Dubois & Prade 2011.
"""

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dstheory._masses import batch_of, check_mass, collect
from dstheory.checks.arguments import check_choice
from dstheory.frame import same_frame
from dstheory.kernels import bits, predicates
from dstheory.kernels.batches import stretch
from dstheory.kernels.rows import refuse_rows
from dstheory.mass import MassFunction


def jeffrey(
    prior: MassFunction, evidence: MassFunction, *, rule: Literal["outer", "inner"] = "outer"
) -> MassFunction:
    """Revise a prior by an uncertain input that must be accepted (Jeffrey's rule).

    m(A) is the sum over events B of evidence(B) m(A | B). The outer rule uses Dempster's
    rule of ``condition``, the inner rule the geometric one.
    If the prior excludes B (outer) or does not support it (inner), the mass stays on B.

    Parameters
    ----------
    prior : MassFunction
        The prior belief.
    evidence : MassFunction
        The input, normalized; its batch broadcasts with the prior's.
    rule : {"outer", "inner"}
        The kind of conditioning.

    Returns
    -------
    MassFunction
        Normalized, and a specialization of `evidence`. In general not symmetric.

    Raises
    ------
    MassError
        If `evidence` gives mass to the empty set in a row.
    FrameError
        If the frames differ.
    TypeError
        If an argument is not a mass function.
    ValueError
        If `rule` is unknown, or the batches do not broadcast.

    See Also
    --------
    dstheory.combine.dempster : symmetric fusion of two reliable sources.

    Notes
    -----
    With a Bayesian prior and an input on a partition, both rules are Jeffrey's; with a
    categorical input they are conditioning. Mass of the prior on the empty set has no
    influence. Ichihashi & Tanaka call the rules plausible and credible conditioning.

    References
    ----------
    Ichihashi & Tanaka (1989), Jeffrey-like rules of conditioning for the Dempster-Shafer
    theory of evidence, International Journal of Approximate Reasoning 3; Ma, Liu, Dubois &
    Prade (2011), Bridging Jeffrey's rule, AGM revision and Dempster conditioning in the
    theory of evidence, International Journal on Artificial Intelligence Tools 20 (inner
    and outer revision).

    Examples
    --------
    Jeffrey: P(ant) becomes 0.8 * 0.25 / (0.25 + 0.25).

    >>> from dstheory import Frame
    >>> frame = Frame(["ant", "bee", "cat"])
    >>> prior = MassFunction.from_dict(frame, {"ant": 0.25, "bee": 0.25, "cat": 0.5})
    >>> evidence = MassFunction.from_dict(frame, {("ant", "bee"): 0.8, "cat": 0.2})
    >>> jeffrey(prior, evidence).contour()
    array([0.4, 0.4, 0.2])
    """
    frame = same_frame(check_mass(prior, "prior").frame, check_mass(evidence, "evidence").frame)
    refuse_rows(
        evidence.mass(mask=0) != 0,
        "evidence gives mass to the empty set",
        "nothing can be taken for certain there: use .normalize() first",
    )
    check_choice("rule", rule, ("outer", "inner"))
    focal, sets = prior.focal, evidence.focal
    if rule == "outer":
        kept = np.asarray(np.bitwise_and.outer(sets, focal) != 0, dtype=bool)
    else:
        kept = np.array([bits.subset_of(focal, int(event)) for event in sets])
        kept &= np.asarray(focal != 0, dtype=bool)
    return collect(frame, *_conditioned(prior, evidence, kept)).prune()


def _conditioned(
    prior: MassFunction, evidence: MassFunction, kept: NDArray[np.bool_]
) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
    """For each event, the conditioned prior times its mass, and the mass that stays on the event.

    The division comes first: a mass divided by a total of 1e-310 would overflow.
    """
    batch = batch_of(prior, evidence)
    store, shares = stretch(prior.store, batch), stretch(evidence.store, batch)
    for event, share, inside in zip(evidence.focal, shares, kept, strict=True):
        total = np.asarray(store[inside].sum(axis=0))
        lost = predicates.small(total, 0)
        conditional = store[inside] / np.where(lost, 1, total)
        yield prior.focal[inside] & event, np.asarray(conditional * share)
        yield np.array([event]), np.asarray(np.where(lost, share, share * 0))[np.newaxis]
