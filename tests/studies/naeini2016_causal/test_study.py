"""The study of calibrated edges: measures by hand, labeled pairs, printed numbers, a repeat."""

from dataclasses import replace

import numpy as np
import pytest

from evical.causal import EDGE_TYPES, BootstrappedEdges, edge_types
from examples.studies.naeini2016_causal._published import TABLE_33, TABLE_34
from examples.studies.naeini2016_causal.condition import LABELS, MEASURES, METHODS, NetworkCondition
from examples.studies.naeini2016_causal.default import HeldOutNetworks, linear_sample
from examples.studies.naeini2016_causal.edges import NAEINI2016_CAUSAL_EDGES
from examples.studies.naeini2016_causal.large import NAEINI2016_CAUSAL_LARGE as LARGE
from examples.studies.naeini2016_causal.measures import (
    discrimination,
    gap_of_groups,
    largest_gap_of_bins,
    measured,
)
from examples.studies.naeini2016_causal.networks import random_network
from examples.studies.naeini2016_causal.pairs import AllPairs
from examples.studies.naeini2016_causal.penalty import (
    NAEINI2016_CAUSAL_PENALTY,
    PenalizedCondition,
)
from examples.studies.naeini2016_causal.sampling import labeled_pairs
from examples.studies.naeini2016_causal.study import NAEINI2016_CAUSAL as STUDY


def test_table_32():
    """A directed edge found the wrong way round is a false positive and no false negative."""
    found, truth = (part.ravel() for part in np.mgrid[0:4, 0:4])
    # Of the eight pairs that are called directed two are right; four directed ones are missed.
    assert discrimination(found, truth, (1, 2)) == pytest.approx((2 / 8, 2 / 6, 2 / 7))
    assert discrimination(found, truth, (3,)) == (1 / 4, 1 / 4, 1 / 4)
    assert discrimination(np.zeros(3), np.ones(3), (3,)) == (0, 0, 0)


def test_bins_of_a_hundred():
    p = np.concatenate([np.full(100, 0.1), np.full(150, 0.9)])
    is_true = np.concatenate([np.zeros(90), np.ones(10), np.ones(150)]).astype(bool)
    # The first bin is right; the second has the 150 that are left, 0.1 too low.
    gap = largest_gap_of_bins(p, is_true, np.random.default_rng(0))
    assert gap == pytest.approx(0.1)
    assert largest_gap_of_bins(np.array([0.3]), np.array([True]), np.random.default_rng(0)) == 0.7


def test_bins_of_groups_are_those_of_sorted_instances():
    """Groups of one kind leave nothing to chance; others have the same distribution of gaps."""
    p = np.repeat([0.9, 0.1, 0.5, 0.3], [130, 260, 70, 15])
    is_true = np.repeat([True, False, True, False], [130, 260, 70, 15])
    once = [
        way(p, is_true, np.random.default_rng(0)) for way in (largest_gap_of_bins, gap_of_groups)
    ]
    assert once[0] == pytest.approx(once[1], abs=1e-12)
    rng = np.random.default_rng(0)
    p = np.round(4 * rng.random(1500) ** 3) / 4
    is_true = rng.random(1500) < p / 2 + 0.01
    gaps = np.array(
        [[way(p, is_true, rng) for _ in range(200)] for way in (largest_gap_of_bins, gap_of_groups)]
    )
    assert gaps.std(axis=1).min() > 0
    difference, error = np.diff(gaps.mean(axis=1))[0], np.hypot(*gaps.std(axis=1)) / np.sqrt(200)
    assert abs(difference) < 3 * error


def test_measures_of_certain_and_right_probabilities():
    truth = np.repeat([0, 1, 2, 3], 30)
    found = measured(np.eye(4)[truth], truth, np.random.default_rng(0))
    assert list(found) == ["directed", "undirected", "none", "all"]
    assert all(found[kind][:3] == (1.0, 1.0, 1.0) for kind in ("directed", "undirected", "none"))
    assert found["all"][3:] == (0, 0)
    without = measured(np.eye(4)[[0, 0]], np.array([0, 0]), np.random.default_rng(0))
    assert np.isnan(without["undirected"][4])


def test_labeled_pairs_are_spread_over_shares():
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.full(4, 0.4), 4000)
    truth = rng.integers(0, 4, 4000)
    chosen = labeled_pairs(p, truth, 40, rng)
    assert len(set(chosen.tolist())) == 40
    for kind, part in enumerate(chosen.reshape(4, 10)):
        bins = np.digitize(p[part, kind], [0.2, 0.4, 0.6, 0.8])
        assert np.bincount(bins, minlength=5).tolist() == [2] * 5
    by_truth = labeled_pairs(p, truth, 40, rng, by_truth=True)
    assert np.bincount(truth[by_truth]).tolist() == [10] * 4


def test_each_type_has_a_labeled_pair():
    truth = np.zeros(1000, dtype=int)
    truth[[3, 4, 5]] = [1, 2, 3]
    p = np.tile([1.0, 0, 0, 0], (1000, 1))
    chosen = labeled_pairs(p, truth, 40, np.random.default_rng(0))
    assert set(truth[chosen]) == {0, 1, 2, 3}


