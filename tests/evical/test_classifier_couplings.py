"""EvidentialClassifier with couplings, plausibilities, and calibrators of all classes."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from dstheory import Frame
from dstheory.transform import betp
from evical import multiclass
from evical.calibrators import BinningCalibrator, LogisticCalibrator
from evical.classifier import EvidentialClassifier
from evical.multiclass import (
    DirichletCalibrator,
    MultinomialLogisticCalibrator,
    SoftmaxCalibrator,
    pairwise_belief,
)
from evical.scores.scale import log_odds
from tests.support.each import each

BINS = BinningCalibrator(n_bins=4, model="dempster")
IRIS, IRIS_Y = load_iris(return_X_y=True)
WINE, WINE_Y = load_wine(return_X_y=True)
COUPLED = [
    ("one_vs_rest", "normalize"),
    ("all_pairs", "wu_lin_weng"),
    ("all_pairs", "hastie_tibshirani"),
    ("complete", "least_squares"),
]


def four_classes(n=240, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 4
    return rng.normal(0, 1.2, (n, 3)) + 2 * np.eye(4, 3)[y], y


def classifier(estimator=None, **options):
    return EvidentialClassifier(
        GaussianNB() if estimator is None else estimator, **{"calibrator": BINS, "cv": 3, **options}
    )


@pytest.mark.parametrize("kind", ["one_vs_rest", "all_pairs"])
def test_relative_plausibilities(kind):
    X, y = four_classes()
    clf = classifier(code=kind, cv=[(np.arange(120), np.arange(120, 240))])
    m = clf.fit(X, y).predict_mass(X)
    clf.set_params(probability="plausibility").fit(X, y)
    expected = m.contour() / m.contour().sum(axis=1, keepdims=True)
    np.testing.assert_allclose(clf.predict_proba(X), expected, rtol=1e-11)
    two = classifier(probability="plausibility").fit(X[y < 2], y[y < 2])
    folds = [pair.beliefs(X).contour() for pair in two.calibrated_classifiers_]
    expected = np.mean([c / c.sum(axis=1, keepdims=True) for c in folds], axis=0)
    np.testing.assert_allclose(two.predict_proba(X), expected)


def positive_sides(fold, X):
    """Pignistic probabilities (n, B) of the columns' positive sides."""
    _, positive, both = fold.columns(X)
    return (positive + both / 2).T


@pytest.mark.parametrize(("kind", "coupling"), COUPLED)
def test_a_coupling_gives_probabilities(kind, coupling):
    X, y = four_classes()
    clf = classifier(code=kind, coupling=coupling, cv=[(np.arange(120), np.arange(120, 240))])
    clf.fit(X, y)
    r = positive_sides(clf.calibrated_classifiers_[0], X)
    couple = getattr(multiclass, coupling)
    sizes = 60 * (clf.code_ != 0).sum(axis=0)
    options = {"weights": sizes} if coupling == "hastie_tibshirani" else {}
    arguments = (r,) if coupling in ("normalize", "wu_lin_weng") else (r, clf.code_)
    expected = couple(*arguments, **options)
    probability = clf.predict_proba(X)
    np.testing.assert_allclose(probability, expected, atol=1e-12)
    m = clf.predict_mass(X)
    assert m.is_bayesian.all()
    np.testing.assert_allclose(m.contour(), expected, atol=1e-12)
    np.testing.assert_allclose(
        clf.predict_interval(X), np.stack([probability, probability], axis=2), atol=1e-15
    )
    assert (clf.predict_set(X).sum(axis=1) >= 1).all()
    assert clf.score(X, y) > 0.5


def test_a_coupling_of_ones_own():
    def votes(r, code):
        sides = np.where(code == 0, 0.0, (code[np.newaxis] == 1) == (r[:, np.newaxis] > 0.5))
        total = sides.sum(axis=2)
        return total / total.sum(axis=1, keepdims=True)

    X, y = four_classes()
    clf = classifier(code="all_pairs", coupling=votes).fit(X, y)
    expected = [votes(positive_sides(fold, X), clf.code_) for fold in clf.calibrated_classifiers_]
    np.testing.assert_allclose(clf.predict_proba(X), np.mean(expected, axis=0), atol=1e-15)


