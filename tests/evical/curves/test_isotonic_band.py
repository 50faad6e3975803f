"""The band of rising maps: its definition, R's calibrationband, its promise."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression
from scipy.special import betainc, ndtr, xlogy

from dstheory.inference.counts.quantiles import lower_limit
from evical.curves.isotonic_band import isotonic_band, rising_lower_limits
from evical.scores import ScoreCounts
from tests.naive import isotonic_band as naive
from tests.support.each import each, pairs

groups = st.lists(
    st.integers(1, 6).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
    min_size=1,
    max_size=5,
)


def fitted(counts):
    return isotonic_regression(counts.positive / counts.total, weights=counts.total).x


def counts_of(pairs, scores=None):
    hits, totals = np.array(pairs, dtype=float).T
    places = np.arange(float(len(pairs))) if scores is None else np.array(scores, dtype=float)
    return ScoreCounts(places, totals - hits, hits)


def simulated(n, seed, digits=None):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=n) if digits is None else rng.normal(size=n).round(digits)
    return ScoreCounts.from_samples(scores, rng.random(n) < 1 / (1 + np.exp(-2 * scores)))


# ---- definition


@given(pairs=groups, alpha=st.sampled_from([Fraction(1, 2), Fraction(1, 20)]))
def test_limits_are_those_of_all_pairs(pairs, alpha):
    """Where the limits do not cross; else they are moved to the isotonic regression."""
    counts = counts_of(pairs)
    lower, upper = (np.array(limits, dtype=float) for limits in naive.band(pairs, alpha))
    fit = fitted(counts)
    band = isotonic_band(counts, fit, 1 - float(alpha), None)
    at = np.arange(-0.5, len(pairs), 0.5)
    positive, negative = band.masses_at(at)
    steps = [
        naive.step_limits(counts.scores, np.minimum(lower, fit), np.maximum(upper, fit), s)
        for s in at
    ]
    wanted = np.array(steps, dtype=float)
    np.testing.assert_allclose(np.stack([positive, 1 - negative], axis=1), wanted, atol=1e-12)


@each("seed", range(4))
@each("weighted", [False, True])
def test_runs_that_are_left_out_do_not_matter(seed, weighted):
    """Most runs are not evaluated: the greatest limit is that of all of them."""
    rng = np.random.default_rng(seed)
    hits = rng.integers(0, 3, 150) * (rng.random(150) < np.linspace(0.1, 0.9, 150))
    misses = rng.integers(0, 2, 150)
    sizes = rng.random(150) * 2 if weighted else np.ones(150)
    hits, misses = hits * sizes, misses * sizes
    tail = 0.05 / 150 / 151
    sums, rest = (np.append(0, np.cumsum(part)) for part in (hits, misses))
    best = np.maximum.accumulate(
        [
            lower_limit(sums[k + 1] - sums[: k + 1], rest[k + 1] - rest[: k + 1], tail).max()
            for k in range(150)
        ]
    )
    np.testing.assert_allclose(rising_lower_limits(hits, misses, tail), best, rtol=1e-13)


def test_the_inequality_that_leaves_runs_out():
    """Zubkov & Serov (2013) for counts; here for real ones too, as sums of weights are."""
    rng = np.random.default_rng(0)
    y, rest = rng.uniform(0, 30, (2, 200_000)) ** rng.choice([0.3, 1, 2], (2, 200_000))
    share = y / (y + rest) * rng.random(200_000)
    divergence = xlogy(y, y / ((y + rest) * share)) + xlogy(rest, rest / ((y + rest) * (1 - share)))
    normal = ndtr(-np.sqrt(2 * np.maximum(divergence, 0)))
    seen = normal > 1e-250
    assert seen.sum() > 1e5
    assert (betainc(y, rest + 1, share)[seen] > normal[seen]).all()


def test_groups_of_scores_take_the_ends_that_are_on_the_safe_side():
    """Lower limits at the last score of a group, upper ones at the first; an edge is in both."""
    scores, pairs = [0.1, 0.5, 0.9, 1.0, 1.4, 2.0, 2.6], [(0, 9), (1, 9), (3, 9)] + [(9, 9)] * 4
    counts = counts_of(pairs, scores)
    band = isotonic_band(counts, fitted(counts), 0.9, [0.0, 1.0, 2.0, 3.0])
    lower, _ = naive.band([(13, 36), (18, 18), (9, 9)], Fraction(1, 10))  # up to 1, 2 and beyond
    _, upper = naive.band([(4, 27), (18, 18), (18, 18)], Fraction(1, 10))  # from 0, from 1, from 2
    at = np.array([0, 0.1, 0.3, 0.95, 1, 1.2, 1.9, 2, 2.3, 2.6, 2.7])
    steps = [
        (
            naive.step_limits([1, 2, 2.6], lower, upper, s)[0],
            naive.step_limits([0.1, 1, 2], lower, upper, s)[1],
        )
        for s in at
    ]
    positive, negative = band.masses_at(at)
    wanted = np.array(steps, dtype=float)
    np.testing.assert_allclose(np.stack([positive, 1 - negative], axis=1), wanted, atol=1e-12)


def test_as_many_groups_as_scores_are_no_groups():
    counts = simulated(60, 0)
    fit = fitted(counts)
    exact, same = (isotonic_band(counts, fit, 0.9, grid) for grid in (None, 60))
    np.testing.assert_array_equal(exact.scores, same.scores)
    np.testing.assert_array_equal(exact.masses, same.masses)


# ---- law


@each("grid", [None, "auto", 20])
@each("seed", range(3))
def test_within_the_band_of_yang_and_barber(grid, seed):
    """Their bound is Hoeffding's, which Clopper and Pearson's is never worse than."""
    counts = simulated(300, seed, digits=2)
    band = isotonic_band(counts, fitted(counts), 0.95, None)
    n = len(counts)
    hits, sums = (np.append(0, np.cumsum(part)) for part in (counts.positive, counts.total))
    bound = np.maximum.accumulate(
        [
            max(
                0,
                np.max(
                    (hits[k + 1] - hits[: k + 1]) / (sums[k + 1] - sums[: k + 1])
                    - np.sqrt(np.log(n * (n + 1) / 0.05) / 2 / (sums[k + 1] - sums[: k + 1]))
                ),
            )
            for k in range(n)
        ]
    )
    lower = band.masses_at(counts.scores)[0]
    assert (lower >= np.minimum(bound, fitted(counts)) - 1e-12).all()
    assert (lower > bound + 0.01).any()
    gathered = isotonic_band(counts, fitted(counts), 0.95, grid)
    assert (np.diff(gathered.masses) * [[1], [-1]] >= 0).all()


# ---- oracle


def r_uniform(seed, n):
    """R's set.seed(seed); runif(n): the Mersenne Twister, seeded by a congruential generator."""
    key = []
    for _ in range(51 + 624):
        seed = (69069 * seed + 1) % 2**32
        key.append(seed)
    generator = np.random.MT19937()
    generator.state = {
        "bit_generator": "MT19937",
        "state": {"key": np.array(key[51:], dtype=np.uint32), "pos": 624},
    }
    return generator.random_raw(n) * 2.3283064365386963e-10


