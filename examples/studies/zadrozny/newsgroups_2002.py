"""Calibrated naive Bayes of twenty classes of text: Zadrozny & Elkan (2002).

Does calibration of the columns of one against all help probabilities of many classes? Source:
section 5.2, table 5.
"""

from examples.studies._beside import read_findings, read_prose
from examples.studies._study import Study
from examples.studies.parts.calibration_samples import RandomSplit
from examples.studies.zadrozny._condition import CodeCondition
from examples.studies.zadrozny._published import PRINTED_NEWSGROUPS, WORDS

__all__ = ["NEWSGROUPS", "ZADROZNY2002_NEWSGROUPS"]

LABELS = ("base", "method", "coupling")
MEASURES = ("mse", "error", "log_loss")
NEWSGROUPS = RandomSplit("20 Newsgroups", "newsgroups20_bow", 0.8)


def _condition(base: str) -> CodeCondition:
    return CodeCondition(
        key=base.replace(",", "").replace(".", "").replace(" ", "-"),
        source=NEWSGROUPS,
        base=base,
        boosting=(0,),
        codes=("one_vs_rest",),
        methods=("none", "PAV", "PAV of log-odds"),
        couplings=("normalization", "least squares", "iterative", "least divergence"),
        labels=LABELS,
        measures=MEASURES,
    )


TEXT = read_prose(__file__)
ZADROZNY2002_NEWSGROUPS = Study(
    name="zadrozny2002-newsgroups",
    title="Calibrated naive Bayes of twenty newsgroups",
    source="Zadrozny & Elkan (2002), Transforming classifier scores into accurate multiclass "
    "probability estimates, section 5.2, table 5",
    labels=LABELS,
    measures=MEASURES,
    conditions=tuple(_condition(base) for base in WORDS),
    repeats=10,
    published=PRINTED_NEWSGROUPS,
    protocol=TEXT.protocol,
    comment=TEXT.comment,
    comparisons=read_findings(__file__),
    quick=("presence-of-words",),
)
