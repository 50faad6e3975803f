"""Shared by calibrators that average bins: the masses of a bin, a table of cells, checks."""

from typing import Any

import numpy as np

from dstheory.checks.arguments import as_real, check_choice, check_count, shown
from evical._typing import Floats
from evical.calibrators._binning import bin_masses
from evical.curves.bayesian_binning import CRITERIA, posterior_mean

__all__ = [
    "check_max_size",
    "check_number",
    "check_prior",
    "covering_masses",
    "look_up",
    "repaired",
]


def covering_masses(
    positive: Floats, negative: Floats, alpha: Any, beta: Any, model: str, confidence: float
) -> Floats:
    """Masses (2, n) of the positive and the negative class from bins of these counts.

    The model "bayesian" is the posterior mean under the Beta prior; the others are those of
    `dstheory.inference.binomial`, without a prior.
    """
    if model == "bayesian":
        share = posterior_mean(positive, negative, alpha, beta)
        return np.stack([share, 1 - share])
    return bin_masses(positive, positive + negative, model, confidence)


def repaired(masses: Floats, model: str) -> Floats:
    """Averages (2, n) of masses, without the rounding errors of long sums."""
    positive, negative = np.clip(masses, 0, 1)
    if model in ("bayesian", "laplace"):
        positive = positive / (positive + negative)
        return np.stack([positive, 1 - positive])
    return np.stack([positive, np.minimum(negative, 1 - positive)])


def look_up(calibrator: Any, scores: Floats) -> tuple[Floats, Floats]:
    """Masses at scores, from the attributes `thresholds_` and `masses_`."""
    cell = np.searchsorted(calibrator.thresholds_, scores, side="right")
    return calibrator.masses_[0, cell], calibrator.masses_[1, cell]


def check_prior(calibrator: Any) -> None:
    """Raise for a wrong `criterion`, `strength` or `clip`."""
    check_choice("criterion", calibrator.criterion, CRITERIA)
    check_number(calibrator, "strength")
    check_number(calibrator, "clip", 0.5)


def check_number(calibrator: Any, name: str, most: float = np.inf) -> None:
    """Raise unless the parameter is a positive finite number up to `most`."""
    value = getattr(calibrator, name)
    limit = f" up to {most:g}" if np.isfinite(most) else ""
    expected = f"a positive number{limit}"
    number = as_real(name, value, expected)
    if not (0 < number <= most and np.isfinite(number)):
        raise ValueError(f"{name} is {shown(value)}, expected {expected}")


def check_max_size(value: Any) -> None:
    """Raise unless the parameter is None or a whole number from 1."""
    if value is not None:
        check_count("max_size", value, 1)
