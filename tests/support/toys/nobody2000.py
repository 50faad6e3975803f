"""A toy: does isotonic regression have a lower error than Platt's sigmoid on simulated scores?

Nobody (2000), table 1.
"""

from examples.studies._study import Finding, PublishedTable, Study
from examples.studies.parts.calibration_condition import Calibration, CalibrationCondition
from examples.studies.parts.calibration_samples import Simulated

__all__ = ["NOBODY2000"]

LABELS = ("data", "method")
MEASURES = ("mse",)
METHODS = (
    Calibration("sigmoid", "LogisticCalibrator", (("model", "bayesian"),)),
    Calibration("PAV", "IsotonicCalibrator", (("model", "bayesian"),)),
)

CONDITIONS = tuple(
    CalibrationCondition(
        key=name,
        source=Simulated(name, train=60, test=60),
        classifier="quadratic SVM",
        methods=METHODS,
        measures=MEASURES,
        labels=LABELS,
    )
    for name in ("circular", "XOR")
)

NOBODY2000 = Study(
    name="nobody2000",
    title="Isotonic regression beside a sigmoid, on simulated scores",
    source="Nobody (2000), table 1",
    labels=LABELS,
    measures=MEASURES,
    conditions=CONDITIONS,
    repeats=2,
    published=(
        PublishedTable(
            "Table 1",
            "mse",
            rows=("data",),
            columns=("method",),
            where={},
            values={("circular", "sigmoid"): 0.2, ("circular", "PAV"): 0.2},
            digits=2,
        ),
    ),
    protocol=("Scores of 60 samples are calibrated; 60 others measure them.",),
    comparisons=(
        Finding(
            "PAV has a lower MSE than the sigmoid", "mse", "method", "PAV", "sigmoid", by=("data",)
        ),
    ),
    quick=("circular",),
)
