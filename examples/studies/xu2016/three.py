"""Three classifiers, the third of growing size: Xu et al. (2016), section 5.1, figures 8 to 11.

Two classifiers keep few training samples while the third gets more and more. The paper shows
curves and tells what they say in words; the words are checked here.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from dstheory import MassFunction
from dstheory.combine import dempster
from evical._typing import Indices
from evical.datasets import Dataset
from examples.studies._beside import read_findings, read_prose
from examples.studies._study import Curve, Record, Study, repeat_rng
from examples.studies.parts.fusion_condition import SCALERS
from examples.studies.parts.methods import BY_DEMPSTERS_RULE, Method, combine, train
from examples.studies.parts.metrics import METRICS
from examples.studies.parts.shares import Shares, draw_shares

__all__ = ["XU2016_THREE", "ThreeClassifiers"]


@dataclass(frozen=True)
class ThreeClassifiers:
    """A data set, with the sizes of the three shares.

    Parameters
    ----------
    data : str
    first, second : int
    thirds : tuple of int
        Sizes of the third share, ascending; a larger one holds the smaller ones.
    """

    data: str
    first: int
    second: int
    thirds: tuple[int, ...]

    @property
    def key(self) -> str:
        return self.data

    @property
    def datasets(self) -> tuple[str, ...]:
        return (self.data,)

    @property
    def n_train(self) -> int:
        """Samples that are drawn for training; all others are the test set."""
        return self.first + self.second + self.thirds[-1]

    def run_repeat(self, data: Mapping[str, Dataset], number: int, seed: int) -> list[Record]:
        rng = repeat_rng(self.key, number, seed)
        sizes = (self.first, self.second, self.thirds[-1])
        drawn = draw_shares([data[self.data]], sizes, SCALERS["range"], rng)
        *fixed, third = drawn.subsets
        half, other = third[: len(third) // 2], third[len(third) // 2 :]
        # The first of each half are of both classes, so a beginning of it has both.
        growing = [np.concatenate([half[: n // 2], other[: n - n // 2]]) for n in self.thirds]
        rows: list[Record] = []
        for method in BY_DEMPSTERS_RULE:
            pair = _beliefs(drawn, fixed, method)
            for subset in growing:
                fused = combine(drawn, [*pair, *_beliefs(drawn, [subset], method)], dempster)
                labels = (self.data, str(len(subset)), method.calibrator, method.model)
                rows.append((labels, tuple(metric(fused) for metric in METRICS.values())))
        return rows


def _beliefs(drawn: Shares, subsets: list[Indices], method: Method) -> list[MassFunction]:
    """Of the classifiers of some shares, about the test samples."""
    kind = (method.calibrator, method.model)
    ensemble = train(replace(drawn, subsets=subsets), "libsvm", *kind, "dempster")
    return ensemble.predict_masses(drawn.X_test)


# Table 1. The greatest sizes of the third (190, 200, 140, 90) and the sizes at which all three
# are of about the same size (50, 30) occur in no other role within a data set.
CONDITIONS = (
    ThreeClassifiers("australian", 30, 70, (10, 30, 50, 70, 100, 130, 160, 190)),
    ThreeClassifiers("diabetes", 30, 70, (10, 30, 50, 70, 100, 130, 160, 200)),
    ThreeClassifiers("heart", 20, 40, (10, 20, 30, 50, 70, 95, 120, 140)),
    ThreeClassifiers("ionosphere", 20, 40, (10, 20, 30, 60, 100, 130, 160, 190)),
    ThreeClassifiers("liver_disorders", 20, 40, (10, 20, 30, 60, 100, 130, 160, 190)),
    ThreeClassifiers("sonar", 20, 40, (10, 20, 30, 40, 50, 60, 75, 90)),
)


def _curve(number: int, line: str, where: Mapping[str, str], title: str) -> Curve:
    return Curve(
        f"figure{number}",
        f"Figure {number}: {title}",
        "error_rate",
        x="third",
        line=line,
        panel="data",
        where=where,
        scale=100,
        x_name="samples of the third",
        y_name="error rate in %",
    )


TEXT = read_prose(__file__)
XU2016_THREE = Study(
    name="xu2016-three",
    title="Three classifiers, the third of growing size",
    source="Xu, Davoine, Zha & Denœux (2016), Evidential calibration of binary SVM classifiers, "
    "International Journal of Approximate Reasoning 72, 55-70, section 5.1, table 1 and figures "
    "8 to 11",
    labels=("data", "third", "calibrator", "model"),
    measures=tuple(METRICS),
    conditions=CONDITIONS,
    repeats=100,
    protocol=TEXT.protocol,
    comment=TEXT.comment,
    curves=(
        _curve(8, "model", {"calibrator": "binning"}, "binning"),
        _curve(9, "model", {"calibrator": "isotonic"}, "isotonic regression"),
        _curve(10, "model", {"calibrator": "logistic"}, "logistic regression"),
        _curve(11, "calibrator", {"model": "likelihood"}, "calibrators with the likelihood model"),
    ),
    comparisons=read_findings(__file__),
    quick=("sonar",),
)
"""Figures 8 to 11 of the paper, and its findings in words."""
