"""`evical compare`: cross-validate several calibrators, and recommend one."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from numpy.typing import NDArray
from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from evical._typing import Floats
from evical.cli import arguments
from evical.cli._fitting import tell_direction
from evical.cli._kinds import Kind
from evical.cli._labeled import named_classes, owned_columns, read_labeled
from evical.cli._output import check_page, command_line, echo_json, user_input, write_page
from evical.cli._show import new_console, progress_bar
from evical.cli._tables import open_table
from evical.evaluation import Comparison
from evical.evaluation import compare as compare_calibrators
from evical.evaluation.methods import name_methods
from evical.evaluation.recommendation import CRITERIA
from evical.evaluation.validation import MEASURES
from evical.scores import ScoreCounts

_EXPLAINED = (
    "Worse by: mean {} minus the lowest, with its standard error; p adjusted by Holm's procedure. "
    "Width: mean Pl - Bel.\n"
)


@dataclass(frozen=True)
class Plan:
    """How to compare."""

    methods: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,...",
            help="Calibrators, such as logistic,isotonic:bayesian; or all.",
            show_default="six of different kinds, and the uncalibrated scores if all are in [0, 1]",
        ),
    ] = None
    folds: Annotated[int, typer.Option(min=2, metavar="N", help="Folds of cross-validation.")] = 10
    repeats: Annotated[
        int, typer.Option(min=1, metavar="N", help="Repetitions with other folds.")
    ] = 1
    criterion: Annotated[
        Literal["brier_score", "log_loss"], typer.Option(help="Loss by which methods are compared.")
    ] = "brier_score"
    seed: arguments.Seed = 0


def compare(
    scores: arguments.Scores,
    score: arguments.ScoreColumns,
    target: Annotated[str, typer.Option(metavar="COLUMN", help="Column of the class.")],
    plan: Plan,
    reading: arguments.Reading,
    positive: Annotated[
        str | None,
        typer.Option(
            metavar="CLASS",
            help="The class that one score predicts.",
            show_default="yes of a column p_yes, else the greater one",
        ),
    ] = None,
    missing: arguments.Dropped = "refuse",
    output: arguments.Page = None,
    force: arguments.Force = False,
    as_json: arguments.AsJson = False,
) -> None:
    """Compare calibrators by cross-validation, and recommend one with reasons.

    Prints mean losses on test folds, which differences are significant, and warnings if there
    are few samples. Of three and more classes, calibrators of two classes
    calibrate each against the rest.
    """
    with user_input(), reading:
        check_page(output, force, [scores])
        found = _compare(scores, score, target, positive, plan, missing)
        if output is not None:
            columns = {"score": score, "target": target, "positive": positive, "output": output}
            options = {**columns, "missing": missing, **vars(plan)}
            write_page(output, found, command_line("compare", scores, **options))
    if as_json:
        echo_json(_as_data(found))
    else:
        _show(new_console(), found, output)


def _compare(
    scores: str,
    score: list[str],
    target: str,
    positive: str | None,
    plan: Plan,
    missing: str,
) -> Comparison:
    """The comparison, with a progress bar on standard error if that is a terminal."""
    name, values, labels, positive = _read(scores, score, target, positive, missing)
    if values.ndim == 1:
        tell_direction(ScoreCounts.from_samples(values, labels == positive), labels, positive)
    methods = _list_methods(plan.methods)
    total = len(name_methods(methods, values)) * plan.folds * plan.repeats
    with progress_bar() as bar:
        task = bar.add_task("Fitting", total=total)
        return compare_calibrators(
            values,
            labels,
            methods,
            cv=plan.folds,
            repeats=plan.repeats,
            criterion=plan.criterion,
            random_state=plan.seed,
            name=name,
            pos_label=positive,
            on_fit=lambda: bar.advance(task),
        )


def _read(
    scores: str, score: list[str], target: str, positive: str | None, missing: str
) -> tuple[str, Floats, NDArray[Any], str | None]:
    """Name, scores (n,) or (n, K) in the order of the classes, labels, and the positive class."""
    with open_table(scores) as table:
        named = named_classes(score, table.header)
        kinds: dict[str, Kind] = dict.fromkeys(named, "score")
        rows = read_labeled(table, kinds, target, missing, two=len(named) == 1)
    classes, owners = owned_columns(named, rows, target, positive)
    if len(named) == 1:
        return rows.name, rows.columns[owners[classes[1]]], rows.labels, classes[1]
    if len(owners) == 2:
        raise ValueError(f"two classes have one score; write --score {list(owners.values())[1]}")
    return rows.name, rows.values(owners.values()), rows.labels, None


def _list_methods(methods: str | None) -> list[str] | str | None:
    if methods is None or methods.strip() == "all":
        return methods and "all"
    names = [name.strip() for name in methods.split(",")]
    if "" in names:
        raise ValueError("--methods has an empty name; separate names by single commas")
    return names


def _as_data(found: Comparison) -> dict[str, Any]:
    advice, many = found.recommendation, len(found.class_names) > 2
    return {
        "name": found.name,
        "samples": len(found.y),
        **({} if many else {"positive": int(found.y.sum())}),
        "classes": list(found.class_names),
        "folds": found.n_folds,
        "repeats": found.n_repeats,
        "criterion": found.criterion,
        "methods": {
            name: {measure: found.mean(name, measure) for measure in MEASURES}
            | {"seconds": float(found.seconds[found.methods.index(name)].mean())}
            for name in found.ranking()
        },
        "differences": [vars(one) for one in found.differences],
        "failures": found.failures,
        "recommendation": {
            "method": advice.method,
            "best": advice.best,
            "equivalents": list(advice.equivalents),
            "reasons": list(advice.reasons),
            "warnings": list(advice.warnings),
        },
    }


def _show(console: Console, found: Comparison, output: Path | None) -> None:
    advice = found.recommendation
    folds = f"{found.n_folds} folds" + (f" x {found.n_repeats}" if found.n_repeats > 1 else "")
    console.print(Text(f"{found.name}: {len(found.y)} samples, {folds}", style="bold"))
    console.print(_table(found))
    console.print(Text(_EXPLAINED.format(CRITERIA[found.criterion])))
    for name, reason in found.failures.items():
        console.print(Text(f"{name} could not be fitted: {reason}"))
    console.print(Text(f"Recommended: {advice.method}", style="bold"))
    for text in advice.reasons:
        console.print(Text(f"- {text}"))
    for text in advice.warnings:
        console.print(Text(f"! {text}", style="yellow"))
    if output is not None:
        console.print(Text(f"Page: {output}"), soft_wrap=True)


def _table(found: Comparison) -> RichTable:
    shown = RichTable(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    shown.add_column("Method", overflow="fold", min_width=len("uncalibrated"))
    for name in ("Brier", "Log loss", "ECE", "AUC", "Width", "Worse by", "Error", "p"):
        shown.add_column(name, justify="right", no_wrap=True)
    gaps = {one.method: one for one in found.differences}
    for name in found.ranking():
        means = [found.mean(name, measure) for measure in MEASURES]
        one = gaps.get(name)
        gap: list[str] = []
        if one is not None:
            gap = [f"{one.difference:.5f}", f"{one.standard_error:.5f}", _p(one.adjusted)]
        shown.add_row(
            Text(name, style="bold" if name == found.recommendation.method else ""),
            *(f"{value:.4f}" for value in means[:2]),
            *(f"{value:.3f}" for value in means[2:]),
            *gap,
        )
    return shown


def _p(value: float) -> str:
    return "<0.0001" if value < 1e-4 else f"{value:.2g}"
