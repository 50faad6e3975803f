"""Blocks of scores on the near-isotonic path, and how well they explain the labels.

Following the path means joining blocks, which adds up their sums; their values and the
likelihood follow from the sums and lambda alone (Naeini 2016, eq. 3.18). Most of the path
consists of models of very many blocks that the Bayesian information criterion rules out,
and `relevant` skips these by a bound instead of looking at each.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from evical._typing import Floats, Indices
from evical.curves._near_isotonic import block_slopes, joins_of, power_of_two
from evical.scores.counts import ScoreCounts

__all__ = ["Blocks", "relevant"]


_EPS, _TINY = float(np.finfo(np.float64).eps), float(np.finfo(np.float64).tiny)


@dataclass(frozen=True, eq=False)
class Blocks:
    """Neighboring scores in blocks.

    Parameters
    ----------
    positive, negative : (b,) arrays
        Weight of the samples of each class.
    score : (b,) array
        Sum of weight times score, the score kept in [0, 1].
    joins : (b - 1,) array
        Lambda at which neighbors join.
    falls : (b - 1,) bool array
        Whether the share of positives falls from a block to the next.
    """

    positive: Floats
    negative: Floats
    score: Floats
    joins: Floats
    falls: NDArray[np.bool_]

    @classmethod
    def of(cls, counts: ScoreCounts) -> "Blocks":
        """A block for each distinct score."""
        unit = power_of_two(float(counts.total.max()))
        joins, falls = joins_of(counts.positive / unit, counts.total / unit)
        score = np.clip(counts.scores, 0, 1) * counts.total
        return cls(counts.positive, counts.negative, score, joins * unit, falls)

    def __len__(self) -> int:
        return len(self.positive)

    @property
    def total(self) -> Floats:
        """Weight of all samples (b,)."""
        return self.positive + self.negative

    def at(self, lam: float) -> tuple["Blocks", Indices]:
        """The blocks at a lambda beyond this one's, and where each of them begins."""
        apart = np.flatnonzero(self.joins > lam)
        starts = np.append(0, apart + 1)
        positive, negative, score = (
            np.add.reduceat(a, starts) for a in (self.positive, self.negative, self.score)
        )
        return Blocks(positive, negative, score, self.joins[apart], self.falls[apart]), starts

    def values(self, lam: float) -> tuple[Floats, Floats]:
        """Near-isotonic fit (b,), Naeini (2016), eq. 3.18, and 1 minus it, both accurate near 0."""
        moved, total = lam * block_slopes(self.falls), self.total
        # Rounding could go below 0 by a last place.
        return (
            np.maximum(self.positive + moved, 0) / total,
            np.maximum(self.negative - moved, 0) / total,
        )

    def log_likelihood(self, lam: float) -> float:
        """Of Bernoulli labels with the fit as their probabilities."""
        likelihood = 0.0
        for k, p in zip((self.positive, self.negative), self.values(lam), strict=True):
            # Beyond lambda = 0, a value is 0 only where no label has it; what rounding has made 0
            # is less than a last place of the share.
            least = np.maximum(_EPS * k / self.total, _TINY)
            likelihood += float(xlogy(k, np.maximum(p, least)).sum())
        return likelihood

    def bic(self, lam: float, penalty: float) -> float:
        """-2 log-likelihood + penalty * number of blocks."""
        return penalty * len(self) - 2 * self.log_likelihood(lam)


def relevant(
    blocks: Blocks, lambdas: Floats, penalty: float, margin: float
) -> tuple[Blocks, Floats, Floats]:
    """The models whose criterion comes within `margin` of the best one.

    Parameters
    ----------
    blocks : Blocks
        Of distinct scores.
    lambdas : (t,) array
        Of the models, ascending; the last one is isotonic regression.
    penalty : float
        Of each block in the criterion, at least 0.
    margin : float

    Returns
    -------
    blocks : Blocks
        As at the first of the models.
    lambdas, bics : (s,) arrays

    Notes
    -----
    The likelihood falls all along the path: it is continuous in lambda, and on each piece its
    logarithm has the derivative -lambda sum_b d_b^2 / (n_b p_b (1 - p_b)), with d as in
    `block_slopes`. A model can thus be better than an earlier one by its fewer blocks only,
    and after a model that is worse than the best by some excess, all are ruled out until
    so many blocks are gone that their penalty makes up for it.
    """
    gone = np.searchsorted(np.sort(blocks.joins), lambdas, side="right")
    best = _least_found(blocks, lambdas, len(blocks) - gone, penalty)
    saved = penalty * gone
    found, current, t = [], blocks, 0
    while t < len(lambdas):
        current, _ = current.at(lambdas[t])
        bic = current.bic(lambdas[t], penalty)
        best = min(best, bic)
        found.append((lambdas[t], bic))
        excess = bic - best - margin
        t = max(t + 1, int(np.searchsorted(saved, saved[t] + excess)))
    kept = np.array([(lam, bic) for lam, bic in found if bic <= best + margin])
    return blocks.at(kept[0, 0])[0], kept[:, 0], kept[:, 1]


def _least_found(blocks: Blocks, lambdas: Floats, sizes: Indices, penalty: float) -> float:
    """Least criterion among models each of which has a tenth fewer blocks than the one before.

    The last model is among them. Without it, `relevant` would look at each model on the way
    down to the best one; with it, 18 s became 3 s for 1e6 labels whose probability is a sine.
    """
    best, t = np.inf, 0
    while t < len(lambdas):
        blocks, _ = blocks.at(lambdas[t])
        best = min(best, blocks.bic(lambdas[t], penalty))
        fewer = int(np.searchsorted(-sizes, -0.9 * sizes[t]))
        t = max(t + 1, min(fewer, len(lambdas) - 1))
    return best
