"""Bins of scores beside loops, and the curves of two papers on small data."""

from dataclasses import replace

import numpy as np
import pytest

from evical.datasets import Dataset
from evical.metrics import expected_calibration_error
from examples.studies.gebel2009._sources import NAIVE_BAYES, TREE
from examples.studies.gebel2009.figures import GEBEL2009_FIGURES
from examples.studies.parts.score_curves import FREQUENCY, curve_rows
from examples.studies.zadrozny.figures_2002 import ZADROZNY2002_FIGURES


def test_bins_beside_a_loop():
    """Of width 0.15, so the last one ends early, and with scores beyond the ends."""
    rng = np.random.default_rng(0)
    score = np.concatenate([rng.random(60), [-0.2, 1.3, 0.15, 1.0]])
    y, p = rng.integers(2, size=64), rng.random(64)
    rows = dict(curve_rows(score, y, {"p": p}, 0.15))
    found = {}
    for s, label, chance in zip(score, y, p, strict=True):
        low = max(k for k in range(7) if k == 0 or s >= 0.15 * k - 1e-12)
        middle = (0.15 * low + min(0.15 * (low + 1), 1.0)) / 2
        found.setdefault(f"{middle:g}", []).append((s, label, chance))
    assert len(rows) == 2 * 7
    for middle, samples in found.items():
        scores, labels, chances = map(np.array, zip(*samples, strict=True))
        size, distinct = len(samples), len(set(scores))
        gap = abs(chances.mean() - labels.mean()) * size / 64 * 7
        for name, (mean, far) in {
            FREQUENCY: (labels.mean(), 0),
            "p": (chances.mean(), gap),
        }.items():
            expected = (mean, far, size, distinct)
            assert rows[middle, name] == pytest.approx(expected)


def test_the_mean_gap_is_the_expected_calibration_error():
    rng = np.random.default_rng(1)
    p = rng.random(200)
    y = (rng.random(200) < p**2).astype(int)
    rows = dict(curve_rows(p, y, {"p": p}, 0.1))
    gaps = [values[1] for (_, name), values in rows.items() if name == "p"]
    assert np.mean(gaps) == pytest.approx(expected_calibration_error(y, p, n_bins=10))


def test_an_empty_bin_has_no_probability():
    rows = dict(curve_rows(np.array([0.1]), np.array([1]), {}, 0.5))
    empty = rows["0.75", FREQUENCY]
    assert np.isnan(empty[0])
    assert empty[1:] == (0, 0, 0)


def normals(n, rng):
    y = np.arange(n) % 2
    X = rng.normal(size=(n, 2)) + y[:, np.newaxis]
    return Dataset("toy", X, y, ("a", "b"), ("0", "1"))


def test_curves_of_naive_bayes_and_a_support_vector_machine():
    """The classes are equally many, and curves of new samples are near their frequencies."""
    rng = np.random.default_rng(0)
    bayes, *_, svm = ZADROZNY2002_FIGURES.conditions
    for condition in (bayes, svm):
        names = condition.source.train, condition.source.test
        data = dict(zip(names, (normals(400, rng), normals(300, rng)), strict=True))
        rows = dict(condition.run_repeat(data, 0, 0))
        assert {names[-1] for names in rows} == {FREQUENCY, "score", "sigmoid", "PAV"}
        sizes = {names[2]: values[2] for names, values in rows.items()}
        assert sum(sizes.values()) == 300
        error = {
            line: np.mean([values[1] for names, values in rows.items() if names[-1] == line])
            for line in ("sigmoid", "PAV")
        }
        assert max(error.values()) < 0.1


def test_a_tree_has_fewer_scores_than_naive_bayes():
    data = {"haberman": normals(120, np.random.default_rng(0))}
    (tree,) = (one for one in GEBEL2009_FIGURES.conditions if one.key == "haberman-tree")
    assert tree.classifier == TREE
    number = {}
    for condition in (tree, replace(tree, classifier=NAIVE_BAYES)):
        rows = dict(condition.run_repeat(data, 0, 0))
        number[condition.classifier] = sum(v[3] for n, v in rows.items() if n[-1] == FREQUENCY)
    assert number[TREE] < 12
    assert number[NAIVE_BAYES] == 120
