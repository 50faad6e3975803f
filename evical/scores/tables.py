"""Samples of a table, counted by the engine that holds it.

Tables of pandas, polars (eager or lazy) and pyarrow are read through Narwhals; those of Dask
partition by partition, and merged in a tree; those of DuckDB by its SQL, since older versions of
Narwhals read no more than their types. Only distinct pairs of score and label leave the engine.
"""

from collections.abc import Hashable, Iterable
from typing import Any

import narwhals.stable.v1 as nw  # the one that all versions of the window have
import numpy as np
from numpy.typing import NDArray

from dstheory.checks.arguments import check_instance, did_you_mean, shown
from evical._typing import Floats
from evical.scores.checks import label_list

Frame = Any  # a Narwhals DataFrame or LazyFrame

# Of the weights in a group.
_SUMS = (nw.col("total").sum(), nw.col("least").min(), nw.col("missing").sum())
# Groups of partitions that Dask merges at once.
_BRANCHES = 16


def is_dask(table: object) -> bool:
    """Whether a table is a Dask data frame, without an import of Dask."""
    return bool(nw.dependencies.is_dask_dataframe(table))


def is_duckdb(table: object) -> bool:
    """Whether a table is a relation of DuckDB, without an import of DuckDB."""
    return bool(nw.dependencies.is_duckdb_relation(table))


def schema_of(table: object) -> Any:
    """Types of the columns of a table, by name, as Narwhals names them.

    Examples
    --------
    >>> import pyarrow
    >>> schema_of(pyarrow.table({"s": [0.2], "y": ["no"]}))["s"]
    Float64
    """
    frame = as_frame(table)
    return frame.schema if is_duckdb(table) else frame.collect_schema()


def as_frame(table: object) -> Frame:
    """A table as Narwhals sees it.

    Parameters
    ----------
    table : data frame of pandas, polars, pyarrow or DuckDB

    Returns
    -------
    narwhals DataFrame or LazyFrame

    Raises
    ------
    TypeError
        If it is no table.

    Examples
    --------
    >>> as_frame([[0.1, 1]])
    Traceback (most recent call last):
    TypeError: table is [[0.1, 1]], expected a data frame of pandas, polars, pyarrow, DuckDB or Dask
    """
    try:
        return nw.from_native(table)
    except TypeError as error:
        raise TypeError(
            f"table is {shown(table)}, expected a data frame of pandas, polars, pyarrow, DuckDB or "
            "Dask"
        ) from error


def check_columns(known: Iterable[str], **columns: str) -> None:
    """Refuse names of columns that a table does not have.

    Parameters
    ----------
    known : iterable of str
        Columns of the table.
    **columns : str
        Wanted ones, by the name of the argument.

    Raises
    ------
    TypeError
        If a name is no text.
    ValueError

    Examples
    --------
    >>> check_columns(["score", "y"], score="scroe")
    Traceback (most recent call last):
    ValueError: score is 'scroe', but the table has the columns 'score', 'y'; did you mean 'score'?
    """
    names = list(known)
    for argument, name in columns.items():
        check_instance(argument, name, str, "the name of a column")
        if name not in names:
            listed = ", ".join(map(repr, names))
            raise ValueError(
                f"{argument} is {name!r}, but the table has the columns {listed}"
                f"{did_you_mean(name, names)}"
            )


def check_numeric(schema: Any, *names: str) -> None:
    """Refuse columns that do not hold numbers.

    Parameters
    ----------
    schema : mapping of str to narwhals dtype
    *names : str

    Raises
    ------
    TypeError
    """
    for name in names:
        if not schema[name].is_numeric():
            raise TypeError(f"column {name!r} has the type {schema[name]}, expected numbers")


def class_weights(
    table: object, score: str, target: str, weight: str | None, positive: Hashable | None
) -> tuple[Floats, Floats, Floats, list[Any]]:
    """Weights of the two classes at the scores of a table.

    Parameters
    ----------
    table, score, target, weight, positive
        As for `ScoreCounts.from_table`.

    Returns
    -------
    scores : (m,) array
        In any order; a score may occur twice.
    against, favor : (m,) arrays
        Weight of the samples of the negative and of the positive class.
    classes : list
        The negative class and the positive one; of other labels than 0 and 1, only those that
        occur.

    Examples
    --------
    >>> import pyarrow
    >>> table = pyarrow.table({"s": [0.2, 0.7, 0.7], "y": ["no", "yes", "yes"]})
    >>> class_weights(table, "s", "y", None, None)[2:]
    (array([0., 2.]), ['no', 'yes'])
    """
    if is_dask(table):
        groups = _groups_of_dask(table, score, target, weight)
    else:
        groups = _groups(table, score, target, weight)
    scores, total = _checked(groups, score, weight)
    labels = _labels(groups, target)
    classes = _classes(labels, target, positive)
    is_positive = labels == classes[-1]
    return scores, np.where(is_positive, 0.0, total), np.where(is_positive, total, 0.0), classes


