"""Mistakes that a newcomer makes, and what they are told."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.naive_bayes import GaussianNB

from evical import EvidentialClassifier, EvidentialEnsemble, LogisticCalibrator, metrics
from evical.cross_validation import cross_val_mass
from tests.support.each import each

RANDOM = np.random.default_rng(0)
Y = RANDOM.integers(0, 2, size=60)
SCORES = RANDOM.normal(size=60) + Y
X = SCORES[:, np.newaxis]
NB = GaussianNB()

MISSPELLED = [
    (lambda: EvidentialClassifier(NB, code="all-pairs").fit(X, Y), "all_pairs"),
    (lambda: EvidentialClassifier(NB, coupling="least_square").fit(X, Y), "least_squares"),
    (lambda: EvidentialClassifier(NB, probability="Pignistic").fit(X, Y), "pignistic"),
    (lambda: EvidentialEnsemble([NB], rule="dempstr").fit(X, Y), "dempster"),
    (lambda: EvidentialEnsemble([NB], total_conflict="vacous").fit(X, Y), "vacuous"),
    (lambda: LogisticCalibrator(model="likelyhood").fit(SCORES, Y), "likelihood"),
    (
        lambda: EvidentialClassifier(NB).fit(X, Y).predict_set(X, criterion="maximallity"),
        "maximality",
    ),
    (lambda: metrics.calibration_curve(Y, Y, strategy="quantiles"), "quantile"),
]


@each(("call", "meant"), MISSPELLED)
def test_misspelled_names(call, meant):
    with pytest.raises(ValueError, match=f"did you mean '{meant}'"):
        call()


@pytest.mark.parametrize(
    "estimator", [EvidentialClassifier, lambda nb, cv: EvidentialEnsemble([nb], cv=cv)]
)
def test_fitted_classifiers_are_frozen(estimator):
    with pytest.raises(ValueError, match=r"cv is .prefit., expected .*FrozenEstimator"):
        estimator(NB, cv="prefit").fit(X, Y)


@pytest.mark.parametrize("estimator", [LogisticCalibrator(), EvidentialClassifier(NB)])
def test_swapped_arguments(estimator):
    with pytest.raises(ValueError, match="continuous") as caught:
        estimator.fit(Y, SCORES)
    assert "labels of classes come second" in caught.value.__notes__[0]


def test_a_cv_that_is_no_number_of_folds():
    """Neither a cv of fixed rows, as the fusion once said, nor something to iterate over."""
    clf = EvidentialClassifier(NB)
    fits = [
        lambda cv: clone(clf).set_params(cv=cv).fit(X, Y),
        lambda cv: EvidentialEnsemble([NB], cv=cv).fit(X, Y),
        lambda cv: EvidentialEnsemble([clone(clf).set_params(cv=cv)]).fit(X, Y),
        lambda cv: cross_val_mass(clf, X, Y, cv=cv),
    ]
    for fit in fits:
        for cv in (2.5, object(), {}):
            with pytest.raises((TypeError, ValueError), match=r"cv is .*, expected ") as caught:
                fit(cv)
            assert "fixed rows" not in str(caught.value)


def test_folds_that_are_no_pairs():
    rows = np.arange(len(Y))
    for fold in ((rows,), (rows, rows, rows), 3, "ab"):
        with pytest.raises(TypeError, match=r"as fold 1, expected a pair \(train, test\)"):
            EvidentialClassifier(NB, cv=[(rows, rows), fold]).fit(X, Y)
