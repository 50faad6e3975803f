"""Names and checks of the evidential models that calibrators share."""

from typing import Any

from dstheory.checks.arguments import as_real, check_choice, check_count, shown

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
    check_choice("model", model, models)


def check_confidence(confidence: Any) -> None:
    """Raise unless 0 < confidence < 1."""
    expected = "a number between 0 and 1"
    if not 0 < as_real("confidence", confidence, expected) < 1:
        raise ValueError(f"confidence is {shown(confidence)}, expected {expected}")


def check_size(name: str, value: Any, least: int = 1) -> None:
    """Raise unless a parameter is a whole number that an array can have as its size."""
    check_count(name, value, least, _MOST)
