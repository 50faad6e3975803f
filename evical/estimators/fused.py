"""Predictions that a rule makes of the beliefs of several members."""

from abc import abstractmethod
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from dstheory import MassFunction
from dstheory.combine import conjunctive
from evical._typing import Floats
from evical.estimators.closed_beliefs import ClosedForm
from evical.estimators.predictions import BeliefPredictor
from evical.estimators.rules import closed_form, combined, listed_mass, product_conflict

__all__ = ["FusedPredictor"]


class FusedPredictor(BeliefPredictor):
    """Mixin of estimators with a fitted rule, and members that it combines."""

    fusion_: Any
    total_conflict: str

    @abstractmethod
    def _fitted_members(self, X: Any) -> tuple[list[Any], Any]:
        """Fitted members with beliefs, and samples as they read them."""

    def predict_masses(self, X: Any) -> list[MassFunction]:
        """Belief of each member, before combination.

        Parameters
        ----------
        X : (n, n_features) array or data frame, or sources as for `fit`

        Returns
        -------
        list of MassFunction
            In the order of `fit`, each a batch (n,) on the frame `classes_`.
        """
        check_is_fitted(self)
        members, X = self._fitted_members(X)
        return [member.predict_mass(X) for member in members]

    def _closed(self, X: Any) -> ClosedForm | None:
        check_is_fitted(self)
        return closed_form(self.fusion_, *self._fitted_members(X), self.total_conflict)

    def predict_mass(self, X: Any) -> MassFunction:
        """Combined belief about each sample; `predict_interval` says what it promises.

        Parameters
        ----------
        X : (n, n_features) array or data frame, or sources as for `fit`

        Returns
        -------
        MassFunction
            Batch (n,) on the frame `classes_`.

        Raises
        ------
        TotalConflictError
            With the rows, see `total_conflict`.
        """
        check_is_fitted(self)
        listed = listed_mass(self.fusion_, *self._fitted_members(X), self.total_conflict)
        if listed is not None:
            return listed
        return combined(self.fusion_, self.predict_masses(X), self.total_conflict)

    def conflict(self, X: Any) -> Floats:
        """How much the members contradict each other.

        Parameters
        ----------
        X : (n, n_features) array or data frame, or sources as for `fit`

        Returns
        -------
        (n,) array
            kappa, the mass of the empty set under the conjunctive rule, from 0 to 1.
        """
        check_is_fitted(self)
        known = product_conflict(*self._fitted_members(X))
        if known is not None:
            return known
        masses = self.predict_masses(X)
        joint = masses[0] if len(masses) == 1 else conjunctive(*masses)
        return np.asarray(joint.mass(mask=0))
