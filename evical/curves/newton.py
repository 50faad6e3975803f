"""Newton's method for convex objectives, with a bound on its steps and a proof of the optimum.

Every logistic fit here is one of these. Steps are shortened until they gain. The squared Newton
decrement, twice what the quadratic model still promises, tells when the optimum is reached: the
iteration ends at a full step whose decrement is negligible, or with an error.

Source: S. Boyd & L. Vandenberghe, "Convex Optimization" (2004), section 9.5.

Convex problems over the simplex: weights from 0 with sum 1.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial, reduce
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from evical._typing import Floats
from evical.errors import ConvergenceError

_STEPS, _HALVINGS = 100, 60
_TOLERANCE = 1e-10  # squared Newton decrement of the last step


def least_squares_on_simplex(rows: Floats, target: Floats | float = 0.0) -> Floats:
    """Weights x (S,) with the least ``|rows @ x - target|``.

    With sum 1, ``rows @ x - target`` is ``(rows - target) @ x``. The least distance of a cone is
    found with a row of ones for scale (Dax 1990), so that only signs are constraints: for t x with
    x on the simplex, the sum of squares is t^2 S(x) + (t - 1)^2, whose minimum over t,
    S / (S + 1), grows with S.

    Parameters
    ----------
    rows : (n, S) array
    target : (n,) array or a number

    Examples
    --------
    >>> least_squares_on_simplex(np.eye(3), np.array([0.5, 0.7, -1.0])).round(3)
    array([0.4, 0.6, 0. ])
    """
    size = rows.shape[1]
    scaled = np.vstack([rows - np.asarray(target)[..., np.newaxis], np.ones(size)])
    found, _ = nnls(scaled, np.append(np.zeros(len(rows)), 1.0), maxiter=100 * size)
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


Sums = tuple[Floats, Floats, Floats]
"""Values (p,), gradients (p, d) and second derivatives (p, d, d) of p objectives."""
Derivatives = Callable[[Floats], Sums]
Part = Callable[[NDArray[np.intp]], Derivatives]
Step = Callable[[Floats, Floats], tuple[Floats, Floats]]
"""From gradients and second derivatives to steps (p, d) and their squared decrements (p,)."""

_MAX_STEPS = 200
# Steps are cut to 1/2, 1/8, 1/64, ...: at first with care, and from any size within twenty trials.
_MAX_CUTS = 24
_MAX_TRIALS = 600  # of all steps, cuts included; where each is cut, rounding rules
_CONVERGED = 1e-13  # squared Newton decrement: twice the log-likelihood still to be gained
_NEGLIGIBLE = 1e-26  # one more step would gain no digit
_WORTH = 0.25  # share of objectives without which the next step is worth taking
_ROUNDING = 1e-13  # of a value, relative to it or to 1
_LIFT = 1e-13  # of a unit diagonal, where saturation or rounding leaves nothing
_TINY = 1e-200

_ADVICE = (
    "scores or weights differ by too many powers of ten: leave out the extreme ones, or use "
    "transform='rank'"
)


class Optimum(NamedTuple):
    """Where p objectives are least: parameters (p, d), and value and second derivative there."""

    parameters: Floats
    value: Floats
    hessian: Floats
    proven: bool = True


def newton_step(gradient: Floats, hessian: Floats) -> tuple[Floats, Floats]:
    """Newton's step (p, d) and its squared decrement (p,)."""
    if gradient.shape[1] == 1:
        step = -gradient / (np.maximum(hessian[:, 0], _TINY) * (1.0 + _LIFT))
        return step, -(step * gradient)[:, 0]
    scaled, scale = unit_diagonal(hessian)
    try:
        step = _solved(scaled, -gradient / scale) / scale
    except np.linalg.LinAlgError:
        raise ConvergenceError(
            f"no proof of an optimum: the curvature is lost; {_ADVICE}"
        ) from None
    return step, -np.einsum("pd,pd->p", step, gradient)


def _solved(scaled: Floats, target: Floats) -> Floats:
    """Solutions (p, d) for matrices from `unit_diagonal`; of two equations without LAPACK."""
    if scaled.shape[-1] != 2:
        return np.asarray(np.linalg.solve(scaled, target[..., None])[..., 0])
    unit, cross = scaled[:, 0, 0], scaled[:, 0, 1]
    rest = unit - cross * (cross / unit)
    if not rest.all():
        raise np.linalg.LinAlgError
    second = (target[:, 1] - cross * (target[:, 0] / unit)) / rest
    return np.stack([(target[:, 0] - cross * second) / unit, second], axis=1)


