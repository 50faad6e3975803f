"""Rows of several tables side by side: by position, or by a key."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evical.cli._kinds import Among, Place
from evical.cli._tables import Chunk

# Rows start to stop of a chunk.
_Piece = tuple[Chunk, int, int]


@dataclass(frozen=True)
class Rows:
    """Some rows of a table."""

    columns: dict[str, NDArray[Any]]
    place: Place


def by_position(first: Iterator[Chunk], others: Sequence[Iterator[Chunk]]) -> Iterator[list[Rows]]:
    """Row 1 with row 1, row 2 with row 2; all tables are read at once.

    Raises ValueError if one has fewer rows than another.
    """
    readers = [_Reader(chunks) for chunks in others]
    last = None
    for chunk in first:
        yield [Rows(chunk.columns, chunk.place), *(reader.take(chunk) for reader in readers)]
        last = chunk
    for reader in readers:
        if last is not None:
            reader.check_end(last.name)


@dataclass(frozen=True)
class Selected:
    """The rows of a chunk with a certain key."""

    name: str
    columns: dict[str, NDArray[Any]]
    place: Place

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))


def with_key(chunks: Iterator[Chunk], key: str, value: str) -> Iterator[Selected]:
    """The rows of each chunk whose key is this one."""
    for chunk in chunks:
        rows = np.flatnonzero(chunk.columns[key] == value)
        columns = {name: column[rows] for name, column in chunk.columns.items()}
        yield Selected(chunk.name, columns, Among(chunk.place, rows))


def by_key(
    first: Iterator[Chunk] | Iterator[Selected],
    others: Sequence[Iterator[Chunk] | Iterator[Selected]],
    key: str,
) -> Iterator[list[Rows]]:
    """Rows of equal keys, in the order of the first table; the others are held in memory.

    Raises ValueError if a key is missing in a table, or is there twice.
    """
    tables = [_Keyed(chunks, key) for chunks in others]
    name = ""
    for chunk in first:
        yield [Rows(chunk.columns, chunk.place), *(table.take(chunk) for table in tables)]
        name = chunk.name
    for table in tables:
        table.check_end(name)


class _Reader:
    """Takes any number of rows from chunks of other sizes."""

    def __init__(self, chunks: Iterator[Chunk]) -> None:
        self._chunks = chunks
        self._chunk: Chunk | None = None
        self._used = 0
        self._name = ""

    def take(self, wanted: Chunk) -> Rows:
        """The next rows, as many as `wanted` has."""
        pieces: list[_Piece] = []
        missing = len(wanted)
        while missing:
            chunk = self._current()
            if chunk is None:
                row = wanted.place(len(wanted) - missing)
                raise ValueError(
                    f"{row}: {self._name} has no such row, it is shorter; tables of unequal "
                    "length are combined by --key"
                )
            size = min(missing, len(chunk) - self._used)
            pieces.append((chunk, self._used, self._used + size))
            self._used += size
            missing -= size
        columns = {
            name: np.concatenate([chunk.columns[name][a:b] for chunk, a, b in pieces])
            for name in pieces[0][0].columns
        }
        return Rows(columns, _join(pieces))

    def check_end(self, name: str) -> None:
        """Raise if rows are left; `name` is the table that has none."""
        chunk = self._current()
        if chunk is not None:
            raise ValueError(
                f"{chunk.place(self._used)}: {name} has no such row, it is shorter; tables of "
                "unequal length need a --key"
            )

    def _current(self) -> Chunk | None:
        """The chunk with the next row, if there is one."""
        if self._chunk is None or self._used == len(self._chunk):
            self._chunk, self._used = next(self._chunks, None), 0
            if self._chunk is not None:
                self._name = self._chunk.name
        return self._chunk


def _join(pieces: list[_Piece]) -> Place:
    def place(row: int) -> str:
        for chunk, a, b in pieces:
            if row < b - a:
                return chunk.place(a + row)
            row -= b - a
        raise IndexError(row)

    return place


class _Keyed:
    """A table in memory whose rows are taken by key, each once."""

    def __init__(self, chunks: Iterator[Chunk] | Iterator[Selected], key: str) -> None:
        self._key = key
        self._rows: dict[str, int] = {}
        self._places: list[tuple[int, Place]] = []
        parts = []
        for chunk in chunks:
            self.name = chunk.name
            self._places.append((len(self._rows), chunk.place))
            self._add(chunk)
            parts.append(chunk.columns)
        self._columns = {name: np.concatenate([p[name] for p in parts]) for name in parts[0]}
        self._taken = np.zeros(len(self._rows), dtype=bool)

    def take(self, wanted: Chunk | Selected) -> Rows:
        """The rows with the keys of `wanted`."""
        keys = wanted.columns[self._key].tolist()
        rows = [self._rows.get(key, -1) for key in keys]
        if -1 in rows:
            row = rows.index(-1)
            raise ValueError(
                f"{wanted.place(row)}, column {self._key!r}: {self.name} has no row {keys[row]!r}"
            )
        taken = np.array(rows, dtype=np.intp)
        first = np.unique(taken, return_index=True)[1]
        again = self._taken[taken]
        again[np.setdiff1d(np.arange(len(taken)), first)] = True
        if again.any():
            row = int(np.argmax(again))
            raise ValueError(
                f"{wanted.place(row)}, column {self._key!r}: {keys[row]!r} occurs a second time; a "
                "key names one row"
            )
        self._taken[taken] = True
        columns = {name: column[taken] for name, column in self._columns.items()}
        return Rows(columns, lambda row: self._place(int(taken[row])))

    def check_end(self, name: str) -> None:
        """Raise if rows are left; `name` is the table that has none."""
        if not self._taken.all():
            row = int(np.argmin(self._taken))
            key = self._columns[self._key][row]
            raise ValueError(f"{self._place(row)}, column {self._key!r}: {name} has no row {key!r}")

    def _add(self, chunk: Chunk | Selected) -> None:
        start = len(self._rows)
        for row, key in enumerate(chunk.columns[self._key].tolist()):
            if self._rows.setdefault(key, start + row) != start + row:
                raise ValueError(
                    f"{chunk.place(row)}, column {self._key!r}: {key!r} occurs already in "
                    f"{self._place(self._rows[key])}; a key names one row"
                )

    def _place(self, row: int) -> str:
        start, place = next(pair for pair in reversed(self._places) if pair[0] <= row)
        return place(row - start)
