"""New columns of a table, made by the engine that holds it."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from dstheory.kernels.arguments import check_instance
from evical.scores.tables import as_frame, is_dask

__all__ = ["with_columns"]

Floats = NDArray[np.float64]
Predict = Callable[[Any], Sequence[Floats]]


def with_columns(
    table: Any,
    prefix: str,
    kinds: Sequence[str],
    check: Callable[[Any], None],
    predict: Predict,
    expressions: Callable[[], str] | None = None,
) -> Any:
    """A table with columns of floats that are predicted from the others.

    Parameters
    ----------
    table : data frame of pandas, polars (eager or lazy), pyarrow, Dask or DuckDB (a relation)
    prefix : str
        Of the names of the new columns.
    kinds : sequence of str
        Their names, without the prefix.
    check : callable
        Takes the schema, and raises if the table is not as `predict` needs it.
    predict : callable
        From a Narwhals data frame of n > 0 rows to arrays (n,), one for each kind.

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
    >>> with_columns(table, "new_", ["x"], lambda schema: None, doubled)["new_x"].to_pylist()
    [3.0, 4.0]
    """
    check_instance("prefix", prefix, str, "a text")
    names = [prefix + kind for kind in kinds]
    if is_dask(table):
        return _of_dask(table, names, check, predict)
    frame = as_frame(table)
    schema = frame.collect_schema()
    check(schema)
    _check_new(schema, names)
    if not isinstance(frame, nw.LazyFrame):
        return _told(frame, names, predict).to_native()
    if frame.implementation.is_polars():
        return _of_polars(frame.to_native(), names, predict)
    if frame.implementation.is_duckdb() and expressions is not None:
        return frame.to_native().project(f"*, {expressions()}")
    raise TypeError(
        f"table is a lazy one of {frame.implementation.value}, which cannot call Python; take it "
        "into memory, as table.arrow() does for DuckDB"
    )


def _check_new(schema: Any, names: Sequence[str]) -> None:
    for name in names:
        if name in schema:
            raise ValueError(f"the table has a column {name!r} already; give another prefix")


def _told(frame: Any, names: Sequence[str], predict: Predict) -> Any:
    columns = predict(frame) if len(frame) else [np.empty(0)] * len(names)
    return frame.with_columns(
        *(
            nw.new_series(name, values, nw.Float64, backend=frame.implementation)
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
    """Partition by partition; what predicts is one value of the graph, sent once."""
    from dask.delayed import delayed

    schema = nw.from_native(table._meta).collect_schema()
    check(schema)
    _check_new(schema, names)
    meta = table._meta.assign(**dict.fromkeys(names, np.empty(0)))
    told = partial(_of_partition, names=names)
    return table.map_partitions(told, delayed(predict), meta=meta)


def _of_partition(part: Any, predict: Predict, *, names: Sequence[str]) -> Any:
    return _told(nw.from_native(part), names, predict).to_native()
