"""`EvidentialFusion`: sources supplied as beliefs, probabilities, scores or votes.

Experts, sensors and models elsewhere supply predictions but cannot be retrained. With labels of
some samples, the weights of their evidence are learned from these; without, from how far the
sources agree.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from math import prod
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.frozen import FrozenEstimator

from dstheory import MassFunction
from dstheory.checks.arguments import did_you_mean
from evical._fitting import all_or_nothing, check_declared
from evical._typing import Floats, RuleName, SamplesLike, Weights
from evical.classifier import EvidentialClassifier
from evical.estimators.given import (
    Given,
    GivenBeliefs,
    OfSource,
    are_named,
    known_classes,
    named_sources,
    warn_of_minus_one,
    warn_of_strange_labels,
)
from evical.estimators.held_out import Samples, Share, available_rows, beliefs_of, learned_by_name
from evical.estimators.predictor import FusedPredictor, asking_for_weights
from evical.fusion import Consensus, Rule, as_rule
from evical.multiclass.by_name import CalibratorChoice
from evical.scores.checks import (
    as_column,
    check_fitted_order,
    check_groups,
    check_samples,
    columns_of,
    missing,
    warn_of_little_weight,
)
from evical.scores.direction import OF_A_CLASSIFIER, Direction, warn_of_wrong_ways
from evical.source import EvidentialSource

__all__ = ["EvidentialFusion"]


@dataclass(eq=False, repr=False)
class EvidentialFusion(FusedPredictor, BaseEstimator):  # type: ignore[misc]  # untyped base
    """Fusion of sources that come as mass functions, probabilities, scores or votes.

    Parameters
    ----------
    rule : callable or str, optional
        As of `EvidentialEnsemble`. Default: "stacked", which learns from labels; without labels,
        "consensus", which learns from how far the sources agree (`evical.fusion.Consensus`).
    classes : (K,) array, optional
        All classes; "stacked" fuses those without labels as the others on average. Default: those
        of the frames, of the labels, or of the votes; of probabilities without labels, the columns
        of data frames, or else their numbers 0 to K - 1.
    calibrator : calibrator or str, optional
        For sources that come as scores; see `EvidentialClassifier`. Default, "auto":
        `evical.calibrators.AutoCalibrator`.
    total_conflict : {"error", "vacuous"}
        As of `EvidentialEnsemble`.

    Attributes
    ----------
    classes_ : (K,) array
        Sorted.
    source_names_ : list of str
    fusion_ : callable
        The rule, fitted if it is a fusion with parameters.
    fusion_by_name_ : dict
        What the fusion learned, by the names of the sources.

    See Also
    --------
    EvidentialEnsemble : trains and calibrates classifiers, too.
    evical.fusion : the fusions themselves, functions of mass functions.

    Notes
    -----
    Sources are a list, a dict from names, or a data frame with a column of scores for each. A
    source is

    * a `MassFunction` of batch shape (n,), on the frame of all classes; `dstheory.revise.refine`
      carries it there from a coarser one. Vacuous rows are those about which it is silent.
    * probabilities, an (n, K) array or data frame, in the order of the sorted classes; a silent row
      is NaN. Columns that are the classes in another order are refused.
    * of two classes, scores, an (n,) array, greater for the second class, NaN where it is silent.
      They are calibrated, which needs labels, and the fusion learns from beliefs about samples that
      are new to the calibrator.
    * votes, an (n,) array of classes, None or NaN where there is none: texts always, numbers of
      classes where they cannot be scores, that is without labels or for more than two classes. A
      long table of items, sources and votes is read by `evical.fusion.sources_from_long`.

    Predictions take a dict or data frame with some of the sources; the others are silent.
    Probabilities and mass functions are not recalibrated. All samples must be new to all sources:
    otherwise the source that overfits most seems best.

    Examples
    --------
    A source of scores and one of probabilities, silent about every third sample:

    >>> truth = np.array([0, 1, 1, 0, 1] * 20)
    >>> scores = truth + np.tile([0.5, -0.5, 0.0, 1.0], 25)
    >>> p = np.where(truth == 1, 0.7, 0.4)
    >>> p[::3] = np.nan
    >>> sources = {"score": scores, "expert": np.stack([1 - p, p], axis=1)}
    >>> fusion = EvidentialFusion().fit(sources, truth)
    >>> fusion.predict_mass(sources).batch_shape
    (100,)
    >>> float(fusion.score(sources, truth)) > 0.8
    True

    Three models vote without labels:

    >>> votes = {"a": ["x", "y", "x"], "b": ["x", "y", None], "c": ["y", "y", "x"]}
    >>> EvidentialFusion().fit(votes).predict(votes).tolist()
    ['x', 'y', 'x']
    """

    rule: Rule | RuleName | Callable[..., MassFunction] | None = None
    _: KW_ONLY
    classes: ArrayLike | None = None
    calibrator: CalibratorChoice = None
    total_conflict: Literal["error", "vacuous"] = "error"

    @all_or_nothing
    def fit(
        self, sources: Any, y: Any = None, sample_weight: Any = None, groups: Any = None
    ) -> Self:
        """Calibrate scores, and learn how to fuse.

        Parameters
        ----------
        sources : list or dict of sources, or data frame
            About n samples, new to the sources.
        y : (n,) array, optional
            Labels, None or NaN where they are not known. Without labels of all samples, the default
            learns from how far the sources agree, too.
        sample_weight : (n,) array, optional
            Non-negative weights.
        groups : (n,) array, optional
            Groups of samples that folds keep together, where calibrators are refitted.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If sources or labels are not usable; if a fusion, or scores, need labels.

        Warns
        -----
        UserWarning
            If labels are too few to learn from, or one is not among the votes and resembles one, or
            is -1 beside 0 and 1.
        WrongWayWarning
            If a source goes against the others, or scores point the wrong way.
        """
        check_declared(self)
        named = named_sources(sources, y=y, sample_weight=sample_weight, groups=groups)
        labels = None if y is None else as_column(y)
        if labels is None or missing(labels).any():
            self._learn_consensus(named, labels, sample_weight)
        else:
            self._learn(named, y, sample_weight, groups)
        self._labeled = labels is not None
        self._columns = {name: columns_of(source) for name, source in named.items()}
        self._describe(list(named))
        if labels is not None and self.classes is None:
            warn_of_strange_labels(named, labels)
        if self.classes is None:
            warn_of_minus_one(named, self.classes_)
        if isinstance(self.fusion_, Consensus):
            self.fusion_.warn_of_few_labels()
        warn_of_little_weight(sample_weight)
        warn_of_wrong_ways(self._wrong_ways(), OF_A_CLASSIFIER)
        return self

    @all_or_nothing
    def partial_fit(self, sources: Any, *, sample_weight: Any = None) -> Self:
        """Learn from further samples without labels, as `fit` learns from all at once.

        Parameters
        ----------
        sources : list or dict of sources, or data frame
            About n new samples. Those that are not among them are silent, new ones join: they were
            silent before. Classes are those of the first batch, or `classes`.
        sample_weight : (n,) array, optional
            Non-negative weights.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If the rule is another one than "consensus", sources are not usable, or new ones come
            after labels.

        Examples
        --------
        >>> fusion = EvidentialFusion(classes=["x", "y"])
        >>> votes = {"a": ["x", "y", "x"], "b": ["x", "y", None], "c": ["y", "y", "x"]}
        >>> fusion.partial_fit(votes).partial_fit({"a": ["y"], "d": ["y"]}).source_names_
        ['a', 'b', 'c', 'd']
        >>> fusion.predict({"b": ["y"]}).tolist()
        ['y']
        """
        if not self.__sklearn_is_fitted__():
            return self.fit(sources, sample_weight=sample_weight)
        if not isinstance(self.fusion_, Consensus):
            raise ValueError(
                f"{self.fusion_!r} learns from all samples at once; call fit with all of them, or "
                "take rule='consensus'"
            )
        named = named_sources(sources, sample_weight=sample_weight)
        given = self._given(named, [*self.source_names_, *named])
        joining = [name for name in named if name not in self.source_names_]
        for name in joining:
            if name in given.scores:
                raise ValueError(
                    f"source {name!r} has scores, which are calibrated by labels; calibrate it "
                    "first, and give probabilities (n, K)"
                )
        new = [GivenBeliefs(name, self.classes_, name in given.votes) for name in joining]
        members = self._members + new
        more = [member.beliefs(given) for member in members]
        self.fusion_.partial_fit(more, sample_weight=sample_weight)
        self._members: list[Any] = members
        self._columns = self._columns | {name: columns_of(named[name]) for name in joining}
        self._describe([member.name for member in members])
        return self

    def _describe(self, names: list[str]) -> None:
        """Names of the sources, what the fusion learned of them, and a warning if it is bad."""
        self.source_names_ = names
        self.fusion_by_name_ = learned_by_name(self.fusion_, names)
        if isinstance(self.fusion_, Consensus):
            self.fusion_.warn_of_contradictions([f"source {name!r}" for name in names], 5)

    def _learn_consensus(
        self, named: dict[str, Any], y: NDArray[Any] | None, weight: Weights
    ) -> None:
        """A rule that needs no labels, or not of all samples."""
        known = None if y is None or missing(y).all() else y[~missing(y)]
        lacking = "y is None" if y is None else f"y[{np.argmax(missing(y))}] is missing"
        self.classes_ = known_classes(named, known, self.classes, partly=True)
        given = Given.checked(named, self.classes_, labeled=y is not None)
        for name in given.scores:
            raise ValueError(
                f"source {name!r} has scores, which are calibrated by labels of all samples, but "
                f"{lacking}; calibrate it first, by the samples with labels, and give "
                "probabilities (n, K)"
            )
        self._members = [GivenBeliefs(name, self.classes_, name in given.votes) for name in named]
        rule = as_rule("consensus" if self.rule is None else self.rule)
        if rule.needs == "labels":
            raise ValueError(
                f"{rule!r} learns from labels of all samples, but {lacking}; give y, or "
                "rule='consensus', which learns from how far sources agree"
            )
        if rule.needs == "beliefs":
            self.fusion_ = rule._fit(list(given.beliefs.values()), y, None, weight)
        else:
            self.fusion_ = rule.fit(sizes=np.ones(len(named)))

    def _learn(
        self, named: dict[str, Any], y: ArrayLike, sample_weight: Weights, groups: ArrayLike | None
    ) -> None:
        _, y, weight = check_samples(np.arange(prod(np.shape(y))), y, sample_weight)
        groups = None if groups is None else check_groups(groups, len(y))
        self.classes_ = known_classes(named, y, self.classes)
        given = Given.checked(named, self.classes_, labeled=True)
        if given.n != len(y):
            raise ValueError(f"sources are about {given.n} samples, but there are {len(y)} labels")
        rule = as_rule("stacked" if self.rule is None else self.rule)
        shares = {
            name: self._calibrated(name, scores, y, weight) for name, scores in given.scores.items()
        }
        self._members = [
            OfSource(name, shares[name].fitted, given.scores[name])
            if name in shares
            else GivenBeliefs(name, self.classes_, name in given.votes)
            for name in named
        ]
        rule.check_cost(len(self.classes_), len(named), {})
        samples = Samples(given, y, weight, groups)
        beliefs = [beliefs_of(member, shares.get(member.name), samples) for member in self._members]
        self.fusion_ = rule._fit(beliefs, y, np.ones(len(named)), weight)

    def _calibrated(self, name: str, scores: Floats, y: NDArray[Any], weight: Weights) -> Share:
        """A calibrated source of scores, silent where they are missing."""
        inner = EvidentialClassifier(
            FrozenEstimator(GivenScores(self.classes_)), calibrator=self.calibrator
        )
        source = EvidentialSource(asking_for_weights(inner), silent_if_missing="any")
        try:
            scored = source._fit(scores, y, weight)
        except ValueError as error:
            error.add_note(f"while calibrating source {name!r}")
            raise
        rows = available_rows(source, scores, np.arange(len(y)))
        return Share(name, source, source, scored, rows, {})

    def _wrong_ways(self) -> list[Direction]:
        return [found for member in self._members for found in member._wrong_ways()]

    def _fitted_members(self, X: SamplesLike) -> tuple[list[Any], Given]:
        if isinstance(X, Given):
            return self._members, X
        named = named_sources(X)
        strange = [name for name in named if name not in self.source_names_]
        fewer = len(named) < len(self.source_names_)
        if strange or (fewer and not are_named(X)):
            hint = "; give a dict from names, where sources that it lacks are silent"
            if strange and are_named(X):
                meant = did_you_mean(strange[0], self.source_names_)
                hint = meant or f"; {strange[0]!r} is not one of them"
            fitted = f"but the fusion was fitted to {self.source_names_}"
            raise ValueError(f"sources are {list(named)}, {fitted}{hint}")
        return self._members, self._given(named, self.source_names_)

    def _given(self, named: dict[str, Any], names: list[str]) -> Given:
        """What sources say, checked, where those that are missing are silent."""
        for name, source in named.items():
            check_fitted_order(source, self._columns.get(name, []), f"source {name!r}")
        given = Given.checked(named, self.classes_, self._labeled)
        for member in self._members:
            scored = isinstance(member, OfSource)
            if member.name in named and scored != (member.name in given.scores):
                kinds = ("scores (n,)", "beliefs")
                was, now = kinds if scored else kinds[::-1]
                raise ValueError(f"source {member.name!r} has {now}, but had {was} in fit")
        scores = {member.name for member in self._members if isinstance(member, OfSource)}
        return given.with_silent([name for name in names if name not in named], scores)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "fusion_")


class GivenScores(BaseEstimator):  # type: ignore[misc]  # untyped base
    """A classifier whose scores are its samples."""

    def __init__(self, classes_: NDArray[Any]) -> None:
        self.classes_ = classes_

    def fit(self, X: SamplesLike, y: ArrayLike) -> Self:
        """Nothing is to be learned."""
        return self

    def decision_function(self, X: Floats) -> Floats:
        """The scores (n,)."""
        return X[:, 0]
