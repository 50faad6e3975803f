"""Classifiers, and the methods that calibrate each: ours without a choice, and scikit-learn's."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from sklearn import __version__
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.fixes import parse_version

from evical.calibrators import LogisticCalibrator
from evical.classifier import EvidentialClassifier

__all__ = [
    "BOOSTERS",
    "CLASSIFIERS",
    "DEFAULT",
    "FORMER",
    "METHODS",
    "RAW",
    "REFERENCES",
    "REFITTED",
    "method",
]


def _scaled(classifier: Any) -> Any:
    return make_pipeline(StandardScaler(), classifier)


CLASSIFIERS: dict[str, Any] = {
    "naive_bayes": GaussianNB(),
    "logistic_regression": _scaled(LogisticRegression()),
    "svc": _scaled(SVC()),
    "neighbors": _scaled(KNeighborsClassifier(10)),
    "random_forest": RandomForestClassifier(100, random_state=0),
    "extra_trees": ExtraTreesClassifier(100, random_state=0),
    "boosting": HistGradientBoostingClassifier(max_iter=60, random_state=0),
    "network": _scaled(MLPClassifier((30,), max_iter=200, random_state=0)),
}
"""Name to a classifier, not fitted."""

_BOOSTERS: dict[str, tuple[str, dict[str, Any]]] = {
    "xgboost": ("XGBClassifier", {"n_jobs": 1}),
    "lightgbm": ("LGBMClassifier", {"n_jobs": 1, "verbosity": -1}),
}
BOOSTERS = tuple(name for name in _BOOSTERS if find_spec(name))
"""Names of other packages with a classifier that are installed; none is required."""

_HAS_TEMPERATURE = parse_version(__version__) >= parse_version("1.8")
REFERENCES: dict[str, dict[str, Any]] = {
    f"{method}, ensemble={ensemble}": {"method": method, "ensemble": ensemble, "cv": 5}
    for method in ("sigmoid", "isotonic", *["temperature"] * _HAS_TEMPERATURE)
    for ensemble in (True, False)
}
"""Name to the parameters of a `CalibratedClassifierCV`."""

DEFAULT, REFITTED = "EvidentialClassifier", "EvidentialClassifier, ensemble=False"
FORMER, RAW = "former default", "uncalibrated"
METHODS = (DEFAULT, REFITTED, FORMER, *REFERENCES, RAW)
"""Names of all methods."""


def method(name: str, classifier: str) -> Any:
    """A method around a classifier, not fitted.

    Parameters
    ----------
    name : str
        In `METHODS`.
    classifier : str
        In `CLASSIFIERS` or `BOOSTERS`.

    Returns
    -------
    classifier

    Raises
    ------
    ValueError
        If there is no such method, or it needs a newer scikit-learn.
    """
    if name not in METHODS:
        if name.startswith("temperature") and not _HAS_TEMPERATURE:
            raise ValueError(
                f"method is {name!r}, which CalibratedClassifierCV has from scikit-learn 1.8 on, "
                f"but {__version__} is installed; install a newer one"
            )
        raise ValueError(f"method is {name!r}, expected one of {', '.join(map(repr, METHODS))}")
    base = _booster(classifier) if classifier in _BOOSTERS else clone(CLASSIFIERS[classifier])
    if name in REFERENCES:
        return CalibratedClassifierCV(base, **REFERENCES[name])
    if name == RAW:
        return base
    if name == FORMER:
        former = LogisticCalibrator()
        return EvidentialClassifier(base, calibrator=former, ensemble=True)
    if name == REFITTED:
        return EvidentialClassifier(base, ensemble=False)
    return EvidentialClassifier(base)


def _booster(package: str) -> Any:
    name, parameters = _BOOSTERS[package]
    return getattr(import_module(package), name)(**parameters)
