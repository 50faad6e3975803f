"""Classifiers and ensembles as ONNX, executed by onnxruntime."""

import warnings
from importlib.util import find_spec

import numpy as np
import pytest
import skl2onnx
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils.fixes import parse_version

from evical import (
    EvidentialClassifier,
    EvidentialEnsemble,
    IsotonicCalibrator,
    LogisticCalibrator,
)
from evical.export import to_onnx
from evical.multiclass import SoftmaxCalibrator
from tests.evical.export.test_onnx import in_onnxruntime
from tests.support.each import each

DATA, CLASSES = load_breast_cancer(return_X_y=True)
X, Y, NEW = DATA[:300, :5], np.where(CLASSES[:300], "benign", "cancer"), DATA[300:, :5]
LINEAR = make_pipeline(StandardScaler(), LogisticRegression())

CASES = {
    "pipeline": EvidentialClassifier(LINEAR),
    "folds": EvidentialClassifier(LINEAR, calibrator=LogisticCalibrator(), ensemble=True, cv=2),
    "frozen": EvidentialClassifier(FrozenEstimator(LINEAR), calibrator=IsotonicCalibrator()),
    "svm": EvidentialClassifier(
        make_pipeline(StandardScaler(), LinearSVC()), calibrator=IsotonicCalibrator()
    ),
    "naive Bayes": EvidentialClassifier(GaussianNB(), calibrator=LogisticCalibrator()),
    "forest": EvidentialClassifier(
        RandomForestClassifier(5, max_depth=4, random_state=0),
        calibrator=LogisticCalibrator(model="bayesian"),
        cv=2,
    ),
    "boosting": EvidentialClassifier(
        GradientBoostingClassifier(n_estimators=5, random_state=0),
        calibrator=LogisticCalibrator(model="bayesian"),
        cv=2,
    ),
    "ensemble": EvidentialEnsemble(
        [
            EvidentialClassifier(LINEAR, calibrator=LogisticCalibrator()),
            EvidentialClassifier(GaussianNB(), calibrator=IsotonicCalibrator()),
        ],
        rule="dempster",
        cv=2,
    ),
}
# Of converted classifiers that compute in 32 bits, as a share of the scores.
TREES = ["forest", "boosting"]
LOOSE = {"forest": 1e-4, "boosting": 1e-4, "naive Bayes": 1e-6}


@each("name", CASES)
def test_one_graph_from_features_to_beliefs(name):
    if name in TREES and parse_version(skl2onnx.__version__) < parse_version("1.20"):
        pytest.skip("skl2onnx before 1.20 converts no trees beside protobuf 7")
    LINEAR.fit(X, Y)
    classifier = CASES[name].fit(X, Y)
    # Features that 32 bits can hold, so that trees take the same branches.
    rows = NEW.astype(np.float32).astype(np.float64)
    found = in_onnxruntime(to_onnx(classifier), X=rows)
    assert list(found) == ["label", "probabilities", "beliefs"]
    atol = LOOSE.get(name, 1.5e-7)
    ends, probability = classifier.predict_interval(rows), classifier.predict_proba(rows)
    near = np.abs(found["beliefs"][:, :2] - ends).max(axis=1) <= atol
    if name == "naive Bayes":  # a step moves by the rounding of the scores
        assert near.mean() > 0.99
    else:
        assert near.all()
    assert np.abs(found["probabilities"] - probability)[near].max() <= atol
    np.testing.assert_allclose(found["beliefs"][:, 2], found["probabilities"][:, 1])
    clear = near & (np.abs(probability[:, 1] - 0.5) > 1e-3)
    np.testing.assert_array_equal(found["label"][clear], classifier.predict(rows)[clear])


