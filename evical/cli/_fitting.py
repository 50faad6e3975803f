"""Models of a score for each class, and conformal ones, learned from a table.

Which column is whose is told by its name, or by `--score COLUMN=CLASS`. The rows of a conformal
model calibrate a classifier that must not have seen them.
"""

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

import numpy as np
import typer
from numpy.typing import NDArray

from dstheory.checks.arguments import check_level, did_you_mean, suggestion
from evical._typing import Floats
from evical.calibrators import BaseCalibrator
from evical.calibrators.by_name import parse_options, settable
from evical.cli import arguments
from evical.cli._kinds import Kind, label_kind, optional_kinds
from evical.cli._labeled import complete_chunks
from evical.cli._model import Model, Training, check_score, log_loss, score_kind, tell_sums
from evical.cli._predicting import beliefs, doubts_of
from evical.cli._tables import Chunk, Table, check_columns, open_table
from evical.cli._tally import ONE_OF_MANY
from evical.conformal import ConformalScores
from evical.conformal.control import ASK, answered_promise
from evical.conformal.nonconformity import named_score
from evical.datasets.csv import sorted_labels
from evical.errors import WrongWayWarning
from evical.multiclass import BaseMulticlassCalibrator
from evical.scores import ScoreCounts
from evical.scores.direction import Direction, message, wrong_way
from evical.scores.names import class_in_name

# What stands between a prefix such as p and the name of a class.
_SEPARATORS = "_-. :"


@dataclass(frozen=True)
class SampleTable:
    """A table of scores and classes, as options name it and its columns."""

    scores: arguments.Scores
    score: arguments.ScoreColumns
    target: Annotated[str, typer.Option(metavar="COLUMN", help="Column of the class.")]
    weight: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column of weights of the rows.")
    ] = None
    missing: arguments.Dropped = "refuse"

    def read(self, kind: Kind) -> tuple[dict[str, str | None], "ClassRows"]:
        """Columns of scores with the class if it is named, and the rows.

        Raises OSError or ValueError for what is wrong with the table or the names.
        """
        with open_table(self.scores) as table:
            named = named_classes(self.score, table.header)
            check_columns(table, dict.fromkeys((*named, self.target)))
            kinds: dict[str, Kind] = dict.fromkeys(named, kind)
            if self.weight is not None:
                kinds[self.weight] = "weight"
            return named, read_class_rows(table, kinds, self.target, self.missing)

    def training(self, rows: "ClassRows", classes: Iterable[str], loss: float | None) -> Training:
        """The record of what was learned from the rows."""
        counts = self.counts(rows)
        weights = {label: float(counts[rows.labels == label].sum()) for label in classes}
        return Training(rows.name, len(counts), rows.missing, weights, loss)

    def counts(self, rows: "ClassRows") -> Floats:
        """How much each row counts."""
        return np.ones(len(rows.labels)) if self.weight is None else rows.columns[self.weight]


@dataclass(frozen=True, eq=False)
class ClassRows:
    """Columns of numbers (n,), labels (n,) as texts, and how many rows had no number.

    `first` says where each class stands first.
    """

    name: str
    columns: dict[str, NDArray[np.float64]]
    labels: NDArray[Any]
    missing: int
    first: dict[str, str]


def named_classes(
    scores: Sequence[str], header: Sequence[str], option: str = "--score"
) -> dict[str, str | None]:
    """Columns of `--score COLUMN` or `--score COLUMN=CLASS`, with the class if it is named."""
    found: dict[str, str | None] = {}
    for text in scores:
        column, equals, label = text.rpartition("=")
        if text in header or not equals:
            column, label = text, ""
        if column in found:
            raise ValueError(
                f"{option} {column} is given twice; each class has a column of its own"
            )
        found[column] = label or None
    return found


