"""`Told`: what a part of a graph says of the classes, as tensors."""

from functools import reduce
from operator import add
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evical.export._graph import DOUBLE
from evical.export._tensor import Tensor, joined
from evical.scores.names import belief_names

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

    def outputs(self, classes: NDArray[Any], class_columns: bool) -> dict[str, Any]:
        """Outputs of the graph, by name with their type and shape, of which this adds the nodes.

        They are one tensor, ``beliefs``; or a column of each class and number, with the names that
        tables have.
        """
        k, graph = len(classes), self.bel.graph
        if not class_columns:
            graph.add("Identity", [self.table(k).name], "beliefs")
            return {"beliefs": (DOUBLE, [None, 3] if k == 2 else [None, k, 3])}
        names = belief_names(classes.tolist())
        others = (self.pl, self.bel, self.betp)  # one less in the other of two classes
        both = Told(*(joined([1.0 - b, a]) for a, b in zip(self, others, strict=True)))
        columns = (both if k == 2 else self).table(0).reshape(0, 3 * k)
        for place, name in enumerate(names):
            graph.add("Gather", [columns.name, graph.constant(np.int64(place))], name, axis=1)
        return {name: (DOUBLE, [None]) for name in names}


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
