"""Opinions, random intervals and bounds on gambles, beside other packages where they are installed.

`python -m tests.benchmarks.bench_imprecise` prints medians in milliseconds, and the
range of (a + b)^a of the Sandia challenge; `pip install pba jsonld-ex` for the other packages.
"""

from importlib.util import find_spec

import numpy as np
from scipy.optimize import minimize

from dstheory import Frame
from dstheory.decide import CredalSet, lower_expected_utility, maximality
from dstheory.inference import Opinion, SampledInterval
from tests.benchmarks.timing import median_ms


def milliseconds(function):
    return f"{median_ms(function):.3g} ms"


def power(a, b):
    return (a + b) ** a


def opinions():
    masses = np.random.default_rng(0).dirichlet(np.ones(3), size=(2, 10_000))
    labels = ["x", "not x"]
    one, two = (Opinion.from_beliefs(labels, part[:, :2], part[:, 2]) for part in masses)
    print("10,000 pairs of opinions, cumulative fusion:", milliseconds(lambda: one.fuse(two)))
    if find_spec("jsonld_ex"):
        from jsonld_ex import confidence_algebra as other

        pairs = [[other.Opinion(*row) for row in rows] for rows in masses.swapaxes(0, 1).tolist()]
        ran = milliseconds(lambda: [other.cumulative_fuse(*pair) for pair in pairs])
        print("  jsonld-ex:", ran)


def functions():
    a, b = SampledInterval([0.1], [1.0]), SampledInterval([0.0], [1.0])
    y = SampledInterval.from_function(power, a, b)
    print(f"(a + b)^a on one box: [{y.low[0]:.4f}, {y.high[0]:.4f}]")
    if find_spec("pba"):
        import pba

        print("  pba:", power(pba.I(0.1, 1), pba.I(0, 1)))
    ends = np.linspace(0, 1, 31)
    a = SampledInterval(0.1 + 0.9 * ends[:-1], 0.1 + 0.9 * ends[1:])
    b = SampledInterval(ends[:-1], ends[1:])
    for monotone, name in ((True, "corners"), (False, "grids")):
        ran = milliseconds(
            lambda m=monotone: SampledInterval.from_function(power, a, b, monotone=m)
        )
        print(f"900 boxes, {name}:", ran)
    print("  scipy.optimize.minimize, box by box:", milliseconds(lambda: box_by_box(a, b)))


def box_by_box(a, b):
    for bounds_a in zip(a.low, a.high, strict=True):
        for bounds_b in zip(b.low, b.high, strict=True):
            bounds = [bounds_a, bounds_b]
            middle = np.mean(bounds, axis=1)
            for sign in (1, -1):
                minimize(lambda x, s=sign: s * power(*x), middle, bounds=bounds)


def gambles():
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(10), size=200)
    low, high, frame = np.maximum(p - 0.1, 0), np.minimum(p + 0.1, 1), Frame(range(10))
    acts = rng.random((10, 10))
    closed = CredalSet.from_intervals(frame, low, high)
    programs = CredalSet(frame, np.eye(10), lower=low, upper=high)
    print(
        "200 rows of intervals, 10 acts:",
        milliseconds(lambda: lower_expected_utility(closed, acts)),
    )
    ran = milliseconds(lambda: lower_expected_utility(programs, acts))
    print("  the same by linear programs:", ran)
    worth = rng.random((4, 5))
    seen = rng.dirichlet(np.ones(5), size=100) @ worth.T
    credal = CredalSet(Frame(range(5)), worth, lower=seen - 0.1, upper=seen + 0.1)
    ran = milliseconds(lambda: maximality(credal, acts[:6, :5]))
    print("maximality of 6 acts, 100 rows of 4 bounds on 5 labels:", ran)


if __name__ == "__main__":
    opinions()
    functions()
    gambles()
