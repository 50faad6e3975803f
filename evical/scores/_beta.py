"""Beta calibration: log-odds that are linear in log(s) and -log(1 - s).

That is the shape of the log-odds where the scores of both classes have Beta densities; with both
coefficients non-negative it is a family of increasing maps of [0, 1] onto itself, the identity
among them, which the family of sigmoids does not have. The fit is logistic regression; a negative
coefficient is set to zero and the others are fitted again.

Source: Kull, Silva Filho & Flach, "Beta calibration", AISTATS (2017), sections 3-4; "Beyond
sigmoids", Electronic Journal of Statistics 11 (2017), 5052-5080.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evical.scores._counts import ScoreCounts, merge_equal
from evical.scores._linear_logistic import LinearFit, fit_linear_logistic
from evical.scores._platt import platt_targets
from evical.scores._scale import log_odds

__all__ = ["BetaFit", "beta_features", "beta_sample", "fit_beta"]

Floats = NDArray[np.float64]
_LOG2 = float(np.log(2.0))


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

    Examples
    --------
    >>> beta_sample(ScoreCounts.from_samples([0.0, 0.5], [0, 1])).scores.round(1)
    array([-36.,   0.])
    """
    return merge_equal(log_odds(counts.scores), counts.negative, counts.positive)


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

    Where there are fewer distinct scores than coefficients, a = b; where there is only one (or
    with c fixed, only 1/2), a = b = 0.

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
    if distinct < len(free) + intercept:
        free = [2] if distinct > intercept else []
    low, high = platt_targets(sample.n_negative, sample.n_positive) if smooth else (0.0, 1.0)
    target = low * sample.negative + high * sample.positive
    fit, back = _constrained(_columns(sample.scores, intercept), sample.total, target, free)
    if not intercept:  # the features were those of 2 s and 2 (1 - s)
        back[2] = _LOG2 * (back[0] - back[1])
    return BetaFit(back @ fit.parameters, back @ fit.covariance @ back.T)


def _columns(x: Floats, intercept: bool) -> tuple[Floats, bool]:
    """Columns of a, b, a = b and a = -b, and whether there is an intercept."""
    first, second, _ = beta_features(x)
    shift = 0.0 if intercept else _LOG2
    # The last two are nearly uncorrelated where the first two are nearly equal.
    return np.stack([first + shift, second - shift, x, first - second + 2.0 * shift]), intercept


def _constrained(
    columns: tuple[Floats, bool], weight: Floats, target: Floats, free: list[int]
) -> tuple[LinearFit, Floats]:
    """Best fit without negative coefficients, and the matrix from its parameters to a, b, c."""
    used = [2, 3] if free == [0, 1] else free
    fit = fit_linear_logistic(columns[0][used], weight, target, columns[1])
    back = np.zeros((3, len(used) + 1))
    back[2, -1] = 1.0
    back[:2, :-1] = np.array([[1.0, 0.0, 1.0, 1.0], [0.0, 1.0, 1.0, -1.0]])[:, used]
    ab = back[:2] @ fit.parameters
    wrong = [j for j in free if ab[j % 2] < 0.0]  # with a = b both are the same
    if not wrong:
        return fit, back
    fits = [_constrained(columns, weight, target, [i for i in free if i != j]) for j in wrong]
    return min(fits, key=lambda found: found[0].objective)
