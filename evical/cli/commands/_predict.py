"""`evical predict`: beliefs about the rows of a table of scores."""

from collections import Counter
from pathlib import Path
from typing import Literal

import typer

from evical.cli import arguments
from evical.cli._output import echo_json, user_input

_SHOWN = 20  # decisions that are printed with their numbers


def predict(
    model: arguments.Given[Path],
    scores: arguments.Given[str],
    choices: arguments.Choices,
    engine: arguments.Engine,
    reading: arguments.Reading,
    output: str = "-",
    score: str | None = None,
    missing: Literal["refuse", "vacuous"] = "refuse",
    alpha: float | None = None,
    level: float | None = None,
    prefix: str = "",
    force_columns: bool = False,
    escape_formulas: bool = False,
    force: bool = False,
    as_json: bool = False,
) -> None:
    """Add beliefs and decisions to a table of new scores.

    Writes all columns of NEW as they are; for each class, such as yes, the columns bel_yes, pl_yes
    and p_yes (belief, plausibility and probability), with --level 0.95 also lower_yes and upper_yes
    (the 95 % confidence interval of p_yes); and decision, or act with --cost-table. A conformal
    model also writes the set at --alpha. A model of fit --answer-error decides "ask" where its
    bound needs it. Files of any size are processed in chunks.

    Parameters
    ----------
    scores : NEW
        CSV, TSV or Parquet with a header; - is stdin.
    output : -o OUT
        CSV, TSV or Parquet; - is stdout.
    missing
        Rows without a number (empty, NA): stop, or take bel 0 and pl 1.
    alpha : LEVEL (by default 0.1)
        Of a model of fit --conformal: how often its sets may miss the class.
    level : LEVEL
        Write the confidence interval of each probability, too: lower_yes, upper_yes.
    prefix : TEXT
        Put before the names of the new columns.
    force_columns
        Replace columns that have the new names.

    Examples
    --------
    evical predict model.json new.csv -o out.csv
    evical predict model.json new.csv --costs 1 5 --reject 0.5 -o decided.csv
    """
    with user_input(), reading:
        # Inside, as in each command, because it takes seconds to load.
        from evical.cli._decisions import new_decision
        from evical.cli._kinds import tell_missing
        from evical.cli._model import load_model
        from evical.cli._predicting import new_predictor, write_rows
        from evical.cli._sinks import Layout, check_output_name
        from evical.cli._tables import open_table
        from evical.cli.engine.session import limits_of

        check_output_name(output, escape_formulas, engine.engine)
        if output == "-" and as_json:
            raise ValueError("--json prints to standard output, where the table goes; give -o FILE")
        limits = limits_of(engine)
        fitted = load_model(model)
        decision = new_decision(fitted.labels, choices)
        if fitted.answers is not None:
            _check_answers(choices, limits is not None)
        if choices.costs is not None:
            alarm, miss = choices.costs
            typer.echo(
                f"evical: deciding for {fitted.labels[1]!r} wrongly costs {alarm:g}, and for "
                f"{fitted.labels[0]!r} wrongly {miss:g}",
                err=True,
            )
        with open_table(scores) as table:
            columns = (score, missing, alpha, level)
            predictor = new_predictor(fitted, decision, choices, table, *columns)
            new = tuple(prefix + name for name in predictor.new)
            layout = Layout(new, table, escape_formulas)
            if not force_columns:
                layout.refuse_collision()
            if limits is None:
                chosen, lacking = write_rows(predictor, layout, output)
            else:
                from evical.cli.engine.predictions import predict_table  # with all exports

                chosen, lacking = predict_table(limits, scores, predictor, layout, output)
            read = table.name
        tell_missing(read, lacking, chosen.total(), missing)
    if output != "-":
        _show(read, output, chosen, lacking, as_json)


def _check_answers(choices: arguments.Choices, by_engine: bool) -> None:
    """Raise for what a promise for the answers, of the likeliest classes, does not go with."""
    if choices != arguments.BY_DEFAULT:
        raise ValueError(
            "the model answers or asks as fit --answer-error set; leave out --threshold, "
            "--costs, --cost-table, --reject and --criterion, or fit without it"
        )
    if by_engine:
        raise ValueError(
            "--engine duckdb does not know the answer 'ask'; leave it out: tables of any size are "
            "predicted piece by piece"
        )


def _show(read: str, output: str, chosen: Counter[str], lacking: int, as_json: bool) -> None:
    from dstheory.checks.arguments import number_of

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
