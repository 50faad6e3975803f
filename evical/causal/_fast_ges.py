"""`FastGES`: greedy equivalence search on a table, with the score for its kind of variables.

Greedy search over equivalence classes: best insertions first, then best deletions.

An insertion of x -> y makes x and the neighbors K of y (those adjacent to x and some others, a
clique) parents of y; its gain is that of the local score of y. So all insertions into y with the
same K are scored at once, as one row over x, and a step changes the rows of few nodes only. What
the gains do not depend on, whether x is still free to go and whether a path closes a cycle, is
looked at when an insertion is the best one. Sources: Chickering (2002), Optimal structure
identification with greedy search, JMLR 3, theorems 15 and 17, corollaries 16 and 18; Ramsey,
Glymour, Sanchez-Romero & Glymour (2017), A million variables and more, Int. J. Data Science and
Analytics 3 (the incremental form).
"""

from __future__ import annotations

import heapq
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Protocol, Self

import networkx as nx
import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from dstheory.checks.arguments import check_count
from evical._fitting import POSITIVE, all_or_nothing, check_declared, optional
from evical._typing import Floats, SamplesLike
from evical.causal._columns import Columns
from evical.causal._equivalence import EquivalenceClass
from evical.causal._graphs import graph_of
from evical.causal._scores import BDeuScore, DiscreteBICScore, GaussianBICScore

Clique = tuple[int, ...]

# Gains that are zero but for rounding; a log-likelihood has about this relative precision.
_NOTHING = 1e-9


class LocalScore(Protocol):
    """A score of networks that is a sum over nodes, each with its parents."""

    n_variables: int

    def local(self, y: int, parents: Sequence[int]) -> float:
        """Score of a node with its parents."""

    def gains(self, y: int, parents: Sequence[int]) -> Floats:
        """What each variable adds as a further parent, (V,); minus infinity for y and parents."""


@dataclass(slots=True)
class _Move:
    """x -> y to be inserted, or x -> y or x - y to be deleted, with `clique` before y."""

    gain: float
    x: int
    y: int
    clique: Clique
    version: int
    seen: bool = False
    path: list[int] = field(default_factory=list)


def greedy_search(score: LocalScore, max_parents: int | None = None) -> EquivalenceClass:
    """The equivalence class that greedy search ends in, from the empty graph.

    Parameters
    ----------
    score : LocalScore
        It must be score equivalent: the same for all networks of a class.
    max_parents : int, optional
        Most parents that an insertion may give to a node.

    Returns
    -------
    EquivalenceClass
    """
    network = EquivalenceClass(score.n_variables)
    _Insertions(score, network, max_parents).run()
    _Deletions(score, network).run()
    return network


class _Phase(ABC):
    """Moves by node, best first, with those of nodes that did not change kept from step to step."""

    def __init__(self, score: LocalScore, network: EquivalenceClass) -> None:
        self.score, self.network = score, network
        self._moves: list[Iterator[_Move]] = [iter(()) for _ in range(score.n_variables)]
        self._version = [0] * score.n_variables
        self._heap: list[tuple[float, int, int, Clique, int, _Move]] = []
        # Moves that a path forbids, by its nodes; none of them changes without one of its edges.
        self._waiting: list[list[_Move]] = [[] for _ in range(score.n_variables)]

    def run(self) -> None:
        """Make the best valid move, as long as there is one with a gain."""
        self._renew(range(self.score.n_variables))
        while (move := self._best()) is not None:
            self._renew(self._make(move))

    def _renew(self, nodes: Collection[int]) -> None:
        for y in nodes:
            self._version[y] += 1
            self._moves[y] = self._found(y)
            self._next(y)
        for v in nodes:
            for move in self._waiting[v]:
                if move.path:  # it waits at several nodes
                    move.path = []
                    self._push(move)
            self._waiting[v] = []

    def _next(self, y: int) -> None:
        """Put the next best move of a node on the heap."""
        move = next(self._moves[y], None)
        if move is not None:
            self._push(move)

    def _push(self, move: _Move) -> None:
        key = (-move.gain, move.y, move.x, move.clique, move.version, move)
        heapq.heappush(self._heap, key)

    def _best(self) -> _Move | None:
        while self._heap:
            move = heapq.heappop(self._heap)[-1]
            if move.version != self._version[move.y]:
                continue
            if not move.seen:
                move.seen = True
                self._next(move.y)
            if self._is_valid(move):
                return move
            for v in move.path:
                self._waiting[v].append(move)
        return None

    @abstractmethod
    def _found(self, y: int) -> Iterator[_Move]:
        """Moves into a node, those with the greatest gain first."""

    @abstractmethod
    def _is_valid(self, move: _Move) -> bool:
        """Whether a move leads from an equivalence class to another one."""

    @abstractmethod
    def _make(self, move: _Move) -> Collection[int]:
        """Carry out a move; nodes whose moves are to be found again."""


