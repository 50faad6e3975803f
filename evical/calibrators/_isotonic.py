"""Isotonic calibration: as many bins as the order of the scores allows, with envelopes.

Pair-adjacent violators pools neighboring scores until the share of positives does not
decrease (Zadrozny & Elkan 2002, section 3.2; Xu et al. 2016, eq. 1). Each pool is a bin
whose binomial evidence is a mass function; running extremes make the lower and the upper
bound isotonic too (Xu et al. 2016, section 4.2).
"""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression

from evical.calibrators._base import BaseCalibrator
from evical.calibrators._binning import bin_masses
from evical.calibrators._models import check_confidence, check_model
from evical.calibrators._saved import check_bins, check_shapes
from evical.scores import ScoreCounts, midpoints

__all__ = ["IsotonicCalibrator"]

Floats = NDArray[np.float64]


class IsotonicCalibrator(BaseCalibrator):
    """Evidential calibration by isotonic regression.

    Parameters
    ----------
    model : {"likelihood", "confidence", "dempster", "laplace", "inverse_pignistic", "bayesian"}
        How k of n becomes a mass function, see `dstheory.inference.binomial`; "bayesian" is
        isotonic regression itself.
    envelope : bool
        Make belief and plausibility non-decreasing in the score, by lowering beliefs and
        raising plausibilities as little as that needs.
    confidence : float
        Level of the Clopper-Pearson interval of the model "confidence".
    transform : {None, "auto", "logit", "sigmoid", "rank"}
        Scale on which scores are read: as they are, log-odds of probabilities, the sigmoid of
        margins, or ranks among the training scores; "auto" takes the sigmoid if a training
        score lies outside [0, 1]. Thresholds lie on that scale.

    Attributes
    ----------
    classes_ : (2,) array
    thresholds_ : (n_blocks - 1,) array
        Ascending; block j holds the scores from threshold j - 1, included, to threshold j.
        They lie midway between neighboring blocks; scores outside take the end blocks.
    positive_, total_ : (n_blocks,) arrays
        Weight of the positive samples and of all samples of each block.
    masses_ : (2, n_blocks) array
        m({positive}) and m({negative}) of each block.

    References
    ----------
    Xu, Davoine, Zha & Denoeux (2016), Int. J. Approx. Reasoning 72, 55-70, section 4.2.

    Examples
    --------
    >>> scores, y = [1, 2, 3, 4, 5, 6], [0, 1, 0, 1, 1, 1]
    >>> calibrator = IsotonicCalibrator(model="dempster").fit(scores, y)
    >>> calibrator.thresholds_
    array([1.5, 3.5])
    >>> calibrator.predict_interval([2.5, 5])
    array([[0.33333333, 0.66666667],
           [0.75      , 1.        ]])
    """

    _state = ("thresholds_", "positive_", "total_", "masses_")

    def __init__(
        self,
        model: str = "likelihood",
        envelope: bool = True,
        confidence: float = 0.95,
        transform: str | None = None,
    ) -> None:
        self.model = model
        self.envelope = envelope
        self.confidence = confidence
        self.transform = transform

    def _check_parameters(self) -> None:
        check_model(self.model)
        check_confidence(self.confidence)

    def _fit_counts(self, counts: ScoreCounts) -> None:
        total = counts.total
        pooled = isotonic_regression(counts.positive / total, weights=total)
        starts = _separate(np.asarray(pooled.blocks[:-1], dtype=np.intp), counts)
        self.thresholds_ = midpoints(counts.scores[starts[1:] - 1], counts.scores[starts[1:]])
        self.positive_, negative = _block_sums(starts, counts)
        self.total_ = self.positive_ + negative
        masses = bin_masses(self.positive_, self.total_, self.model, self.confidence)
        self.masses_ = _isotonic_envelope(masses) if self.envelope else masses

    def _predict_mass(self, scores: Floats) -> tuple[Floats, Floats]:
        block = np.searchsorted(self.thresholds_, scores, side="right")
        return self.masses_[0, block], self.masses_[1, block]

    def _check_state(self) -> None:
        n = np.size(self.thresholds_) + 1
        check_shapes(self, thresholds_=(n - 1,), positive_=(n,), total_=(n,), masses_=(2, n))
        check_bins(self, "thresholds_")


def _block_sums(starts: NDArray[np.intp], counts: ScoreCounts) -> tuple[Floats, Floats]:
    return np.add.reduceat(counts.positive, starts), np.add.reduceat(counts.negative, starts)


def _separate(starts: NDArray[np.intp], counts: ScoreCounts) -> NDArray[np.intp]:
    """Starts of the blocks whose shares of positives differ from those before them.

    PAV pools equal shares, but running means of floats can keep two apart that are equal;
    cross products of the sums are exact for whole weights.
    """
    while True:
        positive, negative = _block_sums(starts, counts)
        rising = np.append(True, positive[1:] * negative[:-1] > positive[:-1] * negative[1:])
        if rising.all():
            return starts
        starts = starts[rising]


def _isotonic_envelope(masses: Floats) -> Floats:
    """Lowest belief yet to come and highest plausibility so far (Xu et al., section 4.2)."""
    positive = np.minimum.accumulate(masses[0, ::-1])[::-1]
    negative = np.minimum.accumulate(masses[1])
    return np.stack([positive, negative])
