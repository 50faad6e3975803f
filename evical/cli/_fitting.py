"""Models of a score for each class, and conformal ones, learned from a table.

Which column is whose is told by its name, or by `--score COLUMN=CLASS`. The rows of a conformal
model calibrate a classifier that must not have seen them.
"""

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

import numpy as np
import typer
from numpy.typing import NDArray

from dstheory.checks.arguments import check_level
from evical._typing import Floats
from evical.calibrators import BaseCalibrator
from evical.calibrators.by_name import parse_options, settable
from evical.cli import arguments
from evical.cli._kinds import Kind
from evical.cli._labeled import Labeled, named_classes, owned_columns, read_labeled
from evical.cli._model import Model, Training, log_loss, score_kind, tell_sums
from evical.cli._predicting import beliefs, doubts_of
from evical.cli._tables import open_table
from evical.conformal import ConformalScores
from evical.conformal.control import ASK, answered_promise
from evical.conformal.nonconformity import named_score
from evical.errors import WrongWayWarning
from evical.multiclass import BaseMulticlassCalibrator
from evical.scores import ScoreCounts
from evical.scores.direction import Direction, message, wrong_way


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

    def read(self, kind: Kind) -> tuple[dict[str, str | None], Labeled]:
        """Columns of scores with the class if it is named, and the rows.

        Raises OSError or ValueError for what is wrong with the table or the names.
        """
        with open_table(self.scores) as table:
            named = named_classes(self.score, table.header)
            kinds: dict[str, Kind] = dict.fromkeys(named, kind)
            if self.weight is not None:
                kinds[self.weight] = "weight"
            two = len(named) == 1
            return named, read_labeled(table, kinds, self.target, self.missing, two=two)

    def training(self, rows: Labeled, classes: Iterable[str], loss: float | None) -> Training:
        """The record of what was learned from the rows."""
        counts = self.counts(rows)
        weights = {label: float(counts[rows.labels == label].sum()) for label in classes}
        return Training(rows.name, len(rows.codes), rows.lacking, weights, loss)

    def counts(self, rows: Labeled) -> Floats:
        """How much each row counts."""
        return np.ones(len(rows.codes)) if self.weight is None else rows.columns[self.weight]


def fit_many(samples: SampleTable, calibrator: BaseMulticlassCalibrator) -> Model:
    """The model of a table with a score for each class.

    Raises OSError or ValueError for what is wrong with the table or the names.
    """
    named, rows = samples.read(score_kind(calibrator))
    _, owners = owned_columns(named, rows, samples.target, None)
    values = rows.values(owners.values())
    tell_sums(rows.name, values)
    weights = None if samples.weight is None else rows.columns[samples.weight]
    calibrator.fit(values, rows.labels, sample_weight=weights)
    shares = (rows.labels == calibrator.classes_[:, np.newaxis]) * samples.counts(rows)
    loss = log_loss(calibrator.predict_proba(values), shares.T)
    return Model(owners, samples.target, calibrator, samples.training(rows, owners, loss))


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
    if ASK in rows.classes:
        raise ValueError(f"a class is called {ASK!r}, as is the reserved answer; rename the class")
    classes, owners = owned_columns(named, rows, samples.target, positive)
    order = np.random.default_rng(0).permutation(len(rows.labels))
    held, train = np.split(order, [round(_HELD_OUT * len(order))])
    for part, name in ((held, "held out"), (train, "left")):
        if len(set(rows.labels[part].tolist())) < 2:
            raise ValueError(
                f"the {len(part)} rows that are {name} do not have two classes; {rows.name} has "
                f"too few rows for --answer-error, {len(order)}"
            )
    values = rows.values(owners.values())
    distinct = _fit_rows(calibrator, values[train], rows.labels[train], classes)
    shares = (rows.labels[train] == calibrator.classes_[:, np.newaxis]).astype(np.float64)
    given = values[train, 0] if isinstance(calibrator, BaseCalibrator) else values[train]
    loss = log_loss(calibrator.predict_proba(given), shares.T)
    weights = dict(zip(calibrator.classes_.tolist(), shares.sum(axis=1).tolist(), strict=True))
    training = Training(rows.name, len(train), rows.lacking, weights, loss, distinct)
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
    classes, owners = owned_columns(named, rows, samples.target, positive)
    weights = None if samples.weight is None else rows.columns[samples.weight]
    fitted = ConformalScores.from_samples(
        rows.values(owners.values()),
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
