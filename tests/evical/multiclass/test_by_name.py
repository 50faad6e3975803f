"""Calibrators named by a text, wherever a calibrator is taken."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.naive_bayes import GaussianNB

from evical import EvidentialClassifier, EvidentialEnsemble, EvidentialFusion
from evical.calibrators import AutoCalibrator, IsotonicCalibrator, LogisticCalibrator
from evical.multiclass import (
    AutoMulticlassCalibrator,
    BaseMulticlassCalibrator,
    OneVsRestCalibrator,
    SoftmaxCalibrator,
)
from tests.support.each import each

RNG = np.random.default_rng(0)
Y = RNG.integers(3, size=90)
X = RNG.normal(size=(90, 2)) + np.stack([Y, Y == 1], axis=1)
MEMBERS = [GaussianNB(), GaussianNB(var_smoothing=0.3)]


def same(one, other, y=Y):
    """Whether two models believe the same, once fitted."""
    p, q = (model.fit(X, y).predict_interval(X) for model in (one, other))
    np.testing.assert_array_equal(p, q)


@each(
    ("name", "calibrator"),
    [
        ("auto", None),
        ("auto:bayesian", AutoMulticlassCalibrator(model="bayesian")),
        ("isotonic", IsotonicCalibrator()),
        ("logistic:bayesian", LogisticCalibrator(model="bayesian")),
        ("softmax", SoftmaxCalibrator()),
    ],
)
def test_a_name_is_the_calibrator(name, calibrator):
    same(*(EvidentialClassifier(GaussianNB(), calibrator=c, cv=2) for c in (name, calibrator)))
    if name != "auto:bayesian":
        same(*(EvidentialEnsemble(MEMBERS, calibrator=c, cv=2) for c in (name, calibrator)))
    if not isinstance(calibrator, BaseMulticlassCalibrator):
        pair = (EvidentialClassifier(GaussianNB(), calibrator=c, cv=2) for c in (name, calibrator))
        same(*pair, Y > 0)


def test_auto_is_the_default_of_rules_that_combine_sets():
    made = [
        EvidentialEnsemble(MEMBERS, calibrator=c, cv=2, rule="dempster")
        for c in ("auto", None, AutoCalibrator())
    ]
    same(*made[:2])
    same(*made[1:])


def test_a_code_has_a_binary_calibrator_for_each_column():
    pair = ("auto:bayesian", AutoCalibrator(model="bayesian"))
    same(*(EvidentialClassifier(GaussianNB(), calibrator=c, code="all_pairs", cv=2) for c in pair))
    with pytest.raises(ValueError, match="SoftmaxCalibrator calibrates all classes together"):
        EvidentialClassifier(calibrator="softmax", code="all_pairs").fit(X, Y)


def test_scores_of_sources():
    y = Y > 0
    sources = {"sum": X.sum(axis=1), "first": X[:, 0]}
    named, made = (
        EvidentialFusion(calibrator=c).fit(sources, y) for c in ("isotonic", IsotonicCalibrator())
    )
    np.testing.assert_array_equal(named.predict_proba(sources), made.predict_proba(sources))


def test_parameters_keep_the_name():
    for model in (
        EvidentialClassifier(calibrator="logistic:bayesian"),
        EvidentialEnsemble(MEMBERS, calibrator="logistic:bayesian"),
        OneVsRestCalibrator("logistic:bayesian"),
    ):
        assert clone(model).get_params()["calibrator"] == "logistic:bayesian"


def test_each_class_against_the_rest():
    scores = np.eye(3)[Y] + RNG.normal(size=(90, 3))
    named, made = (
        OneVsRestCalibrator(c).fit(scores, Y) for c in ("isotonic", IsotonicCalibrator())
    )
    np.testing.assert_array_equal(named.predict_interval(scores), made.predict_interval(scores))
    assert named.to_dict() == made.to_dict()


def test_names_that_are_none():
    with pytest.raises(ValueError, match="no calibrator 'isotnic'; did you mean 'isotonic'"):
        EvidentialClassifier(calibrator="isotnic").fit(X, Y)
    with pytest.raises(ValueError, match="no calibrator 'platt'; its name here is logistic:bayes"):
        EvidentialEnsemble(MEMBERS, calibrator="platt").fit(X, Y)
    with pytest.raises(ValueError, match="there is no calibrator 'softmax'"):
        OneVsRestCalibrator("softmax").fit(X, Y)
