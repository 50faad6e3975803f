"""Predictive belief functions of a quantity whose distribution depends on one parameter.

It works for any family of distributions that is stochastically ordered by its parameter: normal
with known deviation, Poisson, exponential, binomial, and so on.

Source: O. Kanjanatarakul, T. Denoeux, S. Sriboonchitta, Prediction of future observations using
belief functions: a likelihood-based approach, IJAR 72, 2016; Xu, Davoine, Zha and Denoeux, IJAR
72, 2016, equations 15-17.
"""

from collections.abc import Callable
from typing import Any

from dstheory.checks.arguments import check_callable, check_instance
from dstheory.inference.contours.maximum import Floats
from dstheory.inference.prediction._interval import PredictiveInterval
from dstheory.inference.prediction._random_interval import RandomInterval
from dstheory.inference.prediction._sampling_laws import FamilyLaw

__all__ = ["predictive"]


def predictive(interval: RandomInterval, family: Callable[[Floats], Any]) -> PredictiveInterval:
    """Predictive belief function of a real Y whose distribution depends on one parameter.

    Parameters
    ----------
    interval : RandomInterval
        What is known about the parameter. The discounted share leaves Y unknown.
    family : callable
        Maps an array of parameters to their distributions, an object with the methods ``cdf``,
        ``ppf`` and ``mean`` of `scipy.stats`. The distributions must increase or decrease
        stochastically in the parameter, and may be discrete.

    Returns
    -------
    PredictiveInterval

    Raises
    ------
    TypeError
        If the interval is not a RandomInterval, or the family is not callable.

    References
    ----------
    .. [1] Kanjanatarakul, Denoeux, Sriboonchitta, "Prediction of future observations using belief
       functions: a likelihood-based approach", International Journal of Approximate Reasoning
       72, 2016.

    Examples
    --------
    The next hourly count, after 200 events in 100 hours.

    >>> from scipy import stats
    >>> from dstheory.inference import poisson_contour
    >>> interval = RandomInterval(poisson_contour([200], exposure=100.0))
    >>> y = predictive(interval, stats.poisson)
    >>> [round(bound, 3) for bound in y.cdf(2)], round(float(stats.poisson(2).cdf(2)), 3)
    ([0.627, 0.723], 0.677)
    """
    check_instance(
        "interval", interval, RandomInterval, "a RandomInterval; make one of the contour"
    )
    check_callable("family", family, "a callable such as scipy.stats.poisson")
    law = FamilyLaw(interval.contour, family, interval.kinks())
    return PredictiveInterval(law, rate=interval.rate)
