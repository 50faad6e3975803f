"""Elimination orders and binary join trees: what makes them valid, on random hypergraphs."""

import math

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dstheory.network._elimination import HEURISTICS, eliminate, interaction_graph
from dstheory.network._join_tree import binary_join_tree
from tests.support.each import each

SCOPES = st.lists(
    st.lists(st.integers(0, 6), min_size=1, max_size=4, unique=True).map(
        lambda scope: tuple(sorted(scope))
    ),
    max_size=8,
)
SIZES = [2, 3, 2, 4, 2, 2, 3]


def tree_of(scopes, heuristic="min_fill"):
    order = eliminate(interaction_graph(scopes, len(SIZES)), SIZES, heuristic)
    return binary_join_tree(scopes, SIZES, order)


@given(SCOPES, st.sampled_from(HEURISTICS))
def test_orders_name_each_variable_once_and_do_not_depend_on_chance(scopes, heuristic):
    graph = interaction_graph(scopes, len(SIZES))
    order = eliminate(graph, SIZES, heuristic)
    assert sorted(order) == list(range(len(SIZES)))
    assert order == eliminate(interaction_graph(scopes[::-1], len(SIZES)), SIZES, heuristic)


@given(SCOPES, st.sampled_from(HEURISTICS))
def test_variables_put_last_come_last(scopes, heuristic):
    order = eliminate(interaction_graph(scopes, len(SIZES)), SIZES, heuristic, last={1, 4})
    assert set(order[-2:]) == {1, 4}


@pytest.mark.parametrize(
    ("heuristic", "cost"),
    [
        ("min_degree", lambda graph, v: graph.degree(v)),
        ("min_weight", lambda graph, v: SIZES[v] * math.prod(SIZES[u] for u in graph[v])),
        ("min_fill", lambda graph, v: missing(graph, v, lambda one, two: 1)),
        ("weighted_min_fill", lambda graph, v: missing(graph, v, lambda a, b: SIZES[a] * SIZES[b])),
    ],
)
@given(scopes=SCOPES)
def test_each_step_takes_a_cheapest_variable(heuristic, cost, scopes):
    """Prices that are kept between the steps equal prices from scratch."""
    graph = interaction_graph(scopes, len(SIZES))
    for variable in eliminate(graph.copy(), SIZES, heuristic):
        assert cost(graph, variable) == min(cost(graph, other) for other in graph)
        near = list(graph[variable])
        graph.add_edges_from((a, b) for a in near for b in near if a < b)
        graph.remove_node(variable)


def missing(graph, variable, weight):
    near = sorted(graph[variable])
    return sum(weight(a, b) for a in near for b in near if a < b and not graph.has_edge(a, b))


@given(SCOPES, st.sampled_from(HEURISTICS))
def test_a_tree_is_a_binary_join_tree(scopes, heuristic):
    tree = tree_of(scopes, heuristic)
    check(tree, scopes)
    assert [set(tree.scopes[n]) for s, n in tree.leaves.items()] == [set(s) for s in tree.leaves]


@given(SCOPES, st.lists(st.integers(0, 6), min_size=1, max_size=2, unique=True))
def test_a_grafted_tree_is_one_too(scopes, more):
    scope = tuple(sorted(more))
    tree = tree_of(scopes)
    grafted = tree.graft(scope)
    if grafted is None:
        assert not any(set(scope) <= set(own) for own in tree.scopes)
    else:
        check(grafted, [*scopes, scope])


def check(tree, scopes):
    nodes = range(len(tree.scopes))
    graph = nx.Graph(list(tree.edges()))
    graph.add_nodes_from(nodes)
    assert nx.is_tree(graph)
    assert max(degree for _, degree in graph.degree) <= 3
    assert sorted(tree.bottom_up()) == list(nodes)
    assert all(len(tree.children[n]) in (0, 2) for n in nodes)
    assert {tuple(sorted(scope)) for scope in scopes} <= set(tree.leaves)
    assert {(v,) for v in range(len(SIZES))} <= set(tree.leaves)
    for v in range(len(SIZES)):  # the nodes of a variable hang together
        assert nx.is_connected(graph.subgraph(n for n in nodes if v in tree.scopes[n]))
    for child, parent in tree.edges():
        common = set(tree.scopes[child]) & set(tree.scopes[parent])
        assert common == set(tree.separators[child])
    assert tree.separators[tree.root] == ()


@each("heuristic", HEURISTICS)
@each(
    ("graph", "width"),
    [(nx.star_graph(7), 1), (nx.path_graph(8), 1), (nx.cycle_graph(8), 2), (nx.ladder_graph(5), 2)],
    ids=["star", "path", "cycle", "ladder"],
)
def test_widths_of_known_graphs(graph, width, heuristic):
    sizes = [2] * len(graph)
    scopes = [tuple(sorted(edge)) for edge in graph.edges]
    order = eliminate(interaction_graph(scopes, len(sizes)), sizes, heuristic)
    tree = binary_join_tree(scopes, sizes, order)
    assert max(len(scope) for scope in tree.scopes) == width + 1


def test_a_star_is_shallow():
    """Five hundred valuations of one variable are combined in pairs of pairs, not in a row."""
    scopes = [(0, v) for v in range(1, 501)]
    sizes = [2] * 501
    tree = binary_join_tree(scopes, sizes, (*range(1, 501), 0))
    depth = nx.dag_longest_path_length(nx.DiGraph(list(tree.edges())))
    assert depth <= 2 * math.log2(500)


def test_min_fill_on_a_grid_of_five_has_width_five():
    size = 5
    cells = [(i, j) for i in range(size) for j in range(size)]
    scopes = [
        (size * i + j, size * a + b)
        for i, j in cells
        for a, b in ((i + 1, j), (i, j + 1))
        if a < size and b < size
    ]
    sizes = [2] * size**2
    order = eliminate(interaction_graph(scopes, len(sizes)), sizes)
    tree = binary_join_tree(scopes, sizes, order)
    assert max(len(scope) for scope in tree.scopes) == 6
