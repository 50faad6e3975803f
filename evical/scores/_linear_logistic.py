"""Logistic regression of target shares on a few columns of features of one score.

Columns are centered and scaled, so that neither their unit nor their origin costs digits; then
Newton steps are taken, halved until they gain. A large sample is passed over two or three times
only, because groups of neighboring scores give the iteration its start.

Source: P. McCullagh & J. A. Nelder, "Generalized Linear Models" (1989), section 4.4.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["LinearFit", "fit_linear_logistic"]

Floats = NDArray[np.float64]

# Elements of one temporary (64 kB), which stays in cache; products of that size are also too small
# for OpenBLAS to start threads, which wait for each other where the cores are busy.
_CHUNK = 1 << 13
_GROUPS = 512
_MAX_STEPS = 200
_HALVINGS = 60
_CONVERGED = 1e-13  # squared Newton decrement: twice the log-likelihood still to be gained


class LinearFit(NamedTuple):
    """Coefficients of the columns, then the intercept (0 if there is none).

    `objective` is the negative log-likelihood, `covariance` the inverse of its second derivative.
    """

    parameters: Floats
    covariance: Floats
    objective: float


def fit_linear_logistic(
    columns: Floats, weight: Floats, target: Floats, intercept: bool
) -> LinearFit:
    """Fit log-odds ``coefficients @ columns + intercept`` by maximum likelihood.

    Parameters
    ----------
    columns : (d, m) array
        Linearly independent, also of the constant if there is an intercept; d may be 0. They
        should follow the order of the score.
    weight, target : (m,) arrays
        Positive weights, and those of the positive class among them, 0 <= target <= weight.
    intercept : bool

    Returns
    -------
    LinearFit
        Of d + 1 parameters.

    Examples
    --------
    Two points are fitted exactly, here log-odds of -log(3) and log(3):

    >>> x = np.array([[-1.0, 1.0]])
    >>> fit = fit_linear_logistic(x, np.array([4.0, 4.0]), np.array([1.0, 3.0]), True)
    >>> np.abs(fit.parameters - [np.log(3), 0]).max() < 1e-9
    np.True_
    """
    total = float(weight.sum())
    center = np.zeros(len(columns))
    if intercept:
        center = np.einsum("dm,m->d", columns, weight) / total
    z = columns - center[:, None]
    scale = np.sqrt(np.einsum("dm,dm,m->d", z, z, weight) / total)
    z /= scale[:, None]
    back = np.zeros((len(columns) + 1, len(columns) + intercept))
    back[range(len(columns)), range(len(columns))] = 1.0 / scale
    if intercept:
        back[-1] = np.append(-center / scale, 1.0)
        z = np.concatenate([z, np.ones((1, z.shape[1]))])
    if not len(z):
        return LinearFit(np.zeros(1), np.zeros((1, 1)), total * float(np.log(2.0)))
    sums = np.einsum("dm,m->d", z, target)
    start = np.zeros(len(z))
    if intercept:
        share = float(target.sum()) / total
        start[-1] = np.log(share) - np.log1p(-share)
    if z.shape[1] > 8 * _GROUPS:
        found = _newton(*_grouped(z, weight), sums, start)[0]
        if _derivatives(z, weight, sums, found)[0] < _derivatives(z, weight, sums, start)[0]:
            start = found
    params, value, hessian = _newton(z, weight, sums, start)
    return LinearFit(back @ params, back @ np.linalg.inv(_lifted(hessian)) @ back.T, value)


def _grouped(z: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Weighted means of groups of neighboring scores, equal in number."""
    starts = np.linspace(0, z.shape[1], _GROUPS, endpoint=False).astype(np.intp)
    mass = np.add.reduceat(weight, starts)
    return np.add.reduceat(z * weight, starts, axis=1) / mass, mass


def _newton(z: Floats, weight: Floats, sums: Floats, start: Floats) -> tuple[Floats, float, Floats]:
    params = start
    value, gradient, hessian = _derivatives(z, weight, sums, params)
    for _ in range(_MAX_STEPS):
        step = -np.linalg.solve(_lifted(hessian), gradient)
        decrement = -float(gradient @ step)
        noise = 1e-13 * (1.0 + abs(value))
        for _ in range(_HALVINGS):
            trial = _derivatives(z, weight, sums, params + step)
            if trial[0] <= value - 1e-4 * decrement + noise:
                break
            step, decrement = 0.5 * step, 0.5 * decrement
        params = params + step
        value, gradient, hessian = trial
        if decrement < _CONVERGED:
            break
    return params, value, hessian


def _lifted(hessian: Floats) -> Floats:
    """The second derivative, its diagonal lifted where saturation leaves nothing."""
    diagonal = np.diag(hessian)
    return np.asarray(hessian + np.diag(1e-13 * diagonal + 1e-200))


def _derivatives(
    z: Floats, weight: Floats, sums: Floats, params: Floats
) -> tuple[float, Floats, Floats]:
    """Negative log-likelihood, gradient and second derivative, in one pass over the scores."""
    value, gradient = -float(sums @ params), -sums
    hessian = np.zeros((len(z), len(z)))
    for first in range(0, z.shape[1], _CHUNK):
        x, w = z[:, first : first + _CHUNK], weight[first : first + _CHUNK]
        eta = params @ x
        small = np.exp(-np.abs(eta))
        upper = 1.0 / (1.0 + small)
        p = np.where(eta >= 0.0, upper, small * upper)
        value += float(w @ (np.maximum(eta, 0.0) + np.log1p(small)))
        gradient = gradient + x @ (w * p)
        hessian += (x * (w * (small * upper * upper))) @ x.T
    return value, gradient, hessian
