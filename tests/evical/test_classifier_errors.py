"""What `EvidentialClassifier` refuses, and how it says so."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import (
    KFold,
    ShuffleSplit,
    StratifiedKFold,
)
from sklearn.naive_bayes import GaussianNB

from evical.calibrators import BinningCalibrator
from evical.classifier import EvidentialClassifier
from evical.ensemble import EvidentialEnsemble
from tests.support.each import each

BINS = BinningCalibrator(n_bins=4, model="dempster")
X2, Y2 = make_classification(120, n_features=4, flip_y=0.2, random_state=0)
X3, Y3 = load_iris(return_X_y=True)
FOLDS = StratifiedKFold(3)


def classifier(estimator=None, **options):
    own = {"calibrator": BINS, "cv": 3, "ensemble": True}
    return EvidentialClassifier(
        GaussianNB() if estimator is None else estimator, **{**own, **options}
    )


@each(
    ("options", "y", "message"),
    [
        ({}, np.zeros(120), r"y has one class only \(all 0.0\)"),
        ({}, np.array(["a"] * 118 + ["b"] * 2), "class 'b' has 2 samples, but each of 3 folds"),
        ({"cv": KFold(2)}, np.arange(120) // 60, "class 0 is missing from the training part of"),
        (
            {"cv": [(np.arange(60), np.arange(60, 120))]},
            np.concatenate([np.arange(60) % 2, np.ones(60, dtype=int)]),
            "class 0 is missing from the calibration part of fold 0",
        ),
        (
            {"cv": ShuffleSplit(2, random_state=0), "ensemble": False},
            Y2,
            "with ensemble=False each sample is scored once",
        ),
        ({"code": "pairs"}, Y2, "code is 'pairs', expected one of 'one_vs_rest', 'all_pairs'"),
        ({"coupling": "wu"}, Y2, "coupling is 'wu', expected one of 'normalize', 'least_squares'"),
        ({"probability": "betp"}, Y2, "probability is 'betp', expected one of 'pignistic'"),
        ({"ensemble": 1}, Y2, "ensemble is 1, expected one of True, False, 'shared', 'auto'"),
        ({"total_conflict": "ignore"}, Y2, "total_conflict is 'ignore', expected"),
    ],
)
def test_wrong_values_are_refused(options, y, message):
    with pytest.raises(ValueError, match=message):
        classifier(**options).fit(X2, y)


def test_a_class_of_zero_weight_is_missing():
    weight = np.ones(120)
    weight[Y2 == 1] = 0
    with pytest.raises(ValueError, match="all samples of class 1 have weight zero"):
        classifier().fit(X2, Y2, sample_weight=weight)
    _, test = next(FOLDS.split(X2, Y2))
    weight = np.ones(120)
    weight[test[Y2[test] == 1]] = 0
    with pytest.raises(ValueError, match="class 1 is missing from the calibration part of fold 0"):
        classifier(cv=FOLDS).fit(X2, Y2, sample_weight=weight)


def test_missing_labels_and_values_are_refused():
    labels = np.array(["a", "b"], dtype=object)[Y2]
    labels[7] = np.nan
    with pytest.raises(ValueError, match=r"y\[7\] is nan, expected a label"):
        classifier().fit(X2, labels)
    labels[5] = None
    with pytest.raises(ValueError, match=r"y\[5\] is None .*, expected a label"):
        EvidentialEnsemble([GaussianNB()]).fit(X2, labels)
    X = X2.copy()
    X[3, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        classifier().fit(X, Y2)
    with pytest.raises(ValueError, match=r"sample_weight\[2\] is -1.0"):
        classifier().fit(X2, Y2, sample_weight=np.where(np.arange(120) == 2, -1, 1))


def test_wrong_kinds_are_refused():
    with pytest.raises(TypeError, match="has no predict_mass"):
        classifier(calibrator=LinearRegression()).fit(X2, Y2)
    for code in (None, 3):
        with pytest.raises(TypeError, match=f"code is {code}, expected 'one_vs_rest', 'all_pairs'"):
            classifier(code=code).fit(X2, Y2)
    with pytest.raises(TypeError, match="LinearRegression has no classes_"):
        classifier(LinearRegression()).fit(X2, Y2)
    for predict in ("predict_mass", "predict_interval", "predict_proba", "predict", "predict_set"):
        with pytest.raises(NotFittedError):
            getattr(classifier(), predict)(X2)
    with pytest.raises(NotFittedError):
        classifier(FrozenEstimator(GaussianNB())).fit(X2, Y2)
