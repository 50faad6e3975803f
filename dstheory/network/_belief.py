"""Belief functions as valuations: masses of sets of configurations, without conflict.

Parts are extended to the union of their scopes and combined by the conjunctive rule. Mass on the
empty set is dropped, so the total of the joint part is 1 - kappa and nothing is ever subtracted.
Floating-point parts are scaled to a total of 1, with the logarithm of the factor stored beside
them, so neither kappa = 1e-200 nor 1 - kappa = 1e-200 loses digits. If a mass falls below 1e-290,
the part holds logarithms, because later evidence may support it again. Fractions and symbols are
not scaled. Shenoy & Shafer (1990); Dempster's rule normalizes once, at the end.

Sets of configurations on more and on fewer variables, cached.

Extension turns each configuration into its cylinder; projection finds the cylinders that a set
meets. `kernels.bitsets` does both. A network has many scopes of the same shape with few sets on
each, so small scopes cache their results: a message then costs a few lookups.
"""

import math
import operator
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from numbers import Rational
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory.errors import CostLimitError
from dstheory.kernels import bits, bitsets, pairwise
from dstheory.network._algebra import (
    SMALL_LOG,
    SMALL_TOTAL,
    Algebra,
    Amount,
    Part,
    is_exact,
    log_of,
)
from dstheory.network._errors import NetworkError
from dstheory.network._join_tree import Scope
from dstheory.network._limits import BYTES_A_SET, Limits

Change = Callable[[NDArray[Any]], NDArray[Any]]

# 2^16 sets of 64 bits take about 10 MiB; sets on larger scopes rarely recur.
_MAX_CELLS = 64
_MEMORY = 1 << 16


class Cylinders:
    """Sets on the kept axes of a shape, and sets on all of it.

    >>> both = Cylinders((2, 2), (0,))  # the first of two variables
    >>> both.extend([2]), both.project([6])
    ([12], [3])
    """

    def __init__(self, shape: tuple[int, ...], kept: tuple[int, ...]) -> None:
        self.shape = shape
        self.kept = kept
        self.n_cells = math.prod(shape)
        self.n_kept = math.prod(shape[axis] for axis in kept)
        self._extended: dict[int, int] = {}
        self._projected: dict[int, int] = {}

    def extend(self, masks: Collection[int]) -> list[int]:
        """Cylinders over sets on the kept axes."""
        change = partial(bitsets.extend_masks, axes=self.kept, onto=self.shape)
        return self._recalled(masks, self._extended, change, self.n_kept)

    def project(self, masks: Collection[int]) -> list[int]:
        """Projections of sets to the kept axes."""
        change = partial(bitsets.project_masks, shape=self.shape, axes=self.kept)
        return self._recalled(masks, self._projected, change, self.n_cells)

    def _recalled(
        self, masks: Collection[int], memory: dict[int, int], change: Change, size: int
    ) -> list[int]:
        if self.n_cells > _MAX_CELLS:
            return _ints(change(bits.mask_array(masks, size)))
        new = [mask for mask in masks if mask not in memory]
        if new:
            if len(memory) > _MEMORY:
                memory.clear()
                new = list(masks)
            memory.update(zip(new, _ints(change(bits.mask_array(new, size))), strict=True))
        return [memory[mask] for mask in masks]


def _ints(masks: NDArray[Any]) -> list[int]:
    found: list[int] = masks.tolist()
    return found


Masses = dict[int, Any]
_Logs = tuple[NDArray[Any], NDArray[np.float64]]

# If results fit a table of all sets, arrays beat dictionaries (16,384 pairs on 8 and on 16
# configurations: about 19 and 3 times; see test_pairs_of_small_sets in the benchmarks).
_MANY_PAIRS, _FEW_CONFIGURATIONS = 4096, 16


@dataclass(frozen=True, slots=True)
class BeliefPart(Part):
    """Masses of non-empty sets of configurations of a scope."""

    scope: Scope
    masses: Masses
    log_scale: float = 0.0
    exact: bool = False
    logs: bool = False


