"""Saved calibrators: plain data, and every damage is named."""

import copy
import json
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB

from evical import EvidentialClassifier
from evical.calibrators import (
    BaseCalibrator,
    BetaCalibrator,
    BinningCalibrator,
    IsotonicCalibrator,
    LogisticCalibrator,
)
from tests.support.each import each


@pytest.fixture
def data():
    """A saved binning calibrator, with its counts."""
    calibrator = BinningCalibrator(n_bins=2, model="dempster").fit([0.0, 0.25, 1.0], [0, 1, 1])
    return calibrator.to_dict(include_counts=True)


def test_format(data):
    assert data == {
        "format": "evical.calibrator",
        "version": 1,
        "class": "BinningCalibrator",
        "parameters": {
            "n_bins": 2,
            "strategy": "uniform",
            "model": "dempster",
            "confidence": 0.95,
            "transform": None,
        },
        "scale": {"kind": "identity", "knots": [], "levels": []},
        "classes": [0, 1],
        "state": {
            "edges_": [0.0, 0.5, 1.0],
            "positive_": [1.0, 1.0],
            "total_": [2.0, 1.0],
            "masses_": [[1 / 3, 0.5], [1 / 3, 0.0]],
        },
        "counts": [[0.0, 0.25, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 1.0]],
    }


def plain(value):
    """Whether a value consists of JSON's own kinds only."""
    if isinstance(value, dict):
        return all(type(key) is str and plain(item) for key, item in value.items())
    if isinstance(value, list):
        return all(map(plain, value))
    return type(value) in (str, int, float, bool, type(None))


@each(
    "calibrator",
    [
        BinningCalibrator(n_bins=np.array([0, 1, 2])),
        BinningCalibrator(n_bins=(np.float64(0), np.int64(1))),
        BinningCalibrator(n_bins=np.int32(3), confidence=np.float32(0.5), model="confidence"),
        IsotonicCalibrator(envelope=np.bool_(True)),
        LogisticCalibrator(),
    ],
    ids=repr,
)
@each("labels", [["a", "b"], np.array([3, 4], dtype=np.int8), [False, True]])
def test_data_is_plain(calibrator, labels):
    saved = calibrator.fit([0.0, 1.0], labels).to_dict(include_counts=True)
    assert plain(saved)
    again = BaseCalibrator.from_dict(json.loads(json.dumps(saved)))
    assert again.classes_.tolist() == list(labels)
    np.testing.assert_array_equal(
        again.predict_mass([0.5, 2]).masses, calibrator.predict_mass([0.5, 2]).masses
    )


def test_the_data_is_a_copy(data):
    calibrator = BaseCalibrator.from_dict(data)
    before = calibrator.predict_proba([0.1])
    data["state"]["masses_"][0][0] = 9.0
    data["classes"][0] = 7
    np.testing.assert_array_equal(calibrator.predict_proba([0.1]), before)
    assert calibrator.classes_.tolist() == [0, 1]


def change(*path, to):
    def changed(data):
        spoiled = copy.deepcopy(data)
        place = spoiled
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = to
        return spoiled

    return changed


def drop(*path):
    def dropped(data):
        spoiled = copy.deepcopy(data)
        place = spoiled
        for key in path[:-1]:
            place = place[key]
        del place[path[-1]]
        return spoiled

    return dropped


DAMAGES = [
    (lambda data: None, "this is not a saved calibrator"),
    (lambda data: [data], "this is not a saved calibrator"),
    (lambda data: {}, "this is not a saved calibrator"),
    (change("format", to="other"), "its format is not 'evical.calibrator'"),
    (change("version", to=2), "has version 2, but this release reads version 1"),
    (drop("version"), "has version None"),
    (change("class", to="os.system"), "is a 'os.system', expected .*BinningCalibrator"),
    (change("class", to="BaseCalibrator"), "is a 'BaseCalibrator', expected"),
    (drop("classes"), "damaged: classes missing"),
    (drop("parameters"), "damaged: parameters missing"),
    (change("classes", to=[1]), r"classes are \[1\], not two"),
    (change("classes", to=3), "classes are 3, not two"),
    (change("parameters", to=[1]), r"parameters are \[1\], not a dict"),
    (change("parameters", "code", to="x"), "damaged: code is not a parameter"),
    (change("parameters", "model", to="best"), "model is 'best'"),
    (change("parameters", "n_bins", to=-1), "n_bins is -1"),
    (change("state", to=None), "state are None, not a dict"),
    (drop("state", "edges_"), "state edges_ missing"),
    (change("state", "edges_", to="x"), "state edges_ is 'x'"),
    (change("state", "edges_", to=[0, None]), "state edges_ is"),
    (change("state", "edges_", to=[[0], [1, 2]]), "state edges_ is"),
    (change("state", "masses_", to=[[0.5, float("nan")], [0, 0]]), "state masses_ is not finite"),
    (change("state", "edges_", to=[]), r"edges_ has shape \(0,\), but the rest calls for \(2,\)"),
    (change("state", "edges_", to=[[0.0, 0.5, 1.0]]), r"edges_ has shape \(1, 3\)"),
    (change("state", "edges_", to=[0.0, 1.0]), r"positive_ has shape \(2,\), .* calls for \(1,\)"),
    (change("state", "masses_", to=[[0.5], [0.5]]), r"masses_ has shape \(2, 1\)"),
    (change("state", "edges_", to=[0.0, 2.0, 1.0]), "edges_ is not in ascending order"),
    (change("state", "masses_", to=[[0.5, 0.5], [0.4, 0.6]]), "masses_ are not masses"),
    (change("state", "masses_", to=[[0.5, -0.5], [0.4, 0.6]]), "masses_ are not masses"),
    (change("counts", to=[[1], [1]]), "counts are not three columns of one length"),
    (change("counts", to=[[1], [1], [1, 2]]), "counts are not three columns of one length"),
    (change("counts", to=[["x"], [1], [1]]), "state counts is"),
    (change("counts", to=[[0.5], [0], [0]]), "counts hold a score without weight"),
]


