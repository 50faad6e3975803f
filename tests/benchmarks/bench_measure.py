"""Measures of 10^5 mass functions in one call, beside a call for each of 1000 of them."""

from functools import partial

import numpy as np
import pytest

from dstheory import Frame, MassFunction, measure
from dstheory.measure._distance import jensen_shannon, table_distance, tessem
from dstheory.measure._entropy import (
    aggregated_uncertainty,
    deng_entropy,
    jirousek_shenoy_entropy,
)

FRAME = Frame(range(4))
N_ROWS, N_SINGLE = 100_000, 1_000
UNARY = [
    measure.nonspecificity,
    measure.internal_conflict,
    deng_entropy,
    jirousek_shenoy_entropy,
    aggregated_uncertainty,
    measure.information,
    measure.inconsistency,
    measure.auto_conflict,
]
BINARY = [
    measure.conflict,
    measure.conflict_blame,
    measure.distance,
    table_distance,
    tessem,
    jensen_shannon,
    partial(measure.is_included, order="pl"),
]


@pytest.fixture(scope="module")
def batches():
    rng = np.random.default_rng(0)
    stores = rng.dirichlet(np.ones(15), size=(2, N_ROWS))
    return [MassFunction(FRAME, range(1, 16), store) for store in stores]


@pytest.fixture(scope="module")
def singles(batches):
    return [list(batch[:N_SINGLE]) for batch in batches]


@pytest.mark.parametrize(
    "of", [*UNARY, *BINARY], ids=lambda f: getattr(f, "__name__", "is_pl_included")
)
def test_batch(benchmark, batches, of):
    arguments = batches[:1] if of in UNARY else batches
    benchmark.pedantic(of, arguments, rounds=3)


@pytest.mark.parametrize(
    "of", [*UNARY, *BINARY], ids=lambda f: getattr(f, "__name__", "is_pl_included")
)
def test_one_by_one(benchmark, singles, of):
    rows = list(zip(*(singles[:1] if of in UNARY else singles), strict=True))
    benchmark.pedantic(lambda: [of(*row) for row in rows], rounds=1)


@pytest.mark.benchmark(group="linear programs")
def test_specialization(benchmark, batches):
    m1, m2 = batches
    benchmark.pedantic(measure.is_included, (m1[:100], m1[:100] | m2[:100]), rounds=1)


@pytest.mark.benchmark(group="many focal sets")
def test_jousselme_of_two_large_ones(benchmark):
    """1000 focal sets each on 16 labels; the obvious way is the table of all 2^16 sets."""
    rng = np.random.default_rng(0)
    pair = [
        MassFunction(
            Frame(range(16)),
            rng.choice(np.arange(1, 1 << 16), 1000, replace=False),
            rng.dirichlet(np.ones(1000)),
        )
        for _ in range(2)
    ]
    benchmark(measure.distance, *pair)
