"""Tables as commands read them: CSV, TSV and Parquet, from files and standard input, in chunks.

A file of any size is read with bounded memory; every value of a column that is asked for is
checked, and a wrong one refused with file, line, column, value and what was expected.
"""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from io import BufferedReader
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evical.calibrators.by_name import suggestion
from evical.cli._kinds import Kind, Places, convert
from evical.cli._parquet_table import ParquetChunk, ParquetTable
from evical.datasets.delimited import Block, DelimitedText

# Characters: about 30 000 rows of a narrow table, enough for array code to pay off, and some
# ten megabytes as Python strings.
CHUNK_SIZE = 2**20

_PARQUET = b"PAR1"
_PARQUET_NAMES = (".parquet", ".pq")


@dataclass(frozen=True)
class TextChunk:
    """Some rows of a text: the columns asked for, and each row as it was written."""

    name: str
    block: Block
    delimiter: str
    first_row: int = 0
    columns: dict[str, NDArray[Any]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.block)

    @property
    def place(self) -> Places:
        """Lines of the file."""
        return Places(self.name, "line", self.block.lines)


class TextTable(DelimitedText):
    """A delimited text whose columns are checked as they are read."""

    def chunks(self, columns: Mapping[str, Kind], size: int) -> Iterator[TextChunk]:
        """Rows in chunks of about `size` characters, with these columns checked."""
        first = 0
        for block in self.blocks(size):
            chunk = TextChunk(self.name, block, self.delimiter, first)
            first += len(chunk)
            for name, kind in columns.items():
                values = block.column(self.header.index(name))
                chunk.columns[name] = convert(values, kind, name, chunk.place)
            yield chunk


Chunk = TextChunk | ParquetChunk
Table = TextTable | ParquetTable


@contextmanager
def open_table(source: str | Path) -> Iterator[Table]:
    """The table in a file (`.csv`, `.tsv`, each also `.gz`, `.parquet`), or `-`, standard input.

    Raises OSError if it cannot be read, ValueError if it is not a table.
    """
    table = _open(str(source))
    try:
        yield table
    finally:
        table.close()


def read_chunks(
    source: str | Path, columns: Mapping[str, Kind], size: int = CHUNK_SIZE
) -> Iterator[Chunk]:
    """Chunks of a table, with `chunk.columns[name]` checked for each name in `columns`.

    Raises as `open_table`, and ValueError for an unknown column, a wrong value, or no rows.
    """
    with open_table(source) as table:
        yield from table_chunks(table, columns, size)


def table_chunks(
    table: Table, columns: Mapping[str, Kind], size: int = CHUNK_SIZE
) -> Iterator[Chunk]:
    """The same for a table that is open already."""
    check_columns(table, columns)
    empty = True
    for chunk in table.chunks(columns, size):
        empty = False
        yield chunk
    if empty:
        raise ValueError(f"{table.name} has a header but no data rows")


def read_table(source: str | Path, columns: Mapping[str, Kind]) -> dict[str, NDArray[Any]]:
    """Whole columns (n,) of a table, checked: float64 for numbers, Python strings for labels.

    Raises as `read_chunks`.
    """
    parts = [chunk.columns for chunk in read_chunks(source, columns)]
    return {name: np.concatenate([part[name] for part in parts]) for name in columns}


def check_columns(table: Table, names: Mapping[str, Any]) -> None:
    """Raise for a name that is not a column of the table."""
    for name in names:
        if name not in table.header:
            hint = suggestion(name, table.header, "columns")
            raise ValueError(f"{table.name} has no column {name!r}{hint}")


def _open(source: str) -> Table:
    name = source.lower().removesuffix(".gz")
    if name.endswith(_PARQUET_NAMES):
        return ParquetTable(Path(source))
    with ExitStack() as stack:
        file = stack.enter_context(_binary(source))
        shown = "standard input" if source == "-" else Path(source).name
        if file.peek(4)[:4] == _PARQUET:
            raise ValueError(f"{shown} holds Parquet; give a file whose name ends in .parquet")
        table = TextTable(file, shown, "\t" if name.endswith(".tsv") else ",")
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