def test_features_and_scores_of_32_bits():
    """The graph of 32 bits gives what the other one gives for the same numbers."""
    rows = NEW.astype(np.float32)
    classifier = EvidentialClassifier(LINEAR, calibrator=IsotonicCalibrator()).fit(X, Y)
    wide = in_onnxruntime(to_onnx(classifier), X=rows.astype(np.float64))
    found = in_onnxruntime(to_onnx(classifier, dtype="float32"), X=rows)
    for name, values in wide.items():
        np.testing.assert_array_equal(found[name], values)
    np.testing.assert_array_equal(wide["label"], classifier.predict(rows.astype(np.float64)))
    for fitted in (
        IsotonicCalibrator().fit(X[:, 0], Y),
        SoftmaxCalibrator().fit(X[:, :3] / 100, np.arange(300) % 3),
    ):
        scores = rows[:, : fitted.n_features_in_] / np.float32(100)
        expected = in_onnxruntime(to_onnx(fitted), scores=scores.astype(np.float64))["beliefs"]
        narrow = in_onnxruntime(to_onnx(fitted, dtype="float32"), scores=scores)["beliefs"]
        np.testing.assert_array_equal(narrow, expected)
        columns = in_onnxruntime(
            to_onnx(fitted, dtype="float32", class_columns=True), scores=scores
        )
        last = f"bel_{fitted.classes_[-1]}"
        np.testing.assert_allclose(columns[last], expected.reshape(len(rows), -1)[:, -3])
    with pytest.raises(ValueError, match="dtype is 'float16'"):
        to_onnx(classifier, dtype="float16")


def test_labels_that_are_numbers():
    classifier = EvidentialClassifier(LogisticRegression(), calibrator=IsotonicCalibrator())
    classifier.fit(X / 100, np.where(Y == "cancer", 7, -3))
    found = in_onnxruntime(to_onnx(classifier), X=NEW / 100)
    np.testing.assert_array_equal(found["label"], classifier.predict(NEW / 100))
    assert found["label"].dtype == np.int64


class Unknown(ClassifierMixin, BaseEstimator):
    """A classifier that skl2onnx does not know."""

    def fit(self, X, y):
        self.classes_, self.n_features_in_ = np.unique(y), X.shape[1]
        return self

    def predict_proba(self, X):
        share = 1 / (1 + np.exp(X[:, 0] - 14))
        return np.column_stack([share, 1 - share])

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def test_what_cannot_be_exported(monkeypatch):
    with pytest.raises(NotFittedError):
        to_onnx(EvidentialClassifier(LINEAR))
    odd = EvidentialClassifier(
        LINEAR, calibrator=IsotonicCalibrator(), probability="plausibility"
    ).fit(X, Y)
    with pytest.raises(ValueError, match="probability is 'plausibility'"):
        to_onnx(odd)
    with warnings.catch_warnings(action="ignore"):
        unknown = EvidentialClassifier(Unknown(), calibrator=IsotonicCalibrator()).fit(X, Y)
    with pytest.raises(ValueError, match=r"skl2onnx does not convert Unknown \(\w+: .*alone"):
        to_onnx(unknown)
    monkeypatch.setattr(
        "dstheory.optional.find_spec", lambda name: None if name == "skl2onnx" else find_spec(name)
    )
    with pytest.raises(ModuleNotFoundError, match="pip install skl2onnx"):
        to_onnx(odd)


def test_classifiers_without_calibration():
    clf = EvidentialClassifier(LINEAR, calibrator="latent").fit(X, Y)
    with pytest.raises(ValueError, match="calibrator is 'latent'"):
        to_onnx(clf)


@pytest.mark.parametrize("kind", ["vacuous", "error"])
def test_members_that_exclude_each_other(kind):
    x = np.linspace(-1, 1, 80)[:, np.newaxis]
    sure = IsotonicCalibrator(model="bayesian")
    linear = LogisticRegression().fit(x, x[:, 0] > 0)
    members = [
        EvidentialClassifier(FrozenEstimator(linear), calibrator=sure).fit(x, x[:, 0] > cut)
        for cut in (-0.5, 0.5)
    ]
    ensemble = EvidentialEnsemble(
        [FrozenEstimator(member) for member in members], rule="dempster", total_conflict=kind
    ).fit(x, x[:, 0] > 0)
    rows = np.array([[-0.9], [0.0], [0.9]])
    found = in_onnxruntime(to_onnx(ensemble), X=rows)["beliefs"]
    between = [0.0, 1.0, 0.5] if kind == "vacuous" else [np.nan] * 3
    np.testing.assert_array_equal(found, [[0.0] * 3, between, [1.0] * 3])
    if kind == "vacuous":
        np.testing.assert_array_equal(ensemble.predict_interval(rows), found[:, :2])
