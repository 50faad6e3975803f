"""Tables with a column of classes, read as a whole: columns of numbers, and the class of each row.

Which column is whose is told by its name, or by an option as COLUMN=CLASS.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory.checks.arguments import did_you_mean, suggestion
from evical._typing import Floats
from evical.cli._beliefs import listed
from evical.cli._kinds import Kind, complete_rows, label_kind, optional_kinds, tell_missing
from evical.cli._model import check_score
from evical.cli._show import watch
from evical.cli._tables import Chunk, Table, check_columns
from evical.datasets.csv import sorted_labels
from evical.scores.names import class_in_name

# What stands between a prefix such as p and the name of a class.
_SEPARATORS = "_-. :"


@dataclass(frozen=True, eq=False)
class Labeled:
    """Columns of numbers (n,), and positions (n,) of the rows' classes among all classes."""

    name: str
    columns: dict[str, Floats]
    codes: NDArray[np.int32]
    classes: tuple[str, ...]
    complete: NDArray[np.bool_]  # rows (n,) with all numbers
    lacking: int  # rows without a number or a class, left out or not
    first: dict[str, str]  # where each class stands first

    @property
    def labels(self) -> NDArray[Any]:
        """Class (n,) of each row."""
        return np.array(self.classes)[self.codes]

    def values(self, columns: Iterable[str]) -> Floats:
        """Some of the columns side by side, (n, C)."""
        return np.stack([self.columns[name] for name in columns], axis=1)

    def take(self, rows: NDArray[np.intp]) -> "Labeled":
        """Some of the rows."""
        columns = {name: values[rows] for name, values in self.columns.items()}
        return replace(self, columns=columns, codes=self.codes[rows], complete=self.complete[rows])

    def check_both(self, target: str) -> None:
        """Raise ValueError if there are rows of one class only."""
        found = np.unique(self.codes)
        if len(found) == 1:
            raise ValueError(
                f"{self.name}: column {target!r} has one class only (all "
                f"{self.classes[found[0]]!r}); both classes are needed"
            )

    def with_positive(self, positive: str | None) -> "Labeled":
        """Rows of two classes with this one last, if one is named."""
        if positive != self.classes[0]:
            return self
        return replace(self, codes=1 - self.codes, classes=self.classes[::-1])


def read_labeled(
    table: Table,
    kinds: Mapping[str, Kind],
    target: str,
    missing: str,
    *,
    classes: Sequence[str] = (),
    two: bool = False,
    also: Mapping[str, Kind] | None = None,
    read: Callable[[Chunk, NDArray[np.bool_] | slice], None] = lambda chunk, kept: None,
) -> Labeled:
    """Columns of an open table with the column of classes.

    Parameters
    ----------
    table : Table
    kinds : mapping of names to kinds
        Columns of numbers.
    target : str
        Column of the class.
    missing : {"refuse", "drop", "vacuous"}
        What to do with rows in which a number is missing, which is NaN; with "drop", also with
        those without a class.
    classes : sequence of str
        Those that there may be; by default all that are found, in ascending order.
    two : bool
        Whether a third class is refused.
    also : mapping of names to kinds, optional
        Columns for `read`, which gets each chunk, and which of its rows stay.
    read : callable

    Returns
    -------
    Labeled

    Raises
    ------
    ValueError
        As `table_chunks`; for a class that there may not be, or if no row is left.
    """
    check_columns(table, dict.fromkeys((*kinds, target)))
    also = also or {}
    numbers = [*kinds, *(name for name, kind in also.items() if kind != "text")]
    if target in numbers:
        raise ValueError(f"column {target!r} is given twice: as the class, and as a number")
    every = {**also, **optional_kinds(kinds, missing), target: label_kind(missing)}
    # Bytes grow in place; pieces that wait to be joined would be there twice.
    columns = {name: bytearray() for name in kinds}
    codes, known, rows, lacking = bytearray(), bytearray(), 0, 0
    first: dict[str, str] = {}
    for chunk in watch(table, every, "Reading"):
        complete = complete_rows(chunk.columns[name] for name in numbers)
        complete &= chunk.columns[target] != ""
        rows, lacking = rows + len(chunk), lacking + int((~complete).sum())
        kept = complete if missing == "drop" else slice(None)
        read(chunk, kept)
        _find_classes(chunk, target, classes, first, two=two)
        for name, column in columns.items():
            column += chunk.columns[name][kept].tobytes()
        places = dict(zip(first, range(len(first)), strict=True))
        labels = chunk.columns[target][kept].tolist()
        codes += np.array([places[label] for label in labels], dtype=np.int32).tobytes()
        known += complete[kept].tobytes()
    if missing == "drop" and rows == lacking:
        raise ValueError(
            f"{table.name}: each of {rows} rows lacks a number or a class; nothing is left"
        )
    tell_missing(table.name, lacking, rows, missing)
    ordered = tuple(classes) or tuple(sorted_labels(first))
    order = np.array([ordered.index(label) for label in first], dtype=np.int32)
    return Labeled(
        table.name,
        {name: np.frombuffer(column) for name, column in columns.items()},
        order[np.frombuffer(codes, dtype=np.int32)],
        ordered,
        np.frombuffer(known, dtype=np.bool_),
        lacking,
        first,
    )


