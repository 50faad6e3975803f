"""The Clopper-Pearson limit: the smallest probability that is not rejected by the counts.

At the lower limit, the probability of the observed number of successes or more equals `tail`. It is
a quantile of a beta distribution. The upper limit of success is one minus the lower limit of
failure.

Source: C. J. Clopper and E. S. Pearson, The use of confidence or fiducial limits illustrated in the
case of the binomial, Biometrika 26, 1934.
"""

import math

import numpy as np
from numpy.typing import NDArray

from dstheory.inference.counts.beta_quantile import beta_quantile

Array = NDArray[np.float64]

# Below this count the limit, under 2^(-1 / a), is 0 in floats.
_LEAST_COUNT = 1e-4
_NEGLIGIBLE = math.log(2.0**-60)


def lower_limit(successes: Array, failures: Array, tail: float) -> Array:
    """Lower Clopper-Pearson limit (Xu et al. 2016, eq. 28), 0 without successes by definition.

    Parameters
    ----------
    successes, failures : (n,) arrays
        Counts from 0, real, of up to 1e15.
    tail : float
        Probability of at least so many successes at the limit, below 1/2.

    Returns
    -------
    (n,) array

    Notes
    -----
    With a successes and b failures it solves I_x(a, b + 1) = tail for x. As x tends to 0,
    I_x(a, b + 1) tends to x^a / (a B(a, b + 1)), from above by a factor of less than 1 + b x:
    where this factor is 1 to the last bit, logarithms hold down to 1e-323, while betaincinv fails.

    Examples
    --------
    Two successes in two trials have the probability x * x:

    >>> lower_limit(np.array([2.0]), np.array([0.0]), 0.01)
    array([0.1])
    """
    from scipy.special import betaln

    some, b = successes > 0, failures
    a = np.where(some, np.maximum(successes, _LEAST_COUNT), 1)
    log = (math.log(tail) + np.log(a) + betaln(a, b + 1)) / a
    small = log + np.log1p(b) < _NEGLIGIBLE
    limit = beta_quantile(np.where(small, 1, a), b + 1, tail)
    return np.where(some, np.where(small, np.exp(np.minimum(log, 0)), limit), 0.0)
