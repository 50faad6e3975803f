"""Which fusion? Fixed and learned ways from ten calibrated classifiers to one belief.

Xu et al. (2016), section 5.2, compare models of calibration under Dempster's rule. Whether that
rule is the one to take is another question: shares of five samples still speak, if with a low
voice. Here every fusion that an ensemble offers is tried on the same classifiers.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import StandardScaler

from dstheory import MassFunction
from dstheory.errors import TotalConflictError
from evical.datasets import Dataset
from evical.estimators.members import total_conflict, vacuous_where
from evical.fusion import BaseFusion, named_fusion
from evical.metrics import coverage_test
from evical.studies._study import Contest, Overview, Record, Study, repeat_rng
from evical.studies.parts.held_out import known_and_new, train_learning_source
from evical.studies.parts.metrics import METRICS, Fused
from evical.studies.parts.shares import draw_shares
from evical.studies.which_fusion._text import COMMENT, COMMENT_PAPER, PROTOCOL
from evical.studies.xu2016.ten import SCENARIOS

__all__ = ["FUSED", "WHICH_FUSION", "WHICH_FUSION_PAPER", "FusedTen", "combine"]

Masses = list[MassFunction]

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

REFERENCES = tuple(FUSED)[:4]
"""The simple ways of which a recommended one should not be worse than the best."""

MEASURES = (*(metric.key for metric in METRICS), "covered", "refuted")

_LEVEL = 0.05


@dataclass(frozen=True)
class FusedTen:
    """Ten classifiers on a data set, calibrated in one way, combined in all.

    Parameters
    ----------
    data : str
    scenario : {"a", "b", "c"}
        Shares, see `SCENARIOS`.
    kernel : {"rbf", "linear"}
    calibrator : {"logistic", "isotonic", "binning"}
    n_train : int
        Samples for all classifiers together.
    test_file : bool
        Whether the test set is a file of its own; else it is all samples not drawn.
    """

    data: str
    scenario: str
    kernel: str
    calibrator: str
    n_train: int
    test_file: bool = False

    @property
    def key(self) -> str:
        return f"{self.data}-{self.scenario}-{self.kernel}-{self.calibrator}"

    @property
    def datasets(self) -> tuple[str, ...]:
        return (f"{self.data}_train", f"{self.data}_test") if self.test_file else (self.data,)

    def run_repeat(self, data: Mapping[str, Dataset], number: int, seed: int) -> list[Record]:
        # Of the data alone: all scenarios, kernels and calibrators see the same samples.
        rng = repeat_rng(self.data, number, seed)
        sets = [data[name] for name in self.datasets]
        drawn = draw_shares(sets, self.n_train, SCENARIOS[self.scenario], StandardScaler, rng)
        sources = [
            train_learning_source(KERNELS[self.kernel], drawn.X, drawn.y, pair, drawn.X_test)
            for pair in drawn.halves
        ]
        beliefs = {}
        for model in dict.fromkeys(model for model, _ in FUSED.values()):
            pairs = [known_and_new(self.calibrator, model, one) for one in sources]
            beliefs[model] = [known for known, _ in pairs], [new for _, new in pairs]
        rows: list[Record] = []
        for name, (model, fusion) in FUSED.items():
            known, new = beliefs[model]
            labels = (self.data, self.scenario, self.kernel, self.calibrator, name)
            result = combine(fusion, known, drawn.y, drawn.sizes, new)
            rows.append((labels, _measure(result, drawn.y_test)))
        return rows


def combine(
    name: str, known: Masses, y: NDArray[np.intp], sizes: Sequence[int], new: Masses
) -> tuple[MassFunction, NDArray[np.bool_]]:
    """Learn a fusion from held-out beliefs, and apply it to new ones.

    Parameters
    ----------
    name : str
        "largest", or as `evical.fusion.named_fusion`.
    known : list of MassFunction
        Of each source about the training samples, see `known_and_new`.
    y : (n,) array
        Labels of the training samples.
    sizes : sequence of int
        Of the shares.
    new : list of MassFunction
        Of each source about the test samples.

    Returns
    -------
    MassFunction
        Vacuous where the sources exclude each other.
    (n_test,) array of bool
        Where they do, and the fusion has no result for that.
    """
    none = np.zeros(new[0].batch_shape, dtype=bool)
    if name == "largest":
        return new[int(np.argmax(sizes))], none
    fusion: Callable[..., MassFunction] = named_fusion(name)
    if isinstance(fusion, BaseFusion):
        fusion.fit(known, y, sizes)
    try:
        return fusion(*new), none
    except TotalConflictError:
        dead = total_conflict(new)
        return vacuous_where(dead, fusion, new), dead


def _measure(
    result: tuple[MassFunction, NDArray[np.bool_]], y: NDArray[np.intp]
) -> tuple[float, ...]:
    fused, dead = result
    one = Fused(y, bel=fused.bel(1), pl=fused.pl(1), conflicting=dead)
    test = coverage_test(y, np.stack([one.bel, one.pl], axis=1), strategy="quantile")
    return (*(metric.measure(one) for metric in METRICS), test.share, float(test.pvalue < _LEVEL))


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

_CONDITIONS = tuple(
    FusedTen(name, scenario, kernel, calibrator, n_train, test_file)
    for name, (n_train, test_file) in _DATA.items()
    for kernel in KERNELS
    for scenario in SCENARIOS
    for calibrator in CALIBRATORS
)

WHICH_FUSION = Study(
    name="which_fusion",
    title="Which fusion?",
    source="A study of this package, after Xu, Davoine, Zha & Denœux (2016), Evidential "
    "calibration of binary SVM classifiers, International Journal of Approximate Reasoning 72, "
    "55-70, section 5.2",
    labels=("data", "scenario", "kernel", "calibrator", "fusion"),
    measures=MEASURES,
    conditions=_CONDITIONS,
    repeats=20,
    protocol=PROTOCOL,
    comment=COMMENT,
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
    quick=("heart-c-rbf-logistic", "heart-a-rbf-isotonic", "heart-b-linear-binning"),
)
"""Every fusion on every data set, in every scenario."""

# The cells of the paper's table 2, with more repeats than all settings together have had.
_PAPER = ("adult_a9a", "australian", "diabetes")
_PAPER_CONDITIONS = tuple(
    condition
    for condition in _CONDITIONS
    if condition.data in _PAPER and condition.kernel == "rbf" and condition.calibrator == "logistic"
)

WHICH_FUSION_PAPER = replace(
    WHICH_FUSION,
    name="which_fusion_paper",
    title="Which fusion, on the data sets of the paper's table 2?",
    conditions=_PAPER_CONDITIONS,
    repeats=100,
    comment=COMMENT_PAPER,
    overviews=tuple(
        replace(one, title="Each setting", by=("data", "scenario"))
        for one in WHICH_FUSION.overviews
    ),
    quick=("australian-c-rbf-logistic",),
)
"""Every fusion in the nine settings of the paper, over a hundred splits."""
