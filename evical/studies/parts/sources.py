"""The sources of an experiment: base classifiers and calibrators, by name."""

from collections.abc import Callable
from typing import Any

from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from evical.calibrators import BinningCalibrator, IsotonicCalibrator, LogisticCalibrator

__all__ = ["BIN_EDGES", "CALIBRATORS", "CLASSIFIERS", "libsvm_scaler"]

# Bins one wide from -3 to 3 (Xu et al. 2016, figure 1); scores outside take the end bins.
BIN_EDGES = (-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0)


def _binning(model: str) -> BinningCalibrator:
    return BinningCalibrator(n_bins=BIN_EDGES, model=model)


def _isotonic(model: str) -> IsotonicCalibrator:
    return IsotonicCalibrator(model=model)


def _logistic(model: str) -> LogisticCalibrator:
    return LogisticCalibrator(model=model)


def _rbf_svm() -> Any:
    """Support vector machine with a radial basis function, as scikit-learn sets it."""
    return SVC()


def _libsvm() -> Any:
    """Support vector machine as LibSVM sets it, with gamma one over the number of features."""
    return SVC(gamma="auto")


def libsvm_scaler() -> Any:
    """Each feature from -1 to 1 over the training samples, as LibSVM's own data sets come."""
    return MinMaxScaler((-1, 1))


def _linear_svm() -> Any:
    """Linear support vector machine, as scikit-learn sets it."""
    return SVC(kernel="linear")


CALIBRATORS: dict[str, Callable[[str], Any]] = {
    "binning": _binning,
    "isotonic": _isotonic,
    "logistic": _logistic,
}
"""Name of a calibrator to a function that makes one, given the evidential model."""

CLASSIFIERS: dict[str, Callable[[], Any]] = {
    "rbf_svm": _rbf_svm,
    "libsvm": _libsvm,
    "linear_svm": _linear_svm,
}
"""Name of a classifier to a function that makes one, not fitted."""