def class_columns(
    named: Mapping[str, str | None],
    classes: Sequence[str],
    first: Mapping[str, str],
    option: str = "--score",
) -> dict[str, str]:
    """Class to column, in the order of the classes; `first` says where these stand.

    A column is that of the class that it is named for: score_cat, score.cat or cat of class cat.
    Raises ValueError unless each class has one column, and each column a class.
    """
    for column, label in named.items():
        if label is not None:
            check_score(column, label, classes)
    owners = {column: label or _class_of(column, classes) for column, label in named.items()}
    for column, label in owners.items():
        if label not in classes:
            what = f"no class {label!r}" if label else f"no class for column {column!r}"
            hint = suggestion(label or column, classes, "classes")
            raise ValueError(f"there is {what}{hint}; write {option} COLUMN=CLASS")
    for label in classes:
        mine = [column for column, owner in owners.items() if owner == label]
        if not mine and (meant := did_you_mean(label, filter(None, owners.values()))):
            raise ValueError(
                f"{first[label]}: class {label!r} has no column{meant} each class needs one, named "
                f"by {option}"
            )
        if len(mine) != 1:
            what = f"columns {', '.join(mine)}" if mine else "no column"
            raise ValueError(
                f"class {label!r} has {what}, expected one {option[2:]} a class; write {option} "
                f"COLUMN={label}"
            )
    return {label: column for label in classes for column, mine in owners.items() if mine == label}


def _class_of(column: str, classes: Iterable[str]) -> str | None:
    """The longest class that a name is or ends with."""
    fitting = [
        label
        for label in classes
        if column == label or column.endswith(tuple(mark + label for mark in _SEPARATORS))
    ]
    return max(fitting, key=len, default=None)


def read_class_rows(
    table: Table,
    kinds: Mapping[str, Kind],
    target: str,
    missing: str,
    texts: Mapping[str, Kind] | None = None,
    read: Callable[[Chunk, NDArray[np.bool_] | slice], None] | None = None,
) -> ClassRows:
    """Columns of an open table with the class of each row; `missing` is "refuse", or "drop".

    `texts` are columns for `read`, which gets each chunk, and which of its rows stay.

    Raises ValueError as `table_chunks`, or if no row is left.
    """
    parts: list[dict[str, NDArray[Any]]] = []
    first: dict[str, str] = {}
    lacking = 0
    every = {**optional_kinds(kinds, missing), **(texts or {}), target: label_kind(missing)}
    for chunk, complete in complete_chunks(table, every, kinds, target, missing):
        lacking += int((~complete).sum())
        labels = chunk.columns[target].tolist()
        for label in dict.fromkeys(labels):
            if label not in first:
                first[label] = f"{chunk.place(labels.index(label))}, column {target!r}"
        kept = complete if missing == "drop" else slice(None)
        if read is not None:
            read(chunk, kept)
        parts.append({name: chunk.columns[name][kept] for name in (*kinds, target)})
    columns = {
        name: np.concatenate([part.pop(name) for part in parts]) for name in (*kinds, target)
    }
    texts_of_classes = np.asarray(columns.pop(target).tolist())
    return ClassRows(table.name, columns, texts_of_classes, lacking, first)


def fit_many(samples: SampleTable, calibrator: BaseMulticlassCalibrator) -> Model:
    """The model of a table with a score for each class.

    Raises OSError or ValueError for what is wrong with the table or the names.
    """
    named, rows = samples.read(score_kind(calibrator))
    owners = class_columns(named, sorted_labels(set(rows.labels.tolist())), rows.first)
    in_order = dict(sorted(owners.items()))  # as calibrators sort them: as texts
    values = np.stack([rows.columns[column] for column in in_order.values()], axis=1)
    tell_sums(rows.name, values)
    weights = None if samples.weight is None else rows.columns[samples.weight]
    calibrator.fit(values, rows.labels, sample_weight=weights)
    shares = (rows.labels == calibrator.classes_[:, np.newaxis]) * samples.counts(rows)
    loss = log_loss(calibrator.predict_proba(values), shares.T)
    return Model(in_order, samples.target, calibrator, samples.training(rows, in_order, loss))


