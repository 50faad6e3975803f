"""Predictions that follow from a mass function: probabilities, intervals, labels, sets of acts.

Classifier and ensemble differ in how they compute a belief, not in how they use it.
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal, Self, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import StratifiedGroupKFold
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    get_routing_for_object,
    process_routing,
)
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from dstheory import MassFunction, decide
from dstheory.checks.arguments import check_label_order, did_you_mean
from evical._names import criteria
from evical._typing import Floats, Indices, SamplesLike, Sets, Weights
from evical.beliefs import Beliefs
from evical.beliefs.composed import conflict
from evical.beliefs.products import MAX_CLASSES
from evical.fusion import Rule
from evical.scores.checks import ReadsLabels, warn_of_little_weight
from evical.scores.direction import OF_A_CLASSIFIER, Direction, warn_of_wrong_ways

T = TypeVar("T")

# Criteria that take `decide.Expectations`.
_BY_EXPECTATIONS = (
    decide.interval_dominance,
    decide.strong_dominance,
    decide.weak_dominance,
    decide.maximality,
    decide.maximin,
    decide.maximax,
    decide.hurwicz,
    decide.maximize_expected_utility,
    decide.minimax_regret,
)


class BeliefPredictor(ReadsLabels, MetaEstimatorMixin):  # type: ignore[misc]  # untyped base
    """Mixin of classifiers whose prediction is a mass function on `classes_`."""

    classes_: NDArray[Any]
    # Where `fit` is `_fit_and_warn`: what it does without warnings, which an ensemble gives once.
    # It returns scores, if there are some.
    _fit: Callable[..., Any]

    @abstractmethod
    def beliefs(self, X: Any) -> Beliefs:
        """Belief about the class of each sample, of which nothing is computed before it is asked.

        Parameters
        ----------
        X : (n, n_features) array or data frame

        Returns
        -------
        Beliefs
            About n samples.
        """

    def predict_mass(self, X: SamplesLike, *, sets: Sets = "all") -> MassFunction:
        """Belief about the class of each sample; see `predict_interval` for coverage.

        Parameters
        ----------
        X : (n, n_features) array or data frame
        sets : {"all", "singletons"}
            "singletons": masses of single classes and of all classes, for any number of classes; an
            outer approximation, see `evical.beliefs.Beliefs.singletons`.

        Returns
        -------
        MassFunction
            Batch (n,) on the frame `classes_`.

        Raises
        ------
        CostLimitError
            If there are too many classes to list all sets.
        """
        beliefs = self.beliefs(X)
        every = isinstance(sets, str) and sets == "all"
        return beliefs.mass() if every else beliefs.listed(sets)

    def _fit_and_warn(
        self, X: SamplesLike, y: ArrayLike, weight: Weights, fit_params: dict[str, Any]
    ) -> Self:
        """What `fit` does, under its decorator."""
        if weight is not None and not any(name.endswith("__sample_weight") for name in fit_params):
            _warn_of_weightless(self._weightless())
        self._fit(X, y, weight, **fit_params)
        warn_of_little_weight(weight, stacklevel=5)
        warn_of_wrong_ways(self._wrong_ways(), OF_A_CLASSIFIER, stacklevel=5)
        return self

    def _weightless(self) -> list[str]:
        """Names of the classifiers that cannot be trained with the weights of samples."""
        return weightless(self)

    def _wrong_ways(self) -> list[Direction]:
        """Directions of the scores that were reversed in `fit`."""
        return []

    def _available(self, X: SamplesLike) -> Indices | None:
        """Rows about which it has a belief; None for all rows."""
        return None

    def _n_products_for(
        self, name: str, rule: Rule, X: SamplesLike, y: NDArray[Any], groups: ArrayLike
    ) -> int | None:
        """Number of products over many classes that it is to give a rule; None if unknown.

        Asked before `fit`; a `CostLimitError` names what could not be combined.
        """
        return None

    def _take_features(self, fitted: object) -> None:
        """Copy the number and the names of features from a fitted classifier."""
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(fitted, name):
                setattr(self, name, getattr(fitted, name))
            elif hasattr(self, name):  # from an earlier fit
                delattr(self, name)

    def predict_interval(self, X: SamplesLike, *, level: float | None = None) -> Floats:
        """Confidence interval of the probabilities, or Bel and Pl.

        Parameters
        ----------
        X : (n, n_features) array or data frame
        level : float, optional
            Of the confidence intervals, such as 0.95. By default the intervals are [Bel, Pl].

        Returns
        -------
        (n, 2) array for two classes, else (n, K, 2)
            Of the positive class ``classes_[1]``, or of each class if there are more than two.
            Confidence intervals contain `predict_proba`; they cover the probability given the
            scores, P(y | s), and leave out the classifiers' own error: see "Intervals and their
            coverage" in the guide.

        Raises
        ------
        ValueError
            If the level is not between 0 and 1; if nothing is known of the error, as under rules
            that combine masses.
        """
        beliefs = self.beliefs(X)
        bounds = beliefs.interval() if level is None else beliefs.confidence_interval(level)
        return bounds[:, 1] if len(self.classes_) == 2 else bounds

    def predict_proba(self, X: SamplesLike) -> Floats:
        """Estimated probability of each class: the pignistic one (Xu et al. 2016, eq. 9).

        Of calibrators with ``model="confidence"``, whose Bel and Pl are the ends of an interval, it
        is the fitted probability.

        Parameters
        ----------
        X : (n, n_features) array or data frame

        Returns
        -------
        (n, K) array
        """
        return self.beliefs(X).probability()

    def predict(self, X: SamplesLike) -> NDArray[Any]:
        """Class of maximum pignistic probability; ties go to the first.

        Parameters
        ----------
        X : (n, n_features) array or data frame

        Returns
        -------
        (n,) array of labels
        """
        best = np.argmax(self.predict_proba(X), axis=1)
        return np.asarray(self.classes_[best])

    def predict_set(
        self,
        X: SamplesLike,
        utilities: ArrayLike | None = None,
        criterion: str | Callable[..., Any] = "interval_dominance",
        *,
        ordered: bool = False,
    ) -> NDArray[np.bool_]:
        """Acts that the belief about each sample does not rule out.

        Parameters
        ----------
        X : (n, n_features) array or data frame
        utilities : (A, K) array, optional
            Utility of each act under each class, in the order of `classes_`. By default the acts
            are the classes, with utility 1 if right and 0 if wrong.
        criterion : str or callable
            Name of a decision rule of `dstheory.decide` that takes utilities, or a function of a
            mass function and utilities. It returns a bool (n, A) array, or the index of one act for
            each sample. Criteria that take `dstheory.decide.Expectations` work for any number of
            classes for which `predict_interval` and `predict_proba` do.
        ordered : bool
            Whether the acts are in an order, such as classes "mild" to "severe" in that of
            `classes_`: then those between two kept ones are kept too, which gives the smallest
            interval of neighbors.

        Returns
        -------
        (n, A) array of bool

        Raises
        ------
        ValueError
            If there is no such criterion, or it returns something else; if it needs the masses of
            all sets and there are too many classes.
        """
        check_fitted(self)
        rule = _criterion(criterion)
        check_label_order(utilities, self.classes_.tolist(), "utilities")
        matrix = np.eye(len(self.classes_)) if utilities is None else np.asarray(utilities)
        m = self._asked_by(rule, X)
        kept = np.asarray(rule(m, matrix))
        shape = (len(m), len(matrix))
        if kept.dtype == bool and kept.shape == shape:
            return neighbors(kept) if ordered else kept
        if kept.dtype.kind in "iu" and kept.shape == shape[:1]:
            return np.asarray(kept[:, np.newaxis] == np.arange(len(matrix)))
        raise ValueError(
            f"criterion {criterion!r} gives {kept.dtype} values of shape {kept.shape}, expected "
            f"bool of shape {shape} or the index of an act for each sample"
        )

    def _asked_by(self, rule: object, X: SamplesLike) -> Any:
        """Expected utilities if the rule needs nothing else, or mass functions."""
        inner = rule.func if isinstance(rule, partial) else rule
        beliefs = self.beliefs(X)
        if inner in _BY_EXPECTATIONS:
            return beliefs.expectations()
        try:
            return beliefs.mass()
        except ValueError as error:
            if len(self.classes_) > MAX_CLASSES:
                known = ", ".join(rule.__name__ for rule in _BY_EXPECTATIONS)
                error.add_note(
                    f"criterion {getattr(inner, '__name__', inner)} needs the masses of all sets "
                    f"of classes; these criteria need only expected utilities: {known}"
                )
            raise


class FusedPredictor(BeliefPredictor):
    """Mixin of estimators with a fitted rule, and members that it combines."""

    estimators_: list[Any]
    fusion_: Rule
    total_conflict: Literal["error", "vacuous"]

    def _fitted_members(self, X: SamplesLike) -> tuple[list[Any], Any]:
        """Fitted members with beliefs, and samples as they read them."""
        return self.estimators_, X

    def _sources(self, X: SamplesLike) -> list[Beliefs]:
        """Belief of each member, before combination."""
        check_fitted(self)
        members, X = self._fitted_members(X)
        return [plain(member).beliefs(X) for member in members]

    def beliefs(self, X: Any) -> Beliefs:
        """Combined belief about each sample, of which nothing is computed before it is asked.

        Parameters
        ----------
        X : (n, n_features) array or data frame

        Returns
        -------
        Beliefs
            About n samples.

        Raises
        ------
        TotalConflictError
            If the members exclude each other, unless `total_conflict` is "vacuous".
        """
        sources = self._sources(X)
        return self.fusion_.combine(sources, self.total_conflict)

    def predict_masses(self, X: SamplesLike, *, sets: Sets = "all") -> list[MassFunction]:
        """Belief of each member, before combination.

        Parameters
        ----------
        X : (n, n_features) array or data frame, or sources as for `fit`
        sets : {"all", "singletons"}
            As of `predict_mass`.

        Returns
        -------
        list of MassFunction
            In the order of `fit`, each a batch (n,) on the frame `classes_`.
        """
        return [source.listed(sets) for source in self._sources(X)]

    def conflict(self, X: SamplesLike) -> Floats:
        """How much the members contradict each other.

        Parameters
        ----------
        X : (n, n_features) array or data frame, or sources as for `fit`

        Returns
        -------
        (n,) array
            kappa, the mass of the empty set under the conjunctive rule, from 0 to 1.
        """
        return conflict(self._sources(X))


class ClassifierWrapper(BeliefPredictor):
    """Mixin of beliefs about the predictions of one classifier, with folds `cv`."""

    estimator: Any
    cv: Any

    @abstractmethod
    def _resolved_estimator(self) -> Any:
        """The classifier, or the default one."""

    def _routed(
        self, weight: Floats | None, fit_params: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Arguments of the classifier's `fit` and of the splitter's `split`."""
        if get_config()["enable_metadata_routing"]:
            routed = process_routing(self, "fit", sample_weight=weight, **fit_params)
            return dict(routed.estimator.fit), dict(routed.splitter.split)
        groups = fit_params.pop("groups", None)
        split_params = {} if groups is None else {"groups": groups}
        estimator = self._resolved_estimator()
        if weight is None or isinstance(estimator, FrozenEstimator):
            return fit_params, split_params
        if has_fit_parameter(estimator, "sample_weight"):
            return {**fit_params, "sample_weight": weight}, split_params
        return fit_params, split_params

    def _weightless(self) -> list[str]:
        return weightless(self._resolved_estimator())

    def get_metadata_routing(self) -> Any:
        """Where `fit` sends its metadata: the classifier and the splitter.

        Returns
        -------
        sklearn.utils.metadata_routing.MetadataRouter
        """
        to_split = MethodMapping().add(caller="fit", callee="split")
        router = routing_to(self._resolved_estimator(), self)
        own = self.cv is None or isinstance(self.cv, int | np.integer)
        splitter = StratifiedGroupKFold() if own else self.cv  # asks for groups, as the folds do
        return router.add(splitter=splitter, method_mapping=to_split)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self._resolved_estimator()).input_tags
        tags.input_tags.sparse, tags.input_tags.allow_nan = inner.sparse, inner.allow_nan
        return tags


