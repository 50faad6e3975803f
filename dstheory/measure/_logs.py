"""Logarithms of base 2 in sums over masses, where 0 log 0 is 0."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["mean_surprise", "shannon"]


def mean_surprise(masses: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum over the first axis of masses times -log2(values), where 0 log 0 is 0."""
    logs = np.log2(np.where(masses > 0, values, 1.0))
    # A value that rounding puts above 1 would give a negative surprise.
    return np.asarray((np.maximum(masses, 0) * np.maximum(0.0 - logs, 0)).sum(axis=0))


def shannon(probabilities: NDArray[Any]) -> NDArray[np.float64]:
    """Shannon entropy of probabilities (*batch, K)."""
    rows = np.moveaxis(probabilities.astype(np.float64), -1, 0)
    return mean_surprise(rows, rows)
