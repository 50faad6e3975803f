"""Graphs of ONNX that grow node by node.

A tree finds the piece of each score, as runtimes do it fast for thousands of trees; its row of
coefficients is gathered, and Horner's scheme runs on whole columns. Everything is 64-bit.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evical._typing import Floats
from evical._versions import version_of
from evical.export._table import PieceTable, next_float

# The least ones with all operators in 64 bits, which the oldest runtimes know.
_OPSET, _OPSET_OF_TREES = 15, 3
_AXES = 18  # since when axes of all reductions are an input
_IR_VERSION = 8
DEGREE = 3  # fewer coefficients to gather: two thirds of the time of degree 5
_ALL, _MEAN = np.ones((1, 3)), np.array([[1.0, 0.0, 0.5], [0.0, 1.0, 0.5]])  # of Bel, or Bel and Pl
_ROUNDING = 1e-14  # of a middle
FLOAT, INT64, STRING, BOOL, DOUBLE = 1, 7, 8, 9, 11  # types of elements, as ONNX numbers them


class Graph:
    """Nodes and constants, for a version of the operators.

    With a level there are confidence intervals, too. Raises ValueError for a version that lacks
    some operators.
    """

    def __init__(self, opset: int = _OPSET, level: float | None = None) -> None:
        if opset < _OPSET:
            raise ValueError(
                f"the target opset is {opset}, and an export takes {_OPSET} or a later one"
            )
        self.opset, self.level = opset, level
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self._names = 0

    def add(self, kind: str, inputs: list[str], output: str | None = None, **options: Any) -> str:
        """Append a node with one output, and give its name."""
        from onnx import helper

        name = output or self._name(kind)
        # Runtimes that fuse nodes name the result after them: names must differ.
        self.nodes.append(helper.make_node(kind, inputs, [name], name=name, **options))
        return name

    def constant(self, values: ArrayLike) -> str:
        """A tensor; the name that it got."""
        from onnx import numpy_helper

        name = self._name("constant")
        self.constants.append(numpy_helper.from_array(np.asarray(values), name))
        return name

    def _name(self, kind: str) -> str:
        self._names += 1
        return f"evical_{kind.lower()}_{self._names}"

    def append(self, model: Any, features: str) -> str:
        """The nodes of another model with one input; the name of its last output."""
        from onnx import compose

        graph = compose.add_prefix_graph(model.graph, f"{self._name('part')}_")
        self.add("Identity", [features], graph.input[0].name)
        self.nodes.extend(graph.node)
        self.constants.extend(graph.initializer)
        return str(graph.output[-1].name)

    def cast(self, values: str, kind: int) -> str:
        """The same as elements of another type."""
        return self.add("Cast", [values], to=kind)

    def doubles(self, name: str, kind: int) -> str:
        """An input of some type as doubles, which all formulas take."""
        return name if kind == DOUBLE else self.cast(name, DOUBLE)

    @property
    def opsets(self) -> dict[str, int]:
        """Versions of the operators by domain."""
        return {"": self.opset, "ai.onnx.ml": _OPSET_OF_TREES}

    def reduced(self, kind: str, values: str, axis: int) -> str:
        """Sums, means, products or extremes along an axis, which is kept."""
        if kind == "ReduceSum" or self.opset >= _AXES:
            return self.add(kind, [values, self.whole([axis])], keepdims=1)
        return self.add(kind, [values], axes=[axis], keepdims=1)

    def whole(self, numbers: ArrayLike) -> str:
        """A list of whole numbers, such as axes."""
        return self.constant(np.array(numbers, dtype=np.int64))

    def label(self, betp: str, classes: NDArray[Any], output: str) -> None:
        """The class of greatest probability (n,); of a tie, the first.

        One column of probabilities is that of the second of two classes.
        """
        if len(classes) == 2:
            half = self.constant(np.float64(0.5))
            place = self.cast(self.add("Greater", [betp, half]), INT64)
        else:
            place = self.add("ArgMax", [betp], axis=1, keepdims=0)
        flat = self.add("Reshape", [place, self.whole([-1])])
        self.add("Gather", [self.constant(_labels(classes)), flat], output)

    def beliefs(self, table: PieceTable, scores: str) -> str:
        """All columns (n, c) of a table at scores (n, 1); NaN where they are missing."""
        if table.is_probability:
            return self.add("MatMul", [self.values(table, scores, [0]), self.constant(_ALL)])
        columns = table.coefficients
        middle = np.abs(columns[2] - (columns[0] + columns[1]) / 2).max() <= _ROUNDING
        if not table.degree or len(columns) > 3 or not middle:
            return self.values(table, scores, list(range(len(columns))))
        return self.add("MatMul", [self.values(table, scores, [0, 1]), self.constant(_MEAN)])

    def values(self, table: PieceTable, scores: str, rows: list[int]) -> str:
        """Some rows of a table, (n, r), at scores (n, 1); NaN where they are missing."""
        if table.is_log_odds and len(table) == 1:
            return self._sigmoid(table, scores)
        if table.is_log_odds:
            return self.add("Sigmoid", [self._polynomials(table, scores, rows)])
        return self._polynomials(table, scores, rows)

    def _polynomials(self, table: PieceTable, scores: str, rows: list[int]) -> str:
        coefficients = table.coefficients[rows]
        k, powers, pieces = coefficients.shape
        by_piece = coefficients.transpose(2, 1, 0).reshape(pieces, powers * k)
        piece = self._piece(table, scores)
        if powers == 1:
            return self.add("Gather", [self.constant(_outside_too(by_piece)), piece])
        lead = np.stack([table.centers, table.factors], axis=1)
        same = bool((table.factors == 1.0).all())
        lead = lead[:, :1] if same else lead
        every = self.constant(_outside_too(np.hstack([lead, by_piece])))
        values = self.add("Gather", [every, piece])
        center, *others = self._split(values, [1] * lead.shape[1] + [k] * powers)
        t = self.add("Sub", [scores, center])
        if not same:
            t = self.add("Mul", [t, others.pop(0)])
        if k > 1:  # products of tensors of one shape are several times faster
            t = self.add("MatMul", [t, self.constant(np.ones((1, k)))])
        found = others.pop()
        for power in reversed(others):
            found = self.add("Add", [self.add("Mul", [found, t]), power])
        return found

    def _sigmoid(self, table: PieceTable, scores: str) -> str:
        """Probabilities (n, 1) whose log-odds are one line, by its formula."""
        value, slope = (self.constant(part) for part in table.coefficients[0, :, :])
        line = self.add("Add", [self.add("Mul", [scores, slope]), value])
        # 0 for a finite score.
        known = self.add("Sub", [scores, scores])
        return self.add("Add", [self.add("Sigmoid", [line]), known])

    def _split(self, values: str, sizes: list[int]) -> list[str]:
        from onnx import helper

        names = [self._name("split") for _ in sizes]
        inputs = [values, self.whole(sizes)]
        self.nodes.append(helper.make_node("Split", inputs, names, name=names[0], axis=1))
        return names

    def _piece(self, table: PieceTable, scores: str) -> str:
        """Number (n,) of the piece of each score; scores that are missing have the ends.

        A NaN is not less than anything, so that it has the last one.
        """
        from onnx import numpy_helper

        beyond = next_float(np.array([table.high]))
        tree = _tree(np.concatenate([[table.low], table.starts, beyond]))
        leaves = np.flatnonzero(tree["modes"] == 0)
        count = len(tree["modes"])
        number = self.add(
            "TreeEnsembleRegressor",
            [scores],
            domain="ai.onnx.ml",
            n_targets=1,
            nodes_treeids=[0] * count,
            nodes_nodeids=list(range(count)),
            nodes_featureids=[0] * count,
            nodes_modes=np.where(tree["modes"] == 0, "LEAF", "BRANCH_LT").tolist(),
            nodes_values_as_tensor=numpy_helper.from_array(tree["values"]),
            nodes_truenodeids=tree["left"].tolist(),
            nodes_falsenodeids=tree["right"].tolist(),
            target_treeids=[0] * len(leaves),
            target_nodeids=leaves.tolist(),
            target_ids=[0] * len(leaves),
            target_weights_as_tensor=numpy_helper.from_array(tree["values"][leaves]),
        )
        whole = self.add("Cast", [number], to=INT64)
        return self.add("Reshape", [whole, self.whole([-1])])

    def model(self, inputs: dict[str, Any], outputs: dict[str, Any], note: str) -> Any:
        """The finished model; inputs and outputs are types of elements with shapes."""
        from onnx import helper

        first, last = (
            [helper.make_tensor_value_info(name, *kind) for name, kind in part.items()]
            for part in (inputs, outputs)
        )
        graph = helper.make_graph(
            self.nodes, "evical", first, last, initializer=self.constants, doc_string=note
        )
        return helper.make_model(
            graph,
            opset_imports=[helper.make_opsetid(*pair) for pair in self.opsets.items()],
            ir_version=_IR_VERSION,
            producer_name="evical",
            producer_version=version_of("evical"),
        )


def label_type(classes: NDArray[Any]) -> int:
    """The type of elements of labels: whole numbers, or texts."""
    return INT64 if classes.dtype.kind in "iub" else STRING


def _labels(classes: NDArray[Any]) -> NDArray[Any]:
    whole = label_type(classes) == INT64
    return classes.astype(np.int64) if whole else np.array(list(map(str, classes)), dtype=object)


def _outside_too(by_piece: Floats) -> Floats:
    """Coefficients of pieces, with one before and one behind where nothing is known."""
    none = np.full((1, by_piece.shape[1]), np.nan)
    return np.concatenate([none, by_piece, none])


def _tree(starts: Floats) -> dict[str, NDArray[Any]]:
    """A balanced tree: at a branch the score is compared, and leaves hold the number of the piece.

    Nodes are numbered in the order in which they are made.
    """
    nodes: list[list[float]] = []

    def grow(first: int, last: int) -> int:
        own = len(nodes)
        if first == last:
            nodes.append([0, float(first), 0, 0])
            return own
        middle = (first + last) // 2
        nodes.append([1, float(starts[middle]), 0, 0])
        nodes[own][2] = grow(first, middle)
        nodes[own][3] = grow(middle + 1, last)
        return own

    grow(0, len(starts))
    modes, values, left, right = np.array(nodes, dtype=np.float64).T
    kinds = [part.astype(np.int64) for part in (modes, left, right)]
    return {"modes": kinds[0], "values": values, "left": kinds[1], "right": kinds[2]}
