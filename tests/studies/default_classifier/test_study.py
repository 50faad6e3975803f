"""The default beside `CalibratedClassifierCV`: numbers of scikit-learn alone, and the page."""

import math

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, log_loss
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from evical.datasets import Dataset, load
from examples.studies import STUDIES
from examples.studies._reproduce import Outcome
from examples.studies.default_classifier.methods import (
    BOOSTERS,
    CLASSIFIERS,
    METHODS,
    REFERENCES,
    method,
)
from examples.studies.default_classifier.study import Cell

STUDY = STUDIES["default_classifier"]
CELL = Cell("two", "breast_cancer", "logistic_regression")


@pytest.fixture(scope="module")
def cancer() -> Dataset:
    return load("breast_cancer")


@pytest.fixture(scope="module")
def rows(cancer):
    records = CELL.run_repeat({"breast_cancer": cancer}, 0, 0)
    return {
        labels[-1]: dict(zip(STUDY.measures, values, strict=True)) for labels, values in records
    }


def losses_of(model, X, y):
    return -np.log(model.predict_proba(X)[np.arange(len(y)), y])


def test_a_repeat_has_the_numbers_of_scikit_learn(cancer, rows):
    X, y = cancer.X, cancer.y
    train, test = CELL.draw(y, 0, 0)
    scaled = make_pipeline(StandardScaler(), LogisticRegression())
    uncalibrated = scaled.fit(X[train], y[train])
    models = {"uncalibrated": uncalibrated}
    for kind in ("sigmoid", "isotonic"):
        for ensemble in (True, False):
            model = CalibratedClassifierCV(scaled, method=kind, ensemble=ensemble, cv=5)
            models[f"{kind}, ensemble={ensemble}"] = model.fit(X[train], y[train])
    for name, model in models.items():
        p = model.predict_proba(X[test])
        found = rows[name]
        assert found["error"] == np.mean(model.predict(X[test]) != y[test]), name
        assert found["brier"] == pytest.approx(brier_score_loss(y[test], p[:, 1])), name
        assert found["log_loss"] == pytest.approx(log_loss(y[test], p)), name
    assert list(rows) == list(METHODS)


def test_standings_are_those_of_losses_that_are_trained_again(cancer, rows):
    X, y = cancer.X, cancer.y
    train, test = CELL.draw(y, 0, 0)
    best = min(REFERENCES, key=lambda name: rows[name]["log_loss"])
    others = {
        name: losses_of(method(name, CELL.classifier).fit(X[train], y[train]), X[test], y[test])
        for name in (best, "uncalibrated", "EvidentialClassifier", "former default")
    }
    for name, losses in others.items():
        ratio = losses.mean() / others[best].mean()
        assert rows[name]["log_ratio"] == pytest.approx(math.log(ratio), abs=1e-9)
        gaps = losses - others[best]
        error = gaps.std(ddof=1) / math.sqrt(len(gaps))
        assert rows[name]["within"] == (gaps.mean() <= error or ratio <= 1.02), name
        gaps = losses - others["uncalibrated"]
        error = gaps.std(ddof=1) / math.sqrt(len(gaps))
        if name != "uncalibrated":
            assert rows[name]["no_worse"] == (gaps.mean() <= error), name
    assert np.isnan(rows["uncalibrated"]["no_worse"])


def test_many_classes_and_a_classifier_without_probabilities():
    iris = load("iris")
    train, test = Cell("more", "iris", "svc").draw(iris.y, 1, 0)
    records = Cell("more", "iris", "naive_bayes").run_repeat({"iris": iris}, 1, 0)
    found = {labels[-1]: values for labels, values in records}["uncalibrated"]
    p = GaussianNB().fit(iris.X[train], iris.y[train]).predict_proba(iris.X[test])
    assert found[1] == pytest.approx(np.sum((p - np.eye(3)[iris.y[test]]) ** 2) / len(test))
    assert found[2] == pytest.approx(log_loss(iris.y[test], p))
    records = Cell("more", "iris", "svc").run_repeat({"iris": iris}, 1, 0)
    for labels, values in records:
        known = [True] * 6
        if labels[-1] == "uncalibrated":
            known[1:] = [False] * 5
        known[5] = False
        assert np.isfinite(values).tolist() == known, labels


def test_a_best_loss_of_zero_has_no_ratio():
    x = np.repeat([0.0, 1.0], 40) * 1000 + np.tile(np.linspace(0, 1, 40), 2)
    toy = Dataset("toy", x[:, np.newaxis], np.repeat([0, 1], 40), ("x",), ("0", "1"))
    records = Cell("two", "toy", "naive_bayes").run_repeat({"toy": toy}, 0, 0)
    found = {labels[-1]: values for labels, values in records}
    assert found["isotonic, ensemble=False"][2] == 0
    assert found["EvidentialClassifier"][2] > 0
    assert all(np.isnan(values[3]) for values in found.values())


def test_halves_are_stratified_small_and_without_rare_classes():
    y = np.repeat([0, 1, 2], [4000, 1000, 9])
    train, test = Cell("more", "any", "svc").draw(y, 0, 0)
    assert not set(train) & set(test)
    assert [np.bincount(y[half]).tolist() for half in (train, test)] == [[800, 200]] * 2
    again, _ = Cell("more", "any", "network").draw(y, 0, 0)
    other, _ = Cell("more", "any", "network").draw(y, 1, 0)
    np.testing.assert_array_equal(again, train)
    assert (other != train).any()


def test_all_cells_are_tried_by_all_methods():
    assert len(STUDY.conditions) == 32 * len((*CLASSIFIERS, *BOOSTERS))
    assert "sigmoid, ensemble=False" in REFERENCES
    assert len(METHODS) == len(REFERENCES) + 4


def test_the_page_tells_means_ratios_and_cells_that_are_behind():
    values = {
        "near": dict.fromkeys(METHODS, (0.1, 0.2, 0.3, 0.0, 1.0, 1.0)),
        "far": dict.fromkeys(METHODS, (0.3, 0.4, 0.4, 0.0, 1.0, np.nan)),
    }
    values["near"]["EvidentialClassifier"] = (0.1, 0.2, 0.6, math.log(2), 1.0, 1.0)
    values["far"]["EvidentialClassifier"] = (0.3, 0.4, 3.2, math.log(8), 0.0, np.nan)
    rows = {
        ("two", data, "svc", name): np.array([found])
        for data, by_method in values.items()
        for name, found in by_method.items()
    }
    text = STUDY.extra(Outcome(STUDY, STUDY.conditions, 1, 0, rows))
    assert "\n| EvidentialClassifier | 20.0 | 0.3000 | 1.900 | 4.000 | 50 | 100 |" in text
    assert "near the best in 50% of cells, so the goal is not reached" in text
    assert "mean log loss is 1.900. Of one reference for all cells it is 0.350" in text
    assert "In 1 of 2 cells" in text
    assert "\n| far | svc | 1 of 1 | 3.2000 | 0.4000 | 0.4000 | 0.4000 |" in text
    assert "| near | svc |" not in text