@pytest.mark.parametrize(
    ("coupling", "message"),
    [
        (lambda r, code: r, r"gives shape \(240, 6\), expected \(240, 4\)"),
        (
            lambda r, code: np.ones((240, 4)),
            r"coupling\(r, code\)\[0\] is \[1.0, 1.0, 1.0, 1.0\] .*, expected",
        ),
        (lambda r, code: np.full((240, 4), np.nan), r"\[0\] is \[nan, .*, expected probabilities"),
    ],
)
def test_a_coupling_that_gives_no_probabilities(coupling, message):
    X, y = four_classes()
    clf = classifier(code="all_pairs", coupling=coupling).fit(X, y)
    with pytest.raises(ValueError, match=message):
        clf.predict_proba(X)


def test_pairwise_belief_is_evidential():
    X, y = four_classes()
    clf = classifier(code="all_pairs", coupling="pairwise_belief", ensemble=False).fit(X, y)
    (fold,) = clf.calibrated_classifiers_
    expected = pairwise_belief(fold.columns(X[:20]), Frame(range(4)))
    m = clf.predict_mass(X[:20])
    assert m.equals(expected)
    np.testing.assert_allclose(clf.predict_proba(X[:20]), betp(m))
    np.testing.assert_allclose(clf.predict_interval(X[:20])[..., 1], m.contour())
    assert not m.is_bayesian.all()
    assert clf.score(X, y) > 0.5


def test_seventeen_classes():
    rng = np.random.default_rng(0)
    y = np.arange(170) % 17
    X = np.eye(17)[y] + rng.normal(0, 0.3, (170, 17))
    one_fold = [(np.arange(85), np.arange(85, 170))]
    options = {"calibrator": BinningCalibrator(n_bins=2), "code": "all_pairs", "cv": one_fold}
    with pytest.raises(ValueError, match=r"17 classes are too many .*='plausibility'"):
        classifier(**options).fit(X, y)
    clf = classifier(probability="plausibility", **options).fit(X, y)
    np.testing.assert_allclose(clf.predict_proba(X).sum(axis=1), 1)
    assert clf.score(X, y) > 0.2  # chance is 0.06
    with pytest.raises(ValueError, match=r"17 classes have more than 2\^16 sets"):
        clf.predict_interval(X)
    certain = {**options, "calibrator": BinningCalibrator(n_bins=2, model="laplace")}
    bayesian = classifier(**certain, probability="plausibility").fit(X, y)
    m = bayesian.predict_mass(X[:5])
    assert m.is_bayesian.all()
    np.testing.assert_allclose(bayesian.predict_interval(X[:5])[..., 0], m.contour(), atol=1e-12)
    coupled = classifier(coupling="wu_lin_weng", **options).fit(X, y)
    assert coupled.predict_mass(X[:5]).is_bayesian.all()
    assert coupled.predict_interval(X[:5]).shape == (5, 17, 2)
    assert coupled.score(X, y) > 0.2


@each(
    ("options", "message"),
    [
        ({"code": "all_pairs", "coupling": "normalize"}, "defined for code='one_vs_rest' only"),
        ({"coupling": "wu_lin_weng"}, "'wu_lin_weng' is defined for code='all_pairs' only"),
        ({"coupling": "pairwise_belief"}, "defined for code='all_pairs' only"),
        ({"code": [[1], [-1]]}, "code has 2 rows, but there are 4 classes"),
        ({"code": [[1, 1], [-1, 0], [0, -1], [0, 0]]}, "row 3 of the code is 0"),
        (
            {"estimator": FrozenEstimator(GaussianNB().fit(*four_classes())), "code": "all_pairs"},
            "frozen classifier has one score for each class",
        ),
    ],
)
def test_codes_and_couplings_that_do_not_fit(options, message):
    with pytest.raises(ValueError, match=message):
        classifier(**options).fit(*four_classes())


