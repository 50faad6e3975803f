"""LNS: many separable sources, most of which are reliable.

The sources are decomposed into simple mass functions. Those on the same set form a group and are
combined; each group is discounted by its share of all simple mass functions; and the groups are
combined conjunctively. A single opinion counts little among hundreds, and the conflict does not
tend to 1. Zhou, Martin & Pan 2018.
"""

from fractions import Fraction
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory._masses import batch_of, certain
from dstheory._typing import Scalar
from dstheory.checks.arguments import as_real
from dstheory.checks.masses import check_number
from dstheory.combine._weights import lowered, sparse_weights
from dstheory.combine.sources import any_exact, combination_rule
from dstheory.errors import MassError
from dstheory.kernels import bits
from dstheory.kernels.rows import first_entry, refuse_rows
from dstheory.mass import MassFunction

# Up to this exponent, powers of ratios of sizes are exact on exact masses.
_MOST_EXACT = 10_000


@combination_rule
def lns(
    m1: MassFunction,
    m2: MassFunction,
    *more: MassFunction,
    eta: Scalar = 0,
    approximate: bool = False,
    atol: float = 1e-12,
) -> MassFunction:
    """Rule for large numbers of separable sources (LNS, and LNSa).

    Each source is a conjunctive combination of simple mass functions Aᵂ (w stays on the frame).
    Group k, the s_k sources with a weight below 1 on A_k, has the product w_k of these weights and
    the discount factor α_k = β_k s_k / Σ β s, β_k = (K / |A_k|)^η; the result is the conjunctive
    combination of all A_k with weight 1 - α_k + α_k w_k.

    Parameters
    ----------
    m1, m2, *more : MassFunction
        Separable sources (all conjunctive weights at most 1) on one frame; their batch
        shapes broadcast. Simple ones may be categorical.
    eta : float
        η, at least 0: how much more specific sets count. With 0 they count no more; with infinity
        only the smallest sets count.
    approximate : bool
        LNSa: take w_k = 0, the limit of large groups.
    atol : float
        A floating weight counts as 1 within this tolerance.

    Returns
    -------
    MassFunction
        In general not normalized; m(∅) indicates conflict.

    Raises
    ------
    MassError
        If a source is not separable, or is dogmatic and not simple, or if a source has a
        weight on the empty set and `eta` is not 0.
    ValueError
        If `eta` is negative.
    FrameError
        If the frames differ.
    TypeError
        If a source is not a mass function.

    Notes
    -----
    Commutative, not associative: combine all sources in one call. The vacuous mass
    function is neutral.

    References
    ----------
    Zhou, K., Martin, A. & Pan, Q. (2018). A belief combination rule for a large number of
    sources. Journal of Advances in Information Fusion; arXiv:1707.07999.

    Examples
    --------
    Two sources support a and one supports b. Group {a} has w = 1/4 and α = 2/3; group {b} has w =
    1/2 and α = 1/3.

    >>> from fractions import Fraction
    >>> from dstheory import Frame
    >>> frame = Frame(["a", "b"])
    >>> half = Fraction(1, 2)
    >>> m1 = MassFunction.from_dict(frame, {"a": half, frame: half})
    >>> m2 = MassFunction.from_dict(frame, {"b": half, frame: half})
    >>> lns(m1, m1, m2)
    MassFunction on {a, b}
      {}      1/12
      {a}     5/12
      {b}     1/12
      {a, b}  5/12
    """
    sources = (m1, m2, *more)
    frame = m1.frame
    check_number(eta, "eta")
    if not eta >= 0:
        raise ValueError(f"eta is {eta!r}, expected at least 0")
    sets, counts, products = _groups(sources, atol)
    emphasis = _emphasis(sets, eta, counts)
    total = (emphasis * counts).sum(axis=0)
    alpha = emphasis * counts / np.where(total == 0, 1, total)
    moved = alpha * (1 if approximate else 1 - products)
    vacuous = certain(frame, frame.full, dtype=products.dtype)
    if products.dtype == object:
        return lowered(vacuous, sets, 1 - moved)
    with np.errstate(divide="ignore"):  # ln 0 = -inf: a certain group alone
        return lowered(vacuous, sets, np.log1p(-moved))


