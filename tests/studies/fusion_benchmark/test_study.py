"""Ways to fuse classifiers: each by its definition, and the material that they share."""

import numpy as np
import pytest
from scipy.special import softmax
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.ensemble import StackingClassifier
from sklearn.linear_model import LogisticRegression

from evical import EvidentialEnsemble
from examples.studies.default_classifier.methods import CLASSIFIERS
from examples.studies.fusion_benchmark import study as module
from examples.studies.fusion_benchmark.study import different, unequal, unequal_parts
from examples.studies.fusion_benchmark.ways import DEFAULT, WAYS, Material
from tests.support.each import each

FEW = {name: CLASSIFIERS[name] for name in ("naive_bayes", "logistic_regression", "svc")}


def material(k=2, seed=0, n=300, m=2000, skills=(2.0, 1.0, 0.0)):
    """Probabilities of sources of different skill, and what is true of the new samples."""
    rng = np.random.default_rng(seed)
    y, truth = rng.integers(0, k, n), rng.integers(0, k, m)

    def said(labels):
        scores = rng.normal(size=(len(skills), len(labels), k))
        scores += np.array(skills)[:, None, None] * np.eye(k)[labels]
        return softmax(scores, axis=2)

    seen, new = said(y), said(truth)
    none = np.empty((0, 0))
    return Material(seen, y, new, none, none, np.array([3.0, 2.0, 1.0])[: len(skills)]), truth


def log_loss(p, y):
    return -np.log(p[np.arange(len(y)), y]).mean()


@each("k", [2, 4])
@each("way", [name for name in WAYS if name != "StackingClassifier"])
def test_ways_give_probabilities_better_than_chance(way, k):
    given, truth = material(k)
    p = WAYS[way](given)
    assert p.shape == (2000, k)
    np.testing.assert_allclose(p.sum(axis=1), 1, atol=1e-9)
    assert log_loss(p, truth) < np.log(k)


def test_dempsters_rule_multiplies_probabilities():
    given, _ = material(3)
    product = given.new.prod(axis=0)
    expected = product / product.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(WAYS["Dempster's rule"](given), expected, atol=1e-12)


def test_votes_are_means():
    given, _ = material()
    np.testing.assert_allclose(WAYS["soft vote"](given), given.new.mean(axis=0))
    expected = (3 * given.new[0] + 2 * given.new[1] + given.new[2]) / 6
    np.testing.assert_allclose(WAYS["soft vote by size"](given), expected)


def test_the_best_single_is_the_most_skillful():
    given, _ = material(skills=(0.5, 2.0, 0.0))
    np.testing.assert_array_equal(WAYS["best single"](given), given.new[1])


@pytest.mark.parametrize("k", [2, 3])
def test_convex_ways_are_the_optimum_of_a_grid(k):
    given, _ = material(k, skills=(1.5, 1.0))
    grid = np.linspace(0, 1, 1001)

    def best(pooled):
        weight = min(grid, key=lambda w: log_loss(pooled(given.seen, w), given.y))
        return pooled(given.new, weight)

    def mean(p, w):
        return w * p[0] + (1 - w) * p[1]

    def pool(p, w):
        logs = np.log(np.maximum(p, 1e-4))
        return softmax(w * logs[0] + (1 - w) * logs[1], axis=1)

    np.testing.assert_allclose(WAYS["super learner, probabilities"](given), best(mean), atol=2e-3)
    np.testing.assert_allclose(WAYS["super learner, log-odds"](given), best(pool), atol=2e-3)


def test_greedy_selection_never_loses_by_adding():
    given, _ = material()
    p = WAYS["greedy selection"](given)
    shares, *_ = np.linalg.lstsq(given.new.reshape(3, -1).T, p.ravel(), rcond=None)
    np.testing.assert_allclose(shares.sum(), 1, atol=1e-9)
    seen = np.tensordot(shares, given.seen, 1)
    assert log_loss(seen, given.y) <= min(log_loss(one, given.y) for one in given.seen)


@pytest.fixture(scope="module")
def few():
    """Three classifiers instead of eight."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "CLASSIFIERS", FEW)
        yield


@pytest.mark.parametrize("load", [load_breast_cancer, load_wine])
@pytest.mark.usefixtures("few")
def test_the_default_is_that_of_the_ensemble_and_stacking_that_of_scikit_learn(load):
    X, y = load(return_X_y=True)
    given = different(X[::2], y[::2], X[1::2])
    ensemble = EvidentialEnsemble([clone(one) for one in FEW.values()]).fit(X[::2], y[::2])
    np.testing.assert_allclose(WAYS[DEFAULT](given), ensemble.predict_proba(X[1::2]), atol=1e-9)
    stacking = StackingClassifier(
        [(name, clone(one)) for name, one in FEW.items()], LogisticRegression(max_iter=2000), cv=5
    )
    expected = stacking.fit(X[::2], y[::2]).predict_proba(X[1::2])
    np.testing.assert_allclose(WAYS["StackingClassifier"](given), expected, atol=1e-4)


def test_unequal_members_are_those_of_the_ensemble():
    X, y = load_breast_cancer(return_X_y=True)
    parts = unequal_parts(y[::2], np.random.default_rng(0))
    rows = np.concatenate(parts)
    np.testing.assert_array_equal(np.sort(rows), np.arange(len(y[::2])))
    assert len(parts) == 10
    assert len(parts[0]) > 3 * len(parts[-1])
    assert all(set(y[::2][part]) == {0, 1} for part in parts)
    given = unequal(X[::2], y[::2], X[1::2], parts)
    machines = [module.make_pipeline(module.StandardScaler(), module.SVC()) for _ in parts]
    ensemble = EvidentialEnsemble(machines, subsets=parts).fit(X[::2], y[::2])
    np.testing.assert_allclose(WAYS[DEFAULT](given), ensemble.predict_proba(X[1::2]), atol=1e-9)
    np.testing.assert_array_equal(given.sizes, [len(part) for part in parts])
