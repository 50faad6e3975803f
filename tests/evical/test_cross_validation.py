"""Beliefs about training samples, of copies that have not seen them."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.validation import check_is_fitted

from evical import EvidentialClassifier, EvidentialEnsemble, LogisticCalibrator, cross_val_mass
from evical.calibrators import IsotonicCalibrator

X, Y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[Y]
FOLDS = StratifiedKFold(3, shuffle=True, random_state=0)
OPTIONS = {"cv": 2, "calibrator": IsotonicCalibrator(model="laplace")}
CLASSIFIER = EvidentialClassifier(GaussianNB(), **OPTIONS)


@pytest.mark.parametrize(
    "estimator", [CLASSIFIER, EvidentialEnsemble([GaussianNB(), GaussianNB()], **OPTIONS)]
)
def test_definition(estimator):
    found = cross_val_mass(estimator, X, NAMES, cv=FOLDS)
    for train, test in FOLDS.split(X, Y):
        expected = clone(estimator).fit(X[train], NAMES[train]).predict_mass(X[test])
        assert found[test].equals(expected)
    with pytest.raises(NotFittedError):
        check_is_fitted(estimator)


def test_probabilities_are_those_of_scikit_learn():
    from dstheory import betp

    expected = cross_val_predict(CLASSIFIER, X, NAMES, cv=FOLDS, method="predict_proba")
    np.testing.assert_allclose(betp(cross_val_mass(CLASSIFIER, X, NAMES, cv=FOLDS)), expected)


def test_calibrators_weights_jobs_and_lines(capsys):
    scores, y = X[50:, 2], NAMES[50:]
    weight = np.random.default_rng(0).integers(0, 3, len(y))
    options = {"cv": 4, "params": {"sample_weight": weight}}
    m = cross_val_mass(LogisticCalibrator(), scores, y, **options, verbose=1)
    train, test = next(StratifiedKFold(4).split(scores, y))
    fitted = LogisticCalibrator().fit(scores[train], y[train], weight[train])
    assert m[test].equals(fitted.predict_mass(scores[test]))
    assert capsys.readouterr().out.count("Processing fold") == 4
    assert cross_val_mass(LogisticCalibrator(), scores, y, n_jobs=2, **options) == m


@pytest.mark.parametrize(
    ("estimator", "options", "error", "message"),
    [
        (GaussianNB(), {}, TypeError, "has no predict_mass; wrap a classifier"),
        (EvidentialClassifier, {}, TypeError, "has no predict_mass; wrap a classifier"),
        (FrozenEstimator(CLASSIFIER), {}, ValueError, "the estimator is frozen"),
        (CLASSIFIER, {"cv": 51}, ValueError, "class 'setosa' has 50 samples, but each of 51"),
        (CLASSIFIER, {"cv": [([0, 60, 120], [1])]}, ValueError, "row 0 is in 0 test parts"),
    ],
)
def test_refusals(estimator, options, error, message):
    with pytest.raises(error, match=message):
        cross_val_mass(estimator, X, NAMES, **options)
