"""One table as each kind of data frame that is read, and files of numbers read to the last bit."""

import dask.dataframe
import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa

KINDS = {
    "pandas": lambda frame: frame,
    "polars": pl.from_pandas,
    "lazy polars": lambda frame: pl.from_pandas(frame).lazy(),
    "pyarrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
    "DuckDB": lambda frame: duckdb.from_df(frame),
    "Dask": lambda frame: dask.dataframe.from_pandas(frame, npartitions=3),
}
IN_PYTHON = [kind for kind in KINDS if kind != "DuckDB"]

# Before 3.1, pandas reads some decimals as the float beside the right one unless it is told not to;
# 3.1 warns of being told.
_VERSION = tuple(map(int, pd.__version__.split(".")[:2]))
_EXACT = {} if _VERSION >= (3, 1) else {"float_precision": "round_trip"}


def read_csv(path, **options):
    """A data frame of the values in a file, each number the float closest to its decimals."""
    return pd.read_csv(path, **_EXACT, **options)


def as_pandas(table):
    """A table of any kind as a pandas data frame."""
    if isinstance(table, pd.DataFrame):
        return table
    for convert in ("compute", "collect", "df", "to_pandas"):
        if hasattr(table, convert):
            return as_pandas(getattr(table, convert)())
    raise TypeError(type(table))
