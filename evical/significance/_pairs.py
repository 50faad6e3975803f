"""Two methods: on one test set, on the splits of one data set, or on several data sets.

How much one method gains over another: the mean relative difference over data sets.

A rank says which method is better and not by how much. The relative difference does, in a unit that
all data sets share. Source: Naeini 2016, eq. 4.1, 4.2 and 6.1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from dstheory.checks.arguments import as_real, check_flag, check_level, check_rows
from dstheory.notebook import ShownFields
from evical._typing import Floats
from evical.scores.checks import as_column, missing, refuse
from evical.significance.numbers import (
    p_text,
    paired_values,
    without_rounding,
)

# Up to this many disagreements the binomial distribution itself is used (Dietterich 1998 calls
# for 10 at least; R and statsmodels switch at 25).
_EXACT_UP_TO = 25


@dataclass(frozen=True)
class TestResult(ShownFields):
    """A test of two methods.

    Parameters
    ----------
    name : str
        Which test, and in which form.
    statistic : float
        The statistic that `name` states.
    pvalue : float
        Two-sided.
    difference : float
        First method minus second: of shares of errors for `mcnemar`, of values for the others.
    """

    __test__ = False  # pytest takes classes of this name for tests

    name: str
    statistic: float
    pvalue: float
    difference: float

    def __str__(self) -> str:
        return (
            f"{self.name}: difference {self.difference:+.4g}, statistic {self.statistic:.4g}, "
            f"{p_text(self.pvalue)}"
        )


def mcnemar(y_true: ArrayLike, y_pred1: Any, y_pred2: Any, exact: bool | None = None) -> TestResult:
    """McNemar's test of two classifiers on the same test samples.

    Parameters
    ----------
    y_true, y_pred1, y_pred2 : (n,) arrays of labels
    exact : bool, optional
        Binomial distribution, or chi-square with continuity correction; by default the first up
        to 25 samples on which exactly one classifier is right.

    Returns
    -------
    TestResult
        The statistic is the smaller number of the two kinds of disagreement, or chi-square.

    Raises
    ------
    ValueError
        If lengths differ, there is no sample, or a label is NaN.
    TypeError
        If some labels are text and others numbers.

    Notes
    -----
    Only samples on which exactly one classifier is right count; if the two err equally often, each
    kind of disagreement has probability 1/2. Without disagreements, the p-value is 1.

    References
    ----------
    McNemar (1947), Psychometrika 12, 153-157. Dietterich (1998), Neural Computation 10,
    1895-1923, section 3.1. Used in Xu, Davoine, Zha & Denoeux (2016), section 5.2.

    Examples
    --------
    >>> y = [1, 1, 1, 1, 0, 0]
    >>> test = mcnemar(y, [1, 1, 1, 1, 0, 1], [0, 0, 0, 1, 0, 0])
    >>> test.statistic, test.pvalue
    (1.0, 0.625)
    """
    if exact is not None:
        check_flag("exact", exact)
    truth, first, second = (
        as_column(labels, name)
        for labels, name in ((y_true, "y_true"), (y_pred1, "y_pred1"), (y_pred2, "y_pred2"))
    )
    if not truth.shape == first.shape == second.shape or not len(truth):
        raise ValueError(
            f"labels have shapes {truth.shape}, {first.shape} and {second.shape}, expected (n,) "
            "each, with the same n of at least 1"
        )
    _check_labels(y_true=truth, y_pred1=first, y_pred2=second)
    check_rows(y_true=y_true, y_pred1=y_pred1, y_pred2=y_pred2)
    wrong1, wrong2 = first != truth, second != truth
    only1, only2 = int((wrong1 & ~wrong2).sum()), int((~wrong1 & wrong2).sum())
    difference = float((only1 - only2) / len(truth))
    if exact is None:
        exact = only1 + only2 <= _EXACT_UP_TO
    if exact:
        least = min(only1, only2)
        pvalue = stats.binomtest(least, only1 + only2).pvalue if only1 + only2 else 1.0
        return TestResult("McNemar, exact", float(least), float(pvalue), difference)
    apart = max(abs(only1 - only2) - 1, 0)
    statistic = apart**2 / (only1 + only2) if only1 + only2 else 0.0
    pvalue = float(stats.chi2.sf(statistic, 1))
    return TestResult("McNemar, chi-square", float(statistic), pvalue, difference)


def wilcoxon(values1: ArrayLike, values2: ArrayLike) -> TestResult:
    """Wilcoxon's signed-rank test of two methods on several data sets.

    Parameters
    ----------
    values1, values2 : (N,) arrays
        A result of each method on each data set.

    Returns
    -------
    TestResult
        The statistic is the smaller one of the two rank sums.

    Raises
    ------
    ValueError
        If lengths differ, there is no data set, or a value is not finite.

    Notes
    -----
    The ranks of equal results are split evenly between both sums, as in Demsar. Results that agree
    to twelve digits of the greatest value are equal: 0.3 - 0.2 and 0.2 - 0.1 tie. Without ties the
    p-value is exact up to 50 data sets, else it is that of the normal approximation.

    References
    ----------
    Demsar (2006), Journal of Machine Learning Research 7, 1-30, section 3.1.3.

    Examples
    --------
    >>> test = wilcoxon([0.9, 0.8, 0.7, 0.85, 0.6], [0.8, 0.6, 0.4, 0.45, 0.1])
    >>> test.statistic, test.pvalue
    (0.0, 0.0625)
    """
    first, second = paired_values(values1, values2)
    gaps = _gaps(first, second)
    difference = float(gaps.mean())
    if not gaps.any():
        return TestResult("Wilcoxon signed-rank", len(gaps) * (len(gaps) + 1) / 4, 1.0, 0.0)
    result = stats.wilcoxon(gaps, zero_method="zsplit", method=_method(gaps))
    return TestResult(
        "Wilcoxon signed-rank", float(result.statistic), float(result.pvalue), difference
    )


def corrected_t(values1: ArrayLike, values2: ArrayLike, test_share: float) -> TestResult:
    r"""Corrected t test of two methods on repeated splits of one data set.

    Parameters
    ----------
    values1, values2 : (J,) arrays
        A result of each method on each split, such as the r x k folds of repeated
        cross-validation.
    test_share : float
        Test samples per training sample of a split: 1 / (k - 1) for k folds.

    Returns
    -------
    TestResult
        The statistic is t, of J - 1 degrees of freedom.

    Raises
    ------
    ValueError
        If lengths differ, there are fewer than 2 splits, a value is not finite, or `test_share`
        is not positive.

    Notes
    -----
    Splits share training samples, so their differences are correlated: the variance of the
    mean is :math:`(1/J + n_2/n_1) s^2`, with :math:`n_2/n_1` the test share, not
    :math:`s^2 / J`.

    References
    ----------
    Nadeau & Bengio (2003), Inference for the generalization error, Machine Learning 52,
    239-281. Bouckaert & Frank (2004), PAKDD, 3-12.

    Examples
    --------
    >>> test = corrected_t([0.8, 0.9, 0.7, 0.8], [0.7, 0.6, 0.5, 0.6], test_share=1 / 3)
    >>> round(test.statistic, 3), round(test.pvalue, 3)
    (3.207, 0.049)
    """
    first, second = paired_values(values1, values2)
    if len(first) < 2:
        raise ValueError("there is only one split; a t test needs at least 2")
    share = as_real("test_share", test_share, "test samples per training sample")
    if not 0 < share < np.inf:
        raise ValueError(f"test_share is {test_share!r}, expected test samples per training sample")
    gaps = _gaps(first, second)
    mean, variance = float(gaps.mean()), float(gaps.var(ddof=1))
    error = np.sqrt((1 / len(gaps) + share) * variance)
    with np.errstate(divide="ignore", invalid="ignore"):  # all differences equal
        statistic = float(np.float64(mean) / error) if mean else 0.0
    pvalue = float(2 * stats.t.sf(abs(statistic), len(gaps) - 1))
    return TestResult("corrected t", statistic, pvalue, mean)


def _check_labels(**labels: NDArray[Any]) -> None:
    """Raise if a label is missing, or if no label can equal one of another sort."""
    for name, values in labels.items():
        refuse(values, missing(values), name, "a label")
    broken: dict[str, Any] = {
        name: np.flatnonzero(values % 1) if values.dtype.kind == "f" else []
        for name, values in labels.items()
    }
    for name, rows in broken.items():
        if len(rows) and not len(broken["y_true"]):
            raise ValueError(
                f"{name}[{rows[0]}] is {labels[name][rows[0]]}, but labels of y_true are whole "
                "numbers; give predicted classes, not their probabilities"
            )
    numeric = [name for name, values in labels.items() if values.dtype.kind in "biuf"]
    others = [name for name in labels if name not in numeric]
    if numeric and others:
        raise TypeError(
            f"labels are numbers in {', '.join(numeric)}, but not in {', '.join(others)}; expected "
            "one kind"
        )


def _gaps(first: Floats, second: Floats) -> Floats:
    """Differences without their rounding."""
    return without_rounding(first - second, max(np.abs(first).max(), np.abs(second).max()))


def _method(gaps: Floats) -> Literal["exact", "approx"]:
    sizes = np.abs(gaps)
    ties = len(np.unique(sizes)) < len(sizes) or (sizes == 0).any()
    return "exact" if len(gaps) <= 50 and not ties else "approx"


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
    expected = "a positive number, to which a difference is relative; leave that data set out"
    refuse(second, second <= 0, "values2", expected)
    ratios = (first - second) / second
    mean, error = float(ratios.mean()), float(ratios.std(ddof=1)) / np.sqrt(len(ratios))
    reach = float(stats.t.ppf((1 + confidence) / 2, len(ratios) - 1) * error)
    return GainResult(mean, mean - reach, mean + reach, len(ratios), confidence)
