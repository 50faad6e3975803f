"""Every calibrator of the table as a value that is saved, and as a scikit-learn estimator."""

import copy
import json
import pickle

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted, validate_data

from evical.calibrators import BaseCalibrator
from tests.protocols.calibrators_table import (
    CALIBRATORS,
    PROBES,
    every,
    fitted,
    masses,
    once_a_class,
    samples,
)
from tests.support.contract import check_contract


@once_a_class
def test_nothing_is_mutated(entry):
    arrays = [*samples(), np.ones(60), PROBES.copy()]
    before = [array.copy() for array in arrays]
    for array in arrays:
        array.flags.writeable = False
    calibrator = entry()
    parameters = copy.deepcopy(calibrator.get_params())
    calibrator.fit(*arrays[:2], sample_weight=arrays[2]).predict_mass(arrays[3])
    assert calibrator.get_params() == parameters
    for array, old in zip(arrays, before, strict=True):
        np.testing.assert_array_equal(array, old)


@every
@pytest.mark.filterwarnings("ignore:scores look reversed")  # on purpose
def test_fit_forgets_what_was_before(entry):
    scores, y = samples()
    calibrator = entry().fit(-scores, y).fit(scores, y)
    np.testing.assert_array_equal(masses(calibrator), masses(fitted(entry)))


@every
def test_clone_pickle_and_copy(entry):
    calibrator = fitted(entry)
    with pytest.raises(NotFittedError):
        clone(calibrator).predict_mass(PROBES)
    for other in (pickle.loads(pickle.dumps(calibrator)), copy.deepcopy(calibrator)):
        np.testing.assert_array_equal(masses(other), masses(calibrator))
        assert other.get_params() == calibrator.get_params()


LABELS = [[0, 1], ["no", "yes"], [False, True], [-1.0, 2.0]]


@every
def test_json_round_trip_is_exact(entry):
    """Labels are the base class's: each entry takes one kind of them, in turn."""
    scores, y = samples()
    labels = LABELS[CALIBRATORS.index(entry) % len(LABELS)]
    calibrator = entry().fit(scores, np.array(labels)[y])
    for include_counts in (False, True):
        text = json.dumps(calibrator.to_dict(include_counts=include_counts), allow_nan=False)
        for reader in (BaseCalibrator, type(calibrator)):
            again = reader.from_dict(json.loads(text))
            assert type(again) is type(calibrator)
            check_is_fitted(again)
            np.testing.assert_array_equal(masses(again), masses(calibrator))
            np.testing.assert_array_equal(again.predict(PROBES), calibrator.predict(PROBES))
            assert json.dumps(again.to_dict(include_counts=include_counts)) == text


@once_a_class
def test_a_saved_calibrator_goes_on_learning_if_it_has_its_counts(entry):
    scores, y = samples()
    first = entry().fit(scores[:30], y[:30])
    again = BaseCalibrator.from_dict(json.loads(json.dumps(first.to_dict(include_counts=True))))
    again.partial_fit(scores[30:], y[30:])
    wanted = masses(fitted(entry))
    np.testing.assert_allclose(masses(again), wanted, rtol=0, atol=entry.atol)
    bare = BaseCalibrator.from_dict(first.to_dict())
    with pytest.raises(ValueError, match=r"to_dict\(include_counts=True\)"):
        bare.partial_fit(scores[30:], y[30:])


@every
def test_another_kind_of_calibrator_is_refused(entry):
    data = fitted(entry).to_dict()
    (other, *_) = (c for c in BaseCalibrator.__subclasses__() if c.__name__ != entry.name)
    with pytest.raises(ValueError, match=f"saved calibrator is a '{entry.name}', expected"):
        other.from_dict(data)


# ---- scikit-learn


class FirstColumn(ClassifierMixin, BaseEstimator):
    """A calibrator of the first column, so that the checks for tables apply to it."""

    def __init__(self, calibrator=None):
        self.calibrator = calibrator

    def fit(self, X, y, sample_weight=None):
        """Pass the first column on."""
        X = validate_data(self, X)
        self.calibrator_ = clone(self.calibrator).fit(X[:, 0], y, sample_weight)
        self.classes_ = self.calibrator_.classes_
        return self

    def predict_proba(self, X):
        """Probabilities of the first column."""
        check_is_fitted(self)
        return self.calibrator_.predict_proba(validate_data(self, X, reset=False)[:, 0])

    def predict(self, X):
        """Labels of the first column."""
        check_is_fitted(self)
        return self.calibrator_.predict(validate_data(self, X, reset=False)[:, 0])

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        # Whatever the other columns hold, one column cannot be as accurate as asked for.
        tags.classifier_tags.poor_score = True
        return tags


# One of each kind: what these checks try does not depend on the options.
once = pytest.mark.parametrize(
    "entry", {entry.name: entry for entry in CALIBRATORS}.values(), ids=lambda entry: entry.name
)

# Of models whose class has one without belief, that one, as the quickest.
quickest = sorted(CALIBRATORS, key=lambda entry: entry.options.get("model") == "bayesian")


@pytest.mark.parametrize(
    "entry", {entry.name: entry for entry in quickest}.values(), ids=lambda entry: entry.name
)
def test_scikit_learn_checks_on_tables(entry):
    check_contract(FirstColumn(entry()))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")  # most are for tables
@once
def test_scikit_learn_checks(entry):
    check_contract(entry())
