"""`evical fit`: fit a calibrator to scores and classes, and save it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from evical._names import MANY_METHODS, METHODS, check_method
from evical.cli import arguments
from evical.cli._output import user_input


@dataclass(frozen=True)
class Calibration:
    """Which calibrator, and of how many scores."""

    method: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help=f"Calibrator: {', '.join(METHODS)}. Of several scores also "
            f"{', '.join(MANY_METHODS)}.",
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
    samples: arguments.SampleTable,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="MODEL.json", help="Model file to write.")
    ],
    calibration: Calibration,
    sets: arguments.Sets,
    answering: arguments.Answering,
    engine: arguments.Engine,
    reading: arguments.Reading,
    positive: arguments.ScorePositive = None,
    force: arguments.Force = False,
    as_json: arguments.AsJson = False,
) -> None:
    """Fit a calibrator to scores and true classes, and save it as a model file."""
    with user_input(), reading:
        _check_names(samples, output)
        check_method(calibration.method, many=len(samples.score) > 1)
        answers = answering.answer_error is not None
        if not answers and arguments.changed(answering):
            raise ValueError("--confidence is for --answer-error; give the error, or leave it out")
        if sets.conformal and answers:
            raise ValueError("--conformal and --answer-error are two guarantees; give one")
        if sets.conformal and arguments.changed(calibration, "option"):
            raise ValueError("--method, --model and --max-scores are not for --conformal")
        if not sets.conformal and arguments.changed(sets):
            raise ValueError("--nonconformity, --by-class and --smoothed are for --conformal")
        if len(samples.score) > 1 and positive is not None:
            raise ValueError("--positive is for one score; with several, each has its class")
        # Inside, as in each command, because it takes seconds to load.
        from evical.cli._fitting import fit_model, show_model

        method, options = calibration.method, calibration.options
        way = (method, options, calibration.max_scores)
        model = fit_model(samples, positive, *way, sets, answering, engine, output)
    show_model(model, output, as_json)


def _check_names(samples: arguments.SampleTable, output: Path) -> None:
    weight = [] if samples.weight is None else [samples.weight]
    names = [*samples.score, samples.target, *weight]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise ValueError(
            f"column {twice[0]!r} is given twice; score, class and weight must be different columns"
        )
    if str(output) == "-":
        raise ValueError("a model is written to a file; name it with --output")
