"""Scores of the columns of a code, which all calibrations of a training part share.

Each column has a classifier of its own, whose parameters cross-validation chooses. Scores are those
of the training samples, cross-fitted ones of the same samples, and those of new samples.
Source: Gebel (2009), sections 3.1.3, 3.2.4 and 5.2.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evical._typing import Floats
from examples.studies.gebel2009._network import SigmoidNetwork
from examples.studies.gebel2009._sources import SquaredHingeSVC

__all__ = [
    "CROSS_FIT",
    "TRAINING",
    "Learner",
    "Scores",
    "binary_network",
    "column_labels",
    "direct_network",
    "learned_scores",
    "spread",
    "svm",
]

Integers = NDArray[np.intp]
Fold = tuple[Integers, Integers]
Scorer = Callable[[Floats], Floats]

TRAINING, CROSS_FIT = "training", "cross_fit"
_SEARCH_FOLDS = 3


@dataclass(frozen=True)
class Learner:
    """A kind of classifier with the grid of its parameters.

    Parameters
    ----------
    make : callable
        From parameters to a classifier, not fitted.
    score : callable
        From a fitted classifier and features to scores: (n,) margins of two classes, with the
        boundary at 0, or (n, K) probabilities of all classes.
    grid : tuple of dict
        Parameters to choose from.
    """

    make: Callable[..., Any]
    score: Callable[[Any, Floats], Floats]
    grid: tuple[dict[str, Any], ...]

    def best(self, X: Floats, y: Integers, folds: Sequence[Fold]) -> dict[str, Any]:
        """The parameters with the fewest errors in cross-validation; ties go to the first."""
        if len(self.grid) == 1:
            return self.grid[0]
        wrong = [
            sum(self._errors(parameters, X, y, *fold) for fold in folds) for parameters in self.grid
        ]
        return self.grid[int(np.argmin(wrong))]

    def _errors(
        self, parameters: dict[str, Any], X: Floats, y: Integers, train: Integers, test: Integers
    ) -> int:
        scores = self.trained(parameters, X[train], y[train])(X[test])
        predicted = scores.argmax(axis=1) if scores.ndim == 2 else scores > 0
        return int(np.sum(predicted != y[test]))

    def trained(self, parameters: dict[str, Any], X: Floats, y: Integers) -> Scorer:
        """Scores of a classifier; of one class alone, they are sure of it, and of none 0."""
        present = np.unique(y)
        if len(present) < 2:
            sure = 2.0 * present[0] - 1 if len(present) else 0.0
            return lambda new: np.full(len(new), sure)
        model = self.make(**parameters).fit(X, y)
        return lambda new: self.score(model, new)


def svm(costs: Sequence[float], widths: Sequence[float]) -> Learner:
    """Support vector machines of two classes."""
    grid = _grid(cost=costs, width=widths)
    return Learner(SquaredHingeSVC, lambda model, X: np.asarray(model.decision_function(X)), grid)


def binary_network(decays: Sequence[float], hidden: Sequence[int]) -> Learner:
    """Networks of two classes; margins are 2 p - 1, as the loss (1 - v)^2 of section 3.3 has it."""
    grid = _grid(decay=decays, hidden=hidden)
    return Learner(SigmoidNetwork, lambda model, X: 2 * model.outputs(X)[:, 0] - 1, grid)


def direct_network(decays: Sequence[float], hidden: Sequence[int], n_classes: int) -> Learner:
    """Networks of all classes at once; a class without samples has probability 0."""

    def score(model: Any, X: Floats) -> Floats:
        p = np.zeros((len(X), n_classes))
        p[:, model.classes_] = model.predict_proba(X)
        return p

    return Learner(SigmoidNetwork, score, _grid(decay=decays, hidden=hidden))


def _grid(**values: Sequence[Any]) -> tuple[dict[str, Any], ...]:
    return tuple(dict(zip(values, row, strict=True)) for row in product(*values.values()))


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of B columns; of the direct network, probabilities of K classes.

    Parameters
    ----------
    seen : dict of (n, B) arrays
        `TRAINING` and `CROSS_FIT` to scores of the training samples.
    new : (m, B) array
        Of new samples, by the classifiers of the whole training part.
    new_of_folds : (folds, m, B) array
        Of new samples, by the classifiers without a fold.
    """

    seen: dict[str, Floats]
    new: Floats
    new_of_folds: Floats


def column_labels(code: NDArray[np.int8], y: Integers) -> list[Integers]:
    """For each column, 1 on its positive side, 0 on its negative one, and -1 for other samples."""
    return [np.select([column[y] == 1, column[y] == -1], [1, 0], -1) for column in code.T]


def learned_scores(
    learner: Learner,
    problems: Sequence[Integers],
    X: Floats,
    X_new: Floats,
    folds: Sequence[Fold],
    most: int,
    rng: np.random.Generator,
) -> Scores:
    """Train the classifiers of all columns and take their scores.

    Parameters
    ----------
    learner : Learner
    problems : sequence of (n,) arrays
        Labels of each column, -1 for samples that do not take part.
    X, X_new : (n, p) and (m, p) arrays
        Features of the training part and of new samples.
    folds : sequence of (train, test)
        Of the training part, for cross-fitted scores.
    most : int
        Number of samples on which parameters are chosen; if there are more, these are drawn.
    rng : Generator

    Returns
    -------
    Scores
    """
    parts = [_column(learner, labels, X, X_new, folds, most, rng) for labels in problems]
    seen, cross, new, of_folds = (
        np.concatenate([part if part.ndim > own else part[..., np.newaxis] for part in column], -1)
        for own, column in zip((1, 1, 1, 2), zip(*parts, strict=True), strict=True)
    )
    return Scores({TRAINING: seen, CROSS_FIT: cross}, new, of_folds)


def _column(
    learner: Learner,
    labels: Integers,
    X: Floats,
    X_new: Floats,
    folds: Sequence[Fold],
    most: int,
    rng: np.random.Generator,
) -> tuple[Floats, Floats, Floats, Floats]:
    """Scores of the training samples, cross-fitted ones, new ones, and new ones of each fold."""
    used = np.flatnonzero(labels >= 0)
    drawn = rng.permutation(used)[:most]
    best = learner.best(X[drawn], labels[drawn], spread(labels[drawn], _SEARCH_FOLDS, rng))
    whole = learner.trained(best, X[used], labels[used])
    kept = [np.intersect1d(train, used) for train, _ in folds]
    models = [learner.trained(best, X[rows], labels[rows]) for rows in kept]
    seen = whole(X)
    cross = np.empty_like(seen)
    for model, (_, test) in zip(models, folds, strict=True):
        cross[test] = model(X[test])
    return seen, cross, whole(X_new), np.stack([model(X_new) for model in models])


def spread(y: Integers, n_folds: int, rng: np.random.Generator) -> list[Fold]:
    """Folds with each class spread as evenly as can be, however few samples it has.

    Parameters
    ----------
    y : (n,) array
    n_folds : int
    rng : Generator

    Returns
    -------
    list of (train, test)
    """
    order = rng.permutation(len(y))
    number = np.empty(len(y), dtype=np.intp)
    number[order[np.argsort(y[order], kind="stable")]] = np.arange(len(y)) % n_folds
    return [(np.flatnonzero(number != k), np.flatnonzero(number == k)) for k in range(n_folds)]
