"""Assignment values: the confidence in the assigned class, matched to how often it is right.

The samples that are assigned to one class have assignment values, the probabilities of that class.
They are taken as Beta distributed, and mapped by distribution functions to a Beta distribution
whose mean is the share of right assignments; its dispersion is sought for the best assignments.

Source: Garczarek (2002); Gebel (2009), section 4.4.3, eq. 4.9-4.12.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.polynomial.chebyshev import chebval
from numpy.typing import NDArray
from scipy.special import betainc, betaln, expit, logit

from dstheory.inference.counts.quantiles import beta_quantile
from evical._typing import Floats
from evical.likelihood.interpolant import chebyshev

_EPS = float(np.finfo(np.float64).eps)
_NOTHING = np.log(1e-16)
# Enough to tell good dispersions from bad ones: their effect goes with the root of the number.
_MAX_DISPERSIONS = 128
_WIDEST = 2 * np.sqrt(2.0)  # by which accuracies differ at most
# Where dispersions are compared, calibrated values and accuracies of many are interpolated between
# so many; accuracies err by some 1e-6, and those of the likeliest are computed.
_FEW, _BETWEEN, _LIKELIEST = 32, 12, 6
_TINY = 1e-300
_LEAST_LEVEL = 1e-150


class Branch(NamedTuple):
    """Map of the assignment values of one class.

    Parameters
    ----------
    mean, size : float
        p and N of the Beta distribution of the assignment values; 0 and 0 if there is none.
    new_mean, new_size : float
        p and N of the calibrated ones; N = 0 is for a constant, and p = 0 as well for no change.
    """

    mean: float = 0.0
    size: float = 0.0
    new_mean: float = 0.0
    new_size: float = 0.0

    def log_odds(self, x: Floats) -> Floats:
        """Log-odds of calibrated assignment values, from those of assignment values (eq. 4.11)."""
        if self.new_size:
            return _quantiles(self, *_levels(self, x))
        return np.full(x.shape, logit(self.new_mean)) if self.new_mean else x

    def along(self, x: Floats) -> Floats:
        """The same of many, from those of a few."""
        return self.log_odds(x) if len(x) <= _FEW else _interpolated(self.log_odds, x, _FEW)


def _interpolated(function: Callable[[Floats], Floats], x: Floats, size: int) -> Floats:
    """Values (m,) of a smooth function at x, from so many others."""
    middle, half = (x.max() + x.min()) / 2, max((x.max() - x.min()) / 2, _TINY)
    nodes, transform = chebyshev(size)
    return np.asarray(chebval((x - middle) / half, transform @ function(middle + half * nodes)))


def _kept(a: Floats, b: Floats, levels: tuple[Floats, NDArray[np.bool_]]) -> NDArray[np.bool_]:
    """Whether the quantiles (p, m) of Beta distributions are above 1/2."""
    level, upper = levels
    below, above = betainc(a, b, 0.5)[:, None], betainc(b, a, 0.5)[:, None]
    return np.asarray(np.where(upper, level < above, level > below))


def _levels(branch: Branch, x: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Distribution function, or its complement where the second array says so.

    Each keeps its digits where it is small, and so do both of what is inverted from them.
    """
    a, b = branch.mean * branch.size, (1 - branch.mean) * branch.size
    upper = x > logit(branch.mean)
    low, high = betainc(a, b, expit(x[~upper])), betainc(b, a, expit(-x[upper]))
    levels = np.empty(x.shape)
    levels[~upper], levels[upper] = low, high
    return levels, upper


def _quantiles(branch: Branch, levels: Floats, upper: NDArray[np.bool_]) -> Floats:
    """Log-odds of the quantiles of the new distribution."""
    a, b = branch.new_mean * branch.new_size, (1 - branch.new_mean) * branch.new_size
    result = np.empty(levels.shape)
    for part, sign, shape in ((~upper, 1.0, (a, b)), (upper, -1.0, (b, a))):
        log_p = _log_quantiles(*shape, levels[part])
        result[part] = sign * (log_p - np.log(np.maximum(-np.expm1(log_p), 1e-300)))
    return result


