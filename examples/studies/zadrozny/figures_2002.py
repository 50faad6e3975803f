"""Reliability of naive Bayes and of support vector machines: Zadrozny & Elkan (2002).

Scores, observed frequencies, and the sigmoid and the isotonic curve that are fitted to them.
Source: sections 2 and 3, figures 1 to 5.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from evical.datasets import Dataset
from examples.studies._beside import read_findings, read_prose
from examples.studies._study import Record, Study, repeat_rng
from examples.studies.parts.calibration_classifiers import TWO_CLASS_LEARNERS
from examples.studies.parts.calibration_condition import Calibration, calibrate
from examples.studies.parts.calibration_samples import GivenSplit
from examples.studies.parts.score_curves import LABELS, MEASURES, curve_rows, curves_of
from examples.studies.zadrozny.calibration_2002 import ADULT, ADULT_BINARY, MARGINS, TIC

__all__ = ["ZADROZNY2002_FIGURES", "ScoreCurves"]

BAYES, SVM = "naive Bayes", "SVM"
_SCALE = MARGINS[0]
_FITTED = {method.name: method for method in MARGINS if method.name in ("sigmoid", "PAV")}


@dataclass(frozen=True)
class ScoreCurves:
    """A classifier of a data set, with the curves that are fitted to its training scores.

    Parameters
    ----------
    source : GivenSplit
    kind : {"naive Bayes", "SVM"}
    classifier : str
        In `TWO_CLASS_LEARNERS`.
    width : float
        Of the bins of test scores.
    """

    source: GivenSplit
    kind: str
    classifier: str
    width: float

    @property
    def key(self) -> str:
        return f"{self.source.name}-{self.kind.replace(' ', '-')}".lower()

    @property
    def datasets(self) -> tuple[str, ...]:
        return self.source.datasets

    def run_repeat(self, data: Mapping[str, Dataset], number: int, seed: int) -> list[Record]:
        samples = self.source.draw(data, number, repeat_rng(repr(self.source), number, seed))
        scorer = TWO_CLASS_LEARNERS[self.classifier](samples.train)
        seen, new, y = scorer(samples.train.X), scorer(samples.test.X), samples.train.y
        as_it_is = Calibration("none") if self.kind == BAYES else _SCALE
        score = calibrate(as_it_is, seen, y)(new)
        fitted = {name: calibrate(method, seen, y)(new) for name, method in _FITTED.items()}
        rows = curve_rows(score, samples.test.y, {"score": score, **fitted}, self.width)
        return [((self.source.name, self.kind, *names), values) for names, values in rows]


TEXT = read_prose(__file__)
ZADROZNY2002_FIGURES = Study(
    name="zadrozny2002-figures",
    title="Reliability of naive Bayes and of support vector machines",
    source="Zadrozny & Elkan (2002), Transforming classifier scores into accurate multiclass "
    "probability estimates, sections 2 and 3, figures 1 to 5",
    labels=LABELS,
    measures=MEASURES,
    conditions=(
        ScoreCurves(ADULT, BAYES, "naive Bayes, twenty equal bins", 0.1),
        ScoreCurves(TIC, BAYES, "naive Bayes, ten attributes", 0.15),
        ScoreCurves(ADULT_BINARY, SVM, "linear SVM, C = 0.05", 0.08),
        ScoreCurves(TIC, SVM, "linear SVM", 0.15),
    ),
    repeats=10,
    protocol=TEXT.protocol,
    comment=TEXT.comment,
    comparisons=read_findings(__file__),
    curves=curves_of(
        {
            "bayes": (BAYES, "Naive Bayes (figures 1, 4 and 5)"),
            "svm": (SVM, "Support vector machines, scores scaled to 0 to 1 (figures 2, 3 and 5)"),
        }
    ),
    quick=("tic-naive-bayes",),
)
