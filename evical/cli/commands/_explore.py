"""`evical explore`: a page to play with."""

from pathlib import Path
from typing import Any, Literal

import typer

from evical.cli import arguments
from evical.cli._output import check_page, command_line, user_input, write_atomically


def explore(
    output: Path,
    reading: arguments.Reading,
    model: arguments.Given[str | None] = None,
    data: arguments.Given[str | None] = None,
    target: str | None = None,
    score: str | None = None,
    missing: arguments.Dropped = "refuse",
    force: bool = False,
) -> None:
    """Write a page to play with: masses, rules, where conflict goes, and decisions.

    Its sliders move masses of belief on up to four answers, and combine two
    sources by eighteen rules. With a model, it shows the band of belief; with
    samples that the model has not seen, it begins with beliefs about some of
    them, and shows what thresholds, costs and rejects do to errors. A model of
    three or four classes needs samples. The page is one file, and loads nothing.

    Parameters
    ----------
    model : [MODEL.json]
        What evical fit wrote.
    missing
        Rows without a number or a class (empty, NA): stop, or leave them out.

    Examples
    --------
    evical explore -o explore.html
    evical explore model.json new.csv -o decisions.html
    """
    with user_input(), reading:
        check_page(output)
        from evical.report import build_explorer  # inside, because it takes seconds to load

        page = build_explorer(
            **_shown(model, data, target, score, missing),
            command=command_line(
                "explore",
                *(name for name in (model, data) if name is not None),
                target=target,
                score=score,
                missing=missing,
                output=output,
            ),
        )
        write_atomically(output, page)
    typer.echo(f"page: {output}")


def _shown(
    model: str | None,
    data: str | None,
    target: str | None,
    score: str | None,
    missing: Literal["refuse", "drop"],
) -> dict[str, Any]:
    """What the page shows of a model."""
    if data is None and (target is not None or score is not None):
        raise ValueError("--target and --score name columns of DATA; give a model and a table")
    if model is None:
        return {}
    from evical.cli._judged import read_for_model
    from evical.cli._model import load_model, two_classes
    from evical.multiclass import BaseMulticlassCalibrator

    fitted = load_model(model)
    selection = arguments.Selection(
        predictions=model, data=data, target=target, score=score, missing=missing
    )
    found: dict[str, Any] = {"calibrator": fitted.calibrator, "answers": fitted.answers}
    if not isinstance(fitted.calibrator, BaseMulticlassCalibrator):
        found |= {"calibrator": two_classes(fitted), "score_name": score or fitted.score}
    if data is not None:
        fitted, rows = read_for_model(selection, fitted)
        rows.check_both(fitted.target)
        values = rows.values(fitted.scores.values())
        found |= {"scores": values[:, 0] if len(fitted.scores) == 1 else values, "y": rows.labels}
    return found
