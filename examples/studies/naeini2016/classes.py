"""Naeini's comparison of calibrators of many classes: shallow nets beside three others.

Source: Naeini (2016), section 6.1.1.
"""

from itertools import product

from examples.studies._beside import read_prose
from examples.studies._over_data import Gains, Labels, Ranking
from examples.studies._study import Study
from examples.studies.parts.classes_validated import (
    CALIBRATIONS,
    CLASS_MEASURES,
    ClassesValidated,
)
from examples.studies.parts.cross_validated import TRAINING

__all__ = ["NAEINI2016_CLASSES", "SETS"]

# Names in the thesis to names of data sets.
SETS = {
    "balance_scale": "balance_scale",
    "digits": "digits",
    "ecoli": "ecoli",
    "glass": "glass",
    "iris": "iris",
    "page_blocks": "page_blocks",
    "pendigits": "pendigits",
    "satimage": "satimage",
    "segment": "segment",
    "vehicle": "vehicle",
    "wine": "wine",
    "zoo_4class": "zoo",
}

_MEASURES = {
    "auc": ("AUC", True),
    "accuracy": ("ACC", True),
    "cross_entropy": ("cross entropy", False),
    "brier": ("Brier", False),
    "ece_released": ("ECE micro", False),
    "mce_released": ("MCE micro", False),
    "ece": ("ECE micro, ties together", False),
}
_PRINTED = list(_MEASURES)[:6]

# Tables 28 to 30: isotonic, Platt, softmax, SNN. All ranks are whole numbers and halves over so
# many data sets, which the thesis does not tell.
_RANKS = {
    "LR": (
        15,
        """
        3.23* 2.67 2.00 2.10
        2.47 2.30 2.83 2.40
        3.60* 2.07 2.87* 1.47
        2.33 2.47 3.47* 1.73
        1.73 2.60 3.53* 2.13
        1.87 2.33 3.60* 2.20""",
    ),
    "SVM": (
        37,
        """
        2.89 2.73 2.19 2.19
        2.11 2.68 2.91 2.31
        3.92* 1.70 2.41 1.97
        1.86 2.41 3.22 2.51
        1.81 2.38 3.35* 2.46
        1.73# 2.38 3.30* 2.59""",
    ),
    "NB": (
        33,
        """
        2.73 2.64 2.39 2.24
        2.45 3.27* 2.21 2.06
        4.00* 2.76 1.70 1.55
        2.39 3.45* 2.21 1.94
        2.39 3.18* 2.64* 1.79
        1.91 3.30* 2.82* 1.97""",
    ),
}

# Table 27: LR, SVM, NB.
_GAINED = """
    -0.01 0.02 -0.01 0.03 0.00 0.07
    0.00 0.14 0.01 0.08 0.03 0.24
    -0.55 -0.19 -0.42 -0.26 -0.59 -0.34
    -0.51 -0.18 -0.37 -0.23 -0.32 -0.22
    -0.64 -0.27 -0.74 -0.57 -0.81 -0.65
    -0.63 -0.25 -0.74 -0.60 -0.77 -0.58"""

# Section 6.1.1, note 3: other classifiers are calibrated well enough.
_LEAST = ("none", "ece_released", 0.05)


def _ranking(number: str, classifier: str, limited: bool) -> Ranking:
    n_published, text = _RANKS[classifier]
    lines = dict(zip(_PRINTED, text.strip().splitlines(), strict=True))
    which = "where the classifier needs it" if limited else "on all data sets"
    return Ranking(
        name=f"table{number}{'' if limited else '-all'}",
        title=f"SNN beside isotonic regression, Platt's method and softmax, {which} "
        f"(table {number}, {classifier})",
        data="data",
        label="method",
        options=("isotonic", "Platt", "Softmax", "SNN"),
        control="SNN",
        measures=_MEASURES,
        by=("classifier", "scores"),
        where={"classifier": classifier},
        least=_LEAST if limited else None,
        published={(classifier, TRAINING): lines},
        n_published=n_published,
    )


_WITH_AUTO = Ranking(
    name="all",
    title="AutoMulticlassCalibrator beside all of them, on all data sets (not in the thesis)",
    data="data",
    label="method",
    options=("none", *CALIBRATIONS),
    control="Auto",
    measures=_MEASURES,
    by=("classifier", "scores"),
    drawn=("cross_entropy", "brier", "ece"),
)
_TABLES = {"28": "LR", "29": "SVM", "30": "NB"}
_RANKINGS = (
    *(_ranking(number, name, True) for number, name in _TABLES.items()),
    *(_ranking(number, name, False) for number, name in _TABLES.items()),
    _WITH_AUTO,
)


def _published_gains() -> dict[Labels, dict[str, tuple[float, float]]]:
    found: dict[Labels, dict[str, tuple[float, float]]] = {}
    for measure, line in zip(_PRINTED, _GAINED.strip().splitlines(), strict=True):
        ends = list(map(float, line.split()))
        for classifier, low, high in zip(_RANKS, ends[::2], ends[1::2], strict=True):
            found.setdefault((classifier, TRAINING, "SNN"), {})[measure] = low, high
    return found


_GAINS = Gains(
    title="Gains over the classifier (table 27)",
    data="data",
    label="method",
    options=("SNN", "Auto"),
    reference="none",
    measures=_MEASURES,
    by=("classifier", "scores"),
    least=_LEAST,
    published=_published_gains(),
)

TEXT = read_prose(__file__)
NAEINI2016_CLASSES = Study(
    name="naeini2016-classes",
    title="Calibrators of many classes, on real data",
    source="Naeini (2016), Obtaining accurate probabilities using classifier calibration, "
    "section 6.1.1, tables 27 to 30",
    labels=("data", "classifier", "scores", "method"),
    measures=CLASS_MEASURES,
    conditions=tuple(
        ClassesValidated(name, dataset, classifier)
        for (name, dataset), classifier in product(SETS.items(), _RANKS)
    ),
    repeats=5,
    protocol=TEXT.protocol,
    comment=TEXT.comment,
    rankings=_RANKINGS,
    gains=(_GAINS,),
    quick=("zoo_4class-nb", "wine-lr"),
)
