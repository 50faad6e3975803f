"""Metrics of 10^6 samples, each against the packages that are installed, in the same run.

Run with ``python -m tests.benchmarks.bench_metrics`` in an environment that has any of netcal,
relplot, MAPIE, uncertainty-calibration, torchmetrics and model-diagnostics; scikit-learn is there
in any case. One line a peer: both times and their ratio. The last table has the times of the
others, and of a sort.
"""

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import numpy as np
import sklearn.metrics
from sklearn.calibration import calibration_curve

from evical import metrics
from tests.benchmarks.timing import median_ms, report
from tests.evical.metrics.kinds import (
    adaptive_calibration_error,
    classwise_calibration_error,
    kuiper_test,
    micro_calibration_error,
    spiegelhalter_test,
    top_label_calibration_error,
)

N = 1_000_000
Row = tuple[str, Callable[[], Any], Callable[[], Any]]
REST = (
    metrics.maximum_calibration_error,
    classwise_calibration_error,
    micro_calibration_error,
    top_label_calibration_error,
    adaptive_calibration_error,
    metrics.well_calibration_ratio,
    metrics.binomial_test,
)


def installed(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        return None


def scikit_learn(y: Any, p: Any) -> Iterator[Row]:
    def curve() -> None:
        true, mean = calibration_curve(y, p, n_bins=10)
        counts = np.histogram(p, bins=10, range=(0, 1))[0]
        np.average(np.abs(true - mean), weights=counts[counts > 0])

    sk = sklearn.metrics
    yield (
        "ECE, scikit-learn's calibration_curve",
        lambda: metrics.expected_calibration_error(y, p),
        curve,
    )
    yield (
        "Brier, scikit-learn",
        lambda: metrics.brier_score(y, p),
        lambda: sk.brier_score_loss(y, p),
    )
    yield "log loss, scikit-learn", lambda: metrics.log_loss(y, p), lambda: sk.log_loss(y, p)
    yield "AUC, scikit-learn", lambda: metrics.roc_auc(y, p), lambda: sk.roc_auc_score(y, p)


def others(y: Any, p: Any) -> Iterator[Row]:
    if netcal := installed("netcal.metrics"):
        yield (
            "ECE, netcal",
            lambda: metrics.expected_calibration_error(y, p),
            lambda: netcal.ECE(10).measure(p, y),
        )
    if torchmetrics := installed("torchmetrics.functional.classification"):
        torch = import_module("torch")
        torch.set_num_threads(1)
        tp, ty = torch.from_numpy(p), torch.from_numpy(y)
        yield (
            "ECE, torchmetrics",
            lambda: metrics.expected_calibration_error(y, p),
            lambda: torchmetrics.binary_calibration_error(tp, ty, n_bins=10),
        )
    if relplot := installed("relplot"):
        yield (
            "smooth, relplot",
            lambda: metrics.smooth_calibration_error(y, p),
            lambda: relplot.smECE(p, y),
        )
    if mapie := installed("mapie.metrics.calibration"):
        yield (
            "ECE, MAPIE",
            lambda: metrics.expected_calibration_error(y, p),
            lambda: mapie.expected_calibration_error(y, p, num_bins=10),
        )
        yield (
            "Spiegelhalter, MAPIE",
            lambda: spiegelhalter_test(y, p),
            lambda: mapie.spiegelhalter_p_value(y, p),
        )
        yield (
            "Kuiper, MAPIE",
            lambda: kuiper_test(y, p),
            lambda: mapie.kuiper_p_value(y, p),
        )
    calibration = installed("calibration")
    if hasattr(calibration, "lower_bound_scaling_ce"):
        yield (
            "debiased, uncertainty-calibration",
            lambda: metrics.debiased_calibration_error(y, p),
            lambda: calibration.lower_bound_scaling_ce(p, y, num_bins=10),
        )
    if diagnostics := installed("model_diagnostics.scoring"):
        yield (
            "CORP, model-diagnostics",
            lambda: metrics.corp_decomposition(y, p),
            lambda: diagnostics.decompose(y, p, scoring_function=diagnostics.SquaredError()),
        )


def main() -> None:
    """Print times and ratios."""
    rng = np.random.default_rng(0)
    p = rng.random(N)
    y = (rng.random(N) < p).astype(int)
    for name, ours, theirs in (*scikit_learn(y, p), *others(y, p)):
        report(name, median_ms(ours), median_ms(theirs, repeat=3))
    print()
    for metric in REST:
        print(f"{metric.__name__:36} {median_ms(lambda f=metric: f(y, p)):8.1f} ms")
    bounds = np.clip(np.stack([p - 0.05, p + 0.05], axis=1), 0, 1)
    for metric in (metrics.coverage_test, metrics.interval_calibration_test):
        print(f"{metric.__name__:36} {median_ms(lambda f=metric: f(y, bounds)):8.1f} ms")
    print(f"{'np.sort':36} {median_ms(lambda: np.sort(p)):8.1f} ms")
    print(f"{'np.argsort':36} {median_ms(lambda: np.argsort(p)):8.1f} ms")


if __name__ == "__main__":
    main()
