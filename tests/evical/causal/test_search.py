"""The search against all classes of four nodes, another package, and its own slow forms."""

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from evical.causal._equivalence import EquivalenceClass, oriented, topological
from evical.causal._fast_ges import _cliques, greedy_search
from evical.causal._scores import BDeuScore, DiscreteBICScore, GaussianBICScore
from tests.naive import causal as naive
from tests.support.each import each

ORACLE = Path(__file__).parents[2] / "oracles" / "ges.json"


def arcs_of(network):
    """All arcs of a CPDAG, an undirected edge both ways."""
    pairs = enumerate(zip(network.parents, network.neighbors, strict=True))
    return frozenset((x, y) for y, (tails, near) in pairs for x in tails | near)


def random_dag(rng, n_nodes, share):
    order = rng.permutation(n_nodes).tolist()
    pairs = combinations(order, 2)
    return frozenset(pair for pair in pairs if rng.random() < share)


def parent_sets(arcs, n_nodes):
    return [set(naive.parents(arcs, y)) for y in range(n_nodes)]


def test_the_cpdag_of_every_graph_of_four_nodes():
    """185 classes of 543 graphs (Gillispie & Perlman 2002)."""
    every = naive.classes(4)
    assert len(every) == 185
    assert sum(map(len, every.values())) == 543
    for members in every.values():
        expected = naive.cpdag(members)
        for arcs in members:
            assert arcs_of(EquivalenceClass.of_dag(parent_sets(arcs, 4))) == expected


@each("seed", range(12))
def test_the_cpdag_of_graphs_of_seven_nodes(seed):
    arcs = random_dag(np.random.default_rng(seed), 7, 0.35)
    expected = naive.cpdag(naive.members_of(arcs, 7))
    assert arcs_of(EquivalenceClass.of_dag(parent_sets(arcs, 7))) == expected


def check_state(network):
    """What a class keeps is what its member says anew, and its sets agree."""
    n_nodes = len(network.parents)
    fresh = EquivalenceClass.of_dag([set(tails) for tails in network.dag_parents])
    assert arcs_of(network) == arcs_of(fresh)
    for v in range(n_nodes):
        near = network.parents[v] | network.children[v] | network.neighbors[v]
        assert near == network.adjacent[v] == network.dag_parents[v] | network.dag_children[v]
        assert all(v in network.dag_children[x] for x in network.dag_parents[v])
        assert all(v in network.children[x] for x in network.parents[v])
    assert naive.is_acyclic({(x, y) for y, p in enumerate(network.dag_parents) for x in p}, n_nodes)


class Watched(EquivalenceClass):
    """A class that is checked after each move, and whose changes must be all that were told."""

    def add(self, x, y, clique):
        return self.moved(super().add, x, y, clique)

    def remove(self, x, y, clique):
        return self.moved(super().remove, x, y, clique)

    def moved(self, move, x, y, clique):
        before = arcs_of(self)
        told = move(x, y, clique)
        check_state(self)
        assert {v for arc in before ^ arcs_of(self) for v in arc} <= told
        return told


@pytest.mark.parametrize("seed", range(4))
def test_each_step_keeps_what_a_completion_from_scratch_gives(monkeypatch, seed):
    monkeypatch.setattr("evical.causal._fast_ges.EquivalenceClass", Watched)
    rng = np.random.default_rng(seed)
    weights = np.triu(rng.normal(size=(14, 14)) * (rng.random((14, 14)) < 0.4), 1)
    values = rng.normal(size=(80, 14)) @ np.linalg.inv(np.eye(14) - weights)
    network = greedy_search(GaussianBICScore(values))
    assert sum(map(len, network.adjacent)) > 20


