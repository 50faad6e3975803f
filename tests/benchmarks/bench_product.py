"""Products of variables against the routes for one frame, and against plain Python.

Run with ``pytest tests/benchmarks/bench_product.py -s``. Each benchmark prints its ratio to
the alternative, timed in the same run.
"""

import itertools

import numpy as np
import pytest

from dstheory import Frame, MassFunction, conjunctive
from dstheory.kernels import bits, bitsets, pairwise
from dstheory.product import ProductFrame, Variable, combine, extend, implies, marginalize
from dstheory.revise import coarsen, refine
from tests.benchmarks.timing import median_ms, report

BINARY = [Variable(f"v{i}", [0, 1]) for i in range(14)]


def random_belief(n_variables, n_focal, rng):
    """Random sets of configurations."""
    frame = ProductFrame(BINARY[:n_variables])
    masks = bitsets.pack_masks(rng.random((n_focal, len(frame))) < 0.5)
    focal = np.array(sorted(masks.tolist()), dtype=masks.dtype)
    return MassFunction.from_store(frame, focal, np.full(n_focal, 1 / n_focal))


def by_refining(frame, names):
    """Configurations of some variables, with those of all that agree with them."""
    axes = [frame.axis(name) for name in names]
    cells = {}
    for label in frame:
        cells.setdefault(tuple(label[axis] for axis in axes), []).append(label)
    return cells


@pytest.mark.parametrize(("n_variables", "n_focal"), [(8, 100), (12, 1000)])
def test_marginalize(benchmark, n_variables, n_focal):
    m = random_belief(n_variables, n_focal, np.random.default_rng(0))
    names = m.frame.names[::2]
    cells = by_refining(m.frame, names)
    part = Frame(cells)

    def coarsened():
        return coarsen(m, part, cells)

    found = marginalize(m, names)
    assert found.focal.tolist() == coarsened().focal.tolist()
    slow = median_ms(coarsened, repeat=1)
    name = f"marginalize, {n_focal} sets on 2^{n_variables} configurations, against coarsen"
    report(name, median_ms(lambda: marginalize(m, names)), slow)
    benchmark(marginalize, m, names)


@pytest.mark.parametrize(("n_variables", "n_focal"), [(8, 100), (12, 1000)])
def test_extend(benchmark, n_variables, n_focal):
    frame = ProductFrame(BINARY[:n_variables])
    m = random_belief(n_variables // 2, min(n_focal, 60), np.random.default_rng(0))
    onto = ProductFrame(frame.variables[::-1])
    cells = by_refining(onto, m.frame.names)

    def refined():
        return refine(m, onto, cells)

    assert extend(m, onto).focal.tolist() == refined().focal.tolist()
    name = f"extend, {len(m.focal)} sets to 2^{n_variables} configurations, against refine"
    report(name, median_ms(lambda: extend(m, onto)), median_ms(refined, repeat=1))
    benchmark(extend, m, onto)


@pytest.mark.parametrize("axes", [(0,), (11,), (0, 2, 4, 6, 8, 10), (6, 7, 8, 9, 10, 11)])
def test_projection_by_axes(benchmark, axes):
    """Whatever the strides of the axes that are left out."""
    m = random_belief(12, 1000, np.random.default_rng(0))
    shape = m.frame.shape

    def by_any():
        table = bits.members(m.focal, len(m.frame)).T.reshape(-1, *shape)
        dropped = tuple(axis + 1 for axis in range(12) if axis not in axes)
        return bitsets.pack_masks(np.ascontiguousarray(table.any(axis=dropped)).reshape(1000, -1))

    assert bitsets.project_masks(m.focal, shape, axes).tolist() == by_any().tolist()
    ours = median_ms(lambda: bitsets.project_masks(m.focal, shape, axes))
    report(f"projection to axes {axes}, against one any()", ours, median_ms(by_any))
    benchmark(bitsets.project_masks, m.focal, shape, axes)


def test_packing():
    """1,000 sets of 2^12 cells to bytes and back, against bit by bit."""
    masks = random_belief(12, 1000, np.random.default_rng(0)).focal
    table = np.ascontiguousarray(bits.members(masks, 1 << 12).T)

    def by_bits():
        return [[mask >> i & 1 for i in range(1 << 12)] for mask in masks.tolist()]

    assert bitsets.pack_masks(table).tolist() == masks.tolist()
    assert (table == by_bits()).all()
    slow = median_ms(by_bits, repeat=1)
    report("unpacking, against bit by bit", median_ms(lambda: bits.members(masks, 1 << 12)), slow)
    report("packing, against bit by bit", median_ms(lambda: bitsets.pack_masks(table)), slow)


@pytest.mark.parametrize("kind", ["few results", "many results"])
def test_pairs_of_long_sets(benchmark, kind):
    """Python integers: hashing them against sorting them."""
    rng = np.random.default_rng(0)
    if kind == "many results":
        focal = random_belief(12, 300, rng).focal
    else:  # unions of ten blocks: closed under intersection
        block, keys = rng.integers(10, size=1 << 12), rng.permutation(1024)[:300]
        masks = bitsets.pack_masks((keys[:, np.newaxis] >> block & 1).astype(bool))
        focal = np.array(sorted(masks.tolist()), dtype=object)

    def by_sorting():
        outer = np.bitwise_and.outer(focal, focal).ravel()
        return np.unique(outer, return_inverse=True)

    targets = pairwise.pair_targets(focal, focal, np.bitwise_and)
    for found, wanted in zip(targets, by_sorting(), strict=True):
        assert (found == wanted.reshape(-1)).all()
    ours = median_ms(lambda: pairwise.pair_targets(focal, focal, np.bitwise_and), repeat=3)
    report(f"300 x 300 sets of 2^12 bits, {kind}", ours, median_ms(by_sorting, repeat=3))
    benchmark(pairwise.pair_targets, focal, focal, np.bitwise_and)


def test_combining_a_chain(benchmark):
    """Noisy implications along 10 variables, in one call, against frozensets."""
    rules = [implies({one: 1}, {two: 1}, 0.9) for one, two in itertools.pairwise(BINARY[:10])]
    together = combine(*rules, rule=conjunctive)
    frame = together.frame
    extended = [extend(rule, frame).to_dict() for rule in rules]

    def by_frozensets():
        result = {frozenset(frame): 1.0}
        for rule in extended:
            sets = {frozenset(event): mass for event, mass in rule.items()}
            joined = {}
            for a, x in result.items():
                for b, y in sets.items():
                    joined[a & b] = joined.get(a & b, 0) + x * y
            result = joined
        return result

    slow = by_frozensets()
    assert len(slow) == len(together.focal)
    ours = median_ms(lambda: combine(*rules, rule=conjunctive))
    report("9 rules on 10 variables, in one call", ours, median_ms(by_frozensets, repeat=1))
    benchmark(combine, *rules, rule=conjunctive)
