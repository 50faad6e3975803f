"""Counting and predicting inside an engine, and the obvious way: arrays in memory."""

import duckdb
import numpy as np
import polars as pl
import pytest

from evical.calibrators import IsotonicCalibrator
from evical.export import predict_table
from evical.scores import ScoreCounts, fit_table

N = 3_000_000
RNG = np.random.default_rng(0)
SCORES = RNG.normal(size=N).round(4)
TABLE = pl.DataFrame({"score": SCORES, "y": (RNG.normal(size=N) < SCORES).astype(np.int8)})
KINDS = {
    "arrays": TABLE,
    "polars": TABLE,
    "pandas": TABLE.to_pandas(),
    "DuckDB": duckdb.from_arrow(TABLE.to_arrow()),
}


@pytest.mark.parametrize("kind", KINDS)
def test_count(benchmark, kind):
    """`arrays` sorts all samples."""
    benchmark.group = "count 3,000,000 samples of 80,000 scores"
    table = KINDS[kind]
    if kind == "arrays":
        scores, y = table["score"].to_numpy(), table["y"].to_numpy()
        benchmark(ScoreCounts.from_samples, scores, y)
    else:
        benchmark(ScoreCounts.from_table, table, "score", "y")


@pytest.mark.parametrize("kind", KINDS)
def test_predict(benchmark, kind):
    benchmark.group = "predict 3,000,000 samples"
    fitted = fit_table(IsotonicCalibrator(), TABLE[:10_000], "score", "y")
    table = KINDS[kind]
    if kind == "arrays":
        benchmark(lambda: fitted.predict_interval(table["score"].to_numpy()))
    elif kind == "DuckDB":
        benchmark(lambda: predict_table(fitted, table, "score", prefix="new_").to_arrow_table())
    else:
        benchmark(predict_table, fitted, table, "score", prefix="new_")
