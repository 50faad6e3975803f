"""What reliability diagrams show: bins with intervals, or the isotonic curve with its band.

Bins: the share of positives against the mean prediction. CORP: isotonic regression of outcomes on
predictions (PAV), which chooses the bins itself; the band holds such curves of outcomes drawn with
the predicted probabilities. Dimitriadis, Gneiting & Jordan 2021; Broecker & Smith 2007.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression
from sklearn.utils import check_random_state

from dstheory.inference import binomial_masses
from evical.metrics._bins import bin_numbers, check_bins, filled_bins
from evical.metrics._inputs import BinarySample, check_count

__all__ = [
    "INTERVALS",
    "Reliability",
    "binned",
    "check_level",
    "corp",
    "counted",
    "share_intervals",
    "uncertainty_name",
]

Floats = NDArray[np.float64]

INTERVALS = ("clopper_pearson", "likelihood")

# Distinct predictions up to which a band takes each as it is. Neighbors of more are taken together:
# isotonic regression of n samples pools about n^(2/3), far more than a 5000th of them.
_MAX_DISTINCT = 5000
# Predictions at which the consistency band is known: finer than the pixels of a printed column.
_N_BAND = 400


@dataclass(frozen=True, eq=False)
class Reliability:
    """A reliability curve.

    Parameters
    ----------
    prob_pred, prob_true : (b,) arrays
        Mean prediction and share of positives of each bin, or the isotonic curve at each
        distinct prediction. NaN where a bin is empty.
    counts : (b,) array
        Samples.
    edges : (b + 1,) array or None
        Of bins of equal width.
    interval : pair of (b,) arrays or None
        Lower and upper end for the share of each bin.
    band : triple of (c,) arrays or None
        Predictions, and lower and upper end of the consistency band there.
    """

    prob_pred: Floats
    prob_true: Floats
    counts: NDArray[np.int64]
    edges: Floats | None = None
    interval: tuple[Floats, Floats] | None = None
    band: tuple[Floats, Floats, Floats] | None = None


def check_level(confidence: Any) -> None:
    """Raise unless a level lies inside (0, 1)."""
    if not isinstance(confidence, int | float | np.number):
        raise TypeError(f"confidence is {confidence!r}, expected a number")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence is {confidence!r}, expected a level inside (0, 1)")


def counted(sample: BinarySample) -> BinarySample:
    """Without the samples of weight zero, which count for nothing."""
    if sample.weight is None:
        return sample
    some = sample.weight > 0
    return BinarySample(sample.y[some], sample.p[some], sample.weight[some])


def uncertainty_name(strategy: str, interval: str | None, confidence: float) -> str | None:
    """What intervals or band are, in words."""
    if strategy == "corp":
        return f"{confidence:.3g} consistency band"
    names = {
        "clopper_pearson": f"{confidence:.3g} Clopper-Pearson interval",
        "likelihood": "Bel and Pl of the next sample",
    }
    return None if interval is None else names[interval]


def share_intervals(
    positives: NDArray[Any], trials: Floats, interval: str, confidence: float
) -> tuple[Floats, Floats]:
    """Lower and upper end for the probability of each bin that holds samples.

    `clopper_pearson` has the limits of that confidence, `likelihood` belief and plausibility of
    the next sample.

    >>> low, high = share_intervals(np.array([5.0]), np.array([5.0]), "likelihood", 0.95)
    >>> low.round(6), high
    (array([0.833333]), array([1.]))
    """
    if interval == "likelihood":
        low, miss = binomial_masses(positives, trials, "likelihood")
        return low, 1 - miss
    # The masses of Xu et al. 2016, eqs. 26-28, are the limits times the confidence.
    low, miss = binomial_masses(positives, trials, "confidence", confidence)
    return low / confidence, 1 - miss / confidence


def binned(
    sample: BinarySample, n_bins: int, strategy: str, interval: str | None, confidence: float
) -> Reliability:
    """Bins of equal width or of equal frequency; of weights, with the effective sizes."""
    check_bins(n_bins, strategy)
    bins = filled_bins(sample, n_bins, strategy)
    ends = None
    if interval is not None:
        positives = bins.true * bins.size
        whole = np.round(positives) if sample.weight is None else positives
        low, high = share_intervals(whole, bins.size, interval, confidence)
        ends = (_spread(low, bins.number, n_bins), _spread(high, bins.number, n_bins))
    return Reliability(
        _spread(bins.prob, bins.number, n_bins),
        _spread(bins.true, bins.number, n_bins),
        np.bincount(bin_numbers(sample.p, sample.weight, n_bins, strategy), minlength=n_bins),
        np.linspace(0, 1, n_bins + 1) if strategy == "uniform" else None,
        ends,
    )


def _spread(values: Floats, number: NDArray[np.intp], n_bins: int) -> Floats:
    """Values of all bins, NaN for the empty ones."""
    full = np.full(n_bins, np.nan)
    full[number] = values
    return full


def corp(
    sample: BinarySample, n_resamples: int, confidence: float, random_state: Any
) -> Reliability:
    """Isotonic curve at each distinct prediction, with its consistency band."""
    check_count("n_resamples", n_resamples, 0)
    values, place, counts = np.unique(sample.p, return_inverse=True, return_counts=True)
    y = sample.y if sample.weight is None else sample.y * sample.weight
    curve = _isotonic(np.bincount(place, y), np.bincount(place, sample.weight))
    band = None
    if n_resamples:
        band = _band(sample, values, place, n_resamples, confidence, random_state)
    return Reliability(values, curve, counts, band=band)


def _isotonic(positives: NDArray[Any], weight: NDArray[Any]) -> Floats:
    fitted = isotonic_regression(positives / weight, weights=weight).x
    return np.asarray(np.clip(fitted, 0, 1))  # sums of equal numbers round


def _band(
    sample: BinarySample,
    values: Floats,
    place: NDArray[np.intp],
    n_resamples: int,
    level: float,
    random_state: Any,
) -> tuple[Floats, Floats, Floats]:
    """Quantiles of isotonic curves of outcomes that happen with the predicted probabilities."""
    random = check_random_state(random_state)
    if len(values) > _MAX_DISTINCT:
        starts = np.linspace(0, len(values), _MAX_DISTINCT + 1).astype(np.intp)[:-1]
        place = np.searchsorted(starts, place, side="right") - 1
        p = sample.p if sample.weight is None else sample.p * sample.weight
        values = np.minimum(np.bincount(place, p) / np.bincount(place, sample.weight), 1)
    weight = np.bincount(place, sample.weight)
    shown = np.unique(np.linspace(0, len(values) - 1, _N_BAND).round().astype(np.intp))

    def positives() -> NDArray[Any]:
        if sample.weight is None:
            return np.asarray(random.binomial(weight, values))
        happened = random.random_sample(len(sample.p)) < sample.p
        return np.bincount(place, sample.weight * happened)

    curves = np.stack([_isotonic(positives(), weight)[shown] for _ in range(n_resamples)])
    low, high = np.quantile(curves, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return values[shown], low, high
