"""Exports: how large they are, and a million rows through onnxruntime and DuckDB.

Run with ``python -m tests.benchmarks.bench_export``. Sizes are of calibrators fitted to 100,000
scores. Times are of those fitted to 10,000, with one thread: the best of five, and the ratio of
`predict_interval` with `predict_proba` to the export, which gives both.
"""

from typing import Any

import duckdb
import numpy as np
import onnxruntime

from evical.calibrators import (
    AutoCalibrator,
    BetaCalibrator,
    GaussianCalibrator,
    IsotonicCalibrator,
    KDECalibrator,
    LogisticCalibrator,
    SplineCalibrator,
    VennAbersCalibrator,
)
from evical.export import to_javascript, to_onnx, to_sql
from evical.export._compile import compiled
from tests.benchmarks.timing import best_seconds

N = 1_000_000
CALIBRATORS = [
    IsotonicCalibrator(),
    VennAbersCalibrator(),
    LogisticCalibrator(),
    LogisticCalibrator("bayesian"),
    BetaCalibrator(),
    GaussianCalibrator(),
    KDECalibrator(),
    SplineCalibrator(),
    AutoCalibrator(),
]


def in_onnxruntime(calibrator: Any) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(
        to_onnx(calibrator).SerializeToString(), options, providers=["CPUExecutionProvider"]
    )


def samples(n: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    scores = rng.normal(size=n)
    return scores, (rng.random(n) < 1 / (1 + np.exp(-2 * scores))).astype(int)


def print_sizes() -> None:
    scores, y = samples(100_000)
    print(f"{'':40} pieces    error   SQL kB  JavaScript kB  ONNX kB")
    for calibrator in CALIBRATORS:
        table = compiled(calibrator.fit(scores, y))
        texts = [to_sql(calibrator, "score", max_bytes=None), to_javascript(calibrator, None)]
        sql, script = (len(text) / 1e3 for text in texts)
        graph = to_onnx(calibrator).ByteSize() / 1e3
        print(
            f"{calibrator!s:40} {len(table):6}  {table.error:7.0e}  {sql:7.0f}  {script:13.0f}"
            f"  {graph:7.0f}"
        )


def main() -> None:
    print_sizes()
    (scores, y), new = samples(10_000), np.random.default_rng(1).normal(size=N)
    base = duckdb.connect()
    base.execute("SET threads = 1")
    base.execute("CREATE TABLE new AS SELECT unnest($1) AS score", [new])
    print(f"{'':40} Python     onnxruntime  ratio   DuckDB     ratio")
    for calibrator in CALIBRATORS:
        calibrator.fit(scores, y)
        session, query = in_onnxruntime(calibrator), to_sql(calibrator, "score")

        def ours(own: Any = calibrator) -> None:
            own.predict_interval(new)
            own.predict_proba(new)

        def by_graph(own: Any = session) -> None:
            own.run(None, {"scores": new[:, None]})

        def by_query(own: str = query) -> None:
            base.execute(f"CREATE OR REPLACE TABLE found AS SELECT {own} FROM new")

        own, graph, table = (best_seconds(f, 5) for f in (ours, by_graph, by_query))
        print(
            f"{calibrator!s:40} {1e3 * own:6.0f} ms  {1e3 * graph:6.0f} ms  {own / graph:6.2f}x"
            f"  {1e3 * table:6.0f} ms  {own / table:6.2f}x"
        )


if __name__ == "__main__":
    main()
