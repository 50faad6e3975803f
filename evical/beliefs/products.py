"""Beliefs about classes as products over classes, without listing sets of classes.

If classes enter a random set independently, its mass function is a product over the classes.
Evidence on one class against the rest gives such a set, plus single classes
(`Products.of_columns`).
Means, discounting and Dempster's rule (sets meet class by class) give sums of such products. Bel,
Pl, pignistic probabilities and expected utilities of a product are polynomials in its K factors
(Shafer 1976, A Mathematical Theory of Evidence, ch. 3 and 6).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from operator import add, iadd
from typing import Any, Self, final

import numpy as np
from numpy.typing import NDArray

from dstheory import MassFunction
from dstheory.checks.arguments import as_array, as_floats, as_sequence, shown
from dstheory.errors import CostLimitError
from dstheory.kernels.bits import mask_array
from evical._typing import Flags
from evical.beliefs._base import Beliefs
from evical.beliefs.estimate import Estimate

# A row of 2^16 masses takes half a megabyte.
MAX_CLASSES = 16


def check_listed(n_classes: int) -> None:
    """Refuse to list all sets of too many classes.

    Parameters
    ----------
    n_classes : int

    Raises
    ------
    CostLimitError
        The message states the memory per sample, the limit, and which methods have no limit.
    """
    if n_classes > MAX_CLASSES:
        raise CostLimitError(
            f"{n_classes} classes have 2^{n_classes} sets, {bytes_listed(n_classes)} of masses a "
            f"sample, but predict_mass lists at most 2^{MAX_CLASSES}; predict_mass(..., "
            "sets='singletons') lists single classes alone, and predict, predict_proba, "
            "predict_interval and the criteria of predict_set that take expected utilities have "
            "no limit"
        )


def bytes_listed(n_classes: int) -> str:
    """Memory of the masses of all sets, as text.

    Parameters
    ----------
    n_classes : int

    Returns
    -------
    str

    Examples
    --------
    >>> bytes_listed(20), bytes_listed(100)
    ('8 MB', 'more than a TB')
    """
    n_bytes = 8 << n_classes
    for power, unit in enumerate(("bytes", "KB", "MB", "GB")):
        if n_bytes < 1 << 10 * (power + 1):
            return f"{n_bytes >> 10 * power} {unit}"
    return "more than a TB"


@final
@dataclass(frozen=True, eq=False)
class Products(Beliefs):
    """Masses of single classes, and T products over the K classes.

    Parameters
    ----------
    classes : (K,) array
    single : (K, *batch) array
        Additional masses of single classes.
    scale : (T, *batch) array
    absent, present : (T, K, *batch) arrays
        They sum to 1. A set A has the mass ``scale[t]`` times ``present[t, k]`` for the classes in
        A, times ``absent[t, k]`` for the others, summed over t.
    estimate : Estimate, optional

    Notes
    -----
    The mass of the empty set is left out, and the mass function is normalized by its sum. So a
    factor per row has no effect. Numbers are floats or Fractions.
    """

    classes: NDArray[Any]
    single: NDArray[Any]
    scale: NDArray[Any]
    absent: NDArray[Any]
    present: NDArray[Any]
    estimate: Estimate | None = None

    @classmethod
    def of_columns(cls, columns: NDArray[Any], classes: NDArray[Any] | None = None) -> Self:
        """Dempster's combination of one-vs-rest columns (3, K, *batch), not in total conflict.

        With p, n, w the masses of k, of not k and of all in column k, every product over the other
        columns j of 1 - p_j = n_j + w_j is divided by the product over all columns and multiplied
        by the smallest 1 - p_j. The results are of order 1, while the products themselves would
        underflow for a hundred classes.
        """
        negative, positive, both = columns
        against = negative + both  # 1 - positive, without cancellation
        least = np.asarray(against.min(axis=0))
        certain = np.asarray(against == 0, dtype=bool)
        divisor = np.where(certain, 1, against)
        ratio = np.where(certain, 1, least / divisor)
        # Two certain columns exclude each other and everything else.
        own = np.where(certain.sum(axis=0) > 1, 0, positive * ratio)
        absent, present = negative / divisor, both / divisor
        names = np.arange(len(own)) if classes is None else classes
        return cls(names, own, least[np.newaxis], absent[np.newaxis], present[np.newaxis])

    @classmethod
    def mean(cls, sources: Sequence["Products"], weights: Any = None) -> Self:
        """Weighted mean of mass functions, with weights (S,) of sum 1, equal by default."""
        shares = [1 / len(sources)] * len(sources) if weights is None else list(weights)
        scaled = [s.times(w / s.total()) for s, w in zip(sources, shares, strict=True)]
        single = sum((s.single for s in scaled[1:]), scaled[0].single)
        parts = ("scale", "absent", "present")
        terms = (np.concatenate([getattr(s, part) for s in scaled]) for part in parts)
        scale, absent, present = terms
        return cls(sources[0].classes, np.asarray(single), scale, absent, present)

    @property
    def n_products(self) -> int:
        """T."""
        return len(self.scale)

    def __len__(self) -> int:
        return int(self.single.shape[1])

    @property
    def batch(self) -> tuple[int, ...]:
        """Shape of the batch."""
        return self.single.shape[1:]

    def __getitem__(self, rows: Any) -> Self:
        """Some rows of a batch (n,)."""
        parts = ("single", "scale", "absent", "present")
        known = None if self.estimate is None else self.estimate[rows]
        cut = {name: getattr(self, name)[..., rows] for name in parts}
        return replace(self, **cut, estimate=known)

    def times(self, factor: Any) -> Self:
        """The beliefs, multiplied by a factor per row."""
        return replace(self, single=self.single * factor, scale=self.scale * factor)

    def products(self) -> Self:
        """These."""
        return self

    def vacuous_where(self, rows: Flags) -> Self:
        """The beliefs, with some rows (n,) made vacuous."""
        if not rows.any():
            return self
        silent = rows[np.newaxis].astype(self.single.dtype)
        full = np.ones((1, *self.single.shape), dtype=self.single.dtype)
        return type(self)(
            self.classes,
            np.where(rows, 0, self.single),
            np.concatenate([np.where(rows, 0, self.scale), silent]),
            np.concatenate([self.absent, 0 * full]),
            np.concatenate([self.present, full]),
        )

    @cached_property
    def _sizes(self) -> NDArray[Any] | None:
        """Sizes (T, *batch) if each product is one set in each row, so that sums are short."""
        if self.single.dtype == object or not self.n_products:
            return None
        outside, inside = self.absent == 1, self.present == 1
        sets = (outside & (self.present == 0)) | (inside & (self.absent == 0))
        return np.asarray(inside.sum(axis=1)) if sets.all() else None

    def _inside(self, masses: NDArray[Any]) -> NDArray[Any]:
        """Sums (K, *batch) of masses (T, *batch) over the products that contain each class."""
        return np.asarray(np.einsum("t...,tk...->k...", masses, self.present))

    def total(self) -> NDArray[Any]:
        """Sum (*batch) of all masses, as a sum of positive terms."""
        total = self.single.sum(axis=0)
        if self._sizes is not None:
            # One after the other, as below: to the last bit the same.
            return np.asarray(reduce(add, np.where(self._sizes > 0, self.scale, 0), total))
        for scale, absent, present in self._terms():
            total = total + scale * (present * cumulative(absent)).sum(axis=0)
        return np.asarray(total)

    def _terms(self) -> Any:
        return zip(self.scale, self.absent, self.present, strict=True)

    def contour(self) -> NDArray[Any]:
        """Plausibilities (*batch, K), not normalized."""
        return np.moveaxis(self.plausible(), 0, -1)

    def plausible(self) -> NDArray[Any]:
        """The same with the classes first, (K, *batch)."""
        return np.asarray(self.single + self._shared())

    def _shared(self) -> NDArray[Any]:
        """Plausibilities (K, *batch) from products alone."""
        return np.asarray((self.scale[:, np.newaxis] * self.present).sum(axis=0))

    def interval(self) -> NDArray[Any]:
        """[Bel, Pl] of each class, (*batch, K, 2), in O(K T) per row."""
        belief, plausibility = self.single, self.plausible()
        if self._sizes is not None:
            belief = belief + self._inside(np.where(self._sizes == 1, self.scale, 0))
        else:
            for scale, absent, present in self._terms():
                belief = belief + scale * present * leave_one_out(absent)
        bounds = np.stack([belief, plausibility], axis=-1) / self.total()[..., np.newaxis]
        return np.moveaxis(np.minimum(bounds, 1), 0, -2)  # rounding can exceed 1

    def betp(self, rule: Any = None) -> NDArray[Any]:
        """Pignistic probabilities (*batch, K), in O(K^2 T) per row.

        A set of size s gives 1/s of its mass to each of its classes, and 1/s is the integral
        of x^(s-1) over [0, 1]. Summed over all sets that contain k, the share of k in a product is
        present_k times the integral of prod_{j != k} (absent_j + present_j x). This is a polynomial
        of degree K - 1, which K/2 Gauss nodes integrate exactly.
        """
        nodes, weights = _gauss_legendre(len(self.single)) if rule is None else _as_rule(rule)
        betp = self.single
        if self._sizes is not None and rule is None:
            betp = betp + self._inside(self.scale / np.maximum(self._sizes, 1))
            return np.moveaxis(betp / self.total(), 0, -1)
        for scale, absent, present in self._terms():
            shares = np.zeros_like(present)
            for node, weight in zip(nodes, weights, strict=True):
                shares = shares + weight * leave_one_out(absent + present * node)
            betp = betp + scale * present * shares
        return np.moveaxis(betp / self.total(), 0, -1)

    def lower(self, utilities: NDArray[Any]) -> NDArray[Any]:
        """Lower expected utilities (*batch, A) of acts (A, K), in O(A K T) per row.

        With classes in ascending order of utility, the worst class of a random set is the i-th if
        the set contains it and none before it, with probability present_i times the product of
        absent_j over j < i.
        """
        values = [np.tensordot(u, self.single, axes=1) for u in utilities]
        for scale, absent, present in self._terms():
            for act, u in enumerate(utilities):
                order = np.argsort(u, kind="stable")
                worst = present[order] * cumulative(absent[order])
                values[act] = values[act] + scale * np.tensordot(u[order], worst, axes=1)
        return np.stack([value / self.total() for value in values], axis=-1)

    def table(self) -> NDArray[Any]:
        """Masses (2^K, *batch) by mask, not normalized, with 0 for the empty set."""
        tables = (_table(*term) for term in self._terms())
        empty = np.zeros((1 << len(self.single), *self.batch), dtype=self.single.dtype)
        table = reduce(iadd, tables, empty) if self.n_products > 1 else next(tables, empty)
        table[[1 << k for k in range(len(self.single))]] += self.single
        table[0] = 0
        return table

    def mass(self) -> MassFunction:
        """The mass functions over all non-empty sets, or over a few if each product is one set.

        Raises
        ------
        CostLimitError
            For more than `MAX_CLASSES` classes, unless each product is one set.
        """
        if self._has_few_sets:
            return self._few_sets()
        check_listed(len(self.classes))
        store = self.table()[1:]
        store /= store.sum(axis=0)
        return MassFunction.from_store(self.frame, np.arange(1, len(store) + 1), store)

    @property
    def _has_few_sets(self) -> bool:
        """Whether each product is one set, the same for all rows, or nothing."""
        n_terms, k = self.present.shape[:2]
        n = np.size(self.single[0])
        present, scale = self.present.reshape(n_terms, k, n), self.scale.reshape(n_terms, n)
        inside = present[..., :1]
        alike = ((present == inside) & ((inside == 0) | (inside == 1))).all(axis=(1, 2))
        return bool((alike | (scale == 0).all(axis=1)).all())

    def _few_sets(self) -> MassFunction:
        """Masses of single classes, and of the set that each product is."""
        k = len(self.classes)
        masses = {1 << at: row for at, row in enumerate(self.single)}
        n = np.size(self.single[0])
        first = np.asarray(self.present.reshape(len(self.scale), k, n)[..., :1].any(axis=2))
        for scale, inside in zip(self.scale, first, strict=True):
            mask = sum(1 << at for at in np.flatnonzero(inside).tolist())
            masses[mask] = masses.get(mask, 0) + scale
        focal = sorted(masses.keys() - {0})
        store = np.stack([masses[mask] for mask in focal])
        return MassFunction.from_store(
            self.frame, mask_array(focal, k), np.ascontiguousarray(store / store.sum(axis=0))
        )


def _table(scale: float, absent: NDArray[Any], present: NDArray[Any]) -> NDArray[Any]:
    table = np.empty((1 << len(present), *present.shape[1:]), dtype=present.dtype)
    table[0] = scale
    for k, (without, with_) in enumerate(zip(absent, present, strict=True)):
        np.multiply(table[: 1 << k], with_, out=table[1 << k : 2 << k])
        table[: 1 << k] *= without
    return table


def member_sums(table: NDArray[Any]) -> NDArray[Any]:
    """For each class, the sum over the sets that contain it, by halving the table.

    Parameters
    ----------
    table : (2^K, n) array

    Returns
    -------
    (K, n) array

    Examples
    --------
    >>> member_sums(np.array([0.0, 0.5, 0.25, 0.25])[:, np.newaxis])[:, 0]
    array([0.75, 0.5 ])
    """
    sums = []
    while len(table) > 1:
        half = len(table) // 2
        sums.append(table[half:].sum(axis=0))
        table = table[:half] + table[half:]
    return np.stack(sums[::-1])


def cumulative(factors: NDArray[Any]) -> NDArray[Any]:
    """Products of all factors before each one, along the first axis.

    Examples
    --------
    >>> cumulative(np.array([2.0, 3.0, 5.0]))
    array([1., 2., 6.])
    """
    ones = np.ones_like(factors[:1])
    return np.asarray(np.multiply.accumulate(np.concatenate([ones, factors[:-1]])))


def leave_one_out(factors: NDArray[Any]) -> NDArray[Any]:
    """Products of all factors but each one, along the first axis, without division.

    Examples
    --------
    >>> leave_one_out(np.array([2.0, 3.0, 0.0]))
    array([0., 0., 6.])
    """
    return np.asarray(cumulative(factors) * cumulative(factors[::-1])[::-1])


def _as_rule(rule: object) -> tuple[NDArray[Any], NDArray[Any]]:
    """Nodes and weights of a quadrature; they may be exact."""
    pair = as_sequence(rule, "rule", "nodes and weights")
    if len(pair) != 2:
        raise ValueError(f"rule is {shown(rule)}, expected nodes and weights")
    nodes, weights = (as_array(part, "rule") for part in pair)
    for part in (nodes, weights):
        as_floats(part, "rule")
    if nodes.ndim != 1 or nodes.shape != weights.shape:
        raise ValueError(f"rule has shapes {nodes.shape} and {weights.shape}, expected (g,) both")
    return nodes, weights


def _gauss_legendre(n_classes: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    nodes, weights = np.polynomial.legendre.leggauss((n_classes + 1) // 2)
    return (nodes + 1) / 2, weights / 2
