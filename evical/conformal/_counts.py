"""Counts of calibration scores above a score: all that a conformal p-value is made of.

Counts add up: over the folds of a cross-conformal predictor, each with a classifier and scores of
its own, as over parts of one sample.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from evical._typing import Floats


@dataclass(frozen=True, eq=False)
class Counts:
    """Weight of the calibration scores compared with each of some scores.

    Parameters
    ----------
    above : array
        Weight of the scores that are greater; needed for smoothing only.
    at_least : array
        Weight of the scores that are greater or equal.
    total : array
        Weight of all scores, in a shape that broadcasts.
    """

    above: Floats
    at_least: Floats
    total: Floats

    @classmethod
    def sum(cls, parts: Sequence[Self]) -> Self:
        """Of all samples, from the counts of each part."""
        above, at_least = (
            np.asarray(reduce(add, [getattr(part, name) for part in parts]))
            for name in ("above", "at_least")
        )
        return cls(above, at_least, np.asarray(reduce(add, [part.total for part in parts])))

    def p_values(self, weight: Floats | float = 1.0, tau: Floats | None = None) -> Floats:
        """P-values, see `evical.conformal.p_values`; 0 / 0 is 1, which excludes nothing."""
        share = np.asarray(weight + self.at_least)
        if tau is not None:
            share = self.above + tau * (share - self.above)
        whole = weight + self.total
        if not (whole > 0).all():
            empty = np.broadcast_to(whole == 0, share.shape)
            share, whole = np.where(empty, 1, share), np.where(empty, 1, whole)
        share = np.divide(share, whole, out=share)
        # A sum of other weights in another order may exceed its whole by rounding.
        return np.asarray(np.minimum(share, 1, out=share))


@dataclass(frozen=True, eq=False)
class ScoreSample:
    """Calibration scores, in ascending order, with the weight from each one on.

    Parameters
    ----------
    scores : (n,) array
    tail : (n + 1,) array
        Weight of each score and all after it; the last entry is 0.
    """

    scores: Floats
    tail: Floats

    @classmethod
    def of(cls, scores: Floats, weights: Floats | None = None) -> Self:
        """From scores in any order; scores of weight 0 are left out."""
        if weights is None:
            return cls(np.sort(scores), np.arange(len(scores), -1.0, -1.0))
        kept = np.flatnonzero(weights > 0)
        order = kept[np.argsort(scores[kept], kind="stable")]
        tail = np.append(np.cumsum(weights[order][::-1])[::-1], 0.0)
        return cls(scores[order], tail)

    def counts(self, new: Floats, *, ties: bool) -> Counts:
        """Compared with new scores of any shape; without ties, those above are not searched for."""
        at_least = self.tail[np.searchsorted(self.scores, new, side="left")]
        above = self.tail[np.searchsorted(self.scores, new, side="right")] if ties else at_least
        return Counts(above, at_least, np.asarray(self.tail[0]))


@dataclass(frozen=True, eq=False)
class ClassSamples:
    """Calibration scores of each class.

    Parameters
    ----------
    samples : sequence of ScoreSample
        K of them.
    """

    samples: Sequence[ScoreSample]

    @classmethod
    def of(
        cls, scores: Floats, codes: NDArray[Any], n_classes: int, weights: Floats | None = None
    ) -> Self:
        """From scores (n,) and the number (n,) of the class of each."""
        rows = [codes == k for k in range(n_classes)]
        return cls([_cut(scores, weights, kept) for kept in rows])

    def counts(self, new: Floats, *, ties: bool) -> Counts:
        """Each column of (m, K) new scores compared with its class."""
        columns = zip(self.samples, new.T, strict=True)
        found = [sample.counts(column, ties=ties) for sample, column in columns]
        at_least = np.stack([one.at_least for one in found], axis=1)
        above = np.stack([one.above for one in found], axis=1) if ties else at_least
        return Counts(above, at_least, np.array([float(one.total) for one in found]))


@dataclass(frozen=True, eq=False)
class GroupSamples:
    """Calibration scores of each group.

    Parameters
    ----------
    samples : mapping of a group to its ScoreSample
    """

    samples: Mapping[Any, ScoreSample]

    @classmethod
    def of(cls, scores: Floats, groups: NDArray[Any], weights: Floats | None = None) -> Self:
        """From scores (n,) and the group of each."""
        names = np.unique(groups).tolist()
        return cls({name: _cut(scores, weights, groups == name) for name in names})

    def counts(self, new: Floats, groups: NDArray[Any], *, ties: bool) -> Counts:
        """Each of m new rows compared with its group (m,); those of an unknown one with none."""
        above, at_least, total = np.zeros(new.shape), np.zeros(new.shape), np.zeros(new.shape)
        for name in np.unique(groups).tolist():
            rows = groups == name
            sample = self.samples.get(name, _NONE)
            part = sample.counts(new[rows], ties=ties)
            above[rows], at_least[rows], total[rows] = part.above, part.at_least, part.total
        return Counts(above, at_least, total)


_NONE = ScoreSample(np.empty(0), np.zeros(1))


def _cut(scores: Floats, weights: Floats | None, rows: NDArray[np.bool_]) -> ScoreSample:
    return ScoreSample.of(scores[rows], None if weights is None else weights[rows])
