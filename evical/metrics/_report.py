"""All numbers with their definitions: packages disagree about what an "ECE" is, a line does not.

A report holds a line for each metric that applies: its name, its value, which direction is
better, and the formula in words.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from dstheory import MassFunction
from evical.metrics._beliefs import interval_sample
from evical.metrics._class_ece import (
    classwise_calibration_error,
    micro_calibration_error,
    micro_maximum_calibration_error,
    top_label_calibration_error,
)
from evical.metrics._coverage import belief_coverage, coverage_test
from evical.metrics._cumulative import kolmogorov_smirnov_test, kuiper_error, kuiper_test
from evical.metrics._debiased import debiased_calibration_error
from evical.metrics._decomposition import corp_decomposition
from evical.metrics._ece import (
    adaptive_calibration_error,
    expected_calibration_error,
    maximum_calibration_error,
)
from evical.metrics._gebel import correctness_rate, well_calibration_ratio
from evical.metrics._imprecise import evidential_log_likelihood, mean_imprecision
from evical.metrics._inputs import binary_sample, check_count, class_sample
from evical.metrics._interval_test import interval_calibration_test
from evical.metrics._proper import brier_score, log_loss, spherical_score
from evical.metrics._ranking import hand_till_auc, roc_auc
from evical.metrics._smooth import smooth_calibration_error
from evical.metrics._spiegelhalter import spiegelhalter_test

__all__ = ["CalibrationReport", "Measure", "calibration_report"]


@dataclass(frozen=True)
class Measure:
    """A number with its definition.

    Parameters
    ----------
    name : str
        Of the function that gives it.
    value : float
    definition : str
    """

    name: str
    value: float
    definition: str

    def __str__(self) -> str:
        return f"{self.name} = {self.value:.4g}: {self.definition}"


@dataclass(frozen=True)
class CalibrationReport:
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
        raise KeyError(f"no measure {name!r}; there are {known}")

    def __iter__(self) -> Iterator[Measure]:
        return iter(self.measures)

    def __len__(self) -> int:
        return len(self.measures)

    def to_dict(self) -> dict[str, float]:
        """Values by name."""
        return {measure.name: measure.value for measure in self.measures}

    def to_frame(self) -> Any:
        """A row for each measure, as a pandas.DataFrame."""
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
        Of mass functions the probability is the pignistic one, and there are measures of
        the beliefs too.
    n_bins : int
    labels : sequence of K labels, optional
        Of the columns, for more than two.
    pos_label : label, optional
        For two classes.
    sample_weight : (n,) array, optional

    Returns
    -------
    CalibrationReport
        Printing it shows a table; an item is a value by the name of its function.

    Raises
    ------
    ValueError
        As `brier_score` and `expected_calibration_error`.

    Examples
    --------
    >>> report = calibration_report([0, 1, 0, 1, 1], [0.1, 0.3, 0.5, 0.7, 0.9], n_bins=2)
    >>> round(report["expected_calibration_error"], 4)
    0.14
    >>> print(report.measures[0])
    brier_score = 0.17: mean of (p - y)^2; least is best
    """
    check_count("n_bins", n_bins, 1)
    shared = {"sample_weight": sample_weight}
    if _n_classes(y_prob) == 2:
        sample = binary_sample(y_true, y_prob, pos_label, sample_weight)
        plain = (sample.y.astype(np.intp), sample.p)
        measures = [*_proper(*plain, 2, shared), *_two_classes(*plain, n_bins, shared)]
    else:
        many = class_sample(y_true, y_prob, labels, sample_weight)
        numbered = (many.codes, many.p)
        shared["labels"] = np.arange(many.p.shape[1])
        measures = [
            *_proper(*numbered, many.p.shape[1], shared),
            *_many_classes(*numbered, n_bins, shared),
        ]
    if isinstance(y_prob, MassFunction):
        measures += _beliefs(y_true, y_prob, n_bins, pos_label, sample_weight)
    return CalibrationReport(len(np.asarray(y_true)), tuple(measures))


def _n_classes(y_prob: Any) -> int:
    if isinstance(y_prob, MassFunction):
        return len(y_prob.frame)
    shape = np.shape(y_prob)
    return shape[1] if len(shape) == 2 and shape[1] > 2 else 2


def _proper(y: Any, p: Any, n_classes: int, shared: dict[str, Any]) -> list[Measure]:
    brier = "mean of (p - y)^2" if n_classes == 2 else "mean over samples of sum over classes of "
    brier += "" if n_classes == 2 else "(p - y)^2"
    return [
        Measure("brier_score", brier_score(y, p, **shared), f"{brier}; least is best"),
        Measure(
            "log_loss",
            log_loss(y, p, **shared),
            "mean of -ln p of the true class, not clipped; least is best",
        ),
        Measure(
            "spherical_score",
            spherical_score(y, p, **shared),
            "mean of p of the true class by the length of p; 1 is best",
        ),
        Measure(
            "correctness_rate",
            correctness_rate(y, p, **shared),
            "share of samples whose most probable class is true",
        ),
        Measure(
            "well_calibration_ratio",
            well_calibration_ratio(y, p, **shared),
            "1 - mean |mean p - share| of classes, by assigned class (Gebel 2.5); 1 is best",
        ),
    ]


