"""Models of a score for each class, and conformal ones, learned from a table.

Which column is whose is told by its name, or by `--score COLUMN=CLASS`. The rows of a conformal
model calibrate a classifier that must not have seen them.
"""

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import typer
from numpy.typing import NDArray
from rich import box
from rich.table import Table as RichTable
from rich.text import Text

from dstheory.checks.arguments import check_level
from evical._typing import Floats
from evical.calibrators import BaseCalibrator
from evical.calibrators.by_name import make_calibrator, parse_options, settable
from evical.cli._kinds import Kind, tell_missing
from evical.cli._labeled import (
    Labeled,
    agreed_class,
    named_classes,
    owned_columns,
    positive_class,
    read_labeled,
)
from evical.cli._model import (
    Model,
    Training,
    answers_data,
    is_conformal,
    log_loss,
    model_text,
    score_kind,
    tell_sums,
    training_data,
)
from evical.cli._output import echo_json, write_atomically
from evical.cli._predicting import beliefs, doubts_of
from evical.cli._show import new_console
from evical.cli._tables import open_table
from evical.cli._tally import Counting, Tally
from evical.cli.arguments import Answering, Calibration, Engine, SampleTable, Sets
from evical.cli.engine.counts import tally_table
from evical.cli.engine.session import limits_of
from evical.conformal import ConformalScores
from evical.conformal.control import ASK, answered_promise
from evical.conformal.nonconformity import named_score
from evical.errors import WrongWayWarning
from evical.multiclass import BaseMulticlassCalibrator
from evical.multiclass.by_name import many_calibrator
from evical.scores import ScoreCounts
from evical.scores.counts import EXACT
from evical.scores.direction import Direction, message, wrong_way, wrong_ways


def read_samples(
    samples: SampleTable, kind: Kind, positive: str | None = None
) -> tuple[Labeled, list[str], dict[str, str]]:
    """The rows, all classes, and class to column; of one score, the positive class's, one column.

    Raises OSError or ValueError for what is wrong with the table or the names.
    """
    with open_table(samples.scores) as table:
        named = named_classes(samples.score, table.header)
        kinds: dict[str, Kind] = dict.fromkeys(named, kind)
        if samples.weight is not None:
            kinds[samples.weight] = "weight"
        two = len(named) == 1
        rows = read_labeled(table, kinds, samples.target, samples.missing, two=two)
    return rows, *owned_columns(named, rows, samples.target, positive)


def weights_of(samples: SampleTable, rows: Labeled) -> Floats | None:
    """The column of weights, if there is one."""
    return None if samples.weight is None else rows.columns[samples.weight]


def _training(
    samples: SampleTable, rows: Labeled, classes: Iterable[str], loss: float | None
) -> Training:
    """The record of what was learned from the rows."""
    counts = _counts(samples, rows)
    weights = {label: float(counts[rows.labels == label].sum()) for label in classes}
    return Training(rows.name, len(rows.codes), rows.lacking, weights, loss)


def _counts(samples: SampleTable, rows: Labeled) -> Floats:
    """How much each row counts."""
    weights = weights_of(samples, rows)
    return np.ones(len(rows.codes)) if weights is None else weights


def fit_model(
    samples: SampleTable,
    positive: str | None,
    calibration: Calibration,
    sets: Sets,
    answering: Answering,
    engine: Engine,
    output: Path,
) -> Model:
    """The model of a table, written to a file.

    Raises OSError or ValueError for what is wrong with the table, the names or the options.
    """
    limits = limits_of(engine)
    samples, positive = _named_once(samples, positive)
    many = len(samples.score) > 1
    if limits is not None and (sets.conformal or answering.answer_error is not None or many):
        raise ValueError("--engine duckdb counts one score of two classes; leave it out here")
    if sets.conformal:
        model = fit_conformal(samples, positive, sets, calibration.options)
    else:
        make = many_calibrator if many else partial(make_calibrator, kind="method")
        made = make(calibration.method, calibration.options)
        if answering.answer_error is not None:
            model = fit_answering(samples, positive, made, answering)
        elif isinstance(made, BaseMulticlassCalibrator):
            rows, classes, owners = read_samples(samples, score_kind(made))
            tell_sums(rows.name, rows.values(owners.values()))
            model = _of_rows(samples, made, rows, classes, owners)
        else:
            counting = Counting(samples, score_kind(made), calibration.max_scores)
            tally = (
                counting.by_chunks() if limits is None else tally_table(limits, counting, output)
            )
            model = _fitted(samples, made, positive, tally)
    write_atomically(output, model_text(model))
    if isinstance(model.calibrator, BaseCalibrator):
        tell_wrong_ways(wrong_ways(model.calibrator))
    if model.answers is not None and not model.answers.kept:
        typer.echo(f"warning: {model.answers}; so all rows would be asked about", err=True)
    return model


def _named_once(samples: SampleTable, positive: str | None) -> tuple[SampleTable, str | None]:
    """One score that is named as COLUMN=CLASS, as its column and the positive class."""
    if len(samples.score) > 1 or samples.scores == "-" or "=" not in samples.score[0]:
        return samples, positive
    with open_table(samples.scores) as table:
        [(column, label)] = named_classes(samples.score, table.header).items()
    return replace(samples, score=[column]), agreed_class(positive, label)


