"""`GRFN`: belief about a real quantity as a Gaussian random fuzzy number.

A Gaussian random fuzzy number combines two kinds of uncertainty in three parameters: the normal
distribution N(mu, sigma^2) of the most plausible value, and the precision h of the fuzzy number
around it. It is a probability distribution for h = inf, a possibility distribution for sigma = 0,
and vacuous for h = 0.

Under a Gaussian fuzzy number exp(-h (x - M)^2 / 2) with a normal mode M, an interval is as
plausible as its point nearest to M. The means of these plausibilities are normal distribution
functions: weighted by exp(-h (x - M)^2 / 2), M is normal again, with mean (mu + h sigma^2 x) / s^2
and deviation sigma / s, where s^2 = 1 + h sigma^2.

By the product-intersection rule, memberships of independent sources multiply. The product of two
Gaussian fuzzy numbers with modes M1, M2 is a Gaussian fuzzy number of precision h1 + h2, times the
height exp(-(M1 - M2)^2 / (2 g)) with g = 1 / h1 + 1 / h2. Soft normalization weights pairs of modes
by their height; hard normalization drops the height.

Source: T. Denoeux, Reasoning with fuzzy and uncertain evidence using epistemic random fuzzy
sets: general framework and practical models, Fuzzy Sets and Systems 453, 2023, 1-36.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dstheory._typing import Floats
from dstheory.checks.arguments import (
    check_choice,
    check_count,
    check_instance,
    check_rng,
    check_rows,
    common_shape,
)
from dstheory.errors import TotalConflictError
from dstheory.inference.contours.checks import numbers, refuse
from dstheory.inference.prediction.sampled_interval import SampledInterval
from dstheory.kernels.batches import scalar
from dstheory.kernels.immutable import Immutable
from dstheory.kernels.rows import in_row
from dstheory.notebook import ShownFields

# Enough halvings to shrink a bracket below the last bit of its ends.
STEPS = 60


class Numbers(NamedTuple):
    """Mode mu + sigma N(0, 1) and precision h: arrays that broadcast with the points."""

    mu: Floats
    sigma: Floats
    h: Floats


def contour(numbers: Numbers, x: Floats) -> Floats:
    """Plausibility of points, the mean of exp(-h (x - M)^2 / 2).

    >>> contour(Numbers(*np.array([0.0, 1.0, 3.0])), np.array([0.0]))
    array([0.5])
    """
    mu, sigma, h = numbers
    with np.errstate(invalid="ignore", over="ignore"):  # infinite h and x are settled below
        s2 = 1 + h * sigma**2
        fuzzy = np.exp(-h * (x - mu) ** 2 / (2 * s2)) / np.sqrt(s2)
    point = (sigma == 0) & (x == mu)
    fuzzy = np.where(np.isinf(h) | np.isinf(s2), point, fuzzy)
    return np.asarray(np.where((h == 0) | np.isinf(x), h == 0, fuzzy))


def plausibility(numbers: Numbers, x: Floats, y: Floats) -> Floats:
    """Plausibility of closed intervals [x, y]: M is inside, or an end is near enough to M.

    >>> plausibility(Numbers(*np.array([0.0, 0.0, 2.0])), np.array([1.0]), np.array([2.0]))
    array([0.36787944])
    """
    from scipy.special import ndtr

    below = _at_end(numbers, x, ndtr(_tilted(numbers, x, x)))
    above = _at_end(numbers, y, ndtr(-_tilted(numbers, y, y)))
    total = np.minimum(_mode_within(numbers, x, y) + below + above, 1)
    return np.asarray(np.where(numbers.h == 0, 1.0, total))


def belief(numbers: Numbers, x: Floats, y: Floats) -> Floats:
    """Belief in closed intervals [x, y]: M is inside, and both ends are far enough from M.

    The end nearer to M counts: x below the middle of the interval, y above.

    >>> belief(Numbers(*np.array([0.0, 0.0, 2.0])), np.array([-1.0]), np.array([2.0]))
    array([0.63212056])
    """
    with np.errstate(invalid="ignore"):  # -inf + inf, settled below
        middle = x / 2 + y / 2
    upto = np.where(np.isinf(y), np.inf, _tilted(numbers, x, middle))
    since = np.where(np.isinf(x), -np.inf, _tilted(numbers, y, middle))
    left = _at_end(numbers, x, _normal(_tilted(numbers, x, x), upto))
    right = _at_end(numbers, y, _normal(since, _tilted(numbers, y, y)))
    lost = np.where(np.isinf(numbers.h), 0, left + right)
    total = np.maximum(_mode_within(numbers, x, y) - lost, 0)
    everything = np.isinf(x) & np.isinf(y) & (x < y)
    return np.asarray(np.where(numbers.h == 0, everything, total), dtype=np.float64)


def upper_quantile(numbers: Numbers, p: Floats) -> Floats:
    """Where the lower distribution function Bel((-inf, y]) reaches p, inside (0, 1)."""
    from scipy.special import ndtri

    mu, sigma, _ = numbers

    def reached(y: Floats) -> Floats:
        return belief(numbers, np.full_like(y, -np.inf), y)

    # Bel((-inf, y]) is at most P(M <= y), and `_reach` is far enough.
    return _crossing(reached, mu + sigma * ndtri(p), mu + _reach(numbers, 1 - p), p)


def radius(numbers: Numbers, level: Floats) -> Floats:
    """Half the width of the interval about mu in which the belief is `level`."""
    mu = numbers.mu

    def reached(r: Floats) -> Floats:
        return belief(numbers, mu - r, mu + r)

    return _crossing(reached, np.zeros_like(level), _reach(numbers, 1 - level), level)


def _reach(numbers: Numbers, rest: Floats) -> Floats:
    """A radius that leaves at most `rest` outside: half for M, half for fuzziness."""
    from scipy.special import ndtri

    with np.errstate(divide="ignore"):  # infinitely far for h = 0
        return np.asarray(
            -numbers.sigma * ndtri(rest / 4) + np.sqrt(2 * np.log(2 / rest) / numbers.h)
        )


def _crossing(
    reached: Callable[[Floats], Floats], low: Floats, high: Floats, level: Floats
) -> Floats:
    """Where an increasing function reaches a level, by bisection; inf where `high` is."""
    bounded = np.isfinite(high)
    below, above = np.broadcast_arrays(low, np.where(bounded, high, low))
    for _ in range(STEPS):
        middle = below / 2 + above / 2
        enough = reached(middle) >= level
        below, above = np.where(enough, below, middle), np.where(enough, middle, above)
    return np.asarray(np.where(bounded, above, np.inf))


def _at_end(numbers: Numbers, x: Floats, probability: Floats) -> Floats:
    """Contribution of an end of the interval; 0 at infinity."""
    height = contour(numbers, x)
    return np.asarray(np.where(np.isinf(x) | (height == 0), 0, height * probability))


def _tilted(numbers: Numbers, x: Floats, m: Floats) -> Floats:
    """Standard value of M = m after weighting with exp(-h (x - M)^2 / 2)."""
    mu, sigma, h = numbers
    # With infinite h, only a certain M has a plausible point, and there a is 0 anyway.
    with np.errstate(invalid="ignore", over="ignore"):  # infinite x and m: settled by callers
        a = np.where(np.isinf(h), 0, h) * sigma**2
        return _standard((m - mu) + a * (m - x), sigma * np.sqrt(1 + a))


def _mode_within(numbers: Numbers, x: Floats, y: Floats) -> Floats:
    """P(x <= M <= y). A certain M at an end counts half; that end contributes the other half."""
    mu, sigma, h = numbers
    normal = _normal(_standard(x - mu, sigma), _standard(y - mu, sigma))
    certain = (sigma == 0) & np.isinf(h)
    return np.asarray(np.where(certain, (x <= mu) & (mu <= y), normal))


def _standard(distance: Floats, scale: Floats) -> Floats:
    """Quotient that is 0 at distance 0 and infinite elsewhere on scale 0."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.asarray(np.where(distance == 0, 0.0, distance / scale))


