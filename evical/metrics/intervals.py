"""Is there a calibrated probability within the belief intervals?

Beliefs are valid if the probability of each sample lies in its [Bel, Pl]. Among all probabilities p
= (1 - lambda) Bel + lambda Pl, with a separate lambda for each sample, the test finds in closed
form those with the smallest cumulative calibration error (Kuiper's). If even this error exceeds
chance, no choice is calibrated. After Jurgens et al. 2025, with another statistic.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dstheory.checks.arguments import check_count, check_rng
from evical._typing import Floats, Label, Weights
from evical.metrics.beliefs import IntervalSample, interval_sample
from evical.metrics.cumulative import brownian_range_sf, in_deviations
from evical.metrics.goodness import CalibrationTest, refuted
from evical.metrics.inputs import BLOCK, MOST_REPEATS, Predicted

_HYPOTHESIS = "some probability within each [Bel, Pl] is calibrated: P(y = 1 | Bel, Pl) lies there"
_DEFINITION = "least Kuiper statistic of all probabilities within [Bel, Pl]"
# Numbers drawn at a time.
_DRAWS = 1 << 20


@dataclass(frozen=True, eq=False)
class _Groups:
    """Samples (n,) in ascending order of pignistic probability, and which ones begin a group.

    A group has samples with the same probability.
    """

    order: NDArray[np.intp]
    first: NDArray[np.bool_]

    def blocks(self) -> Iterator[slice]:
        """Slices of whole groups, of little more than `BLOCK` samples."""
        start, n = 0, len(self.first)
        while start < n:
            stop = min(start + BLOCK, n)
            following = self.first[stop:]
            stop += int(np.argmax(following)) if following.any() else len(following)
            yield slice(start, stop)
            start = stop


def interval_calibration_test(
    y_true: ArrayLike,
    y_belief: Predicted,
    *,
    n_resamples: int = 0,
    rng: np.random.Generator | None = None,
    pos_label: Label = None,
    sample_weight: Weights = None,
) -> CalibrationTest:
    r"""Test whether the intervals are compatible with calibrated probabilities.

    Parameters
    ----------
    y_true : (n,) array of labels
    y_belief : MassFunction or (n, 2) array
        Mass functions on two classes, or [Bel, Pl] of the positive one.
    n_resamples : int
        Number of parametric bootstrap resamples for the p-value, such as 999. By default there are
        none, and the p-value is asymptotic.
    rng : numpy.random.Generator, optional
        Needed for resamples.
    pos_label : label, optional
        By default 1, or the second label of the frame.
    sample_weight : (n,) array, optional
        Weights are not repetitions: a sample with a large weight remains one observation.

    Returns
    -------
    CalibrationTest
        The statistic is near 0 if some choice of probabilities follows the outcomes closely. For
        probabilities (Bel = Pl) it is `calibration_test`.

    Raises
    ------
    ValueError
        If a row is not 0 <= Bel <= Pl <= 1, there are not two labels, or lengths differ.
    TypeError
        If `n_resamples` is positive and `rng` is not a Generator.

    See Also
    --------
    nearest_calibrated : the probability that attains the statistic.
    coverage_test : a test by bins, which shows which of them deviate.

    Notes
    -----
    Samples are sorted by pignistic probability; with :math:`S_t` the sum of y - p up to t, the
    statistic is :math:`\min_p \max_{s < t} |S_t - S_s|` divided by a standard deviation. The
    minimum is the largest sum of two reflected walks: the excess over Pl and the shortfall below
    Bel. The null hypothesis is that outcomes are independent given the intervals, and that the
    probability of y = 1 given its interval lies in it; this p is then calibrated. The true p is one
    of the choices, so the statistic is at most Kuiper's statistic for the true p. Its distribution
    is computed, or simulated, for the p in each interval that is closest to 1/2, which has the
    largest variance. Both make the test conservative: with many samples it keeps its level for all
    such p, but wider intervals lower its power. It cannot detect errors that cancel among samples
    of equal pignistic probability.

    Jurgens et al. learn one combination of the members of a credal set on other data, by a proper
    score and a kernel calibration error, for any number of classes, and bootstrap under the
    combination found. Here there are two classes, no data are set aside, nothing is learned, and
    the level does not depend on a learned combination.

    References
    ----------
    Jurgens, Mortier, Hullermeier, Bengs & Waegeman (2025), A calibration test for evaluating
    set-based epistemic uncertainty representations, Machine Learning 114. The statistic for
    precise probabilities: Arrieta-Ibarra et al. (2022), Journal of Machine Learning Research 23.

    Examples
    --------
    All five samples are positive although Pl is 1/2: the sum of y - Pl is 2.5, and its standard
    deviation is at most sqrt(5 / 4) = 1.118.

    >>> test = interval_calibration_test([1] * 5, [[0.25, 0.5]] * 5)
    >>> round(test.statistic, 4), round(test.pvalue, 4)
    (2.2361, 0.1013)
    >>> interval_calibration_test([1, 0, 1, 1, 0], [[0.25, 0.75]] * 5).statistic
    0.0
    """
    check_count("n_resamples", n_resamples, 0, MOST_REPEATS)
    if n_resamples or rng is not None:
        check_rng(rng)
    sample = interval_sample(y_true, y_belief, pos_label, sample_weight)
    return interval_test_of(sample, n_resamples, rng)


def interval_test_of(
    sample: IntervalSample, n_resamples: int = 0, rng: np.random.Generator | None = None
) -> CalibrationTest:
    """The test of a validated sample."""
    groups = _groups(sample)
    least = _least_range(_steps(sample, groups))
    statistic = in_deviations(least, sample.nearest.deviation)
    if refuted(sample.nearest):
        pvalue = 0.0
    elif rng is not None and n_resamples:
        pvalue = _drawn_pvalue(sample, groups, least, n_resamples, rng)
    else:
        pvalue = brownian_range_sf(statistic)
    return CalibrationTest("interval calibration", statistic, pvalue, _HYPOTHESIS, _DEFINITION)


def nearest_calibrated(
    y_true: ArrayLike,
    y_belief: Predicted,
    *,
    pos_label: Label = None,
    sample_weight: Weights = None,
) -> Floats:
    """Probabilities within the intervals with the smallest cumulative calibration error.

    Parameters
    ----------
    y_true : (n,) array of labels
    y_belief : MassFunction or (n, 2) array
    pos_label : label, optional
    sample_weight : (n,) array, optional
        All as in `interval_calibration_test`.

    Returns
    -------
    (n,) array
        One of the minimizers, close to the pignistic probabilities. It uses the outcomes, so it is
        a description and not a calibrator.

    Raises
    ------
    ValueError
        As `interval_calibration_test`.

    Examples
    --------
    Three of five are positive, within [Bel, Pl]:

    >>> p = nearest_calibrated([1, 0, 1, 1, 0], [[0.25, 0.75]] * 5)
    >>> p.round(2)
    array([0.6, 0.6, 0.6, 0.6, 0.6])
    """
    sample = interval_sample(y_true, y_belief, pos_label, sample_weight)
    groups = _groups(sample)
    low, high = map(np.concatenate, zip(*_steps(sample, groups), strict=True))
    changes = _nearest_changes(low, high)
    span = high - low
    # p = Pl gives the smallest change y - p, p = Bel the largest.
    share = np.divide(high - changes, span, out=np.zeros_like(span), where=span > 0)
    sizes = np.diff(np.flatnonzero(groups.first), append=len(sample.y))
    lam = np.empty(len(sample.y))
    lam[groups.order] = np.repeat(np.clip(share, 0, 1), sizes)
    return sample.bel + lam * (sample.pl - sample.bel)


def _groups(sample: IntervalSample) -> _Groups:
    # Sums of two rounded halves: values that agree in twelve digits count as ties.
    middle = sample.bel + sample.pl
    np.round(middle, 12, out=middle)
    order = np.argsort(middle)
    middle.sort()
    return _Groups(order, np.concatenate([[True], middle[1:] != middle[:-1]]))


def _steps(sample: IntervalSample, groups: _Groups) -> Iterator[tuple[Floats, Floats]]:
    """Smallest and largest change of the mean of y - p over each group, in blocks of groups."""
    total = sample.total_weight
    for rows in groups.blocks():
        part = sample.rows(groups.order[rows])
        share = (1.0 if part.weight is None else part.weight) / total
        starts = np.flatnonzero(groups.first[rows])
        low = np.add.reduceat(share * (part.y - part.pl), starts)
        yield low, np.add.reduceat(share * (part.y - part.bel), starts)


def _least_range(steps: Iterable[tuple[Floats, Floats]]) -> float:
    """Smallest range of a walk from 0 with steps in [low, high]."""
    most = above = below = 0.0
    for low, high in steps:
        ups, downs = _reflected(low, above), _reflected(-high, below)
        most = max(most, float((ups + downs).max()))
        above, below = float(ups[-1]), float(downs[-1])
    return most


def _reflected(steps: Floats, start: float = 0.0) -> Floats:
    """Walk reflected at 0: the largest sum of steps that ends at each place, or 0."""
    walk = start + np.cumsum(steps, axis=-1)
    return walk - np.minimum(np.minimum.accumulate(walk, axis=-1), 0.0)


def _drawn_pvalue(
    sample: IntervalSample,
    groups: _Groups,
    least: float,
    n_resamples: int,
    rng: np.random.Generator,
) -> float:
    """Share of Kuiper statistics as large or larger, for outcomes of the p closest to 1/2."""
    q = sample.nearest.p[groups.order]
    weight = np.ones(len(q)) if sample.weight is None else sample.weight[groups.order]
    starts = np.flatnonzero(groups.first)
    weight = weight / weight.sum()
    exceeding, rows = 0, max(1, _DRAWS // len(q))
    for start in range(0, n_resamples, rows):
        drawn = rng.random((min(rows, n_resamples - start), len(q))) < q
        steps = np.add.reduceat((drawn - q) * weight, starts, axis=1)
        ranges = (_reflected(steps) + _reflected(-steps)).max(axis=1)
        # At least as large up to rounding: statistics of few samples have ties.
        exceeding += int((ranges >= least - 1e-12).sum())
    return (1 + exceeding) / (1 + n_resamples)


def _nearest_changes(low: Floats, high: Floats) -> Floats:
    """Steps of a walk that stays in a band of the smallest width, found backwards from its end."""
    least = _least_range([(low, high)])
    above, below = _reflected(low), least - _reflected(-high)
    lows, highs = low.tolist(), high.tolist()
    floors, ceilings = [0.0, *above[:-1].tolist()], [least, *below[:-1].tolist()]
    place = float(above[-1] + below[-1]) / 2
    changes = np.empty(len(lows))
    for i in range(len(lows) - 1, -1, -1):
        before = place - (lows[i] + highs[i]) / 2
        before = min(max(before, floors[i], place - highs[i]), ceilings[i], place - lows[i])
        changes[i] = place - before
        place = before
    return changes
