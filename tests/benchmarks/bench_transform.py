"""Tables and probabilities of mass functions against the obvious way to compute them.

Run with ``pytest tests/benchmarks/bench_transform.py -s``. Each benchmark prints its ratio
to the alternative, timed in the same run.
"""

import timeit

import numpy as np
import pytest

from dstheory import Frame
from dstheory.construct import consonant, random
from dstheory.transform import bel_table, betp, pl_table, q_table


def median_ms(function, repeat=15):
    """Median milliseconds of a call."""
    number = max(1, int(0.01 / max(timeit.timeit(function, number=1), 1e-7)))
    return 1e3 * float(np.median(timeit.repeat(function, number=number, repeat=repeat))) / number


def report(name, ours, alternative):
    print(f"\n{name}: {ours:.3f} ms, alternative {alternative:.3f} ms, {alternative / ours:.1f}x")


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
        return bel_table(m), pl_table(m), q_table(m)

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
