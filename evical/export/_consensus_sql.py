"""`evical.fusion.Consensus` in SQL: sources in columns of one table, fused by one query.

The formula is the one that graphs of ONNX get; `Query` writes its nodes as expressions of columns.
Besides comparisons it takes ln, exp, sqrt and tanh, which SQLite has where it was built with its
mathematical functions.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evical.estimators.given import OfSource
from evical.export._dialects import Dialect, number
from evical.export._graph import Graph
from evical.export._multiclass import normal_beliefs
from evical.export._stacked import Odds, Source, consensus_odds
from evical.export._tensor import Tensor, exp, joined, maximum, unless, where
from evical.fused import EvidentialFusion
from evical.fusion import Consensus

_SUM = 1e-3  # by which probabilities may miss a sum of 1, and are scaled
# Letters of an expression that is written again: of 9,000 rows of two classes, SQLite takes 0.29 s,
# and 0.53 s if each expression that is needed twice is a column (0.34 s with 48).
_SHORT = 64
_FAR = -700.0  # has an exponential, where some databases refuse one that is less than all floats

# How an operator is written, of one column of each of its inputs.
_FORMS = {
    "Add": "({} + {})",
    "Sub": "({} - {})",
    "Mul": "({} * {})",
    "Div": "({} / {})",
    "And": "({} AND {})",
    "Not": "(NOT {})",
    "Equal": "({} = {})",
    "Greater": "({} > {})",
    "GreaterOrEqual": "({} >= {})",
    "Less": "({} < {})",
    "LessOrEqual": "({} <= {})",
    "Where": "CASE WHEN {} THEN {} ELSE {} END",
    "Cast": "CASE WHEN {} THEN 1e0 ELSE 0e0 END",  # truth values to numbers
    "Log": "ln({})",
    "Exp": "exp({})",
    "Sqrt": "sqrt({})",
    "Sigmoid": "(5e-1 + 5e-1 * tanh({} / 2e0))",
}


@dataclass(eq=False)
class _Cell:
    """An expression of a column: a form with parts, or a text without any; and how often named."""

    form: str
    parts: tuple["_Cell", ...] = ()
    uses: int = 0

    def __post_init__(self) -> None:
        for part in self.parts:
            part.uses += 1


class Query(Graph):
    """A graph whose values (n, k) are k expressions of columns of a table of n rows.

    What is needed more than once, and not short, becomes a column of a step.

    Parameters
    ----------
    form : Dialect
    name : callable
        From a new column to how it is written.
    """

    def __init__(self, form: Dialect, name: Callable[[str], str]) -> None:
        super().__init__()
        self.form, self._written_as = form, name
        self._cells: dict[str, list[_Cell]] = {}
        self._arrays: dict[str, NDArray[Any]] = {}
        self._read: list[str] = []
        self._steps: list[list[str]] = []
        self._known: dict[_Cell, tuple[str, int]] = {}

    def columns(self, texts: Sequence[str]) -> Tensor:
        """Expressions (n, k) of the table, as doubles."""
        cells = []
        for text in texts:
            name = self._written_as(f"x{len(self._read)}")
            self._read.append(f"{self._double(text)} AS {name}")
            cells.append(_Cell(name))
        return Tensor(self, self._add("columns", cells))

    def constant(self, values: ArrayLike) -> str:
        array = np.asarray(values)
        name = self._add("constant", [_Cell(_literal(value)) for value in array.ravel().tolist()])
        self._arrays[name] = array
        return name

    def add(
        self, kind: str, inputs: list[str], output: str | None = None, **options: object
    ) -> str:
        rows = [self._cells[name] for name in inputs]
        if kind == "Softmax":
            return self._softmax(Tensor(self, inputs[0]))
        if kind == "Gather":
            return self._add(kind, [rows[0][place] for place in self._arrays[inputs[1]]])
        if kind == "Concat":
            return self._add(kind, [cell for row in rows for cell in row])
        if kind == "MatMul":
            columns = self._arrays[inputs[1]].T
            return self._add(kind, [self._weighted(rows[0], column) for column in columns])
        if kind == "ArgMax":
            return self._add(kind, [_greatest(rows[0])])
        if kind.startswith("Reduce"):
            return self._add(kind, [self._over(kind.removeprefix("Reduce"), rows[0])])
        width = max(map(len, rows))
        wide = (row * (width // len(row)) for row in rows)
        return self._add(kind, [self._over(kind, parts) for parts in zip(*wide, strict=True)])

    def _add(self, kind: str, cells: list[_Cell]) -> str:
        name = self._name(kind)
        self._cells[name] = cells
        return name

    def _over(self, kind: str, parts: Sequence[_Cell]) -> _Cell:
        """An operator over columns, of which sums and extremes take any number."""
        if kind in ("Sum", "Max", "Min"):
            if len(parts) == 1:
                return parts[0]
            between = " + " if kind == "Sum" else ", "
            name = "" if kind == "Sum" else self.form.extremes[kind == "Max"]
            return _Cell(f"{name}({between.join(['{}'] * len(parts))})", tuple(parts))
        return _Cell(self._double(_FORMS[kind]) if kind == "Cast" else _FORMS[kind], tuple(parts))

    def _double(self, text: str) -> str:
        """As a 64-bit number, where the literals are others."""
        return f"CAST({text} AS {self.form.double})" if self.form.double else text

    def _weighted(self, cells: Sequence[_Cell], weights: NDArray[Any]) -> _Cell:
        pairs = [(one, w) for one, w in zip(cells, weights.tolist(), strict=True) if w]
        terms = [one if w == 1 else _Cell(f"({{}} * {_literal(w)})", (one,)) for one, w in pairs]
        return self._over("Sum", terms)

    def _softmax(self, x: Tensor) -> str:
        grown = exp(maximum(x - x.max(axis=1), _FAR))
        return (grown / grown.sum(axis=1)).name

    def texts(self, values: Sequence[Tensor]) -> list[list[str]]:
        """Expressions of columns of the query, after which nothing is to be added."""
        cells = [self._cells[one.name] for one in values]
        for row in cells:
            for cell in row:
                cell.uses += 1
        return [[self._text(cell)[0] for cell in row] for row in cells]

    def _text(self, cell: _Cell) -> tuple[str, int]:
        """How a cell is written, and after how many steps."""
        if cell not in self._known:
            parts = [self._text(part) for part in cell.parts]
            text = cell.form.format(*(part for part, _ in parts)) if parts else cell.form
            step = max((step for _, step in parts), default=0)
            if parts and cell.uses > 1 and len(text) > _SHORT:
                if step == len(self._steps):
                    self._steps.append([])
                name = self._written_as(f"y{len(self._known)}")
                self._steps[step].append(f"{text} AS {name}")
                text, step = name, step + 1
            self._known[cell] = text, step
        return self._known[cell]

    def text(self, table: str, keep: Sequence[str]) -> str:
        """The query; named steps, for some databases limit how deep queries may be nested."""
        names = [self._written_as(f"step{i}") for i in range(1 + len(self._steps))]
        kept = "MATERIALIZED " if self.form.keeps_steps else ""
        sources = [f"SELECT {', '.join([*keep, *self._read])} FROM {table}"]
        sources += [
            f"SELECT *, {', '.join(step)} FROM {name}"
            for name, step in zip(names, self._steps, strict=False)
        ]
        pairs = zip(names, sources, strict=True)
        named = ",\n".join(f"{one} AS {kept}({step})" for one, step in pairs)
        return f"WITH {named}\nSELECT * FROM {names[-1]}"


def _literal(value: float) -> str:
    """A number, in parentheses if it is negative: two minus signs begin a comment."""
    return number(value) if value >= 0 else f"({number(value)})"


def _greatest(cells: Sequence[_Cell]) -> _Cell:
    """The place of the greatest, of equal ones the first."""
    cases, parts = [], list[_Cell]()
    for place, one in enumerate(cells):
        others = [other for other in cells if other is not one]
        cases.append(f"WHEN {' AND '.join(['{} >= {}'] * len(others))} THEN {number(place)}")
        parts += [cell for other in others for cell in (one, other)]
    return _Cell(f"CASE {' '.join(cases)} END", tuple(parts))


def consensus_query(
    fitted: EvidentialFusion,
    table: str,
    form: Dialect,
    keep: Sequence[str],
    name: Callable[[str], str],
) -> tuple[str, list[list[str]]]:
    """A query with beliefs in further columns.

    Parameters
    ----------
    fitted : EvidentialFusion
        With the rule "consensus", which has learned without labels.
    table : str
    form : Dialect
    keep : sequence of str
        Columns of the table that stand before the new ones.
    name : callable
        From the name of a new column to how it is written.

    Returns
    -------
    query : str
    columns : list of lists of str
        Belief, plausibility and pignistic probability of each class.
    """
    rule, query, k = _checked(fitted), Query(form, name), len(fitted.classes_)
    heard = np.flatnonzero(rule.weights_)
    sources = [_source(query, fitted._members[place], fitted.classes_) for place in heard]
    found, nothing = consensus_odds(rule, sources, rule.weights_[heard])
    # Of two classes each one, for the probability of the other may be less than rounding.
    each = [Odds(*(part.columns([i]) for part in found)) for i in range(2)] if k == 2 else [found]
    beliefs = [unless(nothing, normal_beliefs(*odds, rule, k).parts, k).parts for odds in each]
    parts = [joined(list(columns)) for columns in zip(*beliefs, strict=True)]
    sides = [list(side) for side in zip(*query.texts(parts), strict=True)]
    return query.text(form.quoted(table), list(map(form.quoted, keep))), sides


def _checked(fitted: EvidentialFusion) -> Consensus:
    """The rule, if it can be written."""
    rule = fitted.fusion_
    if not isinstance(rule, Consensus) or rule.n_sources_ < 2:
        raise ValueError(
            f"the fusion of {len(fitted._members)} sources has the rule {rule.name}, and SQL takes "
            "'consensus' of two sources or more; to_onnx takes 'stacked' too"
        )
    for member in fitted._members:
        if isinstance(member, OfSource):
            raise ValueError(
                f"source {member.name!r} has scores, and SQL takes probabilities and votes; use "
                "to_onnx, or calibrate it first"
            )
    if rule._stacked is not None:
        raise ValueError(
            "the fusion has learned from labels, and SQL takes one that has not; use to_onnx"
        )
    return rule


def _source(query: Query, member: OfSource, classes: NDArray[Any]) -> Source:
    """Probabilities of a source, which is silent where they are none, or where it has no vote."""
    form, labels = query.form, classes.tolist()
    if member.votes:
        vote = form.quoted(member.name)
        texts = [f"CASE WHEN {vote} = {form.literal(one)} THEN 1e0 ELSE 0e0 END" for one in labels]
    else:
        texts = [form.quoted(f"{member.name}_p_{label}") for label in labels]
    given = query.columns(texts)
    total = given.sum(axis=1)
    bounds = [
        given.min(axis=1).node("GreaterOrEqual", 0.0),
        given.max(axis=1).node("LessOrEqual", 1.0),
        total.greater(1 - _SUM),
        total.node("Less", 1 + _SUM),
    ]
    silent = reduce(and_, bounds).numbers().equals(0.0)  # NULL is neither true nor false
    return Source(given / where(silent, 1.0, total), silent)
