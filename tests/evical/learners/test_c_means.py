"""Evidential c-means and credal partitions: definitions, another package, what users see."""

import json
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from sklearn.datasets import load_iris, make_blobs
from sklearn.metrics import rand_score

from dstheory import Frame, MassFunction
from dstheory.construct import categorical
from evical.learners import (
    EvidentialCMeans,
    credal_rand_index,
    rough_clusters,
    summarize_clusters,
)
from evical.learners._c_means import Cost, Features, alternate, masses_of
from evical.learners._clustering import members_of
from tests.naive import clusters as clusters_naive
from tests.naive import learners as naive
from tests.naive.rules import as_sets
from tests.support.contract import check_contract
from tests.support.each import each
from tests.support.public_objects import ROOT

RNG = np.random.default_rng(0)
SMALL = RNG.normal(size=(12, 2))
BLOBS, PLACE = make_blobs(200, centers=3, cluster_std=0.7, random_state=3)
OPTIONS = [("all", 1.0, 2.0, None), ("pairs", 2.0, 1.6, 1.5), ("singletons", 0.0, 3.0, 2.0)]
every_option = each(("focal", "alpha", "beta", "delta"), OPTIONS)


def test_scikit_learn_contract():
    check_contract(EvidentialCMeans(n_clusters=2, random_state=0))


# ---- definitions


@every_option
def test_masses_and_cost_of_the_definitions(focal, alpha, beta, delta):
    cost = Cost(members_of(3, focal, empty=delta is not None), alpha, beta, delta)
    sets = [np.flatnonzero(row).tolist() for row in cost.members if row.any()]
    centers = RNG.normal(size=(3, 2))
    found, value = masses_of(cost, Features(SMALL), centers)
    masses, empty = found[:, : len(sets)], found[:, len(sets) :].sum(axis=1)
    for x, row, none in zip(SMALL, masses, empty, strict=True):
        expected, rest = naive.ecm_masses(x, centers.tolist(), sets, alpha, beta, delta)
        assert row.tolist() == pytest.approx(expected)
        assert none == pytest.approx(rest)
    whole = naive.ecm_cost(SMALL, centers.tolist(), sets, masses, empty, alpha, beta, delta)
    assert value == pytest.approx(whole)


@every_option
def test_the_end_is_a_minimum(focal, alpha, beta, delta):
    cost = Cost(members_of(3, focal, empty=delta is not None), alpha, beta, delta)
    found = alternate(cost, Features(BLOBS), BLOBS[[0, 1, 4]], 1e-14, 2000)
    assert all(later <= earlier * (1 + 1e-12) for earlier, later in pairwise(found.costs))
    slope = approx_fprime(
        found.centers.ravel(), lambda v: masses_of(cost, Features(BLOBS), v.reshape(3, 2))[1], 1e-6
    )
    assert np.abs(slope).max() < 1e-3 * found.costs[-1]


def test_as_the_package_evclust():
    """Masses and centers; its cost counts the empty set of the first few samples only."""
    content = json.loads((ROOT / "tests/oracles/evclust_ecm.json").read_text(encoding="utf-8"))
    X = load_iris().data[::3]
    for case in content["cases"]:
        sets = np.roll(case["sets"], -1, axis=0)  # the empty set last
        cost = Cost(sets.astype(float), case["alpha"], case["beta"], case["delta"])
        found = alternate(cost, Features(X), X[[0, 20, 40]], 1e-15, 5000)
        np.testing.assert_allclose(found.centers, case["centers"], atol=1e-4)
        masses = np.roll(found.masses, 1, axis=1)[::5]
        np.testing.assert_allclose(masses, case["masses"], atol=1e-4)


@pytest.mark.parametrize("n_clusters", [2, 3])
def test_agreement_of_partitions(n_clusters):
    frame = Frame(range(n_clusters))
    focal = list(range(1 << n_clusters))
    one, other = (
        MassFunction(frame, focal, RNG.dirichlet(np.full(len(focal), 0.4), 7)) for _ in "ab"
    )
    sets = [[as_sets(m) for m in partition] for partition in (one, other)]
    assert credal_rand_index(one, other) == pytest.approx(naive.credal_rand(*sets))
    assert credal_rand_index(one, one) == 1
    assert credal_rand_index(one, other) == pytest.approx(credal_rand_index(other, one))


