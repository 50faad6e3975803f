"""Consonant beliefs about n samples without a list of sets: a contour is all there is.

Classes in the order of plausibility give the nested sets, and the drops of the contour their
masses (Shafer 1976, ch. 10), so each value is a sum over K sets, not 2^K.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evical._typing import Floats

__all__ = ["ConsonantBeliefs"]


@dataclass(frozen=True, eq=False)
class ConsonantBeliefs:
    """Beliefs of contours, a `ClosedForm` of `evical.estimators.closed_beliefs`.

    Parameters
    ----------
    contour : (n, K) array
        The greatest value of each row is 1.
    """

    contour: Floats

    @cached_property
    def _order(self) -> NDArray[np.intp]:
        """Classes (n, K) by falling plausibility."""
        return np.argsort(-self.contour, axis=1, kind="stable")

    @cached_property
    def _masses(self) -> Floats:
        """Mass (n, K) of the first class of the order, the first two, and so on."""
        falling = np.take_along_axis(self.contour, self._order, axis=1)
        return -np.diff(falling, append=0, axis=1)

    def interval(self) -> Floats:
        """[Bel, Pl] of each class, (n, K, 2): Bel is what all other classes leave."""
        second, first = np.partition(self.contour, (-2, -1), axis=1)[:, -2:].T[..., np.newaxis]
        others = np.where(self.contour == first, second, first)
        return np.stack([1 - others, self.contour], axis=-1)

    def betp(self) -> Floats:
        """Pignistic probabilities (n, K): each set shares its mass equally."""
        shares = self._masses / np.arange(1, self.contour.shape[1] + 1)
        falling = np.cumsum(shares[:, ::-1], axis=1)[:, ::-1]
        found = np.empty_like(falling)
        np.put_along_axis(found, self._order, falling, axis=1)
        return found

    def lower(self, utilities: Floats) -> Floats:
        """Lower expected utilities (n, A) of acts (A, K): each set is its worst class."""
        worst = (np.minimum.accumulate(u[self._order], axis=1) for u in utilities)
        return np.stack([(self._masses * values).sum(axis=1) for values in worst], axis=1)
