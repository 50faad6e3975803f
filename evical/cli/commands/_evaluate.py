"""`evical evaluate`: measures of predictions with confidence intervals."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from evical.cli import arguments
from evical.cli._output import check_page, command_line, echo_json, user_input, write_page

if TYPE_CHECKING:
    from evical.cli._judged import ClassPredictions
    from evical.evaluation import Evaluation
    from evical.metrics.report import Measure

_TITLES = {
    "brier_score": "Brier score",
    "log_loss": "Log loss",
    "roc_auc": "ROC AUC",
    "debiased_calibration_error": "Calibration error",
    "mean_imprecision": "Width, Pl - Bel",
}


# Shown without being asked for: is there anything wrong?
_TESTS = (
    "expected_calibration_error",
    "spiegelhalter_test",
    "kuiper_test",
    "belief_coverage",
    "coverage_test",
    "interval_calibration_test",
)


def evaluate(
    selection: arguments.Selection,
    reading: arguments.Reading,
    bins: Annotated[
        int, typer.Option(min=1, metavar="N", help="Bins of calibration errors and coverage.")
    ] = 10,
    confidence: Annotated[
        float, typer.Option(metavar="LEVEL", help="Level of the intervals.")
    ] = 0.95,
    seed: arguments.Seed = 0,
    output: arguments.Page = None,
    force: arguments.Force = False,
    every: Annotated[
        bool, typer.Option("--all", help="Show every measure, with its definition.")
    ] = False,
    as_json: arguments.AsJson = False,
) -> None:
    """Evaluate predictions: proper scores, calibration, coverage of beliefs, with intervals.

    PREDICTIONS holds probabilities, or beliefs and plausibilities, and the
    true class. Alternatively, MODEL.json is evaluated on DATA that it was not fitted to.
    Of more than two classes, the measures are those of all together.
    """
    with user_input(), reading:
        check_page(output)
        # Inside, as in each command, because it takes seconds to load.
        from evical.cli._judged import ClassPredictions, judge
        from evical.cli._show import new_console

        evaluation = judge(selection, n_bins=bins, confidence=confidence, random_state=seed)
        if output is not None:
            options = {"bins": bins, "confidence": confidence, "seed": seed, "output": output}
            options = {**selection.given, **options}
            command = command_line("evaluate", *selection.inputs, **options)
            page = (
                evaluation.page(command, n_bins=bins, confidence=confidence, random_state=seed)
                if isinstance(evaluation, ClassPredictions)
                else evaluation
            )
            write_page(output, page, command)
    if isinstance(evaluation, ClassPredictions):
        _show_many(new_console(), evaluation, bins, as_json, output)
    elif as_json:
        echo_json(_as_data(evaluation))
    else:
        _show(new_console(), evaluation, every, output)


def _show_many(
    console: Console, many: "ClassPredictions", bins: int, as_json: bool, output: Path | None
) -> None:
    report = many.report(bins)
    if as_json:
        measures = {one.name: {"value": one.value, "definition": one.definition} for one in report}
        data = {"name": many.name, "samples": len(many.labels), "classes": list(many.classes)}
        echo_json({**data, "measures": measures})
        return
    console.print(Text(many.name, style="bold"))
    counts = ", ".join(f"{int((many.labels == label).sum())} {label}" for label in many.classes)
    console.print(Text(f"{len(many.labels)} samples: {counts}"))
    console.print(_definitions(list(report), "Measure"))
    if output is not None:
        console.print(Text(f"Page: {output}"), soft_wrap=True)


def _as_data(evaluation: "Evaluation") -> dict[str, Any]:
    """An evaluation as plain data."""
    intervals = {one.name: [one.low, one.high] for one in evaluation.intervals}
    return {
        "name": evaluation.name,
        "samples": len(evaluation.y),
        "positive": int(evaluation.y.sum()),
        "classes": list(evaluation.class_names),
        "beliefs": evaluation.bel is not None,
        "confidence": evaluation.confidence,
        "intervals": evaluation.how,
        "measures": {
            one.name: {
                "value": one.value,
                "interval": intervals.get(one.name),
                "definition": one.definition,
            }
            for one in evaluation.report
        },
    }


def _show(console: Console, evaluation: "Evaluation", every: bool, output: Path | None) -> None:
    negative, positive = evaluation.class_names
    count = int(evaluation.y.sum())
    console.print(Text(evaluation.name, style="bold"))
    counts = f"{count} {positive}, {len(evaluation.y) - count} {negative}"
    console.print(Text(f"{len(evaluation.y)} samples: {counts}"))
    console.print(_main_table(evaluation))
    others = [one for one in evaluation.report if one.name not in _TITLES]
    if not every:
        others = [one for one in others if one.name in _TESTS]
    console.print(_definitions(others))
    console.print(Text(f"Intervals: {evaluation.how}."))
    if output is not None:
        console.print(Text(f"Page: {output}"), soft_wrap=True)


def _main_table(evaluation: "Evaluation") -> RichTable:
    shown = _table("Measure", "Value", f"{evaluation.confidence:.0%} interval")
    for one in evaluation.intervals:
        interval = f"{one.low:.4f} to {one.high:.4f}"
        shown.add_row(_TITLES[one.name], f"{one.value:.4f}", interval, Text(one.definition))
    return shown


def _table(title: str, *numbers: str) -> RichTable:
    shown = RichTable(box=box.SIMPLE_HEAD, padding=(0, 2, 0, 0))
    shown.add_column(title, no_wrap=True)
    for name in numbers:
        shown.add_column(name, justify="right", no_wrap=True)
    shown.add_column("What it is", style="dim")
    return shown


def _definitions(measures: "list[Measure]", title: str = "Also") -> RichTable:
    shown = _table(title, "Value")
    for one in measures:
        shown.add_row(one.name.replace("_", " "), f"{one.value:.4g}", Text(one.definition))
    return shown
