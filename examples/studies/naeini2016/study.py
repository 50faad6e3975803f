"""Naeini's comparison of calibrators on simulated data, with the sizes of the calibration sample.

Two problems that no line divides, scored by classifiers that fit them and by some that do not.
Source: Naeini (2016), sections 4.1 to 4.3, 4.6 and 5.3.
"""

from examples.studies._beside import read_findings, read_prose
from examples.studies._study import Curve, Study
from examples.studies.naeini2016._published import LARGE, PRINTED, SAME, SEPARATE
from examples.studies.parts.calibration_condition import (
    CUBE_ROOT,
    Calibration,
    CalibrationCondition,
)
from examples.studies.parts.calibration_samples import Simulated

__all__ = ["NAEINI2016_SIMULATED"]

LABELS = ("data", "classifier", "design", "size", "method")
MEASURES = ("auc", "accuracy", "rmse", "ece_released", "mce_released", "ece", "mce")

# Values of the label "design", beside those of the printed tables.
MANY = "others, 5000 trained"
SAME_10K = "training samples, 10,000 tested"

NONE = Calibration("none")
HISTOGRAM = Calibration.of(
    "histogram", "BinningCalibrator", n_bins=CUBE_ROOT, strategy="quantile", model="bayesian"
)
PLATT = Calibration.of("Platt", "LogisticCalibrator", model="bayesian")
ISOTONIC = Calibration.of("isotonic", "IsotonicCalibrator", model="bayesian")
KDE = Calibration.of("KDE", "KDECalibrator", kernel="boxcar", bandwidth="shared")
DPM = Calibration.of("DPM", "DPMCalibrator")
SBB = Calibration.of("SBB", "SBBCalibrator")
ABB = Calibration.of("ABB", "ABBCalibrator")
BBQ = Calibration.of("BBQ", "BBQCalibrator")
ENIR = Calibration.of("ENIR", "ENIRCalibrator")
ELITE = Calibration.of("ELiTE", "ELiTECalibrator")
ACP = Calibration.of("ACP", "AdaptiveCalibrator")

ALL = (NONE, HISTOGRAM, PLATT, ISOTONIC, KDE, DPM, SBB, ABB, BBQ, ENIR, ELITE)
# Those of figures 16 to 19.
SIX = (NONE, PLATT, ISOTONIC, KDE, BBQ, ENIR, ELITE)

SIZES = (10, 20, 50, 100, 500, 1000, 2000, 5000)
LARGE_SIZES = (100, 1000, 10_000, 100_000, 1_000_000)
N_TEST = 10_000


def _condition(
    source: Simulated,
    classifier: str,
    design: str,
    methods: tuple[Calibration, ...],
    sizes: tuple[int, ...] = (),
) -> CalibrationCondition:
    kind = classifier.replace(" ", "-")
    return CalibrationCondition(
        key=f"{source.name}-{kind}-{source.train}-{source.calibration}-{source.test}".lower(),
        source=source,
        classifier=classifier,
        methods=methods,
        measures=MEASURES,
        labels=LABELS,
        design=design,
        link="sigmoid" if classifier.endswith("SVM") else "none",
        sizes=sizes,
    )


def _table_conditions() -> list[CalibrationCondition]:
    machines = {"circular": ("linear SVM", "quadratic SVM"), "XOR": ("linear SVM", "RBF SVM")}
    conditions = [
        _condition(Simulated(data, 1000, 1000), classifier, SAME, ALL)
        for data, classifiers in machines.items()
        for classifier in classifiers
    ]
    conditions += [
        _condition(Simulated(data, 600, 600, 600), "logistic regression", SEPARATE, (*ALL, ACP))
        for data in machines
    ]
    return conditions


def _size_conditions(classifier: str) -> list[CalibrationCondition]:
    large = Simulated("circular", 1000, N_TEST, LARGE_SIZES[-1])
    many = Simulated("circular", 5000, N_TEST, SIZES[-1])
    return [
        _condition(large, classifier, LARGE, (NONE, HISTOGRAM), LARGE_SIZES),
        _condition(many, classifier, MANY, SIX, SIZES),
        *(_condition(Simulated("circular", n, N_TEST), classifier, SAME_10K, SIX) for n in SIZES),
    ]


CONDITIONS = (
    *_table_conditions(),
    *_size_conditions("linear SVM"),
    *_size_conditions("quadratic SVM"),
)


def _curve(name: str, title: str, measure: str, design: str) -> Curve:
    return Curve(
        name=name,
        title=title,
        measure=measure,
        x="size",
        line="method",
        panel="classifier",
        where={"data": "circular", "design": design},
        x_name="calibration samples",
        y_name=measure.split("_")[0].upper(),
    )


_CURVES = (
    _curve("rmse-others", "Calibration samples of their own (figures 16 and 17)", "rmse", MANY),
    _curve("ece-others", "The same: calibration error, equal predictions in one bin", "ece", MANY),
    _curve(
        "rmse-same", "Samples that trained the classifier (figures 18 and 19)", "rmse", SAME_10K
    ),
    _curve("ece-large", "Histogram binning (table 26)", "ece_released", LARGE),
)

TEXT = read_prose(__file__)
NAEINI2016_SIMULATED = Study(
    name="naeini2016-simulated",
    title="Calibration of simulated scores",
    source="Naeini (2016), Obtaining accurate probabilities using classifier calibration, "
    "sections 4.1, 4.2, 4.3, 4.6 and 5.3; tables 3, 5 (a) and (b), 7, 14, 15, 26; figures 16 to 19",
    labels=LABELS,
    measures=MEASURES,
    conditions=CONDITIONS,
    repeats=30,
    published=PRINTED,
    protocol=TEXT.protocol,
    comment=TEXT.comment,
    curves=_CURVES,
    comparisons=read_findings(__file__),
    quick=("xor-linear-svm-1000-0-1000", "circular-quadratic-svm-10-0-10000"),
)
