"""EvidentialClassifier: scikit-learn's contract, who saw which rows, folds, predictions."""

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
from joblib import parallel_config
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_iris, make_classification
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    StratifiedKFold,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from dstheory import Frame
from dstheory.errors import TotalConflictError
from dstheory.transform import betp
from evical.calibrators import AutoCalibrator, BinningCalibrator, IsotonicCalibrator
from evical.classifier import EvidentialClassifier
from tests.support.contract import check_contract
from tests.support.each import each

BINS = BinningCalibrator(n_bins=4, model="dempster")
X2, Y2 = make_classification(120, n_features=4, flip_y=0.2, random_state=0)
X3, Y3 = load_iris(return_X_y=True)
FOLDS = StratifiedKFold(3)


def classifier(estimator=None, **options):
    own = {"calibrator": BINS, "cv": 3, "ensemble": True}
    return EvidentialClassifier(
        GaussianNB() if estimator is None else estimator, **{**own, **options}
    )


def test_scikit_learn_contract():
    check_contract(EvidentialClassifier(GaussianNB(), calibrator=BINS, cv=2))


@pytest.mark.parametrize("ensemble", [True, "shared"])
@pytest.mark.parametrize(("X", "y"), [(X2, Y2), (X3, Y3)])
def test_the_prediction_is_the_mean_over_folds(X, y, ensemble):
    clf = classifier(ensemble=ensemble).fit(X, y)
    m = clf.predict_mass(X)
    folds = [pair.beliefs(X).mass() for pair in clf.calibrated_classifiers_]
    np.testing.assert_allclose(m.store, sum(fold.store for fold in folds) / 3, atol=1e-15)
    assert m.frame == Frame(np.unique(y))
    assert m.batch_shape == (len(X),)
    np.testing.assert_allclose(m.masses.sum(axis=1), 1)


@each("ensemble", [True, False, "shared"])
@each(("X", "y"), [(X2, Y2), (X3, Y3)])
def test_predictions_follow_from_the_mass_function(X, y, ensemble):
    clf = classifier(ensemble=ensemble).fit(X, y)
    m, bounds, probability = clf.predict_mass(X), clf.predict_interval(X), clf.predict_proba(X)
    np.testing.assert_allclose(probability, betp(m), atol=1e-14)
    np.testing.assert_array_equal(clf.predict(X), np.unique(y)[probability.argmax(axis=1)])
    if len(np.unique(y)) == 2:
        assert bounds.shape == (len(X), 2)
        np.testing.assert_allclose(bounds, np.stack([m.bel(1), m.pl(1)], axis=1), atol=1e-15)
        bounds = np.stack([1 - bounds[:, ::-1], bounds], axis=1)
    else:
        assert bounds.shape == (len(X), 3, 2)
        for k in range(3):
            np.testing.assert_allclose(bounds[:, k, 0], m.bel(k), atol=1e-14)
            np.testing.assert_allclose(bounds[:, k, 1], m.pl(k), atol=1e-14)
    assert (bounds[..., 0] <= probability + 1e-12).all()
    assert (probability <= bounds[..., 1] + 1e-12).all()


def test_two_classes_are_the_calibrator_itself():
    base = GaussianNB().fit(X2[:60], Y2[:60])
    clf = classifier(FrozenEstimator(base), ensemble="auto").fit(X2[60:], Y2[60:])
    (calibrator,) = clf.calibrated_classifiers_[0].calibrators
    odds = base.predict_joint_log_proba(X2)
    scores = odds[:, 1] - odds[:, 0]
    assert clf.predict_mass(X2).equals(calibrator.predict_mass(scores))
    bounds = calibrator.predict_interval(scores)
    np.testing.assert_allclose(clf.predict_interval(X2), bounds, atol=1e-15)
    np.testing.assert_allclose(clf.predict_proba(X2), calibrator.predict_proba(scores), atol=1e-15)
    np.testing.assert_array_equal(clf.predict(X2), calibrator.predict(scores))


