"""Convex problems over the simplex: weights from 0 with sum 1."""

from collections.abc import Callable

import numpy as np
from scipy.optimize import nnls

from evical._typing import Floats

__all__ = ["least_squares_on_simplex", "minimize_on_simplex"]


_STEPS, _HALVINGS = 100, 60
_TOLERANCE = 1e-10  # squared Newton decrement of the last step


def least_squares_on_simplex(rows: Floats, target: Floats) -> Floats:
    """Weights x (S,) with the least ``|rows @ x - target|``.

    With sum 1, ``rows @ x - target`` is ``(rows - target) @ x``. The least distance of a cone is
    found with a row of ones for scale (Dax 1990), so that only signs are constraints.

    Parameters
    ----------
    rows : (n, S) array
    target : (n,) array

    Examples
    --------
    >>> least_squares_on_simplex(np.eye(3), np.array([0.5, 0.7, -1.0])).round(3)
    array([0.4, 0.6, 0. ])
    """
    scaled = np.vstack([rows - target[:, np.newaxis], np.ones(rows.shape[1])])
    found, _ = nnls(scaled, np.append(np.zeros(len(rows)), 1.0))
    return np.asarray(found / found.sum())


def minimize_on_simplex(
    derivatives: Callable[[Floats], tuple[float, Floats, Floats]], start: Floats
) -> Floats:
    """Weights (S,) with the least value of a strictly convex function, by Newton's method.

    Parameters
    ----------
    derivatives : callable
        From weights (S,) to the value, its gradient (S,) and second derivative (S, S).
    start : (S,) array

    Examples
    --------
    >>> def exponential(x):
    ...     return float(np.exp(x).sum() - x[0]), np.exp(x) - [1.0, 0.0], np.diag(np.exp(x))
    >>> minimize_on_simplex(exponential, np.array([0.5, 0.5])).round(3)
    array([0.799, 0.201])
    """
    current, (value, gradient, hessian) = start, derivatives(start)
    for _ in range(_STEPS):
        root = np.asarray(np.linalg.cholesky(hessian), dtype=np.float64)
        target = root.T @ current - np.linalg.solve(root, gradient)
        step = least_squares_on_simplex(root.T, target) - current
        if -gradient @ step <= _TOLERANCE:
            return np.asarray(current + step)
        for _ in range(_HALVINGS):
            found = derivatives(current + step)
            if found[0] <= value:
                break
            step = step / 2
        else:
            return current  # only rounding is left
        current, (value, gradient, hessian) = current + step, found
    return current
