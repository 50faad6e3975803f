"""Beliefs as masses of some sets of classes, the same sets for all samples."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self, final

import numpy as np
from numpy.typing import NDArray

from dstheory import Frame, MassFunction
from dstheory.decide import Expectations, lower_expected_utility
from dstheory.transform import betp
from evical._typing import Flags, Floats
from evical.beliefs._base import Beliefs, with_rest
from evical.beliefs.estimate import Estimate


@final
@dataclass(frozen=True, eq=False)
class Listed(Beliefs):
    """Masses of listed sets.

    Parameters
    ----------
    classes : (K,) array
    focal : (F,) array
        Masks of the sets, ascending.
    masses : (F, n) array or callable
        Floats or objects; the empty set may have mass. A callable returns them when they are asked
        for.
    estimate : Estimate, optional
    n : int, optional
        With a callable, the number of rows, none of which is vacuous.
    """

    classes: NDArray[Any]
    focal: NDArray[Any]
    masses: NDArray[Any] | Callable[[], NDArray[Any]]
    estimate: Estimate | None = None
    n: int | None = None

    @classmethod
    def of(cls, m: MassFunction, classes: NDArray[Any] | None = None) -> Self:
        """Mass functions, a batch (n,) on the frame of the classes, which are its labels."""
        if classes is None:
            classes = np.fromiter(m.frame.labels, object, len(m.frame))
        return cls(classes, m.focal, m.store)

    @cached_property
    def store(self) -> NDArray[Any]:
        """The masses (F, n)."""
        return self.masses() if callable(self.masses) else self.masses

    def __len__(self) -> int:
        return int(self.store.shape[1]) if self.n is None else self.n

    def __getitem__(self, rows: Any) -> Self:
        known = None if self.estimate is None else self.estimate[rows]
        return replace(self, masses=self.store[:, rows], estimate=known, n=None)

    @property
    def silent(self) -> Flags:
        """Rows (n,) that are vacuous."""
        if self.n is not None:
            return np.zeros(self.n, dtype=bool)
        everything = (1 << len(self.classes)) - 1
        return np.asarray((self.store[self.focal != everything] == 0).all(axis=0))

    @cached_property
    def _members(self) -> NDArray[np.bool_]:
        """Whether a class (K,) is in a set (F,)."""
        bits = np.arange(len(self.classes))[:, np.newaxis].astype(self.focal.dtype)
        return np.asarray((self.focal >> bits) & 1, dtype=bool)

    @property
    def _is_normal(self) -> bool:
        """Whether masses are floats, none of them of the empty set."""
        return self.store.dtype != object and bool(self.focal[0] != 0)

    def mass(self) -> MassFunction:
        """The mass functions, a batch (n,)."""
        return MassFunction.from_store(Frame(self.classes), self.focal, self.store)

    def betp(self) -> Floats:
        """Pignistic probabilities (n, K)."""
        if not self._is_normal:
            return np.asarray(betp(self.mass()), dtype=np.float64)
        shares = self._members / self._members.sum(axis=0)
        return np.asarray(np.einsum("kf,fn->nk", shares, self.store))

    def interval(self) -> Floats:
        """[Bel, Pl] of each class, (n, K, 2)."""
        alone = self._members & (self._members.sum(axis=0) == 1)
        kinds = np.stack([alone, self._members]).astype(self.store.dtype)
        return np.asarray(np.moveaxis(kinds @ self.store, 0, -1).swapaxes(0, 1), dtype=np.float64)

    def singletons(self) -> MassFunction:
        """The same of K + 1 sets, and of the empty set if it has mass."""
        size = self._members.sum(axis=0)
        alone = self._members[:, size == 1].astype(self.store.dtype)
        empty = None if self.focal[0] else self.store[0]
        return with_rest(Frame(self.classes), alone @ self.store[size == 1], empty)

    def lower(self, utilities: Floats) -> Floats:
        """Lower expected utilities (n, A) of acts (A, K)."""
        return np.asarray(lower_expected_utility(self.mass(), utilities))

    def expectations(self) -> Expectations | MassFunction:
        """The mass functions: criteria know what to do with the empty set."""
        return self.mass()


def sides(calibrators: Sequence[Any], scores: Floats) -> Floats:
    """Masses of the negative side, of the positive side, and of either.

    Parameters
    ----------
    calibrators : sequence of B fitted calibrators
        With `beliefs`, or with `predict_mass` alone.
    scores : (n, B) array
        A column for each.

    Returns
    -------
    (3, B, n) array
    """
    columns = zip(calibrators, np.ascontiguousarray(scores.T), strict=True)
    return np.stack([_sides(calibrator, column) for calibrator, column in columns], axis=1)


def _sides(calibrator: Any, column: Floats) -> Floats:
    if hasattr(calibrator, "beliefs"):
        beliefs = calibrator.beliefs(column)
        if len(beliefs.focal) == 3:
            return np.asarray(beliefs.store)
    m = calibrator.predict_mass(column)
    return np.stack([m.mass(mask=mask) for mask in (1, 2, 3)])
