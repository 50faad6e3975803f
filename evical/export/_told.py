"""`Told`: what a part of a graph says of the classes, as tensors."""

from functools import reduce
from operator import add
from typing import NamedTuple

from evical.export._tensor import Tensor, joined

__all__ = ["Told", "mean_told"]


class Told(NamedTuple):
    """Belief, plausibility and pignistic probability.

    Each is (n, 1), of the positive one of two classes, or (n, K), of each of more.
    """

    bel: Tensor
    pl: Tensor
    betp: Tensor

    def table(self, n_classes: int) -> Tensor:
        """One tensor: (n, 3) of two classes, else (n, K, 3)."""
        if n_classes == 2:
            return joined(self)
        return joined([part.reshape(0, -1, 1) for part in self], axis=2)


def mean_told(parts: list[Told], weights: list[float]) -> Told:
    """Means of beliefs, with weights of sum 1."""
    if len(parts) == 1:
        return parts[0]
    return Told(
        *(
            reduce(add, [one * weight for one, weight in zip(column, weights, strict=True)])
            for column in zip(*parts, strict=True)
        )
    )
