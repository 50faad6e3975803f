"""`EvidentialRegressor`: prototypes are pieces of evidence about a real response.

Source: Denoeux (2023), Quantifying prediction uncertainty in regression using random fuzzy sets:
the ENNreg model, IEEE Trans. Fuzzy Systems 31, 3690-3699.

Samples are fitted in standard units, with penalties chosen by folds. Belief intervals are stretched
by one factor until they cover held-out responses: errors in units of the half width of intervals
are exchangeable, so a quantile of those of held-out samples covers a new one (split conformal
prediction with normalized residuals).

Source: Lei, G'Sell, Rinaldo, Tibshirani & Wasserman (2018), Distribution-free predictive inference
for regression, J. American Statistical Association 113, 1094-1111.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import product, starmap
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import Bounds
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.cluster import KMeans
from sklearn.model_selection import KFold
from sklearn.utils.validation import check_is_fitted

from dstheory.checks.arguments import check_count, check_degree, check_level, check_rows
from dstheory.inference import GRFN
from dstheory.kernels.batches import blocks
from evical._fitting import (
    NOT_NEGATIVE,
    POSITIVE,
    all_or_nothing,
    as_random_state,
    check_declared,
    optional,
    up_to,
)
from evical._typing import Floats, RandomState, SamplesLike
from evical.curves.descent import descend
from evical.learners._features import (
    distinct_rows,
    on_grid,
    read_features,
    read_responses,
    read_weights,
)
from evical.learners._regress_loss import Kind, Loss
from evical.learners._regress_network import CHUNK, Network, Objective, Penalties, forward

XI = (0.0, 0.01, 0.1)
RHO = (0.1, 1.0, 10.0)
SLOPE = (0.0, 2.0)

_FIRST_H = 4.0
"""Precision of prototypes at the start, for responses of variance 1 (as in evreg)."""

_RIDGE = 0.01
"""Added to variances of features, for responses of variance 1, where lines start."""

# Beyond these, for standard units, nothing changes any more: memberships are narrower than the
# intervals of responses, or a prototype speaks of one point only.
_GREATEST_LOG_GAMMA = 7.0
_LOG_H = -30.0
_GREATEST_H_EPSILON2 = 100.0
_LEAST_SIGMA_BY_EPSILON = 0.5
_GREATEST_LOG_SIGMA = 5.0


class Sample(NamedTuple):
    """Features (n, p), responses (n,), weights (n,) of sum 1, and how many samples they are."""

    X: Floats
    y: Floats
    weight: Floats
    size: float

    @classmethod
    def distinct(cls, X: Floats, y: Floats, weight: Floats) -> Self:
        """Each row once, as of `distinct_rows`.

        Examples
        --------
        >>> Sample.distinct(np.array([[2.0], [1.0], [2.0]]), np.zeros(3), np.ones(3)).weight * 3
        array([1., 2.])
        """
        rows, total = distinct_rows(np.column_stack([X, y]), weight)
        size = float(total.sum())
        return cls(rows[:, :-1], rows[:, -1], total / size, size)

    def part(self, rows: NDArray[np.intp]) -> Sample:
        """Some of the rows."""
        weight = self.weight[rows]
        share = float(weight.sum())
        return Sample(self.X[rows], self.y[rows], weight / share, self.size * share)


@dataclass(frozen=True, eq=False)
class Units:
    """Means and scales of features (p,) and of the response.

    Parameters
    ----------
    center, scale : (p,) array
    y_center, y_scale : float
    """

    center: Floats
    scale: Floats
    y_center: float
    y_scale: float

    @classmethod
    def of(cls, sample: Sample, standardize: bool) -> Self:
        """Standard deviations; without `standardize`, one root mean variance for all features."""
        X, y, weight, _ = sample
        center, y_center = weight @ X, float(weight @ y)
        # By the range first: squares of large numbers overflow.
        size = np.maximum(abs(X - center).max(axis=0), np.finfo(np.float64).tiny)
        scale = np.sqrt(weight @ ((X - center) / size) ** 2) * size
        if not standardize:
            most = scale.max()
            scale = np.full_like(scale, np.sqrt(((scale / (most or 1)) ** 2).mean()) * most)
        y_size = float(abs(y - y_center).max()) or 1.0
        y_scale = float(np.sqrt(weight @ ((y - y_center) / y_size) ** 2)) * y_size
        middle, unit = _unless_constant(y, y_center, y_scale)
        return cls(*_unless_constant(X, center, scale), float(middle), float(unit))

    def features(self, X: Floats) -> Floats:
        return np.asarray((X - self.center) / self.scale)

    def sample(self, sample: Sample) -> Sample:
        X, y, weight, size = sample
        y = (y - self.y_center) / self.y_scale
        return Sample.distinct(on_grid(self.features(X)), on_grid(y), weight * size)


def _unless_constant(values: Floats, center: Any, scale: float) -> tuple[Floats, Floats]:
    """Center and scale; of equal values, up to rounding, they are the first one and 1."""
    constant = scale <= 1e-14 * abs(center)
    first = values[0]
    unit = np.maximum(1.0, abs(values - first).max(axis=0, where=constant, initial=0))
    return np.where(constant, first, center), np.where(constant, unit, scale)


@dataclass(frozen=True, eq=False)
class Search:
    """How networks are fitted.

    Parameters
    ----------
    n_prototypes : int
    loss : Loss
    reach : float
        Greatest 1 / gamma, in root mean squared distances of two samples.
    n_init, max_iter : int
    tol : float
    """

    n_prototypes: int
    loss: Loss
    reach: float
    n_init: int
    max_iter: int
    tol: float


@dataclass(frozen=True, eq=False)
class Fit:
    """A network, its loss with penalties, and the number of steps."""

    network: Network
    loss: float
    n_iter: int


@dataclass(frozen=True, eq=False)
class Tuned:
    """Penalties, with the errors (xi, rho, slope) that decided, if there was a choice."""

    penalties: Penalties
    errors: Floats | None


def fit_network(search: Search, sample: Sample, penalties: Penalties, starts: list[Network]) -> Fit:
    """The network of least loss, from several starts.

    Parameters
    ----------
    search : Search
    sample : Sample
        In standard units.
    penalties : Penalties
    starts : list of Network

    Returns
    -------
    Fit
    """
    objective = Objective(*sample, search.loss, penalties)
    return min((_descend(search, objective, start) for start in starts), key=lambda fit: fit.loss)


def _descend(search: Search, objective: Objective, start: Network) -> Fit:
    def value(vector: Floats) -> tuple[float, Floats]:
        loss, gradient = objective(start.unpacked(vector))
        return loss, gradient.packed()

    with np.errstate(under="ignore"):  # far prototypes have no share
        found = descend(
            value,
            start.packed(),
            bounds=_bounds(start, search, objective),
            options={"maxiter": search.max_iter, "ftol": search.tol, "gtol": 1e-7},
        )
    return Fit(start.unpacked(found.x), float(found.fun), int(found.nit))


def _bounds(network: Network, search: Search, objective: Objective) -> Bounds:
    epsilon = search.loss.epsilon
    low = Network(*(np.full_like(part, -np.inf) for part in network))
    high = Network(*(np.full_like(part, np.inf) for part in network))
    low.log_sigma[:] = np.log(_LEAST_SIGMA_BY_EPSILON * epsilon)
    high.log_sigma[:] = max(_GREATEST_LOG_SIGMA, np.log(epsilon))
    low.log_h[:], high.log_h[:] = _LOG_H, np.log(_GREATEST_H_EPSILON2 / epsilon**2)
    apart = np.sqrt(2 * float(objective.weight @ (objective.X**2).sum(axis=1)) or 1.0)
    slowest = -np.log(search.reach * apart)
    low.log_gamma[:] = slowest
    high.log_gamma[:] = max(_GREATEST_LOG_GAMMA, slowest)
    # A prototype beyond the samples would be precise where there are none.
    low.centers[:], high.centers[:] = objective.X.min(axis=0), objective.X.max(axis=0)
    return Bounds(low.packed(), high.packed())


def starts_of(search: Search, sample: Sample, random: np.random.RandomState) -> list[Network]:
    """Clusters of k-means, with their centers and extents, and lines of a common slope.

    Parameters
    ----------
    search : Search
    sample : Sample
    random : RandomState

    Returns
    -------
    list of Network
    """
    most = min(search.n_prototypes, len(np.unique(sample.X, axis=0)))
    seeds = [int(random.randint(2**31 - 1)) for _ in range(search.n_init)]
    return [_start_of(search, sample, most, seed) for seed in seeds]


def _start_of(search: Search, sample: Sample, n_clusters: int, seed: int) -> Network:
    X, y, weight, _ = sample
    slope = _ridge(sample)
    residual = y - X @ slope
    means = KMeans(n_clusters, n_init=1, random_state=seed).fit(X, sample_weight=weight)
    centers, labels = means.cluster_centers_, means.labels_
    total = np.bincount(labels, weight, n_clusters)
    share = weight / np.maximum(total, np.finfo(np.float64).tiny)[labels]
    mean = np.asarray(np.bincount(labels, share * residual, n_clusters), dtype=np.float64)
    spread = np.bincount(labels, share * (residual - mean[labels]) ** 2, n_clusters)
    extent = np.bincount(labels, share * ((X - centers[labels]) ** 2).sum(axis=1), n_clusters)
    alone = np.bincount(labels, minlength=n_clusters) < 2
    sigma = np.where(alone, 1.0, np.sqrt(np.maximum(spread, search.loss.epsilon**2)))
    gamma = np.where(alone, 1.0, 1 / np.sqrt(1e-3 + extent))
    return Network(
        mean,
        np.log(sigma),
        np.full(n_clusters, np.log(_FIRST_H)),
        np.log(gamma),
        np.tile(slope, (n_clusters, 1)),
        centers,
    )


def _ridge(sample: Sample) -> Floats:
    """Slopes (p,) of a line for all samples."""
    X, y, weight, _ = sample
    weighted = X * weight[:, np.newaxis]
    square = weighted.T @ X + _RIDGE * np.eye(X.shape[1])
    return np.asarray(np.linalg.solve(square, weighted.T @ y), dtype=np.float64)


def tune(
    search: Search,
    sample: Sample,
    candidates: tuple[tuple[float, ...], ...],
    n_folds: int,
    random: np.random.RandomState,
) -> Tuned:
    """Penalties of least mean squared error on held-out folds.

    Parameters
    ----------
    search : Search
    sample : Sample
    candidates : three tuples of float
        For xi, rho and slopes, of which all combinations are tried.
    n_folds : int
        Number of folds.
    random : RandomState

    Returns
    -------
    Tuned
    """
    all_penalties = list(starmap(Penalties, product(*candidates)))
    errors = np.zeros(len(all_penalties))
    folds = KFold(min(n_folds, len(sample.y)), shuffle=True, random_state=random)
    for train, test in folds.split(sample.X):
        part = sample.part(train)
        starts = starts_of(search, part, random)
        for place, penalties in enumerate(all_penalties):
            fit = fit_network(search, part, penalties, starts)
            gap = forward(fit.network, sample.X[test]).mu - sample.y[test]
            errors[place] += sample.weight[test] @ gap**2
    best = all_penalties[int(errors.argmin())]
    return Tuned(best, errors.reshape([len(each) for each in candidates]))


_LEVEL = 0.9
"""Belief of the intervals that are stretched. One for all levels keeps intervals nested."""


class Stretch(NamedTuple):
    """Errors of held-out samples by half widths (m,), ascending, and the weight up to each.

    Without held-out samples intervals stay as they are.
    """

    ratio: Floats
    weight: Floats

    @classmethod
    def of(cls, grfn: GRFN, y: Floats, weight: Floats) -> Self:
        _, high = grfn.belief_interval(_LEVEL)
        error, half = abs(y - grfn.mu), high - grfn.mu
        # A width that is lost to rounding covers no error.
        ratio = np.divide(error, half, out=np.where(error > 0, np.inf, 0.0), where=half > 0)
        order = np.argsort(ratio, kind="stable")
        return cls(ratio[order], np.cumsum(weight[order]))

    def factor(self, level: float) -> float:
        """The least ratio that level (W + 1) of a total weight W do not exceed, or infinity.

        Examples
        --------
        >>> three = Stretch(np.array([0.5, 1.0, 2.0]), np.array([1.0, 2.0, 3.0]))
        >>> three.factor(0.5), three.factor(0.75), three.factor(0.9)
        (1.0, 2.0, inf)
        """
        total = self.weight[-1]
        place = np.searchsorted(self.weight, level * (total + 1) * (1 - 1e-12))
        return float(self.ratio[place]) if place < len(self.ratio) else float("inf")

    def interval(self, grfn: GRFN, level: float) -> Floats:
        """Intervals (n, 2) that cover new responses."""
        if not len(self.ratio):
            return np.column_stack(grfn.belief_interval(level))
        _, high = grfn.belief_interval(_LEVEL)
        half, factor = high - grfn.mu, self.factor(level)
        known = np.isfinite(half) & np.isfinite(factor)
        half = np.multiply(half, factor, out=np.full_like(half, np.inf), where=known)
        return np.column_stack([grfn.mu - half, grfn.mu + half])


def split(
    weight: Floats, fraction: float | None, random: np.random.RandomState
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows to learn from, and rows to hold out.

    Parameters
    ----------
    weight : (n,) array
        Samples without weight are in neither.
    fraction : float or None
        Share of the samples to hold out.
    random : RandomState

    Returns
    -------
    kept, held_out : arrays of int
    """
    rows = np.flatnonzero(weight > 0)
    if fraction is None:
        return rows, rows[:0]
    rows = random.permutation(rows)
    count = round(float(fraction) * len(rows))
    if not 1 <= count < len(rows):
        raise ValueError(
            f"calibration_fraction is {fraction!r}, which holds out {count} of {len(rows)} samples "
            f"(n_samples={len(rows)}); leave some to learn from and some to calibrate"
        )
    return rows[count:], rows[:count]


