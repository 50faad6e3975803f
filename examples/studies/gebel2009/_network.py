"""Neural network with one hidden layer, as the thesis trains it: squared error and weight decay.

Source: Gebel (2009), section 3.2, equations 3.24, 3.25, 3.27, 3.29 and 3.30.
"""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.preprocessing import StandardScaler

from evical._typing import Floats

__all__ = ["SigmoidNetwork"]


_RANGE = 0.7  # of the first weights, and the number of steps: those of the R package nnet
_MAX_STEPS = 100


class SigmoidNetwork(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # sklearn is untyped
    """Network of logistic units with one hidden layer and squared error.

    Features are standardized. Two classes have one output unit, more classes one each.

    Parameters
    ----------
    decay : float
        Weight lambda of the sum of all squared weights.
    hidden : int
        Number of hidden units.
    random_state : int
        Of the first weights.
    """

    def __init__(self, decay: float = 0.01, hidden: int = 5, random_state: int = 0) -> None:
        self.decay = decay
        self.hidden = hidden
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from features (n, p) and labels (n,)."""
        self.scaler_ = StandardScaler().fit(X)
        self.classes_, codes = np.unique(y, return_inverse=True)
        target = np.eye(len(self.classes_))[codes]
        target = target[:, 1:] if len(self.classes_) == 2 else target
        inputs = with_ones(self.scaler_.transform(X))
        self.shapes_ = (inputs.shape[1], self.hidden), (self.hidden + 1, target.shape[1])
        size = sum(rows * columns for rows, columns in self.shapes_)
        start = np.random.default_rng(self.random_state).uniform(-_RANGE, _RANGE, size)
        found = minimize(
            objective,
            start,
            args=(inputs, target, self.shapes_, self.decay),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": _MAX_STEPS},
        )
        self.weights_ = found.x
        return self

    def outputs(self, X: Any) -> Floats:
        """Output units (n, 1) of two classes or (n, K) of more, between 0 and 1."""
        inputs = with_ones(self.scaler_.transform(X))
        first, second = _layers(self.weights_, self.shapes_)
        return np.asarray(expit(with_ones(expit(inputs @ first)) @ second))

    def predict_proba(self, X: Any) -> Floats:
        """Outputs as probabilities (n, K): of more than two classes, divided by their sum."""
        out = self.outputs(X)
        if out.shape[1] == 1:
            return np.hstack([1 - out, out])
        return np.asarray(out / out.sum(axis=1, keepdims=True))

    def predict(self, X: Any) -> NDArray[Any]:
        """Labels (n,)."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])


def with_ones(values: Floats) -> Floats:
    """The values with a first column of ones."""
    return np.hstack([np.ones((len(values), 1)), values])


def _layers(weights: Floats, shapes: tuple[tuple[int, int], ...]) -> tuple[Floats, Floats]:
    (rows, columns), second = shapes
    return weights[: rows * columns].reshape(rows, columns), weights[rows * columns :].reshape(
        second
    )


def objective(
    weights: Floats,
    inputs: Floats,
    target: Floats,
    shapes: tuple[tuple[int, int], ...],
    decay: float,
) -> tuple[float, Floats]:
    """SE + lambda J (eq. 3.29 and 3.30) and its gradient, by back-propagation.

    Parameters
    ----------
    weights : (m,) array
        Of both layers.
    inputs : (n, p + 1) array
        Features with a column of ones.
    target : (n, c) array
        Indicators of the classes.
    shapes : two pairs of int
        Of the weights of the layers.
    decay : float

    Returns
    -------
    value : float
    gradient : (m,) array
    """
    first, second = _layers(weights, shapes)
    hidden = with_ones(expit(inputs @ first))
    out = expit(hidden @ second)
    miss = out - target
    back = 2 * miss * out * (1 - out)
    inner = (back @ second[1:].T) * hidden[:, 1:] * (1 - hidden[:, 1:])
    gradient = np.concatenate([(inputs.T @ inner).ravel(), (hidden.T @ back).ravel()])
    value = float(np.vdot(miss, miss) + decay * weights @ weights)
    return value, gradient + 2 * decay * weights