def test_each_class_is_calibrated_against_the_rest():
    base = LogisticRegression(max_iter=500).fit(X3[::2], Y3[::2])
    clf = classifier(FrozenEstimator(base), ensemble="auto").fit(X3[1::2], Y3[1::2])
    scores = base.decision_function(X3[1::2])
    for k, calibrator in enumerate(clf.calibrated_classifiers_[0].calibrators):
        expected = clone(BINS).fit(scores[:, k], Y3[1::2] == k)
        np.testing.assert_array_equal(calibrator.masses_, expected.masses_)


@pytest.mark.parametrize(("X", "y", "names"), [(X2, Y2, "no yes"), (X3, Y3, "setosa vers virg")])
def test_string_labels_and_data_frames(X, y, names):
    labels = np.array(names.split())[y]
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])])
    plain = classifier().fit(X, y)
    named = classifier().fit(frame, pd.Series(labels))
    np.testing.assert_array_equal(named.predict_proba(frame), plain.predict_proba(X))
    assert named.predict(frame).tolist() == np.array(names.split())[plain.predict(X)].tolist()
    assert named.predict_mass(frame).frame == Frame(names.split())
    assert named.feature_names_in_.tolist() == list(frame.columns)
    assert named.n_features_in_ == plain.n_features_in_ == X.shape[1]
    assert not hasattr(named.fit(X, y), "feature_names_in_")


def test_sparse_matrices():
    clf = EvidentialClassifier(LogisticRegression(), calibrator=BINS, cv=2)
    sparse, dense = clone(clf).fit(csr_matrix(X2), Y2), clf.fit(X2, Y2)
    np.testing.assert_allclose(
        sparse.predict_proba(csr_matrix(X2)), dense.predict_proba(X2), atol=1e-12
    )


@each("ensemble", [True, False, "shared"])
@each(("X", "y"), [(X2, Y2), (X3, Y3)])
def test_weights_are_repetitions(X, y, ensemble):
    """A weight of 3 is three samples, in training and in calibration."""
    weight = np.random.default_rng(0).integers(1, 4, len(y))
    rows = np.repeat(np.arange(len(y)), weight)
    folds = list(StratifiedKFold(3).split(X, y))
    repeated = [tuple(np.flatnonzero(np.isin(rows, part)) for part in fold) for fold in folds]
    options = {"calibrator": IsotonicCalibrator(model="laplace"), "ensemble": ensemble}
    weighted = classifier(cv=folds, **options).fit(X, y, sample_weight=weight)
    longer = classifier(cv=repeated, **options).fit(X[rows], y[rows])
    np.testing.assert_allclose(weighted.predict_proba(X), longer.predict_proba(X), atol=1e-9)


def test_weights_calibrate_only_where_the_classifier_takes_none():
    weight = np.random.default_rng(0).integers(1, 4, len(Y2))
    clf = classifier(KNeighborsClassifier())
    with pytest.warns(UserWarning, match="KNeighborsClassifier takes no sample_weight"):
        clf.fit(X2, Y2, sample_weight=weight)
    total = sum(pair.calibrators[0].counts_.total.sum() for pair in clf.calibrated_classifiers_)
    assert total == weight.sum()


def test_fit_parameters_are_cut_into_folds():
    clf = classifier(make_pipeline(StandardScaler(), GaussianNB()))
    weight = np.random.default_rng(0).uniform(0.5, 2, len(Y2))
    clone(clf).fit(X2, Y2, weight, gaussiannb__sample_weight=weight)  # warns of nothing
    by_name = clone(clf).fit(X2, Y2, gaussiannb__sample_weight=weight)
    train, _ = next(FOLDS.split(X2, Y2))
    expected = make_pipeline(StandardScaler(), GaussianNB()).fit(
        X2[train], Y2[train], gaussiannb__sample_weight=weight[train]
    )
    found = by_name.calibrated_classifiers_[0].estimator
    np.testing.assert_array_equal(found[-1].theta_, expected[-1].theta_)


