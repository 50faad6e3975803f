"""Beta calibration: log-odds that are linear in log(s) and -log(1 - s).

That is the shape of the log-odds where the scores of both classes have Beta densities; with both
coefficients non-negative it is a family of increasing maps of [0, 1] onto itself, the identity
among them, which the family of sigmoids does not have. The fit is logistic regression; a negative
coefficient is set to zero and the others are fitted again. For the profile likelihood, large
samples become a quadrature first.

Source: Kull, Silva Filho & Flach, "Beta calibration", AISTATS (2017), sections 3-4; "Beyond
sigmoids", Electronic Journal of Statistics 11 (2017), 5052-5080. Xu, Davoine, Zha & Denoeux, IJAR
72 (2016), equations 22-23 and 33-40, for the profile.
"""

from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from evical._typing import Floats
from evical.curves._linear_logistic import LinearFit, fit_linear_logistic
from evical.curves.bounded_profile import BoundedProfile, BoundedTable
from evical.curves.newton import logistic_terms
from evical.curves.platt import soft_counts
from evical.errors import ConvergenceError
from evical.likelihood.polar import Axis
from evical.likelihood.profile_table import MassTable, fit_mass_table
from evical.likelihood.quadrature import around, halved
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


_LENGTH = 1.1  # of panels of ten Gauss nodes, in asinh(log-odds / pi): they err by 3.7**-20 = 4e-12
_LEVEL = 6.0  # standard errors by which the coefficients may be elsewhere
_END = 36.1  # log-odds of scores are cut off at about 36.04
_LEAST_UNIT = 1e-6  # of the table, in which log-odds of scores differ by more than rounding
# Spread of scores, relative to them, below which their features have too few digits for tables.
_FEW_DIGITS = 1e-3


@dataclass(frozen=True, eq=False)
class BetaProfile:
    """Profile likelihood of the log-odds at a score.

    Parameters
    ----------
    coefficients : (3,) array
        a, b and c at the optimum.
    parameters : {"abm", "am", "ab", "a"}
        Which of them are free.
    nodes, weights : (m,) arrays
        Log-odds of the scores, or a quadrature of the sample.
    slope : (3,) array
        Derivative of the log-likelihood at the optimum, 0 or negative in what is free.
    """

    coefficients: Floats
    parameters: str
    nodes: Floats
    weights: Floats
    slope: Floats

    @property
    def _has_midpoint(self) -> bool:
        return self.parameters.endswith("m")

    @cached_property
    def _origin(self) -> Floats:
        """Features (2,) of the score 1/2, or their means: differences cost no digits."""
        if not self._has_midpoint:
            return np.array([-np.log(2.0), np.log(2.0)])
        return np.asarray(beta_features(self.nodes)[:2] @ self.weights / self.weights.sum())

    @cached_property
    def _center(self) -> tuple[float, float]:
        """Mean and standard deviation of the scores."""
        share = self.weights / self.weights.sum()
        center = float(share @ self.nodes)
        return center, float(np.sqrt(share @ (self.nodes - center) ** 2))

    @property
    def _ties(self) -> Floats:
        """What is free (f, 2) of a and b."""
        return np.eye(2) if "b" in self.parameters else np.ones((1, 2))

    def _features(self, x: Floats) -> Floats:
        """Coefficients (k, d) of what is free in the log-odds less those at the origin."""
        if self._has_midpoint:
            found = (beta_features(x)[:2] - self._origin[:, None]).T
            return np.column_stack([found @ self._ties.T, np.ones_like(x)])
        if len(self._ties) == 1:
            return x[:, None]
        # As features rise from 1/2, without a difference of nearly equal numbers.
        return np.stack([-np.log1p(np.expm1(-x) / 2.0), np.log1p(np.expm1(x) / 2.0)], axis=1)

    @cached_property
    def linear(self) -> BoundedProfile:
        """The profile in what is free of a and b, and in the log-odds at the origin if they are."""
        ab, c, free = self.coefficients[:2], self.coefficients[2], len(self._ties)
        best, slope = ab[:free], self._ties @ (self.slope[:2] - self._origin * self.slope[2])
        if self._has_midpoint:
            best = np.append(best, c + ab @ self._origin)
            slope = np.append(slope, self.slope[2])
        axis = Axis(self._place(np.array([-_END, _END])), self._place, self._score)
        places = np.linspace(self.nodes[0], self.nodes[-1], len(best))
        return BoundedProfile(
            self._features,
            axis,
            self.nodes,
            self.weights,
            best,
            places,
            slope=slope,
            bounded=free,
        )

    def _place(self, x: Floats) -> Floats:
        center, spread = self._center
        return np.arctan((x - center) / (spread or 1.0))

    def _score(self, phi: Floats) -> Floats:
        center, spread = self._center
        return np.clip(center + (spread or 1.0) * np.tan(phi), -_END, _END)

    def at(self, x: Floats, log_odds: Floats) -> Floats:
        """Deviance of log-odds (k, q) at log-odds of scores (k,), perhaps infinite."""
        return self.linear.at(x, log_odds)

    def level_set(self, x: Floats, level: float) -> Floats:
        """Ends (2, k) of the probabilities with a plausibility of exp(-level) at least."""
        return self.linear.level_set(x, level)

    @property
    def one_score(self) -> bool:
        """Whether there is one score, about whose neighbors hardly anything is known."""
        return self._has_midpoint and len(self.nodes) == 1

    @property
    def scale(self) -> tuple[float, float]:
        """Origin and unit of the table, in log-odds of scores."""
        center, spread = self._center
        if not self._has_midpoint:
            center, spread = 0.0, float(np.hypot(center, spread))
        return center, float(np.clip(spread, _LEAST_UNIT * max(1.0, abs(center)), 1.0))

    def table(self) -> MassTable:
        """Masses over asinh of the log-odds of scores, in units of the scale."""
        if self.one_score:
            known = self.linear.mass_log_odds(self.nodes)
            return MassTable(np.array([-1.0, 1.0]), np.clip(known, -60.0, 60.0).T[:, :, None])
        center, spread = self._center
        profile: BoundedProfile | BoundedTable = self.linear
        if self._has_midpoint and spread >= _FEW_DIGITS * max(1.0, abs(center)):
            with suppress(ConvergenceError, np.linalg.LinAlgError):
                profile = self.linear.tabulated() or profile
        origin, unit = self.scale
        first, middle, last = np.arcsinh((np.array([-_END, 0.0, _END]) - origin) / unit)
        cuts = np.linspace(first, last, 7)
        # With a fixed midpoint, masses have a corner at the score 1/2.
        edges = cuts if self._has_midpoint else np.union1d(cuts, middle)

        def mass_log_odds(t: Floats) -> Floats:
            return profile.mass_log_odds(np.clip(origin + unit * np.sinh(t), -_END, _END))

        return fit_mass_table(mass_log_odds, edges)