def _fitted(
    samples: SampleTable, calibrator: BaseCalibrator, positive: str | None, tally: Tally
) -> Model:
    """The model of one score, fitted to the rows that were counted."""
    tell_missing(tally.source, tally.lacking, tally.rows + tally.lacking, samples.missing)
    counts, labels = tally.result(
        positive_class(tally.labels, samples.target, positive, samples.score)
    )
    with warnings.catch_warnings(action="ignore", category=WrongWayWarning):
        calibrator.fit_counts(counts, labels)
    weights = np.stack([counts.negative, counts.positive], axis=1)
    training = Training(
        source=tally.source,
        rows=tally.rows,
        missing=tally.lacking,
        weights=dict(zip(labels, (counts.n_negative, counts.n_positive), strict=True)),
        log_loss=log_loss(calibrator.predict_proba(counts.scores), weights),
        distinct_scores=len(counts),
        compressed=tally.bits < EXACT,
    )
    return Model({labels[1]: samples.score[0]}, samples.target, calibrator, training)


def _of_rows(
    samples: SampleTable,
    calibrator: BaseCalibrator | BaseMulticlassCalibrator,
    rows: Labeled,
    classes: Sequence[str],
    owners: dict[str, str],
) -> Model:
    """The model of some rows; of one score, which has no weights here, its values are counted."""
    values, distinct = rows.values(owners.values()), 0
    if isinstance(calibrator, BaseCalibrator):
        values = values[:, 0]
        counts = ScoreCounts.from_samples(values, rows.labels == classes[1])
        distinct = len(counts)
        with warnings.catch_warnings(action="ignore", category=WrongWayWarning):
            calibrator.fit_counts(counts, classes)
    else:
        calibrator.fit(values, rows.labels, sample_weight=weights_of(samples, rows))
    shares = (rows.labels == calibrator.classes_[:, np.newaxis]) * _counts(samples, rows)
    loss = log_loss(calibrator.predict_proba(values), shares.T)
    training = replace(_training(samples, rows, classes, loss), distinct_scores=distinct)
    return Model(owners, samples.target, calibrator, training)


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
    rows, classes, owners = read_samples(samples, score_kind(calibrator), positive)
    if ASK in rows.classes:
        raise ValueError(f"a class is called {ASK!r}, as is the reserved answer; rename the class")
    order = np.random.default_rng(0).permutation(len(rows.codes))
    parts = np.split(order, [round(_HELD_OUT * len(order))])
    held, train = map(rows.take, parts)
    for part, name in ((held, "held out"), (train, "left")):
        if len(np.unique(part.codes)) < 2:
            raise ValueError(
                f"the {len(part.codes)} rows that are {name} do not have two classes; {rows.name} "
                f"has too few rows for --answer-error, {len(order)}"
            )
    model = _of_rows(samples, calibrator, train, classes, owners)
    _, probability, _ = beliefs(model, held.columns)
    answer = calibrator.classes_[probability.argmax(axis=1)]
    wrong = np.asarray(answer != held.labels, dtype=np.float64)
    return replace(model, answers=answered_promise(wrong, doubts_of(probability), bound, level))


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
    rows, classes, owners = read_samples(samples, kind, positive)
    fitted = ConformalScores.from_samples(
        rows.values(owners.values()),
        rows.labels,
        classes=np.array(classes),
        nonconformity=nonconformity,
        parameters=parameters,
        conditional="class" if sets.by_class else None,
        sample_weight=weights_of(samples, rows),
        smoothed=sets.smoothed,
        random_state=0,
    )
    return Model(owners, samples.target, fitted, _training(samples, rows, classes, None))


def show_model(model: Model, output: Path, as_json: bool) -> None:
    """Print what was learned; a model of one score and of several differ in the middle."""
    calibrator, training = model.calibrator, model.training
    if isinstance(calibrator, BaseCalibrator):
        data: dict[str, Any] = {"parameters": calibrator.get_params(deep=False)}
        merged = " (rounded)" if training.compressed else ""
        sides = zip(("Negative class", "Positive class"), training.weights.items(), strict=True)
        counted = [
            ("Distinct scores", f"{training.distinct_scores}{merged}"),
            *((side, f"{label}: {total:.12g}") for side, (label, total) in sides),
        ]
    else:
        data = {"scores": model.scores}
        columns = {label: f", by {column}" for label, column in model.scores.items()}
        counted = [
            (f"Class {label}", f"{total:.12g}{columns.get(label, '')}")
            for label, total in training.weights.items()
        ]
    if is_conformal(calibrator):
        names = ("nonconformity", "conditional", "parameters", "smoothed")
        data |= {name: getattr(calibrator, name) for name in names}
    if as_json:
        head = {"output": str(output), "method": type(calibrator).__name__}
        learned = {"classes": list(model.labels), "training": training_data(model)}
        echo_json({**head, **data, **learned, **answers_data(model)})
        return
    shown = RichTable(box=box.SIMPLE_HEAD, show_header=False, padding=(0, 2, 0, 0))
    for name, value in [
        ("Rows", f"{training.rows}"),
        *counted,
        ("Calibrator", str(calibrator)),
        _quality(model),
        *([] if model.answers is None else [("Answers", str(model.answers))]),
        ("Model file", str(output)),
    ]:
        shown.add_row(Text(name), Text(value))
    new_console().print(shown)


def _quality(model: Model) -> tuple[str, str]:
    """Title and text of the log loss; of a conformal model, of the least p-value of each class."""
    if is_conformal(model.calibrator):
        least = {1 / (1 + total) for total in model.calibrator.n_calibration.values()}
        return "Least p-value", " to ".join(f"{p:.3g}" for p in sorted({min(least), max(least)}))
    loss = model.training.log_loss
    return "Log loss of the training data", "infinite" if loss is None else f"{loss:.6f}"
