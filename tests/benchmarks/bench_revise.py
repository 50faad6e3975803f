"""Revising and approximating whole batches against the obvious loops.

Run with ``pytest tests/benchmarks/bench_revise.py -s``. Each benchmark prints its ratio to
the alternative, timed in the same run.
"""

import numpy as np
import pytest

from dstheory import Frame, MassFunction, dempster
from dstheory.approximate import cluster, monte_carlo_dempster, summarize
from dstheory.construct import random
from dstheory.revise import condition, contextual_discount, generalized_bayes
from tests.benchmarks.timing import median_ms, report


def moved(masses, target):
    """Masses (dict of masks) after each set has gone to its target, normalized."""
    result = {}
    for mask, mass in masses.items():
        if target(mask):
            result[target(mask)] = result.get(target(mask), 0) + mass
    total = sum(result.values())
    return {mask: mass / total for mask, mass in result.items()}


def rows_of(m, count):
    return [dict(zip(m.focal.tolist(), row, strict=True)) for row in m.masses[:count].tolist()]


def test_condition_of_a_batch(benchmark):
    m = random(Frame(range(4)), np.random.default_rng(0), size=100_000)
    rows = rows_of(m, 500)
    slow = median_ms(lambda: [moved(row, lambda mask: mask & 7) for row in rows]) * 200
    report("condition, 100,000 rows, n=4", median_ms(lambda: condition(m, [0, 1, 2])), slow)
    benchmark(condition, m, [0, 1, 2])


def test_contextual_discount_of_a_batch(benchmark):
    m = random(Frame(range(4)), np.random.default_rng(0), size=100_000)
    rates = {0: 0.1, 1: 0.2, 2: 0.3, 3: 0.4}

    def by_loop(row):
        for label, rate in rates.items():
            changed = {}
            for mask, mass in row.items():
                changed[mask] = changed.get(mask, 0) + (1 - rate) * mass
                other = mask | 1 << label
                changed[other] = changed.get(other, 0) + rate * mass
            row = changed
        return row

    rows = rows_of(m, 200)
    slow = median_ms(lambda: [by_loop(row) for row in rows]) * 500
    ours = median_ms(lambda: contextual_discount(m, rates=rates), repeat=3)
    report("contextual discount by 4 contexts, 100,000 rows, n=4", ours, slow)
    benchmark(contextual_discount, m, rates=rates)


def focusing_by_loop(m, mask):
    """Conditional beliefs of all parts of an event by masked sums."""
    parts = [a for a in range(mask + 1) if a & mask == a]
    inside = (m.focal & mask) == m.focal
    result = []
    for a in parts:
        bel = m.masses[inside & ((m.focal & a) == m.focal)].sum()
        pl = m.masses[(m.focal & mask & ~a) != 0].sum()
        result.append(bel / (bel + pl) if bel + pl else 1.0)
    return parts, np.array(result)


def test_focusing(benchmark):
    m = random(Frame(range(14)), np.random.default_rng(0), n_focal=200)
    event, mask = range(12), (1 << 12) - 1
    focused = condition(m, event, rule="focusing")
    parts, beliefs = focusing_by_loop(m, mask)
    for a in parts[1::97]:
        assert abs(focused.bel(mask=a) - beliefs[a]) < 1e-9
    slow = median_ms(lambda: focusing_by_loop(m, mask), repeat=3)
    ours = median_ms(lambda: condition(m, event, rule="focusing"))
    report("focusing on 12 of 14 labels, 200 focal sets", ours, slow)
    benchmark(condition, m, event, rule="focusing")


@pytest.mark.parametrize("size", [6, 10])
def test_generalized_bayes(benchmark, size):
    frame = Frame(range(size))
    likelihoods = np.random.default_rng(0).random((100, size))

    def by_formula():
        sets = np.arange(1 << size)
        inside = (sets[:, np.newaxis] >> np.arange(size) & 1).astype(bool)
        return [np.where(inside, row, 1 - row).prod(axis=1) for row in likelihoods]

    ours = generalized_bayes(frame, likelihoods, normalize=False)
    np.testing.assert_allclose(ours.masses, by_formula(), atol=1e-14)
    fast = median_ms(lambda: generalized_bayes(frame, likelihoods))
    report(f"generalized Bayes, 100 rows, n={size}", fast, median_ms(by_formula))
    benchmark(generalized_bayes, frame, likelihoods)


def test_summarize_of_a_batch(benchmark):
    m = random(Frame(range(5)), np.random.default_rng(0), n_focal=20, size=20_000)

    def by_loop(row):
        order = sorted(row, key=row.get, reverse=True)
        kept = {mask: row[mask] for mask in order[:4]}
        union = int(np.bitwise_or.reduce(order[4:]))
        kept[union] = kept.get(union, 0) + sum(row[mask] for mask in order[4:])
        return kept

    rows = rows_of(m, 500)
    slow = median_ms(lambda: [by_loop(row) for row in rows]) * 40
    report("summarize to 5 sets, 20,000 rows", median_ms(lambda: summarize(m, 5), 3), slow)
    benchmark(summarize, m, 5)


def test_clustering(benchmark):
    m = random(Frame(range(16)), np.random.default_rng(0), n_focal=200)

    def by_loop():
        row = rows_of(MassFunction(m.frame, m.focal, m.masses[np.newaxis]), 1)[0]
        for _ in range(2):  # two of 180 mergers
            row = merged_once(row)
        return row

    slow = 90 * median_ms(by_loop, repeat=3)
    report("outer clustering, 200 to 20 sets", median_ms(lambda: cluster(m, 20)), slow)
    benchmark(cluster, m, 20)


def merged_once(row):
    """Merge the pair whose union costs least, all pairs tried."""
    sets = list(row)
    best, pair = np.inf, (sets[0], sets[1])
    for i, a in enumerate(sets):
        for b in sets[i + 1 :]:
            size = (a | b).bit_count()
            cost = row[a] * (size - a.bit_count()) + row[b] * (size - b.bit_count())
            if cost < best:
                best, pair = cost, (a, b)
    mass = row.pop(pair[0]) + row.pop(pair[1])
    row[pair[0] | pair[1]] = row.get(pair[0] | pair[1], 0) + mass
    return row


def test_monte_carlo_against_the_exact_rule(benchmark):
    rng = np.random.default_rng(0)
    frame = Frame(range(40))
    ms = [random(frame, rng, n_focal=30) for _ in range(4)]

    def sampled():
        return monte_carlo_dempster(ms, 2000, np.random.default_rng(1))

    exact = dempster(*ms)
    estimate, error = sampled().pl(0)
    assert abs(estimate - exact.pl(0)) < 5 * error
    report(
        f"Monte Carlo, 4 sources of 30 sets on 40 labels, Pl to {error:.3f}",
        median_ms(sampled),
        median_ms(lambda: dempster(*ms), repeat=3),
    )
    more = [random(frame, rng, n_focal=30) for _ in range(20)]
    many = median_ms(lambda: monte_carlo_dempster(more, 2000, np.random.default_rng(1)), 3)
    print(f"the same with 20 sources (30^20 products): {many:.1f} ms")
    benchmark(sampled)
