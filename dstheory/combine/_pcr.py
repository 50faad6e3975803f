"""Proportional conflict redistribution: a conflict returns to the sets that cause it.

A choice of one focal set per source is a partial conflict if the sets have an empty intersection.
Its mass returns to these sets, in proportion to the masses that the sources gave them. PCR5
multiplies the masses of sources that chose the same set; PCR6 adds them. The improved rules leave
out sets that take no part in the conflict. Smarandache & Dezert 2005; Martin & Osswald 2006;
Dezert, Dezert & Smarandache 2021.

Partial conflicts: choices of one focal set per source with an empty intersection.

Which sets conflict does not depend on masses, so the conflicts are found once, in blocks of arrays,
for all rows of a batch. The rules of the PCR family differ only in what share of a conflict its
sets claim.

PCR6 of many sources without listing the choices of their focal sets.

A choice X1, ..., XS divides by the sum s of its masses m1(X1), ..., mS(XS), and 1/s = ∫ exp(-s t)
dt over t > 0. Under the integral, the sum over all choices is a conjunctive combination of the
numbers mi(X) exp(-t mi(X)), one source at a time. With t = exp(u), the trapezoidal rule of step h
has a relative error of 2 |Γ(1 + 2πi/h)| for any s (Poisson's summation formula; Trefethen &
Weideman 2014, The exponentially convergent trapezoidal rule). All terms are non-negative, so no
digits cancel.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import mul
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory._masses import batch_of, collect
from dstheory._typing import Floats
from dstheory.combine._boolean import conjunctive
from dstheory.combine.sources import (
    any_exact,
    combination_rule,
    nonempty,
    refuse_subnormal,
)
from dstheory.kernels import bits, pairwise, setwise
from dstheory.kernels.batches import blocks, flattened
from dstheory.kernels.limits import check_cost
from dstheory.mass import MassFunction

# The relative error is 2 |Γ(1 + 2πi/h)| = 1.8e-16 for h = 1/4, and 4e-12 for h = 1/3.
_STEP = 0.25
# The left tail that is cut off is less than 1e-17 of the integral; the right one is exp(-40).
_LEFT, _RIGHT = math.log(1e-17), math.log(40)
# Values held at once, 8 MiB.
_BLOCK_NODES = 1 << 20
# A step is a product of masses at one node. 10^8 steps take a second, as do 4 * 10^6 single choices
# or 10^8 in a batch. Fewer than one block of choices takes a millisecond either way.
_STEPS_A_CHOICE = 8
_FEW_CHOICES = 1 << 12
_MAX_STEPS = 1 << 33


def integral_is_faster(sources: tuple[MassFunction, ...], choices: int) -> bool:
    """Whether the integral takes less work for these normalized sources than all choices."""
    batch = batch_of(*sources)
    rows = math.prod(batch)
    if any_exact(sources) or not rows or choices < _FEW_CHOICES:
        return False
    enough = min(_STEPS_A_CHOICE * choices * rows, _MAX_STEPS)
    levels = math.ceil(math.log2(len(sources))) + 1
    steps_a_pair = len(_nodes([_flat(m, batch) for m in sources])) * levels * rows
    met, steps = bits.mask_array([sources[0].frame.full], len(sources[0].frame)), 0
    for source in sources:
        steps += steps_a_pair * len(met) * len(source.focal)
        if steps > enough:
            return False
        met = bits.distinct(np.bitwise_and.outer(met, source.focal))
    return True


def redistributed_by_integral(sources: tuple[MassFunction, ...]) -> MassFunction:
    """PCR6 of normalized floating-point sources."""
    batch, frame = batch_of(*sources), sources[0].frame
    focals = [source.focal for source in sources]
    stores = [_flat(source, batch) for source in sources]
    returned = [np.zeros(store.shape) for store in stores]
    nodes = _nodes(stores)
    most = min(1 << len(frame), math.prod(map(len, focals)))
    for rows in blocks(math.prod(batch), _BLOCK_NODES // (len(nodes) * most)):
        shares = _shares_at(focals, [store[:, rows] for store in stores], nodes)
        for total, share in zip(returned, shares, strict=True):
            total[:, rows] = share
    return with_agreement(sources, *zip(focals, returned, strict=True))


def with_agreement(
    sources: tuple[MassFunction, ...], *returned: tuple[NDArray[Any], NDArray[Any]]
) -> MassFunction:
    """Conjunctive masses, and what sets (F,) receive of the conflicts, (F, rows)."""
    batch = batch_of(*sources)
    back = [(focal, store.reshape(len(focal), *batch)) for focal, store in returned]
    return collect(sources[0].frame, nonempty(conjunctive(*sources)), *back)


def _flat(m: MassFunction, batch: tuple[int, ...]) -> Floats:
    """Masses (F, rows), with rounding errors below 0 set to 0."""
    return np.asarray(np.maximum(flattened(m.store, batch), 0))


def _nodes(stores: list[Floats]) -> Floats:
    """Nodes t at which the rule is accurate for every sum of masses of these sources."""
    largest = reduce(np.add, [store.max(axis=0) for store in stores]).max()
    least = reduce(np.add, [store.min(axis=0, initial=1, where=store > 0) for store in stores])
    first, last = _LEFT - math.log(largest), _RIGHT - math.log(least.min())
    return np.asarray(np.exp(np.arange(first, last + _STEP, _STEP)))


def _shares_at(focals: list[NDArray[Any]], stores: list[Floats], nodes: Floats) -> Iterator[Floats]:
    """What the sets of each source in turn receive from all conflicts, (F, rows)."""
    t = nodes[:, np.newaxis]
    parts = [
        (focal, store[:, np.newaxis] * np.exp(-t * store[:, np.newaxis]))
        for focal, store in zip(focals, stores, strict=True)
    ]
    everything = reduce(np.bitwise_or, (np.bitwise_or.reduce(focal) for focal in focals))
    start = np.array([everything], dtype=focals[0].dtype), np.ones((1, 1, 1))
    for number, (focal, others) in enumerate(_of_all_others(parts, start)):
        sets, values = parts[number]
        apart = np.asarray(np.bitwise_and.outer(sets, focal) == 0, dtype=bool)
        conflict = setwise.weighted_sum(apart, others)
        # mi(X) t exp(-t mi(X)) is at most 1/e, however large t is.
        yield stores[number] * (_STEP * (t * values) * conflict).sum(axis=1)


def _of_all_others(parts: list[pairwise.Part], outside: pairwise.Part) -> Iterator[pairwise.Part]:
    """Conjunctive combination of `outside` and all parts but one, for each part in turn."""
    if len(parts) == 1:
        yield outside
        return
    half = len(parts) // 2
    yield from _of_all_others(parts[:half], reduce(pairwise.met, parts[half:], outside))
    yield from _of_all_others(parts[half:], reduce(pairwise.met, parts[:half], outside))


# Choices examined at a time; for four sources the masks take 128 KiB.
_BLOCK_CHOICES = 1 << 12
# Values held at once, in a block of conflicts times rows: the fastest of 2^13 to 2^17
# (10^5 pairs of 15 focal sets: 113 ms; 138 ms with 2^13 or 2^17).
_BLOCK_VALUES = 1 << 16
# PCR5 takes 10^6 choices a second, 10^8 in a batch, and 5,000 of fractions.
_MAX_CHOICES = 1 << 26
_MAX_VALUES = 1 << 33
_MAX_EXACT = 1 << 20


@dataclass(frozen=True)
class Conflict:
    """A block of T partial conflicts of S sources.

    Attributes
    ----------
    index : (S, T) array
        Position of the chosen set among the focal sets of its source.
    sets : (S, T) array of masks
        The chosen sets; the intersection of each column is empty.
    """

    index: NDArray[np.intp]
    sets: NDArray[Any]

    @cached_property
    def first(self) -> NDArray[np.bool_]:
        """Whether no earlier source chose the same set, (S, T)."""
        new = np.ones(self.sets.shape, dtype=bool)
        for i, earlier in np.ndindex(len(new), len(new)):
            if earlier < i:
                new[i] &= np.asarray(self.sets[i] != self.sets[earlier], dtype=bool)
        return new

    @cached_property
    def kept(self) -> NDArray[np.bool_]:
        """Keeping index (S, T), whether a set takes part in the conflict (Dezert et al. 2021)."""
        size = bits.cardinality(self.sets.ravel()).reshape(self.sets.shape)
        holds = np.ones(self.sets.shape, dtype=bool)  # contains every set that is not larger
        for i, other in np.ndindex(len(holds), len(holds)):
            inside = np.asarray((self.sets[i] & self.sets[other]) == self.sets[other], dtype=bool)
            holds[i] &= inside | (size[other] > size[i])
        kept = np.zeros(self.sets.shape, dtype=bool)
        for i, larger in np.ndindex(len(kept), len(kept)):
            kept[i] |= ~holds[larger] & (size[larger] >= size[i])
        return kept

    def products(self, masses: list[NDArray[Any]]) -> list[NDArray[Any]]:
        """For each source, the product (T, rows) of the masses of all that chose its set."""
        result = list(masses)
        for i, other in np.ndindex(len(masses), len(masses)):
            same = np.asarray(self.sets[i] == self.sets[other], dtype=bool)
            if i != other and same.any():
                result[i] = result[i] * np.where(same[:, np.newaxis], masses[other], 1)
        return result


def redistribute(
    rule: str, sources: tuple[MassFunction, ...], *, product: bool, improved: bool = False
) -> MassFunction:
    """Conjunctive combination with each partial conflict redistributed in proportion to claims."""
    refuse_subnormal(rule, *sources)
    _check_choices(rule, sources)
    batch = batch_of(*sources)
    returned = [np.zeros((len(m.focal), math.prod(batch)), dtype=m.store.dtype) for m in sources]
    for block, masses, rows in _row_blocks(sources):
        shares = _shares(masses, _claims(block, masses, product, improved))
        for total, share, index in zip(returned, shares, block.index, strict=True):
            receivers = index == np.arange(len(total))[:, np.newaxis]
            total[:, rows] += setwise.weighted_sum(receivers, share)
    return with_agreement(sources, *zip((m.focal for m in sources), returned, strict=True))


def n_choices(sources: tuple[MassFunction, ...]) -> int:
    """Number of choices of one focal set per source."""
    return math.prod(len(source.focal) for source in sources)


def _check_choices(rule: str, sources: tuple[MassFunction, ...]) -> None:
    """Refuse what would take more than a minute (a few minutes for exact masses)."""
    choices, rows = n_choices(sources), math.prod(batch_of(*sources))
    if any_exact(sources):
        task, advice = f"{rule} of {len(sources)} exact sources", "convert masses to float"
        check_cost(choices * rows, _MAX_EXACT, task, "choices of focal sets", advice)
    advice = "approximate the sources (dstheory.approximate), or combine in several steps"
    if rule != "PCR6":
        advice = f"use pcr6, {advice}"
    task = f"{rule} of {len(sources)} sources"
    check_cost(choices, _MAX_CHOICES, task, "choices of focal sets", advice)
    task = f"{rule} of {len(sources)} sources in {rows:,} rows"
    check_cost(choices * rows, _MAX_VALUES, task, "choices of focal sets", advice)


def _row_blocks(
    sources: tuple[MassFunction, ...],
) -> Iterator[tuple[Conflict, list[NDArray[Any]], slice]]:
    """Blocks of conflicts, with the masses (T, rows) of their sets for blocks of rows."""
    batch = batch_of(*sources)
    stores = [flattened(source.store, batch) for source in sources]
    for block in _conflicts([source.focal for source in sources]):
        for rows in blocks(math.prod(batch), _BLOCK_VALUES // block.index.shape[1]):
            yield block, [s[i, rows] for s, i in zip(stores, block.index, strict=True)], rows


def _shares(masses: list[NDArray[Any]], claims: list[NDArray[Any]]) -> list[NDArray[Any]]:
    """What the set of each source receives (T, rows) from each of the T conflicts."""
    total = sum(claims[1:], start=claims[0])
    # Where nothing is claimed, a source gave its set no mass, and there is nothing to share.
    per_claim = reduce(mul, masses) / np.where(np.asarray(total == 0, dtype=bool), 1, total)
    return [claim * per_claim for claim in claims]


def _conflicts(focals: list[NDArray[Any]]) -> Iterator[Conflict]:
    """All partial conflicts of sources with these focal sets, in blocks.

    Examples
    --------
    >>> [block] = _conflicts([np.array([1, 3]), np.array([2, 3])])
    >>> block.sets
    array([[1],
           [2]])
    """
    shape = tuple(map(len, focals))
    for part in blocks(math.prod(shape), _BLOCK_CHOICES):
        index = np.stack(np.unravel_index(np.arange(part.start, part.stop), shape))
        sets = np.stack([focal[i] for focal, i in zip(focals, index, strict=True)])
        against = np.asarray(reduce(np.bitwise_and, sets) == 0, dtype=bool)
        if against.any():
            yield Conflict(index[:, against], sets[:, against])


@combination_rule
def pcr5(m1: MassFunction, m2: MassFunction, *more: MassFunction) -> MassFunction:
    """Proportional conflict redistribution no. 5.

    The mass π of a conflict X1, ..., XS returns to its distinct sets. The share of X is
    proportional to the product of the masses of the sources with Xi = X.

    Parameters
    ----------
    m1, m2, *more : MassFunction
        Normalized sources on one frame; their batch shapes broadcast.

    Returns
    -------
    MassFunction
        Normalized.

    Raises
    ------
    MassError
        If a source gives mass to the empty set.
    FrameError
        If the frames differ.
    CostLimitError
        If there are more than 2^26 choices of one focal set a source (exact masses: 2^20).
    TypeError
        If a source is not a mass function.

    See Also
    --------
    pcr6 : the same for two sources, better behaved for more.

    Notes
    -----
    Commutative, not associative: combine all sources in one call. The cost is the product of the
    numbers of focal sets. The vacuous mass function is neutral with one other source but not with
    several; for `pcr5_plus` it always is.

    References
    ----------
    Smarandache, F. & Dezert, J. (2005). Proportional conflict redistribution rules for
    information fusion. arXiv:cs/0408064. Dezert, T., Dezert, J. & Smarandache, F. (2021).
    Improvement of proportional conflict redistribution rules of combination of basic
    belief assignments. Journal of Advances in Information Fusion 16(1), 48-74.

    Examples
    --------
    Smarandache & Dezert, example 12.5: the conflict of 0.9 is shared in the ratio 1 to 0.9.

    >>> from fractions import Fraction
    >>> from dstheory import Frame
    >>> frame = Frame(["a", "b"])
    >>> m1 = MassFunction.from_dict(frame, {"a": Fraction(1)})
    >>> m2 = MassFunction.from_dict(frame, {"a": Fraction(1, 10), "b": Fraction(9, 10)})
    >>> pcr5(m1, m2)
    MassFunction on {a, b}
      {a}  109/190
      {b}  81/190
    """
    return redistribute("PCR5", (m1, m2, *more), product=True)


@combination_rule
def pcr6(m1: MassFunction, m2: MassFunction, *more: MassFunction) -> MassFunction:
    """Proportional conflict redistribution no. 6, for any number of sources.

    The mass π of a conflict X1, ..., XS returns to its sets: Xi receives the share
    π mi(Xi) / (m1(X1) + ... + mS(XS)).

    Parameters
    ----------
    m1, m2, *more : MassFunction
        Normalized sources on one frame; their batch shapes broadcast.

    Returns
    -------
    MassFunction
        Normalized.

    Raises
    ------
    MassError
        If a source gives mass to the empty set.
    FrameError
        If the frames differ.
    CostLimitError
        If there are more than 2^26 choices of one focal set a source (exact masses: 2^20),
        and the integral in the notes would take more than a minute or two.
    TypeError
        If a source is not a mass function.

    Notes
    -----
    Equal to `pcr5` for two sources. Commutative, not associative: combine all sources in
    one call.

    With 4,096 choices of focal sets or more, floating-point masses use 1/s = ∫ exp(-s t) dt: under
    the integral, the sum over all choices is a sequence of conjunctive combinations. The relative
    error is due to rounding only, below 1e-14. For exact masses, the cost is the product of the
    numbers of focal sets.

    References
    ----------
    Martin, A. & Osswald, C. (2006). A new generalization of the proportional conflict
    redistribution rule stable in terms of decision. In Advances and Applications of DSmT
    for Information Fusion, vol. 2. Dezert, Dezert & Smarandache (2021).

    Examples
    --------
    Dezert et al. 2021, example 3: four categorical sources, two of which agree.

    >>> from fractions import Fraction
    >>> from dstheory import Frame
    >>> frame = Frame(["a", "b", "c"])
    >>> sure = [
    ...     MassFunction.from_dict(frame, {event: Fraction(1)})
    ...     for event in [("a", "b"), "b", ("a", "b"), "c"]
    ... ]
    >>> pcr6(*sure)
    MassFunction on {a, b, c}
      {b}     1/4
      {a, b}  1/2
      {c}     1/4
    """
    sources = (m1, m2, *more)
    refuse_subnormal("PCR6", *sources)
    if integral_is_faster(sources, n_choices(sources)):
        return redistributed_by_integral(sources)
    return redistribute("PCR6", sources, product=False)


@combination_rule
def pcr5_plus(m1: MassFunction, m2: MassFunction, *more: MassFunction) -> MassFunction:
    """Combine by improved PCR5, where only sets that take part in a conflict receive of it.

    As `pcr5`, among the sets of the conflict with keeping index 1. A set is left out if it, and
    every set of the conflict at least as large, contains all sets of the conflict that are not
    larger.

    Parameters
    ----------
    m1, m2, *more : MassFunction
        Normalized sources on one frame; their batch shapes broadcast.

    Returns
    -------
    MassFunction
        Normalized.

    Raises
    ------
    MassError
        If a source gives mass to the empty set.
    FrameError
        If the frames differ.
    CostLimitError
        If there are more than 2^26 choices of one focal set a source (exact masses: 2^20).
    TypeError
        If a source is not a mass function.

    Notes
    -----
    Equal to `pcr5` for two sources. Commutative, not associative; the vacuous mass
    function is neutral.

    References
    ----------
    Dezert, Dezert & Smarandache (2021).

    Examples
    --------
    As in Dezert et al. 2021: the frame takes no part in the conflict of a and bc.

    >>> from fractions import Fraction
    >>> from dstheory import Frame
    >>> frame = Frame(["a", "b", "c"])
    >>> sure = [
    ...     MassFunction.from_dict(frame, {event: Fraction(1)})
    ...     for event in [frame, "a", ("b", "c")]
    ... ]
    >>> pcr5_plus(*sure).prune()
    MassFunction on {a, b, c}
      {a}     1/2
      {b, c}  1/2
    """
    return redistribute("PCR5+", (m1, m2, *more), product=True, improved=True)


@combination_rule
def pcr6_plus(m1: MassFunction, m2: MassFunction, *more: MassFunction) -> MassFunction:
    """Combine by improved PCR6, where only sets that take part in a conflict receive of it.

    As `pcr6`, among the sets of the conflict whose keeping index is 1; see `pcr5_plus`.

    Parameters
    ----------
    m1, m2, *more : MassFunction
        Normalized sources on one frame; their batch shapes broadcast.

    Returns
    -------
    MassFunction
        Normalized.

    Raises
    ------
    MassError
        If a source gives mass to the empty set.
    FrameError
        If the frames differ.
    CostLimitError
        If there are more than 2^26 choices of one focal set a source (exact masses: 2^20).
    TypeError
        If a source is not a mass function.

    Notes
    -----
    Equal to `pcr5` for two sources. Commutative, not associative; the vacuous mass
    function is neutral.

    References
    ----------
    Dezert, Dezert & Smarandache (2021).

    Examples
    --------
    As in Dezert et al. 2021 (categorical sources on a, bc, ac, bc and the frame):

    >>> from fractions import Fraction
    >>> from dstheory import Frame
    >>> frame = Frame(["a", "b", "c", "d"])
    >>> sure = [
    ...     MassFunction.from_dict(frame, {event: Fraction(1)})
    ...     for event in ["a", ("b", "c"), ("a", "c"), ("b", "c"), frame]
    ... ]
    >>> pcr6_plus(*sure).prune()
    MassFunction on {a, b, c, d}
      {a}     1/4
      {a, c}  1/4
      {b, c}  1/2
    """
    return redistribute("PCR6+", (m1, m2, *more), product=False, improved=True)


def _claims(
    block: Conflict, masses: list[NDArray[Any]], product: bool, improved: bool
) -> list[NDArray[Any]]:
    """Claims of the sources on a conflict: each for its set, or one for all that chose the set."""
    claims = block.products(masses) if product else masses
    entitled = np.ones(block.index.shape, dtype=bool)
    if product:
        entitled &= block.first
    if improved:
        entitled &= block.kept
    return [
        claim if takes.all() else np.where(takes[:, np.newaxis], claim, 0)
        for claim, takes in zip(claims, entitled, strict=True)
    ]
