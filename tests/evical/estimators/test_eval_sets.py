"""Evaluation sets get the numbers that y gets, or are refused by name."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from evical import EvidentialClassifier, EvidentialEnsemble
from evical.calibrators import IsotonicCalibrator
from evical.estimators._eval_sets import with_numbers
from tests.support.each import each

X, CODES = load_iris(return_X_y=True)
NAMES = np.array(["rose", "iris", "aster"])  # not in sorted order
SEEN = []
STEPS = IsotonicCalibrator(model="laplace")


class Named(GaussianNB):
    """Takes its evaluation set as arguments of their own, as LightGBM does."""

    def fit(self, X, y, sample_weight=None, *, eval_X, eval_y):
        SEEN.append((len(X), len(eval_X), len(eval_y)))
        return super().fit(X, y, sample_weight)


class Booster(ClassifierMixin, BaseEstimator):
    """Takes the labels 0, 1, ..., K - 1 only, as XGBoost does, and keeps what it is given."""

    def fit(self, X, y, eval_set=None, sample_weight_eval_set=None):
        self.classes_ = np.unique(y)
        if not np.array_equal(self.classes_, np.arange(len(self.classes_))):
            raise ValueError(f"Invalid classes inferred from unique values of `y`: {self.classes_}")
        model = GaussianNB().fit(X, y)
        for X_val, y_val in eval_set or ():
            # A booster that is worse than chance on its evaluation set has read other labels.
            assert model.score(X_val, y_val) >= 0.5, y_val
            SEEN.append((len(X_val), y_val))
        weights = () if sample_weight_eval_set is None else sample_weight_eval_set
        assert [len(weight) for weight in weights] == [len(y) for _, y in eval_set or ()][
            : len(weights)
        ]
        self.model_ = model
        return self

    def predict_proba(self, X):
        return self.model_.predict_proba(X)

    def predict(self, X):
        return self.model_.predict(X)


LABELS = [np.arange(3), NAMES, np.array([7, 5, 6]), np.array([1, 2, 3]), np.array([0, 2, 1])]


@each("labels", LABELS)
@each("code", ["one_vs_rest", "all_pairs"])
def test_early_stopping_sees_the_same_classes(labels, code):
    SEEN.clear()
    y = labels[CODES]
    sets = [(X[1::2], y[1::2]), (X[3::40].tolist(), y[3::40].tolist())]
    weights = [np.ones(len(y) // 2), np.ones(4)]
    given = {"eval_set": sets, "sample_weight_eval_set": weights}
    found = EvidentialClassifier(Booster(), calibrator=STEPS, code=code, cv=2).fit(
        X[::2], y[::2], **given
    )
    assert found.score(X[1::2], y[1::2]) > 0.9
    assert SEEN
    sizes = {n for n, _ in SEEN}
    assert sizes == ({75, 4} if code == "one_vs_rest" else {50, 3, 2})
    assert (sets[0][1] == y[1::2]).all()


def test_two_classes_and_pipelines():
    """Numbers other than 0 and 1 were losses of other classes, and nobody noticed."""
    SEEN.clear()
    two = CODES < 2
    X2, y = X[two], CODES[two] + 5
    pair = [(X2[1::2], y[1::2])]
    one = np.ones((1, len(pair[0][1])))  # weights in a table, not in a list
    for labels in (y, y - 4, np.array(["b", "a"])[y - 5]):
        sets = [(X2[1::2], labels[1::2])]
        EvidentialClassifier(Booster(), cv=2).fit(
            X2[::2], labels[::2], eval_set=sets, sample_weight_eval_set=one
        )
    assert all(set(codes.tolist()) == {0, 1} for _, codes in SEEN)
    pipe = make_pipeline("passthrough", Booster())
    found = EvidentialClassifier(pipe, cv=2).fit(X2[::2], y[::2], booster__eval_set=pair)
    assert found.score(X2[1::2], y[1::2]) == 1


def test_a_set_of_as_many_samples_is_not_cut():
    SEEN.clear()
    EvidentialClassifier(Named(), cv=2).fit(X[::2], CODES[::2], eval_X=X[1::2], eval_y=CODES[1::2])
    assert {one[1:] for one in SEEN} == {(75, 75)}
    assert min(SEEN)[0] < 40


def test_a_set_without_the_classes_of_a_column():
    with pytest.raises(ValueError, match=r"eval_set has no sample of the classes \[1, 2\], on"):
        EvidentialClassifier(Booster(), code="all_pairs", cv=2).fit(
            X, CODES, eval_set=[(X[:9], CODES[:9])]
        )


REFUSED = [
    ({"eval_set": [(X, np.array(["tulip"] * 150))]}, "class 'tulip' of eval_set is none of the"),
    ({"eval_set": [(X, np.array([None] * 150))]}, "class None of eval_set is none of the"),
    ({"eval_set": 7}, "eval_set is 7, expected pairs"),
    ({"eval_set": [X]}, r"eval_set is .*, expected pairs \(X, y\)"),
    ({"clf__eval_set": [(X, ["tulip"] * 150)]}, "class 'tulip' of clf__eval_set"),
]


@each("params, message", REFUSED)
def test_other_sets_are_refused_by_name(params, message):
    with pytest.raises(ValueError, match=message):
        EvidentialClassifier(Booster(), cv=2).fit(X, NAMES[CODES], **params)


def test_arguments_by_name():
    classes, one_to_one = np.array(["a", "b"]), np.array([0, 1])
    found = with_numbers({"y_val": ["b", "a"], "X_val": 1, "eval_set": None}, classes, one_to_one)
    assert found["y_val"].tolist() == [1, 0]
    assert (found["X_val"], found["eval_set"]) == (1, None)
    alone = with_numbers({"eval_set": ([[1.0]], ["b"])}, classes, one_to_one)["eval_set"]
    assert isinstance(alone, tuple)
    assert alone[1].tolist() == [1]
    with pytest.raises(ValueError, match="y_val has labels, but this code trains"):
        with_numbers({"y_val": ["b", "a"]}, classes, np.array([-1, 1]))


def test_the_reason_after_the_labels_is_told():
    with pytest.raises(ValueError, match="Invalid classes") as caught:
        EvidentialEnsemble([EvidentialClassifier(Booster(), cv=2)]).fit(X * np.nan, NAMES[CODES])
    assert any("Input X contains NaN" in note for note in caught.value.__notes__)
