"""Decompositions of proper scores into miscalibration, discrimination and uncertainty.

Murphy's partition of the Brier score groups equal predictions, or uses bins; the CORP
decomposition recalibrates by isotonic regression (PAV), needs no bins and holds for any proper
score. Murphy 1973; DeGroot & Fienberg 1983; Dimitriadis, Gneiting & Jordan 2021.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import xlogy

from dstheory.checks.arguments import check_choice
from dstheory.notebook import ShownFields
from evical._typing import Floats, Label, Weights
from evical.metrics.bins import bin_numbers, check_bins, isotonic, summed_bins
from evical.metrics.inputs import BinarySample, Predicted, average, binary_sample


@dataclass(frozen=True)
class BrierDecomposition(ShownFields):
    """Parts of the Brier score, where score = calibration + refinement + within.

    Parameters
    ----------
    score : float
    calibration : float
        Mean squared distance of predictions from frequencies ("reliability"); 0 is best.
    refinement : float
        Mean variance of outcomes among equal predictions; 0 if predictions separate all outcomes.
    resolution, uncertainty : float
        Variance of the frequencies, and of all outcomes: refinement = uncertainty - resolution.
    within : float
        Variation within bins; 0 if predictions are equal within each bin.
    """

    score: float
    calibration: float
    refinement: float
    resolution: float
    uncertainty: float
    within: float

    def __str__(self) -> str:
        return (
            f"Brier score {self.score:.4g} = calibration {self.calibration:.4g} + refinement "
            f"{self.refinement:.4g} + within bins {self.within:.4g}\n"
            f"  refinement = uncertainty {self.uncertainty:.4g} - resolution {self.resolution:.4g}"
        )


@dataclass(frozen=True)
class CorpDecomposition(ShownFields):
    """Parts of a proper score, where score = miscalibration - discrimination + uncertainty.

    Parameters
    ----------
    score : float
    miscalibration : float
        MCB, the improvement by isotonic recalibration; not negative.
    discrimination : float
        DSC, the improvement of the recalibrated predictions over a constant; not negative.
    uncertainty : float
        UNC, the score of the share of positives.
    name : str
        Of the score.
    """

    score: float
    miscalibration: float
    discrimination: float
    uncertainty: float
    name: str

    def __str__(self) -> str:
        return (
            f"{self.name} {self.score:.4g} = MCB {self.miscalibration:.4g} - DSC "
            f"{self.discrimination:.4g} + UNC {self.uncertainty:.4g} (CORP, isotonic regression)"
        )


def brier_decomposition(
    y_true: ArrayLike,
    y_prob: Predicted,
    *,
    n_bins: int | None = None,
    strategy: Literal["uniform", "quantile"] = "uniform",
    pos_label: Label = None,
    sample_weight: Weights = None,
) -> BrierDecomposition:
    r"""Brier score of two classes, decomposed into calibration and refinement.

    Parameters
    ----------
    y_true : (n,) array of labels
    y_prob : (n,) or (n, 2) array, or MassFunction
    n_bins : int, optional
        By default equal predictions form a group. This is exact, but uninformative if nearly all
        predictions differ; then choose bins, or `corp_decomposition`.
    strategy : "uniform" or "quantile"
    pos_label : label, optional
    sample_weight : (n,) array, optional
        All others as in `expected_calibration_error`.

    Returns
    -------
    BrierDecomposition
        Printing it shows the parts.

    Raises
    ------
    ValueError
        As `expected_calibration_error`.

    Notes
    -----
    With shares, mean predictions and frequencies of groups, calibration is :math:`\sum_b \pi_b (e_b
    - o_b)^2`, refinement :math:`\sum_b \pi_b o_b (1 - o_b)`. The part within bins is the variance
    of predictions minus twice their covariance with outcomes (Stephenson, Coelho & Jolliffe 2008).

    References
    ----------
    Murphy (1973), Journal of Applied Meteorology 12, 595-600. DeGroot & Fienberg (1983), The
    Statistician 32, 12-22. Used in Naeini (2016), equation 2.5.

    Examples
    --------
    Two predictions of 0 include one positive, three predictions of 1 include two:

    >>> parts = brier_decomposition([0, 1, 0, 1, 1], [0.0, 0.0, 1.0, 1.0, 1.0])
    >>> round(parts.calibration, 4)  # (2 / 4 + 3 / 9) / 5
    0.1667
    >>> round(parts.refinement, 4)  # (2 / 4 + 3 * 2 / 9) / 5
    0.2333
    >>> round(parts.score, 4), round(parts.within, 4)
    (0.4, 0.0)
    """
    sample = binary_sample(y_true, y_prob, pos_label, sample_weight)
    if n_bins is None:
        values, number = np.unique(sample.p, return_inverse=True)
        bins = summed_bins(sample, number, len(values))
    else:
        check_bins(n_bins, strategy)
        number = bin_numbers(sample.p, sample.weight, n_bins, strategy)
        bins = summed_bins(sample, number, n_bins)
    base = average(sample.y, sample.weight)
    calibration = average((bins.prob - bins.true) ** 2, bins.weight)
    refinement = average(bins.true * (1 - bins.true), bins.weight)
    resolution = average((bins.true - base) ** 2, bins.weight)
    score = average((sample.p - sample.y) ** 2, sample.weight)
    within = score - calibration - refinement if n_bins is not None else 0.0
    return BrierDecomposition(score, calibration, refinement, resolution, base * (1 - base), within)


def corp_decomposition(
    y_true: ArrayLike,
    y_prob: Predicted,
    *,
    score: Literal["brier", "log"] = "brier",
    pos_label: Label = None,
    sample_weight: Weights = None,
) -> CorpDecomposition:
    r"""Decompose a score into miscalibration, discrimination and uncertainty by PAV (CORP).

    Parameters
    ----------
    y_true : (n,) array of labels
    y_prob : (n,) or (n, 2) array, or MassFunction
    score : "brier" or "log"
    pos_label : label, optional
    sample_weight : (n,) array, optional
        All others as in `expected_calibration_error`.

    Returns
    -------
    CorpDecomposition
        Printing it shows the parts.

    Raises
    ------
    ValueError
        As `expected_calibration_error`, or if there is no such score.

    Notes
    -----
    With S the mean score of predictions p, of their isotonic recalibration q, and of the share
    r of positives: MCB = S(p) - S(q), DSC = S(r) - S(q), UNC = S(r).

    References
    ----------
    Dimitriadis, Gneiting & Jordan (2021), Stable reliability diagrams for probabilistic
    classifiers, Proceedings of the National Academy of Sciences 118, e2016191118.

    Examples
    --------
    PAV gives 0, 1/2, 1/2, 1, 1; the scores are 0.15 as predicted, 0.1 recalibrated, and 0.24 for
    the share 3/5:

    >>> parts = corp_decomposition([0, 1, 0, 1, 1], [0.0, 0.5, 0.5, 0.5, 1.0])
    >>> round(parts.score, 4), round(parts.uncertainty, 4)
    (0.15, 0.24)
    >>> print(corp_decomposition([0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.5]))
    Brier score 0.27 = MCB 0.17 - DSC 0.14 + UNC 0.24 (CORP, isotonic regression)
    """
    losses = {"brier": ("Brier score", _squares), "log": ("log loss", _logs)}
    check_choice("score", score, losses)
    name, loss = losses[score]
    sample = binary_sample(y_true, y_prob, pos_label, sample_weight)
    of_p = _mean(loss, sample.p, sample)
    of_q = _mean(loss, _recalibrated(sample), sample)
    base = average(sample.y, sample.weight)
    of_base = _mean(loss, np.full(len(sample.y), base), sample)
    # Zero up to rounding if isotonic regression changes nothing.
    mcb, dsc = max(of_p - of_q, 0.0), max(of_base - of_q, 0.0)
    return CorpDecomposition(of_p, mcb, dsc, of_base, name)


def _recalibrated(sample: BinarySample) -> Floats:
    """Isotonic regression of outcomes on predictions; equal predictions are pooled."""
    values, number = np.unique(sample.p, return_inverse=True)
    bins = summed_bins(sample, number, len(values))
    fitted = np.zeros(len(values))  # values of weight zero affect neither fit nor score
    fitted[bins.number] = isotonic(bins.true, bins.weight)
    return fitted[number]


def _mean(loss: Callable[[Floats, Floats], Floats], p: Floats, sample: BinarySample) -> float:
    return average(loss(p, sample.y), sample.weight)


def _squares(p: Floats, y: Floats) -> Floats:
    return (p - y) ** 2


def _logs(p: Floats, y: Floats) -> Floats:
    return np.asarray(-xlogy(y, p) - xlogy(1 - y, 1 - p))
