"""Tables of numbers with a column of two classes, read as a whole, for evaluation."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory.checks.arguments import suggestion
from evical._typing import Floats
from evical.cli._beliefs import BeliefColumns, Classes
from evical.cli._kinds import Kind, complete_rows, label_kind, optional_kinds, tell_missing
from evical.cli._show import watch
from evical.cli._tables import Chunk, Table
from evical.datasets.csv import sorted_labels
from evical.scores.names import class_in_name


@dataclass(frozen=True, eq=False)
class Labeled:
    """Columns of numbers (n,), outcomes (n,) of 0 and 1, and the names of both classes."""

    name: str
    columns: dict[str, Floats]
    y: NDArray[np.int8]
    classes: tuple[str, str]
    beliefs: tuple[Floats, Floats] | None = None  # belief and plausibility of the second class

    @property
    def labels(self) -> NDArray[Any]:
        """Class (n,) of each row."""
        return np.array(self.classes)[self.y]


class _Column:
    """A column that grows in place: pieces that wait to be joined would be there twice."""

    def __init__(self, kind: type[np.generic]) -> None:
        self._values: NDArray[Any] = np.empty(0, dtype=kind)
        self._size = 0

    def extend(self, part: NDArray[Any]) -> None:
        """Put rows at the end."""
        size = self._size + len(part)
        if size > len(self._values):
            self._values.resize(size + size // 4, refcheck=False)
        self._values[self._size : size] = part
        self._size = size

    def joined(self) -> NDArray[Any]:
        """All rows (n,)."""
        self._values.resize(self._size, refcheck=False)
        return self._values


def read_labeled_table(
    table: Table,
    columns: Mapping[str, Kind],
    target: str,
    positive: str | None,
    known: tuple[str, str] | None = None,
    of: str = "the model",
    beliefs: tuple[BeliefColumns, Classes] | None = None,
    of_class: str | None = None,
    missing: str = "refuse",
) -> Labeled:
    """Columns of an open table with the column of classes.

    Parameters
    ----------
    table : Table
    columns : mapping of names to kinds
    target : str
        Column of the class.
    positive : str or None
        The positive class; by default the second of `known`, the one that a name such as ``p_yes``
        of a column has, or the greater one.
    known : pair of str, optional
        The classes that there may be, the positive one last; `of` is what has them.
    beliefs : BeliefColumns and Classes, optional
        Beliefs to read as well.
    of_class : str, optional
        A column that says nothing if it is not known which class it is about.
    missing : {"refuse", "drop", "vacuous"}
        What to do with rows in which a number is missing; with "drop", also with those without a
        class. Of vacuous ones belief and plausibility are 0 and 1, other probabilities 1/2, and
        scores NaN.

    Returns
    -------
    Labeled

    Raises
    ------
    ValueError
        As `table_chunks`; for a third class, only one, or an unknown `positive`; for names, beliefs
        or decisions of other classes; the place of a wrong value is named.
    """
    names = [*columns, *(beliefs[0].names if beliefs else [])]
    classes: list[str] = list(known or ())
    numbers = {name: _Column(np.float64) for name in columns}
    sides = [_Column(np.float64) for _ in (beliefs or ())]
    codes = _Column(np.int8)
    kinds: dict[str, Kind] = {**optional_kinds(columns, missing), target: label_kind(missing)}
    if beliefs is not None:
        kinds = {**beliefs[0].kinds(missing), **kinds}
    for chunk, complete in complete_chunks(table, kinds, names, target, missing):
        kept = complete if missing == "drop" else slice(None)
        codes.extend(_codes(chunk, target, classes, of if known else None)[kept])
        if beliefs is not None:
            found = beliefs[0].read(chunk.columns, chunk.place, beliefs[1])
            for side, values in zip(sides, found, strict=False):
                side.extend(np.where(complete, values, side is sides[1])[kept])
        for name, column in numbers.items():
            values = chunk.columns[name]
            if missing == "vacuous" and columns[name] == "probability":
                values = np.where(complete, values, 0.5)
            column.extend(values[kept])
    second = codes.joined()
    _check_both(second, classes, table.name, target)
    ascending = list(known) if known else sorted_labels(set(classes))
    telling = () if known and beliefs is None else columns  # a model knows its column
    positive = _positive(positive, telling, classes, target)
    if positive is None and of_class is not None:
        raise ValueError(
            f"{table.name}: column {of_class!r} does not name the class whose probability it is; "
            "name it with --positive"
        )
    if positive is not None:
        ascending.sort(key=lambda label: label == positive)
    flipped = ascending[1] != classes[1]
    return Labeled(
        table.name,
        {name: column.joined() for name, column in numbers.items()},
        1 - second if flipped else second,
        (ascending[0], ascending[1]),
        (sides[0].joined(), sides[1].joined()) if sides else None,
    )


def complete_chunks(
    table: Table, kinds: Mapping[str, Kind], numbers: Collection[str], target: str, missing: str
) -> Iterator[tuple[Chunk, NDArray[np.bool_]]]:
    """Chunks, with the rows that have all numbers and a class; says how many have not.

    Raises ValueError if those are dropped and none is left, or the class is one of the numbers.
    """
    if target in numbers:
        raise ValueError(f"column {target!r} is given twice: as the class, and as a number")
    rows = lacking = 0
    for chunk in watch(table, kinds, "Reading"):
        complete = complete_rows(chunk.columns[name] for name in numbers)
        complete &= chunk.columns[target] != ""
        rows, lacking = rows + len(chunk), lacking + int((~complete).sum())
        yield chunk, complete
    if missing == "drop" and rows == lacking:
        raise ValueError(
            f"{table.name}: each of {rows} rows lacks a number or a class; nothing is left"
        )
    tell_missing(table.name, lacking, rows, missing)


def _positive(
    given: str | None, columns: Iterable[str], classes: list[str], target: str
) -> str | None:
    """The positive class, if an option or the name of a column names it, and both fit."""
    if given is not None and given not in classes:
        hint = suggestion(given, classes, "classes")
        raise ValueError(f"column {target!r} has no class {given!r}{hint}")
    for column in columns:
        named = class_in_name(column, classes)
        if named is not None and given not in (None, named):
            raise ValueError(
                f"column {column!r} is about class {named!r}, but the positive class is {given!r}"
            )
        given = given or named
    return given


def _codes(chunk: Chunk, target: str, classes: list[str], of: str | None) -> NDArray[np.int8]:
    """Positions of the labels of a chunk in `classes`, which grows to two unless `of` has them."""
    labels = chunk.columns[target]
    for label in dict.fromkeys(labels.tolist()):
        if label in classes or not label:  # rows without a class are left out
            continue
        if of or len(classes) == 2:
            row = int(np.argmax(labels == label))
            pair = f"{classes[0]!r} and {classes[1]!r}"
            what = (
                f"no class of {of}, whose classes are {pair}, as texts"
                if of
                else f"a third class, besides {pair}; one column is of two. Of more, repeat "
                "--score in fit and compare, and --probability in evaluate, report and check"
            )
            raise ValueError(f"{chunk.place(row)}, column {target!r}: {label!r} is {what}")
        classes.append(label)
    last = classes[-1] if classes else ""
    return np.asarray(labels == last, dtype=np.int8) * np.int8(max(len(classes) - 1, 0))


def _check_both(second: NDArray[np.int8], classes: list[str], name: str, target: str) -> None:
    found = np.unique(second)
    if len(found) == 1:
        raise ValueError(
            f"{name}: column {target!r} has one class only (all {classes[int(found[0])]!r}); "
            "both classes are needed"
        )