_MOST = 10_000
_HOW_MANY = partial(check_count, least=1, most=_MOST)  # prototypes, and starts
_LARGEST = 1e6  # penalties, and widths in standard deviations
_SMALLEST = 1e-50  # widths and distances; what is divided by their squares is a float
_SCALES = (1e-100, 1e100)  # of responses, as their variances are floats


def refuse_extremes(values: Floats, name: str) -> None:
    """Raise if differences of values overflow."""
    with np.errstate(over="ignore"):
        finite = np.isfinite(np.ptp(values, axis=0)).all()
    if not finite:
        raise ValueError(
            f"{name} has values up to {np.abs(values).max():.3g}, whose differences overflow; "
            f"rescale {name}"
        )


def refuse_scale(scale: float) -> None:
    """Raise if the variance of responses overflows or vanishes."""
    if not _SCALES[0] <= scale <= _SCALES[1]:
        raise ValueError(
            f"y has a standard deviation of {scale:g}, whose square is not a float; give it "
            "in another unit"
        )


_FARTHEST = 1e100  # standard deviations; their squares are floats


@dataclass(kw_only=True, eq=False, repr=False)
class EvidentialRegressor(RegressorMixin, BaseEstimator):  # type: ignore[misc]  # sklearn is untyped
    """Evidential neural network for regression (ENNreg).

    Each of K prototypes is a piece of evidence about the response: a line with normal noise, whose
    precision fades with distance. Together they predict a Gaussian random fuzzy number: its mode is
    N(mu, sigma2), and its precision h measures the evidence of the training samples. Far from them
    h goes to 0, which is ignorance: every interval but the whole line has belief 0, plausibility 1.

    Parameters
    ----------
    n_prototypes : int, optional
        Fewer if there are fewer distinct training samples. By default one for as many samples as it
        has slopes, plus two; at most 30.
    loss : {"evreg", "belief"}
        What is minimized. "belief": -pessimism log(Bel) - (1 - pessimism) log(Pl) of the intervals
        y -+ epsilon. "evreg": the same, with the probability of the interval under N(mu, sigma2)
        times h sigma2 / (1 + h sigma2) in the place of Bel. See Notes.
    pessimism : float
        In [0, 1]: lambda of the paper.
    epsilon : float
        In standard deviations of the response.
    xi, rho : float or None
        Penalties on the mean precision h and on the mean squared rate gamma^2 of prototypes, in
        standard units. None: the best of 0, 0.01 and 0.1, or of 0.1, 1 and 10, by cross-validation.
    slope_penalty : float or None
        Over the number of samples, the penalty on the sum of squared slopes, in standard units. It
        keeps lines that rest on few samples from running off; evreg has none. None: 0 or 2, by
        cross-validation.
    n_folds : int
        Number of folds for that.
    reach : float
        The greatest distance at which the evidence of a prototype may have faded to 1/e only, in
        root mean squared distances of two training samples. Less of it means ignorance sooner, also
        between samples; predictions far from lines need some of it.
    standardize : bool
        Divide each feature by its standard deviation. False: all by the same number, so that
        distances keep the proportions of the units.
    calibration_fraction : float or None
        Share of the samples that are held out of `fit`, to stretch the intervals of
        `predict_interval` until they cover as many as they should.
    n_init : int
        Starts from k-means with different seeds, of which the least loss counts.
    max_iter : int
        Steps of L-BFGS.
    tol : float
        Ends when the loss falls by less than this share.
    random_state : int, RandomState or None

    Attributes
    ----------
    prototypes_ : (K, n_features) array
    values_ : (K,) array
        Response at the prototypes.
    coef_ : (K, n_features) array
        Slope of the response around them.
    sigma2_ : (K,) array
        Variance around that line, in squared units of the response.
    h_ : (K,) array
        Precision at the prototypes, in 1 / (unit of the response)^2.
    gamma_ : (K,) array
        Precision at distance d is h exp(-gamma^2 d^2), with d in units of `feature_scale_`.
    feature_scale_ : (n_features,) array
    xi_, rho_, slope_penalty_ : float
    cv_errors_ : (n_xi, n_rho, n_slope) array or None
        Mean squared errors of held-out folds, as a share of the variance of the response, if a
        penalty was chosen.
    loss_ : float
        With penalties, in standard units.
    n_iter_ : int
    n_features_in_, feature_names_in_
        Those of the training samples.

    See Also
    --------
    dstheory.inference.GRFN : what is predicted.

    Notes
    -----
    Responses are standardized inside, which only sets the scale of xi and of the first steps;
    `epsilon` counts in standard deviations for that reason.

    Precision costs nothing under "belief": for narrow intervals Bel is proportional to h, and h
    grows until only `xi` or the width stops it. Predictions are then nearly probabilities, and
    lines too often replace curves. Under "evreg", which that R package came back to in version
    1.1.1, more than 1 / sigma2 gains little, and curves are learned better; small and noisy samples
    are predicted as well or better under "belief".

    Without a bound on `reach`, fits may extend lines to any distance, with full precision. That and
    the choice of `rho` within `fit` differ from evreg.

    A sample of weight 2 is the same as two samples. The whole sample is used in each step; there is
    no minibatch.

    References
    ----------
    Denoeux (2023), Quantifying prediction uncertainty in regression using random fuzzy sets: the
    ENNreg model, IEEE Trans. Fuzzy Systems 31, 3690-3699. Denoeux (2023), Reasoning with fuzzy and
    uncertain evidence using epistemic random fuzzy sets: general framework and practical models,
    Fuzzy Sets and Systems 453, 1-36. Lei, G'Sell, Rinaldo, Tibshirani & Wasserman (2018),
    Distribution-free predictive inference for regression, J. American Statistical Association 113,
    1094-1111.

    Examples
    --------
    >>> X = np.linspace(0, 6, 60)[:, np.newaxis]
    >>> y = np.sin(X[:, 0])
    >>> reg = EvidentialRegressor(n_prototypes=5, random_state=0).fit(X, y)
    >>> reg.predict([[1.5]]).round(1)
    array([1.])
    >>> near, far = reg.predict_grfn([[1.5], [500.0]])
    >>> far.bel(-10, 10), far.pl(-10, 10)
    (0.0, 1.0)
    """

    _ranges: ClassVar = {
        "n_prototypes": optional(_HOW_MANY),
        "pessimism": check_degree,
        "epsilon": up_to(_LARGEST, POSITIVE),
        "xi": optional(up_to(_LARGEST, NOT_NEGATIVE)),
        "rho": optional(up_to(_LARGEST, NOT_NEGATIVE)),
        "slope_penalty": optional(up_to(_LARGEST, NOT_NEGATIVE)),
        "n_folds": partial(check_count, least=2, most=_MOST),
        "reach": POSITIVE,
        "calibration_fraction": optional(check_level),
        "n_init": _HOW_MANY,
        "tol": NOT_NEGATIVE,
    }

    n_prototypes: int | None = None
    loss: Kind = "evreg"
    pessimism: float = 0.9
    epsilon: float = 0.01
    xi: float | None = 0.01
    rho: float | None = None
    slope_penalty: float | None = None
    n_folds: int = 3
    reach: float = 5.0
    standardize: bool = True
    calibration_fraction: float | None = None
    n_init: int = 1
    max_iter: int = 200
    tol: float = 1e-6
    random_state: RandomState = None

    @all_or_nothing
    def fit(self, X: SamplesLike, y: Any, sample_weight: Any = None) -> Self:
        """Find the prototypes.

        Parameters
        ----------
        X : (n, n_features) array or data frame
        y : (n,) array
        sample_weight : (n,) array, optional
            How many samples each one counts for.

        Returns
        -------
        self

        Raises
        ------
        TypeError
            If a parameter is of a wrong kind.
        ValueError
            If there are fewer than two samples, responses are too large for their squares, or a
            parameter is out of range.
        """
        self._check_parameters()
        check_rows(X=X, y=y, sample_weight=sample_weight)
        X, y = read_responses(self, X, y)
        weight = read_weights(sample_weight, len(y))
        random = as_random_state(self.random_state)
        kept, held_out = split(weight, self.calibration_fraction, random)
        sample = Sample.distinct(X[kept], y[kept], weight[kept])
        if len(sample.y) < 2 and len(y) < 2:
            raise ValueError(f"there is only 1 sample (n_samples={len(y)}); at least 2 are needed")
        refuse_extremes(sample.X, "X")
        refuse_extremes(sample.y, "y")
        units = Units.of(sample, self.standardize)
        refuse_scale(units.y_scale)
        standard = units.sample(sample)
        search = self._search(sample)
        tuned = self._tuned(search, standard, random)
        starts = starts_of(search, standard, random)
        self._keep(units, fit_network(search, standard, tuned.penalties, starts), tuned)
        self._stretch = Stretch.of(self._grfn(X[held_out]), y[held_out], weight[held_out])
        return self

    def _check_parameters(self) -> None:
        check_declared(self)
        for name, value in {"epsilon": self.epsilon, "reach": self.reach}.items():
            if float(value) < _SMALLEST:
                raise ValueError(f"{name} is {value!r}, expected at least {_SMALLEST:g}")
        if self.tol > 1:
            raise ValueError(f"tol is {self.tol!r}, expected a share, at most 1")

    def _search(self, sample: Sample) -> Search:
        return Search(
            self.n_prototypes or _default_prototypes(sample),
            Loss(float(self.epsilon), float(self.pessimism), self.loss),
            float(self.reach),
            self.n_init,
            self.max_iter,
            float(self.tol),
        )

    def _tuned(self, search: Search, sample: Sample, random: np.random.RandomState) -> Tuned:
        given = ((self.xi, XI), (self.rho, RHO), (self.slope_penalty, SLOPE))
        candidates = tuple(known if one is None else (float(one),) for one, known in given)
        if max(map(len, candidates)) == 1 or len(sample.y) < 2:
            return Tuned(Penalties(*(each[0] for each in candidates)), None)
        return tune(search, sample, candidates, self.n_folds, random)

    def _keep(self, units: Units, fit: Fit, tuned: Tuned) -> None:
        """Set the attributes, in the units of the user."""
        network = fit.network
        self._units, self._network = units, network
        at_prototypes = network.intercept + (network.coef * network.centers).sum(axis=1)
        self.prototypes_ = units.center + units.scale * network.centers
        self.values_ = units.y_center + units.y_scale * at_prototypes
        with np.errstate(over="ignore"):  # features of tiny units
            self.coef_ = network.coef * units.y_scale / units.scale
        self.sigma2_ = np.exp(2 * network.log_sigma) * units.y_scale**2
        self.h_ = np.exp(network.log_h) / units.y_scale**2
        self.gamma_ = np.exp(network.log_gamma)
        self.feature_scale_ = units.scale
        self.xi_, self.rho_, self.slope_penalty_ = tuned.penalties
        self.cv_errors_ = tuned.errors
        self.loss_, self.n_iter_ = fit.loss, fit.n_iter

    def predict(self, X: SamplesLike) -> Floats:
        """Mean of the most plausible response.

        Parameters
        ----------
        X : (n, n_features) array or data frame

        Returns
        -------
        (n,) array
        """
        return self.predict_grfn(X).mu

    def score(self, X: SamplesLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Share of the variance of the responses that `predict` explains (R squared).

        Parameters
        ----------
        X : (n, n_features) array or data frame
        y : (n,) array
        sample_weight : (n,) array, optional

        Returns
        -------
        float
            1 for perfect predictions, 0 for their mean.
        """
        return float(super().score(X, y, sample_weight))

    def predict_grfn(self, X: SamplesLike) -> GRFN:
        """Predict a Gaussian random fuzzy number for each response.

        Parameters
        ----------
        X : (n, n_features) array or data frame

        Returns
        -------
        GRFN
            Batch (n,). The product-intersection of the evidence of the prototypes, with hard
            normalization. Its methods give belief and plausibility of intervals, distribution
            functions, quantiles, and bounds of the expectation.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            Before `fit`.
        """
        check_is_fitted(self)
        return self._grfn(read_features(self, X, reset=False))

    def _grfn(self, X: Floats) -> GRFN:
        network: Network = self._network
        units: Units = self._units
        parts = []
        for part in blocks(max(len(X), 1), CHUNK // len(network.intercept)):
            with np.errstate(over="ignore"):
                rows = np.clip(units.features(X[part]), -_FARTHEST, _FARTHEST)
            parts.append(forward(network, rows)[:3])
        mu, variance, log_h = (np.concatenate(part) for part in zip(*parts, strict=True))
        with np.errstate(under="ignore"):
            h = np.exp(log_h) / units.y_scale**2
        return GRFN(units.y_center + units.y_scale * mu, variance * units.y_scale**2, h)

    def predict_interval(self, X: SamplesLike, level: float = 0.9) -> Floats:
        """Intervals centered at `predict` that hold the response with a given belief.

        Parameters
        ----------
        X : (n, n_features) array or data frame
        level : float
            In (0, 1).

        Returns
        -------
        (n, 2) array
            Infinite where h = 0. As the model gave them, intervals may cover more or fewer
            responses than `level`. With `calibration_fraction` they are the intervals of belief
            0.9, times one factor: the one that covers `level` of the calibration samples. A new
            sample is then covered with probability of at least `level`, if samples are
            exchangeable. With fewer than level / (1 - level) calibration samples they are
            infinite.

        Raises
        ------
        ValueError
            If the level is not inside (0, 1).
        """
        check_is_fitted(self)
        check_level("level", level)
        return self._stretch.interval(self.predict_grfn(X), float(level))


def _default_prototypes(sample: Sample) -> int:
    """Chosen, with penalties on slopes and the number of steps, on 18 data sets of R.

    ``python -m tests.benchmarks.bench_regressor_defaults`` compares them on these and 18 others.
    """
    return max(1, min(30, int(sample.size / (sample.X.shape[1] + 2))))
