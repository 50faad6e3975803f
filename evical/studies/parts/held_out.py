"""Beliefs of sources about samples that were new to them, from which a fusion can learn.

A source is a classifier trained on the first half of its share and calibrated on the second.
About samples of other shares it speaks as it is. About its own it would know too much, so it
is made anew without some of them in turn, and then speaks about those (Wolpert 1992, Stacked
generalization, Neural Networks 5, 241-259).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from dstheory import Frame, MassFunction
from evical.estimators.members import gathered
from evical.studies.parts.evaluate import Source, calibrate, train_source

__all__ = ["LearningSource", "known_and_new", "train_learning_source"]

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Halves = tuple[Indices, Indices]

_FOLDS = 5


@dataclass(frozen=True, eq=False)
class LearningSource:
    """A source, with its beliefs about all training samples.

    Parameters
    ----------
    whole : Source
        Trained and calibrated on its whole share; in the place of the test set are the samples
        of other shares, and then the test set.
    others : (r,) array
        Training samples of other shares.
    without : tuple of (rows, Source)
        Samples of its own share, and the source made without them.
    n : int
        Training samples of all sources.
    """

    whole: Source
    others: Indices
    without: tuple[tuple[Indices, Source], ...]
    n: int


def train_learning_source(
    classifier: str, X: Floats, y: Indices, halves: Halves, test: Floats
) -> LearningSource:
    """Train on a share, and again without each fold of it.

    Parameters
    ----------
    classifier : str
        A name of `CLASSIFIERS`.
    X : (n, p) array
        Training samples of all sources.
    y : (n,) array
    halves : pair of index arrays
        Of the share.
    test : (n_test, p) array

    Returns
    -------
    LearningSource
        About samples of a fold without which a half lacks a class nothing is known.
    """
    share = np.concatenate(halves)
    others = np.setdiff1d(np.arange(len(y)), share)
    whole = train_source(classifier, X, y, halves, np.concatenate([X[others], test]))
    without = []
    for fold in _folds(y, share):
        kept = _without(halves, fold)
        if all(len(np.unique(y[half])) == 2 for half in kept):
            without.append((fold, train_source(classifier, X, y, kept, X[fold])))
    return LearningSource(whole, others, tuple(without), len(y))


def _folds(y: Indices, share: Indices) -> list[Indices]:
    least = int(np.bincount(y[share], minlength=2).min())
    if least < 2:
        return []
    splits = StratifiedKFold(min(_FOLDS, least)).split(share, y[share])
    return [share[test] for _, test in splits]


def _without(halves: Halves, rows: Indices) -> Halves:
    first, second = (half[~np.isin(half, rows)] for half in halves)
    return first, second


def known_and_new(
    calibrator: str, model: str, source: LearningSource
) -> tuple[MassFunction, MassFunction]:
    """Beliefs of a source about samples that it did not know.

    Parameters
    ----------
    calibrator : str
        A name of `CALIBRATORS`.
    model : str
    source : LearningSource

    Returns
    -------
    pair of MassFunction
        About the training samples of all, vacuous where nothing is known; and about the test
        set.
    """
    beliefs = calibrate(calibrator, model, source.whole)
    n_others = len(source.others)
    parts = [(rows, calibrate(calibrator, model, one)) for rows, one in source.without]
    if n_others:
        parts.append((source.others, beliefs[:n_others]))
    return gathered(Frame([0, 1]), source.n, parts), beliefs[n_others:]
