"""Greedy search over equivalence classes: best insertions first, then best deletions.

An insertion of x -> y makes x and the neighbors K of y (those adjacent to x and some others, a
clique) parents of y; its gain is that of the local score of y. So all insertions into y with the
same K are scored at once, as one row over x, and a step changes the rows of few nodes only. What
the gains do not depend on, whether x is still free to go and whether a path closes a cycle, is
looked at when an insertion is the best one. Sources: Chickering (2002), Optimal structure
identification with greedy search, JMLR 3, theorems 15 and 17, corollaries 16 and 18; Ramsey,
Glymour, Sanchez-Romero & Glymour (2017), A million variables and more, Int. J. Data Science and
Analytics 3 (the incremental form).
"""

import heapq
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from evical._typing import Floats
from evical.causal._equivalence import EquivalenceClass

__all__ = ["LocalScore", "greedy_search"]

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
