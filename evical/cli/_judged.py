"""Predictions from the command line, and their evaluation.

Predictions are columns of a table, or a model file with a table of scores. The default columns are
those that `evical predict` writes, and their names say which class they are of.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from dstheory.checks.arguments import suggestion
from dstheory.kernels.rounding import unit_rows
from evical._typing import Floats
from evical.beliefs import Beliefs
from evical.calibrators import BaseCalibrator
from evical.cli._beliefs import (
    Classes,
    classes_of,
    find_beliefs,
    one_after_another,
    unit_probabilities,
)
from evical.cli._kinds import Kind, among, complete_rows
from evical.cli._labeled import (
    Labeled,
    agreed_class,
    class_columns,
    named_classes,
    positive_class,
    read_labeled,
)
from evical.cli._model import Model, load_model, on_table, score_kind
from evical.cli._predicting import beliefs, with_score
from evical.cli._tables import Chunk, Table, open_table
from evical.cli.arguments import Selection
from evical.conformal.control import Promise
from evical.datasets.csv import sorted_labels
from evical.evaluation import Evaluation
from evical.metrics import calibration_report, mean_imprecision
from evical.metrics.report import CalibrationReport, Measure

if TYPE_CHECKING:  # which takes long to load
    from evical.report import Page


class Options(TypedDict, total=False):
    """How `Evaluation.from_predictions` evaluates."""

    n_bins: int
    confidence: float
    random_state: int


def judge(selection: Selection, **options: Unpack[Options]) -> "Evaluation | ClassPredictions":
    """The evaluation of a selection of two classes, or the predictions of more.

    Raises OSError or ValueError for what is wrong with the files or the selection.
    """
    if selection.data is not None:
        return _of_model(selection, load_model(selection.predictions), options)
    if selection.predictions.lower().endswith(".json"):
        raise ValueError(
            f"{selection.predictions!r} is a model; also name the table to evaluate it on"
        )
    alone = (selection.bel, selection.pl) == (None, None) and not selection.probability
    target = selection.needed_target
    with open_table(selection.predictions) as table:
        named = named_classes(selection.probability or [], table.header, "--probability")
        if len(named) > 1:
            return _classes_of_probabilities(selection, table, target, named, options)
        for column, label in named.items():
            positive = agreed_class(selection.positive, label, "--probability")
            selection = replace(selection, probability=[column], positive=positive)
        starts = f"{selection.prefix}bel_"
        if alone and sum(name.startswith(starts) for name in table.header) > 2:
            return _classes_of_table(selection, table, target, options)
        return _of_table(selection, table, target, options)


def _of_model(
    selection: Selection, model: Model, options: Options
) -> "Evaluation | ClassPredictions":
    reason = "is for tables of predictions; a model makes its own"
    _refuse(selection, ("probability", "bel", "pl", "prefix"), reason)
    model, rows = read_for_model(selection, model)
    bounds, probability, known = beliefs(model, rows.columns)
    codes = rows.codes[known]
    name = on_table(model, rows.name, codes, probability[known][np.arange(len(codes)), codes])
    if not isinstance(model.calibrator, BaseCalibrator):
        return ClassPredictions(
            name, rows.codes, model.labels, bounds, probability, options, model.answers
        )
    rows.check_both(model.target)
    bel, pl = bounds[:, 1].T
    made: dict[str, Any] = {"name": name, "bel": bel, "pl": pl, "probability": probability[:, 1]}
    if known.all():
        made["scores"] = rows.columns[model.score]
    return replace(_evaluation(rows, made | options), answers=model.answers)


def read_for_model(selection: Selection, model: Model) -> tuple[Model, Labeled]:
    """The model with its scores where they are, and scores and classes of a table."""
    if len(model.labels) > 2:
        reason = "is for two classes; with more, each has its own columns"
        _refuse(selection, ("positive", "score"), reason)
    elif selection.positive not in (None, model.labels[1]):
        raise ValueError(
            f"--positive is {selection.positive!r}, but the positive class of the model is "
            f"{model.labels[1]!r}"
        )
    model = with_score(model, selection.score)
    target = model.target if selection.target is None else selection.target
    kinds: dict[str, Kind] = dict.fromkeys(model.scores.values(), score_kind(model.calibrator))
    with open_table(str(selection.data)) as table:
        for name, given, option in (
            *((name, selection.score, "--score") for name in kinds if len(kinds) == 1),
            (target, selection.target, "--target"),
        ):
            if given is None and name not in table.header:
                hint = suggestion(name, table.header, "columns")
                raise ValueError(
                    f"{table.name} has no column {name!r}, as the training data had{hint}; name "
                    f"another with {option}"
                )
        rows = read_labeled(table, kinds, target, selection.missing, classes=model.labels)
    return model, rows


def _of_table(selection: Selection, table: Table, target: str, options: Options) -> Evaluation:
    """Beliefs of a table, unless only probabilities are named; of two classes."""
    probability, score = selection.one_probability, selection.score
    kinds: dict[str, Kind] = {} if probability is None else {probability: "probability"}
    if score is not None:
        kinds[score] = "score"
    names = [name for name in (probability, score) if name is not None]
    sides, found = (bytearray(), bytearray()), None
    pair: Classes = (None, selection.positive)
    if probability is None or selection.bel is not None or selection.pl is not None:
        found = find_beliefs(table, selection.naming)
        pair = classes_of([found], selection.naming)
        names += found.names
    if len(set(names)) < len(names):
        raise ValueError("a column is named twice; probability, bel, pl and score differ")

    def read(chunk: Chunk, kept: NDArray[np.bool_] | slice) -> None:
        if found is not None:
            both = found.read(chunk.columns, chunk.place, pair)
            for side, values in zip(sides, both, strict=False):
                side += values[kept].tobytes()

    rows = read_labeled(
        table,
        kinds,
        target,
        selection.missing,
        classes=() if pair[0] is None else (pair[0], str(pair[1])),
        two=True,
        also={} if found is None else found.kinds(selection.missing),
        read=read,
    )
    rows.check_both(target)
    positive = positive_class(rows.classes, target, pair[1], kinds)
    if positive is None:
        raise ValueError(
            f"{table.name}: column {probability!r} does not name the class whose probability it "
            "is; name it with --positive"
        )
    rows, known = rows.with_positive(positive), rows.complete
    made: dict[str, Any] = {"name": rows.name}
    if probability is not None:
        made["probability"] = np.where(known, rows.columns[probability], 0.5)
    if found is not None:
        bel, pl = map(np.frombuffer, sides)
        made |= {"bel": np.where(known, bel, 0), "pl": np.where(known, pl, 1)}
    if score is not None and complete_rows([rows.columns[score]]).all():
        made["scores"] = rows.columns[score]
    return _evaluation(rows, made | options)


def _evaluation(rows: Labeled, made: dict[str, Any]) -> Evaluation:
    # As numbers: ten million names are 120 MB, and slow to compare.
    found = Evaluation.from_predictions(rows.codes.astype(np.int8), **made)
    return replace(found, class_names=(rows.classes[0], rows.classes[1]))


@dataclass(frozen=True, eq=False)
class ClassPredictions:
    """Predictions of n samples of K classes, and how they are evaluated."""

    name: str
    codes: NDArray[np.int32]  # positions (n,) of the true classes
    classes: tuple[str, ...]
    bounds: Floats | None  # [Bel, Pl] (n, K, 2), if there are
    probability: Floats  # (n, K)
    options: Options
    answers: Promise | None = None

    def report(self) -> CalibrationReport:
        """Measures of all classes together."""
        found = calibration_report(
            np.array(self.classes)[self.codes],
            self.probability,
            labels=list(self.classes),
            n_bins=self.options.get("n_bins", 10),
        )
        if self.bounds is None:
            return found
        width = mean_imprecision(self.bounds)
        more = Measure("mean_imprecision", width, "mean Pl - Bel of classes")
        return CalibrationReport(found.n_samples, (*found.measures, more))

    def by_class(self) -> list[Evaluation]:
        """Each class against all others."""
        found = []
        for k, label in enumerate(self.classes):
            if not (self.codes == k).any():
                raise ValueError(
                    f"no row is of class {label!r}, but each class is compared with the others; "
                    "give rows of every class"
                )
            bel, pl = (None, None) if self.bounds is None else self.bounds[:, k].T
            one = Evaluation.from_predictions(
                np.asarray(self.codes == k, dtype=np.int8),
                self.probability[:, k],
                bel=bel,
                pl=pl,
                name=f"{self.name}, class {label!r}",
                **self.options,
            )
            found.append(replace(one, class_names=(f"not {label}", label)))
        return found

    def page(self, command: str) -> "Page":
        """A page about all classes together, and each against all others."""
        from evical.report.classes import classes_page  # inside, for it loads matplotlib

        parts = (self.report(), self.by_class(), command, self.answers)
        return classes_page(self.name, self.codes, self.probability, *parts)


def _refuse(selection: Selection, options: Iterable[str], reason: str) -> None:
    """Raise for the first of these options that was given."""
    for option in options:
        if option in selection.given:
            raise ValueError(f"--{option} {reason}")


def _classes_of_table(
    selection: Selection, table: Table, target: str, options: Options
) -> ClassPredictions:
    reason = "is for two classes; with more, each has its own columns"
    _refuse(selection, ("positive", "score", "probability", "bel", "pl"), reason)
    found = find_beliefs(table, selection.naming)
    classes, parts = tuple(found.classes), list[Beliefs]()

    def read(chunk: Chunk, kept: NDArray[np.bool_] | slice) -> None:
        parts.append(found.read_all(chunk.columns, chunk.place, classes)[0][kept])

    missing = selection.missing
    also = found.kinds(missing)
    rows = read_labeled(table, {}, target, missing, classes=classes, also=also, read=read)
    beliefs = one_after_another(parts, classes)
    return ClassPredictions(
        rows.name, rows.codes, classes, beliefs.interval(), beliefs.probability(), options
    )


def _classes_of_probabilities(
    selection: Selection,
    table: Table,
    target: str,
    named: Mapping[str, str | None],
    options: Options,
) -> ClassPredictions:
    reason = "is for two classes; with more, each has its own column"
    _refuse(selection, ("positive", "score", "bel", "pl", "prefix"), reason)
    columns = list(named)

    def check(chunk: Chunk, _: object) -> None:
        values = np.stack([chunk.columns[name] for name in columns], axis=1)
        rows = np.flatnonzero(complete_rows(values.T))
        unit_probabilities(values[rows], columns, among(chunk.place, rows))

    kinds: dict[str, Kind] = dict.fromkeys(columns, "probability")
    rows = read_labeled(table, kinds, target, selection.missing, read=check)
    labels = sorted_labels({*rows.classes, *filter(None, named.values())})
    owners = class_columns(named, labels, rows, "--probability")
    if len(owners) == 2:
        last = list(owners.values())[1]
        raise ValueError(f"two classes have one probability; write --probability {last}")
    values = rows.values(owners.values())
    p = np.full(values.shape, 1 / len(owners))
    p[rows.complete] = unit_rows(values[rows.complete], values.dtype)[0]
    codes = np.array([labels.index(label) for label in rows.classes])[rows.codes]
    return ClassPredictions(rows.name, codes, tuple(owners), None, p, options)
