"""Probabilities of support vector machines of many classes: scikit-learn beside this package."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from evical.calibrators import LogisticCalibrator
from evical.classifier import EvidentialClassifier
from evical.datasets import Dataset
from examples.studies._beside import read_prose
from examples.studies._study import Finding, Overview, Record, Study

__all__ = ["SVC_PROBABILITIES", "SplitHalves"]


def _pairs(coupling: str | None, model: Literal["bayesian", "likelihood"]) -> EvidentialClassifier:
    calibrator = LogisticCalibrator(model=model)
    return EvidentialClassifier(
        SVC(), calibrator=calibrator, code="all_pairs", coupling=coupling, ensemble=False
    )


REFERENCE = "SVC(probability=True)"
METHODS: dict[str, Any] = {
    REFERENCE: SVC(probability=True, random_state=0),
    "CalibratedClassifierCV(SVC(), ensemble=False)": CalibratedClassifierCV(SVC(), ensemble=False),
    "all pairs, Platt, wu_lin_weng": _pairs("wu_lin_weng", "bayesian"),
    "all pairs, Platt, hastie_tibshirani": _pairs("hastie_tibshirani", "bayesian"),
    "all pairs, likelihood, wu_lin_weng": _pairs("wu_lin_weng", "likelihood"),
    "all pairs, likelihood, Dempster's rule": _pairs(None, "likelihood"),
}
"""Name to a classifier, not fitted."""


@dataclass(frozen=True)
class SplitHalves:
    """A data set, split into stratified halves."""

    data: str

    @property
    def key(self) -> str:
        return self.data

    @property
    def datasets(self) -> tuple[str, ...]:
        return (self.data,)

    def run_repeat(self, data: Mapping[str, Dataset], number: int, seed: int) -> list[Record]:
        X, y = data[self.data].X, data[self.data].y
        splits = StratifiedShuffleSplit(number + 1, test_size=0.5, random_state=seed).split(X, y)
        *_, (train, test) = splits
        rows: list[Record] = []
        for name, method in METHODS.items():
            model = make_pipeline(StandardScaler(), clone(method))
            # scikit-learn 1.9 deprecates SVC(probability=True), the subject of this study.
            with warnings.catch_warnings(action="ignore", category=FutureWarning):
                model.fit(X[train], y[train])
            loss = log_loss(y[test], model.predict_proba(X[test]), labels=model.classes_)
            error = float(np.mean(model.predict(X[test]) != y[test]))
            rows.append(((self.data, name), (float(loss), error)))
        return rows


SVC_PROBABILITIES = Study(
    name="svc_probabilities",
    title="Probabilities of support vector machines",
    source="A study of this package, on three data sets that come with scikit-learn",
    labels=("data", "method"),
    measures=("log_loss", "error"),
    conditions=tuple(map(SplitHalves, ("iris", "wine", "digits"))),
    repeats=20,
    protocol=read_prose(__file__).protocol,
    overviews=(
        Overview(
            "Methods by their log loss",
            "method",
            {"log_loss": ("log loss", 1, 4), "error": ("wrong, %", 100, 2)},
            by=("data",),
            order="log_loss",
        ),
    ),
    comparisons=tuple(
        Finding("Log loss", "log_loss", "method", name, REFERENCE, by=("data",), digits=4)
        for name in METHODS
        if name != REFERENCE
    ),
    quick=("iris", "wine"),
)
