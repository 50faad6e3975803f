"""Samples, measures and conditions of calibration studies: by definition, in any order."""

from dataclasses import replace

import numpy as np
import pytest

from evical.datasets import Dataset
from examples.studies.parts.calibration_classifiers import TWO_CLASS_LEARNERS
from examples.studies.parts.calibration_condition import (
    CUBE_ROOT,
    Calibration,
    CalibrationCondition,
    similarity_binning,
)
from examples.studies.parts.calibration_measures import MEASURES, label_sorted_gaps
from examples.studies.parts.calibration_samples import GivenSplit, RandomSplit, Simulated
from examples.studies.parts.categories import Binning, learn_categories

BINS = Calibration(
    "bins",
    "BinningCalibrator",
    (("n_bins", CUBE_ROOT), ("strategy", "quantile"), ("model", "bayesian")),
)
CONDITION = CalibrationCondition(
    key="toy",
    source=Simulated("circular", 60, 80, 40),
    classifier="linear SVM",
    methods=(Calibration("none"), BINS),
    measures=("auc", "ece", "rmse"),
    labels=("method", "size", "sample", "kind"),
    link="sigmoid",
    sizes=(20, 40),
    on_training=True,
    fixed=(("kind", "a"),),
)


def labeled(n_of_class, name="toy", seed=0):
    """A data set whose first feature is the number of the sample."""
    y = np.repeat(np.arange(len(n_of_class)), n_of_class)
    X = np.stack([np.arange(len(y)), np.random.default_rng(seed).random(len(y))], axis=1)
    names = tuple(str(label) for label in range(len(n_of_class)))
    return Dataset(name, X, y, ("number", "x"), names)


def test_a_repeat_depends_on_seed_and_number_only():
    repeats = {number: CONDITION.run_repeat({}, number, 7) for number in (3, 1, 2)}
    assert repeats[1] == CONDITION.run_repeat({}, 1, 7)
    assert repeats[1] != repeats[2]
    assert repeats[1] != CONDITION.run_repeat({}, 1, 8)


def test_rows_have_all_labels_and_measures():
    rows = CONDITION.run_repeat({}, 0, 0)
    labels = {
        (method, size, sample, "a")
        for method in ("none", "bins")
        for size in ("20", "40")
        for sample in ("test", "training")
    }
    assert {row[0] for row in rows} == labels
    assert len(rows) == len(labels)
    assert all(len(values) == 3 for _, values in rows)


def test_the_first_samples_calibrate():
    """Size 20 of 40 is what 20 samples would be, as far as scores on test samples go."""
    rows = dict(CONDITION.run_repeat({}, 0, 0))
    alone = dict(replace(CONDITION, sizes=(20,)).run_repeat({}, 0, 0))
    assert alone == {labels: rows[labels] for labels in alone}


def test_parts_of_one_source_see_the_same_samples():
    first = replace(CONDITION, sizes=(), methods=(Calibration("none"),))
    again = replace(first, key="other", design="x")
    assert first.run_repeat({}, 2, 0) == again.run_repeat({}, 2, 0)


def test_each_classifier_scores_samples():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = (rng.random((60, 3)) < 0.3 + 0.4 * y[:, None]).astype(float)
    train = Dataset("toy", X, y, ("a", "b", "c"), ("0", "1"))
    for name, learn in TWO_CLASS_LEARNERS.items():
        scores = learn(train)(X)
        assert scores.shape == (60,), name
        assert scores[y == 1].mean() > scores[y == 0].mean(), name
        if "SVM" not in name:
            assert 0 <= scores.min() <= scores.max() <= 1, name


@pytest.mark.parametrize(("n", "bins"), [(1, 1), (10, 2), (100, 5), (10**4, 22), (10**6, 100)])
def test_cube_roots_are_rounded(n, bins):
    assert BINS.make(n).n_bins == bins


def test_published_split_first_then_splits_of_the_same_sizes():
    train, test = labeled([6, 4, 1], "a"), labeled([3, 5, 9], "b", seed=1)
    test = replace(test, X=test.X + np.array([100, 0]))
    source = GivenSplit("toy", "a", "b")
    data = {"a": train, "b": test}
    given = source.draw(data, 0, np.random.default_rng(0))
    assert given.train is given.calibration is train
    assert given.test is test
    drawn = source.draw(data, 1, np.random.default_rng(0))
    assert drawn.train.class_counts == train.class_counts
    assert drawn.test.class_counts == test.class_counts
    numbers = np.concatenate([drawn.train.X[:, 0], drawn.test.X[:, 0]])
    np.testing.assert_array_equal(np.sort(numbers), np.r_[np.arange(11), 100 + np.arange(17)])
    assert set(drawn.train.X[:, 0]) != set(range(11))


