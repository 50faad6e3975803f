"""ConformalClassifier: any classifier and any data, its options, and what it refuses."""

import json
import pickle
from functools import partial

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC, LinearSVC

from evical import EvidentialClassifier, EvidentialEnsemble
from evical.calibrators import BinningCalibrator
from evical.conformal import ConformalClassifier, RiskControl, lac_scores, p_values
from evical.conformal.contour import prediction_sets, to_contour
from evical.conformal.nonconformity import aps_scores, raps_scores
from tests.evical.conformal.samples import X2, X3, Y2, Y3, Recorded, frozen, numbered, own, right
from tests.support.each import each

NB = GaussianNB()
both = each(("X", "y"), [(X2, Y2), (X3, Y3)])

# ---- any classifier


@each("estimator", [
    LinearSVC(), RidgeClassifier(), SVC(), SVC(probability=False, decision_function_shape="ovr"),
    EvidentialClassifier(NB, calibrator=BinningCalibrator(n_bins=3), cv=2),
    EvidentialEnsemble([NB, RidgeClassifier()], calibrator=BinningCalibrator(n_bins=3), cv=2),
], ids=repr)  # fmt: skip
@both
@pytest.mark.filterwarnings("ignore:.*probability.*:FutureWarning")
def test_classifiers_and_ensembles(estimator, X, y):
    clf = ConformalClassifier(estimator, random_state=1).fit(X[::2], y[::2])
    missed = ~own(clf.predict_set(X[1::2], alpha=0.2), y[1::2])
    assert missed.mean() < 0.35
    assert clf.score(X[1::2], y[1::2]) > 0.6


@both
def test_without_probabilities_adaptive_scores_are_refused(X, y):
    clf = ConformalClassifier(RidgeClassifier(), nonconformity="aps")
    with pytest.raises(TypeError, match="RidgeClassifier has no predict_proba, which this"):
        clf.fit(X, y)
    assert not hasattr(clf, "classes_")


def test_a_pair_of_classes_by_decisions():
    clf = ConformalClassifier(FrozenEstimator(RidgeClassifier().fit(X2[::2], Y2[::2])))
    clf.fit(X2[1::2], Y2[1::2])
    decisions = clf.conformed_[0].estimator.decision_function(X2)
    scores = lac_scores(np.stack([-decisions, decisions], axis=1))
    np.testing.assert_array_equal(clf.predict_p(X2), p_values(own(scores, Y2)[1::2], scores))


def test_one_against_one_is_refused():
    with pytest.raises(ValueError, match="decision_function_shape"):
        ConformalClassifier(SVC(decision_function_shape="ovo")).fit(X3, Y3)


def test_labels_that_a_classifier_refuses_are_coded():
    class Numbers(Recorded):
        def fit(self, X, y, sample_weight=None):
            if not np.array_equal(np.unique(y), np.arange(len(np.unique(y)))):
                raise ValueError("numbers only")
            return super().fit(X, y)

    names = np.array(["c", "a", "b"])[Y3]
    clf = ConformalClassifier(Numbers(), random_state=0).fit(numbered(X3), names)
    assert clf.classes_.tolist() == ["a", "b", "c"]
    assert clf.score(numbered(X3), names) > 0.9


def test_a_class_that_training_misses_is_the_least_likely():
    y = Y3.copy()
    y[0] = 3
    seed = next(s for s in range(50) if 0 not in _trained_rows(s, y))
    clf = ConformalClassifier(Recorded(), random_state=seed).fit(numbered(X3), y)
    assert clf.classes_.tolist() == [0, 1, 2, 3]
    p = clf.predict_p(numbered(X3))
    assert p[1:, 3].max() <= 2 / 46  # itself, and the one sample as strange
    shy = ConformalClassifier(RidgeOfRows(), random_state=seed).fit(numbered(X3), y)
    assert (shy.predict_p(numbered(X3))[1:, 3] <= 2 / 46).all()


class RidgeOfRows(Recorded):
    """With decisions only."""

    predict_proba = property()

    def fit(self, X, y):
        """Fit a ridge classifier."""
        super().fit(X, y)
        self.inner_ = RidgeClassifier().fit(X[:, 1:], y)
        return self

    def decision_function(self, X):
        """Decisions."""
        return self.inner_.decision_function(X[:, 1:])


def _trained_rows(seed, y):
    clf = ConformalClassifier(Recorded(), random_state=seed).fit(numbered(X3), y)
    return clf.conformed_[0].estimator.rows_


