"""EK-NNclus: definitions on all partitions, local optimality, what users see."""

from fractions import Fraction
from math import log

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score, pairwise_distances

from dstheory import betp
from evical.learners import EvidentialKNNClustering
from evical.learners._knn_clusters import cut_weight, linked, mass_of_votes, votes, weight_at
from tests.naive import clusters as naive
from tests.naive.rules import as_sets
from tests.support.contract import check_contract
from tests.support.each import each

BLOBS, PLACE = make_blobs(300, centers=5, cluster_std=0.9, random_state=11)
DISTANCES = pairwise_distances(BLOBS)


def expected_failures(estimator):
    if estimator.metric == "euclidean":
        return {}
    return {"check_clustering": "its samples are features, not distances"}


@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
def test_scikit_learn_contract(metric):
    estimator = EvidentialKNNClustering(metric=metric, random_state=0)
    check_contract(estimator, expected_failures(estimator))


# ---- definitions


def links_of(X, clusters):
    """Weights of evidence, by the definition: one is a neighbor of the other."""
    found = np.zeros((len(X), len(X)))
    k = clusters.neighbors_.n_neighbors
    for i, x in enumerate(X):
        distance = np.sqrt(((X - x) ** 2).sum(axis=1))
        for j in [j for j in np.argsort(distance) if j != i][:k]:
            mass = naive.link(distance[j], clusters.gamma_, clusters.alpha, clusters.exponent)
            found[i, j] = found[j, i] = -log(1 - mass)
    return found


def test_plausibility_of_all_partitions():
    X = np.random.default_rng(0).normal(size=(4, 2))
    clusters = EvidentialKNNClustering(n_neighbors=2, random_state=0).fit(X)
    weights = links_of(X, clusters)
    masses = {
        (i, j): 1 - np.exp(-weights[i, j]) for i in range(4) for j in range(i) if weights[i, j]
    }
    contour = naive.plausibility_of_partitions(masses, 4)
    assert len(contour) == 15
    distance, rows = clusters.neighbors_.kneighbors()
    links = linked(rows, weight_at(distance, clusters.gamma_, 0.95, 1.0))
    np.testing.assert_allclose(links.toarray(), weights)
    for partition, expected in contour.items():
        assert -cut_weight(links, np.array(partition)) == pytest.approx(log(expected))
    assert clusters.log_plausibility_ == pytest.approx(log(contour[tuple(clusters.labels_)]))


@pytest.mark.parametrize("seed", range(5))
def test_no_single_move_and_no_other_partition_of_its_moves_is_more_plausible(seed):
    X = np.random.default_rng(seed).normal(size=(8, 2))
    clusters = EvidentialKNNClustering(n_neighbors=3, random_state=seed).fit(X)
    weights = links_of(X, clusters)

    def value(labels):
        return -sum(weights[i, j] for i in range(8) for j in range(i) if labels[i] != labels[j])

    labels = clusters.labels_.tolist()
    assert clusters.log_plausibility_ == pytest.approx(value(labels))
    for i in range(8):
        for k in range(8):
            moved = [*labels[:i], k, *labels[i + 1 :]]
            assert value(moved) <= value(labels) + 1e-9
    every = {p: value(p) for p in naive.partitions(8)}
    finer = [p for p in every if max(p) + 1 > clusters.n_clusters_]
    assert len(every) == 4140
    assert max(every.values()) == every[(0,) * 8] == 0
    assert all(every[p] < 0 for p in finer)


def test_masses_are_combined_evidence():
    rng = np.random.default_rng(1)
    rows, weights = rng.integers(0, 6, (5, 4)), rng.exponential(size=(5, 4))
    labels = np.array([0, 1, 2, 0, 1, 1])
    found = mass_of_votes(votes(rows, weights, labels, 3))
    for m, near, weight in zip(found, rows, weights, strict=True):
        expected = naive.neighbors_say(1 - np.exp(-weight), labels[near].tolist(), 3)
        assert as_sets(m) == pytest.approx({a: mass for a, mass in expected.items() if mass})


def test_more_starts_are_no_less_plausible():
    one = EvidentialKNNClustering(n_neighbors=10, random_state=0).fit(BLOBS)
    ten = EvidentialKNNClustering(n_neighbors=10, n_init=10, random_state=0).fit(BLOBS)
    assert ten.log_plausibility_ >= one.log_plausibility_


