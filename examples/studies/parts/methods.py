"""`Method`: calibration and fusion of classifiers that share the samples, by `EvidentialEnsemble`.

As in Xu et al. (2016), section 5, the first half of each share trains a classifier, and the second
half calibrates it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import SVC

from dstheory import MassFunction
from dstheory.checks.arguments import check_choice
from evical._typing import Floats, Indices
from evical.beliefs import as_beliefs
from evical.demo.contest import CALIBRATORS, METHODS
from evical.ensemble import EvidentialEnsemble
from evical.fusion import Rule, as_rule
from evical.fusion.conflicts import total_conflict
from examples.studies.parts.metrics import Fused
from examples.studies.parts.quiet import fit_quietly
from examples.studies.parts.shares import Shares
from examples.studies.parts.views import Views

__all__ = [
    "BY_DEMPSTERS_RULE",
    "CLASSIFIERS",
    "FUSIONS",
    "Method",
    "combine",
    "fuse",
    "train",
]


CLASSIFIERS: dict[str, Any] = {
    "rbf_svm": SVC(),
    "libsvm": SVC(gamma="auto"),  # one over the number of features
    "linear_svm": SVC(kernel="linear"),
}
"""Name to a classifier, not fitted."""

FUSIONS = (
    "dempster",
    "largest",
    "size_mixture",
    "stacked",
    "default",
    "mixing",
    "likelihood_mixture",
    "cautious",
    "learned_tnorm",
    "discounted",
    "contextually_discounted",
)
"""Names of rules of `EvidentialEnsemble`, "default" and "largest"."""

_LARGEST = "largest"
_DEFAULT = "default"


@dataclass(frozen=True)
class Method:
    """Calibration and fusion of several classifiers.

    Parameters
    ----------
    calibrator : {"binning", "isotonic", "logistic", "automatic"}
    model : str
        Evidential model of the calibrator.
    fusion : str
        The `rule` of `EvidentialEnsemble`; "largest", the classifier with the largest share, or
        the most features, alone; or "default", all of `EvidentialEnsemble` as it comes but for the
        calibrator: samples are not split into halves, but scored out of fold.

    Raises
    ------
    ValueError
        If there is no such calibrator or fusion, or the calibrator has no such model.
    """

    calibrator: str
    model: str
    fusion: str = "dempster"

    def __post_init__(self) -> None:
        for field, known in (("calibrator", CALIBRATORS), ("fusion", FUSIONS)):
            check_choice(field, getattr(self, field), known)
        CALIBRATORS[self.calibrator](model=self.model)._check_all_parameters()


BY_DEMPSTERS_RULE = tuple(
    Method(one.calibrator, one.model) for one in METHODS if one.fusion == "dempster"
)
"""All calibrators and models of Xu et al. (2016), under Dempster's rule."""


class _Halves:
    """Split samples by the last feature: where it is 0 they train, where it is 1 they calibrate.

    A feature, because a learned fusion refits classifiers to parts of their samples.
    """

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """One."""
        return 1

    def split(self, X: Floats, y: Any = None, groups: Any = None) -> Iterator[tuple[Indices, ...]]:
        """The one split."""
        yield tuple(np.flatnonzero(X[:, -1] == part) for part in (0, 1))


def _without_last(X: Floats) -> Floats:
    return X[:, :-1]


class _Rules(Rule):
    """Several rules of one ensemble, so that its classifiers are trained once for all of them.

    Parameters
    ----------
    names : tuple of str
    """

    _by_source = ()

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names

    @property
    def needs(self) -> Literal["labels", "sizes"]:
        return "labels" if any(as_rule(name).needs == "labels" for name in self.names) else "sizes"

    def _fit(
        self, masses: Any = None, y: Any = None, sizes: Any = None, sample_weight: Any = None
    ) -> Self:
        """Fit each rule that has parameters."""
        self.rules_ = {
            name: as_rule(name).fit(masses, y, sizes, sample_weight) for name in self.names
        }
        self.n_sources_ = len(sizes)
        return self

    def _check_parameters(self) -> None: ...

    def _learn(self, held_out: Any, sizes: Floats) -> None: ...

    def _fuse(self, masses: Sequence[MassFunction]) -> MassFunction:
        """By the first of them."""
        return next(iter(self.rules_.values()))(*masses)


def _chosen(X: Floats, columns: Indices) -> Floats:
    return X[:, columns]


