"""Scores counted by DuckDB: one row for each score and class leaves it.

Of more scores than are kept, floats that agree in their first bits are one group already inside
DuckDB. The cells of `evical.scores.counts` nest, so that the counts that are rounded further are
those of the reader of chunks.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import numpy as np

from evical.cli._kinds import may_be_none
from evical.cli._tables import as_text
from evical.cli._tally import Counting, Tally
from evical.cli.arguments import Engine
from evical.cli.engine._source import Source, checked_first, count_rows, open_source
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
    counting: Counting

    def refuse(self, _: str = "") -> NoReturn:
        """Raise where the first wrong value is, which only the reader of chunks knows."""
        self.counting.by_chunks()
        raise EngineError(f"{self.source.table.name}: DuckDB reads values that are wrong")


def tally_table(limits: Engine, counting: Counting, beside: Path) -> Tally:
    """What `Counting.by_chunks` gives."""
    source = open_source(counting.samples.scores)
    checked_first(source, counting.kinds)
    with open_session(limits, beside) as session:
        job = _Job(session, source, counting)
        rows, lacking, distinct = _read(job)
        if rows == lacking:
            job.refuse()
        bits = EXACT if distinct <= 2 * _MARGIN * counting.max_scores else _bits(job)
        tally = _tally(job, bits)
        if tally.bits == bits < EXACT:  # more might have been enough
            tally = _tally(job, EXACT)
    tally.source, tally.lacking = source.table.name, lacking
    return tally


def _read(job: _Job) -> tuple[int, int, int]:
    """Rows, those left out, and about how many scores differ; all values are checked."""
    samples, kinds = job.counting.samples, job.counting.kinds
    score, target = samples.score[0], samples.target
    number, label = job.source.number(score, kinds[score]), quoted(target)
    wrong, lacking = [number.wrong], number.missing
    if may_be_none(kinds[target]):
        lacking = f"({lacking} OR {job.source.lacks(target)})"
    else:
        wrong.append(f"{label} IS NULL")
    read = [f"{number.value} AS score", f"{lacking} AS lacking", f"{label} AS label"]
    if samples.weight is not None:
        amount = job.source.number(samples.weight, "weight")
        wrong += [amount.wrong, f"({amount.value} > 0 AND {amount.value} < {_TINY})"]
        read.append(f"{amount.value} AS weight")
    read.append(f"coalesce({' OR '.join(wrong)}, true) AS wrong")
    job.session.rows(f"CREATE TEMP VIEW read AS SELECT {', '.join(read)} FROM {job.source.sql}")
    more = [f"approx_count_distinct({name})" for name in ("score", "label")]
    counted = ("read", "lacking", "wrong", job.refuse, more)
    rows, without, distinct, labels = count_rows(job.session, job.source, *counted)
    if labels > _MANY_LABELS:
        job.refuse()
    return rows, without, distinct


def _bits(job: _Job) -> int:
    """The fewest of `_BITS` that leave more groups than are kept, or all bits."""
    counts = ", ".join(f"approx_count_distinct({_cell(bits)})" for bits in _BITS)
    found = job.session.found(
        f"SELECT {counts} FROM read WHERE NOT lacking", f"Grouping {job.source.table.name}"
    )
    enough = 2 * _MARGIN * job.counting.max_scores
    pairs = zip(_BITS, found, strict=True)
    return next((bits for bits, count in pairs if count > enough), EXACT)


def _cell(bits: int) -> str:
    """What floats of a cell have in common."""
    return "score" if bits == EXACT else f"(score::BIT)::BIGINT >> {EXACT - bits}"


def _tally(job: _Job, bits: int) -> Tally:
    """Count, with one score of each cell for all of it."""
    samples = job.counting.samples
    weight = "count(*)" if samples.weight is None else "sum(weight)"
    job.session.run(
        f"CREATE OR REPLACE TEMP TABLE groups AS SELECT min(score) AS score, label, "
        f"{weight}::DOUBLE AS weight, count(*) AS n FROM read WHERE NOT lacking "
        f"GROUP BY {_cell(bits)}, label",
        f"Counting {job.source.table.name}",
    )
    tally = Tally(samples.target, job.counting.max_scores)
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
