"""Records of a delimited text: their cells, their own text, and the line they begin on.

Beside its cells each record keeps its text as it stands in the file, so that columns that
nobody asked for pass through unchanged. Where quotes occur the standard library splits; where
none does, a record is a line, and only the cells asked for are cut out, in a third of the time.
"""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TextIO

__all__ = ["Block", "RecordError", "Records"]


class RecordError(ValueError):
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
            raise RecordError(self._line, str(error)) from error
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