def minimize_convex(
    derivatives: Derivatives,
    start: Floats,
    tolerance: float = _CONVERGED,
    enough: float = _NEGLIGIBLE,
    trial_steps: int | None = None,
    step_from: Step = newton_step,
    part: Part | None = None,
) -> Optimum:
    """Minimize p convex objectives of d parameters each, all at once.

    Parameters
    ----------
    derivatives : callable
        From parameters (p, d) to values, gradients and second derivatives.
    start : (p, d) array
    tolerance : float
        Greatest squared Newton decrement of the last step.
    enough : float
        Squared Newton decrement at which no further step is taken.
    trial_steps : int, optional
        With it, so many steps that find no optimum are no error; `proven` is then False.
    step_from : callable
        Newton's step; an own one can tell directions in which the objective is flat.
    part : callable, optional
        From positions of objectives to the derivatives of those alone. With it, objectives that are
        minimized take no part in further steps, and those that gain take none in cuts of others.

    Returns
    -------
    Optimum

    Raises
    ------
    ConvergenceError
        If 200 steps, or 600 trials of steps, end at no optimum.

    Examples
    --------
    >>> def square(x):
    ...     return (x[:, 0] - 3) ** 2, 2 * (x - 3), np.full((len(x), 1, 1), 2.0)
    >>> minimize_convex(square, np.zeros((1, 1))).parameters.round(9)
    array([[3.]])
    """
    parameters, found, tried = start, derivatives(start), 0
    solved: list[tuple[NDArray[np.intp], Optimum]] = []
    rows = np.arange(len(start))
    for _ in range(trial_steps or _MAX_STEPS):
        step, decrement = step_from(found[1], found[2])
        if (decrement <= enough).all():
            return _together(solved, rows, Optimum(parameters, found[0], found[2]))
        few = None if part is None else partial(_some, part, rows)
        noise = _ROUNDING * (1.0 + np.abs(found[0])) + enough
        step, found, full, cuts = _gaining(
            derivatives, parameters, found[0] + noise, step, decrement, few
        )
        parameters = parameters + step
        done = full & (decrement <= tolerance)
        if done.all():
            return _together(solved, rows, Optimum(parameters, found[0], found[2]))
        tried += cuts
        if tried > _MAX_TRIALS:
            break
        if part is not None and done.mean() >= _WORTH:
            solved.append((rows[done], Optimum(parameters[done], found[0][done], found[2][done])))
            rows, parameters, derivatives = rows[~done], parameters[~done], part(rows[~done])
            found = found[0][~done], found[1][~done], found[2][~done]
    if trial_steps is not None:
        return Optimum(parameters, found[0], found[2], proven=False)
    raise _not_converged(decrement)


def _together(
    solved: list[tuple[NDArray[np.intp], Optimum]], rows: NDArray[np.intp], last: Optimum
) -> Optimum:
    """The optima of some objectives, and of those that were solved before, in order."""
    if not solved:
        return last
    parts = [*solved, (rows, last)]
    order = np.argsort(np.concatenate([rows for rows, _ in parts]))
    parameters, value, hessian = (
        np.concatenate([optimum[i] for _, optimum in parts])[order] for i in range(3)
    )
    return Optimum(parameters, value, hessian)


def _not_converged(decrement: Floats) -> ConvergenceError:
    return ConvergenceError(
        f"no proof of an optimum: the log-likelihood may still gain {decrement.max() / 2:.2g}; "
        f"{_ADVICE}"
    )


def _some(part: Part, rows: NDArray[np.intp], which: NDArray[np.bool_]) -> Derivatives:
    return part(rows[which])


def _gaining(
    derivatives: Derivatives,
    parameters: Floats,
    bound: Floats,
    step: Floats,
    decrement: Floats,
    few: Callable[[NDArray[np.bool_]], Derivatives] | None = None,
) -> tuple[Floats, Sums, NDArray[np.bool_], int]:
    """Steps cut until all of them gain, what is found there, which are whole, and trials made.

    The values before, raised by what is rounding or does not matter, are the bound.
    """
    length = np.ones_like(bound)
    with np.errstate(over="ignore", invalid="ignore"):  # far from the optimum: no gain
        found = derivatives(parameters + step)
        for cut in range(1, _MAX_CUTS + 1):
            good = found[0] <= bound - 1e-4 * length * decrement  # and a NaN is not
            if good.all():
                return step, found, length == 1.0, cut
            factor = np.where(good, 1.0, 0.5**cut)
            length, step = length * factor, step * factor[:, None]
            if few is None:
                found = derivatives(parameters + step)
                continue
            for whole, again in zip(found, few(~good)((parameters + step)[~good]), strict=True):
                whole[~good] = again
    raise _not_converged(decrement)


def unit_diagonal(hessian: Floats) -> tuple[Floats, Floats]:
    """Matrices (p, d, d) scaled to a unit diagonal and lifted a little, and the scales (p, d).

    Examples
    --------
    >>> scaled, scale = unit_diagonal(np.array([[[4.0, 2.0], [2.0, 9.0]]]))
    >>> scaled.round(3).tolist(), scale.tolist()
    ([[[1.0, 0.333], [0.333, 1.0]]], [[2.0, 3.0]])
    """
    scale = np.sqrt(np.maximum(np.diagonal(hessian, axis1=-2, axis2=-1), _TINY))
    scaled = hessian / (scale[..., :, None] * scale[..., None, :])
    size = range(scale.shape[-1])
    scaled[..., size, size] += _LIFT
    return scaled, scale


