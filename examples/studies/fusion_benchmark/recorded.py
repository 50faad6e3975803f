"""A fusion that keeps what it would learn from, for other ways to learn from the same."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dstheory import MassFunction
from dstheory.combine import mixing
from evical.fusion import Rule

__all__ = ["Recorded"]


class Recorded(Rule):
    """Mean of the mass functions, with the held-out samples for `held_out_` and `sizes_`."""

    needs = "labels"

    def reads(self, n_classes: int) -> Literal["probabilities"]:
        """Probabilities."""
        return "probabilities"

    def _check_parameters(self) -> None:
        """It has none."""

    def _learn(self, held_out: Any, sizes: NDArray[np.float64]) -> None:
        self.held_out_, self.sizes_ = held_out, sizes

    def _fuse(self, masses: Sequence[MassFunction]) -> MassFunction:
        return masses[0] if len(masses) == 1 else mixing(*masses)
