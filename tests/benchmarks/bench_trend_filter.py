"""Trend filtering by an active set of kinks against an interior-point method, in the same run.

Run with ``pytest tests/benchmarks/bench_trend_filter.py --benchmark-only -s``. The interior-point
method is that of Kim, Koh, Boyd & Gorinevsky (2009), a primal-dual one on the dual with a banded
Cholesky factorization in each iteration, stopped at a relative gap of 1e-6, and on evenly spaced
points, where its matrices are at their best. For a great lambda they are singular to rounding, and
it stops where it stands; the gap that it came to is printed.
"""

import numpy as np
import pytest
from scipy.linalg import solveh_banded

from evical.calibrators import ELiTECalibrator
from tests.benchmarks.timing import best_seconds
from tests.evical.curves.of_arrays import path_of, trend_filter

SIZES = [1_000, 10_000, 100_000]


def data(n):
    rng = np.random.default_rng(0)
    x = np.linspace(0, 1, n)
    return x, (rng.random(n) < 0.5 + 0.4 * np.sin(12 * x)).astype(float)


def second_difference(a):
    return np.diff(a, 2)


def adjoint(z):
    return np.diff(np.concatenate([[0.0, 0.0], z, [0.0, 0.0]]), 2)


def interior_point(y, lam, rtol=1e-6, iterations=200):
    """Trend filter of points at distance 1: the fit, the number of iterations, the relative gap."""
    n = len(y) - 2
    banded = np.repeat([[1.0], [-4.0], [6.0]], n, axis=1)
    z, up, down, barrier = np.zeros(n), np.ones(n), np.ones(n), 1e-10
    step, target = np.inf, second_difference(y)
    iteration = 0
    while iteration < iterations:
        iteration += 1
        fit = y - adjoint(z)
        cost = np.sum((y - fit) ** 2) / 2 + lam * np.abs(second_difference(fit)).sum()
        bound = z @ target - np.sum(adjoint(z) ** 2) / 2
        gap = cost - bound
        if gap <= rtol * cost or step < 1e-9 or np.abs(z).max() >= lam:
            break
        if step >= 0.2:
            barrier = max(2 * n * 2 / gap, 1.2 * barrier)
        above, below = z - lam, -z - lam
        system = banded.copy()
        system[2] -= up / above + down / below
        force = second_difference(fit) + (1 / above - 1 / below) / barrier
        dz = solveh_banded(system, force, check_finite=False)
        d_up = -(up + (1 / barrier + dz * up) / above)
        d_down = -(down + (1 / barrier - dz * down) / below)
        step = 1.0
        for value, change in ((up, d_up), (down, d_down)):
            falls = change < 0
            if falls.any():
                step = min(step, 0.99 * (-value[falls] / change[falls]).min())
        size = np.abs(dz) > 0
        room = np.where(dz > 0, lam - z, lam + z)[size] / np.abs(dz[size])
        step = min(step, 0.99 * room.min())
        z, up, down = z + step * dz, up + step * d_up, down + step * d_down
    return fit, iteration, gap / cost


@pytest.mark.parametrize("ratio", [0.1, 1e-4])
@pytest.mark.parametrize("n", SIZES)
def test_one_fit(benchmark, n, ratio):
    x, y = data(n)
    lam = ratio * path_of(x, y, n_lambdas=1).lambdas[0]
    ours = benchmark.pedantic(trend_filter, args=(x, y, lam), rounds=3, warmup_rounds=1)
    theirs, iterations, gap = interior_point(y, lam * (n - 1))
    reference = best_seconds(lambda: interior_point(y, lam * (n - 1)), repeat=1)
    away = np.abs(ours - theirs).max()
    report(benchmark, f"fit n={n} ratio={ratio:g}", reference)
    print(f"  the other: {iterations} iterations, gap {gap:.1e}, at most {away:.1e} away")


@pytest.mark.parametrize("n", SIZES)
def test_path(benchmark, n):
    x, y = data(n)
    path = path_of(x, y)
    benchmark.pedantic(path_of, args=(x, y), rounds=1, warmup_rounds=0)
    # Five of fifty, as the other takes long.
    some = path.lambdas[1::12] * (n - 1)
    reference = 49 / len(some) * best_seconds(lambda: [interior_point(y, a) for a in some], 1)
    report(benchmark, f"path n={n}", reference)


@pytest.mark.parametrize("n", SIZES)
def test_elite(benchmark, n):
    x, y = data(n)
    benchmark.pedantic(ELiTECalibrator().fit, args=(x, y), rounds=1, warmup_rounds=0)
    path = best_seconds(lambda: path_of(x, y), repeat=1)
    benchmark.extra_info["seconds_of_the_path"] = path
    print(f"\nELiTE n={n}: {benchmark.stats.stats.min:.3f} s, of which the path {path:.3f} s")


def report(benchmark, what, reference):
    ours = benchmark.stats.stats.min
    benchmark.extra_info["interior_point_seconds"] = reference
    print(f"\n{what}: {ours:.4f} s, interior point {reference:.4f} s, {reference / ours:.3g}x")