def test_tables_are_shared_by_edges():
    """Two studies with the larger penalty have the numbers of table 33, each once."""
    studies = NAEINI2016_CAUSAL_PENALTY, NAEINI2016_CAUSAL_EDGES
    for i, table in enumerate(TABLE_33):
        parts = [study.published[i].values for study in studies]
        assert parts[0] | parts[1] == table.values
        assert len(parts[0]) + len(parts[1]) == len(table.values)
    edges = [condition.network.n_edges for condition in NAEINI2016_CAUSAL_EDGES.conditions]
    assert edges == [2000, 3000]
    assert {one.network.key for one in NAEINI2016_CAUSAL_EDGES.conditions} == {"reported networks"}


@pytest.mark.parametrize(("tables", "study"), [(TABLE_33, STUDY), (TABLE_34, LARGE)])
def test_every_printed_number_has_a_row(tables, study):
    names = {"before", *METHODS}
    assert sum(len(table.values) for table in tables) == 18 * 10
    for table in tables:
        for size, edges, method, kind in table.values:
            assert method in names
            assert kind in ("directed", "undirected", "none", "all")
            assert any(int(edges) == condition.n_edges for condition in study.conditions)
            assert all(int(size) in condition.sizes for condition in study.conditions)
    values = {table.measure: table.values for table in tables}
    for key, f1 in values["f1"].items():
        p, r = values["precision"][key], values["recall"][key]
        if key[3] == "directed":  # others are means of very different networks
            assert f1 == pytest.approx(2 * p * r / (p + r), abs=0.02)


def test_all_pairs_at_once():
    """Shares and true types of all pairs, as asked for one by one."""
    rng = np.random.default_rng(0)
    network = random_network(12, 18, rng)
    edges = BootstrappedEdges(n_bootstraps=6, random_state=0).fit(network.sample(100, rng))
    found, asked = AllPairs.of(network, edges), edges.all_pairs()
    assert found.names.tolist() == [list(pair) for pair in asked]
    np.testing.assert_array_equal(found.distinct[found.row], edges.proportions(asked))
    np.testing.assert_array_equal(found.distinct[found.row[found.first]], found.distinct)
    names = [(network.names[a], network.names[b]) for a, b in asked]
    truth = edge_types(network.cpdag(), names)
    assert [EDGE_TYPES[kind] for kind in found.kinds] == truth.tolist()
    assert len(set(truth)) == 4


def test_networks_have_the_edges_of_table_31():
    rng = np.random.default_rng(0)
    undirected = []
    for _ in range(5):
        graph = random_network(1000, 1000, rng).cpdag()
        undirected.append(sum(graph.has_edge(b, a) for a, b in graph.edges) / 2)
    assert np.mean(undirected) == pytest.approx(253.4, abs=25)


def test_a_repeat_of_a_small_network():
    condition = NetworkCondition("small", 40, 40, (40,), n_rows=300, n_bootstraps=8)
    rows = condition.run_repeat({}, 0, 0)
    assert len(rows) == 4 * (1 + len(condition.methods))
    assert set(condition.methods) < set(METHODS)
    assert {len(labels) for labels, _ in rows} == {len(LABELS)}
    assert {len(values) for _, values in rows} == {len(MEASURES)}
    found = dict(rows)
    assert all(0 <= values[3] <= 1 for values in found.values())
    coverage, size = found["40", "40", "evidential", "all"][5:]
    assert 0.5 < coverage <= 1
    assert 1 <= size <= 4
    assert condition.datasets == ()
    assert repr(rows) == repr(condition.run_repeat({}, 0, 0))


def test_penalties_are_compared_on_the_same_networks():
    small = NetworkCondition("small", 30, 40, (40,), n_rows=300, n_bootstraps=4, methods=())
    found = {}
    for penalty in (1.0, 4.0):
        condition = PenalizedCondition("choice", replace(small, penalty=penalty))
        rows = dict(condition.run_repeat({}, 0, 0))
        assert {labels[:4] for labels in rows} == {("choice", f"{penalty:g}", "40", "40")}
        assert len(rows) == 4
        found[penalty] = rows["choice", f"{penalty:g}", "40", "40", "before", "directed"][1]
    assert found[4.0] < found[1.0]  # recall
    first, *_, last = NAEINI2016_CAUSAL_PENALTY.conditions
    assert (first.part, last.part) == ("choice", "reported")
    assert first.network.key != last.network.key


def test_draws_of_labels_are_averaged_within_a_network():
    """One draw is the first of several, and a row has their mean."""
    calls = []

    class Noted(NetworkCondition):
        def _rows(self, *args):
            rows = super()._rows(*args)
            calls.append(dict(rows))
            return rows

    one = Noted("small", 30, 40, (40,), n_rows=300, n_bootstraps=4, methods=())
    single, several = (replace(one, n_draws=n).run_repeat({}, 0, 0) for n in (1, 3))
    assert repr(dict(single)) == repr(calls[0]) == repr(calls[1]) != repr(calls[2])
    for labels, values in several:
        np.testing.assert_allclose(values, np.mean([rows[labels] for rows in calls[1:]], axis=0))


def test_penalties_on_continuous_networks():
    found = dict(HeldOutNetworks("continuous", 20, 20, 200).run_repeat({}, 0, 0))
    assert len(found) == 9
    errors = {labels[4:]: values[0] for labels, values in found.items()}
    assert errors["2", "one search"] < errors["1", "one search"]
    rng = np.random.default_rng(0)
    network = random_network(3, 2, rng)
    X = linear_sample(network, 20_000, rng)
    for v, tails in enumerate(network.parents):  # of given parents, the noise has variance 1
        rest = X[:, v] - X[:, list(tails)] @ np.linalg.lstsq(X[:, list(tails)], X[:, v])[0]
        assert np.var(rest) == pytest.approx(1, abs=0.05)
