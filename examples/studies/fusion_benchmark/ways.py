"""Ways to fuse classifiers: all learn from the same out-of-fold predictions.

Sources: Wolpert, "Stacked generalization" (1992); van der Laan, Polley & Hubbard, "Super learner"
(2007); Caruana, Niculescu-Mizil, Crew & Ksikes, "Ensemble selection from libraries of models"
(2004); Ranjan & Gneiting, "Combining probability forecasts" (2010), for pools that are calibrated.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import log_softmax, logsumexp, softmax
from sklearn.linear_model import LogisticRegression

from evical._typing import Floats
from evical.beliefs import as_beliefs
from evical.fusion import Mixture, Stacked

__all__ = ["DEFAULT", "WAYS", "Material"]

_LEAST = 1e-4  # probability, before its logarithm is taken
_STEPS = 50  # of greedy selection
_MOST_LOG = 3.0  # logarithms of temperatures are sought within +-3


class Material(NamedTuple):
    """What S members say about n samples with labels, out of fold, and about m new ones.

    Parameters
    ----------
    seen : (S, n, K) array
        Calibrated probabilities of the members whose classifiers did not see the samples.
    y : (n,) array
        Numbers of the classes.
    new : (S, m, K) array
    raw_seen, raw_new : (n, C) and (m, C) arrays
        What scikit-learn's `StackingClassifier` stacks; no columns where there is no such thing.
    sizes : (S,) array
        Number of samples behind each member.
    """

    seen: Floats
    y: NDArray[np.intp]
    new: Floats
    raw_seen: Floats
    raw_new: Floats
    sizes: Floats

    @property
    def of_truth(self) -> Floats:
        """Probabilities (S, n) of the true labels."""
        return np.asarray(self.seen[:, np.arange(len(self.y)), self.y])


def _stacked(material: Material) -> Floats:
    fusion = Stacked(model="bayesian")
    classes = np.arange(material.seen.shape[2])
    fusion.fit([as_beliefs(p, classes) for p in material.seen], material.y, material.sizes)
    return fusion.combine([as_beliefs(p, classes) for p in material.new]).betp()


def _stacking_classifier(material: Material) -> Floats:
    model = LogisticRegression(max_iter=2000).fit(material.raw_seen, material.y)
    return np.asarray(model.predict_proba(material.raw_new))


def _logs(p: Floats) -> Floats:
    logs = np.log(np.maximum(p, _LEAST))
    return np.asarray(logs - logs.mean(axis=-1, keepdims=True))


def _rows(table: Floats) -> Floats:
    """Features (n, S K) of a table (S, n, K); of two classes only one column each."""
    columns = table[:, :, 1:] if table.shape[2] == 2 else table
    return np.concatenate(list(columns), axis=1)


def _regression(strength: float, change: Callable[[Floats], Floats]) -> Any:
    def way(material: Material) -> Floats:
        model = LogisticRegression(C=strength, max_iter=3000)
        model.fit(_rows(change(material.seen)), material.y)
        return np.asarray(model.predict_proba(_rows(change(material.new))))

    return way


def _super_learner(material: Material) -> Floats:
    """Mean of the probabilities, by the weights under which the labels are most likely."""
    classes = np.arange(material.seen.shape[2])
    fusion = Mixture(weights="likelihood", shrinkage=0.0)
    fusion.fit([as_beliefs(p, classes) for p in material.seen], material.y)
    return np.asarray(np.tensordot(fusion.weights_, material.new, 1))


def _convex_log_pool(material: Material) -> Floats:
    """Mean of the log-probabilities, by weights from 0 with sum 1 under which labels are likely."""
    logs, n_sources = _logs(material.seen), len(material.seen)
    rows = np.arange(len(material.y))

    def loss(z: Floats) -> tuple[float, Floats]:
        weights = softmax(z)
        eta = np.tensordot(weights, logs, 1)
        p = softmax(eta, axis=1)
        p[rows, material.y] -= 1
        slope = np.einsum("snk,nk->s", logs, p)
        value = float(logsumexp(eta, axis=1).sum() - eta[rows, material.y].sum())
        return value, weights * (slope - weights @ slope)

    found = minimize(loss, np.zeros(n_sources), jac=True, method="L-BFGS-B")
    return np.asarray(softmax(np.tensordot(softmax(found.x), _logs(material.new), 1), axis=1))


def _calibrated_pool(material: Material) -> Floats:
    """Mean of the log-probabilities at the temperature under which the labels are most likely."""
    logs, rows = _logs(material.seen).mean(axis=0), np.arange(len(material.y))

    def loss(t: Floats) -> float:
        return -float(log_softmax(np.exp(t[0]) * logs, axis=1)[rows, material.y].sum())

    found = minimize(loss, np.zeros(1), method="L-BFGS-B", bounds=[(-_MOST_LOG, _MOST_LOG)])
    return np.asarray(softmax(np.exp(found.x[0]) * _logs(material.new).mean(axis=0), axis=1))


def _greedy(material: Material) -> Floats:
    """Members are added, with replacement, as long as the log loss of their mean gains most."""
    chosen, total = np.zeros(len(material.seen)), np.zeros(len(material.y))
    best, kept = np.inf, chosen
    for step in range(1, _STEPS + 1):
        losses = -np.log(np.maximum((total + material.of_truth) / step, 1e-15)).mean(axis=1)
        at = int(np.argmin(losses))
        total, chosen = total + material.of_truth[at], chosen + np.eye(len(chosen))[at]
        if losses[at] < best:
            best, kept = float(losses[at]), chosen
    return np.asarray(np.tensordot(kept / kept.sum(), material.new, 1))


def _soft_vote(material: Material) -> Floats:
    return np.asarray(material.new.mean(axis=0))


def _size_vote(material: Material) -> Floats:
    return np.asarray(np.tensordot(material.sizes / material.sizes.sum(), material.new, 1))


def _best_single(material: Material) -> Floats:
    losses = -np.log(np.maximum(material.of_truth, 1e-15)).mean(axis=1)
    return np.asarray(material.new[int(np.argmin(losses))])


def _dempster(material: Material) -> Floats:
    """Dempster's rule of the members' probabilities: their products."""
    return np.asarray(softmax(np.log(np.maximum(material.new, 1e-300)).sum(axis=0), axis=1))


def _identity(p: Floats) -> Floats:
    return p


DEFAULT = "Stacked"
WAYS: dict[str, Callable[[Material], Floats]] = {
    DEFAULT: _stacked,
    "StackingClassifier": _stacking_classifier,
    "logistic regression of log-odds": _regression(1e6, _logs),
    "ridge regression of log-odds": _regression(1.0, _logs),
    "ridge regression of probabilities": _regression(1.0, _identity),
    "super learner, probabilities": _super_learner,
    "super learner, log-odds": _convex_log_pool,
    "calibrated log-opinion pool": _calibrated_pool,
    "greedy selection": _greedy,
    "soft vote": _soft_vote,
    "soft vote by size": _size_vote,
    "best single": _best_single,
    "Dempster's rule": _dempster,
}
"""Name to a function from `Material` to probabilities (m, K) of the new samples."""