def _log_quantiles(a: float, b: float, levels: Floats) -> Floats:
    """Logarithms of Beta quantiles, not below that of 1e-300.

    Where p b is nothing the level is p^a / (a B(a, b)).
    Elsewhere, levels below 1e-150 are taken as that: SciPy's functions jump up and down there.
    """
    with np.errstate(divide="ignore"):  # log 0 where there is no level left
        leading = (np.log(levels) + np.log(a) + betaln(a, b)) / a
    leading = np.maximum(leading, np.log(1e-300))
    small = leading + np.log(max(b, 1.0)) < _NOTHING
    exact = np.maximum(levels, _LEAST_LEVEL)
    known = np.log(np.maximum(beta_quantile(a, b, exact), 1e-300))
    return np.where(small, leading, known)


def fit_branch(values: Floats, right: Floats, wrong: Floats) -> Branch:
    """Fit the map for the samples that are assigned to one class.

    Parameters
    ----------
    values : (m,) array
        Assignment values, distinct, in [1/2, 1].
    right, wrong : (m,) arrays
        Weight of the samples that belong to the class, and of those that do not.

    Returns
    -------
    Branch

    Notes
    -----
    If all assignments are right, or all wrong, their share is taken as (N + 1) / (N + 2) or
    1 / (N + 2): a finite sample gives no certainty, and no Beta distribution has such a mean. If
    all values are equal or the weight is at most 1, there is no variance to match, and all
    values become the share of right assignments. No sample, no change.

    Examples
    --------
    Equal values, right three times out of four:

    >>> branch = fit_branch(np.array([0.9]), np.array([3.0]), np.array([1.0]))
    >>> np.exp(branch.log_odds(np.array([0.5, 2.0]))).round(9).tolist()
    [3.0, 3.0]
    """
    weight = right + wrong
    n, k = float(weight.sum()), float(right.sum())
    if n == 0:
        return Branch()
    share = k / n if 0 < k < n else (k + 1) / (n + 2)
    used = values[weight > 0]
    mean = float(weight @ values) / n
    variance = float(weight @ (values - mean) ** 2) / max(n - 1, 1e-300)
    size = mean * (1 - mean) / variance - 1 if variance > 0 else 0.0
    if used.min() == used.max() or n <= 1 or not size > 0:
        return Branch(new_mean=share)
    x = logit(np.minimum(values, 1 - _EPS))
    sizes = dispersions(n, size).astype(np.float64)
    levels = _levels(Branch(mean, size, share, 1.0), x)
    kept = _kept(share * sizes, (1 - share) * sizes, levels)
    assigned = kept @ right + ~kept @ wrong
    # What the others lack in right assignments, no accuracy makes up for.
    rest = np.flatnonzero(assigned >= assigned.max() - _WIDEST)

    def accuracies(sizes: Floats) -> Floats:
        found = [Branch(mean, size, share, new).along(x) for new in sizes.tolist()]
        return np.array([accuracy(expit(log_odds), right, wrong) for log_odds in found])

    if len(rest) > _FEW:
        likely = assigned[rest] + _interpolated(
            lambda t: accuracies(np.exp(t)), np.log(sizes[rest]), _BETWEEN
        )
        rest = np.sort(rest[np.argsort(-likely, kind="stable")[:_LIKELIEST]])
    best = rest[int(np.argmax(assigned[rest] + accuracies(sizes[rest])))]
    return Branch(mean, size, share, float(sizes[best]))


def dispersions(n: float, size: float) -> NDArray[np.int64]:
    """Integers from one of two numbers to the other, thinned out where there are very many.

    Examples
    --------
    >>> dispersions(3, 6.4)
    array([3, 4, 5, 6])
    """
    low, high = sorted([n, size])
    # Rounding of a number that is whole must not lose it.
    first = max(int(np.ceil(low - 1e-9)), 1)
    last = max(int(np.floor(min(high, 1e12) + 1e-9)), first)
    if last - first < _MAX_DISPERSIONS:
        return np.arange(first, last + 1)
    spaced = np.geomspace(first, last, _MAX_DISPERSIONS)
    return np.unique(np.rint(spaced).astype(np.int64))


def accuracy(calibrated: Floats, right: Floats, wrong: Floats) -> float:
    """Garczarek's measure Ac of two classes on the samples assigned to one of them.

    Examples
    --------
    >>> accuracy(np.array([1.0]), np.array([1.0]), np.array([0.0]))
    1.0
    """
    # The root of the sum over both classes of (indicator - probability)^2 is sqrt(2) times one.
    distance = right @ (1 - calibrated) + wrong @ calibrated
    return float(1 - 2 * np.sqrt(2) * distance / (right.sum() + wrong.sum()))