def test_a_class_without_calibration_samples_is_never_excluded():
    fitted = FrozenEstimator(GaussianNB().fit(X3, Y3))
    X, y = X3[Y3 > 0], Y3[Y3 > 0]
    clf = ConformalClassifier(fitted, conditional="class").fit(X, y)
    assert clf.n_calibration_ == {0: 0, 1: 50, 2: 50}
    assert (clf.predict_contour(X3)[:, 0] == 1).all()
    marginal = ConformalClassifier(fitted).fit(X, y)
    assert marginal.classes_.tolist() == [0, 1, 2]
    with pytest.warns(UserWarning, match="0 calibration samples of class 0, so class 0 is in each"):
        assert clf.predict_set(X3, alpha=0.1)[:, 0].all()


def test_too_few_samples_for_a_level_are_said():
    clf, _ = frozen(X3[:18], np.arange(18) // 2 % 2)
    with pytest.warns(
        UserWarning,
        match=(
            "alpha = 0.05 can reject nothing with 9 calibration samples, so every class is in "
            "each set; at least 19 are needed"
        ),
    ):
        assert clf.predict_set(X3, alpha=0.05).all()
    assert clf.predict_set(X3, alpha=0.1).shape == (150, 2)
    near, _ = frozen(X3, Y3, conditional=right)
    with pytest.warns(UserWarning, match="of group 'wide', so every class"):
        near.predict_set(X3, alpha=0.025)


# ---- smoothing, scores of one's own


def test_smoothing_repeats_and_differs_from_calibration():
    clf = ConformalClassifier(NB, smoothed=True, nonconformity="aps", random_state=5)
    clf.fit(X3, Y3)
    np.testing.assert_array_equal(clf.predict_p(X3), clf.predict_p(X3))
    np.testing.assert_array_equal(clf.predict_p(X3), clone(clf).fit(X3, Y3).predict_p(X3))
    plain = clone(clf).set_params(smoothed=False).fit(X3, Y3)
    assert (clf.predict_p(X3) != plain.predict_p(X3)).any()


def test_scores_of_ones_own():
    mine, _ = frozen(X3, Y3, nonconformity=lambda values: -np.log(values + 1e-9))
    lac, _ = frozen(X3, Y3)
    np.testing.assert_array_equal(mine.predict_p(X3), lac.predict_p(X3))
    with pytest.raises(ValueError, match=r"nonconformity gives shape \(75,\) for values of shape"):
        frozen(X3, Y3, nonconformity=lambda values: values[:, 0])
    with pytest.raises(ValueError, match=r"nonconformity\(values\)\[0, 0\] is nan \(225 such"):
        frozen(X3, Y3, nonconformity=lambda values: values * np.nan)


def test_options_of_scores():
    values = frozen(X3, Y3)[1].predict_proba(X3)
    clf, _ = frozen(X3, Y3, nonconformity=partial(raps_scores, penalty=1, n_free=1))
    scores = raps_scores(values, penalty=1, n_free=1)
    np.testing.assert_array_equal(clf.predict_p(X3), p_values(own(scores, Y3)[1::2], scores))
    clf, _ = frozen(X3, Y3, nonconformity="aps")
    scores = aps_scores(values)
    np.testing.assert_array_equal(
        clf.predict_set(X3, alpha=0.1),
        prediction_sets(to_contour(p_values(own(scores, Y3)[1::2], scores), scores), 0.1),
    )


# ---- kinds of data, saving, routing


def test_tables_sparse_matrices_and_texts():
    frame = pd.DataFrame(X3, columns=list("abcd"))
    names = np.array(["setosa", "versicolor", "virginica"])[Y3]
    wanted = ConformalClassifier(NB, random_state=0).fit(X3, Y3).predict_p(X3)
    clf = ConformalClassifier(NB, random_state=0).fit(frame, names)
    np.testing.assert_array_equal(clf.predict_p(frame), wanted)
    assert clf.feature_names_in_.tolist() == list("abcd")
    assert clf.predict(frame[:1]).tolist() == ["setosa"]
    sparse = ConformalClassifier(LogisticRegression(max_iter=1000), random_state=0)
    sparse.fit(csr_matrix(X3), Y3)
    np.testing.assert_allclose(
        sparse.predict_p(csr_matrix(X3)), clone(sparse).fit(X3, Y3).predict_p(X3), atol=0.03
    )


def test_pickle_and_clone():
    clf = ConformalClassifier(NB, conditional="class", random_state=0).fit(X3, Y3)
    again = pickle.loads(pickle.dumps(clf))
    np.testing.assert_array_equal(again.predict_contour(X3), clf.predict_contour(X3))
    assert json.dumps(again.n_calibration_) == json.dumps(clf.n_calibration_)
    assert not hasattr(clone(clf), "conformed_")


def test_in_model_selection():
    assert cross_val_score(ConformalClassifier(NB, random_state=0), X3, Y3, cv=3).min() > 0.8


def test_metadata_routing():
    with sklearn.config_context(enable_metadata_routing=True):
        inner = Recorded().set_fit_request(sample_weight=True)
        clf = ConformalClassifier(inner, random_state=0)
        clf.fit(numbered(X3), Y3, sample_weight=np.full(150, 2.0))
        assert (clf.conformed_[0].estimator.weight_ == 2).all()
        assert clf.n_calibration_ == {None: 90}
        ConformalClassifier(random_state=0).fit(X2, Y2, sample_weight=np.ones(120))
        for asked in (True, False):
            inner.set_fit_request(sample_weight=asked)
            control = RiskControl(inner, bound=0.6, random_state=0)
            control.fit(numbered(X3), Y3, sample_weight=np.full(150, 2.0))
            assert (control.estimator_.weight_ is None) is not asked
        with pytest.raises(UnsetMetadataPassedError, match=r"Recorded\.set_fit_request"):
            RiskControl(Recorded()).fit(numbered(X3), Y3, sample_weight=np.ones(150))


def test_weights_that_training_ignores_are_said():
    class Weightless(Recorded):
        def fit(self, X, y):
            return super().fit(X, y)

    with pytest.warns(UserWarning, match="Weightless takes no sample_weight"):
        ConformalClassifier(Weightless()).fit(numbered(X3), Y3, np.ones(150))


def test_the_default_estimator():
    clf = ConformalClassifier(random_state=0).fit(X2, Y2)
    assert type(clf.conformed_[0].estimator) is EvidentialClassifier


@each(
    ("options", "kind", "message"),
    [
        ({"estimator": "nb"}, TypeError, "estimator is 'nb', expected a classifier"),
        ({"nonconformity": "lca"}, ValueError, "did you mean 'lac'"),
        ({"conditional": "clas"}, ValueError, "did you mean 'class'"),
        ({"method": "cv+"}, ValueError, "method is 'cv\\+', expected one of 'split', 'cross'"),
        ({"cv": 3}, ValueError, "cv is for method='cross'; a split has the share held_out"),
        ({"held_out": 1.0}, ValueError, "held_out is 1.0"),
        ({"held_out": 30}, ValueError, "held_out is 30"),
        ({"smoothed": "yes"}, TypeError, "smoothed is 'yes', expected True or False"),
        ({"density_ratio": 2.0}, TypeError, "density_ratio is 2.0, expected a function"),
        ({"verbose": -1}, ValueError, "verbose is -1"),
        ({"held_out": 0.001}, ValueError, "held_out=0.001 of 150 samples leaves 150 for training"),
        ({"density_ratio": lambda X: -X[:, 0]}, ValueError, r"density_ratio\(X\)\[0\] is -"),
        ({"density_ratio": lambda X: X}, ValueError, r"density_ratio gives shape \(45, 4\) for 45"),
        ({"conditional": lambda X: X}, ValueError, r"conditional gives shape \(150, 4\)"),
        ({"method": "cross", "cv": "prefit"}, ValueError, "cv is 'prefit'"),
    ],
)
def test_bad_parameters(options, kind, message):
    clf = ConformalClassifier(**{"estimator": NB, "random_state": 0, **options})
    with pytest.raises(kind, match=message):
        clf.fit(X3, Y3)
    assert not hasattr(clf, "classes_")


def test_bad_samples():
    with pytest.raises(ValueError, match="y has one class only"):
        ConformalClassifier(NB).fit(X3[:50], Y3[:50])
    fitted = FrozenEstimator(GaussianNB().fit(X3[:100], Y3[:100]))
    with pytest.raises(ValueError, match="class 2 of y is unknown to the fitted classifier"):
        ConformalClassifier(fitted).fit(X3, Y3)
    with pytest.raises(ValueError, match="one class only"):
        ConformalClassifier(NB, held_out=0.5, random_state=0).fit(X3[49:51], Y3[49:51])


def test_bad_levels():
    clf, _ = frozen(X3, Y3)
    with pytest.raises(TypeError, match=r"utilities are 0.1, expected a matrix; write alpha=0.1"):
        clf.predict_set(X3, 0.1)
    with pytest.raises(ValueError, match="either alpha or utilities"):
        clf.predict_set(X3, np.eye(3), alpha=0.1)
    with pytest.raises(ValueError, match=r"alpha is 1\.5"):
        clf.predict_set(X3, alpha=1.5)
    with pytest.raises(ValueError, match="did you mean 'maximality'"):
        clf.predict_set(X3, criterion="maximalty")
