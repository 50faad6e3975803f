"""Weights of the evidence for and against classes, and their combination by Dempster's rule.

Neighbors give evidence for their classes, coefficients of a linear layer for some and against
others. Evidence of weight w for a set of classes gives it the mass 1 - exp(-w), and exp(-w) to the
frame; weights of evidence for the same set add up (Shafer 1976, A Mathematical Theory of Evidence,
ch. 5).

How well weights of evidence for classes fit labels, with gradients.

Arrays are (K, n) for K classes and n samples.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dstheory import MassFunction
from dstheory.notebook import ShownFields
from evical._typing import Floats, SamplesLike
from evical.beliefs.products import Products
from evical.estimators.predictor import BeliefPredictor


def _numerators(weights: Floats, part: float) -> tuple[Floats, Floats, Floats]:
    """m({k}) + part m(frame), e^weight, and the sum of masses, all over e^(greatest weight)."""
    top = np.maximum(weights.max(axis=0), 0)
    whole, frame = np.exp(weights - top), np.exp(-top)
    single = -whole * np.expm1(-weights)
    return single + part * frame, whole, single.sum(axis=0) + frame


def squared_loss(weights: Floats, target: Floats, part: float) -> tuple[Floats, Floats]:
    """Half the squared difference of m({k}) + part m(frame) from the targets, over classes.

    Parameters
    ----------
    weights : (K, n) array
        Of the evidence for classes, 0 or more.
    target : (K, n) array
    part : float
        1/K for pignistic probabilities, 0 for belief, 1 for plausibility.

    Returns
    -------
    (n,) array, and its derivatives (K, n)
    """
    output, whole, total = _numerators(weights, part)
    output /= total
    gap = output - target
    slope = whole / total * (gap - (gap * output).sum(axis=0))
    return (gap**2).sum(axis=0) / 2, slope


def log_loss(weights: Floats, target: Floats, part: float | None) -> tuple[Floats, Floats]:
    """Minus the log of the mean plausibility of labels under predicted probabilities.

    Parameters
    ----------
    weights : (K, n) array
    target : (K, n) array
        Plausibilities of classes: 1 for a hard label and 0 for others.
    part : float or None
        Probabilities are in proportion to m({k}) + part m(frame): 1/K for pignistic ones. None:
        relative plausibilities, the softmax of the weights, which may be negative.

    Returns
    -------
    (n,) array, and its derivatives (K, n)
    """
    if part is None:
        whole = np.exp(weights - weights.max(axis=0))
        output = whole
    else:
        output, whole, _ = _numerators(weights, part)
    total = output.sum(axis=0)
    joint = target * output
    fit = np.maximum(joint.sum(axis=0), np.finfo(np.float64).tiny)
    return np.log(total / fit), whole / total - target * whole / fit


_DENIED = -600.0
"""Below it, masses of two classes and more are less than exp(-600) of those of single ones."""


@dataclass(frozen=True, eq=False)
class WeightedEvidence(ShownFields):
    """Evidence for and against each class.

    Parameters
    ----------
    classes : (K,) array
    supporting, opposing : (n, K) arrays
        Weight of all evidence for each class, and of all against it, of each sample; 0 or more,
        and finite.

    References
    ----------
    Shafer (1976), A Mathematical Theory of Evidence, ch. 5. Denoeux (2019), Logistic regression,
    neural networks and Dempster-Shafer theory, Knowledge-Based Systems 176, 54-67.

    Examples
    --------
    >>> classes = np.array(["a", "b"])
    >>> evidence = WeightedEvidence(classes, np.array([[0.0, 1.0]]), np.array([[0.5, 0.0]]))
    >>> evidence.mass().mass("b").round(3)
    array([0.777])
    """

    classes: NDArray[Any]
    supporting: Floats
    opposing: Floats

    def beliefs(self) -> Products:
        """Dempster's combination of all evidence, without a list of sets.

        The factor exp(-sum of supporting weights), common to all masses, is left out, and the rest
        divided by that of the greatest exponent, so that nothing overflows or vanishes.
        """
        w, against = self.supporting.T, self.opposing.T
        top = self._top()
        # exp(w - against) (1 - exp(-w)) for each class alone; besides, random sets of classes.
        alone = np.where(top < 0, 1, -np.expm1(-w))  # all denied beyond floats: no larger sets
        single = np.exp(w - against - top) * alone
        scale = np.where(top < 0, 0, np.exp(-np.maximum(top, 0)))[np.newaxis]
        return Products(
            self.classes,
            single,
            scale,
            -np.expm1(-against)[np.newaxis],
            np.exp(-against)[np.newaxis],
        )

    def _top(self) -> Floats:
        """Greatest exponent of a class, or 0; negative only where exp would vanish."""
        top = (self.supporting - self.opposing).max(axis=1)
        return np.asarray(np.where(top < _DENIED, top, np.maximum(top, 0)))

    def mass(self) -> MassFunction:
        """Dempster's combination of all evidence.

        Returns
        -------
        MassFunction
            Batch (n,) on the frame of classes, over all non-empty sets.

        Raises
        ------
        CostLimitError
            For more than 16 classes; `interval` has no limit.
        """
        return self.beliefs().mass()

    def interval(self) -> Floats:
        """[Bel, Pl] of each class, (n, K, 2)."""
        return self.beliefs().interval()

    def conflict(self) -> Floats:
        """Mass of the empty set before Dempster's rule normalizes, (n,): contradiction."""
        kept = np.log(self.beliefs().total()) + self._top() - self.supporting.sum(axis=1)
        return np.asarray(np.clip(-np.expm1(kept), 0, 1))

    def ignorance(self) -> Floats:
        """Mass of the frame before Dempster's rule normalizes, (n,): lack of evidence."""
        return np.asarray(np.exp(-self.supporting.sum(axis=1) - self.opposing.sum(axis=1)))


class EvidencePredictor(BeliefPredictor):
    """A classifier whose beliefs are combined evidence for and against classes."""

    @abstractmethod
    def evidence(self, X: SamplesLike) -> WeightedEvidence:
        """Weights of evidence about samples."""

    def beliefs(self, X: SamplesLike) -> Products:
        """Combined evidence about each sample, of which nothing is computed before it is asked.

        Parameters
        ----------
        X : (n, n_features) array or data frame

        Returns
        -------
        Beliefs
            Their masses are of all sets of at most 16 classes.
        """
        return self.evidence(X).beliefs()
