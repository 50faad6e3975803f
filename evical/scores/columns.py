"""New columns of a table, made by the engine that holds it."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np

from evical._typing import Floats
from evical.scores.tables import as_frame, is_dask, is_duckdb, schema_of

__all__ = ["with_columns"]

Predict = Callable[[Any], Sequence[Floats]]


def with_columns(
    table: Any,
    names: Sequence[str],
    check: Callable[[Any], None],
    predict: Predict,
    expressions: Callable[[], str] | None = None,
) -> Any:
    """A table with columns of floats that are predicted from the others.

    Parameters
    ----------
    table : data frame of pandas, polars (eager or lazy), pyarrow, Dask or DuckDB (a relation)
    names : sequence of str
        Of the new columns; see `belief_names`.
    check : callable
        Takes the schema, and raises if the table is not as `predict` needs it.
    predict : callable
        From a Narwhals data frame of n > 0 rows to arrays (n,), one for each name.
    expressions : callable, optional
        Gives the same columns as SQL, for DuckDB.

    Returns
    -------
    table of the same kind
        Of a lazy one, nothing is computed before it is collected.

    Raises
    ------
    TypeError
        If it is no such table.
    ValueError
        If it has a column of that name.

    Examples
    --------
    >>> import pyarrow
    >>> def doubled(frame):
    ...     return [2 * frame["x"].to_numpy()]
    >>> table = pyarrow.table({"x": [1.5, 2.0]})
    >>> with_columns(table, ["new_x"], lambda schema: None, doubled)["new_x"].to_pylist()
    [3.0, 4.0]
    """
    if is_dask(table):
        return _of_dask(table, names, check, predict)
    schema = schema_of(table)
    check(schema)
    _check_new(schema, names)
    if is_duckdb(table):
        _check_cases([*schema, *names])
        if expressions is not None:
            return table.project(f"*, {expressions()}")
        raise _cannot_call("duckdb")
    frame = as_frame(table)
    if not isinstance(frame, nw.LazyFrame):
        return _told(frame, names, predict).to_native()
    if nw.dependencies.is_polars_lazyframe(table):
        return _of_polars(table, names, predict)
    raise _cannot_call(nw.get_native_namespace(frame).__name__)


def _cannot_call(engine: str) -> TypeError:
    return TypeError(
        f"table is a lazy one of {engine}, which cannot call Python; take it into memory, as "
        "table.to_arrow_table() does for DuckDB"
    )


def _check_new(schema: Any, names: Sequence[str]) -> None:
    for name in names:
        if name in schema:
            raise ValueError(f"the table has a column {name!r} already; give another prefix")


def _check_cases(names: Sequence[str]) -> None:
    known: dict[str, str] = {}
    for name in names:
        former = known.setdefault(name.lower(), name)
        if former != name:
            raise ValueError(
                f"columns {former!r} and {name!r} differ in case only, which DuckDB does not tell "
                "apart; rename one, or give another prefix"
            )


def _told(frame: Any, names: Sequence[str], predict: Predict) -> Any:
    columns = predict(frame) if len(frame) else [np.empty(0)] * len(names)
    engine = nw.get_native_namespace(frame)
    return frame.with_columns(
        *(
            nw.new_series(name, values, nw.Float64, native_namespace=engine)
            for name, values in zip(names, columns, strict=True)
        )
    )


def _of_polars(table: Any, names: Sequence[str], predict: Predict) -> Any:
    import polars

    def told(part: Any) -> Any:
        return _told(nw.from_native(part), names, predict).to_native()

    return table.map_batches(
        told,
        schema={**table.collect_schema(), **dict.fromkeys(names, polars.Float64)},
        projection_pushdown=False,  # a column that nobody asks for may be one to predict from
        streamable=True,
    )


def _of_dask(
    table: Any, names: Sequence[str], check: Callable[[Any], None], predict: Predict
) -> Any:
    """Partition by partition; what predicts is one value of the graph, sent once.

    Through delayed partitions: `map_partitions` of Dask 2024.12 to 2025.2 leaves a delayed value
    unevaluated.
    """
    from dask.dataframe import from_delayed
    from dask.delayed import delayed

    schema = schema_of(table._meta)
    check(schema)
    _check_new(schema, names)
    told, sent = delayed(partial(_of_partition, names=names), pure=True), delayed(predict)
    return from_delayed(
        [told(part, sent) for part in table.to_delayed()],
        meta=table._meta.assign(**dict.fromkeys(names, np.empty(0))),
        divisions=table.divisions,
        verify_meta=False,
    )


def _of_partition(part: Any, predict: Predict, *, names: Sequence[str]) -> Any:
    return _told(nw.from_native(part), names, predict).to_native()
