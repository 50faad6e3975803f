"""Training samples shared out among classifiers at random, beside a test set that none sees."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evical._typing import Floats, Indices
from evical.datasets import Dataset
from evical.demo.contest import draw_halves, draw_training

__all__ = ["Shares", "draw_shares"]


@dataclass(frozen=True, eq=False)
class Shares:
    """Training samples with their shares, and test samples.

    Parameters
    ----------
    X : (n, p + 1) array
        Features, scaled by all training samples. The last column tells the halves of a share
        apart: 0 trains, 1 calibrates.
    y : (n,) array
    subsets : list of index arrays
        Samples of each share.
    X_test : (n_test, p + 1) array
        The last column means nothing.
    y_test : (n_test,) array
    """

    X: Floats
    y: Indices
    subsets: list[Indices]
    X_test: Floats
    y_test: Indices

    @property
    def sizes(self) -> list[int]:
        """Numbers of samples."""
        return [len(rows) for rows in self.subsets]


def draw_shares(
    sets: Sequence[Dataset],
    sizes: Sequence[int],
    new_scaler: Callable[[], Any],
    rng: np.random.Generator,
) -> Shares:
    """Draw training samples in the class proportions of the data, and share them out.

    Parameters
    ----------
    sets : sequence of Dataset
        One, whose remaining samples are the test set; or two, the second of which is the test set.
    sizes : sequence of int
        Of the shares.
    new_scaler : callable
        Makes a scaler of features.
    rng : numpy.random.Generator

    Returns
    -------
    Shares

    Raises
    ------
    ValueError
        If there are too few samples of a class.
    """
    pool = sets[0]
    train, rest = draw_training(pool.y, sum(sizes), 2 * len(sizes), rng)
    halves = draw_halves(pool.y[train], sizes, rng)
    # By all training samples: scaled by the two or three of a small share alone, every other
    # sample would lie so far off that kernel values vanish.
    scaler = new_scaler().fit(pool.X[train])
    test = sets[1] if len(sets) > 1 else None
    X_test, y_test = (pool.X[rest], pool.y[rest]) if test is None else (test.X, test.y)
    calibrates = np.zeros(len(train))
    calibrates[np.concatenate([second for _, second in halves])] = 1
    return Shares(
        np.column_stack([scaler.transform(pool.X[train]), calibrates]),
        pool.y[train],
        [np.concatenate(pair) for pair in halves],
        np.column_stack([scaler.transform(X_test), np.zeros(len(X_test))]),
        y_test,
    )
