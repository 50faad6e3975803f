"""Names and checks of the evidential models that calibrators share."""

from numbers import Integral, Real
from typing import Any

from dstheory.kernels.arguments import did_you_mean

__all__ = ["BINOMIAL_MODELS", "check_confidence", "check_model", "check_size"]

_MOST = 2**24  # things in one array: 128 MB of numbers

BINOMIAL_MODELS = (
    "likelihood",
    "confidence",
    "dempster",
    "laplace",
    "inverse_pignistic",
    "bayesian",
)


def check_model(model: Any, models: tuple[str, ...] = BINOMIAL_MODELS) -> None:
    """Raise unless `model` is one of the names."""
    if model not in models:
        hint = did_you_mean(model, models)
        raise ValueError(f"model is {model!r}, expected one of {', '.join(models)}{hint}")


def check_confidence(confidence: Any) -> None:
    """Raise unless 0 < confidence < 1."""
    if isinstance(confidence, bool) or not isinstance(confidence, Real):
        raise TypeError(f"confidence is {confidence!r}, expected a number between 0 and 1")
    if not 0 < float(confidence) < 1:
        raise ValueError(f"confidence is {confidence!r}, expected a number between 0 and 1")


def check_size(name: str, value: Any, least: int = 1) -> None:
    """Raise unless a parameter is a number of things of which an array can be made."""
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not whole or not least <= int(value) <= _MOST:
        raise ValueError(f"{name} is {value!r}, expected a whole number from {least} to {_MOST}")
