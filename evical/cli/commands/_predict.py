"""`evical predict`: beliefs about the rows of a table of scores."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Protocol

import numpy as np
import typer
from numpy.typing import NDArray

from dstheory.transform import betp
from evical.calibrators import BaseCalibrator
from evical.calibrators.by_name import suggestion
from evical.cli import arguments
from evical.cli._conformal import ConformalPredictor, with_score
from evical.cli._decisions import BY_DEFAULT, Choices, Decision, masses, new_decision
from evical.cli._kinds import Kind, complete_rows, optional_kinds, tell_missing
from evical.cli._many_classes import ManyPredictor
from evical.cli._model import ManyModel, Model, check_score, is_conformal, load_model, score_kind
from evical.cli._output import check_output, echo_json, user_input
from evical.cli._show import watch
from evical.cli._sinks import Layout, check_output_name, open_sink
from evical.cli._tables import Chunk, Table, check_columns, open_table
from evical.cli.engine.predictions import predict_table
from evical.cli.engine.session import limits_of
from evical.scores.names import belief_names

# How far sums of masses miss 0 and 1.
_ROUNDING = 1e-9


def predict(
    model: arguments.ModelFile,
    scores: Annotated[str, typer.Argument(metavar="NEW", help=arguments.TABLE)],
    choices: Choices,
    engine: arguments.Engine,
    output: arguments.Table = "-",
    score: arguments.Score = None,
    missing: arguments.Filled = "refuse",
    alpha: Annotated[
        float | None,
        typer.Option(
            metavar="LEVEL",
            help="Of a model of fit --conformal: how often its sets may miss the class.",
            show_default="0.1",
        ),
    ] = None,
    prefix: Annotated[
        str, typer.Option(metavar="TEXT", help="Put before the names of the new columns.")
    ] = "",
    force_columns: Annotated[
        bool, typer.Option("--force-columns", help="Replace columns that have the new names.")
    ] = False,
    escape_formulas: arguments.EscapeFormulas = False,
    force: arguments.Force = False,
    as_json: arguments.AsJson = False,
) -> None:
    """Add beliefs and decisions to a table of new scores.

    Writes all columns of NEW as they are; for each class, such as yes, the columns bel_yes, pl_yes
    and p_yes (belief, plausibility and pignistic probability); and decision. A conformal model also
    writes the set at --alpha. Files of any size are processed in chunks.
    """
    with user_input():
        check_output_name(output, escape_formulas, engine.engine)
        if output == "-" and as_json:
            raise ValueError("--json prints to standard output, where the table goes; give -o FILE")
        limits = limits_of(engine)
        fitted = load_model(model)
        decision = new_decision(fitted.labels, choices)
        if output != "-":
            check_output(Path(output), force, [scores, model])
        with open_table(scores) as table:
            predictor = _predictor(fitted, decision, table, score, alpha, choices)
            new = tuple(prefix + name for name in predictor.new)
            layout = Layout(new, table, escape_formulas)
            if not force_columns:
                _refuse_collision(table, layout)
            if limits is None:
                chosen, lacking = _write(predictor, layout, output, missing)
            else:
                chosen, lacking = _write_by_engine(
                    limits, predictor, scores, layout, output, missing
                )
            read = table.name
        tell_missing(read, lacking, chosen.total(), missing)
    if output != "-":
        _show(read, output, chosen, lacking, as_json)


def _score_column(model: Model | ManyModel, name: str | None, table: Table) -> str:
    known = model.score if isinstance(model, Model) else next(iter(model.scores.values()))
    if name is None and known not in table.header:
        hint = suggestion(known, table.header, "columns")
        raise ValueError(
            f"{table.name} has no column {known!r}, the score of the model{hint}; name "
            "another with --score"
        )
    column = known if name is None else name
    if name is not None and isinstance(model, Model):
        check_score(name, model.labels[1], model.labels)
    check_columns(table, {column: None})
    return column


def _refuse_collision(table: Table, layout: Layout) -> None:
    taken = [name for name in layout.new if name in table.header]
    if taken:
        raise ValueError(
            f"{table.name} has a column {taken[0]!r} already; write new names with --prefix, or "
            "replace it with --force-columns"
        )


def _predictor(
    model: Model | ManyModel,
    decision: Decision,
    table: Table,
    score: str | None,
    alpha: float | None,
    choices: Choices,
) -> "Predictor":
    """What predicts a table; `choices` are those of the decision."""
    conformal = is_conformal(model.calibrator)
    if alpha is not None and not conformal:
        raise ValueError("--alpha is for models of evical fit --conformal")
    if isinstance(model, Model):
        return _TwoPredictor(model, decision, _score_column(model, score, table))
    if score is None and conformal and len(model.scores) == 1:
        score = _score_column(model, None, table)
    many = ManyPredictor(with_score(model, score), decision, table, choices.criterion is not None)
    if not conformal:
        return many
    plain = choices == BY_DEFAULT
    predictor = ConformalPredictor(many, 0.1 if alpha is None else alpha, plain)
    few = predictor.scores.too_few(predictor.alpha)
    if few is not None:
        typer.echo(f"warning: {few}", err=True)
    return predictor


class Predictor(Protocol):
    """What is written beside the columns of a chunk."""

    @property
    def kinds(self) -> dict[str, Kind]:
        """Columns of scores."""

    @property
    def new(self) -> tuple[str, ...]:
        """Names of the new columns; the last one is the decision."""

    def __call__(self, chunk: Chunk) -> tuple[list[NDArray[Any]], int]:
        """New columns of a chunk, and rows without a score."""


@dataclass(frozen=True)
class _TwoPredictor:
    """Predicts two classes from one score."""

    model: Model
    decision: Decision
    column: str

    @property
    def new(self) -> tuple[str, ...]:
        return (*belief_names(self.model.labels), "decision")

    @property
    def kinds(self) -> dict[str, Kind]:
        return {self.column: score_kind(self.model.calibrator)}

    def __call__(self, chunk: Chunk) -> tuple[list[NDArray[Any]], int]:
        scores = chunk.columns[self.column]
        known = complete_rows([scores])
        bel, pl = np.zeros(len(scores)), np.ones(len(scores))
        if known.any():
            bel[known], pl[known] = _interval(self.model.calibrator, scores[known])
        m = masses(bel, pl, self.model.labels)
        no, yes = betp(m).T
        return [1 - pl, 1 - bel, no, bel, pl, yes, self.decision(m)], int((~known).sum())


def _write(
    predictor: Predictor, layout: Layout, output: str, missing: str
) -> tuple[Counter[str], int]:
    """Predict and write chunk by chunk; how often each act was chosen, and rows without score."""
    chosen: Counter[str] = Counter()
    lacking = 0
    table = layout.table
    assert table is not None
    with open_sink(output, layout) as sink:
        for chunk in watch(table, optional_kinds(predictor.kinds, missing), "Predicting"):
            values, without = predictor(chunk)
            sink.write(dict(zip(layout.new, values, strict=True)), chunk)
            lacking += without
            chosen.update(values[-1].tolist())
    return chosen, lacking


def _write_by_engine(
    limits: arguments.Engine,
    predictor: Predictor,
    scores: str,
    layout: Layout,
    output: str,
    missing: str,
) -> tuple[Counter[str], int]:
    """The same by statements of SQL."""
    if not isinstance(predictor, _TwoPredictor):
        raise ValueError(
            "--engine duckdb predicts by one score of two classes; leave it out: tables of any "
            "size are predicted piece by piece"
        )
    score = next(iter(optional_kinds(predictor.kinds, missing).items()))
    calibrator, decision = predictor.model.calibrator, predictor.decision
    return predict_table(limits, scores, score, calibrator, decision, layout, output)


def _interval(calibrator: BaseCalibrator, scores: NDArray[np.float64]) -> tuple[Any, Any]:
    """Belief and plausibility (n,), within [0, 1] to the last bit."""
    bel, pl = calibrator.predict_interval(scores).T
    bad = ~((bel >= -_ROUNDING) & (bel <= pl) & (pl <= 1 + _ROUNDING))
    if bad.any():  # which only an edited file can do
        row = int(np.argmax(bad))
        raise ValueError(
            f"the model is damaged: score {scores[row]:g} gives belief {bel[row]:g} and "
            f"plausibility {pl[row]:g}; fit it again"
        )
    return np.clip(bel, 0, 1), np.clip(pl, 0, 1)


def _show(read: str, output: str, chosen: Counter[str], lacking: int, as_json: bool) -> None:
    counts = dict(sorted(chosen.items()))
    if as_json:
        rows = chosen.total()
        echo_json({"output": output, "rows": rows, "missing": lacking, "decisions": counts})
        return
    text = ", ".join(f"{name} {count}" for name, count in counts.items())
    typer.echo(f"{read}: {chosen.total()} rows to {output} ({text})")
