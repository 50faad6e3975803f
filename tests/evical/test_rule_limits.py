"""Rules that refuse the beliefs of the classifiers refuse them in `fit`."""

import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from evical import EvidentialEnsemble
from evical.calibrators import IsotonicCalibrator

X, Y = load_breast_cancer(return_X_y=True)
TWO = [GaussianNB(), DecisionTreeClassifier(max_depth=3, random_state=0)]


@pytest.mark.parametrize(
    ("rule", "model", "reason"),
    [
        ("lns", "likelihood", "source 1 is not separable"),
        ("bold", "likelihood", "gives no mass to the empty set"),
        ("cautious", "bayesian", "source 1 is dogmatic"),
    ],
)
def test_a_rule_that_cannot_combine_is_refused_by_fit(rule, model, reason):
    ensemble = EvidentialEnsemble(TWO, rule=rule, calibrator=IsotonicCalibrator(model=model), cv=3)
    with pytest.raises(ValueError, match=f"the rule '{rule}' cannot combine what .*{reason}"):
        ensemble.fit(X, Y)


def test_a_rule_that_can_is_not():
    ensemble = EvidentialEnsemble(
        TWO, rule="cautious", calibrator=IsotonicCalibrator(model="confidence"), cv=3
    )
    assert ensemble.fit(X[::2], Y[::2]).predict_proba(X[1::2]).shape == (284, 2)
