"""Bootstrap intervals of the measures of an evaluation.

Drawing samples with replacement gives each a random count. Every measure here is a function of
weighted sums, so a resample costs a few passes over the data. Bins do not change. Means and the
area under the ROC curve have percentile intervals. The squared calibration error has the basic
bootstrap: a resample is further from calibration than its sample, as the sample is than the truth.
Efron & Tibshirani 1993; Kumar, Liang & Ma 2019.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evical._typing import Floats
from evical.metrics.bins import bin_numbers

__all__ = ["Sample", "interval_limits", "prepare", "resample_count"]


# Beyond this many draws resamples become fewer: they take about two seconds.
_DRAWS = 30_000_000
_MOST, _FEWEST = 999, 199


@dataclass(frozen=True, eq=False)
class Sample:
    """Outcomes, predictions and weights (n,), and the number of group and bin of each.

    `group` numbers distinct probabilities in ascending order, `frequency_bin` bins of equal
    frequency of the probability.
    """

    y: Floats
    loss: Floats
    square: Floats
    p: Floats
    bel: Floats
    pl: Floats
    weight: Floats
    group: NDArray[np.intp]
    frequency_bin: NDArray[np.intp]


def prepare(
    y: NDArray[Any],
    p: Floats,
    bel: Floats | None,
    pl: Floats | None,
    weight: Floats | None,
    n_bins: int,
) -> Sample:
    """What does not change from one resample to the next."""
    y, weight = y.astype(np.float64), np.ones(len(y)) if weight is None else weight
    bel, pl = (p if bound is None else bound for bound in (bel, pl))
    with np.errstate(divide="ignore"):  # certainty that is wrong costs infinitely much
        loss = -np.log(np.where(y == 1, p, 1 - p))
    group = np.unique(p, return_inverse=True)[1]
    frequency = bin_numbers(p, weight, n_bins, "quantile")
    return Sample(y, loss, (p - y) ** 2, p, bel, pl, weight, group, frequency)


def resample_count(n: int) -> int:
    """Resamples by default: 999, and fewer for more than thirty thousand samples.

    >>> resample_count(1000), resample_count(100_000), resample_count(10**7)
    (999, 299, 199)
    """
    affordable = _DRAWS // n - 1
    return min(max(affordable, _FEWEST), _MOST)


def interval_limits(
    sample: Sample, n_resamples: int, confidence: float, rng: np.random.RandomState
) -> dict[str, tuple[float, float]]:
    """Limits by the name of the measure; NaN if no resample has a value."""
    whole = _measure(sample, np.ones(len(sample.y)))
    plugged = _squared_error(sample, np.ones(len(sample.y)), debiased=False)
    draws: dict[str, list[float]] = {name: [] for name in whole}
    for _ in range(n_resamples):
        counts = np.bincount(
            rng.randint(len(sample.y), size=len(sample.y)), minlength=len(sample.y)
        )
        for name, value in _measure(sample, counts.astype(np.float64)).items():
            draws[name].append(value)
    tails = [(1 - confidence) / 2, (1 + confidence) / 2]
    limits = {name: _quantiles(np.array(values), tails) for name, values in draws.items()}
    low, high = limits["debiased_calibration_error"]
    # An estimate below 0 is noise; without this both limits would be 0 for some samples.
    center = max(whole["debiased_calibration_error"], 0.0) + plugged
    limits["debiased_calibration_error"] = _root(center - high), _root(center - low)
    return limits


def _quantiles(values: Floats, tails: list[float]) -> tuple[float, float]:
    """Order statistics, which allow infinite losses; undefined values are left out."""
    known = values[~np.isnan(values)]
    if not len(known):
        return float("nan"), float("nan")
    low = np.quantile(known, tails[0], method="inverted_cdf")
    high = np.quantile(known, tails[1], method="inverted_cdf")
    return float(low), float(high)


def _root(square: float) -> float:
    return float(np.sqrt(max(square, 0.0)))


def _measure(sample: Sample, counts: Floats) -> dict[str, float]:
    """All measures of a resample; the calibration error squared."""
    weight = counts * sample.weight
    total = weight.sum()
    if not total:  # only samples of weight zero were drawn
        weight, total = sample.weight, sample.weight.sum()
    drawn = weight > 0
    return {
        "brier_score": float(weight @ sample.square / total),
        "log_loss": float(weight[drawn] @ sample.loss[drawn] / total) + 0.0,  # not -0
        "roc_auc": _area(sample, weight),
        "debiased_calibration_error": _squared_error(sample, counts),
        "mean_imprecision": float(weight @ (sample.pl - sample.bel) / total),
    }


def _area(sample: Sample, weight: Floats) -> float:
    positive = np.bincount(sample.group, weight * sample.y)
    negative = np.bincount(sample.group, weight * (1 - sample.y))
    pairs = positive.sum() * negative.sum()
    if not pairs:  # a resample of one class
        return float("nan")
    below = np.cumsum(negative) - negative / 2
    return float(positive @ below / pairs)


def _squared_error(sample: Sample, counts: Floats, debiased: bool = True) -> float:
    """Of bins of equal frequency, less the noise; as `debiased_squared_calibration_error`."""
    weight = counts * sample.weight
    bins = sample.frequency_bin
    total, squares = np.bincount(bins, weight), np.bincount(bins, weight * sample.weight)
    filled = total > 0
    if not filled.any():
        return 0.0
    sums = [np.bincount(bins, weight * values)[filled] for values in (sample.y, sample.p)]
    total, squares = total[filled], squares[filled]
    observed, predicted = (values / total for values in sums)
    terms = (observed - predicted) ** 2
    if debiased:
        size = total**2 / squares
        noise = observed * (1 - observed) / np.maximum(size - 1, 1e-9)
        terms = np.where(size > 1 + 1e-9, terms - noise, 0.0)
    return float(total @ terms / total.sum())
