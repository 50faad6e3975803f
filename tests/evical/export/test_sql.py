"""SQL, executed by SQLite and DuckDB."""

import sqlite3
from contextlib import closing
from functools import cache

import duckdb
import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from evical.calibrators import BinningCalibrator, IsotonicCalibrator, LogisticCalibrator
from evical.export import to_sql
from evical.export._dialects import DIALECTS
from evical.multiclass import SoftmaxCalibrator
from tests.protocols.calibrators_table import samples
from tests.support.each import each

ODD = 'the `score`, of "it" \\ [x]; --'
CURVES = LogisticCalibrator().fit(*samples())
LOGIT = 1 / (1 + np.exp(-samples()[0]))


@cache
def curves(dialect):
    return to_sql(CURVES, "score", dialect)


def in_sqlite(query, scores, name="score", kind="REAL"):
    quoted = "`" + name.replace("`", "``") + "`"
    with closing(sqlite3.connect(":memory:")) as base:
        base.execute(f"CREATE TABLE t (id INTEGER, {quoted} {kind})")
        base.executemany("INSERT INTO t VALUES (?, ?)", enumerate(scores))
        cursor = base.execute(f"SELECT {query} FROM t ORDER BY id")
        assert [column[0] for column in cursor.description] == ["bel", "pl", "betp"]
        return np.array(cursor.fetchall(), dtype=np.float64)


def in_duckdb(query, scores, name="score", kind="DOUBLE"):
    quoted = '"' + name.replace('"', '""') + '"'
    with duckdb.connect() as base:
        base.execute(f"CREATE TABLE t (id INTEGER, {quoted} {kind})")
        base.execute(
            f"INSERT INTO t SELECT unnest($1), unnest($2)::{kind}",
            [list(range(len(scores))), [None if s is None else float(s) for s in scores]],
        )
        found = base.execute(f"SELECT {query} FROM t ORDER BY id").fetchnumpy()
    assert list(found) == ["bel", "pl", "betp"]
    columns = [np.ma.filled(np.ma.asarray(c).astype(float), np.nan) for c in found.values()]
    return np.column_stack(columns)


ENGINES = {"sqlite": in_sqlite, "duckdb": in_duckdb}
every_engine = each("engine", ENGINES)


@every_engine
def test_what_is_no_score_is_null(engine):
    rows = [None, float("nan"), float("inf"), float("-inf"), 0.5]
    found = ENGINES[engine](curves(engine), rows)
    np.testing.assert_array_equal(np.isnan(found), [[True] * 3] * 4 + [[False] * 3])


@every_engine
def test_a_probability_outside_its_range_is_null(engine):
    calibrator = IsotonicCalibrator(transform="logit").fit(LOGIT, samples()[1])
    found = ENGINES[engine](to_sql(calibrator, "score", engine), [-0.1, 0.0, 1.0, 1.1])
    np.testing.assert_array_equal(np.isnan(found[:, 0]), [True, False, False, True])
    wanted = calibrator.predict_interval([0.0, 1.0])
    assert np.abs(found[1:3, :2] - wanted).max() <= 1e-7


@every_engine
def test_names_are_quoted(engine):
    calibrator = IsotonicCalibrator().fit(*samples())
    scores = samples()[0]
    found = ENGINES[engine](to_sql(calibrator, ODD, engine), scores.tolist(), ODD)
    np.testing.assert_array_equal(found[:, :2], calibrator.predict_interval(scores))


@pytest.mark.parametrize(
    ("dialect", "quoted"),
    [
        ("duckdb", '"a`b""c\\d"'),
        ("sqlite", '`a``b"c\\d`'),
        ("postgres", '"a`b""c\\d"'),
        ("spark", '`a``b"c\\d`'),
        ("bigquery", '`a\\`b"c\\\\d`'),
    ],
)
def test_each_dialect_quotes_in_its_way(dialect, quoted):
    text = to_sql(BinningCalibrator().fit(*samples()), 'a`b"c\\d', dialect)
    assert f"{quoted}<=1.7976931348623157e+308" in text or dialect == "sqlite"
    assert f"{quoted}<" in text
    assert text.count("DOUBLE PRECISION") == (3 if dialect == "postgres" else 0)


def test_a_misspelled_column_is_an_error_in_sqlite():
    """In double quotes it would be a text."""
    query = to_sql(BinningCalibrator().fit(*samples()), "scroe", "sqlite")
    with pytest.raises(sqlite3.OperationalError, match="no such column"):
        in_sqlite(query, [0.5])


def test_texts_and_whole_numbers_in_sqlite():
    found = in_sqlite(curves("sqlite"), [1, "1", "no number"], kind="")
    assert np.abs(found[0, :2] - CURVES.predict_interval([1.0])).max() <= 1e-7
    assert np.isnan(found[1:]).all()


@pytest.mark.parametrize("kind", ["FLOAT", "INTEGER", "DECIMAL(9, 2)"])
def test_columns_of_other_types_in_duckdb(kind):
    found = in_duckdb(curves("duckdb"), [-2, 0, 3], kind=kind)
    assert np.abs(found[:, :2] - CURVES.predict_interval([-2.0, 0.0, 3.0])).max() <= 1e-7


def test_every_float_is_read_exactly_in_sqlite():
    """SQLite errs in the last place of one literal of 17 digits in a hundred."""
    rng = np.random.default_rng(0)
    bits = rng.integers(-(2**63), 2**63 - 1, 4000)
    values = np.concatenate([rng.random(4000), -rng.random(99), bits.view(np.float64), [5e-324]])
    values = values[np.isfinite(values)]
    with closing(sqlite3.connect(":memory:")) as base:
        for value in [0.0, -0.0, 0.25, 1e22, 1e23, *values.tolist()]:
            text = DIALECTS["sqlite"].exact(value)
            assert base.execute(f"SELECT {text}").fetchone()[0] == value


def test_the_heading_ends_no_comment():
    calibrator = BinningCalibrator().fit([0.0, 1.0], ["a */ b", "z */ DROP"])
    text = to_sql(calibrator, "score")
    assert text.count("*/") == 1
    assert len(in_duckdb(text, [0.5])) == 1


def test_wrong_calls():
    calibrator = BinningCalibrator().fit(*samples())
    with pytest.raises(ValueError, match=r"dialect is 'postgre', expected one of .*'postgres'"):
        to_sql(calibrator, "score", "postgre")
    with pytest.raises(TypeError, match="dialect is 3"):
        to_sql(calibrator, "score", 3)
    for column in ("", "a\0b"):
        with pytest.raises(ValueError, match="expected the name of a column"):
            to_sql(calibrator, column)
    with pytest.raises(TypeError, match="column is 3"):
        to_sql(calibrator, 3)
    with pytest.raises(ValueError, match="bytes for 10 pieces, and max_bytes is 100; permit more"):
        to_sql(calibrator, "score", max_bytes=100)
    with pytest.raises(ValueError, match="max_bytes is 0"):
        to_sql(calibrator, "score", max_bytes=0)
    with pytest.raises(NotFittedError):
        to_sql(BinningCalibrator(), "score")
    with pytest.raises(TypeError, match="calibrator is 'model'"):
        to_sql("model", "score")
    many = SoftmaxCalibrator().fit(np.eye(3)[[0, 1, 2, 0]], [0, 1, 2, 0])
    with pytest.raises(TypeError, match="SoftmaxCalibrator takes a score for each class"):
        to_sql(many, "score")
