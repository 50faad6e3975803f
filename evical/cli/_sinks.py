"""Tables as commands write them: columns of a table that pass through, then new ones.

What passes through from text to text is copied as it stands, not read and written again, so
that 007 stays 007, 1.10 stays 1.10, and quotes stay where they were.
"""

import csv
import gzip
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Protocol

import numpy as np
import typer
from numpy.typing import NDArray

from evical._delimited import Block
from evical.cli._output import BROKEN_PIPE, atomic_file, discard_output
from evical.cli._tables import PARQUET_NAMES, Chunk, Table, TextTable, load_pyarrow

Columns = Mapping[str, NDArray[Any]]

# What begins a formula in a spreadsheet, and what is a number although it begins so.
_FORMULA = re.compile(r"[=+\-@\t\r\n]")
_NUMBER = re.compile(r"[+-](\d+([.,]\d*)?|[.,]\d+)(e[+-]?\d+)?", re.IGNORECASE)
_DELIMITERS = {".csv": ",", ".txt": ",", ".tsv": "\t"}


class _Writable(Protocol):
    def write(self, data: bytes, /) -> Any: ...


@dataclass(frozen=True)
class Layout:
    """Columns of an output: those of `table` that no new one replaces, then the new ones.

    If `escaped`, an apostrophe stands before texts that a spreadsheet would read as formulas.
    """

    new: tuple[str, ...]
    table: Table | None = None
    escaped: bool = False
    like: Table | None = None  # whose format texts have, if it is not the usual one

    def dialect(self, usual: str) -> tuple[str, str]:
        """What stands between values and in decimals of a text: as in what was read."""
        source = self._source
        if isinstance(source, TextTable) and source.own:
            return (source.delimiter if usual == "," else usual), source.decimal
        return usual, "."

    @property
    def mark(self) -> str:
        """The byte order mark, by which spreadsheets know UTF-8, if what was read has it."""
        return "\ufeff" if isinstance(self._source, TextTable) and self._source.marked else ""

    @property
    def _source(self) -> Table | None:
        return self.table if self.like is None else self.like

    @property
    def kept(self) -> list[int]:
        """Positions of the columns of the table that pass through."""
        header = self.table.header if self.table is not None else []
        return [i for i, name in enumerate(header) if name not in self.new]

    @property
    def unchanged(self) -> bool:
        """Whether all columns of the table pass through."""
        return self.table is not None and len(self.kept) == len(self.table.header)

    def refuse_collision(self) -> None:
        """Raise ValueError if the table has a column of a new name."""
        taken = [name for name in self.new if self.table and name in self.table.header]
        if self.table and taken:
            raise ValueError(
                f"{self.table.name} has a column {taken[0]!r} already; write new names with "
                "--prefix, or replace it with --force-columns"
            )


def check_output_name(target: str, escaped: bool, engine: str) -> None:
    """Raise ValueError unless the name shows the format (`-` is CSV).

    Formulas are `escaped` only in texts, and by the engine of chunks.
    """
    name = target.lower()
    texts = name.removesuffix(".gz").endswith((*_DELIMITERS,))
    if target != "-" and not texts and not name.endswith(PARQUET_NAMES):
        raise ValueError(
            f"cannot write {target!r}: name it .csv, .tsv (each also .gz) or .parquet, or write "
            "to standard output as -"
        )
    if escaped and delimiter_of(target) is None:
        raise ValueError("--escape-formulas is for CSV and TSV; Parquet has no formulas")
    if escaped and engine != "chunks":
        raise ValueError(f"--escape-formulas is not for --engine {engine}; leave out one of them")


def delimiter_of(target: str) -> str | None:
    """What stands between the values of a text of this name (`-` is CSV); None for Parquet."""
    if target == "-":
        return ","
    if target.lower().endswith(PARQUET_NAMES):
        return None
    name = target.lower().removesuffix(".gz")
    return next(mark for suffix, mark in _DELIMITERS.items() if name.endswith(suffix))


@contextmanager
def open_sink(target: str, layout: Layout) -> Iterator["Sink"]:
    """Where rows go: a file that is complete or not there, or `-`, standard output."""
    delimiter = delimiter_of(target)
    with ExitStack() as stack:
        output = _standard_output() if target == "-" else atomic_file(Path(target))
        file = stack.enter_context(output)
        if delimiter is None:
            yield stack.enter_context(closing(ParquetSink(file, layout)))
        elif target.lower().endswith(".gz"):
            # Without the time, so that the same rows give the same bytes.
            packed = gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0)
            yield TextSink(stack.enter_context(packed), layout, delimiter)
        else:
            yield TextSink(file, layout, delimiter)


@contextmanager
def _standard_output() -> Iterator[IO[bytes]]:
    if sys.stdout is None:
        raise ValueError("standard output is closed; name a file with --output")
    sys.stdout.flush()
    try:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    except BrokenPipeError as error:
        discard_output()
        raise typer.Exit(BROKEN_PIPE) from error
    except OSError:
        discard_output()
        raise


