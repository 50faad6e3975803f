"""Predictive belief functions of a Bernoulli outcome, from k successes in n trials.

What do k successes in n trials say about the next outcome? Each of six models answers with a mass
function on {0, 1}: m({1}) supports success, m({0}) supports failure, and m({0, 1}) is left open.
Every model treats successes and failures alike, so the code takes a = k successes and b = n - k
failures.

Source: Ph. Xu, F. Davoine, H. Zha and T. Denoeux, Evidential calibration of binary SVM
classifiers, International Journal of Approximate Reasoning 72, 2016, sections 3.4, 4.1.
"""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from dstheory.checks.arguments import check_choice
from dstheory.frame import Frame
from dstheory.inference.counts._areas import likelihood_areas
from dstheory.inference.counts.checks import Array, as_counts, as_tail
from dstheory.inference.counts.clopper_pearson import lower_limit
from dstheory.mass import MassFunction

__all__ = ["binomial", "binomial_masses"]

# SciPy's beta quantile loses the interval from 10^16 trials on, and is NaN from 10^16.5.
MOST_CONFIDENCE_TRIALS = 1e15

Masses = tuple[Array, Array, Array]  # m({1}), m({0}), m({0, 1})


def binomial(
    successes: ArrayLike,
    trials: ArrayLike,
    model: str = "likelihood",
    confidence: float = 0.95,
) -> MassFunction:
    """Predictive belief function of the next outcome after k successes in n trials.

    Parameters
    ----------
    successes, trials : array_like
        Counts k and n with 0 <= k <= n; shapes broadcast. They may be non-integers, as
        sums of sample weights are. Integers and Fractions in object arrays give exact
        masses in the models `bayesian`, `laplace`, `inverse_pignistic` and `dempster`.
    model : str
        What to infer from k successes and n - k failures, with p = k / n:

        - `"bayesian"`: the proportion, m({1}) = p, m({0}) = 1 - p;
        - `"laplace"`: m({1}) = (k + 1) / (n + 2), m({0}) = (n - k + 1) / (n + 2);
        - `"inverse_pignistic"`: the least committed mass function with pignistic
          probability p, that is m({1}) = max(0, 2 p - 1), m({0}) = max(0, 1 - 2 p);
        - `"dempster"`: m({1}) = k / (n + 1), m({0}) = (n - k) / (n + 1), eq. 24;
        - `"confidence"`: confidence times the lower Clopper-Pearson limit, and times
          one minus the upper limit, eqs. 25-28;
        - `"likelihood"`: expected bounds of the interval that the relative likelihood
          induces, eqs. 29-32.
    confidence : float
        Level of the Clopper-Pearson interval, inside (0, 1); only the model
        `"confidence"` uses it.

    Returns
    -------
    MassFunction
        On the frame (0, 1) with focal sets {0}, {1}, {0, 1} and the broadcast shape.

    Raises
    ------
    ValueError
        If a count is NaN, infinite or negative, k > n, there is no row, shapes do not
        broadcast, the model is unknown, the confidence is outside (0, 1), n = 0 in the
        model `"bayesian"`, or n > 10^15 in the model `"confidence"`.
    TypeError
        If counts or confidence are not real numbers.

    See Also
    --------
    binomial_masses : the same on plain arrays.

    Notes
    -----
    Without trials (n = 0) the result is vacuous, except that `"laplace"` gives its
    prior (1/2, 1/2), as its formula says, and `"bayesian"` has no proportion to give.

    Accuracy, measured against 40 digits: with `"likelihood"`, for n up to 10^15, masses
    have an absolute error below 1e-15, and m({1}) a relative one below 5e-15 / min(1, k)
    (m({0}) likewise). With `"confidence"`, for n up to 10^9 and k >= 1, the relative error
    of the limits is that of SciPy's beta quantile, below 1e-12.

    References
    ----------
    .. [1] Xu, Davoine, Zha, Denoeux, "Evidential calibration of binary SVM classifiers",
       International Journal of Approximate Reasoning 72, 2016, section 4.1.
    .. [2] Dubois, Prade, Smets, "A definition of subjective possibility", International
       Journal of Approximate Reasoning 48, 2008 (inverse pignistic transformation).
    .. [3] Clopper, Pearson, "The use of confidence or fiducial limits illustrated in the
       case of the binomial", Biometrika 26, 1934.

    Examples
    --------
    Five successes in five trials: the area under u^5 is 1/6, and the rest is belief.

    >>> binomial(5, 5).masses.round(12)
    array([0.        , 0.83333333, 0.16666667])
    >>> binomial([0, 1, 3], [0, 1, 4], model="dempster").bel(1)
    array([0. , 0.5, 0.6])
    """
    m1, m0, rest = _all_masses(successes, trials, model, confidence)
    return MassFunction.from_store(Frame((0, 1)), np.array([1, 2, 3]), np.stack([m0, m1, rest]))


