"""Records of a delimited text: their cells, their own text, and the line they begin on.

The standard library splits the cells and knows quotes. Beside them each record keeps its text
as it stands in the file, so that columns that nobody asked for pass through unchanged.
"""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TextIO

__all__ = ["Block", "RecordError", "Records"]


@dataclass(frozen=True)
class Block:
    """Neighboring records; blank lines are none."""

    cells: list[list[str]]
    texts: list[str]  # without the ends of the lines
    lines: Sequence[int]  # of the file, from 1, where each record begins


class RecordError(ValueError):
    """A record that cannot be split, with the line it begins on."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line


class Records:
    """Reads records from a text that keeps its ends of lines (``newline=""``)."""

    def __init__(self, text: TextIO, delimiter: str) -> None:
        self._text = text
        self._delimiter = delimiter
        self._line = 1

    def blocks(self, size: int) -> Iterator[Block]:
        """Blocks of about `size` characters, whole lines at least, until the end."""
        while lines := self._text.readlines(size):
            # Quotes are the only way in which a record can go on in the next line.
            quoted = any('"' in line for line in lines)
            block = self._quoted(lines) if quoted else self._plain(lines)
            if block.cells:
                yield block

    def _plain(self, lines: list[str]) -> Block:
        first = self._line
        self._line += len(lines)
        reader = csv.reader(lines, delimiter=self._delimiter, strict=True)
        try:
            cells = list(reader)
        except csv.Error as error:
            raise RecordError(first + reader.line_num - 1, str(error)) from error
        texts = [line.rstrip("\r\n") for line in lines]
        numbers = range(first, self._line)
        if [] not in cells:
            return Block(cells, texts, numbers)
        kept = [i for i, row in enumerate(cells) if row]
        return Block([cells[i] for i in kept], [texts[i] for i in kept], [numbers[i] for i in kept])

    def _quoted(self, lines: list[str]) -> Block:
        """The same where the last record may end after the given lines."""
        block = Block([], [], numbers := [])
        stop, pending = self._line + len(lines), list[str]()
        source = _noted(chain(lines, self._text), pending)
        reader = csv.reader(source, delimiter=self._delimiter, strict=True)
        try:
            for row in reader:
                if row:
                    block.cells.append(row)
                    block.texts.append("".join(pending).rstrip("\r\n"))
                    numbers.append(self._line)
                self._line += len(pending)
                pending.clear()
                if self._line >= stop:
                    break
        except csv.Error as error:
            raise RecordError(self._line, str(error)) from error
        return block


def _noted(lines: Iterator[str], pending: list[str]) -> Iterator[str]:
    for line in lines:
        pending.append(line)
        yield line
