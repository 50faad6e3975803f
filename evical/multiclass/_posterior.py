"""The normal approximation of a posterior with a normal prior, for several priors at once."""

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from evical._typing import Floats
from evical.curves.newton import Sums, minimize_convex

__all__ = ["Terms", "most_probable"]

Terms = Callable[[Floats], Sums]
"""From p rows of coefficients (p, P) to minus the log-likelihood of each and its derivatives."""

_TOLERANCE, _ENOUGH = 1e-10, 1e-12  # squared Newton decrements: of the last step, of no step


def most_probable(
    terms: Terms, center: Floats, pull: Floats, start: Floats | None = None
) -> tuple[Floats, Floats]:
    """Posterior modes and covariances under normal priors, all at once.

    They are found in units of the prior, so any precision is well-posed.

    Parameters
    ----------
    terms : Terms
        The same likelihood for all.
    center, pull : (p, P) and (p, P, P) arrays
        Means and precisions of the priors.
    start : (p, P) array, optional

    Returns
    -------
    mode, covariance : (p, P) and (p, P, P) arrays

    Examples
    --------
    A likelihood around 1 and priors around 0, one as precise and one three times as precise:

    >>> def terms(x):
    ...     return ((x - 1) ** 2).sum(axis=1) / 2, x - 1, np.ones((len(x), 1, 1))
    >>> mode, covariance = most_probable(terms, np.zeros((2, 1)), np.array([[[1.0]], [[3.0]]]))
    >>> mode.ravel().round(9).tolist(), covariance.ravel().round(9).tolist()
    ([0.5, 0.25], [0.5, 0.25])
    """
    values, vectors = np.linalg.eigh(pull)
    scale = np.sqrt(values)
    root = vectors / scale[:, np.newaxis]

    def part(which: NDArray[np.intp]) -> Terms:
        return partial(_in_units, terms, center[which], root[which])

    first = scale * _products((center if start is None else start) - center, vectors)
    every = part(np.arange(len(center)))
    found = minimize_convex(every, first, _TOLERANCE, _ENOUGH, part=part)
    across = root.transpose(0, 2, 1)
    covariance = root @ np.linalg.inv(found.hessian) @ across
    return center + _products(found.parameters, across), covariance


def _in_units(terms: Terms, center: Floats, root: Floats, u: Floats) -> Sums:
    """Terms with the prior, in its units u (p, P)."""
    across = root.transpose(0, 2, 1)
    value, gradient, hessian = terms(center + _products(u, across))
    return (
        value + (u * u).sum(axis=1) / 2,
        _products(gradient, root) + u,
        across @ hessian @ root + np.eye(u.shape[1]),
    )


def _products(rows: Floats, matrices: Floats) -> Floats:
    """Products (p, d) of rows (p, d) and matrices (p, d, d)."""
    return np.asarray((rows[:, np.newaxis] @ matrices)[:, 0])
