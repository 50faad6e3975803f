"""A finite sample of random intervals: Monte Carlo estimates of belief and plausibility.

Source: Xu, Davoine, Zha and Denoeux, IJAR 72, 2016, section 3.4; O. Kanjanatarakul et al., IJAR 72,
2016, section 3.2.
"""

from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from dstheory._typing import Floats
from dstheory.inference.contours.checks import (
    as_ends,
    as_interval,
    as_level,
    as_levels,
    numbers,
)
from dstheory.kernels.batches import scalar
from dstheory.kernels.immutable import Immutable
from dstheory.notebook import ShownFields


@final
class SampledInterval(ShownFields, Immutable):
    """Equally likely intervals, such as `PredictiveInterval.sample` draws.

    Parameters
    ----------
    low, high : array_like of shape (size, *shape)
        Ends of the intervals; infinite ones are allowed.

    Attributes
    ----------
    low, high : ndarray of shape (size, *shape)
        The same, read-only.

    Raises
    ------
    ValueError
        If there is no interval, an end is NaN, or low > high.

    Examples
    --------
    >>> sample = SampledInterval([0.0, 1.0], [2.0, 3.0])
    >>> sample.bel(0, 2), sample.pl(0, 2), sample.expectation()
    (0.5, 1.0, (0.5, 2.5))
    """

    _shown = ("low", "high")

    __slots__ = ("high", "low")

    low: Floats
    high: Floats

    def __init__(self, low: ArrayLike, high: ArrayLike) -> None:
        ends = as_interval((low, high))
        if not ends[0].ndim or not ends[0].size:
            raise ValueError(f"ends have shape {ends[0].shape}; the first axis is the sample")
        self._keep(low=ends[0].copy(), high=ends[1].copy())

    def __len__(self) -> int:
        return len(self.low)

    def __repr__(self) -> str:
        return f"SampledInterval of {len(self)} intervals of shape {self.low.shape[1:]}"

    def pl(self, low: ArrayLike, high: ArrayLike) -> Any:
        """Share of the intervals that meet closed intervals.

        Parameters
        ----------
        low, high : array_like
            Ends; they broadcast against the shape of one draw.

        Returns
        -------
        float or ndarray

        Examples
        --------
        >>> SampledInterval([0.0, 1.0], [2.0, 3.0]).pl(2.5, 9)
        0.5
        """
        a, b = as_ends((low, high), self.low.shape[1:])
        return scalar(((self.low <= b) & (self.high >= a)).mean(axis=0))

    def bel(self, low: ArrayLike, high: ArrayLike) -> Any:
        """Share of the intervals that lie inside closed intervals.

        Parameters
        ----------
        low, high : array_like
            Ends; they broadcast against the shape of one draw.

        Returns
        -------
        float or ndarray

        Examples
        --------
        >>> SampledInterval([0.0, 1.0], [2.0, 3.0]).bel(0, 9)
        1.0
        """
        a, b = as_ends((low, high), self.low.shape[1:])
        return scalar(((self.low >= a) & (self.high <= b)).mean(axis=0))

    def cdf(self, y: ArrayLike) -> tuple[Any, Any]:
        """Lower and upper distribution function: Bel and Pl of (-inf, y].

        Parameters
        ----------
        y : array_like
            Values.

        Returns
        -------
        lower, upper : float or ndarray

        Examples
        --------
        >>> SampledInterval([0.0, 1.0], [2.0, 3.0]).cdf(2)
        (0.5, 1.0)
        """
        x = numbers("y", y)
        below = np.full(x.shape, -np.inf)
        return self.bel(below, x), self.pl(below, x)

    def quantile(self, p: float) -> tuple[Any, Any]:
        """Sample quantiles of both ends.

        Parameters
        ----------
        p : float
            Probability in [0, 1].

        Returns
        -------
        lower, upper : float or ndarray

        Examples
        --------
        >>> SampledInterval([0.0, 1.0, 2.0], [2.0, 3.0, 4.0]).quantile(0.5)
        (1.0, 3.0)
        """
        share = as_level("p", p)
        ends = (np.quantile(end, share, axis=0, method="inverted_cdf") for end in self._ends)
        low, high = ends
        return scalar(low), scalar(high)

    def expectation(self) -> tuple[Any, Any]:
        """Mean of both ends; `standard_error` does not apply, see `expectation_error`.

        Returns
        -------
        lower, upper : float or ndarray

        Examples
        --------
        >>> SampledInterval([0.0, 1.0], [2.0, 3.0]).expectation()
        (0.5, 2.5)
        """
        low, high = (end.mean(axis=0) for end in self._ends)
        return scalar(low), scalar(high)

    def expectation_error(self) -> tuple[Any, Any]:
        """Standard errors of the expectation.

        Returns
        -------
        lower, upper : float or ndarray

        Examples
        --------
        >>> SampledInterval([0.0, 2.0], [2.0, 4.0]).expectation_error()
        (1.0, 1.0)
        """
        root = np.sqrt(max(len(self) - 1, 1))
        low, high = (end.std(axis=0) / root for end in self._ends)
        return scalar(low), scalar(high)

    def standard_error(self, share: ArrayLike) -> Any:
        """Standard error of an estimated belief, plausibility or distribution function.

        Parameters
        ----------
        share : array_like
            Estimates in [0, 1].

        Returns
        -------
        float or ndarray
            Two successes and two failures are added (Agresti & Coull 1998), so that estimates of 0
            and 1 also have an error.

        Examples
        --------
        >>> sample = SampledInterval(np.zeros(96), np.ones(96))
        >>> sample.standard_error(0.5), round(sample.standard_error(0.0), 3)
        (0.05, 0.014)
        """
        size = len(self) + 4
        centered = (as_levels("share", share) * len(self) + 2) / size
        return scalar(np.sqrt(centered * (1 - centered) / size))

    @property
    def _ends(self) -> tuple[Floats, Floats]:
        return self.low, self.high
