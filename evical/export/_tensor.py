"""Formulas as graphs: `Tensor`, a value of a graph of ONNX that is computed with as in NumPy.

What a formula in Python says of arrays, the same formula says of tensors: each operation appends a
node. All numbers are 64-bit.

`BeliefTensors`: what a part of a graph says of the classes, as tensors.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evical.export._graph import BOOL, DOUBLE, Graph
from evical.scores.checks import label_list
from evical.scores.names import belief_names

# What an operation takes beside a tensor: another one, the name of a constant, or numbers.
Operand: TypeAlias = "Tensor | str | float | NDArray[Any]"


@dataclass(frozen=True)
class Tensor:
    """The output of a node.

    Parameters
    ----------
    graph : Graph
        To which operations append.
    name : str
    """

    graph: Graph
    name: str

    __array_ufunc__ = None  # so that NumPy leaves operations with arrays to it

    def node(self, kind: str, *others: Operand, **options: Any) -> "Tensor":
        """The output of a new node with this as its first input.

        Others are tensors, names of constants, or numbers.
        """
        names = [self.name, *(self._named(other) for other in others)]
        return Tensor(self.graph, self.graph.add(kind, names, **options))

    def _named(self, other: Operand) -> str:
        if isinstance(other, Tensor | str):
            return other if isinstance(other, str) else other.name
        return self.graph.constant(np.asarray(other))

    def __add__(self, other: Operand) -> "Tensor":
        return self.node("Add", other)

    def __sub__(self, other: Operand) -> "Tensor":
        return self.node("Sub", other)

    def __rsub__(self, other: Operand) -> "Tensor":
        return Tensor(self.graph, self._named(other)).node("Sub", self)

    def __mul__(self, other: Operand) -> "Tensor":
        return self.node("Mul", other)

    def __truediv__(self, other: Operand) -> "Tensor":
        return self.node("Div", other)

    def __matmul__(self, other: Operand) -> "Tensor":
        return self.node("MatMul", other)

    def __neg__(self) -> "Tensor":
        return self.node("Neg")

    def __and__(self, other: "Tensor") -> "Tensor":
        return self.node("And", other)

    def __or__(self, other: "Tensor") -> "Tensor":
        return self.node("Or", other)

    def equals(self, other: Operand) -> "Tensor":
        """Whether numbers are equal."""
        return self.node("Equal", other)

    def greater(self, other: Operand) -> "Tensor":
        """Whether numbers are greater."""
        return self.node("Greater", other)

    def sum(self, axis: int) -> "Tensor":
        """Sums along an axis, which is kept."""
        return self._reduced("ReduceSum", axis)

    def mean(self, axis: int) -> "Tensor":
        """Means along an axis, which is kept."""
        return self._reduced("ReduceMean", axis)

    def max(self, axis: int) -> "Tensor":
        """Maxima along an axis, which is kept."""
        return self._reduced("ReduceMax", axis)

    def min(self, axis: int) -> "Tensor":
        """Minima along an axis, which is kept."""
        return self._reduced("ReduceMin", axis)

    def prod(self, axis: int) -> "Tensor":
        """Products along an axis, which is kept."""
        return self._reduced("ReduceProd", axis)

    def _reduced(self, kind: str, axis: int) -> "Tensor":
        return Tensor(self.graph, self.graph.reduced(kind, self.name, axis))

    def reshape(self, *shape: int) -> "Tensor":
        """The same numbers in another shape; 0 keeps a size, -1 is what remains."""
        return self.node("Reshape", self.graph.whole([*shape]))

    def columns(self, numbers: Sequence[int]) -> "Tensor":
        """Some columns of (n, k)."""
        return self.node("Gather", self.graph.whole(numbers), axis=1)

    def is_nan(self) -> "Tensor":
        """Whether numbers are missing."""
        return self.node("IsNaN")

    def numbers(self) -> "Tensor":
        """Doubles: 1 for what is true, 0 for what is not."""
        return Tensor(self.graph, self.graph.cast(self.name, DOUBLE))

    def truths(self) -> "Tensor":
        """Whether numbers are not 0."""
        return Tensor(self.graph, self.graph.cast(self.name, BOOL))


def log(x: Tensor) -> Tensor:
    """Natural logarithms."""
    return x.node("Log")


def exp(x: Tensor) -> Tensor:
    """Exponentials."""
    return x.node("Exp")


def sigmoid(x: Tensor) -> Tensor:
    """1 / (1 + exp(-x))."""
    return x.node("Sigmoid")


def softmax(x: Tensor) -> Tensor:
    """Exponentials over their sum, along the last axis."""
    return x.node("Softmax", axis=-1)


def maximum(x: Tensor, other: Operand) -> Tensor:
    """The greater of two numbers."""
    return x.node("Max", other)


def minimum(x: Tensor, other: Operand) -> Tensor:
    """The smaller of two numbers."""
    return x.node("Min", other)


def where(condition: Tensor, x: Operand, other: Operand) -> Tensor:
    """`x` where the condition holds, and `other` elsewhere."""
    return condition.node("Where", x, other)


def joined(parts: Sequence[Tensor], axis: int = 1) -> Tensor:
    """Tensors side by side."""
    first, *others = parts
    return first.node("Concat", *others, axis=axis) if others else first


class BeliefTensors(NamedTuple):
    """Belief, plausibility and probability, and the ends of its confidence interval.

    Each is (n, 1), of the positive one of two classes, or (n, K), of each of more. The ends are
    None unless the graph has a level and they are known.
    """

    bel: Tensor
    pl: Tensor
    betp: Tensor
    lower: Tensor | None = None
    upper: Tensor | None = None

    @property
    def parts(self) -> list[Tensor]:
        """Those that there are."""
        return [part for part in self if part is not None]

    def probabilities(self, n_classes: int) -> Tensor:
        """Of all classes (n, K)."""
        return self.betp if n_classes > 2 else joined([1.0 - self.betp, self.betp])

    def table(self, n_classes: int) -> Tensor:
        """One tensor: (n, 3) of two classes, else (n, K, 3); 5 with intervals."""
        if n_classes == 2:
            return joined(self.parts)
        return joined([part.reshape(0, -1, 1) for part in self.parts], axis=2)

    def outputs(self, classes: NDArray[Any], class_columns: bool) -> dict[str, Any]:
        """Outputs of the graph, by name with their type and shape, of which this adds the nodes.

        They are one tensor, ``beliefs``; or a column of each class and number, with the names that
        tables have.
        """
        k, graph, size = len(classes), self.bel.graph, len(self.parts)
        if graph.level is not None and size < 5:
            raise ValueError(
                "level is given, but there is no confidence interval of what is exported; leave "
                "the level out"
            )
        if not class_columns:
            graph.add("Identity", [self.table(k).name], "beliefs")
            return {"beliefs": (DOUBLE, [None, size] if k == 2 else [None, k, size])}
        names = belief_names(label_list(classes), intervals=size == 5)
        # One less in the other of two classes.
        others = [self.parts[place] for place in (1, 0, 2, 4, 3)[:size]]
        both = (joined([1.0 - b, a]) for a, b in zip(self.parts, others, strict=True))
        columns = (BeliefTensors(*both) if k == 2 else self).table(0).reshape(0, size * k)
        for place, name in enumerate(names):
            graph.add("Gather", [columns.name, graph.constant(np.int64(place))], name, axis=1)
        return {name: (DOUBLE, [None]) for name in names}


def unless(
    dead: Tensor, parts: Sequence[Tensor], n_classes: int, total_conflict: str = "vacuous"
) -> BeliefTensors:
    """Beliefs; where there are none, vacuous ones, or NaN if total conflict is an error."""
    instead = (0.0, 1.0, 1.0 / n_classes, 0.0, 1.0)
    if total_conflict != "vacuous":
        instead = (np.nan,) * 5
    found = zip(parts, instead, strict=False)
    return BeliefTensors(*(where(dead, other, part) for part, other in found))


def mean_beliefs(parts: list[BeliefTensors], weights: list[float]) -> BeliefTensors:
    """Means of beliefs, with weights of sum 1."""
    if len(parts) == 1:
        return parts[0]
    known = min(len(part.parts) for part in parts)
    columns = zip(*(part.parts[:known] for part in parts), strict=True)
    return BeliefTensors(
        *(
            reduce(add, [one * weight for one, weight in zip(column, weights, strict=True)])
            for column in columns
        )
    )