class TextSink:
    """Writes delimited text."""

    def __init__(self, file: _Writable, layout: Layout, delimiter: str) -> None:
        self._file = file
        self._layout = layout
        self._delimiter, self._decimal = delimiter, decimal = layout.dialect(delimiter)
        self._newline, self._copied = "\n", False
        if isinstance(table := layout.table, TextTable):
            self._newline = table.newline
            # Rows of a text in the same format are copied.
            same = layout.unchanged and (table.delimiter, table.decimal) == (delimiter, decimal)
            self._copied = same and not layout.escaped
        self._quote = _quoter(delimiter, layout.escaped)
        self._begun = False

    def write(self, columns: Columns, chunk: Chunk | None = None) -> None:
        """Write the rows of a chunk of the table, if there is one, with the new columns."""
        if not self._begun:  # not earlier, so that a wrong first chunk writes nothing at all
            self._write([self._layout.mark + self._header()])
            self._begun = True
        parts = [self._texts(columns[name]) for name in self._layout.new]
        if chunk is not None and self._layout.kept:
            parts.insert(0, self._pass(chunk))
        self._write(map(self._delimiter.join, zip(*parts, strict=True)))

    def _header(self) -> str:
        new = [self._quote([name]) for name in self._layout.new]
        table = self._layout.table
        if self._copied and isinstance(table, TextTable):
            return self._delimiter.join([table.header_text, *new])
        names = [table.header[i] for i in self._layout.kept] if table is not None else []
        return self._delimiter.join([*([self._quote(names)] if names else []), *new])

    def _pass(self, chunk: Chunk) -> list[str]:
        kept = self._layout.kept
        if not isinstance(chunk.block, Block):
            values = [chunk.block.column(i).to_pylist() for i in kept]
            return [self._quote(row) for row in zip(*values, strict=True)]
        if self._copied:
            return chunk.block.texts
        return [self._quote([row[i] for i in kept]) for row in chunk.block.cells()]

    def _texts(self, column: NDArray[Any]) -> list[str]:
        if column.dtype.kind == "f":
            texts = _number_texts(column)
            if self._decimal == ".":
                return texts
            texts = [text.replace(".", self._decimal) for text in texts]
            if self._decimal != self._delimiter:
                return texts
        else:
            texts = column.tolist()
        quoted = {text: self._quote([text]) for text in set(texts)}
        return [quoted[text] for text in texts]

    def _write(self, lines: Iterable[str]) -> None:
        text = self._newline.join(lines) + self._newline
        self._file.write(text.encode("utf-8"))


class ParquetSink:
    """Writes Parquet; columns that come from text stay text."""

    def __init__(self, file: IO[bytes], layout: Layout) -> None:
        self._file = file
        self._layout = layout
        self._arrow, self._parquet = load_pyarrow()
        self._writer: Any = None

    def write(self, columns: Columns, chunk: Chunk | None = None) -> None:
        """Write the rows of a chunk of the table, if there is one, with the new columns."""
        passed = {} if chunk is None else self._pass(chunk)
        new = {name: self._arrow.array(columns[name]) for name in self._layout.new}
        batch = self._arrow.RecordBatch.from_pydict({**passed, **new})
        if self._writer is None:
            self._writer = self._parquet.ParquetWriter(self._file, batch.schema)
        self._writer.write_batch(batch)

    def close(self) -> None:
        """Write the end of the file."""
        if self._writer is not None:
            self._writer.close()

    def _pass(self, chunk: Chunk) -> dict[str, Any]:
        table = self._layout.table
        names = {i: table.header[i] for i in self._layout.kept} if table is not None else {}
        if not isinstance(chunk.block, Block):
            return {name: chunk.block.column(i) for i, name in names.items()}
        text = self._arrow.string()
        return {name: self._arrow.array(chunk.block.column(i), text) for i, name in names.items()}


Sink = TextSink | ParquetSink


def _quoter(delimiter: str, escaped: bool) -> Callable[[Sequence[Any]], str]:
    """Function from the cells of a row to its text."""
    lines: list[str] = []

    class _Lines:
        write = staticmethod(lines.append)

    # The writer quotes the characters that it would end a line with.
    writer = csv.writer(_Lines(), delimiter=delimiter, lineterminator="\r\n")

    def quote(cells: Sequence[Any]) -> str:
        writer.writerow(list(map(_escaped, cells)) if escaped else cells)
        return lines.pop().removesuffix("\r\n")

    return quote


def _escaped(cell: object) -> object:
    """A cell, with an apostrophe before what a spreadsheet would take for a formula.

    >>> [_escaped(cell) for cell in ("=1+1", "-5", "-5e-3", "- 5", "yes", -5)]
    ["'=1+1", '-5', '-5e-3', "'- 5", 'yes', -5]
    """
    if not isinstance(cell, str) or not _FORMULA.match(cell) or _NUMBER.fullmatch(cell):
        return cell
    return f"'{cell}"


def _number_texts(numbers: NDArray[np.float64]) -> list[str]:
    """The shortest texts that give the same numbers back."""
    try:
        import pyarrow
    except ImportError:
        return list(map(repr, numbers.tolist()))
    # In a third of the time of repr.
    texts: list[str] = (
        pyarrow.array(numbers).cast(pyarrow.string()).to_numpy(zero_copy_only=False).tolist()
    )
    return texts