def _groups(
    sources: tuple[MassFunction, ...], atol: float
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Sets (G,), how many sources are on each, and the products of their weights."""
    parts = [_simple_weights(m, number, atol) for number, m in enumerate(sources, start=1)]
    sets = np.unique(np.concatenate([part[0] for part in parts]))
    shape = (len(sets), *batch_of(*sources))
    one: Any = Fraction(1) if any_exact(sources) else 1.0
    counts, products = np.full(shape, 0 * one), np.full(shape, one)
    for own, weights in parts:
        for place, weight in zip(np.searchsorted(sets, own), weights, strict=True):
            counts[place] += np.where(_counts(weight, atol), one, 0 * one)
            products[place] *= weight
    return sets, counts, products


def _simple_weights(m: MassFunction, number: int, atol: float) -> tuple[NDArray[Any], NDArray[Any]]:
    """Sets other than the frame and their weights, all at most 1."""
    proper = np.asarray(m.focal != m.frame.full, dtype=bool)
    simple, own = np.asarray(m.is_simple, dtype=bool), 1 - m.store[proper]
    if simple.all():
        return m.focal[proper], own
    ignorance = 1 - proper.reshape(-1, *(1,) * simple.ndim)  # for rows that may be categorical
    others = MassFunction.from_store(m.frame, m.focal, np.where(simple, ignorance, m.store))
    sets, weights = sparse_weights(others, number)
    if weights.dtype != object:
        weights = np.exp(np.minimum(weights, 1))  # any value above 1 serves
    at = np.searchsorted(sets, m.focal[proper])
    weights[at] = np.where(simple, own, weights[at])
    above = np.asarray(weights > 1 + atol, dtype=bool)
    if above.any():
        event = m.frame.event(int(sets[first_entry(above)[0]]))
        fault = f"source {number} is not separable, as its weight on {event!r} is above 1"
        refuse_rows(above.any(axis=0), fault, "combine it by cautious or dempster")
    return sets[:-1], np.minimum(weights[:-1], 1)  # the frame stands last


def _counts(weight: NDArray[Any], atol: float) -> NDArray[np.bool_]:
    """Whether the weight is below 1, so that there is a simple mass function at all."""
    if np.asarray(weight).dtype == object:
        return np.asarray(weight != 1, dtype=bool)
    return np.asarray(weight < 1 - atol, dtype=bool)


def _emphasis(sets: NDArray[Any], eta: Scalar, counts: NDArray[Any]) -> NDArray[Any]:
    """β (G, *batch) of each set, scaled to 1 for the smallest sets of a row."""
    if eta == 0:
        return np.ones_like(counts)
    present = np.asarray(counts > 0, dtype=bool)
    if len(sets) and sets[0] == 0 and present[0].any():
        raise MassError("a source has a weight on the empty set; use eta=0 for such sources")
    sizes = np.maximum(bits.cardinality(sets), 1).reshape(-1, *(1,) * (counts.ndim - 1))
    sizes = np.where(present, sizes, 0)
    least = np.where(present, sizes, np.iinfo(np.int64).max).min(axis=0, initial=1 << 62)
    if counts.dtype != object:
        return np.where(
            present, np.power(least / np.maximum(sizes, least), as_real("eta", eta)), 0.0
        )
    pairs = zip(
        np.broadcast_to(least, sizes.shape).ravel().tolist(), sizes.ravel().tolist(), strict=True
    )
    exact = [_power(Fraction(low, size), eta) if size else Fraction(0) for low, size in pairs]
    return np.array(exact, dtype=object).reshape(sizes.shape)


def _power(ratio: Fraction, eta: Scalar) -> Fraction:
    """The power, rounded if the exponent is not an integer or the result would be huge."""
    if isinstance(eta, Integral) and eta <= _MOST_EXACT:
        return Fraction(ratio ** int(eta))
    return Fraction(float(ratio) ** as_real("eta", eta))
