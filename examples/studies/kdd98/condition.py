"""`DonorCondition`: who gives, how much, and the profit of asking by calibrated probabilities.

Sources: Zadrozny & Elkan (2002), section 5.1; Naeini (2016), section 4.1.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from scipy.special import expit
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVR

from evical._typing import Floats
from evical.datasets import Dataset
from evical.metrics import solicitation_profit
from examples.studies._study import Record, repeat_rng
from examples.studies.kdd98.original import AMOUNT, TEST, TRAIN
from examples.studies.parts.calibration_classifiers import TWO_CLASS_LEARNERS
from examples.studies.parts.calibration_condition import Calibration, calibrate
from examples.studies.parts.calibration_measures import MEASURES as KNOWN
from examples.studies.parts.calibration_samples import GivenSplit

__all__ = ["COST", "LABELS", "MEASURES", "DonorCondition"]

LABELS = ("classifier", "amount", "method", "sample")
MEASURES = ("mse", "rmse", "auc", "accuracy", "mce_released", "ece_released", "profit")
COST = 0.68
"""Of a letter, in dollars."""

_OUTLIER = 50.0
_SPLIT = GivenSplit("KDD-98", TRAIN, TEST, redraw="test")
# Of the last gift and of the mean gift, which have the most to say about the next.
_AMOUNT_FEATURES = ("LASTGIFT", "AVGGIFT")


@dataclass(frozen=True)
class DonorCondition:
    """A classifier of donors and a model of amounts, with several calibrators.

    Parameters
    ----------
    classifier : str
        In `TWO_CLASS_LEARNERS`.
    amount : {"linear regression", "SVR"}
        Model of the amount, of donors who gave no more than 50 dollars. The support vector
        regression has the classifier's score as a feature.
    methods : tuple of Calibration
    link : {"none", "sigmoid"}
        As in `CalibrationCondition`.
    """

    classifier: str
    amount: Literal["linear regression", "SVR"]
    methods: tuple[Calibration, ...]
    link: Literal["none", "sigmoid"] = "none"

    @property
    def key(self) -> str:
        words = f"{self.classifier} {self.amount}".replace(",", "").replace("= ", "").split()
        return "-".join(words).lower()

    @property
    def datasets(self) -> tuple[str, ...]:
        return _SPLIT.datasets

    def run_repeat(self, data: Mapping[str, Dataset], number: int, seed: int) -> list[Record]:
        samples = _SPLIT.draw(data, number, repeat_rng(repr(_SPLIT), number, seed))
        shown = {"training": samples.train, "test": samples.test}
        learned = TWO_CLASS_LEARNERS[self.classifier](_features(samples.train))
        scores = {name: learned(_features(part).X) for name, part in shown.items()}
        if self.link == "sigmoid":
            scores = {name: np.asarray(expit(score)) for name, score in scores.items()}
        gains = self._gains(samples.train, shown, scores)
        rows: list[Record] = []
        for method in self.methods:
            predict = calibrate(method, scores["training"], samples.train.y)
            for name, part in shown.items():
                p = predict(scores[name])
                values = [KNOWN[measure](part.y, p) for measure in MEASURES[:-1]]
                profit = solicitation_profit(
                    part.y, p, part.X[:, -1], COST, predicted_gain=gains[name]
                )
                labels = self.classifier, self.amount, method.name, name
                rows.append((labels, (*values, profit)))
        return rows

    def _gains(
        self, train: Dataset, shown: Mapping[str, Dataset], scores: Mapping[str, Floats]
    ) -> dict[str, Floats]:
        """Predicted amounts of each sample."""
        columns = [train.feature_names.index(name) for name in _AMOUNT_FEATURES]
        X = {name: part.X[:, columns] for name, part in shown.items()}
        if self.amount == "SVR":
            X = {name: np.column_stack([part, scores[name]]) for name, part in X.items()}
        rows = (train.y == 1) & (train.X[:, -1] <= _OUTLIER)
        base = LinearSVR(max_iter=100_000) if self.amount == "SVR" else LinearRegression()
        model = make_pipeline(StandardScaler(), base).fit(X["training"][rows], train.X[rows, -1])
        return {name: np.asarray(model.predict(part)) for name, part in X.items()}


def _features(part: Dataset) -> Dataset:
    """Without the amount, which is known afterwards."""
    assert part.feature_names[-1] == AMOUNT
    return replace(part, X=part.X[:, :-1], feature_names=part.feature_names[:-1])
