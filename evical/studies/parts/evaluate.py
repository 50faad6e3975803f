"""From samples to fused beliefs: the steps that all studies of classifier fusion share.

A source is trained and its scores are computed once; every calibrator, model and fusion then
works on these scores, so that methods differ in nothing else.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dstheory import MassFunction
from evical.studies.parts._fusion import FUSIONS
from evical.studies.parts.metrics import Fused
from evical.studies.parts.protocol import Method
from evical.studies.parts.sources import CALIBRATORS, CLASSIFIERS

__all__ = ["Source", "calibrate", "fuse", "fuse_all", "train_source"]

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Source:
    """A trained classifier: scores and labels of its calibration half, scores of the test set."""

    scores: Floats
    y: Indices
    test_scores: Floats


def train_source(
    classifier: str, X: Floats, y: Indices, halves: tuple[Indices, Indices], test: Floats
) -> Source:
    """Train a classifier on the first half of its share; score the second half and the test set.

    Parameters
    ----------
    classifier : str
        A name of `CLASSIFIERS`.
    X : (n, p) array
    y : (n,) array
    halves : pair of index arrays
    test : (n_test, p) array

    Returns
    -------
    Source
    """
    first, second = halves
    score = CLASSIFIERS[classifier]().fit(X[first], y[first]).decision_function
    return Source(score(X[second]), y[second], score(test))


def calibrate(calibrator: str, model: str, source: Source) -> MassFunction:
    """Beliefs about the test set.

    Parameters
    ----------
    calibrator : str
        A name of `CALIBRATORS`.
    model : str
    source : Source

    Returns
    -------
    MassFunction
    """
    fitted = CALIBRATORS[calibrator](model).fit(source.scores, source.y)
    beliefs: MassFunction = fitted.predict_mass(source.test_scores)
    return beliefs


def fuse(beliefs: list[MassFunction], fusion: str, sizes: Sequence[int], y: Indices) -> Fused:
    """One belief about each test sample.

    Parameters
    ----------
    beliefs : list of MassFunction
        Of each source.
    fusion : str
        A name of `FUSIONS`.
    sizes : sequence of int
        Of the sources' shares.
    y : (n_test,) array

    Returns
    -------
    Fused
    """
    fused, conflicting = FUSIONS[fusion].combine(beliefs, sizes)
    return Fused(y, bel=fused.bel(1), pl=fused.pl(1), conflicting=conflicting)


def fuse_all(
    sources: list[Source], methods: Sequence[Method], sizes: Sequence[int], y: Indices
) -> list[Fused]:
    """The outcome of each method; those that differ in the fusion only share their calibration.

    Parameters
    ----------
    sources : list of Source
    methods : sequence of Method
    sizes : sequence of int
        Of the sources' shares.
    y : (n_test,) array

    Returns
    -------
    list of Fused
    """
    kinds = dict.fromkeys((method.calibrator, method.model) for method in methods)
    beliefs = {kind: [calibrate(*kind, one) for one in sources] for kind in kinds}
    return [
        fuse(beliefs[method.calibrator, method.model], method.fusion, sizes, y)
        for method in methods
    ]
