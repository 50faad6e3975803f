"""Kinds of calibration errors and tests, each as a metric of its own."""

from collections.abc import Callable
from typing import Any

from evical import metrics

__all__ = [
    "adaptive_calibration_error",
    "classwise_calibration_error",
    "classwise_maximum_calibration_error",
    "debiased_squared_calibration_error",
    "hand_till_auc",
    "hosmer_lemeshow_test",
    "kolmogorov_smirnov_error",
    "kolmogorov_smirnov_test",
    "kuiper_error",
    "kuiper_test",
    "mean_root_squared_error",
    "micro_calibration_error",
    "micro_maximum_calibration_error",
    "spiegelhalter_test",
    "top_label_calibration_error",
]


def _named(metric: Callable[..., Any], name: str, **fixed: Any) -> Callable[..., Any]:
    def one(y: Any, p: Any, **options: Any) -> Any:
        return metric(y, p, **fixed, **options)

    one.__name__ = name
    return one


_MEAN, _MOST = metrics.expected_calibration_error, metrics.maximum_calibration_error
adaptive_calibration_error = _named(_MEAN, "adaptive", strategy="quantile")
classwise_calibration_error = _named(_MEAN, "classwise", of="classwise")
classwise_maximum_calibration_error = _named(_MOST, "classwise maximum", of="classwise")
micro_calibration_error = _named(_MEAN, "micro", of="micro")
micro_maximum_calibration_error = _named(_MOST, "micro maximum", of="micro")
top_label_calibration_error = _named(_MEAN, "top label", of="top_label")
debiased_squared_calibration_error = _named(
    metrics.debiased_calibration_error, "squared", squared=True
)
mean_root_squared_error = _named(metrics.root_mean_squared_error, "mean root", each_sample=True)
hand_till_auc = _named(metrics.roc_auc, "hand till")
_ERROR, _TEST = metrics.cumulative_calibration_error, metrics.calibration_test
kolmogorov_smirnov_error = _named(_ERROR, "ks error", kind="kolmogorov_smirnov")
kuiper_error = _named(_ERROR, "kuiper error", kind="kuiper")
kolmogorov_smirnov_test = _named(_TEST, "ks test", kind="kolmogorov_smirnov")
kuiper_test = _named(_TEST, "kuiper test", kind="kuiper")
spiegelhalter_test = _named(_TEST, "spiegelhalter", kind="spiegelhalter")
hosmer_lemeshow_test = _named(_TEST, "hosmer lemeshow", kind="hosmer_lemeshow")
