"""Predictions from the command line, and their evaluation.

Predictions are columns of a table, or a model file with a table of scores. The default columns are
those that `evical predict` writes.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from evical.calibrators.options import suggestion
from evical.cli._kinds import Kind
from evical.cli._labeled import Labeled, read_labeled_table
from evical.cli._missing import complete_rows
from evical.cli._model import Model, load_model, score_kind, two_classes
from evical.cli._seen import on_table
from evical.cli._tables import Table, open_table
from evical.evaluation import Evaluation

__all__ = [
    "Selection",
    "evaluate_selection",
    "read_for_model",
]


@dataclass(frozen=True)
class Selection:
    """What the user has pointed at."""

    predictions: str
    data: str | None = None
    target: str | None = None
    probability: str | None = None
    bel: str | None = None
    pl: str | None = None
    score: str | None = None
    positive: str | None = None
    missing: str = "refuse"

    @property
    def inputs(self) -> list[str]:
        """Files, none of which may be an output."""
        return [self.predictions, *([] if self.data is None else [self.data])]


def evaluate_selection(selection: Selection, **options: Any) -> Evaluation:
    """The evaluation of a selection; `options` are those of `Evaluation.from_predictions`.

    Raises OSError or ValueError for what is wrong with the files or the selection.
    """
    if selection.data is not None:
        return _of_model(selection, selection.data, options)
    if selection.predictions.lower().endswith(".json"):
        raise ValueError(
            f"{selection.predictions!r} is a model; also name the table to evaluate it on"
        )
    return _of_table(selection, options)


def _of_model(selection: Selection, data: str, options: dict[str, Any]) -> Evaluation:
    chosen = {"--probability": selection.probability, "--bel": selection.bel, "--pl": selection.pl}
    for option, value in chosen.items():
        if value is not None:
            raise ValueError(f"{option} is for tables of predictions; a model makes its own")
    model = two_classes(load_model(selection.predictions))
    rows, score = read_for_model(selection, data, model)
    scores = rows.columns[score]
    known = complete_rows([scores])
    bounds, probability = np.tile([0.0, 1.0], (len(scores), 1)), np.full(len(scores), 0.5)
    if known.any():
        bounds[known] = model.calibrator.predict_interval(scores[known])
        probability[known] = model.calibrator.predict_proba(scores[known])[:, 1]
    made: dict[str, Any] = {"bel": bounds[:, 0], "pl": bounds[:, 1], "probability": probability}
    if known.all():
        made["scores"] = scores
    right = np.where(rows.y, probability, 1 - probability)[known]
    name = on_table(model, rows.name, rows.y[known], right)
    return _evaluation(rows, {"name": name} | made | options)


def read_for_model(selection: Selection, data: str, model: Model) -> tuple[Labeled, str]:
    """Scores and classes of a table, as a model reads them, and the column of the scores."""
    target = model.target if selection.target is None else selection.target
    score = model.score if selection.score is None else selection.score
    if selection.positive not in (None, model.labels[1]):
        raise ValueError(
            f"--positive is {selection.positive!r}, but the positive class of the model is "
            f"{model.labels[1]!r}"
        )
    columns: dict[str, Kind] = {score: score_kind(model.calibrator)}
    with open_table(data) as table:
        _check_model_columns(table, model, selection, score, target)
        rows = read_labeled_table(
            table, columns, target, None, model.labels, missing=selection.missing
        )
    return rows, score


def _check_model_columns(
    table: Table, model: Model, selection: Selection, score: str, target: str
) -> None:
    for name, given, option in (
        (score, selection.score, "--score"),
        (target, selection.target, "--target"),
    ):
        if given is None and name not in table.header:
            hint = suggestion(name, table.header, "columns")
            raise ValueError(
                f"{table.name} has no column {name!r}, as the training data had{hint}; name "
                f"another with {option}"
            )


def _of_table(selection: Selection, options: dict[str, Any]) -> Evaluation:
    if selection.target is None:
        raise ValueError("--target is missing: the column of the true class")
    with open_table(selection.predictions) as table:
        probability, interval = _columns(selection, table)
        numbers = [name for name in (probability, *(interval or ())) if name is not None]
        kinds: dict[str, Kind] = dict.fromkeys(numbers, "probability")
        if selection.score is not None:
            kinds[selection.score] = "score"
        if len(kinds) < len(numbers) + (selection.score is not None):
            raise ValueError("a column is named twice; probability, bel, pl and score differ")
        rows = read_labeled_table(
            table,
            kinds,
            selection.target,
            selection.positive,
            ordered=interval,
            missing=selection.missing,
        )
    made: dict[str, Any] = {"name": rows.name}
    if probability is not None:
        made["probability"] = rows.columns[probability]
    if interval is not None:
        bel, pl = (rows.columns[name] for name in interval)
        made |= {"bel": bel, "pl": np.maximum(bel, pl, out=pl)}
    if selection.score is not None and complete_rows([rows.columns[selection.score]]).all():
        made["scores"] = rows.columns[selection.score]
    return _evaluation(rows, made | options)


def _columns(selection: Selection, table: Table) -> tuple[str | None, tuple[str, str] | None]:
    """Columns of the probability and of belief and plausibility, as far as there are any."""
    bel, pl = selection.bel, selection.pl
    if bel is None and pl is None:
        if selection.probability is not None:
            return selection.probability, None
        if not {"bel", "pl"} <= set(table.header):
            raise ValueError(
                f"{table.name} has no columns 'bel' and 'pl'; name --probability, or --bel and "
                f"--pl; columns: {', '.join(table.header[:12])}"
            )
        return None, ("bel", "pl")
    if bel is None or pl is None:
        raise ValueError("--bel and --pl come together; name both")
    return selection.probability, (bel, pl)


def _evaluation(rows: Labeled, made: dict[str, Any]) -> Evaluation:
    # As numbers: ten million names are 120 MB, and slow to compare.
    found = Evaluation.from_predictions(rows.y, **made)
    return replace(found, class_names=rows.classes)
