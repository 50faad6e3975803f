"""`evical card`: what a model is, what it was fitted on, and what it promises."""

from pathlib import Path
from typing import Annotated

import typer

from evical.cli import arguments
from evical.cli._card import card_text, checks_text, conformal_checks_text
from evical.cli._errors import user_input
from evical.cli._judged import Selection, evaluate_selection
from evical.cli._judged_many import many_judged, read_for_classes
from evical.cli._kinds import complete_rows
from evical.cli._many_classes import model_values
from evical.cli._model import ManyModel, Model, is_conformal, load_model
from evical.cli._output import check_output, write_atomically
from evical.conformal import ConformalScores
from evical.evaluation import ConformalEvaluation, check_calibration

_LEVEL, _BINS = 0.05, 10  # as in `evical check`


def card(
    model: arguments.ModelFile,
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
    fitted to, it tells whether calibration and the promise of [Bel, Pl] held there: of more than
    two classes for each of them, of a conformal model how often sets missed the class.
    """
    with user_input():
        fitted = load_model(model)
        if output != "-":
            check_output(Path(output), force, [model, *([] if data is None else [data])])
        checks = None
        if data is not None:
            selection = Selection(
                predictions=str(model), data=data, target=target, score=score, missing=missing
            )
            checks = _checks(selection, fitted)
        text = card_text(fitted, checks)
        if output != "-":
            write_atomically(Path(output), text)
    if output == "-":
        typer.echo(text, nl=False)


def _checks(selection: Selection, fitted: Model | ManyModel) -> str:
    """How a model did on the samples of a selection."""
    if isinstance(fitted, ManyModel) and is_conformal(fitted.calibrator):
        return conformal_checks_text(_conformal(selection, fitted, fitted.calibrator))
    many = many_judged(selection)
    if many is None:
        evaluation = evaluate_selection(selection)
        return checks_text(evaluation.name, check_calibration(evaluation))
    # Each class against the rest, at a level of which it has an equal part.
    each = [many.of_class(label, _BINS) for label in many.classes]
    level = _LEVEL / len(each)
    found = [(one.name, check_calibration(one, level=level, n_bins=_BINS)) for one in each]
    return "\n\n".join(checks_text(name, check) for name, check in found)


def _conformal(
    selection: Selection, fitted: ManyModel, calibrator: ConformalScores
) -> ConformalEvaluation:
    """Sets of a conformal model, judged."""
    owners, rows, name = read_for_classes(selection, fitted)
    values = model_values(owners, rows.columns)
    known = complete_rows(values.T)
    if not known.any():
        raise ValueError(f"{name} has no row with all scores, so that nothing can be checked")
    values, labels, training = values[known], rows.labels[known], fitted.training
    by_class = calibrator.conditional is not None
    # Weights of samples are no numbers of samples.
    counted = sum(training.weights.values()) == training.rows
    sizes = {label: int(weight) for label, weight in training.weights.items()}
    number = sizes if by_class else training.rows
    return ConformalEvaluation.from_p_values(
        labels,
        calibrator.predict_p(values),
        contour=calibrator.predict_contour(values),
        labels=list(fitted.labels),
        n_calibration=number if counted else None,
        groups=labels if by_class else None,
        name=name,
    )
