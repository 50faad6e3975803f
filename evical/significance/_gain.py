"""How much one method gains over another: the mean relative difference over data sets.

A rank says which method is better and not by how much. The relative difference does, in a unit that
all data sets share. Source: Naeini 2016, eq. 4.1, 4.2 and 6.1.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import t

from dstheory.checks.arguments import check_level
from dstheory.notebook import ShownFields
from evical.significance.numbers import paired_values


@dataclass(frozen=True)
class GainResult(ShownFields):
    """Mean relative difference of two methods over data sets.

    Parameters
    ----------
    mean : float
        Below 0 where the first method has the smaller values.
    lower, upper : float
        Ends of its confidence interval.
    n_data_sets : int
    confidence : float
    """

    mean: float
    lower: float
    upper: float
    n_data_sets: int
    confidence: float

    def __str__(self) -> str:
        return (
            f"mean gain {self.mean:+.1%} over {self.n_data_sets} data sets, {self.confidence:.0%} "
            f"confidence interval [{self.lower:+.1%}, {self.upper:+.1%}]"
        )


def relative_gain(values1: ArrayLike, values2: ArrayLike, confidence: float = 0.95) -> GainResult:
    r"""Confidence interval of the mean relative difference of two methods on several data sets.

    Parameters
    ----------
    values1, values2 : (N,) arrays
        A result of each method on each data set; the second is what the first is compared with.
    confidence : float
        Level of the interval.

    Returns
    -------
    GainResult
        Printing it shows percentages.

    Raises
    ------
    ValueError
        If lengths differ, there are fewer than 2 data sets, a value is not finite, a result of the
        second method is not positive, or `confidence` is not inside (0, 1).
    TypeError
        If a value is not a number.

    Notes
    -----
    With :math:`x_i = (u_i - v_i) / v_i`, their mean m and standard deviation s,
    :math:`m \pm t_{N-1} \, s / \sqrt N`. This is also the posterior interval of the mean of normal
    differences under the prior :math:`1 / \sigma`. A data set on which the second method is almost
    perfect can have a huge ratio and outweigh all others; ranks do not have that fault.

    References
    ----------
    Naeini (2016), Obtaining accurate probabilities using classifier calibration, eq. 4.1 and
    tables 20, 22 and 27.

    Examples
    --------
    Gains of -20%, 0 and 20%; t is 4.3027 for 2 degrees of freedom, times 0.2 / sqrt(3):

    >>> gain = relative_gain([0.4, 0.5, 0.6], [0.5, 0.5, 0.5])
    >>> round(gain.upper, 4)
    0.4968
    >>> print(gain)
    mean gain +0.0% over 3 data sets, 95% confidence interval [-49.7%, +49.7%]
    """
    check_level("confidence", confidence)
    first, second = paired_values(values1, values2)
    if len(first) < 2:
        raise ValueError("there is only one data set; an interval needs at least 2")
    if (second <= 0).any():
        row = int(np.argmax(second <= 0))
        raise ValueError(
            f"values2[{row}] is {second[row]}, expected a positive number, to which a difference "
            "is relative; leave that data set out"
        )
    ratios = (first - second) / second
    mean, error = float(ratios.mean()), float(ratios.std(ddof=1)) / np.sqrt(len(ratios))
    reach = float(t.ppf((1 + confidence) / 2, len(ratios) - 1) * error)
    return GainResult(mean, mean - reach, mean + reach, len(ratios), confidence)
