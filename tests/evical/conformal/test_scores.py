"""`ConformalScores`: the beliefs of `ConformalClassifier`, from values alone; saved and read."""

import copy
import json

import numpy as np
import pytest
from sklearn.svm import LinearSVC

from evical.conformal import ConformalClassifier, ConformalScores, p_values
from evical.conformal.nonconformity import SCORES, raps_scores
from tests.evical.conformal.samples import X2, X3, Y2, Y3, frozen, own
from tests.naive import conformal as naive
from tests.support.each import each

VALUES = np.array([[0.5, 0.3, 0.2], [0.1, 0.6, 0.3], [0.2, 0.2, 0.6], [0.7, 0.2, 0.1]])
LABELS = np.array(["a", "b", "c", "b"])

both_data = each(("X", "y"), [(X2, Y2), (X3, Y3)], ids=["two", "three"])
both_promises = each("conditional", [None, "class"])
each_score = each("nonconformity", SCORES)


def assert_same(scores, values, clf, X):
    np.testing.assert_array_equal(scores.predict_p(values), clf.predict_p(X))
    np.testing.assert_array_equal(scores.predict_contour(values), clf.predict_contour(X))
    np.testing.assert_array_equal(scores.predict_proba(values), clf.predict_proba(X))
    np.testing.assert_array_equal(scores.predict(values), clf.predict(X))
    assert scores.predict_mass(values).equals(clf.predict_mass(X), 0)
    found = scores.predict_interval(values)
    expected = clf.predict_interval(X)
    np.testing.assert_array_equal(found[:, 1] if found.shape[1] == 2 else found, expected)
    for alpha in (0.1, 0.3):
        np.testing.assert_array_equal(
            scores.predict_set(values, alpha), clf.predict_set(X, alpha=alpha)
        )
    assert scores.n_calibration == clf.n_calibration_


@each_score
@both_promises
@both_data
def test_it_is_the_classifier_without_the_classifier(X, y, nonconformity, conditional):
    options = {"nonconformity": nonconformity, "conditional": conditional}
    clf, fitted = frozen(X, y, **options)
    values = fitted.predict_proba(X)
    scores = ConformalScores.from_samples(values[1::2], y[1::2], **options)
    assert_same(scores, values, clf, X)


def test_one_decision_value_of_two_classes():
    svm = LinearSVC().fit(X2[::2], Y2[::2])
    clf, _ = frozen(X2, Y2)
    clf = ConformalClassifier(clf.estimator.__class__(svm), nonconformity="margin")
    clf.fit(X2[1::2], Y2[1::2])
    values = svm.decision_function(X2)
    scores = ConformalScores.from_samples(values[1::2], Y2[1::2], nonconformity="margin")
    assert_same(scores, values, clf, X2)
    assert_same(scores, values[:, np.newaxis], clf, X2)


@pytest.mark.parametrize("nonconformity", ["lac", "aps", "raps"])
def test_one_probability_of_two_classes_is_both(nonconformity):
    _, fitted = frozen(X2, Y2)
    p = np.round(fitted.predict_proba(X2)[:, 1], 3)
    one, two = (
        ConformalScores.from_samples(values, Y2, nonconformity=nonconformity)
        for values in (p, np.stack([1 - p, p], axis=1))
    )
    np.testing.assert_array_equal(one.predict_p(p), two.predict_p(np.stack([1 - p, p], axis=1)))


def test_for_probabilities_of_two_classes_lac_and_margin_agree():
    p = np.arange(64) / 64
    values = np.stack([1 - p, p], axis=1)
    y = np.arange(64) % 3 > 0
    lac, margin = (
        ConformalScores.from_samples(values, y, nonconformity=name) for name in ("lac", "margin")
    )
    np.testing.assert_array_equal(lac.predict_p(values), margin.predict_p(values))


@both_promises
def test_p_values_are_those_of_the_definition(conditional):
    rng = np.random.default_rng(0)
    values = rng.integers(0, 9, (30, 3)) / 8  # with ties
    y = rng.integers(0, 3, 30)
    scores = ConformalScores.from_samples(values[:20], y[:20], conditional=conditional)
    found = scores.predict_p(values[20:])
    for row, new in zip(found.tolist(), values[20:].tolist(), strict=True):
        for k, p in enumerate(row):
            rows = [i for i in range(20) if conditional is None or y[i] == k]
            known = [1 - values[i, y[i]] for i in rows]
            assert p == pytest.approx(float(naive.p_value(known, 1 - new[k])), rel=1e-15)


