"""Beliefs that are not listed set by set, as criteria and predictions see them."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dstheory import Frame
from dstheory.decide import Expectations
from evical._typing import Floats

__all__ = ["ClosedExpectations", "ClosedForm"]


class ClosedForm(Protocol):
    """Beliefs about n samples and K classes, such as `evical.multiclass` has of products."""

    def interval(self) -> Floats:
        """[Bel, Pl] of each class, (n, K, 2)."""

    def betp(self) -> Floats:
        """Pignistic probabilities (n, K)."""

    def lower(self, utilities: Floats) -> Floats:
        """Lower expected utilities (n, A) of acts (A, K)."""


@dataclass(frozen=True, eq=False)
class ClosedExpectations(Expectations):
    """Expected utilities, for the criteria of `dstheory.decide`.

    Parameters
    ----------
    frame : Frame
        K classes, three or more.
    beliefs : ClosedForm

    Notes
    -----
    Bel and Pl of single classes are enough for an act worth c under all classes, but c + d under
    one, j, and c - e under one, k: of a focal set with k the worst is c - e, of {j} it is c + d,
    and of any other it is c. So the lower expectation is ``c + d Bel({j}) - e Pl({k})``. The
    classes themselves, rejection, their differences and their regrets are such acts.
    """

    frame: Frame
    beliefs: ClosedForm

    @cached_property
    def _bounds(self) -> Floats:
        """Bel and Pl, (2, n, K)."""
        return np.moveaxis(self.beliefs.interval(), -1, 0)

    def __len__(self) -> int:
        return int(self._bounds.shape[1])

    def expected_utility(self, utilities: NDArray[Any]) -> Floats:
        """Pignistic expectations (n, A) of acts (A, K)."""
        return np.asarray(self.beliefs.betp() @ utilities.T)

    def upper_expected_utility(self, utilities: NDArray[Any]) -> Floats:
        """Upper expectations (n, A) of acts (A, K)."""
        return -self.lower_expected_utility(-utilities)

    def lower_expected_utility(self, utilities: NDArray[Any]) -> Floats:
        """Lower expectations (n, A) of acts (A, K)."""
        common = np.median(utilities, axis=1)
        gain = np.maximum(utilities - common[:, np.newaxis], 0)
        loss = np.maximum(common[:, np.newaxis] - utilities, 0)
        belief, plausibility = self._bounds
        lower = np.asarray(common + belief @ gain.T - plausibility @ loss.T)
        other = ((gain > 0).sum(axis=1) > 1) | ((loss > 0).sum(axis=1) > 1)
        if other.any():
            lower[:, other] = self.beliefs.lower(utilities[other])
        return lower