def _untrained(drawn: Shares | Views, classifier: Any) -> tuple[list[Any], dict[str, Any]]:
    """Members of an ensemble, and how they come by samples to train and to calibrate with."""
    if isinstance(drawn, Views):
        views = [FunctionTransformer(_chosen, kw_args={"columns": c}) for c in drawn.columns]
        return [make_pipeline(view, classifier) for view in views], {}
    member = make_pipeline(FunctionTransformer(_without_last), classifier)
    return [member] * len(drawn.subsets), {"cv": _Halves(), "subsets": drawn.subsets}


def train(
    drawn: Shares | Views, classifier: str, calibrator: str, model: str, rule: Rule | str
) -> EvidentialEnsemble:
    """Train and calibrate a classifier on each share, or on each view, and fit a rule.

    Parameters
    ----------
    drawn : Shares or Views
        Halves of each share train and calibrate. Of views, all samples do both, by scores out of
        fold, which is the default of `EvidentialEnsemble`.
    classifier : str
        A name of `CLASSIFIERS`.
    calibrator : str
        A name of `CALIBRATORS`.
    model : str
    rule : Rule or str

    Returns
    -------
    EvidentialEnsemble
    """
    members, options = _untrained(drawn, CLASSIFIERS[classifier])
    ensemble = EvidentialEnsemble(
        members, calibrator=CALIBRATORS[calibrator](model=model), rule=as_rule(rule), **options
    )
    fitted: EvidentialEnsemble = fit_quietly(ensemble, drawn.X, drawn.y)
    return fitted


def fuse(drawn: Shares | Views, classifier: str, methods: Iterable[Method]) -> dict[Method, Fused]:
    """Beliefs of each method about the test samples.

    Parameters
    ----------
    drawn : Shares or Views
    classifier : str
        A name of `CLASSIFIERS`.
    methods : iterable of Method

    Returns
    -------
    dict of Method to Fused
        Methods of the same calibrator and model share their classifiers.
    """
    found: dict[Method, Fused] = {}
    groups: dict[tuple[str, str], list[Method]] = {}
    for method in methods:
        groups.setdefault((method.calibrator, method.model), []).append(method)
    for kind, group in groups.items():
        found |= {one: _by_default(drawn, classifier, *kind) for one in group if _is_default(one)}
        group = [method for method in group if not _is_default(method)]
        if not group:
            continue
        names = dict.fromkeys(method.fusion for method in group if method.fusion != _LARGEST)
        ensemble = train(drawn, classifier, *kind, _Rules(tuple(names)))
        masses = ensemble.predict_masses(drawn.X_test)
        rules: dict[str, Any] = vars(ensemble.fusion_)["rules_"]
        found |= {one: combine(drawn, masses, rules.get(one.fusion)) for one in group}
    return found


def _is_default(method: Method) -> bool:
    return method.fusion == _DEFAULT


def _by_default(drawn: Shares | Views, classifier: str, calibrator: str, model: str) -> Fused:
    """The ensemble as it comes, with this calibrator."""
    members, options = _untrained(drawn, CLASSIFIERS[classifier])
    options.pop("cv", None)
    ensemble = EvidentialEnsemble(
        members, calibrator=CALIBRATORS[calibrator](model=model), **options
    )
    fit_quietly(ensemble, drawn.X, drawn.y)
    return combine(drawn, ensemble.predict_masses(drawn.X_test), ensemble.fusion_)


def combine(
    drawn: Shares | Views, masses: list[MassFunction], rule: Callable[..., MassFunction] | None
) -> Fused:
    """Combine beliefs about the test samples, as `EvidentialEnsemble` does.

    Parameters
    ----------
    drawn : Shares or Views
    masses : list of MassFunction
        Of each classifier.
    rule : callable, optional
        A rule that is fitted; without one, the classifier with the largest share, or the most
        features, speaks alone.

    Returns
    -------
    Fused
        Vacuous where the classifiers exclude each other and the rule has no result.
    """
    if rule is None:
        masses = [masses[int(np.argmax(drawn.sizes))]]
    classes = np.array(masses[0].frame.labels)
    sources = [as_beliefs(m, classes) for m in masses]
    fitted = rule if rule is None or isinstance(rule, Rule) else as_rule(rule)
    beliefs = masses[0] if fitted is None else fitted.combine(sources, "vacuous").mass()
    conflicting = beliefs.is_vacuous
    if conflicting.any():  # vacuous beliefs that do not conflict are too
        conflicting = conflicting & total_conflict(masses)
    return Fused(drawn.y_test, beliefs.bel(1), beliefs.pl(1), conflicting)
