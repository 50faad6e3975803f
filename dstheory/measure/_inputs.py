"""Inputs of measures: aligned or normalized masses, and logarithms to base 2."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory._masses import batch_of, check_mass, check_masses
from dstheory.kernels.batches import placed, stretch
from dstheory.mass import MassFunction


def align(m1: MassFunction, m2: MassFunction) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Focal sets (F,) of either, and the masses of both on them, (F, *batch) each."""
    check_masses(m1, m2)
    batch = batch_of(m1, m2)
    focal = np.union1d(m1.focal, m2.focal)
    one, two = (placed(focal, m.focal, stretch(m.store, batch)) for m in (m1, m2))
    return focal, one, two


def normalized_floats(m: MassFunction) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """Non-empty focal sets and their masses (F, *batch) as floats; for logarithms."""
    normal = check_mass(m).normalize()
    return normal.focal, normal.store.astype(np.float64)


def mean_surprise(masses: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum over the first axis of masses times -log2(values), where 0 log 0 is 0."""
    logs = np.log2(np.where(masses > 0, values, 1.0))
    # Rounding can put a value above 1, which would give a negative surprise.
    return np.asarray((np.maximum(masses, 0) * np.maximum(0.0 - logs, 0)).sum(axis=0))


def shannon(probabilities: NDArray[Any]) -> NDArray[np.float64]:
    """Shannon entropy of probabilities (*batch, K)."""
    rows = np.moveaxis(probabilities.astype(np.float64), -1, 0)
    return mean_surprise(rows, rows)
