"""Profits of letters by calibrated probabilities: KDD-98, in two papers.

Sources: Zadrozny & Elkan (2002), table 1; Naeini (2016), table 4.
"""

from collections.abc import Mapping

from examples.studies._beside import read_prose
from examples.studies._study import PublishedTable, Study
from examples.studies.kdd98.condition import LABELS, MEASURES, DonorCondition
from examples.studies.kdd98.original import load_donors
from examples.studies.naeini2016.study import DPM, HISTOGRAM, ISOTONIC, KDE, NONE, PLATT

__all__ = ["KDD98", "TABLE_4"]

BAYES, SVM = "naive Bayes, ten bins", "linear SVM, squared hinge"
LR = "logistic regression, no intercept"
METHODS = (NONE, HISTOGRAM, PLATT, ISOTONIC, KDE, DPM)
_NAMES = tuple(method.name for method in METHODS)

# Lines: RMSE, AUC, ACC, MCE, ECE and profit; columns: the methods.
TABLE_4 = {
    LR: """
        .500 .218 .218 .218 .218 .219
        .613 .610 .613 .612 .611 .613
        .56 .95 .95 .95 .95 .95
        .454 .020 .013 .030 .004 .017
        .449 .007 .004 .013 .002 .003
        10560 13183 13444 13690 12998 13696""",
    BAYES: """
        .514 .218 .218 .218 .218 .218
        .603 .600 .603 .602 .602 .603
        .622 .949 .949 .949 .949 .949
        .850 .008 .008 .046 .005 .010
        .390 .004 .004 .023 .002 .003
        7885 11631 10259 10816 12037 12631""",
    SVM: """
        .696 .218 .218 .219 .218 .218
        .615 .614 .615 .500 .614 .615
        .95 .95 .95 .95 .95 .95
        .694 .011 .013 .454 .003 .019
        .660 .004 .004 .091 .002 .004
        10560 13480 13080 11771 13118 13544""",
}
_MSE_1: Mapping[tuple[str, ...], float] = {
    ("none", "training"): 0.10089,
    ("none", "test"): 0.10111,
    ("Platt", "training"): 0.09542,
    ("Platt", "test"): 0.09533,
    ("isotonic", "training"): 0.09522,
    ("isotonic", "test"): 0.09528,
}
_PROFIT_1: Mapping[tuple[str, ...], float] = {
    ("none", "training"): 10083.0,
    ("none", "test"): 9531.0,
    ("Platt", "training"): 14134.0,
    ("Platt", "test"): 14120.0,
    ("isotonic", "training"): 15685.0,
    ("isotonic", "test"): 14447.0,
}


def _table_1(measure: str, name: str, values: Mapping[tuple[str, ...], float]) -> PublishedTable:
    return PublishedTable(
        title=f"Zadrozny & Elkan, table 1: {name} of naive Bayes",
        measure=measure,
        rows=("method",),
        columns=("sample",),
        where={"classifier": BAYES, "amount": "linear regression"},
        values=values,
        digits=5 if measure == "mse" else 0,
        repeats=1,
    )


def _table_4(i: int, measure: str) -> PublishedTable:
    lines = {name: text.strip().splitlines()[i].split() for name, text in TABLE_4.items()}
    return PublishedTable(
        title=f"Naeini, table 4: {measure}",
        measure=measure,
        rows=("classifier",),
        columns=("method",),
        where={"amount": "SVR", "sample": "test"},
        values={
            (classifier, method): float(value)
            for classifier, line in lines.items()
            for method, value in zip(_NAMES, line, strict=True)
        },
        digits=0 if measure == "profit" else 3,
        repeats=1,
    )


_PRINTED_4 = ("rmse", "auc", "accuracy", "mce_released", "ece_released", "profit")
TEXT = read_prose(__file__)
KDD98 = Study(
    name="kdd98",
    title="Letters to donors by calibrated probabilities",
    source="Zadrozny & Elkan (2002), Transforming classifier scores into accurate multiclass "
    "probability estimates, table 1; Naeini (2016), Obtaining accurate probabilities using "
    "classifier calibration, table 4",
    labels=LABELS,
    measures=MEASURES,
    conditions=(
        DonorCondition(BAYES, "linear regression", METHODS),
        *(
            DonorCondition(name, "SVR", METHODS, "sigmoid" if name == SVM else "none")
            for name in (*TABLE_4, "logistic regression, C = 1")
        ),
    ),
    repeats=10,
    published=(
        _table_1("mse", "MSE", _MSE_1),
        _table_1("profit", "profit", _PROFIT_1),
        *(_table_4(i, measure) for i, measure in enumerate(_PRINTED_4)),
    ),
    protocol=TEXT.protocol,
    comment=TEXT.comment,
    quick=("naive-bayes-ten-bins-linear-regression",),
    load=load_donors,
)
