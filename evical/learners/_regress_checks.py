"""What `EvidentialRegressor` refuses: parameters out of range, scales whose squares overflow."""

from typing import Any

import numpy as np

from dstheory.checks.arguments import (
    as_real,
    check_above_zero,
    check_choice,
    check_count,
    check_flag,
    check_level,
    check_not_negative,
)
from evical._typing import Floats
from evical.learners._regress_loss import KINDS

__all__ = ["check_parameters", "refuse_extremes", "refuse_scale"]


_MOST = 10_000  # prototypes, and starts
_LARGEST = 1e6  # penalties, and widths in standard deviations
_SMALLEST = 1e-50  # widths and distances; what is divided by their squares is a float
_SCALES = (1e-100, 1e100)  # of responses, as their variances are floats


def check_parameters(reg: Any) -> None:
    """Raise unless all parameters of a regressor are of their kind and in their range."""
    if reg.n_prototypes is not None:
        check_count("n_prototypes", reg.n_prototypes, 1, _MOST)
    check_choice("loss", reg.loss, KINDS)
    if not 0 <= as_real("pessimism", reg.pessimism, "a number in [0, 1]") <= 1:
        raise ValueError(f"pessimism is {reg.pessimism!r}, expected a number in [0, 1]")
    check_above_zero(epsilon=reg.epsilon)
    optional = {"xi": reg.xi, "rho": reg.rho, "slope_penalty": reg.slope_penalty}
    check_not_negative(**{name: v for name, v in optional.items() if v is not None})
    for name, value in {"epsilon": reg.epsilon, **optional}.items():
        if value is not None and float(value) > _LARGEST:
            raise ValueError(f"{name} is {value!r}, expected at most {_LARGEST:g}")
    check_count("n_folds", reg.n_folds, 2, _MOST)
    check_above_zero(reach=reg.reach)
    for name, value in {"epsilon": reg.epsilon, "reach": reg.reach}.items():
        if float(value) < _SMALLEST:
            raise ValueError(f"{name} is {value!r}, expected at least {_SMALLEST:g}")
    check_flag("standardize", reg.standardize)
    if reg.calibration_fraction is not None:
        check_level("calibration_fraction", reg.calibration_fraction)
    check_count("n_init", reg.n_init, 1, _MOST)
    check_count("max_iter", reg.max_iter, 1)
    check_not_negative(tol=reg.tol)
    if reg.tol > 1:
        raise ValueError(f"tol is {reg.tol!r}, expected a share, at most 1")


def refuse_extremes(values: Floats, name: str) -> None:
    """Raise if differences of values are no floats."""
    with np.errstate(over="ignore"):
        finite = np.isfinite(np.ptp(values, axis=0)).all()
    if not finite:
        raise ValueError(
            f"{name} has values up to {np.abs(values).max():.3g}, whose differences are no floats; "
            "divide it by a number"
        )


def refuse_scale(scale: float) -> None:
    """Raise if the variance of responses is no float."""
    if not _SCALES[0] <= scale <= _SCALES[1]:
        raise ValueError(
            f"y has a standard deviation of {scale:g}, whose square is no float; give it in "
            "another unit"
        )
