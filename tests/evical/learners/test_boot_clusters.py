"""BootClus: intervals, the least-squares fit against another optimizer, what users see."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.datasets import load_iris
from sklearn.metrics import adjusted_rand_score

from evical.learners import BootClus, rough_clusters
from evical.learners._boot_clusters import Pairs, best_row, fit_masses, percentiles
from evical.learners._clustering import members_of
from tests.naive import clusters as naive
from tests.support.contract import check_contract
from tests.support.each import each

RNG = np.random.default_rng(0)
IRIS, PLACE = load_iris(return_X_y=True)
SOME, KIND = IRIS[::2], PLACE[::2]
QUICK = {"covariance_type": "full", "n_bootstraps": 30, "random_state": 0}
every_focal = each("focal", ["pairs", "all", "singletons"])


def test_scikit_learn_contract():
    check_contract(BootClus(n_clusters=2, n_bootstraps=2, covariance_type="diag", random_state=0))


# ---- definitions


def test_percentiles_of_probabilities_of_pairs():
    posteriors = RNG.dirichlet(np.ones(3), (4, 40)).transpose(2, 0, 1)
    found = percentiles(posteriors[:, 1], posteriors, 0.8)
    for j in range(4):
        each = [sum(posteriors[k, 1, b] * posteriors[k, j, b] for k in range(3)) for b in range(40)]
        np.testing.assert_allclose(found[j], np.quantile(each, [0.1, 0.9]))


@every_focal
def test_beliefs_about_pairs(focal):
    members = members_of(3, focal)
    sets = [frozenset(np.flatnonzero(row).tolist()) for row in members]
    masses = RNG.dirichlet(np.ones(len(sets)), 5)
    interval = Pairs(members).interval(masses)
    for i in range(5):
        for j in range(5):
            _, same, different = naive.about_pair(masses[i].tolist(), masses[j].tolist(), sets)
            np.testing.assert_allclose(interval[i, j], [same, 1 - different])


@pytest.mark.parametrize("seed", range(5))
def test_a_row_is_the_least_squares_solution_on_the_simplex(seed):
    rng = np.random.default_rng(seed)
    A, b = rng.normal(size=(9, 5)), rng.normal(size=9)
    found = best_row(A.T @ A, A.T @ b, b @ b)
    best = minimize(
        lambda m: ((A @ m - b) ** 2).sum(),
        np.full(5, 0.2),
        method="SLSQP",
        bounds=[(0, 1)] * 5,
        constraints={"type": "eq", "fun": lambda m: m.sum() - 1},
        options={"ftol": 1e-14},
    )
    assert found.sum() == pytest.approx(1)
    assert ((A @ found - b) ** 2).sum() <= best.fun + 1e-9
    np.testing.assert_allclose(found, best.x, atol=1e-4)


@every_focal
def test_no_sweep_raises_the_stress_and_an_optimizer_finds_nothing_better(focal):
    pairs = Pairs(members_of(2, focal))
    bounds = np.sort(RNG.random((6, 6, 2)), axis=-1)
    bounds = (bounds + bounds.transpose(1, 0, 2)) / 2
    start = RNG.dirichlet(np.ones(len(pairs.members)), 6)
    masses, stress = fit_masses(pairs, bounds, start, 1e-14, 5000)
    off = ~np.eye(6, dtype=bool)

    def value(free):
        gap = (pairs.interval(free.reshape(6, -1)) - bounds)[off]
        return (gap**2).sum() / 2

    assert all(later <= earlier + 1e-12 for earlier, later in pairwise(stress))
    assert value(masses.ravel()) == pytest.approx(stress[-1])
    sums = np.kron(np.eye(6), np.ones(masses.shape[1]))
    best = minimize(
        value,
        masses.ravel(),
        method="SLSQP",
        bounds=[(0, 1)] * masses.size,
        constraints={"type": "eq", "fun": lambda free: sums @ free - 1},
    )
    assert best.fun >= stress[-1] - 1e-5


# ---- what users see


def test_clusters_of_iris():
    clusters = BootClus(n_clusters=3, **QUICK).fit(SOME)
    assert adjusted_rand_score(clusters.labels_, KIND) > 0.8
    lower, _ = rough_clusters(clusters.mass_)
    doubtful = ~lower.any(axis=1)
    assert doubtful.any()
    assert not doubtful[KIND == 0].any()
    beliefs = Pairs(members_of(3, "pairs")).interval(clusters.mass_.masses)
    off = ~np.eye(len(SOME), dtype=bool)
    assert np.abs(beliefs - clusters.interval_)[off].mean() < 0.03
    np.testing.assert_allclose(
        clusters.predict_mass(SOME[:5]).masses, clusters.mass_.masses[:5], atol=0.05
    )
    assert clusters.predict_proba(SOME[:5]).shape == (5, 3)


def test_units_do_not_matter():
    one = BootClus(n_clusters=2, **QUICK).fit(SOME)
    other = BootClus(n_clusters=2, **QUICK).fit(SOME * 1e6 + 1e6)
    np.testing.assert_allclose(one.interval_, other.interval_, atol=1e-6)


def test_number_and_kind_are_chosen():
    X = np.vstack([RNG.normal(size=(25, 2)), RNG.normal(size=(25, 2)) + 8])
    clusters = BootClus(covariance_type="spherical", n_bootstraps=5, random_state=0).fit(X)
    assert clusters.n_clusters_ == 2
    kind = BootClus(n_clusters=2, n_bootstraps=5, random_state=0).fit(X).mixture_.covariance_type
    assert kind == "spherical"
    one = BootClus(n_clusters=1, n_bootstraps=5, random_state=0).fit(X)
    assert one.labels_.tolist() == [0] * 50


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_clusters": 13}, "there are only 12 samples"),
        ({"covariance_type": "round"}, "covariance_type"),
        ({"confidence": 1.0}, "confidence"),
        ({"n_bootstraps": 0}, "n_bootstraps"),
        ({"n_jobs": 0}, "n_jobs"),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises(ValueError, match=message):
        BootClus(**options).fit(IRIS[:12])


@pytest.mark.parametrize("kind", [Fraction, np.float16, np.float32, np.longdouble])
def test_numbers_of_any_kind(kind):
    options = {**QUICK, "n_bootstraps": 5}
    one = BootClus(n_clusters=2, confidence=0.75, **options).fit(SOME)
    other = BootClus(n_clusters=2, confidence=kind(0.75), **options).fit(SOME)
    np.testing.assert_array_equal(one.mass_.masses, other.mass_.masses)


@pytest.mark.parametrize("later", [{"confidence": "90 %"}, {"focal": "singletons"}])
def test_options_set_after_a_fit_do_not_change_it(later):
    clusters = BootClus(n_clusters=2, **QUICK).fit(SOME)
    expected = clusters.predict_mass(SOME[:9]).masses
    clusters.set_params(**later)
    np.testing.assert_array_equal(clusters.predict_mass(SOME[:9]).masses, expected)


@pytest.mark.parametrize("size", [1e300, 1.7e308])
def test_huge_features(size):
    with pytest.raises(ValueError, match="X has numbers beyond 1e\\+100, up to 1"):
        BootClus(n_clusters=2, **QUICK).fit(size * (-1) ** KIND[:, np.newaxis])
    with pytest.raises(ValueError, match="take another unit"):
        BootClus(n_clusters=2, **QUICK).fit(SOME).predict(np.full((1, 4), size))
