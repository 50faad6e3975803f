"""Isotonic calibration: bins by isotonic regression, with envelopes.

Pair-adjacent violators pools neighboring scores until the share of positives does not
decrease (Zadrozny & Elkan 2002, section 3.2; Xu et al. 2016, eq. 1). Each pool is a bin
whose binomial evidence is a mass function; running extremes make the lower and the upper
bound isotonic too (Xu et al. 2016, section 4.2).
"""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression

from evical.calibrators import fields
from evical.calibrators._base import BaseCalibrator
from evical.calibrators._binning import bin_masses
from evical.calibrators._models import check_confidence, check_model
from evical.scores import ScoreCounts, midpoints
from evical.scores.standardize import between

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
        Make belief and plausibility non-decreasing in the score, by lowering beliefs and raising
        plausibilities as little as necessary.
    confidence : float
        Level of the Clopper-Pearson interval of the model "confidence".
    centered : bool
        Interpolate linearly between the mean scores of the blocks instead of jumping between
        them (Oron & Flournoy 2017). With the model "bayesian", one half sample of each label
        is then added at the lowest and at the highest score, so that the probability
        increases strictly from the first mean to the last and is never 0 or 1.
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
    centers_ : (n_blocks,) array
        Mean score of each block.
    positive_, total_ : (n_blocks,) arrays
        Weight of the positive samples and of all samples of each block.
    masses_ : (2, n_blocks) array
        m({positive}) and m({negative}) of each block.

    Notes
    -----
    The envelope is that of the paper: plausibility is the maximum over the blocks up to this one,
    belief the minimum over the blocks from this one on. So a single small block passes its wide
    interval on: its plausibility to higher blocks with a lower one, its belief to lower blocks with
    a higher one. Isotonic regression keeps some small blocks at any sample size. Hence intervals
    with an envelope hardly become narrower with more samples, and their midpoints, the pignistic
    probabilities, hardly come closer to the truth. The likelihood model has a mean width of 0.25
    for 200 and of 0.17 for 10^4 simulated scores ("monotone", five draws); without the envelope
    these are 0.21 and 0.06. So with many samples use ``envelope=False``, which uses the samples of
    each block only; or, for probabilities alone, ``model="bayesian"``, which the envelope does not
    change.

    References
    ----------
    Xu, Davoine, Zha & Denoeux (2016), Int. J. Approx. Reasoning 72, 55-70, section 4.2.
    Oron & Flournoy (2017), Centered isotonic regression: point and interval estimation for
    dose-response studies, Statistics in Biopharmaceutical Research 9, 258-267.

    Examples
    --------
    >>> scores, y = [1, 2, 3, 4, 5, 6], [0, 1, 0, 1, 1, 1]
    >>> calibrator = IsotonicCalibrator(model="dempster").fit(scores, y)
    >>> calibrator.thresholds_
    array([1.5, 3.5])
    >>> calibrator.predict_interval([2.5, 5])
    array([[0.33333333, 0.66666667],
           [0.75      , 1.        ]])
    >>> smooth = IsotonicCalibrator(model="dempster", centered=True).fit(scores, y)
    >>> smooth.centers_, smooth.predict_interval([1.75])
    (array([1. , 2.5, 5. ]), array([[0.16666667, 0.58333333]]))
    """

    _state: ClassVar = {
        "thresholds_": fields.ascending("n-1"),
        "centers_": fields.ascending("n"),
        "positive_": fields.weights("n"),
        "total_": fields.weights("n"),
        "masses_": fields.masses("n"),
    }

    def __init__(
        self,
        model: str = "likelihood",
        envelope: bool = True,
        confidence: float = 0.95,
        centered: bool = False,
        transform: str | None = None,
    ) -> None:
        self.model = model
        self.envelope = envelope
        self.confidence = confidence
        self.centered = centered
        self.transform = transform

    def _check_parameters(self) -> None:
        check_model(self.model)
        check_confidence(self.confidence)
        for name in ("envelope", "centered"):
            if not isinstance(value := getattr(self, name), bool | np.bool_):
                raise TypeError(f"{name} is {value!r}, expected True or False")

    def _fit_counts(self, counts: ScoreCounts) -> None:
        if self.centered and self.model == "bayesian":
            counts = _with_half_samples(counts)
        total = counts.total
        pooled = isotonic_regression(counts.positive / total, weights=total)
        starts = _separate(np.asarray(pooled.blocks[:-1], dtype=np.intp), counts)
        self.thresholds_ = midpoints(counts.scores[starts[1:] - 1], counts.scores[starts[1:]])
        blocks = counts.pool(starts)
        self.centers_, self.positive_, self.total_ = blocks.scores, blocks.positive, blocks.total
        masses = bin_masses(self.positive_, self.total_, self.model, self.confidence)
        self.masses_ = _isotonic_envelope(masses) if self.envelope else masses

    def _predict_mass(self, scores: Floats) -> tuple[Floats, Floats]:
        if self.centered:
            positive, negative = between(self.centers_, self.masses_, scores)
            return positive, np.minimum(negative, 1 - positive)  # rounding, in probabilities
        block = np.searchsorted(self.thresholds_, scores, side="right")
        return self.masses_[0, block], self.masses_[1, block]


def _with_half_samples(counts: ScoreCounts) -> ScoreCounts:
    ends = counts.scores[[0, -1]]
    return counts + ScoreCounts.from_samples(
        np.repeat(ends, 2), [0, 1, 0, 1], sample_weight=[0.5, 0.5, 0.5, 0.5]
    )


def _separate(starts: NDArray[np.intp], counts: ScoreCounts) -> NDArray[np.intp]:
    """Starts of the blocks whose shares of positives differ from those before them.

    PAV pools equal shares, but running means of floats can keep two apart that are equal;
    cross products of the sums are exact for whole weights.
    """
    while True:
        positive = np.add.reduceat(counts.positive, starts)
        negative = np.add.reduceat(counts.negative, starts)
        rising = np.append(True, positive[1:] * negative[:-1] > positive[:-1] * negative[1:])
        if rising.all():
            return starts
        starts = starts[rising]


def _isotonic_envelope(masses: Floats) -> Floats:
    """Lowest belief yet to come and highest plausibility so far (Xu et al., section 4.2)."""
    positive = np.minimum.accumulate(masses[0, ::-1])[::-1]
    negative = np.minimum.accumulate(masses[1])
    return np.stack([positive, negative])
