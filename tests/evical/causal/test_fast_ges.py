"""`FastGES` on tables: kinds of columns, CPDAGs of known networks, and bad input."""

from itertools import combinations

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from evical.causal import FastGES, alarm_network, edge_types
from evical.causal._columns import Columns
from evical.causal._graphs import typed_edges
from examples.studies.naeini2016_causal.networks import random_network
from tests.support.each import each


def coins(n=60, v=3, seed=0):
    return np.random.default_rng(seed).integers(2, size=(n, v))


def test_a_large_sample_of_the_alarm_network_gives_nearly_all_of_it():
    network = alarm_network()
    X = pd.DataFrame(network.sample(10_000, np.random.default_rng(0)), columns=network.names)
    found = nx.to_undirected(FastGES()(X))
    truth = nx.to_undirected(network.cpdag())
    missed = set(map(frozenset, truth.edges)) - set(map(frozenset, found.edges))
    wrong = set(map(frozenset, found.edges)) - set(map(frozenset, truth.edges))
    assert len(missed) <= 3
    assert len(wrong) <= 3


def test_alarm_is_as_published():
    network = alarm_network()
    assert len(network.names) == 37
    assert network.dag().number_of_edges() == 46
    undirected = [(a, b) for a, b in network.cpdag().edges if network.cpdag().has_edge(b, a)]
    assert len(undirected) == 2 * 4
    # 509 free probabilities.
    free = sum(len(table) * (table.shape[1] - 1) for table in network.tables)
    assert free == 509
    assert all(np.allclose(table.sum(axis=1), 1) for table in network.tables)


def test_kinds_of_tables_give_one_graph():
    rng = np.random.default_rng(1)
    a, b = rng.integers(2, size=(2, 300))
    table = np.column_stack([a, b, np.where(rng.random(300) < 0.95, a & b, 1)])
    expected = set(FastGES()(table).edges)
    assert expected == {(0, 2), (1, 2)}
    assert set(FastGES()(table.tolist()).edges) == expected
    assert set(FastGES()(table.astype(bool)).edges) == expected
    texts = np.array(["no", "yes"])[table]
    assert set(FastGES(score="bdeu")(texts).edges) == expected
    frame = pd.DataFrame(texts, columns=["a", "b", "c"])
    assert set(FastGES()(frame).edges) == {("a", "c"), ("b", "c")}
    graded, cut = pd.DataFrame(table / 2).astype("category"), pd.DataFrame(table)
    cut = cut.apply(lambda column: pd.cut(column, [-1, 0, 1]))
    arrow = pa.Table.from_pandas(frame)
    for kind in (frame.astype("category"), graded, cut, arrow):
        found = FastGES(score="bdeu").fit(kind)
        assert found.score_ == FastGES(score="bdeu").fit(texts).score_
        assert edge_types(found.graph_, combinations(found.names_, 2)).tolist() == [
            "none",
            "A->B",
            "A->B",
        ]


def test_fit_and_call_agree_and_change_nothing():
    X = coins(seed=2)
    before = X.copy()
    ges = FastGES(score="bdeu", sample_size=5.0)
    graph = ges(X)
    assert not hasattr(ges, "graph_")
    fitted = ges.fit(X)
    assert set(fitted.graph_.edges) == set(graph.edges)
    assert fitted.names_ == list(fitted.graph_) == [0, 1, 2]
    assert np.isfinite(fitted.score_)
    np.testing.assert_array_equal(X, before)


def test_a_greater_penalty_gives_no_more_edges():
    network = random_network(15, 25, np.random.default_rng(3))
    X = network.sample(300, np.random.default_rng(4))
    sizes = [FastGES(penalty=p)(X).number_of_edges() for p in (0.2, 1, 5)]
    assert sizes[0] > sizes[1] > sizes[2]


def test_continuous_columns():
    rng = np.random.default_rng(5)
    a, b = rng.normal(size=(2, 400))
    X = pd.DataFrame({"a": a + 9, "b": b, "sum": a + b + rng.normal(size=400)})
    assert set(FastGES()(X).edges) == {("a", "sum"), ("b", "sum")}
    for unit in (1e-300, 1e300):
        assert set(FastGES()(X * [unit, 1, 1 / unit]).edges) == {("a", "sum"), ("b", "sum")}


def test_the_default_penalty_is_greater_for_continuous_columns():
    rng = np.random.default_rng(0)
    samples = (rng.normal(size=(50, 30)), 2.0, 1.0), (rng.integers(2, size=(50, 20)), 1.0, 2.0)
    for X, default, other in samples:
        edges = {p: set(FastGES(penalty=p)(X).edges) for p in (None, default, other)}
        assert edges[None] == edges[default] != edges[other]


def frame(**columns):
    base = {"a": [0, 1] * 5, "b": [0, 0, 1, 1, 0] * 2}
    return pd.DataFrame({**base, **columns})


