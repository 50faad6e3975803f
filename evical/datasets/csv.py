"""CSV files into numbers, or an error that names the column and the row.

A column is numeric, or text throughout; text is one-hot encoded. The first lines show what stands
between values and in decimals; nothing else is guessed, and nothing is repaired: a stray text in a
numeric column, a missing value or a ragged row is refused with its place.
"""

import math
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dstheory.checks.arguments import check_choice, check_instance, did_you_mean
from evical._delimited import DelimitedText
from evical.datasets._dataset import Dataset

# How missing values are commonly written ("?" is the custom of the UCI repository).
MISSING = frozenset({"", "?", "na", "n/a", "nan", "null"})
_BLOCK = 1 << 20  # characters
# More different texts than this are names or free text, not categories.
MAX_CATEGORIES = 100
# Columns (n, k) of numbers that one of a file becomes, with their names.
Columns = tuple[NDArray[np.float64], list[str]]
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")


def load_csv(
    path: str | Path, target: str, missing: Literal["refuse", "encode"] = "refuse"
) -> Dataset:
    """Read a data set from a CSV file with a header row.

    Parameters
    ----------
    path : str or Path
        A text with commas, semicolons or tabs between the values, and decimal points or commas, as
        the first lines show; in UTF-8 or UTF-16. ``.gz`` is unpacked.
    target : str
        Name of the column that holds the class.
    missing : {"refuse", "encode"}
        What to do with missing features. "encode" makes them a category of their own in a
        column of texts; in one of numbers it puts the median there, and adds a column
        ``column=missing`` of 0 and 1. A missing class is refused.

    Returns
    -------
    Dataset
        Named like the file. Classes ascend, as numbers if all are numbers.

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        If it is not a table, has no such column or no features, or holds a missing value, a
        text among numbers, or two ways to write decimals; column and line of the file are named.

    Notes
    -----
    Columns that hold text throughout are one-hot encoded, as ``column=text``. The values
    ``""``, ``?``, ``NA``, ``N/A``, ``NaN`` and ``null``, in any case, count as missing.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "pets.csv")
    ...     _ = file.write_text("weight,color,kind\\n4,red,cat\\n9,black,dog\\n")
    ...     data = load_csv(file, target="kind")
    >>> data
    Dataset(pets: 2 samples, 3 features, classes cat 1, dog 1)
    >>> data.feature_names
    ('weight', 'color=black', 'color=red')
    """
    check_instance("path", path, (str, os.PathLike), "the path of a file")
    check_instance("target", target, str, "the name of a column")
    path = Path(path)
    lines, values = read_table(path, target)
    check_choice("missing", missing, ("refuse", "encode"))
    for name, column in values.items():
        if missing == "refuse" or name == target:
            refuse_missing(path, name, column, lines)
    labels = values.pop(target)
    columns = {name: _encoded(path, name, column, lines) for name, column in values.items()}
    return dataset_of(path, columns, labels)


def read_table(path: Path, target: str) -> tuple[list[int], dict[str, list[str]]]:
    """Line number of each row, and the columns as text; `target` and another one are there."""
    with path.open("rb") as file:
        text = DelimitedText(file, path.name, ",")
        header, blocks = text.header, list(text.blocks(_BLOCK))
    if not blocks:
        raise ValueError(f"{path.name} has a header but no data rows")
    if target not in header:
        raise ValueError(f"{path.name} has no column {target!r}{_hint(target, header)}")
    if len(header) == 1:
        raise ValueError(f"{path.name} has no column besides {target!r}, but features are needed")
    lines = [line for block in blocks for line in block.lines]
    rows = (cells for block in blocks for cells in block.cells())
    columns = ([value.strip() for value in column] for column in zip(*rows, strict=True))
    found = dict(zip(header, columns, strict=True))
    if text.decimal == ",":
        for name in found.keys() - {target}:
            found[name] = _with_points(path, name, found[name], lines)
    return lines, found


def _with_points(path: Path, name: str, column: list[str], lines: list[int]) -> list[str]:
    """The numbers of a column with decimal points; other texts as they are."""
    for value, line in zip(column, lines, strict=True):
        if "." in value and _number(value) is not None:
            raise ValueError(
                f"{path.name}, line {line}, column {name!r}: found {value!r}, but decimals of this "
                "file are commas"
            )
    return [v.replace(",", ".") if _DECIMAL_COMMA.fullmatch(v) else v for v in column]


