"""The way from scores to a decision is short: few files are entered in a fit and a prediction."""

import sys
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import dstheory
import evical
from evical import EvidentialEnsemble
from tests.support.each import each

FOLDERS = tuple(str(Path(package.__file__).parent) for package in (dstheory, evical))


def entered(work):
    """Files of both packages in which a function runs."""
    found = set()

    def note(frame, event, argument):
        if event == "call" and frame.f_code.co_filename.startswith(FOLDERS):
            found.add(frame.f_code.co_filename)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(before)
    return found


@each(("n_classes", "in_fit", "in_predict"), [(2, 29, 16), (3, 34, 18)])
def test_an_ensemble_enters_few_files(n_classes, in_fit, in_predict):
    X = np.random.default_rng(0).normal(size=(300, 3))
    y = np.digitize(X[:, 0], [0] if n_classes == 2 else [-0.5, 0.5])
    model = EvidentialEnsemble([GaussianNB(), LogisticRegression()])
    fit, predict = entered(lambda: model.fit(X, y)), entered(lambda: model.predict_mass(X))
    assert 0 < len(fit) <= in_fit, sorted(fit)
    assert 0 < len(predict) <= in_predict, sorted(predict)
