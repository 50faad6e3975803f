"""Beliefs of several tables joined by key and combined by Dempster's rule, inside DuckDB.

The join goes to disk where memory ends. That each key names one row of each table is seen from
three numbers: all tables have as many rows, the hashes of their keys have the same sum, and the
join has that many rows again. With equal multisets of keys, of which one occurs c times, the join
of m tables has the sum of c^m rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import numpy as np

from evical.cli._beliefs import AGREEING, ROUNDING
from evical.cli._combining import Job, Sources, Summary
from evical.cli._kinds import Kind
from evical.cli._sinks import delimiter_of
from evical.cli._tables import ParquetTable, load_pyarrow
from evical.cli.arguments import Engine
from evical.cli.engine._source import (
    RENAME,
    OwnNames,
    Source,
    check_target,
    checked_first,
    count_rows,
    open_source,
    written,
)
from evical.cli.engine.predictions import decision_sql
from evical.cli.engine.session import Session, open_session, quoted
from evical.export.dempster_sql import LEAST_AGREEMENT, dempster_query
from evical.export.lookup import beliefs_sql
from evical.scores.names import belief_names, check_cases, free_prefix


@dataclass(frozen=True)
class _Join:
    """A job, its tables with their beliefs, and names of new columns, for all and for itself."""

    job: Job
    session: Session
    key: str
    beliefs: Sources
    files: Sequence[Source]
    new: Sequence[str]
    own: OwnNames


def combine_tables(limits: Engine, job: Job, output: str) -> Summary:
    """Write the combined beliefs of a job with a key, as `Job.run` does."""
    key = job.inputs.key
    assert key is not None
    with job.open() as beliefs:
        new = job.new(beliefs)
    if len(beliefs.classes) > 2:
        raise ValueError("--engine duckdb combines beliefs about two classes; leave --engine out")
    check_target(output)
    files = [open_source(path) for path in job.inputs.tables]
    names = [*job.kept, *new]
    check_cases(names, "DuckDB", RENAME, f"{output}: ")
    for i, (file, found) in enumerate(zip(files, beliefs.found, strict=True)):
        texts: dict[str, Kind] = dict.fromkeys(job.kept if i == 0 else (), "text")
        checked_first(file, {**texts, **found.kinds(job.inputs.missing), key: "key"})
    with open_session(limits, Path(output)) as session:
        session.rows("SET preserve_insertion_order = false")
        join = _Join(job, session, key, beliefs, files, new, OwnNames(free_prefix(job.kept)))
        for i in range(len(files)):
            session.rows(f"CREATE TEMP VIEW t{i} AS {_view(join, i)}")
        rows, lacking = _checked(join)
        text = f"Combining {files[0].table.name}"
        query = _query(join, rows, delimiter_of(output) is None)
        (belief, *_) = belief_names([beliefs.classes[1]])
        with written(session, query, output, names, text) as made:
            [(count, highest, refused)] = session.rows(
                f"SELECT count(*), max(CAST(conflict AS DOUBLE)), "
                f"min({quoted(key)}) FILTER ({quoted(belief)} IS NULL) FROM {made}"
            )
            if count != rows:
                _refuse_key(join)
            if refused is not None:
                job.refuse(
                    refused,
                    f"the rows of {refused!r} agree by less than {LEAST_AGREEMENT}, which SQL does "
                    "not resolve; leave out --engine duckdb",
                )
    return Summary(output, rows, lacking, highest)


def _view(join: _Join, number: int) -> str:
    """A table with its key, beliefs, and what is wrong or missing."""
    own, positive = join.own, str(join.beliefs.classes[1])
    source, found = join.files[number], join.beliefs.found[number]
    kinds = found.kinds(join.job.inputs.missing)
    columns = {
        label: [source.number(name, kinds[name]) for name in pair]
        for label, pair in found.columns.items()
    }
    name = quoted(join.key)
    # The text that the reader of chunks compares, unless all are whole numbers.
    key = name if all(_is_whole(file, join.key) for file in join.files) else f"{name}::VARCHAR"
    every = [number for pair in columns.values() for number in pair]
    lacking = f"({' OR '.join(number.missing for number in every)})"
    wrong = [number.wrong for number in every]
    wrong += [f"{name} IS NULL", f"{name}::VARCHAR = ''"]
    crossed = [f"{bel.value} > {pl.value} + {ROUNDING}" for bel, pl in columns.values()]
    sides = {
        label: (bel.value, f"greatest({bel.value}, {pl.value})")
        if label == positive
        else (f"1 - greatest({bel.value}, {pl.value})", f"1 - {bel.value}")
        for label, (bel, pl) in columns.items()
    }
    low, high = sides.get(positive) or next(iter(sides.values()))
    for one, other in sides.values():
        crossed += [f"abs(({one}) - ({low})) > {AGREEING}"]
        crossed += [f"abs(({other}) - ({high})) > {AGREEING}"]
    wrong.append(f"(NOT {lacking} AND ({' OR '.join(crossed)}))")
    kept = [f"{quoted(column)}::VARCHAR AS {quoted(column)}" for column in join.job.kept]
    decided = "NULL" if found.decision is None else f"{quoted(found.decision)}::VARCHAR"
    parts = [
        *(kept if number == 0 else []),
        f"{key} AS {own.key}",
        f"{lacking} AS {own.lacking}",
        f"CASE WHEN {lacking} THEN 0e0 ELSE {low} END AS {own.bel}",
        f"CASE WHEN {lacking} THEN 1e0 ELSE {high} END AS {own.pl}",
        f"{decided} AS {own.decided}",
        f"coalesce({' OR '.join(wrong)}, true) AS {own.wrong}",
    ]
    return f"SELECT {', '.join(parts)} FROM {source.sql}"


def _is_whole(source: Source, column: str) -> bool:
    table = source.table
    if not isinstance(table, ParquetTable):
        return False
    return bool(load_pyarrow()[0].types.is_integer(table.schema.field(column).type))


def _checked(join: _Join) -> tuple[int, int]:
    """Rows of each table, and rows of all without a number; wrong values and keys are named."""
    found, own = [], join.own
    for i, file in enumerate(join.files):

        def refuse(reason: str, name: str = file.table.name) -> NoReturn:
            join.job.refuse(None, f"{name}: {reason}; leave --engine out for these files")

        parts = (f"t{i}", own.lacking, own.wrong)
        more = [f"sum(hash({own.key})::HUGEINT)"]
        rows, lacking, keys = count_rows(join.session, file, *parts, refuse, more)
        _check_decided(join, i)
        found.append((rows, keys, lacking))
    if len({pair[:2] for pair in found}) > 1:
        _refuse_key(join)
    return found[0][0], sum(lacking for *_, lacking in found)


def _check_decided(join: _Join, number: int) -> None:
    """Refuse decisions that are none of the classes, or that beliefs contradict."""
    one, own = join.beliefs.found[number], join.own
    if one.decision is None:
        return
    extremes = ", ".join(
        f"{which}({side}, {own.bel} + {own.pl})"
        for which in ("arg_min", "arg_max")
        for side in (own.bel, own.pl)
    )
    rows = join.session.rows(
        f"SELECT coalesce({own.decided}, ''), {extremes} FROM t{number} GROUP BY 1"
    )
    decided = np.repeat(np.array([row[0] for row in rows], dtype=object), 2)
    bel, pl = np.reshape([row[1:] for row in rows], (-1, 2)).T
    try:
        one.check_decisions(decided, bel, pl, lambda _: one.table, join.beliefs.classes)
    except ValueError as error:
        join.job.refuse(None, str(error))


def _refuse_key(join: _Join) -> NoReturn:
    """Name the least key that is not once in each table."""
    own, numbers = join.own, range(len(join.files))
    all_keys = " UNION ALL ".join(f"SELECT {own.key}, {i} AS n FROM t{i}" for i in numbers)
    wrong = " OR ".join(f"count(*) FILTER (n = {i}) <> 1" for i in numbers)
    (key,) = join.session.found(
        f"SELECT min({own.key})::VARCHAR FROM (SELECT {own.key} FROM "
        f"({all_keys}) GROUP BY {own.key} HAVING {wrong})",
        "Comparing keys",
    )
    join.job.refuse(key, f"key {key!r} does not name one row of each table")


def _query(join: _Join, rows: int, to_parquet: bool) -> str:
    """The join, and one step for each further source; one row too many shows repeated keys."""
    negative, positive = join.beliefs.classes
    job, own, numbers = join.job, join.own, range(len(join.files))
    kept = [quoted(name) for name in job.kept]
    sides = [f"t{i}.{own.bel} AS {own[f'b{i}']}, t{i}.{own.pl} AS {own[f'p{i}']}" for i in numbers]
    joins = [f"JOIN t{i} ON t0.{own.key} = t{i}.{own.key}" for i in numbers[1:]]
    passed = [f"t0.{name}" for name in kept]
    query = f"SELECT {', '.join([*passed, *sides])} FROM t0 {' '.join(joins)} LIMIT {rows + 1}"
    sources = [(own[f"b{i}"], own[f"p{i}"]) for i in numbers]
    query, m = dempster_query(query, sources, own.__getitem__)
    bel, pl = ("0e0", "1e0") if job.combiner.vacuous else ("NULL", "NULL")
    both = f"({m.yes} + {m.both})"
    known = f"WHEN {m.agreement} >= {LEAST_AGREEMENT} THEN"
    lows, highs = (", ".join(side) for side in zip(*sources, strict=True))
    excluded = f"WHEN greatest({lows}) >= 1 AND least({highs}) <= 0 THEN"
    query = (
        f"SELECT *, CASE {known} {m.yes} / {m.agreement} {excluded} {bel} END AS {own.low}, "
        f"CASE {known} {both} / {m.agreement} {excluded} {pl} END AS {own.high}\nFROM ({query})"
    )
    low, high = own.low, f"greatest({own.low}, {own.high})"
    values = beliefs_sql(low, high)
    made = dict(zip(belief_names([positive]), values[3:], strict=True))
    if negative is not None:
        made |= zip(belief_names([negative]), values[:3], strict=True)
    made["conflict"] = m.empty
    if (decision := job.decision(join.beliefs)) is not None:
        made["decision"] = decision_sql(decision, low, high, f"{low} = 0 AND {high} = 1")
    out = [f"coalesce({name}, '') AS {name}" for name in kept] if to_parquet else kept
    out += [f"{made[name]} AS {quoted(name)}" for name in join.new]
    return f"SELECT {', '.join(out)}\nFROM ({query})"
