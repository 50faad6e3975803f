"""Model cards: what a model is, what it was fitted on, and what its intervals promise.

A card is Markdown with a head in YAML, as model hubs read it.
"""

import json
from typing import Any

from evical._versions import version_of
from evical.cli._model import Model
from evical.evaluation import CalibrationCheck

__all__ = ["card_text", "checks_text", "promise_text"]

_NONE = "[Bel, Pl] promises nothing about the probability at a score"
_OF_MODEL = {
    "likelihood": (
        "[Bel, Pl] holds the probability at about 79 % of the scores where the form of the curve "
        "is right, and less often where it is wrong"
    ),
    "confidence": (
        "[Bel, Pl] holds the probability at a score with a probability of {level:g} or more, for "
        "many samples and where the form of the curve is right"
    ),
    "band": (
        "[Bel, Pl] holds the probability at all scores at once with a probability of {level:g} or "
        "more, at any sample size, if the probability rises with the score"
    ),
    "bayesian": "Bel and Pl are one probability, without an interval",
    "laplace": "Bel and Pl are one probability, without an interval",
    "dempster": f"{_NONE}: it is about one sample more",
    "inverse_pignistic": f"{_NONE}: its width does not shrink with the number of samples",
}
_OF_CLASS = {
    "VennAbersCalibrator": (
        "one of Bel and Pl is calibrated if samples are exchangeable; the interval need not hold "
        "the probability at a score"
    ),
}


def promise_text(calibrator: Any) -> str:
    """What the intervals of a calibrator promise, in short; the guide has figures.

    >>> from evical.calibrators import IsotonicCalibrator
    >>> promise_text(IsotonicCalibrator("bayesian"))
    'Bel and Pl are one probability, without an interval'
    """
    own = _OF_CLASS.get(type(calibrator).__name__)
    if own is not None:
        return own
    model = getattr(calibrator, "model", "bayesian")
    return _OF_MODEL[model].format(level=getattr(calibrator, "confidence", 0.0))


def card_text(model: Model, checks: str | None = None) -> str:
    """The card of a model; `checks` say how it did on other samples."""
    training, (negative, positive) = model.training, model.labels
    method = type(model.calibrator).__name__
    loss = "infinite" if training.log_loss is None else f"{training.log_loss:.6f}"
    merged = ", neighbors merged" if training.compressed else ""
    rows = [
        ("Method", f"`{' '.join(repr(model.calibrator).split())}`"),
        ("Input", f"{_code(model.score)}, a score"),
        (
            "Output",
            f"belief, plausibility and probability of {_code(model.target)} = {_code(positive)}",
        ),
        ("Fitted on", _code(training.source)),
        ("Rows", f"{training.rows} with a score, {training.missing} without"),
        ("Negative class", f"{_code(negative)}: {training.negative:.12g} samples"),
        ("Positive class", f"{_code(positive)}: {training.positive:.12g} samples"),
        ("Distinct scores", f"{training.distinct_scores}{merged}"),
        ("Log loss of these samples", loss),
        ("Written by", f"evical {version_of('evical')}"),
    ]
    table = "\n".join(f"| {name} | {value} |" for name, value in rows)
    return (
        "---\nlibrary_name: evical\ntags:\n- calibration\n- belief-functions\n"
        f"- {method}\n---\n\n# Calibration of {_code(model.score)}\n\n"
        f"| | |\n|---|---|\n{table}\n\n"
        f"## What the intervals promise\n\n{_sentence(promise_text(model.calibrator))}\n\n"
        "The samples must be like those to come: the share of the classes and the scores of the "
        "classifier must not change.\n\n"
        f"## Checks\n\n{checks or 'None: no samples were given that the model has not seen.'}\n"
    )


def checks_text(name: str, found: CalibrationCheck) -> str:
    """How a model did on samples that it was not fitted to."""
    verdict = "passed" if found.passed else "failed"
    lines = [
        f"On {found.n_samples} samples of {_code(name)}, at the level {found.level:g}: {verdict}.",
        "",
        *(f"* {test.name}: p = {test.pvalue:.3g}" for test in found.tests),
        f"* expected calibration error {found.error:.4f}; {found.expected_error:.4f} by chance",
    ]
    if found.promise is not None:
        kept = "[Bel, Pl] kept its promise"
        lines.append(f"* {_sentence(found.promise.warning if found.promise.broken else kept)}")
    return "\n".join(lines)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."


def _code(value: Any) -> str:
    """A name or label as code, whatever it holds."""
    text = value if isinstance(value, str) else json.dumps(value)
    plain = text.replace("`", "'").replace("|", "\\|").replace("\n", " ").replace("\r", " ")
    return f"`{plain}`"