def test_areas_of_miscalibration_in_the_readme_of_calibrationband():
    """R's calibrationband 0.2.0, README: n = 10^4, s = 0.8, method "round" with three digits."""
    uniform = r_uniform(123, 20_000)
    assert uniform[:3].round(7).tolist() == [0.2875775, 0.7883051, 0.4089769]
    scores, draws = np.split(uniform, 2)
    truth = 1 / (1 + ((1 / scores * (1 - scores)) ** 1.8))
    rare = draws >= 1 - np.minimum(truth, 1 - truth)  # rbinom(n, 1, truth) by inversion
    counts = ScoreCounts.from_samples(scores, np.where(truth > 0.5, ~rare, rare))
    band = isotonic_band(counts, fitted(counts), 0.95, np.arange(1001) / 1000)
    line = np.linspace(0, 1, 10_000)
    positive, negative = band.masses_at(line)
    outside = (1 - negative < line) | (positive > line)
    parts = np.split(np.arange(10_000), np.flatnonzero(np.diff(outside)) + 1)
    areas = sorted((line[p[[0, -1]]] for p in parts if outside[p[0]]), key=lambda a: a[0] - a[1])
    assert len(areas) == 5
    assert [f"{low:.3g} {high:.3g}" for low, high in areas[:3]] == [
        "0.0396 0.299",
        "0.693 0.951",
        "0.0389 0.0393",
    ]


# ---- promise

MAPS = {
    "sigmoid": lambda s: 1 / (1 + np.exp(-2 * s)),
    "steps": lambda s: 0.2 + 0.5 * (s > 0),
    "plateau": lambda s: np.clip(0.5 + (np.abs(s) > 0.5) * (s - 0.5 * np.sign(s)), 0.05, 0.95),
    "constant": lambda s: np.full_like(s, 0.3),
    "rare": lambda s: 0.002 + 0.05 / (1 + np.exp(-3 * (s - 1))),
}


@each("name, n, grid", pairs(list(MAPS), [50, 200, 1000], ["auto", None]))
def test_the_whole_map_is_inside_as_often_as_promised(name, n, grid):
    """At most alpha of the bands leave the map anywhere, plus three standard errors of chance."""
    repeats = 20 if grid else 1000 // n
    missed = {0.5: 0, 0.95: 0}
    for seed in range(repeats):
        rng = np.random.default_rng(seed)
        scores = rng.normal(size=n)
        truth = MAPS[name](scores)
        counts = ScoreCounts.from_samples(scores, rng.random(n) < truth)
        for confidence in missed:
            band = isotonic_band(counts, fitted(counts), confidence, grid)
            positive, negative = band.masses_at(scores)
            missed[confidence] += bool((positive > truth).any() or (1 - negative < truth).any())
    for confidence, number in missed.items():
        alpha = 1 - confidence
        error = np.sqrt(alpha * confidence / repeats)
        assert number / repeats <= alpha + 3 * error


def test_a_map_that_falls_is_outside_of_the_band_before_it_is_moved():
    """Limits cross: a rising map is excluded. The band keeps to the isotonic regression."""
    counts = ScoreCounts.from_samples(np.arange(400.0), np.arange(400) < 200)
    lower, upper = naive_like(counts)
    assert (lower > upper).any()
    band = isotonic_band(counts, fitted(counts), 0.95, None)
    positive, negative = band.masses_at(counts.scores)
    assert (positive <= 0.5).all()
    assert (negative <= 0.5).all()
    assert positive[-1] == negative[0] == 0.5


def naive_like(counts):
    tail = 0.05 / len(counts) / (len(counts) + 1)
    lower = rising_lower_limits(counts.positive, counts.negative, tail)
    mirrored = rising_lower_limits(counts.negative[::-1], counts.positive[::-1], tail)
    return lower, 1 - mirrored[::-1]
