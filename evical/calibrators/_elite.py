"""ELiTE: an ensemble of linear trend filters, weighted by how well they explain the labels.

Binnings and isotonic regression give a step function. A linear trend filter gives a continuous,
piecewise linear curve; the penalty on changes of slope controls the number of kinks. ELiTE averages
the filters for 50 penalties, weighted by the corrected Akaike information criterion (Naeini 2016,
section 3.4).
"""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from evical._fitting import number, optional
from evical._typing import Floats
from evical.calibrators import fields
from evical.calibrators._base import BaseCalibrator
from evical.calibrators.models import check_size
from evical.curves.trend_filtering import TrendFilterPath, trend_filter_path
from evical.scores import ScoreCounts
from evical.scores.scale import interpolated

# Fits of a smaller share are left out: even 50 of them would not change the last digit.
_NEGLIGIBLE = 1e-18


@dataclass(kw_only=True, eq=False, repr=False)
class ELiTECalibrator(BaseCalibrator):
    r"""Ensemble of linear trend estimations (ELiTE).

    Parameters
    ----------
    n_lambdas : int
        Number of trend filters, equally spaced in log lambda.
    min_ratio : float
        The least lambda as a share of the greatest; at the greatest, the filter is a straight line.
    criterion : {"aicc", "aic", "bic"}
        Criterion for the weights. The thesis tried all three: "aic" overfits, "bic" is close to
        "aicc".
    clip : float or None
        Probabilities are kept inside [clip, 1 - clip]. None: 1 / (N + 2), Laplace's estimate
        after N failures, for N samples; 0 as in the thesis, with probabilities of 0 and 1.
    transform : {None, "auto", "logit", "sigmoid", "rank"}
        Scale on which scores are read: unchanged, log-odds of probabilities, the sigmoid of
        margins, or ranks among the training scores; "auto" takes the sigmoid of standardized
        scores, if one in training lies outside [0, 1]. The curve is piecewise linear on that scale,
        and its knots lie there.

    Attributes
    ----------
    classes_ : (2,) array
    knots_, values_ : (k,) arrays
        The averaged curve: its ends and kinks, ascending, and its values there.
    lambdas_ : (n_lambdas,) array
        Descending.
    degrees_of_freedom_ : (n_lambdas,) int array
        Number of kinks of each filter, plus two.
    weights_ : (n_lambdas,) array
        Shares of the filters in the average.

    Notes
    -----
    The filters minimize squared error (eq. 3.23), equal scores counting as one point with their
    total weight. Their values are clipped, and scored by the likelihood of the labels L, which
    is Bernoulli's as in the author's program, and by their degrees of freedom d:

    .. math:: \mathrm{AICc} = 2 d - 2 \log L + \frac{2 d (d + 1)}{N - d - 1}

    with N the total weight; BIC is :math:`d \log N - 2 \log L`. The weights are
    :math:`\exp(-\mathrm{AICc} / 2)`, made to sum to 1. If N is at most d + 1, the criterion is
    undefined and the filter has weight 0; if this holds for all filters, those with the fewest
    kinks share the weight. In L, probabilities are always kept inside [1 / (N + 2), 1 - 1 / (N +
    2)]; otherwise a single sample could veto a filter. (The author's program leaves such samples
    out of L, and merges scores within 1e-5.)

    The map is linear between training scores, constant outside them, and need not be
    monotone.

    References
    ----------
    Pakdaman Naeini (2016), Obtaining accurate probabilities using classifier calibration,
    University of Pittsburgh, section 3.4.
    Pakdaman Naeini & Cooper (2016), Binary classifier calibration using an ensemble of linear
    trend estimation, SDM.

    Examples
    --------
    Two negatives, two positives, two negatives. The least squares line is 1/3, with an AICc
    of 4 - 2 log((1/3)^2 (2/3)^4) + 12/3 = 15.64. A filter with one kink is clipped to 1/8, 7/8
    and 1/8: 6 - 2 log((7/8)^6) + 24/2 = 19.60 is worse, by a factor of exp(1.98) = 7.3.

    >>> scores, y = [0.0, 0.0, 0.5, 0.5, 1.0, 1.0], [0, 0, 1, 1, 0, 0]
    >>> calibrator = ELiTECalibrator(n_lambdas=2, min_ratio=0.1).fit(scores, y)
    >>> calibrator.degrees_of_freedom_, calibrator.lambdas_.round(9)
    (array([2, 3]), array([0.33333333, 0.03333333]))
    >>> calibrator.weights_.round(3)
    array([0.879, 0.121])
    >>> calibrator.predict_proba([0.5])[:, 1].round(3)  # 0.879 / 3 + 0.121 * 7 / 8
    array([0.399])
    """

    _turns: ClassVar = ("knots_",)
    _ranges: ClassVar = {
        "n_lambdas": check_size,
        "min_ratio": number("a number between 0 and 1", lambda x: 0 < x < 1),
        "clip": optional(number("a number in [0, 0.5), or None", lambda x: 0 <= x < 0.5)),
    }
    _state: ClassVar = {
        "knots_": fields.rising("k"),
        "values_": fields.shares("k"),
        "lambdas_": fields.Field(("t",), least=0.0),
        "degrees_of_freedom_": fields.whole("t"),
        "weights_": fields.shares("t"),
    }

    n_lambdas: int = 50
    min_ratio: float = 1e-4
    criterion: Literal["aicc", "aic", "bic"] = "aicc"
    clip: float | None = None
    transform: str | None = "auto"

    def _fit_counts(self, counts: ScoreCounts) -> None:
        total = counts.total
        path = trend_filter_path(
            counts.scores, counts.positive / total, total, self.n_lambdas, self.min_ratio
        )
        n = float(total.sum())
        laplace = max(1 / (n + 2), float(np.finfo(np.float64).eps))  # so that 1 minus it is not 1
        log_likelihood = _log_likelihoods(path, counts, laplace)
        self.lambdas_ = path.lambdas
        self.degrees_of_freedom_ = path.degrees_of_freedom
        self.weights_ = _shares(log_likelihood, path.degrees_of_freedom, n, self.criterion)
        low = laplace if self.clip is None else float(self.clip)
        self.knots_, self.values_ = _averaged(path, self.weights_, low)

    def _predict_positive(self, scores: Floats) -> Floats:
        values = interpolated(scores, self.knots_, self.values_)
        return np.clip(values, self.values_.min(), self.values_.max())  # against rounding


