"""Data of reliability diagrams: bins with intervals, or the isotonic curve with its band.

Bins give the share of positives against the mean prediction. CORP is isotonic regression of
outcomes on predictions (PAV), which chooses the bins itself; its band contains such curves for
outcomes drawn with the predicted probabilities. Dimitriadis, Gneiting & Jordan 2021; Broecker &
Smith 2007.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression

from dstheory.checks.arguments import check_count
from evical._fitting import as_random_state
from evical._typing import Floats
from evical.metrics.binned_curve import curve_of
from evical.metrics.inputs import MOST_REPEATS, BinarySample

__all__ = [
    "Reliability",
    "binned",
    "corp",
    "uncertainty_name",
]


# Maximum number of distinct predictions for the band. With more, neighbors are merged: isotonic
# regression of n samples pools about n^(2/3), far more than a 5000th of them.
_MAX_DISTINCT = 5000
# Predictions at which the band is computed: finer than the pixels of a printed column.
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


def uncertainty_name(strategy: str, interval: str | None, confidence: float) -> str | None:
    """Name of intervals or band."""
    if strategy == "corp":
        return f"{confidence:.3g} consistency band"
    names = {
        "clopper_pearson": f"{confidence:.3g} Clopper-Pearson interval",
        "likelihood": "Bel and Pl of the next sample",
    }
    return None if interval is None else names[interval]


def binned(
    sample: BinarySample, n_bins: int, strategy: str, interval: str | None, confidence: float
) -> Reliability:
    """Bins of equal width or of equal frequency; with weights, of effective sizes."""
    curve = curve_of(sample, n_bins, strategy, interval, confidence)

    def spread(values: NDArray[Any], empty: float = np.nan) -> NDArray[Any]:
        """Values of all bins."""
        full = np.full(n_bins, empty, dtype=np.result_type(values, type(empty)))
        full[curve.number] = values
        return full

    ends = None
    if curve.lower is not None and curve.upper is not None:
        ends = (spread(curve.lower), spread(curve.upper))
    return Reliability(
        spread(curve.centers),
        spread(curve.frequencies),
        spread(curve.counts, 0),
        np.linspace(0, 1, n_bins + 1) if strategy == "uniform" else None,
        ends,
    )


def corp(
    sample: BinarySample, n_resamples: int, confidence: float, random_state: Any
) -> Reliability:
    """Isotonic curve at each distinct prediction, with its consistency band."""
    check_count("n_resamples", n_resamples, 0, MOST_REPEATS)
    values, place, counts = np.unique(sample.p, return_inverse=True, return_counts=True)
    y = sample.y if sample.weight is None else sample.y * sample.weight
    curve = _isotonic(np.bincount(place, y), np.bincount(place, sample.weight))
    band = None
    if n_resamples:
        band = _band(sample, values, place, n_resamples, confidence, random_state)
    return Reliability(values, curve, counts, band=band)


def _isotonic(positives: NDArray[Any], weight: NDArray[Any]) -> Floats:
    fitted = isotonic_regression(positives / weight, weights=weight).x
    return np.asarray(np.clip(fitted, 0, 1))  # rounding


def _band(
    sample: BinarySample,
    values: Floats,
    place: NDArray[np.intp],
    n_resamples: int,
    level: float,
    random_state: Any,
) -> tuple[Floats, Floats, Floats]:
    """Quantiles of isotonic curves of outcomes drawn with the predicted probabilities."""
    random = as_random_state(random_state)
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
