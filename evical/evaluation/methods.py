"""Calibrators by name, and how simple each one is.

A name is that of the class in lower case, with options after colons: ``"logistic"``,
``"logistic:bayesian"``, ``"binning:n_bins=15:strategy=quantile"``. Complexity is the number of
fitted parameters; flexible curves come after all parametric ones, and averages over many curves
last.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from dstheory.checks.arguments import as_sequence, shown
from evical import multiclass
from evical.calibrators import AutoCalibrator, BaseCalibrator, by_name
from evical.multiclass.by_name import many_calibrator

UNCALIBRATED = "uncalibrated"
DEFAULT = ("auto", "logistic", "beta", "isotonic", "venn_abers", "spline", "kde")
_MANY = ("auto", "softmax", "structured_vector", "logistic", "isotonic", "venn_abers")

# Fitted numbers of a curve whose form is given.
_PARAMETERS = {
    "Uncalibrated": 0,
    "NormalizingCalibrator": 1,
    "TemperatureCalibrator": 1,
    "LogisticCalibrator": 2,
    "AssignmentValueCalibrator": 2,  # one a class that samples are assigned to
    "BetaCalibrator": 3,
    "QuadraticLogisticCalibrator": 3,
    "GaussianCalibrator": 5,  # two means, two variances, the share of positives
    "PiecewiseLogisticCalibrator": 6,  # four values and two inner knots
    "AsymmetricLaplaceCalibrator": 7,  # two modes, four rates, the share of positives
}
_CURVE, TOGETHER, _AVERAGE = 100, 200, 1000
_AVERAGES = (
    "ABBCalibrator",
    "AutoCalibrator",
    "AutoMulticlassCalibrator",
    "BBQCalibrator",
    "DPMCalibrator",
    "ELiTECalibrator",
    "ENIRCalibrator",
)


class Uncalibrated(BaseEstimator):  # type: ignore[misc]  # sklearn is untyped
    """Scores in [0, 1] as probabilities, the baseline of calibration."""

    def _check_all_parameters(self) -> None:
        """It has none."""

    def fit(self, scores: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        return self

    def predict_proba(self, scores: ArrayLike) -> NDArray[np.float64]:
        p = np.array(scores, dtype=np.float64)
        many = p.ndim == 2 and p.shape[1] > 1
        p = p if many else p.ravel()
        if (wrong := _are_no_probabilities(p)).any():
            row = int(np.argmax(wrong))
            what = "are not probabilities with sum 1" if many else "is not a probability"
            raise ValueError(f"scores[{row}], {shown(p[row].tolist())}, {what}")
        return p / p.sum(axis=1, keepdims=True) if many else np.stack([1 - p, p], axis=1)


def method_names() -> list[str]:
    """Names of all methods.

    Returns
    -------
    list of str

    Examples
    --------
    >>> "venn_abers" in method_names(), "elite" in method_names()
    (True, True)
    """
    return [UNCALIBRATED, *sorted(by_name.by_name())]


def make_calibrator(text: str) -> Any:
    """A calibrator, not yet fitted, by its name and options.

    Parameters
    ----------
    text : str
        A name of `method_names`; after colons the model, or options ``key=value``.

    Returns
    -------
    calibrator

    Raises
    ------
    ValueError
        If there is no such method or option (the message suggests similar names), or for a wrong
        value.

    Examples
    --------
    >>> make_calibrator("logistic:bayesian")
    LogisticCalibrator(model='bayesian')
    >>> make_calibrator("binning:n_bins=15:strategy=quantile")
    BinningCalibrator(n_bins=15, strategy='quantile')
    >>> make_calibrator("logstic")
    Traceback (most recent call last):
    ValueError: there is no method 'logstic'; did you mean 'logistic'? methods: ...
    """
    known: dict[str, type[Any]] = {UNCALIBRATED: Uncalibrated, **by_name.by_name()}
    return by_name.make_calibrator(text, known=known, kind="method")


def name_methods(methods: Any, scores: NDArray[np.float64]) -> dict[str, Any]:
    """Estimators by name, from the `methods` of `compare`.

    Parameters
    ----------
    methods : None, "all", sequence of str or estimators, or mapping
    scores : (n,) or (n, K) array
        By default, the uncalibrated scores take part if all are probabilities.

    Returns
    -------
    dict of str to estimator

    Raises
    ------
    ValueError
        If there is no method, or two have the same name.
    TypeError
        If one is neither a name nor an estimator.
    """
    pairs = (
        [(str(name), method) for name, method in methods.items()]
        if isinstance(methods, Mapping)
        else [(_label(method), method) for method in _list_methods(methods, scores)]
    )
    found = [(name, _estimator(method, scores.ndim == 2)) for name, method in pairs]
    names = [name for name, _ in found]
    if not names:
        raise ValueError("there is no method to try; name at least one")
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"method {twice[0]!r} is named twice; give a mapping of different names")
    return dict(found)


def complexity(estimator: BaseEstimator) -> int:
    """Number that is larger for more flexible methods, with foreign estimators as curves.

    Examples
    --------
    >>> [complexity(make_calibrator(name)) for name in ("logistic", "isotonic", "bbq")]
    [2, 100, 1000]
    """
    kind = type(of_a_class(estimator)).__name__
    if kind in _AVERAGES:
        return _AVERAGE
    together = isinstance(of_a_class(estimator), multiclass.BaseMulticlassCalibrator)
    return _PARAMETERS.get(kind, TOGETHER if together else _CURVE)


def of_a_class(estimator: BaseEstimator) -> BaseEstimator:
    """What calibrates each class against the rest, or else the calibrator itself."""
    return estimator._one if isinstance(estimator, multiclass.OneVsRestCalibrator) else estimator


def is_automatic(estimator: BaseEstimator) -> bool:
    """Whether it chooses among methods itself.

    Examples
    --------
    >>> [is_automatic(make_calibrator(name)) for name in ("auto", "logistic")]
    [True, False]
    """
    kinds = AutoCalibrator | multiclass.AutoMulticlassCalibrator
    return isinstance(of_a_class(estimator), kinds)


def complexity_text(value: int) -> str:
    """A method of this complexity in words.

    Examples
    --------
    >>> [complexity_text(value) for value in (0, 1, 2, 100)]
    ['fits nothing', 'fits 1 number', 'fits 2 numbers', 'fits a curve that follows the data']
    """
    if value >= _AVERAGE:
        return "averages many curves"
    if value >= TOGETHER:
        return "fits weights of the scores of all classes"
    if value >= _CURVE:
        return "fits a curve that follows the data"
    return "fits nothing" if not value else f"fits {value} number{'s' if value > 1 else ''}"


def _list_methods(methods: Any, scores: NDArray[np.float64]) -> Iterable[Any]:
    many, unit = scores.ndim == 2, not _are_no_probabilities(scores).any()
    if methods is None:
        return ((UNCALIBRATED,) if unit else ()) + (_MANY if many else DEFAULT)
    if isinstance(methods, str):
        if methods != "all":
            return [methods]
        # Without calibration, only scores that are probabilities can be judged.
        names = sorted({*method_names(), *(by_name.by_name(multiclass) if many else ())})
        return [name for name in names if unit or name != UNCALIBRATED]
    return as_sequence(methods, "methods", "None, 'all', names, estimators, or a mapping")


def _are_no_probabilities(scores: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Rows outside [0, 1], or whose sum is not 1, but for rounding to two places in a file."""
    wrong: NDArray[np.bool_] = (scores < 0) | (scores > 1)
    if scores.ndim > 1:
        off = np.abs(scores.sum(axis=1) - 1) > 0.005 * scores.shape[1] + 1e-9
        wrong = np.asarray(wrong.any(axis=1) | off)
    return wrong


def _label(method: Any) -> str:
    return method.strip() if isinstance(method, str) else repr(method)


def _estimator(method: Any, together: bool) -> Any:
    if isinstance(method, str):
        many = together and method.strip() != UNCALIBRATED
        return many_calibrator(method) if many else make_calibrator(method)
    if not hasattr(method, "fit") or isinstance(method, type):
        raise TypeError(
            f"{shown(method)} is not a method: expected a name, or an estimator with fit()"
        )
    return many_calibrator(method) if together and isinstance(method, BaseCalibrator) else method
