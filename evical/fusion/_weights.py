"""Maximum likelihood weights of a mixture.

The log likelihood of a mixture is concave in its weights. Around a point it looks like a sum
of squares of ratios of likelihoods, whose minimum over the simplex is one problem of
non-negative least squares: Newton's method for mixtures (Wang 2007). Where probabilities
differ by so many orders that this square sum is all rounding, a step toward the one best
source, or one of expectation and maximization, gains more and is taken instead.
"""

import numpy as np

from evical._typing import Floats
from evical.curves.newton import least_squares_on_simplex

__all__ = ["best_weights"]


_STEPS = 200
_HALVINGS = 60
# Newton's steps gain a good part of what is missing, unless they are all rounding.
_STALLED = 0.01


def best_weights(likelihood: Floats, weight: Floats, atol: float = 1e-9) -> Floats:
    """Mixture weights of maximal likelihood.

    Parameters
    ----------
    likelihood : (n, S) array
        Probability that each source gave to what happened; not all zero in a row.
    weight : (n,) array
        Positive weights of the rows.
    atol : float
        Bound on what the mean log likelihood may fall short of its maximum, unless weights
        of many orders of magnitude leave it to rounding.

    Returns
    -------
    (S,) array
        Non-negative, with sum 1.

    References
    ----------
    Wang, Y. (2007). On fast computation of the non-parametric maximum likelihood estimate of
    a mixing distribution. Journal of the Royal Statistical Society B 69, 185-198.

    Examples
    --------
    Two sources that were each right once, and sure of it, are equally good:

    >>> best_weights(np.eye(2), np.ones(2))
    array([0.5, 0.5])
    """
    share = weight / weight.sum()
    likelihood = likelihood / likelihood.max(axis=1, keepdims=True)  # leaves ratios as they are
    current = np.full(likelihood.shape[1], 1 / likelihood.shape[1])
    for _ in range(_STEPS):
        ratio = likelihood / (likelihood @ current)[:, np.newaxis]
        # The slope toward a source is its mean ratio - 1; what is missing is at most the largest.
        mean_ratio = share @ ratio
        missing = mean_ratio.max() - 1
        if missing <= atol:
            break
        root = np.sqrt(share)
        newton = least_squares_on_simplex(root[:, np.newaxis] * ratio, 2 * root)
        gain, step = _uphill(likelihood, share, current, newton)
        if gain < _STALLED * missing:
            ends = (np.eye(len(current))[mean_ratio.argmax()], current * mean_ratio)
            others = (_uphill(likelihood, share, current, end) for end in ends)
            gain, step = max([(gain, step), *others], key=lambda one: one[0])
        current = step
    return current


def _uphill(likelihood: Floats, share: Floats, start: Floats, end: Floats) -> tuple[float, Floats]:
    """Gain of the farthest of some halved steps from `start` to `end` that gains, and its end."""
    before = share @ np.log(likelihood @ start)
    for _ in range(_HALVINGS):
        mixed = likelihood @ end
        if mixed.min() > 0 and share @ np.log(mixed) >= before:
            return float(share @ np.log(mixed) - before), end
        end = (start + end) / 2
    return 0.0, start
