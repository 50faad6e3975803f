"""Fusion in SQL: several sources of one table; calibrated scores by Dempster's rule.

A source with [Bel, Pl] = [b, p] has the masses b, 1 - p and p - b. Products with those of the next
source are added up (Shafer 1976, ch. 3), and divided at the end by what is not conflict. No term is
a difference of products, so that also small agreement is exact, down to `LEAST_AGREEMENT`. Below, a
product may have left the range of floats that a later source would have made the greater one.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from dstheory.checks.arguments import as_sequence, check_flag, check_instance
from evical.calibrators import BaseCalibrator
from evical.export._consensus_sql import consensus_query
from evical.export._dialects import Dialect, dialect_of
from evical.export._inputs import check_binary
from evical.export._sql import class_names, to_sql
from evical.export._table import COLUMNS
from evical.fused import EvidentialFusion
from evical.scores.names import free_prefix

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
    fitted: Mapping[str, Any] | EvidentialFusion,
    table: str,
    dialect: str = "duckdb",
    *,
    keep: Sequence[str] = (),
    class_columns: bool = False,
) -> str:
    """Beliefs from several sources in columns of a table, as one query.

    Parameters
    ----------
    fitted : mapping of str to fitted calibrator, or EvidentialFusion
        Two or more calibrators, each of one score and of the same two classes, by the column of the
        score; they are combined by Dempster's rule. Or a fitted fusion with the rule "consensus".
    table : str
        Name of the table; it is quoted.
    dialect : {"duckdb", "sqlite", "postgres", "spark", "bigquery"}
    keep : sequence of str
        Columns of the table that stand before the new ones.
    class_columns : bool
        Whether there are columns of all classes with the class in the name, as of `to_sql`; of more
        than two classes there always are.

    Returns
    -------
    str
        A SELECT with the columns ``bel``, ``pl`` and ``betp`` of the positive class, or those of
        all classes. Of calibrators, each may have an error as `to_sql` states it; columns are NULL
        where a score is none, where sources contradict each other totally, which has no result, and
        where they agree by less than 1e-290, which products of floats do not resolve. A fusion is
        vacuous where no source with a weight is available.

    Raises
    ------
    TypeError
        If a calibrator is none of one score, or a name no text.
    ValueError
        For fewer than two calibrators or sources, other classes, or an unknown dialect; for names
        of columns as `to_sql`; for a fusion with another rule, with scores, or one that has learned
        from labels, which `to_onnx` takes.
    ConvergenceError, sklearn.exceptions.NotFittedError
        As `to_sql`.

    See Also
    --------
    to_sql : one score, as expressions.

    Notes
    -----
    A fusion reads votes from the column with the name of the source; what is none of the classes is
    no vote. Probabilities of a source "svm" are in the columns "svm_p_no" and "svm_p_yes", which
    `predict_table` writes with the prefix ``"svm_"``; the source is not available where one of them
    is NULL, NaN, outside [0, 1], or their sum is not 1. The query takes ln, exp, sqrt and tanh,
    which SQLite has if it was built with mathematical functions.

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
    if not isinstance(fitted, EvidentialFusion):
        kinds = "calibrators by column of the score, or an EvidentialFusion"
        check_instance("fitted", fitted, Mapping, kinds)
        if len(fitted) < 2:
            raise ValueError(
                f"there are {len(fitted)} calibrators, expected two or more to combine"
            )
    check_flag("class_columns", class_columns)
    form = dialect_of(dialect)
    keep = as_sequence(keep, "keep", "names of columns")
    for name in (table, *keep):
        check_instance("table and keep", name, str, "names")
    if isinstance(fitted, EvidentialFusion):
        query, sides, classes = _consensus(fitted, table, form, keep)
    else:
        query, sides, classes = _dempster(fitted, table, dialect, keep)
    every = class_columns or len(classes) > 2
    made = [text for side in (sides if every else sides[1:]) for text in side]
    names = class_names(classes, dialect) if every else COLUMNS
    new = [f"{text} AS {name}" for name, text in zip(names, made, strict=True)]
    return f"SELECT {', '.join([*map(form.quoted, keep), *new])}\nFROM ({query}) AS q"


def _consensus(
    fitted: EvidentialFusion, table: str, form: Dialect, keep: Sequence[str]
) -> tuple[str, list[list[str]], NDArray[Any]]:
    check_is_fitted(fitted)
    prefix = free_prefix((table, *keep))
    made = consensus_query(fitted, table, form, keep, lambda name: form.quoted(prefix + name))
    return *made, fitted.classes_


def _dempster(
    calibrators: Mapping[str, BaseCalibrator], table: str, dialect: str, keep: Sequence[str]
) -> tuple[str, list[list[str]], NDArray[Any]]:
    """A query, belief, plausibility and pignistic probability of both classes, and the classes."""
    form, classes = dialect_of(dialect), {}
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
    prefix = free_prefix((*calibrators, *keep))
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
    sides = [
        [
            f"CASE WHEN {m.agreement} >= {LEAST_AGREEMENT} THEN {value} / {m.agreement} END"
            for value in (own, f"({own} + {m.both})", f"({own} + {m.both} / 2)")
        ]
        for own in (m.no, m.yes)
    ]
    return query, sides, calibrators[first].classes_
