"""A function of random intervals, beside an optimizer that is called once a box and a bound.

`python -m pytest tests/benchmarks/bench_intervals.py --benchmark-only`. The function is that of the
Sandia challenge, (a + b)^a, on 900 boxes. The results agree within 1e-4.
"""

import numpy as np
import pytest
from scipy.optimize import minimize

from dstheory.inference import SampledInterval

SIDES = np.linspace(0, 1, 31)
A = SampledInterval(0.1 + 0.9 * SIDES[:-1], 0.1 + 0.9 * SIDES[1:])
B = SampledInterval(SIDES[:-1], SIDES[1:])


def power(a, b):
    return (a + b) ** a


def called_box_by_box():
    low, high = [], []
    for bounds_a in zip(A.low, A.high, strict=True):
        for bounds_b in zip(B.low, B.high, strict=True):
            bounds = [bounds_a, bounds_b]
            middle = np.mean(bounds, axis=1)
            ends = [minimize(lambda x, s=s: s * power(*x), middle, bounds=bounds) for s in (1, -1)]
            low.append(ends[0].fun)
            high.append(-ends[1].fun)
    return SampledInterval(low, high)


@pytest.mark.benchmark(group="900 boxes")
@pytest.mark.parametrize("monotone", [True, False], ids=["corners", "grids"])
def test_from_function(benchmark, monotone):
    found = benchmark(SampledInterval.from_function, power, A, B, monotone=monotone)
    assert found.expectation() == pytest.approx((1.0616, 1.1018), abs=1e-3)


@pytest.mark.benchmark(group="900 boxes")
def test_optimizer(benchmark):
    found = benchmark.pedantic(called_box_by_box)
    mean = SampledInterval.from_function(power, A, B).expectation()
    assert found.expectation() == pytest.approx(mean, abs=1e-4)
