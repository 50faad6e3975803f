"""Logistic regression of target shares on a few columns of features of one score.

Columns are centered and scaled, so that neither their unit nor their origin costs digits; then
Newton's method is used. A large sample is passed over two or three times
only, because groups of neighboring scores give the iteration its start.

Source: P. McCullagh & J. A. Nelder, "Generalized Linear Models" (1989), section 4.4.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from evical._typing import Floats
from evical.curves.newton import Sums, logistic_terms, minimize_convex, unit_diagonal

# Elements of one temporary (64 kB): a pass over the scores stays in cache, and its products stay
# below the 9216 elements from which OpenBLAS starts threads: a million scores then take 0.06 s, not
# 0.7 to 2.3 s, on two cores of which one is busy.
_CHUNK = 1 << 13
_GROUPS = 512  # of equal size, which give Newton its start on large samples


class LinearFit(NamedTuple):
    """Coefficients of the columns, then the intercept (0 if there is none).

    `objective` is the negative log-likelihood, `covariance` the inverse of its second derivative.
    """

    parameters: Floats
    covariance: Floats
    objective: float


def fit_linear_logistic(
    columns: Floats, against: Floats, favor: Floats, intercept: bool
) -> LinearFit:
    """Fit log-odds ``coefficients @ columns + intercept`` by maximum likelihood.

    Parameters
    ----------
    columns : (d, m) array
        Linearly independent, also of the constant if there is an intercept; d may be 0. They
        should follow the order of the score.
    against, favor : (m,) arrays
        Weights of the negative and of the positive class, not both 0; see `soft_counts`.
    intercept : bool

    Returns
    -------
    LinearFit
        Of d + 1 parameters.

    Raises
    ------
    ConvergenceError
        If no optimum can be proven.

    Examples
    --------
    Two points are fitted exactly, here log-odds of -log(3) and log(3):

    >>> x = np.array([[-1.0, 1.0]])
    >>> fit = fit_linear_logistic(x, np.array([3.0, 1.0]), np.array([1.0, 3.0]), True)
    >>> np.abs(fit.parameters - [np.log(3), 0]).max() < 1e-9
    np.True_
    """
    weight = against + favor
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
    start = np.zeros((1, len(z)))
    if intercept:
        start[0, -1] = np.log(favor.sum()) - np.log(against.sum())
    full = LogisticSums(z, against, favor)
    if full.is_large:
        near = minimize_convex(full.grouped(), start).parameters
        if full(near)[0] < full(start)[0]:
            start = near
    found = minimize_convex(full, start)
    scaled, unit = unit_diagonal(found.hessian)
    covariance = np.linalg.inv(scaled[0]) / np.outer(unit[0], unit[0])
    value = float(found.value[0])
    return LinearFit(back @ found.parameters[0], back @ covariance @ back.T, value)


@dataclass(frozen=True, eq=False)
class LogisticSums:
    """Negative log-likelihood, gradient and second derivative, in one pass over the scores."""

    z: Floats  # (d, m)
    against: Floats
    favor: Floats

    def __call__(self, params: Floats) -> Sums:
        """Sums for one vector (1, d) of coefficients."""
        size = len(self.z)
        value, gradient, hessian = 0.0, np.zeros(size), np.zeros((size, size))
        for first in range(0, self.z.shape[1], _CHUNK):
            part = slice(first, first + _CHUNK)
            x = self.z[:, part]
            loss, slope, curvature = logistic_terms(
                params[0] @ x, self.against[part], self.favor[part]
            )
            value += float(loss.sum())
            gradient += x @ slope
            hessian += (x * curvature) @ x.T
        return np.array([value]), gradient[None], hessian[None]

    @property
    def is_large(self) -> bool:
        """Whether a start from groups of scores saves passes over all of them."""
        return len(self.against) > 8 * _GROUPS

    def grouped(self) -> "LogisticSums":
        """Weighted means of groups of neighboring scores, equal in number."""
        starts = np.linspace(0, self.z.shape[1], _GROUPS, endpoint=False).astype(np.intp)
        weight = self.against + self.favor
        sums = np.add.reduceat(self.z * weight, starts, axis=1)
        against, favor = (np.add.reduceat(part, starts) for part in (self.against, self.favor))
        return LogisticSums(sums / (against + favor), against, favor)
