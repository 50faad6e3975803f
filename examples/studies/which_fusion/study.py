"""Which fusion? Fixed and learned ways from ten calibrated classifiers to one belief.

Xu et al. (2016), section 5.2, compare models of calibration under Dempster's rule. Whether that
rule is the one to take is another question. Here every fusion that an ensemble offers is tried on
the same classifiers.
"""

from dataclasses import replace
from itertools import product, starmap

from examples.studies._beside import read_prose
from examples.studies._study import Contest, Overview, Study
from examples.studies.parts.fusion_condition import SCENARIOS, FeatureCondition, FusionCondition
from examples.studies.parts.methods import Method
from examples.studies.parts.metrics import METRICS
from examples.studies.parts.views import VIEWS

__all__ = ["ALL_FEATURES", "FUSED", "WHICH_FUSION", "WHICH_FUSION_PAPER"]

KERNELS = {"rbf": "rbf_svm", "linear": "linear_svm"}
CALIBRATORS = ("logistic", "isotonic", "binning")

# Model of the calibrators and fusion of each method; all learned fusions take any beliefs but
# t-norms, which take no probabilities.
FUSED: dict[str, tuple[str, str]] = {
    "Bayesian, Dempster": ("bayesian", "dempster"),
    "likelihood, Dempster": ("likelihood", "dempster"),
    "size-weighted mean of probabilities": ("bayesian", "size_mixture"),
    "largest alone": ("bayesian", "largest"),
    "mean of masses": ("likelihood", "mixing"),
    "size-weighted mean of masses": ("likelihood", "size_mixture"),
    "likelihood-weighted mean of masses": ("likelihood", "likelihood_mixture"),
    "cautious rule": ("likelihood", "cautious"),
    "learned t-norm": ("likelihood", "learned_tnorm"),
    "discounted, Dempster": ("likelihood", "discounted"),
    "contextually discounted, Dempster": ("likelihood", "contextually_discounted"),
    "stacked": ("likelihood", "stacked"),
    "stacked, Bayesian": ("bayesian", "stacked"),
}
"""Name of a method to the model of its calibrators and its fusion."""

ALL_FEATURES = "one of all features"
"""Beside members with different features: one classifier that sees all of them."""

REFERENCES = tuple(FUSED)[:4]
"""The simple ways of which a recommended one should not be worse than the best."""

MEASURES = (*METRICS, "covered", "refuted")


_DATA = {
    "adult_a9a": (600, True),
    "australian": (300, False),
    "breast_cancer_wisconsin": (300, False),
    "diabetes": (300, False),
    "german_numeric": (300, False),
    "heart": (135, False),
    "ionosphere": (175, False),
    "liver_disorders": (172, False),
    "sonar": (104, False),
}
"""Data set to its training samples, at most half of all, and whether the test is a file."""


def _condition(data: str, kernel: str, scenario: str, calibrator: str) -> FusionCondition:
    n_train, test_file = _DATA[data]
    labels = (data, scenario, kernel, calibrator)
    return FusionCondition(
        key="-".join(labels),
        datasets=(f"{data}_train", f"{data}_test") if test_file else (data,),
        # Of the data alone: all scenarios, kernels and calibrators see the same samples.
        stream=data,
        scenario=scenario,
        n_train=n_train,
        classifier=KERNELS[kernel],
        scaler="standard",
        methods=tuple(
            ((*labels, name), Method(calibrator, model, fusion))
            for name, (model, fusion) in FUSED.items()
        ),
        measures=MEASURES,
    )


def _on_features(data: str, kernel: str, scenario: str) -> FeatureCondition:
    """Members that see some features; calibrated by default, so that "stacked" is the default."""
    n_train, test_file = _DATA[data]
    labels = (data, VIEWS[scenario], kernel, "automatic")
    return FeatureCondition(
        key=f"{data}-{scenario}-{kernel}-automatic",
        datasets=(f"{data}_train", f"{data}_test") if test_file else (data,),
        stream=data,
        scenario=scenario,
        n_train=n_train,
        classifier=KERNELS[kernel],
        scaler="standard",
        methods=tuple(
            ((*labels, name), Method("automatic", model, fusion))
            for name, (model, fusion) in FUSED.items()
        ),
        whole=(*labels, ALL_FEATURES),
        measures=MEASURES,
        every=5,
    )


TEXT = read_prose(__file__)
WHICH_FUSION = Study(
    name="which_fusion",
    title="Which fusion?",
    source="A study of this package, after Xu, Davoine, Zha & Denœux (2016), Evidential "
    "calibration of binary SVM classifiers, International Journal of Approximate Reasoning 72, "
    "55-70, section 5.2",
    labels=("data", "scenario", "kernel", "calibrator", "fusion"),
    measures=MEASURES,
    conditions=(
        *starmap(_condition, product(_DATA, KERNELS, SCENARIOS, CALIBRATORS)),
        *starmap(_on_features, product(_DATA, KERNELS, VIEWS)),
    ),
    repeats=100,
    protocol=TEXT.protocol,
    comment=TEXT.comment,
    overviews=(
        Overview(
            "All measures",
            "fusion",
            {
                "error_rate": ("error %", 100, 1),
                "brier": ("Brier", 1, 4),
                "log_loss": ("log loss", 1, 3),
                "imprecision": ("Pl − Bel", 1, 3),
                "covered": ("covered %", 100, 0),
                "refuted": ("refuted %", 100, 0),
                "total_conflict": ("conflict %", 100, 1),
            },
            by=("calibrator",),
        ),
    ),
    contests=tuple(
        Contest(title, measure, "fusion", REFERENCES, ("calibrator",), scale, digits)
        for title, measure, scale, digits in (
            ("Error rate in %", "error_rate", 100, 2),
            ("Brier score", "brier", 1, 4),
            ("Log loss", "log_loss", 1, 3),
        )
    ),
    quick=(
        "heart-c-rbf-logistic",
        "heart-a-rbf-isotonic",
        "heart-b-linear-binning",
        "heart-disjoint-linear-automatic",
    ),
)
"""Every fusion on every data set, in every scenario."""

# The cells of the paper's table 2, with more repeats than all settings together have had.
_PAPER = ("adult_a9a", "australian", "diabetes")

WHICH_FUSION_PAPER = replace(
    WHICH_FUSION,
    name="which_fusion_paper",
    title="Which fusion, on the data sets of the paper's table 2?",
    conditions=tuple(starmap(_condition, product(_PAPER, ["rbf"], SCENARIOS, ["logistic"]))),
    repeats=40,
    comment=read_prose(__file__, "paper.md").comment,
    overviews=tuple(
        replace(one, title="Each setting", by=("data", "scenario"))
        for one in WHICH_FUSION.overviews
    ),
    quick=("australian-c-rbf-logistic",),
)
"""Every fusion in the nine settings of the paper, over forty splits."""
