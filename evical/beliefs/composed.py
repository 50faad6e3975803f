"""Beliefs made of others: means, parts about some of the rows, Dempster's rule, and conflict."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Any, Self, TypeVar, final

import numpy as np
from numpy.typing import NDArray

from dstheory import Frame, MassFunction
from dstheory.checks.arguments import as_array, as_floats
from dstheory.combine import conjunctive, mixing
from dstheory.kernels.rounding import unit_rows
from evical._typing import Flags, Floats, Indices
from evical.beliefs._base import Beliefs
from evical.beliefs.bounded import Bayesian
from evical.beliefs.estimate import Estimate
from evical.beliefs.joined import MAX_PRODUCTS, Joined, have_products
from evical.beliefs.listed import Listed
from evical.beliefs.products import Products
from evical.scores.checks import refuse

A = TypeVar("A", bound=NDArray[Any])


@final
@dataclass(frozen=True, eq=False)
class _Mean(Beliefs):
    """Weighted mean of the mass functions of several beliefs about the same samples."""

    parts: tuple[Beliefs, ...]
    weights: tuple[float, ...]

    @property
    def classes(self) -> NDArray[Any]:  # type: ignore[override]  # of the parts
        return self.parts[0].classes

    def __len__(self) -> int:
        return len(self.parts[0])

    def __getitem__(self, rows: Any) -> Self:
        return type(self)(tuple(part[rows] for part in self.parts), self.weights)

    @property
    def n_products(self) -> int | None:
        return _total(part.n_products for part in self.parts)

    @property
    def silent(self) -> Flags:
        """Rows (n,) about which all parts are silent."""
        return np.asarray(np.logical_and.reduce([part.silent for part in self.parts]))

    def mass(self) -> MassFunction:
        return mixing(*(part.mass() for part in self.parts), weights=self.weights)

    @property
    def estimate(self) -> Estimate | None:  # type: ignore[override]  # of the parts
        return _mean_estimate(self.parts, self.weights)

    def _sum(self, answers: Sequence[Floats]) -> Floats:
        return _weighted(self.weights, answers)

    def betp(self) -> Floats:
        return self._sum([part.betp() for part in self.parts])

    def interval(self) -> Floats:
        return np.minimum(self._sum([part.interval() for part in self.parts]), 1)

    def lower(self, utilities: Floats) -> Floats:
        return self._sum([part.lower(utilities) for part in self.parts])

    def products(self) -> Products:
        return Products.mean([part.products() for part in self.parts], self.weights)


class _InParts(Beliefs):
    """Beliefs about some rows of n, in disjoint parts; vacuous elsewhere."""

    n: int
    parts: Sequence[tuple[Indices, Beliefs]]

    def __len__(self) -> int:
        return self.n

    @property
    def n_products(self) -> int | None:
        numbers = [part.n_products for _, part in self.parts]
        some = sum(len(rows) for rows, _ in self.parts) < self.n
        return None if None in numbers else max(filter(None, numbers), default=0) + some

    @property
    def silent(self) -> Flags:
        """Rows (n,) in no part, or about which a part is silent."""
        return _filled(np.ones(self.n, dtype=bool), self.parts, lambda part: part.silent)

    @property
    def estimate(self) -> Estimate | None:  # type: ignore[override]  # of the parts
        return _estimate_of_parts(self.classes, self.n, self.parts)

    def mass(self) -> MassFunction:
        return _gathered(self.frame, self.n, [(rows, part.mass()) for rows, part in self.parts])

    def betp(self) -> Floats:
        return _filled(_even(self.n, self.classes), self.parts, lambda part: part.betp())

    def interval(self) -> Floats:
        return _filled(_unknown(self.n, self.classes), self.parts, lambda part: part.interval())

    def contour(self) -> Floats:
        certain = np.ones((self.n, len(self.classes)))
        return _filled(certain, self.parts, lambda part: part.contour())

    def lower(self, utilities: Floats) -> Floats:
        worst = np.tile(utilities.min(axis=1), (self.n, 1)).astype(np.float64)
        return _filled(worst, self.parts, lambda part: part.lower(utilities))

    def products(self) -> Products:
        parts = [(rows, part.products()) for rows, part in self.parts]
        k, n = len(self.classes), self.n
        most = max((part.n_products for _, part in parts), default=0)
        single, scale = np.zeros((k, n)), np.zeros((most, n))
        absent, present = np.ones((most, k, n)), np.zeros((most, k, n))
        silent = np.ones(n, dtype=bool)
        for rows, part in parts:
            own = slice(part.n_products)
            single[:, rows], scale[own, rows] = part.single, part.scale
            absent[own, :, rows], present[own, :, rows] = part.absent, part.present
            silent[rows] = False
        return Products(self.classes, single, scale, absent, present).vacuous_where(silent)


@final
@dataclass(frozen=True, eq=False)
class _Placed(_InParts):
    classes: NDArray[Any]
    n: int
    parts: Sequence[tuple[Indices, Beliefs]]

    def __getitem__(self, rows: Any) -> Self:
        chosen = np.arange(self.n)[rows]
        place = np.full(self.n, -1)
        found = []
        for own, part in self.parts:
            place[own] = np.arange(len(own))
            inside = np.flatnonzero(place[chosen] >= 0)
            found.append((inside, part[place[chosen[inside]]]))
            place[own] = -1
        return type(self)(self.classes, len(chosen), found)


def _filled(
    start: A, parts: Sequence[tuple[Indices, Beliefs]], answer: Callable[[Beliefs], NDArray[Any]]
) -> A:
    """The answers of the parts, and what it starts with elsewhere."""
    for rows, part in parts:
        start[rows] = answer(part)
    return start


def _even(n: int, classes: NDArray[Any]) -> Floats:
    return np.full((n, len(classes)), 1 / len(classes))


def _unknown(n: int, classes: NDArray[Any]) -> Floats:
    return np.tile([0.0, 1.0], (n, len(classes), 1))


def _weighted(weights: Sequence[float], answers: Sequence[Floats]) -> Floats:
    """Weighted sum."""
    total = np.asarray(weights[0] * answers[0])
    part = np.empty_like(total)
    for weight, answer in zip(weights[1:], answers[1:], strict=True):
        total += np.multiply(weight, answer, out=part)
    return total


def _mean_estimate(parts: Sequence[Beliefs], weights: Sequence[float]) -> Estimate | None:
    """Means of the estimates and of both ends: the parts may err together."""
    if any(part.estimate is None for part in parts):
        return None

    def ends(level: float) -> Floats:
        return _weighted(weights, [part.confidence_interval(level) for part in parts])

    def point() -> Floats:
        return _weighted(weights, [part.probability() for part in parts])

    return Estimate(ends, point if _have_points(parts) else None)


def _have_points(parts: Sequence[Beliefs]) -> bool:
    """Whether the estimate of a part is not its pignistic probability."""
    return any(part.estimate is not None and part.estimate.point is not None for part in parts)


def _estimate_of_parts(
    classes: NDArray[Any], n: int, parts: Sequence[tuple[Indices, Beliefs]]
) -> Estimate | None:
    """Estimates of some rows; nothing is known of the others."""
    if not parts or any(part.estimate is None for _, part in parts):
        return None

    def ends(level: float) -> Floats:
        return _filled(_unknown(n, classes), parts, lambda part: part.confidence_interval(level))

    def point() -> Floats:
        return _filled(_even(n, classes), parts, lambda part: part.probability())

    return Estimate(ends, point if _have_points([part for _, part in parts]) else None)


@final
@dataclass(frozen=True, eq=False)
class Voted(_InParts):
    """Certain beliefs about some rows of n, vacuous elsewhere.

    Parameters
    ----------
    classes : (K,) array
    n : int
    rows, codes : (m,) arrays
        Rows with a vote, and its place in the classes.
    """

    classes: NDArray[Any]
    n: int
    rows: Indices
    codes: Indices

    @cached_property
    def parts(self) -> Sequence[tuple[Indices, Beliefs]]:  # type: ignore[override]  # of votes
        """The votes as probabilities, which certain ones are."""
        sure = np.equal.outer(self.codes, np.arange(len(self.classes))).astype(np.float64)
        return [(self.rows, Bayesian(self.classes, sure))]

    def __getitem__(self, rows: Any) -> Self:
        chosen = np.arange(self.n)[rows]
        place = np.full(self.n, -1)
        place[self.rows] = self.codes
        inside = np.flatnonzero(place[chosen] >= 0)
        return type(self)(self.classes, len(chosen), inside, place[chosen[inside]])


def _total(numbers: Any) -> int | None:
    listed = list(numbers)
    return None if None in listed else sum(listed)


def _gathered(frame: Frame, n: int, parts: Sequence[tuple[Indices, MassFunction]]) -> MassFunction:
    """One batch from its parts; rows that are in no part are vacuous."""
    focal = np.unique(np.concatenate([[frame.full], *(m.focal for _, m in parts)]))
    store = np.zeros((len(focal), n))
    store[-1] = 1
    for rows, m in parts:
        store[-1, rows] = 0
        store[np.searchsorted(focal, m.focal)[:, np.newaxis], rows] = m.store
    return MassFunction.from_store(frame, focal, store)


def mean(parts: Sequence[Beliefs], weights: Sequence[float] | None = None) -> Beliefs:
    """Weighted mean of mass functions, about the same samples.

    Parameters
    ----------
    parts : sequence of Beliefs
    weights : sequence of float, optional
        Of sum 1; equal by default.

    Returns
    -------
    Beliefs

    Examples
    --------
    >>> classes = np.array(["ant", "bee"])
    >>> sure, unsure = (as_beliefs([[p, 1 - p]], classes) for p in (1, 0.5))
    >>> mean([sure, unsure]).betp()
    array([[0.75, 0.25]])
    """
    if len(parts) == 1:
        return parts[0]
    shares = [1 / len(parts)] * len(parts) if weights is None else list(weights)
    if any(isinstance(part, Listed) for part in parts):  # open to the empty set, and exact
        m = mixing(*(part.mass() for part in parts), weights=weights)
        return replace(Listed.of(m, parts[0].classes), estimate=_mean_estimate(parts, shares))
    return _Mean(tuple(parts), tuple(shares))


def placed(classes: NDArray[Any], n: int, parts: Sequence[tuple[Indices, Beliefs]]) -> Beliefs:
    """Beliefs about n samples from beliefs about some of them; vacuous elsewhere.

    Parameters
    ----------
    classes : (K,) array
    n : int
    parts : sequence of (rows, Beliefs)
        Row numbers, no row twice, and beliefs about them.

    Returns
    -------
    Beliefs

    Examples
    --------
    >>> classes = np.array(["ant", "bee"])
    >>> beliefs = placed(classes, 2, [(np.array([1]), as_beliefs([[1.0, 0.0]], classes))])
    >>> beliefs.silent, beliefs.interval()[:, 0]
    (array([ True, False]), array([[0., 1.],
           [1., 1.]]))
    """
    if len(parts) == 1 and np.array_equal(parts[0][0], np.arange(n)):
        return parts[0][1]
    if any(isinstance(part, Listed) for _, part in parts):
        masses = [(rows, part.mass()) for rows, part in parts]
        made = Listed.of(_gathered(Frame(classes), n, masses), classes)
        return replace(made, estimate=_estimate_of_parts(classes, n, parts))
    return _Placed(classes, n, parts)


def joined(sources: Sequence[Beliefs]) -> Beliefs:
    """Dempster's rule of products over three or more classes, not in total conflict.

    Parameters
    ----------
    sources : sequence of Beliefs
        Each with `n_products`.

    Returns
    -------
    Beliefs

    Examples
    --------
    >>> classes = np.array(["ant", "bee", "cat"])
    >>> one, two = (as_beliefs([p], classes) for p in ([0.5, 0.5, 0.0], [0.4, 0.2, 0.4]))
    >>> joined([one, two]).betp().round(3)
    array([[0.667, 0.333, 0.   ]])
    """
    if len(sources) == 1:
        return sources[0]
    return Joined([source.products() for source in sources])


def conflict(sources: Sequence[Beliefs]) -> Floats:
    """Mass that the conjunctive rule gives to the empty set: how much sources contradict.

    Parameters
    ----------
    sources : sequence of Beliefs
        About the same samples.

    Returns
    -------
    (n,) array

    Raises
    ------
    CostLimitError
        If sets of more than 16 classes would have to be listed.

    Examples
    --------
    >>> classes = np.array(["ant", "bee"])
    >>> conflict([as_beliefs([[1.0, 0.0]], classes), as_beliefs([[0.25, 0.75]], classes)])
    array([0.75])
    """
    few = prod(source.n_products or 0 for source in sources) <= MAX_PRODUCTS
    if len(sources) > 1 and have_products(sources) and few:
        return np.asarray(Joined([source.products() for source in sources]).conflict())
    masses = [source.mass() for source in sources]
    joint = masses[0] if len(masses) == 1 else conjunctive(*masses)
    return np.asarray(joint.mass(mask=0))


def bounded_conflict(sources: Sequence[Beliefs]) -> Floats:
    """Conflict as `conflict`, or a lower bound where it would take long.

    Parameters
    ----------
    sources : sequence of Beliefs
        About the same samples.

    Returns
    -------
    (n,) array
        If the products of the sources have more than 2^14 combinations, that of their
        `singletons`, which leave doubts between few classes to all of them.

    Examples
    --------
    >>> classes = np.arange(20)
    >>> even, sure = np.full((1, 20), 0.05), np.eye(20)[:1]
    >>> bounded_conflict([as_beliefs(p, classes) for p in (even, sure)]).round(2)
    array([0.95])
    """
    if have_products(sources) and prod(one.n_products or 1 for one in sources) > MAX_PRODUCTS:
        sources = [as_beliefs(one.singletons(), one.classes) for one in sources]
    return conflict(sources)


def as_beliefs(value: object, classes: NDArray[Any]) -> Beliefs:
    """Beliefs from mass functions or from probabilities.

    Parameters
    ----------
    value : MassFunction or (n, K) array
        A batch (n,) on the frame of the classes, or probabilities; NaN for all classes where
        nothing is said.
    classes : (K,) array

    Returns
    -------
    Beliefs

    Raises
    ------
    TypeError, ValueError
        If it is neither, or not of these classes; the row is named.

    Examples
    --------
    >>> as_beliefs([[0.25, 0.75], [float("nan")] * 2], np.array(["ant", "bee"])).silent
    array([False,  True])
    """
    if isinstance(value, MassFunction):
        return Listed.of(value, classes)
    p = as_floats(value, "probabilities")
    if p.ndim != 2 or p.shape[1] != len(classes):
        raise ValueError(
            f"probabilities have shape {p.shape}, expected (n, {len(classes)}): samples and classes"
        )
    p, wrong = unit_rows(p, as_array(value, "probabilities").dtype)
    silent = wrong.copy()
    silent[wrong] = np.isnan(p[wrong]).all(axis=1)
    expected = "numbers from 0 with sum 1, or nan for all classes where the source is silent"
    refuse(p, wrong & ~silent, "probabilities", expected)
    if not silent.any():
        return Bayesian(classes, p)
    return placed(classes, len(p), [(np.flatnonzero(~silent), Bayesian(classes, p[~silent]))])
