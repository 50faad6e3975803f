"""Bounds of Bel, Pl and BetP when masses or discount rates are known up to intervals.

After Dempster's rule, a conclusion is linear-fractional in the masses of each source if the others
are fixed. So its extremes are at vertices of the polytopes of the sources. All sources but one run
through their vertices; over the last one, the quotient is maximized exactly, by linear steps.
Sources: Denoeux, Reasoning with imprecise belief structures, International Journal of Approximate
Reasoning 20, 1999, 79-111; Dinkelbach, On nonlinear fractional programming, Management Science 13,
1967, 492-498.

Outer bounds after Dempster's rule of two imprecise sources, by one linear program each.

Products z(A, B) = x(A) y(B) become variables that satisfy the consequences of the bounds and of
both sums being 1 (reformulation-linearization). Scaling makes the quotient linear. The feasible set
of the program contains all possible masses. Sources: Sherali & Alameddine, A new
reformulation-linearization technique for bilinear programming problems, Journal of Global
Optimization 2, 1992, 379-410; Charnes & Cooper, Programming with linear fractional functionals,
Naval Research Logistics Quarterly 9, 1962, 181-186.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory._masses import check_mass
from dstheory._typing import Event, Floats, Numbers
from dstheory.checks.arguments import as_sequence, check_count, check_instance
from dstheory.checks.naming import RATES, one_of, shares_by_name
from dstheory.checks.shares import as_share, complement
from dstheory.combine import dempster
from dstheory.errors import DSTheoryError, TotalConflictError
from dstheory.exact._conclusions import (
    by_name,
    check_quantity,
    columns,
    conclusion,
    named_sources,
    weights,
)
from dstheory.exact._imprecise import ImpreciseMass
from dstheory.frame import same_frame
from dstheory.kernels.batches import scalar
from dstheory.kernels.limits import check_cost
from dstheory.kernels.programs import minimized
from dstheory.mass import MassFunction
from dstheory.revise import discount

# 9 * 400 rows of 401 doubles take 12 MB.
_MAX_PAIRS = 400


def relaxed_bounds(
    one: ImpreciseMass, two: ImpreciseMass, event: int, quantity: str
) -> tuple[float, float]:
    """Outer bounds over all pairs of mass functions from the two polytopes."""
    n_pairs = len(one.focal) * len(two.focal)
    check_cost(n_pairs, _MAX_PAIRS, "relax=True", "pairs of focal sets", "approximate a source")
    sets = np.bitwise_and.outer(one.focal, two.focal).ravel()
    counted = np.append(weights(sets, event, quantity).astype(float), 0)
    meeting = np.append((sets != 0).astype(float), 0)
    scale = np.append(np.ones(n_pairs), -1)  # the variables sum to their scale, the last variable
    ends = []
    for sign in (1, -1):
        solved = minimized(
            "outer bounds",
            sign * counted,
            A_ub=-_products(one, two),
            b_ub=np.zeros(9 * n_pairs),
            A_eq=np.stack([meeting, scale]),
            b_eq=[1, 0],
        )
        ends.append(sign * float(solved.fun))
    return max(ends[0], 0.0), min(ends[1], 1.0)


def _products(one: ImpreciseMass, two: ImpreciseMass) -> Floats:
    """Non-negative rows: products of two slacks, as linear forms in z and the scale."""
    size1, size2 = len(one.focal), len(two.focal)
    z = np.eye(size1 * size2)
    x = np.kron(np.eye(size1), np.ones((size2, size2)))  # x(A), the sum of z(A, B) over B
    y = np.kron(np.ones((size1, size1)), np.eye(size2))
    rows = []
    for a, up1 in _factors(one):
        for b, up2 in _factors(two):
            first, second = np.repeat(a, size2)[:, np.newaxis], np.tile(b, size1)[:, np.newaxis]
            product = np.hstack([z - first * y - second * x, first * second])
            rows.append(product if up1 == up2 else -product)
    return np.concatenate(rows)


def _factors(source: ImpreciseMass) -> list[tuple[Floats, bool]]:
    """Bounds of the masses, and whether they are lower bounds: x >= 0, x >= low, x <= high."""
    lower, upper = source.lower.astype(float), source.upper.astype(float)
    return [(np.zeros_like(lower), False), (lower, False), (upper, True)]


def belief_bounds(
    *sources: ImpreciseMass | MassFunction,
    event: Event,
    quantity: str = "bel",
    relax: bool = False,
    max_vertices: int = 20_000,
) -> tuple[Any, Any]:
    """Bounds of a conclusion from sources with imprecise masses.

    Parameters
    ----------
    *sources : ImpreciseMass or single MassFunction
        Several sources are combined by Dempster's rule.
    event : label, collection of labels, or the frame
    quantity : "bel", "pl" or "betp"
    relax : bool
        For two sources only: outer bounds, found by one linear program each for any number of
        vertices.
    max_vertices : int
        Maximum number of combined vertices of all sources but the one with the most vertices.

    Returns
    -------
    low, high : number
        Exact bounds, both attained; fractions stay exact. With `relax`, outer bounds: no value lies
        outside them (within 1e-9, the accuracy of the solver).

    Raises
    ------
    TotalConflictError
        If some masses within the bounds are in total conflict.
    DSTheoryError
        If there are more vertices than `max_vertices`, or if `relax` is used with other than two
        sources.
    FrameError
        If frames differ, or a label is unknown.
    ValueError
        If the quantity is unknown.
    TypeError
        If a source is of another type, or there is none.

    See Also
    --------
    discount_bounds : for reliabilities known up to intervals.

    Notes
    -----
    Interval arithmetic (combining first, with intervals of masses as the result) would give wider
    bounds, because the ends of those intervals are not attained together.

    Examples
    --------
    >>> from dstheory import Frame
    >>> frame = Frame(["ant", "bee"])
    >>> source = ImpreciseMass(frame, {"ant": (0.25, 0.5), "bee": (0, 0.25), frame: (0, 1)})
    >>> belief_bounds(source, event="ant"), belief_bounds(source, event="ant", quantity="pl")
    ((0.25, 0.5), (0.75, 1.0))
    >>> against = MassFunction.from_dict(frame, {"bee": 0.5, frame: 0.5})
    >>> low, high = belief_bounds(source, against, event="ant")
    >>> round(low, 4), round(high, 4)  # (1/8) / (7/8) and (1/4) / (3/4)
    (0.1429, 0.3333)
    """
    check_quantity(quantity)
    polytopes = [_polytope(source) for source in sources]
    if not polytopes:
        raise TypeError("there is no source; give at least one")
    frame = reduce(same_frame, (p.frame for p in polytopes))
    mask = frame.mask(event)
    if len(polytopes) == 1:
        scores = _like(weights(polytopes[0].focal, mask, quantity), polytopes[0])
        return _least_greatest(polytopes[0], scores)
    if relax:
        if len(polytopes) > 2:
            raise DSTheoryError(f"{len(polytopes)} sources; relax=True takes two")
        return relaxed_bounds(polytopes[0], polytopes[1], mask, quantity)
    return _vertex_bounds(polytopes, mask, quantity, max_vertices)


def _polytope(source: ImpreciseMass | MassFunction) -> ImpreciseMass:
    if isinstance(source, ImpreciseMass):
        return source
    check_instance("a source", source, MassFunction, "an ImpreciseMass or a MassFunction")
    if source.batch_shape:
        raise DSTheoryError(f"batch shape is {source.batch_shape}; give single mass functions")
    return ImpreciseMass(source.frame, {frozenset(e): m for e, m in source.to_dict().items()})


def _like(weight: NDArray[Any], source: ImpreciseMass) -> NDArray[Any]:
    """Weights, converted to the kind of number of the masses."""
    return weight.astype(float) if source.lower.dtype != object else weight * 1


def _least_greatest(source: ImpreciseMass, scores: NDArray[Any]) -> tuple[Any, Any]:
    ends = ((source.best(sign * scores) * scores).sum() for sign in (-1, 1))
    low, high = (scalar(end) for end in ends)
    return low, high


def _vertex_bounds(
    sources: Sequence[ImpreciseMass], event: int, quantity: str, max_vertices: int
) -> tuple[Any, Any]:
    """Exact bounds, from the vertices of all sources but the largest and its best point."""
    ordered = sorted(sources, key=lambda source: int((source.lower != source.upper).sum()))
    points = [source.vertices(max_count=max_vertices) for source in ordered[:-1]]
    total = math.prod(len(batch) for batch in points)
    advice = "fix some masses, raise max_vertices, or use relax=True (two sources, outer bounds)"
    check_cost(total, max_vertices, "an exact bound", "combined vertices", advice)
    free = ordered[-1]
    others = reduce(dempster, (_along(batch, i, len(points)) for i, batch in enumerate(points)))
    flat = others.reshape(total)
    n, d = columns(free.focal, flat, event, quantity)
    if (_dot(free.best(-d), d) <= _noise(sources)).any():
        raise TotalConflictError(
            "some masses within the bounds exclude each other totally, where there is no "
            "conclusion; raise the least mass of a set on which the sources agree"
        )
    return -max(_greatest(free, -n, d)), max(_greatest(free, n, d))


def _noise(sources: Sequence[ImpreciseMass]) -> float:
    """Agreement that may be a rounding error: 1 - 0.9 - 0.1 is 1e-17."""
    rounded = [s for s in sources if s.lower.dtype != object and (s.lower != s.upper).any()]
    return 1e-14 if rounded else 0


def _along(batch: MassFunction, axis: int, n_axes: int) -> MassFunction:
    """A batch of vertices along its own axis."""
    return batch.reshape(*(len(batch) if i == axis else 1 for i in range(n_axes)))


def _dot(masses: NDArray[Any], values: NDArray[Any]) -> NDArray[Any]:
    return np.asarray((masses * values).sum(axis=0))


def _greatest(source: ImpreciseMass, n: NDArray[Any], d: NDArray[Any]) -> list[Any]:
    """Largest quotient of each column, by Dinkelbach's method, which ends at a vertex."""
    masses = source.best(n)
    value = _dot(masses, n) / _dot(masses, d)
    while True:
        masses = source.best(n - value * d)
        better = _dot(masses, n) / _dot(masses, d)
        if not (better > value).any():
            return list(value.tolist())
        value = np.where(better > value, better, value)