def _log_likelihoods(path: TrendFilterPath, counts: ScoreCounts, low: float) -> Floats:
    """Bernoulli log-likelihood (t,) of each fit; one fit at a time, to save memory."""
    result = []
    for knots, values in zip(path.knots, path.values, strict=True):
        p = np.clip(interpolated(path.x, knots, values), low, 1 - low)
        result.append(counts.positive @ np.log(p) + counts.negative @ np.log1p(-p))
    return np.array(result)


def _shares(log_likelihood: Floats, d: NDArray[np.int64], n: float, criterion: str) -> Floats:
    """Weights (t,) of fits, made to sum to 1."""
    if criterion == "bic":
        return np.asarray(softmax(log_likelihood - d * np.log(n) / 2))
    size = log_likelihood - d
    if criterion == "aic":
        return np.asarray(softmax(size))
    free = n - d - 1
    correction = np.full(len(d), np.inf)
    np.divide(d * (d + 1), free, out=correction, where=free > 0)
    if not (free > 0).any():
        correction[d == d.min()] = 0.0
    return np.asarray(softmax(size - correction))


def _averaged(path: TrendFilterPath, shares: Floats, low: float) -> tuple[Floats, Floats]:
    """Knots and values of the weighted mean of the clipped fits."""
    used = np.flatnonzero(shares > _NEGLIGIBLE)
    parts = [_clipped(path.knots[i], path.values[i], low) for i in used]
    knots = np.unique(np.concatenate([part[0] for part in parts]))
    values = sum(
        share * interpolated(knots, *part) for share, part in zip(shares[used], parts, strict=True)
    )
    return knots, np.clip(values / shares[used].sum(), low, 1 - low)


def _clipped(knots: Floats, values: Floats, low: float) -> tuple[Floats, Floats]:
    """The polyline inside [low, 1 - low]: with knots where it crosses a bound."""
    crossings = [knots]
    for bound in (low, 1 - low):
        left = np.flatnonzero((values[:-1] < bound) != (values[1:] < bound))
        share = (bound - values[left]) / (values[left + 1] - values[left])
        crossings.append(knots[left] * (1 - share) + knots[left + 1] * share)
    at = np.unique(np.concatenate(crossings))
    return at, np.clip(interpolated(at, knots, values), low, 1 - low)
