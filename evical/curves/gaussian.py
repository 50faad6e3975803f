"""Normal densities of the scores of each class, and what they leave open about the log-odds.

Two normal densities and the share of positives give the log-odds at a score by Bayes' rule, a
polynomial of second degree. As an exponential family, in which the log-odds at a score are linear,
it has a profile likelihood in closed form: the best densities with given log-odds at a score are
those fitted after moving some weight there from the negatives to the positives. Only how much to
move is searched for. What a move changes is a sum of terms of one sign, which keeps its digits
where the log-odds themselves are huge, as they are far from the data or beside weights of other
sizes.

Source: Gebel (2009), section 4.3.2, for the model; the profile is derived here.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evical._typing import Floats
from evical.errors import ConvergenceError
from evical.likelihood.integrals import NO_PROFILE
from evical.likelihood.level_set import level_set
from evical.likelihood.polar import TURN, Axis
from evical.likelihood.profile_table import MassTable, fit_mass_table, mass_log_odds, tabulated
from evical.scores.counts import ScoreCounts
from evical.scores.scale import location_scale, standardized

_FAR = 1e100  # units beyond which squares would overflow
LEAST_VARIANCE = 1e-290  # units; below, all scores of a class are one to rounding
_WIDE = 1e300  # variance of a density that is the same everywhere, even that far away


@dataclass(frozen=True, eq=False)
class GaussianFit:
    """Weights, means and variances of both classes (negative first), in standard units.

    Parameters
    ----------
    center, scale : float
        Standard units are ``(score - center) / scale``.
    weights, means, variances : (2,) arrays
        Variances are sums of squares divided by the weight (maximum likelihood).
    known : bool
        Whether the variances had to be taken from elsewhere, because the scores of a class do
        not vary.
    common : bool
        Whether both classes share one variance.
    """

    center: float
    scale: float
    weights: Floats
    means: Floats
    variances: Floats
    known: bool
    common: bool

    @property
    def origin(self) -> float:
        """As many deviations from one mean as from the other: there the log-odds change fastest.

        With very unequal deviations it is at the mean of the narrow class.
        """
        return float(self.means[0] - self.offsets[0])

    @property
    def offsets(self) -> Floats:
        """Means (2,) less the origin."""
        d0, d1 = np.sqrt(self.variances)
        return np.asarray(np.array([-d0, d1]) / (d0 + d1) * (self.means[1] - self.means[0]))

    def standardize(self, scores: Floats) -> Floats:
        """Scores in standard units."""
        return np.clip(standardized(scores, self.center, self.scale), -_FAR, _FAR)

    def sample_variances(self) -> Floats:
        """Variances with sums of squares divided by the degrees of freedom, as the thesis has."""
        if self.known:
            return self.variances
        total = self.weights.sum() if self.common else self.weights
        return np.asarray(self.variances * total / (total - (2.0 if self.common else 1.0)))

    def log_odds(self, scores: Floats, variances: Floats) -> Floats:
        """Log-odds of the positive class, given the variances to use."""
        z = self.standardize(scores)
        prior = np.log(self.weights[1]) - np.log(self.weights[0])
        (r0, r1), (m0, m1) = 1.0 / variances, self.means
        # As a polynomial: differences of squares of far scores would cancel.
        bend = 0.0 if self.common else 0.5 * (r0 - r1)
        middle = prior + 0.5 * np.log(variances[0] / variances[1]) + 0.5 * (r0 * m0**2 - r1 * m1**2)
        return np.asarray(middle + z * ((r1 * m1 - r0 * m0) + bend * z))


def fit_gaussian(counts: ScoreCounts, common: bool) -> GaussianFit:
    """Fit a normal density to the scores of each class.

    Parameters
    ----------
    counts : ScoreCounts
        With both classes.
    common : bool
        Whether to use one variance, that within the classes.

    Returns
    -------
    GaussianFit

    Notes
    -----
    A class whose scores do not vary (one member, or a weight of at most 1) takes the variance of
    the other class. If neither varies, both take that of all scores; if that is zero too, scores
    tell nothing, and a very large variance leads to the prior everywhere.

    Examples
    --------
    >>> counts = ScoreCounts.from_samples([-2, 0, 1, 3], [0, 0, 1, 1])
    >>> fit = fit_gaussian(counts, common=False)
    >>> fit.center + fit.scale * fit.means
    array([-1.,  2.])
    >>> fit.log_odds(np.array([0.5, 1.5]), fit.sample_variances())
    array([0. , 1.5])
    """
    # By weight: a light outlier must not leave the others without digits.
    center, scale = location_scale(counts.scores, counts.total)
    if scale == 0.0:
        scale = max(abs(center), 1.0)
    z = standardized(counts.scores, center, scale)
    moments = np.array([_moments(z, w) for w in (counts.negative, counts.positive)])
    weights, means, variances = np.ascontiguousarray(moments.T)
    total = weights.sum()
    varies = (variances > 0.0) & (weights > 1.0)
    if not varies.any():
        spread = _moments(z, counts.total)[2]
        variances = np.full(2, spread or _WIDE)
    elif common:
        variances = np.full(2, weights @ variances / total)
    else:
        variances = np.where(varies, variances, variances[::-1])
    known = not varies.any() or not (varies.all() or common) or bool(common and total <= 2.0)
    return GaussianFit(center, scale, weights, means, variances, known, common)


def _moments(z: Floats, weights: Floats) -> tuple[float, float, float]:
    """Weight, mean and variance; a variance within rounding of the mean is none."""
    total = float(weights.sum())
    share = weights / total
    mean = float((share * z).sum())
    spread = z - mean
    variance = float((share * spread**2).sum())
    used = z[weights > 0.0]
    return total, mean, variance if used[0] != used[-1] and variance >= LEAST_VARIANCE else 0.0


_Two = tuple[Floats, Floats]
_Three = tuple[Floats, Floats, Floats]

_FARTHEST = 1e30  # nothing is known from 1e10 on, and squares of this are finite
_REACH = 1e8  # standard deviations; beyond, the masses are within 1e-7 of their limits
_SQUARE = 1e100  # of a distance in deviations: what is known has long reached its limit there
_MAX_STEPS = 100
# Moves as shares of what is left. Above, what is asked for has lost all plausibility; below, none.
_LEAST, _LAST = 1e-300, 1e15
_PATIENCE = 10  # steps; then every third one halves the bracket
_ERROR = 1e-12  # of a deviance, relative to it
_ROUNDING = 1e-13  # of a change of log-odds, relative to it


class _Sides(NamedTuple):
    """The classes at scores (k,), that which gains weight and that which loses it.

    Weights `n`, squared distances `r` of the score from the mean, in variances, and `delta`, that
    of the gaining class less that of the losing one. The log-odds of the gaining class would be
    `prior` if both distances were 0. At most ``1 / inverse_end`` can be moved, and
    ``1 / inverse_back`` in the other direction; a share `room` of the losing class stays there.
    """

    n_gains: Floats
    n_loses: Floats
    r_gains: Floats
    r_loses: Floats
    delta: Floats
    prior: Floats
    inverse_end: Floats
    inverse_back: Floats
    room: Floats


class _Moved(NamedTuple):
    """After a move of `weight`: the change of the log-odds, its derivative, and the deviance.

    `log_odds` are those of the gaining class, and `size` is that of the numbers they are made of.
    """

    weight: Floats
    change: Floats
    log_odds: Floats
    size: Floats
    slope: Floats
    deviance: Floats


@dataclass(frozen=True, eq=False)
class GaussianProfile:
    """Profile likelihood of the log-odds at a score.

    Parameters
    ----------
    fit : GaussianFit
        Scores `z` are distances from its `origin`, in standard units: between two narrow classes
        the distances have digits that the scores have not.

    Notes
    -----
    Let a sample have n1 positives and n0 negatives, and let a weight kappa be moved at score s:
    the maximum of ``log L + kappa * eta(s)``, eta being the log-odds, is the fit to the sample
    with kappa positives more at s and kappa negatives less. The log-likelihood is concave in the
    natural parameters of the joint density of score and label, and eta is linear in them, so this
    is the most likely model of all that have its log-odds at s; kappa runs through those that
    leave all weights and variances positive, and the log-odds through the whole real line. Where
    the variances are known they stay as they are, and the same holds.

    So any kappa proves its own log-odds and deviance. The search for those that are asked for ends
    where convexity bounds the error of the deviance by 1e-12 of it, or with an error.
    """

    fit: GaussianFit

    @property
    def dimension(self) -> int:
        """Number of coefficients of the log-odds in the score."""
        return 2 if self.fit.known or self.fit.common else 3

    @property
    def narrow(self) -> float:
        """Unit in which directions turn, the deviation of the narrower class."""
        return min(float(np.sqrt(self.fit.variances.min())), 1.0)

    @property
    def axis(self) -> Axis:
        """Directions turn as those of parabolas."""
        unit = self.narrow
        return Axis(TURN.edges, lambda z: np.arctan(z / unit), lambda phi: unit * np.tan(phi))

    @property
    def unit(self) -> float:
        """Standard error of the log-odds at the means."""
        return float(self.spread(self.fit.offsets).min())

    def mle(self, z: Floats) -> Floats:
        """Most plausible log-odds at scores."""
        return np.asarray(self._prior - 0.5 * self._squares(z)[1])

    @property
    def _prior(self) -> float:
        """Log-odds where the score is as many deviations from one mean as from the other."""
        (n0, n1), (v0, v1) = self.fit.weights, self.fit.variances
        return float(np.log(n1) - np.log(n0) + 0.5 * (np.log(v0) - np.log(v1)))

    def profile(
        self, along: Floats, z: Floats, across: Floats, atol: float = _ERROR
    ) -> tuple[Floats, Floats]:
        """Minus the log relative likelihood at distances (k,) in standard errors.

        `across` is what other models search, and nothing here; the error is 1e-12 whatever `atol`.
        """
        log_odds = self.mle(z) + along * self.spread(z)
        return self.at(z, log_odds[:, None])[:, 0], across

    def table(self) -> MassTable:
        """Masses over asinh of the score in deviations of the narrower class, or 1 if less."""
        unit, widest = self.narrow, float(np.sqrt(self.fit.variances.max()))
        end, rays = float(np.arcsinh(_REACH * min(widest / unit, _REACH))), tabulated(self)
        return fit_mass_table(
            lambda x: mass_log_odds(rays, unit * np.sinh(x)), np.linspace(-end, end, 9)
        )

    def level_set(self, z: Floats, level: float) -> Floats:
        """Ends (2, k) of the probabilities with a plausibility of exp(-level) at least."""
        return level_set(z, self.mle(z), self.spread(z), self.at, level)

    def spread(self, z: Floats) -> Floats:
        """Standard error of the log-odds at scores."""
        (r0, r1), delta = self._squares(z)
        n0, n1 = self.fit.weights
        return np.asarray(np.sqrt(self._variance(n0, n1, r0, r1, delta)))

    def at(self, z: Floats, log_odds: Floats) -> Floats:
        """Minus the log relative likelihood of log-odds (k, q) at scores (k,)."""
        wanted = log_odds.ravel()
        z = np.repeat(z, log_odds.shape[1])
        gap = wanted - self.mle(z)
        rises = gap >= 0.0
        sides = self._sides(z, rises)
        return self._solve(sides, np.where(rises, wanted, -wanted), np.abs(gap)).reshape(
            log_odds.shape
        )

    def _squares(self, z: Floats) -> tuple[Floats, Floats]:
        """Squared distances (2, k) from both means in variances, and their difference (k,)."""
        z = np.clip(z, -_FARTHEST, _FARTHEST)
        means, (v0, v1) = self.fit.offsets, self.fit.variances
        with np.errstate(over="ignore"):
            r = np.minimum((z - means[:, None]) ** 2 / self.fit.variances[:, None], _SQUARE)
            if v0 != v1:
                return r, r[1] - r[0]
            delta = (means[0] - means[1]) / v0 * (2.0 * z - means.sum())
        return r, np.clip(delta, -_SQUARE, _SQUARE)

    def _variance(
        self, n_gains: Any, n_loses: Any, r_gains: Floats, r_loses: Floats, delta: Floats
    ) -> Floats:
        """Of the log-odds: their derivative in the weight moved."""
        if not (self.fit.known or self.fit.common):
            gains, loses = (1.5 + 0.5 * r * r for r in (r_gains, r_loses))
            return np.asarray(gains / n_gains + loses / n_loses)
        slope = (1.0 + r_gains) / n_gains + (1.0 + r_loses) / n_loses
        if self.fit.known:
            return np.asarray(slope)
        return np.asarray(slope + 0.5 * delta * delta / self.fit.weights.sum())

    def _sides(self, z: Floats, rises: NDArray[np.bool_]) -> _Sides:
        """The classes at scores, for log-odds that rise (the positives gain weight) or fall."""
        (r0, r1), delta = self._squares(z)
        n0, n1 = self.fit.weights
        a, b = np.where(rises, r1, r0), np.where(rises, r0, r1)
        gains, loses = np.where(rises, n1, n0), np.where(rises, n0, n1)
        delta = np.where(rises, delta, -delta)
        prior = np.where(rises, self._prior, -self._prior)
        if self.fit.known:
            end, back, room = 1.0 / loses, 1.0 / gains, np.zeros_like(z)
        elif not self.fit.common:
            end, back, room = (1.0 + b) / loses, (1.0 + a) / gains, b / (1.0 + b)
        else:
            # The variance vanishes at the roots of 1 + slope * kappa - bend * kappa**2.
            n = self.fit.weights.sum()
            slope = 1.0 / gains - 1.0 / loses + delta / n
            bend = 1.0 / (gains * loses) + a / n / loses + b / n / gains
            greater = 0.5 * (np.abs(slope) + np.hypot(slope, 2.0 * np.sqrt(bend)))
            end = np.where(slope < 0.0, greater, bend / greater)
            back = bend / end
            room = b / n / end / (1.0 + a / n / (end + 1.0 / gains))
        return _Sides(gains, loses, a, b, delta, prior, end, back, room)

    def _solve(self, sides: _Sides, wanted: Floats, gap: Floats) -> Floats:
        """Deviance (k,) where the log-odds of the gaining class are as wanted, `gap` further.

        Newton's method in the logarithms of the gap and of ``u = kappa / (end - kappa)``, kept to
        a bracket. The tangent at what is found is below the convex deviance, by half the squared
        error of the log-odds in units of their standard error.
        """
        first = np.minimum(gap / self._variance(*sides[:5]) * sides.inverse_end, 0.5)
        u = np.maximum(first / (1.0 - first), _LEAST)
        low, high = np.full_like(u, _LEAST), np.full_like(u, _LAST)
        result, left = np.empty_like(u), np.arange(len(u))
        for step in range(_MAX_STEPS):
            moved = self._moved(_Sides(*(side[left] for side in sides)), u)
            # Of two sums that are the same, that of the smaller numbers.
            direct = moved.size < gap[left]
            error = np.where(direct, wanted[left] - moved.log_odds, gap[left] - moved.change)
            result[left] = moved.deviance + moved.weight * error
            low, high = np.where(error > 0.0, u, low), np.where(error > 0.0, high, u)
            near = error * error <= _ERROR * moved.slope * moved.deviance
            near |= np.abs(error) <= _ROUNDING * np.minimum(moved.size, gap[left])
            more = ~near & (low < _LAST) & (high > _LEAST) & (np.nextafter(low, high) < high)
            if not more.any():
                return np.maximum(result, 0.0)
            left, u, low, high = left[more], u[more], low[more], high[more]
            moved, error = _Moved(*(part[more] for part in moved)), error[more]
            u = _next(u, (low, high), step, error, moved)
        raise ConvergenceError(NO_PROFILE)

    def _moved(self, sides: _Sides, u: Floats) -> _Moved:
        """What a move to ``u = kappa / (end - kappa)`` changes."""
        kappa = u / (1.0 + u) / sides.inverse_end
        gained, lost = kappa / sides.n_gains, kappa / sides.n_loses
        kept = (1.0 + sides.room * u) / (1.0 + u)  # 1 - lost
        logs = np.log1p(gained), _log(-lost, kept)
        if self.fit.known or self.fit.common:
            return self._moved_equal(sides, u, kappa, (gained, lost, kept), logs)
        return _moved_unequal(sides, u, kappa, (gained, lost, kept), logs)

    def _moved_equal(
        self, sides: _Sides, u: Floats, kappa: Floats, shares: _Three, logs: _Two
    ) -> _Moved:
        """As `_moved`, if both classes have one variance; `q` are `r` after the move."""
        gained, lost, kept = shares
        a, b, delta = sides.r_gains, sides.r_loses, sides.delta
        n, grown, apart = self.fit.weights.sum(), 1.0 + gained, gained + lost
        if self.fit.known:
            ratio, rise = np.ones_like(u), np.zeros_like(u)  # of the variance, and less 1
        else:
            ratio = (1.0 + kappa * sides.inverse_back) / (1.0 + u) / (grown * kept)
            rise = kappa / n * (delta / grown - b * apart / (grown * kept))
        x_gains, x_loses = grown**2 * ratio, kept**2 * ratio
        q_gains, q_loses = a / x_gains, b / x_loses
        bent = apart * (2.0 + gained - lost) / (x_gains * kept**2)
        # The squared distances fall by a (1 - 1 / x) and rise by b (1 / x - 1); what they have in
        # common is taken together, as for far scores it is nearly all.
        fall = (gained * (2.0 + gained) + grown**2 * rise) / x_gains
        growth = (lost * (2.0 - lost) - kept**2 * rise) / x_loses
        change = np.where(delta >= 0.0, delta * fall + b * bent, a * bent - delta * growth)
        spread = sides.n_gains * a * (gained / grown) ** 2 + sides.n_loses * b * (lost / kept) ** 2
        if self.fit.known:
            scores = 0.5 * spread
        else:
            scores = 0.5 * n * (_log(rise, ratio) - rise / ratio) + 0.5 * spread / ratio
        deviance = scores - sides.n_gains * logs[0] - sides.n_loses * logs[1]
        near, far = delta / x_gains, b * bent
        w_gains, w_loses = sides.n_gains * grown, sides.n_loses * kept
        slope = self._variance(w_gains, w_loses, q_gains, q_loses, near - far)
        share = logs[0] - logs[1]
        log_odds = sides.prior + share - 0.5 * (near - far)
        size = np.abs(sides.prior) + share + 0.5 * (np.abs(near) + far)
        return _Moved(kappa, share + 0.5 * change, log_odds, size, slope, deviance)


def _moved_unequal(sides: _Sides, u: Floats, kappa: Floats, shares: _Three, logs: _Two) -> _Moved:
    """As `GaussianProfile._moved`, if each class has its own variance."""
    gained, lost, kept = shares
    a, b = sides.r_gains, sides.r_loses
    wide = gained * (1.0 + a)
    log_wide, log_narrow = np.log1p(wide), np.log1p(u)
    share, grown = 2.0 * (logs[0] - logs[1]), 0.5 * (log_wide + log_narrow)
    change = share - grown + 0.5 * (a * (wide / (1.0 + wide)) + b * u)
    gains = log_wide - 4.0 * logs[0] + (2.0 * gained + gained * wide - wide) / (1.0 + wide)
    loses = u - lost * (2.0 + u) - log_narrow - 4.0 * logs[1]
    deviance = 0.5 * (sides.n_gains * gains + sides.n_loses * loses)
    q_gains, q_loses = a / (1.0 + wide), b * (1.0 + u)
    w_gains, w_loses = sides.n_gains * (1.0 + gained), sides.n_loses * kept
    slope = (1.5 + 0.5 * q_gains**2) / w_gains + (1.5 + 0.5 * q_loses**2) / w_loses
    log_odds = sides.prior + share - grown - 0.5 * (q_gains - q_loses)
    size = np.abs(sides.prior) + share + grown + 0.5 * (q_gains + q_loses)
    return _Moved(kappa, change, log_odds, size, slope, deviance)


def _next(u: Floats, bracket: _Two, step: int, error: Floats, moved: _Moved) -> Floats:
    """Newton's step in log(u), or half the bracket."""
    low, high = bracket
    growth = moved.slope * moved.weight / ((1.0 + u) * moved.change)
    with np.errstate(over="ignore"):
        new = u * np.exp(np.log1p(np.maximum(error / moved.change, -0.999)) / growth)
    halved = ~((new > low) & (new < high)) | (step > _PATIENCE and step % 3 == 0)
    return np.asarray(np.where(halved, np.sqrt(low) * np.sqrt(high), new))


def _log(less_one: Floats, number: Floats) -> Floats:
    """log(number), with the digits of number - 1."""
    return np.where(less_one > -0.5, np.log1p(np.maximum(less_one, -0.5)), np.log(number))
