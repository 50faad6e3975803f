"""`evical card`: what a model is, what it was fitted on, and what it promises."""

from pathlib import Path
from typing import Annotated

import typer

from evical.cli import arguments
from evical.cli._card import card_text, checks_text
from evical.cli._errors import user_input
from evical.cli._files import check_output, write_atomically
from evical.cli._judged import Selection, evaluate_selection
from evical.cli._model import load_model, two_classes
from evical.evaluation import check_calibration

__all__ = ["card"]


def card(
    model: Annotated[Path, typer.Argument(metavar="MODEL.json", help="What evical fit wrote.")],
    data: arguments.Data = None,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="CARD.md", help="Card to write; - is stdout.")
    ] = "-",
    target: arguments.Target = None,
    score: arguments.Score = None,
    missing: arguments.Missing = "refuse",
    force: arguments.Force = False,
) -> None:
    """Write a model card: what it was fitted on, what it promises, and checks on other samples.

    The card is Markdown with a head in YAML. With DATA, labeled samples that the model was not
    fitted to, it tells whether calibration and the promise of [Bel, Pl] held there.
    """
    with user_input():
        fitted = two_classes(load_model(model))
        if output != "-":
            check_output(Path(output), force, [model, *([] if data is None else [data])])
        checks = None
        if data is not None:
            selection = Selection(str(model), data, target, None, None, None, score, None, missing)
            evaluation = evaluate_selection(selection)
            checks = checks_text(evaluation.name, check_calibration(evaluation))
        text = card_text(fitted, checks)
        if output != "-":
            write_atomically(Path(output), text)
    if output == "-":
        typer.echo(text, nl=False)
