"""Beliefs about ten classes from forty-five pairs, without and with tables of sets.

Run with ``pytest tests/benchmarks/bench_multiclass.py``. Each measures its ratio to the
obvious alternative in the same run (`extra_info`), and the peak of memory beyond the input.
"""

import tracemalloc

import numpy as np

from dstheory import Frame, MassFunction
from dstheory.combine import dempster
from dstheory.transform import betp
from evical.beliefs.listed import sides
from evical.calibrators import BinningCalibrator
from evical.multiclass import code_matrix, pairwise_belief
from evical.multiclass.coded import code_betp, code_contour, code_mass
from evical.multiclass.reduction import column_evidence
from tests.benchmarks.timing import best_seconds
from tests.evical.multiclass.one_vs_rest import one_vs_rest_betp


def columns(n_columns, n_samples):
    rng = np.random.default_rng(0)
    masses = rng.random((3, n_columns, n_samples))
    masses /= masses.sum(axis=0)
    return masses


def peak_megabytes(function, *arguments):
    tracemalloc.start()
    function(*arguments)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak / 1e6


def fold(masses, frame, code):
    """Dempster's rule over the columns as mass functions."""
    sides, focal = Frame([0, 1]), np.array([1, 2, 3])
    sources = [
        column_evidence(
            MassFunction.from_store(sides, focal.copy(), np.ascontiguousarray(masses[:, b])),
            frame,
            code[:, b],
        )
        for b in range(code.shape[1])
    ]
    return dempster(*sources)


def products(masses, code):
    """Contours as one would write them: a product over columns for each class."""
    negative, positive, both = masses
    allowed = {1: positive + both, -1: negative + both}
    result = np.ones((len(code), masses.shape[2]))
    for k, row in enumerate(code):
        for b in np.flatnonzero(row):
            result[k] *= allowed[row[b]][b]
    return (result / result.max(axis=0)).T


def test_contours_of_a_million_samples(benchmark):
    code, masses = code_matrix("all_pairs", 10), columns(45, 10**6)
    found = benchmark.pedantic(code_contour, args=(masses, code), rounds=2)
    np.testing.assert_allclose(found, products(masses, code), atol=1e-12)
    alternative = best_seconds(lambda: products(masses, code), repeat=1)
    benchmark.extra_info["ratio_to_products"] = benchmark.stats["min"] / alternative
    benchmark.extra_info["peak_megabytes"] = peak_megabytes(code_contour, masses, code)


def test_pignistic_probabilities_of_ten_thousand_samples(benchmark):
    code, masses, frame = code_matrix("all_pairs", 10), columns(45, 10**4), Frame(range(10))
    found = benchmark.pedantic(code_betp, args=(masses, code), rounds=2)
    few = masses[..., :200]
    np.testing.assert_allclose(found[:200], betp(fold(few, frame, code)), atol=1e-12)
    alternative = best_seconds(lambda: betp(fold(few, frame, code)), repeat=1)
    benchmark.extra_info["ratio_to_fold_a_sample"] = benchmark.stats["min"] / alternative / 50
    benchmark.extra_info["peak_megabytes"] = peak_megabytes(code_betp, masses, code)


def test_masses_of_a_thousand_samples(benchmark):
    code, masses, frame = code_matrix("all_pairs", 10), columns(45, 10**3), Frame(range(10))
    found = benchmark.pedantic(code_mass, args=(masses, frame, code), rounds=2)
    alternative = best_seconds(lambda: fold(masses, frame, code), repeat=1)
    assert found.equals(fold(masses, frame, code), atol=1e-12)
    benchmark.extra_info["ratio_to_fold"] = benchmark.stats["min"] / alternative
    benchmark.extra_info["peak_megabytes"] = peak_megabytes(code_mass, masses, frame, code)


def test_one_vs_rest_under_the_general_name(benchmark):
    """Its closed form is found, and costs a look at the code and the contours."""
    code, masses = code_matrix("one_vs_rest", 10), columns(10, 10**5)
    benchmark.pedantic(code_betp, args=(masses, code), rounds=3)
    direct = best_seconds(lambda: one_vs_rest_betp(masses))
    benchmark.extra_info["ratio_to_one_vs_rest_betp"] = benchmark.stats["min"] / direct


def test_nearest_beliefs_of_six_classes(benchmark):
    code, masses, frame = code_matrix("all_pairs", 6), columns(15, 10**3), Frame(range(6))
    benchmark.pedantic(pairwise_belief, args=(masses, frame), rounds=2)
    alternative = best_seconds(lambda: code_mass(masses, frame, code))
    benchmark.extra_info["ratio_to_code_mass"] = benchmark.stats["min"] / alternative


def test_masses_of_the_pairs_of_twenty_six_classes(benchmark):
    """Of 325 calibrators, against a mass function of each."""
    rng = np.random.default_rng(0)
    calibrator = BinningCalibrator(n_bins=5).fit(rng.random(100), rng.integers(0, 2, 100))
    calibrators, scores = [calibrator] * 325, rng.random((1500, 325))

    def one_by_one():
        beliefs = [c.predict_mass(s) for c, s in zip(calibrators, scores.T, strict=True)]
        stores = [np.stack([m.mass(mask=mask) for mask in (1, 2, 3)]) for m in beliefs]
        return np.stack(stores, axis=1)

    found = benchmark.pedantic(sides, args=(calibrators, scores), rounds=3)
    np.testing.assert_array_equal(found, one_by_one())
    alternative = best_seconds(one_by_one)
    benchmark.extra_info["ratio_to_one_by_one"] = benchmark.stats["min"] / alternative
