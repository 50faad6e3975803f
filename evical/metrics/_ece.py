"""Expected and maximum calibration error of two classes, by bins.

In each bin of predictions, the mean prediction is compared with the share of positives. Naeini
2016, section 2.4.3, with ten bins of equal width.

Binned calibration errors of many classes, each an ECE or MCE of a binary problem.

Classwise: each class against all others. Micro: all classes and samples pooled. Top label: whether
the most probable class is the true one. They answer different questions and differ in size,
although all are called ECE.

Debiased squared calibration error: squared gaps of bins minus their sampling noise.

On average, the squared gap of a bin is too large by the variance of the share of positives, so an
estimate of this variance is subtracted. Kumar, Liang & Ma 2019; Ferro & Fricker 2012.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dstheory.checks.arguments import check_choice, check_count, check_flag, check_level, check_rng
from dstheory.notebook import ShownFields
from evical._typing import Label, Labels, Weights
from evical.metrics.bins import Bins, bin_gaps, bin_numbers, check_bins, filled_bins, summed_bins
from evical.metrics.inputs import (
    MOST_REPEATS,
    BinarySample,
    ClassSample,
    Predicted,
    assigned_classes,
    binary_sample,
    class_sample,
    of_class,
)

Strategy = Literal["uniform", "quantile"]


@dataclass(frozen=True)
class DebiasedError(ShownFields):
    """Debiased squared calibration error with an interval.

    Parameters
    ----------
    estimate : float
        May be negative, if the gaps are smaller than expected from noise alone.
    low, high : float
        Limits of the bootstrap interval.
    confidence : float
    """

    estimate: float
    low: float
    high: float
    confidence: float

    def __str__(self) -> str:
        return (
            f"debiased squared calibration error: {self.estimate:.4g}, "
            f"{self.confidence:.0%} interval [{self.low:.4g}, {self.high:.4g}] (bootstrap)"
        )


def debiased_calibration_error(
    y_true: ArrayLike,
    y_prob: Predicted,
    *,
    n_bins: int = 10,
    strategy: Strategy = "quantile",
    squared: bool = False,
    pos_label: Hashable | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    r"""Root of the squared calibration error less the part due to noise, about 0 if calibrated.

    Parameters
    ----------
    y_true : (n,) array of labels
    y_prob : (n,) or (n, 2) array, or MassFunction
    n_bins : int
    strategy : "quantile" or "uniform"
        Bins of equal frequency or of equal width, as in `expected_calibration_error`.
    squared : bool
        Whether to return the square, which is unbiased and may be negative.
    pos_label : label, optional
    sample_weight : (n,) array, optional
        As in `expected_calibration_error`.

    Returns
    -------
    float
        On the scale of the ECE; 0 if the square is negative. The root itself is not unbiased.

    Raises
    ------
    ValueError
        As `expected_calibration_error`.

    Notes
    -----
    The square is :math:`\sum_b \pi_b \big[(o_b - e_b)^2 - \frac{o_b (1 - o_b)}{n_b - 1}\big]`. With
    weights, :math:`n_b` is the effective number of samples. A bin of one sample counts 0, because
    its noise cannot be estimated.

    References
    ----------
    Kumar, Liang & Ma (2019), Verified uncertainty calibration, NeurIPS, section 5. Ferro &
    Fricker (2012), Quarterly Journal of the Royal Meteorological Society 138, 1954-1960.

    Examples
    --------
    Two samples with gap 1/2 - 0.1 = 0.4, minus 1/4; three with gap 1/3 - 0.9, minus (2/9) / 2:

    >>> y, p = [0, 1, 1, 0, 0], [0.1, 0.1, 0.9, 0.9, 0.9]
    >>> round(debiased_calibration_error(y, p, n_bins=2, squared=True), 4)
    0.09
    >>> round(debiased_calibration_error(y, p, n_bins=2), 4)
    0.3
    """
    check_flag("squared", squared)
    sample = binary_sample(y_true, y_prob, pos_label, sample_weight)
    square = _debiased(filled_bins(sample, n_bins, strategy))
    return square if squared else float(np.sqrt(max(square, 0.0)))


def debiased_interval(
    y_true: ArrayLike,
    y_prob: Predicted,
    *,
    rng: np.random.Generator,
    n_bins: int = 10,
    strategy: Strategy = "quantile",
    confidence: float = 0.95,
    n_resamples: int = 1000,
    pos_label: Label = None,
    sample_weight: Weights = None,
) -> DebiasedError:
    """Debiased squared calibration error with a bootstrap interval.

    Parameters
    ----------
    y_true : (n,) array of labels
    y_prob : (n,) or (n, 2) array, or MassFunction
    rng : numpy.random.Generator
    n_bins : int
    strategy : "quantile" or "uniform"
    confidence : float
    n_resamples : int
    pos_label : label, optional
    sample_weight : (n,) array, optional
        As in `debiased_calibration_error`.

    Returns
    -------
    DebiasedError
        Printing it shows the estimate and the interval.

    Raises
    ------
    ValueError
        As `expected_calibration_error`, or if `confidence` is not inside (0, 1).
    TypeError
        If `rng` is not a Generator.

    Notes
    -----
    Samples are drawn with replacement, and bins do not change. The true value for a resample is the
    squared error of the sample itself, noise included. The deviations of resampled estimates from
    it stand for the error of the estimate (the basic bootstrap). The cost is that of `n_resamples`
    estimates.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(1000)
    >>> y = rng.random(1000) < p ** 2  # squared error: mean of (p - p ** 2) ** 2, 1 / 30
    >>> print(debiased_interval(y, p, rng=rng))
    debiased squared calibration error: 0.02738, 95% interval [0.01623, 0.03639] (bootstrap)
    """
    check_bins(n_bins, strategy)
    check_count("n_resamples", n_resamples, 1, MOST_REPEATS)
    check_rng(rng)
    check_level("confidence", confidence)
    sample = binary_sample(y_true, y_prob, pos_label, sample_weight)
    number = bin_numbers(sample.p, sample.weight, n_bins, strategy)
    bins = summed_bins(sample, number, n_bins)
    estimate = _debiased(bins)
    of_sample = float((bins.weight * (bins.prob - bins.true) ** 2).sum() / bins.weight.sum())
    draws = np.array([_resampled(sample, number, n_bins, rng) for _ in range(n_resamples)])
    tail = (1 - confidence) / 2
    low, high = estimate + of_sample - np.quantile(draws, [1 - tail, tail])
    return DebiasedError(estimate, float(low), float(high), confidence)


def _debiased(bins: Bins) -> float:
    noise = bins.true * (1 - bins.true)
    usable = bins.size > 1 + 1e-9  # rounding can make an effective size of one slightly larger
    terms = (bins.prob - bins.true)[usable] ** 2 - noise[usable] / (bins.size[usable] - 1)
    return float((bins.weight[usable] * terms).sum() / bins.weight.sum())


def _resampled(
    sample: BinarySample, number: NDArray[np.intp], n_bins: int, rng: np.random.Generator
) -> float:
    rows = rng.integers(len(number), size=len(number))
    drawn = sample.rows(rows)
    if drawn.weight is not None and not drawn.weight.any():  # only samples of weight zero
        return 0.0
    return _debiased(summed_bins(drawn, number[rows], n_bins))


def binned_error(sample: BinarySample, n_bins: int, strategy: str) -> float:
    """Mean gap of bins, weighted by their share of samples."""
    gaps = bin_gaps(sample, n_bins, strategy)
    return float(np.abs(gaps).sum() / sample.total_weight)


def largest_gap(sample: BinarySample, n_bins: int, strategy: str) -> float:
    """Largest gap of a bin that contains samples."""
    bins = filled_bins(sample, n_bins, strategy)
    return float(np.abs(bins.prob - bins.true).max())


def _each_class(sample: ClassSample) -> Iterator[BinarySample]:
    for k, p in enumerate(sample.p.T):
        y = np.asarray(sample.codes == k, dtype=np.float64)
        yield BinarySample(y, np.ascontiguousarray(p), sample.weight)


def _heap(sample: ClassSample) -> Iterator[BinarySample]:
    n_classes = sample.p.shape[1]
    y = np.concatenate([sample.codes == k for k in range(n_classes)]).astype(np.float64)
    weight = None if sample.weight is None else np.tile(sample.weight, n_classes)
    yield BinarySample(y, sample.p.T.ravel(), weight)


def _top(sample: ClassSample) -> Iterator[BinarySample]:
    assigned = assigned_classes(sample.p)
    right = np.asarray(assigned == sample.codes, dtype=np.float64)
    yield BinarySample(right, of_class(sample.p, assigned), sample.weight)


OfClasses = Literal["positive", "classwise", "micro", "top_label"]

_SAMPLES: dict[str, Callable[[ClassSample], Iterator[BinarySample]]] = {
    "classwise": _each_class,
    "micro": _heap,
    "top_label": _top,
}


def _samples_of(
    of: str,
    y_true: ArrayLike,
    y_prob: Predicted,
    pos_label: Label,
    labels: Labels,
    sample_weight: Weights,
) -> Iterator[BinarySample]:
    """Samples of two classes, from which a kind of error follows."""
    if of == "positive":
        if labels is not None:
            raise ValueError(
                "labels belong to other kinds than 'positive'; name one class by pos_label"
            )
        return iter([binary_sample(y_true, y_prob, pos_label, sample_weight)])
    if pos_label is not None:
        raise ValueError(
            f"pos_label belongs to the kind 'positive', not to {of!r}; name all labels"
        )
    return _SAMPLES[of](class_sample(y_true, y_prob, labels, sample_weight))


def expected_calibration_error(
    y_true: ArrayLike,
    y_prob: Predicted,
    of: OfClasses = "positive",
    *,
    n_bins: int = 10,
    strategy: Strategy = "uniform",
    pos_label: Label = None,
    labels: Labels = None,
    sample_weight: Weights = None,
) -> float:
    r"""Expected calibration error ECE, 0 at best.

    Parameters
    ----------
    y_true : (n,) array of labels
        0 and 1, or -1 and 1, or any two with `pos_label`; of the other kinds any.
    y_prob : (n,), (n, 2) or (n, K) array, or MassFunction
        Probability of the positive class, or of each class, with the positive one second or in
        sorted order; mass functions stand for their pignistic transform.
    of : {"positive", "classwise", "micro", "top_label"}
        The positive class of two; each class against all others, averaged (Kull et al. 2019); all
        classes and samples pooled (Naeini 2016, section 6.1.1); or whether the most probable class
        is the true one (Guo et al. 2017). Errors of different kinds differ in size.
    n_bins : int
    strategy : "uniform" or "quantile"
        Bins of equal width, which contain their left edges, or of equal frequency, which keep equal
        predictions together: the adaptive calibration error ACE.
    pos_label : label, optional
        Of two classes: by default 1, or the second label of a frame.
    labels : sequence of K labels, optional
        Of the other kinds: labels of the columns. Default: those of `y_true`, sorted.
    sample_weight : (n,) array, optional

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    ValueError
        If a probability lies outside [0, 1], a row does not sum to 1, there are not two labels
        where there should be, lengths differ, the kind or the binning is unknown, or `labels` come
        with two classes, or `pos_label` without.

    See Also
    --------
    smooth_calibration_error : an error without bins.

    Notes
    -----
    :math:`\sum_b \pi_b |o_b - e_b|`: share of samples, share of positives and mean prediction
    of bin b. For few samples it is biased upward: see `debiased_calibration_error`. "classwise"
    is the mean of these sums over classes.

    References
    ----------
    Naeini (2016), sections 2.4.3 and 6.1.1; Naeini, Cooper & Hauskrecht (2015), AAAI, 2901-2907;
    Kull et al. (2019), Beyond temperature scaling, NeurIPS; Guo et al. (2017), ICML. Bins of equal
    frequency: Nguyen & O'Connor (2015), EMNLP, 1587-1598; Nixon et al. (2019), CVPR workshops.

    Examples
    --------
    Bin [0, 1/2) has mean 0.2 and one positive in two samples; bin [1/2, 1] has mean 0.7 and two in
    three:

    >>> y, p = [0, 1, 0, 1, 1], [0.1, 0.3, 0.5, 0.7, 0.9]
    >>> round(expected_calibration_error(y, p, n_bins=2), 4)  # (2 * 0.3 + 3 * 0.0333) / 5
    0.14

    Bins {0.1, 0.1} and {0.2, 0.9, 0.9} of equal frequency: gaps 0.4 and 0.3333, shares 2/5 and 3/5:

    >>> y, p = [0, 1, 0, 1, 0], [0.1, 0.1, 0.2, 0.9, 0.9]
    >>> round(expected_calibration_error(y, p, n_bins=2, strategy="quantile"), 4)
    0.36

    One bin compares the share of each class with its mean probability: the gaps are 0.2, 0.2 and 0.

    >>> p = [[0.5, 0.5, 0.0]] * 4 + [[0.0, 0.0, 1.0]]
    >>> round(expected_calibration_error([0, 0, 0, 1, 2], p, "classwise", n_bins=1), 4)
    0.1333
    """
    check_choice("of", of, ("positive", *_SAMPLES))
    samples = _samples_of(of, y_true, y_prob, pos_label, labels, sample_weight)
    return float(np.mean([binned_error(one, n_bins, strategy) for one in samples]))


def maximum_calibration_error(
    y_true: ArrayLike,
    y_prob: Predicted,
    of: Literal["positive", "classwise", "micro"] = "positive",
    *,
    n_bins: int = 10,
    strategy: Strategy = "uniform",
    pos_label: Label = None,
    labels: Labels = None,
    sample_weight: Weights = None,
) -> float:
    r"""Maximum calibration error MCE, the largest gap of a bin, 0 at best.

    Parameters
    ----------
    y_true : (n,) array of labels
    y_prob : (n,), (n, 2) or (n, K) array, or MassFunction
    of : {"positive", "classwise", "micro"}
        Of all classes the largest gap of any.
    n_bins : int
    strategy : "uniform" or "quantile"
    pos_label : label, optional
    labels : sequence of K labels, optional
    sample_weight : (n,) array, optional
        All as in `expected_calibration_error`.

    Returns
    -------
    float
        In [0, 1]. A bin with one sample counts as much as any other, so prefer "quantile" or few
        bins.

    Raises
    ------
    ValueError
        As `expected_calibration_error`.

    Notes
    -----
    :math:`\max_b |o_b - e_b|` over bins that contain samples.

    References
    ----------
    Naeini (2016), section 2.4.3.

    Examples
    --------
    >>> y, p = [0, 1, 0, 1, 1], [0.1, 0.3, 0.5, 0.7, 0.9]
    >>> round(maximum_calibration_error(y, p, n_bins=2), 4)  # |0.2 - 1 / 2|
    0.3
    """
    check_choice("of", of, ("positive", "classwise", "micro"))
    samples = _samples_of(of, y_true, y_prob, pos_label, labels, sample_weight)
    return max(largest_gap(one, n_bins, strategy) for one in samples)
