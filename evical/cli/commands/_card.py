"""`evical card`: what a model is, what it was fitted on, and what it guarantees."""

from pathlib import Path

import typer

from evical.cli import arguments
from evical.cli._output import user_input, write_atomically


def card(
    model: arguments.Given[Path],
    reading: arguments.Reading,
    data: arguments.Given[str | None] = None,
    output: str = "-",
    target: str | None = None,
    score: str | None = None,
    missing: arguments.Missing = "refuse",
    force: bool = False,
) -> None:
    """Write a model card with the training data, the guarantees, and checks on other samples.

    The card is Markdown with a head in YAML. With DATA, labeled samples that the model was not
    fitted to, it shows calibration and the coverage of [Bel, Pl] there, for each of more than two
    classes, or how often the sets of a conformal model missed the class.

    Parameters
    ----------
    output : -o CARD.md
        Card to write; - is stdout.

    Examples
    --------
    evical card model.json new.csv -o card.md
    """
    with user_input(), reading:
        # Inside, as in each command, because it takes seconds to load.
        from evical.cli._cards import card_text, checks_of
        from evical.cli._model import load_model

        fitted = load_model(model)
        checks = None
        if data is not None:
            selection = arguments.Selection(
                predictions=str(model), data=data, target=target, score=score, missing=missing
            )
            checks = checks_of(selection, fitted)
        text = card_text(fitted, checks)
        if output != "-":
            write_atomically(Path(output), text)
    if output == "-":
        typer.echo(text, nl=False)
