"""What every multiclass calibrator of the table predicts, accepts, keeps and refuses."""

import copy
import json
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.neural_network import MLPClassifier
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    check_is_fitted,
    has_fit_parameter,
    validate_data,
)

from dstheory import Frame, MassFunction
from dstheory.transform import betp
from evical import multiclass
from evical.multiclass import BaseMulticlassCalibrator
from tests.protocols.multiclass_table import MULTICLASS, K, every, fitted
from tests.support.contract import check_contract
from tests.support.each import each

WEIGHT = "sample_weight"
METHODS = ("predict_mass", "predict_interval", "predict_proba", "predict")


def test_the_table_is_complete():
    classes = {name for name in multiclass.__all__ if name.endswith("Calibrator")}
    assert {entry.name for entry in MULTICLASS} | {"BaseMulticlassCalibrator"} == classes


# ---- what is predicted


@every
def test_predictions_belong_together(entry):
    calibrator = fitted(entry)
    m = calibrator.predict_mass(entry.probes)
    assert m.batch_shape == (len(entry.probes),)
    assert m.frame == Frame(calibrator.classes_)
    assert MassFunction(m.frame, m.focal, m.masses) == m  # a valid one
    assert m.is_normalized.all()
    interval = calibrator.predict_interval(entry.probes)
    assert interval.shape == (len(entry.probes), K, 2)
    for k in range(K):
        np.testing.assert_allclose(interval[:, k], np.stack([m.bel(k), m.pl(k)], 1), atol=1e-14)
    proba = calibrator.predict_proba(entry.probes)
    if getattr(calibrator, "model", None) != "confidence":  # whose estimate is in the interval
        np.testing.assert_allclose(proba, betp(m), atol=1e-14)
    np.testing.assert_allclose(proba.sum(axis=1), 1, rtol=1e-14)
    np.testing.assert_array_equal(calibrator.predict(entry.probes), proba.argmax(axis=1))
    assert (interval[..., 0] <= proba + 1e-15).all()
    assert (proba <= interval[..., 1] + 1e-15).all()
    widths = interval[..., 1] - interval[..., 0]
    assert (widths.max() > 0.01) == entry.evidential


@every
def test_each_row_of_a_batch_is_its_single_prediction(entry):
    calibrator = fitted(entry)
    together = calibrator.predict_interval(entry.probes)
    for row in (0, 5):
        alone = calibrator.predict_interval(entry.probes[row : row + 1])[0]
        np.testing.assert_allclose(alone, together[row], rtol=0, atol=1e-9)


@every
def test_more_score_for_a_class_is_learned(entry):
    scores, y = entry.samples(200)
    calibrator = entry().fit(scores, y)
    assert (calibrator.predict(scores[:40]) == y[:40]).mean() > 0.6


KINDS_OF_LABELS = [["a", "b", "c"], [-1, 2, 7], [-1.0, 2.0, 7.0]]


@every
def test_labels_of_any_kind(entry):
    """Labels are the base class's: each entry takes one kind of them, in turn."""
    scores, y = entry.samples()
    labels = np.array(KINDS_OF_LABELS[MULTICLASS.index(entry) % len(KINDS_OF_LABELS)])
    plain = fitted(entry)
    named = entry().fit(scores, labels[y])
    np.testing.assert_array_equal(named.classes_, labels)
    np.testing.assert_array_equal(
        named.predict_proba(entry.probes), plain.predict_proba(entry.probes)
    )
    np.testing.assert_array_equal(named.predict(entry.probes), labels[plain.predict(entry.probes)])
    assert named.predict_mass(entry.probes[:1]).frame.labels == tuple(labels.tolist())


@every
def test_far_away_and_extreme_scores(entry):
    far = np.array([[1e9, 0, 0], [-1e9, 0, 1e9], [1e30, 1e30, -1e30]])
    if entry.scores != "margins":
        far = np.array([[1.0, 0, 0], [0, 0, 1.0], [0, 0, 0]])
    calibrator = fitted(entry)
    interval = calibrator.predict_interval(far)
    assert ((interval >= 0) & (interval <= 1)).all()
    np.testing.assert_allclose(calibrator.predict_proba(far).sum(axis=1), 1)


@pytest.mark.filterwarnings("ignore:DirichletCalibrator lost information")  # it did
@every
def test_separable_and_constant_scores(entry):
    separable = entry.read(8 * np.eye(K)[np.arange(12) % K])
    calibrator = entry().fit(separable, np.arange(12) % K)
    np.testing.assert_array_equal(calibrator.predict(separable[:K]), np.arange(K))
    constant = entry.read(np.zeros((12, K)))
    proba = entry().fit(constant, np.arange(12) % K).predict_proba(constant[:1])
    np.testing.assert_allclose(proba, 1 / K, atol=max(entry.atol, 1e-6))


