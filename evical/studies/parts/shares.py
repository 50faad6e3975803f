"""Training samples shared out among classifiers, beside a test set that none of them sees."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evical.datasets import Dataset
from evical.studies.parts.split import Halves, draw_halves, draw_training, share_sizes

__all__ = ["Shares", "draw_shares"]

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Shares:
    """Training samples with their shares, and test samples.

    Parameters
    ----------
    X : (n, p) array
        Scaled by all training samples.
    y : (n,) array
    halves : list of pairs of index arrays
        For each share the samples that train, and those that calibrate.
    sizes : list of int
    X_test : (n_test, p) array
    y_test : (n_test,) array
    """

    X: Floats
    y: Indices
    halves: Halves
    sizes: list[int]
    X_test: Floats
    y_test: Indices


def draw_shares(
    sets: Sequence[Dataset],
    n_train: int,
    shares: Sequence[Fraction],
    new_scaler: Callable[[], Any],
    rng: np.random.Generator,
) -> Shares:
    """Draw training samples in the class proportions of the data, and share them out.

    Parameters
    ----------
    sets : sequence of Dataset
        One, of which the samples not drawn are the test set; or two, the second of which is.
    n_train : int
    shares : sequence of Fraction
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
    pool, sizes = sets[0], share_sizes(n_train, shares)
    train, rest = draw_training(pool.y, n_train, 2 * len(sizes), rng)
    halves = draw_halves(pool.y[train], sizes, rng)
    scaler = new_scaler().fit(pool.X[train])
    X_test, y_test = (sets[1].X, sets[1].y) if len(sets) > 1 else (pool.X[rest], pool.y[rest])
    return Shares(
        scaler.transform(pool.X[train]),
        pool.y[train],
        halves,
        sizes,
        scaler.transform(X_test),
        y_test,
    )
