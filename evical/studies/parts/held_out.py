"""Beliefs of sources about samples that were new to them, from which a fusion can learn.

A source is a classifier trained on the first half of its share and calibrated on the second.
About samples of other shares it speaks as it is. About its own it would know too much, so it
is made anew without some of them in turn, and then speaks about those (Wolpert 1992, Stacked
generalization, Neural Networks 5, 241-259).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from dstheory import Frame, MassFunction
from evical.estimators.members import gather
from evical.fusion import named_fusion
from evical.studies.parts.evaluate import Source, calibrate, train_source
from evical.studies.parts.metrics import Fused
from evical.studies.parts.protocol import Method

__all__ = ["LearningSource", "fuse_learned", "known_and_new", "train_learning_source"]

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
    return gather(Frame([0, 1]), source.n, parts), beliefs[n_others:]


def fuse_learned(
    sources: Sequence[LearningSource],
    method: Method,
    y_known: Indices,
    sizes: Sequence[int],
    y: Indices,
) -> Fused:
    """One belief about each test sample, by a fusion that learns from the training samples.

    Parameters
    ----------
    sources : sequence of LearningSource
    method : Method
        Its fusion is one of `LEARNED`.
    y_known : (n,) array
        Labels of the training samples.
    sizes : sequence of int
        Of the sources' shares.
    y : (n_test,) array

    Returns
    -------
    Fused
    """
    pairs = [known_and_new(method.calibrator, method.model, one) for one in sources]
    fusion: Any = named_fusion(method.fusion)
    fusion.fit([known for known, _ in pairs], y_known, sizes)
    fused = fusion(*(new for _, new in pairs))
    return Fused(y, bel=fused.bel(1), pl=fused.pl(1), conflicting=np.zeros(len(y), dtype=bool))