class BeliefAlgebra(Algebra[BeliefPart]):
    """The conjunctive rule and projection, on scopes of variables of the given sizes."""

    def __init__(self, sizes: Sequence[int], names: Sequence[str], limits: Limits) -> None:
        self.sizes = tuple(sizes)
        self.names = tuple(names)
        self.limits = limits
        self._cylinders: dict[tuple[Any, ...], Cylinders] = {}

    def cylinders(self, scope: Scope, kept: Sequence[int]) -> Cylinders:
        """Correspondence between sets on a part of a scope and sets on all of it."""
        shape = tuple(self.sizes[v] for v in scope)
        axes = tuple(axis for axis, v in enumerate(scope) if v in kept)
        key = (shape, axes)  # scopes of the same shape share a cache
        found = self._cylinders.get(key)
        if found is None:
            found = self._cylinders[key] = Cylinders(shape, axes)
        return found

    def part(self, scope: Scope, masses: Masses) -> BeliefPart:
        """A part from masses, without zero masses and the empty set."""
        kept = {mask: mass for mask, mass in masses.items() if mask and mass != 0}
        exact = all(is_exact(mass) for mass in masses.values())
        conflict = masses.get(0, 0)
        if exact or not conflict or not kept:
            return BeliefPart(scope, kept, exact=exact)
        return _scaled(scope, kept, conflict, 0.0)

    def extend(self, part: BeliefPart, scope: Scope) -> Masses:
        """Masses of the cylinders on a larger scope."""
        if part.scope == scope:
            return part.masses
        cylinders = self.cylinders(scope, part.scope).extend(part.masses)
        return dict(zip(cylinders, part.masses.values(), strict=True))

    def combine(self, one: BeliefPart, two: BeliefPart) -> BeliefPart:
        """Conjunctive rule on the union of the scopes."""
        scope = _union(one.scope, two.scope)
        self._check_pairs(len(one.masses), len(two.masses), scope)
        self._check_bytes(len(one.masses) + len(two.masses), scope)
        if exact := one.exact and two.exact:
            masses = self._meet(self.extend(one, scope), self.extend(two, scope), scope, exact)
            masses.pop(0, 0)
            return BeliefPart(scope, masses, exact=True)
        if not (one.masses and two.masses):  # total conflict
            return BeliefPart(scope, {})
        one, two = _as_floats(one), _as_floats(two)
        left, right = self.extend(one, scope), self.extend(two, scope)
        scale = one.log_scale + two.log_scale
        if not (one.logs or two.logs):
            masses = self._meet(left, right, scope, exact)
            conflict = masses.pop(0, 0)
            if min(masses.values(), default=1.0) >= SMALL_TOTAL:
                return _scaled(scope, masses, conflict, scale) if masses else BeliefPart(scope, {})
        return _by_logarithms(
            scope, _log_arrays(left, one.logs), _log_arrays(right, two.logs), scale
        )

    def _check_pairs(self, one: int, two: int, scope: Scope) -> None:
        if one * two > self.limits.max_pairs:
            raise CostLimitError(
                f"clique {self._text(scope)} would combine {one} and {two} focal sets, "
                f"{one * two} pairs, more than max_pairs = {self.limits.max_pairs}; approximate "
                "some valuations (dstheory.approximate), try another order, or raise the limit"
            )

    def _check_bytes(self, n_sets: int, scope: Scope) -> None:
        n_bytes = n_sets * self._bytes_a_set(scope)
        if n_bytes > self.limits.max_bytes:  # the text is only needed for an error
            self.limits.check_bytes(n_bytes, f"{n_sets} focal sets of clique {self._text(scope)}")

    def _text(self, scope: Scope) -> str:
        return "{" + ", ".join(self.names[v] for v in scope) + "}"

    def _bytes_a_set(self, scope: Scope) -> int:
        return BYTES_A_SET + self.n_configurations(scope) // 8

    def _meet(self, left: Masses, right: Masses, scope: Scope, exact: bool) -> Masses:
        """Sums of products over pairs of sets, by intersection."""
        small = self.n_configurations(scope) <= _FEW_CONFIGURATIONS
        many = small and not exact and len(left) * len(right) >= _MANY_PAIRS
        if many and min(left.values()) * min(right.values()) >= SMALL_TOTAL:  # drops zeros
            return _meet_arrays(left, right)
        found: Masses = {}
        for one, mass in left.items():
            self._check_bytes(len(found), scope)
            for two, other in right.items():
                both, product = one & two, mass * other
                found[both] = found[both] + product if both in found else product
        return found

    def marginalize(self, part: BeliefPart, scope: Sequence[int]) -> BeliefPart:
        """Masses of the projections."""
        kept = tuple(v for v in part.scope if v in scope)
        if kept == part.scope:
            return part
        projections = self.cylinders(part.scope, kept).project(part.masses)
        found: Masses = {}
        add = _log_add if part.logs else operator.add
        for projected, mass in zip(projections, part.masses.values(), strict=True):
            found[projected] = add(found[projected], mass) if projected in found else mass
        if part.logs:
            return _from_logs(kept, found, part.log_scale)
        return BeliefPart(kept, found, part.log_scale, part.exact)

    def total(self, part: BeliefPart) -> Amount:
        """1 - kappa of the combined valuations."""
        if part.exact:
            return Amount(sum(part.masses.values()))
        return Amount(1.0 if part.masses else 0.0, part.log_scale)

    def entries(self, part: BeliefPart) -> int:
        """Focal sets."""
        return len(part.masses)

    def n_bytes(self, part: BeliefPart) -> int:
        """Memory of the dictionary, its sets and its numbers."""
        return len(part.masses) * self._bytes_a_set(part.scope)