def _normal(a: Floats, b: Floats) -> Floats:
    """P(a <= Z <= b) of a standard normal Z, in the tail where both are accurate."""
    from scipy.special import ndtr

    flip = a > 0
    return np.asarray(ndtr(np.where(flip, -a, b)) - ndtr(np.where(flip, -b, a)))


@final
class GRFN(ShownFields, Immutable):
    """An immutable Gaussian random fuzzy number, or a batch of them.

    Parameters
    ----------
    mu : array_like
        Mean of the most plausible value.
    sigma2 : array_like
        Its variance, not negative.
    h : array_like
        Precision of the fuzzy number exp(-h (x - M)^2 / 2), not negative; may be infinite.

    Attributes
    ----------
    mu, sigma2, h : ndarray
        The parameters, broadcast to the batch shape; read-only.

    Raises
    ------
    ValueError
        If a parameter is NaN or out of range, or shapes do not broadcast.
    TypeError
        If a parameter is not real.

    See Also
    --------
    product_intersection : combines independent random fuzzy numbers.

    Notes
    -----
    Methods take arrays that broadcast with the batch shape; for one batch (n,) and points (m,),
    give the points as ``points[:, np.newaxis]``. Absolute errors are about 1e-15.

    References
    ----------
    .. [1] Denoeux, "Reasoning with fuzzy and uncertain evidence using epistemic random fuzzy
       sets: general framework and practical models", Fuzzy Sets and Systems 453, 2023, 1-36.
    .. [2] Denoeux, "Quantifying prediction uncertainty in regression using random fuzzy sets:
       the ENNreg model", IEEE Transactions on Fuzzy Systems 31, 2023, 3690-3699.

    Examples
    --------
    >>> number = GRFN(0, 1, 3)
    >>> number.contour(0)
    0.5
    >>> round(GRFN(0, 0, 2).pl(1, 2), 4)  # exp(-1): the nearest point is 1
    0.3679
    """

    _shown = ("mu", "sigma2", "h")

    __slots__ = ("_numbers", "h", "mu", "sigma2")

    mu: Floats
    sigma2: Floats
    h: Floats
    _numbers: Numbers

    def __init__(self, mu: ArrayLike, sigma2: ArrayLike, h: ArrayLike) -> None:
        given = [numbers(name, x) for name, x in (("mu", mu), ("sigma2", sigma2), ("h", h))]
        check_rows(mu=mu, sigma2=sigma2, h=h)
        shape = common_shape("mu, sigma2 and h", *(x.shape for x in given))
        refuse("mu is", given[0], ~np.isfinite(given[0]), "a finite number")
        refuse("sigma2 is", given[1], ~((given[1] >= 0) & np.isfinite(given[1])), "0 or more")
        refuse("h is", given[2], ~(given[2] >= 0), "0 or more, or infinite")
        mu, variance, h = (np.broadcast_to(x, shape).copy() for x in given)
        self._keep(mu=mu, sigma2=variance, h=h, _numbers=Numbers(mu, np.sqrt(variance), h))

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """Shape of the batch, () for a single number."""
        return self.mu.shape

    def __getitem__(self, index: Any) -> GRFN:
        if not self.batch_shape:
            raise TypeError("a single GRFN has no rows")
        return GRFN(self.mu[index], self.sigma2[index], self.h[index])

    def __len__(self) -> int:
        if not self.batch_shape:
            raise TypeError("a single GRFN has no length")
        return self.batch_shape[0]

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        if self.batch_shape:
            return f"GRFN, batch of shape {self.batch_shape}"
        return f"GRFN(mu={self.mu:g}, sigma2={self.sigma2:g}, h={self.h:g})"

    def __reduce__(self) -> tuple[Any, ...]:
        return GRFN, (self.mu, self.sigma2, self.h)

    def contour(self, x: ArrayLike) -> Any:
        """Plausibility of single values.

        Parameters
        ----------
        x : array_like

        Returns
        -------
        float or ndarray
            0 everywhere for a probability distribution (h = inf) with sigma2 > 0.

        Examples
        --------
        >>> GRFN(0, 1, [0, 3, np.inf]).contour(0)
        array([1. , 0.5, 0. ])
        """
        (points,) = self._points(x=x)
        return scalar(contour(self._numbers, points))

    def pl(self, low: ArrayLike, high: ArrayLike) -> Any:
        """Plausibility of closed intervals.

        Parameters
        ----------
        low, high : array_like
            Ends with low <= high; they may be infinite.

        Returns
        -------
        float or ndarray

        Raises
        ------
        ValueError
            If an end is NaN or low > high.

        Examples
        --------
        >>> GRFN(0, 1, [0, np.inf]).pl(0, np.inf)
        array([1. , 0.5])
        """
        return scalar(plausibility(self._numbers, *self._interval(low, high)))

    def bel(self, low: ArrayLike, high: ArrayLike) -> Any:
        """Belief in closed intervals.

        Parameters
        ----------
        low, high : array_like
            Ends with low <= high; they may be infinite.

        Returns
        -------
        float or ndarray

        Raises
        ------
        ValueError
            If an end is NaN or low > high.

        Examples
        --------
        >>> GRFN(0, 1, [0, np.inf]).bel(0, np.inf)
        array([0. , 0.5])
        """
        return scalar(belief(self._numbers, *self._interval(low, high)))

    def cdf_bounds(self, x: ArrayLike) -> tuple[Any, Any]:
        """Lower and upper distribution function, Bel and Pl of (-inf, x].

        Parameters
        ----------
        x : array_like

        Returns
        -------
        lower, upper : float or ndarray

        Examples
        --------
        >>> GRFN(0, 1, np.inf).cdf_bounds(0)
        (0.5, 0.5)
        """
        (points,) = self._points(x=x)
        return self.bel(-np.inf, points), self.pl(-np.inf, points)

    def quantile_bounds(self, p: ArrayLike) -> tuple[Any, Any]:
        """Lower and upper quantile, where Pl and Bel of (-inf, x] reach p.

        Parameters
        ----------
        p : array_like
            Probabilities inside (0, 1).

        Returns
        -------
        lower, upper : float or ndarray
            Infinite for h = 0.

        Raises
        ------
        ValueError
            If p is not inside (0, 1).

        Examples
        --------
        >>> GRFN(5, 4, np.inf).quantile_bounds(0.5)
        (5.0, 5.0)
        """
        probability = self._levels("p", p)
        upper = upper_quantile(self._numbers, probability)
        # By symmetry about mu, Pl((-inf, mu - t]) = 1 - Bel((-inf, mu + t]).
        mirrored = upper_quantile(self._numbers, 1 - probability)
        return scalar(2 * self.mu - mirrored), scalar(upper)

    def belief_interval(self, level: ArrayLike) -> tuple[Any, Any]:
        """The interval centered at mu that has a given degree of belief.

        Parameters
        ----------
        level : array_like
            Beliefs inside (0, 1).

        Returns
        -------
        low, high : float or ndarray
            Infinite for h = 0.

        Raises
        ------
        ValueError
            If a level is not inside (0, 1).

        Examples
        --------
        >>> low, high = GRFN(0, 0, 2).belief_interval(1 - np.exp(-1))
        >>> round(low, 9), round(high, 9)
        (-1.0, 1.0)
        """
        r = radius(self._numbers, self._levels("level", level))
        return scalar(self.mu - r), scalar(self.mu + r)

    def expectation_bounds(self) -> tuple[Any, Any]:
        """Lower and upper expectation, mu -+ sqrt(pi / (2 h)).

        Returns
        -------
        lower, upper : float or ndarray
            Infinite for h = 0.

        Examples
        --------
        >>> GRFN(3, 1, np.pi / 2).expectation_bounds()
        (2.0, 4.0)
        """
        with np.errstate(divide="ignore"):  # infinite for h = 0
            r = np.sqrt(np.pi / 2 / self.h)
        return scalar(self.mu - r), scalar(self.mu + r)

    def conflict(self, second: GRFN, *more: GRFN) -> Any:
        """Degree of conflict, 1 minus the mean height of the product of the memberships.

        Parameters
        ----------
        second, *more : GRFN
            Independent pieces of evidence; batch shapes broadcast.

        Returns
        -------
        float or ndarray
            In [0, 1]; 1 if two sources are probability distributions (h = inf), as for any
            densities.

        Raises
        ------
        TotalConflictError
            As `product_intersection`, if there are more than two sources.
        ValueError
            If batch shapes do not broadcast.
        TypeError
            If a source is not a GRFN.

        Examples
        --------
        >>> GRFN(0, 1, 2).conflict(GRFN(0, 2, 2))
        0.5
        """
        joint, *others = _checked(self, second, *more)
        height: Any = 1.0
        for i, number in enumerate(others, start=1):
            height = height * _height(joint, number)
            joint = _soft(joint, number) if i < len(others) else joint
        return scalar(1 - np.asarray(height))

    def sample(self, size: int, rng: np.random.Generator) -> SampledInterval:
        """Draw random intervals, level sets at random levels of fuzzy numbers with random modes.

        Parameters
        ----------
        size : int
            Number of draws.
        rng : numpy.random.Generator
            Source of randomness.

        Returns
        -------
        SampledInterval
            Of the batch shape.

        Examples
        --------
        >>> draws = GRFN(3, 1, np.pi / 2).sample(10_000, np.random.default_rng(0))
        >>> low, high = draws.expectation()  # near (2, 4)
        >>> round(low, 1), round(high, 1)
        (2.0, 4.0)
        """
        check_count("size", size, 1)
        check_rng(rng)
        shape = (size, *self.batch_shape)
        mode = self.mu + np.sqrt(self.sigma2) * rng.standard_normal(shape)
        with np.errstate(divide="ignore"):  # the whole line for h = 0
            r = np.sqrt(2 * rng.standard_exponential(shape) / self.h)
        return SampledInterval(mode - r, mode + r)

    def _points(self, **named: ArrayLike) -> list[Floats]:
        """Points as floats, broadcast with the batch."""
        points = [numbers(name, x) for name, x in named.items()]
        names = f"the batch and {' and '.join(named)} (use x[:, np.newaxis] for points of all rows)"
        shape = common_shape(names, self.batch_shape, *(x.shape for x in points))
        return [np.broadcast_to(x, shape) for x in points]

    def _interval(self, low: ArrayLike, high: ArrayLike) -> list[Floats]:
        ends = self._points(low=low, high=high)
        refuse("low is", ends[0], ends[0] > ends[1], "at most high")
        return ends

    def _levels(self, name: str, values: ArrayLike) -> Floats:
        (levels,) = self._points(**{name: values})
        refuse(f"{name} is", levels, ~((levels > 0) & (levels < 1)), "inside (0, 1)")
        return levels