def test_metadata_routing_reaches_classifier_and_splitter():
    groups, weight = np.arange(len(Y2)) // 4, np.random.default_rng(0).uniform(0.5, 2, len(Y2))
    base = LogisticRegression()
    direct = classifier(base, cv=list(GroupKFold(3).split(X2, Y2, groups)))
    direct.fit(X2, Y2, sample_weight=weight)
    with sklearn.config_context(enable_metadata_routing=True):
        routed = classifier(base.set_fit_request(sample_weight=True), cv=GroupKFold(3))
        routed.fit(X2, Y2, sample_weight=weight, groups=groups)
        EvidentialClassifier(calibrator=BINS, cv=2).fit(X2, Y2, sample_weight=weight)
    np.testing.assert_array_equal(routed.predict_proba(X2), direct.predict_proba(X2))


def test_pipeline_grid_search_and_clone():
    pipeline = make_pipeline(StandardScaler(), classifier(SVC(), cv=2))
    grid = {
        "evidentialclassifier__estimator__C": [0.1, 1],
        "evidentialclassifier__calibrator__model": ["likelihood", "bayesian"],
    }
    search = GridSearchCV(pipeline, grid, cv=2, scoring="accuracy").fit(X2, Y2)
    assert search.best_score_ > 0.6
    copy = clone(search.best_estimator_[-1])
    assert not hasattr(copy, "classes_")
    assert copy.calibrator.model == search.best_params_["evidentialclassifier__calibrator__model"]


def test_jobs_and_pickles_change_nothing():
    alone = classifier().fit(X2, Y2)
    with parallel_config(backend="threading"):
        together = classifier(n_jobs=2).fit(X2, Y2)
    restored = pickle.loads(pickle.dumps(alone))
    for other in (together, restored):
        np.testing.assert_array_equal(other.predict_proba(X2), alone.predict_proba(X2))


def test_defaults():
    clf = EvidentialClassifier().fit(StandardScaler().fit_transform(X2), Y2)
    assert len(clf.calibrated_classifiers_) == 5
    for pair in clf.calibrated_classifiers_:
        assert type(pair.estimator).__name__ == "LinearSVC"
        assert isinstance(pair.calibrators[0], AutoCalibrator)
        assert pair.calibrators[0].model == "likelihood"
        assert pair.calibrators[0].counts_.total.sum() == len(Y2)  # of all folds together


def test_the_default_reads_probabilities_as_they_are():
    forest = RandomForestClassifier(20, random_state=0)
    clf = EvidentialClassifier(forest, cv=2).fit(X2, Y2)
    scores = clf.calibrated_classifiers_[0].calibrators[0].counts_.scores
    np.testing.assert_allclose(scores * 20, np.round(scores * 20), atol=1e-9)  # shares of votes
    boosting = GradientBoostingClassifier(n_estimators=20, random_state=0)
    boosted = EvidentialClassifier(boosting, cv=2).fit(X2, Y2)
    assert boosted.calibrated_classifiers_[0].calibrators[0].counts_.scores.min() < 0  # margins


def test_the_default_harms_no_forest():
    """Votes of 0 and 1 are no certainty; all rows train the forest, and all calibrate."""
    X, y = make_classification(800, 10, n_informative=4, flip_y=0.05, random_state=0)
    forest = RandomForestClassifier(30, random_state=0)
    plain = forest.fit(X[:400], y[:400]).predict_proba(X[400:])
    clf = EvidentialClassifier(forest).fit(X[:400], y[:400])
    assert log_loss(y[400:], clf.predict_proba(X[400:])) < log_loss(y[400:], plain)


@pytest.mark.parametrize(("n_rare", "n_folds"), [(2, 2), (4, 4), (9, 5)])
def test_default_folds_are_at_most_the_samples_of_the_rarest_class(n_rare, n_folds):
    y = np.r_[np.zeros(120 - n_rare), np.ones(n_rare)]
    clf = EvidentialClassifier(GaussianNB(), calibrator=BINS, ensemble=True).fit(X2, y)
    assert len(clf.calibrated_classifiers_) == n_folds
    y[-n_rare:-1] = 0
    with pytest.raises(ValueError, match="has 1 sample, but each of 2 folds needs one; take more"):
        EvidentialClassifier(GaussianNB(), calibrator=BINS).fit(X2, y)


