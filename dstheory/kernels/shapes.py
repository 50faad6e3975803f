"""Shapes of batches: set-major values stretched to a batch, and single values out of arrays."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["scalar", "stretched"]


def stretched(store: NDArray[Any], batch: tuple[int, ...]) -> NDArray[Any]:
    """Values (F, *own batch) broadcast to (F, *batch), a view.

    Examples
    --------
    >>> stretched(np.array([0.25, 0.75]), (2,))
    array([[0.25, 0.25],
           [0.75, 0.75]])
    """
    missing = len(batch) - (store.ndim - 1)
    store = store.reshape(len(store), *(1,) * missing, *store.shape[1:])
    return np.broadcast_to(store, (len(store), *batch))


def scalar(values: Any) -> Any:
    """A NumPy scalar or 0-d array as a Python value; arrays as they are.

    Examples
    --------
    >>> scalar(np.float64(0.5)), scalar(np.array([0.5]))
    (0.5, array([0.5]))
    """
    single = isinstance(values, np.generic | np.ndarray) and values.ndim == 0
    return values.item() if single else values
