"""Delimited text (CSV, TSV): a header, and records with their text and the line they begin on.

Beside its cells each record keeps its text as it stands in the file, so that columns that
nobody asked for pass through unchanged. Where quotes occur the standard library splits; where
none does, a record is a line, and only the cells asked for are cut out, in a third of the time.
"""

import csv
import gzip
import io
import os
import re
import stat
import zlib
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from typing import Any, TextIO

_GZIP = b"\x1f\x8b"
_NAMED = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}
# Bytes from whose lines a dialect is found.
_SAMPLE = 1 << 13
_WITH_COMMA = re.compile(r"[+-]?\d*,\d+(e[+-]?\d+)?", re.IGNORECASE)
_WITH_POINT = re.compile(r"[+-]?\d*\.\d+(e[+-]?\d+)?", re.IGNORECASE)
# A number such as 1,234 may mean a thousand or one.
_UNCLEAR = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+")


@dataclass(frozen=True)
class Dialect:
    """What stands between values and within decimals, None where the first lines decide."""

    delimiter: str | None = None
    decimal: str | None = None

    def found(self, sample: str, usual: str) -> "Dialect":
        """Find the dialect of a text from its beginning, with the usual delimiter if it fits.

        >>> Dialect().found("a;b\\n1,5;2\\n", ",")
        Dialect(delimiter=';', decimal=',')
        >>> Dialect().found("a,b\\n1.5,2\\n", ",")
        Dialect(delimiter=',', decimal='.')
        """
        lines = io.StringIO(sample, newline="").readlines()
        marks = [self.delimiter] if self.delimiter else [usual, *_NAMED]
        rows = {mark: _rows(lines, mark) for mark in marks}
        widths = {mark: [len(row) for row in found] or [0] for mark, found in rows.items()}
        even = [mark for mark, sizes in widths.items() if sizes[0] > 1 and len({*sizes}) == 1]
        widest = max(widths, key=lambda mark: widths[mark][0])
        delimiter = next(iter(even), usual if widths[marks[0]][0] > 1 else widest)
        if self.delimiter:
            delimiter = self.delimiter
        decimal = self.decimal or _decimal(delimiter, rows[delimiter])
        return Dialect(delimiter, decimal)

    def __str__(self) -> str:
        mark = str(self.delimiter)
        commas = " and decimal commas" if self.decimal == "," else ""
        return f"{_NAMED.get(mark, repr(mark))} between values{commas}"


def _rows(lines: list[str], mark: str) -> list[list[str]]:
    """Rows of the lines that are complete."""
    try:
        rows = [row for row in csv.reader(lines, delimiter=mark) if row]
    except csv.Error:
        return []
    return rows[:-1] if len(rows) > 2 and not lines[-1].endswith(("\n", "\r")) else rows


def _decimal(delimiter: str, rows: list[list[str]]) -> str:
    cells = [] if delimiter == "," else [cell.strip() for row in rows[1:] for cell in row]
    commas = [cell for cell in cells if _WITH_COMMA.fullmatch(cell)]
    if any(map(_WITH_POINT.fullmatch, cells)) or all(map(_UNCLEAR.fullmatch, commas)):
        return "."
    return ","


class _RecordError(ValueError):
    """A record that cannot be split, with the line it begins on."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line


@dataclass(frozen=True)
class Block:
    """Neighboring records without blank lines."""

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

    `usual` stands between the values unless the first lines show otherwise, or a dialect is given.
    Raises ValueError, with the name of the file, if it is not such a text.
    """

    def __init__(
        self,
        file: io.BufferedReader,
        name: str,
        usual: str,
        dialect: Dialect = Dialect(),
    ) -> None:
        self.name = name
        self._file = file
        self.packed = name.endswith(".gz") or file.peek(2)[:2] == _GZIP
        stream: Any = gzip.GzipFile(fileobj=file) if self.packed else file
        with self._name_errors():
            sample = bytes(stream.peek(_SAMPLE)[:_SAMPLE])
        # utf-8-sig drops the byte order mark that spreadsheets write.
        wide = sample[:2] in (BOM_UTF16_BE, BOM_UTF16_LE)
        self.marked = wide or sample.startswith(BOM_UTF8)
        encoding = "utf-16" if wide else "utf-8-sig"
        self.dialect = dialect.found(sample.decode(encoding, errors="replace"), usual)
        self.guessed = self.dialect.delimiter != (
            dialect.delimiter or usual
        ) or self.dialect.decimal != (dialect.decimal or ".")
        self.delimiter, self.decimal = str(self.dialect.delimiter), str(self.dialect.decimal)
        # Its own format, in which new columns are to be written as well.
        self.own = self.guessed or dialect != Dialect()
        self._text = io.TextIOWrapper(stream, encoding=encoding, newline="")
        self._records = Records(self._text, self.delimiter)
        with self._name_errors():
            head = next(self._records.blocks(0), Block([""], [1], self.delimiter, [[]]))
        self.header = [cell.strip() for cell in head.cells()[0]]
        self.header_text = head.texts[0]
        self.newline = self._records.newline  # of the header
        _check_header(self.name, self.header)

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
        """Bytes of the file, None for a pipe."""
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
        hint = f"quote values that hold {_NAMED.get(self.delimiter, repr(self.delimiter))}"
        hint += ", and write decimal points" if self.delimiter == "," else ""
        raise ValueError(
            f"{self.name}, line {block.lines[row]}: {width} values in the row, {len(self.header)} "
            f"names in the header; {hint}"
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


def _check_header(name: str, header: list[str]) -> None:
    if not header:
        raise ValueError(f"{name} is empty; a header row and data rows are needed")
    if "" in header:
        raise ValueError(
            f"{name}: column {header.index('') + 1} has no name; name it, or drop it if it holds "
            "row numbers (of a pandas frame: to_csv(index=False))"
        )
    twice = [column for column, count in Counter(header).items() if count > 1]
    if twice:
        raise ValueError(f"{name} has two columns {twice[0]!r}; rename one of them")