def binomial_masses(
    successes: ArrayLike,
    trials: ArrayLike,
    model: str = "likelihood",
    confidence: float = 0.95,
) -> tuple[Array, Array]:
    """Masses m({1}) and m({0}) of the next outcome after k successes in n trials.

    Parameters
    ----------
    successes, trials : array_like
        Counts k and n with 0 <= k <= n, real; shapes broadcast.
    model : str
        One of `"bayesian"`, `"laplace"`, `"inverse_pignistic"`, `"dempster"`,
        `"confidence"`, `"likelihood"`; see `binomial`.
    confidence : float
        Level of the Clopper-Pearson interval, inside (0, 1).

    Returns
    -------
    m1, m0 : ndarray
        Of the broadcast shape; float64, or Fractions where `binomial` is exact. In
        floating point m1 + m0 <= 1 holds, so that 1 - (m1 + m0) is never negative.

    Raises
    ------
    ValueError, TypeError
        As `binomial`.

    See Also
    --------
    binomial : the same as a batch of mass functions, with models and accuracy.

    Examples
    --------
    >>> m1, m0 = binomial_masses([3, 1], 4, model="dempster")
    >>> m1, m0
    (array([0.6, 0.2]), array([0.2, 0.6]))
    """
    m1, m0, _ = _all_masses(successes, trials, model, confidence)
    return m1, m0


def _all_masses(successes: ArrayLike, trials: ArrayLike, model: str, confidence: float) -> Masses:
    check_choice("model", model, (*_CLOSED_FORMS, *_NUMERICAL))
    tail = as_tail(confidence)
    a, b, shape = as_counts(
        successes,
        trials,
        exact=model in _CLOSED_FORMS,
        needs_trials=model == "bayesian",
        most=MOST_CONFIDENCE_TRIALS if model == "confidence" else math.inf,
    )
    if model in _CLOSED_FORMS:
        m1, m0, rest = _CLOSED_FORMS[model](a, b)
    else:
        m1, m0, rest = _NUMERICAL[model](a, b, tail)
        # Beyond n = 10^15, m({0, 1}) is below the rounding error of the other two.
        m0 = np.minimum(m0, 1 - m1)
    return m1.reshape(shape), m0.reshape(shape), rest.reshape(shape)


def _bayesian(a: Array, b: Array) -> Masses:
    # Rounding the smaller one keeps its relative accuracy, and both sum to 1 exactly.
    rare = np.minimum(a, b) / (a + b)
    return np.where(a > b, 1 - rare, rare), np.where(a > b, rare, 1 - rare), rare * 0


def _laplace(a: Array, b: Array) -> Masses:
    return _bayesian(a + 1, b + 1)


def _inverse_pignistic(a: Array, b: Array) -> Masses:
    n = a + b
    total = np.where(n == 0, n + 1, n)  # n + 1, not 1: an exact number where n is one
    m1, m0 = np.maximum(a - b, 0) / total, np.maximum(b - a, 0) / total
    return m1, m0, np.where(n == 0, total, 2 * np.minimum(a, b) / total)


def _dempster(a: Array, b: Array) -> Masses:
    total = a + b + 1
    return a / total, b / total, 1 / total


def _confidence(a: Array, b: Array, tail: float) -> Masses:
    """Eqs. 26-28; the upper limit of success is one minus the lower limit of failure."""
    low1, low0 = lower_limit(a, b, tail), lower_limit(b, a, tail)
    confidence = 1 - 2 * tail
    between = np.maximum(1 - low1 - low0, 0)
    return confidence * low1, confidence * low0, 2 * tail + confidence * between


def _likelihood(a: Array, b: Array, tail: float) -> Masses:
    """Eq. 30. The interval [U, V] has E(U) = p - lower area, E(V) = p + upper area."""
    n = a + b
    some = n > 0
    lower, upper = likelihood_areas(np.where(some, a, 1), np.where(some, b, 1))
    share = np.where(some, n, 1)
    # The difference is positive; it can round below 0 only for k or n - k under 1e-15.
    m1 = np.where(some, np.maximum(a / share - lower, 0), 0)
    m0 = np.where(some, np.maximum(b / share - upper, 0), 0)
    return m1, m0, np.where(some, lower + upper, 1)


_CLOSED_FORMS: dict[str, Callable[[Array, Array], Masses]] = {
    "bayesian": _bayesian,
    "laplace": _laplace,
    "inverse_pignistic": _inverse_pignistic,
    "dempster": _dempster,
}
_NUMERICAL: dict[str, Callable[[Array, Array, float], Masses]] = {
    "confidence": _confidence,
    "likelihood": _likelihood,
}