def _two_classes(y: Any, p: Any, n_bins: int, shared: dict[str, Any]) -> list[Measure]:
    width, counts = f"{n_bins} bins of equal width", f"{n_bins} bins of equal frequency"
    corp = corp_decomposition(y, p, **shared)
    lines: list[tuple[Callable[..., float], dict[str, Any], str]] = [
        (
            expected_calibration_error,
            {"n_bins": n_bins},
            f"mean |share of positives - mean p| of {width}, positive class",
        ),
        (
            maximum_calibration_error,
            {"n_bins": n_bins},
            f"largest |share of positives - mean p| of {width}, positive class",
        ),
        (
            adaptive_calibration_error,
            {"n_bins": n_bins},
            f"mean |share of positives - mean p| of {counts}, positive class",
        ),
        (
            top_label_calibration_error,
            {"n_bins": n_bins},
            f"mean |share of right ones - mean p| of {width}, most probable class",
        ),
        (
            debiased_calibration_error,
            {"n_bins": n_bins},
            f"root of mean squared gap of {counts}, less its noise (Kumar et al. 2019)",
        ),
        (
            smooth_calibration_error,
            {},
            "mean |smoothed y - p|, kernel as wide as the result (Blasiok & Nakkiran 2024)",
        ),
        (kuiper_error, {}, "largest |mean of y - p| over an interval of p (ECCE-R)"),
    ]
    tests = (
        (spiegelhalter_test, "p-value: Brier score is that of calibrated p, two-sided"),
        (kolmogorov_smirnov_test, "p-value: cumulative y - p, largest distance from 0"),
        (kuiper_test, "p-value: cumulative y - p, range"),
    )
    found = [Measure(f.__name__, f(y, p, **own, **shared), text) for f, own, text in lines]
    found += [
        Measure(
            "miscalibration", corp.miscalibration, "Brier score that isotonic regression saves"
        ),
        Measure(
            "discrimination",
            corp.discrimination,
            "Brier score of the share of positives, less that after isotonic regression",
        ),
        Measure("uncertainty", corp.uncertainty, "Brier score of the share of positives"),
    ]
    found += [Measure(test.__name__, test(y, p, **shared).pvalue, text) for test, text in tests]
    if _both_classes(y, shared["sample_weight"]):
        found.append(
            Measure("roc_auc", roc_auc(y, p, **shared), "share of pairs in order, ties half")
        )
    return found


def _both_classes(codes: Any, sample_weight: Any, n_classes: int = 2) -> bool:
    counts = np.bincount(codes, sample_weight, n_classes)
    return bool((counts > 0).all())


def _many_classes(y: Any, p: Any, n_bins: int, shared: dict[str, Any]) -> list[Measure]:
    width = f"{n_bins} bins of equal width"
    lines = (
        (classwise_calibration_error, f"mean over classes of the ECE of each, {width}"),
        (micro_calibration_error, f"ECE of all classes in one heap, {width} (Naeini 6.1.1)"),
        (
            micro_maximum_calibration_error,
            f"MCE of all classes in one heap, {width} (Naeini 6.1.1)",
        ),
        (top_label_calibration_error, f"ECE of the most probable class, {width}"),
    )
    found = [Measure(f.__name__, f(y, p, n_bins=n_bins, **shared), text) for f, text in lines]
    if _both_classes(y, shared["sample_weight"], p.shape[1]):
        text = "mean area under the ROC curve over pairs of classes"
        found.append(Measure("hand_till_auc", hand_till_auc(y, p, **shared), text))
    return found


def _beliefs(
    y_true: Any, m: MassFunction, n_bins: int, pos_label: Any, sample_weight: Any
) -> list[Measure]:
    found = [
        Measure(
            "mean_imprecision",
            mean_imprecision(m, sample_weight=sample_weight),
            "mean Pl - Bel of classes",
        ),
        Measure(
            "evidential_log_likelihood",
            evidential_log_likelihood(y_true, m, sample_weight=sample_weight),
            "mean of ln Pl of the true class; 0 is most, and vacuous",
        ),
    ]
    if len(m.frame) != 2:
        return found
    sample = interval_sample(y_true, m, pos_label, sample_weight)
    plain = (sample.y.astype(np.intp), np.stack([sample.bel, sample.pl], axis=1))
    options = {"sample_weight": sample_weight, "n_bins": n_bins}
    return [
        *found,
        Measure(
            "belief_coverage",
            belief_coverage(*plain, **options),
            f"share of samples in bins whose frequency lies in mean [Bel, Pl], {n_bins} bins of "
            "equal width",
        ),
        Measure(
            "coverage_test",
            coverage_test(*plain, **options).pvalue,
            "p-value: frequencies of bins lie in mean [Bel, Pl], binomial",
        ),
        Measure(
            "interval_calibration_test",
            interval_calibration_test(*plain, sample_weight=sample_weight).pvalue,
            "p-value: some calibrated probability lies in [Bel, Pl]",
        ),
    ]