@each(("damage", "message"), DAMAGES, ids=[m for _, m in DAMAGES])
def test_damage_is_named(data, damage, message):
    with pytest.raises(ValueError, match=message):
        BaseCalibrator.from_dict(damage(data))


def test_damaged_logistic_state():
    data = LogisticCalibrator().fit([0.0, 1.0, 2.0], [0, 1, 1]).to_dict()
    for damage in (
        drop("state", "sigmoid", "beta0"),
        change("state", "sigmoid", "extra", to=1.0),
        change("state", "sigmoid", to=[1.0]),
        change("state", "profile", to=None),
        change("state", "profile", to={}),
        change("state", "sigmoid", "covariance", to=[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]),
        change("state", "sigmoid", "beta0", to=[1.0, 2.0]),
        change("state", "profile", "unit", to=[1.0]),
        change("state", "profile", "limit", to={}),
        change("state", "profile", "weights", to=[1.0]),
        change("state", "profile", "edges", to=[0.0, 1.0]),
        change("state", "profile", "coefficients", to=[1.0]),
        change("parameters", "model", to="bayesian"),
    ):
        with pytest.raises(ValueError, match="damaged"):
            BaseCalibrator.from_dict(damage(data))


def test_damaged_isotonic_state():
    data = IsotonicCalibrator().fit([0.0, 1.0, 2.0], [0, 1, 1]).to_dict()
    for name, value in [
        ("thresholds_", 0.5),
        ("thresholds_", [0.5, 0.7]),
        ("masses_", [[0.0, 0.5, 0.5], [0.5, 0.0, 0.0]]),
        ("masses_", [[0.0, 1.5], [0.5, 0.0]]),
        ("total_", [[1.0, 2.0]]),
    ]:
        with pytest.raises(ValueError, match="damaged"):
            BaseCalibrator.from_dict(change("state", name, to=value)(data))


def test_a_calibrator_of_a_single_score_is_restored():
    for calibrator in (BinningCalibrator(), IsotonicCalibrator(), LogisticCalibrator()):
        saved = calibrator.fit([1.0, 1.0], [0, 1]).to_dict()
        again = BaseCalibrator.from_dict(saved)
        np.testing.assert_array_equal(
            again.predict_interval([0.5, 1, 2]), calibrator.predict_interval([0.5, 1, 2])
        )


def large_sample():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=20_000)
    return scores, (scores + rng.normal(size=20_000) > 0).astype(int)


@pytest.mark.parametrize(
    "calibrator", [LogisticCalibrator(), BetaCalibrator(), IsotonicCalibrator()], ids=str
)
def test_pickles_leave_the_training_sample_out(calibrator):
    scores, y = large_sample()
    fitted = clone(calibrator).fit(scores, y)
    text = pickle.dumps(fitted)
    assert len(text) < 30_000
    loaded = pickle.loads(text)
    np.testing.assert_array_equal(
        loaded.predict_interval(scores[:9]), fitted.predict_interval(scores[:9])
    )
    with pytest.raises(ValueError, match=r"to_dict\(include_counts=True\) to continue learning"):
        loaded.partial_fit([0.5], [1])
    assert len(fitted.counts_) == 20_000  # pickling leaves it as it was


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_copies_can_go_on_learning(copied):
    fitted = LogisticCalibrator().fit([1.0, 2.0, 3.0, 4.0], [0, 1, 0, 1])
    other = copied(fitted)
    other.partial_fit([5.0], [1])
    whole = LogisticCalibrator().fit([1.0, 2.0, 3.0, 4.0, 5.0], [0, 1, 0, 1, 1])
    np.testing.assert_array_equal(other.predict_interval([2.5]), whole.predict_interval([2.5]))
    assert len(fitted.counts_) == 4


def test_pickles_of_classifiers_leave_the_training_sample_out():
    X, y = make_classification(5000, random_state=0)
    fitted = EvidentialClassifier(GaussianNB(), calibrator=LogisticCalibrator()).fit(X, y)
    text = pickle.dumps(fitted)
    assert len(text) < 60_000
    loaded = pickle.loads(text)
    np.testing.assert_array_equal(loaded.predict_interval(X[:9]), fitted.predict_interval(X[:9]))
    parallel = clone(fitted).set_params(n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(parallel.predict_interval(X[:9]), fitted.predict_interval(X[:9]))