def test_test_samples_with_replacement():
    data = {"a": labeled([6, 4], "a"), "b": labeled([30, 50], "b")}
    drawn = GivenSplit("toy", "a", "b", redraw="test").draw(data, 5, np.random.default_rng(0))
    assert drawn.train is data["a"]
    assert len(drawn.test) == 80
    assert len(set(drawn.test.X[:, 0])) < 80
    np.testing.assert_array_equal(drawn.test.y, data["b"].y[drawn.test.X[:, 0].astype(int)])


def test_files_of_other_classes_are_refused():
    data = {"a": labeled([6, 4]), "b": labeled([3, 5, 9])}
    with pytest.raises(ValueError, match="a and b differ in their features or classes"):
        GivenSplit("toy", "a", "b").draw(data, 0, np.random.default_rng(0))


def test_calibration_error_as_released_by_definition():
    """Sort by prediction and label, cut in ten, compare means: in plain Python."""
    rng = np.random.default_rng(0)
    p, y = rng.integers(0, 4, 57) / 4, rng.integers(0, 2, 57)
    pairs = sorted(zip(p.tolist(), y.tolist(), strict=True))
    sizes = [6] * 7 + [5] * 3
    gaps, start = [], 0
    for size in sizes:
        stretch = pairs[start : start + size]
        gaps.append(abs(sum(a for a, _ in stretch) - sum(b for _, b in stretch)) / size)
        start += size
    found, shares = label_sorted_gaps(y, p)
    np.testing.assert_allclose(found, gaps, atol=1e-12)
    np.testing.assert_allclose(shares, np.array(sizes) / 57)
    assert MEASURES["mce_released"](y, p) == pytest.approx(max(gaps))


def test_distinct_predictions_have_the_same_error_either_way():
    rng = np.random.default_rng(1)
    p = rng.permutation(200) / 200
    y = (rng.random(200) < p).astype(int)
    for measure in ("ece", "mce"):
        assert MEASURES[measure](y, p) == pytest.approx(MEASURES[f"{measure}_released"](y, p))


def test_two_class_squared_error_sums_both_classes():
    y, p = np.array([0, 1, 1]), np.array([0.2, 0.5, 0.9])
    expected = np.mean([0.2**2 + 0.2**2, 0.5**2 + 0.5**2, 0.1**2 + 0.1**2])
    assert MEASURES["mse"](y, p) == pytest.approx(expected)
    assert MEASURES["error"](y, p) == pytest.approx(1 / 3)  # one half is not positive
    assert MEASURES["accuracy"](y, p) == 1.0  # but is here


def test_bins_of_numbers_and_codes():
    X = np.column_stack([np.arange(20.0), np.eye(2)[np.arange(20) % 2], np.r_[[0.0] * 15, 1:6]])
    names = ("n", "c=0", "c=1", "m")
    train = Dataset("toy", X, np.arange(20) % 2, names, ("0", "1"), ("c",))
    found = learn_categories(train, Binning("quantile", 4))
    seen = found.of(X)
    np.testing.assert_array_equal(seen[:, 0], np.arange(20) % 2)
    np.testing.assert_array_equal(np.bincount(seen[:, 1]), [5, 5, 5, 5])
    assert found.sizes[0] == 2
    assert (seen.max(axis=0) < found.sizes).all()
    beyond = found.of(np.array([[-5.0, 1, 0, 99.0]]))
    np.testing.assert_array_equal(beyond, [[0, 0, found.sizes[2] - 1]])
    uniform = learn_categories(train, Binning("uniform", 5)).of(X)
    np.testing.assert_array_equal(np.bincount(uniform[:, 2]), [15, 1, 1, 1, 2])
    np.testing.assert_array_equal(learn_categories(train, Binning("values")).sizes, [2, 20, 6])


def test_a_random_split_takes_the_share_of_each_class():
    whole = labeled((10, 5, 7))
    rng = np.random.default_rng(0)
    samples = RandomSplit("toy", "toy", 0.8).draw({"toy": whole}, 0, rng)
    assert samples.train.class_counts == (8, 4, 6)
    assert samples.test.class_counts == (2, 1, 1)
    assert samples.calibration is samples.train
    numbers = np.concatenate([samples.train.X[:, 0], samples.test.X[:, 0]])
    assert sorted(numbers) == list(range(22))


def test_similarity_binning_beside_a_loop():
    """The share of positives among the nearest, by features and score in standard units."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)) * [1, 20, 0.1], rng.integers(2, size=40)
    scores, new, new_scores = rng.random(40), rng.normal(size=(5, 3)), rng.random(5)
    found = similarity_binning(X, scores, y, n_neighbors=7)(new, new_scores)
    known = np.column_stack([X, scores])
    for one, p in zip(np.column_stack([new, new_scores]), found, strict=True):
        far = [
            sum(((a - b) / s) ** 2 for a, b, s in zip(one, other, known.std(axis=0), strict=True))
            for other in known
        ]
        nearest = sorted(range(40), key=lambda i: far[i])[:7]
        assert p == pytest.approx(np.mean([y[i] for i in nearest]))