def beta_profile(sample: ScoreCounts, fit: BetaFit, parameters: str, smooth: bool) -> BetaProfile:
    """Profile likelihood of a fit, with large samples reduced to a quadrature.

    Parameters
    ----------
    sample : ScoreCounts
        At log-odds of scores, as for `fit_beta`.
    fit : BetaFit
    parameters, smooth
        As for `fit_beta`.

    Returns
    -------
    BetaProfile

    Examples
    --------
    >>> from evical.curves.beta import beta_sample, fit_beta
    >>> sample = beta_sample(ScoreCounts.from_samples([0.2, 0.4, 0.6, 0.8], [0, 1, 0, 1]))
    >>> profile = beta_profile(sample, fit_beta(sample, "am", True), "am", True)
    >>> profile.at(np.array([0.0]), np.array([[0.0]])).round(9) + 0.0
    array([[0.]])
    """
    x, weights = sample.scores, sample.total
    downhill = logistic_terms(fit.log_odds(x), *soft_counts(sample, smooth))[1]
    slope = -np.einsum("dm,m->d", beta_features(x), downhill)
    plausible = around(fit.coefficients, fit.covariance, _LEVEL)
    # All maps increase. That with coefficients 1, 1, 0 has the singularities of the features.
    maps = np.concatenate([plausible, [2.0 * fit.coefficients, [1.0, 1.0, 0.0]]])
    maps[:, :2] = np.maximum(maps[:, :2], 0.0)

    def is_rough(left: Floats, right: Floats) -> NDArray[np.bool_]:
        first, last = (np.arcsinh(maps @ beta_features(end) / np.pi) for end in (left, right))
        return np.asarray((last - first > _LENGTH).any(axis=0))

    return BetaProfile(fit.coefficients, parameters, *halved(x, weights, is_rough), slope)
