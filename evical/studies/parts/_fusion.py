"""Ways from the beliefs of several classifiers to one belief.

Dempster's rule has no result where sources exclude each other, which happens as soon as
probabilities of 0 and 1 meet. An experiment must go on and tell, so such rows become vacuous
and are counted. Xu et al. 2016, equations 6 and 7.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dstheory import MassFunction
from dstheory.combine import dempster
from evical.estimators.members import total_conflict, vacuous_where

__all__ = ["FUSIONS", "LEARNED", "Fusion"]

Masses = Sequence[MassFunction]
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Fusion:
    """A fusion with its name in words.

    `combine` takes the sources (one batch each, same focal sets) and the sizes of their
    shares, and gives the fused batch and the rows that were in total conflict.
    """

    name: str
    combine: Callable[[Masses, Sequence[int]], tuple[MassFunction, Bools]]


def _dempster(sources: Masses, sizes: Sequence[int]) -> tuple[MassFunction, Bools]:
    conflicting = total_conflict(list(sources))
    return vacuous_where(conflicting, dempster, list(sources)), conflicting


def _largest(sources: Masses, sizes: Sequence[int]) -> tuple[MassFunction, Bools]:
    fused = sources[int(np.argmax(sizes))]
    return fused, np.zeros(fused.batch_shape, dtype=bool)


def _weighted_mean(sources: Masses, sizes: Sequence[int]) -> tuple[MassFunction, Bools]:
    weights = np.asarray(sizes) / np.sum(sizes)
    store = np.einsum("s,sfn->fn", weights, np.stack([source.store for source in sources]))
    fused = MassFunction.from_store(sources[0].frame, np.array(sources[0].focal), store)
    return fused, np.zeros(fused.batch_shape, dtype=bool)


FUSIONS = {
    "dempster": Fusion("Dempster's rule", _dempster),
    "largest": Fusion("largest alone", _largest),
    "weighted_mean": Fusion("weighted mean", _weighted_mean),
}
"""Name to fusion."""

LEARNED = {"stacked": "stacked fusion"}
"""Name in `evical.fusion.named_fusion` to name in words, of fusions that learn from samples."""