@dataclass(frozen=True)
class Sets:
    """Whether to learn sets, and how."""

    conformal: Annotated[
        bool,
        typer.Option(
            "--conformal",
            help="Prediction sets with guaranteed coverage, for any classifier that was not "
            "trained on these rows.",
        ),
    ] = False
    nonconformity: Annotated[
        Literal["lac", "aps", "raps", "margin"] | None,
        typer.Option(
            help="Nonconformity score for --conformal. All but margin take probabilities.",
            show_default="lac",
        ),
    ] = None
    by_class: Annotated[
        bool, typer.Option("--by-class", help="Of --conformal: guarantee coverage for each class.")
    ] = False
    smoothed: Annotated[
        bool,
        typer.Option("--smoothed", help="Of --conformal: random numbers break ties (seed 0)."),
    ] = False


@dataclass(frozen=True)
class Answering:
    """Whether to promise something for the rows that are answered, and what."""

    answer_error: Annotated[
        float | None,
        typer.Option(
            metavar="E",
            help="Answer only rows that allow this error of the answers, and ask about the others.",
        ),
    ] = None
    confidence: Annotated[
        float, typer.Option(metavar="P", help="Of --answer-error: that the error is not larger.")
    ] = 0.95


# Of the rows, for the promise; as `RiskControl` does.
_HELD_OUT = 0.3


def fit_answering(
    samples: SampleTable,
    positive: str | None,
    calibrator: BaseCalibrator | BaseMulticlassCalibrator,
    answering: Answering,
) -> Model:
    """The model of a table of which a part, drawn at random, says what can be promised.

    Raises OSError or ValueError for what is wrong with the table, the names or the options.
    """
    bound, level = answering.answer_error, answering.confidence
    check_level("--answer-error", bound)
    check_level("--confidence", level)
    assert bound is not None
    if samples.weight is not None:
        raise ValueError("--answer-error counts rows, so it takes no --weight; leave one out")
    named, rows = samples.read(score_kind(calibrator))
    found = sorted_labels(set(rows.labels.tolist()))
    if ASK in found:
        raise ValueError(f"a class is called {ASK!r}, as is the reserved answer; rename the class")
    if isinstance(calibrator, BaseCalibrator):
        (column,) = named
        positive = positive_class(column, found, positive)
    classes, owners = owned_columns(named, found, samples.target, positive, rows.first)
    order = np.random.default_rng(0).permutation(len(rows.labels))
    held, train = np.split(order, [round(_HELD_OUT * len(order))])
    for part, name in ((held, "held out"), (train, "left")):
        if len(set(rows.labels[part].tolist())) < 2:
            raise ValueError(
                f"the {len(part)} rows that are {name} do not have two classes; {rows.name} has "
                f"too few rows for --answer-error, {len(order)}"
            )
    values = np.stack([rows.columns[column] for column in owners.values()], axis=1)
    distinct = _fit_rows(calibrator, values[train], rows.labels[train], classes)
    shares = (rows.labels[train] == calibrator.classes_[:, np.newaxis]).astype(np.float64)
    given = values[train, 0] if isinstance(calibrator, BaseCalibrator) else values[train]
    loss = log_loss(calibrator.predict_proba(given), shares.T)
    weights = dict(zip(calibrator.classes_.tolist(), shares.sum(axis=1).tolist(), strict=True))
    training = Training(rows.name, len(train), rows.missing, weights, loss, distinct)
    model = Model(owners, samples.target, calibrator, training)
    columns = {column: rows.columns[column][held] for column in owners.values()}
    _, probability, _ = beliefs(model, columns)
    answer = calibrator.classes_[probability.argmax(axis=1)]
    wrong = np.asarray(answer != rows.labels[held], dtype=np.float64)
    return replace(model, answers=answered_promise(wrong, doubts_of(probability), bound, level))