def test_a_weight_counts_as_so_many_samples():
    rng = np.random.default_rng(1)
    values, y, weight = rng.dirichlet([1, 1, 1], 60), rng.integers(0, 3, 60), rng.integers(0, 4, 60)
    for conditional in (None, "class"):
        weighted = ConformalScores.from_samples(
            values, y, sample_weight=weight, conditional=conditional
        )
        repeated = ConformalScores.from_samples(
            values.repeat(weight, axis=0), y.repeat(weight), conditional=conditional
        )
        np.testing.assert_array_equal(weighted.predict_p(values), repeated.predict_p(values))
        assert weighted.n_calibration == repeated.n_calibration


def test_columns_in_any_order_and_classes_without_samples():
    classes = ["z", "c", "a", "b"]
    wide = np.column_stack([np.zeros(4), VALUES[:, 2], VALUES[:, 0], VALUES[:, 1]])
    plain = ConformalScores.from_samples(VALUES, LABELS)
    other = ConformalScores.from_samples(wide, LABELS, classes=classes)
    found = other.predict_p(wide)
    np.testing.assert_array_equal(found[:, [2, 3, 1]], plain.predict_p(VALUES))
    assert other.predict(wide).tolist() == plain.predict(VALUES).tolist()
    by_class = ConformalScores.from_samples(wide, LABELS, classes=classes, conditional="class")
    assert (by_class.predict_p(wide)[:, 0] == 1).all()
    assert by_class.n_calibration == {"z": 0, "c": 1, "a": 1, "b": 2}


@each_score
@both_promises
def test_smoothed_is_the_classifier_too(nonconformity, conditional):
    options = {"nonconformity": nonconformity, "conditional": conditional, "smoothed": True}
    for X, y in ((X2, Y2), (X3, Y3)):
        clf, fitted = frozen(X, y, random_state=3, **options)
        values = fitted.predict_proba(X)
        scores = ConformalScores.from_samples(values[1::2], y[1::2], random_state=3, **options)
        assert_same(scores, values, clf, X)
        read = ConformalScores.from_dict(json.loads(json.dumps(scores.to_dict())))
        assert_same(read, values, clf, X)
        assert "smoothed" in repr(read)
        assert read.smoothed


def test_parts_of_a_table_are_smoothed_like_the_whole():
    values = frozen(X3, Y3)[1].predict_proba(X3).round(1)
    for name in SCORES:
        scores = ConformalScores.from_samples(
            values, Y3, nonconformity=name, smoothed=True, random_state=0
        )
        whole = scores.predict_p(values)
        assert (np.ptp(whole[:20], axis=0) > 0).all(), name  # equal rows, different ties
        for rows in (np.arange(40, 60), np.array([7, 3, 90])):
            part = scores.at_rows(rows).predict_p(values[rows])
            np.testing.assert_array_equal(part, whole[rows], err_msg=name)
    assert scores.at_rows(rows[:0]).predict_p(values[:0]).shape == (0, 3)
    with pytest.raises(ValueError, match="values have 2 rows, but at_rows named 3"):
        scores.at_rows(rows).predict_p(values[:2])
    with pytest.raises(ValueError, match="rows hold -1, expected numbers from 0"):
        scores.at_rows([-1])
    with pytest.raises(TypeError, match=r"rows are \[0.5\], expected whole numbers"):
        scores.at_rows([0.5])


def test_smoothing_needs_no_number_of_samples():
    scores = ConformalScores.from_samples(VALUES, LABELS, smoothed=True)
    assert scores.too_few(0.01) is None
    with pytest.raises(TypeError, match="smoothed is 'yes', expected True or False"):
        ConformalScores.from_samples(VALUES, LABELS, smoothed="yes")


