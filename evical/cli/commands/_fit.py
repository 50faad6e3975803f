"""`evical fit`: fit a calibrator to scores and classes, and save it."""

from pathlib import Path

from evical._names import check_method
from evical.cli import arguments
from evical.cli._output import user_input


def fit(
    samples: arguments.SampleTable,
    output: Path,
    calibration: arguments.Calibration,
    sets: arguments.Sets,
    answering: arguments.Answering,
    engine: arguments.Engine,
    reading: arguments.Reading,
    positive: str | None = None,
    force: bool = False,
    as_json: bool = False,
) -> None:
    """Fit a calibrator to scores and true classes, and save it as a model file.

    Parameters
    ----------
    output : -o MODEL.json
        Model file to write.
    positive : CLASS (by default yes of a column p_yes, else the greater one)
        The class that high scores support.

    Examples
    --------
    evical fit scores.csv --score score --target income -o model.json
    evical fit scores.csv --score score --target income --method isotonic --model bayesian -o steps.json
    evical fit scores.csv --score score --target income --conformal --nonconformity margin -o sets.json
    """  # noqa: E501  # lines to be copied
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

        model = fit_model(samples, positive, calibration, sets, answering, engine, output)
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
