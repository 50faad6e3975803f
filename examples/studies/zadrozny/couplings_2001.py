"""Three codes and their couplings for boosted naive Bayes: Zadrozny (2001).

Does an iterative coupling turn the answers of binary problems into good probabilities of all
classes, and does that cost errors against decoding? Source: section 5, tables 2 and 3, figure 1.
"""

from examples.studies._beside import read_findings, read_prose
from examples.studies._study import Curve, Study
from examples.studies.parts.calibration_samples import GivenSplit
from examples.studies.zadrozny._condition import STOPPED, CodeCondition
from examples.studies.zadrozny._published import BASES_OF, BOOSTED, PRINTED_2001

__all__ = ["SPLITS", "ZADROZNY2001"]

LABELS = ("data", "base", "learner", "code", "coupling", "steps")
MEASURES = ("error", "mse", "log_loss")
COUPLINGS = (
    "loss -y",
    "loss exp(-y)",
    "non-iterative",
    "iterative",
    "least divergence",
    "least squares",
)
STEPS = (0, 1, 2, 3, 5, 7, 10, 15, 20, 25, 30, 35)

SPLITS = {
    "satimage": GivenSplit("satimage", "satimage_train", "satimage_test"),
    "pendigits": GivenSplit("pendigits", "pendigits_train", "pendigits_test", redraw="test"),
    "soybean": GivenSplit("soybean", "soybean_train", "soybean_test"),
}


def _condition(data: str, base: str) -> CodeCondition:
    return CodeCondition(
        key=f"{data}-{base.replace(' ', '-').lower()}",
        source=SPLITS[data],
        base=base,
        boosting=(10,),
        codes=("all_pairs", "one_vs_rest", "sparse"),
        methods=("none",),
        couplings=COUPLINGS,
        labels=LABELS,
        measures=MEASURES,
        # Figure 1 is of satimage.
        steps=STEPS if data == "satimage" else (),
        multiclass=True,
    )


TEXT = read_prose(__file__)
ZADROZNY2001 = Study(
    name="zadrozny2001",
    title="Codes and couplings of boosted naive Bayes",
    source="Zadrozny (2001), Reducing multiclass to binary by coupling probability estimates, "
    "section 5, tables 2 and 3, figure 1",
    labels=LABELS,
    measures=MEASURES,
    conditions=tuple(_condition(data, base) for data, bases in BASES_OF.items() for base in bases),
    repeats=10,
    published=PRINTED_2001,
    protocol=TEXT.protocol,
    comment=TEXT.comment,
    comparisons=read_findings(__file__),
    curves=(
        Curve(
            name="iterations",
            title="The printed algorithm, stopped early: satimage (figure 1)",
            measure="mse",
            x="steps",
            line="code",
            panel="base",
            where={"data": "satimage", "learner": BOOSTED, "coupling": STOPPED},
            x_name="iterations",
            y_name="MSE",
        ),
    ),
    quick=("satimage-ten-bins",),
)
