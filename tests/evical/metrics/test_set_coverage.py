"""Coverage of sets: counts, exact limits, classes and sizes."""

import numpy as np
import pytest
from scipy.stats import binomtest

from dstheory import Frame, consonant
from evical.metrics import set_coverage


def sample(n=200, seed=0):
    rng = np.random.default_rng(seed)
    return rng.integers(3, size=n), rng.random((n, 3)) < 0.6


@pytest.mark.parametrize("confidence", [0.5, 0.95])
def test_counts_and_limits(confidence):
    y, sets = sample()
    right, sizes = sets[np.arange(200), y], sets.sum(axis=1)
    for by, groups in (("all", np.zeros(200)), ("class", y), ("size", sizes)):
        found = set_coverage(y, sets, by=by, confidence=confidence)
        for i, name in enumerate(np.unique(groups)):
            rows = groups == name
            if by != "all":
                assert found.groups[i] == name
            assert found.n_samples[i] == rows.sum()
            assert found.coverage[i] == right[rows].mean()
            assert found.mean_size[i] == sizes[rows].mean()
            limits = binomtest(int(right[rows].sum()), int(rows.sum())).proportion_ci(confidence)
            assert found.interval[i] == pytest.approx([limits.low, limits.high], abs=1e-12)


def test_weights_are_repetitions_but_for_limits():
    y, sets = sample()
    w = np.arange(200) % 4
    for by in ("all", "class", "size"):
        found = set_coverage(y, sets, by=by, sample_weight=w * 1e-10)
        repeated = set_coverage(y.repeat(w), sets.repeat(w, axis=0), by=by)
        assert found.groups == repeated.groups
        np.testing.assert_allclose(found.coverage, repeated.coverage, rtol=1e-12)
        np.testing.assert_allclose(found.mean_size, repeated.mean_size, rtol=1e-12)
        assert (found.interval[:, 0] <= repeated.interval[:, 0]).all()
    assert found.n_samples.sum() < set_coverage(y, sets, sample_weight=w > 0).n_samples[0] == 150
    many = set_coverage(y, sets, by="class", sample_weight=np.full(200, 7.0))
    np.testing.assert_allclose(many.interval, set_coverage(y, sets, by="class").interval)


def test_names_of_classes_and_those_without_samples():
    found = set_coverage(
        ["b", "b"], [[True, False, False], [False, True, True]], by="class", labels=["a", "b", "c"]
    )
    assert found.groups == ("a", "b", "c")
    assert found.n_samples.tolist() == [0, 2, 0]
    np.testing.assert_array_equal(found.coverage, [np.nan, 0.5, np.nan])
    assert found.interval[0].tolist() == [0, 1]
    assert str(found).splitlines()[2].split()[:3] == ["b", "2", "0.500"]


def test_beliefs_are_the_classes_that_are_not_dominated():
    m = consonant(Frame([0, 1]), [[1, 0.2], [1, 0.9]])
    found = set_coverage([0, 1], m, by="size")
    kept = np.array([[True, False], [True, True]])
    assert found.coverage.tolist() == set_coverage([0, 1], kept, by="size").coverage.tolist()


def test_bad_input():
    y, sets = sample(5)
    for options, message in (
        ({"by": "sizes"}, "did you mean 'size'"),
        ({"confidence": 1}, "confidence is 1"),
        ({"labels": [0, 1]}, "label"),
    ):
        with pytest.raises(ValueError, match=message):
            set_coverage(y, sets, **options)
    with pytest.raises(ValueError, match="lengths differ"):
        set_coverage(y[:4], sets, labels=[0, 1, 2])
    with pytest.raises(TypeError, match="expected bool"):
        set_coverage(y, sets.astype(int))
