"""Forecasts of new observations of a linear model with normal errors.

The likelihood of coefficients and deviation induces a belief function on them and, through the
model, on a new observation. The bounds of the forecast account for the noise, as a prediction
interval does, and for uncertainty about the parameters. The latter widens the gap between the lower
and the upper distribution function where data are scarce or far away.

Source: O. Kanjanatarakul, S. Sriboonchitta, T. Denoeux, Forecasting using belief functions, IJAR
55, 2014; O. Kanjanatarakul, T. Denoeux, S. Sriboonchitta, Prediction of future observations using
belief functions, IJAR 72, 2016.
"""

import numpy as np
from numpy.typing import ArrayLike

from dstheory.inference.contours.data import as_design, as_positive
from dstheory.inference.contours.regression import least_squares
from dstheory.inference.prediction._interval import PredictiveInterval
from dstheory.inference.prediction._linear_law import LinearLaw

__all__ = ["predict"]


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
    empty = np.flatnonzero(~rows.any(axis=1))
    if empty.size:
        raise ValueError(f"row {empty[0]} of the new design is all 0; drop it")
    known = sigma is not None
    unit = as_positive("sigma", sigma) if sigma is not None else np.sqrt(fit.residual / fit.n)
    law = LinearLaw(
        rows @ fit.coefficients, float(unit), fit.leverage(rows), np.inf if known else fit.n
    )
    return PredictiveInterval(law)
