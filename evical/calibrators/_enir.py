"""ENIR: an ensemble of near-isotonic regressions, weighted by how well they explain the labels.

Isotonic regression trusts the order of the scores unconditionally. Near-isotonic regression
penalizes decreases of the probability by lambda. ENIR averages the fits at all breakpoints of
lambda, from nearly unconstrained to isotonic, weighted by the Bayesian information criterion
(Naeini 2016, section 3.3).
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from dstheory.inference.counts.checks import BinomialModel
from evical._fitting import NOT_NEGATIVE
from evical._typing import Floats
from evical.calibrators import fields
from evical.calibrators._base import BaseCalibrator
from evical.calibrators._binning import AVERAGED_CELLS, Cells, bin_masses
from evical.curves.near_isotonic_blocks import Blocks, relevant
from evical.scores import ScoreCounts
from evical.scores.counts import midpoints

# Models of a relative weight below exp(-50) = 2e-22 are left out: a million of them would not
# change the last digit of an average.
_MARGIN = 100.0

# Prior means of blocks stay off 0 and 1, as those of the author's BBQ do.
_PRIOR_MEANS = (0.005, 0.995)


@dataclass(kw_only=True, eq=False, repr=False)
class ENIRCalibrator(Cells, BaseCalibrator):
    """Ensemble of near-isotonic regressions (ENIR).

    Parameters
    ----------
    model : {"bayesian", "likelihood", "confidence", "dempster", "laplace", "inverse_pignistic"}
        "bayesian" is the method of the thesis: the near-isotonic probability of each block.
        The others go beyond it: a block of k positives among n samples is evidence, see
        `dstheory.inference.binomial`, and the mass functions of the blocks that cover a score
        are averaged with the same weights.
    smoothing : float
        Size of the pseudo-sample that keeps block probabilities off 0 and 1 (see Notes); only
        for the model "bayesian". With 0 they may be 0 and 1, as in the text of the thesis.
    confidence : float
        Level of the Clopper-Pearson interval of the model "confidence".
    transform : {None, "auto", "logit", "sigmoid", "rank"}
        Scale on which scores are read: unchanged, log-odds of probabilities, the sigmoid of
        margins, or ranks among the training scores; "auto" takes the sigmoid of standardized
        scores, if one in training lies outside [0, 1]. Only smoothing depends on more than the
        order of scores.

    Attributes
    ----------
    classes_ : (2,) array
    thresholds_ : (b - 1,) array
        Ascending; where the averaged probability can change, midway between blocks of scores.
        Scores outside the data take the end blocks.
    masses_ : (2, b) array
        Averaged m({positive}) and m({negative}) of each block.
    lambdas_, model_weights_ : (t,) arrays
        Breakpoints of the path whose models count, and their weights, which sum to 1.

    Notes
    -----
    The models are those at the breakpoints of the near-isotonic path of the labels;
    the data themselves, lambda = 0, are excluded unless they are isotonic. Each has the
    weight exp(-BIC / 2), BIC = -2 log L + b log N, with the Bernoulli likelihood L of its b
    blocks' values before smoothing and the total weight N of the samples (at least 1).

    The text of section 3.3 has no smoothing, but the author's program has: a block of n samples
    with value p, share of positives o and mean score e becomes (n p + s e) / (n + s) with s =
    smoothing * (1 - abs(o - e)); e is kept in [0.005, 0.995] here. That program interpolates
    linearly between training scores; this one uses bins, as in the text.

    Cost: O(N log N) for the path. The likelihood falls along the path, so models with less than
    exp(-50) of the best weight are skipped in large steps. The others, rarely more than a few
    hundred, take time in proportion to their blocks. Only the blocks of two models are in memory at
    a time, and the evidence of a block is computed once. With numba (the extra `fast`) a million
    samples take about a second, without it ten times as long.

    References
    ----------
    Naeini (2016), Obtaining accurate probabilities using classifier calibration, section 3.3.

    Examples
    --------
    >>> scores, y = [0.1, 0.2, 0.3, 0.4], [1, 0, 1, 1]
    >>> calibrator = ENIRCalibrator(smoothing=0).fit(scores, y)
    >>> calibrator.lambdas_
    array([0.5])
    >>> calibrator.predict_proba([0.15, 0.4])[:, 1]
    array([0.5, 1. ])
    """

    _ranges: ClassVar = {"smoothing": NOT_NEGATIVE}
    _state: ClassVar = {
        **AVERAGED_CELLS,
        "lambdas_": fields.Field(("t",), least=0.0),
        "model_weights_": fields.shares("t"),
    }

    model: BinomialModel = "bayesian"
    smoothing: float = 1.0
    confidence: float = 0.95
    transform: str | None = "auto"

    def _fit_counts(self, counts: ScoreCounts) -> None:
        scores = Blocks.of(counts)
        breakpoints = np.unique(scores.joins[(scores.joins > 0) & np.isfinite(scores.joins)])
        lambdas = breakpoints if len(breakpoints) else np.zeros(1)
        penalty = float(np.log(max(scores.total.sum(), 1.0)))
        blocks, self.lambdas_, bics = relevant(scores, lambdas, penalty, _MARGIN)
        weights = np.exp((bics.min() - bics) / 2)
        self.model_weights_ = weights / weights.sum()
        starts = scores.at(self.lambdas_[0])[1][1:]
        self.thresholds_ = midpoints(counts.scores[starts - 1], counts.scores[starts])
        self.masses_, self.counts_behind_ = self._averaged(blocks)

    def _averaged(self, blocks: Blocks) -> tuple[Floats, Floats]:
        """Averages (2, b) of masses, and of k and n, on the blocks of the first model."""
        average, masses = np.zeros((4, len(blocks))), self._masses_of(blocks, self.lambdas_[0])
        first, size = np.arange(len(blocks)), len(blocks)
        for lam, weight in zip(self.lambdas_, self.model_weights_, strict=True):
            joined, starts = blocks.at(lam)
            masses, first = self._follow(masses, blocks, joined, starts, lam), first[starts]
            found = np.concatenate([masses, [joined.positive, joined.total]])
            average += weight * np.repeat(found, np.diff(first, append=size), axis=1)
            blocks = joined
        # By a last place, averages may exceed 1, alone or in sum.
        positive = np.minimum(average[0], 1)
        return np.stack([positive, np.minimum(average[1], 1 - positive)]), average[2:]

    def _follow(
        self, masses: Floats, blocks: Blocks, joined: Blocks, starts: NDArray[np.intp], lam: float
    ) -> Floats:
        """Masses of joined blocks; evidence is found anew only where blocks were joined."""
        if self.model == "bayesian":
            return self._masses_of(joined, lam)
        followed = masses[:, starts]
        grown = np.diff(starts, append=len(blocks)) > 1
        k, n = joined.positive[grown], joined.total[grown]
        if grown.any():
            followed[:, grown] = bin_masses(k, n, self.model, self.confidence)
        return followed

    def _masses_of(self, blocks: Blocks, lam: float) -> Floats:
        if self.model != "bayesian":
            return bin_masses(blocks.positive, blocks.total, self.model, self.confidence)
        total = blocks.total
        prior = np.clip(blocks.score / total, *_PRIOR_MEANS)
        size = self.smoothing * (1 - np.abs(blocks.positive / total - prior))
        positive = (total * blocks.values(lam)[0] + size * prior) / (total + size)
        return np.stack([positive, 1 - positive])
