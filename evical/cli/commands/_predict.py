"""`evical predict`: beliefs about the rows of a table of scores."""

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from dstheory.checks.arguments import check_level, number_of, suggestion
from evical.cli import arguments
from evical.cli._decisions import BY_DEFAULT, Choices, new_decision
from evical.cli._kinds import tell_missing
from evical.cli._model import Model, is_conformal, load_model
from evical.cli._output import check_output, echo_json, user_input
from evical.cli._predicting import Predictor, with_score
from evical.cli._show import watch
from evical.cli._sinks import Layout, check_output_name, open_sink
from evical.cli._tables import Table, open_table
from evical.cli.engine.session import limits_of

_SHOWN = 20  # decisions that are printed with their numbers


def predict(
    model: arguments.ModelFile,
    scores: Annotated[str, typer.Argument(metavar="NEW", help=arguments.TABLE)],
    choices: Choices,
    engine: arguments.Engine,
    reading: arguments.Reading,
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
    level: Annotated[
        float | None,
        typer.Option(
            metavar="LEVEL",
            help="Write the confidence interval of each probability, too: lower_yes, upper_yes.",
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
    and p_yes (belief, plausibility and probability), with --level 0.95 also lower_yes and upper_yes
    (the 95 % confidence interval of p_yes); and decision, or act with --cost-table. A conformal
    model also writes the set at --alpha. A model of fit --answer-error decides "ask" where its
    bound needs it. Files of any size are processed in chunks.
    """
    with user_input(), reading:
        check_output_name(output, escape_formulas, engine.engine)
        if output == "-" and as_json:
            raise ValueError("--json prints to standard output, where the table goes; give -o FILE")
        limits = limits_of(engine)
        fitted = load_model(model)
        decision = new_decision(fitted.labels, choices)
        if fitted.answers is not None:
            _check_answers(choices, limits is not None)
        if output != "-":
            costs = choices.cost_table
            check_output(Path(output), force, [scores, model, *([] if costs is None else [costs])])
        if choices.costs is not None:
            alarm, miss = choices.costs
            typer.echo(
                f"evical: deciding for {fitted.labels[1]!r} wrongly costs {alarm:g}, and for "
                f"{fitted.labels[0]!r} wrongly {miss:g}",
                err=True,
            )
        with open_table(scores) as table:
            miss = _miss_rate(fitted, alpha)
            _check_level(fitted, level)
            if score is None:
                _check_score(fitted, table)
            given = with_score(fitted, score)
            predictor = Predictor(given, decision, choices, table, miss, missing, level)
            if is_conformal(fitted.calibrator) and (few := fitted.calibrator.too_few(miss)):
                typer.echo(f"warning: {few}", err=True)
            new = tuple(prefix + name for name in predictor.new)
            layout = Layout(new, table, escape_formulas)
            if not force_columns:
                _refuse_collision(table, layout)
            if limits is None:
                chosen, lacking = _write(predictor, layout, output)
            else:
                from evical.cli.engine.predictions import predict_table  # with all exports

                chosen, lacking = predict_table(limits, scores, predictor, layout, output)
            read = table.name
        tell_missing(read, lacking, chosen.total(), missing)
    if output != "-":
        _show(read, output, chosen, lacking, as_json)


def _check_answers(choices: Choices, by_engine: bool) -> None:
    """Raise for what a promise for the answers, of the likeliest classes, does not go with."""
    if choices != BY_DEFAULT:
        raise ValueError(
            "the model answers or asks as fit --answer-error set; leave out --threshold, "
            "--costs, --cost-table, --reject and --criterion, or fit without it"
        )
    if by_engine:
        raise ValueError(
            "--engine duckdb does not know the answer 'ask'; leave it out: tables of any size are "
            "predicted piece by piece"
        )


def _check_score(model: Model, table: Table) -> None:
    """Raise unless the one score of a model stands where it did."""
    if len(model.scores) == 1 and model.score not in table.header:
        hint = suggestion(model.score, table.header, "columns")
        raise ValueError(
            f"{table.name} has no column {model.score!r}, the score of the model{hint}; name "
            "another with --score"
        )


def _refuse_collision(table: Table, layout: Layout) -> None:
    taken = [name for name in layout.new if name in table.header]
    if taken:
        raise ValueError(
            f"{table.name} has a column {taken[0]!r} already; write new names with --prefix, or "
            "replace it with --force-columns"
        )


def _miss_rate(model: Model, alpha: float | None) -> float:
    """How often sets may miss the class; raises ValueError if another model is given one."""
    if alpha is not None and not is_conformal(model.calibrator):
        raise ValueError("--alpha is for models of evical fit --conformal")
    return 0.1 if alpha is None else alpha


def _check_level(model: Model, level: float | None) -> None:
    """Raise unless there is no level, or the model has intervals of that level."""
    if level is None:
        return
    check_level("--level", level)
    if is_conformal(model.calibrator):
        raise ValueError(
            "--level is for models without --conformal, whose p-values are not estimates; "
            "a conformal model writes sets at --alpha"
        )


def _write(predictor: Predictor, layout: Layout, output: str) -> tuple[Counter[str], int]:
    """Predict and write chunk by chunk; how often each act was chosen, and rows without score."""
    chosen: Counter[str] = Counter()
    lacking = 0
    table = layout.table
    assert table is not None
    with open_sink(output, layout) as sink:
        for chunk in watch(table, predictor.kinds, "Predicting"):
            values, without = predictor(chunk)
            sink.write(dict(zip(layout.new, values, strict=True)), chunk)
            lacking += without
            chosen.update(values[-1].tolist())
    return chosen, lacking


def _show(read: str, output: str, chosen: Counter[str], lacking: int, as_json: bool) -> None:
    rows, undecided = chosen.total(), chosen.pop("", 0)
    counts = dict(sorted(chosen.items()))
    often = dict(sorted(chosen.most_common(_SHOWN)))
    if as_json:
        found = {"output": output, "rows": rows, "missing": lacking}
        echo_json({**found, "decisions": counts, "undecided": undecided})
        return
    shown = [*often.items(), *([("undecided", undecided)] if undecided else [])]
    text = ", ".join(f"{name} {count}" for name, count in shown)
    if len(counts) > _SHOWN:
        text += f"; these are the {_SHOWN} most frequent of {len(counts)} decisions"
    typer.echo(f"{read}: {number_of(rows, 'row')} to {output} ({text})")
