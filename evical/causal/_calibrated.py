"""Beliefs about the type of each edge, from bootstrap counts and a few pairs whose truth is known.

Shares of bootstraps are no probabilities: greedy search ends in local maxima, resampled rows look
more dependent than they are, and edges without direction are directed by chance. A calibrator
learns from labeled pairs what shares mean. Source: Naeini (2016), Obtaining accurate probabilities
using classifier calibration, section 6.2.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from dstheory import Frame, MassFunction
from dstheory.checks.arguments import as_sequence, check_instance, shown
from dstheory.combine import mixing
from dstheory.revise import discount
from evical import multiclass
from evical._fitting import all_or_nothing, check_declared
from evical._typing import Floats, MulticlassCalibratorName
from evical.beliefs import Beliefs, as_beliefs
from evical.calibrators.by_name import by_name, make_calibrator
from evical.causal._bootstrap import SWAPPED, BootstrappedEdges
from evical.causal._graphs import EDGE_TYPES, as_pairs
from evical.estimators.predictor import BeliefPredictor
from evical.multiclass import BaseMulticlassCalibrator, MultinomialLogisticCalibrator
from evical.scores.checks import check_same_length, check_weights

Pairs = Iterable[tuple[Any, Any]]


@dataclass(eq=False, repr=False)
class CalibratedEdges(BeliefPredictor, BaseEstimator):  # type: ignore[misc]  # sklearn is untyped
    """Calibrated beliefs about the edge types of pairs of variables.

    All its methods take pairs of names of columns, as `fit` does.

    Parameters
    ----------
    edges : fitted BootstrappedEdges
    calibrator : multiclass calibrator or str, optional
        Of the shares of the four `EDGE_TYPES`, or its name. By default
        `MultinomialLogisticCalibrator`, whose beliefs follow from the likelihood of the labeled
        pairs; that of the thesis is `ShallowNetCalibrator`. Calibrators of each type against the
        rest miss undirected edges, which show in the shares of both directions together.
    symmetric : bool
        Take each labeled pair in both directions, with half its weight, and predict the mean over
        both. Then a belief about (B, A) is that about (A, B) with directions exchanged. The thesis
        does not do so.
    discount_rate : float
        Share of all mass that goes to "unknown", the set of all types: how far the labeled pairs
        may be unlike those to be predicted.

    Attributes
    ----------
    classes_ : (4,) array
        `EDGE_TYPES`.
    calibrator_ : fitted multiclass calibrator
        Its classes are the places of the types.

    Notes
    -----
    Labeled pairs should be drawn at random. Pairs with an edge are rare, so one draws them within
    strata, such as the edge type found most often. The calibrated beliefs are then about pairs
    as frequent as in the labeled sample, unless `fit` gets `sample_weight`, the number of pairs
    that each labeled one stands for.

    References
    ----------
    Naeini (2016), Obtaining accurate probabilities using classifier calibration, section 6.2.

    Examples
    --------
    >>> from evical.causal import alarm_network, edge_types
    >>> network = alarm_network()
    >>> X = network.sample(300, np.random.default_rng(1))
    >>> edges = BootstrappedEdges(n_bootstraps=20, random_state=0).fit(X)
    >>> names = dict(zip(edges.names_, network.names))
    >>> pairs = edges.all_pairs()
    >>> truth = edge_types(network.cpdag(), [(names[a], names[b]) for a, b in pairs])
    >>> calibrated = CalibratedEdges(edges).fit(pairs[::2], truth[::2])
    >>> calibrated.predict_interval([(0, 4)]).shape, edges.counts([(0, 4)]).tolist()
    ((1, 4, 2), [[20, 0, 0, 0]])
    >>> calibrated.predict([(0, 4)]).tolist()
    ['none']
    """

    edges: BootstrappedEdges
    _: KW_ONLY
    calibrator: BaseMulticlassCalibrator | MulticlassCalibratorName | str | None = None
    symmetric: bool = True
    discount_rate: float = 0.0

    @all_or_nothing
    def fit(self, X: Pairs, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from pairs whose edge type is known.

        Parameters
        ----------
        X : iterable of (A, B), or table of two columns
            Pairs of names of columns.
        y : (m,) sequence of str
            Each one of `EDGE_TYPES`; each of them must occur.
        sample_weight : (m,) array, optional
            Number of pairs that each stands for; only proportions matter: they are scaled to the
            sum m, so that a sample does not count as more than it is.

        Returns
        -------
        self

        Raises
        ------
        TypeError
            If a parameter is of a wrong kind.
        ValueError
            If a label is not an edge type, a type has no pair, a pair is named twice or is not one
            of two columns, or lengths differ.
        """
        self._check_parameters()
        pairs = as_pairs(X)
        kinds = _kinds(y)
        check_same_length(X=pairs, y=kinds)
        shares = self.edges.proportions(pairs)
        _refuse_repeated(pairs)
        weight = check_weights(sample_weight, len(kinds))
        weight = np.ones(len(kinds)) if weight is None else weight
        if not weight.any():
            raise ValueError("all sample weights are zero")
        weight = weight * (len(kinds) / weight.sum())
        if self.symmetric:
            shares = np.concatenate([shares, shares[:, SWAPPED]])
            kinds = np.concatenate([kinds, np.array(SWAPPED)[kinds]])
            weight = np.concatenate([weight, weight]) / 2
        _refuse_absent(kinds, weight, self.symmetric)
        self.calibrator_ = self._new_calibrator()._fit_quietly(shares, kinds, weight)
        self.classes_ = np.array(EDGE_TYPES)
        return self

    def beliefs(self, X: Pairs) -> Beliefs:
        """Belief about the edge type of each pair.

        Parameters
        ----------
        X : iterable of (A, B), or table of two columns
            Pairs of names of columns.

        Returns
        -------
        Beliefs
            About m pairs, on the classes `EDGE_TYPES`.

        Raises
        ------
        ValueError
            If a pair is not one of two different columns.
        sklearn.exceptions.NotFittedError
            Before `fit`.
        """
        check_is_fitted(self, "calibrator_")
        # Thousands of pairs share few rows of shares.
        shares, place = np.unique(self.edges.proportions(X), axis=0, return_inverse=True)
        belief = self._belief(shares)
        if self.symmetric:
            turned = self._belief(shares[:, SWAPPED])
            focal = [_turned(mask) for mask in turned.focal.tolist()]
            belief = mixing(belief, MassFunction(turned.frame, focal, turned.masses))
        if self.discount_rate:
            belief = discount(belief, rate=self.discount_rate)
        return as_beliefs(belief[place.reshape(-1)], self.classes_)

    def _belief(self, shares: Floats) -> MassFunction:
        m = self.calibrator_.predict_mass(shares)
        return MassFunction(Frame(EDGE_TYPES), m.focal, m.masses)

    def _new_calibrator(self) -> BaseMulticlassCalibrator:
        if self.calibrator is None:
            return MultinomialLogisticCalibrator()
        if isinstance(self.calibrator, str):
            named: BaseMulticlassCalibrator = make_calibrator(
                self.calibrator, known=by_name(multiclass)
            )
            return named
        copy: BaseMulticlassCalibrator = clone(self.calibrator)
        return copy

    def _check_parameters(self) -> None:
        check_instance("edges", self.edges, BootstrappedEdges, "a fitted BootstrappedEdges")
        check_is_fitted(self.edges)
        if isinstance(self.calibrator, str):
            self._new_calibrator()
        elif self.calibrator is not None:
            check_instance(
                "calibrator",
                self.calibrator,
                BaseMulticlassCalibrator,
                "a calibrator of evical.multiclass, such as ShallowNetCalibrator()",
            )
        check_declared(self)
        discount(MassFunction(Frame([0, 1]), [3], [1.0]), rate=self.discount_rate)


