"""A report of all metrics with their definitions, because packages disagree about "ECE".

A report has a line for each applicable metric: its name, its value, which direction is better, and
the formula in words.

Lines of a report: a function, its definition in words, and whether it uses bins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dstheory import MassFunction
from dstheory.checks.arguments import as_array, check_count
from dstheory.notebook import ShownFields
from dstheory.optional import require
from evical._typing import Floats, Indices, Label, Labels, Weights
from evical.metrics._decomposition import corp_decomposition
from evical.metrics._ece import (
    debiased_calibration_error,
    expected_calibration_error,
    maximum_calibration_error,
)
from evical.metrics._ranking import roc_auc
from evical.metrics._scores import (
    brier_score,
    correctness_rate,
    log_loss,
    spherical_score,
    well_calibration_ratio,
)
from evical.metrics._smooth import smooth_calibration_error
from evical.metrics.beliefs import evidential_log_likelihood, interval_sample, mean_imprecision
from evical.metrics.coverage import coverage_test
from evical.metrics.cumulative import cumulative_calibration_error
from evical.metrics.goodness import calibration_test
from evical.metrics.inputs import (
    MOST_REPEATS,
    Predicted,
    binary_sample,
    check_positive,
    class_sample,
    count_classes,
)
from evical.metrics.intervals import interval_calibration_test

_WIDTH = "{n_bins} bins of equal width"
_COUNTS = "{n_bins} bins of equal frequency"


@dataclass(frozen=True)
class Line:
    """A metric, or a test whose p-value is shown; its name, if it is not that of the function."""

    function: Callable[..., Any]
    definition: str
    name: str = ""


TOP_LABEL = partial(expected_calibration_error, of="top_label")

PROPER = (
    Line(log_loss, "mean of -ln p of the true class, not clipped; least is best"),
    Line(spherical_score, "mean of p of the true class by the length of p; 1 is best"),
    Line(correctness_rate, "share of samples whose most probable class is true"),
    Line(
        well_calibration_ratio,
        "1 - mean |mean p - share| of classes, by assigned class (Gebel 2.5); 1 is best",
    ),
)

TWO_CLASSES = (
    Line(brier_score, "mean of (p - y)^2; least is best"),
    *PROPER,
    Line(
        expected_calibration_error,
        f"mean |share of positives - mean p| of {_WIDTH}, positive class",
    ),
    Line(
        maximum_calibration_error,
        f"largest |share of positives - mean p| of {_WIDTH}, positive class",
    ),
    Line(
        partial(expected_calibration_error, strategy="quantile"),
        f"mean |share of positives - mean p| of {_COUNTS}, positive class",
        "adaptive_calibration_error",
    ),
    Line(
        TOP_LABEL,
        f"mean |share correct - mean p| of {_WIDTH}, most probable class",
        "top_label_calibration_error",
    ),
    Line(
        debiased_calibration_error,
        f"root of mean squared gap of {_COUNTS}, less its noise (Kumar et al. 2019)",
    ),
    Line(
        smooth_calibration_error,
        "mean |smoothed y - p|, kernel as wide as the result (Blasiok & Nakkiran 2024)",
    ),
    Line(
        cumulative_calibration_error,
        "largest |mean of y - p| over an interval of p (ECCE-R)",
        "kuiper_error",
    ),
    Line(
        partial(calibration_test, kind="spiegelhalter"),
        "p-value: Brier score is that of calibrated p, two-sided",
        "spiegelhalter_test",
    ),
    Line(
        partial(calibration_test, kind="kolmogorov_smirnov"),
        "p-value: cumulative y - p, largest distance from 0",
        "kolmogorov_smirnov_test",
    ),
    Line(calibration_test, "p-value: cumulative y - p, range", "kuiper_test"),
    Line(roc_auc, "share of pairs of samples in order, ties half"),
)

MANY_CLASSES = (
    Line(brier_score, "mean over samples of sum over classes of (p - y)^2; least is best"),
    *PROPER,
    Line(
        partial(expected_calibration_error, of="classwise"),
        f"mean over classes of the ECE of each, {_WIDTH}",
        "classwise_calibration_error",
    ),
    Line(
        partial(expected_calibration_error, of="micro"),
        f"ECE of all classes pooled, {_WIDTH} (Naeini 6.1.1)",
        "micro_calibration_error",
    ),
    Line(
        partial(maximum_calibration_error, of="micro"),
        f"MCE of all classes pooled, {_WIDTH} (Naeini 6.1.1)",
        "micro_maximum_calibration_error",
    ),
    Line(TOP_LABEL, f"ECE of the most probable class, {_WIDTH}", "top_label_calibration_error"),
    Line(roc_auc, "mean area under the ROC curve over pairs of classes", "hand_till_auc"),
)

CORP = {
    "miscalibration": "Brier score that isotonic regression saves",
    "discrimination": "Brier score of the share of positives, less that after isotonic regression",
    "uncertainty": "Brier score of the share of positives",
}

BELIEFS = (
    Line(
        lambda y, beliefs, **options: mean_imprecision(beliefs, **options),
        "mean Pl - Bel of classes",
        "mean_imprecision",
    ),
    Line(evidential_log_likelihood, "mean of ln Pl of the true class; 0 is most, and vacuous"),
)

INTERVALS = (
    Line(
        lambda *args, **options: coverage_test(*args, **options).share,
        f"share of samples in bins whose frequency lies in mean [Bel, Pl], {_COUNTS}",
        "belief_coverage",
    ),
    Line(
        coverage_test,
        f"p-value: frequencies of bins lie in mean [Bel, Pl], binomial, {_COUNTS}",
    ),
    Line(interval_calibration_test, "p-value: some calibrated probability lies in [Bel, Pl]"),
)


@dataclass(frozen=True)
class Measure(ShownFields):
    """A number with its definition.

    Parameters
    ----------
    name : str
        Name of its function.
    value : float
    definition : str
    """

    name: str
    value: float
    definition: str

    def __str__(self) -> str:
        return f"{self.name} = {self.value:.4g}: {self.definition}"


@dataclass(frozen=True)
class CalibrationReport(ShownFields):
    """Metrics of one set of predictions, each with its definition.

    Parameters
    ----------
    n_samples : int
    measures : tuple of Measure
    """

    n_samples: int
    measures: tuple[Measure, ...]

    def __getitem__(self, name: str) -> float:
        for measure in self.measures:
            if measure.name == name:
                return measure.value
        known = ", ".join(measure.name for measure in self.measures)
        raise KeyError(f"no measure {name!r}; choose from {known}")

    def __iter__(self) -> Iterator[Measure]:
        return iter(self.measures)

    def __len__(self) -> int:
        return len(self.measures)

    def to_dict(self) -> dict[str, float]:
        """Values by name."""
        return {measure.name: measure.value for measure in self.measures}

    def to_frame(self) -> Any:
        """A row for each measure, as a pandas.DataFrame."""
        require("pandas", "to_frame")
        import pandas as pd

        rows = [(m.name, m.value, m.definition) for m in self.measures]
        return pd.DataFrame(rows, columns=["name", "value", "definition"]).set_index("name")

    def __str__(self) -> str:
        width = max(len(measure.name) for measure in self.measures)
        lines = [f"  {m.name:<{width}}  {m.value:8.4g}  {m.definition}" for m in self.measures]
        return "\n".join([f"{self.n_samples} samples", *lines])


def calibration_report(
    y_true: ArrayLike,
    y_prob: Predicted,
    *,
    n_bins: int = 10,
    labels: Labels = None,
    pos_label: Label = None,
    sample_weight: Weights = None,
) -> CalibrationReport:
    """Proper scores, calibration errors and tests, each with its definition.

    Parameters
    ----------
    y_true : (n,) array of labels
    y_prob : (n,) or (n, K) array, or MassFunction
        Mass functions are measured by their pignistic probabilities and by metrics of beliefs.
    n_bins : int
    labels : sequence of K labels, optional
        Labels of the columns. Default: those of `y_true`, sorted.
    pos_label : label, optional
        For two classes only; if `labels` are given, it must be the second of them.
    sample_weight : (n,) array, optional

    Returns
    -------
    CalibrationReport
        Printing it shows a table; an item is a value by the name of its function.

    Raises
    ------
    ValueError
        As `brier_score` and `expected_calibration_error`, or if `labels` and `pos_label`
        contradict each other, or there is a `pos_label` for more than two classes.

    Examples
    --------
    >>> report = calibration_report([0, 1, 0, 1, 1], [0.1, 0.3, 0.5, 0.7, 0.9], n_bins=2)
    >>> round(report["expected_calibration_error"], 4)
    0.14
    >>> print(report.measures[0])
    brier_score = 0.17: mean of (p - y)^2; least is best
    """
    check_count("n_bins", n_bins, 1, MOST_REPEATS)
    check_positive(y_prob, labels, pos_label)
    if count_classes(y_prob) == 2:
        measures = _two_classes(y_true, y_prob, n_bins, labels, pos_label, sample_weight)
    else:
        measures = _many_classes(y_true, y_prob, n_bins, labels, sample_weight)
    if isinstance(y_prob, MassFunction):
        measures += belief_measures(y_true, y_prob, n_bins, pos_label, sample_weight)
    return CalibrationReport(len(as_array(y_true, "y_true")), tuple(measures))


def _measures(
    lines: Iterable[Line], y: ArrayLike, p: Any, n_bins: int, options: dict[str, Any]
) -> list[Measure]:
    """Values of lines; for tests the p-value."""
    found = []
    for line in lines:
        bins = {"n_bins": n_bins} if "{n_bins}" in line.definition else {}
        result = line.function(y, p, **bins, **options)
        value = float(getattr(result, "pvalue", result))
        definition = line.definition.format(n_bins=n_bins)
        found.append(Measure(line.name or line.function.__name__, value, definition))
    return found


def _two_classes(
    y_true: ArrayLike,
    y_prob: Predicted,
    n_bins: int,
    labels: Labels,
    pos_label: Label,
    sample_weight: Weights,
) -> list[Measure]:
    if labels is not None:
        named = class_sample(y_true, y_prob, labels, sample_weight)
        if not isinstance(y_prob, MassFunction):
            y_true, y_prob, pos_label = named.codes, named.p, None
    sample = binary_sample(y_true, y_prob, pos_label, sample_weight)
    y, options = sample.y.astype(np.intp), {"sample_weight": sample_weight}
    corp = corp_decomposition(y, sample.p, sample_weight=sample_weight)
    lines = _defined(TWO_CLASSES, y, sample.weight, 2)
    parts = [Measure(name, getattr(corp, name), text) for name, text in CORP.items()]
    return [*_measures(lines, y, sample.p, n_bins, options), *parts]


def _many_classes(
    y_true: ArrayLike, y_prob: Predicted, n_bins: int, labels: Labels, sample_weight: Weights
) -> list[Measure]:
    sample = class_sample(y_true, y_prob, labels, sample_weight)
    n_classes = sample.p.shape[1]
    options = {"sample_weight": sample_weight, "labels": np.arange(n_classes)}
    lines = _defined(MANY_CLASSES, sample.codes, sample.weight, n_classes)
    return _measures(lines, sample.codes, sample.p, n_bins, options)


def _defined(
    lines: Sequence[Line], codes: Indices, weight: Floats | None, n_classes: int
) -> Sequence[Line]:
    """All lines; without samples of each class all but the last, the ranking of classes."""
    return lines if (np.bincount(codes, weight, n_classes) > 0).all() else lines[:-1]


def belief_measures(
    y_true: ArrayLike,
    beliefs: Predicted,
    n_bins: int,
    pos_label: Label = None,
    sample_weight: Weights = None,
) -> list[Measure]:
    """Measures of beliefs only, of mass functions, or of [Bel, Pl] of two classes (n, 2)."""
    options = {"sample_weight": sample_weight}
    found = _measures(BELIEFS, y_true, beliefs, n_bins, options)
    if isinstance(beliefs, MassFunction):
        if len(beliefs.frame) != 2:
            return found
        sample = interval_sample(y_true, beliefs, pos_label, sample_weight)
        y_true, beliefs = sample.y.astype(np.intp), np.stack([sample.bel, sample.pl], axis=1)
    return [*found, *_measures(INTERVALS, y_true, beliefs, n_bins, options)]
