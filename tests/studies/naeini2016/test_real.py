"""Naeini's real data: printed tables add up, and every data set is there."""

import numpy as np
import pytest

from evical.datasets import Dataset, load
from evical.datasets._known import known_sets
from examples.studies import reproduce, study_files
from examples.studies.naeini2016 import _published_real as printed
from examples.studies.naeini2016.classes import NAEINI2016_CLASSES
from examples.studies.naeini2016.liblinear import _WAYS, NAEINI2016_LIBLINEAR
from examples.studies.naeini2016.real import NAEINI2016_REAL, SETS
from examples.studies.parts.calibration_classifiers import TWO_CLASS_LEARNERS
from tests.support.data_folder import DATA, needs_data

# Samples of the class that is told from all others.
_ONE_OF_MANY = {"pageblocks": 4913, "pendigits": 1055, "satimage": 626, "balance": 49}


def ranks_of(published, group, measure):
    return [float(text.rstrip("*#")) for text in published[group][measure].split()]


@pytest.mark.parametrize("published", [printed.ENIR_TABLES, printed.ELITE_TABLES])
def test_mean_ranks_sum_to_those_of_all_options(published):
    for group, lines in published.items():
        for measure in lines:
            ranks = ranks_of(published, group, measure)
            k = len(ranks)
            assert sum(ranks) == pytest.approx(k * (k + 1) / 2, abs=0.02), (group, measure)


def test_mean_ranks_of_many_classes_sum_too():
    *tables, _ = NAEINI2016_CLASSES.rankings
    for ranking in tables:
        ((group, lines),) = ranking.published.items()
        for measure in lines:
            ranks = ranks_of(ranking.published, group, measure)
            assert sum(ranks) == pytest.approx(10, abs=0.021), (group, measure)
            # Halves over so many data sets give these numbers, to two digits.
            halves = np.round(np.array(ranks) * 2 * ranking.n_published)
            np.testing.assert_allclose(halves / (2 * ranking.n_published), ranks, atol=0.0051)


def test_intervals_have_their_ends_in_order():
    (of_classes,) = NAEINI2016_CLASSES.gains
    (of_two,) = NAEINI2016_REAL.gains
    ends = [
        pair
        for gains in (of_classes, of_two)
        for group in gains.published.values()
        for pair in group.values()
    ]
    assert len(ends) == 3 * 6 + 2 * 3 * 5
    assert all(low < high for low, high in ends)
    assert of_two.published["SVM", "training", "ENIR"]["rmse"] == (-0.310, -0.176)
    assert of_classes.published["NB", "training", "SNN"]["cross_entropy"] == (-0.59, -0.34)


def test_without_intercept_the_origin_has_probability_one_half():
    X = np.random.default_rng(0).normal(3, 1, (50, 2))
    train = Dataset("rare", X, np.arange(50) % 10 == 0, tuple("ab"), tuple("01"))
    found = {
        name: TWO_CLASS_LEARNERS[f"logistic regression, {name}"](train)
        for name in ("C = 1", "no intercept", "no intercept, -1 to 1")
    }
    middle = X.mean(axis=0, keepdims=True), (X.min(axis=0) + X.max(axis=0))[np.newaxis] / 2
    assert found["no intercept"](middle[0]) == pytest.approx(0.5)
    assert found["no intercept, -1 to 1"](middle[1]) == pytest.approx(0.5)
    assert found["C = 1"](middle[0]) < 0.2
    (gains,) = NAEINI2016_LIBLINEAR.gains
    printed_rmse = {gains.published[way, "training", "ENIR"]["rmse"] for way in _WAYS}
    assert printed_rmse == {(-0.124, -0.016)}


def test_tables_8_to_10_are_typed_right():
    sums = {
        group[0]: round(sum(float(x) for line in lines.values() for x in line.split()), 3)
        for group, lines in printed.ABB.items()
    }
    # Columns of the thesis added up.
    assert sums == {"LR": 8.902, "SVM": 8.877, "NB": 8.765}


def test_verdicts_of_the_texts():
    (pairs,) = NAEINI2016_REAL.pairs
    assert pairs.options == ("BBQ, K2", "ABB, K2", "BBQ, BDeu", "ABB, BDeu")
    assert sum(len(x) for lines in pairs.significant.values() for x in lines.values()) == 9


def test_every_data_set_is_known():
    for source in SETS:
        assert source.dataset in known_sets() or f"{source.dataset}_train" in known_sets()
        assert bool(source.positive) == (source.name in _ONE_OF_MANY)


@needs_data
def test_one_class_is_told_from_the_others():
    for source in SETS:
        if source.positive:
            counts = source.of(load(source.dataset, DATA)).class_counts
            assert counts[1] == _ONE_OF_MANY[source.name]


@needs_data
def test_the_quick_variant_runs():
    outcome = reproduce(NAEINI2016_REAL, repeats=1, quick=True, data=DATA)
    assert np.isfinite(np.array(list(outcome.rows.values()))).all()
    page = study_files(outcome, "x")["naeini2016-real.md"]
    assert "ABB beside BBQ" in page
    assert "ENIR beside" not in page
