"""`evical demo`: the main job end to end, on bundled data or your own."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from evical.cli._output import command_line, prepare_folder, user_input, write_atomically

if TYPE_CHECKING:
    from evical.demo.contest import Contest
    from evical.report import Page


_REPEATS = 50, 10  # of two classes, and of more, which take five times as long


def demo(
    data: Path | None = None,
    target: str | None = None,
    missing: Literal["refuse", "encode"] = "refuse",
    repeats: Annotated[int | None, typer.Option(min=1)] = None,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    output: Path = Path("evical-demo"),
) -> None:
    """Train ten classifiers, calibrate each into beliefs, and combine them.

    Compares Dempster's rule on probabilities and on beliefs, simple baselines,
    and the default of EvidentialEnsemble on random splits of the data, makes a
    recommendation, and writes the table with pictures and a page, index.html, into
    the output folder. Small data are shared among fewer classifiers.

    Parameters
    ----------
    data : FILE.csv (by default Wisconsin breast cancer)
        Your data: numbers or text, with a header row.
    target : COLUMN
        Column of the class, of 2 to 10.
    missing
        Missing features: stop, or fill in medians and mark them.
    repeats : N (by default 50; with three and more classes 10)
        Number of random splits.
    seed : N
        Seed of the random splits.
    output : DIR
        Folder for the table, pictures and page.

    Examples
    --------
    evical demo --repeats 5
    evical demo --data mine.csv --target class --repeats 5 --output mine
    """
    with user_input():
        _check(data, target)
        if data is None:
            repeats = repeats or _REPEATS[0]
            prepare_folder(output)
            _announce("ten", "Wisconsin breast cancer", repeats)
    # Inside, because they take seconds to load, and nobody should wait for the first line.
    from evical.cli._show import progress_bar
    from evical.datasets.csv import load_csv
    from evical.datasets.loaders import load_breast_cancer
    from evical.demo.contest import IN_WORDS, check_data, run_contest, sizes_of
    from evical.demo.page import demo_page
    from evical.demo.pictures import demo_pictures

    with user_input():
        if data is None or target is None:
            dataset = load_breast_cancer()
        else:
            dataset = load_csv(data, target, missing)
        check_data(dataset)
        repeats = repeats or _REPEATS[len(dataset.class_names) > 2]
        if data is not None:
            prepare_folder(output)
            _announce(IN_WORDS[len(sizes_of(dataset))], dataset.name, repeats)
    with progress_bar() as bar:
        task = bar.add_task("Repeats", total=repeats)
        contest = run_contest(
            dataset, repeats, seed, on_repeat=lambda done: bar.update(task, completed=done)
        )
    command = command_line(
        "demo",
        data=data,
        target=target,
        missing=None if data is None else missing,
        repeats=repeats,
        seed=seed,
        output=output,
    )
    page = demo_page(contest, demo_pictures(contest), command)
    with user_input():
        _write(contest, page, output)
    _show(contest, page, output, _ending(data))


def _check(data: Path | None, target: str | None) -> None:
    if data is None and target is not None:
        raise ValueError("--target names a column of --data FILE.csv; give both or neither")
    if data is not None and target is None:
        raise ValueError("--data needs --target COLUMN, the name of the column with the class")


def _announce(number: str, name: str, repeats: int) -> None:
    """The first line, so that something happens at once."""
    splits = f"{repeats} random split{'s' if repeats > 1 else ''}"
    typer.echo(f"Training {number} classifiers: {name}, {splits}.")


def _write(contest: "Contest", page: "Page", output: Path) -> None:
    """Pictures, table and page."""
    from evical.demo.page import table_csv
    from evical.report import build

    pictures = [picture for section in page.sections for picture in section.pictures]
    files: dict[str, str | bytes] = {f"{picture.name}.png": picture.png for picture in pictures}
    files["table.csv"] = table_csv(contest)
    # Last, so that there is no page without its pictures and tables.
    files["index.html"] = build(page)
    for name, content in files.items():
        write_atomically(output / name, content)


def _show(contest: "Contest", page: "Page", output: Path, ending: str) -> None:
    """Tables and what follows from them, on standard output."""
    from evical.cli._show import new_console, rich_table
    from evical.demo.page import findings, protocol

    console = new_console()
    console.print(page.title, style="bold", markup=False)
    console.print(protocol(contest.dataset, contest.repeats)[0], markup=False)
    for table in page.sections[1].tables:
        console.print(rich_table(table))
    for text in (*findings(contest), page.lead[-1]):
        console.print(text, markup=False)
        console.print()
    for line in (f"Page, pictures and table: {output / 'index.html'}", ending):
        console.print(line, soft_wrap=True, markup=False)  # whole, because it may be copied


def _ending(data: Path | None) -> str:
    """What to do next."""
    if data is None:
        return "On your own data: evical demo --data FILE.csv --target COLUMN"
    return "In Python: EvidentialEnsemble([...]).fit(X, y).predict_interval(X_new)"
