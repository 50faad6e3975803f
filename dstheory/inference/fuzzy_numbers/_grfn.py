"""`GRFN`: belief about a real quantity as a Gaussian random fuzzy number.

A Gaussian random fuzzy number combines two kinds of uncertainty in three parameters: the normal
distribution N(mu, sigma^2) of the most plausible value, and the precision h of the fuzzy number
around it. It is a probability distribution for h = inf, a possibility distribution for sigma = 0,
and vacuous for h = 0.

Source: T. Denoeux, Reasoning with fuzzy and uncertain evidence using epistemic random fuzzy
sets: general framework and practical models, Fuzzy Sets and Systems 453, 2023, 1-36.
"""

from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dstheory._typing import Floats
from dstheory.inference.contours.checks import numbers, plain
from dstheory.inference.fuzzy_numbers import _formulas as formulas
from dstheory.kernels.immutable import Immutable
from dstheory.kernels.rows import in_row
from dstheory.notebook import ShownFields

__all__ = ["GRFN"]


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
    _numbers: formulas.Numbers

    def __init__(self, mu: ArrayLike, sigma2: ArrayLike, h: ArrayLike) -> None:
        given = [numbers(name, x) for name, x in (("mu", mu), ("sigma2", sigma2), ("h", h))]
        try:
            shape = np.broadcast_shapes(*(x.shape for x in given))
        except ValueError:
            raise ValueError(
                f"mu, sigma2 and h have shapes {', '.join(str(x.shape) for x in given)}; "
                "give shapes that broadcast"
            ) from None
        _refuse("mu", given[0], ~np.isfinite(given[0]), "a finite number")
        _refuse("sigma2", given[1], ~((given[1] >= 0) & np.isfinite(given[1])), "0 or more")
        _refuse("h", given[2], ~(given[2] >= 0), "0 or more, or infinite")
        for name, x in zip(("mu", "sigma2", "h"), given, strict=True):
            array = np.broadcast_to(x, shape).copy()
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        parameters = formulas.Numbers(self.mu, np.sqrt(self.sigma2), self.h)
        object.__setattr__(self, "_numbers", parameters)

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """Shape of the batch; () for a single number."""
        return self.mu.shape

    def __getitem__(self, index: Any) -> "GRFN":
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
        return plain(formulas.contour(self._numbers, points))

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
        return plain(formulas.plausibility(self._numbers, *self._interval(low, high)))

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
        return plain(formulas.belief(self._numbers, *self._interval(low, high)))

    def cdf_bounds(self, x: ArrayLike) -> tuple[Any, Any]:
        """Lower and upper distribution function: Bel and Pl of (-inf, x].

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
        below = np.full_like(points, -np.inf)
        return (
            plain(formulas.belief(self._numbers, below, points)),
            plain(formulas.plausibility(self._numbers, below, points)),
        )

    def quantile_bounds(self, p: ArrayLike) -> tuple[Any, Any]:
        """Lower and upper quantile: where Pl and Bel of (-inf, x] reach p.

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
        upper = formulas.upper_quantile(self._numbers, probability)
        # By symmetry about mu, Pl((-inf, mu - t]) = 1 - Bel((-inf, mu + t]).
        mirrored = formulas.upper_quantile(self._numbers, 1 - probability)
        return plain(2 * self.mu - mirrored), plain(upper)

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
        r = formulas.radius(self._numbers, self._levels("level", level))
        return plain(self.mu - r), plain(self.mu + r)

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
        return plain(self.mu - r), plain(self.mu + r)

    def _points(self, **named: ArrayLike) -> list[Floats]:
        """Points as floats, broadcast with the batch."""
        points = [numbers(name, x) for name, x in named.items()]
        try:
            shape = np.broadcast_shapes(self.batch_shape, *(x.shape for x in points))
        except ValueError:
            shapes = ", ".join(f"{name} {x.shape}" for name, x in zip(named, points, strict=True))
            raise ValueError(
                f"shapes do not broadcast: batch {self.batch_shape}, {shapes}; "
                "give the points their own axis, as in x[:, np.newaxis]"
            ) from None
        return [np.broadcast_to(x, shape) for x in points]

    def _interval(self, low: ArrayLike, high: ArrayLike) -> list[Floats]:
        ends = self._points(low=low, high=high)
        _refuse("low", ends[0], ends[0] > ends[1], "at most high")
        return ends

    def _levels(self, name: str, values: ArrayLike) -> Floats:
        (levels,) = self._points(**{name: values})
        _refuse(name, levels, ~((levels > 0) & (levels < 1)), "inside (0, 1)")
        return levels


def _refuse(name: str, values: Floats, wrong: NDArray[np.bool_], expected: str) -> None:
    if wrong.any():
        place = np.argwhere(wrong)[0]
        raise ValueError(f"{name} is {values[tuple(place)]:g}{in_row(place)}; expected {expected}")
