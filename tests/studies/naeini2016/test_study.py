"""Naeini's simulations: geometry, the author's own draw, and the printed tables."""

import os
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import kstest

from evical.datasets.loaders import load_split
from examples.studies.naeini2016._published import PRINTED
from examples.studies.naeini2016.simulators import SIMULATORS, circular, xor
from examples.studies.naeini2016.study import NAEINI2016_SIMULATED as STUDY
from examples.studies.parts.calibration_classifiers import TWO_CLASS_LEARNERS
from examples.studies.parts.calibration_measures import MEASURES
from tests.support.each import each

DATA = Path(
    os.environ.get("EVICAL_DATA") or Path(__file__).resolve().parents[5] / "shared" / "data"
)
needs_data = pytest.mark.skipif(not DATA.exists(), reason="data sets are not here")


@pytest.mark.parametrize("simulate", SIMULATORS.values())
def test_classes_take_turns(simulate):
    X, y = simulate(7, np.random.default_rng(0))
    assert X.shape == (7, 2)
    assert y.tolist() == [0, 1, 0, 1, 0, 1, 0]


def test_a_disc_in_a_ring():
    X, y = circular(4000, np.random.default_rng(0))
    radius = np.hypot(*X.T)
    np.testing.assert_array_equal(radius >= 2, y == 1)
    assert kstest(radius[y == 0], "uniform", (0, 2)).pvalue > 0.01
    assert kstest(radius[y == 1], "uniform", (2, 2)).pvalue > 0.01
    assert kstest(np.arctan2(*X.T), "uniform", (-np.pi, 2 * np.pi)).pvalue > 0.01


@needs_data
def test_the_author_drew_from_the_same_distribution():
    for part in load_split("bbq_circular", DATA):
        assert part.class_counts == (500, 500)
        radius, angle = np.hypot(*part.X.T), np.arctan2(*part.X.T)
        np.testing.assert_array_equal(radius >= 2, part.y == 1)
        for label, low in ((0, 0), (1, 2)):
            assert kstest(radius[part.y == label], "uniform", (low, 2)).pvalue > 0.01
            assert kstest(angle[part.y == label], "uniform", (-np.pi, 2 * np.pi)).pvalue > 0.01


# What the author's program prints of his own samples, as published beside it.
RELEASED = {
    "linear SVM": (0.5135, 0.5313, 0.6530, 0.8180, 0.2681),
    "quadratic SVM": (0.1263, 0.9999, 0.9910, 0.2463, 0.0495),
}


@needs_data
@pytest.mark.parametrize("classifier", RELEASED)
def test_classifiers_are_those_of_the_released_program(classifier):
    train, test = load_split("bbq_circular", DATA)
    p = 1 / (1 + np.exp(-TWO_CLASS_LEARNERS[classifier](train)(test.X)))
    measures = ("rmse", "auc", "accuracy", "mce_released", "ece_released")
    found = [MEASURES[name](test.y, p) for name in measures]
    np.testing.assert_allclose(found, RELEASED[classifier], atol=1.1e-3)


def test_four_clouds():
    X, y = xor(20_000, np.random.default_rng(0))
    for label in (0, 1):
        for sign in (-1, 1):
            cloud = X[(y == label) & (np.sign(X[:, 0]) == sign)]
            # Of a cloud around 2, 2.3 % are beyond 0, and as many of the other one come in.
            expected = sign * np.array([2, 2 if label else -2])
            np.testing.assert_allclose(np.median(cloud, axis=0), expected, atol=0.1)
    errors = np.mean((X[:, 0] * X[:, 1] > 0) != (y == 1))
    assert abs(errors - 0.0445) < 0.005


def test_every_printed_number_has_a_row():
    rows = set()
    for condition in STUDY.conditions:
        for method in condition.methods:
            for size in condition.sizes or (
                condition.source.calibration or condition.source.train,
            ):
                rows.add(
                    (
                        condition.source.name,
                        condition.classifier,
                        condition.design,
                        str(size),
                        method.name,
                    )
                )
    for table in PRINTED:
        assert table.measure in STUDY.measures
        for cell in table.values:
            named = dict(zip((*table.rows, *table.columns), cell, strict=True)) | table.where
            assert tuple(named[label] for label in STUDY.labels) in rows, (table.title, cell)


def test_parts_and_rows_are_told_apart():
    keys = [condition.key for condition in STUDY.conditions]
    assert len(set(keys)) == len(keys)
    assert set(STUDY.quick) <= set(keys)


@each(
    ("title", "count", "total"),
    [
        # Sums of the columns as they stand in the thesis.
        ("Tables 3 and 7: RMSE", 14, 2.62 + 0.38 + 0.74 + 0.08),
        ("Tables 3 and 7: ECE", 14, 1.08 + 0.03 + 0.31),
        ("Tables 3 and 7: MCE", 13, 2.08 + 0.09 + 0.84),
        ("Tables 14 and 15: MCE", 16, 1.63 + 0.48 + 1.47 + 0.54),
        ("Table 5 (a) and (b): ECE", 12, 0.484 + 0.929),
        ("Table 26: MCE", 12, 1.22 + 0.64),
    ],
)
def test_tables_are_typed_right(title, count, total):
    (table,) = [table for table in PRINTED if table.title == title]
    assert len(table.values) == count
    assert sum(table.values.values()) == pytest.approx(total)


def test_a_repeat_of_the_quick_conditions():
    conditions = [condition for condition in STUDY.conditions if condition.key in STUDY.quick]
    rows = dict(row for condition in conditions for row in condition.run_repeat({}, 0, 0))
    named = [dict(zip(STUDY.labels, labels, strict=True)) for labels in rows]
    assert {row["data"] for row in named} == {"circular", "XOR"}
    values = np.array(list(rows.values()))
    assert np.isfinite(values).all()
    assert (values >= 0).all()
    assert (values <= 1).all()
    rmse = {labels[-1]: values[2] for labels, values in rows.items() if labels[0] == "XOR"}
    assert rmse["ENIR"] < rmse["isotonic"] - 0.05 < rmse["Platt"]
