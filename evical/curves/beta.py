"""Beta calibration: log-odds that are linear in log(s) and -log(1 - s).

That is the shape of the log-odds where the scores of both classes have Beta densities; with both
coefficients non-negative it is a family of increasing maps of [0, 1] onto itself, the identity
among them, which the family of sigmoids does not have. The fit is logistic regression; a negative
coefficient is set to zero and the others are fitted again.

Source: Kull, Silva Filho & Flach, "Beta calibration", AISTATS (2017), sections 3-4; "Beyond
sigmoids", Electronic Journal of Statistics 11 (2017), 5052-5080.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from evical._typing import Floats
from evical.curves._linear_logistic import LinearFit, fit_linear_logistic
from evical.curves.platt import soft_counts
from evical.scores.counts import ScoreCounts, merge_equal
from evical.scores.scale import log_odds

# Log-odds this close, relative where they exceed 1, are one: between them the features differ by
# rounding, 1e-16, and the table of masses would have to resolve that. A classifier that gives all
# samples the same score leaves noise of 1e-16 to 1e-12.
ROUNDING = 1e-7
_NARROW = 1e-5


@dataclass(frozen=True, eq=False)
class BetaFit:
    """Fitted log-odds ``a log(s) - b log(1 - s) + c``.

    Parameters
    ----------
    coefficients : (3,) array
        a, b and c.
    covariance : (3, 3) array
        Of the coefficients, those at zero being taken as known.
    """

    coefficients: Floats
    covariance: Floats

    def log_odds(self, x: Floats) -> Floats:
        """Log-odds of the positive class at log-odds of scores."""
        return np.asarray(np.einsum("dm,d->m", beta_features(x), self.coefficients))

    def deviation(self, x: Floats) -> Floats:
        """Standard errors of the log-odds."""
        h = beta_features(x)
        variance = ((self.covariance @ h) * h).sum(axis=0)
        return np.asarray(np.sqrt(np.maximum(variance, 0.0)))


def beta_features(x: Floats) -> Floats:
    """Features log(s), -log(1 - s) and 1 of log-odds of scores.

    Parameters
    ----------
    x : (m,) array
        log(s / (1 - s)).

    Returns
    -------
    (3, m) array

    Examples
    --------
    >>> np.exp(beta_features(np.array([0.0, np.log(3)]))).round(9).tolist()
    [[0.5, 0.75], [2.0, 4.0], [2.718281828, 2.718281828]]
    """
    rest = np.log1p(np.exp(-np.abs(x)))
    return np.stack([np.minimum(x, 0.0) - rest, np.maximum(x, 0.0) + rest, np.ones_like(x)])


def beta_sample(counts: ScoreCounts) -> ScoreCounts:
    """Counts at the log-odds of the scores, which are finite; scores that become equal are one.

    Parameters
    ----------
    counts : ScoreCounts
        Scores in [0, 1].

    Returns
    -------
    ScoreCounts
        Of a single score, their mean, if all log-odds are within 1e-7 (relative where they exceed
        1): what tells them apart is rounding.

    Examples
    --------
    >>> beta_sample(ScoreCounts.from_samples([0.0, 0.5], [0, 1])).scores.round(1)
    array([-36.,   0.])
    """
    sample = merge_equal(log_odds(counts.scores), counts.negative, counts.positive)
    first, last = sample.scores[[0, -1]]
    if last - first <= ROUNDING * max(1.0, abs(first)):
        return sample.pool(np.zeros(1, dtype=np.intp))
    return sample


def fit_beta(sample: ScoreCounts, parameters: str, smooth: bool) -> BetaFit:
    """Fit the coefficients, a and b being non-negative.

    Parameters
    ----------
    sample : ScoreCounts
        As `beta_sample` gives it.
    parameters : {"abm", "am", "ab", "a"}
        What is free: "am" and "a" have a = b, and "ab" and "a" have c = (a - b) log(2), so that
        the score 1/2 stays where it is.
    smooth : bool
        Whether Platt's targets replace the labels.

    Returns
    -------
    BetaFit

    Notes
    -----
    The optimum under the constraints has a zero among the coefficients that are negative without
    them (else one could move towards the latter optimum), so that trying those is exact.

    Where there are fewer distinct scores than coefficients, or log-odds span less than 1e-5 (the
    features are then one), a = b; where there is only one (or with c fixed, only 1/2), a = b = 0.

    Examples
    --------
    Scores that are calibrated stay as they are:

    >>> negative, positive = np.array([[3.0, 1.0, 1.0], [1.0, 1.0, 4.0]])
    >>> counts = ScoreCounts(np.array([0.25, 0.5, 0.8]), negative, positive)
    >>> fit_beta(beta_sample(counts), "abm", smooth=False).coefficients.round(6) + 0.0
    array([1., 1., 0.])
    """
    intercept = parameters.endswith("m")
    distinct = len(sample) if intercept else int((sample.scores != 0.0).sum())
    free = [0, 1] if "b" in parameters else [2]
    first, last = sample.scores[[0, -1]]
    narrow = last - first < (_NARROW if intercept else 10.0 * _NARROW * max(1.0, abs(first)))
    if distinct < len(free) + intercept or narrow:
        free = [2] if distinct > intercept else []
    origin = float(sample.total @ sample.scores / sample.total.sum()) if intercept else 0.0
    columns = _columns(sample.scores, origin)
    fit, back = _constrained(columns, soft_counts(sample, smooth), intercept, free)
    back[2] -= beta_features(np.array([origin]))[:2, 0] @ back[:2]
    return BetaFit(back @ fit.parameters, back @ fit.covariance @ back.T)


class _Columns(NamedTuple):
    """Columns (4, m) of a, b, a = b, and what is left; and what they say of a and b (2, 4)."""

    values: Floats
    coefficients: Floats


def _columns(x: Floats, origin: float) -> _Columns:
    """Features less those at an origin, which costs no digits however near the scores are to it.

    The last column is the difference of the first two without its slope at the origin, which
    leaves it nearly uncorrelated with their sum.
    """
    distance, p, q = x - origin, float(expit(origin)), float(expit(-origin))
    first = -np.log1p(np.expm1(-distance) * q)
    second = np.log1p(np.expm1(distance) * p)
    values = np.stack([first, second, distance, first - second - (q - p) * distance])
    return _Columns(values, np.array([[1.0, 0.0, 1.0, 2.0 * p], [0.0, 1.0, 1.0, -2.0 * q]]))


def _constrained(
    columns: _Columns, weights: tuple[Floats, Floats], intercept: bool, free: list[int]
) -> tuple[LinearFit, Floats]:
    """Best fit without negative coefficients, and the matrix from its parameters to a, b, c."""
    used = [2, 3] if free == [0, 1] else free
    fit = fit_linear_logistic(columns.values[used], *weights, intercept)
    back = np.zeros((3, len(used) + 1))
    back[2, -1] = 1.0
    back[:2, :-1] = columns.coefficients[:, used]
    ab = back[:2] @ fit.parameters
    wrong = [j for j in free if ab[j % 2] < 0.0]  # with a = b both are the same
    if not wrong:
        return fit, back
    fits = [_constrained(columns, weights, intercept, [i for i in free if i != j]) for j in wrong]
    return min(fits, key=lambda found: found[0].objective)
