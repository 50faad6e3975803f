"""Kernel sums: equal to their definition by each route, far out and with ties."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from evical.curves.density import (
    DEVIATIONS,
    KERNELS,
    GaussianSums,
    KernelGrid,
    left_out_bandwidth,
    silverman,
)
from evical.scores import ScoreCounts
from tests.evical.curves.of_arrays import kernel_sums
from tests.naive import kde as naive

COMPACT = ("boxcar", "epanechnikov", "tricube")
# Eighths, so that distances, and whether they exceed a bandwidth, are exact in floats.
eighths = st.integers(-80, 80).map(lambda i: Fraction(i, 8))
weighted = st.lists(st.tuples(eighths, st.integers(0, 5)), min_size=1, max_size=12)


@pytest.mark.parametrize("kernel", KERNELS)
@given(samples=weighted, queries=st.lists(eighths, min_size=1, max_size=4), h=st.integers(-3, 4))
def test_sums_are_those_of_the_definition(kernel, samples, queries, h):
    scores, weights = zip(*samples, strict=True)
    bandwidth = Fraction(2) ** h
    got = kernel_sums(
        [float(q) for q in queries],
        [float(s) for s in scores],
        float(bandwidth),
        kernel,
        [float(w) for w in weights] if any(weights) else None,
    )
    weights = weights if any(weights) else [1] * len(weights)
    wanted = [naive.kernel_sum(kernel, q, scores, weights, bandwidth) for q in queries]
    np.testing.assert_allclose(got, [float(w) for w in wanted], rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("kernel", KERNELS)
def test_kernels_are_densities(kernel):
    def value(u):
        return kernel_sums([u], [0.0], 1.0, kernel)[0]

    area = quad(value, 0, 1)[0] if kernel in COMPACT else quad(value, 0, 9)[0]
    assert 2 * area == pytest.approx(1, abs=1e-9)
    variance = 2 * quad(lambda u: u * u * value(u), 0, 1 if kernel in COMPACT else 9)[0]
    assert np.sqrt(variance) == pytest.approx(DEVIATIONS[kernel], abs=1e-9)
    assert value(0.0) == pytest.approx(KERNELS[kernel], abs=1e-15)


@pytest.mark.parametrize("kernel", COMPACT)
def test_prefix_sums_keep_their_digits_far_from_the_origin(kernel):
    rng = np.random.default_rng(0)
    scores = np.sort(rng.integers(0, 2**16, 4000)) / 64.0
    queries = rng.integers(0, 2**16, 200) / 64.0
    near = kernel_sums(queries, scores, 4.0, kernel)
    shifted = kernel_sums(queries + 2.0**30, scores + 2.0**30, 4.0, kernel)
    np.testing.assert_allclose(shifted, near, rtol=0, atol=1e-9)
    direct = np.array([naive_array(kernel, (q - scores) / 4).sum() for q in queries])
    np.testing.assert_allclose(near, direct, rtol=0, atol=1e-10)


def naive_array(kernel, u):
    u = np.abs(u)
    inside = {
        "boxcar": 0.5 + 0 * u,
        "epanechnikov": 0.75 * (1 - u**2),
        "tricube": 70 / 81 * (1 - u**3) ** 3,
    }[kernel]
    return np.where(u <= 1, inside, 0)


@pytest.mark.parametrize("kernel", KERNELS)
def test_far_queries_and_tiny_bandwidths(kernel):
    got = kernel_sums([-1e300, 0.0, 1e9, 1e300], [0.0, 1.0], 1e-12, kernel)
    np.testing.assert_allclose(got, [0, KERNELS[kernel], 0, 0], atol=1e-15)


@pytest.mark.parametrize("bandwidths", [(0.3, 0.3), (0.2, 0.7)])
def test_the_grid_agrees_with_exact_sums(bandwidths):
    rng = np.random.default_rng(1)
    groups = []
    for center in (-1.0, 1.5):
        scores = np.sort(rng.normal(center, 1, 700))
        groups.append((scores, rng.random(700)))
    grid = KernelGrid.of(groups, list(bandwidths))
    queries = rng.uniform(-7, 7, 2000)
    for got, group, h in zip(grid(queries), groups, bandwidths, strict=True):
        wanted = GaussianSums(*group, h)(queries)
        nearest = np.abs(queries[:, np.newaxis] - group[0]).min(axis=1) / h
        within = nearest < 1
        np.testing.assert_allclose(got[within], wanted[within], rtol=2e-7)
        tail = nearest < 8
        np.testing.assert_allclose(got[tail], wanted[tail], rtol=2e-5)


def test_a_grid_that_would_be_too_fine_is_declined():
    lonely = (np.array([0.0, 1e9]), np.ones(2))
    assert KernelGrid.of([lonely, lonely], [1e-3, 1e-3]) is None


@given(samples=weighted.filter(lambda pairs: sum(w for _, w in pairs) > 1))
def test_silverman_counts_weights_as_repetitions(samples):
    scores, weights = zip(*samples, strict=True)
    repeated = np.repeat(np.array(scores, dtype=float), weights)
    sigma = repeated.std(ddof=1)
    wanted = 1.06 * sigma * len(repeated) ** -0.2
    got = silverman([float(s) for s in scores], [float(w) for w in weights])
    assert got == pytest.approx(wanted, abs=1e-12)


def test_silverman_of_extreme_scores():
    assert silverman([2.0, 2.0]) == 0
    assert silverman([-1e308, 1e308]) == pytest.approx(1.305e308, rel=1e-3)
    assert silverman([-1e-300, 1e-300]) == pytest.approx(1.305e-300, rel=1e-3)
    assert silverman([0.0, 1.0], [0.25, 0.25]) > 0


def test_the_bandwidth_is_the_best_without_each_sample():
    """Each sample in turn is left out of the definition, under each bandwidth."""
    rng = np.random.default_rng(1)
    scores = np.sort(rng.integers(0, 60, 40))
    y = (np.sin(scores / 4) > 0) ^ (rng.random(40) < 0.05)
    rows = list(zip(scores.tolist(), y.tolist(), strict=True))
    rule, share = silverman(scores), y.mean()

    def cost(octave):
        h, loss = rule * 2.0**-octave, 4 * abs(octave)
        for i, (s, label) in enumerate(rows):
            rest = rows[:i] + rows[i + 1 :]
            own, other = (
                float(sum(naive.kernel("gaussian", (s - x) / h) for x, c in rest if c == wanted))
                / KERNELS["gaussian"]
                for wanted in (label, not label)
            )
            p = own / (own + other) if own > 1e-3 else 0.0
            loss -= np.log(0.97 * p + 0.03 * (share if label else 1 - share))
        return loss

    best = min(np.arange(-2, 11) / 2, key=cost)
    counts = ScoreCounts.from_samples(scores, y)
    assert best > 0
    assert left_out_bandwidth(counts) == pytest.approx(rule * 2.0**-best)


def test_the_bandwidth_without_a_scale_is_the_rule():
    alike = ScoreCounts.from_samples([1.0, 1.0], [0, 1])
    assert left_out_bandwidth(alike) == 0
    huge = ScoreCounts.from_samples([0.0, 1e308], [0, 1])
    assert left_out_bandwidth(huge) == silverman(huge.scores)  # each sample predicts the other
    remote = ScoreCounts.from_samples([0.0, 1.0, 1e300], [0, 1, 1], [1.0, 1.0, 1e-15])
    assert left_out_bandwidth(remote) == silverman(remote.scores, remote.total)


def test_what_is_refused():
    with pytest.raises(ValueError, match="all weights are zero"):
        silverman([1, 2], [0, 0])