def test_sets_of_classes_and_acts():
    clf = classifier().fit(X3, Y3)
    m = clf.predict_mass(X3)
    lower = np.stack([m.bel(k) for k in range(3)], axis=1)
    upper = m.contour()
    expected = upper >= lower.max(axis=1, keepdims=True) - 1e-12
    np.testing.assert_array_equal(clf.predict_set(X3), expected)
    reject = np.vstack([np.eye(3), np.full(3, 0.6)])
    kept = clf.predict_set(X3, utilities=reject)
    assert kept.shape == (150, 4)
    assert kept.any(axis=1).all()
    np.testing.assert_array_equal(
        clf.predict_set(X3, reject, criterion=lambda m, u: np.ones((150, 4), dtype=bool)), True
    )


def test_a_point_decision_is_a_set_of_one():
    clf = classifier().fit(X3, Y3)
    one = clf.predict_set(X3, criterion="maximize_expected_utility")
    assert (one.sum(axis=1) == 1).all()
    np.testing.assert_array_equal(one.argmax(axis=1), clf.predict(X3))


@pytest.mark.parametrize(
    ("criterion", "message"),
    [
        ("most_likely", "criterion is 'most_likely', expected a function .* interval_dominance"),
        ("maximum_betp", "criterion is 'maximum_betp', expected"),
        ("expected_utility", "criterion is 'expected_utility', expected a function"),
        (lambda m, u: np.ones((2, 2), dtype=bool), "expected bool of shape"),
    ],
)
def test_a_wrong_criterion_is_refused(criterion, message):
    clf = classifier().fit(X2, Y2)
    with pytest.raises(ValueError, match=message):
        clf.predict_set(X2, criterion=criterion)


def denying():
    """Three classes, calibrated so that rows beyond the data belong to none of them."""
    scores = np.repeat(np.eye(3), 5, axis=0)
    y = np.repeat(np.arange(3), 5)
    return FrozenEstimator(Echo().fit(scores, y)), scores, y


class Echo(ClassifierMixin, BaseEstimator):
    """Its features are its scores."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return np.asarray(X)


def test_total_conflict_is_named_or_vacuous():
    base, X, y = denying()
    new = np.array([[1.0, 0, 0], [0, 0, 0], [1, 1, 0]])
    options = {"calibrator": BinningCalibrator(n_bins=2, model="bayesian")}
    clf = classifier(base, **options).fit(X, y)
    for predict in (clf.predict_mass, clf.predict_interval, clf.predict_proba, clf.predict):
        with pytest.raises(TotalConflictError, match=r"in 2 of 3 rows \(first: row 1\)"):
            predict(new)
    clf = classifier(base, total_conflict="vacuous", **options).fit(X, y)
    assert clf.predict_mass(new).is_vacuous.tolist() == [False, True, True]
    np.testing.assert_allclose(clf.predict_proba(new), [[1, 0, 0], [1 / 3] * 3, [1 / 3] * 3])
    assert clf.predict_interval(new)[1:].tolist() == [[[0, 1]] * 3] * 2


def test_many_classes_have_probabilities_but_no_table():
    rng = np.random.default_rng(0)
    y = np.arange(400) % 20
    X = np.eye(20)[y] + rng.normal(0, 0.4, (400, 20))
    clf = classifier(calibrator=BinningCalibrator(n_bins=2)).fit(X, y)
    np.testing.assert_allclose(clf.predict_proba(X).sum(axis=1), 1)
    bounds = clf.predict_interval(X)
    assert (bounds[..., 0] <= clf.predict_proba(X) + 1e-12).all()
    assert clf.score(X, y) > 0.2  # chance is 0.05
    with pytest.raises(ValueError, match="20 classes have"):
        clf.predict_mass(X)


def test_sets_of_ordered_classes_are_intervals():
    X, y = load_iris(return_X_y=True)
    model = EvidentialClassifier(GaussianNB()).fit(X, y)
    sets = np.random.default_rng(0).random((len(X), 3)) < 0.5
    found = model.predict_set(X, criterion=lambda m, utilities: sets, ordered=True)
    for kept, filled in zip(sets.tolist(), found.tolist(), strict=True):
        places = [k for k in range(3) if kept[k]]
        expected = range(places[0], places[-1] + 1) if places else []
        assert filled == [k in expected for k in range(3)]
    assert (found != sets).any()
