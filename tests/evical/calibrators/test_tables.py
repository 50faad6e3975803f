"""Calibrators that read tables and write into them are those that read arrays."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from evical.calibrators import AutoCalibrator, IsotonicCalibrator, LogisticCalibrator
from evical.scores.names import belief_names
from tests.support.each import each
from tests.support.tables import IN_PYTHON, KINDS, as_pandas

RNG = np.random.default_rng(1)
SCORES = RNG.normal(size=150).round(2)
LABELS = np.where(RNG.random(150) < 1 / (1 + np.exp(-2 * SCORES)), "sick", "healthy")
FRAME = pd.DataFrame({"score": SCORES, "state": LABELS, "row": range(150)}, index=range(150, 0, -1))


@each("kind", KINDS)
def test_fits_are_those_of_arrays(kind):
    expected = LogisticCalibrator().fit(SCORES, LABELS)
    fitted = LogisticCalibrator().fit_table(KINDS[kind](FRAME), "score", "state")
    assert fitted.classes_.tolist() == ["healthy", "sick"]
    np.testing.assert_array_equal(
        fitted.predict_interval(SCORES), expected.predict_interval(SCORES)
    )


@each("kind", IN_PYTHON)
@each("calibrator", [AutoCalibrator(), IsotonicCalibrator()], ids=str)
def test_beliefs_come_as_columns_in_the_order_of_the_rows(kind, calibrator):
    fitted = calibrator.fit(SCORES, LABELS)
    table = KINDS[kind](FRAME)
    made = fitted.predict_table(table, "score", prefix="svm_")
    assert type(made) is type(table)
    frame = as_pandas(made).sort_values("row")
    assert list(frame) == ["score", "state", "row", *belief_names(fitted.classes_, "svm_")]
    np.testing.assert_array_equal(
        frame[["svm_bel_sick", "svm_pl_sick"]], fitted.predict_interval(SCORES)
    )
    np.testing.assert_array_equal(frame["svm_p_sick"], fitted.predict_proba(SCORES)[:, 1])
    np.testing.assert_array_equal(frame["score"], SCORES)


@pytest.mark.parametrize("kind", ["pandas", "polars", "lazy polars", "pyarrow"])
def test_no_rows_get_no_beliefs(kind):
    fitted = IsotonicCalibrator().fit(SCORES, LABELS)
    frame = as_pandas(fitted.predict_table(KINDS[kind](FRAME[:0]), "score"))
    assert list(frame)[3:] == belief_names(fitted.classes_)
    assert not len(frame)


def test_lazy_tables_may_drop_what_was_read():
    import polars as pl

    fitted = IsotonicCalibrator().fit(SCORES, LABELS)
    made = fitted.predict_table(pl.from_pandas(FRAME).lazy(), "score")
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
        fitted.predict_table(table, "score")
    with pytest.raises(ValueError, match=r"score is 'scores', but the table has .* 'score'\?"):
        fitted.predict_table(table, "scores", prefix="a_")
    with pytest.raises(TypeError, match="column 'state' has the type String, expected numbers"):
        fitted.predict_table(table, "state", prefix="a_")


@pytest.mark.parametrize("prefix", ["", 'a "svm" '])
@pytest.mark.parametrize("calibrator", [AutoCalibrator(), IsotonicCalibrator()], ids=str)
def test_duckdb_computes_expressions(calibrator, prefix):
    fitted = calibrator.fit(SCORES, LABELS)
    made = fitted.predict_table(KINDS["DuckDB"](FRAME), "score", prefix=prefix)
    frame = made.df().sort_values("row")
    names = belief_names(fitted.classes_, prefix)
    assert list(frame) == ["score", "state", "row", *names]
    expected = [*fitted.predict_interval(SCORES).T, fitted.predict_proba(SCORES)[:, 1]]
    expected = [1 - expected[1], 1 - expected[0], 1 - expected[2], *expected]
    np.testing.assert_allclose(frame[names].T, expected, rtol=0, atol=1e-7)


def test_missing_scores_are_named_by_row():
    fitted = IsotonicCalibrator().fit(SCORES, LABELS)
    with pytest.raises(ValueError, match=r"scores\[1\] is nan"):
        fitted.predict_table(pd.DataFrame({"score": [0.5, np.nan]}), "score")


def test_other_objects_are_refused():
    fitted = IsotonicCalibrator().fit(SCORES, LABELS)
    with pytest.raises(TypeError, match=r"table is 'scores\.csv', expected a data frame"):
        fitted.predict_table("scores.csv", "score")
    with pytest.raises(TypeError, match="prefix is 1, expected a text"):
        fitted.predict_table(FRAME, "score", prefix=1)
    with pytest.raises(NotFittedError):
        IsotonicCalibrator().predict_table(FRAME, "score")
    with pytest.raises(ValueError, match="column 'row' holds the one class 1; a calibrator needs"):
        IsotonicCalibrator().fit_table(FRAME.assign(row=1), "score", "row", positive=1)
