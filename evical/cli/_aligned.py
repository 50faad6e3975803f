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


@dataclass(frozen=True)
class Rows:
    """Some rows of a table."""

    name: str
    columns: dict[str, NDArray[Any]]
    place: Place

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))


Part = Chunk | Rows


def side_by_side(
    tables: Sequence[Iterator[Chunk]], key: str | None, value: str | None = None
) -> Iterator[list[Part]]:
    """Rows of all tables that belong together, by position or by a key; those of one `value` alone.

    By position row 1 belongs to row 1 and row 2 to row 2, and all tables are read at once. By a key
    the order is that of the first table; the others are held in memory.

    Raises ValueError if a table has fewer rows than another, or a key not once.
    """
    first, *others = (
        table if key is None or value is None else (_with(part, key, value) for part in table)
        for table in tables
    )
    readers = [_Reader(table) if key is None else _Keyed(table, key) for table in others]
    name = ""
    for part in first:
        yield [part, *(reader.take(part) for reader in readers)]
        name = part.name
    for reader in readers:
        reader.check_end(name)


def _with(part: Part, key: str, value: str) -> Rows:
    """The rows with this key."""
    return _chosen(part, np.flatnonzero(part.columns[key] == value))


def _chosen(part: Part, rows: NDArray[np.intp]) -> Rows:
    """Rows by their numbers in a part."""
    columns = {name: column[rows] for name, column in part.columns.items()}
    return Rows(part.name, columns, among(part.place, rows))


def _joined(parts: Sequence[Part]) -> Rows:
    """One after the other."""
    starts = np.cumsum([0, *map(len, parts)])

    def place(row: int) -> str:
        number = int(np.searchsorted(starts, row, side="right")) - 1
        return parts[number].place(row - int(starts[number]))

    columns = {
        name: np.concatenate([part.columns[name] for part in parts]) for name in parts[0].columns
    }
    return Rows(parts[0].name, columns, place)


class _Reader:
    """Takes any number of rows from parts of other sizes."""

    def __init__(self, parts: Iterator[Part]) -> None:
        self._parts = parts
        self._part: Part | None = None
        self._used = 0
        self._name = ""

    def take(self, wanted: Part) -> Rows:
        """The next rows, as many as `wanted` has."""
        pieces: list[Rows] = []
        missing = len(wanted)
        while missing:
            part = self._current()
            if part is None:
                row = wanted.place(len(wanted) - missing)
                raise ValueError(
                    f"{row}: {self._name} has no such row, it is shorter; tables of unequal "
                    "length are combined by --key"
                )
            size = min(missing, len(part) - self._used)
            pieces.append(_chosen(part, np.arange(self._used, self._used + size)))
            self._used += size
            missing -= size
        return _joined(pieces)

    def check_end(self, name: str) -> None:
        """Raise if rows are left; `name` is the table that has none."""
        part = self._current()
        if part is not None:
            raise ValueError(
                f"{part.place(self._used)}: {name} has no such row, it is shorter; tables of "
                "unequal length need a --key"
            )

    def _current(self) -> Part | None:
        """The part with the next row, if there is one."""
        if self._part is None or self._used == len(self._part):
            self._part, self._used = next(self._parts, None), 0
            if self._part is not None:
                self._name = self._part.name
        return self._part


class _Keyed:
    """A table in memory whose rows are taken by key, each once."""

    def __init__(self, parts: Iterator[Part], key: str) -> None:
        self._key = key
        self._table = table = _joined(list(parts))
        self._rows: dict[str, int] = {}
        for row, value in enumerate(table.columns[key].tolist()):
            if self._rows.setdefault(value, row) != row:
                raise ValueError(
                    f"{table.place(row)}, column {key!r}: {value!r} occurs already in "
                    f"{table.place(self._rows[value])}; a key names one row"
                )
        self._taken = bytearray(len(self._rows))

    def take(self, wanted: Part) -> Rows:
        """The rows with the keys of `wanted`."""
        keys = wanted.columns[self._key].tolist()
        rows = [self._rows.get(key, -1) for key in keys]
        if -1 in rows:
            row = rows.index(-1)
            raise ValueError(
                f"{wanted.place(row)}, column {self._key!r}: {self._table.name} has no row "
                f"{keys[row]!r}"
            )
        for row, found in enumerate(rows):
            if self._taken[found]:
                raise ValueError(
                    f"{wanted.place(row)}, column {self._key!r}: {keys[row]!r} occurs a second "
                    "time; a key names one row"
                )
            self._taken[found] = True
        return _chosen(self._table, np.array(rows, dtype=np.intp))

    def check_end(self, name: str) -> None:
        """Raise if rows are left; `name` is the table that has none."""
        if 0 in self._taken:
            row = self._taken.index(0)
            key = self._table.columns[self._key][row]
            place = self._table.place(row)
            raise ValueError(f"{place}, column {self._key!r}: {name} has no row {key!r}")


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
    """Compares the columns of several tables; call it with rows of all tables.

    Of numbers with decimals that differ it keeps where they first do, and by how much the sums of
    hashes of both tables differ.
    """

    names: Sequence[str]
    hint: str
    _found: dict[tuple[str, int], tuple[str, int]] = field(default_factory=dict)

    def __call__(self, parts: Sequence[Part]) -> None:
        """Raise ValueError for the first row in which a shared column differs."""
        for name in self.names:
            first, *others = (rows for rows in parts if name in rows.columns)
            for number, rows in enumerate(others):
                self._compare(name, number, first, rows)

    def check_order(self) -> None:
        """Raise ValueError for numbers that are the same ones, in another order."""
        for where, difference in self._found.values():
            if difference % 2**64 == 0:
                raise ValueError(
                    f"{where}; both tables have the same values there, in another order: "
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
        where, difference = former or (where, 0)
        difference += _sum_of_hashes(one) - _sum_of_hashes(other)
        self._found[name, number] = where, difference


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