def _kinds(y: ArrayLike) -> NDArray[np.int64]:
    """Places of edge types."""
    labels = y.tolist() if isinstance(y, np.ndarray) else as_sequence(y, "y", "edge types")
    wrong = [i for i, label in enumerate(labels) if label not in EDGE_TYPES]
    if wrong:
        raise ValueError(
            f"y[{wrong[0]}] is {shown(labels[wrong[0]])}, expected one of "
            f"{', '.join(map(repr, EDGE_TYPES))}, as given by edge_types"
        )
    return np.array([EDGE_TYPES.index(label) for label in labels], dtype=np.int64)


def _refuse_repeated(pairs: list[Any]) -> None:
    """A pair that counts twice would pass for two pieces of evidence."""
    seen: dict[frozenset[Any], int] = {}
    for number, pair in enumerate(pairs):
        first = seen.setdefault(frozenset(pair), number)
        if first != number:
            raise ValueError(
                f"pairs {first} and {number} are the same, {tuple(pair)!r}; label each pair once"
            )


def _refuse_absent(kinds: NDArray[np.int64], weight: Floats, symmetric: bool) -> None:
    total = np.bincount(kinds, weight, minlength=len(EDGE_TYPES))
    if not total.all():
        absent = EDGE_TYPES[int(np.argmin(total))]
        either = " (or 'B->A')" if symmetric and absent == "A->B" else ""
        raise ValueError(
            f"no labeled pair with a positive weight is {absent!r}{either}; label pairs of each "
            "edge type, preferably those found often"
        )


def _turned(mask: int) -> int:
    """A set of edge types with directions exchanged."""
    return sum(1 << SWAPPED[k] for k in range(len(EDGE_TYPES)) if mask >> k & 1)