class _Insertions(_Phase):
    """The forward phase."""

    def __init__(
        self, score: LocalScore, network: EquivalenceClass, max_parents: int | None
    ) -> None:
        super().__init__(score, network)
        self._most = score.n_variables if max_parents is None else max_parents
        # Gains of each node that were asked for last time, by its parents.
        self._known: list[dict[Clique, tuple[NDArray[np.intp], Floats]]] = [
            {} for _ in range(score.n_variables)
        ]

    def _found(self, y: int) -> Iterator[_Move]:
        network, known, found = self.network, self._known[y], []
        version = self._version[y]
        self._known[y] = {}
        for clique in _cliques(sorted(network.neighbors[y]), network.adjacent):
            parents = tuple(sorted({*network.parents[y], *clique}))
            if len(parents) >= self._most:
                continue
            if parents not in known:
                known[parents] = _positive(self.score.gains(y, parents))
            self._known[y][parents] = known[parents]
            taken = set(network.adjacent[y])
            for z in network.neighbors[y] - set(clique):
                taken |= network.adjacent[z]
            found += [
                (-gain, x, clique)
                for x, gain in zip(*(part.tolist() for part in known[parents]), strict=True)
                if x not in taken
            ]
        return (_Move(-loss, x, y, clique, version) for loss, x, clique in sorted(found))

    def _is_valid(self, move: _Move) -> bool:
        """Theorem 15; that the nodes of `clique` are adjacent is known."""
        network, x, y = self.network, move.x, move.y
        fixed = network.neighbors[y] & network.adjacent[x]
        if x in network.adjacent[y] or not fixed.issubset(move.clique):
            return False  # for good, as long as y does not change
        move.path = network.semi_directed_path(y, x, move.clique)
        return not move.path

    def _make(self, move: _Move) -> Collection[int]:
        network, x, y = self.network, move.x, move.y
        changed = network.add(x, y, move.clique)
        return sorted(changed | (network.neighbors[x] & network.neighbors[y]))


class _Deletions(_Phase):
    """The backward phase."""

    def _found(self, y: int) -> Iterator[_Move]:
        network, version, found = self.network, self._version[y], []
        for x in (*network.parents[y], *network.neighbors[y]):
            shared = sorted(network.neighbors[y] & network.adjacent[x])
            for clique in _cliques(shared, network.adjacent):
                rest = sorted({*network.parents[y], *clique} - {x})
                gain = self.score.local(y, rest) - self.score.local(y, sorted([*rest, x]))
                if gain > _NOTHING:
                    found.append((-gain, x, clique))
        return (_Move(-loss, x, y, clique, version) for loss, x, clique in sorted(found))

    def _is_valid(self, move: _Move) -> bool:
        """Theorem 17 asks for a clique only, and moves are renewed when that may change."""
        return True

    def _make(self, move: _Move) -> Collection[int]:
        network, x, y = self.network, move.x, move.y
        changed = network.remove(x, y, move.clique)
        return sorted(changed | (network.adjacent[x] & network.adjacent[y]))


def _positive(gains: Floats) -> tuple[NDArray[np.intp], Floats]:
    """Variables with a gain, and how large it is."""
    chosen = np.flatnonzero(gains > _NOTHING)
    return chosen, gains[chosen]


def _cliques(nodes: list[int], adjacent: list[set[int]]) -> Iterator[Clique]:
    """All cliques among some nodes, the empty one first.

    Examples
    --------
    >>> list(_cliques([0, 1, 2], [{1}, {0}, set()]))
    [(), (0,), (0, 1), (1,), (2,)]
    """
    yield ()
    for i, v in enumerate(nodes):
        rest = [w for w in nodes[i + 1 :] if w in adjacent[v]]
        for more in _cliques(rest, adjacent):
            yield (v, *more)


def local_score(
    columns: Columns, score: str = "bic", penalty: float | None = None, sample_size: float = 1.0
) -> LocalScore:
    """The score of networks of some variables.

    Parameters
    ----------
    columns : Columns
    score, penalty, sample_size
        As `FastGES`.

    Returns
    -------
    LocalScore

    Raises
    ------
    TypeError
        If BDeu is asked for continuous variables.
    """
    if columns.sizes is None:
        if score == "bdeu":
            raise TypeError(
                f"column {columns.names[0]!r} holds floats, but BDeu is for discrete variables; "
                "use score='bic', or give states as whole numbers or texts"
            )
        factor = _PENALTY_CONTINUOUS if penalty is None else penalty
        return GaussianBICScore(columns.values, factor, columns.names)
    if score == "bdeu":
        return BDeuScore(columns.values.T, columns.sizes, sample_size)
    factor = _PENALTY_DISCRETE if penalty is None else penalty
    return DiscreteBICScore(columns.values.T, columns.sizes, factor)


