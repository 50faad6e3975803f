"""Beliefs as new columns of a table, made by the engine that holds it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, TypeVar

import narwhals.stable.v1 as nw
import numpy as np
from sklearn.utils.validation import check_is_fitted

from dstheory.checks.arguments import as_sequence, shown
from evical._typing import Floats
from evical.calibrators import BaseCalibrator
from evical.export._dialects import dialect_of
from evical.export._sql import class_names
from evical.export.lookup import beliefs_sql, lookup_steps
from evical.multiclass import BaseMulticlassCalibrator
from evical.scores.checks import check_column_order, check_fitted_order, label_list
from evical.scores.names import ENDS, belief_names, check_cases, free_prefix
from evical.scores.tables import (
    as_frame,
    check_columns,
    check_numeric,
    is_dask,
    is_duckdb,
    schema_of,
)

Table = TypeVar("Table")


def predict_table(
    fitted: Any,
    table: Table,
    columns: str | Sequence[str] | None = None,
    *,
    prefix: str = "",
    level: float | None = None,
) -> Table:
    """A table with beliefs in new columns, made by the engine that holds it.

    Parameters
    ----------
    fitted : fitted calibrator, classifier or ensemble
        A calibrator of one score or of many, an `EvidentialClassifier`, an `EvidentialEnsemble` or
        whatever else has `beliefs`.
    table : data frame of pandas, polars (eager or lazy), pyarrow or Dask
        For a calibrator of one score also a relation of DuckDB.
    columns : str or sequence of str, optional
        Of a calibrator, the column of scores, or one for each score in the order of `fit`. Of a
        classifier, its features in the order of `fit`; by default those that `fit` has seen, or all
        columns if it has seen an array without names.
    prefix : str
        Of the names of the new columns.
    level : float, optional
        Of confidence intervals of the probabilities, see `predict_interval`.

    Returns
    -------
    table of the same kind
        With belief, plausibility and probability of each class, such as "bel_yes", "pl_yes" and
        "p_yes", and with a level "lower_yes" and "upper_yes"; of two classes the negative one comes
        first. Nothing is computed
        before a lazy table is collected. DuckDB computes what `to_sql` writes, with one search a
        row and an error of up to 1e-7 for curves, and leaves missing scores without a belief.

    Raises
    ------
    TypeError
        If it is not such a table, or a column of scores does not hold numbers.
    ValueError
        If a column is missing, there is one of a new name, or there are not as many as the
        calibrator takes; if beliefs are smoothed, but the table is lazy; for scores and features as
        `predict_mass`.
    sklearn.exceptions.NotFittedError
        Before `fit`.

    Examples
    --------
    >>> import pandas as pd
    >>> from evical.calibrators import IsotonicCalibrator
    >>> fitted = IsotonicCalibrator().fit([0.1, 0.4, 0.3, 0.9], [0, 0, 1, 1])
    >>> table = predict_table(fitted, pd.DataFrame({"score": [0.95]}), "score", prefix="svm_")
    >>> table.columns.tolist()[1:]
    ['svm_bel_0', 'svm_pl_0', 'svm_p_0', 'svm_bel_1', 'svm_pl_1', 'svm_p_1']

    >>> from sklearn.naive_bayes import GaussianNB
    >>> from evical import EvidentialClassifier
    >>> X = pd.DataFrame({"age": range(40), "dose": [1.0, 2.0] * 20})
    >>> classifier = EvidentialClassifier(GaussianNB()).fit(X, [0] * 20 + [1] * 20)
    >>> predict_table(classifier, X.assign(name="Ann")).columns.tolist()
    ['age', 'dose', 'name', 'bel_0', 'pl_0', 'p_0', 'bel_1', 'pl_1', 'p_1']
    """
    if isinstance(fitted, type) or not hasattr(fitted, "beliefs"):
        raise TypeError(
            f"fitted is {shown(fitted)}, expected a calibrator, a classifier or an ensemble"
        )
    check_is_fitted(fitted)
    names = belief_names(label_list(fitted.classes_), prefix, intervals=level is not None)
    writer = _Writer(fitted, _columns_read(fitted, columns), names, prefix, level)
    made: Table = _written(table, writer)
    return made


def _columns_read(fitted: Any, columns: str | Sequence[str] | None) -> list[str] | None:
    """Columns as they are named, or as `fit` has seen them; None for all."""
    found = getattr(fitted, "feature_names_in_", None) if columns is None else columns
    if isinstance(found, str):
        found = [found]
    listed = None if found is None else list(as_sequence(found, "columns", "names of columns"))
    if not _reads_scores(fitted):
        return listed
    if listed is None:
        raise TypeError("columns is None, expected the name of the column of scores")
    if len(listed) != fitted.n_features_in_:
        raise ValueError(
            f"columns are {listed}, but this calibrator was fitted to {fitted.n_features_in_}"
        )
    if isinstance(fitted, BaseMulticlassCalibrator):
        named = SimpleNamespace(columns=listed)
        check_fitted_order(named, fitted._fitted_columns, "scores")
        check_column_order(named, fitted.classes_, "scores")
    return listed


def _reads_scores(fitted: object) -> bool:
    """Whether it is a calibrator, which reads scores, or a classifier, which reads features."""
    return isinstance(fitted, BaseCalibrator | BaseMulticlassCalibrator)


@dataclass(frozen=True)
class _Writer:
    """Writes beliefs into tables that are in memory.

    Parameters
    ----------
    fitted : object with beliefs
    columns : list of str, optional
        From which it predicts; all of them by default.
    names : list of str
        Of the new columns.
    prefix : str
        With which these begin.
    level : float, optional
        Of confidence intervals.
    """

    fitted: Any
    columns: list[str] | None
    names: list[str]
    prefix: str
    level: float | None

    def check(self, schema: Mapping[str, Any]) -> None:
        """Raise unless a table has what is read, and nothing of what is written."""
        of_scores = _reads_scores(self.fitted)
        for name in self.columns or []:
            check_columns(schema, **{"score" if of_scores else "feature": name})
            if of_scores:
                check_numeric(schema, name)
        for name in self.names:
            if name in schema:
                raise ValueError(f"the table has a column {name!r} already; give another prefix")

    def check_parts(self) -> None:
        """Raise for random numbers, which belong to the rows of a whole table."""
        if getattr(self.fitted, "smoothed", False):
            raise ValueError(
                "beliefs are smoothed by a random number for each row of a whole table, but this "
                "one comes in parts; take it into memory, or fit with smoothed=False"
            )

    def __call__(self, table: Any) -> Any:
        """The table with its new columns."""
        frame = nw.from_native(table)
        values = self._values(frame) if len(frame) else [np.empty(0)] * len(self.names)
        engine = nw.get_native_namespace(frame)
        return frame.with_columns(
            *(
                nw.new_series(name, column, nw.Float64, native_namespace=engine)
                for name, column in zip(self.names, values, strict=True)
            )
        ).to_native()

    def _values(self, frame: nw.DataFrame[Any]) -> list[Floats]:
        """Bel, Pl and probability of each class, and its confidence interval."""
        read = self._read(frame)
        beliefs = self.fitted.beliefs(read)
        shares = getattr(self.fitted, "probability", None) == "plausibility"
        p = self.fitted.predict_proba(read) if shares else beliefs.probability()
        parts = [beliefs.interval(), p[..., np.newaxis]]
        if self.level is not None:
            parts.append(beliefs.confidence_interval(self.level))
        return list(np.concatenate(parts, axis=2).reshape(len(beliefs), -1).T)

    def _read(self, frame: nw.DataFrame[Any]) -> Any:
        """Scores, or features as `fit` has seen them."""
        read = frame if self.columns is None else frame.select(self.columns)
        if _reads_scores(self.fitted):
            scores = [read[name].cast(nw.Float64).to_numpy() for name in self.columns or []]
            return scores[0] if len(scores) == 1 else np.stack(scores, axis=1)
        return read.to_native() if hasattr(self.fitted, "feature_names_in_") else read.to_numpy()


def _written(table: Any, writer: _Writer) -> Any:
    """The table with its new columns, by the engine that holds it."""
    if is_dask(table):
        writer.check_parts()
        return _of_dask(table, writer)
    schema = schema_of(table)
    writer.check(schema)
    if is_duckdb(table):
        return _of_duckdb(table, writer, list(schema))
    frame = as_frame(table)
    if not isinstance(frame, nw.LazyFrame):
        return writer(table)
    writer.check_parts()
    if nw.dependencies.is_polars_lazyframe(table):
        return _of_polars(table, writer)
    raise _cannot_call(nw.get_native_namespace(frame).__name__)


def _cannot_call(engine: str) -> TypeError:
    return TypeError(
        f"table is a lazy one of {engine}, which cannot call Python; take it into memory, as "
        "table.to_arrow_table() does for DuckDB"
    )


def _of_duckdb(table: Any, writer: _Writer, header: list[str]) -> Any:
    """By tables of pieces, which only calibrators of one score have."""
    names = [*header, *writer.names]
    check_cases(names, "DuckDB", "rename one, or give another prefix")
    if not isinstance(writer.fitted, BaseCalibrator):
        raise _cannot_call("duckdb")
    assert writer.columns is not None
    own = free_prefix(names)
    x, bel, pl, low, high, p, lower, upper = (
        f'"{own}{name}"' for name in ("x", "bel", "pl", "low", "high", "p", *ENDS)
    )
    for step in (
        f"CAST({dialect_of('duckdb').quoted(writer.columns[0])} AS DOUBLE) AS {x}",
        *lookup_steps(writer.fitted, f"{own}x", own, writer.level),
        f"CASE WHEN {bel} IS NOT NULL THEN greatest(0e0, least(1e0, {bel})) END AS {low}",
        f"CASE WHEN {bel} IS NOT NULL THEN greatest({low}, least(1e0, {pl})) END AS {high}",
    ):
        table = table.project(f"*, {step}")
    intervals = writer.level is not None
    values = beliefs_sql(
        low,
        high,
        p if writer.fitted._gives_ends else None,
        (lower, upper) if intervals else None,
    )
    names = class_names(writer.fitted.classes_, "duckdb", writer.prefix, intervals=intervals)
    new = (f"{value} AS {name}" for value, name in zip(values, names, strict=True))
    kept = map(dialect_of("duckdb").quoted, header)
    return table.project(", ".join([*kept, *new]))


def _of_polars(table: Any, writer: _Writer) -> Any:
    import polars

    return table.map_batches(
        writer,
        schema={**table.collect_schema(), **dict.fromkeys(writer.names, polars.Float64)},
        projection_pushdown=False,  # a column that nobody asks for may be one to predict from
        streamable=True,
    )


def _of_dask(table: Any, writer: _Writer) -> Any:
    """Partition by partition; what predicts is one value of the graph, sent once.

    Through delayed partitions: `map_partitions` of Dask 2024.12 to 2025.2 leaves a delayed value
    unevaluated.
    """
    from dask.dataframe import from_delayed
    from dask.delayed import delayed

    writer.check(schema_of(table._meta))
    write, sent = delayed(_of_partition, pure=True), delayed(writer, traverse=False)
    return from_delayed(
        [write(part, sent) for part in table.to_delayed()],
        meta=table._meta.assign(**dict.fromkeys(writer.names, np.empty(0))),
        divisions=table.divisions,
        verify_meta=False,
    )


def _of_partition(part: Any, writer: _Writer) -> Any:
    return writer(part)
