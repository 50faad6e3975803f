"""Scores of fitted classifiers: which method, which order, which shape."""

import pickle
from functools import cache

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_iris, make_blobs
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from evical import EvidentialClassifier, EvidentialEnsemble, LogisticCalibrator
from evical.calibrators import IsotonicCalibrator
from evical.estimators.responses import class_scores
from evical.scores.scale import log_odds
from tests.support.each import each

X2, Y2 = make_blobs(30, centers=2, random_state=0)
X3, Y3 = make_blobs(30, centers=3, random_state=0)
EPS = np.finfo(np.float64).eps


class Fixed(ClassifierMixin, BaseEstimator):
    """A classifier with given classes and given scores."""

    def __init__(self, classes_, scores):
        self.classes_ = np.asarray(classes_)
        self.scores = scores

    def decision_function(self, X):
        return np.asarray(self.scores)


def test_decision_function_is_taken_as_it_is():
    svm = SVC().fit(X2, Y2)
    np.testing.assert_array_equal(
        class_scores(svm, X2, np.array([0, 1]))[:, 0], svm.decision_function(X2)
    )
    svm = SVC().fit(X3, Y3)
    np.testing.assert_array_equal(class_scores(svm, X3, np.arange(3)), svm.decision_function(X3))


def test_probabilities_become_log_odds():
    """For a logistic regression, which has both, the two roads agree."""
    model = LogisticRegression().fit(X2, Y2)
    np.testing.assert_allclose(
        log_odds(model.predict_proba(X2))[:, 1], model.decision_function(X2), atol=1e-9
    )
    bayes = GaussianNB().fit(X3, Y3)
    probability = np.clip(bayes.predict_proba(X3), EPS, 1 - EPS)
    expected = np.log(probability / (1 - probability))
    np.testing.assert_allclose(class_scores(bayes, X3, np.arange(3)), expected, rtol=1e-9)
    bayes = GaussianNB().fit(X2, Y2)
    assert class_scores(bayes, X2, np.arange(2)).shape == (30, 1)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_log_odds_stay_finite_and_keep_the_order(dtype):
    below_one = np.nextafter(dtype(1), dtype(0))
    values = log_odds(np.array([0, 0.25, 0.5, 0.75, below_one, 1], dtype=dtype))
    assert np.isfinite(values).all()
    assert (np.diff(values) >= 0).all()
    assert values[0] == pytest.approx(-values[-1])
    assert values[1] == -values[3] == pytest.approx(-np.log(3))
    assert values[2] == 0


def test_columns_follow_the_classes_asked_for():
    swapped = Fixed(["yes", "no"], [1.0, -2.0])
    assert class_scores(swapped, None, np.array(["no", "yes"])).tolist() == [[-1.0], [2.0]]
    turned = Fixed([2, 0, 1], [[20.0, 0.0, 10.0]])
    assert class_scores(turned, None, np.arange(3)).tolist() == [[0, 10, 20]]


def test_one_column_may_be_two_dimensional():
    assert class_scores(Fixed([0, 1], [[1.0], [2.0]]), None, np.arange(2)).shape == (2, 1)


@each(
    "wrap",
    [
        lambda svm: svm,
        lambda svm: make_pipeline(StandardScaler(), svm),
        lambda svm: GridSearchCV(make_pipeline(svm), {"svc__C": [1, 2]}, cv=2),
    ],
)
@each("freeze", [lambda clf: clf, FrozenEstimator])
def test_scores_of_pairs_are_refused(wrap, freeze):
    """With three classes there are three pairs, so that the shape alone does not tell."""
    svm = freeze(wrap(SVC(decision_function_shape="ovo")).fit(X3, Y3))
    with pytest.raises(ValueError, match="scores pairs of classes, use 'ovr'"):
        class_scores(svm, X3, np.arange(3))


@pytest.mark.parametrize(
    ("scores", "classes"), [([[1.0, 2.0]], [0, 1]), ([[1.0, 2.0]], [0, 1, 2]), ([1.0], [0, 1, 2])]
)
def test_a_wrong_shape_is_refused(scores, classes):
    with pytest.raises(ValueError, match="gives scores of shape"):
        class_scores(Fixed(classes, scores), None, np.array(classes))


def test_other_classes_are_refused():
    clf = GaussianNB().fit(X2, Y2)
    with pytest.raises(ValueError, match="class 2 of y is unknown to the fitted classifier"):
        class_scores(clf, X2, np.arange(3))
    clf = GaussianNB().fit(X3, Y3)
    with pytest.raises(ValueError, match="class 2 of the fitted classifier is none of the classes"):
        class_scores(clf, X3, np.arange(2))


def test_what_is_no_classifier_is_refused():
    with pytest.raises(TypeError, match="LinearRegression has no classes_"):
        class_scores(LinearRegression().fit(X2, Y2), X2, np.arange(2))

    class Mute(BaseEstimator):
        classes_ = np.arange(2)

    with pytest.raises(TypeError, match="neither decision_function nor predict_proba"):
        class_scores(Mute(), X2, np.arange(2))