def _groups(table: object, score: str, target: str, weight: str | None) -> Any:
    """One row for each score and label: rows, weight, least weight, weights that are missing."""
    schema = schema_of(table)
    weighted = {} if weight is None else {"weight": weight}
    check_columns(schema, score=score, target=target, **weighted)
    check_numeric(schema, score, *weighted.values())
    if is_duckdb(table):
        return _groups_of_duckdb(table, score, target, weight)
    read = [nw.col(score).cast(nw.Float64).alias("score"), nw.col(target).alias("label")]
    if weight is not None:
        amount = nw.col(weight).cast(nw.Float64)
        read += [amount.alias("total"), amount.alias("least")]
        read += [nw.col(weight).is_null().cast(nw.Int64).alias("missing")]
    grouped = (
        as_frame(table)
        .select(*read)
        .group_by("score", "label")
        .agg(nw.len().alias("rows"), *(_SUMS if weight is not None else ()))
    )
    return grouped.collect() if isinstance(grouped, nw.LazyFrame) else grouped


def _groups_of_duckdb(table: Any, score: str, target: str, weight: str | None) -> Any:
    """The same, by an aggregate of DuckDB."""
    wanted = [f"CAST({_quoted(score)} AS DOUBLE) AS score", f"{_quoted(target)} AS label"]
    wanted.append("count(*) AS rows")
    if weight is not None:
        amount = f"CAST({_quoted(weight)} AS DOUBLE)"
        wanted += [f"sum({amount}) AS total", f"min({amount}) AS least"]
        wanted.append(f"count(*) - count({_quoted(weight)}) AS missing")
    groups = table.aggregate(", ".join(wanted), f"{_quoted(score)}, {_quoted(target)}")
    return nw.from_native(groups.to_arrow_table())


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _groups_of_dask(table: Any, score: str, target: str, weight: str | None) -> Any:
    """The same, of a Dask data frame: partition by partition, merged in a tree."""
    weighted = {} if weight is None else {"weight": weight}
    check_columns(table.columns, score=score, target=target, **weighted)
    found = table.reduction(
        _of_partition,
        combine=_merged,
        aggregate=_merged,
        chunk_kwargs={"score": score, "target": target, "weight": weight},
        meta=_of_partition(table._meta, score, target, weight),
        split_every=_BRANCHES,
    )
    return nw.from_native(found.compute())


def _of_partition(part: object, score: str, target: str, weight: str | None) -> Any:
    return _groups(part, score, target, weight).to_native()


def _merged(groups: Any) -> Any:
    frame = nw.from_native(groups)
    sums = _SUMS if "total" in frame.columns else ()
    return frame.group_by("score", "label").agg(nw.col("rows").sum(), *sums).to_native()


def _checked(groups: Any, score: str, weight: str | None) -> tuple[Floats, Floats]:
    """Scores and their weights, or an error that counts the rows it is about."""
    if not len(groups):
        raise ValueError("the table has no rows; give at least one sample of each class")
    scores, rows = _numbers(groups, "score"), _numbers(groups, "rows")
    _refuse(~np.isfinite(scores), rows, f"column {score!r} is missing, nan or infinite")
    if weight is None:
        return scores, rows
    total, least = _numbers(groups, "total"), _numbers(groups, "least")
    missing = _numbers(groups, "missing")
    _refuse(missing > 0, missing, f"column {weight!r} is missing")
    _refuse(~np.isfinite(total), rows, f"column {weight!r} is nan or infinite, in some")
    if (least < 0).any():
        raise ValueError(
            f"column {weight!r} holds the weight {least.min():g}, expected weights of at least 0"
        )
    return scores, total


def _numbers(groups: Any, name: str) -> Floats:
    return np.asarray(groups[name].to_numpy(), dtype=np.float64)


def _refuse(wrong: NDArray[np.bool_], rows: NDArray[Any], what: str) -> None:
    if wrong.any():
        raise ValueError(f"{what} in {int(rows[wrong].sum())} rows; leave these out first")


def _labels(groups: Any, target: str) -> NDArray[Any]:
    unknown = np.asarray(groups["label"].is_null().to_numpy(), dtype=bool)
    labels = np.asarray(groups["label"].to_numpy())
    if labels.dtype.kind == "f":
        unknown = unknown | np.isnan(labels)
    _refuse(unknown, _numbers(groups, "rows"), f"column {target!r}, the class, is missing")
    return labels


def _classes(labels: NDArray[Any], target: str, positive: Hashable | None) -> list[Any]:
    found = label_list(np.unique(labels))
    if len(found) > 2:
        listed = ", ".join(map(repr, found[:3]))
        raise ValueError(
            f"column {target!r} holds {len(found)} classes, {listed}, ...; expected two"
        )
    if positive is None:
        if set(found) <= {0, 1}:
            return [type(found[0])(0), type(found[0])(1)]
        if len(found) == 1:
            raise ValueError(
                f"column {target!r} holds the one class {found[0]!r}; set positive= if it is "
                "the positive one"
            )
        return found
    if positive not in found and len(found) == 2:
        raise ValueError(
            f"positive is {positive!r}, but column {target!r} holds {found[0]!r} and {found[1]!r}"
        )
    return [*(label for label in found if label != positive), positive]
