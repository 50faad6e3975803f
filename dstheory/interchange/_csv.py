"""CSV: one line per focal set, for spreadsheets."""

import csv
import io
import re
from fractions import Fraction
from typing import Any

import numpy as np

from dstheory._masses import check_mass
from dstheory.checks import masses as checks
from dstheory.errors import DSTheoryError, FrameError
from dstheory.frame import Frame
from dstheory.interchange.numbers import as_fraction, as_written
from dstheory.kernels import bits
from dstheory.mass import MassFunction

_MASS_COLUMN = re.compile(r"mass(_[0-9]+)?")


def to_csv(m: MassFunction) -> str:
    """Write a mass function, or a batch with one axis, as CSV with a line per focal set.

    Parameters
    ----------
    m : MassFunction

    Returns
    -------
    str
        A column of 0 or 1 for each label, then the masses: a column `mass`, or `mass_0`,
        `mass_1`, ... for the rows of a batch.

    Raises
    ------
    DSTheoryError
        If the batch has several axes, or two labels have the same text, or a label has the name of
        a column of masses.
    TypeError
        If a mass is symbolic, or `m` is not a mass function.

    Examples
    --------
    >>> print(to_csv(MassFunction(Frame(["ant", "bee"]), [1, 3], [0.75, 0.25])))
    ant,bee,mass
    1,0,0.75
    1,1,0.25
    """
    if len(check_mass(m).batch_shape) > 1:
        raise DSTheoryError(f"batch shape is {m.batch_shape}; reshape the batch to one axis")
    labels = _csv_labels(m.frame)
    _, masses = as_written(m.masses)
    table = np.array(masses, dtype=object).reshape(-1, len(m.focal)).T
    names = [f"mass_{row}" for row in range(len(m))] if m.batch_shape else ["mass"]
    members = bits.members(m.focal, len(m.frame)).T.astype(int)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*labels, *names])
    writer.writerows([*sets, *row] for sets, row in zip(members.tolist(), table, strict=True))
    return text.getvalue().rstrip("\n")


def from_csv(text: str, frame: Frame | None = None) -> MassFunction:
    """Read a mass function written by `to_csv`, or by a spreadsheet.

    Parameters
    ----------
    text : str
        Semicolons may separate the columns; commas are decimal then.
    frame : Frame, optional
        The frame, whose labels must match the header of the table as text. By default, labels are
        strings.

    Returns
    -------
    MassFunction

    Raises
    ------
    DSTheoryError
        If the text is not such a table (the message names the line), or does not fit `frame`.

    Examples
    --------
    >>> from_csv("ant,bee,mass\\n1,0,1/3\\n1,1,2/3").bel("ant")
    Fraction(1, 3)
    """
    if frame is not None:
        checks.as_frame(frame)
    if not isinstance(text, str):
        raise TypeError(
            f"text is {type(text).__name__}, expected a string of CSV; read the file first"
        )
    text = text.removeprefix("\ufeff")  # the mark of spreadsheets
    lines = _lines(text, ",")
    if lines and len(lines[0]) == 1:  # commas are decimal
        lines = _lines(text, ";")
    if not lines:
        raise DSTheoryError("the text is empty; its first line names labels and masses")
    columns = next((i for i, name in enumerate(lines[0]) if _MASS_COLUMN.fullmatch(name)), 0)
    if columns == 0:
        raise DSTheoryError(f"head {lines[0]} has no labels followed by a column 'mass'")
    labels, names = lines[0][:columns], lines[0][columns:]
    if frame is None and "" in labels:
        raise DSTheoryError(
            f"head {lines[0]} has a column without a name, such as an index; leave it out, or give "
            "the frame if it is a label"
        )
    if frame is not None and labels != [str(label) for label in frame]:
        raise FrameError(f"head has labels {labels}, but the frame is {frame!r}")
    single = names == ["mass"]
    if not single and names != [f"mass_{row}" for row in range(len(names))]:
        raise DSTheoryError(f"columns of masses are {names}, not 'mass' or 'mass_0', 'mass_1', ...")
    rows = [_read_line(line, i, columns, len(lines[0])) for i, line in enumerate(lines[1:], 2)]
    cells = [value for _, values in rows for value in values]
    exact = bool(cells) and all(isinstance(value, Fraction) for value in cells)
    table = np.array(cells, dtype=object if exact else np.float64).reshape(len(rows), len(names))
    masses = table[:, 0] if single else table.T
    return MassFunction(frame or Frame(labels), [mask for mask, _ in rows], masses)


def _lines(text: str, mark: str) -> list[list[str]]:
    try:
        return [line for line in csv.reader(io.StringIO(text, newline=""), delimiter=mark) if line]
    except csv.Error as error:
        raise DSTheoryError(f"the text is not CSV: {error}") from error


def _csv_labels(frame: Frame) -> list[str]:
    labels = [str(label) for label in frame]
    if len(set(labels)) < len(labels):
        raise DSTheoryError(f"two labels of {frame!r} have the same text; rename one")
    for label in labels:
        if _MASS_COLUMN.fullmatch(label):
            raise DSTheoryError(f"label {label!r} is the name of a column of masses; rename it")
    return labels


def _read_line(line: list[str], number: int, columns: int, width: int) -> tuple[int, list[Any]]:
    """Mask and masses of a line, or an error that names it."""
    if len(line) != width:
        raise DSTheoryError(f"line {number} has {len(line)} cells, not {width}")
    if not set(line[:columns]) <= {"0", "1"}:
        raise DSTheoryError(f"line {number} has members {line[:columns]}, not 0 and 1")
    mask = sum(1 << i for i in range(columns) if line[i] == "1")
    return mask, [_read_mass(cell, number) for cell in line[columns:]]


def _read_mass(cell: str, number: int) -> Any:
    try:
        return as_fraction(cell) if "/" in cell else float(cell.replace(",", "."))
    except ValueError as error:
        raise DSTheoryError(f"line {number}: mass {cell!r} is not a number") from error
