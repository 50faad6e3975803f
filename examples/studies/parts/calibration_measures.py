"""Measures of the probabilities of two classes, by name, as papers on calibration have them."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from evical._typing import Floats
from evical.metrics import (
    brier_score,
    expected_calibration_error,
    log_loss,
    maximum_calibration_error,
    roc_auc,
    root_mean_squared_error,
)

__all__ = ["MEASURES", "Measure", "label_sorted_gaps"]

Measure = Callable[[NDArray[np.intp], Floats], float]
"""From labels 0 and 1 and probabilities of 1 to a number."""

N_BINS = 10


def label_sorted_gaps(y: NDArray[np.intp], p: Floats) -> tuple[Floats, Floats]:
    """Calibration errors of ten bins as Naeini's released program finds them.

    Samples are sorted by prediction, equal ones by label, and cut in ten stretches. Equal
    predictions thus fall apart: first all negatives, then all positives.

    Parameters
    ----------
    y, p : (n,) arrays

    Returns
    -------
    gaps, shares : (10,) arrays
        |o - e| of each bin, and its share of samples.

    Examples
    --------
    A constant that is right on average is off by 1/2 in every bin:

    >>> gaps, shares = label_sorted_gaps(np.array([0, 1] * 10), np.full(20, 0.5))
    >>> round(float(gaps @ shares), 9)
    0.5
    """
    order = np.lexsort((y, p))
    bins = [rows for rows in np.array_split(order, N_BINS) if len(rows)]
    gaps = [abs(float(np.mean(p[rows]) - np.mean(y[rows]))) for rows in bins]
    return np.array(gaps), np.array([len(rows) / len(y) for rows in bins])


def _ece(y: NDArray[np.intp], p: Floats) -> float:
    return expected_calibration_error(y, p, n_bins=N_BINS, strategy="quantile")


def _mce(y: NDArray[np.intp], p: Floats) -> float:
    return maximum_calibration_error(y, p, n_bins=N_BINS, strategy="quantile")


def _ece_as_released(y: NDArray[np.intp], p: Floats) -> float:
    gaps, shares = label_sorted_gaps(y, p)
    return float(gaps @ shares)


def _mce_as_released(y: NDArray[np.intp], p: Floats) -> float:
    return float(label_sorted_gaps(y, p)[0].max())


def _accuracy(y: NDArray[np.intp], p: Floats) -> float:
    return float(np.mean((p >= 0.5) == (y == 1)))


def _error(y: NDArray[np.intp], p: Floats) -> float:
    return float(np.mean((p > 0.5) != (y == 1)))


def _two_class_mse(y: NDArray[np.intp], p: Floats) -> float:
    # Summed over both classes (Zadrozny & Elkan 2002, section 5).
    return 2 * brier_score(y, p)


def _bounded_log_loss(y: NDArray[np.intp], p: Floats) -> float:
    return log_loss(y, p, eps=float(np.finfo(np.float64).eps))


MEASURES: dict[str, Measure] = {
    "auc": roc_auc,
    "accuracy": _accuracy,
    "error": _error,
    "rmse": root_mean_squared_error,
    "brier": brier_score,
    "mse": _two_class_mse,
    "log_loss": _bounded_log_loss,
    "ece": _ece,
    "mce": _mce,
    "ece_released": _ece_as_released,
    "mce_released": _mce_as_released,
}
"""Name to measure."""