# ---- what is accepted


@every
def test_kinds_of_input_and_nothing_is_mutated(entry):
    scores, y = entry.samples()
    wanted = fitted(entry).predict_proba(entry.probes)
    for array in (scores, y):
        array.flags.writeable = False
    kinds = (np.asfortranarray, pd.DataFrame, lambda a: a.tolist())
    convert = kinds[MULTICLASS.index(entry) % 3]  # in turn
    got = entry().fit(convert(scores), pd.Series(y)).predict_proba(convert(entry.probes))
    np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-12)


@every
def test_weights_are_repetitions(entry):
    if entry.name == "ShallowNetCalibrator" and not has_fit_parameter(MLPClassifier, WEIGHT):
        pytest.skip("networks take weights from scikit-learn 1.7 on")
    scores, y = entry.samples()
    weights = np.random.default_rng(2).integers(0, 3, len(y))
    weighted = entry().fit(scores, y, sample_weight=weights)
    repeated = entry().fit(np.repeat(scores, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_allclose(
        weighted.predict_interval(entry.probes),
        repeated.predict_interval(entry.probes),
        rtol=0,
        atol=entry.atol,
    )


# Columns of two classes are probabilities of them.
ONE_SCORE = [entry for entry in MULTICLASS if entry.scores not in ("columns", "pairs")]


@each("entry", ONE_SCORE, ids=lambda entry: entry.id)
def test_two_classes_may_have_one_score(entry):
    scores, y = entry.samples()
    kept = y < 2
    column = scores[kept, 1] - (scores[kept, 0] if entry.scores == "margins" else 0)
    calibrator = entry().fit(column, y[kept])
    np.testing.assert_array_equal(
        calibrator.predict_proba(column[:5]), calibrator.predict_proba(column[:5, np.newaxis])
    )
    assert (calibrator.predict(column) == y[kept]).mean() > 0.7
    again = BaseMulticlassCalibrator.from_dict(calibrator.to_dict())
    np.testing.assert_array_equal(again.predict_proba(column), calibrator.predict_proba(column))


# ---- what is kept


@every
def test_json_round_trip_is_exact(entry):
    scores, y = entry.samples()
    labels = [[0, 1, 2], ["x", "y", "z"]][MULTICLASS.index(entry) % 2]
    calibrator = entry().fit(scores, np.array(labels)[y])
    text = json.dumps(calibrator.to_dict(), allow_nan=False)
    for reader in (BaseMulticlassCalibrator, type(calibrator)):
        again = reader.from_dict(json.loads(text))
        assert type(again) is type(calibrator)
        check_is_fitted(again)
        np.testing.assert_array_equal(
            again.predict_interval(entry.probes), calibrator.predict_interval(entry.probes)
        )
        np.testing.assert_array_equal(again.predict(entry.probes), calibrator.predict(entry.probes))
        assert json.dumps(again.to_dict()) == text


@every
def test_damage_is_named(entry):
    data = json.loads(json.dumps(fitted(entry).to_dict()))
    (other, *_) = (c for c in BaseMulticlassCalibrator.__subclasses__() if c.__name__ != entry.name)
    with pytest.raises(ValueError, match=f"saved calibrator is a '{entry.name}', expected"):
        other.from_dict(data)
    for spoiled in (
        {**data, "format": "evical.calibrator"},
        {**data, "n_columns": 7},
        {**data, "classes": [0]},
        {**data, "classes": [0, 1, 2, 3]},
        {**data, "state": {}},
        {**data, "parameters": {"strange": 1}},
        {k: v for k, v in data.items() if k != "state"},
    ):
        with pytest.raises(ValueError, match="saved calibrator"):
            BaseMulticlassCalibrator.from_dict(spoiled)


@every
def test_clone_pickle_and_copy(entry):
    calibrator = fitted(entry)
    wanted = calibrator.predict_proba(entry.probes)
    with pytest.raises(NotFittedError):
        clone(calibrator).predict_mass(entry.probes)
    for other in (pickle.loads(pickle.dumps(calibrator)), copy.deepcopy(calibrator)):
        np.testing.assert_array_equal(other.predict_proba(entry.probes), wanted)


# ---- what is refused


def spoiled(array, place, value):
    array = np.array(array, dtype=float)
    array[place] = value
    return array


REFUSED = [
    (lambda s, y: (spoiled(s, (3, 1), np.nan), y, None), r"scores\[3, 1\] is nan"),
    (lambda s, y: (spoiled(s, (4, 0), -np.inf), y, None), r"scores\[4, 0\] is -inf"),
    (lambda s, y: (s, spoiled(y, 8, np.nan), None), r"y\[8\] is nan, expected a label"),
    (lambda s, y: (s, y, spoiled(np.ones(60), 5, -1)), r"sample_weight\[5\] is -1\.0"),
    (lambda s, y: (s, y, np.zeros(60)), "all sample weights are zero"),
    (lambda s, y: (s, y, (y != 1) * 1.0), "class 1 has no sample with positive weight"),
    (lambda s, y: (s[:-1], y, None), "scores has 59 rows, y has 60"),
    (lambda s, y: (s[:0], y[:0], None), "scores are empty"),
    (lambda s, y: (s[:, :2], y, None), r"scores have shape \(60, 2\), but 3 classes"),
    (lambda s, y: (s[y < 2], y[y < 2], None), r"2 classes \[0, 1\] need .* a class has no sample"),
    (lambda s, y: (s, np.full(60, "a"), None), r"y has one class only \(all 'a'\)"),
]


@every
@each(("spoil", "message"), REFUSED)
def test_fit_refuses(entry, spoil, message):
    scores, y, weights = spoil(*entry.samples())
    calibrator = entry()
    with pytest.raises(ValueError, match=message):
        calibrator.fit(scores, y, sample_weight=weights)
    with pytest.raises(NotFittedError):
        calibrator.predict_mass(entry.probes)


@every
def test_predictions_refuse(entry):
    calibrator = fitted(entry)
    for method in METHODS:
        for scores, message in (
            (spoiled(entry.probes, (1, 2), np.nan), r"scores\[1, 2\] is nan"),
            (entry.probes[:, :2], r"scores have shape \(6, 2\), but .* was fitted to 3"),
        ):
            with pytest.raises(ValueError, match=message):
                getattr(calibrator, method)(scores)
        with pytest.raises(TypeError, match=r"scores are .*'a', 'b', 'c'.*, expected real numbers"):
            getattr(calibrator, method)([["a", "b", "c"]])


@every
def test_wrong_parameters_are_refused_in_fit(entry):
    wrong = {
        "parameters": ["all"],
        "off_diagonal_penalty": [-1, "1"],
        "diagonal_penalty": [0, None],
        "rho": [-1, "1"],
        "tau": [float("nan")],
        "smooth": [1],
        "transform": ["rank"],
        "code": ["sparse", [[1, 1, 1]]],
        "combine": ["mean"],
        "trim": [0.5, -0.1],
        "factor": [0, -1.5],
        "smallest_factor": [0, 1.5],
        "n_nets": [0],
        "hidden": [3, (5, 4), (0, 4)],
        "calibrator": ["platt"],
        "coupling": ["sum"],
        "total_conflict": ["ignore"],
        "model": ["best", None],
        "max_size": [0],
    }
    for name in entry().get_params(deep=False):
        for value in wrong.get(name, []):
            with pytest.raises((ValueError, TypeError), match=name):
                entry().set_params(**{name: value}).fit(*entry.samples())


# ---- scikit-learn


class Projected(ClassifierMixin, BaseEstimator):
    """A calibrator of scores from the distances to class means, for the checks of tables."""

    def __init__(self, calibrator=None):
        self.calibrator = calibrator

    def fit(self, X, y, sample_weight=None):
        """Pass scores of nearest means on."""
        X, y = validate_data(self, X, y)
        check_classification_targets(y)
        weight = _check_sample_weight(sample_weight, X)
        X, y, weight = X[weight > 0], y[weight > 0], weight[weight > 0]
        labels = np.unique(y)
        if len(labels) < 2:
            raise ValueError("y has one class only")
        sides = [y == label for label in labels]
        self.means_ = np.stack([np.average(X[s], axis=0, weights=weight[s]) for s in sides])
        self.calibrator_ = clone(self.calibrator).fit(self._scores(X), y, weight)
        self.classes_ = self.calibrator_.classes_
        return self

    def _scores(self, X):
        return -((X[:, np.newaxis] - self.means_) ** 2).sum(axis=2) / X.shape[1]

    def predict_proba(self, X):
        """Probabilities."""
        check_is_fitted(self)
        return self.calibrator_.predict_proba(self._scores(validate_data(self, X, reset=False)))

    def predict(self, X):
        """Labels."""
        check_is_fitted(self)
        return self.calibrator_.predict(self._scores(validate_data(self, X, reset=False)))


def test_parameters_are_stored_as_given():
    for entry in MULTICLASS:
        calibrator = entry()
        for name, value in entry.options.items():
            assert getattr(calibrator, name) is value
        assert (
            clone(calibrator).get_params(deep=False).keys() == calibrator.get_params(False).keys()
        )


@pytest.mark.parametrize("entry", [MULTICLASS[2], MULTICLASS[-1]], ids=lambda entry: entry.id)
def test_scikit_learn_checks(entry):
    check_contract(Projected(entry()))