@shares_by_name(**RATES)
def discount_bounds(
    sources: Mapping[str, MassFunction] | Sequence[MassFunction],
    event: Event,
    quantity: str = "bel",
    *,
    rates: Any = None,
    reliabilities: Numbers | None = None,
    max_vertices: int = 65_536,
) -> tuple[Any, Any]:
    """Bounds of a conclusion if discount rates are known up to intervals.

    Parameters
    ----------
    sources : list or dict of single MassFunction
        Dempster's rule combines them after discounting.
    event : label, collection of labels, or the frame
    quantity : "bel", "pl" or "betp"
    rates : sequence or dict of (low, high) or number
        One for each source.
    reliabilities : sequence or dict of (low, high) or number
        1 - rate for each source. Give either `rates` or `reliabilities`.
    max_vertices : int
        Maximum number of corners to try, 2^(number of intervals).

    Returns
    -------
    low, high : number
        Exact: a conclusion is linear-fractional in each rate, so its extremes are at corners.

    Raises
    ------
    TotalConflictError
        If the sources exclude each other at some corner.
    DSTheoryError
        If there are more corners than `max_vertices`, or a source is a batch.
    ValueError
        If the quantity is unknown, or rates and sources do not match.
    MassError
        If a share does not lie between 0 and 1.
    TypeError
        If not exactly one of `rates` and `reliabilities` is given by name.

    Examples
    --------
    A witness whose reliability is at least 1/2:

    >>> from dstheory import Frame
    >>> frame = Frame(["ant", "bee"])
    >>> witness = MassFunction.from_dict(frame, {"ant": 1})
    >>> discount_bounds([witness], "ant", reliabilities=[(0.5, 1)])
    (0.5, 1.0)
    """
    check_count("max_vertices", max_vertices)
    check_quantity(quantity)
    named = named_sources(sources)
    ends = _ends(*one_of(rates=rates, reliabilities=reliabilities), list(named))
    total = math.prod(len(pair) for pair in ends)
    check_cost(total, max_vertices, "a bound over all rates", "corners", "fix some rates")
    discounted = [
        _corners(m, pair, i, len(ends))
        for i, (m, pair) in enumerate(zip(named.values(), ends, strict=True))
    ]
    m = reduce(dempster, discounted[1:], discounted[0].normalize())
    values = conclusion(m, m.frame.mask(event), quantity).ravel().tolist()
    return min(values), max(values)


