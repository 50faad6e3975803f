"""Learners beside evclass, evclust and evreg, which R ran with the same parameters."""

import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from dstheory import Frame, MassFunction
from dstheory.inference import GRFN, product_intersection
from evical.learners import (
    EvidentialKNeighborsClassifier,
    EvidentialNeuralClassifier,
    EvidentialRBFClassifier,
    credal_rand_index,
    latent_evidence,
    rough_clusters,
    summarize_clusters,
)
from evical.learners._c_means import Cost, Distances, Features, alternate, centers_of, masses_of
from evical.learners._constrained_c_means import (
    Links,
    Objective,
    best_metrics,
    distances_of,
    improve,
)
from evical.learners._evidence import WeightedEvidence
from evical.learners._prototype_classifier import Committed, Linear, Network, Spread
from evical.learners._regress_loss import Loss
from evical.learners._regress_network import Network as Regression
from evical.learners._regress_network import Objective as RegressionObjective
from evical.learners._regress_network import Penalties, forward
from tests.support.data_folder import DATA
from tests.support.tables import read_csv

ROOT = Path(__file__).parents[3]
KNOWN = json.loads((ROOT / "tests/oracles/r_learners.json").read_text(encoding="utf-8"))


def arrays(one):
    return {
        name: np.array(value) if isinstance(value, list) else value for name, value in one.items()
    }


def by_set(mass, sets):
    """Masses (n, F) of sets (F, K) of 0 and 1, as R lists them."""
    masks = (np.array(sets) @ (1 << np.arange(len(sets[0])))).astype(int)
    return np.stack([mass.mass(mask=int(mask)) for mask in masks], axis=-1)


# ---- evclass


def test_neighbors():
    known = arrays(KNOWN["neighbors"])
    clf = EvidentialKNeighborsClassifier(
        n_neighbors=known["k"], discounting="uniform", alpha=known["alpha"], optimize=False
    ).fit(known["train"], known["labels"])
    clf.gamma_ = known["gamma"] ** 2
    sets = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]]
    found = by_set(clf.predict_mass(known["new"]), sets)
    np.testing.assert_allclose(found, known["masses"], atol=1e-12)


def test_prototypes():
    known = arrays(KNOWN["prototypes"])
    network = Network(known["W"], known["gamma"], Committed(known["alpha"], known["beta"]))
    weights = network.weights(known["new"]).T
    mass = WeightedEvidence(np.arange(4), weights, np.zeros_like(weights)).mass()
    found = by_set(mass, [*np.eye(4, dtype=int).tolist(), [1, 1, 1, 1]])
    np.testing.assert_allclose(found, known["masses"], atol=1e-12)


@pytest.mark.parametrize("known", [arrays(one) for one in KNOWN["radial"]], ids=["three", "four"])
def test_radial_basis_functions(known):
    clf = EvidentialRBFClassifier(n_prototypes=5).fit(
        known["new"], np.arange(8) % known["W"].shape[1]
    )
    clf._network = Network(known["P"], known["Gamma"], Linear(known["W"]))
    clf._spread = Spread(np.zeros(3), 1.0)
    clf.coef_ = known["W"] - known["W"].mean(axis=1, keepdims=True)
    new = known["new"]
    np.testing.assert_allclose(clf.predict_proba(new), known["probabilities"], atol=1e-12)
    found = by_set(clf.predict_mass(new), known["sets"].tolist())
    np.testing.assert_allclose(found, known["masses"], atol=1e-12)
    np.testing.assert_allclose(clf.evidence(new).conflict(), known["conflict"], atol=1e-12)


