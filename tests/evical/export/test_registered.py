"""Pipelines that end in our classifiers, converted by skl2onnx itself."""

from functools import cache
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest
from skl2onnx import to_onnx
from skl2onnx.common.data_types import StringTensorType
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC

from evical import EvidentialClassifier, EvidentialEnsemble, export
from evical.calibrators import IsotonicCalibrator
from evical.export import register_converters
from tests.evical.export.test_ensembles import check
from tests.evical.export.test_onnx import in_onnxruntime
from tests.support.each import each

DATA = {
    "two": (load_breast_cancer(return_X_y=True)[0][:, :4], load_breast_cancer().target),
    "three": (load_iris().data, np.array(["a", "b", "c"])[load_iris().target]),
}
STEPS = {
    "two": EvidentialClassifier(LogisticRegression(), cv=2),
    "three": EvidentialEnsemble([LogisticRegression(), LinearSVC()], cv=2),
}


@cache
def fitted(name):
    X, y = DATA[name]
    return make_pipeline(StandardScaler(), STEPS[name]).fit(X[::2], y[::2])


@pytest.mark.parametrize("opset", [15, 21])
@pytest.mark.parametrize("name", DATA)
def test_a_pipeline_is_converted_as_a_whole(name, opset):
    register_converters()
    pipeline = fitted(name)
    for kind, atol in ((np.float64, 1e-6), (np.float32, 1e-3)):  # of the scaler
        rows = DATA[name][0][1::2].astype(kind)
        model = to_onnx(pipeline, rows[:1], target_opset={"": opset, "ai.onnx.ml": 3})
        check(model, pipeline[-1], rows, atol, pipeline[:-1].transform(rows))


RNG = np.random.default_rng(0)
TABLE = pd.DataFrame({"age": RNG.normal(40, 10, 200), "city": RNG.choice(["a", "b", "c"], 200)})
BUYS = np.where(TABLE.age + 9 * (TABLE.city == "a") + RNG.normal(0, 5, 200) > 42, "yes", "no")
BY_NAME = make_column_transformer((StandardScaler(), ["age"]), (OneHotEncoder(), ["city"]))
TEXTS = np.array([" ".join(words) for words in RNG.choice(["good", "bad", "film"], (200, 5))])
LIKES = np.array([text.count("good") > text.count("bad") for text in TEXTS])
# Runtimes lower letters only where a locale is installed.
WORDS = TfidfVectorizer(lowercase=False)


def read(name):
    """Steps that read columns by name or texts; samples, classes, and the inputs of a graph."""
    if name == "columns":
        return BY_NAME, TABLE, BUYS, {column: TABLE[[column]].to_numpy() for column in TABLE}
    return WORDS, TEXTS, LIKES, {"text": TEXTS[:, np.newaxis]}


@each("name", ["columns", "texts"])
def test_columns_by_name_and_texts_are_read_before_the_classifier(name):
    register_converters()
    steps, samples, y, inputs = read(name)
    types = [("text", StringTensorType([None, 1]))] if name == "texts" else None
    pipeline = make_pipeline(steps, EvidentialClassifier(LogisticRegression(), cv=2))
    pipeline.fit(samples, y)
    model = to_onnx(pipeline, samples[:1], initial_types=types)
    found = in_onnxruntime(model, **inputs)
    assert (found["label"] == pipeline.predict(samples)).all()
    expected = pipeline[-1].predict_interval(pipeline[:-1].transform(samples))
    # Of texts, skl2onnx computes in 32 bits.
    assert np.abs(found["beliefs"][:, :2] - expected).max() < (1e-9 if name == "columns" else 1e-5)


@each("name", ["columns", "texts"])
def test_the_other_nesting_is_refused_with_the_right_one(name):
    register_converters()
    steps, samples, y, _ = read(name)
    pipeline = make_pipeline(steps, LogisticRegression())
    options = {"calibrator": IsotonicCalibrator(), "cv": 2}
    classifier = EvidentialClassifier(pipeline, **options).fit(samples, y)
    ensemble = EvidentialEnsemble([pipeline], **options).fit(samples, y)
    searched = EvidentialClassifier(GridSearchCV(pipeline, {}, cv=2), **options).fit(samples, y)
    for model in (classifier, ensemble, searched):
        with pytest.raises(ValueError, match=r"put EvidentialClassifier behind them, make_pipel"):
            export.to_onnx(model)
    types = [("text", StringTensorType([None, 1]))] if name == "texts" else None
    first = "'text'" if name == "texts" else "'age', 'city'"
    with pytest.raises(ValueError, match=f"EvidentialClassifier gets the inputs {first}, but its"):
        to_onnx(classifier, samples[:1], initial_types=types)
    whole = make_pipeline(steps, EvidentialClassifier(LogisticRegression(), **options))
    with pytest.raises(TypeError, match=r"a Pipeline, which skl2onnx converts: call register_"):
        export.to_onnx(whole.fit(samples, y))


def test_wrong_calls(monkeypatch):
    register_converters()
    with pytest.raises(ValueError, match="target opset is 12, and an export takes 15 or a later"):
        to_onnx(fitted("two"), DATA["two"][0][:1], target_opset={"": 12, "ai.onnx.ml": 1})
    monkeypatch.setattr(
        "dstheory.optional.find_spec", lambda name: None if name == "skl2onnx" else find_spec(name)
    )
    with pytest.raises(ModuleNotFoundError, match="register_converters needs skl2onnx"):
        register_converters()
