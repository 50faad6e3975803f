"""Beliefs of calibrators as columns of tables are those about arrays."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from evical.calibrators import AutoCalibrator, IsotonicCalibrator
from evical.export import predict_table
from evical.multiclass import OneVsRestCalibrator, SoftmaxCalibrator
from evical.scores.names import belief_names
from tests.support.each import each
from tests.support.tables import IN_PYTHON, KINDS, as_pandas

RNG = np.random.default_rng(1)
SCORES = RNG.normal(size=150).round(2)
LABELS = np.where(RNG.random(150) < 1 / (1 + np.exp(-2 * SCORES)), "sick", "healthy")
FRAME = pd.DataFrame({"score": SCORES, "state": LABELS, "row": range(150)}, index=range(150, 0, -1))


@each("kind", IN_PYTHON)
@each("calibrator", [AutoCalibrator(), IsotonicCalibrator()], ids=str)
def test_beliefs_come_as_columns_in_the_order_of_the_rows(kind, calibrator):
    fitted = calibrator.fit(SCORES, LABELS)
    table = KINDS[kind](FRAME)
    made = predict_table(fitted, table, "score", prefix="svm_")
    assert type(made) is type(table)
    frame = as_pandas(made).sort_values("row")
    assert list(frame) == ["score", "state", "row", *belief_names(fitted.classes_, "svm_")]
    bounds, p = fitted.predict_interval(SCORES), fitted.predict_proba(SCORES)[:, 1]
    np.testing.assert_allclose(frame[["svm_bel_sick", "svm_pl_sick"]], bounds, rtol=0, atol=1e-15)
    np.testing.assert_allclose(frame["svm_p_sick"], p, rtol=0, atol=1e-15)
    np.testing.assert_array_equal(frame["score"], SCORES)


@pytest.mark.parametrize("kind", ["pandas", "polars", "lazy polars", "pyarrow"])
def test_no_rows_get_no_beliefs(kind):
    fitted = IsotonicCalibrator().fit(SCORES, LABELS)
    frame = as_pandas(predict_table(fitted, KINDS[kind](FRAME[:0]), "score"))
    assert list(frame)[3:] == belief_names(fitted.classes_)
    assert not len(frame)


def test_lazy_tables_may_drop_what_was_read():
    import polars as pl

    fitted = IsotonicCalibrator().fit(SCORES, LABELS)
    made = predict_table(fitted, pl.from_pandas(FRAME).lazy(), "score")
    kept = made.filter(pl.col("p_sick") > 0.5).select("row", "p_sick").collect()
    expected = fitted.predict_proba(SCORES)[:, 1]
    np.testing.assert_array_equal(kept["p_sick"], expected[expected > 0.5])
    np.testing.assert_array_equal(kept["row"], np.flatnonzero(expected > 0.5))


@pytest.mark.parametrize("kind", IN_PYTHON)
def test_tables_that_do_not_fit_are_refused(kind):
    fitted = IsotonicCalibrator().fit(SCORES, LABELS)
    table = KINDS[kind](FRAME.assign(bel_sick=0.5))
    with pytest.raises(
        ValueError, match="the table has a column 'bel_sick' already; give another pre"
    ):
        predict_table(fitted, table, "score")
    with pytest.raises(ValueError, match=r"score is 'scores', but the table has .* 'score'\?"):
        predict_table(fitted, table, "scores", prefix="a_")
    with pytest.raises(TypeError, match="column 'state' has the type String, expected numbers"):
        predict_table(fitted, table, "state", prefix="a_")


@pytest.mark.parametrize("prefix", ["", 'a "svm" '])
@pytest.mark.parametrize("calibrator", [AutoCalibrator(), IsotonicCalibrator()], ids=str)
def test_duckdb_computes_expressions(calibrator, prefix):
    fitted = calibrator.fit(SCORES, LABELS)
    made = predict_table(fitted, KINDS["DuckDB"](FRAME), "score", prefix=prefix)
    frame = made.df().sort_values("row")
    names = belief_names(fitted.classes_, prefix)
    assert list(frame) == ["score", "state", "row", *names]
    expected = [*fitted.predict_interval(SCORES).T, fitted.predict_proba(SCORES)[:, 1]]
    expected = [1 - expected[1], 1 - expected[0], 1 - expected[2], *expected]
    np.testing.assert_allclose(frame[names].T, expected, rtol=0, atol=1e-7)


def test_missing_scores_are_named_by_row():
    fitted = IsotonicCalibrator().fit(SCORES, LABELS)
    with pytest.raises(ValueError, match=r"scores\[1\] is nan"):
        predict_table(fitted, pd.DataFrame({"score": [0.5, np.nan]}), "score")


def test_other_objects_are_refused():
    fitted = IsotonicCalibrator().fit(SCORES, LABELS)
    with pytest.raises(TypeError, match=r"table is 'scores\.csv', expected a data frame"):
        predict_table(fitted, "scores.csv", "score")
    with pytest.raises(TypeError, match="prefix is 1, expected a text"):
        predict_table(fitted, FRAME, "score", prefix=1)
    with pytest.raises(NotFittedError):
        predict_table(IsotonicCalibrator(), FRAME, "score")
    with pytest.raises(TypeError, match=r"fitted is 3, expected a calibrator, a classifier or"):
        predict_table(3, FRAME, "score")
    with pytest.raises(TypeError, match="columns is None, expected the name of the column of sco"):
        predict_table(fitted, FRAME)
    with pytest.raises(TypeError, match="columns is 3, expected names of columns"):
        predict_table(fitted, FRAME, 3)
    with pytest.raises(ValueError, match=r"\['score', 'row'\], but this .* was fitted to 1"):
        predict_table(fitted, FRAME, ["score", "row"])


@pytest.mark.parametrize("kind", IN_PYTHON)
def test_calibrators_of_many_classes_read_a_column_for_each(kind):
    y = RNG.integers(3, size=150)
    scores = pd.DataFrame(RNG.normal(size=(150, 3)) + np.eye(3)[y], columns=["b", "a", "c"])
    fitted = OneVsRestCalibrator(IsotonicCalibrator()).fit(scores.to_numpy(), y)
    table = KINDS[kind](scores[["a", "b", "c"]].assign(row=range(150)))
    frame = as_pandas(predict_table(fitted, table, ["b", "a", "c"])).sort_values("row")
    assert list(frame)[4:] == belief_names(range(3))
    expected = fitted.predict_interval(scores.to_numpy())
    for label in range(3):
        found = frame[[f"bel_{label}", f"pl_{label}"]]
        np.testing.assert_allclose(found, expected[:, label], rtol=0, atol=1e-12)
    betp = fitted.predict_proba(scores.to_numpy())
    np.testing.assert_allclose(frame[["p_0", "p_1", "p_2"]], betp, rtol=0, atol=1e-12)


def test_expressions_are_of_one_score():
    y = RNG.integers(3, size=150)
    fitted = SoftmaxCalibrator().fit(np.eye(3)[y], y)
    relation = KINDS["DuckDB"](pd.DataFrame(np.eye(3)[y], columns=["a", "b", "c"]))
    with pytest.raises(TypeError, match="table is a lazy one of duckdb, which cannot call Python"):
        predict_table(fitted, relation, ["a", "b", "c"])
