"""What classifiers by prototypes share: reading samples, starts by k-means, the best fit."""

import warnings
from abc import abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from dstheory import MassFunction
from dstheory.checks.arguments import (
    check_choice,
    check_count,
    check_flag,
    check_not_negative,
    shown,
)
from evical._fitting import all_or_nothing, as_random_state
from evical._typing import Floats
from evical.estimators.predictions import BeliefPredictor
from evical.learners._features import read_features, read_labels, read_weights
from evical.learners._prototype_fit import Fitted, Loss, Network, Samples, fit_network, merged
from evical.learners._prototypes import Spread, start_of_prototypes

__all__ = ["PrototypeClassifier", "check_moderate"]


_MOST = 10_000  # prototypes, and starts

_GREATEST = 1e100  # factor of a penalty, and tolerance: their products are floats

_FARTHEST = 1e100
"""In units of the spread: the square is a float, and nothing is left of any answer."""

PROBABILITIES = ("pignistic", "plausibility")


class PrototypeClassifier(BeliefPredictor, BaseEstimator):  # type: ignore[misc]  # sklearn
    """A network of prototypes that predicts mass functions."""

    n_prototypes: int | None
    per_class: bool
    probability: str
    regularization: Any
    optimize_prototypes: bool
    n_init: int
    max_iter: int
    tol: float
    random_state: Any

    _network: Network
    _spread: Spread

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
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
        X, target, weight = merged(Samples(X, plausibility.T, read_weights(sample_weight, len(X))))
        size = float(weight.sum())
        self._spread = _spread(X, weight / size)
        best = self._best(Samples(self._spread.apply(X), target, weight / size), size)
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
        if self.n_prototypes is not None:
            check_count("n_prototypes", self.n_prototypes, 1, _MOST)
        check_flag("per_class", self.per_class)
        check_choice("probability", self.probability, PROBABILITIES)
        check_flag("optimize_prototypes", self.optimize_prototypes)
        check_count("n_init", self.n_init, 1, _MOST)
        check_count("max_iter", self.max_iter, 1, 2**31 - 1)
        check_moderate(tol=self.tol)

    def _refusal(self) -> str | None:
        """Why labels must be hard, if they must."""
        return None

    @abstractmethod
    def _loss(self, n_classes: int) -> Loss:
        """Of weights of evidence, and targets."""

    @abstractmethod
    def _start(self, samples: Samples, prototypes: Floats, nearest: NDArray[np.int64]) -> Network:
        """Network to start from, with samples assigned to prototypes."""

    @abstractmethod
    def _factor(self, size: float) -> float:
        """Of the penalty, for that many samples."""

    def _best(self, samples: Samples, size: float) -> Fitted:
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
        self, samples: Samples, random: np.random.RandomState
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

    def _standardized(self, X: Any) -> Floats:
        check_is_fitted(self)
        X = read_features(self, X, reset=False)
        with np.errstate(over="ignore"):
            return np.clip(self._spread.apply(X), -_FARTHEST, _FARTHEST)

    def predict_proba(self, X: Any) -> Floats:
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


def check_moderate(**values: Any) -> None:
    """Raise unless all values are from 0 to 1e100."""
    check_not_negative(**values)
    for name, value in values.items():
        if float(value) > _GREATEST:
            raise ValueError(f"{name} is {shown(value)}, expected at most {_GREATEST:g}")


def _spread(X: Floats, share: Floats) -> Spread:
    with np.errstate(over="ignore", invalid="ignore"):
        spread = Spread.of(X, share)
    if not np.isfinite(spread.scale):
        raise ValueError(
            f"X has values up to {np.abs(X).max():.3g}, whose differences are no floats; divide it "
            "by a number"
        )
    return spread
