"""Gebel's comparison: its measures by definition, its classifier, and a quick round."""

from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.datasets import make_classification

from evical.datasets import Dataset
from evical.metrics import (
    calibration_measure,
    correctness_rate,
    mean_root_squared_error,
    well_calibration_ratio,
)
from evical.studies import GEBEL_DATASETS, GebelProtocol, load_gebel, run_gebel
from evical.studies.gebel2009._sources import CALIBRATORS, SquaredHingeSVC
from tests.naive import gebel as naive

DATA = Path(__file__).resolve().parents[5] / "shared" / "data"


def test_measures_are_the_definition():
    rng = np.random.default_rng(0)
    positive, y = rng.random(30), rng.integers(0, 2, 30)
    correct, effective, well = naive.measure_table(positive.tolist(), y.tolist())
    assert correctness_rate(y, positive) == pytest.approx(correct)
    assert 1 - mean_root_squared_error(y, positive) == pytest.approx(effective)
    assert well_calibration_ratio(y, positive) == pytest.approx(well)
    assert calibration_measure(y, positive) == pytest.approx(np.sqrt(effective * well))


def test_a_part_without_samples_is_left_out():
    positive, y = np.full(4, 0.25), np.array([0, 0, 0, 1])
    assert well_calibration_ratio(y, positive) == 1
    assert naive.measure_table(positive.tolist(), y.tolist())[2] == 1


@pytest.mark.parametrize("cost", [0.03, 1.0, 2000.0])
def test_squared_hinge_machine_has_the_least_objective(cost):
    X, y = make_classification(40, 4, random_state=0)
    machine = SquaredHingeSVC(cost, 0.3).fit(X, y)
    kernel, sign = machine._kernel(machine.X_), 2 * y - 1

    def objective(t):
        slack = np.maximum(0, 1 - sign * (kernel @ t[:-1] + t[-1]))
        return t[:-1] @ kernel @ t[:-1] / 2 + cost / 2 * np.sum(slack**2)

    found = np.append(machine.weights_, machine.offset_)
    rival = minimize(objective, found + 0.01, method="L-BFGS-B", options={"maxiter": 2000})
    assert objective(found) <= rival.fun * (1 + 1e-9)
    assert machine.weights_.sum() == pytest.approx(0, abs=1e-8)


def test_a_quick_round():
    X, y = make_classification(60, 4, flip_y=0.2, random_state=0)
    data = Dataset("toy", X, y, tuple("abcd"), ("no", "yes"))
    protocol = GebelProtocol(n_folds=2, n_inner=2, costs=(1.0,), widths=(0.1,))
    rows = run_gebel(data, protocol)
    assert len(rows) == 2 * 2 * len(CALIBRATORS)
    assert len({(r.classifier, r.source, r.calibrator) for r in rows}) == len(rows)
    assert all(0.5 < r.correctness <= 1 and 0.5 < r.calibration <= 1 for r in rows)
    assert rows == run_gebel(data, protocol)


@pytest.mark.slow
@pytest.mark.skipif(not DATA.is_dir(), reason="the data sets are not here")
def test_naive_bayes_agrees_with_the_published_table():
    """Table 6.5 holds (1 - RMSE) WCR, without the root of eq. 2.6."""
    assert set(GEBEL_DATASETS) >= {"Banknotes", "Haberman"}
    protocol = GebelProtocol(classifiers=("naive_bayes",), sources=("training",))
    published = {"Banknotes": (0.995, 0.979), "Haberman": (0.741, 0.550)}
    for name, (correct, product) in published.items():
        rows = run_gebel(load_gebel(DATA, [name])[0], protocol)
        (row,) = (r for r in rows if r.calibrator == "original")
        assert row.correctness == pytest.approx(correct, abs=0.015)
        assert row.calibration**2 == pytest.approx(product, abs=0.015)
