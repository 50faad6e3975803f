"""Intervals of classifiers and ensembles on real data, where the truth is not known.

A test of coverage refutes intervals if the frequency of positives lies outside them by more than
chance. That is possible for a good method too, in 5 % of the test sets at most.
"""

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import train_test_split

from evical._typing import Floats
from evical.calibrators import AutoCalibrator
from evical.classifier import EvidentialClassifier
from evical.datasets import Dataset
from evical.ensemble import EvidentialEnsemble
from evical.metrics import coverage_test, interval_calibration_test
from examples.studies._study import Record, repeat_rng
from examples.studies.default_classifier.methods import CLASSIFIERS
from examples.studies.interval_coverage.measured import LEARNED, MEASURES
from examples.studies.interval_coverage.methods import LEVEL

__all__ = ["REAL", "RealCondition"]

REAL = (
    *("heart", "sonar", "haberman", "ionosphere", "liver_disorders", "banknote", "diabetes"),
    *("breast_cancer_wisconsin", "australian", "fourclass", "german_numeric", "svmguide1_train"),
    *("adult_test", "adult_a9a_test", "bbq_circular_test"),
)
"""Data sets of two classes, none of which is rare."""

_MEMBERS = ("naive_bayes", "logistic_regression", "random_forest", "neighbors")
_MOST = 3000  # samples
_SIGNIFICANT = 0.05


@dataclass(frozen=True)
class RealCondition:
    """Four classifiers, and the ensemble of them, on one data set.

    Parameters
    ----------
    name : str
        In `REAL`.
    every : int
        Of so many repeats one is run.
    """

    name: str
    every: int = 10

    @property
    def key(self) -> str:
        return f"real-{self.name}".replace("_", "-")

    @property
    def datasets(self) -> tuple[str, ...]:
        return (self.name,)

    def run_repeat(self, data: Mapping[str, Dataset], number: int, seed: int) -> list[Record]:
        kinds = ("[Bel, Pl]", "level 95 %", "confidence 95 %")
        found: dict[str, dict[str, list[float]]] = {
            f"{whole}, {kind}": {}
            for whole, own in (("classifier", kinds), ("ensemble", kinds[:2]))
            for kind in own
        }
        if number % self.every == 0:
            with warnings.catch_warnings(action="ignore", category=UserWarning):
                for method, measure, value in self._measured(data[self.name], number, seed):
                    found[method].setdefault(measure, []).append(value)
        return [
            (
                (f"real, {self.name}", method),
                tuple(float(np.mean(values.get(m, np.nan))) for m in MEASURES),
            )
            for method, values in found.items()
        ]

    def _measured(self, data: Dataset, number: int, seed: int) -> Iterator[tuple[str, str, float]]:
        """Methods with measures and their values."""
        y = np.unique(data.y, return_inverse=True)[1]
        rng = repeat_rng(self.name, number, seed)
        used = rng.permutation(len(y))[:_MOST]
        for n in LEARNED:
            size, state = min(n, len(used) // 2), int(rng.integers(2**31))
            train, test = train_test_split(
                used, train_size=size, random_state=state, stratify=y[used]
            )
            for method, interval in _intervals(data.X, y, train, test, whole=n == max(LEARNED)):
                for measure, value in _judged(y[test], interval).items():
                    yield method, f"{measure}_{n}", value


def _intervals(
    X: Any, y: NDArray[np.int64], train: Any, test: Any, *, whole: bool
) -> Iterator[tuple[str, Floats]]:
    """Methods with their intervals (n, 2); `whole` with single classifiers too."""
    members = [clone(CLASSIFIERS[name]) for name in _MEMBERS]
    ensemble = EvidentialEnsemble(members).fit(X[train], y[train])
    yield "ensemble, [Bel, Pl]", ensemble.predict_interval(X[test])
    yield "ensemble, level 95 %", ensemble.predict_interval(X[test], level=LEVEL)
    for member in members if whole else []:
        model = EvidentialClassifier(member).fit(X[train], y[train])
        yield "classifier, [Bel, Pl]", model.predict_interval(X[test])
        yield "classifier, level 95 %", model.predict_interval(X[test], level=LEVEL)
        model.set_params(calibrator=AutoCalibrator(model="confidence")).fit(X[train], y[train])
        yield "classifier, confidence 95 %", model.predict_interval(X[test])


def _judged(y: NDArray[np.int64], interval: Floats) -> dict[str, float]:
    """Whether bins refute it, or the sums of all samples, and its mean width."""
    bins = coverage_test(y, interval, strategy="quantile")
    return {
        "refuted": float(bins.pvalue < _SIGNIFICANT),
        "uneven": float(interval_calibration_test(y, interval).pvalue < _SIGNIFICANT),
        "span": float(np.diff(interval).mean()),
    }
