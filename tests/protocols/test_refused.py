"""A fit that is refused leaves no trace: the estimator is as before, fitted or not."""

import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_wine
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils.validation import check_is_fitted

from dstheory import Frame, MassFunction
from evical import EvidentialClassifier, EvidentialEnsemble, EvidentialSource, fusion
from evical.conformal import ConformalClassifier
from tests.protocols.calibrators_table import CALIBRATORS, PROBES, every, samples
from tests.protocols.multiclass_table import MULTICLASS
from tests.support.each import each

X, Y = load_wine(return_X_y=True)
KNN, NB = KNeighborsClassifier(), GaussianNB()


class Broken(ClassifierMixin, BaseEstimator):
    """Learns, and cannot predict."""

    def fit(self, X, y):
        """Learn the classes."""
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        """Refuse."""
        raise ValueError("no scores today")


REFUSED = [
    (EvidentialClassifier(Broken(), cv=2), "no scores today"),
    (EvidentialClassifier(Broken(), cv=2, code="all_pairs"), "no scores today"),
    (EvidentialClassifier(GaussianNB(), cv=[(np.arange(100), np.arange(100))]), "must be disjoint"),
    (EvidentialClassifier(GaussianNB(), coupling="wu_lin_weng"), "code='all_pairs' only"),
    (EvidentialEnsemble([GaussianNB(), Broken()], cv=2), "no scores today"),
    (EvidentialEnsemble([GaussianNB()], rule=fusion.Stacked(penalty=-1), cv=2), "penalty is -1"),
    (EvidentialSource(Broken(), columns=slice(0, 4)), "no scores today"),
    (ConformalClassifier(Broken(), random_state=0), "no scores today"),
]


@each(("estimator", "message"), REFUSED)
def test_estimators(estimator, message):
    fresh = clone(estimator)
    with pytest.raises(ValueError, match=message):
        fresh.fit(X, Y)
    for method in ("predict", "predict_mass", "predict_proba", "predict_interval", "predict_set"):
        with pytest.raises(NotFittedError):
            getattr(fresh, method)(X)
    assert vars(fresh).keys() == vars(clone(estimator)).keys()
    good = type(estimator)(**{**estimator.get_params(deep=False), **cured(estimator)})
    expected = good.fit(X[:130], Y[:130]).predict_proba(X)
    good.set_params(**estimator.get_params(deep=False))
    with pytest.raises(ValueError, match=message):
        good.fit(X[:, :3], Y)
    np.testing.assert_array_equal(good.predict_proba(X), expected)
    assert good.n_features_in_ == X.shape[1]


def cured(estimator):
    """Parameters with which it fits."""
    if isinstance(estimator, EvidentialEnsemble):
        return {"estimators": [GaussianNB(), GaussianNB()], "rule": "dempster"}
    if isinstance(estimator, ConformalClassifier):
        return {"estimator": GaussianNB()}
    if isinstance(estimator, EvidentialSource):
        return {"estimator": GaussianNB(), "columns": None}
    return {"estimator": GaussianNB(), "cv": 2, "coupling": None, "code": "one_vs_rest"}


def refuse_when_learned(calibrator, learn):
    """Let a calibrator learn, and then fail."""

    def learned_and_refused(*args):
        getattr(type(calibrator), learn)(calibrator, *args)
        raise ValueError("too late")

    setattr(calibrator, learn, learned_and_refused)


@every
def test_calibrators(entry):
    scores, y = samples()
    calibrator = entry().fit(scores, y)
    before, expected = dict(vars(calibrator)), calibrator.predict_proba(PROBES)
    for values, labels in ((scores, np.ones(60)), (scores, y[:-1]), ([np.nan] * 60, y)):
        for fit in (calibrator.fit, calibrator.partial_fit):
            with pytest.raises(ValueError, match=r"one class|lengths differ|nan|of the classes"):
                fit(values, labels if fit == calibrator.fit else labels + 7)
    assert vars(calibrator).keys() == before.keys()
    np.testing.assert_array_equal(calibrator.predict_proba(PROBES), expected)


