"""Logistic regression on scores of naive Bayes and of a tree: Gebel (2009), figures A.1 and A.2.

Has a classifier enough different scores to fit a sigmoid to their log-odds? Source: section 6.1.3.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

from sklearn.model_selection import GridSearchCV, StratifiedKFold

from evical.datasets import Dataset
from examples.studies._beside import read_prose
from examples.studies._study import Overview, Record, Study
from examples.studies.gebel2009._sources import CALIBRATORS, LEARNERS, NAIVE_BAYES, TREE
from examples.studies.gebel2009.study import DATASETS
from examples.studies.parts.score_curves import LABELS, MEASURES, curve_rows, curves_of

__all__ = ["GEBEL2009_FIGURES", "TrainingCurves"]

LOGISTIC = "logistic"
N_BINS = 10


@dataclass(frozen=True)
class TrainingCurves:
    """A classifier that is trained on a whole data set, and a sigmoid of its training scores.

    Parameters
    ----------
    data : str
        Name in the thesis.
    dataset : str
    classifier : str
        In `LEARNERS`; its scores are probabilities.
    """

    data: str
    dataset: str
    classifier: str

    @property
    def key(self) -> str:
        return f"{self.data}-{self.classifier}".lower()

    @property
    def datasets(self) -> tuple[str, ...]:
        return (self.dataset,)

    def run_repeat(self, data: Mapping[str, Dataset], number: int, seed: int) -> list[Record]:
        X, y = data[self.dataset].X, data[self.dataset].y
        base, grid = LEARNERS[self.classifier]
        folds = StratifiedKFold(3, shuffle=True, random_state=number + seed)
        score = GridSearchCV(base, grid, cv=folds).fit(X, y).predict_proba(X)[:, 1]
        calibrator = CALIBRATORS[LOGISTIC](self.classifier)
        assert calibrator is not None
        fitted = {LOGISTIC: calibrator.fit(score, y).predict_proba(score)[:, 1]}
        rows = curve_rows(score, y, fitted, 1 / N_BINS)
        return [((self.data, self.classifier, *names), values) for names, values in rows]


TEXT = read_prose(__file__)
GEBEL2009_FIGURES = Study(
    name="gebel2009-figures",
    title="Logistic regression on scores of naive Bayes and of a tree",
    source="Gebel (2009), Multivariate calibration of classifier scores into the probability "
    "space, section 6.1.3, figures A.1 and A.2",
    labels=LABELS,
    measures=MEASURES,
    conditions=tuple(
        TrainingCurves(*names, classifier)
        for names, classifier in product(DATASETS.items(), (NAIVE_BAYES, TREE))
    ),
    repeats=1,
    protocol=TEXT.protocol,
    comment=TEXT.comment,
    curves=curves_of(
        {
            "bayes": (NAIVE_BAYES, "Naive Bayes (figure A.1)"),
            "tree": (TREE, "Tree (figure A.2)"),
        }
    ),
    overviews=(
        Overview(
            "Different scores of the training samples",
            "data",
            {"scores": ("different scores", N_BINS, 0), "gap": ("gap", 1, 3)},
            by=("classifier",),
            where={"line": (LOGISTIC,)},
        ),
    ),
    quick=("haberman-tree",),
)
