"""Kernel densities: Bayes' rule on one density of scores for each class.

Binning is Bayes' rule on histograms (Naeini 2016, section 3.1); kernel densities have no edges and
no empty bins between scores. The total kernel weight around a score acts as a number of samples, so
the same sums also define a binomial experiment, and evidence.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import ulp
from typing import Any, ClassVar, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from dstheory.checks.arguments import as_floats, check_choice, shown
from dstheory.inference.counts.checks import BinomialModel
from evical._typing import Floats
from evical.calibrators import fields
from evical.calibrators._base import BaseCalibrator
from evical.calibrators._level_set import LevelSets
from evical.calibrators.models import FromCounts, count_masses
from evical.curves.density import (
    DEVIATIONS,
    KERNELS,
    GaussianSums,
    KernelGrid,
    WindowSums,
    left_out_bandwidth,
    silverman,
)
from evical.scores import ScoreCounts

Group = tuple[Floats, Floats]
N = TypeVar("N", Floats, NDArray[np.intp])

_EXACT = 256  # distinct scores up to which Gaussians are added up one by one
_MOST = 2.0**54  # weight of a class
_FAR = 8.0  # bandwidths: a Gaussian has fallen to 1e-14 of its peak
_NOTHING = 1e-9  # share of the sample below which a compact kernel has found nothing


def _check_bandwidth(name: str, bandwidth: Any) -> None:
    if isinstance(bandwidth, str):
        check_choice(name, bandwidth, ("auto", "shared", "per_class"), "a number, two numbers, or ")
        return
    parts = as_floats(bandwidth, name)
    if isinstance(bandwidth, bool) or parts.shape not in ((), (2,)):
        raise ValueError(
            f"{name} is {shown(bandwidth)}, expected auto, shared, per_class, a number or "
            "two numbers"
        )
    if not ((parts > 0) & np.isfinite(parts)).all():
        raise ValueError(f"{name} is {shown(bandwidth)}, expected positive numbers")


@dataclass(kw_only=True, eq=False, repr=False)
class KDECalibrator(FromCounts, BaseCalibrator, LevelSets):
    """Calibration by kernel density estimates of both classes.

    Parameters
    ----------
    kernel : {"gaussian", "boxcar", "epanechnikov", "tricube"}
        The thesis reports the boxcar with "shared", and similar results for the others.
    bandwidth : {"auto", "shared", "per_class"}, float or two floats
        "auto" chooses between twice Silverman's rule of thumb and 1 / 32 of it by the likelihood of
        samples that are left out, for Gaussians; other kernels get their standard deviation.
        "shared" is that rule on all scores, whatever the kernel, and "per_class" on the scores of
        each class. Or h itself; or that of the negative and of the positive class. One bandwidth
        makes Nadaraya and Watson's regression.
    model : {"bayesian", "likelihood", "confidence", "dempster", "laplace", "inverse_pignistic"}
        "bayesian" is the method of the thesis. The others take the weight of the samples
        around a score as a binomial experiment, see Notes.
    confidence : float
        Level of the Clopper-Pearson interval of the model "confidence".
    transform : {"auto", None, "logit", "sigmoid", "rank"}
        Scale on which scores are read; "auto" takes the sigmoid of standardized scores, if one in
        training lies outside [0, 1] (the thesis that of margins), and otherwise leaves scores as
        they are. None always leaves them; "logit" takes log-odds of probabilities, and "rank" ranks
        among the training scores.
    extrapolate : bool
        Whether scores beyond the calibration data follow the fitted function. False reads them as
        the least or the greatest calibration score, so that nothing beyond is more certain.

    Attributes
    ----------
    classes_ : (2,) array
    bandwidth_ : (2,) array
        h of the negative and of the positive class. If all scores are equal there is no scale, and
        h is a few times the spacing of floats at the score.

    Notes
    -----
    With S_c(s) = sum_i w_i K((s - s_i) / h_c) over class c, Bayes' rule (eq. 3.1) gives
    P(1 | s) = (S_1 / h_1) / (S_0 / h_0 + S_1 / h_1): the sizes of the classes cancel. (The
    printed eq. 3.2 mixes up its sizes and bandwidths.)

    Far from all samples both sums vanish. A score more than 8 bandwidths from every sample takes
    the probability of the point 8 bandwidths from the nearest one; for the compact kernels, a score
    with less than 1e-9 of the sample around it takes that of the nearest sample.

    The evidential models go beyond the thesis. Around s there are n = (S_0 + S_1) / K(0) samples,
    each weighted by its nearness, of which k = n P(1 | s) are positive; with the boxcar and one
    bandwidth these are the plain counts within h. The mass function is that of k out of n, see
    `dstheory.inference.binomial`, and vacuous far from all samples (on the scale on which scores
    are read: a sigmoid brings all large margins together).

    Compact kernels are exact. Gaussian sums are exact up to 256 distinct scores; above, they
    come from a grid of 64 nodes a bandwidth, with a relative error below 2e-7 within and 2e-5
    in the tails.

    References
    ----------
    M. Pakdaman Naeini (2016), Obtaining accurate probabilities using classifier calibration,
    section 3.1.

    Examples
    --------
    >>> scores, y = [0, 1, 2, 6, 7], [0, 1, 0, 1, 1]
    >>> calibrator = KDECalibrator(kernel="boxcar", bandwidth=1, transform=None).fit(scores, y)
    >>> calibrator.predict_proba([1, 3, 5.5])[:, 1].round(3)
    array([0.333, 0.   , 1.   ])
    >>> calibrator.set_params(model="dempster").fit(scores, y).predict_interval([1, 4])
    array([[0.25, 0.5 ],
           [0.  , 1.  ]])
    """

    _ranges: ClassVar = {"bandwidth": _check_bandwidth}
    _state: ClassVar = {
        "bandwidth_": fields.positive(2),
        "samples.negative": fields.optional(fields.finite(2, "m")),
        "samples.positive": fields.optional(fields.finite(2, "k")),
        "grid.start": fields.optional(fields.finite()),
        "grid.step": fields.optional(fields.positive()),
        "grid.values": fields.optional(fields.weights(2, "v")),
    }
    kernel: Literal["boxcar", "epanechnikov", "tricube", "gaussian"] = "gaussian"
    bandwidth: Any = "auto"
    model: BinomialModel = "bayesian"
    confidence: float = 0.95
    transform: str | None = "auto"
    extrapolate: bool = True

    def _fit_counts(self, counts: ScoreCounts) -> None:
        self._groups: list[Group] = [
            (counts.scores[weights > 0], weights[weights > 0])
            for weights in (counts.negative, counts.positive)
        ]
        self.bandwidth_ = _bandwidths(self.bandwidth, counts, self._groups, self.kernel)
        many = self.kernel == "gaussian" and len(counts) > _EXACT
        self._grid: KernelGrid | None = (
            _filled_grid(self._groups, self.bandwidth_) if many else None
        )
        self._prepare()

    def _prepare(self) -> None:
        """Make the sums of each class callable, and the fitted state."""
        if self._grid is not None:
            self._groups = []
        bandwidths = map(float, self.bandwidth_)
        self._sums: list[Callable[[Floats], Floats]] = [
            GaussianSums(*group, h)
            if self.kernel == "gaussian"
            else WindowSums.of(*group, h, self.kernel)
            for group, h in zip(self._groups, bandwidths, strict=False)
        ]

    def _predict_mass(self, scores: Floats) -> tuple[Floats, Floats]:
        probability, n = self._evidence(scores)
        if self.model == "bayesian":
            return probability, 1 - probability
        masses = count_masses(n * probability, n, self.model, self.confidence)
        return masses[0], masses[1]

    def _landmarks(self) -> Floats:
        if self._grid is not None:
            return self._grid.nodes
        reach = np.array([-1.0, 0.0, 1.0]) * (_FAR if self.kernel == "gaussian" else 1.0)
        with np.errstate(over="ignore"):
            turns = [
                np.add.outer(samples, reach * h).ravel()
                for (samples, _), h in zip(self._groups, self.bandwidth_, strict=True)
            ]
        return np.concatenate(turns)

    def _counts_at(self, scores: Floats) -> tuple[Floats, Floats]:
        probability, n = self._evidence(scores)
        return n * probability, n

    def _evidence(self, scores: Floats) -> tuple[Floats, Floats]:
        """Probability of the positive class, and the number of samples behind it."""
        (negative, positive), found = self._class_sums(scores)
        # One of the factors is 1; the other is kept from underflow.
        factors = np.maximum(self.bandwidth_.min() / self.bandwidth_, 1e-300)
        probability = factors[1] * positive / (factors[0] * negative + factors[1] * positive)
        return probability, np.where(found, (negative + positive) / KERNELS[self.kernel], 0.0)

    def _class_sums(self, scores: Floats) -> tuple[Floats, NDArray[np.bool_]]:
        """Sums (2, q) of which one is positive, and whether there are samples around."""
        if self._grid is not None:
            return self._grid(scores), np.ones(len(scores), dtype=bool)
        if self.kernel == "gaussian":
            near, far = _pulled(scores, self._groups, self.bandwidth_, _FAR)
            return np.stack([sums(near) for sums in self._sums]), ~far
        sums = np.stack([sums(scores) for sums in self._sums])
        weight = sum(float(weights.sum()) for _, weights in self._groups)
        found = sums.sum(axis=0) > _NOTHING * weight
        nearest, _ = _pulled(scores[~found], self._groups, self.bandwidth_, 0.0)
        if len(nearest):
            sums[:, ~found] = [sums(nearest) for sums in self._sums]
        # A sample so light that the rounding of the others would swallow it is counted by itself.
        lost = np.flatnonzero(~(sums > 0).any(axis=0))
        if len(lost):
            nearest, _ = _pulled(scores[lost], self._groups, self.bandwidth_, 0.0)
            sums[:, lost] = [_weights_at(nearest, *group) for group in self._groups]
        return sums, found

    def _get_state(self) -> dict[str, Any]:
        grid = {} if self._grid is None else vars(self._grid)
        names = ("negative", "positive")
        groups = dict(zip(names, map(np.array, self._groups), strict=False))
        return {"bandwidth_": self.bandwidth_, "samples": groups, "grid": grid}

    def _set_state(self, state: dict[str, Any]) -> None:
        self.bandwidth_, grid, samples = state["bandwidth_"], state["grid"], state["samples"]
        self._grid = KernelGrid(**grid) if grid else None
        groups = [] if grid else [samples["negative"], samples["positive"]]
        if any(group.size == 0 for group in groups):
            raise ValueError("saved calibrator is damaged: state samples has one class only")
        self._groups = [(scores, weights) for scores, weights in groups]
        self._check_restored()
        self._prepare()

    def _check_restored(self) -> None:
        sizes = [np.shape(part) for group in self._groups for part in group]
        bad = not (self.bandwidth_ > 0).all() or any(
            (scores[1:] <= scores[:-1]).any() or (total <= 0).any() or total.sum() > _MOST
            for scores, total in self._groups
        )
        if self._grid is not None:
            values = self._grid.values
            bad = bad or values.shape[1] < 4 or not (values.sum(axis=0) > 0).all()
        if bad:
            raise ValueError(f"saved calibrator is damaged: state has no densities {sizes}")


def _bandwidths(choice: Any, counts: ScoreCounts, groups: list[Group], kernel: str) -> Floats:
    """h of both classes, always above the rounding of scores."""
    if isinstance(choice, str) and choice == "auto":
        choice = left_out_bandwidth(counts) / DEVIATIONS[kernel] or "shared"
    shared = silverman(counts.scores, counts.total)
    if isinstance(choice, str):
        own = [silverman(*group) for group in groups] if choice == "per_class" else [0.0, 0.0]
        found = np.array([h or shared for h in own])
    else:
        found = np.ones(2) * np.asarray(choice, dtype=np.float64)
    least = 4 * ulp(np.abs(counts.scores[[0, -1]]).max())  # NumPy's is NaN at the greatest float
    return np.asarray(np.clip(found, max(least, 1e-290), np.finfo(np.float64).max))


def _filled_grid(groups: list[Group], bandwidths: Floats) -> KernelGrid | None:
    """Grid whose nodes far from all samples take the sums of the nearest other node."""
    grid = KernelGrid.of(groups, [float(h) for h in bandwidths])
    if grid is None:
        return None
    near, far = _pulled(grid.nodes, groups, bandwidths, _FAR)
    values = grid.values.copy()
    values[:, far] = grid(near[far])
    # Where the reach of a heavy sample ends, interpolation may undershoot what a light one leaves.
    lost = values.sum(axis=0) <= 0
    values[:, lost] = values[:, _nearest(np.flatnonzero(lost), np.flatnonzero(~lost))]
    return replace(grid, values=values)


def _pulled(
    scores: Floats, groups: list[Group], bandwidths: Floats, reach: float
) -> tuple[Floats, NDArray[np.bool_]]:
    """Scores moved to within `reach` bandwidths of the nearest sample, and which were moved."""
    nearest = np.stack([_nearest(scores, samples) for samples, _ in groups])
    rows = np.arange(len(scores))
    with np.errstate(over="ignore"):  # infinitely far is far
        gaps = (scores - nearest) / bandwidths[:, np.newaxis]
        away = np.abs(gaps)
        # Seen from far, two samples on one side are equally near by rounding.
        side = np.sign(gaps)
        nearer = (side[0] == side[1]) & (side[0] * np.sign(nearest[1] - nearest[0]) > 0)
        first = ((away[1] < away[0]) | ((away[1] == away[0]) & nearer)).astype(np.intp)
        gap = gaps[first, rows]
        far = np.abs(gap) > reach
        moved = nearest[first, rows] + np.sign(gap) * reach * bandwidths[first]
    return np.where(far, moved, scores), far


def _nearest(scores: N, samples: N) -> N:
    """For each score, the nearest sample, of two equally near ones the lesser."""
    after = np.clip(np.searchsorted(samples, scores), 1, max(len(samples) - 1, 1))
    left, right = samples[after - 1], samples[np.minimum(after, len(samples) - 1)]
    with np.errstate(over="ignore"):
        return np.where(right - scores < scores - left, right, left)


def _weights_at(scores: Floats, samples: Floats, weights: Floats) -> Floats:
    place = np.minimum(np.searchsorted(samples, scores), len(samples) - 1)
    return np.where(samples[place] == scores, weights[place], 0.0)
