"""Dempster's rule over several beliefs that are products over the classes.

Products intersect class by class: a class is in the intersection of two random sets if it is in
both. So beliefs of T1 and T2 products combine to one of T1 T2 products. A table of all sets takes T
K 2^K steps instead of 4^K, one per pair of sets. All sums have non-negative terms. The product of
the contours is known beforehand and keeps everything in the range of floats.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from math import prod
from typing import Any, Self, final

import numpy as np
from numpy.typing import NDArray

from dstheory import MassFunction
from dstheory.decide import Expectations
from dstheory.kernels.batches import blocks
from evical.beliefs._base import Beliefs
from evical.beliefs.listed import Listed
from evical.beliefs.products import MAX_CLASSES, Products, check_listed, member_sums

# Six classifiers with five folds each; a sample of 26 classes then takes 30 ms.
MAX_PRODUCTS = 1 << 14

# Numbers held at a time, in products or in a table of sets.
BLOCK = 1 << 20

# Relative probability that two classes remain together, below which it is nothing in floats.
TINY = 1e-18

# The product of two scales below this does not overflow.
LARGEST, SMALLEST = 1e150, 1e-150

# Relative shortfall above which products have lost digits to underflow.
LOST = 1e-9


def conjoined(one: Products, two: Products) -> Products:
    """Dempster's rule for two sources, up to a factor per row.

    Parameters
    ----------
    one, two : Products
        Of the same classes and batch.

    Returns
    -------
    Products
        All zero in rows of total conflict.

    Examples
    --------
    >>> from evical.beliefs import as_beliefs
    >>> sure = as_beliefs([[0.5, 0.25, 0.25]], np.arange(3)).products()
    >>> conjoined(sure, sure).betp().round(3)
    array([[0.667, 0.167, 0.167]])
    """
    x, y = _balanced(one, two)
    shared_x, shared_y = x._shared(), y._shared()
    single = x.single * (y.single + shared_y) + shared_x * y.single
    inside = x.present[:, np.newaxis]
    present = inside * y.present
    absent = x.absent[:, np.newaxis] + inside * y.absent
    scale = x.scale[:, np.newaxis] * y.scale
    shape = (x.n_products * y.n_products, *single.shape)
    found = Products(
        x.classes,
        single,
        scale.reshape(shape[0], *shape[2:]),
        absent.reshape(shape),
        present.reshape(shape),
    )
    return found if single.dtype == object else _collapsed(found)


def _collapsed(beliefs: Products) -> Products:
    """Beliefs in which products that leave almost no set of classes become single classes."""
    tiny = beliefs.present.max(axis=1, initial=0) < TINY
    if not tiny.any():
        return beliefs
    alone = (np.where(tiny, beliefs.scale, 0)[:, np.newaxis] * beliefs.present).sum(axis=0)
    scale = np.where(tiny, 0, beliefs.scale)
    return replace(beliefs, single=beliefs.single + alone, scale=scale)


def _balanced(one: Products, two: Products) -> tuple[Products, Products]:
    """Both, rescaled so that the largest plausibility of their combination is 1."""
    first, second = one.plausible(), two.plausible()
    if first.dtype == object or second.dtype == object:
        return one, two
    peak = (_logs(first) + _logs(second)).max(axis=0, initial=-np.inf)
    factor = np.exp(-np.where(np.isfinite(peak), peak, 0) / 2)
    # If factors of the products make the peak low, rather than their scales, see `_recovered`.
    most = [LARGEST / source.scale.max(axis=0, initial=SMALLEST) for source in (one, two)]
    return one.times(np.minimum(factor, most[0])), two.times(np.minimum(factor, most[1]))


def _logs(values: NDArray[Any]) -> NDArray[np.float64]:
    with np.errstate(divide="ignore"):  # minus infinity is right for 0
        return np.asarray(np.log(values))


@final
@dataclass(frozen=True, eq=False)
class Joined(Beliefs):
    """Dempster's rule over sources, evaluated in blocks of rows.

    Parameters
    ----------
    sources : sequence of Products
        With a batch (n,). Except for `impossible`, they must not be in total conflict.
    """

    sources: Sequence[Products]

    @property
    def classes(self) -> NDArray[Any]:  # type: ignore[override]  # of the sources
        """Those of the sources."""
        return self.sources[0].classes

    def __len__(self) -> int:
        return len(self.sources[0])

    def __getitem__(self, rows: object) -> Self:
        return type(self)([source[rows] for source in self.sources])

    @property
    def n_products(self) -> int:
        """Number of products in the combination."""
        return prod(source.n_products for source in self.sources)

    @cached_property
    def _table(self) -> Listed | None:
        """All sets, if they take less than all products and are few enough."""
        k = len(self.classes)
        if self.n_products <= sum(source.n_products for source in self.sources) << k:
            return None
        return Listed.of(self.mass(), self.classes) if k <= MAX_CLASSES else None

    def products(self) -> Products:
        """All products of the combination."""
        return self._joined(slice(None))

    def interval(self) -> NDArray[Any]:
        """[Bel, Pl] of each class, (n, K, 2)."""
        return self._each(Products.interval) if self._table is None else self._table.interval()

    def betp(self) -> NDArray[Any]:
        """Pignistic probabilities (n, K)."""
        return self._betp

    @cached_property
    def _betp(self) -> NDArray[Any]:
        """The same, which probabilities and decisions ask for."""
        return self._each(Products.betp) if self._table is None else self._table.betp()

    def lower(self, utilities: NDArray[Any]) -> NDArray[Any]:
        """Lower expected utilities (n, A) of acts (A, K)."""
        if self._table is not None:
            return self._table.lower(utilities)
        return self._each(lambda beliefs: beliefs.lower(utilities))

    def expectations(self) -> Expectations | MassFunction:
        """Expected utilities, or mass functions where these take less."""
        return super().expectations() if self._table is None else self._table.mass()

    def impossible(self) -> NDArray[np.bool_]:
        """Rows (n,) in total conflict, where no class is possible for all sources."""
        possible = [np.asarray(source.plausible() > 0, dtype=bool) for source in self.sources]
        return ~np.asarray(np.logical_and.reduce(possible).any(axis=0))

    def conflict(self) -> NDArray[Any]:
        """Mass (n,) that the conjunctive rule gives to the empty set."""
        return np.asarray(np.clip(1 - self.agreement(), 0, 1))

    def agreement(self) -> NDArray[Any]:
        """Mass (n,) that the conjunctive rule leaves to all other sets, without loss of digits."""
        dead = self.impossible()
        normal = [source.times(1 / source.total()).vacuous_where(dead) for source in self.sources]
        logs = np.sum([_logs(source.plausible()) for source in normal], axis=0)

        def relative(beliefs: Products) -> NDArray[Any]:
            return np.asarray(beliefs.total() / beliefs.plausible().max(axis=0))

        total = np.exp(logs.max(axis=0)) * Joined(normal)._each(relative)
        return np.asarray(np.where(dead, 0, total))

    def _each(self, part: Callable[[Products], NDArray[Any]]) -> NDArray[Any]:
        n_classes, n = self.sources[0].single.shape
        rows = list(blocks(n, BLOCK // (n_classes * max(self.n_products, 1)))) or [slice(0)]
        return np.concatenate([part(self._joined(some)) for some in rows])

    def _joined(self, rows: slice) -> Products:
        """Some rows of the combination."""
        sources = [source[rows] for source in self.sources]
        found = reduce(conjoined, sources)
        return _recovered(found, sources)

    def mass(self) -> MassFunction:
        """The mass functions, a batch (n,) over all non-empty sets, or over those of the products.

        Raises
        ------
        CostLimitError
            For more than 16 classes, unless each product is one set.
        """
        if self.n_products <= sum(source.n_products for source in self.sources):
            return self.products().mass()
        n_classes, n = self.sources[0].single.shape
        check_listed(n_classes)
        store = np.empty(((1 << n_classes) - 1, n))
        for rows in blocks(n, BLOCK >> n_classes):
            store[:, rows] = _combined_table([source[rows] for source in self.sources])[1:]
        return MassFunction.from_store(self.frame, np.arange(1, len(store) + 1), store)


def _recovered(found: Products, sources: Sequence[Products]) -> Products:
    """The combination, corrected where factors underflow.

    Contours multiply. If the contour of the products falls short of that, each product of the
    combination has underflowing factors for each class. Two classes are together in the set with
    the square of such a factor, so only single classes remain.
    """
    logs = np.sum([_logs(source.plausible()) for source in sources], axis=0)
    right, contour = np.exp(logs - logs.max(axis=0)), found.plausible()
    peak = contour.max(axis=0)
    lost = (np.abs(contour - right * peak) > LOST * peak).any(axis=0) | (peak == 0)
    if not lost.any():
        return found
    single, scale = np.where(lost, right, found.single), np.where(lost, 0, found.scale)
    return replace(found, single=single, scale=scale)


def _combined_table(sources: Sequence[Products]) -> NDArray[Any]:
    """Masses (2^K, n) of the combination."""
    first, *others = sources
    table = first.table()
    table /= table.sum(axis=0)
    for source in others:
        table = _one_more(table, source)
        table[0] = 0
        table /= table.sum(axis=0)
    return table


def _one_more(table: NDArray[Any], source: Products) -> NDArray[Any]:
    """Conjunctive rule of a table of masses and one more source."""
    contour = member_sums(table)
    peak = (_logs(contour) + _logs(source.plausible())).max(axis=0)
    factor = np.exp(-peak / 2)
    table = table * factor
    source = source.times(factor)
    result = np.zeros_like(table)
    for scale, absent, present in source._terms():
        part = table * scale
        for k in range(len(absent)):
            halves = part.reshape(-1, 2, 1 << k, part.shape[-1])
            halves[:, 0] += halves[:, 1] * absent[k]
            halves[:, 1] *= present[k]
        result += part
    singles = [1 << k for k in range(len(contour))]
    result[singles] += source.single * contour * factor
    return result


def have_products(sources: Sequence[Beliefs]) -> bool:
    """Whether sources are about three or more classes, and all are products over them.

    Parameters
    ----------
    sources : sequence of Beliefs

    Returns
    -------
    bool
    """
    few = len(sources[0].classes) == 2
    return not few and all(source.n_products is not None for source in sources)