def _ends(name: str, shares: object, names: list[str]) -> list[tuple[Any, ...]]:
    """Ends of the interval of rates of each source, one or two."""
    shares = by_name(shares, names, name)
    if isinstance(shares, Mapping):
        odd = sorted(map(str, set(shares) ^ set(names)))
        if odd:
            raise ValueError(f"{name} are missing or unknown for {odd}; the sources are {names}")
        shares = [shares[source] for source in names]
    shares = as_sequence(shares, name, "one for each source")
    if len(shares) != len(names):
        raise ValueError(f"there are {len(shares)} {name} for {len(names)} sources")
    ends = [tuple(np.atleast_1d(np.asarray(share, object)).tolist()) for share in shares]
    one = "rate" if name == "rates" else "reliability"
    for pair in ends:
        if not 1 <= len(pair) <= 2 or pair[0] > pair[-1]:
            raise ValueError(
                f"a {one} is {pair}, expected a number or (low, high) with low <= high"
            )
    if name == "reliabilities":
        ends = [tuple(complement(as_share(pair, one))[::-1].tolist()) for pair in ends]
    return [tuple(dict.fromkeys(pair)) for pair in ends]


def _corners(m: MassFunction, ends: tuple[Any, ...], axis: int, n_axes: int) -> MassFunction:
    if check_mass(m, "a source").batch_shape:
        raise DSTheoryError(f"batch shape is {m.batch_shape}; give single mass functions")
    shape = tuple(len(ends) if i == axis else 1 for i in range(n_axes))
    values = np.array(ends, dtype=None if m.store.dtype != object else object)
    return discount(m, rate=values.reshape(shape))
