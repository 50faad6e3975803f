"""Model cards: what a model is, what it was fitted on, what it guarantees, and checks of it."""

import json

from evical._versions import version_of
from evical.calibrators import BaseCalibrator
from evical.cli._judged import judge, read_for_model
from evical.cli._model import Model, is_conformal
from evical.cli.arguments import Selection
from evical.conformal import ConformalScores
from evical.evaluation import ConformalEvaluation, Evaluation, check_calibration
from evical.evaluation.check import CalibrationCheck
from evical.multiclass import BaseMulticlassCalibrator, OneVsRestCalibrator
from evical.report.page import notes

_LEVEL, _BINS = 0.05, 10  # as in `evical check`


def checks_of(selection: Selection, fitted: Model) -> str:
    """How a model did on the samples of a selection."""
    if is_conformal(fitted.calibrator):
        return conformal_checks_text(_conformal(selection, fitted, fitted.calibrator))
    judged = judge(selection, n_bins=_BINS)
    each = [judged] if isinstance(judged, Evaluation) else judged.by_class()
    # Of several classes each against the rest, at a level of which it has an equal part.
    level = _LEVEL / len(each)
    found = [(one.name, check_calibration(one, level=level, n_bins=_BINS)) for one in each]
    return "\n\n".join(checks_text(name, check) for name, check in found)


def _conformal(
    selection: Selection, fitted: Model, calibrator: ConformalScores
) -> ConformalEvaluation:
    """Sets of a conformal model, judged."""
    owners, rows = read_for_model(selection, fitted)
    values, known = rows.values(owners.scores.values()), rows.complete
    if not known.any():
        raise ValueError(f"{rows.name} has no row with all scores, so nothing can be checked")
    values, labels, training = values[known], rows.labels[known], fitted.training
    by_class = calibrator.conditional is not None
    # Weights of samples do not count samples.
    counted = sum(training.weights.values()) == training.rows
    sizes = {label: int(weight) for label, weight in training.weights.items()}
    number = sizes if by_class else training.rows
    return ConformalEvaluation.from_p_values(
        labels,
        calibrator.predict_p(values),
        contour=calibrator.predict_contour(values),
        labels=list(fitted.labels),
        n_calibration=number if counted else None,
        groups=labels if by_class else None,
        name=rows.name,
    )


def promise_text(calibrator: object) -> str:
    """Describe the coverage of the intervals of a calibrator in short.

    >>> from evical.calibrators import IsotonicCalibrator
    >>> promise_text(IsotonicCalibrator(model="bayesian"))
    'Bel and Pl are one probability, without an interval'
    """
    texts = dict(notes("guarantees"))
    if is_conformal(calibrator):
        return texts["conformal"] + (", in each class" if calibrator.conditional else "")
    own = texts.get(type(calibrator).__name__)
    if own is not None:
        return own
    if isinstance(calibrator, OneVsRestCalibrator):
        inner = promise_text(calibrator.calibrators_[0])
        rule = f"; {texts['combined']}" if calibrator.combines_ else ""
        return f"of each class against the rest: {inner}{rule}"
    model = getattr(calibrator, "model", "bayesian")
    text = texts[model].format(level=getattr(calibrator, "confidence", 0.0))
    each = isinstance(calibrator, BaseMulticlassCalibrator) and model != "bayesian"
    return f"of each class: {text}" if each else text


def card_text(model: Model, checks: str | None = None) -> str:
    """Write the card of a model, with `checks` on other samples."""
    method = type(model.calibrator).__name__
    rows = [*_rows(model), ("Written by", f"evical {version_of('evical')}")]
    table = "\n".join(f"| {name} | {value} |" for name, value in rows)
    title = model.score if isinstance(model.calibrator, BaseCalibrator) else model.target
    return (
        "---\nlibrary_name: evical\ntags:\n- calibration\n- belief-functions\n"
        f"- {method}\n---\n\n# Calibration of {_code(title)}\n\n"
        f"| | |\n|---|---|\n{table}\n\n"
        f"## What the intervals guarantee\n\n{_sentence(promise_text(model.calibrator))}\n\n"
        "This holds only while class frequencies and scores keep their distribution.\n\n"
        f"## Checks\n\n{checks or 'None: no held-out samples were provided.'}\n"
    )


def _rows(model: Model) -> list[tuple[str, str]]:
    """What a model is."""
    training, target = model.training, _code(model.target)
    conformal = is_conformal(model.calibrator)
    counts = [(_code(label), f"{n:.12g} samples") for label, n in training.weights.items()]
    if isinstance(model.calibrator, BaseCalibrator):
        merged = ", neighbors merged" if training.compressed else ""
        read, read_in = f"{_code(model.score)}, a score", "a score"
        about = f"{target} = {_code(model.labels[1])}"
        sides = ("Negative class", "Positive class")
        classes = [(side, ": ".join(pair)) for side, pair in zip(sides, counts, strict=True)]
        classes.append(("Distinct scores", f"{training.distinct_scores}{merged}"))
    else:
        inputs = (f"{_code(column)} for {_code(label)}" for label, column in model.scores.items())
        read, read_in = f"scores: {', '.join(inputs)}", "all scores"
        about = f"each class of {target}"
        classes = [(f"Class {label}", count) for label, count in counts]
    numbers = "belief and plausibility" if conformal else "belief, plausibility and probability"
    loss = "infinite" if training.log_loss is None else f"{training.log_loss:.6f}"
    return [
        ("Method", f"`{' '.join(repr(model.calibrator).split())}`"),
        ("Input", read),
        ("Output", f"{numbers} of {about}"),
        ("Calibrated on" if conformal else "Fitted on", _code(training.source)),
        ("Rows", f"{training.rows} with {read_in}, {training.missing} without"),
        *classes,
        *([] if conformal else [("Log loss of these samples", loss)]),
        *([] if model.answers is None else [("Answers", str(model.answers))]),
    ]


def checks_text(name: str, found: CalibrationCheck) -> str:
    """How a model did on samples that it was not fitted to."""
    verdict = "passed" if found.passed else "failed"
    lines = [
        f"On {found.n_samples} samples of {_code(name)}, "
        f"at the level {found.level:.3g}: {verdict}.",
        "",
        *(f"* {test.name}: p = {test.pvalue:.3g}" for test in found.tests),
        f"* expected calibration error {found.error:.4f}, compared with "
        f"{found.expected_error:.4f} of calibrated predictions",
    ]
    if found.promise is not None:
        kept = "[Bel, Pl] covers the frequency"
        lines.append(f"* {_sentence(found.promise.warning if found.promise.broken else kept)}")
    return "\n".join(lines)


def conformal_checks_text(found: ConformalEvaluation) -> str:
    """How often sets missed the class, of samples that a conformal model has not seen."""
    rows = [
        f"| {one.alpha:g} | {one.missed:.1%} | {one.low:.1%} to {one.high:.1%} "
        f"| {one.mean_size:.2f} |"
        for one in found.at_levels()
    ]
    return "\n".join(
        [
            f"On {len(found.y)} samples of {_code(found.name)}: "
            f"{'failed' if found.broken else 'passed'}.",
            "",
            "| alpha | sets that missed the class | 95 % limits | mean size |",
            "|---:|---:|---:|---:|",
            *rows,
            "",
            _sentence(found.verdict),
        ]
    )


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."


def _code(value: object) -> str:
    """A name or label as code, whatever it holds."""
    text = value if isinstance(value, str) else json.dumps(value)
    plain = text.replace("`", "'").replace("|", "\\|").replace("\n", " ").replace("\r", " ")
    return f"`{plain}`"
