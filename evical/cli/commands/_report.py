"""`evical report`: write a page about predictions, a comparison, or an ensemble."""

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from evical.cli import arguments
from evical.cli._decisions import masses
from evical.cli._errors import user_input
from evical.cli._judged import Selection, evaluate_selection
from evical.cli._labeled import Labeled, read_labeled
from evical.cli._output import check_page, command_line, write_page
from evical.cli._rules import RowError, new_combiner
from evical.cli.commands._compare import Plan, compare_columns
from evical.evaluation import Comparison, EnsembleEvaluation, Evaluation
from evical.evaluation.other_rules import other_rules

__all__ = ["report"]


# Options that have an effect, by the subject of the page.
_COLUMNS = ("target", "positive")
_MEANT = {
    "a comparison": ("score", "methods", "folds", "repeats", "criterion", "seed", *_COLUMNS),
    "predictions": ("probability", "bel", "pl", "score", "seed", *_COLUMNS),
    "an ensemble": ("bel", "pl", "rule", *_COLUMNS),
}


def report(
    context: typer.Context,
    tables: Annotated[
        list[str],
        typer.Argument(
            metavar="FILES",
            help="Predictions; or MODEL.json and DATA; or scores, with --methods; or predictions "
            "of several classifiers, row by row.",
        ),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="PAGE.html", help="Page to write.")
    ],
    target: arguments.Target = None,
    probability: arguments.Probability = None,
    bel: arguments.Bel = None,
    pl: arguments.Pl = None,
    score: arguments.Score = None,
    positive: arguments.Positive = None,
    missing: arguments.Missing = "refuse",
    methods: arguments.Methods = None,
    folds: arguments.Folds = 10,
    repeats: arguments.Repeats = 1,
    criterion: arguments.Criterion = "brier_score",
    rule: Annotated[
        str, typer.Option(metavar="NAME", help="Rule that combines several predictions.")
    ] = "dempster",
    seed: arguments.Seed = 0,
    force: arguments.Force = False,
) -> None:
    """Write a page about predictions, a comparison of calibrators, or an ensemble.

    One file of predictions, or a model with data: are they calibrated?
    Scores, with --methods: which calibrator? Several files of beliefs: what
    does combining them gain?
    """
    with user_input():
        check_page(output, force, tables)
        _check_options(context, tables, methods is not None)
        selection = Selection(
            tables[0],
            tables[1] if len(tables) == 2 and _is_model(tables[0]) else None,
            target,
            probability,
            bel,
            pl,
            score,
            positive,
            missing,
        )
        found: Evaluation | Comparison | EnsembleEvaluation
        more: dict[str, Any]
        if methods is not None:
            plan = Plan(methods, folds, repeats, criterion, seed)
            found, more = _comparison(selection, tables, plan), vars(plan)
        elif len(selection.inputs) == len(tables):
            found, more = evaluate_selection(selection, random_state=seed), {"seed": seed}
        else:
            found, more = _ensemble(selection, tables, rule), {"rule": rule}
        write_page(output, found, _command(selection, tables, {**more, "output": output}))
    typer.echo(f"page: {output}")


def _check_options(context: typer.Context, tables: list[str], compared: bool) -> None:
    """Raise for a model among tables, or an option without effect."""
    if any(map(_is_model, tables)) and not (len(tables) == 2 and _is_model(tables[0])):
        raise ValueError("a model needs a table to be evaluated on: MODEL.json DATA")
    one = len(tables) == 1 or _is_model(tables[0])
    kind = "a comparison" if compared else "predictions" if one else "an ensemble"
    for name in sorted({option for options in _MEANT.values() for option in options}):
        source = context.get_parameter_source(name)
        if source is not None and source.name != "DEFAULT" and name not in _MEANT[kind]:
            hint = "; give --methods for one" if name in ("folds", "repeats", "criterion") else ""
            raise ValueError(f"--{name} has no effect on {kind}{hint}; leave it out")


def _is_model(name: str) -> bool:
    return name.lower().endswith(".json")


def _comparison(selection: Selection, tables: list[str], plan: Plan) -> Comparison:
    if len(tables) > 1:
        raise ValueError(f"--methods takes one table of scores, not {len(tables)} files")
    if selection.score is None or selection.target is None:
        raise ValueError("--methods needs --score and --target, the columns to learn from")
    if selection.missing == "vacuous":
        raise ValueError(
            "--missing vacuous is for beliefs; a comparison of scores can only drop rows"
        )
    return compare_columns(
        tables[0],
        selection.score,
        selection.target,
        selection.positive,
        plan,
        selection.missing,
    )


def _ensemble(selection: Selection, tables: list[str], rule: str) -> EnsembleEvaluation:
    if selection.target is None:
        raise ValueError("--target is missing: the column of the true class, in each table")
    if selection.missing == "drop":
        raise ValueError("--missing drop would misalign the rows of the tables; use vacuous")
    combiner = new_combiner(rule, [], vacuous=True)
    bel, pl = selection.bel or "bel", selection.pl or "pl"
    members = [_member(name, selection, (bel, pl)) for name in tables]
    first = members[0]
    for one, name in zip(members, tables, strict=True):
        if one.classes != first.classes or not np.array_equal(one.y, first.y):
            raise ValueError(
                f"{name!r} and {tables[0]!r} differ in column {selection.target!r}: rows of "
                "several tables must be the same samples in the same order"
            )
    beliefs = [
        masses(one.columns[bel], np.maximum(one.columns[bel], one.columns[pl]), one.classes)
        for one in members
    ]
    try:
        combined, _ = combiner(beliefs)
    except RowError as error:
        raise ValueError(f"data row {error.row + 1} of all tables: {error}") from error
    return EnsembleEvaluation.from_masses(
        first.labels,
        beliefs,
        combined,
        members=[Path(name).stem for name in tables],
        rule=rule,
        name=f"{len(tables)} classifiers",
        others=other_rules(rule, beliefs, np.asarray(first.labels)),
    )


def _member(name: str, selection: Selection, interval: tuple[str, str]) -> Labeled:
    assert selection.target is not None
    return read_labeled(
        name,
        dict.fromkeys(interval, "probability"),
        selection.target,
        selection.positive,
        ordered=interval,
        missing=selection.missing,
    )


def _command(selection: Selection, tables: list[str], more: dict[str, Any]) -> str:
    columns = {
        name: getattr(selection, name)
        for name in ("target", "probability", "bel", "pl", "score", "positive")
    }
    columns["missing"] = None if selection.missing == "refuse" else selection.missing
    return command_line("report", *tables, **columns, **more)
