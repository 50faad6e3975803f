"""Samples of a repeat: probabilities of a classifier for calibration and for test samples."""

import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax
from sklearn.base import clone
from sklearn.model_selection import train_test_split

from evical._typing import Floats
from evical.datasets import Dataset
from examples.studies.default_classifier.methods import CLASSIFIERS

__all__ = ["Samples", "draw", "predicted", "three_parts"]

Rows = NDArray[np.intp]
_N_OF_CLASS = 20  # fewer than seven in each part say little of a class
_SHARES = (0.3, 0.3)  # the rest is for the test
_MOST = (600, 800, 2000)


class Samples(NamedTuple):
    """(n, K) probabilities and (n,) numbers of classes, for calibration and for test."""

    p_cal: Floats
    y_cal: Rows
    p_test: Floats
    y_test: Rows


def three_parts(y: Rows, state: int) -> tuple[Rows, Rows, Rows]:
    """Stratified rows for training, calibration and test; rare classes are left out."""
    kept = np.flatnonzero(np.isin(y, np.flatnonzero(np.bincount(y) >= _N_OF_CLASS)))
    n_train, n_cal = (
        min(int(share * len(kept)), most) for share, most in zip(_SHARES, _MOST, strict=False)
    )
    train, rest = train_test_split(kept, train_size=n_train, random_state=state, stratify=y[kept])
    n_test = min(len(rest) - n_cal, _MOST[2])
    cal, test = train_test_split(
        rest, train_size=n_cal, test_size=n_test, random_state=state, stratify=y[rest]
    )
    return train, cal, test


def draw(dataset: Dataset, classifier: str, state: int) -> Samples:
    """Train a classifier on one part, and predict the others.

    Parameters
    ----------
    dataset : Dataset
    classifier : str
        In `CLASSIFIERS`.
    state : int
        Of the split.

    Returns
    -------
    Samples
    """
    train, cal, test = three_parts(dataset.y, state)
    # Kept classes are numbered anew.
    _, y = np.unique(dataset.y[np.concatenate([train, cal, test])], return_inverse=True)
    y_train, y_cal, y_test = np.split(y, [len(train), len(train) + len(cal)])
    with warnings.catch_warnings(action="ignore", category=UserWarning):
        model = clone(CLASSIFIERS[classifier]).fit(dataset.X[train], y_train)
    p_cal, p_test = (predicted(model, dataset.X[part]) for part in (cal, test))
    return Samples(p_cal, y_cal, p_test, y_test)


def predicted(model: Any, X: Floats) -> Floats:
    """Probabilities (n, K); margins are read as log-odds, for want of anything else."""
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(X), dtype=np.float64)
    margins = np.asarray(model.decision_function(X), dtype=np.float64)
    if margins.ndim == 1:
        return np.stack([expit(-margins), expit(margins)], axis=1)
    return np.asarray(softmax(margins, axis=1))
