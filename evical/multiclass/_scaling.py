"""Structured scaling: a temperature, then a matrix that a ridge shrinks towards the identity.

A few samples determine a common temperature; more samples determine a slope and an intercept per
class; very many determine the weights between classes. So the temperature is fitted first. A
penalty keeps slopes, intercepts and off-diagonal weights close to that fit, the more so the fewer
samples there are. The second step is a convex problem with one optimum.

The samples can tell the penalties, too (`fit_learned`). The slopes of all classes come from one
normal distribution around 1, their intercepts from one around 0, and the weights between classes
from a third one around 0. Their precisions are those under which the labels are most probable, by
MacKay's fixed point with the diagonal of the information. So a thousand classes with two samples
each share a temperature, classes with scales of their own get slopes and intercepts, and classes
that are taken for each other get weights for that.

Scores may say that a class is impossible, as a forest does that has no such leaf. If samples of
that class follow, tempered probabilities are a mixture with the uniform distribution, whose share
is learned with the temperature.

Sources: Berta, Holzmueller, Jordan & Bach, "Structured matrix scaling for multi-class calibration",
arXiv 2511.03685 (2025); MacKay, "Bayesian interpolation", Neural Computation 4 (1992), 415-447,
section 4.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evical._typing import Floats
from evical.curves.softmax import CONVERGED, Problem, minimize_softmax, moment, whitening
from evical.scores.scale import largest_of_rows, row_blocks, softmax

_GREATEST = float(np.finfo(np.float64).max)
_LISTED = 60  # coefficients up to which their Hessian is listed
_EQUAL = 1e-13  # difference of logarithms that is rounding
_END = 16.0  # bound on the logarithm of the inverse temperature
_ROUNDS, _FIXED_POINT = 12, 500  # of fits under new penalties; of steps to them
_CLOSE = 0.01  # difference of logarithms that changes nothing
_ROUGHLY = 0.1  # twice the log-likelihood that a fit lacks from which penalties are learned
_NO_CHANGE = 0.1  # of the log-likelihood of all samples, twice
_IMPOSSIBLE = -20.0  # log-odds against the best class; who is right then was wrong
_MIXED, _MIXTURES = 0.1, 50  # share of the uniform distribution to start from; most steps


class Ridge(NamedTuple):
    """Weights of the squares of intercepts, of slopes minus 1, and of slopes between classes.

    The last is None if there are no such slopes.
    """

    intercept: float
    diagonal: float
    off_diagonal: float | None

    def each(self, k: int) -> Any:
        """The number for each coefficient: (K, K + 1), or (K, 2) without slopes between."""
        if self.off_diagonal is None:
            return np.tile([self.diagonal, self.intercept], (k, 1))
        found = np.full((k, k + 1), self.off_diagonal)
        found[range(k), range(k)], found[:, -1] = self.diagonal, self.intercept
        return found


@dataclass(frozen=True, eq=False)
class Structured:
    """Fitted logits, a linear function of the logarithms of tempered probabilities.

    Parameters
    ----------
    unit : float
        Scores are divided by it.
    inverse : float
        Inverse temperature of scores in that unit.
    share : float
        Share of the uniform distribution that is mixed into tempered probabilities.
    weights : (K, K) array
    intercepts : (K,) array
    """

    unit: float
    inverse: float
    share: float
    weights: Floats
    intercepts: Floats

    def tempered(self, scores: Floats, out: Floats | None = None) -> Floats:
        """Log-probabilities (n, K) from the temperature alone; `out` may be the scores."""
        k = scores.shape[1]
        with np.errstate(over="ignore"):
            z = np.subtract(scores, largest_of_rows(scores)[:, np.newaxis], out=out)
            if self.unit != 1.0:
                z /= self.unit
            z *= self.inverse
        p = np.exp(z, out=z)
        p *= (1.0 - self.share) / (p @ np.ones(k))[:, np.newaxis]
        p += self.share / k
        return np.log(p, out=p)

    def logits(self, scores: Floats) -> Floats:
        """Logits (n, K)."""
        return self._logits(self.tempered(scores))

    def _logits(self, tempered: Floats) -> Floats:
        found = np.asarray((self.weights @ tempered.T).T)
        found += self.intercepts
        return found

    def probabilities(self, scores: Floats, least: float | None = None) -> Floats:
        """Probabilities (n, K), in blocks whose temporaries stay in the cache.

        Columns are contiguous, since they are longer than rows. With `least`, the scores are
        probabilities, raised to that before their logarithms are taken.
        """
        found = np.empty(scores.shape, order="F")
        for rows in row_blocks(*scores.shape):
            part = np.array(scores[rows], order="F")
            if least is not None:
                np.log(np.maximum(part, least, out=part), out=part)
            logits = self._logits(self.tempered(part, out=part))
            found[rows] = softmax(logits, out=logits)
        return found

    def slopes(self, scores: Floats) -> Floats:
        """Derivatives (n, K) of the logits in the logarithm of the inverse temperature."""
        z = self.inverse * below_best(scores, self.unit)
        p = softmax(z)
        pulled = np.where(p > 0.0, p * np.maximum(z, -_GREATEST), 0.0)
        gain = pulled - p * pulled.sum(axis=1, keepdims=True)
        change = (1.0 - self.share) * gain / np.exp(self.tempered(scores))
        return np.asarray(change @ self.weights.T)

    def among(
        self, k: int, present: NDArray[np.intp], intercept: float | None = None
    ) -> "Structured":
        """The same for K classes, of which the others are as these on average, with slope 1."""
        weights, intercepts = np.eye(k), np.empty(k)
        weights[np.ix_(present, present)] = self.weights
        intercepts[:] = self.intercepts.mean() if intercept is None else intercept
        intercepts[present] = self.intercepts
        return replace(self, weights=weights, intercepts=intercepts)


def below_best(scores: Floats, unit: float = 1.0) -> Floats:
    """Scores (n, K) minus the largest of their row, in units; at least the lowest float."""
    with np.errstate(over="ignore"):
        moved = np.asarray(scores - largest_of_rows(scores)[:, np.newaxis])
        np.maximum(moved, -_GREATEST, out=moved)
        moved /= unit
        return np.maximum(moved, -_GREATEST, out=moved)


def fit_structured(
    scores: Floats, targets: Floats, weight: Floats, ridge: Ridge, unit: float
) -> Structured:
    """Fit both steps.

    Parameters
    ----------
    scores : (n, K) array
        Logarithms of probabilities, or margins.
    targets : (n, K) array
        Labels or soft targets; rows sum to 1.
    weight : (n,) array
    ridge : Ridge
        Penalties on the mean loss.
    unit : float
        Unit of the scores.

    Returns
    -------
    Structured

    Examples
    --------
    Probabilities that equal the targets are kept, except for the share of the uniform distribution:

    >>> scores = np.log([[0.75, 0.25], [0.25, 0.75]])
    >>> targets = np.array([[0.75, 0.25], [0.25, 0.75]])
    >>> fit = fit_structured(scores, targets, np.ones(2), Ridge(1.0, 1e6, 1e6), 1.0)
    >>> round(fit.inverse, 9), abs(fit.weights).round(3).tolist()
    (1.0, [[1.0, 0.0], [0.0, 1.0]])
    """
    k, total = scores.shape[1], float(weight.sum())
    inverse = inverse_temperature(below_best(scores, unit), targets, weight / total)
    first = Structured(unit, inverse, 1.0 / (total + 1.0), np.eye(k), np.zeros(k))
    x = first.tempered(scores)
    features = _features(x, ridge)
    start, penalty = _identity(k, ridge)
    problem = Problem.toward(features, targets, weight)
    # The ridge is centered at the start: half the sum of penalty (w - start)^2.
    w = minimize_softmax(
        problem._replace(penalty=penalty, target=problem.target + penalty * start),
        newton=start.size <= _LISTED,
        start=start,
    )
    slopes = w[:, :-1] if ridge.off_diagonal is not None else np.diag(w[:, 0])
    return Structured(unit, inverse, first.share, slopes, w[:, -1])


def _features(x: Floats, ridge: Ridge) -> Floats:
    """Features of the logits: (n, K + 1), shared by the classes, or (n, K, 2), separate."""
    if ridge.off_diagonal is None:
        return np.moveaxis(np.stack([x, np.ones_like(x)]), 0, 2)  # each feature in one piece
    return np.hstack([x, np.ones((len(x), 1))])


def _identity(k: int, ridge: Ridge) -> tuple[Floats, Floats]:
    """Coefficients (K, M) of the identity, and the penalties on distances from them."""
    off = None if ridge.off_diagonal is None else 0.0
    return Ridge(0.0, 1.0, off).each(k), 2.0 * ridge.each(k)


def unit_steps(fit: Structured, scores: Floats, weight: Floats, ridge: Ridge) -> Floats:
    """Parameters (P, P) of unit steps in coordinates in which the information is 1.

    Rows are the coefficients, class by class with the intercept last, then the logarithm of the
    inverse temperature. The information is that of the sample plus that of the ridge.
    """
    k, total = scores.shape[1], weight.sum()
    features = _features(fit.tempered(scores), ridge)
    p, v = softmax(fit.logits(scores)), fit.slopes(scores)
    problem = Problem.toward(features, p, weight)._replace(penalty=_identity(k, ridge)[1])
    spread = (p * v - p * np.einsum("nk,nk->n", p, v)[:, None]) * problem.weight[:, None]
    cross = moment(features, spread).reshape(-1, 1)
    last = np.einsum("nk,nk->", v, spread).reshape(1, 1)
    return whitening(np.block([[problem.curvature(p), cross], [cross.T, last]]) * total)


def step_slopes(fit: Structured, scores: Floats, steps: Floats, ridge: Ridge) -> Floats:
    """Changes (n, K, P) of the logits by unit steps."""
    features, k = _features(fit.tempered(scores), ridge), scores.shape[1]
    basis = steps[:-1].reshape(k, -1, steps.shape[1])
    form = "nm,kmp->nkp" if features.ndim == 2 else "nkm,kmp->nkp"
    linear = np.einsum(form, features, basis)
    return np.asarray(linear + fit.slopes(scores)[:, :, None] * steps[-1])


def inverse_temperature(z: Floats, targets: Floats, share: Floats) -> float:
    """Minimizer of the mean loss of ``softmax(inverse * z)``, or the nearer end of the range.

    The loss is convex, so its derivative changes sign once: by Newton's method for the logarithm,
    halving the range where that would leave it.
    """
    wanted = float(share @ np.einsum("nk,nk->n", targets, z))

    def slope(at: float) -> tuple[float, float]:
        p = softmax(np.exp(at) * z)
        mean = np.einsum("nk,nk->n", p, z)
        square = np.einsum("nk,nk,nk->n", p, z, z)
        return float(share @ mean) - wanted, float(np.exp(at) * (share @ (square - mean**2)))

    for end, sign in ((-_END, 1.0), (_END, -1.0)):
        if sign * slope(end)[0] >= 0.0:
            return float(np.exp(end))
    low, high, at, step = -_END, _END, 0.0, np.inf
    while abs(step) > _EQUAL and high - low > _EQUAL:
        rise, bend = slope(at)
        low, high = (low, at) if rise >= 0.0 else (at, high)
        step = -rise / bend if bend > 0.0 else np.inf
        if not low <= at + step <= high:
            step = (low + high) / 2.0 - at
        at += step
    return float(np.exp(at))


class Learned(NamedTuple):
    """A fit, the penalties that the samples tell, and how exact the coefficients are.

    Parameters
    ----------
    fit : Structured
    ridge : Ridge
    center : (K,) array
        Mean log-probabilities of the tempered classes.
    variances : (K, 2) or (K, K + 1) array
        Of the slopes and then the intercept, where log-probabilities are less their mean; about,
        from the diagonal of the information.
    """

    fit: Structured
    ridge: Ridge
    center: Floats
    variances: Floats


def fit_learned(
    scores: Floats, codes: NDArray[np.intp], weight: Floats, ridge: Ridge, unit: float
) -> Learned:
    """Fit structured scaling and its penalties.

    Parameters
    ----------
    scores : (n, K) array
        Logarithms of probabilities, or margins.
    codes : (n,) array
        Classes from 0 to K - 1.
    weight : (n,) array
    ridge : Ridge
        Penalties to start from; one class more is as they say.
    unit : float
        Unit of the scores.

    Returns
    -------
    Learned

    Examples
    --------
    Scores that are right need no coefficients, so penalties grow:

    >>> rng = np.random.default_rng(0)
    >>> logits = 2 * rng.normal(size=(2000, 30))
    >>> codes = (logits + rng.gumbel(size=logits.shape)).argmax(axis=1)
    >>> first = Ridge(30 / 2000, 30 / 2000, None)
    >>> learned = fit_learned(logits, codes, np.ones(2000), first, 1.0)
    >>> bool(learned.ridge.diagonal > first.diagonal), learned.fit.weights[0, 0].round(1)
    (True, np.float64(1.0))
    """
    k, total = scores.shape[1], float(weight.sum())
    inverse, share = _mixture(below_best(scores, unit), codes, weight)
    first = Structured(unit, inverse, share, np.eye(k), np.zeros(k))
    x = first.tempered(scores)
    center = weight @ x / total
    x -= center
    targets = np.eye(k)[codes]
    start = np.stack([np.ones(k), center], axis=1)
    problem = Problem.toward(_features(x, ridge._replace(off_diagonal=None)), targets, weight)
    groups = Ridge(1, 0, None).each(k)
    before = 2.0 * np.array([ridge.diagonal, ridge.intercept])
    w, penalties, curvature = _most_evident(problem, start, start, groups, before, total, [0, 1])
    if ridge.off_diagonal is not None:
        problem = Problem.toward(_features(x, ridge), targets, weight)
        start, near = (_spread_out(one) for one in (start, w))
        groups = Ridge(1, 0, 2).each(k)
        before = np.append(penalties, 2.0 * ridge.off_diagonal)
        w, penalties, curvature = _most_evident(problem, start, near, groups, before, total, [2])
    slopes = np.diag(w[:, 0]) if ridge.off_diagonal is None else w[:, :-1]
    off = float(penalties[2]) / 2.0 if ridge.off_diagonal is not None else None
    return Learned(
        Structured(unit, inverse, share, slopes, w[:, -1] - slopes @ center),
        Ridge(float(penalties[1]) / 2.0, float(penalties[0]) / 2.0, off),
        center,
        1.0 / (total * (curvature + penalties[groups])),
    )


def with_absent(
    learned: Learned, present: NDArray[np.intp], scores: Floats, weight: Floats
) -> Learned:
    """The same for all columns of the scores (n, K), where it is known of the present classes.

    Another class is moved as these are on average, and is as open as they differ.
    """
    k = scores.shape[1]
    if len(present) == k:
        return learned
    fit, ridge, center, variances = learned
    moved = float((fit.weights @ center + fit.intercepts - center).mean())
    fit = fit.among(k, present, moved)
    centers = weight @ fit.tempered(scores) / weight.sum()
    centers[present] = center
    spread = 0.5 / (weight.sum() * ridge.each(k))
    columns = np.arange(2) if ridge.off_diagonal is None else np.append(present, k)
    spread[np.ix_(present, columns)] = variances
    return Learned(fit, ridge, centers, spread)


def _spread_out(w: Floats) -> Floats:
    """Coefficients (K, K + 1) that do the same as slopes and intercepts (K, 2)."""
    return np.column_stack([np.diag(w[:, 0]), w[:, 1]])


def _most_evident(
    problem: Problem,
    start: Floats,
    near: Floats,
    groups: NDArray[np.intp],
    penalties: Floats,
    total: float,
    learned: Sequence[int],
) -> tuple[Floats, Floats, Floats]:
    """Coefficients (K, M) around the start, penalties (G,) of their groups, curvature (K, M)."""
    w, first, changes = near, penalties, np.zeros(len(penalties))
    for _ in range(_ROUNDS):
        _, slope, p = problem.at(w)
        curvature = problem.diagonal(p)
        seen = curvature * (w - start) - slope  # of a likelihood that is normal around here
        before, moved = penalties, w
        penalties, away = _fixed_point(curvature, seen, groups, penalties, first, total, learned)
        change = away + start - moved
        own = np.isin(groups, learned)
        if moved is not near and total * (curvature * change**2)[own].sum() <= _NO_CHANGE:
            penalties = before
            break
        back = np.log(penalties / before)
        turned = back * changes < 0  # back and forth: half of the way
        penalties = np.where(turned, np.sqrt(penalties * before), penalties)
        changes = back
        w = _fitted(problem, start, w, penalties[groups], _ROUGHLY / total)
    w = _fitted(problem, start, w, penalties[groups], CONVERGED)
    return w, penalties, problem.diagonal(problem.at(w)[2])


def _fitted(
    problem: Problem, start: Floats, near: Floats, penalty: Floats, enough: float
) -> Floats:
    """Coefficients under half the sum of penalty (w - start)^2."""
    centered = problem._replace(penalty=penalty, target=problem.target + penalty * start)
    return minimize_softmax(centered, False, near, enough)


def _fixed_point(
    curvature: Floats,
    seen: Floats,
    groups: NDArray[np.intp],
    penalties: Floats,
    first: Floats,
    total: float,
    learned: Sequence[int],
) -> tuple[Floats, Floats]:
    """Most evident penalties (G,), and how far (K, M) the coefficients are from the start then."""
    now = penalties.copy()
    for _ in range(_FIXED_POINT):
        precision = curvature + now[groups]
        away = seen / precision
        before = now.copy()
        for group in learned:
            own = groups == group
            known = (curvature[own] / precision[own]).sum()
            now[group] = (known + 1.0) / (total * (away[own] ** 2).sum() + 1.0 / first[group])
        if np.abs(np.log(now / before)).max() <= _CLOSE:
            break
    return now, away


def _mixture(z: Floats, codes: NDArray[np.intp], weight: Floats) -> tuple[float, float]:
    """Inverse temperature of scores below the best (n, K), and the share of the uniform part."""
    n, k = z.shape
    total = float(weight.sum())
    share, least = weight / total, 1.0 / (total + 1.0)
    own = np.arange(n), codes
    plain = inverse_temperature(z, np.eye(k)[codes], share)
    if z[own].min() > _IMPOSSIBLE:
        return plain, least

    def loss(inverse: float, uniform: float) -> float:
        p = softmax(inverse * z)[own]
        return -float(share @ np.log((1.0 - uniform) * p + uniform / k))

    at, uniform = 0.0, _MIXED
    for _ in range(_MIXTURES):
        p = softmax(np.exp(at) * z)
        one = (1.0 - uniform) * p[own]
        fits = share * one / (one + uniform / k)  # how far a sample is of the tempered part
        z_mean = np.einsum("nk,nk->n", p, z)
        z_square = np.einsum("nk,nk,nk->n", p, z, z)
        rise = float(fits @ (z_mean - z[own]))
        bend = float(np.exp(at) * (fits @ (z_square - z_mean**2))) + abs(rise)
        step = np.clip(-rise / bend, -1.0, 1.0) if bend > 0 else 0.0
        before, uniform = uniform, max(1.0 - float(fits.sum()), least)
        at += float(step)
        if abs(step) <= _CLOSE and abs(np.log(uniform / before)) <= _CLOSE:
            break
    mixed = float(np.exp(at)), uniform
    return min((plain, least), mixed, key=lambda one: loss(*one))