def _fit_rows(
    calibrator: BaseCalibrator | BaseMulticlassCalibrator,
    values: Floats,
    labels: NDArray[Any],
    classes: list[str],
) -> int:
    """Fit to scores (n, C); the number of distinct scores, if there is one of each row."""
    if not isinstance(calibrator, BaseCalibrator):
        calibrator.fit(values, labels)
        return 0
    counts = ScoreCounts.from_samples(values[:, 0], labels == classes[1])
    with warnings.catch_warnings(action="ignore", category=WrongWayWarning):
        calibrator.fit_counts(counts, classes)
    return len(counts)


_ADVICE = "give another --positive, or check --score and --target"


def tell_direction(counts: ScoreCounts, labels: NDArray[Any], positive: str | None) -> None:
    """Warn on standard error of scores that point the wrong way."""
    found = wrong_way(counts)
    if found is not None:
        others = [label for label in np.unique(labels).tolist() if label != positive]
        tell_wrong_ways([found.between(others, [positive])])


def tell_wrong_ways(found: Sequence[Direction]) -> None:
    """Warn on standard error of calibrations whose scores point the wrong way, if there are any."""
    if found:
        typer.echo(f"warning: {message(found, _ADVICE)}", err=True)


def positive_class(score: str, labels: Sequence[str], positive: str | None) -> str | None:
    """The class that high scores support, if an option or the name of the column says which."""
    if positive is not None and positive in labels:
        check_score(score, positive, labels)
    return positive or class_in_name(score, labels)


def fit_conformal(
    samples: SampleTable, positive: str | None, sets: Sets, options: Sequence[str]
) -> Model:
    """The model of a table of calibration samples, with one score or one for each class.

    `options` are parameters of the nonconformity score. Raises OSError or ValueError for what is
    wrong with the table, the names or the options.
    """
    nonconformity = sets.nonconformity or "lac"
    known = settable(named_score(nonconformity), ("values", "u"))
    parameters = parse_options(options, known, f"nonconformity {nonconformity!r}")
    kind: Kind = "score" if nonconformity == "margin" else "probability"
    named, rows = samples.read(kind)
    found = sorted_labels(set(rows.labels.tolist()))
    classes, owners = owned_columns(named, found, samples.target, positive, rows.first)
    weights = None if samples.weight is None else rows.columns[samples.weight]
    fitted = ConformalScores.from_samples(
        np.stack([rows.columns[column] for column in owners.values()], axis=1),
        rows.labels,
        classes=np.array(classes),
        nonconformity=nonconformity,
        parameters=parameters,
        conditional="class" if sets.by_class else None,
        sample_weight=weights,
        smoothed=sets.smoothed,
        random_state=0,
    )
    return Model(owners, samples.target, fitted, samples.training(rows, classes, None))


def owned_columns(
    named: Mapping[str, str | None],
    found: list[str],
    target: str,
    positive: str | None,
    first: Mapping[str, str],
) -> tuple[list[str], dict[str, str]]:
    """All classes, and class to column; of one column, which is the positive class's, one."""
    if len(named) > 1:
        if positive is not None:
            raise ValueError("--positive is for one score; with several, each has its class")
        owners = dict(sorted(class_columns(named, found, first).items()))
        return list(owners), owners
    [(column, label)] = named.items()
    if label is not None and positive not in (None, label):
        raise ValueError(f"--positive is {positive!r}, but --score names {label!r}")
    positive = positive or label
    if len(found) != 2:
        what = f"one class only (all {found[0]!r})" if len(found) == 1 else f"{len(found)} classes"
        raise ValueError(f"column {target!r} has {what}, but one score is of two; {ONE_OF_MANY}")
    if positive is not None and positive not in found:
        hint = suggestion(positive, found, "classes")
        raise ValueError(f"column {target!r} has no class {positive!r}{hint}")
    classes = sorted(found, key=lambda one: one == positive)
    return classes, {classes[1]: column}
