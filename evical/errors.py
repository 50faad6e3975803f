"""Errors and warnings of this package that are worth catching by name.

All errors are `ValueError`, by way of `dstheory.errors.DSTheoryError`. A wrong kind of argument is
a plain `TypeError`.
"""

import dstheory.errors
from dstheory.errors import DSTheoryError

__all__ = ["ConvergenceError", "WeightError", "WrongWayWarning"]


class ConvergenceError(dstheory.errors.ConvergenceError):
    """A fit of this package used up its steps without a proof of optimality.

    A fit that is not proven optimal is never returned.

    Examples
    --------
    >>> issubclass(ConvergenceError, ValueError)
    True
    """


class WeightError(DSTheoryError):
    """Sample weights are too small, too large or too many to count samples in floating point.

    Examples
    --------
    >>> from evical import ScoreCounts
    >>> ScoreCounts.from_samples([0.2, 0.7], [0, 1], sample_weight=[1, 1e300])
    Traceback (most recent call last):
    evical.errors.WeightError: sample_weight[1] is 1e+300, but a positive weight must be from \
1e-15 to 9.0072e+15 (2^53), since it counts samples; divide all weights by their mean
    """


class WrongWayWarning(UserWarning):
    """Scores are reversed, or those to predict are on another scale than in `fit`.

    Higher values indicate the negative class by a rank test: a calibration that may only rise
    cannot use such scores, and ends nearly constant; any other is probably not what was meant. Each
    `fit` gives it once, also that of a classifier or an ensemble.

    Of ten or more scores to predict, a fifth lie further outside the range of `fit` than it is
    wide, all have the other sign, or they reach from 0 to 1 where those of `fit` were spread over
    five or more. Sorted batches, batches of one class and shifts of two standard deviations do not
    raise it.

    Examples
    --------
    >>> import warnings
    >>> from evical import IsotonicCalibrator
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     fitted = IsotonicCalibrator().fit(range(40), ["sick"] * 20 + ["healthy"] * 20)
    ...     fitted = IsotonicCalibrator().fit(range(40), ["healthy"] * 20 + ["sick"] * 20)
    >>> len(caught)
    1
    >>> print(str(caught[0].message)[:78])
    scores look reversed: higher values indicate class 'healthy', not class 'sick'
    """
