"""Rules on batches, on many sources and on many focal sets, beside the obvious way.

Each group holds a rule and what it replaces: a call for each row, all choices of focal sets
by `itertools.product`, or dense tables of weights.
"""

from itertools import product
from math import prod

import numpy as np
import pytest

from dstheory import Frame, MassFunction, combine
from dstheory.combine import _pcr, _weights
from dstheory.transform import conjunctive_weights, from_weights

N_ROWS, N_SINGLE = 100_000, 500
BATCHED = [
    combine.dempster,
    combine.yager,
    combine.dubois_prade,
    combine.florea,
    combine.pcr5,
    combine.pcr6_plus,
    combine.murphy,
    combine.deng,
    combine.cautious,
]


def random_masses(size, n_focal, n_sources, shape=(), seed=0):
    rng = np.random.default_rng(seed)
    frame, full = Frame(range(size)), (1 << size) - 1
    sources = []
    for _ in range(n_sources):
        proper = rng.choice(np.arange(1, full), n_focal - 1, replace=False)
        masses = rng.dirichlet(np.ones(n_focal), shape)
        sources.append(MassFunction(frame, [*proper.tolist(), full], masses))
    return sources


@pytest.fixture(scope="module")
def batches():
    return random_masses(4, 15, 2, (N_ROWS,))


@pytest.mark.parametrize("rule", BATCHED, ids=lambda f: f.__name__)
def test_batch(benchmark, batches, rule):
    benchmark.group = rule.__name__
    benchmark.pedantic(rule, batches, rounds=3)


@pytest.mark.parametrize("rule", BATCHED, ids=lambda f: f.__name__)
def test_one_by_one(benchmark, batches, rule):
    """500 rows; multiply by 200 to compare."""
    benchmark.group = rule.__name__
    pairs = list(zip(*(batch[:N_SINGLE] for batch in batches), strict=True))
    benchmark.pedantic(lambda: [rule(*pair) for pair in pairs], rounds=1)


@pytest.mark.benchmark(group="ten classifiers, 10^6 samples")
def test_ensemble(benchmark):
    masses = np.random.default_rng(0).dirichlet(np.ones(3), (10, 1_000_000))
    batch = MassFunction(Frame((0, 1)), [1, 2, 3], masses)
    benchmark.pedantic(combine.combine_axis, (batch, combine.dempster), rounds=2)


@pytest.mark.benchmark(group="PCR6 of four sources, 20 focal sets")
def test_pcr6(benchmark):
    benchmark(combine.pcr6, *random_masses(5, 20, 4))


@pytest.mark.benchmark(group="PCR6 of four sources, 20 focal sets")
def test_pcr6_by_all_choices(benchmark):
    sources = random_masses(5, 20, 4)
    tables = [list(zip(m.focal.tolist(), m.masses.tolist(), strict=True)) for m in sources]

    def by_hand():
        result = {}
        for choice in product(*tables):
            sets, masses = zip(*choice, strict=True)
            common = sets[0] & sets[1] & sets[2] & sets[3]
            shares = [(common, 1.0)] if common else list(zip(sets, masses, strict=True))
            scale = prod(masses) / sum(share for _, share in shares)
            for mask, share in shares:
                result[mask] = result.get(mask, 0) + scale * share
        return result

    benchmark.pedantic(by_hand, rounds=1)


@pytest.mark.benchmark(group="PCR6 of ten sources, 4 focal sets")
def test_pcr6_of_many(benchmark):
    benchmark(combine.pcr6, *random_masses(4, 4, 10))


@pytest.mark.benchmark(group="PCR6 of ten sources, 4 focal sets")
def test_pcr6_of_many_by_choices(benchmark, monkeypatch):
    monkeypatch.setattr(_pcr, "_STEPS_A_CHOICE", 0)
    benchmark.pedantic(combine.pcr6, random_masses(4, 4, 10), rounds=1)


@pytest.mark.benchmark(group="PCR3 and PCR5 of ten sources, 4 focal sets")
@pytest.mark.parametrize("rule", [combine.pcr3, combine.pcr5], ids=lambda f: f.__name__)
def test_pcr_by_collections_or_choices(benchmark, rule):
    """PCR3 by collections of sets, PCR5 by all choices of them."""
    benchmark.pedantic(rule, random_masses(4, 4, 10), rounds=1)


@pytest.mark.benchmark(group="cautious rule, 10 labels, 50 focal sets")
def test_cautious_sparse(benchmark):
    benchmark(combine.cautious, *random_masses(10, 50, 2))


@pytest.mark.benchmark(group="cautious rule, 10 labels, 50 focal sets")
def test_cautious_by_tables(benchmark):
    """Faster where focal sets are many, but rounding leaves masses of -1e-17 everywhere."""
    one, two = random_masses(10, 50, 2)

    def by_tables():
        weights = np.minimum(conjunctive_weights(one), conjunctive_weights(two))
        return from_weights(one.frame, weights)

    benchmark(by_tables)


@pytest.mark.benchmark(group="cautious rule, 18 labels, 100 focal sets")
@pytest.mark.parametrize("many", [1 << 9, 1 << 30], ids=["family", "pairs"])
def test_cautious_of_many_intersections(benchmark, monkeypatch, many):
    """In a family of 12,000 closed sets, and as pairs of sets that are sorted anew each time."""
    monkeypatch.setattr(_weights, "_MANY_SETS", many)
    benchmark.pedantic(combine.cautious, random_masses(18, 100, 2), rounds=1)


@pytest.fixture(scope="module")
def thousand():
    rng = np.random.default_rng(0)
    masses = np.zeros((1000, 11))
    masses[np.arange(1000), rng.integers(10, size=1000)] = 0.5
    masses[:, 10] = 0.5
    return list(MassFunction(Frame(range(10)), [*(1 << np.arange(10)).tolist(), 1023], masses))


@pytest.mark.benchmark(group="a thousand sources")
@pytest.mark.parametrize("options", [{}, {"log": True}], ids=["plain", "log"])
def test_dempster_of_many(benchmark, thousand, options):
    benchmark.pedantic(combine.dempster, thousand, options, rounds=3)


@pytest.mark.benchmark(group="a thousand sources")
def test_lns_of_many(benchmark, thousand):
    benchmark.pedantic(combine.lns, thousand, rounds=3)
