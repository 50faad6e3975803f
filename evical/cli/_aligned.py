"""Rows of several tables side by side: by position, or by a key.

Rows that belong together have the same id, the same class, and the same text in every other column
of the same name. Numbers with decimals may differ, for two classifiers may both have a column
``score``; unless one column is the other in another order.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evical.cli._kinds import Place, among
from evical.cli._tables import Chunk
from evical.datasets.csv import MISSING
from evical.scores.names import belief_names

# Rows start to stop of a chunk.
_Piece = tuple[Chunk, int, int]


@dataclass(frozen=True)
class Rows:
    """Some rows of a table."""

    name: str
    columns: dict[str, NDArray[Any]]
    place: Place

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))


Part = Chunk | Rows


def by_position(first: Iterator[Chunk], others: Sequence[Iterator[Chunk]]) -> Iterator[list[Part]]:
    """Row 1 with row 1, row 2 with row 2; all tables are read at once.

    Raises ValueError if one has fewer rows than another.
    """
    return _side_by_side(first, [_Reader(chunks) for chunks in others])


def with_key(chunks: Iterator[Chunk], key: str, value: str) -> Iterator[Rows]:
    """The rows of each chunk whose key is this one."""
    for chunk in chunks:
        rows = np.flatnonzero(chunk.columns[key] == value)
        columns = {name: column[rows] for name, column in chunk.columns.items()}
        yield Rows(chunk.name, columns, among(chunk.place, rows))


def by_key(
    first: Iterator[Chunk] | Iterator[Rows],
    others: Sequence[Iterator[Chunk] | Iterator[Rows]],
    key: str,
) -> Iterator[list[Part]]:
    """Rows of equal keys, in the order of the first table; the others are held in memory.

    Raises ValueError if a key is missing in a table, or is there twice.
    """
    return _side_by_side(first, [_Keyed(chunks, key) for chunks in others])


def _side_by_side(
    first: Iterator[Chunk] | Iterator[Rows], others: "Sequence[_Reader | _Keyed]"
) -> Iterator[list[Part]]:
    name = ""
    for chunk in first:
        yield [
            Rows(chunk.name, chunk.columns, chunk.place),
            *(table.take(chunk) for table in others),
        ]
        name = chunk.name
    for table in others:
        table.check_end(name)


class _Reader:
    """Takes any number of rows from chunks of other sizes."""

    def __init__(self, chunks: Iterator[Chunk]) -> None:
        self._chunks = chunks
        self._chunk: Chunk | None = None
        self._used = 0
        self._name = ""

    def take(self, wanted: Part) -> Rows:
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
        return Rows(self._name, columns, _join(pieces))

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

    def __init__(self, chunks: Iterator[Chunk] | Iterator[Rows], key: str) -> None:
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
        self._taken = bytearray(len(self._rows))

    def take(self, wanted: Part) -> Rows:
        """The rows with the keys of `wanted`."""
        keys = wanted.columns[self._key].tolist()
        rows = [self._rows.get(key, -1) for key in keys]
        if -1 in rows:
            row = rows.index(-1)
            raise ValueError(
                f"{wanted.place(row)}, column {self._key!r}: {self.name} has no row {keys[row]!r}"
            )
        for row, found in enumerate(rows):
            if self._taken[found]:
                raise ValueError(
                    f"{wanted.place(row)}, column {self._key!r}: {keys[row]!r} occurs a second "
                    "time; a key names one row"
                )
            self._taken[found] = True
        taken = np.array(rows, dtype=np.intp)
        columns = {name: column[taken] for name, column in self._columns.items()}
        return Rows(self.name, columns, lambda row: self._place(int(taken[row])))

    def check_end(self, name: str) -> None:
        """Raise if rows are left; `name` is the table that has none."""
        if 0 in self._taken:
            row = self._taken.index(0)
            key = self._columns[self._key][row]
            raise ValueError(f"{self._place(row)}, column {self._key!r}: {name} has no row {key!r}")

    def _add(self, chunk: Part) -> None:
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


# What the command writes beside numbers of a class.
_OWN = ("bel", "pl", "p", "betp", "decision", "act", "set", "conflict")


def shared_columns(
    headers: Sequence[Sequence[str]], own: Iterable[str], classes: Iterable[str], prefix: str
) -> list[str]:
    """Columns that two tables or more have, but for beliefs about the classes, and `own` ones."""
    predicted = (*belief_names(classes), *_OWN)
    left_out = {*own, *predicted, *(prefix + name for name in predicted)}
    counts = Counter(name for header in headers for name in header)
    return [name for name, count in counts.items() if count > 1 and name not in left_out]


@dataclass
class SharedColumns:
    """Compares the columns of several tables; call it with rows of all tables."""

    names: Sequence[str]
    hint: str = "match rows by --key"
    _found: dict[tuple[str, int], "_Differing"] = field(default_factory=dict)

    def __call__(self, parts: Sequence[Part]) -> None:
        """Raise ValueError for the first row in which a shared column differs."""
        for name in self.names:
            first, *others = (rows for rows in parts if name in rows.columns)
            for number, rows in enumerate(others):
                self._compare(name, number, first, rows)

    def check_order(self) -> None:
        """Raise ValueError for numbers that are the same ones, in another order."""
        for one in self._found.values():
            if (one.sums[0] - one.sums[1]) % 2**64 == 0:
                raise ValueError(
                    f"{one.where}; both tables have the same values there, in another order: "
                    f"{self.hint}"
                )

    def _compare(self, name: str, number: int, first: Part, rows: Part) -> None:
        texts = first.columns[name], rows.columns[name]
        if (texts[0] == texts[1]).all():
            return
        numbers = [_numbers(values.tolist()) for values in texts]
        if numbers[0] is None or numbers[1] is None:
            plain = [_plain(values) for values in texts]
            one, other = (np.array(list(map(_number_or_text, values))) for values in plain)
            numeric, differing = False, one != other
        else:
            one, other = numbers[0], numbers[1]
            numeric, differing = True, (one != other) & ~(np.isnan(one) & np.isnan(other))
        if not differing.any():
            return
        row = int(np.argmax(differing))
        where = (
            f"{first.place(row)} and {rows.place(row)}: column {name!r} is {texts[0][row]!r} and "
            f"{texts[1][row]!r}"
        )
        former = self._found.get((name, number))
        # A last chunk may have few rows, with whole numbers only.
        if not (numeric and (former or _has_decimals(one) or _has_decimals(other))):
            raise ValueError(
                f"{where}, but rows that belong together have the same values; {self.hint}, or "
                "leave out a column that each table has of its own"
            )
        found = self._found.setdefault((name, number), _Differing(where))
        found.sums = found.sums[0] + _sum_of_hashes(one), found.sums[1] + _sum_of_hashes(other)


@dataclass
class _Differing:
    """Where numbers with decimals first differ, and a sum of each table for their multiset."""

    where: str
    sums: tuple[int, int] = (0, 0)


def _plain(texts: Iterable[str]) -> list[str]:
    """Texts without spaces around them, and one for all that stand for none."""
    plain = (text.strip() for text in texts)
    return ["nan" if text.lower() in MISSING else text for text in plain]


def _numbers(texts: list[str]) -> NDArray[np.float64] | None:
    """Numbers (n,), NaN for what is missing, if all are numbers."""
    if "_" in "".join(texts):
        return None
    for read in (list, _plain):
        try:
            return np.array(list(map(float, read(texts))))
        except ValueError:
            continue
    return None


def _number_or_text(text: str) -> str:
    """A number in one way of writing, or another text as it is."""
    found = _numbers([text])
    return text if found is None else repr(found[0])


def _has_decimals(numbers: NDArray[np.float64]) -> bool:
    known = numbers[np.isfinite(numbers)]
    return bool((known != np.round(known)).any())


def _sum_of_hashes(numbers: NDArray[np.float64]) -> int:
    """A sum modulo 2^64 that is that of other numbers by chance only, and of any order of these.

    The bits are mixed as by splitmix64 (Steele, Lea and Flood 2014), so that no linear relation
    between numbers is one between their hashes.
    """
    bits = (np.where(np.isnan(numbers), np.nan, numbers) + 0.0).view(np.uint64)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        bits = (bits ^ (bits >> np.uint64(shift))) * np.uint64(factor)
    return int((bits ^ (bits >> np.uint64(31))).sum())
