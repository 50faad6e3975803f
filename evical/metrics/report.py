"""A report of all metrics with their definitions, because packages disagree about "ECE".

A report has a line for each applicable metric: its name, its value, which direction is better, and
the formula in words.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from dstheory import MassFunction
from dstheory.checks.arguments import as_array, check_count
from dstheory.notebook import ShownFields
from dstheory.optional import require
from evical.metrics._decomposition import corp_decomposition
from evical.metrics._definitions import (
    BRIER,
    CORP,
    IMPRECISION,
    INTERVALS,
    LIKELIHOOD,
    MANY_CLASSES,
    PROPER,
    RANKING,
    TWO_CLASSES,
    Line,
)
from evical.metrics._imprecise import mean_imprecision
from evical.metrics.beliefs import interval_sample
from evical.metrics.inputs import MOST_REPEATS, binary_sample, class_sample

__all__ = ["CalibrationReport", "Measure", "belief_measures", "calibration_report"]


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
    y_true: Any,
    y_prob: Any,
    *,
    n_bins: int = 10,
    labels: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
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
    _check_positive(_n_classes(y_prob), labels, pos_label, isinstance(y_prob, MassFunction))
    if _n_classes(y_prob) == 2:
        measures = _two_classes(y_true, y_prob, n_bins, labels, pos_label, sample_weight)
    else:
        measures = _many_classes(y_true, y_prob, n_bins, labels, sample_weight)
    if isinstance(y_prob, MassFunction):
        measures += belief_measures(y_true, y_prob, n_bins, pos_label, sample_weight)
    return CalibrationReport(len(as_array(y_true, "y_true")), tuple(measures))


def _n_classes(y_prob: Any) -> int:
    if isinstance(y_prob, MassFunction):
        return len(y_prob.frame)
    shape = as_array(y_prob, "y_prob").shape
    return shape[1] if len(shape) == 2 and shape[1] > 2 else 2


def _check_positive(n_classes: int, labels: Any, pos_label: Any, framed: bool) -> None:
    """Raise if a positive label is inconsistent; in a frame of two, either can be positive."""
    if pos_label is None:
        return
    if n_classes != 2:
        raise ValueError(f"pos_label is {pos_label!r}, but there are {n_classes} classes, not two")
    if labels is not None and not framed and list(labels)[-1:] != [pos_label]:
        raise ValueError(f"pos_label is {pos_label!r}, expected the last of labels {list(labels)}")


def _measures(
    lines: Iterable[Line], y: Any, p: Any, n_bins: int, options: dict[str, Any]
) -> list[Measure]:
    """Values of lines; for tests the p-value."""
    found = []
    for line in lines:
        bins = {"n_bins": n_bins} if line.binned else {}
        result = line.function(y, p, **bins, **options)
        value = float(getattr(result, "pvalue", result))
        definition = line.definition.format(n_bins=n_bins)
        found.append(Measure(line.function.__name__, value, definition))
    return found


def _two_classes(
    y_true: Any, y_prob: Any, n_bins: int, labels: Any, pos_label: Any, sample_weight: Any
) -> list[Measure]:
    if labels is not None:
        named = class_sample(y_true, y_prob, labels, sample_weight)
        if not isinstance(y_prob, MassFunction):
            y_true, y_prob, pos_label = named.codes, named.p, None
    sample = binary_sample(y_true, y_prob, pos_label, sample_weight)
    y, options = sample.y.astype(np.intp), {"sample_weight": sample_weight}
    corp = corp_decomposition(y, sample.p, sample_weight=sample_weight)
    ranking = [RANKING["two"]] if _all_classes(y, sample.weight, 2) else []
    lines = [BRIER["two"], *PROPER, *TWO_CLASSES, *ranking]
    parts = [Measure(name, getattr(corp, name), text) for name, text in CORP.items()]
    return [*_measures(lines, y, sample.p, n_bins, options), *parts]


def _many_classes(
    y_true: Any, y_prob: Any, n_bins: int, labels: Any, sample_weight: Any
) -> list[Measure]:
    sample = class_sample(y_true, y_prob, labels, sample_weight)
    n_classes = sample.p.shape[1]
    options = {"sample_weight": sample_weight, "labels": np.arange(n_classes)}
    ranking = [RANKING["many"]] if _all_classes(sample.codes, sample.weight, n_classes) else []
    lines = [BRIER["many"], *PROPER, *MANY_CLASSES, *ranking]
    return _measures(lines, sample.codes, sample.p, n_bins, options)


def _all_classes(codes: Any, weight: Any, n_classes: int) -> bool:
    """Whether there are samples of each class, without which ranking is undefined."""
    return bool((np.bincount(codes, weight, n_classes) > 0).all())


def belief_measures(
    y_true: Any, beliefs: Any, n_bins: int, pos_label: Any = None, sample_weight: Any = None
) -> list[Measure]:
    """Measures of beliefs only: of mass functions, or of [Bel, Pl] of two classes (n, 2)."""
    options = {"sample_weight": sample_weight}
    imprecision = mean_imprecision(beliefs, sample_weight=sample_weight)
    found = [
        Measure("mean_imprecision", imprecision, IMPRECISION),
        *_measures([LIKELIHOOD], y_true, beliefs, n_bins, options),
    ]
    if isinstance(beliefs, MassFunction):
        if len(beliefs.frame) != 2:
            return found
        sample = interval_sample(y_true, beliefs, pos_label, sample_weight)
        y_true, beliefs = sample.y.astype(np.intp), np.stack([sample.bel, sample.pl], axis=1)
    return [*found, *_measures(INTERVALS, y_true, beliefs, n_bins, options)]
