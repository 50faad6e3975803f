"""Predictive belief functions of a future continuous or discrete quantity, as random intervals.

The level of a focal set and the auxiliary variable Z are drawn independently. Together they give
the interval of all values phi(theta, Z) over the focal set. Belief and plausibility are
expectations over the level of closed forms in Z, computed by adaptive quadrature; `sample` draws
the intervals instead (Monte Carlo).

Source: Xu, Davoine, Zha and Denoeux, IJAR 72, 2016, equations 15-17; O. Kanjanatarakul, T.
Denoeux, S. Sriboonchitta, Prediction of future observations using belief functions: a
likelihood-based approach, IJAR 72, 2016.
"""

from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from dstheory._typing import Floats
from dstheory.checks.arguments import check_atol, check_count, check_rng
from dstheory.checks.naming import RATE, shares_by_name
from dstheory.inference.contours.checks import as_ends, as_level, as_levels, numbers
from dstheory.inference.contours.levels import RAYLEIGH_END, crossing
from dstheory.inference.prediction._random_interval import MOST_DRAWS, kept_share
from dstheory.inference.prediction._rayleigh import rayleigh_mean
from dstheory.inference.prediction._sampling_laws import SamplingLaw
from dstheory.inference.prediction.sampled_interval import SampledInterval
from dstheory.kernels.batches import scalar
from dstheory.kernels.immutable import Immutable
from dstheory.notebook import ShownFields


