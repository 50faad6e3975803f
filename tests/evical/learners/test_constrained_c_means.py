"""Constrained evidential c-means: its criterion, an independent optimizer, what users see."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.datasets import load_iris, make_moons
from sklearn.metrics import adjusted_rand_score

from evical.learners import ConstrainedEvidentialCMeans, EvidentialCMeans
from evical.learners._c_means import best_masses
from evical.learners._clustering import members_of
from evical.learners._constrained_c_means import (
    Links,
    Objective,
    distances_of,
    improve,
)
from tests.naive import clusters as naive
from tests.support.contract import check_contract
from tests.support.each import each

RNG = np.random.default_rng(0)
SMALL = RNG.normal(size=(7, 2))
MUST, CANNOT = np.array([[0, 1], [2, 3]]), np.array([[0, 4], [1, 2], [0, 3]])
MOONS, PLACE = make_moons(200, noise=0.1, random_state=0)
every_option = each(
    ("focal", "delta", "adaptive"),
    [("all", None, False), ("pairs", 1.5, False), ("singletons", 2.0, True), ("all", 1.5, True)],
)


def objective(focal, delta, adaptive, n_clusters=2):
    members = members_of(n_clusters, focal)
    if delta is not None:
        members = np.vstack([members, np.zeros(n_clusters)])
    links = Links.of(len(SMALL), MUST, CANNOT)
    return Objective(members, 1.0, delta, 0.4, 0.8, links, adaptive)


def expected_cost(goal, centers, metrics, masses):
    sets = [frozenset(np.flatnonzero(row).tolist()) for row in goal.members]
    return naive.cecm_cost(
        SMALL.tolist(),
        np.asarray(centers).tolist(),
        np.asarray(metrics).tolist(),
        sets,
        np.asarray(masses).tolist(),
        goal.alpha,
        goal.delta,
        goal.trade_off,
        goal.unit,
        MUST.tolist(),
        CANNOT.tolist(),
    )


def test_scikit_learn_contract():
    check_contract(ConstrainedEvidentialCMeans(n_clusters=2, random_state=0))


# ---- definitions


@every_option
def test_cost_of_the_definition(focal, delta, adaptive):
    goal = objective(focal, delta, adaptive, 3)
    centers, shape = RNG.normal(size=(3, 2)), RNG.normal(size=(3, 2, 2))
    metrics = shape @ shape.transpose(0, 2, 1)
    masses = RNG.dirichlet(np.ones(len(goal.members)), len(SMALL))
    found = goal.value(distances_of(goal, SMALL, centers, metrics), masses)
    assert found == pytest.approx(expected_cost(goal, centers, metrics, masses))


@every_option
def test_no_step_raises_the_cost_and_an_optimizer_finds_nothing_better(focal, delta, adaptive):
    goal = objective(focal, delta, adaptive)
    found = improve(goal, SMALL, SMALL[[0, 4]], 1e-14, 5000)
    assert all(later <= earlier for earlier, later in pairwise(found.costs))
    np.testing.assert_allclose(np.linalg.det(found.metrics), 1)
    n, n_sets = found.masses.shape

    def value(free):
        masses = free[: n * n_sets].reshape(n, n_sets)
        centers = free[n * n_sets :].reshape(2, 2)
        return goal.value(distances_of(goal, SMALL, centers, found.metrics), masses)

    start = np.concatenate([found.masses.ravel(), found.centers.ravel()])
    sums = np.kron(np.eye(n), np.ones(n_sets))
    best = minimize(
        value,
        start,
        method="SLSQP",
        bounds=[(0, 1)] * (n * n_sets) + [(None, None)] * 4,
        constraints={"type": "eq", "fun": lambda free: sums @ free[: n * n_sets] - 1},
        options={"maxiter": 200, "ftol": 1e-12},
    )
    assert value(start) == pytest.approx(found.costs[-1])
    assert best.fun >= found.costs[-1] * (1 - 1e-5)


def test_a_metric_is_the_best_of_its_determinant():
    goal = objective("all", None, True)
    found = improve(goal, SMALL, SMALL[[0, 4]], 1e-14, 5000)
    for factor in (1.01, 1 / 1.01):
        other = found.metrics.copy()
        other[0] = np.diag([factor, 1]) @ other[0] @ np.diag([factor, 1]) / factor
        squared = distances_of(goal, SMALL, found.centers, other)
        assert goal.value(squared, found.masses) >= found.costs[-1] - 1e-9


def test_without_constraints_it_is_evidential_c_means():
    X = load_iris().data
    cecm = ConstrainedEvidentialCMeans(n_clusters=3, delta=2, tol=1e-12, random_state=0).fit(X)
    ecm = EvidentialCMeans(n_clusters=3, delta=2, tol=1e-12, random_state=0).fit(X)
    for k in range(3):
        np.testing.assert_allclose(cecm.mass_.bel(k), ecm.mass_.bel(k), atol=1e-6)
    np.testing.assert_allclose(cecm.predict_mass(X).bel(0), ecm.mass_.bel(0), atol=1e-5)
    cost = np.array([[1.0, 2.0], [0.0, 1.0]])
    np.testing.assert_allclose(best_masses(cost), [[2 / 3, 1 / 3], [1, 0]], atol=1e-9)


# ---- what users see


def constraints(count):
    rows = np.random.default_rng(1).integers(0, len(MOONS), (count, 2))
    rows = rows[rows[:, 0] != rows[:, 1]]
    same = PLACE[rows[:, 0]] == PLACE[rows[:, 1]]
    return {"must_link": rows[same], "cannot_link": rows[~same]}


@pytest.mark.parametrize("metric", ["euclidean", "mahalanobis"])
def test_constraints_help(metric):
    cecm = ConstrainedEvidentialCMeans(n_clusters=2, metric=metric, random_state=0)
    free = adjusted_rand_score(cecm.fit(MOONS).labels_, PLACE)
    given = constraints(300)
    tied = adjusted_rand_score(cecm.fit(MOONS, **given).labels_, PLACE)
    assert tied > free + 0.3
    one, other = cecm.labels_[given["must_link"]].T
    assert (one == other).mean() > 0.95
    assert cecm.predict_proba(MOONS[:5]).shape == (5, 2)


def test_order_and_repetition_of_pairs_and_units_do_not_matter():
    given = constraints(100)
    turned = {name: np.vstack([pairs, pairs[:, ::-1]]) for name, pairs in given.items()}
    cecm = ConstrainedEvidentialCMeans(n_clusters=2, random_state=0)
    one, other = cecm.fit(MOONS, **given).cost_, cecm.fit(MOONS, **turned).cost_
    assert one == pytest.approx(other)
    assert cecm.fit(MOONS * 1000 + 5, **given).cost_ == pytest.approx(one)


@each(
    ("given", "error", "message"),
    [
        (
            {"must_link": [(0, 0)]},
            ValueError,
            r"must_link\[0\] is \[0, 0\], expected two different",
        ),
        ({"must_link": [(0, 1), (0, 12)]}, ValueError, r"must_link\[1\] is \[0, 12\]"),
        ({"cannot_link": [(-1, 1)]}, ValueError, r"cannot_link\[0\] is \[-1, 1\]"),
        ({"cannot_link": [0, 1]}, ValueError, "pairs of rows"),
        ({"cannot_link": [(0.5, 1)]}, TypeError, "whole numbers"),
        ({"must_link": [(0, 1)], "cannot_link": [(1, 0)]}, ValueError, r"\(0, 1\) must and cannot"),
    ],
)
def test_wrong_constraints(given, error, message):
    with pytest.raises(error, match=message):
        ConstrainedEvidentialCMeans(n_clusters=2).fit(MOONS[:12], **given)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"trade_off": 1}, "trade_off"),
        ({"metric": "cosine"}, "mahalanobis"),
        ({"n_clusters": 13}, "there are only 12 samples"),
        ({"delta": 0}, "delta"),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises(ValueError, match=message):
        ConstrainedEvidentialCMeans(**options).fit(MOONS[:12])


@pytest.mark.parametrize("kind", [Fraction, np.float16, np.float32, np.longdouble])
def test_numbers_of_any_kind(kind):
    options = {"alpha": 0.5, "trade_off": 0.25, "delta": 1.5}
    given = {name: kind(value) for name, value in options.items()}
    one, other = (
        ConstrainedEvidentialCMeans(n_clusters=2, random_state=0, **each).fit(
            MOONS, must_link=[(0, 1)]
        )
        for each in (options, given)
    )
    np.testing.assert_array_equal(one.mass_.masses, other.mass_.masses)


def test_of_three_in_different_ones_of_two_clusters_one_is_an_outlier():
    """Masses of samples with constraints can be 0: all mass of it is on the empty set."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(0, 1, (20, 3)), rng.normal(6, 1, (20, 3))])
    cecm = ConstrainedEvidentialCMeans(n_clusters=2, delta=3, trade_off=0.9, random_state=0)
    cecm.fit(X, cannot_link=[(0, 1), (1, 2), (0, 2)])
    lost = cecm.mass_.masses[:, 0] == 1
    assert lost[:3].sum() == 1
    assert cecm.labels_[lost].tolist() == [-1]


