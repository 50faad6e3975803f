"""Logistic regression of target shares on a few columns of features of one score.

Columns are centered and scaled, so that neither their unit nor their origin costs digits; then
Newton's method is used. A large sample is passed over two or three times
only, because groups of neighboring scores give the iteration its start.

Source: P. McCullagh & J. A. Nelder, "Generalized Linear Models" (1989), section 4.4.
"""

from typing import NamedTuple

import numpy as np

from evical._typing import Floats
from evical.curves.newton import LogisticSums, minimize_convex, unit_diagonal


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
