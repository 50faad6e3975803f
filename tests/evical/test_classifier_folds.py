"""Folds of `EvidentialClassifier`: who is trained, and who is calibrated, on which rows."""

import numpy as np
import pytest
from scipy.stats import ks_2samp, kstwo
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import make_classification
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import ShuffleSplit, StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC

from evical.calibrators import BinningCalibrator
from evical.classifier import EvidentialClassifier
from evical.ensemble import EvidentialEnsemble
from evical.estimators.folds import _LEVEL, _alike, _smirnov
from evical.source import EvidentialSource

BINS = BinningCalibrator(n_bins=4, model="dempster")
X2, Y2 = make_classification(120, n_features=4, flip_y=0.2, random_state=0)
FOLDS = StratifiedKFold(3)


def classifier(estimator=None, **options):
    own = {"calibrator": BINS, "cv": 3, "ensemble": True}
    return EvidentialClassifier(
        GaussianNB() if estimator is None else estimator, **{**own, **options}
    )


class Spy(ClassifierMixin, BaseEstimator):
    """Remembers the rows that it was fitted on, by their first feature."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.seen_ = {float(value) for value in np.asarray(X)[:, 0]}
        return self

    def decision_function(self, X):
        return np.asarray(X)[:, 1]


class Rows(BinningCalibrator):
    """Remembers the scores that it was fitted on."""

    def fit(self, scores, y, sample_weight=None):
        self.seen_ = {float(value) for value in scores}
        return super().fit(scores, y, sample_weight)


def numbered(n):
    """Samples whose features are their row numbers."""
    return np.repeat(np.arange(n, dtype=float)[:, np.newaxis], 2, axis=1)


@pytest.mark.parametrize("cv", [2, 3, FOLDS, ShuffleSplit(2, test_size=0.4, random_state=1)])
def test_calibration_rows_are_never_training_rows(cv):
    X, y = numbered(30), np.arange(30) % 2
    clf = classifier(Spy(), calibrator=Rows(n_bins=2), cv=cv).fit(X, y)
    for pair in clf.calibrated_classifiers_:
        trained, calibrated = pair.estimator.seen_, pair.calibrators[0].seen_
        assert trained
        assert calibrated
        assert not trained & calibrated


def test_pooled_calibration_uses_every_row_once_and_then_trains_on_all():
    X, y = numbered(30), np.arange(30) % 2
    clf = classifier(Spy(), calibrator=Rows(n_bins=2), ensemble=False).fit(X, y)
    (pair,) = clf.calibrated_classifiers_
    assert pair.estimator.seen_ == pair.calibrators[0].seen_ == set(range(30))
    scores = cross_val_predict(
        SVC(), X2, Y2, cv=StratifiedKFold(3), method="decision_function"
    )  # scikit-learn's own out-of-fold scores
    clf = classifier(SVC(), ensemble=False).fit(X2, Y2)
    expected = clone(BINS).fit(scores, Y2).counts_
    counts = clf.calibrated_classifiers_[0].calibrators[0].counts_
    np.testing.assert_array_equal(counts.scores, expected.scores)
    np.testing.assert_array_equal(counts.positive, expected.positive)


def test_shared_calibration_uses_every_row_once_for_the_classifiers_of_the_folds():
    X, y = numbered(30), np.arange(30) % 2
    clf = classifier(Spy(), calibrator=Rows(n_bins=2), ensemble="shared").fit(X, y)
    parts = [pair.estimator.seen_ for pair in clf.calibrated_classifiers_]
    assert parts == [{float(row) for row in train} for train, _ in FOLDS.split(X, y)]
    (calibrator,) = {id(c): c for p in clf.calibrated_classifiers_ for c in p.calibrators}.values()
    assert calibrator.seen_ == set(range(30))


def test_shared_calibration_by_its_definition():
    scores = cross_val_predict(SVC(), X2, Y2, cv=FOLDS, method="decision_function")
    calibrator = clone(BINS).fit(scores, Y2)
    trained = [SVC().fit(X2[train], Y2[train]) for train, _ in FOLDS.split(X2, Y2)]
    expected = [calibrator.predict_interval(one.decision_function(X2)) for one in trained]
    found = classifier(SVC(), ensemble="shared").fit(X2, Y2).predict_interval(X2)
    np.testing.assert_allclose(found, np.mean(expected, axis=0), rtol=0, atol=1e-14)


def test_a_fold_that_calibrates_on_training_rows_is_refused():
    folds = [(np.arange(20), np.arange(15, 30))]
    with pytest.raises(ValueError, match="both trains and calibrates on row 15"):
        classifier(cv=folds).fit(X2[:30], np.arange(30) % 2)


def test_a_frozen_classifier_is_only_calibrated():
    X, y = numbered(40), np.arange(40) % 2
    base = Spy().fit(X[:20], y[:20])
    clf = classifier(FrozenEstimator(base), calibrator=Rows(n_bins=2), ensemble="auto").fit(
        X[20:], y[20:]
    )
    (pair,) = clf.calibrated_classifiers_
    assert base.seen_ == set(range(20))
    assert pair.calibrators[0].seen_ == set(range(20, 40))
    folds = classifier(FrozenEstimator(base), calibrator=Rows(n_bins=2), ensemble=True).fit(X, y)
    assert [len(p.calibrators[0].seen_) for p in folds.calibrated_classifiers_] == [14, 13, 13]
    shared = classifier(FrozenEstimator(base), calibrator=Rows(n_bins=2), ensemble="shared").fit(
        X, y
    )
    assert len(shared.calibrated_classifiers_) == 1


def test_folds_that_are_no_partition_are_calibrated_one_by_one():
    for ensemble in ("shared", "auto"):
        clf = classifier(
            calibrator=Rows(n_bins=2), cv=ShuffleSplit(3, random_state=0), ensemble=ensemble
        )
        pairs = clf.fit(X2, Y2).calibrated_classifiers_
        assert [len(pair.calibrators[0].seen_) for pair in pairs] == [12, 12, 12]


class Wandering(ClassifierMixin, BaseEstimator):
    """Its scores wander with the training samples, if it has enough of them."""

    def __init__(self, far=0.0, least=0):
        self.far = far
        self.least = least

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.start_ = self.far * X[:, 0].mean() if len(X) >= self.least else 0.0
        return self

    def decision_function(self, X):
        return X[:, 1] + self.start_


def tilted(n, classes):
    """Folds in the order of the rows, whose training samples differ in the mean of a feature."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % classes
    return np.column_stack([np.arange(n) / n, y + rng.normal(size=n)]), y


