"""Dirichlet-process mixtures: Bayes' rule on one Bayesian mixture of scores for each class.

Each class has a mixture of Gaussians with a Dirichlet process prior, so the data decide the number
of components; inference is variational (scikit-learn's). The density of a new score averages over
the posterior, which makes each component a Student t.

Source: M. Pakdaman Naeini, Obtaining accurate probabilities using classifier calibration
(2016), section 3.1; C. M. Bishop, Pattern recognition and machine learning (2006), eq. 10.81.
"""

import warnings
from dataclasses import dataclass
from functools import partial
from math import ulp
from typing import ClassVar

import numpy as np
from scipy.special import expit, gammaln
from sklearn.exceptions import ConvergenceWarning

from dstheory.checks.arguments import check_count
from evical._fitting import number, optional
from evical._typing import Floats
from evical.calibrators import fields
from evical.calibrators._base import BaseCalibrator
from evical.calibrators.models import check_size
from evical.errors import ConvergenceError
from evical.scores import ScoreCounts
from evical.scores.scale import location_scale, standardized

_NAMES = ("negative", "positive")
_GREATEST = float(np.finfo(np.float64).max)
_LEAST = 1e-300  # scale of a density; closer scores count as one
_SAME = 1e-6  # standard deviations
_MAX_STEPS = 2000  # of variational inference, which gains in each until it gains less than 0.001
_FAR = 1e300  # scales; the log-density there is that of any farther score, but for a constant


@dataclass(kw_only=True, eq=False, repr=False)
class DPMCalibrator(BaseCalibrator):
    """Calibration by Dirichlet-process mixtures of both classes.

    Parameters
    ----------
    n_components : int
        Maximal number of components of a class; the Dirichlet process leaves unneeded ones empty.
    concentration : float, optional
        Concentration of the Dirichlet process; larger values favor more components. By default
        1 / `n_components`.
    max_points : int
        A class of greater weight is represented by this many quantiles of its scores, see Notes.
    random_state : int or None
        Seed of the clustering from which inference starts.
    transform : {"auto", None, "logit", "sigmoid", "rank"}
        Scale on which scores are read; "auto" takes the sigmoid of standardized scores, if one in
        training lies outside [0, 1] (the thesis that of margins), and otherwise leaves scores as
        they are. None always leaves them; "logit" takes log-odds of probabilities, and "rank" ranks
        among the training scores.
    extrapolate : bool
        Whether scores beyond the calibration data follow the fitted function. False reads them as
        the least or the greatest calibration score, so that nothing beyond is more certain.

    Attributes
    ----------
    classes_ : (2,) array
    weights_, means_, scales_, degrees_ : dict of arrays
        For "negative" and "positive", the Student t components of the predictive density.
    prior_ : float
        Log-odds of the positive class among all samples.

    Notes
    -----
    P(1 | s) follows from Bayes' rule (eq. 3.1), computed with logarithms. The mixture takes no
    sample weights. It is fitted to the quantiles (i - 1/2) / M of the weighted scores of a class,
    where M is the weight of the class, at most `max_points`. If weights are whole numbers these are
    the samples themselves. For large samples the posterior is that of `max_points` samples, wider
    than necessary.

    A class with one distinct score has one component, with the variance of all scores as its prior.
    If all scores are equal, the probability is the share of the positive class.

    References
    ----------
    M. Pakdaman Naeini (2016), section 3.1. Blei & Jordan (2006), Variational inference for
    Dirichlet process mixtures, Bayesian Analysis 1, 121-143.

    Examples
    --------
    >>> scores, y = [-3, -2, -1, 1, 2, 3], [0, 0, 0, 1, 1, 1]
    >>> DPMCalibrator(n_components=1, transform=None).fit(scores, y).predict_proba([0])
    array([[0.5, 0.5]])
    """

    _ranges: ClassVar = {
        "n_components": check_size,
        "concentration": optional(number("None or a positive number", lambda x: 0 < x < np.inf)),
        "max_points": partial(check_size, least=2),
        "random_state": optional(check_count),
    }
    _state: ClassVar = {"prior_": fields.log_odds()} | {
        f"{name}.{owner}": field
        for owner, size in (("negative", "m"), ("positive", "k"))
        for name, field in (
            ("weights_", fields.shares(size)),
            ("means_", fields.finite(size)),
            ("scales_", fields.positive(size)),
            ("degrees_", fields.Field((size,), 1e-16, 2.0**54)),
        )
    }

    n_components: int = 10
    concentration: float | None = None
    max_points: int = 2000
    random_state: int | None = 0
    transform: str | None = "auto"
    extrapolate: bool = True

    def _fit_counts(self, counts: ScoreCounts) -> None:
        center, scale = location_scale(counts.scores, counts.total)
        # A few roundings, if all scores are equal.
        scale = max(scale, 4 * ulp(np.abs(counts.scores[[0, -1]]).max()), 1e-290)
        self.prior_ = float(np.log(counts.n_positive) - np.log(counts.n_negative))
        parts = {}
        for name, weights in zip(_NAMES, (counts.negative, counts.positive), strict=True):
            used = weights > 0
            z = standardized(counts.scores[used], center, scale)
            if len(counts) == 1:
                weights = counts.total  # the same density for both, so that the prior remains
            parts[name] = self._components(z, weights[used])
        self.weights_ = {name: part.weights for name, part in parts.items()}
        self.means_ = {name: _placed(center, scale, part) for name, part in parts.items()}
        self.scales_ = {
            name: 4 * np.clip(scale / 4 * part.scales, _LEAST, _GREATEST / 4)
            for name, part in parts.items()
        }
        self.degrees_ = {name: part.degrees for name, part in parts.items()}

    def _components(self, z: Floats, weights: Floats) -> "_Components":
        """Predictive components of the standardized scores of one class."""
        if len(z) == 1:
            return _single(float(z[0]), float(weights.sum()))
        points = _representatives(z, weights, self.max_points)
        if points[0] == points[-1]:
            return _single(float(points[0]), float(weights.sum()))
        from sklearn.mixture import BayesianGaussianMixture  # a fifth of all that is imported

        mean, spread = points.mean(), points.std()
        # Closer points are one to k-means, which works with squares of distances.
        distinct = 1 + int((np.diff(points) > _SAME * spread).sum())
        mixture = BayesianGaussianMixture(
            n_components=min(self.n_components, distinct),
            weight_concentration_prior_type="dirichlet_process",
            weight_concentration_prior=self.concentration,
            max_iter=_MAX_STEPS,
            random_state=self.random_state,
        )
        with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
            mixture.fit(((points - mean) / spread)[:, np.newaxis])
        if not mixture.converged_:
            raise ConvergenceError(
                f"the mixture of {mixture.n_components} components still gains after {_MAX_STEPS} "
                "rounds of variational inference; take fewer n_components, or more samples"
            )
        # Bishop's eq. 10.81 in one dimension, in terms of scikit-learn's attributes.
        variances = mixture.covariances_[:, 0, 0] * (1 + 1 / mixture.mean_precision_)
        return _Components(
            mixture.weights_,
            mean + spread * mixture.means_[:, 0],
            spread * np.sqrt(variances),
            mixture.degrees_of_freedom_,
        )

    def _predict_positive(self, scores: Floats) -> Floats:
        negative, positive = (
            _log_density(
                scores, self.weights_[c], self.means_[c], self.scales_[c], self.degrees_[c]
            )
            for c in _NAMES
        )
        return np.asarray(expit(self.prior_ + positive - negative))

    def _landmarks(self) -> Floats:
        reach = np.array([[-1.0], [0.0], [1.0]])
        with np.errstate(over="ignore"):
            turns = [np.ravel(self.means_[c] + reach * self.scales_[c]) for c in _NAMES]
        return np.concatenate(turns)

    def _check_state(self) -> None:
        self.prior_ = float(self.prior_)
        for name in _NAMES:
            if not self.weights_[name].any():
                raise ValueError(
                    f"saved calibrator is damaged: the {name} mixture is not a valid one"
                )


