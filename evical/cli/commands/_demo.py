"""`evical demo`: the main job end to end, on bundled data or your own."""

import shlex
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console

from evical.cli._errors import user_input
from evical.cli._files import prepare_folder, write_atomically
from evical.cli._rich_table import rich_table
from evical.cli._show import new_console, progress_bar
from evical.datasets import Dataset, load_breast_cancer, load_csv
from evical.report import build
from evical.studies import (
    Outcome,
    Plan,
    demo_page,
    demo_pictures,
    demo_study,
    differences_table,
    findings,
    plan_study,
    results_table,
    run_plan,
    summary_csv,
)

__all__ = ["demo"]


def demo(
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.csv",
            help="Your data: numbers or text, with a header row.",
            show_default="Wisconsin breast cancer",
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Column of the class; it must hold two values."),
    ] = None,
    missing: Annotated[
        Literal["refuse", "encode"],
        typer.Option(help="Missing features: stop, or fill in medians and mark them."),
    ] = "refuse",
    repeats: Annotated[int, typer.Option(min=1, metavar="N", help="Number of random splits.")] = 50,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Seed of the random splits.")] = 0,
    output: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder for the table, pictures and page.")
    ] = Path("evical-demo"),
) -> None:
    """Train ten classifiers, calibrate each into beliefs, and combine them.

    Compares calibrators and evidential models on random splits of the data,
    prints a table, and writes it with pictures and a page, index.html, into
    the output folder.
    """
    with user_input():
        dataset = _load(data, target, missing)
        study = demo_study(dataset, repeats)
        prepare_folder(output)
    outcome = _run(plan_study(study, seed=seed, data={dataset.name: dataset}))
    command = _command(data, target, missing, outcome, output)
    files = _files(outcome, dataset, command)
    with user_input():
        for name, content in files.items():
            write_atomically(output / name, content)
    _show(new_console(), outcome, output)


def _load(data: Path | None, target: str | None, missing: Literal["refuse", "encode"]) -> Dataset:
    if data is None:
        if target is not None:
            raise ValueError("--target names a column of --data FILE.csv; give both or neither")
        return load_breast_cancer()
    if target is None:
        raise ValueError("--data needs --target COLUMN, the name of the column with the class")
    return load_csv(data, target, missing)


def _run(plan: Plan) -> Outcome:
    with progress_bar() as bar:
        task = bar.add_task("Repeats", total=plan.repeats)
        return run_plan(plan, on_repeat=lambda done, _: bar.update(task, completed=done))


def _files(outcome: Outcome, dataset: Dataset, command: str) -> dict[str, str | bytes]:
    pictures = demo_pictures(outcome, dataset)
    files: dict[str, str | bytes] = {f"{picture.name}.png": picture.png for picture in pictures}
    files["table.csv"] = summary_csv(outcome)
    # Last, so that there is no page without its pictures and tables.
    files["index.html"] = build(demo_page(outcome, pictures, command))
    return files


def _command(
    data: Path | None, target: str | None, missing: str, outcome: Outcome, output: Path
) -> str:
    words = ["evical", "demo"]
    if data is not None and target is not None:
        words += ["--data", str(data), "--target", target]
        words += [] if missing == "refuse" else ["--missing", missing]
    words += ["--repeats", str(outcome.repeats), "--seed", str(outcome.seed)]
    return shlex.join([*words, "--output", str(output)])


def _show(console: Console, outcome: Outcome, output: Path) -> None:
    console.print(outcome.study.title, style="bold", markup=False)
    console.print(outcome.study.protocol[0], markup=False)
    console.print(rich_table(results_table(outcome)))
    console.print(rich_table(differences_table(outcome)))
    for text in findings(outcome):
        console.print(text, markup=False)
        console.print()
    console.print(
        f"Page, pictures and table: {output / 'index.html'}", soft_wrap=True, markup=False
    )
