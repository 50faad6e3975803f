"""Classifiers and calibrators of many classes as ONNX, executed by onnxruntime."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from evical import EvidentialClassifier
from evical.calibrators import (
    AutoCalibrator,
    BinningCalibrator,
    IsotonicCalibrator,
    LogisticCalibrator,
)
from evical.export import to_javascript, to_onnx
from evical.multiclass import (
    AutoMulticlassCalibrator,
    DirichletCalibrator,
    MultinomialLogisticCalibrator,
    OneVsRestCalibrator,
    ShallowNetCalibrator,
    SoftmaxCalibrator,
    StructuredMatrixCalibrator,
    StructuredVectorCalibrator,
)
from tests.evical.export.test_ensembles import check
from tests.evical.export.test_onnx import in_onnxruntime
from tests.support.each import each

X, KINDS = load_iris(return_X_y=True)
Y = np.array(["setosa", "versicolor", "virginica"])[KINDS]
ROWS = np.concatenate([X[1::2], 3 * X[::5], -X[::5]])
LINEAR = make_pipeline(StandardScaler(), LogisticRegression())
MARGINS = make_pipeline(StandardScaler(), LinearSVC())

CASES = {
    "default": EvidentialClassifier(LINEAR, cv=2),
    "default, margins": EvidentialClassifier(MARGINS, ensemble=False),
    "probabilities": EvidentialClassifier(
        LINEAR, calibrator=AutoMulticlassCalibrator(model="bayesian"), ensemble=False
    ),
    "products": EvidentialClassifier(LINEAR, calibrator=AutoCalibrator(), cv=2),
    "products of steps": EvidentialClassifier(
        LINEAR, calibrator=IsotonicCalibrator(model="dempster"), ensemble=False
    ),
    "total conflict": EvidentialClassifier(
        LINEAR,
        calibrator=IsotonicCalibrator(model="bayesian"),
        ensemble=False,
        total_conflict="vacuous",
    ),
    "coupled": EvidentialClassifier(
        LINEAR, calibrator=LogisticCalibrator(model="bayesian"), coupling="normalize", cv=2
    ),
    "softmax": EvidentialClassifier(MARGINS, calibrator=SoftmaxCalibrator(), ensemble=False),
}


@each("name", CASES)
def test_classifiers(name):
    classifier = CASES[name].fit(X[::2], Y[::2])
    found = check(to_onnx(classifier), classifier, ROWS, 1e-7)
    assert found["beliefs"].shape == (len(ROWS), 3, 3)
    if name == "total conflict":
        vacuous = (found["beliefs"][..., :2] == [0, 1]).all(axis=(1, 2))
        assert vacuous.any()
        np.testing.assert_array_equal(classifier.predict_mass(ROWS).is_vacuous, vacuous)


def test_beliefs_of_curves_are_divided_by_agreement():
    """Dempster's rule of columns with an error of 1e-7."""
    classifier = EvidentialClassifier(LINEAR, calibrator=LogisticCalibrator(), ensemble=False)
    classifier.fit(X[::2], Y[::2])
    check(to_onnx(classifier), classifier, X[1::2], 1e-6)


CALIBRATORS = [
    AutoMulticlassCalibrator(),
    AutoMulticlassCalibrator(model="bayesian"),
    OneVsRestCalibrator(),
    OneVsRestCalibrator(LogisticCalibrator(model="bayesian"), coupling="normalize"),
    OneVsRestCalibrator(BinningCalibrator(model="dempster")),
    SoftmaxCalibrator(),
    SoftmaxCalibrator(parameters="vector"),
    SoftmaxCalibrator(parameters="temperature", transform="log"),
    StructuredVectorCalibrator(),
    StructuredMatrixCalibrator(),
    ShallowNetCalibrator(n_nets=2, max_iter=9, random_state=0),
]


def samples(n_classes, n=150):
    rng = np.random.default_rng(3)
    truth = rng.dirichlet(np.ones(n_classes), n)
    y = (rng.random((n, 1)) > truth.cumsum(axis=1)).sum(axis=1)
    return truth**2 / (truth**2).sum(axis=1, keepdims=True), y


