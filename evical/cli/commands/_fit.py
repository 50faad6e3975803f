"""`evical fit`: fit a calibrator to scores and classes, and save it."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, get_args

import numpy as np
import typer
from rich import box
from rich.table import Table as RichTable
from rich.text import Text

from evical._typing import CalibratorName, MulticlassCalibratorName
from evical.calibrators import BaseCalibrator
from evical.calibrators.by_name import make_calibrator
from evical.cli import arguments
from evical.cli._fitting import (
    Answering,
    SampleTable,
    Sets,
    fit_answering,
    fit_conformal,
    fit_many,
    tell_wrong_ways,
)
from evical.cli._kinds import Kind, tell_missing
from evical.cli._labeled import agreed_class, named_classes, positive_class
from evical.cli._model import (
    Model,
    Training,
    is_conformal,
    log_loss,
    model_text,
    promise_data,
    score_kind,
    training_data,
)
from evical.cli._output import check_output, echo_json, user_input, write_atomically
from evical.cli._show import new_console
from evical.cli._tables import open_table
from evical.cli._tally import Counting, Tally
from evical.cli.engine.counts import tally_table
from evical.cli.engine.session import limits_of
from evical.errors import WrongWayWarning
from evical.multiclass.by_name import many_calibrator
from evical.scores.counts import EXACT
from evical.scores.direction import wrong_ways

_METHODS, _MANY_METHODS = get_args(CalibratorName), get_args(MulticlassCalibratorName)


@dataclass(frozen=True)
class Calibration:
    """Which calibrator, and of how many scores."""

    method: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help=f"Calibrator: {', '.join(_METHODS)}. Of several scores also "
            f"{', '.join(_MANY_METHODS)}.",
        ),
    ] = "auto"
    model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Evidential model, such as likelihood or bayesian.",
            show_default="that of the method",
        ),
    ] = None
    option: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=VALUE", help="Parameter of the calibrator, or of raps; can be repeated."
        ),
    ] = None
    max_scores: Annotated[
        int,
        typer.Option(
            min=1000,
            metavar="N",
            help="Distinct scores kept, at least; beyond twice as many, scores are rounded.",
        ),
    ] = 1_000_000

    @property
    def options(self) -> list[str]:
        """Parameters of the calibrator."""
        return [*(self.option or []), *([] if self.model is None else [f"model={self.model}"])]


def fit(
    samples: SampleTable,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="MODEL.json", help="Model file to write.")
    ],
    calibration: Calibration,
    sets: Sets,
    answering: Answering,
    engine: arguments.Engine,
    reading: arguments.Reading,
    positive: Annotated[
        str | None,
        typer.Option(
            metavar="CLASS",
            help="The class that high scores support.",
            show_default="yes of a column p_yes, else the greater one",
        ),
    ] = None,
    force: arguments.Force = False,
    as_json: arguments.AsJson = False,
) -> None:
    """Fit a calibrator to scores and true classes, and save it as a model file."""
    with user_input(), reading:
        _check_names(samples, output)
        check_output(output, force, [samples.scores])
        limits = limits_of(engine)
        samples, positive = _named_once(samples, positive)
        answers = answering.answer_error is not None
        if limits is not None and (sets.conformal or answers or len(samples.score) > 1):
            raise ValueError("--engine duckdb counts one score of two classes; leave it out here")
        if not answers and arguments.changed(answering):
            raise ValueError("--confidence is for --answer-error; give the error, or leave it out")
        if sets.conformal:
            if answers:
                raise ValueError("--conformal and --answer-error are two guarantees; give one")
            if arguments.changed(calibration, "option"):
                raise ValueError("--method, --model and --max-scores are not for --conformal")
            fitted = fit_conformal(samples, positive, sets, calibration.options)
        elif arguments.changed(sets):
            raise ValueError("--nonconformity, --by-class and --smoothed are for --conformal")
        elif len(samples.score) > 1:
            if positive is not None:
                raise ValueError("--positive is for one score; with several, each has its class")
            many = many_calibrator(calibration.method, calibration.options)
            fitted = (
                fit_answering(samples, None, many, answering)
                if answers
                else fit_many(samples, many)
            )
        elif answers:
            one = _of_one_score(calibration.method, calibration.options)
            fitted = fit_answering(samples, positive, one, answering)
        else:
            one = _of_one_score(calibration.method, calibration.options)
            counting = _counting(samples, score_kind(one), calibration.max_scores)
            tally = (
                counting.by_chunks() if limits is None else tally_table(limits, counting, output)
            )
            fitted = _fitted(samples, one, positive, tally)
        write_atomically(output, model_text(fitted))
    calibrator = fitted.calibrator
    if isinstance(calibrator, BaseCalibrator):
        tell_wrong_ways(wrong_ways(calibrator))
    if fitted.answers is not None and not fitted.answers.kept:
        typer.echo(f"warning: {fitted.answers}; so all rows would be asked about", err=True)
    _show(fitted, output, as_json)


def _of_one_score(method: str, options: Sequence[str]) -> BaseCalibrator:
    """The calibrator that the options name."""
    if method.lower().replace("-", "_") in _MANY_METHODS:
        raise ValueError(f"method {method!r} takes a score for each class; repeat --score")
    made: BaseCalibrator = make_calibrator(method, options, kind="method")
    return made


def _named_once(samples: SampleTable, positive: str | None) -> tuple[SampleTable, str | None]:
    """One score that is named as COLUMN=CLASS, as its column and the positive class."""
    if len(samples.score) > 1 or samples.scores == "-" or "=" not in samples.score[0]:
        return samples, positive
    with open_table(samples.scores) as table:
        [(column, label)] = named_classes(samples.score, table.header).items()
    return replace(samples, score=[column]), agreed_class(positive, label)


def _counting(samples: SampleTable, kind: Kind, max_scores: int) -> Counting:
    """What to count of a table with one score."""
    columns: dict[str, Kind] = {samples.score[0]: kind, samples.target: "label"}
    if samples.weight is not None:
        columns[samples.weight] = "weight"
    return Counting(samples.scores, columns, max_scores, samples.missing)


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


def _check_names(samples: SampleTable, output: Path) -> None:
    weight = [] if samples.weight is None else [samples.weight]
    names = [*samples.score, samples.target, *weight]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise ValueError(
            f"column {twice[0]!r} is given twice; score, class and weight must be different columns"
        )
    if str(output) == "-":
        raise ValueError("a model is written to a file; name it with --output")


def _show(model: Model, output: Path, as_json: bool) -> None:
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
        about_data: dict[str, Any] = {
            "classes": list(model.labels),
            "training": training_data(model),
        }
        if model.answers is not None:
            about_data["answers"] = promise_data(model.answers)
        echo_json({**head, **data, **about_data})
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