@dataclass(frozen=True, eq=False)
class _Components:
    """Student t components: weights, means, scales and degrees of freedom, (k,) each."""

    weights: Floats
    means: Floats
    scales: Floats
    degrees: Floats


def _single(z: float, weight: float) -> _Components:
    """One component on one distinct score: the conjugate update of a variance of 1."""
    count = 1 + weight  # scikit-learn's priors weigh as much as one sample
    variance = (1 + 1 / count) / count
    return _Components(np.ones(1), np.array([z]), np.array([np.sqrt(variance)]), np.array([count]))


def _placed(center: float, scale: float, part: "_Components") -> Floats:
    """Means of components on the scale of the scores, in quarters: on the way they may overflow."""
    means = center / 4 + scale / 4 * part.means
    return np.asarray(4 * np.clip(means, -_GREATEST / 4, _GREATEST / 4))


def _representatives(z: Floats, weights: Floats, most: int) -> Floats:
    """Quantiles of weighted sorted scores, as many as their weight (or their number) is."""
    total = float(weights.sum())
    size = min(max(int(np.ceil(min(total, most))), len(z)), most)
    levels = (np.arange(size) + 0.5) / size * total
    chosen = np.searchsorted(np.cumsum(weights), levels, side="right")
    return np.asarray(z[np.minimum(chosen, len(z) - 1)])


def _log_density(
    scores: Floats, weights: Floats, means: Floats, scales: Floats, degrees: Floats
) -> Floats:
    """Log-density (q,) of a mixture of Student t distributions."""
    constant = (
        gammaln((degrees + 1) / 2) - gammaln(degrees / 2) - np.log(np.pi * degrees) / 2
    ) - np.log(scales)
    with np.errstate(divide="ignore"):  # an empty component counts as log 0
        constant = constant + np.log(weights)
    total = np.full(len(scores), -np.inf)
    for c, mean, scale, df in zip(constant, means, scales, degrees, strict=True):
        # Logarithms of each component, without squares: no score is too far away.
        with np.errstate(over="ignore"):  # cut off first, since two infinities have no ratio
            z = np.minimum(np.abs(scores / 2 - mean / 2) / scale * 2, _FAR)
        total = np.logaddexp(total, c - (df + 1) * np.log(np.hypot(1.0, z / np.sqrt(df))))
    return total
