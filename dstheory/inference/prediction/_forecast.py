"""Forecasts of new observations of a linear model with normal errors.

The likelihood of coefficients and deviation induces a belief function on them and, through the
model, on a new observation. The bounds of the forecast account for the noise, as a prediction
interval does, and for uncertainty about the parameters. The latter widens the gap between the lower
and the upper distribution function where data are scarce or far away.

Source: O. Kanjanatarakul, S. Sriboonchitta, T. Denoeux, Forecasting using belief functions, IJAR
55, 2014; O. Kanjanatarakul, T. Denoeux, S. Sriboonchitta, Prediction of future observations using
belief functions, IJAR 72, 2016.

Ranges of new observations over the focal sets of the parameters of a linear model.

A new observation is m + s T, where m is its mean response, s the deviation and T standard normal.
The plausibility that a given T leads to a given observation has a closed form, and so do the
integrands of all expected bounds. Focal intervals are the level sets of the same function.

Source: O. Kanjanatarakul, T. Denoeux, S. Sriboonchitta, Prediction of future observations using
belief functions: a likelihood-based approach, IJAR 72, 2016 (the model; the closed form of the
profile is derived in `LinearLaw`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dstheory._typing import Floats
from dstheory.inference.contours.checks import as_design, as_positive
from dstheory.inference.contours.levels import crossing
from dstheory.inference.contours.regression import check_regressors, least_squares
from dstheory.inference.prediction._rayleigh import panel_nodes
from dstheory.inference.prediction.intervals import PredictiveInterval

Pair = tuple[Floats, Floats]

_FAR = 1e100  # far beyond any mass, and its square is finite
_NORMAL_END = 9.0  # in standard deviations; beyond lies a probability of 1e-19
_NEGLIGIBLE = 41.0  # minus the logarithm of 1e-18
_NORMAL_ORDER = 48


@dataclass(frozen=True, eq=False)
class LinearLaw:
    """New observations of a linear model with normal errors.

    In units of the estimated deviation, the log relative likelihood is
    n log(1 / s) - (n / s**2 + (m - m0)**2 / (h s**2) - n) / 2. Along the parameters with
    m + s t = y it is largest where x = 1 / s solves (n + y**2 / h) x**2 - (y t / h) x = n,
    with y counted from m0.

    Attributes
    ----------
    center : ndarray of shape (N,)
        Most plausible mean responses m0.
    unit : float
        Most plausible standard deviation.
    leverage : ndarray of shape (N,)
        h, the variance of the estimated mean response in units of the squared deviation.
    n : float
        Number of observations; inf if the standard deviation is known.
    """

    center: Floats
    unit: float
    leverage: Floats
    n: float

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the predicted quantity."""
        return self.center.shape

    def cdf_range(self, y: Floats, r: Floats) -> Pair:
        """Least and largest P(Y <= y)."""
        from scipy.special import ndtr

        with np.errstate(over="ignore"):
            u = (y - self.center[..., None]) / self.unit
        low, high = self._levels(u, r, forward=False)
        return np.asarray(ndtr(low)), np.asarray(ndtr(high))

    def quantile_range(self, z: Floats, r: Floats) -> Pair:
        """Least and largest quantile."""
        from scipy.special import ndtri

        low, high = self._levels(np.asarray(ndtri(z)), r, forward=True)
        center = self.center[..., None]
        return center + self.unit * low, center + self.unit * high

    def expected_cdf(self, y: Floats, end: int, atol: float) -> Floats:
        """Expected least (end 0) or largest (end 1) P(Y <= y): Xu et al., eqs. 22 and 23.

        The plausibility of T is integrated against its density, outwards from where it is 1. The
        panels are fine enough for full accuracy; `atol` is not used.
        """
        from scipy.special import ndtr

        with np.errstate(over="ignore"):
            u = np.asarray((y - self.center) / self.unit)
        sign = 2 * end - 1
        h = np.broadcast_to(self.leverage, u.shape)
        finite = np.isfinite(u)
        at = np.clip(np.where(finite, u, 0.0), -_FAR, _FAR)[..., None]
        start = np.clip(at, -_NORMAL_END, _NORMAL_END)
        x, w = _panels(min(float(np.sqrt(h.min())), 1.0), 2 * _NORMAL_END, 1.0)
        t = start + sign * x
        density = np.exp(-(t**2) / 2) / np.sqrt(2 * np.pi)
        area = (np.exp(-(self.distance(at, t, h[..., None]) ** 2) / 2) * density) @ w
        return np.asarray(ndtr(u) + np.where(finite, sign * area, 0.0))

    def expected_quantile(self, end: int) -> Floats:
        """Expected smallest (end 0) or largest (end 1) observation, given T, then over T."""
        sign = 2 * end - 1
        t, density = np.polynomial.legendre.leggauss(_NORMAL_ORDER)
        t = _NORMAL_END * t
        density = density * np.exp(-(t**2) / 2)
        # The plausibility falls as (1 + x**2 / n)**(-n / 2), n at least 2.
        n = min(self.n, 1e6)
        width = np.sqrt(self.leverage)
        reach = np.sqrt(n * np.expm1(2 * _NEGLIGIBLE / n)) * (_NORMAL_END + float(width.max()))
        gap = np.empty(self.shape)
        for row, h in np.ndenumerate(self.leverage):  # one row at a time: some MB of nodes
            x, w = _panels(min(float(width[row]), 1.0), reach, np.inf)
            r = self.distance(t[:, None] + sign * x, t[:, None], np.asarray(h))
            gap[row] = density @ (np.exp(-(r**2) / 2) @ w) / density.sum()
        return self.center + sign * self.unit * gap

    def _levels(self, at: Floats, r: Floats, forward: bool) -> Pair:
        """Ends of the set of y for T = at (forward), or of T for y = at, within distance r."""
        h = self.leverage[..., None]
        shape = np.broadcast_shapes(at.shape, np.shape(r), h.shape)
        at, r, h = (np.broadcast_to(x, shape).ravel() for x in (at, r, h))
        proper = np.isfinite(at)  # an infinite y or T has no range around it
        start, level, h = at[proper], r[proper], h[proper]

        def distance(x: Floats) -> Floats:
            return self.distance(x, start, h) if forward else self.distance(start, x, h)

        low, high = at.copy(), at.copy()
        for ends, bound in ((low, -np.inf), (high, np.inf)):
            ends[proper] = crossing(distance, start, np.full(start.size, bound), np.sqrt(h), level)
        return low.reshape(shape), high.reshape(shape)

    def distance(self, y: Floats, t: Floats, h: Floats) -> Floats:
        """Distance r of the most plausible parameters with m + s t = y, in the units of s.

        >>> law = LinearLaw(np.zeros(1), 1.0, np.ones(1), np.inf)
        >>> law.distance(np.array([3.0]), np.array([1.0]), np.array([1.0]))
        array([2.])
        """
        if np.isinf(self.n):
            return np.asarray(np.abs(y - t) / np.sqrt(h))
        # An end of a search may be infinite.
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            a, b = self.n + y * y / h, y * t / h
            root = np.sqrt(b * b + 4 * a * self.n)
            # The form of the positive root that does not cancel.
            x = np.where(b > 0, (b + root) / (2 * a), 2 * self.n / (root - b))
            # (x**2 - 1) / 2 - log x, written in x - 1 so that no digits are lost near x = 1.
            e = x - 1
            loss = self.n * (e * e / 2 + e - np.log1p(e)) + (y * x - t) ** 2 / (2 * h)
            result = np.sqrt(2 * np.maximum(loss, 0.0))
        return np.where(np.isnan(result), np.inf, result)


