"""The classifiers and calibrators of Gebel's comparisons on two classes.

Source: Gebel (2009), sections 3.1 (the support vector machine with squared hinge loss), 4 and 6.1.
"""

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from evical._typing import Floats
from evical.calibrators import (
    AssignmentValueCalibrator,
    AsymmetricLaplaceCalibrator,
    BaseCalibrator,
    GaussianCalibrator,
    IsotonicCalibrator,
    LogisticCalibrator,
    NormalizingCalibrator,
    PiecewiseLogisticCalibrator,
)
from examples.studies.gebel2009._network import SigmoidNetwork

__all__ = [
    "CALIBRATORS",
    "LEARNERS",
    "MARGINS",
    "NAIVE_BAYES",
    "NETWORK",
    "SVM",
    "TREE",
    "SquaredHingeSVC",
]


SVM, NAIVE_BAYES, NETWORK, TREE = "svm", "naive_bayes", "network", "tree"
MARGINS = SVM, NETWORK
"""Classifiers whose scores are margins; those of the others are probabilities."""

_MAX_STEPS = 50


class SquaredHingeSVC(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # sklearn is untyped
    """Support vector machine with squared hinge loss and a Gaussian kernel (eq. 3.10).

    Features are standardized. The squared hinge is piecewise quadratic, so that Newton's method
    ends at the exact solution once the set of samples with slack stays the same (Chapelle 2007).

    Parameters
    ----------
    cost : float
        Weight of the squared slack (gamma in the thesis).
    width : float
        Factor of the squared distance in the kernel (1 / sigma^2 in the thesis).
    """

    def __init__(self, cost: float = 1.0, width: float = 0.1) -> None:
        self.cost = cost
        self.width = width

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from features (n, p) and labels (n,)."""
        self.scaler_ = StandardScaler().fit(X)
        self.X_ = self.scaler_.transform(X)
        self.classes_ = np.unique(y)
        self.weights_, self.offset_ = _trained(self._kernel(self.X_), self.classes_, y, self.cost)
        return self

    def decision_function(self, X: Any) -> Floats:
        """Margins (n,)."""
        kernel = self._kernel(self.scaler_.transform(X))
        return np.asarray(kernel @ self.weights_ + self.offset_)

    def predict(self, X: Any) -> NDArray[Any]:
        """Labels (n,)."""
        return np.asarray(self.classes_[(self.decision_function(X) > 0).astype(int)])

    def _kernel(self, X: Floats) -> Floats:
        return np.asarray(np.exp(-self.width * cdist(X, self.X_, "sqeuclidean")))


def _trained(kernel: Floats, classes: NDArray[Any], y: Any, cost: float) -> tuple[Floats, float]:
    """Weights (n,) and offset of the margins."""
    sign = np.where(np.asarray(y) == classes[1], 1.0, -1.0)
    slack = np.ones(len(sign), dtype=bool)
    for _ in range(_MAX_STEPS):
        active = np.flatnonzero(slack)
        system = np.zeros((len(active) + 1, len(active) + 1))
        system[:-1, :-1] = kernel[np.ix_(active, active)] + np.eye(len(active)) / cost
        system[-1, :-1] = system[:-1, -1] = 1.0
        solution = np.linalg.solve(system, np.append(sign[active], 0.0))
        margin = kernel[:, active] @ solution[:-1] + solution[-1]
        new = sign * margin < 1.0
        if (new == slack).all() or not new.any():
            break
        slack = new
    weights = np.zeros(len(sign))
    weights[active] = solution[:-1]
    return weights, float(solution[-1])


LEARNERS: dict[str, tuple[Any, dict[str, tuple[float, ...]]]] = {
    # The thesis has every second power of two, then a finer grid; here it is every fourth.
    SVM: (
        SquaredHingeSVC(),
        {
            "cost": tuple(2.0**k for k in (-5, -1, 3, 7, 11)),
            "width": tuple(2.0**k for k in (-15, -11, -7, -3, 1)),
        },
    ),
    NAIVE_BAYES: (GaussianNB(), {}),
    NETWORK: (SigmoidNetwork(hidden=5), {"decay": (0.01, 0.1)}),
    # As R's tree: entropy, at least ten samples to split and five in a leaf; then pruned.
    TREE: (
        DecisionTreeClassifier(
            criterion="entropy", min_samples_split=10, min_samples_leaf=5, random_state=0
        ),
        {"ccp_alpha": (0.0, 0.005, 0.01, 0.02, 0.05)},
    ),
}
"""Name to a classifier and the grid of its parameters."""

Maker = Callable[[str], BaseCalibrator | None]


def _original(classifier: str) -> BaseCalibrator | None:
    return NormalizingCalibrator() if classifier in MARGINS else None


def _laplace(classifier: str) -> BaseCalibrator:
    return AsymmetricLaplaceCalibrator(transform=None if classifier in MARGINS else "logit")


def _gaussian(classifier: str) -> BaseCalibrator:
    return GaussianCalibrator(transform=None if classifier in MARGINS else "logit")


CALIBRATORS: dict[str, Maker] = {
    "original": _original,
    "assignment value": lambda classifier: AssignmentValueCalibrator(),
    "asymmetric Laplace": _laplace,
    "isotonic": lambda classifier: IsotonicCalibrator(model="bayesian"),
    "logistic": lambda classifier: LogisticCalibrator(model="bayesian"),
    "piecewise logistic": lambda classifier: PiecewiseLogisticCalibrator(),
    "Gaussian": _gaussian,
}
"""Name to a function that makes a calibrator for the scores of a classifier; None leaves them."""