@pytest.mark.parametrize(
    "known", [arrays(one) for one in KNOWN["latent"]], ids=["two", "three", "four"]
)
def test_latent_masses(known):
    """With two classes its first one is that of positive weights, ours the second."""
    binary = known["w"].ndim == 1
    model = LogisticRegression()
    model.classes_ = np.arange(2 if binary else known["w"].shape[1])
    model.intercept_ = np.atleast_1d(known["w"][0])
    model.coef_ = np.atleast_2d(known["w"][1:].T)
    model.n_features_in_ = 3
    reference = known["mean"] + np.array([[1.0, 2, 3], [-1, -2, -3]])
    sets = known["sets"][:, ::-1] if binary else known["sets"]
    mass = latent_evidence(model, known["new"], reference=reference).mass()
    np.testing.assert_allclose(by_set(mass, sets.tolist()), known["masses"], atol=1e-12)
    conflict = latent_evidence(model, known["new"], reference=reference).conflict()
    np.testing.assert_allclose(conflict, known["conflict"], atol=1e-12)


def test_vehicle():
    """Neighbors are fitted to the same optimum; networks start at random, and err as often."""
    if DATA is None or not (DATA / "vehicle.csv").exists():
        pytest.skip("vehicle.csv is not at hand")
    table, known = read_csv(DATA / "vehicle.csv"), KNOWN["vehicle"]
    classes = table.pop("target").to_numpy()
    y, target = classes[::2], classes[1::2]
    X, new = table.to_numpy()[::2], table.to_numpy()[1::2]
    mean, scale = X.mean(axis=0), X.std(axis=0, ddof=1)
    X, new = (X - mean) / scale, (new - mean) / scale
    for one in known["neighbors"]:
        clf = EvidentialKNeighborsClassifier(
            n_neighbors=one["k"], discounting="uniform", alpha=0.95
        )
        assert (clf.fit(X, y).predict(new) != target).sum() == one["errors"]
        np.testing.assert_allclose(clf.gamma_, np.square(one["gamma"]), rtol=1e-3)
    networks = {
        "proDSfit": partial(EvidentialNeuralClassifier, n_prototypes=20, loss="squared"),
        "RBFfit": partial(EvidentialRBFClassifier, n_prototypes=20, regularization=0.001),
    }
    for name, network in networks.items():
        errors = [
            int((network(random_state=seed).fit(X, y).predict(new) != target).sum())
            for seed in range(4)
        ]
        assert min(errors) - 12 <= known[name] <= max(errors) + 12  # two standard errors


# ---- evclust

POINTS, START = np.array(KNOWN["points"]), np.array(KNOWN["start"], dtype=float)


def cost_of(known, alpha, beta):
    sets = np.roll(known["sets"], -1, axis=0)  # the empty set last
    return Cost(sets.astype(float), alpha, beta, known["delta"])


@pytest.mark.parametrize(
    "known", [arrays(one) for one in KNOWN["c_means"]], ids=["all", "pairs", "single"]
)
def test_evidential_c_means(known):
    cost = cost_of(known, known["alpha"], known["beta"])
    found = alternate(cost, Features(POINTS), START, 1e-14, 1000)
    np.testing.assert_allclose(np.roll(found.masses, 1, axis=1), known["masses"], atol=1e-5)
    np.testing.assert_allclose(found.centers, known["centers"], atol=1e-4)
    assert found.costs[-1] == pytest.approx(known["cost"], rel=1e-10)
    masses, _ = masses_of(cost, Features(known["new"]), known["centers"])
    np.testing.assert_allclose(np.roll(masses, 1, axis=1), known["predicted"], atol=1e-12)


def test_relational_c_means():
    known = arrays(KNOWN["relational"])
    squared = ((POINTS[:, np.newaxis] - POINTS) ** 2).sum(axis=2)
    cost, samples = cost_of(known, 1.0, 2.0), Distances(squared)
    start = centers_of(cost, samples, np.roll(known["start"], -1, axis=1))
    found = alternate(cost, samples, start, 1e-15, 2000)
    np.testing.assert_allclose(np.roll(found.masses, 1, axis=1), known["masses"], atol=1e-5)
    assert found.costs[-1] == pytest.approx(known["cost"], rel=1e-9)


