"""Calibrators by short names: `logistic` is LogisticCalibrator."""

from collections.abc import Sequence

from evical.calibrators import BaseCalibrator
from evical.calibrators.by_name import by_name
from evical.cli._kinds import Kind
from evical.cli._names import suggestion
from evical.cli._options import parse_options, settable

__all__ = ["MANY_METHODS", "make_calibrator", "score_kind"]


# What the literature calls some of them, and how they are had here.
_OTHER_NAMES = {
    "platt": "--method logistic --model bayesian",
    "sigmoid": "--method logistic --model bayesian",
    "histogram": "--method binning --model bayesian",
    "histogram_binning": "--method binning --model bayesian",
    "pav": "--method isotonic --model bayesian",
    "pava": "--method isotonic --model bayesian",
}


# Those that take a score for each class; a test compares.
MANY_METHODS = ("dirichlet", "multinomial_logistic", "shallow_net", "softmax")


def make_calibrator(
    method: str, model: str | None = None, options: Sequence[str] = ()
) -> BaseCalibrator:
    """A calibrator with these parameters, not fitted.

    Raises ValueError for an unknown method, model or option, or a value it does not take.
    """
    known = by_name()
    name = method.lower().replace("-", "_")
    if name in _OTHER_NAMES:
        raise ValueError(f"there is no method {method!r}; its name here is {_OTHER_NAMES[name]}")
    if name in MANY_METHODS:
        raise ValueError(f"method {method!r} takes a score for each class; repeat --score")
    if name not in known:
        raise ValueError(
            f"there is no method {method!r}{suggestion(name, known, 'methods', len(known))}"
        )
    kind = known[name]
    parameters = settable(kind)
    values = parse_options(options, parameters, f"method {name!r}")
    if model is not None:
        if "model" not in parameters:
            raise ValueError(f"method {name!r} has no evidential models; leave out --model")
        if "model" in values:
            raise ValueError("--model and --option model=... are given; give one")
        values["model"] = model
    calibrator = kind(**values)
    try:
        calibrator._check_all_parameters()
    except TypeError as error:
        raise ValueError(f"method {name!r}: {error}") from error
    return calibrator


def score_kind(calibrator: BaseCalibrator) -> Kind:
    """What its column of scores holds."""
    # Log-odds exist of probabilities only, and in a table a wrong one can be named.
    return "probability" if calibrator.transform == "logit" else "score"