def logistic_terms(eta: Floats, against: Floats, favor: Floats) -> tuple[Floats, Floats, Floats]:
    """Loss of log-odds, and its first and second derivative, for each score.

    Written in shares that vanish together, so that a heavy weight at a saturated sigmoid leaves
    the digits of the others.

    Parameters
    ----------
    eta : (..., m) array
        Log-odds of the positive class.
    against, favor : (m,) arrays
        Weight of the targets of the negative and of the positive class.

    Returns
    -------
    loss, slope, curvature : (..., m) arrays
        ``against * log(1 + exp(eta)) + favor * log(1 + exp(-eta))`` and its derivatives.

    Examples
    --------
    >>> loss, slope, curvature = logistic_terms(np.zeros(1), np.ones(1), np.ones(1))
    >>> loss.round(3).tolist(), slope.tolist(), curvature.tolist()
    ([1.386], [0.0], [0.5])
    """
    small = np.exp(-np.abs(eta))
    upper = 1.0 / (1.0 + small)
    weight = against + favor
    rest = weight * (small * upper)
    wrong = np.where(np.signbit(eta), -favor, against)
    loss = wrong * eta
    loss += weight * np.log1p(small)
    return loss, wrong - np.copysign(rest, eta), rest * upper


# Elements of one temporary: a pass over the scores stays in cache, and its products stay below the
# 9216 elements from which OpenBLAS starts threads: a million scores then take 0.06 s, not 0.7 to
# 2.3 s, on two cores of which one is busy.
_CHUNK = 1 << 13
_GROUPS = 512  # of equal size, which give Newton its start on large samples
_WIDE = 12  # columns, of which products of pairs take longer than matrix products
_KEPT = 1 << 19  # numbers of products of columns that are kept from one pass to the next


@dataclass(frozen=True, eq=False)
class LogisticSums:
    """Minus the log-likelihoods of logistic regressions, and their derivatives, in one pass.

    Parameters
    ----------
    z : (d, m) array
        Columns of the design.
    against, favor : (m,) arrays
        Weight of the targets of the negative and of the positive class.

    Examples
    --------
    >>> sums = LogisticSums(np.ones((1, 2)), np.ones(2), np.ones(2))
    >>> [part.round(3).tolist() for part in sums(np.zeros((1, 1)))]
    [[2.773], [[0.0]], [[[1.0]]]]
    """

    z: Floats
    against: Floats
    favor: Floats

    def __call__(self, parameters: Floats) -> Sums:
        """Sums for coefficients (p, d)."""
        sums = [self._sums(parameters, part) for part in self.blocks(len(parameters))]
        value, gradient, hessian = (reduce(np.add, each) for each in zip(*sums, strict=True))
        return value, gradient, hessian

    def _sums(self, parameters: Floats, part: slice) -> Sums:
        x = self.z[:, part]
        loss, slope, curvature = logistic_terms(
            parameters @ x, self.against[part], self.favor[part]
        )
        if len(parameters) == 1 or self._is_wide:
            hessian = np.stack([(x * row) @ x.T for row in curvature])
        else:
            hessian = (curvature @ self._products(part).T)[:, self._place]
        return loss.sum(axis=1), slope @ x.T, hessian

    def blocks(self, p: int) -> list[slice]:
        """Samples of which p numbers each stay in cache."""
        size, m = max(1, _CHUNK // p), max(1, self.z.shape[1])
        return [slice(first, first + size) for first in range(0, m, size)]

    def variances(self, covariances: Floats, part: slice) -> Floats:
        """Variances (p, b) of log-odds of a block, for covariances (p, d, d) of coefficients."""
        if self._is_wide:
            x = self.z[:, part]
            return np.stack([np.einsum("db,db->b", own @ x, x) for own in covariances])
        rows, columns = self._pairs
        twice = covariances[:, rows, columns] * np.where(rows == columns, 1.0, 2.0)
        return twice @ self._products(part)

    @property
    def _is_wide(self) -> bool:
        """Whether products of all pairs of columns would take longer than matrix products."""
        return len(self.z) > _WIDE

    @cached_property
    def _pairs(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Pairs of columns, each once."""
        return np.triu_indices(len(self.z))

    def _products(self, part: slice) -> Floats:
        """Products (d (d + 1) / 2, b) of the pairs for a block of samples."""
        kept = len(self._pairs[0]) * self.z.shape[1] <= _KEPT
        return self._kept[:, part] if kept else _multiplied(self.z[:, part], *self._pairs)

    @cached_property
    def _kept(self) -> Floats:
        """Products of all samples."""
        return _multiplied(self.z, *self._pairs)

    @cached_property
    def _place(self) -> NDArray[np.intp]:
        """Which of the pairs (d, d) two columns are."""
        rows, columns = self._pairs
        place = np.empty((len(self.z), len(self.z)), dtype=np.intp)
        place[rows, columns] = place[columns, rows] = np.arange(len(rows))
        return place

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


def _multiplied(z: Floats, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> Floats:
    found = z[rows]
    found *= z[columns]
    return found
