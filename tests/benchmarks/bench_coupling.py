"""Couplings of 10^5 samples, ten classes, all pairs, against a loop over samples.

Run with ``pytest tests/benchmarks/bench_coupling.py``. Loops run over a few samples only; the
ratio is that of the times a sample (`extra_info`). Bound for each coupling: 5 s.
"""

import numpy as np
import pytest
from scipy.optimize import minimize

from evical.multiclass import code_matrix, hastie_tibshirani, least_squares, wu_lin_weng
from tests.benchmarks.timing import best_seconds

N_CLASSES = 10
N_SAMPLES = 10**5
N_LOOP = 100


def answers(kind="all_pairs", n_samples=N_SAMPLES):
    """Those of a true distribution, with noise on the logits."""
    rng = np.random.default_rng(0)
    code = code_matrix(kind, N_CLASSES, random_state=0)
    p = rng.dirichlet(np.full(N_CLASSES, 0.3), n_samples) + 1e-6
    r = (p @ (code == 1)) / (p @ (code != 0))
    return 1 / (1 + (1 / r - 1) * np.exp(rng.normal(size=r.shape))), code


def hastie_tibshirani_loop(r, code):
    """As it is printed, one sample at a time."""
    result = []
    for row in r:
        p = np.full(len(code), 1 / len(code))
        for _ in range(500):
            said = (p @ (code == 1)) / (p @ (code != 0))
            observed = (code == 1) @ row + (code == -1) @ (1 - row)
            expected = (code == 1) @ said + (code == -1) @ (1 - said)
            before, p = p, p * observed / expected
            p = p / p.sum()
            if np.abs(p - before).max() <= 1e-8:
                break
        result.append(p)
    return np.array(result)


def least_squares_loop(r, code):
    """A general optimizer, one sample at a time."""

    def loss(p, row):
        return ((row * (p @ (code != 0)) - p @ (code == 1)) ** 2).sum()

    size = len(code)
    start, bounds = np.full(size, 1 / size), [(0, 1)] * size
    total = {"type": "eq", "fun": lambda p: p.sum() - 1}
    return np.array(
        [minimize(loss, start, (row,), "SLSQP", bounds=bounds, constraints=total).x for row in r]
    )


def wu_lin_weng_loop(r, code):
    """A linear system for each sample."""
    size = len(code)
    first, second = np.triu_indices(size, 1)
    result = []
    for row in r:
        pairs = np.zeros((size, size))
        pairs[first, second], pairs[second, first] = row, 1 - row
        quadratic = -pairs.T * pairs
        quadratic[np.diag_indices(size)] = (pairs**2).sum(axis=0)
        x = np.linalg.solve(quadratic + 1e-14 * np.eye(size), np.ones(size))
        result.append(x / x.sum())
    return np.array(result)


CASES = {
    "hastie_tibshirani": (hastie_tibshirani, hastie_tibshirani_loop, 1e-3),
    "least_squares": (least_squares, least_squares_loop, 2e-2),
    "wu_lin_weng": (lambda r, _: wu_lin_weng(r), wu_lin_weng_loop, 1e-8),
}


@pytest.mark.parametrize("name", CASES)
def test_all_pairs(benchmark, name):
    ours, loop, atol = CASES[name]
    r, code = answers()
    p = benchmark.pedantic(ours, args=(r, code), rounds=3, warmup_rounds=1)
    np.testing.assert_allclose(p[:N_LOOP], loop(r[:N_LOOP], code), atol=atol)
    seconds = best_seconds(lambda: loop(r[:N_LOOP], code))
    ratio = seconds / N_LOOP * N_SAMPLES / benchmark.stats["min"]
    benchmark.extra_info["ratio_to_loop_over_samples"] = ratio
    print(f"\n{name}: {benchmark.stats['min']:.2f} s, {ratio:.0f}x faster than a loop")
    assert ratio > 1


@pytest.mark.parametrize("kind", ["one_vs_rest", "sparse"])
@pytest.mark.parametrize("couple", [hastie_tibshirani, least_squares])
def test_other_codes(benchmark, couple, kind):
    r, code = answers(kind, 10**4)
    benchmark.pedantic(couple, args=(r, code), rounds=2)
    print(f"\n{couple.__name__}, {kind}, 10^4 samples: {benchmark.stats['min']:.2f} s")


@pytest.mark.parametrize("n_classes", [8, 10, 20])
def test_sparse_code(benchmark, n_classes):
    """The search among 10,000 candidates."""
    benchmark.pedantic(code_matrix, args=("sparse", n_classes), rounds=3)
    print(f"\n{n_classes} classes: {benchmark.stats['min']:.2f} s")
