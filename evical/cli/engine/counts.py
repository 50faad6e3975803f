"""Scores counted by DuckDB: one row for each score and class leaves it.

Of more scores than are kept, floats that agree in their first bits are one group already inside
DuckDB. The cells of `evical.scores.counts` nest, so that the counts that are rounded further are
those of the reader of chunks.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from evical.cli._kinds import Kind, kinds_to_count, may_be_none
from evical.cli._tables import as_text
from evical.cli._tally import Tally
from evical.cli.arguments import Engine
from evical.cli.engine._source import Source, checked_first, open_source
from evical.cli.engine.session import EngineError, Session, open_session, quoted
from evical.datasets.csv import MISSING
from evical.scores.counts import EXACT

# Different texts of two classes, with spaces around them; more are no classes.
_MANY_LABELS = 100
# Bits of a significand at which groups are counted, to find the fewest that are enough.
_BITS = (12, 14, 16, 18, 20, 22, 24, 26)
# Estimates of how many groups there are can be wrong by a quarter.
_MARGIN = 2
_TINY = 1e-15  # weights that `ScoreCounts` refuses


@dataclass(frozen=True)
class _Job:
    session: Session
    source: Source
    weighted: bool
    target: str
    max_scores: int
    refuse: Callable[[], NoReturn]


def tally_table(
    limits: Engine,
    path: str,
    columns: Mapping[str, Kind],
    max_scores: int,
    missing: str,
    beside: Path,
    by_chunks: Callable[[], Any],
) -> tuple[str, int, Tally]:
    """Name of the table, rows without a score or a class, and the tally of the others.

    `columns` are those of the score, of the class, and maybe of the weight. `by_chunks` does the
    same in chunks, and raises where the first wrong value is.
    """
    _, target, *weight = columns
    source = open_source(path)
    checked_first(source, kinds_to_count(columns, missing))

    def refuse() -> NoReturn:
        by_chunks()
        raise EngineError(f"{source.table.name}: DuckDB reads values that are wrong")

    with open_session(limits, beside) as session:
        job = _Job(session, source, bool(weight), target, max_scores, refuse)
        rows, lacking, distinct = _read(job, columns, missing)
        if rows == lacking:
            refuse()
        bits = EXACT if distinct <= 2 * _MARGIN * max_scores else _bits(job)
        tally = _tally(job, bits)
        if tally.bits == bits < EXACT:  # more might have been enough
            tally = _tally(job, EXACT)
    return source.table.name, lacking, tally


def _read(job: _Job, columns: Mapping[str, Kind], missing: str) -> tuple[int, int, int]:
    """Rows, those left out, and about how many scores differ; all values are checked."""
    score, target, *weight = columns
    kinds = kinds_to_count(columns, missing)
    number, label = job.source.number(score, kinds[score]), quoted(target)
    wrong, lacking = [number.wrong], number.missing
    if may_be_none(kinds[target]):
        lacking = f"({lacking} OR {job.source.lacks(target)})"
    else:
        wrong.append(f"{label} IS NULL")
    read = [f"{number.value} AS score", f"{lacking} AS lacking", f"{label} AS label"]
    if weight:
        amount = job.source.number(weight[0], "weight")
        wrong += [amount.wrong, f"({amount.value} > 0 AND {amount.value} < {_TINY})"]
        read.append(f"{amount.value} AS weight")
    read.append(f"coalesce({' OR '.join(wrong)}, true) AS wrong")
    job.session.rows(f"CREATE TEMP VIEW read AS SELECT {', '.join(read)} FROM {job.source.sql}")
    try:
        rows, without, n_wrong, distinct, labels = job.session.found(
            "SELECT count(*), count(*) FILTER (lacking), "
            "count(*) FILTER (wrong), approx_count_distinct(score), approx_count_distinct(label) "
            "FROM read",
            f"Checking {job.source.table.name}",
        )
    except EngineError:
        job.refuse()
    if n_wrong or labels > _MANY_LABELS:
        job.refuse()
    return rows, without, distinct


def _bits(job: _Job) -> int:
    """The fewest of `_BITS` that leave more groups than are kept, or all bits."""
    counts = ", ".join(f"approx_count_distinct({_cell(bits)})" for bits in _BITS)
    found = job.session.found(
        f"SELECT {counts} FROM read WHERE NOT lacking", f"Grouping {job.source.table.name}"
    )
    enough = 2 * _MARGIN * job.max_scores
    pairs = zip(_BITS, found, strict=True)
    return next((bits for bits, count in pairs if count > enough), EXACT)


def _cell(bits: int) -> str:
    """What floats of a cell have in common."""
    return "score" if bits == EXACT else f"(score::BIT)::BIGINT >> {EXACT - bits}"


def _tally(job: _Job, bits: int) -> Tally:
    """Count, with one score of each cell for all of it."""
    weight = "sum(weight)" if job.weighted else "count(*)"
    job.session.run(
        f"CREATE OR REPLACE TEMP TABLE groups AS SELECT min(score) AS score, label, "
        f"{weight}::DOUBLE AS weight, count(*) AS n FROM read WHERE NOT lacking "
        f"GROUP BY {_cell(bits)}, label",
        f"Counting {job.source.table.name}",
    )
    tally = Tally(job.target, job.max_scores)
    tally.bits = bits
    classes: set[str] = set()
    for batch in job.session.batches("FROM groups"):
        scores, labels, weights, n = batch.columns
        encoded = labels.dictionary_encode()
        texts = [as_text(value).strip() for value in encoded.dictionary.to_pylist()]
        classes.update(texts)
        if len(classes) > 2 or any(text.lower() in MISSING or "\0" in text for text in texts):
            job.refuse()
        tally.add(
            scores.to_numpy(zero_copy_only=False),
            np.array(texts, dtype=object)[encoded.indices.to_numpy(zero_copy_only=False)],
            weights.to_numpy(zero_copy_only=False),
            str,
            int(n.to_numpy(zero_copy_only=False).sum()),
        )
    return tally
