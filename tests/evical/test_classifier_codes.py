"""EvidentialClassifier under codes: who saw what, and what follows from it."""

import pickle

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_iris, load_wine
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from dstheory import Frame
from dstheory.combine import dempster
from dstheory.errors import CostLimitError, TotalConflictError
from dstheory.transform import betp
from evical import EvidentialEnsemble
from evical.calibrators import BinningCalibrator, IsotonicCalibrator
from evical.classifier import EvidentialClassifier
from evical.multiclass import code_matrix
from evical.multiclass.reduction import column_evidence
from tests.support.each import each

BINS = BinningCalibrator(n_bins=4, model="dempster")
IRIS, IRIS_Y = load_iris(return_X_y=True)
WINE, WINE_Y = load_wine(return_X_y=True)
CODES = ["one_vs_rest", "all_pairs", "sparse", "complete"]


def four_classes(n=240, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 4
    return rng.normal(0, 1.2, (n, 3)) + 2 * np.eye(4, 3)[y], y


def classifier(estimator=None, **options):
    own = {"calibrator": BINS, "cv": 3, "ensemble": True}
    return EvidentialClassifier(
        GaussianNB() if estimator is None else estimator, **{**own, **options}
    )


class Spy(ClassifierMixin, BaseEstimator):
    """Remembers the rows that it was fitted on, by their first feature."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.seen_ = {int(value) for value in np.asarray(X)[:, 0]}
        self.positive_ = {int(value) for value in np.asarray(X)[y == 1][:, 0]}
        return self

    def decision_function(self, X):
        return np.asarray(X)[:, 0]


class Rows(BinningCalibrator):
    """Remembers the scores that it was fitted on."""

    def fit(self, scores, y, sample_weight=None):
        self.seen_ = {int(value) for value in scores}
        return super().fit(scores, y, sample_weight)


@each("ensemble", [True, False, "shared"])
@each("kind", ["all_pairs", "sparse"])
def test_each_column_sees_its_own_classes_and_calibrates_on_others(kind, ensemble):
    X, y = np.arange(60.0)[:, np.newaxis], np.arange(60) % 4
    clf = classifier(Spy(), calibrator=Rows(n_bins=2), code=kind, ensemble=ensemble).fit(X, y)
    assert len(clf.calibrated_classifiers_) == (3 if ensemble else 1)
    for fold in clf.calibrated_classifiers_:
        assert len(fold.estimators) == len(fold.calibrators) == clf.code_.shape[1]
        assert fold.estimator is fold.estimators[0]
        for column, spy, rows in zip(clf.code_.T, fold.estimators, fold.calibrators, strict=True):
            known = {int(i) for i in np.flatnonzero(column[y])}
            assert spy.positive_ == {i for i in spy.seen_ if column[y[i]] == 1}
            if ensemble == "shared":
                assert rows.seen_ == known > spy.seen_
            elif ensemble:
                assert spy.seen_ | rows.seen_ == known
                assert not spy.seen_ & rows.seen_
                assert spy.seen_
            else:
                assert spy.seen_ == rows.seen_ == known
    if ensemble is True:  # one split for all columns
        first = clf.calibrated_classifiers_[0]
        trained = set().union(*(spy.seen_ for spy in first.estimators))
        assert not trained & set().union(*(rows.seen_ for rows in first.calibrators))


@pytest.mark.parametrize("kind", ["all_pairs", "complete"])
def test_the_prediction_is_dempsters_rule_over_columns_by_hand(kind):
    X, y = four_classes()
    train, test = np.arange(120), np.arange(120, 240)
    clf = classifier(cv=[(train, test)], code=kind).fit(X, y)
    frame, sources = Frame(range(4)), []
    for column in code_matrix(kind, 4).T:
        seen = [rows[column[y[rows]] != 0] for rows in (train, test)]
        base = GaussianNB().fit(X[seen[0]], column[y[seen[0]]])
        odds = base.predict_joint_log_proba(X)
        scores = odds[:, 1] - odds[:, 0]
        calibrator = clone(BINS).fit(scores[seen[1]], column[y[seen[1]]])
        sources.append(column_evidence(calibrator.predict_mass(scores), frame, column))
    assert clf.predict_mass(X).equals(dempster(*sources), atol=1e-12)


@each("ensemble", [True, False])
@each("kind", CODES)
def test_predictions_follow_from_the_mass_function(kind, ensemble):
    X, y = four_classes(80)
    clf = classifier(code=kind, ensemble=ensemble, cv=2).fit(X, y)
    m, bounds, probability = clf.predict_mass(X), clf.predict_interval(X), clf.predict_proba(X)
    assert m.frame == Frame(range(4))
    assert m.batch_shape == (len(X),)
    np.testing.assert_allclose(probability, betp(m), atol=1e-13)
    np.testing.assert_array_equal(clf.predict(X), probability.argmax(axis=1))
    assert bounds.shape == (len(X), 4, 2)
    np.testing.assert_allclose(bounds[..., 1], m.contour(), atol=1e-13)
    np.testing.assert_allclose(bounds[:, 2, 0], m.bel(2), atol=1e-13)
    assert clf.predict_set(X).any(axis=1).all()
    assert clf.score(X, y) > 0.5
    np.testing.assert_array_equal(clf.code_, code_matrix(kind, 4, random_state=0))


def test_a_matrix_is_a_code():
    X, y = four_classes()
    named = classifier(code="all_pairs").fit(X, y)
    given = classifier(code=code_matrix("all_pairs", 4).tolist()).fit(X, y)
    np.testing.assert_array_equal(given.predict_proba(X), named.predict_proba(X))
    one_each = classifier(code=code_matrix("one_vs_rest", 4)).fit(X, y)
    assert len(one_each.calibrated_classifiers_[0].estimators) == 4
    assert one_each.score(X, y) > 0.5
    np.testing.assert_array_equal(clone(one_each).code, one_each.code)


def test_string_labels_and_data_frames():
    frame = pd.DataFrame(IRIS, columns=list("pqrs"))
    names = np.array(["setosa", "versicolor", "virginica"])
    clf = classifier(make_pipeline(StandardScaler(), GaussianNB()), code="all_pairs")
    plain = clone(clf).fit(IRIS, IRIS_Y)
    named = clf.fit(frame, pd.Series(names[IRIS_Y]))
    np.testing.assert_array_equal(named.predict_proba(frame), plain.predict_proba(IRIS))
    assert named.predict(frame).tolist() == names[plain.predict(IRIS)].tolist()
    assert named.predict_mass(frame).frame == Frame(names.tolist())
    assert named.feature_names_in_.tolist() == list("pqrs")


@pytest.mark.parametrize("ensemble", [True, False])
def test_weights_are_repetitions(ensemble):
    """A weight of 3 is three samples, in training, in calibration and in the coupling."""
    X, y = four_classes(120)
    weight = np.random.default_rng(0).integers(1, 4, len(y))
    rows = np.repeat(np.arange(len(y)), weight)
    folds = list(StratifiedKFold(3).split(X, y))
    repeated = [tuple(np.flatnonzero(np.isin(rows, part)) for part in fold) for fold in folds]
    options = {
        "calibrator": IsotonicCalibrator(model="laplace"),
        "code": "all_pairs",
        "coupling": "hastie_tibshirani",
        "ensemble": ensemble,
    }
    weighted = classifier(cv=folds, **options).fit(X, y, sample_weight=weight)
    longer = classifier(cv=repeated, **options).fit(X[rows], y[rows])
    np.testing.assert_allclose(weighted.predict_proba(X), longer.predict_proba(X), atol=1e-5)


def test_weights_calibrate_only_where_the_classifier_takes_none():
    X, y = four_classes()
    clf = classifier(Spy(), code="all_pairs")
    with pytest.warns(UserWarning, match="Spy takes no sample_weight"):
        clf.fit(X, y, sample_weight=np.full(240, 2.0))
    totals = [c.counts_.total.sum() for c in clf.calibrated_classifiers_[0].calibrators]
    assert totals == [80] * 6


@pytest.mark.parametrize("options", [{"code": kind} for kind in CODES] + [{"code": [[-1], [1]]}])
def test_two_classes_need_no_code(options):
    X, y = WINE[WINE_Y < 2], WINE_Y[WINE_Y < 2]
    plain, coded = classifier().fit(X, y), classifier(**options).fit(X, y)
    np.testing.assert_array_equal(coded.predict_proba(X), plain.predict_proba(X))
    np.testing.assert_array_equal(coded.predict_interval(X), plain.predict_interval(X))
    assert coded.code_.shape == (2, 1)
    coupled = classifier(coupling="wu_lin_weng", **options).fit(X, y)
    probability = plain.predict_proba(X)
    np.testing.assert_allclose(coupled.predict_proba(X), probability, atol=1e-15)
    np.testing.assert_allclose(coupled.predict_interval(X), probability[:, [1, 1]], atol=1e-15)
    assert coupled.predict_mass(X).is_bayesian.all()


def test_jobs_and_pickles_change_nothing():
    X, y = four_classes()
    alone = classifier(code="all_pairs").fit(X, y)
    with parallel_config(backend="threading"):
        together = classifier(code="all_pairs", n_jobs=2).fit(X, y)
    for other in (together, pickle.loads(pickle.dumps(alone))):
        np.testing.assert_array_equal(other.predict_proba(X), alone.predict_proba(X))


def test_members_of_an_ensemble():
    X, y = four_classes()
    members = [classifier(code="all_pairs"), classifier(code="complete"), GaussianNB()]
    ensemble = EvidentialEnsemble(members, calibrator=BINS, cv=3, rule="dempster").fit(X, y)
    expected = dempster(*(member.predict_mass(X) for member in ensemble.estimators_))
    assert ensemble.predict_mass(X).equals(expected)
    assert ensemble.score(X, y) > 0.5


def in_a_circle():
    """Three classes on three axes; of (0, 0, 0) each pair is certain, in a circle."""
    X = np.repeat([[1.0, 0.0], [-0.5, 0.9], [-0.5, -0.9]], 8, axis=0)
    return X, np.repeat(np.arange(3), 8)


class Circle(ClassifierMixin, BaseEstimator):
    """Scores 1 for the positive class, -1 for the negative one, and 1 for what it never saw."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.negative_ = np.unique(X[y == 0], axis=0)
        self.first_ = bool((np.unique(X[y == 1], axis=0) == [1.0, 0.0]).all())
        return self

    def decision_function(self, X):
        negative = (X[:, np.newaxis] == self.negative_).all(axis=2).any(axis=1)
        unseen = (X == 0).all(axis=1)
        # Of the origin: 0 beats 1, 1 beats 2, 2 beats 0.
        loses = self.first_ and bool((self.negative_ == [-0.5, -0.9]).all())
        return np.where(negative | (unseen & loses), -1.0, 1.0)


def test_total_conflict_is_named_or_vacuous():
    X, y = in_a_circle()
    new = np.array([[1.0, 0.0], [0.0, 0.0]])
    options = {"calibrator": BinningCalibrator(n_bins=2, model="bayesian"), "code": "all_pairs"}
    clf = classifier(Circle(), cv=2, **options).fit(X, y)
    for predict in (clf.predict_mass, clf.predict_interval, clf.predict_proba, clf.predict):
        with pytest.raises(TotalConflictError, match=r"in 1 of 2 rows \(first: row 1\)"):
            predict(new)
    clf.set_params(total_conflict="vacuous").fit(X, y)
    assert clf.predict_mass(new).is_vacuous.tolist() == [False, True]
    np.testing.assert_allclose(clf.predict_proba(new), [[1, 0, 0], [1 / 3] * 3])
    assert clf.predict_interval(new)[1].tolist() == [[0, 1]] * 3


def test_a_class_with_one_sample_is_named():
    X, y = four_classes()
    y[4:] = np.minimum(y[4:], 2)
    with pytest.raises(ValueError, match="class 3 has 1 sample, but each of 3 folds needs one"):
        classifier(code="all_pairs").fit(X, y)


def test_a_classifier_without_scores_is_refused():
    with pytest.raises(TypeError, match="neither decision_function nor predict_proba"):
        classifier(Voter(), code="all_pairs").fit(*four_classes())


class Voter(ClassifierMixin, BaseEstimator):
    """Predicts labels only."""

    def fit(self, X, y):
        self.inner_ = NearestCentroid().fit(X, y)
        self.classes_ = self.inner_.classes_
        return self

    def predict(self, X):
        return self.inner_.predict(X)


def test_a_complete_code_of_many_classes_is_refused_before_anything_is_trained():
    y = np.repeat(np.arange(12), 4)
    with pytest.raises(CostLimitError, match=r"261,625 classifiers .* code='sparse'"):
        classifier(code="complete").fit(np.random.default_rng(0).normal(size=(48, 2)), y)
