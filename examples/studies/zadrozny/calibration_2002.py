"""Calibration of naive Bayes and of support vector machines: Zadrozny & Elkan (2002).

Does isotonic regression (PAV) give better probabilities than Platt's sigmoid and than bins, of
two classes and, by one against all, of many? Source: section 5, tables 2 to 4.
"""

from examples.studies._beside import read_findings, read_prose
from examples.studies._study import Condition, Study
from examples.studies.parts.calibration_condition import Calibration, CalibrationCondition
from examples.studies.parts.calibration_samples import GivenSplit
from examples.studies.zadrozny._condition import CodeCondition
from examples.studies.zadrozny._published import ADULT_MEANT, BASES_OF, PRINTED_2002, TIC_MEANT
from examples.studies.zadrozny.couplings_2001 import SPLITS

__all__ = ["ZADROZNY2002"]

LABELS = ("data", "classifier", "method", "coupling", "sample")
MEASURES = ("mse", "error", "log_loss", "ece", "auc")

TIC = GivenSplit("TIC", "coil2000_train", "coil2000_test")
ADULT = GivenSplit("adult", "adult_train", "adult_test")
ADULT_BINARY = GivenSplit("adult", "adult_a9a_train", "adult_a9a_test")

N_BINS = (5, 10, 20, 30, 40, 50)

_SHARED = (
    Calibration.of("sigmoid", "LogisticCalibrator", model="bayesian"),
    Calibration.of("PAV", "IsotonicCalibrator", model="bayesian"),
    *(
        Calibration.of(
            f"{n} bins", "BinningCalibrator", n_bins=n, strategy="quantile", model="bayesian"
        )
        for n in N_BINS
    ),
)
PROBABILITIES = (
    Calibration("none"),
    *_SHARED,
    Calibration.of(
        "sigmoid of log-odds", "LogisticCalibrator", model="bayesian", transform="logit"
    ),
)
MARGINS = (Calibration.of("none", "NormalizingCalibrator", method="range", rho=1.0), *_SHARED)


def _condition(source: GivenSplit, classifier: str) -> CalibrationCondition:
    words = classifier.replace(",", "").replace("= ", "").replace(".", "").split()
    return CalibrationCondition(
        key="-".join([source.name, *words]).lower(),
        source=source,
        classifier=classifier,
        methods=MARGINS if "SVM" in classifier else PROBABILITIES,
        measures=MEASURES,
        labels=LABELS,
        on_training=True,
        fixed=(("coupling", "none"),),
    )


def _pendigits(base: str) -> CodeCondition:
    return CodeCondition(
        key=f"pendigits-{base.replace(' ', '-').lower()}",
        source=SPLITS["pendigits"],
        base=base,
        boosting=(0, 10),
        codes=("one_vs_rest",),
        methods=("none", "PAV"),
        couplings=("normalization", "least squares", "iterative", "least divergence"),
        labels=LABELS,
        measures=MEASURES,
    )


_BAYES, _SVM = "naive Bayes", "SVM"
CONDITIONS: tuple[Condition, ...] = (
    *(_condition(TIC, name) for names in TIC_MEANT.values() for name in names),
    *(_condition(ADULT, name) for name in ADULT_MEANT[_BAYES]),
    *(_condition(ADULT_BINARY, name) for name in ADULT_MEANT[_SVM]),
    *(_pendigits(base) for base in BASES_OF["pendigits"]),
)


TEXT = read_prose(__file__)
ZADROZNY2002 = Study(
    name="zadrozny2002",
    title="Calibrated naive Bayes and support vector machines, of two classes and of ten",
    source="Zadrozny & Elkan (2002), Transforming classifier scores into accurate multiclass "
    "probability estimates, section 5, tables 2 to 4",
    labels=LABELS,
    measures=MEASURES,
    conditions=CONDITIONS,
    repeats=10,
    published=PRINTED_2002,
    protocol=TEXT.protocol,
    comment=TEXT.comment,
    comparisons=read_findings(__file__),
    quick=("tic-naive-bayes-ten-attributes",),
)
