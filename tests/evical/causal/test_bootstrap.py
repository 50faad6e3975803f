"""Bootstraps: counts, seeds, jobs, a folder that survives a kill, and bad input."""

import json
import os

import joblib
import networkx as nx
import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from evical.causal import BootstrappedEdges, FastGES
from examples.studies.naeini2016_causal.networks import random_network
from tests.support.each import each

NETWORK = random_network(8, 9, np.random.default_rng(0))
X = NETWORK.sample(120, np.random.default_rng(1))


def test_counts_are_those_of_the_fit():
    edges = BootstrappedEdges(chain, n_bootstraps=4, random_state=0).fit(X)
    edges.set_params(n_bootstraps=100)
    assert edges.counts([(0, 1), (0, 2)]).tolist() == [[0, 4, 0, 0], [4, 0, 0, 0]]
    assert edges.proportions([(0, 1)]).tolist() == [[0, 1, 0, 0]]


def chain(table):
    """A discovery that gives the edges 0 -> 1 - 2 whatever the rows."""
    return nx.DiGraph([(0, 1), (1, 2), (2, 1)])


def edges(**options):
    return BootstrappedEdges(**{"n_bootstraps": 6, "random_state": 0, **options})


def same(first, second):
    np.testing.assert_array_equal(first.pairs_, second.pairs_)
    np.testing.assert_array_equal(first.counts_, second.counts_)


def test_counts_of_a_fixed_graph():
    found = edges(discovery=chain).fit(X[:, :4])
    assert found.pairs_.tolist() == [[0, 1], [1, 2]]
    assert found.counts_.tolist() == [[0, 6, 0, 0], [0, 0, 0, 6]]
    asked = [(0, 1), (1, 0), (2, 1), (3, 0)]
    expected = [[0, 6, 0, 0], [0, 0, 6, 0], [0, 0, 0, 6], [6, 0, 0, 0]]
    assert found.counts(asked).tolist() == expected
    assert found.proportions(np.array(asked)).tolist() == (np.array(expected) / 6).tolist()
    assert found.all_pairs() == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    assert found.counts().tolist() == found.counts(found.all_pairs()).tolist()


def test_no_edges_at_all():
    found = edges(discovery=lambda table: nx.empty_graph(3, create_using=nx.DiGraph)).fit(X[:, :3])
    assert found.counts().tolist() == [[6, 0, 0, 0]] * 3
    assert len(found.pairs_) == 0


def test_counts_are_those_of_the_graphs_one_by_one():
    graphs = []

    def watched(table):
        graphs.append(FastGES()(table))
        return graphs[-1]

    found = edges(discovery=watched).fit(X)
    for (a, b), row in zip(found.all_pairs(), found.counts().tolist(), strict=True):
        kinds = [graph.has_edge(a, b) + 2 * graph.has_edge(b, a) for graph in graphs]
        assert row == np.bincount(kinds, minlength=4).tolist()
    # The same rows, with the states of the whole table, by the route of its own.
    same(found, edges(discovery=FastGES()).fit(X))


def test_jobs_and_more_bootstraps_change_nothing():
    one = edges().fit(X)
    with joblib.parallel_config("threading"):
        same(one, edges(n_jobs=2).fit(X))
    more = edges(n_bootstraps=9).fit(X)
    assert (more.counts(one.all_pairs())[:, 1:] >= one.counts()[:, 1:]).all()
    other = edges(random_state=1).fit(X)
    assert other.counts().tolist() != one.counts().tolist()


def test_names_of_a_frame_and_random_states():
    frame = pd.DataFrame(X, columns=NETWORK.names)
    found = edges(random_state=np.random.RandomState(3)).fit(frame)
    assert found.names_ == list(NETWORK.names)
    same(found, edges(random_state=np.random.RandomState(3)).fit(X))
    seen = edges(discovery=lambda table: nx.DiGraph([tuple(table.columns[:2])])).fit(frame)
    assert seen.counts([("X0", "X1")]).tolist() == [[0, 6, 0, 0]]


def test_a_state_that_a_bootstrap_misses_does_no_harm():
    rare = X.copy()
    rare[:, 0] = 0
    rare[0, 0] = 1
    for table in (
        rare,
        rare + np.random.default_rng(0).normal(size=rare.shape) * (np.arange(8) > 0),
    ):
        assert edges(n_bootstraps=10).fit(table).counts([(0, 1)]).tolist() == [[10, 0, 0, 0]]


