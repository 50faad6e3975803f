"""Probabilities of support vector machines: the halves of a repeat, and its losses."""

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from evical.datasets import load
from examples.studies import STUDIES, reproduce
from examples.studies.svc_probabilities.study import METHODS


def test_a_repeat_step_by_step(tmp_path):
    study = STUDIES["svc_probabilities"]
    outcome = reproduce(study, tmp_path, repeats=2, quick=True)
    assert len(outcome.rows) == 2 * len(METHODS)
    X, y = load("iris").X, load("iris").y
    splits = StratifiedShuffleSplit(20, test_size=0.5, random_state=0).split(X, y)
    name = "CalibratedClassifierCV(SVC(), ensemble=False)"
    losses, errors = (outcome.values(("iris", name), measure) for measure in study.measures)
    for loss, error, (train, test) in zip(losses, errors, splits, strict=False):
        scaler = StandardScaler().fit(X[train])
        model = CalibratedClassifierCV(SVC(), ensemble=False)
        model.fit(scaler.transform(X[train]), y[train])
        p = model.predict_proba(scaler.transform(X[test]))
        assert loss == pytest.approx(log_loss(y[test], p))
        assert error == np.mean(p.argmax(axis=1) != y[test])
    for row in outcome.rows:
        assert (outcome.values(row, "log_loss") < 0.4).all(), row
        assert (outcome.values(row, "error") < 0.15).all(), row
