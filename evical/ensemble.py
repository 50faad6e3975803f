"""`EvidentialEnsemble`: several classifiers whose beliefs are combined by a rule.

Each classifier is trained and calibrated on its own, so its mass function shows how much its
calibration data show (Xu et al. 2016, section 5). By default the fusion is learned: from
held-out beliefs it learns the weights of the classifiers' evidence. Dempster's rule, which assumes
independent classifiers, or any other rule can be named instead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import get_config
from sklearn.base import clone
from sklearn.ensemble import VotingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.utils import Bunch, _safe_indexing, get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.validation import _num_samples, check_is_fitted

from dstheory import MassFunction
from evical._fitting import Progress, all_or_nothing, check_declared, check_verbose
from evical._typing import Floats, RuleName, SamplesLike, Weights
from evical.beliefs.products import MAX_CLASSES
from evical.calibrators import AutoCalibrator
from evical.classifier import EvidentialClassifier
from evical.estimators.given import Uncalibrated
from evical.estimators.held_out import (
    Samples,
    Share,
    available_rows,
    check_refittable,
    fit_rule,
    learned_by_name,
)
from evical.estimators.members import Composition, as_subsets, fit_member, named_members
from evical.estimators.predictor import (
    BeliefPredictor,
    FusedPredictor,
    asking_for_weights,
    plain,
)
from evical.fusion import Consensus, Rule, as_rule
from evical.multiclass.by_name import CalibratorChoice
from evical.scores.checks import as_column, check_groups, check_samples, missing
from evical.scores.direction import Direction, wrong_ways
from evical.source import EvidentialSource

__all__ = ["EvidentialEnsemble"]

_ROWS = 50  # on which rules on canonical weights are tried, which not all beliefs have


@dataclass(eq=False, repr=False)
class EvidentialEnsemble(FusedPredictor, Composition):
    """An ensemble of classifiers whose belief functions are combined.

    Parameters
    ----------
    estimators : list of classifiers, or of (name, classifier) pairs
        Each is wrapped in an `EvidentialClassifier` with ``ensemble="auto"``, unless it is one, or
        predicts beliefs itself, as those of `evical.learners` do.
        Wrap a fitted classifier in `sklearn.frozen.FrozenEstimator`: `fit` then only calibrates it,
        and uses a frozen `EvidentialClassifier` unchanged; without labels of all samples, which the
        rule "consensus" permits, it takes all probabilities unchanged. Classes that all of
        them know and `y` lacks are kept, see `EvidentialClassifier`. "drop" in place of a
        classifier leaves it out, also by ``set_params(name="drop")``.
    calibrator : calibrator or str, optional
        For those that are wrapped; see `EvidentialClassifier`. The default, "auto", is
        `AutoCalibrator`, which with more than two classes calibrates each one against the rest.
    rule : callable or str
        A fusion of `evical.fusion` or its name, the name of a rule in `dstheory.combine`, or a
        function ``rule(*masses)``. The default, "stacked", learns the weights of the classifiers'
        evidence, so they may share data and repeat each other. "dempster" is for independent
        classifiers only: where they are not, it is overconfident.
    cv : int, splitter, iterable of (train, test) or None
        For those that are wrapped; see `EvidentialClassifier`.
    subsets : list of index arrays, optional
        Disjoint rows of the data on which each classifier is trained, dropped ones too, with all
        classes in each. By default each classifier gets all the data. The rule "stacked"
        calibrates each on all other rows if these are more; rules that combine masses, which take
        classifiers for independent, on its own rows alone.
    total_conflict : {"error", "vacuous"}
        What to do if classifiers are in total conflict, where Dempster's rule has no result: raise,
        or predict the vacuous mass function. Only calibrators that give masses of exactly 1, such
        as the Bayesian isotonic one, can cause it.
    n_jobs : int, optional
        Number of classifiers fitted in parallel, see `joblib.Parallel`.
    verbose : int or bool
        Above 0, `fit` prints a line with the time for each classifier, and for each refitted copy;
        above 1, also for each fold of the wrapped classifiers.

    Attributes
    ----------
    classes_ : (K,) array
    estimators_ : list of fitted EvidentialClassifier
        Without those that are dropped.
    named_estimators_ : `sklearn.utils.Bunch`
        The same by name; without names, ``classifier0``, ``classifier1`` and so on.
    fusion_ : callable
        The rule, fitted if it is a fusion with parameters.
    fusion_by_name_ : dict
        What the fusion learned, such as ``weights_``, by the names of the classifiers.
    n_features_in_, feature_names_in_
        Those of the first fitted classifier, if it has them.

    See Also
    --------
    EvidentialClassifier : one classifier.
    EvidentialSource : a classifier on some columns, silent on some rows, or of merged classes.
    EvidentialFusion : sources without classifiers.
    evical.fusion : rules with parameters.

    Notes
    -----
    "stacked" weighs evidence (`evical.fusion.Stacked`): weights of 1 are Dempster's rule, and
    classifiers that err, or repeat others, get less. Its intervals are those of the fused
    probability. Dempster's rule itself is for independent sources. Classifiers trained and
    calibrated on disjoint `subsets` come close to that; the more data they share, the more
    overconfident the combination is.

    Evidential classifiers are used without recalibration. The learned fusion weights them on
    samples that copies of them have not seen, so one that memorizes its training samples does
    no harm. Dempster's rule, and all others that learn nothing, trust it: calibrate it then by
    wrapping it in an `EvidentialClassifier`. Never freeze one that was trained on the samples
    of `fit`.

    Under ``total_conflict="vacuous"``, a row in total conflict is vacuous,
    ``predict_mass(X).is_vacuous``; `conflict` shows how much the classifiers disagree.

    A fusion learns from beliefs about samples that are new to the classifier. Rows outside its
    subset are new. Beliefs about its own rows come from the out-of-fold scores on which it is
    calibrated, so nothing is trained twice; a calibrator of your own (the default one is smooth)
    is fitted again without each fold. Classifiers with codes, or calibrated fold by fold, are
    refitted in five folds (fewer if a class is rare); if too few rows of a class are left, the
    belief is vacuous. `cv` must be a number or a splitter. A frozen `EvidentialClassifier` predicts
    all rows as it is. Sizes are the numbers (or total weights) of the rows of each classifier.

    References
    ----------
    Xu, Davoine, Zha & Denoeux (2016), Int. J. Approx. Reasoning 72, 55-70, section 5.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import RidgeClassifier
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> ensemble = EvidentialEnsemble([("nb", GaussianNB()), ("ridge", RidgeClassifier())], cv=3)
    >>> ensemble.fit(X[::2], y[::2]).predict_interval(X[1:3]).shape
    (2, 2)
    >>> bool((ensemble.conflict(X[1::2]) < 1).all())
    True
    """

    estimators: Any
    _: KW_ONLY
    calibrator: CalibratorChoice | Literal["latent"] = None
    rule: Rule | RuleName | Callable[..., MassFunction] = "stacked"
    cv: Any = None
    subsets: Any = None
    total_conflict: Literal["error", "vacuous"] = "error"
    n_jobs: int | None = None
    verbose: int = 0

    @all_or_nothing
    def fit(
        self, X: SamplesLike, y: Any = None, sample_weight: Weights = None, **fit_params: Any
    ) -> Self:
        """Train and calibrate each classifier, and fit the fusion if it has parameters.

        Reversed scores give one `WrongWayWarning`, of the clearest.

        Parameters
        ----------
        X : (n, n_features) array, data frame or sparse matrix
        y : (n,) array, optional
            Labels of two or more classes, of any kind. The rule "consensus" fuses frozen members
            without labels, or with those of some samples, None or NaN for the others.
        sample_weight : (n,) array, optional
            Non-negative weights.
        **fit_params
            ``groups`` (n,) that all folds keep together, see `EvidentialClassifier.fit`; with
            scikit-learn's metadata routing enabled, what the classifiers request.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If `subsets` overlap, are out of range, or miss a class; as `EvidentialClassifier`, for
            each classifier; as the fusion, or if there are too few samples to hold any out for it;
            if there are too many classes to predict.
        """
        self._fit_and_warn(X, y, sample_weight, fit_params)
        if isinstance(self.fusion_, Consensus):
            self.fusion_.warn_of_contradictions(list(map(repr, self.named_estimators_)))
            self.fusion_.warn_of_few_labels()
        return self

    def _weightless(self) -> list[str]:
        open_members = [m for m in self._members().values() if not isinstance(m, FrozenEstimator)]
        return [name for member in open_members for name in member._weightless()]

    def _wrong_ways(self) -> list[Direction]:
        return [found for member in self.estimators_ for found in wrong_ways(member)]

    def _fit(
        self, X: SamplesLike, y: Any, sample_weight: Weights = None, **fit_params: Any
    ) -> None:
        members = self._members()
        check_declared(self)
        fusion = self._checked_fusion(members)
        if fusion.needs == "beliefs" and (y is None or missing(as_column(y)).any()):
            self._fit_frozen(fusion, X, y, sample_weight, fit_params)
            return
        X, y, weight = check_samples(X, y, sample_weight, fit_params.get("groups"))
        self.classes_ = np.unique(y)
        groups = fit_params.get("groups")
        if groups is not None:
            groups = fit_params["groups"] = check_groups(groups, len(y))
        self._check_cost(members, fusion, X, y, groups)
        names = [name for name, _ in self._pairs]
        rows_of = dict(zip(names, as_subsets(self.subsets, names, y), strict=True))
        subsets = [rows_of[name] for name in members]
        params = self._routed(list(members), weight, fit_params)
        progress = Progress(type(self).__name__, self.verbose)
        beyond = [_beyond(fusion, rows, y, weight) for rows in subsets]
        each = zip(members.items(), subsets, beyond, strict=True)
        tasks = [
            (name, (name, clone(member), X, y, rows, params[name], others))
            for (name, member), rows, others in each
        ]
        found = progress.each(fit_member, tasks, self.n_jobs)
        self.estimators_ = [member for member, _ in found]
        self._take_classes(list(members))
        self.named_estimators_ = Bunch(**dict(zip(members, self.estimators_, strict=True)))
        every = np.arange(len(y))
        owned = [
            available_rows(member, X, every if rows is None else rows)
            for member, rows in zip(self.estimators_, subsets, strict=True)
        ]
        parts = zip(members.items(), found, owned, params.values(), strict=True)
        shares = [Share(*named, *fitted, rows, own) for named, fitted, rows, own in parts]
        fit_rule(fusion, shares, Samples(X, y, weight, groups), self.n_jobs, progress)
        fusion.check(partial(self._some_masses, X))
        self.fusion_ = fusion
        self.fusion_by_name_ = learned_by_name(fusion, list(members))
        self._take_features(self.estimators_[0])

    def _fit_frozen(
        self, fusion: Rule, X: SamplesLike, y: Any, weight: Weights, fit_params: dict[str, Any]
    ) -> None:
        """Fuse fitted members without labels, or with those of some samples."""
        lacking = "y is None" if y is None else f"y[{np.argmax(missing(as_column(y)))}] is missing"
        for name, value in {"subsets": self.subsets, **fit_params}.items():
            if value is not None:
                raise ValueError(f"{lacking}, so members are not trained; leave out {name}")
        members = {
            name: _unchanged(name, classifier, lacking) for name, classifier in self._used_pairs
        }
        self.estimators_ = list(members.values())
        self.classes_ = self.estimators_[0].classes_
        self._take_classes(list(members))
        self.named_estimators_ = Bunch(**members)
        sources = [plain(member).beliefs(X) for member in self.estimators_]
        self.fusion_ = fusion._fit(sources, y, None, weight)
        self.fusion_by_name_ = learned_by_name(fusion, list(members))
        self._take_features(self.estimators_[0])

    def _check_cost(
        self,
        members: dict[str, Any],
        rule: Rule,
        X: SamplesLike,
        y: ArrayLike,
        groups: ArrayLike | None,
    ) -> None:
        """Refuse, before training, what could not be predicted because of too many classes."""
        products: dict[str, int] = {}
        if len(self.classes_) > MAX_CLASSES:
            for name, member in members.items():
                number = plain(member)._n_products_for(name, rule, X, y, groups)
                if number is not None:
                    products[name] = number
        rule.check_cost(len(self.classes_), len(members), products)

    def _checked_fusion(self, members: dict[str, Any]) -> Rule:
        fusion = as_rule(self.rule)
        if fusion.learns:
            for name, member in members.items():
                check_refittable(name, member)
        return fusion

    def _some_masses(self, X: SamplesLike) -> list[MassFunction]:
        """Beliefs of the members about a few rows."""
        return self.predict_masses(_safe_indexing(X, np.arange(min(_ROWS, _num_samples(X)))))

    def _members(self) -> dict[str, Any]:
        """Classifiers by name, each with beliefs for predictions."""
        check_verbose(self.verbose)
        pairs = named_members(self.estimators)
        self._validate_names([name for name, _ in pairs])
        if not self._used_pairs:
            raise ValueError("all classifiers are dropped; an ensemble needs one")
        return {name: self._evidential(classifier) for name, classifier in self._used_pairs}

    def _evidential(self, classifier: object) -> Any:
        if isinstance(classifier, EvidentialSource):
            own = self._evidential(classifier.estimator)
            return clone(classifier).set_params(estimator=own)
        if isinstance(plain(classifier), BeliefPredictor):
            return classifier
        automatic = self.calibrator is None or self.calibrator == "auto"
        wrapped = EvidentialClassifier(
            classifier,
            calibrator=self._default_calibrator() if automatic else self.calibrator,
            cv=self.cv,
            ensemble="auto",
            total_conflict=self.total_conflict,
            verbose=max(0, self.verbose - 1),
        )
        return asking_for_weights(wrapped)

    def _default_calibrator(self) -> Any:
        """None, the default of a classifier, for rules that read probabilities only.

        Other rules combine the sets of classes, of which one against the rest has one product.
        """
        rule = as_rule(self.rule)
        reads = rule.learns and rule.reads(2) == "probabilities"
        return None if reads else AutoCalibrator()

    def _routed(
        self, names: list[str], weight: Floats | None, fit_params: dict[str, Any]
    ) -> dict[str, dict[str, Any]]:
        """Arguments of the `fit` of each classifier."""
        if get_config()["enable_metadata_routing"]:
            routed = process_routing(self, "fit", sample_weight=weight, **fit_params)
            return {name: dict(routed[name].fit) for name in names}
        shared = {"groups": fit_params.pop("groups")} if "groups" in fit_params else {}
        if fit_params:
            raise TypeError(
                f"fit takes {', '.join(fit_params)} only with metadata routing: "
                "sklearn.set_config(enable_metadata_routing=True)"
            )
        if weight is not None:
            shared["sample_weight"] = weight
        return dict.fromkeys(names, shared)

    def _take_classes(self, names: Sequence[str]) -> None:
        """All classes: those of `y`, and others that all members know, being frozen."""
        first, owner = self.estimators_[0].classes_, "y has"
        if len(first) > len(self.classes_) and np.isin(self.classes_, first).all():
            self.classes_, owner = first, f"{names[0]!r} has"
        for name, member in zip(names, self.estimators_, strict=True):
            if not np.array_equal(member.classes_, self.classes_):
                raise ValueError(
                    f"{name!r} has classes {member.classes_.tolist()}, but {owner} "
                    f"{self.classes_.tolist()}; all classifiers need the same: fit it on all of "
                    "them, or merge those that it cannot separate, EvidentialSource(coarsening=)"
                )

    def get_metadata_routing(self) -> Any:
        """Return the routing of the metadata of `fit` to the classifiers.

        Returns
        -------
        sklearn.utils.metadata_routing.MetadataRouter
        """
        router = MetadataRouter(owner=self).add_self_request(self)
        for name, member in self._members().items():
            mapping = MethodMapping().add(caller="fit", callee="fit")
            router.add(**{name: member}, method_mapping=mapping)
        return router

    def _sk_visual_block_(self) -> Any:
        return VotingClassifier(self._pairs)._sk_visual_block_()  # members side by side

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = [get_tags(classifier).input_tags for _, classifier in self._used_pairs]
        tags.input_tags.sparse = all(tag.sparse for tag in inner)
        tags.input_tags.allow_nan = all(tag.allow_nan for tag in inner)
        return tags


def _beyond(
    fusion: Rule, rows: NDArray[np.intp] | None, y: NDArray[Any], weight: Floats | None
) -> tuple[NDArray[np.intp], Floats | None] | None:
    """Rows outside a subset, with their weights, if a member is to be calibrated on them.

    They are new to it, and mostly more. Rules that combine masses take members for independent, so
    that these share no samples.
    """
    if rows is None or not fusion.learns or fusion.reads(2) != "probabilities":
        return None
    others = np.setdiff1d(np.arange(len(y)), rows)
    counted = others if weight is None else others[weight[others] > 0]
    if len(others) < len(rows) or len(np.unique(y[counted])) < len(np.unique(y)):
        return None
    return others, None if weight is None else weight[others]


def _unchanged(name: str, member: object, lacking: str) -> Any:
    """A frozen member that has beliefs, or whose probabilities are taken for some."""
    if not isinstance(member, FrozenEstimator):
        raise ValueError(
            f"{name!r} is not frozen, but {lacking}, so it cannot be trained; fit it to samples "
            "with labels, and give FrozenEstimator(...) of it"
        )
    check_is_fitted(plain(member))
    if isinstance(plain(member), BeliefPredictor):
        return member
    if not hasattr(member, "predict_proba"):
        raise ValueError(
            f"{name!r} has no predict_proba, and {lacking}, so its scores cannot be calibrated; "
            "calibrate it by the samples with labels, and give "
            "FrozenEstimator(EvidentialClassifier(...).fit(...))"
        )
    return Uncalibrated(member)