def _panels(width: float, reach: float, longest: float) -> tuple[Floats, Floats]:
    """Gauss-Legendre nodes and weights from 0 to beyond reach, in panels that double in length.

    >>> x, w = _panels(0.5, 4.0, 1.0)
    >>> float(w.sum().round(9)), float((w * x).sum().round(9))
    (4.0, 8.0)
    """
    edges = [0.0, width / 2]
    while edges[-1] < reach:
        edges.append(edges[-1] + min(edges[-1], longest))
    return panel_nodes(np.array(edges))


def predict(
    design: ArrayLike, response: ArrayLike, new_design: ArrayLike, sigma: float | None = None
) -> PredictiveInterval:
    """Predict new observations of a linear model, by belief functions.

    Parameters
    ----------
    design : array_like of shape (n, p)
        One row of regressors for each observation; a constant is a column of ones.
    response : array_like of shape (n,)
        Observations.
    new_design : array_like of shape (m, p)
        Rows to predict for; no row may be all 0.
    sigma : float, optional
        Standard deviation of the errors; unknown if it is not given.

    Returns
    -------
    PredictiveInterval
        Of shape (m,): `cdf`, `quantile`, `belief_interval`, `expectation`, `bel`, `pl`, `sample`.

    Raises
    ------
    ValueError, TypeError
        If shapes do not agree, numbers are not finite, columns are collinear, a new row is all 0,
        or the fit is exact and sigma is not given.

    Notes
    -----
    The papers approximate by Monte Carlo and nonlinear programs. Here the plausibility of a new
    observation given its error has a closed form, so every bound is a quadrature over the level of
    the focal sets.

    References
    ----------
    .. [1] Kanjanatarakul, Sriboonchitta, Denoeux, "Forecasting using belief functions: an
       application to marketing econometrics", International Journal of Approximate Reasoning 55,
       2014.
    .. [2] Kanjanatarakul, Denoeux, Sriboonchitta, "Prediction of future observations using belief
       functions: a likelihood-based approach", International Journal of Approximate Reasoning 72,
       2016.

    Examples
    --------
    With the deviation known, the lower expectation is the mean response less sqrt(pi / 2) of
    its standard error, which is 1 / 2 here.

    >>> y = predict(np.ones((4, 1)), [0, 1, 1, 2], [[1.0]], sigma=1.0)
    >>> low, high = y.expectation()
    >>> low.round(6), (1 - np.sqrt(np.pi / 2) / 2).round(6)
    (array([0.373343]), np.float64(0.373343))
    """
    fit = least_squares(design, response, exact_fit=sigma is not None)
    rows = as_design("new design", new_design, len(fit.coefficients))
    check_regressors(new_design, design, "the new design")
    empty = np.flatnonzero(~rows.any(axis=1))
    if empty.size:
        raise ValueError(f"row {empty[0]} of the new design is all 0; drop it")
    known = sigma is not None
    unit = as_positive("sigma", sigma) if sigma is not None else np.sqrt(fit.residual / fit.n)
    law = LinearLaw(
        rows @ fit.coefficients, float(unit), fit.leverage(rows), np.inf if known else fit.n
    )
    return PredictiveInterval(law)
