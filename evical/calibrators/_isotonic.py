"""Isotonic calibration: bins by isotonic regression, with envelopes.

Pair-adjacent violators pools neighboring scores until the share of positives does not
decrease (Zadrozny & Elkan 2002, section 3.2; Xu et al. 2016, eq. 1). Each pool is a bin
whose binomial evidence is a mass function; running extremes make the lower and the upper
bound isotonic too (Xu et al. 2016, section 4.2). A band that holds for all scores at once needs
no pools (Dimitriadis et al. 2023).
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression

from dstheory.checks.arguments import check_choice
from dstheory.inference.counts.checks import BinomialModel
from evical._fitting import optional
from evical._typing import Floats
from evical.calibrators import fields
from evical.calibrators._base import BaseCalibrator
from evical.calibrators._binning import bin_masses, check_bins
from evical.calibrators._level_set import LevelSets
from evical.calibrators.fields import owners
from evical.calibrators.models import count_limits
from evical.curves.isotonic_band import IsotonicBand, isotonic_band
from evical.likelihood.level_set import binomial_level_set
from evical.scores import ScoreCounts
from evical.scores.counts import midpoints
from evical.scores.scale import between


def _check_grid(name: str, grid: Any) -> None:
    if isinstance(grid, str):
        check_choice(name, grid, ("auto",))
    else:
        check_bins(name, grid)


@dataclass(kw_only=True, eq=False, repr=False)
class IsotonicCalibrator(BaseCalibrator, LevelSets):
    """Evidential calibration by isotonic regression.

    Parameters
    ----------
    model : {"likelihood", "confidence", "dempster", "laplace", "inverse_pignistic", \
"bayesian", "band"}
        How k of n becomes a mass function, see `dstheory.inference.binomial`; "bayesian" is
        isotonic regression itself. "band" takes the limits of a confidence band as belief and
        plausibility: if the probability rises with the score, they hold for all scores at once.
    envelope : bool
        Make belief and plausibility non-decreasing in the score, by lowering beliefs and raising
        plausibilities as little as necessary.
    confidence : float
        Level of the Clopper-Pearson interval of the model "confidence", and of the whole band.
    centered : bool
        Interpolate linearly between the mean scores of the blocks instead of jumping between them
        (Oron & Flournoy 2017). With the model "bayesian", one half sample of each label is then
        added at the lowest and at the highest score, so that the probability increases strictly
        from the first mean to the last and is never 0 or 1. Not for a band, which is made of steps.
    grid : {"auto", None}, int or sequence of float
        How the model "band" gathers neighboring scores before it compares them: in 2 sqrt(n) groups
        of nearly equal weight, not at all, in that many groups, or between these edges in ascending
        order. Any choice is valid that does not depend on the labels.
    transform : {None, "auto", "logit", "sigmoid", "rank"}
        Scale on which scores are read: unchanged, log-odds of probabilities, the sigmoid of
        margins, or ranks among the training scores; "auto" takes the sigmoid of standardized
        scores, if one in training lies outside [0, 1]. Thresholds and the grid lie on that scale.

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
        m({positive}) and m({negative}) of each block; (2, 0) for the model "band".
    band_ : IsotonicBand or None
        Scores of the band's steps, and the masses there; None for other models.

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

    The band needs no such choice, and its guarantee holds for any sample size: if labels are
    independent given the scores, and the probability rises, then with probability `confidence` at
    least it lies in [Bel, Pl] at all scores at once, seen or not. With N scores or groups, the
    lower limit at s is the greatest lower Clopper-Pearson limit, at the level (1 - confidence) / (N
    (N + 1)), of any run of neighbors up to s; the upper limit is its mirror image. Beyond the data
    one of them is 0 or 1. Where they would cross, which contradicts a rising probability, both
    are moved to the isotonic regression. So [Bel, Pl] is a predictive belief function at that level
    of confidence (Denoeux 2006); the model "confidence" multiplies its masses by the level too.
    `predict_proba` returns the middle of the band, which is a poor estimate; use
    ``model="bayesian"`` for that. The cost is N^2, which is n for "auto". Weights are treated as
    counts, whole or not.

    References
    ----------
    Xu, Davoine, Zha & Denoeux (2016), Int. J. Approx. Reasoning 72, 55-70, section 4.2.
    Dimitriadis, Duembgen, Henzi, Puke & Ziegel (2023), Honest calibration assessment for binary
    outcome predictions, Biometrika 110, 663-680. Denoeux (2006), Constructing belief functions from
    sample data using multinomial confidence regions, Int. J. Approx. Reasoning 42, 228-252.
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

    Of twenty negative samples and twenty positive ones at two scores little is certain between:

    >>> band = IsotonicCalibrator(model="band", grid=None)
    >>> band = band.fit(np.repeat([1.0, 2.0], 20), np.repeat([0, 1], 20))
    >>> band.predict_interval([1.0, 1.5, 2.0]).round(3)
    array([[0.   , 0.213],
           [0.   , 1.   ],
           [0.787, 1.   ]])
    """

    _ranges: ClassVar = {"grid": optional(_check_grid)}
    _state: ClassVar = {
        "thresholds_": fields.ascending("n-1"),
        "centers_": fields.ascending("n"),
        "positive_": fields.weights("n"),
        "total_": fields.weights("n"),
        "masses_": fields.optional(fields.masses("n")),
        "band.scores": fields.optional(fields.rising("m")),
        "band.masses": fields.optional(fields.masses("m")),
    }

    model: Literal[BinomialModel, "band"] = "likelihood"
    envelope: bool = True
    confidence: float = 0.95
    centered: bool = False
    grid: Any = "auto"
    transform: str | None = None

    def _check_parameters(self) -> None:
        if self.centered and self.model == "band":
            raise ValueError("centered is True, but a band has steps; use centered=False")

    def _fit_counts(self, counts: ScoreCounts) -> None:
        if self.centered and self.model == "bayesian":
            counts = _with_half_samples(counts)
        total = counts.total
        pooled = isotonic_regression(counts.positive / total, weights=total)
        starts = _separate(np.asarray(pooled.blocks[:-1], dtype=np.intp), counts)
        self.thresholds_ = midpoints(counts.scores[starts[1:] - 1], counts.scores[starts[1:]])
        blocks = counts.pool(starts)
        self.centers_, self.positive_, self.total_ = blocks.scores, blocks.positive, blocks.total
        self.masses_, self.band_ = np.empty((2, 0)), None
        if self.model == "band":
            fit = np.asarray(pooled.x, dtype=np.float64)
            self.band_ = isotonic_band(counts, fit, self.confidence, self.grid)
            return
        masses = bin_masses(self.positive_, self.total_, self.model, self.confidence)
        self.masses_ = _isotonic_envelope(masses) if self.envelope else masses

    def _predict_mass(self, scores: Floats) -> tuple[Floats, Floats]:
        if self.band_ is not None:
            return self.band_.masses_at(scores)
        return self._look_up(self.masses_, scores)

    def _landmarks(self) -> Floats:
        band = [] if self.band_ is None else [self.band_.scores]
        return np.concatenate([self.thresholds_, self.centers_, *band])

    def _look_up(self, masses: Floats, scores: Floats) -> tuple[Floats, Floats]:
        """Masses (2, n_blocks) of the blocks, at scores."""
        if self.centered:
            positive, negative = between(self.centers_, masses, scores)
            return positive, np.minimum(negative, 1 - positive)  # rounding, in probabilities
        block = np.searchsorted(self.thresholds_, scores, side="right")
        return masses[0, block], masses[1, block]

    def _level_set(self, scores: Floats, level: float) -> Floats:
        return self._look_up_ends(binomial_level_set(self.positive_, self.total_, level), scores)

    def _look_up_ends(self, ends: Floats, scores: Floats) -> Floats:
        """Ends (2, n) at scores, from those (2, n_blocks) of the blocks."""
        sides = np.stack([ends[0], 1 - ends[1]])
        sides = _isotonic_envelope(sides) if self.envelope else sides
        positive, negative = self._look_up(sides, scores)
        return np.stack([positive, np.maximum(1 - negative, positive)])

    def _ends(self, scores: Floats, level: float) -> Floats:
        if self.band_ is None:
            return self._look_up_ends(count_limits(self.positive_, self.total_, level), scores)
        if level != self.confidence:
            raise ValueError(
                f"level is {level:g}, but the band was fitted at {self.confidence:g}; fit it again "
                f"with confidence={level:g}"
            )
        positive, negative = self.band_.masses_at(scores)
        return np.stack([positive, 1 - negative])

    def _point(self, scores: Floats) -> Floats:
        masses = bin_masses(self.positive_, self.total_, "likelihood", self.confidence)
        masses = _isotonic_envelope(masses) if self.envelope else masses
        positive, negative = self._look_up(masses, scores)
        return positive + (1 - (positive + negative)) / 2

    def _get_state(self) -> dict[str, Any]:
        state = {name: getattr(self, name) for name in owners(self._state) if name != "band"}
        return {**state, "band": {} if self.band_ is None else vars(self.band_)}

    def _set_state(self, state: dict[str, Any]) -> None:
        band = state["band"]
        super()._set_state({name: value for name, value in state.items() if name != "band"})
        self.band_ = IsotonicBand(**band) if band else None

    def _check_state(self) -> None:
        filled = (self.band_ is not None) != (np.size(self.masses_) > 0)
        if not filled or (self.band_ is None) == (self.model == "band"):
            raise ValueError(
                f"saved calibrator is damaged: its model is {self.model!r}, but it was saved "
                f"{'without' if self.band_ is None else 'with'} a band"
            )
        if self.band_ is not None and (np.diff(self.band_.masses) * [[1], [-1]] < 0).any():
            raise ValueError("saved calibrator is damaged: state band falls")


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
