"""Fusion in SQL: several calibrated scores of one table, combined by Dempster's rule."""

from collections.abc import Mapping, Sequence
from typing import Any

from dstheory.checks.arguments import as_sequence, check_flag, check_instance
from evical.export._dialects import dialect_of
from evical.export._inputs import check_binary
from evical.export._sql import class_names, to_sql
from evical.export._table import COLUMNS
from evical.export.dempster_sql import LEAST_AGREEMENT, dempster_query

__all__ = ["fusion_to_sql"]


def fusion_to_sql(
    calibrators: Mapping[str, Any],
    table: str,
    dialect: str = "duckdb",
    *,
    keep: Sequence[str] = (),
    class_columns: bool = False,
) -> str:
    """Beliefs from several scores of a table, combined by Dempster's rule, as one query.

    Parameters
    ----------
    calibrators : mapping of str to fitted calibrator
        Two or more, each of one score and of the same two classes, by the column of the score.
    table : str
        Name of the table; it is quoted.
    dialect : {"duckdb", "sqlite", "postgres", "spark", "bigquery"}
    keep : sequence of str
        Columns of the table that stand before the new ones.
    class_columns : bool
        Whether there are columns of both classes with the class in the name, as of `to_sql`.

    Returns
    -------
    str
        A SELECT with the columns ``bel``, ``pl`` and ``betp`` of the positive class, or those of
        both classes. Each source may have an error as `to_sql` states it. They are NULL where a
        score is none, where sources contradict each other totally, which has no result, and where
        they agree by less than 1e-290, which products of floats do not resolve.

    Raises
    ------
    TypeError
        If a calibrator is none of one score, or a name no text.
    ValueError
        For fewer than two calibrators, other classes, or an unknown dialect; for names of columns
        as `to_sql`.
    ConvergenceError, sklearn.exceptions.NotFittedError
        As `to_sql`.

    See Also
    --------
    to_sql : one score, as expressions.

    Examples
    --------
    >>> import sqlite3
    >>> from evical.calibrators import BinningCalibrator
    >>> one = BinningCalibrator(2, model="dempster").fit([0.0, 0.25, 0.75, 1.0], [0, 0, 0, 1])
    >>> query = fusion_to_sql({"svm": one, "tree": one}, "scores", "sqlite", keep=["id"])
    >>> base = sqlite3.connect(":memory:")
    >>> _ = base.execute("CREATE TABLE scores (id, svm, tree)")
    >>> _ = base.execute("INSERT INTO scores VALUES (7, 0.75, 1.0), (8, 0.75, NULL)")
    >>> [[row[0], *(value and round(value, 3) for value in row[1:])] for row in base.execute(query)]
    [[7, 0.429, 0.571, 0.5], [8, None, None, None]]
    >>> base.close()
    """
    check_instance("calibrators", calibrators, Mapping, "calibrators by column of the score")
    if len(calibrators) < 2:
        raise ValueError(f"calibrators are {len(calibrators)}, expected two or more to combine")
    check_flag("class_columns", class_columns)
    form = dialect_of(dialect)
    keep = as_sequence(keep, "keep", "names of columns")
    for name in (table, *keep):
        check_instance("table and keep", name, str, "names")
    classes = {}
    for column, calibrator in calibrators.items():
        check_binary(calibrator)
        classes[column] = calibrator.classes_.tolist()
    first = next(iter(classes))
    for column, labels in classes.items():
        if labels != classes[first]:
            raise ValueError(
                f"the classes of column {column!r} are {labels}, but those of {first!r} are "
                f"{classes[first]}; fit all to the same classes"
            )
    prefix = "evical_"
    while any(name.lower().startswith(prefix) for name in (*calibrators, *keep)):
        prefix = f"_{prefix}"
    columns, sources = [], []
    for i, (column, calibrator) in enumerate(calibrators.items()):
        columns.append(to_sql(calibrator, column, dialect, None, prefix=f"{prefix}{i}_"))
        bel, pl = (form.quoted(f"{prefix}{i}_{name}") for name in ("bel", "pl"))
        sources.append((bel, pl))
    query = ",\n".join([*map(form.quoted, keep), *columns])
    query, m = dempster_query(
        f"SELECT {query}\nFROM {form.quoted(table)}",
        sources,
        lambda name: form.quoted(prefix + name),
    )
    sides = (m.no, m.yes) if class_columns else (m.yes,)
    made = [
        text for own in sides for text in (own, f"({own} + {m.both})", f"({own} + {m.both} / 2)")
    ]
    names = class_names(calibrators[first], dialect) if class_columns else COLUMNS
    new = [
        f"CASE WHEN {m.agreement} >= {LEAST_AGREEMENT} THEN {value} / {m.agreement} END AS {name}"
        for name, value in zip(names, made, strict=True)
    ]
    return f"SELECT {', '.join([*map(form.quoted, keep), *new])}\nFROM ({query}) AS q"
