"""Gebel's comparison: its measures by definition, its classifier, and a quick round."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.datasets import make_classification

from evical.datasets import Dataset
from evical.metrics import (
    calibration_measure,
    correctness_rate,
    root_mean_squared_error,
    well_calibration_ratio,
)
from examples.studies import reproduce, study_files
from examples.studies.gebel2009._sources import CALIBRATORS, SquaredHingeSVC
from examples.studies.gebel2009.study import GEBEL2009, GebelCondition
from tests.naive import gebel as naive
from tests.support.data_folder import DATA, needs_data


def test_measures_are_the_definition():
    rng = np.random.default_rng(0)
    positive, y = rng.random(30), rng.integers(0, 2, 30)
    correct, effective, well = naive.measure_table(positive.tolist(), y.tolist())
    assert correctness_rate(y, positive) == pytest.approx(correct)
    assert 1 - root_mean_squared_error(y, positive, each_sample=True) == pytest.approx(effective)
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


def test_a_quick_repeat():
    X, y = make_classification(60, 4, flip_y=0.2, random_state=0)
    data = Dataset("toy", X, y, tuple("abcd"), ("no", "yes"))
    condition = GebelCondition("Toy", "toy", n_folds=2, n_inner=2)
    study = replace(GEBEL2009, conditions=(condition,))
    outcome = reproduce(study, data={"toy": data})
    assert len(outcome.rows) == 2 * 2 * len(CALIBRATORS)
    for row in outcome.rows:
        assert 0.5 < outcome.values(row, "correctness")[0] <= 1
        (calibration,) = outcome.values(row, "calibration")
        assert 0.5 < calibration <= 1
        assert outcome.values(row, "product")[0] == calibration**2
    assert condition.run_repeat({"toy": data}, 0, 0) == condition.run_repeat({"toy": data}, 0, 0)
    assert condition.run_repeat({"toy": data}, 1, 0) != condition.run_repeat({"toy": data}, 0, 0)


def test_printed_tables_have_all_cells():
    svm, bayes = (table.values for table in GEBEL2009.published if table.measure == "product")
    assert len(svm) == len(bayes) == 6 * 2 * 9
    assert svm["original", "training", "Banknotes"] == 0.630
    assert bayes["piecewise logistic", "cross_fit", "Sonar"] == 0.518
    correct = GEBEL2009.published[0].values
    assert correct["assignment value", "training", "Fourclass"] == 0.767


@needs_data
def test_naive_bayes_agrees_with_the_published_table():
    """Table 6.5 holds (1 - RMSE) WCR, without the root of eq. 2.6."""
    quick = tuple(
        replace(condition, classifiers=("naive_bayes",))
        for condition in GEBEL2009.conditions
        if condition.key in GEBEL2009.quick
    )
    outcome = reproduce(replace(GEBEL2009, conditions=quick), data=DATA)
    published = {"Banknotes": (0.995, 0.979), "Haberman": (0.741, 0.550)}
    for name, (correct, product) in published.items():
        row = (name, "naive_bayes", "training", "original")
        assert outcome.values(row, "correctness") == pytest.approx(correct, abs=0.015)
        assert outcome.values(row, "product") == pytest.approx(product, abs=0.015)
    page = study_files(outcome, "python -m examples.studies gebel2009")["gebel2009.md"]
    # Of two data sets, by hand from table 6.5.
    assert "| CR of naive Bayes | logistic : original | 1 : 0 |" in page
    assert "| Cal of naive Bayes | logistic : original | 1 : 1 |" in page
