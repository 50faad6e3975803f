"""Conflict between sources, and within one belief.

The classical measure is the mass that the conjunctive rule gives to the empty set; it is positive
even for two equal probabilities. Contours measure instead how plausible the most plausible answer
remains (Shafer 1976, "A Mathematical Theory of Evidence"; Destercke & Burger 2013, "Toward an
axiomatic definition of conflict between belief functions").
"""

from functools import reduce
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from dstheory._masses import batch_of, check_mass, check_masses
from dstheory._typing import Floats
from dstheory.checks.arguments import check_choice, check_count
from dstheory.kernels import setwise
from dstheory.kernels.batches import scalar, stretch
from dstheory.kernels.pairwise import SMALL_TOTAL, log_agreement, logarithms
from dstheory.mass import MassFunction
from dstheory.transform import tables

# With that many copies, a mass of 1e-18 has become 0 or 1.
_MOST_COPIES = 2**63


def _joint(m1: MassFunction, m2: MassFunction, *, disjoint: bool) -> NDArray[Any]:
    """Sum of m1(A) m2(B) over the pairs of sets that are disjoint, or that meet."""
    batch = batch_of(m1, m2)
    pairs = np.asarray((np.bitwise_and.outer(m2.focal, m1.focal) == 0) == disjoint, dtype=bool)
    facing = setwise.weighted_sum(pairs, m1.store)
    return np.asarray((stretch(facing, batch) * stretch(m2.store, batch)).sum(axis=0))


ConflictMeasure = Literal["mass", "weight", "contour"]


def conflict(
    m1: MassFunction, m2: MassFunction, *more: MassFunction, kind: ConflictMeasure = "mass"
) -> Any:
    """How much sources contradict each other.

    Parameters
    ----------
    m1, m2, *more : MassFunction
        Sources on one frame; batches broadcast.
    kind : {"mass", "weight", "contour"}
        "mass": the degree of conflict kappa, the mass of the empty set after the conjunctive rule.
        "weight": Shafer's weight of conflict, -ln(1 - kappa); weights add up if Dempster's rule
        combines sources one after another. "contour": 1 minus the largest joint plausibility of a
        label (Destercke & Burger), 0 if some label is fully plausible to all.

    Returns
    -------
    number, or array of the batch shape
        From 0 to 1, exact for exact masses; a weight is a float, infinite for total conflict.

    Raises
    ------
    FrameError
        If frames differ.
    ValueError
        If `kind` is unknown.

    Notes
    -----
    For a weight, 1 - kappa is a sum over the sets that meet, computed by logarithms if necessary,
    so even conflicts of 1 - 1e-18 or 1 - 1e-600 are accurate. The contour of the conjunctive
    combination is the product of the contours.

    References
    ----------
    Shafer (1976), A Mathematical Theory of Evidence, ch. 3; Destercke & Burger (2013), Toward an
    axiomatic definition of conflict between belief functions, IEEE Trans. Cybernetics 43.

    Examples
    --------
    >>> from dstheory import Frame, MassFunction
    >>> frame = Frame(["ant", "bee"])
    >>> m1 = MassFunction.from_dict(frame, {"ant": 0.5, frame: 0.5})
    >>> m2 = MassFunction.from_dict(frame, {"bee": 0.5, frame: 0.5})
    >>> conflict(m1, m2), conflict(m1, m2, kind="contour")
    (0.25, 0.5)
    >>> round(conflict(m1, m2, kind="weight"), 4)  # -ln(0.75)
    0.2877
    """
    check_choice("kind", kind, get_args(ConflictMeasure))
    sources = (m1, m2, *more)
    check_masses(*sources)
    if kind == "contour":
        joint = reduce(lambda one, two: one * two, (m.contour() for m in sources))
        return scalar(1 - joint.max(axis=-1))
    joined, last = reduce(lambda one, two: one & two, sources[:-1]), sources[-1]
    kappa = _joint(joined, last, disjoint=True)
    if kind == "mass":
        return scalar(kappa)
    agreed = _joint(joined, last, disjoint=False).astype(np.float64)
    return scalar(_weight(kappa.astype(np.float64), agreed, sources))


def _weight(kappa: Floats, agreed: Floats, sources: tuple[MassFunction, ...]) -> Floats:
    """Weights of conflict, from the mass of disjoint sets and that of sets that meet."""
    low = kappa < 0.5
    with np.errstate(divide="ignore"):  # total conflict has infinite weight
        weight = np.where(low, -np.log1p(-np.where(low, kappa, 0)), -np.log(agreed))
    small = ~low & (agreed < SMALL_TOTAL)
    if small.any():
        weight = np.where(small, -_log_agreed(sources), weight)
    return np.asarray(weight + 0.0)