def dataset_of(path: Path, columns: Mapping[str, Columns], labels: list[str]) -> Dataset:
    """The data set of a file, of which each column has become some."""
    class_names = sorted_labels(labels)
    position = {label: i for i, label in enumerate(class_names)}
    return Dataset(
        name=path.name.removesuffix(".gz").removesuffix(".csv"),
        X=np.concatenate([block for block, _ in columns.values()], axis=1),
        y=np.array([position[label] for label in labels], dtype=np.intp),
        feature_names=tuple(name for _, names in columns.values() for name in names),
        class_names=tuple(class_names),
        encoded=tuple(name for name, (_, names) in columns.items() if names[0] != name),
    )


def _encoded(path: Path, name: str, column: list[str], lines: list[int]) -> Columns:
    """As `feature_columns`, and with what is missing encoded."""
    missing = np.array([value.lower() in MISSING for value in column])
    if not missing.any():
        return feature_columns(path, name, column, lines)
    if missing.all():
        raise ValueError(f"{path.name}, column {name!r}: all values are missing; drop the column")
    rows = np.flatnonzero(~missing)
    known = [column[row] for row in rows]
    if all(_number(value) is None for value in known):
        texts = ["missing" if gap else text for text, gap in zip(column, missing, strict=True)]
        return _one_hot(path, name, texts)
    block, _ = feature_columns(path, name, known, [lines[row] for row in rows])
    filled = np.full((len(column), 2), np.median(block))
    filled[rows, 0], filled[:, 1] = block[:, 0], missing
    return filled, [name, f"{name}=missing"]


def feature_columns(path: Path, name: str, column: list[str], lines: list[int]) -> Columns:
    """Columns (n, k) of numbers with their names: the numbers, or the one-hot encoding."""
    read = {value: _number(value) for value in set(column)}
    if all(number is None for number in read.values()):
        return _one_hot(path, name, column)
    wrong = {value for value, number in read.items() if number is None or not math.isfinite(number)}
    for value, line in zip(column, lines, strict=True) if wrong else ():
        if read[value] is None:
            raise ValueError(
                f"{path.name}, line {line}, column {name!r}: {value!r} is not a number, "
                "but other rows of this column are; correct it or drop the column"
            )
        if value in wrong:
            raise ValueError(f"{path.name}, line {line}, column {name!r}: {value!r} is not finite")
    return np.array([read[value] for value in column], dtype=np.float64)[:, np.newaxis], [name]


def _one_hot(path: Path, name: str, column: list[str]) -> Columns:
    texts = sorted(set(column))
    if all(_DECIMAL_COMMA.fullmatch(text) for text in texts):
        raise ValueError(
            f"{path.name}, column {name!r}: values such as {column[0]!r} look like numbers with "
            "decimal commas; write decimal points"
        )
    if len(texts) > MAX_CATEGORIES:
        raise ValueError(
            f"{path.name}, column {name!r}: {len(texts)} different texts are too many categories "
            f"(at most {MAX_CATEGORIES}); drop the column"
        )
    table = np.array(column)[:, np.newaxis] == np.array(texts)
    return table.astype(np.float64), [f"{name}={text}" for text in texts]


def refuse_missing(path: Path, name: str, column: list[str], lines: list[int]) -> None:
    missing = {value for value in set(column) if value.lower() in MISSING}
    for value, line in zip(column, lines, strict=True) if missing else ():
        if value in missing:
            raise ValueError(
                f"{path.name}, line {line}, column {name!r}: the value is missing ({value!r}); "
                "fill it in, or drop the row or the column"
            )


def _number(text: str) -> float | None:
    if "_" in text:  # which Python would skip between digits, but 1_000 may well be a code
        return None
    try:
        return float(text)
    except ValueError:
        return None


def sorted_labels(found: Iterable[str]) -> list[str]:
    """Different labels, ascending: as numbers if all are, else as text."""
    labels = set(found)
    numbers = {label: _number(label) for label in labels}
    return (
        sorted(labels, key=lambda label: (numbers[label] or 0.0, label))
        if all(number is not None for number in numbers.values())
        else sorted(labels)
    )


def _hint(target: str, header: list[str]) -> str:
    meant = did_you_mean(target, header)
    if meant:
        return meant
    shown = ", ".join(repr(name) for name in header[:8])
    return f"; its columns are {shown}{', ...' if len(header) > 8 else ''}"
