"""Beliefs about the class of each sample: a few sets of classes with masses per sample.

The sets differ between samples. Bel and Pl of single classes and pignistic probabilities need no
table of all 2^K sets; a mass function lists the sets on request.
"""

from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from dstheory import Frame, MassFunction
from evical.multiclass.products import ProductBeliefs, check_listed

__all__ = ["Beliefs", "BeliefsLike"]

Floats = NDArray[np.float64]


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
        ValueError
            If there are too many classes to list sets of them.
        """
        n, k = self.single.shape
        focal = [1 << i for i in range(k)]
        if not self.masses.shape[1]:
            return _listed(frame, focal, self.single.T)
        check_listed(k)
        masks = self.sets @ (1 << np.arange(k))
        shown, place = np.unique(masks[self.masses > 0], return_inverse=True)
        store = np.zeros((len(shown), n))
        np.add.at(store, (place, np.nonzero(self.masses > 0)[0]), self.masses[self.masses > 0])
        return _listed(frame, [*focal, *shown.tolist()], np.concatenate([self.single.T, store]))


def _listed(frame: Frame, focal: list[int], store: Floats) -> MassFunction:
    order = sorted(range(len(focal)), key=focal.__getitem__)
    kind = np.int64 if len(frame) <= 62 else object
    masks = np.array([focal[i] for i in order], dtype=kind)
    return MassFunction.from_store(frame, masks, np.ascontiguousarray(store[order]))