def _union(one: Scope, two: Scope) -> Scope:
    return one if one == two else tuple(sorted({*one, *two}))


def _as_floats(part: BeliefPart) -> BeliefPart:
    """The part itself, or with fractions as floats, which are scaled."""
    if not part.exact:
        return part
    for mass in part.masses.values():
        if not isinstance(mass, Rational):
            raise NetworkError(
                f"mass {mass} is symbolic and meets floats; make the numbers of all valuations "
                "fractions or symbols (sympy.Rational)"
            )
    masses = {mask: float(mass) for mask, mass in part.masses.items()}
    if min(masses.values()) >= SMALL_TOTAL:
        return _scaled(part.scope, masses, 1.0, 0.0)
    logs = {mask: log_of(mass) for mask, mass in part.masses.items()}
    total = _log_total(logs.values())
    return _from_logs(part.scope, {mask: log - total for mask, log in logs.items()}, total)


def _arrays(masses: Masses) -> _Logs:
    focal = bits.mask_array(sorted(masses), max(masses).bit_length())
    return focal, np.array([masses[mask] for mask in focal.tolist()], dtype=np.float64)


def _meet_arrays(left: Masses, right: Masses) -> Masses:
    focal, sums = pairwise.combine_pairs(*_arrays(left), *_arrays(right), np.bitwise_and)
    return dict(zip(focal.tolist(), sums.tolist(), strict=True))


def _scaled(scope: Scope, masses: Masses, conflict: float, log_scale: float) -> BeliefPart:
    """Floating-point masses scaled to 1; a small conflict gives the factor with all its digits."""
    total = math.fsum(masses.values())
    factor = math.log1p(-conflict) if conflict < 0.5 else math.log(total)
    if total != 1.0:
        masses = {mask: mass / total for mask, mass in masses.items()}
    return BeliefPart(scope, masses, log_scale + factor)


def _log_arrays(masses: Masses, logs: bool) -> tuple[NDArray[Any], NDArray[np.float64]]:
    focal, values = _arrays(masses)
    return focal, values if logs else np.log(values)


def _by_logarithms(scope: Scope, left: _Logs, right: _Logs, log_scale: float) -> BeliefPart:
    """Conjunctive rule of logarithms of masses that sum to 1."""
    if left[0].dtype != right[0].dtype:
        left, right = ((focal.astype(object), logs) for focal, logs in (left, right))
    focal, logs = pairwise.log_agreement(left, right, keep_empty=True)
    found = dict(zip(map(int, focal), logs.tolist(), strict=True))
    conflict = math.exp(found.pop(0, -math.inf))
    if not found:
        return BeliefPart(scope, {})
    total = _log_total(found.values())
    factor = math.log1p(-conflict) if conflict < 0.5 else total
    relative = {mask: log - total for mask, log in found.items()}
    return _from_logs(scope, relative, log_scale + factor)


def _from_logs(scope: Scope, logs: Masses, log_scale: float) -> BeliefPart:
    """A part from logarithms of masses that sum to 1, as floats if none is too small."""
    if min(logs.values()) < SMALL_LOG:
        return BeliefPart(scope, logs, log_scale, logs=True)
    return BeliefPart(scope, {mask: math.exp(log) for mask, log in logs.items()}, log_scale)


def _log_add(one: float, two: float) -> float:
    return max(one, two) + math.log1p(math.exp(-abs(one - two)))


def _log_total(logs: Iterable[float]) -> float:
    """ln of the sum of numbers, from their logarithms."""
    listed = list(logs)
    top = max(listed)
    return top + math.log(math.fsum(math.exp(log - top) for log in listed))
