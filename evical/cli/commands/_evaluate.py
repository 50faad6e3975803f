"""`evical evaluate`: measures of predictions with confidence intervals."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from evical.cli import arguments
from evical.cli._output import check_page, command_line, echo_json, user_input, write_page

if TYPE_CHECKING:
    from evical.cli._judged import ClassPredictions
    from evical.evaluation import Evaluation
    from evical.metrics.report import CalibrationReport, Measure

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
    bins: arguments.Count = 10,
    confidence: float = 0.95,
    seed: arguments.Seed = 0,
    output: Path | None = None,
    force: bool = False,
    every: bool = False,
    as_json: bool = False,
) -> None:
    """Evaluate predictions: proper scores, calibration, coverage of beliefs, with intervals.

    PREDICTIONS holds probabilities, or beliefs and plausibilities, and the
    true class. Alternatively, MODEL.json is evaluated on DATA that it was not fitted to.
    Of more than two classes, the measures are those of all together.

    Parameters
    ----------
    bins : N
        Bins of calibration errors and coverage.
    confidence : LEVEL
        Level of the intervals.
    every : --all
        Show every measure, with its definition.

    Examples
    --------
    evical evaluate out.csv --target income
    evical evaluate model.json new.csv -o page.html
    """
    with user_input(), reading:
        check_page(output)
        # Inside, as in each command, because it takes seconds to load.
        from evical.cli._judged import ClassPredictions, judge
        from evical.cli._show import new_console

        found = judge(selection, n_bins=bins, confidence=confidence, random_state=seed)
        if output is not None:
            options = {"bins": bins, "confidence": confidence, "seed": seed, "output": output}
            options = {**selection.given, **options}
            command = command_line("evaluate", *selection.inputs, **options)
            page = found.page(command) if isinstance(found, ClassPredictions) else found
            write_page(output, page, command)
    if as_json:
        echo_json(_as_data(found))
    else:
        _show(new_console(), found, every, output)


def _as_data(found: "Evaluation | ClassPredictions") -> dict[str, Any]:
    """An evaluation as plain data."""
    from evical.evaluation import Evaluation

    def measures(report: "CalibrationReport") -> dict[str, dict[str, Any]]:
        return {one.name: {"value": one.value, "definition": one.definition} for one in report}

    if not isinstance(found, Evaluation):
        data = {"name": found.name, "samples": len(found.codes), "classes": list(found.classes)}
        return {**data, "measures": measures(found.report())}
    intervals = {one.name: [one.low, one.high] for one in found.intervals}
    return {
        "name": found.name,
        "samples": len(found.y),
        "positive": int(found.y.sum()),
        "classes": list(found.class_names),
        "beliefs": found.bel is not None,
        "confidence": found.confidence,
        "intervals": found.how,
        "measures": {
            name: {"value": one["value"], "interval": intervals.get(name), **one}
            for name, one in measures(found.report).items()
        },
    }


def _show(
    console: Console, found: "Evaluation | ClassPredictions", every: bool, output: Path | None
) -> None:
    from evical.evaluation import Evaluation

    if isinstance(found, Evaluation):
        positive = int(found.y.sum())
        sizes = {found.class_names[1]: positive, found.class_names[0]: len(found.y) - positive}
    else:
        sizes = {label: int((found.codes == k).sum()) for k, label in enumerate(found.classes)}
    console.print(Text(found.name, style="bold"))
    counts = ", ".join(f"{size} {label}" for label, size in sizes.items())
    console.print(Text(f"{sum(sizes.values())} samples: {counts}"))
    if isinstance(found, Evaluation):
        console.print(_main_table(found))
        others = [one for one in found.report if one.name not in _TITLES]
        console.print(_definitions([one for one in others if every or one.name in _TESTS]))
        console.print(Text(f"Intervals: {found.how}."))
    else:
        console.print(_definitions(list(found.report()), "Measure"))
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
