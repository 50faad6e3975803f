"""Dempster's rule for ten classifiers on a million samples, and the one-vs-rest reduction.

Run with ``pytest tests/benchmarks/bench_ensemble.py``. Each measures its ratio to the
obvious alternative in the same run (`extra_info`), and the peak of memory beyond the input.
Bound for ten classifiers on 2 cores: 3 s and 1 GB.
"""

import tracemalloc

import numpy as np

from dstheory import Frame, MassFunction
from dstheory.combine import dempster, mixing
from dstheory.transform import betp
from evical.multiclass import column_evidence, one_vs_rest_betp, one_vs_rest_mass
from evical.multiclass.joined import JoinedBeliefs
from evical.multiclass.products import ProductBeliefs
from tests.benchmarks.timing import best_seconds

N_SAMPLES = 10**6
N_CLASSIFIERS = 10


def batches():
    """A binary mass function of each classifier for each sample."""
    rng = np.random.default_rng(0)
    stores = rng.dirichlet([1, 1, 1], (N_CLASSIFIERS, N_SAMPLES)).transpose(0, 2, 1)
    frame, focal = Frame([0, 1]), np.array([1, 2, 3])
    return [MassFunction.from_store(frame, focal.copy(), store.copy()) for store in stores]


def by_hand(sources):
    """The binary formula, as one would write it for this case alone."""
    a, b, rest = sources[0].store
    for m in sources[1:]:
        c, d, other = m.store
        a, b, rest = a * (c + other) + rest * c, b * (d + other) + rest * d, rest * other
        total = a + b + rest
        a, b, rest = a / total, b / total, rest / total
    return np.stack([a, b, rest])


def peak_megabytes(function, *arguments):
    tracemalloc.start()
    function(*arguments)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak / 1e6


def test_ten_classifiers_on_a_million_samples(benchmark):
    sources = batches()
    combined = benchmark.pedantic(dempster, args=sources, rounds=3, warmup_rounds=1)
    np.testing.assert_allclose(combined.store, by_hand(sources), atol=1e-12)
    hand = best_seconds(lambda: by_hand(sources))
    benchmark.extra_info["ratio_to_binary_formula"] = benchmark.stats["min"] / hand
    benchmark.extra_info["peak_megabytes"] = peak_megabytes(dempster, *sources)
    assert benchmark.extra_info["peak_megabytes"] < 1000


def columns(n_classes, n_samples):
    rng = np.random.default_rng(0)
    return np.moveaxis(rng.dirichlet([1, 1, 1], (n_classes, n_samples)), -1, 0).copy()


def fold(masses, frame):
    """Dempster's rule over the columns, without the closed form."""
    sides = Frame([0, 1])
    codes = 2 * np.eye(len(frame), dtype=int) - 1
    stores = [np.ascontiguousarray(masses[:, k]) for k in range(len(frame))]
    focal = np.array([1, 2, 3])
    sources = [
        column_evidence(MassFunction.from_store(sides, focal.copy(), store), frame, code)
        for store, code in zip(stores, codes, strict=True)
    ]
    return dempster(*sources)


def test_one_vs_rest_masses_of_eight_classes(benchmark):
    masses, frame = columns(8, 10**4), Frame(range(8))
    combined = benchmark.pedantic(one_vs_rest_mass, args=(masses, frame), rounds=3)
    assert combined.equals(fold(masses, frame), atol=1e-12)
    alternative = best_seconds(lambda: fold(masses, frame))
    benchmark.extra_info["ratio_to_fold"] = benchmark.stats["min"] / alternative
    benchmark.extra_info["peak_megabytes"] = peak_megabytes(one_vs_rest_mass, masses, frame)


def test_one_vs_rest_probabilities_of_a_hundred_classes(benchmark):
    masses = columns(100, 10**4)
    shares = benchmark.pedantic(one_vs_rest_betp, args=(masses,), rounds=3)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    benchmark.extra_info["peak_megabytes"] = peak_megabytes(one_vs_rest_betp, masses)


def members(n_classes, n_samples, n_folds=5):
    """Three classifiers: the columns of each fold, and what they are as products."""
    rng = np.random.default_rng(0)
    shape = (3, n_folds, n_classes, n_samples)
    folds = np.moveaxis(rng.dirichlet([1, 1, 1], shape), -1, 2)
    means = [ProductBeliefs.mean([ProductBeliefs.of_columns(c) for c in one]) for one in folds]
    return folds, JoinedBeliefs(means)


def over_pairs_of_sets(folds, frame):
    return dempster(*(mixing(*(one_vs_rest_mass(c, frame) for c in one)) for one in folds))


def test_three_classifiers_of_ten_classes(benchmark):
    folds, joined = members(10, 50)
    frame = Frame(range(10))
    shares = benchmark.pedantic(joined.betp, rounds=3, warmup_rounds=1)
    m = over_pairs_of_sets(folds, frame)
    np.testing.assert_allclose(shares, betp(m), atol=1e-12)
    alternative = best_seconds(lambda: over_pairs_of_sets(folds, frame), repeat=1)
    benchmark.extra_info["ratio_to_pairs_of_sets"] = benchmark.stats["min"] / alternative
    benchmark.extra_info["peak_megabytes"] = peak_megabytes(joined.betp)


def test_masses_of_three_classifiers_of_ten_classes(benchmark):
    folds, joined = members(10, 50)
    frame = Frame(range(10))
    m = benchmark.pedantic(joined.mass, args=(frame,), rounds=3, warmup_rounds=1)
    assert m.equals(over_pairs_of_sets(folds, frame), 1e-12)
    alternative = best_seconds(lambda: over_pairs_of_sets(folds, frame), repeat=1)
    benchmark.extra_info["ratio_to_pairs_of_sets"] = benchmark.stats["min"] / alternative


def test_intervals_of_three_classifiers_of_a_hundred_classes(benchmark):
    """The alternative has no end: 2^100 sets."""
    _, joined = members(100, 100)
    bounds = benchmark.pedantic(joined.interval, rounds=2)
    assert (bounds[..., 0] <= bounds[..., 1]).all()
    benchmark.extra_info["peak_megabytes"] = peak_megabytes(joined.interval)
