"""Naeini's table 5 on real data: SBB and ABB beside others, on Adult and SPECT.

Source: Naeini (2016), section 4.2.1.
"""

from itertools import product

from examples.studies._beside import read_prose
from examples.studies._study import Finding, PublishedTable, Study
from examples.studies.naeini2016._published import MEASURES as PRINTED_MEASURES
from examples.studies.naeini2016._published import _cells
from examples.studies.naeini2016.study import (
    ABB,
    ACP,
    HISTOGRAM,
    ISOTONIC,
    LABELS,
    MEASURES,
    NONE,
    PLATT,
    SBB,
)
from examples.studies.parts.calibration_condition import SIMILARITY, CalibrationCondition
from examples.studies.parts.calibration_samples import Drawn, GivenSplit

__all__ = ["NAEINI2016_TABLE5"]

_ADULT = Drawn("Adult", "adult", 2000, 600, 600)
_SPECT = GivenSplit("SPECT", "spect_train", "spect_test")
_SIZES = {"Adult": "600", "SPECT": "80"}
BAYES, LR = "naive Bayes, codes and normals", "logistic regression"

# Cells that are not legible in the copy at hand are "-"; those of (e) hardly any are.
_TABLES: dict[str, tuple[Drawn | GivenSplit, str, str]] = {
    "c": (_ADULT, BAYES, """
        none isotonic Platt histogram SBB ABB
        AUC 0.879 0.876 0.879 0.877 0.849 0.879
        ACC 0.803 0.822 0.840 0.818 0.838 0.835
        RMSE 0.352 0.343 0.343 0.341 0.345 0.343
        MCE 0.223 0.302 0.092 0.236 0.373 0.136
        ECE 0.081 0.075 - 0.078 - 0.062"""),
    "d": (_ADULT, "linear SVM", """
        none isotonic Platt histogram SBB ABB
        AUC 0.864 0.856 0.864 0.864 0.821 0.864
        ACC 0.248 0.805 0.748 0.815 0.803 0.805
        RMSE 0.587 0.360 0.434 0.355 0.362 0.357
        MCE 0.644 - 0.506 0.144 0.396 0.110
        ECE 0.203 - - - - 0.061"""),
    "e": (_ADULT, LR, """
        none ACP isotonic Platt histogram SBB ABB
        AUC - 0.727 - - - - 0.731
        ACC - 0.783 - - - - 0.751
        RMSE - 0.402 - - - - -
        ECE 0.075 - - - - - -"""),
    "f": (_SPECT, BAYES, """
        none isotonic Platt histogram SBB ABB
        AUC - - - 0.832 0.733 0.835
        ACC 0.759 - 0.770 - 0.845 0.845
        RMSE - - - 0.379 - 0.374
        MCE 0.719 - - 0.712 0.347 0.557
        ECE 0.150 0.141 0.148 0.145 0.149 0.157"""),
    "g": (_SPECT, "quadratic SVM", """
        none isotonic Platt histogram SBB ABB
        AUC 0.816 0.786 0.816 0.766 0.746 0.810
        ACC 0.257 0.834 0.684 0.845 0.813 0.813
        RMSE 0.617 0.442 0.460 0.463 0.398 0.386
        MCE 0.705 0.647 0.754 0.934 0.907 0.769
        ECE 0.235 0.148 0.162 0.180 0.128 0.131"""),
    "h": (_SPECT, LR, """
        none ACP isotonic Platt histogram SBB ABB
        AUC 0.744 0.742 0.733 0.744 0.738 0.733 0.741
        ACC 0.658 0.561 0.626 0.668 0.620 0.620 0.626
        RMSE 0.546 0.562 0.558 0.524 0.565 0.507 0.496
        MCE 0.947 1.000 1.000 0.884 0.997 0.813 0.812
        ECE 0.181 0.187 0.177 0.180 0.183 0.171 0.173"""),
}  # fmt: skip
"""Part of the table to samples, classifier and numbers as printed."""


def _condition(source: Drawn | GivenSplit, classifier: str) -> CalibrationCondition:
    methods = NONE, ISOTONIC, PLATT, HISTOGRAM, SBB, ABB, SIMILARITY
    return CalibrationCondition(
        key=f"{source.name}-{classifier}".lower().replace(",", "").replace(" ", "-"),
        source=source,
        classifier=classifier,
        methods=(*methods, ACP) if classifier == LR else methods,
        measures=MEASURES,
        labels=LABELS,
        design="printed",
        link="sigmoid" if classifier.endswith("SVM") else "none",
    )


def _published(part: str, name: str) -> PublishedTable:
    source, classifier, text = _TABLES[part]
    cells = _cells({(source.name, classifier): text}, name)
    where = {"data": source.name, "classifier": classifier, "design": "printed"}
    return PublishedTable(
        title=f"Table 5 ({part}): {source.name}, {classifier}, {name}",
        measure=PRINTED_MEASURES[name],
        rows=("size",),
        columns=("method",),
        where=where,
        values={(_SIZES[source.name], method): value for (*_, method), value in cells.items()},
        digits=3,
        repeats=1,
    )


TEXT = read_prose(__file__)
NAEINI2016_TABLE5 = Study(
    name="naeini2016-table5",
    title="SBB and ABB on real data",
    source="Naeini (2016), Obtaining accurate probabilities using classifier calibration, "
    "section 4.2.1, table 5 (c) to (h)",
    labels=LABELS,
    measures=MEASURES,
    conditions=tuple(_condition(source, classifier) for source, classifier, _ in _TABLES.values()),
    repeats=20,
    published=tuple(
        table
        for table in (_published(part, name) for part, name in product(_TABLES, PRINTED_MEASURES))
        if table.values
    ),
    protocol=TEXT.protocol,
    comment=TEXT.comment,
    comparisons=(
        Finding(
            text="Not in the thesis: similarity binning averaging against ABB, RMSE",
            measure=PRINTED_MEASURES["RMSE"],
            label="method",
            first=SIMILARITY.name,
            second=ABB.name,
            by=("data", "classifier"),
            digits=3,
        ),
    ),
    quick=("spect-logistic-regression",),
)