@each(
    ("extreme", "large"),
    [
        ({"delta": 1e7}, {"delta": 1e4}),
        ({"delta": 1e90}, {"delta": 1e4}),
        ({"alpha": 60, "delta": 3}, {"alpha": 30, "delta": 3}),
    ],
)
@each("links", [[], [(0, 1)]])
def test_sets_that_cost_much_more_than_clusters(extreme, large, links):
    one, other = (
        ConstrainedEvidentialCMeans(n_clusters=2, random_state=0, **options).fit(
            MOONS, must_link=links
        )
        for options in (extreme, large)
    )
    np.testing.assert_allclose(one.mass_.masses, other.mass_.masses, atol=1e-6)
    expected = EvidentialCMeans(n_clusters=2, random_state=0, **extreme).fit(MOONS).mass_.masses
    if not links:
        np.testing.assert_allclose(one.mass_.masses, expected, atol=1e-6)


@pytest.mark.parametrize("trade_off", [1e-300, 1 - 1e-16])
def test_extreme_weights_of_constraints(trade_off):
    cecm = ConstrainedEvidentialCMeans(n_clusters=2, trade_off=trade_off, random_state=0)
    cecm.fit(MOONS, must_link=[(0, 1)], cannot_link=[(0, 2), (3, 4)])
    np.testing.assert_allclose(cecm.mass_.masses.sum(axis=1), 1)


@pytest.mark.parametrize(
    "later", [{"n_clusters": 0}, {"alpha": 0.1}, {"delta": -1}, {"focal": "all"}, {"trade_off": 2}]
)
def test_options_set_after_a_fit_do_not_change_it(later):
    cecm = ConstrainedEvidentialCMeans(n_clusters=2, random_state=0).fit(MOONS)
    expected = cecm.predict_mass(MOONS).masses
    np.testing.assert_array_equal(cecm.set_params(**later).predict_mass(MOONS).masses, expected)


@pytest.mark.parametrize("size", [1e300, 1.7e308])
def test_huge_features(size):
    cecm = ConstrainedEvidentialCMeans(n_clusters=2, random_state=0)
    with pytest.raises(ValueError, match="X has numbers beyond 1e\\+100, up to 1"):
        cecm.fit(np.sign(MOONS) * size)
    with pytest.raises(ValueError, match="take another unit"):
        cecm.fit(MOONS).predict([[size, -size]])


def test_no_metric_without_spread():
    flat = np.column_stack([MOONS[:, 0], np.ones(200)])
    with pytest.raises(ValueError, match="no spread in some direction"):
        ConstrainedEvidentialCMeans(n_clusters=2, metric="mahalanobis").fit(flat)
