"""A trained classifier read as evidence, in the place of a classifier with its calibrators."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.frozen import FrozenEstimator

from dstheory import MassFunction
from dstheory.transform import betp
from evical._typing import Floats
from evical.estimators.predictions import interval
from evical.learners._last_layer import last_layer
from evical.learners._latent import evidence_of
from evical.multiclass.products import ProductBeliefs
from evical.scores.direction import Direction

__all__ = ["LatentModel"]


@dataclass(frozen=True, eq=False)
class LatentModel:
    """A fitted classifier, and the mean features of its training samples.

    Parameters
    ----------
    estimator : fitted classifier
    mean : (J,) array
        Of the features of its last layer.
    probability : {"pignistic", "plausibility"}
    """

    estimator: Any
    mean: Floats
    probability: str

    @classmethod
    def of(cls, fitted: Any, X: Any, probability: str) -> Self:
        """Read a classifier that was fitted to X."""
        plain = fitted.estimator if isinstance(fitted, FrozenEstimator) else fitted
        return cls(plain, last_layer(plain, X).features.mean(axis=0), probability)

    @property
    def calibrators(self) -> list[Any]:
        """None."""
        return []

    def wrong_ways(self) -> list[Direction]:
        """None: nothing is calibrated."""
        return []

    def _beliefs(self, X: Any) -> ProductBeliefs:
        return evidence_of(last_layer(self.estimator, X), self.mean).beliefs()

    def predict_mass(self, X: Any) -> MassFunction:
        """Mass function of each sample, a batch (n,)."""
        return evidence_of(last_layer(self.estimator, X), self.mean).mass()

    def closed(self, X: Any) -> ProductBeliefs | None:
        """Belief about three or more classes without a list of sets."""
        return self._beliefs(X) if len(self.estimator.classes_) > 2 else None

    def predict_interval(self, X: Any) -> Floats:
        """[Bel, Pl]: (n, 2) for two classes, else (n, K, 2)."""
        closed = self.closed(X)
        return interval(self.predict_mass(X)) if closed is None else closed.interval()

    def predict_proba(self, X: Any) -> Floats:
        """Probabilities (n, K)."""
        beliefs = self._beliefs(X)
        if self.probability == "plausibility":
            contour = beliefs.contour().T
            return np.asarray(contour / contour.sum(axis=1, keepdims=True))
        closed = self.closed(X)
        return np.asarray(betp(self.predict_mass(X))) if closed is None else closed.betp()