def product_intersection(
    first: GRFN, second: GRFN, *more: GRFN, normalization: str = "soft"
) -> GRFN:
    """Combine independent Gaussian random fuzzy numbers by the product-intersection rule.

    Parameters
    ----------
    first, second, *more : GRFN
        Independent pieces of evidence; batch shapes broadcast.
    normalization : str
        `"soft"`: modes that disagree count less; for probability distributions this is Dempster's
        rule. `"hard"`: disagreement is ignored.

    Returns
    -------
    GRFN

    Raises
    ------
    TotalConflictError
        If two sources are certain of different values (sigma2 = 0, h = inf) in a row; with hard
        normalization, if both have h = inf.
    ValueError
        If the normalization is unknown, or batch shapes do not broadcast.
    TypeError
        If a source is not a GRFN.

    See Also
    --------
    GRFN.conflict : how much the sources disagree.

    Notes
    -----
    Both rules are commutative and associative, and a vacuous number (h = 0) is neutral. If h = inf
    in both, soft normalization gives the limit, the normalized product of densities.

    References
    ----------
    .. [1] Denoeux, "Reasoning with fuzzy and uncertain evidence using epistemic random fuzzy
       sets: general framework and practical models", Fuzzy Sets and Systems 453, 2023, 1-36.

    Examples
    --------
    >>> product_intersection(GRFN(0, 0, 1), GRFN(4, 0, 3))
    GRFN(mu=3, sigma2=0, h=4)
    >>> product_intersection(GRFN(0, 1, np.inf), GRFN(4, 1, np.inf))
    GRFN(mu=2, sigma2=0.5, h=inf)
    """
    check_choice("normalization", normalization, ("soft", "hard"))
    rule = _soft if normalization == "soft" else _hard
    return reduce(rule, _checked(first, second, *more))


