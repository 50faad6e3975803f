"""`Protocol`: what an experiment does, as data that can be shown, saved and varied.

The paper's experiments differ in data, shares and methods only, so each is a value of one
type, and one runner carries them all out (Xu et al. 2016, section 5).
"""

from dataclasses import dataclass
from fractions import Fraction

from dstheory.kernels.arguments import check_choice, check_count
from evical.studies.parts._fusion import FUSIONS, LEARNED
from evical.studies.parts.sources import CALIBRATORS, CLASSIFIERS

__all__ = ["TEN_CLASSIFIERS", "Method", "Protocol"]

_PROPER_NAMES = {"bayesian": "Bayesian", "dempster": "Dempster"}


@dataclass(frozen=True)
class Method:
    """One way to one belief from several classifiers: a row of the table.

    Parameters
    ----------
    calibrator : {"binning", "isotonic", "logistic"}
    model : str
        Evidential model of the calibrator.
    fusion : {"dempster", "largest", "weighted_mean", "stacked"}
        Dempster's rule; the classifier with the largest share alone; the mean of all, weighted
        by their shares; or weights of evidence learned from held-out beliefs.

    Raises
    ------
    ValueError
        If there is no such calibrator or fusion, or the calibrator has no such model.

    Examples
    --------
    >>> print(Method("logistic", "inverse_pignistic"))
    logistic, inverse pignistic, Dempster's rule
    """

    calibrator: str
    model: str
    fusion: str = "dempster"

    def __post_init__(self) -> None:
        for field, known in (("calibrator", CALIBRATORS), ("fusion", {**FUSIONS, **LEARNED})):
            check_choice(field, getattr(self, field), known)
        CALIBRATORS[self.calibrator](self.model)._check_parameters()

    @property
    def model_name(self) -> str:
        """The model in words."""
        return _PROPER_NAMES.get(self.model, self.model.replace("_", " "))

    @property
    def fusion_name(self) -> str:
        """The fusion in words."""
        return LEARNED.get(self.fusion) or FUSIONS[self.fusion].name

    def __str__(self) -> str:
        return f"{self.calibrator}, {self.model_name}, {self.fusion_name}"


@dataclass(frozen=True)
class Protocol:
    """A study of classifier fusion on random splits of one data set.

    Parameters
    ----------
    name : str
    shares : tuple of Fraction
        Part of the training data that each classifier gets; they sum to 1.
    methods : tuple of Method
    max_train : int
        Size of the training set, or half the data if that is less; all other samples test.
    classifier : {"rbf_svm", "libsvm", "linear_svm"}
    repeats : int
        Number of random splits.
    seed : int

    Raises
    ------
    ValueError
        If a value is not as above.

    Examples
    --------
    >>> TEN_CLASSIFIERS.train_size(690), TEN_CLASSIFIERS.train_size(200)
    (300, 100)
    """

    name: str
    shares: tuple[Fraction, ...]
    methods: tuple[Method, ...]
    max_train: int = 300
    classifier: str = "rbf_svm"
    repeats: int = 50
    seed: int = 0

    def __post_init__(self) -> None:
        if sum(self.shares) != 1 or min(self.shares) <= 0:
            raise ValueError(f"shares are {self.shares}, expected positive parts that sum to 1")
        check_choice("classifier", self.classifier, CLASSIFIERS)
        if not self.methods:
            raise ValueError("there are no methods; a protocol compares at least one")
        check_count("repeats", self.repeats, 1)
        check_count("seed", self.seed, 0)

    def train_size(self, n_samples: int) -> int:
        """Number of training samples out of all."""
        check_count("n_samples", n_samples, 1)
        return min(self.max_train, n_samples // 2)


def _methods() -> tuple[Method, ...]:
    models = ("bayesian", "inverse_pignistic", "dempster", "confidence", "likelihood")
    binomial = [Method(name, model) for name in ("binning", "isotonic") for model in models]
    # Dempster's model is one of a binomial proportion; a sigmoid has none.
    logistic = [Method("logistic", model) for model in models if model != "dempster"]
    simple = [Method("logistic", "bayesian", fusion) for fusion in ("largest", "weighted_mean")]
    return (*binomial, *logistic, Method("logistic", "likelihood", "stacked"), *simple)


TEN_CLASSIFIERS = Protocol(
    name="Ten classifiers of very unequal size",
    # Xu et al. (2016), section 5.2 and figure 12 (c).
    shares=(Fraction(2, 3), Fraction(1, 5), *[Fraction(1, 60)] * 8),
    methods=_methods(),
)
"""Scenario (c) of Xu et al. (2016), section 5.2, with stacking and two simple ways."""