@each("entry", list({e.name: e for e in CALIBRATORS}.values()), ids=str)
def test_calibrators_refused_late(entry):
    scores, y = samples()
    calibrator = entry()
    refuse_when_learned(calibrator, "_fit_counts")
    with pytest.raises(ValueError, match="too late"):
        calibrator.fit(scores, y)
    with pytest.raises(NotFittedError):
        calibrator.predict_proba(PROBES)
    calibrator = entry().fit(scores, y)
    expected = calibrator.predict_proba(PROBES)
    refuse_when_learned(calibrator, "_fit_counts")
    for fit in (calibrator.fit, calibrator.partial_fit):
        with pytest.raises(ValueError, match="too late"):
            fit(scores * 2 + 1, 1 - y)
        np.testing.assert_array_equal(calibrator.predict_proba(PROBES), expected)


@each("entry", list({e.name: e for e in MULTICLASS}.values()), ids=str)
def test_multiclass_calibrators_refused_late(entry):
    scores, y = entry.samples()
    calibrator = entry().fit(scores, y)
    expected = calibrator.predict_proba(entry.probes)
    refuse_when_learned(calibrator, "_fit_scores")
    with pytest.raises(ValueError, match="too late"):
        calibrator.fit(scores[::-1], y)
    np.testing.assert_array_equal(calibrator.predict_proba(entry.probes), expected)
    fresh = entry()
    refuse_when_learned(fresh, "_fit_scores")
    with pytest.raises(ValueError, match="too late"):
        fresh.fit(scores, y)
    with pytest.raises(NotFittedError):
        fresh.predict_proba(entry.probes)


FUSIONS = [
    kind
    for kind in map(vars(fusion).get, fusion.__all__)
    if isinstance(kind, type) and kind is not fusion.Rule
]


@pytest.mark.parametrize("kind", FUSIONS)
def test_fusions(kind):
    rows = np.random.default_rng(0).dirichlet(np.ones(3), size=(2, 20))
    masses = [MassFunction(Frame([0, 1]), [1, 2, 3], part) for part in rows]
    y = np.arange(20) % 2
    made = kind().fit(masses, y, sizes=[1, 2])
    expected = made(*masses).masses
    fresh = kind()
    for one in (made, fresh):
        refuse_when_learned(one, "_learn")
        with pytest.raises(ValueError, match="too late"):
            one.fit(masses[::-1], 1 - y, sizes=[2, 1])
    np.testing.assert_array_equal(made(*masses).masses, expected)
    with pytest.raises(NotFittedError):
        check_is_fitted(fresh)


# ---- what fit has to say, it says once


@pytest.mark.parametrize(
    ("estimator", "names"),
    [
        (EvidentialClassifier(KNeighborsClassifier(), cv=3), "KNeighborsClassifier takes"),
        (
            EvidentialClassifier(make_pipeline(GaussianNB()), cv=3, code="all_pairs"),
            "Pipeline takes",
        ),
        *(
            (
                EvidentialEnsemble(
                    [KNeighborsClassifier(), make_pipeline(GaussianNB()), GaussianNB()],
                    cv=2,
                    rule=rule,
                ),
                "KNeighborsClassifier, Pipeline takes",
            )
            for rule in ("dempster", "stacked")
        ),
        (
            EvidentialEnsemble(
                [EvidentialEnsemble([KNeighborsClassifier()] * 2, cv=2)], rule="stacked"
            ),
            "KNeighborsClassifier takes",
        ),
    ],
)
def test_weights_that_do_not_train_are_named_once(estimator, names):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        estimator.fit(X, Y, sample_weight=np.arange(1.0, len(Y) + 1))
    assert [str(one.message).partition(" no sample_weight")[0] for one in caught] == [names]
    assert caught[0].filename == __file__
