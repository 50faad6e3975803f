"""Lines of a report: a function, its definition in words, and whether it uses bins."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from evical.metrics._class_ece import (
    classwise_calibration_error,
    micro_calibration_error,
    micro_maximum_calibration_error,
    top_label_calibration_error,
)
from evical.metrics._debiased import debiased_calibration_error
from evical.metrics._ece import (
    adaptive_calibration_error,
    expected_calibration_error,
    maximum_calibration_error,
)
from evical.metrics._gebel import correctness_rate, well_calibration_ratio
from evical.metrics._imprecise import evidential_log_likelihood
from evical.metrics._proper import brier_score, log_loss, spherical_score
from evical.metrics._ranking import hand_till_auc, roc_auc
from evical.metrics._smooth import smooth_calibration_error
from evical.metrics._spiegelhalter import spiegelhalter_test
from evical.metrics.coverage import belief_coverage, coverage_test
from evical.metrics.cumulative import kolmogorov_smirnov_test, kuiper_error, kuiper_test
from evical.metrics.intervals import interval_calibration_test

__all__ = [
    "BRIER",
    "CORP",
    "IMPRECISION",
    "INTERVALS",
    "LIKELIHOOD",
    "MANY_CLASSES",
    "PROPER",
    "RANKING",
    "TWO_CLASSES",
    "Line",
]

_WIDTH = "{n_bins} bins of equal width"
_COUNTS = "{n_bins} bins of equal frequency"


@dataclass(frozen=True)
class Line:
    """A metric, or a test whose p-value is shown."""

    function: Callable[..., Any]
    definition: str
    binned: bool = False


BRIER = {
    "two": Line(brier_score, "mean of (p - y)^2; least is best"),
    "many": Line(brier_score, "mean over samples of sum over classes of (p - y)^2; least is best"),
}

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
    Line(
        expected_calibration_error,
        f"mean |share of positives - mean p| of {_WIDTH}, positive class",
        binned=True,
    ),
    Line(
        maximum_calibration_error,
        f"largest |share of positives - mean p| of {_WIDTH}, positive class",
        binned=True,
    ),
    Line(
        adaptive_calibration_error,
        f"mean |share of positives - mean p| of {_COUNTS}, positive class",
        binned=True,
    ),
    Line(
        top_label_calibration_error,
        f"mean |share correct - mean p| of {_WIDTH}, most probable class",
        binned=True,
    ),
    Line(
        debiased_calibration_error,
        f"root of mean squared gap of {_COUNTS}, less its noise (Kumar et al. 2019)",
        binned=True,
    ),
    Line(
        smooth_calibration_error,
        "mean |smoothed y - p|, kernel as wide as the result (Blasiok & Nakkiran 2024)",
    ),
    Line(kuiper_error, "largest |mean of y - p| over an interval of p (ECCE-R)"),
    Line(spiegelhalter_test, "p-value: Brier score is that of calibrated p, two-sided"),
    Line(kolmogorov_smirnov_test, "p-value: cumulative y - p, largest distance from 0"),
    Line(kuiper_test, "p-value: cumulative y - p, range"),
)

MANY_CLASSES = (
    Line(classwise_calibration_error, f"mean over classes of the ECE of each, {_WIDTH}", True),
    Line(
        micro_calibration_error,
        f"ECE of all classes pooled, {_WIDTH} (Naeini 6.1.1)",
        binned=True,
    ),
    Line(
        micro_maximum_calibration_error,
        f"MCE of all classes pooled, {_WIDTH} (Naeini 6.1.1)",
        binned=True,
    ),
    Line(top_label_calibration_error, f"ECE of the most probable class, {_WIDTH}", binned=True),
)

RANKING = {
    "two": Line(roc_auc, "share of pairs of samples in order, ties half"),
    "many": Line(hand_till_auc, "mean area under the ROC curve over pairs of classes"),
}

CORP = {
    "miscalibration": "Brier score that isotonic regression saves",
    "discrimination": "Brier score of the share of positives, less that after isotonic regression",
    "uncertainty": "Brier score of the share of positives",
}

IMPRECISION = "mean Pl - Bel of classes"

LIKELIHOOD = Line(
    evidential_log_likelihood, "mean of ln Pl of the true class; 0 is most, and vacuous"
)

INTERVALS = (
    Line(
        belief_coverage,
        f"share of samples in bins whose frequency lies in mean [Bel, Pl], {_COUNTS}",
        binned=True,
    ),
    Line(
        coverage_test,
        f"p-value: frequencies of bins lie in mean [Bel, Pl], binomial, {_COUNTS}",
        binned=True,
    ),
    Line(interval_calibration_test, "p-value: some calibrated probability lies in [Bel, Pl]"),
)