def test_many_classes():
    rng = np.random.default_rng(2)
    k = 300
    values, y = rng.dirichlet(np.full(k, 0.05), 900), rng.integers(0, k, 900)
    scores = ConformalScores.from_samples(values, y, classes=np.arange(k), nonconformity="raps")
    contour = scores.predict_contour(values[:50])
    assert (contour.max(axis=1) == 1).all()
    np.testing.assert_allclose(scores.predict_proba(values[:50]).sum(axis=1), 1)
    read = ConformalScores.from_dict(json.loads(json.dumps(scores.to_dict())))
    np.testing.assert_array_equal(read.predict_contour(values[:50]), contour)


def test_parameters_of_raps():
    plain, other = (
        ConformalScores.from_samples(VALUES, LABELS, nonconformity="raps", parameters=parameters)
        for parameters in (None, {"penalty": 0.5, "n_free": 1})
    )
    assert plain.parameters == {"penalty": 0.01, "n_free": 5}
    assert repr(other) == "ConformalScores(raps, penalty=0.5, n_free=1, 4 samples, 3 classes)"
    new = [[0.34, 0.33, 0.33], [0.9, 0.1, 0.0]]
    calibration = own(raps_scores(VALUES, penalty=0.5, n_free=1), np.array([0, 1, 2, 1]))
    expected = p_values(calibration, raps_scores(new, penalty=0.5, n_free=1))
    np.testing.assert_array_equal(other.predict_p(new), expected)
    assert plain.predict_p(new).tolist() != expected.tolist()


def test_too_few():
    scores = ConformalScores.from_samples(VALUES, LABELS, conditional="class")
    assert scores.too_few(0.5) is None
    assert "with 1 calibration samples of class 'a'" in scores.too_few(0.4)
    with pytest.raises(ValueError, match="alpha is 1"):
        scores.too_few(1)
    with pytest.raises(ValueError, match="alpha is 0"):
        scores.predict_set(VALUES, 0)


WRONG = [
    (
        {"values": VALUES + 0.5},
        r"\[1, 1\] is 1.1 \(3 such values\), expected a probability, in \[0, 1\], for 'lac'",
    ),
    ({"values": -VALUES, "nonconformity": "aps"}, "expected a probability, in .0, 1., for 'aps'"),
    ({"values": np.where(VALUES > 0.6, np.nan, VALUES)}, r"values\[3, .\] is nan"),
    ({"values": np.inf * VALUES, "nonconformity": "margin"}, "expected a finite number"),
    (
        {"values": 1e308 * (VALUES - 0.5) * 3, "nonconformity": "margin"},
        "expected a number whose margin is finite",
    ),
    ({"values": VALUES[:3]}, "values have 3 rows, but there are 4 labels"),
    ({"values": VALUES[:, :2]}, r"shape \(4, 2\), expected \(n, 3\), a column for each class"),
    ({"values": VALUES[:, 0]}, "values are one score, but there are 3 classes, not two"),
    ({"values": VALUES[np.newaxis]}, r"expected \(n, 3\)"),
    ({"y": ["a"] * 4}, "y has one class only .all 'a'.; name all columns with classes"),
    ({"y": ["a", "b", None, "b"]}, r"y\[2\] is None"),
    ({"classes": ["a", "b", "d"]}, r"y\[2\] is 'c', none of the classes"),
    ({"classes": ["a", "b", "b"]}, "two or more different labels"),
    ({"nonconformity": "lacs"}, "nonconformity"),
    ({"conditional": "classes"}, "conditional"),
    ({"parameters": {"penalty": 1}}, "'lac' has no parameter 'penalty'; it has none"),
    ({"nonconformity": "raps", "parameters": {"penalty": -1}}, "penalty is -1"),
    ({"nonconformity": "raps", "parameters": {"free": 1}}, "parameters: penalty, n_free"),
    ({"sample_weight": [0, 0, 0, 0]}, "all weights are zero"),
    ({"sample_weight": [1, -1, 0, 0]}, r"sample_weight\[1\] is -1"),
]


@each(("wrong", "message"), WRONG)
def test_what_is_wrong_is_named(wrong, message):
    with pytest.raises(ValueError, match=message):
        ConformalScores.from_samples(**({"values": VALUES, "y": LABELS} | wrong))