def _soft(one: GRFN, two: GRFN) -> GRFN:
    """Modes conditioned on agreement up to N(0, g), then averaged with weights h1, h2."""
    g, spread = _gap(one, two), one.sigma2 + two.sigma2
    _refuse_certain(one, two, (g + spread == 0) & (one.mu != two.mu))
    free = np.isinf(g) | (g + spread == 0)  # neither says anything about the other
    total = np.where(free, 1.0, g + spread)
    gain1, gain2 = (np.where(free, 0.0, number.sigma2 / total) for number in (one, two))
    apart = two.mu - one.mu
    mu1, mu2 = one.mu + gain1 * apart, two.mu - gain2 * apart
    # sigma1^2 (g + sigma2^2) / (g + sigma1^2 + sigma2^2), without a difference.
    finite_g = np.where(free, 0.0, g)
    variance1 = np.where(free, one.sigma2, gain1 * (finite_g + two.sigma2))
    variance2 = np.where(free, two.sigma2, gain2 * (finite_g + one.sigma2))
    covariance = gain1 * two.sigma2
    w1, w2 = _share(one.h, two.h), _share(two.h, one.h)
    variance = w1**2 * variance1 + w2**2 * variance2 + 2 * w1 * w2 * covariance
    return GRFN(w1 * mu1 + w2 * mu2, variance, one.h + two.h)


