"""What a user writes; behind each line is what pyright has to say of it (`test_user.py`).

`reveal_type(x)  # T`: the type of x is T. `# error: rule`: a mistake that pyright finds before the
program runs. Any is a number or an array, as the batch has it: like NumPy, which calls the result
of a sum along an axis Any, for a union would refuse both of the two uses below.
"""

from typing import TYPE_CHECKING, reveal_type

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.svm import SVC

from dstheory import Frame, MassFunction, betp, combine, decide, dempster, inference, measure
from dstheory.transform import table
from evical import (
    AutoCalibrator,
    EvidentialClassifier,
    EvidentialEnsemble,
    EvidentialFusion,
    LogisticCalibrator,
    cross_val_mass,
    metrics,
)
from evical.calibrators import BinningCalibrator
from evical.conformal import ConformalClassifier
from evical.evaluation import Evaluation, check_calibration, compare
from evical.export import predict_table, to_javascript, to_sql
from evical.multiclass import AutoMulticlassCalibrator
from evical.scores import ScoreCounts, fit_table

# Beliefs and decisions.
frame = Frame(["benign", "malignant"])
doctor = MassFunction.from_dict(frame, {"benign": 0.5, frame: 0.5})
reveal_type(doctor)  # MassFunction
reveal_type(doctor & doctor)  # MassFunction
reveal_type(dempster(doctor, doctor))  # MassFunction
reveal_type(combine.pcr6(doctor, doctor))  # MassFunction
reveal_type(inference.binomial(3, 5, model="likelihood"))  # MassFunction
reveal_type(betp(doctor))  # NDArray[Any]
reveal_type(doctor.contour())  # NDArray[Any]
reveal_type(table(doctor, "bel"))  # NDArray[Any]
reveal_type(doctor.bel("benign"))  # Any
reveal_type(measure.conflict(doctor, doctor))  # Any
belief: float = doctor.bel("benign") + 0.25
utilities = [[1, 0], [0, 1]]
reveal_type(decide.maximin(doctor, utilities, acts=["go home", "operate"]))  # Any
reveal_type(decide.maximality(doctor, utilities))  # NDArray[bool]

# A classifier, and what it predicts.
X, y = load_breast_cancer(return_X_y=True)
model = EvidentialClassifier(SVC(), calibrator="isotonic").fit(X, y)
reveal_type(model)  # EvidentialClassifier
beliefs = model.predict_mass(X)
reveal_type(beliefs)  # MassFunction
reveal_type(beliefs[:3])  # MassFunction
reveal_type(model.predict_interval(X))  # NDArray[float64]
reveal_type(model.predict_interval(X, level=0.95))  # NDArray[float64]
reveal_type(model.predict_proba(X))  # NDArray[float64]
reveal_type(model.predict(X))  # NDArray[Any]
reveal_type(model.predict_set(X))  # NDArray[bool]
reveal_type(model.classes_)  # NDArray[Any]
reveal_type(cross_val_mass(model, X, y))  # MassFunction
decided = decide.maximin(beliefs, utilities, acts=["go home", "operate"]) != "operate"
sent_home = float(beliefs.pl(1)[decided].mean())

# Several classifiers, sources, plain scores.
ensemble = EvidentialEnsemble([("narrow", SVC()), ("wide", SVC(C=10))], rule="stacked").fit(X, y)
reveal_type(ensemble)  # EvidentialEnsemble
reveal_type(ensemble.predict_mass(X))  # MassFunction
reveal_type(ensemble.conflict(X))  # NDArray[float64]
reveal_type(ensemble.predict_masses(X))  # list[MassFunction]
sources = {"svm": beliefs, "scores": X[:, 0]}
fusion = EvidentialFusion(rule="stacked").fit(sources, y)
reveal_type(fusion)  # EvidentialFusion
reveal_type(fusion.predict_mass(sources))  # MassFunction
listed = EvidentialFusion().fit([beliefs, X[:, 0]], y)
reveal_type(listed.predict_proba([beliefs, X[:, 0]]))  # NDArray[float64]
calibrator = AutoCalibrator().fit(X[:, 0], y)
reveal_type(calibrator)  # AutoCalibrator
reveal_type(calibrator.predict_mass(X[:, 0]))  # MassFunction
reveal_type(calibrator.predict_interval(X[:, 0]))  # NDArray[float64]
reveal_type(calibrator.to_dict())  # dict[str, Any]
reveal_type(LogisticCalibrator(model="likelihood").fit([0.2, 0.8], [0, 1]))  # LogisticCalibrator
reveal_type(AutoMulticlassCalibrator().fit(X[:, :2], y).predict_proba(X[:, :2]))  # NDArray[float64]
reveal_type(ConformalClassifier(SVC()).fit(X, y).predict_set(X))  # NDArray[bool]
reveal_type(ScoreCounts.from_samples(X[:, 0], y))  # ScoreCounts

# Tables and programs.
patients = pd.DataFrame({"size": X[:, 0], "sick": y})
reveal_type(fit_table(calibrator, patients, "size", "sick"))  # AutoCalibrator
reveal_type(predict_table(calibrator, patients, "size"))  # DataFrame
reveal_type(to_sql(calibrator, "size"))  # str
reveal_type(to_javascript(calibrator))  # str

# Metrics.
p = calibrator.predict_proba(X[:, 0])
reveal_type(metrics.log_loss(y, p))  # float
reveal_type(metrics.expected_calibration_error(y, p[:, 1]))  # float
reveal_type(metrics.brier_decomposition(y, p[:, 1]))  # BrierDecomposition
reveal_type(metrics.brier_decomposition(y, p[:, 1]).calibration)  # float
reveal_type(metrics.calibration_report(y, p))  # CalibrationReport
reveal_type(metrics.calibration_curve(y, p[:, 1]))  # CalibrationCurve
evaluation = Evaluation.from_predictions(y, p[:, 1])
reveal_type(evaluation)  # Evaluation
reveal_type(check_calibration(evaluation))  # CalibrationCheck
reveal_type(compare(X[:, 0], y))  # Comparison

# Mistakes.
if TYPE_CHECKING:
    EvidentialEnsemble([SVC()], rule="dempstr")  # error: reportArgumentType
    EvidentialFusion(rule="stackd")  # error: reportArgumentType
    LogisticCalibrator(model="likelyhood")  # error: reportArgumentType
    BinningCalibrator(strategy="quantiles")  # error: reportArgumentType
    BinningCalibrator(10)  # error: reportCallIssue
    inference.binomial(3, 5, model="dempstr")  # error: reportArgumentType
    measure.entropy(doctor, "shannon")  # error: reportArgumentType
    table(doctor, "belief")  # error: reportArgumentType
    ensemble.predict_masss(X)  # error: reportAttributeAccessIssue
    doctor.belief("benign")  # error: reportAttributeAccessIssue
    model.predict_set(X, criterium="maximality")  # error: reportCallIssue
    dempster(doctor, np.array([0.5, 0.5]))  # error: reportArgumentType
