"""Tables with a score for each class: which column is whose, and the rows as arrays."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evical.calibrators.options import suggestion
from evical.cli._kinds import Kind
from evical.cli._missing import complete_rows, optional_kinds, tell_missing
from evical.cli._progress import watch
from evical.cli._tables import Table

__all__ = ["ClassRows", "class_columns", "named_classes", "read_class_rows"]

# What stands between a prefix such as p and the name of a class.
_SEPARATORS = "_-. :"


@dataclass(frozen=True, eq=False)
class ClassRows:
    """Columns of numbers (n,), labels (n,) as texts, and how many rows had no number."""

    columns: dict[str, NDArray[np.float64]]
    labels: NDArray[Any]
    missing: int


def named_classes(scores: Sequence[str], header: Sequence[str]) -> dict[str, str | None]:
    """Columns of `--score COLUMN` or `--score COLUMN=CLASS`, with the class if it is named."""
    found: dict[str, str | None] = {}
    for text in scores:
        column, equals, label = text.rpartition("=")
        if text in header or not equals:
            column, label = text, ""
        if column in found:
            raise ValueError(f"--score {column} is given twice; each class has a column of its own")
        found[column] = label or None
    return found


def class_columns(named: Mapping[str, str | None], classes: Sequence[str]) -> dict[str, str]:
    """Class to column, in the order of the classes.

    A column is that of the class that it is named for: p_cat, score.cat or cat of the class cat.
    Raises ValueError unless each class has one column, and each column a class.
    """
    owners = {column: label or _class_of(column, classes) for column, label in named.items()}
    for column, label in owners.items():
        if label not in classes:
            what = f"no class {label!r}" if label else f"no class for column {column!r}"
            hint = suggestion(label or column, classes, "classes")
            raise ValueError(f"there is {what}{hint}; write --score COLUMN=CLASS")
    for label in classes:
        mine = [column for column, owner in owners.items() if owner == label]
        if len(mine) != 1:
            what = f"columns {', '.join(mine)}" if mine else "no column"
            raise ValueError(
                f"class {label!r} has {what}, expected one score a class; write --score "
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


def read_class_rows(
    table: Table, kinds: Mapping[str, Kind], target: str, missing: str
) -> ClassRows:
    """Columns of an open table with the class of each row; `missing` is "refuse", or "drop".

    Raises ValueError as `read_table`, or if no row is left.
    """
    parts: list[dict[str, NDArray[Any]]] = []
    rows = 0
    for chunk in watch(table, {**optional_kinds(kinds, missing), target: "label"}, "Reading"):
        rows += len(chunk)
        complete = complete_rows(chunk.columns[name] for name in kinds)
        kept = complete if missing == "drop" else slice(None)
        parts.append({name: values[kept] for name, values in chunk.columns.items()})
    columns = {
        name: np.concatenate([part.pop(name) for part in parts]) for name in (*kinds, target)
    }
    labels = columns.pop(target)
    if not len(labels):
        raise ValueError(f"{table.name}: each of {rows} rows lacks a number; nothing is left")
    lacking = (
        rows - len(labels) if missing == "drop" else int((~complete_rows(columns.values())).sum())
    )
    tell_missing(table.name, lacking, rows, missing)
    return ClassRows(columns, np.asarray(labels.tolist()), lacking)
