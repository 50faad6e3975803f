"""Three classifiers, the third of growing size: Xu et al. (2016), section 5.1, figures 8 to 11.

Two classifiers keep few training samples while the third gets more and more. The paper shows
curves and tells what they say in words; the words are checked here.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from evical.datasets import Dataset
from evical.studies._study import Curve, Finding, Record, Study, read_prose, repeat_rng
from evical.studies.parts.fusion_condition import SCALERS
from evical.studies.parts.methods import Method, fuse
from evical.studies.parts.metrics import METRICS
from evical.studies.parts.shares import draw_shares

__all__ = ["XU2016_THREE", "ThreeClassifiers"]

_Expected = Literal["lower", "higher", "equal"]

# Error rates that differ by less, in percent, look the same in the paper's figures.
MARGIN = 1.0

_MODELS = ("bayesian", "inverse_pignistic", "dempster", "confidence", "likelihood")
METHODS = tuple(
    Method(calibrator, model)
    for calibrator in ("binning", "isotonic", "logistic")
    for model in _MODELS
    # Dempster's model is one of a binomial proportion; a sigmoid has none.
    if (calibrator, model) != ("logistic", "dempster")
)


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
        for subset in growing:
            shared = replace(drawn, subsets=[*fixed, subset])
            for method, fused in fuse(shared, "libsvm", METHODS).items():
                labels = (self.data, str(len(subset)), method.calibrator, method.model)
                rows.append((labels, tuple(metric.measure(fused) for metric in METRICS)))
        return rows


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
_SMALL = ("heart", "ionosphere", "liver_disorders", "sonar")
_GREATEST = {"third": tuple(dict.fromkeys(str(condition.thirds[-1]) for condition in CONDITIONS))}


def _models(
    text: str,
    calibrator: str,
    first: str,
    expected: _Expected,
    where: Mapping[str, tuple[str, ...]] | None = None,
) -> Finding:
    """A model against the likelihood model of the same calibrator, on each data set."""
    return Finding(
        text,
        "error_rate",
        "model",
        first,
        "likelihood",
        where={"calibrator": (calibrator,), **(where or {})},
        by=("data",),
        expected=expected,
        scale=100,
        margin=MARGIN,
    )


def _calibrators(text: str, first: str, second: str, expected: _Expected, *data: str) -> Finding:
    """Two calibrators with the likelihood model, over all sizes, on each data set."""
    return Finding(
        text,
        "error_rate",
        "calibrator",
        first,
        second,
        where={"model": ("likelihood",), "data": data},
        by=("data",),
        expected=expected,
        scale=100,
        margin=MARGIN,
    )


_ABOUT_EQUAL = "third of about the same size as the others"
_EQUAL_SMALL = {"data": _SMALL, "third": ("30",)}
_EQUAL_LARGE = {"data": ("australian", "diabetes"), "third": ("50",)}
_COMPARISONS = (
    _models(
        "Binning, third much larger: the Bayesian model errs more than the likelihood model",
        "binning",
        "bayesian",
        "higher",
        _GREATEST,
    ),
    _models(
        "Binning, third much larger: so does its inverse pignistic model",
        "binning",
        "inverse_pignistic",
        "higher",
        _GREATEST,
    ),
    *(
        _models(
            f"Binning, {_ABOUT_EQUAL}: the Bayesian model errs as often",
            "binning",
            "bayesian",
            "equal",
            where,
        )
        for where in (_EQUAL_LARGE, _EQUAL_SMALL)
    ),
    _models("Binning: Dempster's model errs as often", "binning", "dempster", "equal"),
    _models(
        "Binning: the confidence model errs more on heart and sonar",
        "binning",
        "confidence",
        "higher",
        {"data": ("heart", "sonar")},
    ),
    _models(
        "Binning: the confidence model errs as often on australian and ionosphere",
        "binning",
        "confidence",
        "equal",
        {"data": ("australian", "ionosphere")},
    ),
    _models(
        "Binning: the confidence model errs less on diabetes and liver_disorders",
        "binning",
        "confidence",
        "lower",
        {"data": ("diabetes", "liver_disorders")},
    ),
    _models("Isotonic: the Bayesian model errs slightly more", "isotonic", "bayesian", "higher"),
    _models(
        "Isotonic: so does the inverse pignistic model", "isotonic", "inverse_pignistic", "higher"
    ),
    _models(
        "Isotonic: the confidence model errs more on diabetes with few samples for the third",
        "isotonic",
        "confidence",
        "higher",
        {"data": ("diabetes",), "third": ("10", "30")},
    ),
    _models("Logistic: the Bayesian model errs as often", "logistic", "bayesian", "equal"),
    _models(
        "Logistic: the inverse pignistic model errs as often",
        "logistic",
        "inverse_pignistic",
        "equal",
    ),
    _models("Logistic: the confidence model errs as often", "logistic", "confidence", "equal"),
    *(
        _calibrators(
            f"Likelihood model: isotonic errs less than {other} on diabetes and liver_disorders",
            "isotonic",
            other,
            "lower",
            "diabetes",
            "liver_disorders",
        )
        for other in ("logistic", "binning")
    ),
    _calibrators(
        "Likelihood model: logistic errs less than isotonic on australian and heart",
        "logistic",
        "isotonic",
        "lower",
        "australian",
        "heart",
    ),
    _calibrators(
        "Likelihood model: isotonic errs as often as logistic on ionosphere and sonar",
        "isotonic",
        "logistic",
        "equal",
        "ionosphere",
        "sonar",
    ),
    *(
        _calibrators(
            f"Likelihood model: {better} errs less than binning on sonar",
            better,
            "binning",
            "lower",
            "sonar",
        )
        for better in ("isotonic", "logistic")
    ),
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
    measures=tuple(metric.key for metric in METRICS),
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
    comparisons=_COMPARISONS,
    quick=("sonar",),
)
"""Figures 8 to 11 of the paper, and its findings in words."""