@final
class PredictiveInterval(ShownFields, Immutable):
    """Random interval that predicts a real quantity, or one quantity per row of new data.

    Made by `predictive` and `predict`. All arguments broadcast against `shape`.

    Parameters
    ----------
    law : SamplingLaw
        Ranges of the distribution function, quantiles and mean over the focal sets.
    rate : float
        Probability that the interval is the whole line instead.

    Attributes
    ----------
    shape : tuple of int
        Shape of the predicted quantity: () or (n,).
    rate : float
        The discount rate.

    Examples
    --------
    The mean of two observations is known, and so is the deviation: the interval is
    [mean + z - r / sqrt(2), mean + z + r / sqrt(2)].

    >>> from dstheory.inference import predict
    >>> y = predict([[1.0], [1.0]], [1.0, 3.0], [[1.0]], sigma=1.0)
    >>> low, high = y.expectation()
    >>> high.round(4), (2 + np.sqrt(np.pi / 4)).round(4)
    (array([2.8862]), np.float64(2.8862))
    """

    _shown = ("shape", "rate")

    __slots__ = ("_law", "rate")

    rate: float
    _law: SamplingLaw

    @shares_by_name(rate=RATE["rate"])
    def __init__(self, law: SamplingLaw, *, rate: float = 0.0) -> None:
        self._keep(_law=law, rate=as_level("rate", rate))

    def __repr__(self) -> str:
        return f"PredictiveInterval of shape {self.shape} with discount rate {self.rate:g}"

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the predicted quantity."""
        return self._law.shape

    def pl(self, low: ArrayLike, high: ArrayLike, *, atol: float = 1e-10) -> Any:
        """Plausibility that Y lies in closed intervals (eq. 17b).

        Parameters
        ----------
        low, high : array_like
            Ends, possibly infinite.
        atol : float
            Accuracy of the quadrature.

        Returns
        -------
        float or ndarray

        Raises
        ------
        ValueError
            If an end is NaN or low > high.

        Examples
        --------
        >>> from dstheory.inference import predict
        >>> y = predict([[1.0], [1.0]], [1.0, 3.0], [[1.0]], sigma=1.0)
        >>> y.pl(2.0, np.inf).round(4)
        array([0.7887])
        """
        check_atol(atol)
        a, b = self._interval(low, high)

        # The focal interval misses [a, b] if it lies above b or below a, never both.
        value = self._cdf(b, 1, atol) - self._cdf(_before(a), 0, atol)
        return scalar(self.rate + (1 - self.rate) * np.clip(value, 0.0, 1.0))

    def bel(self, low: ArrayLike, high: ArrayLike, *, atol: float = 1e-10) -> Any:
        """Belief that Y lies in closed intervals (eq. 17a).

        Parameters
        ----------
        low, high : array_like
            Ends, possibly infinite.
        atol : float
            Accuracy of the quadrature.

        Returns
        -------
        float or ndarray

        Raises
        ------
        ValueError
            If an end is NaN or low > high.

        Examples
        --------
        >>> from dstheory.inference import predict
        >>> y = predict([[1.0], [1.0]], [1.0, 3.0], [[1.0]], sigma=1.0)
        >>> y.bel(2.0, np.inf).round(4)
        array([0.2113])
        """
        check_atol(atol)
        a, b = self._interval(low, high)

        def chance(r: Floats) -> Floats:
            return np.maximum(self._below(b, r)[0] - self._below(_before(a), r)[1], 0.0)

        # Large focal sets do not fit inside: integrate up to the largest one that does.
        def excess(r: Floats) -> Floats:
            r = r.reshape(*a.shape, 1)
            rest = self._below(_before(a), r)[1] - self._below(b, r)[0]
            return np.asarray(rest[..., 0].ravel() + 1.0)

        zero, one = np.zeros(a.size), np.ones(a.size)
        end = crossing(excess, zero, one * RAYLEIGH_END, one, one).reshape(a.shape)
        value = (1 - self.rate) * np.clip(rayleigh_mean(chance, end=end, atol=atol), 0.0, 1.0)
        whole = (a == -np.inf) & (b == np.inf)
        return scalar(np.where(whole, 1.0, value))  # not the sum of the quadrature's weights

    def cdf(self, y: ArrayLike, *, atol: float = 1e-10) -> tuple[Any, Any]:
        """Lower and upper distribution function (p-box), Bel and Pl of (-inf, y].

        Parameters
        ----------
        y : array_like
            Values.
        atol : float
            Accuracy of the quadrature.

        Returns
        -------
        lower, upper : float or ndarray

        Raises
        ------
        ValueError
            If a value is NaN.

        Examples
        --------
        >>> from dstheory.inference import predict
        >>> y = predict([[1.0], [1.0]], [1.0, 3.0], [[1.0]], sigma=1.0)
        >>> [bound.round(4) for bound in y.cdf(2.0)]
        [array([0.2113]), array([0.7887])]
        """
        check_atol(atol)
        x = as_ends((-np.inf, numbers("y", y)), self.shape)[1]
        kept = 1 - self.rate
        lower = kept * self._cdf(x, 0, atol) + self.rate * (x == np.inf)
        return scalar(lower), scalar(kept * self._cdf(x, 1, atol) + self.rate)

    def quantile(self, p: ArrayLike, *, atol: float = 1e-10) -> tuple[Any, Any]:
        """Quantiles of both ends, the smallest values where the p-box reaches p.

        Parameters
        ----------
        p : array_like
            Probabilities inside (0, 1).
        atol : float
            Accuracy of the quadrature, in probability.

        Returns
        -------
        lower, upper : float or ndarray

        Raises
        ------
        ValueError
            If a probability is not inside (0, 1).

        Examples
        --------
        >>> from dstheory.inference import predict
        >>> y = predict([[1.0], [1.0]], [1.0, 3.0], [[1.0]], sigma=1.0)
        >>> [bound.round(4) for bound in y.quantile(0.5)]
        [array([1.1225]), array([2.8775])]
        """
        check_atol(atol)
        levels = as_levels("p", p)
        if ((levels == 0) | (levels == 1)).any():
            raise ValueError("p is 0 or 1; give probabilities inside (0, 1)")
        levels = np.broadcast_to(levels, np.broadcast_shapes(levels.shape, self.shape))
        rest = max(1 - self.rate, 1e-300)
        low = self._quantile((levels - self.rate) / rest, 1, atol)
        high = self._quantile(levels / rest, 0, atol)
        return scalar(low), scalar(high)

    def belief_interval(self, level: float = 0.95) -> tuple[Any, Any]:
        """Intervals with a degree of belief of at least a level.

        Parameters
        ----------
        level : float
            Inside (0, 1).

        Returns
        -------
        low, high : float or ndarray
            The lower quantile at (1 - level) / 2 and the upper one at (1 + level) / 2: by
            subadditivity, the belief that Y lies between is at least the level.

        Raises
        ------
        ValueError
            If the level is not inside (0, 1).

        Examples
        --------
        >>> from dstheory.inference import predict
        >>> y = predict([[1.0], [1.0]], [1.0, 3.0], [[1.0]], sigma=1.0)
        >>> low, high = y.belief_interval(0.5)
        >>> bool(y.bel(low, high)[0] >= 0.5)
        True
        """
        tail = (1 - as_level("level", level)) / 2
        return self.quantile(tail)[0], self.quantile(1 - tail)[1]

    def expectation(self) -> tuple[Any, Any]:
        """Lower and upper expectation of Y.

        Returns
        -------
        lower, upper : float or ndarray
            Infinite where the interval is discounted.

        Examples
        --------
        >>> from scipy import stats
        >>> from dstheory.inference import RandomInterval, binomial_contour, predictive
        >>> y = predictive(RandomInterval(binomial_contour(3, 3)), stats.bernoulli)
        >>> [round(bound, 9) for bound in y.expectation()]
        [0.75, 1.0]
        """
        shape = self.shape
        if self.rate:
            return scalar(np.full(shape, -np.inf)), scalar(np.full(shape, np.inf))
        return scalar(self._law.expected_quantile(0)), scalar(self._law.expected_quantile(1))

    @shares_by_name(**RATE)
    def discount(
        self, *, rate: float | None = None, reliability: float | None = None
    ) -> "PredictiveInterval":
        """The interval after a further discounting.

        Parameters
        ----------
        rate : float
            Share in [0, 1] of the belief that is moved to the whole line.
        reliability : float
            Share that is kept, 1 - rate. Give one of the two.

        Returns
        -------
        PredictiveInterval

        Raises
        ------
        ValueError
            If the share is outside [0, 1].
        TypeError
            If not exactly one of `rate` and `reliability` is given by name.

        Examples
        --------
        >>> from dstheory.inference import predict
        >>> y = predict([[1.0], [1.0]], [1.0, 3.0], [[1.0]], sigma=1.0)
        >>> y.discount(rate=0.5).pl(1e9, np.inf)
        array([0.5])
        """
        kept = (1 - self.rate) * kept_share(rate, reliability)
        return PredictiveInterval(self._law, rate=1 - kept)

    def sample(self, size: int, rng: np.random.Generator) -> SampledInterval:
        """Draw intervals phi(Gamma(gamma), Z), the Monte Carlo form of eq. 17.

        Parameters
        ----------
        size : int
            Number of intervals.
        rng : numpy.random.Generator
            Source of randomness.

        Returns
        -------
        SampledInterval
            With the same methods, and standard errors.

        Examples
        --------
        >>> from dstheory.inference import predict
        >>> y = predict([[1.0], [1.0]], [1.0, 3.0], [[1.0]], sigma=1.0)
        >>> sample = y.sample(1000, np.random.default_rng(0))
        >>> bool(abs(sample.bel(2.0, np.inf) - 0.2113)[0] < 0.05)
        True
        """
        check_count("size", size, 0, MOST_DRAWS)
        check_rng(rng)
        shape = (*self.shape, size)
        r = np.sqrt(2 * rng.standard_exponential(shape))
        low, high = self._law.quantile_range(rng.random(shape), r)
        vacuous = rng.random(shape) < self.rate
        ends = np.where(vacuous, -np.inf, low), np.where(vacuous, np.inf, high)
        return SampledInterval(*(np.moveaxis(end, -1, 0) for end in ends))

    def _interval(self, low: ArrayLike, high: ArrayLike) -> tuple[Floats, Floats]:
        return as_ends((low, high), self.shape)

    def _below(self, y: Floats, r: Floats) -> tuple[Floats, Floats]:
        """Least and largest P(Y <= y), of shape (*rows, R)."""
        return self._law.cdf_range(y[..., None], r)

    def _cdf(self, y: Floats, end: int, atol: float) -> Floats:
        value = np.clip(self._law.expected_cdf(y, end, atol), 0.0, 1.0)
        return np.where(np.isinf(y), y > 0, value)  # not the sum of the quadrature's weights

    def _quantile(self, p: Floats, end: int, atol: float) -> Floats:
        """Smallest y where the lower (end 0) or upper (end 1) distribution function reaches p.

        The bracket is certain: for the lower quantile q(z, r), P(Y_low <= q) is at most z plus the
        probability beyond r, and so on.
        """
        result = np.where(p <= 0, -np.inf, np.inf)
        inside = (p > 0) & (p < 1)
        share = np.where(inside, p, 0.5)

        def quantile(z: Floats, tail: Floats, side: int) -> Floats:
            r = np.sqrt(-2 * np.log(tail))[..., None]
            return self._law.quantile_range(z[..., None], r)[side][..., 0]

        def distance(y: Floats) -> Floats:
            return 1 - self._cdf(y.reshape(share.shape), end, atol).ravel()

        if end:
            below, above = quantile(share / 4, share / 4, 0), quantile(share, np.ones_like(p), 1)
        else:
            rest = 1 - share
            below, above = quantile(share, np.ones_like(p), 0), quantile(1 - rest / 4, rest / 4, 1)
        step = np.maximum(above - below, 1e-300)
        y = crossing(distance, *(x.ravel() for x in (above, below, step, 1 - share)))
        return np.where(inside, y.reshape(share.shape), result)


def _before(y: Floats) -> Floats:
    """The previous float: closed intervals of a discrete quantity contain their lower end."""
    return np.nextafter(y, -np.inf)
