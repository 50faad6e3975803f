"""Predictions from the command line, and their evaluation.

Predictions are columns of a table, or a model file with a table of scores. The default columns are
those that `evical predict` writes, and their names say which class they are of.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from evical.calibrators.by_name import suggestion
from evical.cli import arguments
from evical.cli._beliefs import Naming, find_beliefs, pair_of
from evical.cli._kinds import Kind, complete_rows
from evical.cli._labeled import Labeled, read_labeled_table
from evical.cli._model import Model, check_score, load_model, on_table, score_kind, two_classes
from evical.cli._tables import Table, open_table
from evical.evaluation import Evaluation


@dataclass(frozen=True, kw_only=True)
class Columns:
    """Columns of predictions, or of scores for a model."""

    target: arguments.Target = None
    probability: arguments.Probability = None
    bel: arguments.Bel = None
    pl: arguments.Pl = None
    prefix: arguments.Prefix = ""
    score: arguments.Score = None
    positive: arguments.Positive = None
    missing: arguments.Missing = "refuse"

    @property
    def naming(self) -> Naming:
        """What the options say of columns of beliefs."""
        return Naming(self.bel, self.pl, self.prefix, self.positive)

    @property
    def given(self) -> dict[str, Any]:
        """Those that are not as they are by default, by option."""
        return arguments.changed(self, "predictions", "data")


@dataclass(frozen=True, kw_only=True)
class Selection(Columns):
    """Predictions, or a model and its data, with their columns."""

    predictions: arguments.Predictions
    data: arguments.Data = None

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
    chosen = {
        "--probability": selection.probability,
        "--bel": selection.bel,
        "--pl": selection.pl,
        "--prefix": selection.prefix,
    }
    for option, value in chosen.items():
        if value:
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
    if selection.score is not None:
        check_score(score, model.labels[1], model.labels)
    columns: dict[str, Kind] = {score: score_kind(model.calibrator)}
    with open_table(data) as table:
        _check_model_columns(table, model, selection, score, target)
        rows = read_labeled_table(
            table, columns, target, model.labels[1], model.labels, missing=selection.missing
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
        rows = _rows(selection, table, selection.target)
    made: dict[str, Any] = {"name": rows.name}
    if selection.probability is not None:
        made["probability"] = rows.columns[selection.probability]
    if rows.beliefs is not None:
        made |= dict(zip(("bel", "pl"), rows.beliefs, strict=True))
    if selection.score is not None and complete_rows([rows.columns[selection.score]]).all():
        made["scores"] = rows.columns[selection.score]
    return _evaluation(rows, made | options)


def _rows(selection: Selection, table: Table, target: str) -> Labeled:
    """What is selected of a table: beliefs, unless only probabilities are named."""
    probability, score, positive = selection.probability, selection.score, selection.positive
    found = None
    if probability is None or selection.bel is not None or selection.pl is not None:
        found = find_beliefs(table, selection.naming)
    kinds: dict[str, Kind] = {} if probability is None else {probability: "probability"}
    names = [name for name in (probability, score) if name is not None]
    names += [] if found is None else found.names
    if len(set(names)) < len(names):
        raise ValueError("a column is named twice; probability, bel, pl and score differ")
    if score is not None:
        kinds[score] = "score"
    if found is None:
        assert probability is not None
        return read_labeled_table(
            table, kinds, target, positive, of_class=probability, missing=selection.missing
        )
    pair = pair_of([found], selection.naming)
    negative, positive = pair
    return read_labeled_table(
        table,
        kinds,
        target,
        positive,
        None if negative is None else (negative, positive),
        "the beliefs",
        beliefs=(found, pair),
        missing=selection.missing,
    )


def _evaluation(rows: Labeled, made: dict[str, Any]) -> Evaluation:
    # As numbers: ten million names are 120 MB, and slow to compare.
    found = Evaluation.from_predictions(rows.y, **made)
    return replace(found, class_names=rows.classes)
