"""Pipelines that end in our classifiers, converted by skl2onnx itself."""

from importlib.util import find_spec

import numpy as np
import pytest
from skl2onnx import to_onnx
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from evical import EvidentialClassifier, EvidentialEnsemble
from evical.export import register_converters
from tests.evical.export.test_ensembles import check

DATA = {
    "two": (load_breast_cancer(return_X_y=True)[0][:, :4], load_breast_cancer().target),
    "three": (load_iris().data, np.array(["a", "b", "c"])[load_iris().target]),
}
STEPS = {
    "two": EvidentialClassifier(LogisticRegression(), cv=2),
    "three": EvidentialEnsemble([LogisticRegression(), LinearSVC()], cv=2),
}


@pytest.mark.parametrize("opset", [15, 21])
@pytest.mark.parametrize("name", DATA)
def test_a_pipeline_is_converted_as_a_whole(name, opset):
    register_converters()
    X, y = DATA[name]
    pipeline = make_pipeline(StandardScaler(), STEPS[name]).fit(X[::2], y[::2])
    for kind, atol in ((np.float64, 1e-6), (np.float32, 1e-3)):  # of the scaler
        rows = X[1::2].astype(kind)
        model = to_onnx(pipeline, rows[:1], target_opset={"": opset, "ai.onnx.ml": 3})
        check(model, pipeline[-1], rows, atol, pipeline[:-1].transform(rows))


def test_wrong_calls(monkeypatch):
    register_converters()
    X, y = DATA["two"]
    pipeline = make_pipeline(StandardScaler(), STEPS["two"]).fit(X, y)
    with pytest.raises(ValueError, match="target opset is 12, and an export takes 15 or a later"):
        to_onnx(pipeline, X[:1], target_opset={"": 12, "ai.onnx.ml": 1})
    monkeypatch.setattr(
        "dstheory.optional.find_spec", lambda name: None if name == "skl2onnx" else find_spec(name)
    )
    with pytest.raises(ModuleNotFoundError, match="register_converters needs skl2onnx"):
        register_converters()