BAD = {
    "one column": (coins(v=1), ValueError, "X has 1 column, and a network needs at least 2"),
    "one row": (coins(n=1), ValueError, "X has 1 row, and a network needs at least 2"),
    "a vector": (np.zeros(3), ValueError, r"X has shape \(3,\), expected \(rows, columns\)"),
    "rows of two lengths": ([[1, 2], [1]], ValueError, "X"),
    "constant": (
        frame(c=[7] * 10),
        ValueError,
        r"column 'c' is constant \(always 7\); leave it out, since nothing can be learned",
    ),
    "constant text": (frame(c=["x"] * 10), ValueError, r"column 'c' is constant \(always 'x'\)"),
    "constant float": (
        pd.DataFrame({"a": [0.1, 0.2, 0.4], "b": [0.1] * 3}),
        ValueError,
        r"column 'b' is constant \(always 0.1\)",
    ),
    "missing float": (
        pd.DataFrame({"a": [0.1, np.nan, 0.4], "b": [0.1, 0.3, 0.2]}),
        ValueError,
        "column 'a' is .*nan.* in row 1, but no value may be missing; leave out the row",
    ),
    "missing text": (
        frame(c=["x", "y", None, "x", "y"] * 2),
        ValueError,
        "column 'c' is .* in row 2, but no value may be missing",
    ),
    "missing integer": (
        frame(c=pd.array([0, 1, 0, pd.NA, 1] * 2, dtype="Int64")),
        ValueError,
        "column 'c' is .* in row 3, but no value may be missing",
    ),
    "a state for each row": (
        frame(c=[f"id{i}" for i in range(10)]),
        ValueError,
        "column 'c' has 10 states in 10 rows, too many to learn from; merge states",
    ),
    "two kinds": (
        frame(c=np.arange(10) / 3),
        TypeError,
        "column 'c' is continuous and column 'a' is discrete, expected columns of one kind",
    ),
    "mixed column": (
        frame(c=["x", 1] * 5),
        TypeError,
        "column 'c' mixes int and str; make its states all texts or all numbers",
    ),
    "dates": (
        frame(c=pd.date_range("2026-01-01", periods=10)),
        TypeError,
        "column 'c' holds datetime64.*, expected floats",
    ),
    "a name twice": (
        pd.DataFrame(coins(), columns=["a", "b", "a"]),
        ValueError,
        "two columns are named 'a'; give each a name of its own",
    ),
}


@each(("X", "error", "message"), BAD.values(), ids=BAD)
def test_bad_tables(X, error, message):
    with pytest.raises(error, match=message):
        FastGES().fit(X)


def test_rows_of_nested_columns_are_refused():
    class Odd:
        columns = ("a", "b")

        def __getitem__(self, name):
            return np.zeros((3, 2))

    with pytest.raises(ValueError, match=r"column 'a' has shape \(3, 2\), expected one value per"):
        Columns.of(Odd())


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"score": "bde"}, ValueError, "score is 'bde', expected .*did you mean 'bdeu'"),
        ({"penalty": 0}, ValueError, "penalty is 0, expected a finite number above 0"),
        ({"sample_size": "1"}, TypeError, "sample_size is '1'"),
        ({"max_parents": -1}, ValueError, "max_parents is -1"),
    ],
)
def test_bad_options(options, error, message):
    with pytest.raises(error, match=message):
        FastGES(**options).fit(coins())


def test_bdeu_is_for_discrete_columns():
    X = np.random.default_rng(0).normal(size=(20, 2))
    with pytest.raises(
        TypeError, match="column 0 holds floats, but BDeu is for discrete variables"
    ):
        FastGES(score="bdeu")(X)


def test_a_refused_fit_leaves_the_last_one():
    ges = FastGES().fit(coins())
    graph = ges.graph_
    with pytest.raises(ValueError, match="constant"):
        ges.fit(np.zeros((5, 2), dtype=int))
    assert ges.graph_ is graph


def test_edge_types_of_bad_pairs_and_graphs():
    graph = nx.DiGraph([("a", "b")])
    with pytest.raises(ValueError, match=r"pairs\[1\] is \('a', 'c'\), but the graph has no 'c'"):
        edge_types(graph, [("a", "b"), ("a", "c")])
    turned = [("b", "a")]
    for table in (pd.DataFrame(turned), pl.DataFrame(turned, orient="row"), np.array(turned)):
        assert edge_types(graph, table).tolist() == ["B->A"]
    for pair in ("ab", {"a", "b"}, {"a": "b"}, ("a", "b", "b")):
        with pytest.raises(ValueError, match=r"pairs\[0\] is .*, expected two names in order"):
            edge_types(graph, [pair])
    with pytest.raises(
        TypeError, match=r"graph is .*, expected a networkx\.DiGraph, with undirected"
    ):
        edge_types(nx.Graph([("a", "b")]), [("a", "b")])
    with pytest.raises(TypeError, match=r"graph is a MultiDiGraph, expected a networkx\.DiGraph"):
        edge_types(nx.MultiDiGraph([("a", "b")]), [("a", "b")])


def test_edges_by_place():
    graph = nx.DiGraph([("c", "a"), ("a", "b"), ("b", "a")])
    place = {"a": 0, "b": 1, "c": 2}
    assert typed_edges(graph, place).tolist() == [[0, 1, 3], [0, 2, 2]]
    assert typed_edges(nx.DiGraph(), place).shape == (0, 3)


def test_samples_have_the_probabilities_of_the_tables():
    network = random_network(4, 5, np.random.default_rng(7))
    rows = network.sample(20_000, np.random.default_rng(8))
    for y, (tails, table) in enumerate(zip(network.parents, network.tables, strict=True)):
        at = np.zeros(len(rows), dtype=int)
        for x in tails:
            at = at * len(network.states[x]) + rows[:, x]
        for config, expected in enumerate(table):
            chosen = rows[at == config, y]
            share = np.bincount(chosen, minlength=len(expected)) / max(len(chosen), 1)
            np.testing.assert_allclose(share, expected, atol=4 / np.sqrt(max(len(chosen), 1)))
