"""Consonant beliefs: a contour is all there is.

The focal sets of a row are the classes at or above each of its plausibilities, so Bel, Pl,
pignistic probabilities and expected utilities follow from the sorted plausibilities (Dubois & Prade
1988, Possibility Theory).
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self, final

import numpy as np
from numpy.typing import NDArray

from dstheory import MassFunction, consonant
from evical._typing import Floats, Indices
from evical.beliefs._base import Beliefs
from evical.beliefs.products import Products


@final
@dataclass(frozen=True, eq=False)
class Consonant(Beliefs):
    """Beliefs of contours.

    Parameters
    ----------
    classes : (K,) array
        Two or more.
    plausibility : (n, K) array
        The greatest of each row is 1.
    """

    classes: NDArray[Any]
    plausibility: Floats

    def __len__(self) -> int:
        return len(self.plausibility)

    def __getitem__(self, rows: Any) -> Self:
        return type(self)(self.classes, self.plausibility[rows])

    @property
    def n_products(self) -> int:
        """One for each of the nested sets."""
        return len(self.classes)

    @cached_property
    def _order(self) -> Indices:
        """Classes (n, K) by falling plausibility."""
        return np.argsort(-self.plausibility, axis=1, kind="stable")

    @cached_property
    def _masses(self) -> Floats:
        """Mass (n, K) of the first class of the order, the first two, and so on."""
        falling = np.take_along_axis(self.plausibility, self._order, axis=1)
        return -np.diff(falling, append=0, axis=1)

    def mass(self) -> MassFunction:
        """The mass functions, a batch (n,) over nested sets of each row."""
        return consonant(self.frame, self.plausibility)

    def interval(self) -> Floats:
        """[Bel, Pl] of each class, (n, K, 2), where Bel is what all other classes leave."""
        second, first = np.partition(self.plausibility, (-2, -1), axis=1)[:, -2:].T[..., np.newaxis]
        others = np.where(self.plausibility == first, second, first)
        return np.stack([1 - others, self.plausibility], axis=-1)

    def betp(self) -> Floats:
        """Pignistic probabilities (n, K), with the mass of each set shared equally."""
        shares = self._masses / np.arange(1, self.plausibility.shape[1] + 1)
        falling = np.cumsum(shares[:, ::-1], axis=1)[:, ::-1]
        found = np.empty_like(falling)
        np.put_along_axis(found, self._order, falling, axis=1)
        return found

    def lower(self, utilities: Floats) -> Floats:
        """Lower expected utilities (n, A) of acts (A, K): each set is its worst class."""
        worst = (np.minimum.accumulate(u[self._order], axis=1) for u in utilities)
        return np.stack([(self._masses * values).sum(axis=1) for values in worst], axis=1)

    def products(self) -> Products:
        """One product of zeros and ones for each of the nested sets."""
        n, k = self.plausibility.shape
        place = np.empty((n, k), dtype=np.intp)
        np.put_along_axis(place, self._order, np.arange(k)[np.newaxis], axis=1)
        inside = (np.arange(k)[:, np.newaxis, np.newaxis] >= place.T).astype(np.float64)
        return Products(self.classes, np.zeros((k, n)), self._masses.T, 1 - inside, inside)
