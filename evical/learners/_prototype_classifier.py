"""What classifiers by prototypes share: reading samples, starts by k-means, the best fit.

Networks of prototypes, and parameters that fit samples best.

The vector of parameters has the prototypes, the roots of twice the rates, and those of the output.
"""

import warnings
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Literal, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from dstheory import MassFunction
from dstheory.checks.arguments import check_count
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
from evical.learners._features import read_features, read_labels, read_weights
from evical.learners._prototype_outputs import Output
from evical.learners._prototypes import Layer, Spread, start_of_prototypes

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

    def rows(self, n: int) -> list[slice]:
        """Parts of n samples that fit into the cache."""
        size = max(CHUNK // len(self.roots), 64)
        return [slice(start, start + size) for start in range(0, n, size)]

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


def merged(samples: TrainingSamples) -> TrainingSamples:
    """Equal samples in one, with the sum of their weights; without those of weight 0.

    They come in an order of their own, so that no order of samples makes a difference, and a weight
    of 2 is the same as two samples.

    Examples
    --------
    >>> samples = TrainingSamples(np.array([[1.0], [1.0]]), np.ones((2, 2)), np.array([0.5, 0.5]))
    >>> merged(samples).weight.tolist()
    [1.0]
    """
    kept = samples.weight > 0
    target = samples.target[:, kept]
    rows = np.column_stack([target.T, samples.X[kept]]) + 0.0  # no negative zeros
    whole = np.ascontiguousarray(rows).view(f"V{rows.itemsize * rows.shape[1]}").ravel()
    _, first, place = np.unique(whole, return_index=True, return_inverse=True)
    weight = np.bincount(place.ravel(), samples.weight[kept]).astype(np.float64)
    return TrainingSamples(samples.X[kept][first], target[:, first], weight)


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
        by_layer = layer.slopes(X, squared, answers, by_answers)
        by_output = by_output + part
        by_prototypes += by_layer.prototypes
        by_rate += by_layer.rate
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
        X = read_features(self, X, None if isinstance(y, MassFunction) else y, reset=True)
        self.classes_, plausibility = read_labels(y, len(X), self._refusal())
        X, target, weight = merged(
            TrainingSamples(X, plausibility.T, read_weights(sample_weight, len(X)))
        )
        size = float(weight.sum())
        self._spread = _spread(X, weight / size)
        best = self._best(TrainingSamples(self._spread.apply(X), target, weight / size), size)
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
