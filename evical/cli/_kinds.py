"""Kinds of columns of a table, and the check of each value.

A kind turns the texts of a column into an array, or refuses the first wrong value with its
place, the value, and what was expected. Nothing is guessed and nothing is repaired.

Rows in which a number or a class is missing: refused, left out, or taken as vacuous beliefs.

A missing score carries no evidence. That is the vacuous belief, Bel = 0 and Pl = 1, which changes
nothing under Dempster's rule.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import typer
from numpy.typing import NDArray

from evical.datasets.csv import MISSING

Kind = Literal[
    "score",
    "probability",
    "weight",
    "label",
    "key",
    "text",
    "score or none",
    "probability or none",
    "label or none",
]
# Where a row stands, for a message: row 0 to "scores.csv, line 2".
Place = Callable[[int], str]


def among(place: Place, rows: NDArray[np.intp]) -> Place:
    """Where some of the rows of a chunk stand, by their numbers among them."""
    return lambda row: place(int(rows[row]))


_EXPECTED: dict[Kind, str] = {
    "score": "a score is a finite number",
    "probability": "a probability or belief is a number from 0 to 1",
    "weight": "a weight is a finite number, 0 or more",
    "label": "a class is needed",
    "key": "a key is needed",
    "text": "a text is needed",
}
# Kinds whose values may be missing, which is NaN then, or "", and the kind of the others.
_OR_NONE: dict[Kind, Kind] = {
    "score or none": "score",
    "probability or none": "probability",
    "label or none": "label",
}
_DECIMAL_COMMA = re.compile(r"\s*[+-]?\d*,\d+\s*")


def convert(values: Sequence[str], kind: Kind, column: str, place: Place) -> NDArray[Any]:
    """Array (n,) of a column: float64 for the kinds of numbers, else Python strings.

    Labels lose the spaces around them; keys and texts are kept as they are.
    """
    if kind in _OR_NONE:
        known = [value if value.strip().lower() not in MISSING else "0" for value in values]
        found = convert(known, _OR_NONE[kind], column, place)
        lacking = [value is not given for value, given in zip(known, values, strict=True)]
        found[lacking] = "" if found.dtype == object else np.nan
        return found
    if kind in ("key", "text"):
        if kind == "key" and "" in values:
            refuse_missing(values.index(""), "", kind, column, place)
        return _strings(values)
    if kind == "label":
        if "\0" in "".join(values):
            row = next(i for i, value in enumerate(values) if "\0" in value)
            raise ValueError(
                f"{place(row)}, column {column!r}: {values[row]!r} holds a null character, which "
                "cannot be in a class; is the file damaged?"
            )
        labels = [value.strip() for value in values]
        missing = {label for label in set(labels) if label.lower() in MISSING}
        if missing:
            row = next(i for i, label in enumerate(labels) if label in missing)
            refuse_missing(row, labels[row], kind, column, place)
        return _strings(labels)
    return check_numbers(_numbers(values, kind, column, place), kind, column, place, values)


def with_points(values: Sequence[str], kind: Kind, column: str, place: Place) -> Sequence[str]:
    """Numbers of a table with decimal commas as with decimal points; other texts as they are."""
    plain = _OR_NONE.get(kind, kind)
    if plain in ("label", "key", "text"):
        return values
    if "." in "".join(values):
        row = next(row for row, value in enumerate(values) if "." in value)
        raise ValueError(
            f"{place(row)}, column {column!r}: found {values[row]!r}, but decimals of this table "
            "are commas; correct it, or give --decimal"
        )
    return [value.replace(",", ".") for value in values]


def expected(kind: Kind) -> str:
    """What a value of the kind is, for a message."""
    return _EXPECTED[_OR_NONE.get(kind, kind)]


def may_be_none(kind: Kind) -> bool:
    """Whether values of the kind may be missing."""
    return kind in _OR_NONE


def or_none(kind: Kind) -> Kind:
    """The kind of numbers of which some may be missing."""
    return next((optional for optional, plain in _OR_NONE.items() if plain == kind), kind)


def check_numbers(
    numbers: NDArray[np.float64],
    kind: Kind,
    column: str,
    place: Place,
    values: Sequence[Any] | None = None,
) -> NDArray[np.float64]:
    """The numbers, if all are of the kind; `values` is how they were written."""
    if kind in _OR_NONE:
        missing = np.isnan(numbers)
        known = check_numbers(np.where(missing, 0.0, numbers), _OR_NONE[kind], column, place)
        return np.where(missing, np.nan, known)
    bad = ~np.isfinite(numbers)
    if kind != "score":
        bad |= numbers < 0
    if kind == "probability":
        bad |= numbers > 1
    if bad.any():
        row = int(np.argmax(bad))
        value = numbers[row].item() if values is None else values[row]
        if isinstance(value, str) and value.strip().lower() in MISSING:
            refuse_missing(row, value, kind, column, place)
        raise ValueError(f"{place(row)}, column {column!r}: found {value!r}, but {expected(kind)}")
    return numbers


def refuse_missing(row: int, value: str, kind: Kind, column: str, place: Place) -> None:
    """Raise for a value that stands for none."""
    other = ""
    if kind in _OR_NONE.values():
        other = ", or give --missing drop" if kind == "label" else ", or see --missing"
    raise ValueError(
        f"{place(row)}, column {column!r}: the value is missing ({value!r}), but {expected(kind)}; "
        f"fill it in or drop the row{other}"
    )


def _strings(values: Sequence[str]) -> NDArray[Any]:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _numbers(values: Sequence[str], kind: Kind, column: str, place: Place) -> NDArray[np.float64]:
    together = "".join(values)
    # Python reads 1_000 and digits of all scripts as numbers; here they are more likely codes.
    if "_" not in together and together.isascii():
        try:
            return np.array(list(map(float, values)), dtype=np.float64)
        except ValueError:
            pass
    numbers = np.empty(len(values))
    for row, value in enumerate(values):
        number = _number(value)
        if number is None:
            # An earlier row may be wrong as a number, and the first wrong one is named.
            check_numbers(numbers[:row], kind, column, place, values)
            _refuse_text(row, value, kind, column, place)
        else:
            numbers[row] = number
    return numbers


def _number(text: str) -> float | None:
    if "_" in text or not text.isascii():
        return None
    try:
        return float(text)
    except ValueError:
        return None


def _refuse_text(row: int, value: str, kind: Kind, column: str, place: Place) -> None:
    if value.strip().lower() in MISSING:
        refuse_missing(row, value, kind, column, place)
    comma = (
        "; write a decimal point, or give --decimal ," if _DECIMAL_COMMA.fullmatch(value) else ""
    )
    shown = repr(value if len(value) <= 40 else f"{value[:40]}...")
    raise ValueError(
        f"{place(row)}, column {column!r}: {shown} is not a number, but {expected(kind)}{comma}"
    )


_MEANING = {
    "drop": "have no number, or no class; they are left out",
    "vacuous": "have no number; they are taken as bel 0 and pl 1",
    "no_class": "have no class; they are left out",
}


def optional_kinds(columns: Mapping[str, Kind], missing: str) -> dict[str, Kind]:
    """Kinds of columns, with missing numbers allowed unless they are refused."""
    return {name: kind if missing == "refuse" else or_none(kind) for name, kind in columns.items()}


def label_kind(missing: str) -> Kind:
    """Kind of the column of classes: rows without one are left out if that is asked for."""
    return or_none("label") if missing == "drop" else "label"


def complete_rows(columns: Iterable[NDArray[Any]]) -> NDArray[np.bool_]:
    """Rows (n,) in which no number is missing."""
    return np.asarray(np.logical_and.reduce([~np.isnan(values) for values in columns]))


def tell_missing(name: str, count: int, rows: int, missing: str) -> None:
    """Report the number of such rows on standard error."""
    if count:
        typer.echo(f"evical: {name}: {count} of {rows} rows {_MEANING[missing]}", err=True)
