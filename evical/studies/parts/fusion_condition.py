"""`FusionCondition`: classifiers with unequal shares of one data set, combined in several ways."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sklearn.preprocessing import MinMaxScaler, StandardScaler

from evical.datasets import Dataset
from evical.studies._study import Record, repeat_rng
from evical.studies.parts.methods import Method, fuse
from evical.studies.parts.metrics import MEASURES
from evical.studies.parts.shares import Shares, draw_shares, share_sizes

__all__ = ["SCALERS", "SCENARIOS", "FusionCondition"]

SCENARIOS: dict[str, tuple[Fraction, ...]] = {
    "a": (Fraction(1, 10),) * 10,
    "b": (Fraction(1, 6),) * 5 + (Fraction(1, 30),) * 5,
    "c": (Fraction(2, 3), Fraction(1, 5), *[Fraction(1, 60)] * 8),
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
