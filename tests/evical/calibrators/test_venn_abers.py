"""Venn-Abers calibration: by definition, its validity, speed of the walk, bad states."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dstheory.transform import plausibility_transform
from evical.calibrators import BaseCalibrator, VennAbersCalibrator
from evical.curves.venn_abers import venn_abers_table
from tests.naive import venn_abers as naive

# Random samples may point the wrong way.
pytestmark = pytest.mark.filterwarnings("ignore::evical.errors.WrongWayWarning")

samples = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 1), st.integers(1, 3)), min_size=2, max_size=10
).filter(lambda rows: {y for _, y, _ in rows} == {0, 1})


@given(samples)
def test_interval_is_isotonic_regression_with_the_test_sample(rows):
    scores, y, weights = map(list, zip(*rows, strict=True))
    calibrator = VennAbersCalibrator().fit(scores, y, weights)
    probes = np.arange(-0.5, 7, 0.5)
    expected = [[float(p) for p in naive.venn_abers(rows, probe)] for probe in probes]
    np.testing.assert_allclose(calibrator.predict_interval(probes), expected, atol=1e-15)


@given(samples)
def test_flipping_labels_and_order_mirrors_the_interval(rows):
    scores, y, weights = (np.array(column) for column in zip(*rows, strict=True))
    interval = VennAbersCalibrator().fit(scores, y, weights).predict_interval([2, 2.5])
    mirrored = VennAbersCalibrator().fit(-scores, 1 - y, weights).predict_interval([-2, -2.5])
    np.testing.assert_allclose(mirrored, 1 - interval[:, ::-1], atol=1e-15)


def test_bounds_increase_and_never_meet():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=300).round(2)
    calibrator = VennAbersCalibrator().fit(scores, rng.random(300) < 0.5)
    interval = calibrator.predict_interval(np.sort(rng.normal(size=500)))
    assert (np.diff(interval, axis=0) >= 0).all()
    assert (interval[:, 0] < interval[:, 1]).all()


def test_the_merged_probability_is_the_plausibility_transform():
    calibrator = VennAbersCalibrator().fit([1, 2, 3, 4], [0, 1, 0, 1])
    p0, p1 = calibrator.predict_interval([2.5, 9.0]).T
    merged = plausibility_transform(calibrator.predict_mass([2.5, 9.0]))[:, 1]
    np.testing.assert_allclose(merged, p1 / (1 - p0 + p1), rtol=1e-15)


def test_one_of_the_two_probabilities_is_calibrated():
    """Theorem 1 of Vovk & Petej 2014: selecting by the label gives E[y | p] = p."""
    rng = np.random.default_rng(1)
    scores = rng.normal(size=(4000, 9))
    y = (rng.random((4000, 9)) < 1 / (1 + np.exp(-scores))).astype(int)
    chosen = []
    for row, labels in zip(scores, y, strict=True):
        order = np.argsort(row[:-1])
        table = venn_abers_table(labels[:-1][order].astype(float), np.ones(8))
        between = 2 * np.searchsorted(row[:-1][order], row[-1])
        chosen.append(table[labels[-1]][between])
    labels = y[:, -1]
    values, where = np.unique(np.round(chosen, 9), return_inverse=True)
    counts = np.bincount(where)
    share = np.bincount(where, labels) / counts
    error = (share - values) / np.sqrt(np.maximum(values * (1 - values), 1e-9) / counts)
    assert np.abs(error[counts > 50]).max() < 4


def test_worst_case_walks_are_short():
    """Many pools with slopes that rise as slowly as whole numbers allow."""
    sizes = np.arange(2, 400)
    y = np.concatenate([np.append(np.zeros(n - 1), 1) for n in sizes[::-1]])
    scores = np.repeat(np.arange(len(sizes)), sizes[::-1])
    calibrator = VennAbersCalibrator().fit(scores, y)
    assert (np.diff(calibrator.predict_interval(np.arange(0, 398, 0.5)), axis=0) >= 0).all()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("thresholds_", [3.0, 2.0, 1.0, 4.0]),
        ("thresholds_", [1.0]),
        ("intervals_", [[0.5] * 9, [0.25] * 9]),
        ("intervals_", [[0.5] * 9, [1.25] * 9]),
    ],
)
def test_damaged_states_are_refused(name, value):
    data = VennAbersCalibrator().fit([1, 2, 3, 4], [0, 1, 0, 1]).to_dict()
    with pytest.raises(ValueError, match="damaged"):
        BaseCalibrator.from_dict({**data, "state": {**data["state"], name: value}})


def test_intervals_of_fractional_weights_stay_in_the_unit_interval():
    """Slopes of sums of fractions exceed 1 by their rounding."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        scores = rng.normal(size=60)
        y = rng.random(60) < 1 / (1 + np.exp(-4 * scores))
        calibrator = VennAbersCalibrator().fit(scores, y, rng.random(60))
        assert ((calibrator.intervals_ >= 0) & (calibrator.intervals_ <= 1)).all()
        BaseCalibrator.from_dict(calibrator.to_dict())
