"""Delimited text (CSV, TSV) as a table that is read in chunks."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from evical.cli._kinds import Kind, Places, convert
from evical.datasets.delimited import Block, DelimitedText

__all__ = ["TextChunk", "TextTable"]


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


class TextTable(DelimitedText):
    """A delimited text whose columns are checked as they are read."""

    def chunks(self, columns: Mapping[str, Kind], size: int) -> Iterator[TextChunk]:
        """Rows in chunks of about `size` characters, with these columns checked."""
        for block in self.blocks(size):
            chunk = TextChunk(self.name, block, self.delimiter)
            for name, kind in columns.items():
                values = block.column(self.header.index(name))
                chunk.columns[name] = convert(values, kind, name, chunk.place)
            yield chunk
