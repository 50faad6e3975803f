"""What `evical demo` computes and writes, apart from its options, which the help shows at once."""

from pathlib import Path
from typing import Literal

from rich.console import Console

from evical.cli._output import write_atomically
from evical.cli._show import new_console, progress_bar, rich_table
from evical.datasets import Dataset, load_breast_cancer, load_csv
from evical.report import build
from evical.studies import (
    Outcome,
    Study,
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

__all__ = ["prepared", "run_study", "show", "write_files"]


def prepared(
    data: Path | None, target: str | None, missing: Literal["refuse", "encode"], repeats: int
) -> tuple[Study, Dataset]:
    """The study and its data; raises ValueError if it cannot be carried out on them."""
    if data is None or target is None:
        dataset = load_breast_cancer()
    else:
        dataset = load_csv(data, target, missing)
    return demo_study(dataset, repeats), dataset


def run_study(study: Study, dataset: Dataset, seed: int) -> Outcome:
    """All repeats, with a progress bar."""
    plan = plan_study(study, seed=seed, data={dataset.name: dataset})
    with progress_bar() as bar:
        task = bar.add_task("Repeats", total=plan.repeats)
        return run_plan(plan, on_repeat=lambda done, _: bar.update(task, completed=done))


def write_files(outcome: Outcome, dataset: Dataset, command: str, output: Path) -> None:
    """Pictures, table and page."""
    pictures = demo_pictures(outcome, dataset)
    files: dict[str, str | bytes] = {f"{picture.name}.png": picture.png for picture in pictures}
    files["table.csv"] = summary_csv(outcome)
    # Last, so that there is no page without its pictures and tables.
    files["index.html"] = build(demo_page(outcome, pictures, command))
    for name, content in files.items():
        write_atomically(output / name, content)


def show(outcome: Outcome, output: Path, ending: str) -> None:
    """Tables and what follows from them, on standard output."""
    console = new_console()
    console.print(outcome.study.title, style="bold", markup=False)
    console.print(outcome.study.protocol[0], markup=False)
    console.print(rich_table(results_table(outcome)))
    console.print(rich_table(differences_table(outcome)))
    for text in findings(outcome):
        console.print(text, markup=False)
        console.print()
    _print_whole(console, f"Page, pictures and table: {output / 'index.html'}")
    _print_whole(console, ending)


def _print_whole(console: Console, line: str) -> None:
    """A line that may be copied."""
    console.print(line, soft_wrap=True, markup=False)