# ---- what users see


def test_the_number_of_clusters_is_found():
    clusters = EvidentialKNNClustering(random_state=0).fit(BLOBS)
    assert clusters.n_clusters_ == 5
    assert adjusted_rand_score(clusters.labels_, PLACE) > 0.95
    np.testing.assert_array_equal(betp(clusters.mass_).argmax(axis=1), clusters.labels_)
    assert EvidentialKNNClustering(n_neighbors=10, random_state=0).fit(BLOBS).n_clusters_ > 5


def test_new_samples_near_and_far():
    clusters = EvidentialKNNClustering(random_state=0).fit(BLOBS)
    assert (clusters.predict(BLOBS) == clusters.labels_).mean() > 0.99
    far = clusters.predict_mass([[1e3, 1e3]])
    assert far.mass(far.frame)[0] > 0.99
    np.testing.assert_allclose(clusters.predict_proba(BLOBS).sum(axis=1), 1)


def test_distances_instead_of_features():
    features = EvidentialKNNClustering(random_state=0).fit(BLOBS)
    distances = EvidentialKNNClustering(metric="precomputed", random_state=0).fit(DISTANCES)
    np.testing.assert_array_equal(features.labels_, distances.labels_)
    np.testing.assert_allclose(
        features.predict_mass(BLOBS[:9] + 0.1).masses,
        distances.predict_mass(pairwise_distances(BLOBS[:9] + 0.1, BLOBS)).masses,
        atol=1e-9,
    )


def test_equal_samples_and_units():
    same = EvidentialKNNClustering(random_state=0).fit(np.zeros((6, 2)))
    assert same.n_clusters_ == 1
    assert same.mass_.masses.shape == (6, 1)
    small = EvidentialKNNClustering(random_state=0).fit(BLOBS * 1e-9)
    large = EvidentialKNNClustering(random_state=0).fit(BLOBS * 1e9)
    np.testing.assert_array_equal(small.labels_, large.labels_)
    np.testing.assert_allclose(small.mass_.masses, large.mass_.masses, atol=1e-7)


@each(
    ("options", "error", "message"),
    [
        ({"n_neighbors": 12}, ValueError, "there are only 12 samples"),
        ({"n_neighbors": 2.5}, TypeError, "n_neighbors"),
        ({"alpha": 1.0}, ValueError, "alpha"),
        ({"quantile": 0}, ValueError, "quantile"),
        ({"exponent": -1.0}, ValueError, "exponent"),
        ({"n_init": 0}, ValueError, "n_init"),
        ({"metric": "cosine"}, ValueError, "precomputed"),
    ],
)
def test_wrong_options(options, error, message):
    with pytest.raises(error, match=message):
        EvidentialKNNClustering(**options).fit(BLOBS[:12])


@pytest.mark.parametrize("kind", [Fraction, np.float16, np.float32, np.longdouble])
def test_numbers_of_any_kind(kind):
    options = {"alpha": 0.75, "quantile": 0.25, "exponent": 1.5}
    given = {name: kind(value) for name, value in options.items()}
    one, other = (
        EvidentialKNNClustering(random_state=0, **each).fit(BLOBS) for each in (options, given)
    )
    np.testing.assert_array_equal(one.mass_.masses, other.mass_.masses)


@pytest.mark.parametrize("later", [{"alpha": 0.1}, {"exponent": "2"}, {"metric": "precomputed"}])
def test_options_set_after_a_fit_do_not_change_it(later):
    clusters = EvidentialKNNClustering(random_state=0).fit(BLOBS)
    expected = clusters.predict_mass(BLOBS).masses
    clusters.set_params(**later)
    np.testing.assert_array_equal(clusters.predict_mass(BLOBS).masses, expected)


def test_large_powers_of_distances():
    clusters = EvidentialKNNClustering(exponent=100, random_state=0).fit(BLOBS)
    far = clusters.predict_mass([[1e10, 0]])
    assert far.mass(far.frame)[0] > 0.99
    with pytest.raises(ValueError, match="to the power 100 are no floats"):
        clusters.fit(BLOBS * 1e-6)


@pytest.mark.parametrize("size", [1e200, 1.7e308])
def test_huge_features(size):
    with pytest.raises(ValueError, match="X has numbers beyond 1e\\+100, up to"):
        EvidentialKNNClustering().fit(np.sign(BLOBS) * size)
