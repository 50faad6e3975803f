"""Contours of linear functions of regression coefficients, with the others profiled out.

For the linear model, the profile has a closed form. For the logistic model, it is the maximum over
the hyperplane of coefficients with a given value of the function: a concave problem, solved by
Newton's method for many values at once.

Source: Xu, Davoine, Zha and Denoeux, IJAR 72, 2016, equations 33-40 (one score and a constant);
O. Kanjanatarakul, S. Sriboonchitta, T. Denoeux, Forecasting using belief functions, IJAR 55, 2014,
section 4 (linear regression).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dstheory._typing import Floats
from dstheory.checks.arguments import check_label_order, check_rows, last_labels
from dstheory.errors import ConvergenceError
from dstheory.inference.contours.checks import as_data, as_design, as_positive, as_vector
from dstheory.inference.contours.likelihood_contour import (
    LikelihoodContour,
    normal_curve,
    student_curve,
)

_STEPS = 200
_HALVINGS = 40
# Squared Newton decrements (twice the log-likelihood still to gain), relative to the log-likelihood
# or to 1: the one that ends the iteration, and the one that rounding can leave when no step gains.
_ENOUGH, _ROUNDING = 1e-13, 1e-11
_ROUNDED = 1e-14  # of the terms of a fit, by which the residuals of an exact one differ from 0
_ELEMENTS = 1 << 20  # of one temporary of log-odds: 8 MB


@dataclass(frozen=True, eq=False)
class LeastSquares:
    """The sufficient statistics of a linear model.

    Attributes
    ----------
    coefficients : ndarray of shape (p,)
        Least squares solution.
    root : ndarray of shape (p, p)
        Triangular R with X'X = R'R.
    residual : float
        Residual sum of squares.
    n : int
        Number of observations.
    """

    coefficients: Floats
    root: Floats
    residual: float
    n: int

    def leverage(self, rows: Floats) -> Floats:
        """x (X'X)^-1 x' of each row, the variance of its mean response, in units of sigma**2."""
        from scipy.linalg import solve_triangular

        z = solve_triangular(self.root, rows.T, trans="T")
        return np.asarray((z**2).sum(axis=0))


def least_squares(design: ArrayLike, response: ArrayLike, exact_fit: bool) -> LeastSquares:
    """Fit a linear model, refusing collinear columns, and an exact fit unless it is allowed.

    >>> fit = least_squares([[1.0], [1.0]], [1.0, 3.0], exact_fit=False)
    >>> fit.coefficients, fit.residual
    (array([2.]), 2.0)
    """
    from scipy.linalg import solve_triangular

    x = as_design("design", design)
    y = as_vector("response", response, len(x))
    check_rows(design=design, response=response)
    q, root = _decomposed(x)
    coefficients = solve_triangular(root, q.T @ y)
    residuals = y - x @ coefficients
    residual = float(residuals @ residuals)
    rounding = _ROUNDED * float((np.abs(x) @ np.abs(coefficients) + np.abs(y)).max())
    if not exact_fit and np.abs(residuals).max() <= rounding:
        raise ValueError(
            f"the model fits all {len(x)} observations exactly: the likelihood is unbounded as "
            "sigma tends to 0; give sigma or more observations"
        )
    return LeastSquares(coefficients, root, residual, len(x))


def _decomposed(x: Floats) -> tuple[Floats, Floats]:
    """Orthogonal columns and a triangular root, whose product is the design."""
    unit = np.abs(x).max(axis=0)  # whose square may be no float
    unit = np.where(unit > 0, unit, 1.0)
    size = unit * np.sqrt(((x / unit) ** 2).sum(axis=0))
    q, r = np.linalg.qr(x / np.where(size > 0, size, 1.0))
    if len(r) < x.shape[1] or (np.abs(np.diag(r)) < 1e-10).any():
        raise ValueError(
            f"the {x.shape[1]} columns of the design (of {len(x)} rows) are collinear, so the "
            "likelihood is flat along a line; drop columns, or subtract means beside a constant"
        )
    return q, r * size


def linear_contour(
    design: ArrayLike, response: ArrayLike, weights: ArrayLike, sigma: float | None = None
) -> LikelihoodContour:
    """Contour of a linear function of the coefficients of a linear model with normal errors.

    Parameters
    ----------
    design : array_like of shape (n, p)
        One row of regressors for each observation; a constant is a column of ones.
    response : array_like of shape (n,)
        Observations.
    weights : array_like of shape (p,)
        The function is their product with the coefficients: (0, 1, 0) selects the second one, and a
        new row of the design gives its mean response.
    sigma : float, optional
        Standard deviation of the errors; profiled out if it is not given.

    Returns
    -------
    LikelihoodContour
        On the real line, with the least squares estimate as mode.

    Raises
    ------
    ValueError, TypeError
        If shapes do not agree, numbers are not finite, columns are collinear, weights are all 0,
        or the fit is exact and sigma is not given.

    References
    ----------
    .. [1] Kanjanatarakul, Sriboonchitta, Denoeux, "Forecasting using belief functions: an
       application to marketing econometrics", International Journal of Approximate Reasoning 55,
       2014.

    Examples
    --------
    A line through three points: its slope is 1, the residuals are (1, -2, 1) / 3.

    >>> contour = linear_contour([[1, 0], [1, 1], [1, 2]], [0, 0, 2], [0, 1])
    >>> round(contour.mode, 9), round(contour.contour(0.0), 4)
    (1.0, 0.125)
    """
    fit = least_squares(design, response, exact_fit=sigma is not None)
    w = _as_weights(weights, design, len(fit.coefficients))
    mode = float(w @ fit.coefficients)
    size = float(np.sqrt(fit.leverage(w[None])[0]))
    if sigma is not None:
        return normal_curve(mode, as_positive("sigma", sigma) * size)
    return student_curve(mode, size * np.sqrt(fit.residual), fit.n)


def logistic_contour(design: ArrayLike, labels: ArrayLike, weights: ArrayLike) -> LikelihoodContour:
    """Contour of a linear function of the coefficients of a logistic model.

    Parameters
    ----------
    design : array_like of shape (n, p)
        One row of regressors for each observation; a constant is a column of ones.
    labels : array_like of shape (n,)
        Classes 0 and 1, or targets between them (such as those of Platt).
    weights : array_like of shape (p,)
        The function is their product with the coefficients: a new row of the design gives its
        log-odds, of which the probability of class 1 is the sigmoid.

    Returns
    -------
    LikelihoodContour
        On the real line, with the maximum likelihood estimate as mode.

    Raises
    ------
    ValueError, TypeError
        If shapes do not agree, numbers are not finite, labels are outside [0, 1], columns are
        collinear, weights are all 0, or the classes are separable, so that the likelihood has no
        maximum.
    ConvergenceError
        If a maximum cannot be proven, also when the contour is evaluated later.

    References
    ----------
    .. [1] Xu, Davoine, Zha, Denoeux, "Evidential calibration of binary SVM classifiers",
       International Journal of Approximate Reasoning 72, 2016, equations 33-40.

    Examples
    --------
    With only a constant and one sample per class, log-odds of log 3 have a plausibility of 4 * 3/4
    * 1/4.

    >>> contour = logistic_contour([[1.0], [1.0]], [0, 1], [1.0])
    >>> round(contour.mode, 9), round(contour.contour(np.log(3.0)), 9)
    (0.0, 0.75)
    """
    from scipy.linalg import solve_triangular
    from scipy.special import expit

    x = as_design("design", design)
    y = as_data("labels", labels, 0, 1).copy()  # the contour keeps them
    if len(y) != len(x):
        raise ValueError(f"labels have {len(y)} elements, not {len(x)} as the design has rows")
    check_rows(design=design, labels=labels)
    w = _as_weights(weights, design, x.shape[1])
    q, root = _decomposed(x)
    _require_overlap(x, y)
    # The same model with orthogonal columns.
    scale = np.sqrt(len(x))
    x, w = q * scale, solve_triangular(root, w, trans="T") * scale
    best, _ = _maximize(x, y, np.zeros((1, len(x))), np.zeros((1, x.shape[1])))
    mode = float(w @ best[0])
    # Coefficients with value v are best + toward * (v - mode) + across @ free.
    toward, across = w / (w @ w), np.linalg.qr(w[:, None], mode="complete")[0][:, 1:]

    def profile(value: Floats) -> Floats:
        moved = (value - mode)[:, None] * toward + best
        inside = np.isfinite(value)
        result = np.full(value.shape, -np.inf)
        start = np.zeros((int(inside.sum()), across.shape[1]))
        result[inside] = _maximize(x @ across, y, moved[inside] @ x.T, start)[1]
        return result

    p = expit(x @ best[0])
    error = float(np.sqrt(w @ np.linalg.solve((x.T * (p * (1 - p))) @ x, w)))
    chunk = max(1, _ELEMENTS // len(x))
    return LikelihoodContour(profile, (-np.inf, np.inf), mode=mode, scale=error, chunk=chunk)


def check_regressors(values: ArrayLike, design: ArrayLike, name: str) -> None:
    """Refuse values whose names are the columns of the design in another order."""
    check_label_order(values, last_labels(design), name)


def _as_weights(weights: ArrayLike, design: ArrayLike, size: int) -> Floats:
    """Weights of the coefficients, not all 0, in the order of the columns of the design."""
    w = as_vector("weights", weights, size)
    check_regressors(weights, design, "weights")
    if not w.any():
        raise ValueError("weights are all 0; give at least one that is not")
    return w


def _require_overlap(x: Floats, y: Floats) -> None:
    """Refuse classes that a hyperplane separates, so that a direction suits all labels.

    With targets inside (0, 1) a direction must not change their log-odds. The linear program is
    bounded and feasible (0), and its optimum is 0 exactly if there is no such direction.
    """
    from scipy.optimize import linprog

    unit = x / np.abs(x).max(axis=0)
    hard = (y == 0) | (y == 1)
    signed = unit[hard] * np.where(y[hard] == 1, 1.0, -1.0)[:, None]
    if not hard.any():
        return
    soft = unit[~hard] if not hard.all() else None
    found = linprog(
        -signed.sum(axis=0),
        A_ub=-signed,
        b_ub=np.zeros(len(signed)),
        A_eq=soft,
        b_eq=None if soft is None else np.zeros(len(soft)),
        bounds=(-1, 1),
    )
    if found.status == 0 and found.fun is not None and found.fun < -1e-7:
        raise ValueError(
            "a hyperplane separates the classes, so the likelihood has no maximum; give targets "
            "inside (0, 1), such as (n1 + 1) / (n1 + 2) for 1 and 1 / (n0 + 2) for 0"
        )


def _maximize(x: Floats, y: Floats, offset: Floats, start: Floats) -> tuple[Floats, Floats]:
    """Coefficients (N, q) of largest log-likelihood, and it, for offsets (N, n) of the log-odds.

    Newton's method with step halving, on a strictly concave function. It ends when the Newton
    decrement shows that nothing is left to gain, or raises.
    """
    coefficients, value = start.copy(), _log_likelihood(x, y, offset, start)
    active = np.arange(len(start)) if x.shape[1] else np.empty(0, dtype=np.intp)
    for _ in range(_STEPS):
        step, gain = _newton_step(x, y, offset[active], coefficients[active])
        going = gain > _ENOUGH * (1 + np.abs(value[active]))
        # The last steps are so small that their gain need not be checked.
        coefficients[active[~going]] += step[~going]
        value[active[~going]] += gain[~going] / 2
        active, step, gain = active[going], step[going], gain[going]
        if not active.size:
            return coefficients, value
        size = np.ones(active.size)
        for _ in range(_HALVINGS):
            trial = coefficients[active] + size[:, None] * step
            found = _log_likelihood(x, y, offset[active], trial)
            worse = ~(found >= value[active])
            if not worse.any():
                break
            size = np.where(worse, size / 2, size)
        _check_small(gain[worse], value[active[worse]])
        kept = ~worse
        coefficients[active[kept]], value[active[kept]] = trial[kept], found[kept]
        active, gain = active[kept], gain[kept]
    _check_small(gain, value[active])
    return coefficients, value


def _check_small(gain: Floats, value: Floats) -> None:
    """Raise unless the remaining gain is within rounding."""
    if (gain > _ROUNDING * (1 + np.abs(value))).any():
        raise ConvergenceError(
            f"no proof of a maximum: the log-likelihood may still gain {gain.max() / 2:.2g}; "
            "leave out rows of the design that are far from all others"
        )


def _newton_step(x: Floats, y: Floats, offset: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Newton's step, shortened to where the quadratic model holds, and the squared decrement."""
    from scipy.special import expit

    eta = offset + b @ x.T
    p = expit(eta)
    gradient = (y - p) @ x
    information = np.einsum("in,nj,nk->ijk", p * (1 - p), x, x, optimize=True)
    # If all probabilities are near 0 or 1, the curvature may vanish; step halving copes with that.
    trace = np.trace(information, axis1=1, axis2=2)[:, None, None]
    information += (1e-13 * trace + 1e-300) * np.eye(x.shape[1])
    step = np.linalg.solve(information, gradient[:, :, None])[:, :, 0]
    gain = (step * gradient).sum(axis=1)
    # Beyond twice the current log-odds, the quadratic model is meaningless.
    move = np.abs(step @ x.T).max(axis=1)
    step *= np.minimum(1.0, 2 * (5 + np.abs(eta).max(axis=1)) / np.maximum(move, 1e-300))[:, None]
    return step, gain


def _log_likelihood(x: Floats, y: Floats, offset: Floats, b: Floats) -> Floats:
    eta = offset + b @ x.T
    # All terms have one sign: far out, differences of log-odds would lose digits.
    wrong = np.where(eta > 0.0, 1.0 - y, y) * np.abs(eta)
    return np.asarray(-(wrong + np.log1p(np.exp(-np.abs(eta)))).sum(axis=1))
