"""Discrete Bayesian networks whose structure is known: to simulate data and to judge discovery."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from dstheory.checks.arguments import check_count, check_rng
from dstheory.notebook import brief, html_table
from evical._typing import Floats
from evical.causal._equivalence import EquivalenceClass, topological
from evical.causal._graphs import graph_of


@dataclass(frozen=True, eq=False)
class DiscreteNetwork:
    """A Bayesian network of discrete variables.

    Parameters
    ----------
    names : tuple of str
        Of the V variables.
    states : tuple of tuple of str
        Names of the states of each variable.
    parents : tuple of tuple of int
        Places of the parents of each variable.
    tables : tuple of (q, r) arrays
        Probabilities of the r states of each variable in the q configurations of its parents; the
        state of the last parent changes fastest.

    Examples
    --------
    >>> coin = np.array([[0.5, 0.5]])
    >>> same = DiscreteNetwork(("a", "b"), (("0", "1"),) * 2, ((), (0,)), (coin, np.eye(2)))
    >>> same.sample(4, np.random.default_rng(0)).tolist()
    [[1, 1], [0, 0], [0, 0], [0, 0]]
    """

    names: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    parents: tuple[tuple[int, ...], ...]
    tables: tuple[Floats, ...]

    def _repr_html_(self) -> str:
        rows = [
            [name, brief(states), brief([self.names[x] for x in tails])]
            for name, states, tails in zip(self.names, self.states, self.parents, strict=True)
        ]
        edges = sum(map(len, self.parents))
        caption = f"DiscreteNetwork: {len(self.names)} variables, {edges} edges"
        return html_table(caption, [["variable", "states", "parents"], *rows])

    def sample(self, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw independent rows.

        Parameters
        ----------
        n : int
        rng : numpy.random.Generator

        Returns
        -------
        (n, V) array
            Numbers of the states, from 0.
        """
        check_count("n", n, 1)
        check_rng(rng)
        children: list[set[int]] = [set() for _ in self.names]
        for y, tails in enumerate(self.parents):
            for x in tails:
                children[x].add(y)
        rows = np.zeros((n, len(self.names)), dtype=np.int64)
        for y in topological(children, range(len(self.names))):
            sizes = [len(self.states[x]) for x in self.parents[y]]
            columns = tuple(rows[:, x] for x in self.parents[y])
            at = np.ravel_multi_index(columns, sizes) if columns else np.zeros(n, dtype=np.int64)
            limits: Floats = self.tables[y].cumsum(axis=1)[:, :-1]
            rows[:, y] = (rng.random(n)[:, np.newaxis] >= limits[at]).sum(axis=1)
        return rows

    def dag(self) -> "nx.DiGraph[str]":
        """The directed acyclic graph.

        Returns
        -------
        networkx.DiGraph
        """
        graph: nx.DiGraph[str] = nx.DiGraph()
        graph.add_nodes_from(self.names)
        for y, tails in enumerate(self.parents):
            graph.add_edges_from((self.names[x], self.names[y]) for x in tails)
        return graph

    def cpdag(self) -> "nx.DiGraph[str]":
        """The CPDAG of its equivalence class: the most that data can tell about the graph.

        Returns
        -------
        networkx.DiGraph
            An undirected edge is there in both directions.
        """
        network = EquivalenceClass.of_dag([set(tails) for tails in self.parents])
        return graph_of(network, self.names)


@cache
def _alarm() -> dict[str, Any]:
    text = files("evical.causal").joinpath("alarm.json").read_text(encoding="utf-8")
    content: dict[str, Any] = json.loads(text)
    return content


def alarm_network() -> DiscreteNetwork:
    """Alarm network of 37 variables of a patient under anesthesia, with 46 edges.

    Returns
    -------
    DiscreteNetwork

    References
    ----------
    Beinlich, Suermondt, Chavez & Cooper (1989), The ALARM monitoring system, Proc. 2nd European
    Conference on Artificial Intelligence in Medicine, 247-256.

    Examples
    --------
    >>> network = alarm_network()
    >>> sorted(network.dag().predecessors("CO"))
    ['HR', 'STROKEVOLUME']
    """
    nodes: Sequence[dict[str, Any]] = _alarm()["nodes"]
    names = [node["name"] for node in nodes]
    return DiscreteNetwork(
        tuple(names),
        tuple(tuple(node["states"]) for node in nodes),
        tuple(tuple(names.index(x) for x in node["parents"]) for node in nodes),
        tuple(_rows(node["table"]) for node in nodes),
    )


def _rows(table: list[list[float]]) -> Floats:
    """Probabilities that were rounded, such as three times 0.3333333, with sum 1."""
    rows = np.asarray(table, dtype=np.float64)
    return np.asarray(rows / rows.sum(axis=1, keepdims=True))
