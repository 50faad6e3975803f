"""Exports whose names hold the class: the columns that `predict_table` writes, everywhere."""

import json
import sqlite3
from contextlib import closing

import duckdb
import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from dstheory import dempster
from dstheory.transform import betp
from evical import EvidentialClassifier
from evical.calibrators import AutoCalibrator, IsotonicCalibrator, LogisticCalibrator
from evical.export import fusion_to_sql, predict_table, to_javascript, to_onnx, to_sql
from evical.multiclass import SoftmaxCalibrator
from evical.scores import ScoreCounts
from evical.scores.names import belief_names
from tests.evical.export.test_onnx import in_onnxruntime
from tests.protocols.calibrators_table import samples
from tests.support.each import each
from tests.support.node import NODE, in_node

SCORES, Y = samples()
STATE = np.where(Y == 1, "sick", "not sick")
NEW = np.linspace(-3, 3, 60)
CALIBRATORS = {
    "steps": IsotonicCalibrator(),
    "lines": AutoCalibrator(),
    "curves": LogisticCalibrator(),
    "one formula": LogisticCalibrator(model="bayesian"),
}


def fitted(name):
    return CALIBRATORS[name].fit(SCORES, STATE)


def columns(calibrator):
    """The new columns of a table, by Python."""
    return predict_table(calibrator, pd.DataFrame({"score": NEW}), "score").iloc[:, 1:]


def check(found, wanted):
    assert list(found) == list(wanted)
    for name, values in wanted.items():
        np.testing.assert_allclose(np.ravel(found[name]), values, rtol=0, atol=2e-7)


def rows_of(query, dialect):
    """Rows of a query on a table `t` of scores, by the names of their columns."""
    connect = sqlite3.connect if dialect == "sqlite" else duckdb.connect
    with closing(connect(":memory:")) as base:
        base.execute("CREATE TABLE t (id INTEGER, score DOUBLE)")
        base.executemany("INSERT INTO t VALUES (?, ?)", list(enumerate(NEW.tolist())))
        cursor = base.execute(query)
        names = [column[0] for column in cursor.description]
        return dict(zip(names, np.array(cursor.fetchall()).T, strict=True))


@each(("name", "dialect"), [("steps", "duckdb"), ("steps", "sqlite"), ("curves", "duckdb")])
def test_sql(name, dialect):
    calibrator = fitted(name)
    text = to_sql(calibrator, "score", dialect, class_columns=True)
    check(rows_of(f"SELECT {text} FROM t ORDER BY id", dialect), columns(calibrator))
    if name == "steps":
        text = to_sql(calibrator, "score", dialect, prefix="a ", class_columns=True)
        found = rows_of(f"SELECT {text} FROM t", dialect)
        assert list(found) == belief_names(["not sick", "sick"], "a ")


@each("dialect", ["duckdb", "sqlite"])
def test_fusion_in_sql(dialect):
    calibrator = fitted("steps")
    query = fusion_to_sql({"score": calibrator, "id": calibrator}, "t", dialect, class_columns=True)
    m = dempster(calibrator.predict_mass(NEW), calibrator.predict_mass(np.arange(len(NEW)) * 1.0))
    p = betp(m)
    wanted = {
        name: values
        for i, label in enumerate(["not sick", "sick"])
        for name, values in zip(
            belief_names([label]), (m.bel(label), m.pl(label), p[:, i]), strict=True
        )
    }
    check(rows_of(query, dialect), wanted)


@each("name", CALIBRATORS)
def test_onnx(name):
    calibrator = fitted(name)
    model = to_onnx(calibrator, class_columns=True)
    check(in_onnxruntime(model, scores=NEW[:, np.newaxis]), columns(calibrator))


@each("n_classes", [2, 3])
def test_classifiers_and_calibrators_of_many_classes(n_classes):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, n_classes, 150)
    X = rng.normal(size=(150, n_classes)) + 2 * np.eye(n_classes)[labels]
    y = np.array(["b", "a", "c"])[labels]
    classifier = EvidentialClassifier(LogisticRegression(), cv=2).fit(X, y)
    found = in_onnxruntime(to_onnx(classifier, class_columns=True), X=X)
    assert (found.pop("label") == classifier.predict(X)).all()
    del found["probabilities"]
    table = pd.DataFrame(X, columns=list("pqr")[:n_classes])
    check(found, predict_table(classifier, table, list(table)).iloc[:, n_classes:])
    calibrator = SoftmaxCalibrator().fit(X, y)
    found = in_onnxruntime(to_onnx(calibrator, class_columns=True), scores=X)
    p = calibrator.predict_proba(X)
    wanted = {name: p[:, i // 3] for i, name in enumerate(belief_names(calibrator.classes_))}
    check(found, wanted)


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_javascript(tmp_path):
    calibrator = fitted("curves")
    (tmp_path / "m.mjs").write_text(to_javascript(calibrator, class_columns=True), encoding="utf-8")
    scores = json.dumps(NEW.tolist())
    missing, found = in_node(
        tmp_path,
        'import { namedBeliefs } from "./m.mjs";\n'
        f"export const found = [namedBeliefs(NaN), {scores}.map(namedBeliefs)];",
    )
    assert missing is None
    check(pd.DataFrame(found), columns(calibrator))


def test_without_the_option_names_are_those_of_before():
    calibrator = fitted("steps")
    assert list(rows_of(f"SELECT {to_sql(calibrator, 'score')} FROM t", "duckdb")) == [
        "bel",
        "pl",
        "betp",
    ]
    assert "namedBeliefs" not in to_javascript(calibrator)
    assert list(in_onnxruntime(to_onnx(calibrator), scores=NEW[:, np.newaxis])) == ["beliefs"]


def test_classes_that_a_name_cannot_tell_apart():
    counts = ScoreCounts.from_samples(SCORES, Y)
    same = IsotonicCalibrator().fit_counts(counts, np.array([1, "1"], dtype=object))
    for export in (to_javascript, to_onnx):
        with pytest.raises(ValueError, match="classes 1 and '1' have the same text"):
            export(same, class_columns=True)
    cases = IsotonicCalibrator().fit(SCORES, np.where(Y == 1, "a", "A"))
    with pytest.raises(ValueError, match="'bel_A' and 'bel_a' differ in case only, which sqlite"):
        to_sql(cases, "score", "sqlite", class_columns=True)
    assert '"bel_A"' in to_sql(cases, "score", "postgres", class_columns=True)
