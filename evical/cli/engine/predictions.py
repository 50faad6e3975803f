"""Predictions by DuckDB: the pieces of exports, and a decision from what they give."""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from dstheory import decide
from evical.calibrators import BaseCalibrator
from evical.cli._decisions import Decision
from evical.cli._model import two_classes
from evical.cli._predicting import Predictor
from evical.cli._sinks import Layout, delimiter_of
from evical.cli._tables import TextTable
from evical.cli.arguments import Engine
from evical.cli.engine._source import (
    RENAME,
    Number,
    OwnNames,
    Source,
    check_target,
    checked_first,
    count_rows,
    explain,
    open_source,
    written,
)
from evical.cli.engine.session import EngineError, literal, open_session, quoted
from evical.export.lookup import beliefs_sql, lookup_steps
from evical.scores.names import check_cases, free_prefix


def predict_table(
    limits: Engine, path: str, predictor: Predictor, layout: Layout, output: str
) -> tuple[Counter[str], int]:
    """Write a table with beliefs; how often each act was chosen, and rows without a score.

    `layout.new` names belief, plausibility and pignistic probability of the negative and of the
    positive class, and the decision.
    """
    if not isinstance(predictor.model.calibrator, BaseCalibrator):
        raise ValueError(
            "--engine duckdb predicts by one score of two classes; leave it out: tables of any "
            "size are predicted piece by piece"
        )
    check_target(output)
    if predictor.decision.criterion is not decide.maximize_expected_utility:
        raise ValueError(
            "--engine duckdb decides by expected utility; leave out --criterion, or --engine"
        )
    source = open_source(path)
    header = source.table.header
    names = [*(header[i] for i in layout.kept), *layout.new]
    check_cases(names, "DuckDB", RENAME, f"{source.table.name}: ")
    checked_first(source, predictor.kinds)
    with open_session(limits, Path(output)) as session:
        score, refuse = _score(source, predictor), partial(explain, source, predictor.kinds)
        parts = (source.sql, score.missing, score.wrong)
        rows, lacking = count_rows(session, source, *parts, refuse)
        query = _query(source, predictor, layout, delimiter_of(output) is None)
        text = f"Predicting {source.table.name}"
        with written(session, query, output, names, text) as made:
            bel, act = (quoted(layout.new[place]) for place in (0, -1))
            found = session.rows(
                f"SELECT {act}, count(*) FROM {made} WHERE {bel} IS NOT NULL GROUP BY 1"
            )
            chosen = Counter({str(name): count for name, count in found})
            if chosen.total() != rows:
                raise EngineError(
                    f"{source.table.name}: {rows - chosen.total()} of {rows} rows have no belief "
                    "in SQL; leave --engine out for this model"
                )
    return chosen, lacking


def _score(source: Source, predictor: Predictor) -> Number:
    """Expressions of the one score."""
    ((column, kind),) = predictor.kinds.items()
    return source.number(column, kind)


def _query(source: Source, predictor: Predictor, layout: Layout, to_parquet: bool) -> str:
    """The table with its beliefs, step by step: the score, the expressions, their limits."""
    header, number = source.table.header, _score(source, predictor)
    own = OwnNames(free_prefix(header))
    beliefs = (
        f"SELECT *, {number.value} AS {own.score}, {number.missing} AS {own.lacking} "
        f"FROM {source.sql}"
    )
    calibrator = two_classes(predictor.model)
    steps = lookup_steps(calibrator, f"{own.prefix}score", own.prefix, predictor.level)
    for columns in steps:
        beliefs = f"SELECT *, {columns}\nFROM ({beliefs})"
    kept = [_kept(source, header[i], to_parquet) for i in layout.kept]

    def filled(name: str, lacking: str) -> str:
        return f"CASE WHEN {own.lacking} THEN {lacking} ELSE {own[name]} END"

    # Bel and Pl that are the ends of an interval have another probability than their middle.
    p = filled("p", "5e-1") if calibrator._gives_ends else None
    ends = None if predictor.level is None else (filled("lower", "0e0"), filled("upper", "1e0"))
    sides = (own.low, own.high) if p is None else (p, p)
    decided = decision_sql(predictor.decision, *sides, own.lacking)
    new = [*beliefs_sql(own.low, own.high, p, ends), decided]
    made = [f"{value} AS {quoted(name)}" for value, name in zip(new, layout.new, strict=True)]
    return f"""
SELECT {", ".join([*kept, *made])} FROM (
SELECT *, CASE WHEN {own.lacking} THEN 1e0 ELSE greatest({own.low}, least(1e0, {own.pl})) END
    AS {own.high} FROM (
SELECT *, CASE WHEN {own.lacking} THEN 0e0 WHEN {own.bel} IS NOT NULL
    THEN greatest(0e0, least(1e0, {own.bel})) END AS {own.low} FROM ({beliefs}
)))"""


def _kept(source: Source, name: str, to_parquet: bool) -> str:
    """A column that passes through; an empty cell is an empty text in Parquet."""
    column = quoted(name)
    if to_parquet and isinstance(source.table, TextTable):
        return f"coalesce({column}, '') AS {column}"
    return column


def decision_sql(decision: Decision, bel: str, pl: str, lacking: str) -> str:
    """The act of the largest expected utility, the first one of equals; `lacking`: of no evidence.

    >>> import numpy as np
    >>> print(decision_sql(Decision(("no", "yes"), np.eye(2)), "bel", "pl", "none"))
    CASE WHEN none THEN '' ELSE CASE WHEN (1 - pl) * 1.0 + (pl - bel) * 0.5 >= bel * 1.0 + \
(pl - bel) * 0.5 THEN 'no' ELSE 'yes' END END
    """
    values = [_expected(row, bel, pl) for row in decision.utilities.tolist()]
    act = _best(list(zip(decision.acts, values, strict=True)))
    return f"CASE WHEN {lacking} THEN {literal(decision.without_evidence())} ELSE {act} END"


def _expected(utilities: Sequence[float], bel: str, pl: str) -> str:
    """Mass times mean utility: of the negative class, of the positive one, and of both."""
    negative, positive = utilities
    terms = [(f"(1 - {pl})", negative), (bel, positive), (f"({pl} - {bel})", sum(utilities) / 2)]
    used = [f"{mass} * {utility!r}" for mass, utility in terms if utility]
    return " + ".join(used) or "0"


def _best(acts: list[tuple[str, str]]) -> str:
    ways = []
    for i, (name, value) in enumerate(acts[:-1]):
        better = " AND ".join(f"{value} >= {other}" for _, other in acts[i + 1 :])
        ways.append(f"WHEN {better} THEN {literal(name)}")
    last = literal(acts[-1][0])
    return f"CASE {' '.join(ways)} ELSE {last} END" if ways else last
