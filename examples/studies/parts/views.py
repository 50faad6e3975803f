"""Training samples of which each member sees some features, beside a test set that none sees."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dstheory.checks.arguments import check_choice
from evical._typing import Floats, Indices
from evical.datasets import Dataset
from evical.demo.contest import draw_training

__all__ = ["N_MEMBERS", "VIEWS", "Views", "draw_columns", "draw_views"]


N_MEMBERS = 10
VIEWS = {"disjoint": "disjoint features", "halves": "halves of the features"}
"""Kinds of views, in words: features dealt out among the members, or a random half for each."""

# Of each class, for training; as for ten shares, so that these have the same samples.
_LEAST = 2 * N_MEMBERS


@dataclass(frozen=True, eq=False)
class Views:
    """Training samples with the features of each member, and test samples.

    Parameters
    ----------
    X : (n, p) array
        Features, scaled by the training samples.
    y : (n,) array
    columns : list of index arrays
        Features of each member.
    X_test : (n_test, p) array
    y_test : (n_test,) array
    """

    X: Floats
    y: Indices
    columns: list[Indices]
    X_test: Floats
    y_test: Indices

    @property
    def sizes(self) -> list[int]:
        """Numbers of features."""
        return [len(columns) for columns in self.columns]


def draw_columns(kind: str, n_features: int, rng: np.random.Generator) -> list[Indices]:
    """Features of each member.

    Parameters
    ----------
    kind : {"disjoint", "halves"}
        Parts as equal as possible, ten or one for each feature; or ten random halves, rounded up.
    n_features : int
    rng : numpy.random.Generator

    Returns
    -------
    list of index arrays
        Ascending.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> [len(part) for part in draw_columns("disjoint", 24, rng)]
    [3, 3, 3, 3, 2, 2, 2, 2, 2, 2]
    >>> len(draw_columns("disjoint", 6, rng)), len(draw_columns("halves", 6, rng))
    (6, 10)
    """
    check_choice("kind", kind, VIEWS)
    if kind == "disjoint":
        dealt = np.array_split(rng.permutation(n_features), min(N_MEMBERS, n_features))
        return [np.sort(part) for part in dealt]
    size = (n_features + 1) // 2
    return [np.sort(rng.permutation(n_features)[:size]) for _ in range(N_MEMBERS)]


def draw_views(
    sets: Sequence[Dataset],
    n_train: int,
    kind: str,
    new_scaler: Callable[[], Any],
    rng: np.random.Generator,
) -> Views:
    """Draw training samples in the class proportions of the data, and features for the members.

    Parameters
    ----------
    sets : sequence of Dataset
        One, whose remaining samples are the test set; or two, the second of which is the test set.
    n_train : int
    kind : {"disjoint", "halves"}
    new_scaler : callable
        Makes a scaler of features.
    rng : numpy.random.Generator
        In the state in which `draw_shares` gets it, the training samples are the same.

    Returns
    -------
    Views

    Raises
    ------
    ValueError
        If there are too few samples of a class.
    """
    pool = sets[0]
    train, rest = draw_training(pool.y, n_train, _LEAST, rng)
    columns = draw_columns(kind, pool.X.shape[1], rng)
    scaler = new_scaler().fit(pool.X[train])
    test = sets[1] if len(sets) > 1 else None
    X_test, y_test = (pool.X[rest], pool.y[rest]) if test is None else (test.X, test.y)
    return Views(
        scaler.transform(pool.X[train]), pool.y[train], columns, scaler.transform(X_test), y_test
    )