def _log_agreed(sources: tuple[MassFunction, ...]) -> NDArray[np.float64]:
    """ln of the mass of non-empty intersections, even if the mass underflows."""
    batch = batch_of(*sources)
    stores = (stretch(m.store, batch).astype(np.float64) for m in sources)
    parts = [(m.focal, logarithms(store)) for m, store in zip(sources, stores, strict=True)]
    _, logs = reduce(log_agreement, parts)
    return np.asarray(np.logaddexp.reduce(logs, axis=0, initial=-np.inf))


def disagreement(m1: MassFunction, m2: MassFunction) -> Any:
    """How much the belief in some event exceeds its plausibility for the other source.

    Parameters
    ----------
    m1, m2 : MassFunction
        Sources on one frame of at most 26 labels; batches broadcast. Subnormal ones are
        normalized first.

    Returns
    -------
    number, or array of the batch shape
        The largest Bel1(A) - Pl2(A), from 0 to 1; exact for exact masses. It is 0 if and
        only if some probability agrees with both sources.

    Raises
    ------
    DSTheoryError
        If the frame has more than 26 labels.
    FrameError
        If frames differ.
    TotalConflictError
        If all mass of a row is on the empty set.

    Notes
    -----
    Exchanging the sources changes nothing: Bel1(A) - Pl2(A) is Bel2 - Pl1 of the complement.
    That the credal sets meet if it is 0 is the sandwich theorem for 2-monotone capacities.

    References
    ----------
    Walley (1991), Statistical Reasoning with Imprecise Probabilities (avoiding sure loss).

    Examples
    --------
    >>> from dstheory import Frame, MassFunction
    >>> frame = Frame(["ant", "bee"])
    >>> m1 = MassFunction.from_dict(frame, {"ant": 0.75, frame: 0.25})
    >>> disagreement(m1, MassFunction.from_dict(frame, {"bee": 0.5, frame: 0.5}))
    0.25
    """
    check_masses(m1, m2)
    gaps = tables.table(m1.normalize(), "bel") - tables.table(m2.normalize(), "pl")
    return scalar(gaps.max(axis=-1))  # at least 0, from the empty set


def inconsistency(m: MassFunction) -> Any:
    """How much a belief contradicts itself, 1 minus the largest plausibility of a label.

    Parameters
    ----------
    m : MassFunction
        One or a batch; subnormal ones are not normalized.

    Returns
    -------
    number, or array of the batch shape
        0 if and only if all focal sets have a common label; exact for exact masses.

    References
    ----------
    Destercke & Burger (2013), Toward an axiomatic definition of conflict between belief
    functions, IEEE Trans. Cybernetics 43.

    Examples
    --------
    >>> from dstheory import Frame, MassFunction
    >>> inconsistency(MassFunction(Frame(["ant", "bee"]), [1, 2], [0.75, 0.25]))
    0.25
    """
    check_mass(m)
    return scalar(1 - m.contour().max(axis=-1))


def auto_conflict(m: MassFunction, order: int = 2) -> Any:
    """Mass of the empty set after combining a belief with itself.

    Parameters
    ----------
    m : MassFunction
        One or a batch; subnormal ones are not normalized.
    order : int, at least 1
        Number of copies combined by the conjunctive rule.

    Returns
    -------
    number, or array of the batch shape
        Grows with `order`, and tends to 1 unless all focal sets meet; exact for exact masses.

    Raises
    ------
    ValueError
        If `order` is below 1.

    References
    ----------
    Osswald & Martin (2006), Understanding the large family of Dempster-Shafer theory's
    fusion operators - a decision-based measure.

    Examples
    --------
    >>> from dstheory import Frame, MassFunction
    >>> m = MassFunction(Frame(["ant", "bee"]), [1, 2], [0.5, 0.5])
    >>> auto_conflict(m), auto_conflict(m, 3)
    (0.5, 0.75)
    """
    check_mass(m)
    check_count("order", order, 1, _MOST_COPIES)
    if order == 1:
        return m.mass(mask=0)
    half = _power(m, int(order) // 2)
    return conflict(half, half if order % 2 == 0 else half & m)


def _power(m: MassFunction, exponent: int) -> MassFunction:
    """The conjunctive combination of `exponent` copies, by squaring."""
    if exponent == 1:
        return m
    half = _power(m, exponent // 2)
    return half & half if exponent % 2 == 0 else half & half & m
