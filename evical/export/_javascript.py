"""JavaScript: a module without dependencies, for browsers and servers."""

import json
from pathlib import Path
from typing import Any

from dstheory import Frame
from dstheory.checks.arguments import check_flag
from evical.calibrators import BaseCalibrator
from evical.export._compile import compiled
from evical.export._inputs import check_binary, check_size, heading
from evical.export._table import PieceTable
from evical.scores.names import belief_names


def to_javascript(
    calibrator: BaseCalibrator,
    max_bytes: int | None = 1_000_000,
    *,
    class_columns: bool = False,
    level: float | None = None,
) -> str:
    """A module of JavaScript that predicts.

    Parameters
    ----------
    calibrator : fitted calibrator
        Of one score.
    max_bytes : int, optional
        How long the text may be; None for any length.
    class_columns : bool
        Whether there is a function that returns beliefs in both classes by name.
    level : float, optional
        Of the confidence interval of the probability, see `predict_interval`; ``beliefs`` then
        returns ``[bel, pl, betp, lower, upper]``.

    Returns
    -------
    str
        A module (ES2015) that exports ``classes``, the negative and the positive one, and the
        function ``beliefs(score)``, which returns ``[bel, pl, betp]`` of the positive class, or
        null where the score is not a finite number, or none that the calibrator takes. With
        `class_columns` also ``namedBeliefs(score)``, which returns an object with the names that
        `predict_table` gives to columns, such as ``bel_yes``, or null. A comment states the error:
        none for steps, at most 1e-7 for curves.

    Raises
    ------
    TypeError
        If `calibrator` is not a calibrator of one score.
    ValueError
        If the text is too long, or the columns of both classes would have the same name.
    ConvergenceError
        If no polynomials are that accurate.
    sklearn.exceptions.NotFittedError
        Before `fit`.

    Examples
    --------
    >>> from evical.calibrators import BinningCalibrator
    >>> fitted = BinningCalibrator(n_bins=2, model="dempster")
    >>> fitted = fitted.fit([0.0, 0.25, 0.75, 1.0], [0, 0, 0, 1])
    >>> print(to_javascript(fitted)[:147])
    /* BinningCalibrator of evical 0.1.0: bel, pl, betp of class 1; 2 pieces, error none */
    export const classes = [0, 1];
    const LOW = -1.7976931348623
    """
    check_flag("class_columns", class_columns)
    check_binary(calibrator)
    table = compiled(calibrator, level=level)
    labels = list(Frame(calibrator.classes_).labels)
    text = javascript_text(table, heading(calibrator, table), labels)
    if class_columns:
        names = json.dumps(belief_names(labels, intervals=level is not None))
        text += f"\nconst COLUMNS = {names};\n\n{_program('named_beliefs')}"
    check_size(len(text.encode()), max_bytes, "JavaScript", f"{len(table)} pieces")
    return text


def javascript_text(table: PieceTable, note: str, classes: list[Any]) -> str:
    """The module of a table."""
    pieces = ",\n".join(_piece(table, piece) for piece in range(len(table)))
    return (
        f"/* {note} */\n"
        f"export const classes = {json.dumps(classes, default=str)};\n"
        f"const LOW = {table.low!r}, HIGH = {table.high!r};\n"
        f"const STARTS = {_compact(table.starts.tolist())};\n"
        f"const PIECES = [\n{pieces}];\n\n{_program('beliefs')}"
    )


def _program(name: str) -> str:
    """A function of JavaScript that reads the constants of a table."""
    return Path(__file__).with_name(f"{name}.mjs").read_text(encoding="utf-8")


def _piece(table: PieceTable, piece: int) -> str:
    """The columns, with the center and the factor where they matter."""
    columns = []
    for row in table.coefficients[:, :, piece].tolist():
        while len(row) > 1 and row[-1] == 0.0:
            row.pop()
        columns.append(row)
    if max(map(len, columns)) == 1:
        return _compact([columns])
    center, factor = float(table.centers[piece]), float(table.factors[piece])
    return _compact([columns, center] if factor == 1.0 else [columns, center, factor])


def _compact(numbers: list[Any]) -> str:
    return json.dumps(numbers, separators=(",", ":"), allow_nan=False)
