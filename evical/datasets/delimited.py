"""Delimited text (CSV, TSV): a header, and records with their text and the line they begin on.

Beside its cells each record keeps its text as it stands in the file, so that columns that
nobody asked for pass through unchanged. Where quotes occur the standard library splits; where
none does, a record is a line, and only the cells asked for are cut out, in a third of the time.
"""

import csv
import gzip
import io
import os
import stat
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from typing import Any, TextIO

_GZIP = b"\x1f\x8b"


class _RecordError(ValueError):
    """A record that cannot be split, with the line it begins on."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line


@dataclass(frozen=True)
class Block:
    """Neighboring records; blank lines are none."""

    texts: list[str]  # without the ends of the lines
    lines: Sequence[int]  # of the file, from 1, where each record begins
    delimiter: str
    split: list[list[str]] | None  # cells, where quotes have been taken into account

    def __len__(self) -> int:
        return len(self.texts)

    def cells(self) -> list[list[str]]:
        """Cells of each record."""
        if self.split is not None:
            return self.split
        return [text.split(self.delimiter) for text in self.texts]

    def column(self, i: int) -> list[str]:
        """One cell of each record, all of which have it."""
        if self.split is not None:
            return [cells[i] for cells in self.split]
        return [text.split(self.delimiter, i + 1)[i] for text in self.texts]

    def ragged(self, width: int) -> tuple[int, int] | None:
        """The first record that has not `width` cells, and how many it has."""
        if self.split is not None:
            widths = [len(cells) for cells in self.split]
        else:
            widths = [text.count(self.delimiter) + 1 for text in self.texts]
        if widths.count(width) == len(widths):
            return None
        return next((i, found) for i, found in enumerate(widths) if found != width)


class Records:
    """Reads records from a text that keeps its ends of lines (``newline=""``)."""

    def __init__(self, text: TextIO, delimiter: str) -> None:
        self._text = text
        self._delimiter = delimiter
        self._line = 1
        self.newline = "\n"  # the end of the last line read

    def blocks(self, size: int) -> Iterator[Block]:
        """Blocks of about `size` characters, whole lines at least, until the end."""
        # Reading to the end of a line also completes an end of two characters.
        while text := self._text.read(size) + self._text.readline():
            self.newline = _end(text)
            # Quotes are the only way in which a record can go on in the next line.
            block = self._parse_quoted(text) if '"' in text else self._plain(text)
            if block.texts:
                yield block

    def _plain(self, text: str) -> Block:
        if "\r" in text:
            lines = [line.rstrip("\r\n") for line in _lines(text)]
        else:
            lines = text.removesuffix("\n").split("\n")
        numbers: Sequence[int] = range(self._line, self._line + len(lines))
        self._line += len(lines)
        if "" in lines:
            numbers = [number for number, line in zip(numbers, lines, strict=True) if line]
            lines = [line for line in lines if line]
        return Block(lines, numbers, self._delimiter, None)

    def _parse_quoted(self, text: str) -> Block:
        """The same where the last record may end after the given text."""
        lines = _lines(text)
        cells, texts, numbers = list[list[str]](), list[str](), list[int]()
        stop, pending = self._line + len(lines), list[str]()
        source = _note(chain(lines, self._text), pending)
        reader = csv.reader(source, delimiter=self._delimiter, strict=True)
        try:
            for row in reader:
                if row:
                    cells.append(row)
                    self.newline = _end(pending[-1])
                    texts.append("".join(pending).rstrip("\r\n"))
                    numbers.append(self._line)
                self._line += len(pending)
                pending.clear()
                if self._line >= stop:
                    break
        except csv.Error as error:
            raise _RecordError(self._line, str(error)) from error
        return Block(texts, numbers, self._delimiter, cells)


def _end(text: str) -> str:
    return "\r\n" if text.endswith("\r\n") else "\n"


def _lines(text: str) -> list[str]:
    """Lines with their ends, as a file has them; `str.splitlines` knows more ends."""
    return io.StringIO(text, newline="").readlines()


def _note(lines: Iterator[str], pending: list[str]) -> Iterator[str]:
    for line in lines:
        pending.append(line)
        yield line


class DelimitedText:
    """A delimited text with a header row, from a buffered binary file, packed by gzip or not.

    Raises ValueError, with the name of the file, if it is not such a text.
    """

    def __init__(self, file: io.BufferedReader, name: str, delimiter: str) -> None:
        self.name = name
        self.delimiter = delimiter
        self._file = file
        self.packed = name.endswith(".gz") or file.peek(2)[:2] == _GZIP
        stream: Any = gzip.GzipFile(fileobj=file) if self.packed else file
        # utf-8-sig drops the byte order mark that spreadsheets write.
        self._text = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")
        self._records = Records(self._text, delimiter)
        with self._name_errors():
            head = next(self._records.blocks(0), Block([""], [1], delimiter, [[]]))
        self.header = [cell.strip() for cell in head.cells()[0]]
        self.header_text = head.texts[0]
        self.newline = self._records.newline  # of the header
        _check_header(self.name, self.header, delimiter)

    def blocks(self, size: int) -> Iterator[Block]:
        """Rows in blocks of about `size` characters, all as wide as the header."""
        with self._name_errors():
            for block in self._records.blocks(size):
                self._check_widths(block)
                yield block

    def position(self) -> int:
        """Bytes of the file that have been read."""
        return self._file.tell() if self._file.seekable() else 0

    @property
    def size(self) -> int | None:
        """Bytes of the file; None for a pipe."""
        status = os.fstat(self._file.fileno())
        return status.st_size if stat.S_ISREG(status.st_mode) else None

    def close(self) -> None:
        """Close the file."""
        self._text.close()
        self._file.close()

    def _check_widths(self, block: Block) -> None:
        if (found := block.ragged(len(self.header))) is None:
            return
        row, width = found
        raise ValueError(
            f"{self.name}, line {block.lines[row]}: {width} values in the row, {len(self.header)} "
            "names in the header; quote values that hold commas, and write decimal points"
        )

    @contextmanager
    def _name_errors(self) -> Iterator[None]:
        """Errors of decoding, unpacking and splitting, with the name of the file."""
        try:
            yield
        except UnicodeDecodeError as error:
            raise ValueError(
                f"{self.name} is not text in UTF-8; save it as CSV in UTF-8"
            ) from error
        except (gzip.BadGzipFile, zlib.error, EOFError) as error:
            raise ValueError(
                f"{self.name} is not in gzip format, or is damaged: {error}"
            ) from error
        except _RecordError as error:
            raise ValueError(
                f"{self.name}, line {error.line} is not a row of CSV: {error}"
            ) from error


def _check_header(name: str, header: list[str], delimiter: str) -> None:
    if not header:
        raise ValueError(f"{name} is empty; a header row and data rows are needed")
    other = {",": ";\t", "\t": ",;"}[delimiter]
    if len(header) == 1 and any(mark in header[0] for mark in other):
        wanted = "commas" if delimiter == "," else "tabs"
        raise ValueError(
            f"{name}: the values are not separated by {wanted}; save it with {wanted} between the "
            "values and points in decimals"
        )
    if "" in header:
        raise ValueError(
            f"{name}: column {header.index('') + 1} has no name; name it, or drop it if it holds "
            "row numbers (of a pandas frame: to_csv(index=False))"
        )
    twice = [column for column, count in Counter(header).items() if count > 1]
    if twice:
        raise ValueError(f"{name} has two columns {twice[0]!r}; rename one of them")
