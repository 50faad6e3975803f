"""Beliefs that are probabilities of the classes."""

from dataclasses import dataclass
from typing import Any, Self, final

import numpy as np
from numpy.typing import NDArray

from dstheory import MassFunction
from dstheory.kernels.bits import mask_array
from evical._typing import Flags, Floats
from evical.beliefs._base import Beliefs
from evical.beliefs.products import Products

__all__ = ["Bayesian"]


@final
@dataclass(frozen=True, eq=False)
class Bayesian(Beliefs):
    """Masses of single classes alone.

    Parameters
    ----------
    classes : (K,) array
    probability : (n, K) array
    """

    classes: NDArray[Any]
    probability: Floats

    def __len__(self) -> int:
        return len(self.probability)

    def __getitem__(self, rows: Any) -> Self:
        return type(self)(self.classes, self.probability[rows])

    @property
    def n_products(self) -> int:
        """None of them."""
        return 0

    @property
    def silent(self) -> Flags:
        """No row (n,)."""
        return np.zeros(len(self), dtype=bool)

    def mass(self) -> MassFunction:
        """The mass functions, a batch (n,) over single classes."""
        k = len(self.classes)
        focal = mask_array([1 << at for at in range(k)], k)
        return MassFunction.from_store(self.frame, focal, np.array(self.probability.T, order="C"))

    def betp(self) -> Floats:
        """The probabilities (n, K)."""
        return self.probability

    def interval(self) -> Floats:
        """[Bel, Pl] of each class, (n, K, 2), both the probability."""
        return np.stack([self.probability, self.probability], axis=2)

    def lower(self, utilities: Floats) -> Floats:
        """Expected utilities (n, A) of acts (A, K)."""
        return np.asarray(self.probability @ utilities.T)

    def products(self) -> Products:
        """No product, and single classes."""
        single = self.probability.T
        none = np.empty((0, *single.shape), dtype=single.dtype)
        return Products(self.classes, single, none[:, 0], none, none)