@each_score
@both_promises
@each("weight", [None, [1, 2.5, 0, 0.1]])
def test_what_was_saved_is_read(nonconformity, conditional, weight):
    scores = ConformalScores.from_samples(
        VALUES, LABELS, nonconformity=nonconformity, conditional=conditional, sample_weight=weight
    )
    read = ConformalScores.from_dict(json.loads(json.dumps(scores.to_dict(), allow_nan=False)))
    assert read.to_dict() == scores.to_dict()
    assert repr(read) == repr(scores)
    for new in (VALUES, np.eye(3)):
        np.testing.assert_array_equal(read.predict_p(new), scores.predict_p(new))


@pytest.mark.parametrize("labels", [[True, False, True, False], [3, -1, 3, -1], ["x", "y"] * 2])
def test_classes_of_any_kind(labels):
    scores = ConformalScores.from_samples(VALUES[:, 0], labels)
    read = ConformalScores.from_dict(json.loads(json.dumps(scores.to_dict())))
    assert read.predict(VALUES[:, 0]).tolist() == scores.predict(VALUES[:, 0]).tolist()
    assert read.classes_.dtype == scores.classes_.dtype


def changed(place, value):
    weight = [1, 2, 0.5, 0.25]
    scores = ConformalScores.from_samples(
        VALUES, LABELS, nonconformity="raps", sample_weight=weight
    )
    data = copy.deepcopy(scores.to_dict())
    owner = data
    for key in place[:-1]:
        owner = owner[key]
    if value is KeyError:
        del owner[place[-1]]
    else:
        owner[place[-1]] = value
    return data


SAMPLE = ("samples", 0)
DAMAGE = [
    (("format",), "evical.calibrator", "these are not saved conformal scores"),
    (("version",), 3, "have version 3, but this release reads versions up to 2"),
    (("seed",), "x", "damaged: seed is 'x'"),
    (("seed",), -1, "damaged: seed is -1"),
    (("samples",), KeyError, "damaged: samples missing"),
    (("classes",), ["a"], "damaged: classes are"),
    (("classes",), ["a", "a", "b"], "damaged: classes are"),
    (("classes",), ["a", 1], "damaged: classes are"),
    (("nonconformity",), "x", "damaged: nonconformity"),
    (("nonconformity",), "aps", "damaged: nonconformity 'aps' has no parameter"),
    (("nonconformity",), [], "damaged: "),
    (("conditional",), "x", "damaged: conditional"),
    (("conditional",), "class", "damaged: samples are not a list of 3"),
    (("parameters",), [], "damaged: parameters are"),
    (("parameters", "penalty"), -1, "damaged: penalty is -1"),
    (("parameters", "penalty"), "x", "damaged: "),
    (("parameters", "n_free"), KeyError, "damaged: parameters lack n_free"),
    (("samples",), {}, "damaged: samples are not a list of 1"),
    (("samples",), [{"scores": [], "weight_from": None}], "damaged: samples hold no score"),
    (SAMPLE, [], "damaged: a sample is not one of scores and weight_from"),
    ((*SAMPLE, "scores"), 1, "damaged: scores are not a list"),
    ((*SAMPLE, "scores"), [[0.1]], "damaged: scores are not a list"),
    ((*SAMPLE, "scores"), [0.1, 0.2, 0.3, "x"], "damaged: state scores is"),
    ((*SAMPLE, "scores", 0), 9.0, "damaged: scores are not in ascending order"),
    ((*SAMPLE, "scores"), [0.1], "weight_from has 5 numbers for 1 scores"),
    ((*SAMPLE, "weight_from", 4), 0.1, "does not fall from a weight to 0"),
    ((*SAMPLE, "weight_from", 1), 9.0, "does not fall from a weight to 0"),
    ((*SAMPLE, "weight_from", 0), 1e300, "does not fall from a weight to 0"),
    ((*SAMPLE, "weight_from", 3), 0.0, "does not fall from a weight to 0"),
]


@each(("place", "value", "message"), DAMAGE)
def test_damage_is_named(place, value, message):
    with pytest.raises(ValueError, match=message):
        ConformalScores.from_dict(changed(place, value))


def test_the_undamaged_is_read():
    assert ConformalScores.from_dict(changed(("version",), 1)).predict(VALUES).shape == (4,)


@pytest.mark.parametrize("data", [None, [], "x", {}])
def test_something_else_is_refused(data):
    with pytest.raises(ValueError, match="these are not saved conformal scores"):
        ConformalScores.from_dict(data)