@pytest.mark.parametrize(
    "known", [arrays(one) for one in KNOWN["constrained"]], ids=["one metric", "each"]
)
def test_constrained_c_means(known):
    """It adds the means over both kinds of constraints, ours is over all; so weights differ."""
    xi = known["trade_off"]
    members = np.roll(known["sets"], -1, axis=0).astype(float)  # the empty set last
    links = Links.of(40, known["must"] - 1, known["cannot"] - 1)
    adaptive = bool(known["distance"])
    objective = Objective(
        members, 1.0, float(known["delta"]), 2 * xi / (1 + xi), 1.0, links, adaptive
    )
    scale, points = 1 + xi, POINTS[:40]
    centers, masses = known["centers"], np.roll(known["masses"], -1, axis=1)
    metrics = best_metrics(objective, points, centers, masses)
    theirs = objective.value(distances_of(objective, points, centers, metrics), masses)
    assert scale * theirs == pytest.approx(known["cost"], rel=1e-4)
    # Minima are local: the best of these starts comes within one percent, or lower.
    rng = np.random.default_rng(0)
    starts = [points[rng.choice(40, 3, replace=False)] for _ in range(20 if adaptive else 5)]
    costs = [improve(objective, points, start, 1e-8, 1000).costs[-1] for start in starts]
    assert scale * min(costs) <= 1.01 * known["cost"]


def test_credal_partitions():
    known = arrays(KNOWN["credal"])
    masks = (known["sets"] @ (1 << np.arange(3))).tolist()
    one, two = (MassFunction(Frame(range(3)), masks, known[name]) for name in ("first", "second"))
    assert credal_rand_index(one, two) == pytest.approx(known["rand_index"], abs=1e-12)
    summary = summarize_clusters(one)
    assert summary.nonspecificity == pytest.approx(known["nonspecificity"], abs=1e-12)
    assert summary.n_outliers == np.size(known["outliers"])
    np.testing.assert_array_equal(rough_clusters(one)[1], known["largest"].astype(bool))


# ---- evreg


@pytest.mark.parametrize("known", [arrays(one) for one in KNOWN["numbers"]])
def test_random_fuzzy_numbers(known):
    (mu, sigma, h), other = known["first"], known["second"]
    one, two = GRFN(mu, sigma**2, h), GRFN(other[0], other[1] ** 2, other[2])
    np.testing.assert_allclose(one.bel(known["x"], known["y"]), known["bel"], atol=1e-12)
    np.testing.assert_allclose(one.pl(known["x"], known["y"]), known["pl"], atol=1e-12)
    np.testing.assert_allclose(one.contour(known["x"]), known["contour"], atol=1e-12)
    np.testing.assert_allclose(one.belief_interval(0.9), known["interval"], atol=1e-3)
    for kind in ("soft", "hard"):
        found, (mu, sigma, h) = product_intersection(one, two, normalization=kind), known[kind]
        assert [found.mu, found.sigma2, found.h] == pytest.approx([mu, sigma**2, h])


def test_network_for_regression():
    known = arrays(KNOWN["network"])
    network = Regression(
        known["alpha"],
        np.log(known["sig"]),
        np.log(known["h"]),
        np.log(known["gam"]),
        known["Beta"],
        known["W"],
    )
    found = forward(network, known["X"])
    np.testing.assert_allclose(found.mu, known["mu"], rtol=1e-12)
    np.testing.assert_allclose(found.variance, known["sigma2"], rtol=1e-12)
    np.testing.assert_allclose(np.exp(found.log_h), known["precision"], rtol=1e-12)
    number = GRFN(found.mu, found.variance, np.exp(found.log_h))
    lower, upper = number.expectation_bounds()
    np.testing.assert_allclose([lower, upper], [known["lower"], known["upper"]], rtol=1e-12)
    loss = Loss(known["epsilon"], known["pessimism"], "evreg")
    weight = np.full(8, 1 / 8)
    penalties = Penalties(known["xi"], known["rho"], 0.0)
    objective = RegressionObjective(known["X"], known["y"], weight, 8.0, loss, penalties)
    # Ours is the limit of theirs for narrow intervals.
    assert objective(network)[0] == pytest.approx(known["loss"], abs=2e-3)
