"""Fusion in SQL: several calibrated scores of one table, combined by Dempster's rule.

A source with [Bel, Pl] = [b, p] has the masses b, 1 - p and p - b. Products with those of the next
source are added up (Shafer 1976, ch. 3), and divided at the end by what is not conflict. No term is
a difference of products, so that also small agreement is exact, down to `LEAST_AGREEMENT`. Below, a
product may have left the range of floats that a later source would have made the greater one.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from dstheory.checks.arguments import as_sequence, check_flag, check_instance
from evical.export._dialects import dialect_of
from evical.export._inputs import check_binary
from evical.export._sql import class_names, to_sql
from evical.export._table import COLUMNS

LEAST_AGREEMENT = "1e-290"

_FIRST = "SELECT *, {b} AS {yes}, 1 - {p} AS {no}, {p} - {b} AS {both}, 0e0 AS {empty}"
# Products of the masses so far with those of the next source.
_STEP = (
    "SELECT *, {yes_} * {p} + {both_} * {b} AS {yes}, "
    "{no_} * (1 - {b}) + {both_} * (1 - {p}) AS {no}, {both_} * ({p} - {b}) AS {both}, "
    "{empty_} + {yes_} * (1 - {p}) + {no_} * {b} AS {empty}"
)
_MASSES = ("yes", "no", "both", "empty")


class Masses(NamedTuple):
    """Columns of masses that are not normalized, and of the sum of all but conflict."""

    yes: str
    no: str
    both: str
    empty: str
    agreement: str


def dempster_query(
    query: str, sources: Sequence[tuple[str, str]], name: Callable[[str], str]
) -> tuple[str, Masses]:
    """A query with the masses of the combination in further columns.

    Parameters
    ----------
    query : str
        With columns of belief and plausibility.
    sources : sequence of pairs of str
        These columns, of each source.
    name : callable
        From the name of a new column to how it is written.

    Returns
    -------
    query : str
    masses : Masses
        Its new columns.

    Examples
    --------
    >>> query, masses = dempster_query("SELECT 0.5 AS b, 0.75 AS p", [("b", "p")], str.upper)
    >>> print(query)
    SELECT *, (YES0 + BOTH0) + NO0 AS AGREEMENT
    FROM (SELECT *, b AS YES0, 1 - p AS NO0, p - b AS BOTH0, 0e0 AS EMPTY0
    FROM (SELECT 0.5 AS b, 0.75 AS p) AS q) AS q
    >>> masses.agreement
    'AGREEMENT'
    """
    for i, (bel, pl) in enumerate(sources):
        names = {mass: name(f"{mass}{i}") for mass in _MASSES}
        former = {f"{mass}_": name(f"{mass}{i - 1}") for mass in _MASSES}
        step = (_STEP if i else _FIRST).format(b=bel, p=pl, **names, **former)
        query = f"{step}\nFROM ({query}) AS q"
    made = Masses(
        **{mass: name(f"{mass}{len(sources) - 1}") for mass in _MASSES}, agreement=name("agreement")
    )
    total = f"({made.yes} + {made.both}) + {made.no} AS {made.agreement}"
    return f"SELECT *, {total}\nFROM ({query}) AS q", made


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
    >>> one = BinningCalibrator(n_bins=2, model="dempster")
    >>> one = one.fit([0.0, 0.25, 0.75, 1.0], [0, 0, 0, 1])
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
