"""Confidence intervals in exports are those of Python."""

import json
from functools import partial

import duckdb
import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from evical import EvidentialClassifier, EvidentialEnsemble
from evical.calibrators import (
    AutoCalibrator,
    BBQCalibrator,
    IsotonicCalibrator,
    LogisticCalibrator,
    VennAbersCalibrator,
)
from evical.export import predict_table, to_javascript, to_onnx, to_sql
from evical.multiclass import AutoMulticlassCalibrator, OneVsRestCalibrator
from evical.source import EvidentialSource
from tests.evical.export.test_onnx import in_onnxruntime
from tests.support.each import each
from tests.support.node import NODE, in_node

RNG = np.random.default_rng(2)
SCORES = RNG.normal(size=40).round(2)
Y = np.where(RNG.random(40) < 1 / (1 + np.exp(-2 * SCORES)), "yes", "no")
AT = np.concatenate([SCORES, [-9.0, 0.0, 9.0]])
X = RNG.normal(size=(150, 3))
CLASSES = np.digitize(X[:, 0] + X[:, 1] / 2 + RNG.normal(size=150) / 2, [-0.5, 0.5])
NAMES = ("bel", "pl", "p", "lower", "upper")
CALIBRATORS = [
    AutoCalibrator(),
    LogisticCalibrator(model="bayesian"),
    IsotonicCalibrator(),
    IsotonicCalibrator(model="band", confidence=0.9),
    BBQCalibrator(model="confidence"),
]


def expected(fitted, at, level=0.9):
    """(n, K, 5): what Python predicts."""
    found = fitted.beliefs(at)
    p = found.probability()[..., np.newaxis]
    return np.concatenate([found.interval(), p, found.confidence_interval(level)], axis=2)


@each("calibrator", CALIBRATORS, ids=str)
def test_one_score(calibrator, tmp_path_factory):
    fitted = calibrator.fit(SCORES, Y)
    both = expected(fitted, AT)
    columns = [f"{name}_{label}" for label in ("no", "yes") for name in NAMES]
    frame = pd.DataFrame({"score": AT, "row": range(len(AT))})
    made = predict_table(fitted, frame, "score", level=0.9)
    assert list(made)[2:] == columns
    np.testing.assert_allclose(made[columns], both.reshape(-1, 10), atol=1e-12)
    with duckdb.connect() as base:
        relation = base.from_df(frame)
        looked_up = predict_table(fitted, relation, "score", level=0.9).df()
        named = base.execute(
            f"SELECT {to_sql(fitted, 'score', class_columns=True, level=0.9)} FROM frame"
        ).df()
        short = base.execute(f"SELECT {to_sql(fitted, 'score', level=0.9)} FROM frame").df()
    for found in (looked_up[columns], named[columns]):
        np.testing.assert_allclose(found, both.reshape(-1, 10), atol=3e-7)
    assert list(short) == ["bel", "pl", "betp", "lower", "upper"]
    np.testing.assert_allclose(short, both[:, 1], atol=3e-7)
    graph = to_onnx(fitted, level=0.9)
    beliefs = in_onnxruntime(graph, scores=AT[:, np.newaxis])["beliefs"]
    np.testing.assert_allclose(beliefs, both[:, 1], atol=3e-7)
    named = in_onnxruntime(to_onnx(fitted, class_columns=True, level=0.9), scores=AT[:, np.newaxis])
    np.testing.assert_allclose([named[name] for name in columns], both.reshape(-1, 10).T, atol=3e-7)
    if NODE is not None:
        _check_javascript(fitted, both, tmp_path_factory.mktemp("js"))


def _check_javascript(fitted, both, folder):
    text = to_javascript(fitted, class_columns=True, level=0.9)
    (folder / "m.mjs").write_text(text, encoding="utf-8")
    one, named = in_node(
        folder,
        "import { beliefs, namedBeliefs } from './m.mjs';\n"
        f"const at = {json.dumps(AT.tolist())};\n"
        "export const found = [at.map(beliefs), at.map(namedBeliefs)];\n",
    )
    np.testing.assert_allclose(one, both[:, 1], atol=3e-7)
    rows = [list(row.values()) for row in named]
    np.testing.assert_allclose(rows, both.reshape(-1, 10), atol=3e-7)


@each(
    "calibrator",
    [
        AutoMulticlassCalibrator(),
        AutoMulticlassCalibrator(model="bayesian"),
        OneVsRestCalibrator(LogisticCalibrator(model="bayesian")),
        OneVsRestCalibrator(),
    ],
    ids=str,
)
def test_scores_of_many_classes(calibrator):
    table = np.stack([-X[:, 0], X[:, 2] / 3, X[:, 0]], axis=1)
    fitted = calibrator.fit(table, CLASSES)
    found = in_onnxruntime(to_onnx(fitted, level=0.9), scores=table[:30])["beliefs"]
    np.testing.assert_allclose(found, expected(fitted, table[:30]), atol=1e-6)


MODELS = [
    EvidentialClassifier(GaussianNB(), cv=2),
    EvidentialEnsemble(
        [
            EvidentialSource(GaussianNB(), columns=[0, 1], silent_if_missing="any"),
            LogisticRegression(),
        ],
        cv=2,
    ),
]


@each("model", MODELS, ids=["classifier", "sources"])
@each("y", [CLASSES, CLASSES > 0], ids=["three", "two"])
def test_classifiers_and_ensembles(model, y):
    fitted = model.fit(X, y)
    at = X[:30].copy()
    graph = to_onnx(fitted, level=0.9)
    found = in_onnxruntime(graph, X=at)["beliefs"]
    both = expected(fitted, at)
    np.testing.assert_allclose(found, both if both.shape[1] > 2 else both[:, 1], atol=1e-6)


def test_what_has_no_interval_is_refused():
    fitted = VennAbersCalibrator().fit(SCORES, Y)
    for export in (partial(to_sql, column="score"), to_javascript, to_onnx):
        with pytest.raises(ValueError, match="does not know the error"):
            export(fitted, level=0.9)
    members = [GaussianNB(), LogisticRegression()]
    rule = EvidentialEnsemble(members, calibrator=IsotonicCalibrator(), cv=2, rule="dempster")
    with pytest.raises(ValueError, match="there is no confidence interval of what is exported"):
        to_onnx(rule.fit(X, CLASSES > 0), level=0.9)
    with pytest.raises(ValueError, match=r"level is 1, expected a level inside \(0, 1\)"):
        to_onnx(fitted, level=1)
