"""Weighted risks: p-values, whose definition is an inequality over all samples, and units."""

import itertools
import math

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.naive_bayes import GaussianNB

from evical import EvidentialClassifier
from evical.conformal import RiskControl
from evical.conformal.control import weighted_p_values
from tests.support.each import each


@each("chances", [(0.4, 0.4, 0.1, 0.1), (0.0, 0.8, 0.2, 0.0), (0.7, 0.0, 0.1, 0.2)])
def test_p_values_with_weights_are_valid(chances):
    """Over all samples of (weight, loss) whose weighted mean is just the bound."""
    n, weight, loss = 7, np.array([1, 0.3, 1, 0.3]), np.array([0, 0, 1, 0.5])
    shares = np.array(chances)
    bound = shares @ (weight * loss) / (shares @ weight)
    counts = np.array([c for c in itertools.product(range(n + 1), repeat=4) if sum(c) == n])
    ways = [math.factorial(n) / math.prod(map(math.factorial, c)) for c in counts.tolist()]
    often = np.array(ways) * (shares**counts).prod(axis=1)
    p = weighted_p_values(counts @ (weight * loss), counts @ weight, bound)
    assert often.sum() == pytest.approx(1)
    for level in np.unique(p):
        assert often[p <= level].sum() <= level + 1e-12
    assert p.min() < 1
    many = np.array([0.0, 1e6])
    assert weighted_p_values(many, np.full(2, 1e6), bound).tolist() == [0, 1]


def test_weights_are_in_any_unit():
    """The classifier counts samples by them: with weights of sum 1 it knew next to nothing."""
    X, y = load_breast_cancer(return_X_y=True)
    weight = np.random.default_rng(0).uniform(0.5, 1.5, len(y))
    weight[::7] = 0
    classifier = EvidentialClassifier(GaussianNB(), calibrator="logistic:bayesian", cv=3)
    control = RiskControl(classifier, bound=0.1, random_state=0)
    answers, limits = [], []
    for unit in (1, 2.0**-12, 2.0**10):
        answers.append(control.fit(X, y, sample_weight=unit * weight).predict(X).tolist())
        limits.append(control.limits_.tolist())
    assert answers[0] == answers[1] == answers[2]
    assert limits[0] == limits[1] == limits[2]
