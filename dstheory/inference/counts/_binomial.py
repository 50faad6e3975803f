"""Predictive belief functions of a Bernoulli outcome, from k successes in n trials.

What do k successes in n trials say about the next outcome? Each of six models answers with a mass
function on {0, 1}: m({1}) supports success, m({0}) supports failure, and m({0, 1}) is left open.
Every model treats successes and failures alike, so the code takes a = k successes and b = n - k
failures.

Source: Ph. Xu, F. Davoine, H. Zha and T. Denoeux, Evidential calibration of binary SVM
classifiers, International Journal of Approximate Reasoning 72, 2016, sections 3.4, 4.1.

Areas under the relative likelihood of a proportion, on either side of its maximum.

After a successes and b failures, the relative likelihood of a proportion u is
(u / p)^a ((1 - u) / (1 - p))^b with p = a / (a + b). Its areas over [0, p] and [p, 1]
separate the expected bounds of its random interval from p (Xu et al. 2016, eqs. 22, 23
and 30). The textbook form divides an incomplete beta function by p^a (1 - p)^b, and both
underflow from a thousand trials on. Here no such number appears. Small counts use the scaled
factorials of Loader's binomial probabilities; large counts use Laplace's expansion about the
maximum, whose cost does not depend on a and b.

Sources: C. Loader, Fast and accurate computation of binomial probabilities, 2000;
N. M. Temme, The uniform asymptotic expansion of a class of integrals related to
cumulative distribution functions, SIAM J. Math. Anal. 13, 1982 (the change of variable).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from dstheory._typing import Floats
from dstheory.checks.arguments import check_choice
from dstheory.frame import Frame
from dstheory.inference.counts.checks import Array, BinomialModel, as_counts, as_tail
from dstheory.inference.counts.quantiles import lower_limit
from dstheory.mass import MassFunction

# From here on, the terms up to g_17 leave a relative error of about (2 pi a)^-8: measured
# 3e-15 at a = b = 32, where it is worst. The continued fraction behind betainc is fast for
# few successes and slow for many (20 microseconds a value at n = 10^9, 2 ms at 10^15).
MANY = 32.0
ORDER = 17
# Six terms of Stirling's series err by less than 7e-16 from here on (the seventh, 1 / (156 x^13)).
STIRLING = 10.0
# From here on, few successes are Poisson to 1e-16: the distributions differ by about a^2 / n.
POISSON = 1e19


def likelihood_areas(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Areas under the relative likelihood below and above its maximum a / (a + b).

    Parameters
    ----------
    a, b : ndarray of shape (N,)
        Numbers of successes and failures, real, not negative, with a + b > 0 everywhere.

    Returns
    -------
    lower, upper : ndarray of shape (N,)
        Areas over [0, a / (a + b)] and [a / (a + b), 1]; their relative error, measured
        against 40 digits for a + b up to 10^15, is below 5e-15.

    Examples
    --------
    Three successes: u^3 has area 1/4 over [0, 1].

    >>> lower, upper = likelihood_areas(np.array([3.0]), np.array([0.0]))
    >>> lower.round(15), upper
    (array([0.25]), array([0.]))
    """
    few, more = np.minimum(a, b), np.maximum(a, b)
    many = few >= MANY
    below, above = np.empty_like(few), np.empty_like(few)
    for rows, areas in ((~many, _areas_few), (many, _areas_many)):
        if rows.any():
            below[rows], above[rows] = areas(few[rows], more[rows])
    # Taking the rarer outcome first keeps the argument of betainc away from 1, where its rounding
    # would cost eight digits at n = 10^9.
    swapped = a > b
    return np.where(swapped, above, below), np.where(swapped, below, above)


