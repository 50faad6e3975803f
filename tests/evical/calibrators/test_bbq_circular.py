"""Naeini's circular simulation (2016, table 7), where the score is not monotone in the truth.

The data are not part of this repository; without them the tests are skipped.
"""

import os
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score
from sklearn.svm import SVC

from evical.calibrators import ABBCalibrator, BBQCalibrator, IsotonicCalibrator

DATA = Path(os.environ.get("EVICAL_DATA", Path(__file__).parents[4] / "shared" / "data"))


def table(name):
    path = DATA / f"bbq_circular_{name}.csv"
    if not path.exists():
        pytest.skip(f"{path.name} is not there; set EVICAL_DATA to a folder that holds it")
    values = np.loadtxt(path, delimiter=",", skiprows=1)
    # The classes come one after the other; ties must not see that.
    values = np.random.default_rng(0).permutation(values)
    return values[:, :-1], values[:, -1]


def measures(calibrator, kernel):
    """AUC, RMSE and ECE over ten bins of equal frequency, on the test data."""
    (X, y), (X_new, y_new) = table("train"), table("test")
    svm = SVC(kernel=kernel, degree=2, coef0=1).fit(X, y)
    calibrator.fit(svm.decision_function(X), y)
    p = calibrator.predict_proba(svm.decision_function(X_new))[:, 1]
    parts = np.array_split(np.argsort(p, kind="stable"), 10)
    ece = sum(abs(p[part].mean() - y_new[part].mean()) * len(part) for part in parts) / len(p)
    return roc_auc_score(y_new, p), np.sqrt(np.mean((p - y_new) ** 2)), ece


@pytest.mark.parametrize("calibrator", [BBQCalibrator(), ABBCalibrator()], ids=["BBQ", "ABB"])
def test_the_linear_kernel_is_saved_by_binning(calibrator):
    """Printed: AUC 0.85, RMSE 0.38, ECE 0.03."""
    auc, rmse, ece = measures(calibrator, "linear")
    assert auc == pytest.approx(0.85, abs=0.01)
    assert rmse == pytest.approx(0.385, abs=0.01)
    assert ece <= 0.05


def test_isotonic_calibration_cannot_save_it():
    """Printed: AUC 0.65, RMSE 0.46."""
    auc, rmse, _ = measures(IsotonicCalibrator(model="bayesian"), "linear")
    assert auc == pytest.approx(0.65, abs=0.03)
    assert rmse == pytest.approx(0.46, abs=0.01)


@pytest.mark.parametrize("calibrator", [BBQCalibrator(), ABBCalibrator()], ids=["BBQ", "ABB"])
def test_the_quadratic_kernel_stays_as_good_as_it_is(calibrator):
    """Printed: AUC 1.00, RMSE 0.08, ECE 0.00."""
    auc, rmse, ece = measures(calibrator, "poly")
    assert auc > 0.995
    assert rmse < 0.1
    assert ece <= 0.01
