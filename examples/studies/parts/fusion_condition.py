"""Classifiers with unequal shares of one data set, or with some features, fused in several ways."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sklearn.preprocessing import MinMaxScaler, StandardScaler

from dstheory.combine import mixing
from evical.classifier import EvidentialClassifier
from evical.datasets import Dataset
from evical.demo.contest import CALIBRATORS, SHARES, share_sizes
from examples.studies._study import Record, repeat_rng
from examples.studies.parts.methods import CLASSIFIERS, Method, combine, fuse
from examples.studies.parts.metrics import MEASURES, Fused
from examples.studies.parts.quiet import fit_quietly
from examples.studies.parts.shares import Shares, draw_shares
from examples.studies.parts.views import Views, draw_views

__all__ = ["SCALERS", "SCENARIOS", "FeatureCondition", "FusionCondition"]

SCENARIOS: dict[str, tuple[Fraction, ...]] = {
    "a": (Fraction(1, 10),) * 10,
    "b": (Fraction(1, 6),) * 5 + (Fraction(1, 30),) * 5,
    "c": SHARES,
}
"""Shares of ten classifiers (Xu et al. 2016, figure 12)."""

SCALERS: dict[str, Callable[[], Any]] = {
    "standard": StandardScaler,
    "range": lambda: MinMaxScaler((-1, 1)),  # as LibSVM's own copies of data sets come
}
"""Name to a function that makes a scaler of features."""


@dataclass(frozen=True)
class FusionCondition:
    """A data set shared out among classifiers, with the methods that are compared.

    Parameters
    ----------
    key : str
    datasets : tuple of str
        One data set, whose remaining samples are the test set; or a training and a test file.
    stream : str
        Conditions of the same stream of random numbers see the same training samples.
    scenario : {"a", "b", "c"}
        Shares, see `SCENARIOS`.
    n_train : int
        Samples for all classifiers together.
    classifier : str
        In `CLASSIFIERS`.
    scaler : {"standard", "range"}
    methods : tuple of (labels, Method) pairs
        The labels name the row of the method.
    measures : tuple of str
        In `MEASURES`, in the order of the study.
    reference : Method, optional
        What "only_this" and "only_reference" compare with; the first method by default.
    """

    key: str
    datasets: tuple[str, ...]
    stream: str
    scenario: str
    n_train: int
    classifier: str
    scaler: str
    methods: tuple[tuple[tuple[str, ...], Method], ...]
    measures: tuple[str, ...]
    reference: Method | None = None

    @property
    def sizes(self) -> list[int]:
        """Of the shares."""
        return share_sizes(self.n_train, SCENARIOS[self.scenario])

    def draw(self, data: Mapping[str, Dataset], number: int, seed: int) -> Shares:
        """The samples of a repeat."""
        sets = [data[name] for name in self.datasets]
        rng = repeat_rng(self.stream, number, seed)
        return draw_shares(sets, self.sizes, SCALERS[self.scaler], rng)

    def run_repeat(self, data: Mapping[str, Dataset], number: int, seed: int) -> list[Record]:
        drawn = self.draw(data, number, seed)
        fused = fuse(drawn, self.classifier, [method for _, method in self.methods])
        reference = fused[self.reference or self.methods[0][1]]
        return [
            (labels, tuple(MEASURES[name](fused[method], reference) for name in self.measures))
            for labels, method in self.methods
        ]


@dataclass(frozen=True)
class FeatureCondition:
    """A data set of which each classifier sees all samples and some features.

    Parameters
    ----------
    key : str
    datasets : tuple of str
        One data set, whose remaining samples are the test set; or a training and a test file.
    stream : str
        Conditions of the same stream of random numbers see the same training samples.
    scenario : {"disjoint", "halves"}
        See `draw_columns`.
    n_train : int
    classifier : str
        In `CLASSIFIERS`.
    scaler : {"standard", "range"}
    methods : tuple of (labels, Method) pairs
        The labels name the row of the method.
    whole : tuple of str
        Labels of one classifier that sees all features, calibrated as in the first method.
    measures : tuple of str
        In `MEASURES`, in the order of the study.
    every : int
        Of so many repeats one is run.
    """

    key: str
    datasets: tuple[str, ...]
    stream: str
    scenario: str
    n_train: int
    classifier: str
    scaler: str
    methods: tuple[tuple[tuple[str, ...], Method], ...]
    whole: tuple[str, ...]
    measures: tuple[str, ...]
    every: int = 1

    def draw(self, data: Mapping[str, Dataset], number: int, seed: int) -> Views:
        """The samples and features of a repeat."""
        sets = [data[name] for name in self.datasets]
        rng = repeat_rng(self.stream, number, seed)
        return draw_views(sets, self.n_train, self.scenario, SCALERS[self.scaler], rng)

    def run_repeat(self, data: Mapping[str, Dataset], number: int, seed: int) -> list[Record]:
        if number % self.every:
            none = (math.nan,) * len(self.measures)
            return [(labels, none) for labels in (*dict(self.methods), self.whole)]
        drawn = self.draw(data, number, seed)
        found = fuse(drawn, self.classifier, [method for _, method in self.methods])
        reference = found[self.methods[0][1]]
        rows = [(labels, found[method]) for labels, method in self.methods]
        rows.append((self.whole, self._of_all_features(drawn)))
        return [
            (labels, tuple(MEASURES[name](fused, reference) for name in self.measures))
            for labels, fused in rows
        ]

    def _of_all_features(self, drawn: Views) -> Fused:
        first = self.methods[0][1]
        model = EvidentialClassifier(
            CLASSIFIERS[self.classifier],
            calibrator=CALIBRATORS[first.calibrator](model=first.model),
            ensemble="auto",
        )
        fitted = fit_quietly(model, drawn.X, drawn.y)
        return combine(drawn, [fitted.predict_mass(drawn.X_test)], mixing)
