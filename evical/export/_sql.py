"""SQL: three expressions of one column, which every database can compute.

The piece of a score is found by nested CASE expressions, a search that takes the logarithm of the
number of pieces. There are no functions, no tables and no types to create, so the text runs
wherever a column can stand.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import ceil, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory.checks.arguments import check_flag, check_instance
from evical.calibrators import BaseCalibrator
from evical.export._compile import compiled
from evical.export._dialects import Dialect, dialect_of, number
from evical.export._inputs import check_binary, check_size, heading
from evical.export._table import COLUMNS, PieceTable, of_both_classes, previous_float
from evical.scores.checks import label_list
from evical.scores.names import ENDS, belief_names, check_cases

_FAN = 12  # ways to go at each step, at most
# Lines with no greater values at the score 0 are written without a center, to that many places.
_PLAIN, _PLACES = 1e2, 9
_JUMP = 1e-6  # at which a piece must begin at the very float
_Leaf = tuple[str, str]  # where it begins, and its expression


def to_sql(
    calibrator: BaseCalibrator,
    column: str,
    dialect: str = "duckdb",
    max_bytes: int | None = 1_000_000,
    *,
    prefix: str = "",
    class_columns: bool = False,
    level: float | None = None,
) -> str:
    """Belief, plausibility and probability as columns of a SELECT.

    Parameters
    ----------
    calibrator : fitted calibrator
        Of one score.
    column : str
        Name of the column of scores, as the database knows it; it is quoted.
    dialect : {"duckdb", "sqlite", "postgres", "spark", "bigquery"}
    max_bytes : int, optional
        How long the text may be; None for any length.
    prefix : str
        Of the names of the new columns.
    class_columns : bool
        Whether there are columns of both classes with the class in the name, as `predict_table` and
        the command line write them.
    level : float, optional
        Of the confidence interval of the probability, which adds the columns ``lower`` and
        ``upper``, see `predict_interval`.

    Returns
    -------
    str
        Three expressions with the names ``bel``, ``pl`` and ``betp``, of the positive class; or
        six, such as ``bel_no``, ``pl_no``, ``p_no``, ``bel_yes``, ``pl_yes`` and ``p_yes``. Before
        them is a comment that states their error: none for steps, at most 1e-7 for curves. They are
        NULL where the score is NULL, NaN, infinite, or no score that the calibrator takes.

    Raises
    ------
    TypeError
        If `calibrator` is not a calibrator of one score, or `column` not a text.
    ValueError
        For an unknown dialect, an empty name, or a text that is too long; for classes whose columns
        would have the same name, or one that differs in case only where the database ignores it.
    ConvergenceError
        If no polynomials are that accurate.
    sklearn.exceptions.NotFittedError
        Before `fit`.

    Examples
    --------
    >>> from evical.calibrators import BinningCalibrator
    >>> fitted = BinningCalibrator(n_bins=2, model="dempster")
    >>> fitted = fitted.fit([0.0, 0.25, 0.75, 1.0], [0, 0, 0, 1])
    >>> print(to_sql(fitted, "score"))
    /* BinningCalibrator of evical 0.1.0: bel, pl, betp of class 1; 2 pieces, error none */
    CASE WHEN "score">=-1.7976931348623157e+308 AND "score"<=1.7976931348623157e+308 THEN
    CASE WHEN "score"<0.5e0 THEN 0e0 ELSE 0.3333333333333333e0 END END AS bel,
    CASE WHEN "score">=-1.7976931348623157e+308 AND "score"<=1.7976931348623157e+308 THEN
    CASE WHEN "score"<0.5e0 THEN 0.33333333333333337e0 ELSE 0.6666666666666667e0 END END AS pl,
    CASE WHEN "score">=-1.7976931348623157e+308 AND "score"<=1.7976931348623157e+308 THEN
    CASE WHEN "score"<0.5e0 THEN 0.16666666666666669e0 ELSE 0.5e0 END END AS betp
    """
    check_binary(calibrator)
    check_instance("column", column, str, "the name of a column")
    if not column or "\0" in column:
        raise ValueError(f"column is {column!r}, expected the name of a column")
    check_instance("prefix", prefix, str, "a text")
    check_flag("class_columns", class_columns)
    form = dialect_of(dialect)
    table = compiled(calibrator, level=level)
    note = heading(calibrator, table)
    if class_columns:
        names = class_names(calibrator.classes_, dialect, prefix, intervals=level is not None)
        table = of_both_classes(table)
    else:
        plain = COLUMNS if level is None else (*COLUMNS, *ENDS)
        names = [form.quoted(prefix + name) if prefix else name for name in plain]
    text = sql_text(table, note, form.quoted(column), form, names)
    check_size(len(text.encode()), max_bytes, "SQL", f"{len(table)} pieces")
    return text


def class_names(
    classes: NDArray[Any], dialect: str, prefix: str = "", *, intervals: bool = False
) -> list[str]:
    """Quoted names of columns of all classes, as `belief_names` has them.

    Raises ValueError for names that differ in case only, unless the database tells them apart.
    """
    names = belief_names(label_list(classes), prefix, intervals=intervals)
    if dialect != "postgres":
        check_cases(names, dialect, "rename a class")
    return list(map(dialect_of(dialect).quoted, names))


def sql_text(
    table: PieceTable, note: str, x: str, form: Dialect, names: Sequence[str] = COLUMNS
) -> str:
    """The columns of a table at an expression `x`, after a comment."""
    items = [f"{_expression(table, row, x, form)} AS {name}" for row, name in enumerate(names)]
    return f"/* {note} */\n" + ",\n".join(items)


def _expression(table: PieceTable, row: int, x: str, form: Dialect) -> str:
    """One column, NULL for what is no score."""
    conditions = [f"{x}>={form.exact(table.low)}", f"{x}<={form.exact(table.high)}"]
    if form.guard:
        conditions.insert(0, form.guard.format(x=x))
    found = search_sql(_leaves(table, row, x, form), x)
    text = f"CASE WHEN {' AND '.join(conditions)} THEN\n{found} END"
    return f"CAST({text} AS {form.double})" if form.double else text


def _leaves(table: PieceTable, row: int, x: str, form: Dialect) -> list[_Leaf]:
    """Starts of pieces with their expressions; equal neighbors are one."""
    before, after = (table(at)[row] for at in (previous_float(table.starts), table.starts))
    exact = (np.abs(after - before) > _JUMP) | (table.degree == 0)
    starts = [
        form.exact(start) if jumps else number(start)
        for start, jumps in zip(table.starts.tolist(), exact.tolist(), strict=True)
    ]
    leaves: list[_Leaf] = []
    for piece, start in enumerate(["", *starts]):
        text = _polynomial(table, row, piece, x, form)
        if not leaves or leaves[-1][1] != text:
            leaves.append((start, text))
    return leaves


def search_sql(leaves: list[_Leaf], x: str) -> str:
    """Nested CASE expressions that find the last leaf that begins at or before the score."""
    if len(leaves) == 1:
        return leaves[0][1]
    # Few steps with as many ways at each: most of the text is CASE and END otherwise.
    steps = ceil(log(len(leaves)) / log(_FAN))
    fan = ceil(len(leaves) ** (1 / steps))
    cuts = sorted({len(leaves) * k // fan for k in range(fan)} | {len(leaves)})
    parts = [leaves[a:b] for a, b in pairwise(cuts)]
    ways = [f"WHEN {x}<{later[0][0]} THEN {search_sql(part, x)}" for part, later in pairwise(parts)]
    return f"CASE {' '.join(ways)} ELSE {search_sql(parts[-1], x)} END"


def _polynomial(table: PieceTable, row: int, piece: int, x: str, form: Dialect) -> str:
    """Horner's scheme in the distance from the center."""
    coefficients = table.coefficients[row, :, piece].tolist()
    while len(coefficients) > 1 and coefficients[-1] == 0.0:
        coefficients.pop()
    if len(coefficients) == 1:
        return form.exact(coefficients[0])
    center, factor = float(table.centers[piece]), float(table.factors[piece])
    if len(coefficients) == 2 and abs(center * coefficients[1]) < _PLAIN and factor == 1.0:
        coefficients[0] = round(coefficients[0] - center * coefficients[1], _PLACES)
        center = 0.0
    t = _distance(center, factor, x)
    *lower, last = coefficients
    text = number(last)
    for value in reversed(lower):
        text = f"({number(value)}+{t}*{text})"
    return text[1:-1]


def _distance(center: float, factor: float, x: str) -> str:
    sign = "-" if center > 0 else "+"
    text = f"({x}{sign}{number(abs(center))})" if center else x
    return text if factor == 1.0 else f"({text}*{number(factor)})"