def _hard(one: GRFN, two: GRFN) -> GRFN:
    _refuse_certain(one, two, np.isinf(one.h) & np.isinf(two.h))
    w1, w2 = _share(one.h, two.h), _share(two.h, one.h)
    mu = w1 * one.mu + w2 * two.mu
    return GRFN(mu, w1**2 * one.sigma2 + w2**2 * two.sigma2, one.h + two.h)


def _height(one: GRFN, two: GRFN) -> Floats:
    """Mean of exp(-(M1 - M2)^2 / (2 g)); 1 where g is infinite."""
    g = _gap(one, two)
    total = g + one.sigma2 + two.sigma2
    apart = one.mu - two.mu
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):  # g infinite or total 0
        height = np.sqrt(g / total) * np.exp(-(apart**2) / (2 * total))
    height = np.where(total == 0, apart == 0, height)
    return np.asarray(np.where(np.isinf(g), 1.0, height))


def _gap(one: GRFN, two: GRFN) -> Floats:
    """1 / h1 + 1 / h2, the variance of the difference of modes due to fuzziness."""
    with np.errstate(divide="ignore", over="ignore"):  # infinite for h = 0
        return np.asarray(1 / one.h + 1 / two.h)


def _share(h: Floats, other: Floats) -> Floats:
    """The weight h / (h + other) of a mode; half where that is 0 / 0 or inf / inf."""
    with np.errstate(invalid="ignore"):  # inf / inf, settled below
        share = np.where(np.isinf(h), 1.0, h / np.where(h == other, 1.0, h + other))
    return np.asarray(np.where(h == other, 0.5, share))


def _refuse_certain(one: GRFN, two: GRFN, wrong: NDArray[np.bool_]) -> None:
    if wrong.any():
        place = np.argwhere(wrong)[0]
        a, b = (np.broadcast_to(number.mu, wrong.shape)[tuple(place)] for number in (one, two))
        raise TotalConflictError(
            f"total conflict{in_row(place)}: infinitely precise numbers about {a:g} and "
            f"{b:g} have no joint fuzzy number; give a finite h"
        )


def _checked(*numbers: GRFN) -> tuple[GRFN, ...]:
    for place, number in enumerate(numbers):
        check_instance(f"source {place}", number, GRFN, "a GRFN")
    common_shape("batches", *(number.batch_shape for number in numbers))
    return numbers