def test_progress():
    seen = []
    edges(n_bootstraps=3).fit(X, on_bootstrap=lambda *now: seen.append(now))
    assert seen == [(0, 3), (1, 3), (2, 3), (3, 3)]


def test_a_killed_run_goes_on(tmp_path):
    class Killed(BaseException):
        pass

    def kill(done, total):
        if done == 4:
            raise Killed

    folder = tmp_path / "kept"
    with pytest.raises(Killed):
        edges(folder=folder).fit(X, on_bootstrap=kill)
    assert len(list(folder.glob("0*.json"))) == 4
    stamps = {path: os.stat(path).st_mtime_ns for path in folder.iterdir()}
    seen = []
    found = edges(folder=folder).fit(X, on_bootstrap=lambda *now: seen.append(now))
    assert seen == [(4, 6), (5, 6), (6, 6)]
    assert all(os.stat(path).st_mtime_ns == stamp for path, stamp in stamps.items())
    same(found, edges().fit(X))


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"X": X[::-1]}, "data"),
        ({"random_state": 1}, "random_state"),
        ({"discovery": FastGES(penalty=2)}, "discovery"),
        ({"discovery": chain}, "discovery"),
    ],
)
def test_bootstraps_of_something_else_are_refused(tmp_path, change, what):
    edges(n_bootstraps=1, folder=tmp_path).fit(X)
    table = change.pop("X", X)
    message = f"holds bootstraps of other {what} .*; choose another folder, or delete this one"
    with pytest.raises(ValueError, match=message):
        edges(n_bootstraps=1, folder=tmp_path, **change).fit(table)


def test_a_callable_without_a_name_is_known_again(tmp_path):
    class Learner:
        def __call__(self, table):
            return chain(table)

    for _ in range(2):
        edges(discovery=Learner(), folder=tmp_path).fit(X[:, :3])
    assert "0x" not in (tmp_path / "made_from.json").read_text()


def test_a_function_is_another_one_with_another_body(tmp_path):
    edges(n_bootstraps=1, discovery=lambda table: chain(table), folder=tmp_path).fit(X)
    with pytest.raises(ValueError, match="holds bootstraps of other discovery"):
        edges(n_bootstraps=1, discovery=lambda table: chain(table[:9]), folder=tmp_path).fit(X)


@pytest.mark.parametrize(
    "text",
    ["{", "[]", "{}", '{"edges": [0, 1]}', '{"edges": [1, 0, 2]}', '{"edges": [0, 1, 4]}',
     '{"edges": [0, 9, 1]}', '{"edges": [0, 1, true]}', '{"edges": 3}'],
)  # fmt: skip
def test_damaged_files_are_named(tmp_path, text):
    edges(n_bootstraps=1, folder=tmp_path).fit(X)
    (tmp_path / "00000.json").write_text(text)
    with pytest.raises(ValueError, match=r"00000.json' is damaged; delete it, and it is computed"):
        edges(n_bootstraps=1, folder=tmp_path).fit(X)


def test_what_is_kept(tmp_path):
    edges(n_bootstraps=1, discovery=chain, folder=tmp_path).fit(X[:, :3])
    assert json.loads((tmp_path / "00000.json").read_text()) == {"edges": [0, 1, 1, 1, 2, 3]}


@each(
    ("options", "error", "message"),
    [
        ({"discovery": 3}, TypeError, "discovery is 3, expected a callable that takes a table"),
        ({"discovery": lambda t: nx.Graph()}, TypeError, "what discovery returns is .* expected a"),
        ({"discovery": lambda t: nx.DiGraph(["zz"])}, ValueError, "the node 'z', expected names"),
        ({"n_bootstraps": 0}, ValueError, "n_bootstraps is 0"),
        ({"n_jobs": 0}, ValueError, "n_jobs is 0"),
        ({"random_state": -1}, ValueError, "random_state is -1"),
        ({"random_state": None, "folder": "x"}, ValueError, "random_state is None, but bootstraps"),
    ],
)
def test_bad_options(options, error, message):
    with pytest.raises(error, match=message):
        edges(**options).fit(X)


@pytest.mark.parametrize("pair", [(0, 0), (0, 99), 3, (0, 1, 2), ("a", "b")])
def test_bad_pairs(pair):
    found = edges(n_bootstraps=1).fit(X)
    with pytest.raises(
        ValueError, match=r"pairs\[1\] is .*, expected two (different columns of|names)"
    ):
        found.counts([(0, 1), pair])


def test_before_fit():
    with pytest.raises(NotFittedError):
        edges().counts()
    with pytest.raises(NotFittedError):
        edges().all_pairs()
