"""A table as DuckDB reads it, with which values are wrong or missing, and as it writes one."""

import glob
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from evical._files import atomic_path
from evical.cli._kinds import Kind, may_be_none
from evical.cli._show import watch
from evical.cli._sinks import delimiter_of
from evical.cli._tables import ParquetTable, Table, is_text, open_table, table_chunks
from evical.cli.engine.session import EngineError, Session, literal, quoted
from evical.datasets.csv import MISSING
from evical.scores.names import check_cases

_LONGEST = 2**24  # characters of a line
_BUFFER = 2**25
RENAME = "rename one, or leave --engine out"


@dataclass(frozen=True)
class Number:
    """Expressions of a column of numbers: the value, and whether it is missing or wrong."""

    value: str
    missing: str
    wrong: str


@dataclass(frozen=True)
class OwnNames:
    """Names, quoted, that no column of a table has."""

    prefix: str

    def __getattr__(self, name: str) -> str:
        return self[name]

    def __getitem__(self, name: str) -> str:
        return quoted(self.prefix + name)


@dataclass(frozen=True)
class Source:
    """A file of a table."""

    path: str
    table: Table

    @property
    def sql(self) -> str:
        """What stands after FROM."""
        table, path = self.table, str(Path(self.path).resolve())
        if isinstance(table, ParquetTable):
            return f"read_parquet({literal(glob.escape(path))})"
        rows = text_table(path, table.delimiter, table.header, table.packed)
        if len(table.header) == 1:  # a blank line is no row
            return f"(SELECT * FROM {rows} WHERE {quoted(table.header[0])} IS NOT NULL)"
        return rows

    def is_text(self, column: str) -> bool:
        """Whether DuckDB reads the column as text."""
        table = self.table
        return not isinstance(table, ParquetTable) or is_text(table.schema.field(column).type)

    def lacks(self, column: str) -> str:
        """Whether a column has no value, or one of the texts that stand for none."""
        words = ", ".join(map(literal, sorted(MISSING)))
        return f"coalesce(lower(trim({quoted(column)}::VARCHAR)) IN ({words}), true)"

    def number(self, column: str, kind: Kind) -> Number:
        """A column of this kind of numbers; what may be missing is not wrong if it is."""
        name = quoted(column)
        text = self.is_text(column)
        value = f"{'TRY_CAST' if text else 'CAST'}({name} AS DOUBLE)"
        missing = self.lacks(column) if text else f"coalesce(isnan({value}), true)"
        wrong = [f"NOT coalesce(isfinite({value}), false)"]
        if text:  # 1_000 and +-1 are numbers to DuckDB
            wrong += [f"contains({name}, '_')", f"contains({name}, '+-')"]
        if "score" not in kind:
            wrong.append(f"{value} < 0")
        if "probability" in kind:
            wrong.append(f"{value} > 1")
        found = f"({' OR '.join(wrong)})"
        return Number(
            value, missing, f"(NOT {missing} AND {found})" if may_be_none(kind) else found
        )


def text_table(path: str, delimiter: str, names: Iterable[str], packed: bool) -> str:
    """A delimited text after FROM, all columns as texts."""
    columns = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in names)
    return (
        f"read_csv({literal(glob.escape(path))}, auto_detect=false, header=true, "
        f"delim={literal(delimiter)}, quote='\"', escape='\"', columns={{{columns}}}, "
        f"allow_quoted_nulls=false, compression='{'gzip' if packed else 'none'}', "
        f"max_line_size={_LONGEST}, buffer_size={_BUFFER})"
    )


def open_source(path: str) -> Source:
    """A file for DuckDB; raises as `open_table`, and ValueError for standard input."""
    if path == "-":
        raise ValueError("--engine duckdb reads files; name one instead of standard input (-)")
    with open_table(path) as table:
        check_cases(table.header, "DuckDB", RENAME, f"{table.name}: ")
        if not isinstance(table, ParquetTable) and table.decimal != ".":
            raise ValueError(
                f"{table.name} has decimal commas, which --engine duckdb does not read; leave "
                "--engine out"
            )
        return Source(path, table)


def checked_first(source: Source, kinds: Mapping[str, Kind]) -> None:
    """Raise for an unknown column, a table without rows, or a wrong type or value at its start."""
    with open_table(source.path) as table:
        next(table_chunks(table, kinds))


def explain(source: Source, kinds: Mapping[str, Kind], reason: str) -> NoReturn:
    """Raise for the first wrong value, with its place, which only the reader of chunks knows."""
    with open_table(source.path) as table:
        for _ in watch(table, kinds, "Locating"):
            pass
    raise EngineError(f"{source.table.name}: {reason}; leave --engine out for this file")


def count_rows(
    session: Session,
    source: Source,
    rows: str,
    lacking: str,
    wrong: str,
    refuse: Callable[[str], NoReturn],
    more: Sequence[str] = (),
) -> tuple[Any, ...]:
    """Numbers of rows, of those that lack a value, and more; `refuse` is told of wrong ones."""
    counts = ["count(*)", *(f"count(*) FILTER ({which})" for which in (lacking, wrong)), *more]
    query = f"SELECT {', '.join(counts)} FROM {rows}"
    try:
        every, lack, bad, *others = session.found(query, f"Checking {source.table.name}")
    except EngineError as error:
        refuse(str(error))
    if bad:
        refuse(f"DuckDB reads {bad} of {every} rows as wrong")
    return (every, lack, *others)


def check_target(output: str) -> None:
    """Raise ValueError unless the output is a file."""
    path = Path(output)
    if output == "-" or (path.exists() and not path.is_file()):
        raise ValueError("--engine duckdb writes files; name one with --output")


@contextmanager
def written(
    session: Session, query: str, output: str, names: Sequence[str], text: str
) -> Iterator[str]:
    """Write the rows of a query, whose columns have these names.

    Yields what stands after FROM to read them again; the file takes its name only then.
    """
    delimiter = delimiter_of(output)
    packed = output.lower().endswith(".gz")
    if delimiter is None:
        form = "FORMAT parquet"
    else:
        compression = "gzip" if packed else "none"
        form = f"FORMAT csv, HEADER, DELIMITER {literal(delimiter)}, COMPRESSION '{compression}'"
    with atomic_path(Path(output)) as path:
        session.run(f"COPY ({query}) TO {literal(str(path))} ({form}, USE_TMP_FILE false)", text)
        if delimiter is None:
            yield f"read_parquet({literal(str(path))})"
        else:
            yield text_table(str(path), delimiter, names, packed)