def plain(member: Any) -> Any:
    """A fitted member without `FrozenEstimator` around it."""
    return member.estimator if isinstance(member, FrozenEstimator) else member


def check_fitted(estimator: BaseEstimator) -> None:
    """Raise `NotFittedError` before `fit`; scikit-learn's check asks for tags of all members."""
    if not hasattr(estimator, "classes_"):
        check_is_fitted(estimator)


def weightless(estimator: BaseEstimator) -> list[str]:
    """The name of a classifier in a list, if it cannot be trained with weights."""
    routed = get_config()["enable_metadata_routing"]  # routers of others have the requests
    routes = routed and isinstance(get_routing_for_object(estimator), MetadataRouter)
    frozen = isinstance(estimator, FrozenEstimator)
    takes = routes or frozen or has_fit_parameter(estimator, "sample_weight")
    return [] if takes else [type(estimator).__name__]


def asking_for_weights(estimator: T) -> T:
    """An estimator that the user did not make, which requests weights where they are routed."""
    if get_config()["enable_metadata_routing"]:
        cast(Any, estimator).set_fit_request(sample_weight=True)
    return estimator


def routing_to(estimator: object, owner: object) -> MetadataRouter:
    """The routing of the metadata of `fit` to one estimator, `estimator`."""
    mapping = MethodMapping().add(caller="fit", callee="fit")
    router = MetadataRouter(owner=owner).add_self_request(owner)
    return router.add(estimator=estimator, method_mapping=mapping)


def _warn_of_weightless(names: Sequence[str]) -> None:
    """Warn the caller of `fit`, once, if some classifiers ignore weights."""
    if names:
        listed = ", ".join(dict.fromkeys(names))
        warnings.warn(
            f"{listed} takes no sample_weight; the weights count in calibration and fusion, not "
            "in training",
            stacklevel=5,  # beyond `fit` and its decorator
        )


def _criterion(criterion: Any) -> Callable[..., Any]:
    if callable(criterion):
        return criterion  # type: ignore[no-any-return]  # callable() does not narrow Any
    rules = criteria()
    if criterion not in rules:
        raise ValueError(
            f"criterion is {criterion!r}, expected a function of a mass function and utilities "
            f"or one of {', '.join(rules)}{did_you_mean(criterion, rules)}"
        )
    return rules[criterion]


def neighbors(kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Sets (n, A) with all between the first and the last act kept.

    >>> neighbors(np.array([[True, False, True, False]])).tolist()
    [[True, True, True, False]]
    """
    begun = np.logical_or.accumulate(kept, axis=1)
    return begun & np.logical_or.accumulate(kept[:, ::-1], axis=1)[:, ::-1]
