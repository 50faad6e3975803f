"""ABB: the average over all binnings of the training scores.

Each of the 2^(m-1) ways to cut the sorted scores into bins counts by its posterior
probability; dynamic programming sums over them in O(m^2), for all scores at once
(Naeini 2016, section 3.2.1).
"""

from functools import partial
from typing import ClassVar

from evical._typing import Floats
from evical.calibrators import fields
from evical.calibrators._base import BaseCalibrator
from evical.calibrators._covering import (
    check_max_size,
    check_number,
    check_prior,
    covering_masses,
    look_up,
    repaired,
)
from evical.calibrators._models import check_confidence, check_model
from evical.curves.bayesian_binning import BinPrior, average_over_binnings, bin_scores
from evical.scores import ScoreCounts

__all__ = ["ABBCalibrator"]


class ABBCalibrator(BaseCalibrator):
    r"""Calibration by the average over all binnings (Averaging over Bayesian Binnings, ABB).

    Parameters
    ----------
    criterion : {"k2", "bdeu"}
        Beta prior of the share of positives in a bin: uniform, or centered on the middle of
        the bin; see `SBBCalibrator`.
    lam : float
        Mean number of cuts that the prior of binnings expects, lambda of eq. 3.7.
    strength : float
        Equivalent sample size of the prior of a bin, N'/B; "bdeu" only.
    clip : float
        The middle of a bin is kept inside [clip, 1 - clip]; "bdeu" only.
    max_size : int or None
        If there are more distinct scores, they are first merged into this many groups of nearly
        equal weight, because time grows with the square of their number; None never merges.
    model : {"bayesian", "laplace", "dempster", "inverse_pignistic", "confidence", "likelihood"}
        "bayesian" is the method itself, a probability; the others make k positives among the n
        samples of a bin a mass function, see `dstheory.inference.binomial`.
    confidence : float
        Level of the Clopper-Pearson interval of the model "confidence".
    transform : {None, "auto", "logit", "sigmoid", "rank"}
        Scale on which scores are read: as they are, log-odds of probabilities, the sigmoid of
        margins, or ranks among the training scores; "auto" takes the sigmoid of standardized
        scores, if one in training lies outside [0, 1]. Thresholds lie on that scale.

    Attributes
    ----------
    classes_ : (2,) array
    thresholds_ : (n_cells - 1,) array
        Midpoints between neighboring distinct scores, ascending; cell j reaches from threshold
        j - 1, included, to threshold j.
    masses_ : (2, n_cells) array
        m({positive}) and m({negative}) of each cell.

    Notes
    -----
    The binnings and their scores are those of `SBBCalibrator`. A cut between two scores lies
    midway, so that the average (eq. 3.10, 3.11)

    .. math::
        P(x) \propto \sum_{l \le k \le u} V^f_{l-1} \, Score_{l,u} \, V^b_{u+1} \,
        \hat p_{l,u}, \quad x \text{ in the cell of } y_k

    is the same in the whole cell around a training score; fitting makes the table of all cells, and
    prediction looks it up. :math:`V^f` and :math:`V^b` are the sums of the scores of all binnings
    of what lies below and above; they are stored as logarithms (V^b) and as probabilities of a cut
    (V^f), so they do not underflow for large samples.

    The model "bayesian" averages the posterior means :math:`\hat p = (m + \alpha) / (m + n + \alpha
    + \beta)` (footnote 3). The other models go beyond the thesis: they average the mass functions
    of the covering bins, each from the counts of the bin. "likelihood" and "confidence" evaluate
    special functions for each bin of positive weight and take several times longer.

    References
    ----------
    Pakdaman Naeini (2016), Obtaining accurate probabilities using classifier calibration,
    University of Pittsburgh, section 3.2.1.

    Examples
    --------
    Half of the prior is on one bin, where each label has the probability 1/6 and the mean is
    1/2; half is on two bins of probability 1/4, of means 1/3 and 2/3.

    >>> import numpy as np
    >>> calibrator = ABBCalibrator(lam=np.log(2)).fit([0.25, 0.75], [0, 1])
    >>> calibrator.predict_proba([0.3, 0.6])
    array([[0.6, 0.4],
           [0.4, 0.6]])
    """

    _turns: ClassVar = ("thresholds_",)
    _state: ClassVar = {"thresholds_": fields.ascending("n-1"), "masses_": fields.masses("n")}

    def __init__(
        self,
        criterion: str = "k2",
        lam: float = 10.0,
        strength: float = 2.0,
        clip: float = 0.005,
        max_size: int | None = 5000,
        model: str = "bayesian",
        confidence: float = 0.95,
        transform: str | None = "auto",
    ) -> None:
        self.criterion = criterion
        self.lam = lam
        self.strength = strength
        self.clip = clip
        self.max_size = max_size
        self.model = model
        self.confidence = confidence
        self.transform = transform

    def _check_parameters(self) -> None:
        check_prior(self)
        check_number(self, "lam")
        check_max_size(self.max_size)
        check_model(self.model)
        check_confidence(self.confidence)

    def _fit_counts(self, counts: ScoreCounts) -> None:
        counts = counts if self.max_size is None else counts.compress(self.max_size)
        scores = bin_scores(counts, self.lam, BinPrior(self.criterion, self.strength, self.clip))
        value = partial(covering_masses, model=self.model, confidence=self.confidence)
        self.thresholds_ = scores.cumulated.edges[1:-1]
        self.masses_ = repaired(average_over_binnings(scores, value), self.model)

    def _predict_mass(self, scores: Floats) -> tuple[Floats, Floats]:
        return look_up(self, scores)
