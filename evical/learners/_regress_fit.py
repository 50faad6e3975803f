"""Fitting prototypes to responses: samples in standard units, the start, and penalties by folds."""

from dataclasses import dataclass
from itertools import product, starmap
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds
from sklearn.cluster import KMeans
from sklearn.model_selection import KFold

from evical._typing import Floats
from evical.curves.descent import descend
from evical.learners._regress_loss import Loss
from evical.learners._regress_network import Network, Objective, Penalties, forward

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
        """Each row once, in ascending order, with the weight of all its copies.

        A sample of weight 2 is then the same as two samples, and the order does not matter.

        Examples
        --------
        >>> Sample.distinct(np.array([[2.0], [1.0], [2.0]]), np.zeros(3), np.ones(3)).weight * 3
        array([1., 2.])
        """
        kept = weight > 0
        rows = np.column_stack([X, y])[kept] + 0.0  # -0 is 0
        unique, inverse = np.unique(rows, axis=0, return_inverse=True)
        total = np.bincount(inverse.ravel(), weight[kept])
        size = float(total.sum())
        return cls(unique[:, :-1], unique[:, -1], total / size, size)

    def part(self, rows: NDArray[np.intp]) -> "Sample":
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
        # By the range first: squares of large numbers are no floats.
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
        return sample._replace(
            X=self.features(sample.X), y=(sample.y - self.y_center) / self.y_scale
        )


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