def _find_classes(
    chunk: Chunk, target: str, allowed: Sequence[str], first: dict[str, str], *, two: bool
) -> None:
    """Add to `first` where new classes stand; raises ValueError for one that there may not be."""
    labels = chunk.columns[target].tolist()
    for label in dict.fromkeys(labels):
        if label in first or not label:  # rows without a class are left out
            continue
        place = f"{chunk.place(labels.index(label))}, column {target!r}"
        if allowed and label not in allowed:
            hint = did_you_mean(label, allowed)
            raise ValueError(f"{place}: {label!r} is none of the classes {listed(allowed)}{hint}")
        if two and len(first) == 2:
            raise third_class(place, label, [*first])
        first[label] = place


def positive_class(
    classes: Sequence[str], target: str, given: str | None, columns: Iterable[str]
) -> str | None:
    """The class that is given, or that a name such as ``p_yes`` of a column has.

    Raises ValueError if it is none of the classes, or if names and `given` do not fit.
    """
    if given is not None and given not in classes:
        hint = suggestion(given, classes, "classes")
        raise ValueError(f"column {target!r} has no class {given!r}{hint}")
    for column in columns:
        if given is None:
            given = class_in_name(column, classes)
        else:
            check_score(column, given, classes)
    return given


def third_class(place: str, label: str, pair: Sequence[str]) -> ValueError:
    """The refusal of a class where there may be two."""
    return ValueError(
        f"{place}: {label!r} is a third class, besides {listed(pair)}; one column is of two. Of "
        "more, repeat --score in fit and compare, and --probability in evaluate, report and check. "
        "A single score of one class takes a column of that class against the rest, or "
        "EvidentialSource in Python"
    )


def named_classes(
    scores: Sequence[str], header: Sequence[str], option: str = "--score"
) -> dict[str, str | None]:
    """Columns of `--score COLUMN` or `--score COLUMN=CLASS`, with the class if it is named."""
    found: dict[str, str | None] = {}
    for text in scores:
        column, equals, label = text.rpartition("=")
        if text in header or not equals:
            column, label = text, ""
        if column in found:
            raise ValueError(
                f"{option} {column} is given twice; each class has a column of its own"
            )
        found[column] = label or None
    return found


def class_columns(
    named: Mapping[str, str | None], classes: Sequence[str], rows: Labeled, option: str = "--score"
) -> dict[str, str]:
    """Class to column, in the order of the classes.

    A column is that of the class that it is named for: score_cat, score.cat or cat of class cat.
    Raises ValueError unless each class has one column, and each column a class.
    """
    owners = {column: label or _class_of(column, classes) for column, label in named.items()}
    for column, label in owners.items():
        if named[column] is not None and label is not None:
            check_score(column, label, classes)
        if label not in classes:
            what = f"no class {label!r}" if label else f"no class for column {column!r}"
            hint = suggestion(label or column, classes, "classes")
            raise ValueError(f"there is {what}{hint}; write {option} COLUMN=CLASS")
    for label in classes:
        mine = [column for column, owner in owners.items() if owner == label]
        if not mine and (meant := did_you_mean(label, filter(None, owners.values()))):
            raise ValueError(
                f"{rows.first[label]}: class {label!r} has no column{meant} each class needs one, "
                f"named by {option}"
            )
        if len(mine) != 1:
            what = f"columns {', '.join(mine)}" if mine else "no column"
            raise ValueError(
                f"class {label!r} has {what}, expected one {option[2:]} a class; write {option} "
                f"COLUMN={label}"
            )
    return {label: column for label in classes for column, mine in owners.items() if mine == label}


def _class_of(column: str, classes: Iterable[str]) -> str | None:
    """The longest class that a name is or ends with."""
    fitting = [
        label
        for label in classes
        if column == label or column.endswith(tuple(mark + label for mark in _SEPARATORS))
    ]
    return max(fitting, key=len, default=None)


def owned_columns(
    named: Mapping[str, str | None], rows: Labeled, target: str, positive: str | None
) -> tuple[list[str], dict[str, str]]:
    """All classes, and class to column; of one column, which is the positive class's, one."""
    if len(named) > 1:
        if positive is not None:
            raise ValueError("--positive is for one score; with several, each has its class")
        owners = dict(sorted(class_columns(named, rows.classes, rows).items()))
        return list(owners), owners
    [(column, label)] = named.items()
    rows.check_both(target)
    positive = positive_class(rows.classes, target, agreed_class(positive, label), [column])
    classes = rows.with_positive(positive).classes
    return list(classes), {classes[1]: column}


def agreed_class(positive: str | None, label: str | None, option: str = "--score") -> str | None:
    """The positive class, as --positive and COLUMN=CLASS say it."""
    if label is not None and positive not in (None, label):
        raise ValueError(f"--positive is {positive!r}, but {option} names {label!r}")
    return positive or label
