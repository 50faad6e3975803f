"""Exported SQL in databases that must be at hand: Postgres and Spark.

``EVICAL_PSQL="psql -d scratch"`` names a command that reads SQL; Spark runs where pyspark and Java
are installed.
"""

import os
import shlex
import subprocess

import numpy as np
import pytest

from evical.calibrators import (
    AutoCalibrator,
    BinningCalibrator,
    IsotonicCalibrator,
    LogisticCalibrator,
    VennAbersCalibrator,
)
from evical.export import to_sql
from tests.support.each import each

RNG = np.random.default_rng(0)
SCORES = RNG.normal(size=1000)
Y = np.where(RNG.random(1000) < 1 / (1 + np.exp(-2 * SCORES)), "yes */ or /*", "no")
NEW = [*np.concatenate([2 * RNG.normal(size=500), SCORES[:200], [1e300, -1e300]]).tolist(), None]
CALIBRATORS = [
    IsotonicCalibrator(),
    BinningCalibrator(),
    LogisticCalibrator(),
    AutoCalibrator(),
    VennAbersCalibrator(),
]
every_calibrator = each("calibrator", CALIBRATORS, ids=repr)


def check(calibrator, rows):
    """Beliefs of all scores, in order; none of NULL."""
    *known, missing = rows
    assert list(missing) == [None] * 3
    scores = np.array(NEW[:-1])
    own = np.column_stack(
        [calibrator.predict_interval(scores), calibrator.predict_proba(scores)[:, 1]]
    )
    np.testing.assert_allclose(np.array(known, dtype=float), own, rtol=0, atol=1e-7)


@pytest.mark.skipif("EVICAL_PSQL" not in os.environ, reason="EVICAL_PSQL names no Postgres")
@every_calibrator
def test_postgres(calibrator):
    fitted = calibrator.fit(SCORES, Y)
    values = ", ".join(f"({i}, {'NULL' if s is None else repr(s)})" for i, s in enumerate(NEW))
    script = (
        "SET extra_float_digits = 3; CREATE TEMP TABLE t (i int, score double precision);"
        f"INSERT INTO t VALUES {values}; SELECT {to_sql(fitted, 'score', 'postgres')} FROM t "
        "ORDER BY i;"
    )
    command = [*shlex.split(os.environ["EVICAL_PSQL"]), "-q", "-A", "-t", "-F,"]
    found = subprocess.run(command, input=script, capture_output=True, text=True, check=True)
    lines = [line.split(",") for line in found.stdout.split()]
    check(fitted, [[float(cell) if cell else None for cell in line] for line in lines])


@pytest.fixture(scope="module")
def spark():
    sql = pytest.importorskip("pyspark.sql")
    session = sql.SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    made = session.getOrCreate()
    yield made
    made.stop()


@pytest.mark.filterwarnings("ignore")
@every_calibrator
def test_spark(calibrator, spark):
    fitted = calibrator.fit(SCORES, Y)
    table = spark.createDataFrame(list(enumerate(NEW)), "i int, score double")
    table.createOrReplaceTempView("t")
    rows = spark.sql(f"SELECT i, {to_sql(fitted, 'score', 'spark')} FROM t ORDER BY i").collect()
    check(fitted, [row[1:] for row in rows])
