"""Beliefs about the class of each sample: a few sets of classes with masses per sample.

The sets differ between samples. Bel and Pl of single classes and pignistic probabilities need no
table of all 2^K sets; a mass function lists the sets on request.
"""

from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from dstheory import Frame, MassFunction
from dstheory.errors import CostLimitError
from dstheory.kernels import bitsets
from dstheory.kernels.bits import MAX_INT64_BITS, mask_array
from evical._typing import Floats
from evical.multiclass.products import MAX_CLASSES, ProductBeliefs

__all__ = ["Beliefs", "BeliefsLike"]


class BeliefsLike(Protocol):
    """Beliefs from which predictions follow."""

    def interval(self) -> Floats:
        """[Bel, Pl] of each class, (n, K, 2)."""

    def betp(self) -> Floats:
        """Pignistic probabilities (n, K)."""

    def products(self) -> ProductBeliefs:
        """The same as products over the classes."""

    def mass(self, frame: Frame) -> MassFunction:
        """The mass functions, a batch (n,)."""


@dataclass(frozen=True, eq=False)
class Beliefs:
    """Masses of single classes, and of some sets of two or more classes.

    Parameters
    ----------
    single : (n, K) array
        Mass of each single class, its belief.
    sets : (n, S, K) array of bool
        Members of the other sets of each sample.
    masses : (n, S) array
        Their masses; all masses of a sample sum to 1.
    """

    single: Floats
    sets: NDArray[np.bool_]
    masses: Floats

    @classmethod
    def bayesian(cls, probability: Floats) -> Self:
        """Bayesian beliefs with probabilities (n, K)."""
        n, k = probability.shape
        return cls(probability, np.zeros((n, 0, k), dtype=bool), np.zeros((n, 0)))

    @classmethod
    def of_two(cls, negative: Floats, positive: Floats, either: Floats) -> Self:
        """Beliefs about two classes from masses (n,)."""
        single = np.stack([negative, positive], axis=1)
        return cls(single, np.ones((len(single), 1, 2), dtype=bool), either[:, np.newaxis])

    def interval(self) -> Floats:
        """[Bel, Pl] of each class, (n, K, 2)."""
        shared = np.einsum("ns,nsk->nk", self.masses, self.sets)
        return np.stack([self.single, np.minimum(self.single + shared, 1)], axis=2)

    def betp(self) -> Floats:
        """Pignistic probabilities (n, K): each set shares its mass equally."""
        size = np.maximum(self.sets.sum(axis=2), 1)
        shared = np.einsum("ns,nsk->nk", self.masses / size, self.sets)
        return np.asarray(self.single + shared)

    def lower(self, utilities: Floats) -> Floats:
        """Lower expected utilities (n, A) of acts (A, K)."""
        found = self.single @ utilities.T
        for act, utility in enumerate(utilities):
            worst = np.where(self.sets, utility, np.inf).min(axis=2, initial=np.inf)
            found[:, act] += (self.masses * np.where(self.masses > 0, worst, 0)).sum(axis=1)
        return np.asarray(found)

    def products(self) -> ProductBeliefs:
        """The same: each set is a product of zeros and ones."""
        inside = self.sets.transpose(1, 2, 0).astype(np.float64)
        return ProductBeliefs(self.single.T, self.masses.T, 1 - inside, inside)

    def mass(self, frame: Frame) -> MassFunction:
        """The mass functions, a batch (n,) over the sets that occur in it.

        Raises
        ------
        CostLimitError
            If more than 2^16 different sets occur.
        """
        k = self.single.shape[1]
        focal = [1 << i for i in range(k)]
        if not self.masses.shape[1]:
            return _listed(frame, focal, self.single.T)
        occurs = self.masses > 0
        shown, place = _distinct(self.sets[occurs])
        _check_few(len(shown), k)
        store = np.zeros((len(shown), len(self.single)))
        np.add.at(store, (place, np.nonzero(occurs)[0]), self.masses[occurs])
        return _listed(frame, [*focal, *shown.tolist()], np.concatenate([self.single.T, store]))


def _distinct(sets: NDArray[np.bool_]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Masks of the distinct sets (T,), ascending, and which of them each row (m, K) is."""
    k = sets.shape[1]
    if k <= MAX_INT64_BITS:
        return np.unique(sets @ (1 << np.arange(k)), return_inverse=True)
    packed = np.packbits(sets, axis=1, bitorder="little")
    masks = (int.from_bytes(row.tobytes(), "little") for row in packed)
    return bitsets.distinct(mask_array(masks, k))


def _check_few(n_sets: int, n_classes: int) -> None:
    if n_sets > 1 << MAX_CLASSES:
        raise CostLimitError(
            f"beliefs about {n_classes} classes have {n_sets} different sets, but predict_mass "
            f"lists at most 2^{MAX_CLASSES}; ask for fewer samples at a time"
        )


def _listed(frame: Frame, focal: list[int], store: Floats) -> MassFunction:
    order = sorted(range(len(focal)), key=focal.__getitem__)
    masks = mask_array([focal[i] for i in order], len(frame))
    return MassFunction.from_store(frame, masks, np.ascontiguousarray(store[order]))
