import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB

from dstheory import Frame, bayesian
from evical import EvidentialClassifier, EvidentialEnsemble, EvidentialFusion, LogisticCalibrator
from evical.conformal import ConformalClassifier
from evical.evaluation import compare
from evical.fusion import Mixture
from evical.learners import EvidentialRBFClassifier, EvidentialRegressor
from evical.multiclass import SoftmaxCalibrator
from evical.scores.checks import (
    check_binary,
    check_labels,
    check_same_length,
    check_scores,
    check_weights,
)
from tests.support.each import each


@each(
    "scores",
    [
        [1, 2],
        (1.0, 2.0),
        [[1], [2]],
        np.array([1, 2], dtype=np.float32),
        np.array([1, 2], dtype=np.uint8),
        np.array([1, 2], dtype=object),
        pd.Series([1, 2], index=["x", "y"]),
        pd.Series([1, 2], dtype="Int64"),
        pd.DataFrame({"s": [1, 2]}),
    ],
    ids=lambda scores: type(scores).__name__,
)
def test_scores_become_one_float_column(scores):
    array = check_scores(scores)
    assert array.dtype == np.float64
    assert array.tolist() == [1, 2]


@each(
    ("scores", "message"),
    [
        ([], "scores are empty; at least one sample is needed"),
        (np.empty((0, 1)), "scores are empty"),
        (1.0, "scores"),
        ([[1, 2]], r"scores have shape \(1, 2\), but a calibrator takes one score a sample"),
        (np.ones((2, 1, 1)), r"scores have shape \(2, 1, 1\)"),
        ([1, np.nan], r"scores\[1\] is nan, expected a finite number"),
        ([np.inf, 1, -np.inf], r"scores\[0\] is inf \(2 such values\), exp"),
        (pd.Series([1, None], dtype="Int64"), r"scores\[1\] is nan"),
        ([[1], [1, 2]], r"scores are \[\[1\], \[1, 2\]\], whose rows differ in length"),
        ([10**400], "scores hold a number above 1.8e308"),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_scores_that_are_refused(scores, message):
    with pytest.raises(ValueError, match=message):
        check_scores(scores)


def test_complex_scores_are_refused():
    with pytest.raises(ValueError, match="Complex data not supported"):
        check_scores([1 + 1j])


@each(
    "scores",
    [
        ["a"],
        ["0.5"],
        np.array(["0.5"]),
        np.array(["0.5"], dtype=object),
        pd.Series(["0.5"]),
        np.array(["2000-01-01"], dtype="datetime64[D]"),
        [None],
        [{}],
        "0.5",
        None,
    ],
    ids=repr,
)
def test_what_is_no_number_is_no_score(scores):
    with pytest.raises(TypeError, match=r"scores (are|hold) .*, expected real numbers"):
        check_scores(scores)


def test_inputs_are_not_changed():
    scores = np.array([1.0, 2.0])
    assert check_scores(scores) is not None
    scores.flags.writeable = False
    np.testing.assert_array_equal(check_scores(scores), scores)


def test_weights():
    assert check_weights(None, 2) is None
    assert check_weights(pd.Series([0, 2]), 2).tolist() == [0, 2]
    for wrong, message in [
        ([1], r"shape \(1,\), expected \(2,\)"),
        ([[1, 2]], r"shape \(1, 2\), expected"),
        (1.0, r"shape \(\), expected|scalar"),
        ([1, -1e-300], r"sample_weight\[1\] is -1e-300, expected a finite number from 0"),
        ([np.nan, -1], r"sample_weight\[0\] is nan \(2 such values\)"),
    ]:
        with pytest.raises(ValueError, match=message):
            check_weights(wrong, 2)


@pytest.mark.parametrize("y", [[0, 1], [False, True], [0.0, 1.0], [[0], [1]], pd.Series([0, 1])])
def test_binary_labels(y):
    labels = check_binary(y)
    assert labels.dtype == np.int64
    assert labels.tolist() == [0, 1]


@pytest.mark.parametrize("y", [[0, 2], [0.5, 1], [-1, 1], [0, np.nan], [[0, 1]]])
def test_labels_that_are_not_binary(y):
    with pytest.raises(ValueError, match="y"):
        check_binary(y)


@each(
    ("y", "message"),
    [
        ([], "y is empty"),
        (["a", None], r"y\[1\] is None, expected a label"),
        ([0, np.nan], r"y\[1\] is nan"),
        ([0, 1, -np.inf], r"y\[2\] is -inf"),
        (pd.Series(["a", pd.NA], dtype="string"), r"y\[1\] is <NA>"),
        (pd.Series([1, None], dtype="Int64"), r"y\[1\] is (nan|<NA>)"),
        (np.array(["2020-01-01", "NaT"], dtype="M8[D]").astype(object), r"y\[1\] is None"),
        ([0.5, 1.5], "continuous"),
        ([[0, 1], [1, 0]], "1d array"),
    ],
    ids=repr,
)
def test_labels_that_are_no_classes(y, message):
    with pytest.raises(ValueError, match=message):
        check_labels(y)


def test_lengths():
    check_same_length(scores=[1, 2], y=[0, 1], weights=[1, 1])
    with pytest.raises(ValueError, match="scores has 2 rows, y has 2, weights has 1;"):
        check_same_length(scores=[1, 2], y=[0, 1], weights=[1])


@each(
    "fit",
    [
        LogisticCalibrator(model="bayesian").fit,
        lambda X, y, sample_weight: LogisticCalibrator(model="bayesian").fit(
            np.sign(X[:, 0]), y, sample_weight
        ),
        SoftmaxCalibrator().fit,
        EvidentialClassifier(GaussianNB(), calibrator="logistic:bayesian", cv=3).fit,
        EvidentialEnsemble(
            [GaussianNB()] * 2, calibrator="logistic:bayesian", rule="dempster", cv=3
        ).fit,
        ConformalClassifier(GaussianNB(), random_state=0).fit,
        EvidentialRBFClassifier(n_prototypes=2, random_state=0).fit,
        EvidentialRegressor(n_prototypes=2, random_state=0).fit,
        lambda X, y, sample_weight: EvidentialFusion(
            "dempster", calibrator="logistic:bayesian"
        ).fit([X[:, 0]] * 2, y, sample_weight),
        lambda X, y, sample_weight: Mixture(weights="likelihood").fit(
            [bayesian(Frame([0, 1]), expit(X * [-1, 1]))] * 2, y, sample_weight=sample_weight
        ),
        lambda X, y, sample_weight: compare(
            X[:, 0], y, ["logistic:bayesian", "binning"], cv=2, sample_weight=sample_weight
        ),
    ],
)
def test_weights_of_sum_one_are_one_sample(fit):
    """AdaBoost and normalized weights; a warning, once, to the line that fits."""
    X, y = np.random.default_rng(0).normal(size=(60, 1)), np.tile([0, 1], 30)
    X += y[:, np.newaxis]
    fit(X, y, sample_weight=np.full(60, 1 / 6))  # quiet, as warnings are errors
    share = np.arange(1, 61) / np.arange(1, 61).sum()
    with pytest.warns(UserWarning, match="the weights of 60 samples have the sum 1") as caught:
        fit(X, y, sample_weight=share.astype(np.float32))
    assert [one.filename for one in caught] == [__file__]


def test_weights_of_sum_one_are_no_more_than_one_sample_in_each_fold():
    X, y = np.random.default_rng(0).normal(size=(60, 1)), np.tile([0, 1], 30)
    classifier = EvidentialClassifier(GaussianNB(), calibrator="logistic:bayesian", cv=3)
    with pytest.warns(UserWarning, match="samples have the sum 0.8, so that together") as caught:
        cross_val_predict(
            classifier, X + y[:, np.newaxis], y, params={"sample_weight": np.full(60, 1 / 60)}
        )
    assert len(caught) == 5
