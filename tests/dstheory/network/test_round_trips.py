"""Networks as JSON and as graphs: what comes back is what went out."""

import json
from fractions import Fraction

import networkx as nx
import pytest
from hypothesis import given

from dstheory import DSTheoryError, MassFunction
from dstheory.errors import CostLimitError
from dstheory.network import (
    NetworkError,
    Table,
    ValuationNetwork,
    from_graph,
    from_json,
    join_tree,
    to_graph,
    to_json,
)
from dstheory.product import ProductFrame, Variable
from tests.dstheory.network.strategies import belief_cases, table_cases
from tests.support.each import each


def same(one, two):
    assert one.variables == two.variables
    assert dict(one.valuations) == dict(two.valuations)
    assert list(one.valuations) == list(two.valuations)
    assert (one.kind, one.tnorm, one.order) == (two.kind, two.tnorm, two.order)
    assert repr(one.marginals(normalize=False)) == repr(two.marginals(normalize=False))


@given(belief_cases(order="min_weight"))
def test_belief_networks(case):
    same(case.network, from_json(to_json(case.network)))
    same(case.network, from_graph(to_graph(case.network), order="min_weight"))


@given(table_cases(kind="possibility", tnorm="min"))
def test_tables(case):
    same(case.network, from_json(to_json(case.network)))
    same(case.network, from_graph(to_graph(case.network)))


def test_floats_keep_every_digit():
    third = 0.1 + 0.2
    network = ValuationNetwork({"a": [0, 1]}, kind="probability", order=["a"])
    network = network.add([third, 1 - third], on="a", key=("from", 3, None))
    again = from_json(to_json(network))
    same(network, again)
    assert again.valuations["from", 3, None].values[0] == third


def test_what_has_no_json_form():
    import sympy

    network = ValuationNetwork({"a": [0, 1]}).observe({"a": 0})
    with pytest.raises(TypeError, match="has no JSON form"):
        to_json(network.add(network.valuations["observed", "a"], key=frozenset()))
    p = sympy.Symbol("p")
    with pytest.raises(TypeError, match="is not a fraction"):
        to_json(network.add(MassFunction(network.variables[0].frame, [1, 3], [p, 1 - p]), on="a"))


def test_wrong_limits_are_no_damage():
    text = to_json(ValuationNetwork({"a": ["t", "f"]}))
    with pytest.raises(ValueError, match=r"^max_pairs is 0, but a limit is 1 or more"):
        from_json(text, max_pairs=0)
    with pytest.raises(TypeError, match="'kind' is not a limit; limits are max_bytes"):
        from_json(text, kind="probability")


DOCUMENT = json.loads(
    to_json(
        ValuationNetwork(
            {"a": ["t", "f"]},
            {"m": MassFunction(ProductFrame([Variable("a", ["t", "f"])]), [1, 3], [0.5, 0.5])},
        )
    )
)
TABLE = json.loads(
    to_json(ValuationNetwork({"a": [0, 1]}, {"t": Table("a", [1, 2])}, kind="probability"))
)


@each(
    ("change", "message"),
    [
        ({"format": "x"}, "format is 'x', not 'dstheory.ValuationNetwork'"),
        ({"version": 2}, "version 2 is later than 1"),
        ({"version": True}, "version is True, not a number"),
        ({"more": 1}, "missing or unknown fields \\['more'\\]"),
        ({"kind": "fuzzy"}, "kind is 'fuzzy'|missing or unknown fields"),
        ({"order": ["b"]}, "'b' is not a variable"),
        ({"order": 3}, "damaged"),
        ({"order": "best"}, "damaged: .*order is 'best'"),
        ({"tnorm": "min"}, "damaged: .*only possibilities"),
        ({"variables": {}}, "variables is not a list"),
        ({"variables": [3]}, "damaged"),
        ({"variables": DOCUMENT["variables"] * 2}, "variable 'a' occurs twice"),
        ({"variables": [{"name": "b", "values": [1]}]}, "damaged: KeyError\\('a'\\)"),
        ({"variables": [{"name": "a", "values": [[1]]}]}, "is not a label"),
        ({"valuations": [3]}, "missing or unknown fields 3"),
        ({"valuations": DOCUMENT["valuations"] * 2}, "key 'm' occurs twice"),
    ],
)
def test_damaged_documents(change, message):
    with pytest.raises(DSTheoryError, match=message):
        from_json(json.dumps({**DOCUMENT, **change}))


@each(
    ("change", "message"),
    [
        ({"focal": [[0], [0, 2]]}, "is not a list of distinct positions below 2"),
        ({"focal": [[0], [0, 0]]}, "is not a list of distinct positions below 2"),
        ({"focal": [[0], 3]}, "is not a list of distinct positions below 2"),
        ({"masses": [0.5, 0.25]}, "masses sum to 0.75"),
        ({"masses": ["1/2", "1/2"]}, "mass '1/2' is not a number"),
        ({"numbers": "fraction"}, "is not a fraction"),
        ({"variables": ["b"]}, "damaged"),
        ({"variables": 3}, "damaged"),
    ],
)
def test_damaged_valuations(change, message):
    damaged = [{**DOCUMENT["valuations"][0], **change}]
    with pytest.raises(DSTheoryError, match=message):
        from_json(json.dumps({**DOCUMENT, "valuations": damaged}))


def test_damaged_tables():
    damaged = [{**TABLE["valuations"][0], "values": [1.0]}]
    with pytest.raises(DSTheoryError, match=r"there are 1 numbers for a shape of \(2,\)"):
        from_json(json.dumps({**TABLE, "valuations": damaged}))
    for text in ("{", "[]", b"\xff"):
        with pytest.raises(DSTheoryError, match="the text is"):
            from_json(text)


def test_limits_are_given_anew():
    text = to_json(ValuationNetwork({"a": range(9)}, max_configurations=3))
    assert from_json(text).marginal("a").is_vacuous
    with pytest.raises(CostLimitError, match="max_configurations = 3"):
        from_json(text, max_configurations=3).marginal("a")


# -- graphs ----------------------------------------------------------------------------------------


def test_a_graph_of_ones_own():
    rain = Variable("rain", ["yes", "no"])
    likely = MassFunction(ProductFrame([rain]), [1, 3], [Fraction(1, 2)] * 2)
    graph = nx.Graph()
    graph.add_node("r", variable=rain)
    graph.add_node("sensor", valuation=likely)
    with pytest.raises(NetworkError, match="'sensor' is on \\['rain'\\], but its edges lead"):
        from_graph(graph)
    graph.add_edge("sensor", "r")
    network = from_graph(graph)
    assert network.marginal("rain").bel("yes") == Fraction(1, 2)
    assert list(network.valuations) == ["sensor"]
    graph.add_node("nothing")
    with pytest.raises(NetworkError, match="node 'nothing' has no attribute"):
        from_graph(graph)
    with pytest.raises(TypeError, match="graph is 3, expected a networkx graph"):
        from_graph(3)


@given(belief_cases())
def test_the_join_tree_as_a_graph(case):
    tree = join_tree(case.network)
    assert nx.is_directed_acyclic_graph(tree)
    assert nx.is_tree(tree.to_undirected())
    for key in case.network.valuations:
        (leaf,) = (n for n, keys in tree.nodes(data="keys") if key in keys)
        assert set(tree.nodes[leaf]["names"]) == set(case.network.scope(key))
    for child, parent, names in tree.edges(data="names"):
        assert set(names) == set(tree.nodes[child]["names"]) & set(tree.nodes[parent]["names"])
