"""Columns that tables share, compared row by row where rows are matched by position.

Rows that belong together have the same id, the same class, and the same text in every other column
of the same name. Numbers with decimals may differ, for two classifiers may both have a column
``score``; unless one column is the other in another order.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from evical.cli._aligned import Rows
from evical.datasets.csv import MISSING
from evical.scores.names import belief_names

# What the command writes beside numbers of a class.
_OWN = ("bel", "pl", "p", "betp", "decision", "set", "conflict")


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

    def __call__(self, parts: Sequence[Rows]) -> None:
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

    def _compare(self, name: str, number: int, first: Rows, rows: Rows) -> None:
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