def test_agreement_of_hard_partitions_is_the_rand_index(monkeypatch):
    one, other = RNG.integers(0, 3, 40), RNG.integers(0, 4, 40)
    m1 = MassFunction(Frame(range(3)), [1, 2, 4], np.eye(3)[one])
    m2 = MassFunction(Frame(range(4)), [1, 2, 4, 8], np.eye(4)[other])
    expected = pytest.approx(rand_score(one, other))
    assert credal_rand_index(m1, m2) == expected
    monkeypatch.setattr("evical.learners._credal_partition.CHUNK", 100)
    assert credal_rand_index(m1, m2) == expected


@pytest.mark.parametrize("rule", ["maximum_mass", "interval_dominance"])
def test_what_is_possible_and_how_imprecise_it_is(rule):
    frame = Frame(range(3))
    partition = MassFunction(frame, list(range(8)), RNG.dirichlet(np.full(8, 0.4), 40))
    sets = [as_sets(m) for m in partition]
    expected = [clusters_naive.possible(m, rule) for m in sets]
    lower, upper = rough_clusters(partition, rule)
    assert [frozenset(np.flatnonzero(row).tolist()) for row in upper] == expected
    np.testing.assert_array_equal(lower, upper & (upper.sum(axis=1, keepdims=True) == 1))
    summary = summarize_clusters(partition, rule)
    assert summary.n_outliers == sum(not each for each in expected)
    assert summary.possibly == tuple(sum(k in each for each in expected) for k in range(3))
    assert summary.surely == tuple(sum(each == {k} for each in expected) for k in range(3))
    assert summary.nonspecificity == pytest.approx(
        np.mean([clusters_naive.imprecision(m, 3) for m in sets])
    )


def test_nonspecificity_of_extreme_partitions():
    frame = Frame([0, 1])
    for focal, expected in (([1], 0), ([3], 1), ([0], 1)):
        summary = summarize_clusters(MassFunction(frame, focal, np.ones((5, 1))))
        assert summary.nonspecificity == expected


# ---- what users see


def test_clusters_between_them_and_outliers():
    far, between = (
        [[50.0, 50.0]],
        [BLOBS[PLACE == 0].mean(axis=0) / 2 + BLOBS[PLACE == 1].mean(axis=0) / 2],
    )
    ecm = EvidentialCMeans(n_clusters=3, delta=4, random_state=0).fit(BLOBS)
    assert rand_score(ecm.labels_, PLACE) > 0.9
    np.testing.assert_array_equal(ecm.labels_, ecm.predict(BLOBS))
    np.testing.assert_allclose(ecm.predict_mass(BLOBS).masses, ecm.mass_.masses, atol=1e-9)
    assert ecm.predict(far).tolist() == [-1]
    lower, upper = rough_clusters(ecm.predict_mass(between))
    assert not lower.any()
    assert upper.sum() == 2
    assert rough_clusters(ecm.predict_mass(far))[1].sum() == 0
    assert ecm.predict_proba(BLOBS).shape == (200, 3)
    assert credal_rand_index(ecm.mass_, ecm.mass_) == 1


def test_more_starts_cost_no_more():
    one = EvidentialCMeans(n_clusters=5, random_state=0).fit(BLOBS)
    ten = EvidentialCMeans(n_clusters=5, n_init=10, random_state=0).fit(BLOBS)
    assert ten.cost_ <= one.cost_


def test_samples_on_a_center_and_far_from_zero():
    X = np.repeat([[1e6, 0.0], [1e6 + 1, 0.0]], 3, axis=0)
    ecm = EvidentialCMeans(n_clusters=2, random_state=0).fit(X)
    assert np.isfinite(ecm.mass_.masses).all()
    assert len(set(ecm.labels_.tolist())) == 2
    moved = EvidentialCMeans(n_clusters=3, random_state=0).fit(BLOBS + 1e6)
    plain = EvidentialCMeans(n_clusters=3, random_state=0).fit(BLOBS)
    np.testing.assert_allclose(moved.mass_.masses, plain.mass_.masses, atol=1e-4)


