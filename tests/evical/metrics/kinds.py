"""Calibration errors of all classes, each as a metric of its own."""

from collections.abc import Callable
from typing import Any

from evical import metrics

__all__ = [
    "classwise_calibration_error",
    "classwise_maximum_calibration_error",
    "debiased_squared_calibration_error",
    "micro_calibration_error",
    "micro_maximum_calibration_error",
    "top_label_calibration_error",
]


def _named(metric: Callable[..., float], name: str, **fixed: Any) -> Callable[..., float]:
    def one(y: Any, p: Any, **options: Any) -> float:
        return metric(y, p, **fixed, **options)

    one.__name__ = name
    return one


_MEAN, _MOST = metrics.expected_calibration_error, metrics.maximum_calibration_error
classwise_calibration_error = _named(_MEAN, "classwise", of="classwise")
classwise_maximum_calibration_error = _named(_MOST, "classwise maximum", of="classwise")
micro_calibration_error = _named(_MEAN, "micro", of="micro")
micro_maximum_calibration_error = _named(_MOST, "micro maximum", of="micro")
top_label_calibration_error = _named(_MEAN, "top label", of="top_label")
debiased_squared_calibration_error = _named(
    metrics.debiased_calibration_error, "squared", squared=True
)
