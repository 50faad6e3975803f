"""What is promised of the true class, by simulation: rejected with probability alpha at most.

Each repeat trains, calibrates and predicts anew, so the means over repeats are those of the
promise; their standard errors are over repeats.
"""

import numpy as np
import pytest
from sklearn.frozen import FrozenEstimator
from sklearn.naive_bayes import GaussianNB

from evical.conformal import ConformalClassifier, coverage_bound
from evical.fusion._valid import merge_p_values
from tests.support.each import each

ALPHAS = np.array([0.01, 0.05, 0.1, 0.2])
REPEATS = 40


def draw(n, rng):
    """Three classes, one rare, whose noise depends on the first feature."""
    y = rng.choice(3, size=n, p=[0.5, 0.35, 0.15])
    X = rng.normal(size=(n, 3))
    X[:, 1] += y * (X[:, 0] > 0)
    X[:, 2] -= y
    return X, y


def true_p(clf, X, y):
    return clf.predict_p(X)[np.arange(len(y)), np.searchsorted(clf.classes_, y)]


def rejected(make, of=lambda X, y: np.ones(len(y), dtype=bool)):
    """Share of new samples whose true class is rejected, (repeats, levels)."""
    shares = []
    for seed in range(REPEATS):
        rng = np.random.default_rng(seed)
        X, y = draw(120, rng)
        new_X, new_y = draw(400, rng)
        kept = of(new_X, new_y)
        p = true_p(make(seed).fit(X, y), new_X[kept], new_y[kept])
        shares.append((p[:, np.newaxis] <= ALPHAS).mean(axis=0))
    return np.array(shares)


def held(shares, factor=1.0, more=0.0):
    spread = shares.std(axis=0, ddof=1) / np.sqrt(len(shares))
    return (shares.mean(axis=0) <= factor * ALPHAS + more + 3 * spread).all()


@each(
    ("nonconformity", "smoothed"),
    [(name, False) for name in ("lac", "aps", "raps", "margin")] + [("lac", True), ("aps", True)],
)
def test_on_average(nonconformity, smoothed):
    def make(seed):
        return ConformalClassifier(
            GaussianNB(), nonconformity=nonconformity, smoothed=smoothed, random_state=seed
        )

    shares = rejected(make)
    assert held(shares)
    spread = shares.std(axis=0, ddof=1) / np.sqrt(REPEATS)
    slack = 0 if smoothed else 1 / 37  # of the p-values i / (n + 1)
    assert (shares.mean(axis=0) >= ALPHAS - slack - 3 * spread).all()


@pytest.mark.parametrize("k", [0, 1, 2])
def test_for_each_class(k):
    def make(seed):
        return ConformalClassifier(GaussianNB(), conditional="class", random_state=seed)

    assert held(rejected(make, of=lambda X, y: y == k))


def test_on_average_is_not_for_each_class():
    def make(seed):
        return ConformalClassifier(GaussianNB(), random_state=seed)

    assert not held(rejected(make, of=lambda X, y: y == 2))


@pytest.mark.parametrize("side", [False, True])
def test_for_each_group(side):
    def make(seed):
        return ConformalClassifier(
            GaussianNB(), conditional=lambda X: X[:, 0] > 0, random_state=seed
        )

    assert held(rejected(make, of=lambda X, y: (X[:, 0] > 0) == side))


def test_under_known_covariate_shift():
    def ratio(X):
        return np.exp(0.7 * X.sum(axis=1))

    def weighted(seed):
        return ConformalClassifier(GaussianNB(), density_ratio=ratio, random_state=seed)

    # Samples are drawn with these weights from the same distribution as in training.
    shares = []
    for seed in range(REPEATS):
        rng = np.random.default_rng(seed)
        X, y = draw(200, rng)
        pool, labels = draw(4000, rng)
        rows = rng.choice(4000, size=400, p=ratio(pool) / ratio(pool).sum())
        p = true_p(weighted(seed).fit(X, y), pool[rows], labels[rows])
        shares.append((p[:, np.newaxis] <= ALPHAS).mean(axis=0))
    assert held(np.array(shares))


def test_cross_conformal_keeps_twice_the_level():
    """Barber et al. (2021); on these data it keeps the level itself."""

    def make(seed):
        return ConformalClassifier(GaussianNB(), method="cross", cv=4)

    shares = rejected(make)
    assert held(shares, 2, more=2 * (1 - 1 / 4) / (120 / 4 + 1))
    assert held(shares)


def test_sets_of_belief_one_minus_alpha():
    """P(Y not in A for some A with Bel(A) >= 1 - alpha) <= alpha, since beliefs are nested."""
    missed = []
    for seed in range(REPEATS):
        rng = np.random.default_rng(seed)
        X, y = draw(120, rng)
        new_X, new_y = draw(200, rng)
        m = ConformalClassifier(GaussianNB(), random_state=seed).fit(X, y).predict_mass(new_X)
        others = [m.bel([k for k in range(3) if k != label]) for label in range(3)]
        doubt = np.stack(others, axis=1)[np.arange(len(new_y)), new_y]
        # The largest set without Y has belief 1 - alpha; rounding must not decide.
        missed.append((doubt[:, np.newaxis] >= 1 - ALPHAS + 1e-12).mean(axis=0))
    assert held(np.array(missed))


def test_given_the_calibration_sample():
    """Vovk (2012): coverage of more than the bound for 90 % of calibration samples."""
    rng = np.random.default_rng(0)
    fitted = FrozenEstimator(GaussianNB().fit(*draw(200, rng)))
    new_X, new_y = draw(5000, rng)
    n, alpha, bound = 80, 0.1, coverage_bound(80, 0.1, confidence=0.9)
    coverage = [
        np.mean(true_p(ConformalClassifier(fitted).fit(*draw(n, rng)), new_X, new_y) > alpha)
        for _ in range(150)
    ]
    reached = np.mean(np.array(coverage) >= bound)
    spread = np.sqrt(0.9 * 0.1 / 150)
    assert abs(reached - 0.9) <= 3 * spread


def test_merged_p_values_of_classifiers_that_share_data():
    shares = []
    for seed in range(REPEATS):
        rng = np.random.default_rng(seed)
        X, y = draw(120, rng)
        new_X, new_y = draw(400, rng)
        p = [
            true_p(ConformalClassifier(one, random_state=seed).fit(X, y), new_X, new_y)
            for one in (GaussianNB(), GaussianNB(var_smoothing=1))
        ]
        merged = np.stack([merge_p_values(p), merge_p_values(p, "minimum")])
        shares.append((merged[..., np.newaxis] <= ALPHAS).mean(axis=1))
    for of_rule in np.moveaxis(np.array(shares), 1, 0):
        assert held(of_rule)
