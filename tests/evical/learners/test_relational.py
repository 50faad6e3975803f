"""Relational evidential c-means: the same as of features, its definition, and wrong distances."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.datasets import load_iris, make_blobs
from sklearn.metrics import adjusted_rand_score, pairwise_distances

from evical.learners import EvidentialCMeans
from evical.learners._c_means import (
    Cost,
    Distances,
    Features,
    alternate,
    masses_of,
    shift_of,
    shifted,
)
from evical.learners._clustering import members_of
from tests.naive import clusters as naive
from tests.support.contract import check_contract
from tests.support.each import each

IRIS = load_iris().data
BLOBS, PLACE = make_blobs(150, centers=3, cluster_std=0.7, random_state=3)


def test_scikit_learn_contract():
    distances = EvidentialCMeans(n_clusters=2, metric="precomputed", random_state=0)
    check_contract(distances, {"check_clustering": "its samples are features, not distances"})


# ---- definitions


def test_distances_to_means():
    rng = np.random.default_rng(0)
    distance = pairwise_distances(rng.normal(size=(8, 2)), metric="manhattan")
    centers = rng.dirichlet(np.ones(8), 3)
    members = members_of(3, "all")
    share = members / members.sum(axis=1, keepdims=True)
    found = Distances(distance**2).squared(centers, share)
    for i in range(8):
        for set_, row in enumerate(share):
            expected = naive.squared_to_mean(i, (row @ centers).tolist(), distance.tolist())
            assert found[i, set_] == pytest.approx(max(expected, 0), abs=1e-12)


@each("options", [{}, {"focal": "all", "delta": 3.0}, {"beta": 1.5, "alpha": 2.0}])
@each("X", [IRIS, BLOBS], ids=["iris", "blobs"])
def test_euclidean_distances_say_what_features_say(X, options):
    distance = pairwise_distances(X)
    one = EvidentialCMeans(n_clusters=3, random_state=0, **options).fit(X)
    other = EvidentialCMeans(n_clusters=3, metric="precomputed", random_state=0, **options).fit(
        distance
    )
    assert other.cost_ == pytest.approx(one.cost_)
    np.testing.assert_allclose(other.mass_.masses, one.mass_.masses, atol=1e-6)
    np.testing.assert_allclose(other.center_weights_ @ X, one.cluster_centers_, atol=1e-6)
    np.testing.assert_allclose(other.center_weights_.sum(axis=1), 1)
    np.testing.assert_allclose(other.predict_mass(distance).masses, other.mass_.masses, atol=1e-9)
    new = X[:7] + 0.3
    np.testing.assert_allclose(
        other.predict_mass(pairwise_distances(new, X)).masses,
        one.predict_mass(new).masses,
        atol=1e-6,
    )


def test_from_the_same_start_each_step_is_the_same():
    cost = Cost(members_of(3, "pairs", empty=True), 1.0, 2.0, 2.0)
    weights = np.eye(len(BLOBS))[[0, 1, 4]]
    features = Features(BLOBS - BLOBS.mean(axis=0))
    one = alternate(cost, features, weights @ features.X, 1e-12, 50)
    other = alternate(cost, Distances(pairwise_distances(BLOBS) ** 2), weights, 1e-12, 50)
    np.testing.assert_allclose(one.costs[:10], other.costs[:10], rtol=1e-9)


def test_the_end_is_a_minimum_over_weights_of_samples():
    samples = Distances(pairwise_distances(BLOBS[:12]) ** 2)
    cost = Cost(members_of(2, "pairs"), 1.0, 2.0, None)
    found = alternate(cost, samples, samples.start(2, 0), 1e-14, 3000)

    def value(free):
        weights = np.column_stack([free.reshape(2, 11), 1 - free.reshape(2, 11).sum(axis=1)])
        return masses_of(cost, samples, weights)[1]

    best = minimize(value, found.centers[:, :-1].ravel(), method="BFGS")
    assert best.fun == pytest.approx(found.costs[-1], rel=1e-7)


# ---- what users see


def test_distances_that_are_not_euclidean():
    distance = pairwise_distances(BLOBS, metric="manhattan")
    recm = EvidentialCMeans(n_clusters=3, metric="precomputed", random_state=0).fit(distance)
    assert adjusted_rand_score(recm.labels_, PLACE) > 0.95
    np.testing.assert_allclose(recm.predict_mass(distance).masses, recm.mass_.masses, atol=1e-9)
    np.testing.assert_allclose(recm.mass_.masses.sum(axis=1), 1)


@pytest.mark.parametrize("n", [12, 60])
def test_the_shift_makes_distances_euclidean(n):
    squared = pairwise_distances(BLOBS[:n], metric="manhattan") ** 2
    assert shift_of(pairwise_distances(BLOBS[:n]) ** 2) == 0
    shift = shift_of(squared)
    for share, expected in ((1.0, 0.0), (0.9, -0.05 * shift)):
        whole = shifted(squared, share * shift)
        center = np.eye(n) - 1 / n
        assert np.linalg.eigvalsh(-center @ whole @ center / 2)[0] == pytest.approx(
            expected, abs=1e-4 * shift
        )


def test_fewer_samples_than_coordinates_and_samples_at_one_place():
    distance = np.abs(np.subtract.outer([0.0, 0, 1], [0.0, 0, 1]))
    recm = EvidentialCMeans(n_clusters=2, metric="precomputed", random_state=0).fit(distance)
    assert recm.labels_[0] == recm.labels_[1] != recm.labels_[2]


@each("distance", [np.zeros((30, 30)), 1e-200 * (1 - np.eye(30))])
@each("n_clusters", [1, 2, 30])
@pytest.mark.filterwarnings("ignore:Number of distinct clusters")
def test_no_distances_at_all(distance, n_clusters):
    options = {"focal": "singletons", "metric": "precomputed", "random_state": 0}
    recm = EvidentialCMeans(n_clusters=n_clusters, **options).fit(distance)
    np.testing.assert_allclose(recm.mass_.masses, 1 / n_clusters)
    np.testing.assert_allclose(recm.center_weights_.sum(axis=1), 1)


def test_another_metric_leaves_nothing_of_the_last():
    ecm = EvidentialCMeans(n_clusters=2, random_state=0).fit(BLOBS)
    distance = pairwise_distances(BLOBS)
    assert not hasattr(ecm.set_params(metric="precomputed").fit(distance), "cluster_centers_")
    expected = ecm.predict(distance)
    ecm.set_params(metric="euclidean")
    np.testing.assert_array_equal(ecm.predict(distance), expected)
    for name in ("shift_", "center_weights_", "center_spread_"):
        assert not hasattr(ecm.fit(BLOBS), name)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([[0, 1.0, 2]], r"expected the \(n, n\) distances"),
        ([[0, -1.0], [-1, 0]], "X\\[0, 1\\] is -1.0 .2 such values., expected a distance from 0"),
        ([[0, 1.0], [2, 0]], "X\\[0, 1\\] is 1, but X\\[1, 0\\] is 2"),
        ([[0, 1.0], [1, 3]], "X\\[1, 1\\] is 3.0, expected 0"),
        ([[0, 1e150], [1e150, 0]], "at most"),
    ],
)
def test_wrong_distances(X, message):
    with pytest.raises(ValueError, match=message):
        EvidentialCMeans(n_clusters=1, metric="precomputed").fit(X)


def test_new_samples_need_distances_to_all_training_samples():
    recm = EvidentialCMeans(n_clusters=3, metric="precomputed", random_state=0)
    recm.fit(pairwise_distances(BLOBS))
    with pytest.raises(ValueError, match="150 features"):
        recm.predict_mass([[1.0, 2.0]])
