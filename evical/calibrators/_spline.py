"""Spline calibration: smoothing splines of the log-odds, with Bayesian confidence intervals.

Logistic calibration fits a line to the log-odds; here the line may bend. What splines say about
left-out samples chooses the scale and the smoothness. With few samples the curve is nearly a line,
so they lose little against Platt's method, and with large samples the curve follows the data.
"""

from typing import ClassVar

import numpy as np
from scipy.special import expit

from evical._typing import Floats
from evical.calibrators._auto import PosteriorCurve, posterior_state
from evical.calibrators._base import BaseCalibrator
from evical.calibrators._level_set import LevelSets
from evical.curves.automatic import SPLINES, spline_curve
from evical.curves.candidates import AveragedCurve
from evical.scores import ScoreCounts


class SplineCalibrator(PosteriorCurve, BaseCalibrator, LevelSets):  # type: ignore[misc]  # a model is text
    r"""Calibration by natural cubic smoothing splines of the log-odds.

    Parameters
    ----------
    model : {"likelihood", "confidence", "inverse_pignistic", "bayesian"}
        "bayesian" gives the posterior mean; "likelihood" surrounds it by what the samples leave
        open; "confidence" gives the Bayesian confidence interval; "inverse_pignistic" the least
        committed mass function with that pignistic probability.
    confidence : float
        Level of the interval of the model "confidence".
    transform : {None, "auto", "logit", "sigmoid", "rank"}
        Scale on which scores are read before anything else. None is best: several scales are
        tried.
    extrapolate : bool
        Whether scores beyond the calibration data follow the fitted function, for the length of
        their range. False reads them as the least or the greatest calibration score.

    Attributes
    ----------
    classes_ : (2,) array
    knots_ : (t,) array
        Scores at which the curve is kept; between them it is a line, beyond them constant.
    probability_ : (t,) array
        Posterior mean of the probability.
    log_odds_, standard_error_ : (t,) arrays
        Center and standard error of the intervals, on log-odds.
    masses_ : (2, t) array
        m({positive}) and m({negative}).
    weights_ : (c,) array
        Weights of all candidates that there can be.
    candidates_ : dict of str to float
        What was chosen: scales and smoothness with their weights, the greatest first. A name ends
        with the prior standard deviation of a bend: 0.1 is nearly a line, 60 nearly free.

    Notes
    -----
    The log-odds are a natural cubic spline with a normal prior, which penalizes the integral of the
    squared second derivative (Wahba 1978). There are eight smoothnesses on each of three scales: as
    given, log-odds if scores are probabilities, and log-odds of ranks. As in `AutoCalibrator`, a
    spline's weight is proportional to :math:`\exp(l - 0.4 d)`, where l is the log-likelihood of the
    samples, each under the posterior without it, and d the degrees of freedom. Nothing is drawn at
    random, and a weight of 2 is two samples. The time of a fit hardly depends on their number once
    scores are sorted. The curve need not increase.

    The posterior of the log-odds covers the truth on average over the scores, because its variance
    counts the expected square of the bias too (Nychka 1988; Marra & Wood 2012). Two things are
    added to it: the predictions of splines of other smoothness or scale, and weights :math:`\exp(l
    + 0.3 d)` that favor rougher curves, because the curve that predicts best is too smooth for an
    interval. With the center :math:`\mu` and the standard error :math:`\sigma` of that average,
    "confidence" takes :math:`\mu \pm z \sigma`, cut as in `AutoCalibrator`, and discounts it by its
    level as `LogisticCalibrator` does; "likelihood" has the mean width of the level sets of
    :math:`\exp(-(\eta - \mu)^2 / 2 \sigma^2)` (Xu et al. 2016, eq. 22-23), around the posterior
    mean. The 95 % interval covers 93 to 100 % of smooth maps from 50 samples on, and less beside
    jumps: see "Intervals and their coverage" in the guide.

    If all scores are equal, the probability is that of a single bin.

    References
    ----------
    Green & Silverman (1994), Nonparametric regression and generalized linear models, chapters
    2 and 5. Marra & Wood (2012), Coverage properties of confidence intervals for generalized
    additive model components, Scandinavian Journal of Statistics 39, 53-74. Nychka (1988), Bayesian
    confidence intervals for smoothing splines, J. Am. Stat. Assoc. 83, 1134-1143. Wahba (1978),
    Improper priors, spline smoothing and the problem of guarding against model errors in
    regression, J. R. Stat. Soc. B 40, 364-372.

    Examples
    --------
    >>> import numpy as np
    >>> scores = np.repeat([0.0, 1.0, 2.0, 3.0], 50)
    >>> y = np.concatenate([np.arange(50) < k for k in (5, 25, 45, 5)])
    >>> calibrator = SplineCalibrator().fit(scores, y)
    >>> calibrator.predict_proba([0.0, 1.0, 2.0, 3.0])[:, 1].round(1)
    array([0.1, 0.5, 0.9, 0.1])
    >>> calibrator.set_params(model="confidence").fit(scores, y).predict_interval([2.0]).round(1)
    array([[0.7, 1. ]])
    """

    _names = SPLINES
    _state: ClassVar = posterior_state(SPLINES)

    def _curve(self, counts: ScoreCounts) -> AveragedCurve:
        return spline_curve(counts)

    def _level_set(self, scores: Floats, level: float) -> Floats:
        reach = np.sqrt(2.0 * level) * self.standard_error_
        return self._at(scores, expit([self.log_odds_ - reach, self.log_odds_ + reach]))