def _areas_few(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Areas for a <= b from the regularized incomplete beta function times the total area.

    The total area is B(a + 1, b + 1) / (p^a (1 - p)^b) = s(a) s(b) / ((n + 1) s(n)) with
    s(x) = Gamma(x + 1) (e / x)^x: the powers of p cancel by hand.
    """
    from scipy.special import betainc, gammainc

    n = a + b
    total = _scaled_factorial(a) * _scaled_factorial(b) / _scaled_factorial(n) / (n + 1)
    # At a = 0 the power 0^0 = 1 is right in both factors, and betainc(1, b + 1, 0) = 0.
    # With so many trials, the number of successes is Poisson; betainc is NaN from about 1e155 on.
    rare = n > POISSON
    part = np.where(rare, gammainc(a + 1, a), betainc(a + 1, np.where(rare, 1, b + 1), a / n))
    below = part * total
    return below, total - below


def _scaled_factorial(x: Floats) -> Floats:
    """Gamma(x + 1) (e / x)^x: between 1 and sqrt(2 pi (x + 1)), so nothing overflows."""
    from scipy.special import gamma

    low, high = np.minimum(x, STIRLING), np.maximum(x, STIRLING)
    i = (1 / high) ** 2
    series = 1 / 12 - i * (
        1 / 360 - i * (1 / 1260 - i * (1 / 1680 - i * (1 / 1188 - i * 691 / 360360)))
    )
    small: Floats = gamma(low + 1) * np.exp(low) / low**low
    return np.where(
        x < STIRLING, small, math.sqrt(2 * math.pi) * np.sqrt(high) * np.exp(series / high)
    )


def _areas_many(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Areas for 1 << a <= b from Laplace's expansion about the maximum.

    With pl(u) = exp(-W^2 / 2), u = p + s Y(W) and s^2 = p (1 - p) / n, the areas are s times
    the integrals of Y'(W) exp(-W^2 / 2) over the two half lines. Of Y = sum_j g_j W^j, term j
    gives j!! sqrt(pi / 2) g_j for odd j, and j!! g_j with the sign of the side for even j.
    """
    n = a + b
    root = np.sqrt(a * (b / n))  # n s
    even, odd = np.zeros_like(a), np.zeros_like(a)
    for j, g in enumerate(_inverse_series((b - a) / n / root, 1 / n), start=1):
        part = odd if j % 2 else even
        part += math.prod(range(j, 0, -2)) * g
    odd *= math.sqrt(math.pi / 2)
    return root / n * (odd - even), root / n * (odd + even)


def _inverse_series(skew: Floats, eta: Floats) -> list[Floats]:
    """Coefficients g_1, ..., g_ORDER of Y(W), which solves Y Y' = W (1 + skew Y - eta Y^2).

    That is d(-log pl) = W dW, with skew = (1 - 2 p) / (n s) and eta = 1 / n. With S_m the
    coefficient of W^m in Y^2 it says, for m >= 2,
    (m + 1) / 2 S_(m+1) = skew g_(m-1) - eta S_(m-1), and S_(m+1) = 2 g_m + earlier products.
    """
    g = [np.zeros_like(eta), np.ones_like(eta)]
    square = [np.zeros_like(eta), np.zeros_like(eta), np.ones_like(eta)]
    for m in range(2, ORDER + 1):
        square.append(2 / (m + 1) * (skew * g[m - 1] - eta * square[m - 1]))
        earlier = sum((g[i] * g[m + 1 - i] for i in range(2, m)), np.zeros_like(eta))
        g.append((square[m + 1] - earlier) / 2)
    return g[1:]


# SciPy's beta quantile loses the interval from 10^16 trials on, and is NaN from 10^16.5.
MOST_CONFIDENCE_TRIALS = 1e15

Masses = tuple[Array, Array, Array]  # m({1}), m({0}), m({0, 1})


def binomial(
    successes: ArrayLike,
    trials: ArrayLike,
    model: BinomialModel = "likelihood",
    *,
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
    prior (1/2, 1/2), by its formula, and `"bayesian"` has no proportion to give.

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
    model: BinomialModel = "likelihood",
    *,
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


def _all_masses(
    successes: ArrayLike, trials: ArrayLike, model: BinomialModel, confidence: float
) -> Masses:
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
