"""Stacking many mass functions against filling a dense table one by one.

Run with ``pytest tests/benchmarks/bench_stack.py -s``. Each benchmark prints its ratio to the
alternative, timed in the same run.
"""

import numpy as np

from dstheory import Frame, MassFunction, concatenate, stack
from tests.benchmarks.timing import median_ms, report


def test_ten_thousand_single_mass_functions(benchmark):
    frame = Frame(list("abcde"))
    shares = np.random.default_rng(0).random(10_000).tolist()
    masses = [MassFunction(frame, [1 + i % 30, 31], [x, 1 - x]) for i, x in enumerate(shares)]

    def by_table():
        table = np.zeros((len(masses), 32))
        for row, m in zip(table, masses, strict=True):
            for mask in range(32):
                row[mask] = m.mass(mask=mask)
        return MassFunction(frame, range(32), table)

    assert by_table().equals(stack(masses))
    report("stack, 10,000 single ones, n=5", median_ms(lambda: stack(masses)), median_ms(by_table))
    rows = [m.reshape(1) for m in masses]
    ours = median_ms(lambda: concatenate(rows))
    report("concatenate, 10,000 rows, n=5", ours, median_ms(by_table))
    benchmark(stack, masses)
