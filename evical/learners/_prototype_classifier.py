"""What classifiers by prototypes share: the network, its start by k-means, and its best fit.

A prototype p answers a sample x with exp(-rate ||x - p||^2), 1 at the prototype and 0 far from it.
From answers follow weights of evidence for classes. A prototype of the evidential neural network
commits a mass s, gives it to classes in shares u_k, and leaves 1 - s to the frame. Dempster's rule
combines prototypes to masses of single classes and of the frame, so that each class has one weight
of evidence, the sum over prototypes of log(1 + u_k s / (1 - s)). In a radial basis function network
the weights are linear in the answers.

Arrays are (R, n), (R, K) and (K, n) for R prototypes, K classes and n samples. The vector of
parameters has the prototypes, the roots of twice the rates, and those of the output.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Literal, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit
from sklearn.base import BaseEstimator
from sklearn.cluster import KMeans, kmeans_plusplus
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from dstheory import MassFunction
from dstheory.checks.arguments import check_count, check_rows
from dstheory.kernels.batches import blocks
from evical._fitting import (
    NOT_NEGATIVE,
    Check,
    all_or_nothing,
    as_random_state,
    check_declared,
    optional,
    up_to,
)
from evical._typing import Floats, RandomState, SamplesLike
from evical.curves.descent import descend
from evical.estimators.predictor import BeliefPredictor
from evical.learners._features import (
    distinct_rows,
    on_grid,
    read_features,
    read_labels,
    read_weights,
    squared_distances,
)

_START = 0.2
"""Of 0.1, 0.3 and 1 over that mean, 1 ends in worse minima (vehicle, digits, breast cancer, glass);
the others do not differ."""

_CLOSE = 1e-12
"""Share of the squared spread."""


class Layer(NamedTuple):
    """Prototypes, and how fast their answers fade.

    Parameters
    ----------
    prototypes : (R, d) array
    rate : (R,) array
        0 or more, in 1 / (unit of the features)^2.
    """

    prototypes: Floats
    rate: Floats

    def answers(self, X: Floats) -> tuple[Floats, Floats]:
        """Squared distances of samples (n, d), and exp(-rate times them), both (R, n).

        Examples
        --------
        >>> layer = Layer(np.array([[0.0], [1.0]]), np.array([1.0, 0.0]))
        >>> layer.answers(np.array([[2.0]]))[0].tolist()
        [[4.0], [1.0]]
        """
        squared = squared_distances(self.prototypes, X)
        return squared, np.exp(-self.rate[:, np.newaxis] * squared)

    def slopes(
        self, X: Floats, squared: Floats, answers: Floats, given: Floats
    ) -> tuple[Floats, Floats]:
        """Derivatives by prototypes (R, d) and rates (R,), of what has those given (R, n)."""
        moved = given * answers
        pull = moved * self.rate[:, np.newaxis]
        towards = 2 * (pull @ X - pull.sum(axis=1)[:, np.newaxis] * self.prototypes)
        return towards, -(moved * squared).sum(axis=1)


class Spread(NamedTuple):
    """Center and common scale of samples: distances keep their proportions.

    Parameters
    ----------
    center : (d,) array
    scale : float
        Root mean squared distance from the center.
    """

    center: Floats
    scale: float

    @classmethod
    def of(cls, X: Floats, weight: Floats) -> Self:
        """Of samples (n, d) with weights (n,) of sum 1."""
        center = weight @ X
        size = float(np.abs(X - center).max(initial=0))  # squares of large numbers overflow
        if size == 0:
            return cls(center, 1.0)
        gaps = (X - center) / size
        return cls(center, size * float(np.sqrt(weight @ (gaps**2).sum(axis=1))))

    def apply(self, X: Floats) -> Floats:
        """Samples in the unit of the scale, with mean 0."""
        return np.asarray((X - self.center) / self.scale)

    def revert(self, X: Floats) -> Floats:
        """Samples in their own unit."""
        return np.asarray(X * self.scale + self.center)


def start_of_prototypes(
    X: Floats, weight: Floats, n: int, random: np.random.RandomState
) -> tuple[Floats, NDArray[np.int64]]:
    """Centers of k-means, and the center of each sample.

    Seeds are drawn one by one (k-means++). The greedy choice among several, which is the default of
    scikit-learn, is nearly the same in each start, so that many find no better network.

    Parameters
    ----------
    X : (n_samples, d) array
    weight : (n_samples,) array
        Positive.
    n : int
        Number of centers; fewer if there are fewer distinct samples.
    random : RandomState

    Returns
    -------
    centers : (R, d) array
    nearest : (n_samples,) array of int
    """
    count = min(n, len(np.unique(X, axis=0)))
    seeds, _ = kmeans_plusplus(
        X, count, sample_weight=weight, random_state=random, n_local_trials=1
    )
    means = KMeans(count, init=seeds, n_init=1).fit(X, sample_weight=weight)
    return np.asarray(means.cluster_centers_), np.asarray(means.labels_, dtype=np.int64)


def start_rate(X: Floats, weight: Floats, prototypes: Floats, nearest: NDArray[np.int64]) -> float:
    """Rate to start from: small beside 1 / mean squared distance of samples to their prototypes.

    Parameters
    ----------
    X : (n, d) array
    weight : (n,) array
        Of sum 1.
    prototypes : (R, d) array
    nearest : (n,) array of int
        The prototype of each sample.

    Returns
    -------
    float
    """
    mean = float(weight @ ((X - prototypes[nearest]) ** 2).sum(axis=1))
    if mean < _CLOSE:  # each sample is a prototype
        mean = float(weight @ ((X - weight @ X) ** 2).sum(axis=1))
    return _START / mean if mean > 0 else 1.0


GREATEST_MASS = 0.99
"""That a prototype commits: less than 1, so that the frame always keeps some mass."""

_BLOCK = 128
"""Factors in a product of 1 + u s / (1 - s) <= 100 each: at most 1e256."""


class Output(ABC):
    """Weights of evidence, from the answers of R prototypes; its parameters make up a vector."""

    @abstractmethod
    def vector(self) -> Floats:
        """All parameters, (q,)."""

    @abstractmethod
    def replaced(self, vector: Floats) -> Self:
        """The same with other parameters."""

    @abstractmethod
    def weights(self, answers: Floats) -> Floats:
        """Weights of evidence (K, n) from answers (R, n)."""

    @abstractmethod
    def slopes(self, answers: Floats, given: Floats) -> tuple[Floats, Floats]:
        """Derivatives by answers (R, n) and parameters (q,), of what has those given (K, n)."""

    @abstractmethod
    def penalty(self) -> tuple[float, Floats]:
        """What regularization adds, and its derivatives (q,)."""


@dataclass(frozen=True, eq=False)
class Committed(Output):
    """Each prototype commits a mass, in shares of classes (Denoeux 2000).

    Parameters
    ----------
    logits : (R,) array
        Of the masses at the prototypes, over `GREATEST_MASS`.
    roots : (R, K) array
        Their squares are in proportion to the shares.
    """

    logits: Floats
    roots: Floats

    @property
    def alpha(self) -> Floats:
        """Mass that a prototype commits at distance 0, (R,)."""
        return np.asarray(GREATEST_MASS * expit(self.logits))

    @property
    def shares(self) -> Floats:
        """Membership of the prototypes in classes, (R, K)."""
        squares = self.roots**2
        return np.asarray(squares / squares.sum(axis=1, keepdims=True))

    def vector(self) -> Floats:
        """All parameters, (q,)."""
        return np.concatenate([self.logits, self.roots.ravel()])

    def replaced(self, vector: Floats) -> Self:
        """The same with other parameters."""
        n = len(self.logits)
        return type(self)(vector[:n], vector[n:].reshape(n, -1))

    def weights(self, answers: Floats) -> Floats:
        """Weights of evidence (K, n) from answers (R, n)."""
        return committed_weights(self.alpha[:, np.newaxis] * answers, self.shares)

    def slopes(self, answers: Floats, given: Floats) -> tuple[Floats, Floats]:
        """Derivatives by answers (R, n) and parameters (q,), of what has those given (K, n)."""
        alpha, shares = self.alpha[:, np.newaxis], self.shares
        by_mass, by_share = committed_slopes(alpha * answers, shares, given)
        by_alpha = np.einsum("rn,rn->r", by_mass, answers)
        by_mass *= alpha
        inner = by_share - (by_share * shares).sum(axis=1, keepdims=True)
        by_root = 2 * self.roots / (self.roots**2).sum(axis=1, keepdims=True) * inner
        return by_mass, np.concatenate([by_alpha * self._by_logit(), by_root.ravel()])

    def _by_logit(self) -> Floats:
        return self.alpha * (1 - self.alpha / GREATEST_MASS)

    def penalty(self) -> tuple[float, Floats]:
        """Sum of the masses at the prototypes: some may fall silent."""
        none = np.zeros(self.roots.size)
        return float(self.alpha.sum()), np.concatenate([self._by_logit(), none])


@dataclass(frozen=True, eq=False)
class Linear(Output):
    """Weights of evidence are linear in the answers (Denoeux 2019).

    Parameters
    ----------
    coef : (R, K) array
    """

    coef: Floats

    def vector(self) -> Floats:
        """All parameters, (q,)."""
        return self.coef.ravel()

    def replaced(self, vector: Floats) -> Self:
        """The same with other parameters."""
        return type(self)(vector.reshape(self.coef.shape))

    def weights(self, answers: Floats) -> Floats:
        """Weights of evidence (K, n) from answers (R, n)."""
        return np.asarray(self.coef.T @ answers)

    def slopes(self, answers: Floats, given: Floats) -> tuple[Floats, Floats]:
        """Derivatives by answers (R, n) and parameters (q,), of what has those given (K, n)."""
        return self.coef @ given, (answers @ given.T).ravel()

    def penalty(self) -> tuple[float, Floats]:
        """Sum of squares."""
        return float((self.coef**2).sum()), 2 * self.coef.ravel()


def committed_weights(mass: Floats, shares: Floats) -> Floats:
    """Weights of the evidence for classes, if prototypes commit masses.

    Parameters
    ----------
    mass : (R, n) array
        At most 0.99.
    shares : (R, K) array

    Returns
    -------
    (K, n) array

    Examples
    --------
    >>> committed_weights(np.array([[0.5]]), np.array([[1.0, 0.0]])).round(3).tolist()
    [[0.693], [0.0]]
    """
    odds = mass / (1 - mass)
    weights = np.zeros((shares.shape[1], mass.shape[1]))
    for k, share in enumerate(shares.T[:, :, np.newaxis]):
        factors = share * odds
        factors += 1
        for rows in blocks(len(mass), _BLOCK):
            weights[k] += np.log(np.multiply.reduce(factors[rows], axis=0))
    return weights


def committed_slopes(mass: Floats, shares: Floats, given: Floats) -> tuple[Floats, Floats]:
    """Derivatives with respect to the masses (R, n) and the shares (R, K).

    Parameters
    ----------
    mass, shares
        As of `committed_weights`.
    given : (K, n) array
        Derivatives with respect to the weights.
    """
    odds = mass / (1 - mass)
    by_odds, by_share = np.zeros_like(mass), np.empty_like(shares)
    part = np.empty_like(mass)  # one array for all classes: half the time
    for k, share in enumerate(shares.T[:, :, np.newaxis]):
        np.multiply(share, odds, out=part)
        part += 1
        np.divide(given[k], part, out=part)
        by_share[:, k] = np.einsum("rn,rn->r", odds, part)
        part *= share
        by_odds += part
    return by_odds / (1 - mass) ** 2, by_share


Loss = Callable[[Floats, Floats], tuple[Floats, Floats]]
"""Of weights and targets (K, n): values (n,), and derivatives (K, n)."""

CHUNK = 2**17
"""Numbers in an array of prototypes by samples: a megabyte stays in the cache."""


class TrainingSamples(NamedTuple):
    """What a network is fitted to.

    Parameters
    ----------
    X : (n, d) array
    target : (K, n) array
        Plausibility of each class: 1 for a hard label and 0 for others.
    weight : (n,) array
        Of sum 1.
    """

    X: Floats
    target: Floats
    weight: Floats

    @classmethod
    def distinct(cls, X: Floats, target: Floats, weight: Floats) -> Self:
        """Each sample with its target once, as of `distinct_rows`."""
        rows, weight = distinct_rows(np.column_stack([target.T, X]), weight)
        target, X = np.split(rows, [len(target)], axis=1)
        return cls(np.ascontiguousarray(X), np.ascontiguousarray(target.T), weight)


@dataclass(frozen=True, eq=False)
class Network:
    """A layer of prototypes and an output.

    Parameters
    ----------
    prototypes : (R, d) array
    roots : (R,) array
        Half of their squares are the rates; free of bounds, unlike these.
    output : Output
    """

    prototypes: Floats
    roots: Floats
    output: Output

    @property
    def layer(self) -> Layer:
        """The prototypes with their rates."""
        return Layer(self.prototypes, self.roots**2 / 2)

    def vector(self) -> Floats:
        """All parameters, (q,)."""
        return np.concatenate([self.prototypes.ravel(), self.roots, self.output.vector()])

    def replaced(self, vector: Floats) -> Self:
        """The same with other parameters."""
        n, d = self.prototypes.shape
        prototypes, roots, rest = np.split(vector, [n * d, n * d + n])
        return type(self)(prototypes.reshape(n, d), roots, self.output.replaced(rest))

    def with_output(self, output: Output) -> Self:
        """The same prototypes, read otherwise."""
        return type(self)(self.prototypes, self.roots, output)

    def rows(self, n: int) -> Iterator[slice]:
        """Parts of n samples that fit into the cache."""
        return blocks(n, max(CHUNK // len(self.roots), 64))

    def weights(self, X: Floats) -> Floats:
        """Weights of evidence (K, n) for samples (n, d)."""
        layer = self.layer
        parts = [self.output.weights(layer.answers(X[rows])[1]) for rows in self.rows(len(X))]
        return np.concatenate(parts, axis=1)


class Fitted(NamedTuple):
    """A network, its cost, and how it was found.

    Parameters
    ----------
    network : Network
    cost : float
    n_iter : int
    converged : bool
    """

    network: Network
    cost: float
    n_iter: int
    converged: bool


def cost(
    network: Network, samples: TrainingSamples, loss: Loss, regularization: float
) -> tuple[float, Floats]:
    """Mean loss and penalty of a network.

    Parameters
    ----------
    network : Network
    samples : Samples
    loss : callable
    regularization : float
        Factor of the penalty of the output.

    Returns
    -------
    float, and its derivatives (q,) by the vector of parameters
    """
    layer, output = network.layer, network.output
    penalty, by_output = output.penalty()
    value, by_output = regularization * penalty, regularization * by_output
    by_prototypes, by_rate = np.zeros_like(layer.prototypes), np.zeros_like(layer.rate)
    for rows in network.rows(len(samples.X)):
        X, weight = samples.X[rows], samples.weight[rows]
        squared, answers = layer.answers(X)
        each, slopes = loss(output.weights(answers), samples.target[:, rows])
        value += float(each @ weight)
        by_answers, part = output.slopes(answers, slopes * weight)
        prototypes, rate = layer.slopes(X, squared, answers, by_answers)
        by_output = by_output + part
        by_prototypes += prototypes
        by_rate += rate
    return value, np.concatenate([by_prototypes.ravel(), by_rate * network.roots, by_output])


def fit_network(
    start: Network,
    samples: TrainingSamples,
    loss: Loss,
    regularization: float,
    *,
    optimize_prototypes: bool,
    max_iter: int,
    tol: float,
) -> Fitted:
    """A local minimum of the cost near a start, by L-BFGS-B.

    Parameters
    ----------
    start : Network
    samples, loss, regularization
        As of `cost`.
    optimize_prototypes : bool
        Else they stay where they are.
    max_iter : int
    tol : float
        Ends when the cost falls by less, or by less than this share of a cost above 1.

    Returns
    -------
    Fitted
    """
    fixed = 0 if optimize_prototypes else start.prototypes.size
    kept, free = np.split(start.vector(), [fixed])

    def objective(vector: Floats) -> tuple[float, Floats]:
        network = start.replaced(np.concatenate([kept, vector]))
        value, slopes = cost(network, samples, loss, regularization)
        return value, slopes[fixed:]

    options: Any = {"maxiter": max_iter, "maxfun": 20 * max_iter, "ftol": tol, "gtol": 0.0}
    found = descend(objective, free, options=options)
    network = start.replaced(np.concatenate([kept, found.x]))
    return Fitted(network, float(found.fun), int(found.nit), found.status != 1)


HOW_MANY: Check = partial(check_count, least=1, most=10_000)
"""Prototypes, and starts."""
MODERATE = up_to(1e100, NOT_NEGATIVE)
"""Factor of a penalty, and tolerance: their products are floats."""
_FARTHEST = 1e100
"""In units of the spread: the square is a float, and nothing is left of any answer."""

Probability: TypeAlias = Literal["pignistic", "plausibility"]


@dataclass(kw_only=True, eq=False, repr=False)
class PrototypeClassifier(BeliefPredictor, BaseEstimator):  # type: ignore[misc]  # sklearn
    """A network of prototypes that predicts mass functions."""

    _ranges: ClassVar[dict[str, Check]] = {
        "n_prototypes": optional(HOW_MANY),
        "n_init": HOW_MANY,
        "max_iter": partial(check_count, least=1, most=2**31 - 1),
        "tol": MODERATE,
    }

    n_prototypes: int | None = None
    per_class: bool = False
    probability: Probability = "pignistic"
    regularization: float | None = None
    optimize_prototypes: bool = True
    n_init: int = 1
    max_iter: int = 1000
    tol: float = 1e-5
    random_state: RandomState = None

    @all_or_nothing
    def fit(self, X: Any, y: ArrayLike | MassFunction, sample_weight: Any = None) -> Self:
        """Find prototypes and what they say.

        Parameters
        ----------
        X : (n, n_features) array or data frame
        y : (n,) array or MassFunction
            Labels, or a batch (n,) of mass functions about them.
        sample_weight : (n,) array, optional
            A weight of 2 is the same as two samples.

        Returns
        -------
        self

        Raises
        ------
        TypeError
            If a parameter is of a wrong kind.
        ValueError
            If `y` has one class only, a parameter is out of range, all weights are 0, or labels are
            uncertain and the loss needs hard ones.

        Warns
        -----
        sklearn.exceptions.ConvergenceWarning
            If the cost still falls after `max_iter` iterations.
        """
        self._check_parameters()
        check_rows(X=X, y=y, sample_weight=sample_weight)
        X = read_features(self, X, None if isinstance(y, MassFunction) else y, reset=True)
        self.classes_, plausibility = read_labels(y, len(X), self._refusal())
        weight = read_weights(sample_weight, len(X))
        X, target, weight = TrainingSamples.distinct(X, plausibility.T, weight)
        self._spread = _spread(X, weight / weight.sum())
        X = on_grid(self._spread.apply(X))
        X, target, weight = TrainingSamples.distinct(X, target, weight)
        size = float(weight.sum())
        best = self._best(TrainingSamples(X, target, weight / size), size)
        if not best.converged:
            warnings.warn(
                f"the cost still falls after {self.max_iter} iterations (max_iter); scale the "
                "features, or take more iterations or a greater tol",
                ConvergenceWarning,
                stacklevel=3,  # beyond the decorator
            )
        self._keep(best)
        return self

    def _check_parameters(self) -> None:
        check_declared(self)

    def _refusal(self) -> str | None:
        """Why labels must be hard, if they must."""
        return None

    @abstractmethod
    def _loss(self, n_classes: int) -> Loss:
        """Of weights of evidence, and targets."""

    @abstractmethod
    def _start(
        self, samples: TrainingSamples, prototypes: Floats, nearest: NDArray[np.int64]
    ) -> Network:
        """Network to start from, with samples assigned to prototypes."""

    @abstractmethod
    def _factor(self, size: float) -> float:
        """Of the penalty, for that many samples."""

    def _best(self, samples: TrainingSamples, size: float) -> Fitted:
        """The fit of least cost from several starts."""
        random = as_random_state(self.random_state)
        loss = self._loss(len(samples.target))
        found = []
        for _ in range(self.n_init):
            found.append(
                fit_network(
                    self._start(samples, *self._prototypes(samples, random)),
                    samples,
                    loss,
                    self._factor(size),
                    optimize_prototypes=self.optimize_prototypes,
                    max_iter=int(self.max_iter),
                    tol=float(self.tol),
                )
            )
        return min(found, key=lambda fitted: fitted.cost)

    def _prototypes(
        self, samples: TrainingSamples, random: np.random.RandomState
    ) -> tuple[Floats, NDArray[np.int64]]:
        """Centers of k-means, of all samples or of those of each class, and the assignment."""
        X, target, weight = samples
        n_classes = len(target)
        n = self.n_prototypes or _default_prototypes(len(X), n_classes)
        if not self.per_class:
            return start_of_prototypes(X, weight, n, random)
        if self.n_prototypes is None:
            n = -(-n // n_classes)
        centers: list[Floats] = []
        nearest = np.zeros(len(X), dtype=np.int64)
        likeliest = target.argmax(axis=0)
        for k in range(n_classes):
            own = likeliest == k
            if own.any():
                found, place = start_of_prototypes(X[own], weight[own], n, random)
                nearest[own] = place + sum(map(len, centers))
                centers.append(found)
        return np.concatenate(centers), nearest

    def _keep(self, best: Fitted) -> None:
        """Set the fitted attributes, in the unit of the features."""
        self._network = best.network
        self.prototypes_ = self._spread.revert(best.network.prototypes)
        with np.errstate(all="ignore"):
            self.gamma_ = best.network.layer.rate / self._spread.scale / self._spread.scale
        self.cost_, self.n_iter_ = best.cost, best.n_iter
        self._probability = self.probability

    def _standardized(self, X: SamplesLike) -> Floats:
        check_is_fitted(self)
        X = read_features(self, X, reset=False)
        with np.errstate(over="ignore"):
            return np.clip(self._spread.apply(X), -_FARTHEST, _FARTHEST)

    def predict_proba(self, X: SamplesLike) -> Floats:
        """Probability of each class, as `probability` says.

        Parameters
        ----------
        X : (n, n_features) array or data frame

        Returns
        -------
        (n, K) array
        """
        check_is_fitted(self)
        if self._probability == "pignistic":  # the parameter may have changed since
            return super().predict_proba(X)
        X = self._standardized(X)
        weights = self._network.weights(X)
        p = np.exp(weights - weights.max(axis=0))
        return np.asarray((p / p.sum(axis=0)).T)


def _default_prototypes(n: int, n_classes: int) -> int:
    """10 a class, at most one for four samples.

    On wine, breast cancer, digits, glass, vehicle, diabetes and sonar, 2 and 5 a class have greater
    log losses; 20 and 40 have greater ones where samples are few.
    """
    return max(min(10 * n_classes, n // 4), n_classes)


def _spread(X: Floats, share: Floats) -> Spread:
    with np.errstate(over="ignore", invalid="ignore"):
        spread = Spread.of(X, share)
    if not np.isfinite(spread.scale):
        raise ValueError(
            f"X has values up to {np.abs(X).max():.3g}, whose differences overflow; rescale X"
        )
    return spread
