"""Tables as commands read them: CSV, TSV and Parquet, from files and standard input, in chunks.

A file of any size is read with bounded memory; every value of a column that is asked for is
checked, and a wrong one refused with file, line, column, value and what was expected.
"""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from io import BufferedReader
from pathlib import Path
from typing import Any

import numpy as np
import typer
from numpy.typing import NDArray

from dstheory.checks.arguments import suggestion
from dstheory.optional import install_hint
from evical._delimited import Block, DelimitedText
from evical.cli._kinds import (
    Kind,
    Place,
    check_numbers,
    convert,
    expected,
    may_be_none,
    refuse_missing,
    with_points,
)
from evical.cli.arguments import dialect_of

# Characters: about 30 000 rows of a narrow table, enough for array code to pay off, and some
# ten megabytes as Python strings.
CHUNK_SIZE = 2**20

# How files of other kinds begin, and what to do.
_SAVE = "save it as CSV or Parquet"
_OTHER = {
    b"PAR1": "Parquet; give a file whose name ends in .parquet",
    b"PK\x03\x04": f"a workbook of Excel or an archive; {_SAVE}",
    b"\xd0\xcf\x11\xe0": f"a workbook of Excel; {_SAVE}",
    b"ARROW1": f"Arrow (Feather); {_SAVE}",
    b"BZh": "bzip2; unpack it",
    b"\xfd7zX": "xz; unpack it",
}
PARQUET_NAMES = (".parquet", ".pq")


@dataclass(frozen=True)
class Chunk:
    """Some rows of a table: the columns asked for, and the rows as they stand in it."""

    name: str
    block: Any  # Block of a text, or pyarrow.RecordBatch
    first_row: int  # its number, from 0
    columns: dict[str, NDArray[Any]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.block)

    @property
    def place(self) -> Place:
        """`scores.csv, line 2`, or `scores.parquet, row 1`."""
        if isinstance(self.block, Block):
            return lambda row: f"{self.name}, line {self.block.lines[row]}"
        return lambda row: f"{self.name}, row {self.first_row + row + 1}"


class TextTable(DelimitedText):
    """A delimited text whose columns are checked as they are read."""

    def chunks(self, columns: Mapping[str, Kind], size: int) -> Iterator[Chunk]:
        """Rows in chunks of about `size` characters, with these columns checked."""
        first = 0
        for block in self.blocks(size):
            chunk = Chunk(self.name, block, first)
            first += len(chunk)
            for name, kind in columns.items():
                values: Sequence[str] = block.column(self.header.index(name))
                if self.decimal == ",":
                    values = with_points(values, kind, name, chunk.place)
                chunk.columns[name] = convert(values, kind, name, chunk.place)
            yield chunk


# A row of a few columns has some tens of characters as text; chunks of both formats are alike.
_CHARACTERS_PER_ROW = 32


