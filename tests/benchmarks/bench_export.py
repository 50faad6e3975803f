"""A million rows through onnxruntime and DuckDB, beside our own prediction of the same numbers.

Run with ``python -m tests.benchmarks.bench_export``. One thread; best of five, and the ratio of
`predict_interval` with `predict_proba` to the export, which gives both.
"""

from typing import Any

import duckdb
import numpy as np
import onnxruntime

from evical.calibrators import (
    AutoCalibrator,
    BetaCalibrator,
    IsotonicCalibrator,
    LogisticCalibrator,
    VennAbersCalibrator,
)
from evical.export import to_onnx, to_sql
from tests.benchmarks.timing import best_seconds

N = 1_000_000
CALIBRATORS = [
    IsotonicCalibrator(),
    VennAbersCalibrator(),
    LogisticCalibrator(),
    LogisticCalibrator("bayesian"),
    BetaCalibrator(),
    AutoCalibrator(),
]


def in_onnxruntime(calibrator: Any) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(
        to_onnx(calibrator).SerializeToString(), options, providers=["CPUExecutionProvider"]
    )


def main() -> None:
    rng = np.random.default_rng(0)
    scores, new = rng.normal(size=10_000), rng.normal(size=N)
    y = (rng.random(10_000) < 1 / (1 + np.exp(-2 * scores))).astype(int)
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