@each("n_classes", [2, 4])
@each("calibrator", CALIBRATORS, ids=str)
def test_calibrators(calibrator, n_classes):
    scores, y = samples(n_classes)
    calibrator.fit(scores, y)
    model = to_onnx(calibrator)
    wrong = np.full((3, n_classes), 0.5)
    wrong[:, 0] = np.nan, np.inf, -np.inf
    found = in_onnxruntime(model, scores=np.concatenate([scores, np.eye(n_classes), wrong]))
    beliefs, missing = found["beliefs"][:-3], found["beliefs"][-3:]
    assert np.isnan(missing).all()
    shown = np.concatenate([scores, np.eye(n_classes)])
    ends, p = calibrator.predict_interval(shown), calibrator.predict_proba(shown)
    if n_classes == 2:
        ends, p = ends[:, 1], p[:, 1]
    assert beliefs.shape == (*p.shape, 3)
    assert np.abs(beliefs[..., :2] - ends).max() < 1e-7
    assert np.abs(beliefs[..., 2] - p).max() < 1e-7


@pytest.mark.parametrize(
    "calibrator",
    [OneVsRestCalibrator(), SoftmaxCalibrator(), StructuredMatrixCalibrator()],
    ids=str,
)
def test_one_score_of_two_classes(calibrator):
    scores, y = samples(2)
    calibrator.fit(scores[:, 1:], y)
    found = in_onnxruntime(to_onnx(calibrator), scores=scores[:, 1:])["beliefs"]
    assert np.abs(found[:, 2] - calibrator.predict_proba(scores[:, 1:])[:, 1]).max() < 1e-12


def test_what_is_no_probability_is_nan():
    scores, y = samples(3)
    model = to_onnx(SoftmaxCalibrator(transform="log").fit(scores, y))
    found = in_onnxruntime(model, scores=np.array([[0.5, 0.5, 0.0], [1.5, 0, 0], [-0.1, 1, 0]]))
    np.testing.assert_array_equal(np.isnan(found["beliefs"]).all(axis=(1, 2)), [False, True, True])


def test_columns_that_exclude_each_other():
    """Two classes that are certain of themselves: no class is left."""
    scores = np.eye(3)[[0, 1, 2, 0, 1, 2]]
    calibrator = OneVsRestCalibrator(IsotonicCalibrator(model="bayesian"), coupling="dempster")
    calibrator.fit(scores, [0, 1, 2, 0, 1, 2])
    found = in_onnxruntime(to_onnx(calibrator), scores=np.array([[1.0, 1, 0], [1, 0, 0]]))
    beliefs = found["beliefs"]
    assert np.isnan(beliefs[0]).all()
    np.testing.assert_array_equal(beliefs[1], [[1.0] * 3, [0.0] * 3, [0.0] * 3])


def test_what_cannot_be_exported():
    scores, y = samples(3)
    with pytest.raises(NotFittedError):
        to_onnx(SoftmaxCalibrator())
    for calibrator in (
        MultinomialLogisticCalibrator(),
        StructuredMatrixCalibrator(model="quadratic"),
        DirichletCalibrator(factor=20),
    ):
        name = type(calibrator).__name__
        with pytest.raises(ValueError, match=rf"{name}.* has no closed formula; an export takes"):
            to_onnx(calibrator.fit(scores, y))
    with pytest.raises(ValueError, match="AutoMulticlassCalibrator has the model 'confidence'"):
        to_onnx(AutoMulticlassCalibrator(model="confidence").fit(scores, y))
    with pytest.raises(ValueError, match=r"the graph has \d+ bytes for 3 classes, and max_bytes"):
        to_onnx(SoftmaxCalibrator().fit(scores, y), max_bytes=100)
    with pytest.raises(TypeError, match="SoftmaxCalibrator takes a score for each class"):
        to_javascript(SoftmaxCalibrator().fit(scores, y))
    pairs = EvidentialClassifier(LINEAR, code="all_pairs", cv=2).fit(X, Y)
    with pytest.raises(ValueError, match="a code of 3 columns, and an export takes code="):
        to_onnx(pairs)