def test_support_vector_machines_have_good_probabilities():
    svm = make_pipeline(StandardScaler(), SVC())
    options = {"code": "all_pairs", "coupling": "wu_lin_weng", "ensemble": False, "cv": 5}
    clf = classifier(svm, calibrator=LogisticCalibrator(model="bayesian"), **options)
    clf.fit(WINE[::2], WINE_Y[::2])
    p = clf.predict_proba(WINE[1::2])[np.arange(len(WINE) // 2), WINE_Y[1::2]]
    assert -np.log(p).mean() < 0.2  # of chance it is 1.1


@each("ensemble", [True, False])
@each(
    "calibrator",
    [
        SoftmaxCalibrator(),
        SoftmaxCalibrator(transform="log"),
        DirichletCalibrator(smallest_factor=1),
    ],
    ids=["scores", "logarithms", "probabilities"],
)
def test_a_calibrator_of_all_classes(calibrator, ensemble):
    X, y = four_classes()
    clf = classifier(calibrator=calibrator, ensemble=ensemble).fit(X, y)
    train, test = next(StratifiedKFold(3).split(X, y))
    if ensemble:
        base = GaussianNB().fit(X[train], y[train])
        p = base.predict_proba(X)
        scores = log_odds(p) if calibrator.get_params().get("transform", 0) is None else p
        expected = clone(calibrator).fit(scores[test], y[test])
        (fold, *_) = clf.calibrated_classifiers_
        np.testing.assert_allclose(fold.beliefs(X).betp(), expected.predict_proba(scores))
        np.testing.assert_allclose(fold.beliefs(X).interval(), expected.predict_interval(scores))
    m, probability = clf.predict_mass(X), clf.predict_proba(X)
    np.testing.assert_allclose(probability, betp(m), atol=1e-12)
    np.testing.assert_allclose(clf.predict_interval(X)[..., 1], m.contour(), atol=1e-12)
    assert clf.score(X, y) > 0.5


def test_an_evidential_calibrator_of_all_classes():
    X, y = IRIS[:, 2:], IRIS_Y
    folds = [(np.arange(0, 150, 2), np.arange(1, 150, 2))]
    options = {"calibrator": MultinomialLogisticCalibrator(), "cv": folds}
    clf = classifier(**options).fit(X, y)
    new = X[::30]
    m = clf.predict_mass(new)
    assert not m.is_bayesian.any()
    np.testing.assert_allclose(clf.predict_proba(new), betp(m), atol=1e-9)
    np.testing.assert_allclose(clf.predict_interval(new)[..., 1], m.contour(), atol=1e-9)
    relative = classifier(probability="plausibility", **options).fit(X, y)
    expected = m.contour() / m.contour().sum(axis=1, keepdims=True)
    np.testing.assert_allclose(relative.predict_proba(new), expected, atol=1e-9)


@pytest.mark.parametrize("calibrator", [SoftmaxCalibrator(), DirichletCalibrator(factor=1)])
def test_a_calibrator_of_all_classes_takes_two(calibrator):
    X, y = WINE[WINE_Y < 2], np.array(["b", "a"])[WINE_Y[WINE_Y < 2]]
    clf = classifier(calibrator=calibrator).fit(X, y)
    assert clf.predict_interval(X).shape == (len(X), 2)
    assert clf.score(X, y) > 0.9


def test_a_calibrator_of_all_classes_takes_no_code_and_may_need_probabilities():
    X, y = four_classes()
    for options in ({"code": "all_pairs"}, {"coupling": "normalize"}):
        with pytest.raises(ValueError, match="SoftmaxCalibrator calibrates all classes together"):
            classifier(calibrator=SoftmaxCalibrator(), **options).fit(X, y)
    with pytest.raises(TypeError, match="SVC has no predict_proba, but the calibrator reads"):
        classifier(SVC(), calibrator=DirichletCalibrator(smallest_factor=1)).fit(X, y)
