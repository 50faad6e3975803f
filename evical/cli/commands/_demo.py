"""`evical demo`: the main job end to end, on bundled data or your own."""

import shlex
from pathlib import Path
from typing import Annotated, Literal

import typer

from evical.cli._errors import user_input
from evical.cli._output import prepare_folder

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

    Compares Dempster's rule on probabilities and on beliefs, simple ways, and
    the default of EvidentialEnsemble, on random splits of the data; tells what
    to take; and writes the table with pictures and a page, index.html, into
    the output folder.
    """
    with user_input():
        _check(data, target)
        if data is None:
            prepare_folder(output)
            _announce("Wisconsin breast cancer", repeats)
    # Inside, because it takes seconds to load, and nobody should wait for the first line.
    from evical.cli._demonstration import prepared, run_study, show, write_files

    with user_input():
        study, dataset = prepared(data, target, missing, repeats)
        if data is not None:
            prepare_folder(output)
            _announce(dataset.name, repeats)
    outcome = run_study(study, dataset, seed)
    words = _words(data, target, missing, repeats, seed, output)
    with user_input():
        write_files(outcome, dataset, shlex.join(words), output)
    show(outcome, output, _ending(data))


def _check(data: Path | None, target: str | None) -> None:
    if data is None and target is not None:
        raise ValueError("--target names a column of --data FILE.csv; give both or neither")
    if data is not None and target is None:
        raise ValueError("--data needs --target COLUMN, the name of the column with the class")


def _announce(name: str, repeats: int) -> None:
    """The first line, so that something happens at once."""
    splits = f"{repeats} random split{'s' if repeats > 1 else ''}"
    typer.echo(f"Training ten classifiers: {name}, {splits}.")


def _ending(data: Path | None) -> str:
    """What to do next."""
    if data is None:
        return "On your own data: evical demo --data FILE.csv --target COLUMN"
    return "In Python: EvidentialEnsemble([...]).fit(X, y).predict_interval(X_new)"


def _words(
    data: Path | None,
    target: str | None,
    missing: str,
    repeats: int,
    seed: int,
    output: Path,
) -> list[str]:
    """The command that makes the same again."""
    words = ["evical", "demo"]
    if data is not None and target is not None:
        words += ["--data", str(data), "--target", target]
        words += [] if missing == "refuse" else ["--missing", missing]
    words += ["--repeats", str(repeats), "--seed", str(seed)]
    return [*words, "--output", str(output)]