def load_pyarrow() -> tuple[Any, Any]:
    """The modules `pyarrow` and `pyarrow.parquet`."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise ValueError(f"Parquet needs pyarrow; {install_hint('pyarrow')}") from error
    return pyarrow, pyarrow.parquet


class ParquetTable:
    """A Parquet file."""

    def __init__(self, path: Path) -> None:
        pyarrow, parquet = load_pyarrow()
        self.name = path.name
        with path.open("rb"):  # Python's system errors say more than pyarrow's
            pass
        try:
            # Buffered ahead, the whole file would be in memory.
            self._file = parquet.ParquetFile(path, pre_buffer=False)
        except pyarrow.ArrowInvalid as error:
            raise ValueError(f"{self.name} is not a Parquet file, or is damaged") from error
        self.schema = self._file.schema_arrow
        self.header = list(self.schema.names)
        if not self.header:
            raise ValueError(f"{self.name} has no columns")
        twice = [column for column in self.header if self.header.count(column) > 1]
        if twice:
            raise ValueError(f"{self.name} has two columns {twice[0]!r}; rename one of them")
        self._rows = 0

    def chunks(self, columns: Mapping[str, Kind], size: int) -> Iterator[Chunk]:
        """Rows in chunks of nearly equal numbers, with these columns checked."""
        pyarrow, _ = load_pyarrow()
        batches = self._file.iter_batches(max(1, size // _CHARACTERS_PER_ROW))
        while True:
            try:
                batch = next(batches, None)
            except (pyarrow.ArrowInvalid, OSError) as error:
                raise ValueError(f"{self.name} is damaged: {error}") from error
            if batch is None:
                return
            chunk = Chunk(self.name, batch, self._rows)
            self._rows += len(chunk)
            for name, kind in columns.items():
                values = batch.column(self.header.index(name))
                chunk.columns[name] = _check(values, kind, name, chunk)
            if len(chunk):
                yield chunk

    def position(self) -> int:
        """Rows that have been read."""
        return self._rows

    @property
    def size(self) -> int:
        """Rows of the file."""
        return int(self._file.metadata.num_rows)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _check(values: Any, kind: Kind, column: str, chunk: Chunk) -> NDArray[Any]:
    types = load_pyarrow()[0].types
    if types.is_dictionary(values.type):
        values = values.dictionary_decode()
    if values.null_count and kind != "text" and not may_be_none(kind):
        row = int(np.argmax(values.is_null().to_numpy(zero_copy_only=False)))
        refuse_missing(row, "null", kind, column, chunk.place)
    plain = kind.removesuffix(" or none")
    if plain in ("label", "key") and (
        types.is_nested(values.type) or _is_bytes(values.type, types)
    ):
        raise ValueError(
            f"{chunk.name}, column {column!r} holds {values.type}, but {expected(kind)}: a text, a "
            "number, a truth value or a date"
        )
    if plain in ("label", "key", "text") or is_text(values.type):
        return convert([as_text(v) for v in values.to_pylist()], kind, column, chunk.place)
    is_number = types.is_integer, types.is_floating, types.is_decimal
    if not any(test(values.type) for test in is_number):
        raise ValueError(
            f"{chunk.name}, column {column!r} holds {values.type}, but {expected(kind)}"
        )
    numbers = values.cast("float64", safe=False).to_numpy(zero_copy_only=False)
    return check_numbers(numbers, kind, column, chunk.place)


def is_text(kind: Any) -> bool:
    """Whether a type of Arrow holds texts, each once or as a dictionary."""
    types = load_pyarrow()[0].types
    plain = kind.value_type if types.is_dictionary(kind) else kind
    tests = types.is_string, types.is_large_string, types.is_string_view
    return any(test(plain) for test in tests)


def _is_bytes(kind: Any, types: Any) -> bool:
    tests = types.is_binary, types.is_large_binary, types.is_binary_view, types.is_fixed_size_binary
    return any(test(kind) for test in tests)


def as_text(value: object) -> str:
    """A value of a label, a key or a text; nothing is the empty text."""
    return "" if value is None else str(value)


Table = TextTable | ParquetTable


@contextmanager
def open_table(source: str | Path) -> Iterator[Table]:
    """The table in a file (`.csv`, `.tsv`, each also `.gz`, `.parquet`), or `-`, standard input.

    Reports on standard error if a text has other delimiters or decimals than usual.

    Raises OSError if it cannot be read, ValueError if it is not a table.
    """
    table = _open(str(source))
    try:
        yield table
    finally:
        table.close()


def table_chunks(
    table: Table, columns: Mapping[str, Kind], size: int = CHUNK_SIZE
) -> Iterator[Chunk]:
    """Chunks of a table, with `chunk.columns[name]` checked for each name in `columns`.

    Raises ValueError for an unknown column, a wrong value, or no rows.
    """
    check_columns(table, columns)
    empty = True
    for chunk in table.chunks(columns, size):
        empty = False
        yield chunk
    if empty:
        raise ValueError(f"{table.name} has a header but no data rows")


def check_columns(table: Table, names: Mapping[str, Any]) -> None:
    """Raise for a name that is not a column of the table."""
    for name in names:
        if name not in table.header:
            hint = suggestion(name, table.header, "columns")
            raise ValueError(f"{table.name} has no column {name!r}{hint}")


def _open(source: str) -> Table:
    name = source.lower().removesuffix(".gz")
    if name.endswith(PARQUET_NAMES):
        return ParquetTable(Path(source))
    with ExitStack() as stack:
        file = stack.enter_context(_binary(source))
        shown = "standard input" if source == "-" else Path(source).name
        first = file.peek(6)
        if other := next((text for mark, text in _OTHER.items() if first.startswith(mark)), None):
            raise ValueError(f"{shown} holds {other}")
        dialect, new = dialect_of(shown)
        table = TextTable(file, shown, "\t" if name.endswith(".tsv") else ",", dialect)
        if table.guessed and new:
            hint = "if not, give --delimiter or --decimal"
            typer.echo(f"evical: {shown} has {table.dialect}; {hint}", err=True)
        stack.pop_all()  # the table closes it
    return table


def _binary(source: str) -> BufferedReader:
    if source == "-":
        if sys.stdin is None:
            raise ValueError("standard input is closed; name a file")
        # A copy of the descriptor: closing the table must not close standard input.
        return os.fdopen(os.dup(sys.stdin.fileno()), "rb")
    if not source:  # which a path would take for the current folder
        raise ValueError("the name of a table is empty")
    return Path(source).open("rb")