def discrete(seed, n=200):
    """Rows of a random network of four variables with two or three states."""
    rng = np.random.default_rng(seed)
    arcs = random_dag(rng, 4, 0.7)
    sizes = rng.integers(2, 4, 4).tolist()
    rows = np.zeros((4, n), dtype=int)
    children = [{y for x, y in arcs if x == v} for v in range(4)]
    for y in topological(children, range(4)):
        config = np.zeros(n, dtype=int)
        for x in naive.parents(arcs, y):
            config = config * sizes[x] + rows[x]
        table = rng.dirichlet(np.full(sizes[y], 0.5), config.max() + 1)
        rows[y] = (rng.random((n, 1)) > table.cumsum(axis=1)[config, :-1]).sum(axis=1)
    return rows, sizes


@each("seed", range(40))
def test_discrete_search_is_that_over_all_classes(seed):
    rows, sizes = discrete(seed)
    kind = (BDeuScore, DiscreteBICScore)[seed % 2]
    score = kind(rows, sizes)
    expected, best = naive.greedy_equivalence_search(4, score.local, 1e-9)
    network = greedy_search(score)
    found = sum(score.local(y, sorted(tails)) for y, tails in enumerate(network.dag_parents))
    assert found == pytest.approx(best, rel=1e-12)
    assert arcs_of(network) == expected


def test_hill_climbing_under_the_name_of_ges_ends_elsewhere():
    """A search over single graphs fixes directions that data leave open, and is stuck with them."""
    worse = 0
    for seed in range(40):
        rows, sizes = discrete(seed)
        score = DiscreteBICScore(rows, sizes)
        climbed = naive.hill_climb(4, score.local, 1e-9)
        members = naive.members_of(climbed, 4)
        if naive.cpdag(members) != arcs_of(greedy_search(score)):
            worse += 1
    assert worse >= 2


@each("case", json.loads(ORACLE.read_text(encoding="utf-8"))["cases"])
def test_the_package_ges_finds_the_same(case):
    """Covariances of random Gaussian samples, and the CPDAGs of the package `ges`."""
    covariance = np.array(case["covariance"])
    # Rows that have exactly this covariance matrix.
    v, n = len(covariance), case["n"]
    rows = np.linalg.qr(np.vander(np.linspace(-1, 1, n), v + 1, increasing=True))[0][:, 1:]
    values = rows @ np.linalg.cholesky(covariance).T * np.sqrt(n)
    np.testing.assert_allclose(np.cov(values.T, ddof=0), covariance, atol=1e-9)
    network = greedy_search(GaussianBICScore(values))
    assert sorted(map(list, arcs_of(network))) == case["arcs"]


def test_the_order_of_columns_does_not_matter():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(60, 8)) @ np.triu(rng.normal(size=(8, 8)))
    order = rng.permutation(8)
    first = arcs_of(greedy_search(GaussianBICScore(values)))
    second = arcs_of(greedy_search(GaussianBICScore(values[:, order])))
    assert first == {(int(order[x]), int(order[y])) for x, y in second}


def test_most_parents():
    rng = np.random.default_rng(1)
    a, b, c = rng.integers(2, size=(3, 400))
    rows = np.array([a, b, c, np.where(rng.random(400) < 0.95, (a + b + c) // 2, 0)])
    score = BDeuScore(rows, [2, 2, 2, 2])
    assert greedy_search(score).parents[3] == {0, 1, 2}
    for most in (0, 1, 2):
        network = greedy_search(score, most)
        assert max(map(len, network.dag_parents)) == most


def test_a_path_is_found_from_both_ends():
    network = EquivalenceClass.of_dag([set(), {0}, {1}, {2, 4}, set(), {3}])  # 0-1-2 -> 3 -> 5
    path = network.semi_directed_path(0, 5, ())
    assert path == [0, 1, 2, 3, 5]
    assert network.semi_directed_path(0, 5, (2,)) == []
    assert network.semi_directed_path(5, 0, ()) == []
    assert network.semi_directed_path(4, 5, ()) == [4, 3, 5]


def test_orders_and_cliques():
    square = [{1, 3}, {0, 2, 3}, {1, 3}, {0, 1, 2}]
    assert oriented(square, [2, 3])[:3] == [2, 3, 1]
    assert set(_cliques([0, 1, 2], square)) == {(), (0,), (1,), (2,), (0, 1), (1, 2)}
