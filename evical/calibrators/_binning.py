"""Binning: the share of positives among neighboring scores, and its uncertainty.

The score axis is cut into bins, and each bin is a binomial experiment of k_j positives
among n_j samples (Zadrozny & Elkan 2001); its evidence about the next sample is a
predictive belief function (Xu et al. 2016, sections 2 and 4.1, eq. 24-32).
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from dstheory.checks.arguments import as_array, as_floats
from dstheory.inference import binomial_masses
from dstheory.inference.counts.checks import BinomialModel
from evical._typing import Floats, Indices
from evical.calibrators import fields
from evical.calibrators._base import BaseCalibrator
from evical.calibrators._level_set import LevelSets
from evical.calibrators.models import FromCounts, check_size
from evical.likelihood.level_set import binomial_level_set
from evical.scores import ScoreCounts
from evical.scores.counts import midpoints


def check_bins(name: str, value: Any) -> None:
    """Raise unless it is a number of bins, or their edges: finite, ascending and at least two."""
    if as_array(value, name).ndim == 0:
        check_size(name, value)
        return
    edges = as_floats(value, name)
    if edges.ndim != 1 or len(edges) < 2 or not np.isfinite(edges).all():
        raise ValueError(f"{name} as edges needs at least two finite numbers")
    if not (edges[1:] > edges[:-1]).all():
        raise ValueError(f"{name} as edges must be ascending, but they are {edges.tolist()}")


CELLS = {"thresholds_": fields.ascending("n-1"), "masses_": fields.masses("n")}
AVERAGED_CELLS = {**CELLS, "counts_behind_": fields.optional(fields.weights(2, "n"))}


class Cells(FromCounts):
    """What calibrators with the same masses between two thresholds have in common."""

    thresholds_: Floats
    masses_: Floats
    counts_behind_: Floats = np.empty((2, 0))  # of one that was saved without

    _turns: ClassVar[tuple[str, ...]] = ("thresholds_",)

    def _cell_of(self, scores: Floats) -> Indices:
        return np.searchsorted(self.thresholds_, scores, side="right")

    def _predict_mass(self, scores: Floats) -> tuple[Floats, Floats]:
        cell = self._cell_of(scores)
        return self.masses_[0, cell], self.masses_[1, cell]

    def _counts_at(self, scores: Floats) -> tuple[Floats, Floats]:
        if not self.counts_behind_.size:
            raise ValueError(
                f"this {type(self).__name__} was saved without the counts of its bins, by an "
                "earlier release; fit it again"
            )
        k, n = self.counts_behind_[:, self._cell_of(scores)]
        return k, n


class CountedCells(Cells):
    """Cells of which the counts are kept."""

    positive_: Floats
    total_: Floats

    def _counts_at(self, scores: Floats) -> tuple[Floats, Floats]:
        cell = self._cell_of(scores)
        return self.positive_[cell], self.total_[cell]

    def _level_set(self, scores: Floats, level: float) -> Floats:
        ends = binomial_level_set(self.positive_, self.total_, level)
        return ends[:, self._cell_of(scores)]


@dataclass(kw_only=True, eq=False, repr=False)
class BinningCalibrator(CountedCells, BaseCalibrator, LevelSets):
    """Evidential calibration by binning.

    Parameters
    ----------
    n_bins : int or sequence of float
        Number of bins, or their edges in ascending order, both ends included.
    strategy : {"uniform", "quantile"}
        Bins of equal width between the least and the greatest training score, or bins of equal
        weight, as nearly as ties allow: equal scores stay together, and edges lie midway between
        neighboring scores. Ignored if `n_bins` gives the edges.
    model : {"likelihood", "confidence", "dempster", "laplace", "inverse_pignistic", "bayesian"}
        How k of n becomes a mass function, see `dstheory.inference.binomial`.
    confidence : float
        Level of the Clopper-Pearson interval of the model "confidence".
    transform : {None, "auto", "logit", "sigmoid", "rank"}
        Scale on which scores are read: unchanged, log-odds of probabilities, the sigmoid of
        margins, or ranks among the training scores; "auto" takes the sigmoid of standardized
        scores, if one in training lies outside [0, 1]. Edges lie on that scale.

    Attributes
    ----------
    classes_ : (2,) array
    edges_ : (n_bins + 1,) array
        A bin contains its lower edge but not its upper one; the last bin contains both. Scores
        outside take the end bins.
    positive_, total_ : (n_bins,) arrays
        k_j and n_j, the weight of the positive samples and of all samples of each bin.
    masses_ : (2, n_bins) array
        m({positive}) and m({negative}) of each bin.

    Notes
    -----
    An empty bin is vacuous, m({0, 1}) = 1; with the model "bayesian" its probability is 1/2.

    References
    ----------
    Xu, Davoine, Zha & Denoeux (2016), Int. J. Approx. Reasoning 72, 55-70, section 4.1.

    Examples
    --------
    >>> scores, y = [0.1, 0.2, 0.3, 0.6, 0.7, 0.8], [0, 0, 1, 0, 1, 1]
    >>> calibrator = BinningCalibrator(n_bins=2, model="dempster").fit(scores, y)
    >>> calibrator.predict_interval([0.15, 0.75])
    array([[0.25, 0.5 ],
           [0.5 , 0.75]])
    """

    _ranges: ClassVar = {"n_bins": check_bins}
    _turns: ClassVar = ("edges_",)
    _state: ClassVar = {
        "edges_": fields.ascending("n+1"),
        "positive_": fields.weights("n"),
        "total_": fields.weights("n"),
        "masses_": fields.masses("n"),
    }

    n_bins: Any = 10
    strategy: Literal["uniform", "quantile"] = "uniform"
    model: BinomialModel = "likelihood"
    confidence: float = 0.95
    transform: str | None = None

    def _fit_counts(self, counts: ScoreCounts) -> None:
        self.edges_ = self._edges(counts)
        bins = self._cell_of(counts.scores)
        n_bins = len(self.edges_) - 1
        positive, negative = (
            np.asarray(np.bincount(bins, weights, n_bins), dtype=np.float64)
            for weights in (counts.positive, counts.negative)
        )
        self.positive_, self.total_ = positive, positive + negative
        self.masses_ = bin_masses(self.positive_, self.total_, self.model, self.confidence)

    def _edges(self, counts: ScoreCounts) -> Floats:
        if np.ndim(self.n_bins):
            return np.asarray(self.n_bins, dtype=np.float64)
        low, high = counts.scores[0], counts.scores[-1]
        if low == high:
            return np.array([low, high])
        if self.strategy == "uniform":
            # Fewer bins than asked for where the scores are too close to be told apart.
            # Halves where the range exceeds the greatest float: those of denormals are not exact.
            half = 2.0 if np.isinf(_span(low, high)) else 1.0
            return np.unique(half * np.linspace(low / half, high / half, self.n_bins + 1))
        starts = counts.group_starts(self.n_bins)[1:]
        inner = midpoints(counts.scores[starts - 1], counts.scores[starts])
        return np.concatenate([[low], inner, [high]])

    def _cell_of(self, scores: Floats) -> Indices:
        return np.searchsorted(self.edges_[1:-1], scores, side="right")


def bin_masses(positive: Floats, total: Floats, model: BinomialModel, confidence: float) -> Floats:
    """Masses (2, n_bins) of the positive and the negative class; empty bins see the Notes."""
    masses = np.zeros((2, len(total)))
    filled = total > 0
    masses[:, filled] = binomial_masses(
        positive[filled], total[filled], model, confidence=confidence
    )
    if model in ("bayesian", "laplace"):
        masses[:, ~filled] = 0.5
    return masses


def _span(low: float, high: float) -> float:
    with np.errstate(over="ignore"):
        return float(high - low)
