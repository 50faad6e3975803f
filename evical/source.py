"""`EvidentialSource`: a classifier that knows a part: some columns, some rows, some differences.

Classifiers from different places see different features, abstain on samples without data, and may
be unable to separate all classes. As belief functions, abstention is the vacuous mass function, and
a belief about merged classes is carried to all classes by vacuous extension (Shafer 1976, A
Mathematical Theory of Evidence, ch. 6). So all of them can be fused.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator, clone
from sklearn.utils import _safe_indexing, get_tags
from sklearn.utils.metadata_routing import process_routing
from sklearn.utils.validation import (
    _check_feature_names,
    _check_n_features,
    _num_samples,
)

from dstheory import Frame
from dstheory.checks.arguments import check_instance, did_you_mean, number_of, shown
from dstheory.errors import CostLimitError
from dstheory.revise import refine
from evical._fitting import all_or_nothing, check_declared, params_of_rows
from evical._typing import Indices, SamplesLike, Weights
from evical.beliefs import Beliefs, as_beliefs
from evical.beliefs.composed import placed
from evical.beliefs.products import MAX_CLASSES
from evical.classifier import EvidentialClassifier
from evical.estimators.folds import Scored, make_folds, n_folds, units_of_classes
from evical.estimators.members import fits_itself, fitted
from evical.estimators.partial import missing_rows, of_columns
from evical.estimators.predictor import (
    BeliefPredictor,
    asking_for_weights,
    check_fitted,
    plain,
    routing_to,
)
from evical.fusion import Rule
from evical.scores.checks import check_samples
from evical.scores.direction import Direction

__all__ = ["EvidentialSource"]


@dataclass(eq=False, repr=False)
class EvidentialSource(BeliefPredictor, BaseEstimator):  # type: ignore[misc]  # untyped base
    """Classifier on some columns, abstaining on some rows, or unable to separate some classes.

    Parameters
    ----------
    estimator : classifier, optional
        Wrapped in an `EvidentialClassifier`, unless it has beliefs; an `EvidentialEnsemble` does
        that with its own calibrator and folds. Default: that of `EvidentialClassifier`.
    columns : int, str, list, slice, mask or callable, optional
        Those it sees, as in `sklearn.compose.ColumnTransformer`: numbers, names in a data frame, or
        a function of `X` that returns them. Default: all.
    silent_if_missing : {"any", "all"}, optional
        On rows where any of its columns is missing (NaN), or all of them, the source is silent, in
        `fit` too. "any" is for classifiers that take no missing numbers, "all" for those that do.
        Default: it never is.
    coarsening : dict, optional
        From classes to the labels that it is trained on, such as ``{"a": "ab", "b": "ab"}``, if it
        cannot separate a from b. Classes that are not named keep their label.

    Attributes
    ----------
    classes_ : (K,) array
        All classes, those merged too.
    estimator_ : fitted EvidentialClassifier
        On its own columns and labels.
    columns_ : columns, or None
        Those that it sees, found by a function in `fit`.
    merged_ : (K,) array or None
        Labels of the classes for the classifier.
    n_features_in_, feature_names_in_
        Of all columns of `X`.

    See Also
    --------
    EvidentialEnsemble : fuses sources.

    Notes
    -----
    A belief about merged classes is vacuous about the difference between them: a focal set keeps
    its mass, with each label replaced by the classes that it stands for.

    Examples
    --------
    Two measurements of the iris are missing in half of the rows:

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> X[::2, 2:] = np.nan
    >>> petals = EvidentialSource(GaussianNB(), columns=[2, 3], silent_if_missing="any")
    >>> petals.fit(X, y).predict_mass(X[:4]).is_vacuous
    array([ True, False,  True, False])
    """

    estimator: BaseEstimator | None = None
    _: KW_ONLY
    columns: Any = None
    silent_if_missing: Literal["any", "all"] | None = None
    coarsening: Any = None

    @all_or_nothing
    def fit(
        self, X: SamplesLike, y: ArrayLike, sample_weight: Weights = None, **fit_params: Any
    ) -> Self:
        """Train and calibrate the classifier on what it sees.

        Parameters
        ----------
        X : (n, n_features) array, data frame or sparse matrix
        y : (n,) array
            Labels of two or more classes.
        sample_weight : (n,) array, optional
            Non-negative weights.
        **fit_params
            As `EvidentialClassifier.fit`.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If `coarsening` names no class of `y` or merges all of them, or a class has no row for
            which the source is available; as the classifier.
        """
        return self._fit_and_warn(X, y, sample_weight, fit_params)

    def _fit(
        self, X: SamplesLike, y: ArrayLike, sample_weight: Weights = None, **fit_params: object
    ) -> Scored | None:
        """Fit without warnings; scores of the rows that it knows, if one calibrator has them."""
        check_declared(self)
        X, y, weight = check_samples(X, y, sample_weight, fit_params.get("groups"))
        self.classes_ = np.unique(y)
        self.merged_ = self._merged()
        labels = self._coarse(y)
        if weight is not None:
            fit_params["sample_weight"] = weight
        if get_config()["enable_metadata_routing"]:
            fit_params = dict(process_routing(self, "fit", **fit_params).estimator.fit)
        self.columns_ = self.columns(X) if callable(self.columns) else self.columns
        self._silence = self.silent_if_missing
        own = of_columns(X, self.columns_)
        rows = self._available_rows(own)
        _check_classes(labels, labels[rows if weight is None else rows[weight[rows] > 0]])
        member = clone(self._classifier())
        params = params_of_rows(X, fit_params, rows)
        part = _safe_indexing(own, rows)
        known = labels[rows]
        scored = _fit_member(member, part, known, known if labels is y else y[rows], params)
        self.estimator_ = member
        if self.merged_ is None:
            self.classes_ = member.classes_  # a frozen one may know more
        self._take_features(member)
        if self.columns is not None:
            _check_feature_names(self, X, reset=True)
            _check_n_features(self, X, reset=True)
        return scored

    def _classifier(self) -> Any:
        """The classifier with beliefs."""
        inner = self.estimator
        has_beliefs = isinstance(plain(inner), BeliefPredictor)
        return inner if has_beliefs else asking_for_weights(EvidentialClassifier(inner))

    def _available_rows(self, own: Any) -> Indices:
        """Rows of a table of its own columns for which it is available."""
        if self._silence is None:
            return np.arange(_num_samples(own))
        return np.flatnonzero(~missing_rows(own, some=self._silence == "any"))

    def _coarse(self, y: NDArray[Any]) -> NDArray[Any]:
        """Labels (n,) on which it is trained."""
        if self.merged_ is None:
            return y
        return np.asarray(self.merged_[np.searchsorted(self.classes_, y)])

    def _merged(self) -> NDArray[Any] | None:
        """Labels (K,) of the classes for the classifier, if they differ."""
        if self.coarsening is None:
            return None
        check_instance("coarsening", self.coarsening, dict, "a dict from classes to labels")
        classes: list[Any] = self.classes_.tolist()
        for label in self.coarsening:
            if label not in classes:
                raise ValueError(
                    f"coarsening has {label!r}, which is not a class of y, {classes}"
                    f"{did_you_mean(label, classes)}"
                )
        merged = [self.coarsening.get(label, label) for label in classes]
        if len(set(merged)) < 2:
            raise ValueError(
                f"coarsening gives all classes the label {merged[0]!r}; a source must "
                "separate at least two"
            )
        return np.asarray(merged)

    def _seen(self, X: SamplesLike) -> tuple[Any, Indices]:
        """Its columns of new samples, and rows for which it is available."""
        check_fitted(self)
        if isinstance(X, str | bytes):
            raise TypeError(f"X is {shown(X)}, expected a table of samples")
        if self.columns_ is not None:
            _check_feature_names(self, X, reset=False)
            _check_n_features(self, X, reset=False)
        own = of_columns(X, self.columns_)
        return own, self._available_rows(own)

    def _available(self, X: SamplesLike) -> Indices | None:
        return None if self._silence is None else self._seen(X)[1]

    def beliefs(self, X: SamplesLike) -> Beliefs:
        """Belief about the class of each sample, vacuous where the source is silent.

        Parameters
        ----------
        X : (n, n_features) array or data frame

        Returns
        -------
        Beliefs
            Masses of merged classes are of the sets that they stand for.
        """
        own, rows = self._seen(X)
        n, member = _num_samples(own), plain(self.estimator_)
        if len(rows) == n and n:
            return self._extended(member.beliefs(own))
        seen = self._extended(member.beliefs(_safe_indexing(own, rows))) if len(rows) else None
        return placed(self.classes_, n, [] if seen is None else [(rows, seen)])

    def _extended(self, beliefs: Beliefs) -> Beliefs:
        """Beliefs about merged classes, carried to all classes."""
        if self.merged_ is None:
            return beliefs
        m = beliefs.mass()
        pairs = list(zip(self.merged_.tolist(), self.classes_.tolist(), strict=True))
        events = {label: [own for other, own in pairs if other == label] for label in m.frame}
        return as_beliefs(refine(m, Frame(self.classes_), events), self.classes_)

    def _n_products_for(
        self, name: str, rule: Rule, X: SamplesLike, y: NDArray[Any], groups: ArrayLike
    ) -> int | None:
        if self.coarsening is not None:
            self._check_merged(name, rule, np.unique(y).tolist())
        inner = plain(self._classifier())._n_products_for(name, rule, X, y, groups)
        return None if inner is None else inner + (self.silent_if_missing is not None)

    def _check_merged(self, name: str, rule: Rule, classes: list[Any]) -> None:
        """Refuse merged classes where their sets would have to be listed."""
        n_merged = len({self.coarsening.get(label, label) for label in classes})
        reads = rule.learns and rule.reads(len(classes)) == "probabilities"
        if reads and n_merged <= MAX_CLASSES:
            return
        advice = f"merge them to {MAX_CLASSES} or fewer" if reads else "take rule='stacked'"
        raise CostLimitError(
            f"{name!r} merges {len(classes)} classes to {n_merged}; the sets of merged classes are "
            f"listed, which this rule can do for up to {MAX_CLASSES} classes; {advice}"
        )

    def _weightless(self) -> list[str]:
        member = self._classifier()
        return member._weightless() if isinstance(member, BeliefPredictor) else []

    def _wrong_ways(self) -> list[Direction]:
        member = self.estimator_
        return member._wrong_ways() if isinstance(member, BeliefPredictor) else []

    def get_metadata_routing(self) -> Any:
        """Return the routing of the metadata of `fit` to the classifier.

        Returns
        -------
        sklearn.utils.metadata_routing.MetadataRouter
        """
        return routing_to(self._classifier(), self)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self._classifier()).input_tags
        tags.input_tags.sparse = inner.sparse and self.silent_if_missing is None
        tags.input_tags.allow_nan = inner.allow_nan or self.silent_if_missing is not None
        return tags


def _fit_member(
    member: object, X: SamplesLike, labels: NDArray[Any], y: NDArray[Any], params: dict[str, Any]
) -> Scored | None:
    """Fit to labels; folds are stratified by the classes (n,) that these merge."""
    if not (isinstance(member, EvidentialClassifier) and fits_itself(member)):
        fitted(member, X, labels, params)
        return None
    before, routed = member.cv, get_config()["enable_metadata_routing"]
    if labels is not y and not routed and isinstance(before, int | np.integer | None):
        groups = params.get("groups")
        number = n_folds(before, X, labels, groups)
        if units_of_classes(y, groups).min() >= number:
            given = {} if groups is None else {"groups": groups}
            member.cv = make_folds(number, X, y, None, given, ensemble=None)[0]
    scored: Scored | None = member._fit(X, labels, **params)
    member.cv = before
    return scored


def _check_classes(labels: NDArray[Any], known: NDArray[Any]) -> None:
    silent = np.setdiff1d(labels, known).tolist()
    if silent:
        raise ValueError(
            f"class {silent[0]!r} has {number_of(np.sum(labels == silent[0]), 'sample')}, but the "
            "source is available for none of them; merge the class with others by coarsening="
            f"{{{silent[0]!r}: ...}}, or leave the source out"
        )