@pytest.mark.parametrize(("X", "y"), [(X2, Y2), (X3, Y3)])
def test_a_calibrator_that_takes_log_odds_itself_gets_probabilities(X, y):
    given = EvidentialClassifier(GaussianNB(), calibrator=LogisticCalibrator(transform="logit"))
    plain = EvidentialClassifier(GaussianNB(), calibrator=LogisticCalibrator())
    np.testing.assert_allclose(
        given.fit(X, y).predict_interval(X), plain.fit(X, y).predict_interval(X), atol=1e-12
    )
    margins = EvidentialClassifier(LinearSVC(), calibrator=LogisticCalibrator(transform="logit"))
    with pytest.raises(TypeError, match="no predict_proba, but the calibrator reads probabilities"):
        margins.fit(X, y)


X, Y = load_iris(return_X_y=True)
X = X[:, :2]
OPTIONS = {"cv": 3, "calibrator": IsotonicCalibrator(model="laplace")}


class Strict(ClassifierMixin, BaseEstimator):
    """Refuses labels as XGBoost does."""

    def fit(self, X, y, sample_weight=None):
        """Fit to numbers of classes."""
        found = np.unique(y)
        expected = np.arange(len(found))
        if not np.array_equal(found, expected):
            raise ValueError(
                f"Invalid classes inferred from unique values of `y`.  Expected: {expected}, "
                f"got {found}"
            )
        self.model_ = GaussianNB().fit(X, y, sample_weight)
        self.classes_ = self.model_.classes_
        return self

    def predict_proba(self, X):
        """Probabilities."""
        return self.model_.predict_proba(X)

    def predict(self, X):
        """Labels."""
        return self.model_.predict(X)


LABELS = [["a", "b", "c"], [1, 2, 3], [-1, 0, 7], [False, True, True]]


STRICT = {
    "folds": EvidentialClassifier(Strict(), **OPTIONS),
    "pooled": EvidentialClassifier(Strict(), ensemble=False, **OPTIONS),
    "pairs": EvidentialClassifier(Strict(), code="all_pairs", **OPTIONS),
    "default": EvidentialClassifier(Strict(), cv=3),
    "piped": EvidentialClassifier(make_pipeline(StandardScaler(), Strict()), **OPTIONS),
}


@cache
def of_codes(name, n_classes):
    """Fitted to numbers of classes."""
    return clone(STRICT[name]).fit(X, np.minimum(Y, n_classes - 1))


@each("labels", LABELS)
@each("name", STRICT)
def test_strict_classifiers_take_any_labels(labels, name):
    y = np.array(labels)[Y]
    clf = clone(STRICT[name]).fit(X, y)
    expected = of_codes(name, len(clf.classes_))
    np.testing.assert_array_equal(clf.predict_proba(X), expected.predict_proba(X))
    np.testing.assert_array_equal(clf.predict(X), clf.classes_[expected.predict(X)])
    assert clf.predict_mass(X).frame.labels == tuple(clf.classes_.tolist())
    again = pickle.loads(pickle.dumps(clf))
    np.testing.assert_array_equal(again.predict(X), clf.predict(X))


def test_the_classifier_inside_speaks_of_the_labels():
    y = np.array(["a", "b", "c"])[Y]
    inside = (
        EvidentialClassifier(Strict(), **OPTIONS).fit(X, y).calibrated_classifiers_[0].estimator
    )
    assert inside.classes_.tolist() == ["a", "b", "c"]
    assert set(inside.predict(X)) <= {"a", "b", "c"}
    assert type(inside.estimator) is Strict


@pytest.mark.parametrize("rule", ["dempster", "stacked"])
def test_ensembles(rule):
    y = np.array(["a", "b", "c"])[Y]
    members = [Strict(), GaussianNB(var_smoothing=0.1)]
    ensemble = EvidentialEnsemble(members, rule=rule, **OPTIONS)
    named = clone(ensemble).fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(named, ensemble.fit(X, Y).predict_proba(X))


def test_what_is_not_about_labels_stays_as_it_is_said():
    for y in (Y, np.array(["a", "b", "c"])[Y]):
        with pytest.raises(ValueError, match="class_weight"):
            EvidentialClassifier(SVC(class_weight={"z": 1}), **OPTIONS).fit(X, y)


class ByPlace(ClassifierMixin, BaseEstimator):
    """It knows the names of its columns, but reads them by their places, as LightGBM does."""

    def fit(self, X, y):
        self.inner_ = GaussianNB().fit(np.asarray(X), y)
        self.feature_names_in_, self.classes_ = np.array(X.columns), self.inner_.classes_
        return self

    def predict_proba(self, X):
        return self.inner_.predict_proba(np.asarray(X))

    def predict(self, X):
        return self.inner_.predict(np.asarray(X))


@each("wrap", [lambda e: e, make_pipeline, lambda e: GridSearchCV(e, {}, cv=2)])
def test_columns_in_another_order_are_refused(wrap):
    X, y = load_iris(return_X_y=True, as_frame=True)
    fitted = EvidentialClassifier(wrap(ByPlace()), cv=2).fit(X, y)
    turned = X[X.columns[::-1]]
    with pytest.raises(ValueError, match=r"ByPlace reads them by their places: give X\[list\(feat"):
        fitted.predict(turned)
    same = fitted.predict_proba(turned[list(fitted.feature_names_in_)])
    np.testing.assert_array_equal(same, fitted.predict_proba(X))
    np.testing.assert_array_equal(same, fitted.predict_proba(X.to_numpy()))
