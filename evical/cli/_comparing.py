"""The comparison of calibrators on a table, and what a terminal shows of it."""

from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from evical.cli._fitting import read_samples, tell_direction, weights_of
from evical.cli._show import progress_bar
from evical.cli.arguments import Plan, SampleTable
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


def compare_table(
    samples: SampleTable,
    positive: str | None,
    methods: list[str] | str | None,
    plan: Plan,
) -> Comparison:
    """The comparison, with a progress bar on standard error if that is a terminal."""
    rows, classes, owners = read_samples(samples, "score", positive)
    values, labels, weight = rows.values(owners.values()), rows.labels, weights_of(samples, rows)
    positive = None
    if len(samples.score) == 1:
        values, positive = values[:, 0], classes[1]
    elif len(owners) == 2:
        raise ValueError(f"two classes have one score; write --score {list(owners.values())[1]}")
    if values.ndim == 1:
        counts = ScoreCounts.from_samples(values, labels == positive, weight)
        tell_direction(counts, labels, positive)
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
            name=rows.name,
            pos_label=positive,
            sample_weight=weight,
            on_fit=lambda: bar.advance(task),
        )


def as_data(found: Comparison) -> dict[str, Any]:
    many = len(found.class_names) > 2
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
        "recommendation": vars(found.recommendation),
    }


def show(console: Console, found: Comparison, output: Path | None) -> None:
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
