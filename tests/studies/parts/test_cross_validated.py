"""Cross-validated calibration: by definition on a toy, each part of a repeat."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit
from sklearn.datasets import make_classification
from sklearn.model_selection import StratifiedKFold

from evical.calibrators import LogisticCalibrator
from evical.datasets import Dataset
from evical.metrics import brier_score, roc_auc
from examples.studies._study import repeat_rng
from examples.studies.parts.calibration_classifiers import TWO_CLASS_LEARNERS
from examples.studies.parts.calibration_condition import Calibration
from examples.studies.parts.classes_validated import (
    CALIBRATIONS,
    CLASS_MEASURES,
    LEARNERS,
    ClassesValidated,
)
from examples.studies.parts.cross_validated import (
    HELD_OUT,
    OF_FOLDS,
    POOLED,
    TRAINING,
    CrossValidated,
    RealSet,
)

PLATT = Calibration.of("Platt", "LogisticCalibrator", model="bayesian")
CONDITION = CrossValidated(
    "toy", RealSet("toy", "toy"), "SVM", (Calibration("none"), PLATT), 2, 500, 2
)
MEASURES = (*OF_FOLDS, *POOLED, "seconds")


def toy(n=80, n_classes=2):
    X, y = make_classification(
        n, 5, n_informative=4, n_redundant=0, n_classes=n_classes, flip_y=0.2, random_state=0
    )
    names = tuple(f"c{k}" for k in range(n_classes))
    return Dataset("toy", X, y, tuple("abcde"), names)


def part(data, rows):
    return replace(data, X=data.X[rows], y=data.y[rows])


def test_a_repeat_is_the_cross_validation_that_it_says():
    data = toy()
    rows = dict(CONDITION.run_repeat({"toy": data}, 1, 7))
    state = int(repeat_rng("toy toy", 1, 7).integers(2**31))
    learn = TWO_CLASS_LEARNERS["linear SVM, squared hinge"]
    found = {TRAINING: [], HELD_OUT: []}
    for train, test in StratifiedKFold(2, shuffle=True, random_state=state).split(data.X, data.y):
        mine = part(data, train)
        score = learn(mine)
        held_out = np.empty(len(train))
        inner = StratifiedKFold(2, shuffle=True, random_state=state)
        for some, rest in inner.split(mine.X, mine.y):
            held_out[rest] = expit(learn(part(mine, some))(mine.X[rest]))
        for source, seen in ((TRAINING, expit(score(mine.X))), (HELD_OUT, held_out)):
            platt = LogisticCalibrator(model="bayesian").fit(seen, mine.y)
            p = platt.predict_proba(expit(score(data.X[test])))[:, 1]
            found[source].append(brier_score(data.y[test], p))
    at = MEASURES.index("brier")
    for source, values in found.items():
        row = rows["toy", "toy", "SVM", source, "Platt"]
        assert row[at] == pytest.approx(np.mean(values))
        assert len(row) == len(MEASURES)
    none = {source: rows["toy", "toy", "SVM", source, "none"][:-1] for source in found}
    assert none[TRAINING] == none[HELD_OUT]


@pytest.mark.parametrize("classifier", ["LR", "NB"])
def test_classifiers_tell_the_classes_apart(classifier):
    condition = replace(CONDITION, classifier=classifier, methods=(Calibration("none"),))
    rows = dict(condition.run_repeat({"toy": toy()}, 0, 0))
    auc = rows["toy", "toy", classifier, TRAINING, "none"][MEASURES.index("auc")]
    assert 0.7 < auc < 1


def test_large_sets_are_drawn_from_in_the_shares_of_their_classes():
    data = toy(300)
    drawn = replace(CONDITION, most=100)._drawn(data, 0)
    assert len(drawn) == 100
    assert abs(drawn.class_counts[1] - data.class_counts[1] / 3) <= 1
    assert CONDITION._drawn(data, 0) is data


def test_one_class_is_told_from_all_others():
    data = toy(60, 3)
    found = RealSet("toy", "toy", "c1").of(data)
    np.testing.assert_array_equal(found.y, data.y == 1)
    assert found.class_names == ("rest", "c1")
    assert RealSet("toy", "toy").of(data) is data


def test_classifiers_share_the_folds_of_a_data_set():
    keys = {replace(CONDITION, classifier=name).key for name in ("LR", "SVM", "NB")}
    assert keys == {"toy-toy-lr", "toy-toy-svm", "toy-toy-nb"}
    data = {"toy": toy()}
    (_, lr), *_ = replace(CONDITION, classifier="LR").run_repeat(data, 0, 0)
    assert lr[:-1] != dict(CONDITION.run_repeat(data, 0, 0))["toy", "toy", "SVM", TRAINING, "none"]


@pytest.fixture(scope="module")
def of_many_classes():
    data = toy(120, 3)
    rare = replace(
        data,
        X=np.vstack([data.X, data.X[:9] + 9]),
        y=np.append(data.y, np.full(9, 3)),
        class_names=(*data.class_names, "rare"),
    )
    condition = ClassesValidated("toy", "toy", "SVM", n_folds=2, n_inner=2)
    return condition, rare, dict(condition.run_repeat({"toy": rare}, 0, 0))


def test_rows_of_many_classes(of_many_classes):
    condition, data, rows = of_many_classes
    assert set(rows) == {
        ("toy", "SVM", source, method)
        for source in (TRAINING, HELD_OUT)
        for method in ("none", *CALIBRATIONS)
    }
    values = np.array([row[:-1] for row in rows.values()])
    assert values.shape[1] == len(CLASS_MEASURES) - 1
    assert (values > 0).all()
    auc, accuracy = values[:, :2].T
    assert (auc > 0.7).all()
    assert (accuracy > 0.5).all()
    drawn = condition._drawn(data, 0)
    assert drawn.class_names == ("c0", "c1", "c2")  # nine of a class are too few
    assert replace(condition, most=60)._drawn(data, 0).class_counts == (20, 21, 19)


@pytest.mark.parametrize("classifier", ["LR", "NB"])
def test_classifiers_of_many_classes(classifier, of_many_classes):
    _, data, _ = of_many_classes
    condition = ClassesValidated("toy", "toy", classifier)
    train = condition._drawn(data, 0)
    p = LEARNERS[classifier](train)(train.X)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert roc_auc(train.y == 1, p[:, 1]) > 0.75
