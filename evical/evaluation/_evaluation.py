"""Evaluation of one set of predictions: measures with confidence intervals.

An `Evaluation` keeps outcomes, probabilities, and beliefs or scores if there are any, next to the
calibration report and bootstrap intervals of the main measures.

Bootstrap intervals of the measures of an evaluation.

Drawing samples with replacement gives each a random count. Every measure here is a function of
weighted sums, so a resample costs a few passes over the data. Bins do not change. Means and the
area under the ROC curve have percentile intervals. The squared calibration error has the basic
bootstrap: a resample is further from calibration than its sample, as the sample is than the truth.
Efron & Tibshirani 1993; Kumar, Liang & Ma 2019.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dstheory import MassFunction
from dstheory.checks.arguments import (
    as_array,
    as_floats,
    check_count,
    check_instance,
    check_level,
    check_rows,
    shown,
)
from dstheory.kernels.batches import blocks
from dstheory.notebook import ShownFields, html_table
from evical._fitting import as_random_state
from evical._typing import Floats, RandomState
from evical.conformal.control import Promise
from evical.metrics import calibration_report
from evical.metrics.beliefs import checked_bounds, interval_sample
from evical.metrics.bins import bin_numbers
from evical.metrics.inputs import (
    BLOCK,
    MOST_REPEATS,
    checked_weights,
    class_codes,
    numbers,
    positive_column,
    probabilities,
)
from evical.metrics.report import CalibrationReport, Measure, belief_measures
from evical.scores.checks import (
    check_column_order,
    check_label,
    check_labels,
    check_same_length,
    check_scores,
)


def two_labels(
    labels: NDArray[Any], pos_label: Hashable | None, ordered: bool = False
) -> NDArray[Any]:
    """The negative and the positive label of all that occur.

    Parameters
    ----------
    labels : (n,) array
    pos_label : label or None
        By default the greater one, or the second if they are `ordered` already.
    ordered : bool
        Whether `labels` are the two themselves.

    Returns
    -------
    (2,) array

    Raises
    ------
    ValueError
        If there are not two, or `pos_label` is none of them.

    Examples
    --------
    >>> two_labels(np.array(["no", "yes", "no"]), "no").tolist()
    ['yes', 'no']
    """
    check_label("pos_label", pos_label)
    found = labels if ordered else np.unique(labels)
    if len(found) == 1:
        raise ValueError(f"y has one class only (all {found[0]}); both classes are needed")
    if len(found) != 2:
        raise ValueError(f"y has {len(found)} classes {found[:5].tolist()}, expected two")
    if pos_label is None or pos_label == found[1]:
        return found
    if pos_label != found[0]:
        raise ValueError(f"pos_label is {pos_label!r}, but the classes are {found.tolist()}")
    return found[::-1]


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
    """Resamples by default, 999, and fewer for more than thirty thousand samples.

    >>> resample_count(1000), resample_count(100_000), resample_count(10**7)
    (999, 299, 199)
    """
    affordable = _DRAWS // n - 1
    return min(max(affordable, _FEWEST), _MOST)


def interval_limits(
    sample: Sample, n_resamples: int, confidence: float, rng: np.random.RandomState
) -> dict[str, tuple[float, float]]:
    """Limits by the name of the measure, NaN if no resample has a value."""
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
    low, high = np.quantile(known, tails, method="inverted_cdf").tolist()
    return low, high


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
    """Of bins of equal frequency, less the noise; as `debiased_calibration_error(squared=True)`."""
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


_PRECISE = 1e-12  # rounding of 1 - m({0}) - m({1}) of calibrators without beliefs
# Probabilities that a file rounds to two places may lie so far outside of [Bel, Pl].
_ROUNDED = 0.01
_CLEAR = 0.2  # how far from 1/2 some probability is, so that it is clear of which class they are


@dataclass(frozen=True)
class Interval(ShownFields):
    """A measure with its confidence interval.

    Parameters
    ----------
    name : str
        Of the function of `evical.metrics` that gives the value.
    value, low, high : float
    definition : str
        What the measure is.
    """

    name: str
    value: float
    low: float
    high: float
    definition: str

    def __str__(self) -> str:
        return f"{self.name} = {self.value:.4g} [{self.low:.4g}, {self.high:.4g}]"


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation:
    """Predictions of two classes with their measures, made by the two class methods.

    Parameters
    ----------
    name : str
        Of what made the predictions.
    y : (n,) array of 0 and 1
    probability : (n,) array
        Of the positive class; of beliefs the pignistic one.
    bel, pl : (n,) arrays, or None
        Belief and plausibility of the positive class; None where they are equal everywhere.
    scores : (n,) array, or None
        What was calibrated.
    class_names : pair of str
        The negative class and the positive one.
    weight : (n,) array, or None
    n_bins : int
        Of calibration errors and of coverage.
    confidence : float
        Level of the intervals.
    n_resamples : int
        Of the bootstrap.
    seed : int
        Of the bootstrap.
    answers : Promise, optional
        Guarantee of the model for the samples that it answers, see `evical.conformal.RiskControl`.
    """

    name: str
    y: NDArray[np.int64]
    probability: Floats
    bel: Floats | None
    pl: Floats | None
    scores: Floats | None
    class_names: tuple[str, str]
    weight: Floats | None
    n_bins: int = 10
    confidence: float = 0.95
    n_resamples: int = 999
    seed: int = 0
    answers: Promise | None = None

    # Measures are computed when they are first asked for: a check of calibration needs none.
    @cached_property
    def report(self) -> CalibrationReport:
        """Every measure that applies, with its definition."""
        options: dict[str, Any] = {"n_bins": self.n_bins, "sample_weight": self.weight}
        report = calibration_report(self.y, self.probability, **options)
        if self.bel is None or self.pl is None:
            return report
        more = belief_measures(self.y, np.stack([self.bel, self.pl], axis=1), **options)
        return CalibrationReport(report.n_samples, (*report.measures, *more))

    @cached_property
    def intervals(self) -> tuple[Interval, ...]:
        """Main measures, with the width for beliefs only."""
        limits = interval_limits(
            prepare(self.y, self.probability, self.bel, self.pl, self.weight, self.n_bins),
            self.n_resamples,
            self.confidence,
            as_random_state(self.seed),
        )
        known: dict[str, Measure] = {measure.name: measure for measure in self.report}
        return tuple(
            Interval(name, known[name].value, *limits[name], known[name].definition)
            for name in limits
            if name in known
        )

    @property
    def how(self) -> str:
        """How the intervals were made, in words."""
        return f"bootstrap of {self.n_resamples} resamples of the {len(self.y)} samples"

    @classmethod
    def from_predictions(
        cls,
        y: Any,
        probability: Any = None,
        *,
        mass: MassFunction | None = None,
        bel: Any = None,
        pl: Any = None,
        scores: Any = None,
        name: str = "predictions",
        pos_label: Any = None,
        sample_weight: Any = None,
        n_bins: int = 10,
        confidence: float = 0.95,
        n_resamples: int | None = None,
        random_state: Any = 0,
    ) -> "Evaluation":
        """Evaluate predictions from any source.

        Parameters
        ----------
        y : (n,) array
            Labels of two classes, of any kind.
        probability : (n,) or (n, 2) array, optional
            Of the positive class, or of both in sorted order. By default the middle of the
            beliefs, the pignistic probability.
        mass : MassFunction, optional
            Batch (n,) on the two classes, in place of `bel` and `pl`.
        bel, pl : (n,) arrays, optional
            Belief and plausibility of the positive class.
        scores : (n,) array, optional
            What was calibrated; for pictures.
        name : str
        pos_label : label, optional
            By default the greater label, or the second of the frame.
        sample_weight : (n,) array, optional
        n_bins : int
            Of calibration errors and of coverage.
        confidence : float
            Level of the intervals.
        n_resamples : int, optional
            Of the bootstrap; by default 999, and fewer above thirty thousand samples.
        random_state : int, RandomState instance or None

        Returns
        -------
        Evaluation

        Raises
        ------
        ValueError
            If there are not two classes, a probability lies outside [0, 1], a row is not
            0 <= Bel <= Pl <= 1, lengths differ, or neither probabilities nor beliefs are given.

        Notes
        -----
        Intervals are those of the percentile bootstrap, and for the calibration error of the basic
        bootstrap of its square (`evical.metrics.debiased_interval`; an estimate below 0 counts as
        0). They show how the values vary between samples for the same predictor, not between fits.
        Coverage jumps from bin to bin and has no interval; `evical.metrics.coverage_test` tells
        which bins miss their beliefs by more than chance.

        Examples
        --------
        >>> made = Evaluation.from_predictions([0, 1, 0, 1, 1], [0.1, 0.3, 0.5, 0.7, 0.9])
        >>> made.intervals[0].name, round(made.intervals[0].value, 2)
        ('brier_score', 0.17)
        """
        _check_options(mass, n_bins, n_resamples, confidence)
        given = {"probability": probability, "bel": bel, "pl": pl, "scores": scores}
        check_rows(y=y, **given, sample_weight=sample_weight)
        labels = _two_labels(y, mass, pos_label)
        if probability is not None:
            check_column_order(probability, np.unique(check_labels(y)), "probability")
            probability = as_array(probability, "probability")
        codes = (check_labels(y) == labels[1]).astype(np.int64)
        bounds = _bounds(y, codes, mass, bel, pl, labels[1])
        if np.ndim(probability) == 2 and labels[1] != np.unique(check_labels(y))[-1]:
            probability = probability[:, ::-1]
        probability = _probability(codes, probability, bounds)
        if bounds is not None and _are_equal(*bounds):
            bounds = None
        return cls(
            name=name,
            y=codes,
            probability=probability,
            bel=None if bounds is None else bounds[0],
            pl=None if bounds is None else bounds[1],
            scores=_scores(scores, codes),
            class_names=(str(labels[0]), str(labels[1])),
            weight=checked_weights(sample_weight, len(codes)),
            n_bins=n_bins,
            confidence=confidence,
            n_resamples=resample_count(len(codes)) if n_resamples is None else n_resamples,
            seed=_seed(random_state),
        )

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, **options: Any) -> "Evaluation":
        """Evaluate a fitted calibrator or classifier on new samples.

        Parameters
        ----------
        estimator : fitted estimator
            With ``predict_proba``, whose probabilities are evaluated, and for beliefs with
            ``predict_mass``.
        X : array
            Scores for a calibrator, features for a classifier.
        y : (n,) array
            Labels of two classes, those of the estimator.
        **options
            Of `from_predictions`.

        Returns
        -------
        Evaluation

        Raises
        ------
        ValueError
            As `from_predictions`, or if a label is none of the estimator's.

        Examples
        --------
        >>> from evical.calibrators import LogisticCalibrator
        >>> s, y = [-2.0, -1.0, 0.0, 1.0, 2.0], [0, 0, 1, 0, 1]
        >>> made = Evaluation.from_estimator(LogisticCalibrator().fit(s, y), s, y)
        >>> made.name, bool((made.bel < made.pl).all())
        ('LogisticCalibrator', True)
        """
        if isinstance(estimator, type) or not hasattr(estimator, "predict_proba"):
            expected = "a fitted calibrator or classifier with predict_proba"
            raise TypeError(f"estimator is {shown(estimator)}, expected {expected}")
        check_rows(X=X, y=y, sample_weight=options.get("sample_weight"))
        options.setdefault("name", type(estimator).__name__)
        if np.ndim(X) == 1 or np.shape(X)[1:] == (1,):
            options.setdefault("scores", np.ravel(X))
        probability = as_array(estimator.predict_proba(X), "probability")
        if hasattr(estimator, "predict_mass"):
            options["mass"] = estimator.predict_mass(X)
        # Columns in the order of its classes, not in that of `y`, which may lack one.
        classes = np.asarray(getattr(estimator, "classes_", ()))
        if len(classes):
            class_codes(y, classes, "y")  # no label is unknown
        if len(classes) == 2:
            positive = two_labels(classes, options.get("pos_label"), ordered=True).tolist()[1]
            if probability.ndim == 2:
                probability = probability[:, classes.tolist().index(positive)]
            options["pos_label"] = positive
        return cls.from_predictions(y, probability, **options)

    def __getitem__(self, name: str) -> Interval:
        for interval in self.intervals:
            if interval.name == name:
                return interval
        known = ", ".join(interval.name for interval in self.intervals)
        raise KeyError(f"no interval of {name!r}; there are {known}")

    def __repr__(self) -> str:
        return f"Evaluation({self._head()})"

    def _repr_html_(self) -> str:
        rows = [
            [one.name, f"{one.value:.4f}", f"{one.low:.4f} to {one.high:.4f}"]
            for one in self.intervals
        ]
        head = ["", "value", f"{self.confidence:.0%} interval"]
        return html_table(self._head(), [head, *rows], [self.how])

    def _head(self) -> str:
        return f"{self.name}: {len(self.y)} samples, {int(self.y.sum())} of {self.class_names[1]}"

    def __str__(self) -> str:
        level = f"{self.confidence:.0%} intervals: {self.how}"
        return "\n".join([self._head(), *(f"  {one}" for one in self.intervals), level])


def _seed(random_state: RandomState) -> int:
    """A whole number as it is, or the next one of a generator."""
    if isinstance(random_state, int | np.integer):
        as_random_state(random_state)
        return int(random_state)
    return int(as_random_state(random_state).randint(2**31))


def _check_options(mass: object, n_bins: int, n_resamples: int | None, confidence: float) -> None:
    check_count("n_bins", n_bins, 1, MOST_REPEATS)
    if mass is not None:
        check_instance("mass", mass, MassFunction, "a MassFunction")
    if n_resamples is not None:
        check_count("n_resamples", n_resamples, 1, MOST_REPEATS)
    check_level("confidence", confidence)


def _two_labels(y: ArrayLike, mass: MassFunction | None, pos_label: Hashable) -> NDArray[Any]:
    """Labels of the negative and the positive class; both must occur."""
    found = two_labels(check_labels(y), None if mass is not None else pos_label)
    if mass is None:
        return found
    if len(mass.frame) != 2:
        raise ValueError(f"the mass functions are on {len(mass.frame)} classes, expected two")
    return two_labels(np.asarray(mass.frame.labels), pos_label, ordered=True)


def _bounds(
    y: ArrayLike,
    codes: NDArray[np.int64],
    mass: MassFunction | None,
    bel: ArrayLike | None,
    pl: ArrayLike | None,
    positive: Any,
) -> tuple[Floats, Floats] | None:
    """Bel and Pl of the positive class (n,), if there are beliefs."""
    if (bel is None) != (pl is None):
        raise ValueError(
            "belief and plausibility belong together; give both bel and pl, or neither"
        )
    if mass is not None:
        if bel is not None:
            raise ValueError("beliefs are given twice; give mass, or bel and pl")
        sample = interval_sample(y, mass, positive, None)
    elif bel is not None:
        bel, pl = as_floats(bel, "bel").ravel(), as_floats(pl, "pl").ravel()
        check_same_length(bel=bel, pl=pl)
        check_same_length(y_true=codes, y_belief=bel)
        return checked_bounds(numbers(bel, "bel"), numbers(pl, "pl"))
    else:
        return None
    return sample.bel, sample.pl


def _are_equal(bel: Floats, pl: Floats) -> bool:
    # By blocks: a million widths take more memory than the answer is worth.
    return all((pl[rows] - bel[rows]).max() <= _PRECISE for rows in blocks(len(bel), BLOCK))


def _probability(
    codes: NDArray[np.int64], probability: Any, bounds: tuple[Floats, Floats] | None
) -> Floats:
    """Probability of the positive class (n,)."""
    if probability is not None:
        found = positive_column(probabilities(probability))
        check_same_length(y_true=codes, y_prob=found)
        if bounds is not None:
            _check_one_class(found, *bounds)
        return np.array(found)
    if bounds is None:
        raise ValueError("there is nothing to evaluate; give probability, mass, or bel and pl")
    middle = bounds[0] + bounds[1]
    middle /= 2
    return middle


def _check_one_class(p: Floats, bel: Floats, pl: Floats) -> None:
    """Refuse probabilities of one class beside beliefs of the other."""
    parts = list(blocks(len(p), BLOCK))
    outside = sum(_n_outside(p[rows], bel[rows], pl[rows]) for rows in parts)
    clear = np.abs(p - 0.5).max(initial=0) > _CLEAR
    if (
        clear
        and 2 * outside > len(p)
        and not any(_n_outside(1 - p[rows], bel[rows], pl[rows]) for rows in parts)
    ):
        raise ValueError(
            f"probability lies outside [bel, pl] in {outside} of {len(p)} rows, and 1 - "
            "probability in none: they are of different classes; give all three of the positive one"
        )


def _n_outside(p: Floats, bel: Floats, pl: Floats) -> int:
    return int(np.count_nonzero((p < bel - _ROUNDED) | (p > pl + _ROUNDED)))


def _scores(scores: ArrayLike | None, codes: NDArray[np.int64]) -> Floats | None:
    if scores is None:
        return None
    values = check_scores(scores)
    check_same_length(scores=values, y=codes)
    return values