@each(
    ("options", "error", "message"),
    [
        ({"n_clusters": 0}, ValueError, "n_clusters is 0"),
        ({"n_clusters": 13}, ValueError, "there are only 12 samples"),
        ({"focal": "pair"}, ValueError, "pairs"),
        ({"beta": 1.0}, ValueError, "expected more than 1"),
        ({"delta": -1.0}, ValueError, "delta"),
        ({"alpha": -1.0}, ValueError, "alpha"),
        ({"n_clusters": 14, "focal": "all"}, ValueError, "take 'pairs'"),
        ({"n_clusters": 201}, ValueError, "more than 200; take 'singletons'"),
        ({"alpha": 300}, ValueError, "alpha is 300: the cost of large sets is infinite"),
    ],
)
def test_wrong_options(options, error, message):
    with pytest.raises(error, match=message):
        EvidentialCMeans(**options).fit(SMALL)


@pytest.mark.parametrize("kind", [Fraction, np.float16, np.float32, np.longdouble])
def test_numbers_of_any_kind(kind):
    options = {"alpha": 0.5, "beta": 2.5, "delta": 1.5}
    given = {name: kind(value) for name, value in options.items()}
    one, other = (
        EvidentialCMeans(n_clusters=np.int8(2), random_state=0, **each).fit(SMALL)
        for each in (options, given)
    )
    np.testing.assert_array_equal(one.mass_.masses, other.mass_.masses)


@pytest.mark.parametrize("size", [1e300, 1.7e308])
def test_huge_features(size):
    ecm = EvidentialCMeans(n_clusters=2, random_state=0)
    with pytest.raises(ValueError, match="X has numbers beyond 1e\\+100, up to 1"):
        ecm.fit(np.sign(SMALL) * size)
    with pytest.raises(ValueError, match="take another unit"):
        ecm.fit(SMALL).predict([[size, -size]])


def test_all_mass_on_the_empty_set():
    ecm = EvidentialCMeans(n_clusters=2, delta=1e-300, random_state=0).fit(SMALL)
    assert set(ecm.labels_.tolist()) == {-1}
    np.testing.assert_array_equal(ecm.predict_proba(SMALL), np.full((12, 2), 0.5))


@pytest.mark.parametrize("focal", ["singletons", "pairs"])
def test_more_clusters_than_bits_of_an_integer(focal):
    ecm = EvidentialCMeans(n_clusters=66, focal=focal, delta=1.0, max_iter=2, random_state=0).fit(
        BLOBS
    )
    assert len(ecm.mass_.frame) == 66
    np.testing.assert_array_equal(ecm.predict_proba(BLOBS).argmax(axis=1), ecm.labels_)


@pytest.mark.parametrize(
    "later",
    [{"n_clusters": 0}, {"alpha": 0.1}, {"beta": "2"}, {"delta": -1}, {"focal": "singletons"}],
)
def test_options_set_after_a_fit_do_not_change_it(later):
    ecm = EvidentialCMeans(n_clusters=2, random_state=0).fit(SMALL)
    expected = ecm.predict_mass(SMALL).masses
    np.testing.assert_array_equal(ecm.set_params(**later).predict_mass(SMALL).masses, expected)


def test_wrong_partitions():
    m = MassFunction(Frame([0, 1]), [1, 2], [[1.0, 0], [0, 1], [0, 1]])
    with pytest.raises(ValueError, match="3 and 2 samples"):
        credal_rand_index(m, m[:2])
    with pytest.raises(ValueError, match="expected \\(n,\\)"):
        rough_clusters(categorical(Frame([0, 1]), 0))
    with pytest.raises(TypeError, match="a batch of mass functions"):
        rough_clusters([0, 1])