# On networks of no other study each has the fewest errors in bootstraps of 1, 1.5 and 2
# (`python -m examples.studies causal_penalty`).
_PENALTY_DISCRETE, _PENALTY_CONTINUOUS = 1.0, 2.0


@dataclass(kw_only=True, eq=False, repr=False)
class FastGES(BaseEstimator):  # type: ignore[misc]  # sklearn is untyped
    """Greedy equivalence search for the causal network of a table.

    The search starts without edges. It makes the best insertion that raises the score, until there
    is none, and then the best deletions. Each step goes from one equivalence class to another, so
    that no direction is fixed before the data do so. If the data come from a network without hidden
    common causes, and it is faithful, the result is its CPDAG for large samples.

    Parameters
    ----------
    score : {"bic", "bdeu"}
        "bic" for discrete or continuous (linear Gaussian) variables; "bdeu" for discrete ones.
    penalty : float, optional
        Factor of the penalty of BIC; greater gives fewer edges. By default 1 for discrete and 2 for
        continuous variables, which have the fewest wrong edges in bootstraps of random networks.
    sample_size : float
        Equivalent sample size of the prior of BDeu; smaller gives fewer edges for most data.
    max_parents : int, optional
        Most parents of a node in the first phase.

    Attributes
    ----------
    graph_ : networkx.DiGraph
        The CPDAG. Nodes are names of columns; an undirected edge is there in both directions.
    score_ : float
        Of the result.
    names_ : list
        Of the columns, in order.

    Notes
    -----
    The graph is that of Chickering's two phases, exactly: no pair is left out because it seems
    independent on its own, as the option "faithfulness assumed" of other fast forms does. What
    makes it fast is that a step renews the moves of few nodes, and that all moves into a node with
    the same other parents are scored at once, from bits. 100 discrete variables take 0.1 s with
    numba, and 1,000 take 2 to 5 s, for 1,000 rows.

    Columns of floats are continuous; whole numbers, texts, categories and flags are discrete.

    References
    ----------
    Chickering (2002), Optimal structure identification with greedy search, Journal of Machine
    Learning Research 3, 507-554. Ramsey, Glymour, Sanchez-Romero & Glymour (2017), A million
    variables and more: the fast greedy equivalence search algorithm, International Journal of Data
    Science and Analytics 3, 121-129.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> a, b = rng.integers(2, size=(2, 500))
    >>> either = np.where(rng.random(500) < 0.9, a | b, 1 - (a | b))
    >>> ges = FastGES().fit(np.column_stack([a, b, either]))
    >>> sorted(ges.graph_.edges)  # 0 -> 2 <- 1
    [(0, 2), (1, 2)]
    """

    _ranges: ClassVar = {
        "penalty": optional(POSITIVE),
        "sample_size": POSITIVE,
        "max_parents": optional(check_count),
    }

    score: Literal["bic", "bdeu"] = "bic"
    penalty: float | None = None
    sample_size: float = 1.0
    max_parents: int | None = None

    @all_or_nothing
    def fit(self, X: SamplesLike, y: ArrayLike | None = None) -> Self:
        """Search for the network of a table.

        Parameters
        ----------
        X : (n, V) array, list of rows, or data frame
        y : None
            Not used.

        Returns
        -------
        self

        Raises
        ------
        TypeError
            If columns are of different kinds, of a wrong kind, or continuous for BDeu.
        ValueError
            If a parameter is out of range, or the table is not usable; the column is named.
        """
        columns = self._read(X)
        score = self._score(columns)
        network = greedy_search(score, self.max_parents)
        self.graph_: nx.DiGraph[Any] = graph_of(network, columns.names)
        self.score_ = sum(score.local(v, sorted(p)) for v, p in enumerate(network.dag_parents))
        self.names_ = columns.names
        return self

    def __call__(self, X: SamplesLike) -> nx.DiGraph[Any]:
        """The CPDAG of a table; this object stays as it is.

        Parameters
        ----------
        X : (n, V) array, list of rows, or data frame

        Returns
        -------
        networkx.DiGraph
        """
        return self._discovered(self._read(X))

    def _read(self, X: SamplesLike) -> Columns:
        """Checked parameters, and the columns of a table."""
        check_declared(self)
        return Columns.of(X)

    def _score(self, columns: Columns) -> LocalScore:
        return local_score(columns, self.score, self.penalty, self.sample_size)

    def _discovered(self, columns: Columns) -> nx.DiGraph[Any]:
        return graph_of(greedy_search(self._score(columns), self.max_parents), columns.names)