@pytest.mark.parametrize(("far", "as_if"), [(0.0, False), (0.1, False), (30.0, "shared")])
def test_a_classifier_is_trained_again_if_the_scores_of_the_folds_are_alike(far, as_if):
    X, y = tilted(150, 2)
    found = classifier(Wandering(far), ensemble="auto").fit(X, y)
    expected = classifier(Wandering(far), ensemble=as_if).fit(X, y)
    assert len(found.calibrated_classifiers_) == (3 if as_if else 1)
    assert found.predict_mass(X).equals(expected.predict_mass(X))


def test_each_column_of_a_code_is_trained_again_if_its_scores_are_alike():
    X, y = tilted(160, 4)
    y[y == 3] = 0  # pairs of 120, 120 and 80 samples
    options = {"code": "all_pairs", "coupling": "least_squares"}
    some = classifier(Wandering(30.0, least=70), ensemble="auto", **options).fit(X, y)
    parts = [part.estimators for part in some.calibrated_classifiers_]
    assert [len({id(one) for one in column}) for column in zip(*parts, strict=True)] == [3, 3, 1]
    kept = classifier(Wandering(30.0), ensemble="auto", **options).fit(X, y)
    shared = classifier(Wandering(30.0), ensemble="shared", **options).fit(X, y)
    np.testing.assert_array_equal(kept.predict_proba(X), shared.predict_proba(X))
    alike = classifier(Wandering(), ensemble="auto", **options).fit(X, y)
    again = classifier(Wandering(), ensemble=False, **options).fit(X, y)
    np.testing.assert_array_equal(alike.predict_proba(X), again.predict_proba(X))


def test_scores_of_folds_are_rarely_called_unlike_by_chance():
    """At about the level of the test, of classifiers that do not depend on their samples."""
    rng = np.random.default_rng(0)
    draws = [np.split(rng.normal(size=(200, 2)), 5) for _ in range(200)]
    assert 0.02 < np.mean([not _alike(parts) for parts in draws]) < 0.08
    assert not any(_alike([parts[0] + 1.5, *parts[1:]]) for parts in draws[:50])


def test_short_distances_of_many_samples_or_classes_do_not_count():
    rng = np.random.default_rng(0)
    first, *others = np.split(rng.normal(size=(20_000, 1)), 5)
    assert ks_2samp((first + 0.15).ravel(), np.concatenate(others).ravel()).pvalue < 1e-6
    assert _alike([first + 0.15, *others])
    assert not _alike([first + 0.3, *others])
    one, *more = np.split(rng.normal(size=(5_000, 20)), 5)
    apart = [one + 0.4 * (np.arange(20) < number) for number in (3, 20)]  # of the classes
    assert [_alike([part, *more]) for part in apart] == [True, False]


def test_smirnovs_test_decides_as_the_exact_one():
    distances, level = np.linspace(0.05, 2.5, 60), _LEVEL / 5
    for pairs in (4, 13, 80, 1000):
        far = np.minimum(distances / np.sqrt(pairs), 1.0)
        exact, found = kstwo.sf(far, pairs), _smirnov(far, np.full(60, pairs), level)
        np.testing.assert_array_equal(found >= level, exact >= level)
        close = (found > level / 2) & (found < 2 * level)
        assert close.any()
        np.testing.assert_allclose(found[close], exact[close], rtol=1e-4)


def test_machines_of_useless_features_do_little_harm():
    """Their scores are a bias and rounding, which tell the fold and nothing of a sample."""
    losses = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(400, 4)), rng.uniform(size=400) < 0.6
        machines = [EvidentialSource(SVC(kernel="linear"), columns=[at]) for at in range(4)]
        p = EvidentialEnsemble(machines).fit(X[:200], y[:200]).predict_proba(X[200:])[:, 1]
        losses.append([np.mean((one - y[200:]) ** 2) for one in (p, y[:200].mean())])
    ours, constant = np.mean(losses, axis=0)
    assert ours < constant + 0.01
