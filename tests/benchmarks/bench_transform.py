"""Tables and probabilities of mass functions against the obvious way to compute them.

Run with ``pytest tests/benchmarks/bench_transform.py -s``. Each benchmark prints its ratio
to the alternative, timed in the same run.
"""

import numpy as np
import pytest

from dstheory import Frame, MassFunction
from dstheory.construct import consonant, random
from dstheory.transform import (
    betp,
    conjunctive_weights,
    convert_table,
    maximum_entropy_probability,
    tables,
)
from tests.benchmarks.timing import median_ms, report


def tables_by_loop(m):
    """Bel, Pl and q of every subset by a masked sum."""
    n_sets = m.frame.full + 1
    bel, pl, q = np.empty(n_sets), np.empty(n_sets), np.empty(n_sets)
    for event in range(n_sets):
        common = m.focal & event
        bel[event] = m.masses[(common == m.focal) & (m.focal != 0)].sum()
        pl[event] = m.masses[common != 0].sum()
        q[event] = m.masses[common == event].sum()
    return bel, pl, q


def betp_by_loop(m):
    """Shares of each focal set, label by label."""
    p = np.zeros(len(m.frame))
    for mask, mass in zip(m.focal.tolist(), m.masses.tolist(), strict=True):
        size = mask.bit_count()
        for i in range(len(p)):
            if mask >> i & 1:
                p[i] += mass / size
    return p


@pytest.mark.parametrize("size", [10, 12, 14])
def test_bel_pl_q_of_all_subsets(benchmark, size):
    m = random(Frame(range(size)), np.random.default_rng(0), n_focal=100)

    def ours():
        return tables.table(m, "bel"), tables.table(m, "pl"), tables.table(m, "q")

    for one, two in zip(ours(), tables_by_loop(m), strict=True):
        np.testing.assert_allclose(one, two, atol=1e-13)
    slow = median_ms(lambda: tables_by_loop(m), repeat=1)
    report(f"bel + pl + q, n={size}, 100 focal sets", median_ms(ours), slow)
    benchmark(ours)


@pytest.mark.parametrize(("size", "n_focal"), [(8, 100), (16, 1000), (20, 2000)])
def test_pignistic(benchmark, size, n_focal):
    m = random(Frame(range(size)), np.random.default_rng(0), n_focal=n_focal)
    np.testing.assert_allclose(betp(m), betp_by_loop(m), atol=1e-13)
    slow = median_ms(lambda: betp_by_loop(m), repeat=5)
    report(f"betp, n={size}, {n_focal} focal sets", median_ms(lambda: betp(m)), slow)
    benchmark(betp, m)


def test_pignistic_of_a_batch(benchmark):
    m = random(Frame(range(4)), np.random.default_rng(0), size=100_000)
    slow = median_ms(lambda: [betp_by_loop(m[row]) for row in range(200)], repeat=3) * 500
    report("betp of 100,000 rows, n=4", median_ms(lambda: betp(m), repeat=5), slow)
    benchmark(betp, m)


def test_consonant_batch(benchmark):
    contour = np.random.default_rng(0).random((100_000, 4))
    contour /= contour.max(axis=1, keepdims=True)
    frame = Frame(range(4))
    slow = median_ms(lambda: [consonant(frame, row) for row in contour[:200]], repeat=3) * 500
    report("consonant, 100,000 rows", median_ms(lambda: consonant(frame, contour), 5), slow)
    benchmark(consonant, frame, contour)


def weights_by_loop(q, size):
    """w(A) by the definition, set by set."""
    sets = np.arange(1 << size)
    logs = np.log(q)
    result = np.empty(len(sets))
    for event in sets:
        above = sets[(sets & event) == event]
        signs = 1 - 2.0 * ((np.bitwise_count(above) - event.bit_count()) % 2)
        result[event] = np.exp(-(signs * logs[above]).sum())
    return result


def test_conjunctive_weights(benchmark):
    size = 10
    m = random(Frame(range(size)), np.random.default_rng(0), n_focal=50, conflict=0.1)
    m = MassFunction(m.frame, [*m.focal, m.frame.full], [*(m.masses * 0.9), 0.1])
    expected = weights_by_loop(tables.table(m, "q"), size)
    np.testing.assert_allclose(conjunctive_weights(m)[:-1], expected[:-1])
    slow = median_ms(lambda: weights_by_loop(tables.table(m, "q"), size), repeat=3)
    report("conjunctive weights, n=10", median_ms(lambda: conjunctive_weights(m)), slow)
    benchmark(conjunctive_weights, m)


def test_conjunctive_weights_of_a_large_table(benchmark):
    frame = Frame(range(20))
    m = random(frame, np.random.default_rng(0), focal=[*map(frame.event, range(1, 999)), frame])
    ours = median_ms(lambda: conjunctive_weights(m), repeat=5)
    report(
        "conjunctive weights, n=20 (to commonalities)",
        ours,
        median_ms(lambda: tables.table(m, "q")),
    )
    benchmark(conjunctive_weights, m)


@pytest.mark.parametrize("size", [14, 20])
def test_mass_to_plausibility(benchmark, size):
    table = np.random.default_rng(0).dirichlet(np.ones(1 << size))
    ours = median_ms(lambda: convert_table(table, "m", "pl"))
    report(f"m to pl, n={size} (to a copy)", ours, median_ms(table.copy))
    benchmark(convert_table, table, "m", "pl")


def test_maximum_entropy_of_a_batch(benchmark):
    m = random(Frame(range(4)), np.random.default_rng(0), size=100_000)

    def one_by_one():
        return [maximum_entropy_probability(m[row]) for row in range(200)]

    ours = median_ms(lambda: maximum_entropy_probability(m), repeat=3)
    report("maximum entropy, 100,000 rows", ours, median_ms(one_by_one, repeat=3) * 500)
    benchmark(maximum_entropy_probability, m)
