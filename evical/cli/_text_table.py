"""Delimited text (CSV, TSV) as a table that is read in chunks."""

import gzip
import io
import os
import stat
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from evical.cli._kinds import Kind, Places, convert
from evical.cli._records import Block, RecordError, Records

__all__ = ["TextChunk", "TextTable"]

_GZIP = b"\x1f\x8b"


@dataclass(frozen=True)
class TextChunk:
    """Some rows of a text: the columns asked for, and each row as it was written."""

    name: str
    block: Block
    delimiter: str
    columns: dict[str, NDArray[Any]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.block)

    @property
    def place(self) -> Places:
        """Lines of the file."""
        return Places(self.name, "line", self.block.lines)


class TextTable:
    """A delimited text with a header row, from a buffered binary file."""

    def __init__(self, file: io.BufferedReader, name: str, delimiter: str) -> None:
        self.name = name
        self.delimiter = delimiter
        self._file = file
        packed = file.peek(2)[:2] == _GZIP
        stream: Any = gzip.GzipFile(fileobj=file) if packed else file
        # utf-8-sig drops the byte order mark that spreadsheets write.
        self._text = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")
        self._records = Records(self._text, delimiter)
        with self._name_errors():
            head = next(self._records.blocks(0), Block([""], [1], delimiter, [[]]))
        self.header = [cell.strip() for cell in head.cells()[0]]
        self.header_text = head.texts[0]
        self.newline = self._records.newline  # of the header
        _check_header(self.name, self.header, delimiter)

    def chunks(self, columns: Mapping[str, Kind], size: int) -> Iterator[TextChunk]:
        """Rows in chunks of about `size` characters, with these columns checked."""
        with self._name_errors():
            for block in self._records.blocks(size):
                chunk = TextChunk(self.name, block, self.delimiter)
                self._check_widths(chunk)
                for name, kind in columns.items():
                    values = block.column(self.header.index(name))
                    chunk.columns[name] = convert(values, kind, name, chunk.place)
                yield chunk

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

    def _check_widths(self, chunk: TextChunk) -> None:
        if (found := chunk.block.ragged(len(self.header))) is None:
            return
        row, width = found
        raise ValueError(
            f"{chunk.place(row)}: {width} values in the row, {len(self.header)} names in the "
            "header; quote values that hold commas, and write decimal points"
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
        except RecordError as error:
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
