"""Predictions from the command line, and their evaluation.

Predictions are columns of a table, or a model file with a table of scores. The default columns are
those that `evical predict` writes, and their names say which class they are of.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evical._typing import Floats
from evical.calibrators import BaseCalibrator
from evical.calibrators.by_name import suggestion
from evical.cli import arguments
from evical.cli._beliefs import (
    BeliefColumns,
    Naming,
    classes_of,
    find_beliefs,
)
from evical.cli._fitting import ClassRows, read_class_rows
from evical.cli._kinds import Kind, complete_rows
from evical.cli._labeled import Labeled, read_labeled_table
from evical.cli._model import Model, load_model, on_table, score_kind, two_classes
from evical.cli._predicting import beliefs, with_score
from evical.cli._tables import Chunk, Table, check_columns, open_table
from evical.evaluation import Evaluation
from evical.metrics import calibration_report, mean_imprecision
from evical.metrics.report import CalibrationReport, Measure
from evical.scores.names import KINDS, belief_names


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
    def needed_target(self) -> str:
        """The column of the class; raises ValueError if none was given."""
        if self.target is None:
            raise ValueError("--target is missing: the column of the true class")
        return self.target

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
    reason = "is for tables of predictions; a model makes its own"
    _refuse(selection, ("probability", "bel", "pl", "prefix"), reason)
    model = load_model(selection.predictions)
    calibrator = two_classes(model)
    rows, score = read_for_model(selection, data, model)
    scores = rows.columns[score]
    known = complete_rows([scores])
    bounds, probability = np.tile([0.0, 1.0], (len(scores), 1)), np.full(len(scores), 0.5)
    if known.any():
        bounds[known] = calibrator.predict_interval(scores[known])
        probability[known] = calibrator.predict_proba(scores[known])[:, 1]
    made: dict[str, Any] = {"bel": bounds[:, 0], "pl": bounds[:, 1], "probability": probability}
    if known.all():
        made["scores"] = scores
    right = np.where(rows.y, probability, 1 - probability)[known]
    name = on_table(model, rows.name, rows.y[known], right)
    return replace(_evaluation(rows, {"name": name} | made | options), answers=model.answers)


def read_for_model(selection: Selection, data: str, model: Model) -> tuple[Labeled, str]:
    """Scores and classes of a table, as a model reads them, and the column of the scores."""
    target = model.target if selection.target is None else selection.target
    negative, positive = model.labels
    if selection.positive not in (None, positive):
        raise ValueError(
            f"--positive is {selection.positive!r}, but the positive class of the model is "
            f"{positive!r}"
        )
    score = with_score(model, selection.score).score
    columns: dict[str, Kind] = {score: score_kind(model.calibrator)}
    with open_table(data) as table:
        _check_model_columns(table, selection, score, target)
        rows = read_labeled_table(
            table, columns, target, positive, (negative, positive), missing=selection.missing
        )
    return rows, score


def _check_model_columns(table: Table, selection: Selection, score: str, target: str) -> None:
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
    target = selection.needed_target
    with open_table(selection.predictions) as table:
        rows = _rows(selection, table, target)
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
    pair = classes_of([found], selection.naming)
    negative, positive = pair[0], str(pair[1])
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


@dataclass(frozen=True, eq=False)
class ClassPredictions:
    """Labels (n,), [Bel, Pl] (n, K, 2) and pignistic probabilities (n, K) of K classes."""

    name: str
    labels: NDArray[Any]
    classes: tuple[str, ...]
    bounds: Floats
    probability: Floats

    def report(self, n_bins: int) -> CalibrationReport:
        """Measures of all classes together."""
        found = calibration_report(
            self.labels, self.probability, labels=list(self.classes), n_bins=n_bins
        )
        width = mean_imprecision(self.bounds)
        more = Measure("mean_imprecision", width, "mean Pl - Bel of classes")
        return CalibrationReport(found.n_samples, (*found.measures, more))

    def of_class(self, label: str, n_bins: int) -> Evaluation:
        """One class against all others."""
        k = self.classes.index(label)
        bel, pl = self.bounds[:, k].T
        return Evaluation.from_predictions(
            np.asarray(self.labels == label, dtype=np.int8),
            self.probability[:, k],
            bel=bel,
            pl=pl,
            n_bins=n_bins,
            name=f"{self.name}, class {label!r}",
        )


def many_judged(selection: Selection) -> ClassPredictions | None:
    """Predictions of several scores, or of a table with a belief about each class; else None.

    Raises OSError or ValueError for what is wrong with the files or the selection.
    """
    if selection.data is not None:
        model = load_model(selection.predictions)
        one = isinstance(model.calibrator, BaseCalibrator)
        return None if one else _classes_of_model(selection, model)
    if selection.predictions.lower().endswith(".json") or selection.predictions == "-":
        return None
    if selection.bel is not None or selection.pl is not None or selection.probability is not None:
        return None
    with open_table(selection.predictions) as table:
        if sum(name.startswith(f"{selection.prefix}bel_") for name in table.header) <= 2:
            return None
        found = find_beliefs(table, selection.naming)
    return _classes_of_table(selection, found)


def _refuse_columns(selection: Selection) -> None:
    reason = "is for two classes; with more, each has its own columns"
    _refuse(selection, ("positive", "score", "probability", "bel", "pl"), reason)


def _refuse(selection: Selection, options: Iterable[str], reason: str) -> None:
    """Raise for the first of these options that was given."""
    for option in options:
        if option in selection.given:
            raise ValueError(f"--{option} {reason}")


def read_for_classes(selection: Selection, model: Model) -> tuple[Model, ClassRows]:
    """The model with its scores where they are, and the rows of a table."""
    if len(model.scores) == 1:
        model, selection = with_score(model, selection.score), replace(selection, score=None)
    _refuse_columns(selection)
    kinds: dict[str, Kind] = dict.fromkeys(model.scores.values(), score_kind(model.calibrator))
    target = model.target if selection.target is None else selection.target
    rows = _read_classes(str(selection.data), kinds, target, selection.missing, model.labels)
    return model, rows


def _classes_of_model(selection: Selection, model: Model) -> ClassPredictions:
    model, rows = read_for_classes(selection, model)
    bounds, probability, _ = beliefs(model, rows.columns)
    known = complete_rows(rows.columns.values())
    classes = np.array(model.labels)
    order = np.argsort(classes)
    codes = order[np.searchsorted(classes, rows.labels[known], sorter=order)]
    title = on_table(model, rows.name, codes, probability[known][np.arange(len(codes)), codes])
    return ClassPredictions(title, rows.labels, model.labels, bounds, probability)


def _classes_of_table(selection: Selection, found: BeliefColumns) -> ClassPredictions:
    _refuse_columns(selection)
    target = selection.needed_target
    classes, prefix = tuple(found.classes), selection.prefix
    names = np.reshape(belief_names(classes, prefix), (-1, len(KINDS)))

    def check(chunk: Chunk) -> None:
        found.read_all(chunk.columns, chunk.place, classes)

    kinds: dict[str, Kind] = dict.fromkeys(names.ravel().tolist(), "probability")
    texts: dict[str, Kind] = {} if found.decision is None else {found.decision: "text"}
    source, missing = selection.predictions, selection.missing
    rows = _read_classes(source, kinds, target, missing, classes, texts, check)
    known = complete_rows(rows.columns.values())[:, np.newaxis]
    bel, pl, probability = (
        np.where(known, np.stack([rows.columns[one] for one in part], axis=1), vacuous)
        for part, vacuous in zip(names.T, (0.0, 1.0, 1 / len(classes)), strict=True)
    )
    return ClassPredictions(
        rows.name, rows.labels, classes, np.stack([bel, pl], axis=2), probability
    )


def _read_classes(
    source: str,
    kinds: dict[str, Kind],
    target: str,
    missing: str,
    classes: tuple[str, ...],
    texts: dict[str, Kind] | None = None,
    check: Callable[[Chunk], None] | None = None,
) -> ClassRows:
    with open_table(source) as table:
        check_columns(table, dict.fromkeys((*kinds, target)))
        rows = read_class_rows(table, kinds, target, missing, texts, check)
        for label in np.unique(rows.labels).tolist():
            if label not in classes:
                raise ValueError(
                    f"{table.name}, column {target!r}: {label!r} is none of the classes "
                    f"{', '.join(classes[:12])}"
                )
        return rows
