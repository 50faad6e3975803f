"""What all measures ask of their arguments, and the shapes in which they compute."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory import _checks
from dstheory.mass import MassFunction

__all__ = ["aligned", "batch_of", "check_masses", "normalized_floats", "scalar", "stretched"]


def check_masses(*masses: MassFunction) -> None:
    """Refuse what is no mass function, and mass functions on different frames."""
    for number, m in enumerate(masses, start=1):
        if not isinstance(m, MassFunction):
            raise TypeError(f"argument {number} is a MassFunction, not {type(m).__name__}")
        _checks.same_frame(masses[0].frame, m.frame)


def batch_of(*masses: MassFunction) -> tuple[int, ...]:
    """Batch shape to which all arguments broadcast."""
    shapes = [m.batch_shape for m in masses]
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError as error:
        listed = ", ".join(map(str, shapes))
        raise ValueError(f"batch shapes {listed} do not broadcast together") from error


def stretched(store: NDArray[Any], batch: tuple[int, ...]) -> NDArray[Any]:
    """Values (F, *own batch) broadcast to (F, *batch), a view."""
    missing = len(batch) - (store.ndim - 1)
    store = store.reshape(len(store), *(1,) * missing, *store.shape[1:])
    return np.broadcast_to(store, (len(store), *batch))


def aligned(m1: MassFunction, m2: MassFunction) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Focal sets (F,) of either, and the masses of both on them, (F, *batch) each."""
    check_masses(m1, m2)
    batch = batch_of(m1, m2)
    focal = np.union1d(m1.focal, m2.focal)
    stores = []
    for m in (m1, m2):
        store = np.zeros((len(focal), *batch), dtype=m.store.dtype)
        store[np.searchsorted(focal, m.focal)] = stretched(m.store, batch)
        stores.append(store)
    return focal, stores[0], stores[1]


def normalized_floats(m: MassFunction) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """Non-empty focal sets and their masses (F, *batch) as floats; for logarithms."""
    check_masses(m)
    normal = m.normalize()
    return normal.focal, normal.store.astype(np.float64)


def scalar(values: Any) -> Any:
    """A NumPy scalar or 0-d array as a Python value; arrays as they are."""
    single = isinstance(values, np.generic | np.ndarray) and values.ndim == 0
    return values.item() if single else values
