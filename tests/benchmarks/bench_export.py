"""Exports: how large they are, and a million rows through onnxruntime and DuckDB.

Run with ``python -m tests.benchmarks.bench_export``. Sizes are of calibrators fitted to 100,000
scores. Times are of those fitted to 10,000, with one thread: the best of five, and the ratio of
`predict_interval` with `predict_proba` to the export, which gives both. So are those of
classifiers and ensembles with the default options, of 100,000 rows; the best of two.
"""

from typing import Any

import duckdb
import numpy as np
import onnxruntime
from sklearn.datasets import make_classification
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from evical import EvidentialClassifier, EvidentialEnsemble
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
    LogisticCalibrator(model="bayesian"),
    BetaCalibrator(),
    GaussianCalibrator(),
    KDECalibrator(),
    SplineCalibrator(),
    AutoCalibrator(),
]


def in_onnxruntime(model: Any) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 3
    return onnxruntime.InferenceSession(
        to_onnx(model).SerializeToString(), options, providers=["CPUExecutionProvider"]
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


def print_classifiers() -> None:
    """Default options, of 2, 3 and 10 classes, with the greatest difference of [Bel, Pl]."""
    new = 2 * np.random.default_rng(0).normal(size=(100_000, 10))
    members = [make_pipeline(StandardScaler(), LogisticRegression()), LinearDiscriminantAnalysis()]
    print(f"{'':40} Python     onnxruntime  ratio  difference  kB")
    for k in (2, 3, 10):
        X, y = make_classification(3000, 10, n_informative=8, n_classes=k, random_state=0)
        for model in (EvidentialClassifier(members[0]), EvidentialEnsemble(members)):
            session = in_onnxruntime(model.fit(X, y))

            def ours(own: Any = model) -> None:
                own.predict_interval(new)
                own.predict_proba(new)

            def by_graph(own: Any = session) -> Any:
                return own.run(["beliefs"], {"X": new})[0]

            own, graph = (best_seconds(f, 2) for f in (ours, by_graph))
            apart = np.abs(by_graph()[..., :2] - model.predict_interval(new)).max()
            print(
                f"{f'{type(model).__name__}, {k} classes':40} {own:6.2f} s  {graph:8.2f} s  "
                f"{own / graph:6.2f}x  {apart:9.0e}  {to_onnx(model).ByteSize() / 1e3:4.0f}"
            )


def main() -> None:
    print_sizes()
    print_classifiers()
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
