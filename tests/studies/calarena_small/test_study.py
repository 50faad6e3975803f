"""CalArena in small: an experiment by numbers of scikit-learn alone, its tables, and the advice."""

import math
from dataclasses import replace

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import brier_score_loss, log_loss
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from evical.calibrators import AutoCalibrator, LogisticCalibrator
from evical.datasets import load
from evical.evaluation import compare
from evical.multiclass import AutoMulticlassCalibrator
from examples.studies import STUDIES, reproduce
from examples.studies._reproduce import Outcome
from examples.studies.calarena_small._summary import table_of
from examples.studies.calarena_small.advice import Advice, is_near, near_by_luck, simplest_near
from examples.studies.calarena_small.data import (
    PACKAGES,
    SETS,
    DataSource,
    _columns,
    missing_packages,
    read_packaged,
)
from examples.studies.calarena_small.experiment import Experiment, losses
from examples.studies.calarena_small.methods import DEFAULT, RAW, Method, methods
from examples.studies.calarena_small.samples import predicted, three_parts

STUDY = STUDIES["calarena_small"]
CANCER = DataSource("breast_cancer", "two")
IRIS = DataSource("iris", "more")


def rows_of(source, classifier, number=0):
    data = {source.name: load(source.name)}
    records = Experiment(source, classifier).run_repeat(data, number, 0)
    return {labels[-1]: dict(zip(STUDY.measures, v, strict=True)) for labels, v in records}


def test_an_experiment_has_the_numbers_of_scikit_learn():
    cancer = load("breast_cancer")
    experiment = Experiment(CANCER, "naive_bayes")
    p_cal, y_cal, p_test, y_test = experiment.samples({"breast_cancer": cancer}, 0, 0)
    rows = rows_of(CANCER, "naive_bayes")
    least = np.finfo(np.float32).tiny
    raw = -np.log(np.maximum(p_test[np.arange(len(y_test)), y_test], least))
    assert rows[RAW]["log_loss"] == pytest.approx(raw.mean())
    assert rows[RAW]["brier"] == pytest.approx(2 * brier_score_loss(y_test, p_test[:, 1]))
    auto = AutoCalibrator().fit(p_cal[:, 1], y_cal).predict_proba(p_test[:, 1])
    assert rows[DEFAULT]["log_loss"] == pytest.approx(log_loss(y_test, auto))
    assert rows[DEFAULT]["error"] == np.mean(auto.argmax(axis=1) != y_test)
    gaps = -np.log(auto[np.arange(len(y_test)), y_test]) - raw
    assert rows[DEFAULT]["gap_error"] == pytest.approx(gaps.std(ddof=1) / math.sqrt(len(gaps)))
    assert set(rows) == {method.name for method in methods("two")}


def test_scikit_learn_calibrates_what_is_given():
    """Not through our contract: the classifier itself, frozen, with its own samples."""
    cancer = load("breast_cancer")
    state = 5
    train, cal, test = three_parts(cancer.y, state)
    model = GaussianNB().fit(cancer.X[train], cancer.y[train])
    p_cal, p_test = (predicted(model, cancer.X[rows]) for rows in (cal, test))
    by_name = {method.name: method for method in methods("two")}
    for kind in ("isotonic", "sigmoid"):
        wanted = CalibratedClassifierCV(FrozenEstimator(model), method=kind)
        wanted.fit(cancer.X[cal], cancer.y[cal])
        found = by_name[f"scikit-learn: {kind}"].predictions(p_cal, cancer.y[cal], p_test)
        np.testing.assert_allclose(found, wanted.predict_proba(cancer.X[test]), atol=1e-12)


def test_many_classes_are_calibrated_together():
    data = {"iris": load("iris")}
    p_cal, y_cal, p_test, y_test = Experiment(IRIS, "logistic_regression").samples(data, 0, 0)
    rows = rows_of(IRIS, "logistic_regression")
    auto = AutoMulticlassCalibrator().fit(p_cal, y_cal).predict_proba(p_test)
    assert rows[DEFAULT]["log_loss"] == pytest.approx(log_loss(y_test, auto))
    square = np.sum((auto - np.eye(3)[y_test]) ** 2, axis=1).mean()
    assert rows[DEFAULT]["brier"] == pytest.approx(square)


def test_parts_are_stratified_small_and_without_rare_classes():
    y = np.repeat([0, 1, 2], [8000, 2000, 19])
    train, cal, test = three_parts(y, 0)
    assert not set(train) & set(cal) | set(train) & set(test) | set(cal) & set(test)
    counts = [np.bincount(y[rows]).tolist() for rows in (train, cal, test)]
    assert counts == [[480, 120], [640, 160], [1600, 400]]
    assert [len(rows) for rows in three_parts(y[::50], 0)] == [60, 60, 80]


def test_margins_are_log_odds():
    X, y = load("iris").X, load("iris").y
    model = make_pipeline(StandardScaler(), SVC()).fit(X[y < 2], y[y < 2])
    p = predicted(model, X[y < 2])
    margin = model.decision_function(X[y < 2])
    np.testing.assert_allclose(np.log(p[:, 1] / p[:, 0]), margin, atol=1e-9)
    assert predicted(SVC().fit(X, y), X).sum(axis=1) == pytest.approx(1)


def test_a_foreign_method_that_fails_leaves_probabilities_alone():
    class Failing:
        def fit(self, p, y):
            raise ValueError("no")

    class Empty:
        def fit(self, p, y):
            """Learn nothing."""

        def predict_proba(self, p):
            return np.full(len(p), np.nan)

    p, y = np.array([[0.4, 0.6], [0.7, 0.3]]), np.array([0, 1])
    for kind in (Failing, Empty):
        np.testing.assert_array_equal(Method("x", kind, True).predictions(p, y, p), p)
    with pytest.raises(ValueError, match="no"):
        Method("x", Failing).predictions(p, y, p)


def test_packages_are_read_where_they_are_installed():
    missing = missing_packages()
    packages = {one.package for one in SETS if one.package}
    assert {PACKAGES[one] for one in packages} | set(missing) == set(PACKAGES.values())
    for one in SETS:
        if one.package:
            assert one.loaded == ()
            assert one.version
            found = read_packaged(one)
            assert (len(found.class_names) == 2) == (one.classes == "two")
            assert len(found) > 200
    with pytest.raises(ModuleNotFoundError, match="pip install no_such_module"):
        read_packaged(DataSource("any", "two", "no_such_module", "1"))


def test_columns_of_text_are_indicators():
    np.testing.assert_array_equal(_columns(np.array([3, 5])), [[3.0], [5.0]])
    np.testing.assert_array_equal(_columns(np.array(["b", "a", "b"])), [[0, 1], [1, 0], [0, 1]])


def outcome_of(log_losses):
    """Experiments on data sets "a" and "b", two repeats each, of three methods."""
    rows = {
        ("two", data, "svc", name): np.array(
            [[loss, loss / 2, 0.1, 0.05, np.nan] for loss in by_repeat]
        )
        for data, by_method in log_losses.items()
        for name, by_repeat in by_method.items()
    }
    return Outcome(STUDY, STUDY.conditions, 2, 0, rows)


LOSSES = {
    "a": {RAW: [1.0, 1.0], DEFAULT: [0.5, 1.2], "other": [0.8, 1.01]},
    "b": {RAW: [2.0, 2.0], DEFAULT: [1.0, 1.0], "other": [1.0, 3.0]},
}


def test_ranks_wins_and_harm_are_those_of_calarena():
    """By hand; a tie is no win and no harm."""
    table = table_of(outcome_of(LOSSES), "two")
    assert table.methods == (RAW, DEFAULT, "other")
    assert table.data == ("a", "a", "b", "b")
    np.testing.assert_array_equal(table.ranks, [[3, 1, 2], [1, 3, 2], [3, 1.5, 1.5], [2, 1, 3]])
    np.testing.assert_array_equal(
        table.wins, [[0, 1, 0.5], [1, 0, 0.5], [0, 0.5, 0.5], [0.5, 1, 0]]
    )
    harm = table.gaps(table.log_loss) > 0
    assert harm.mean(axis=0).tolist() == [0, 0.25, 0.5]
    assert table.improvement[3].tolist() == [0, 0.5, -0.5]
    np.testing.assert_allclose(table.of_data(table.log_loss)[1], [2, 1, 2])


def test_the_page_tells_goals_tests_and_harm():
    text = STUDY.extra(outcome_of(LOSSES))
    assert "4 experiments on 2 data sets" in text
    assert "is reached by Auto (place 1 of 3, rank 1.62; other has 2.12)" in text
    assert "is not reached (25.0%)" in text
    # Ranks over data sets, win rate, harm and clear harm: 1.01 is within an error of 1.
    assert "\n| other | 2.12 | 2.25 | 37.5 ± 12.5 | 50.0 ± 0.0 | 25.0 ± 25.0 |" in text
    assert "Friedman" in text
    assert "Nemenyi's critical difference" in text
    assert "\n| svc | 1.62 | other, 2.12 | 25.0 |" in text
    assert "compare" not in text


def test_advice_is_that_of_compare_and_is_judged_on_other_samples():
    cancer = load("breast_cancer")
    experiment = Experiment(CANCER, "logistic_regression")
    records = Advice(experiment).run_repeat({"breast_cancer": cancer}, 0, 0)
    found = {labels[-1]: dict(zip(STUDY.measures, v, strict=True)) for labels, v in records}
    p_cal, y_cal, p_test, y_test = experiment.samples({"breast_cancer": cancer}, 0, 0)
    made = compare(p_cal[:, 1], y_cal)
    taken = made.recommendation.method
    for rule, name in (
        ("recommended by compare", taken),
        ("least loss in cross-validation", made.ranking()[0]),
        ("simplest within one standard error", simplest_near(made)),
    ):
        assert found[rule]["log_loss"] == found[f"always {name}"]["log_loss"]
    logistic = LogisticCalibrator().fit(p_cal[:, 1], y_cal).predict_proba(p_test[:, 1])
    assert found["always logistic"]["log_loss"] == pytest.approx(log_loss(y_test, logistic))
    least = min(v["log_loss"] for rule, v in found.items() if rule.startswith("always"))
    assert all(
        v["near"] == 1
        for rule, v in found.items()
        if rule.startswith("always") and v["log_loss"] <= 1.02 * least
    )


def test_near_is_one_paired_standard_error_or_two_percent():
    rng = np.random.default_rng(0)
    best = rng.random(100) + 1
    noise = rng.normal(size=100)
    noise -= noise.mean()
    error = noise.std(ddof=1) / 10
    for gap, near in ((0.99, True), (1.01, False)):
        assert is_near({"best": best, "other": best + noise + gap * error}, "other") == near
    assert is_near({"best": best, "other": best + 0.019 * best.mean()}, "other")
    assert not is_near({"best": best, "other": best + 0.021 * best.mean()}, "other")


def test_the_truth_is_near_but_for_luck():
    rng = np.random.default_rng(0)
    truth = rng.random(400)
    table = {name: np.stack([1 - p, p], axis=1) for name, p in (("auto", truth), ("far", truth**3))}
    assert near_by_luck(table, rng) == 1
    wrong = {"auto": table["far"], "far": table["auto"]}
    # Labels follow whatever is called auto.
    assert near_by_luck(wrong, rng) == 1


def test_simplest_near_is_the_rule_of_one_standard_error():
    rng = np.random.default_rng(0)
    p = rng.random(600)
    y = (rng.random(600) < p).astype(int)
    found = compare(p, y, cv=3)
    near = {one.method for one in found.differences if one.difference <= one.standard_error}
    assert "uncalibrated" in near | {found.recommendation.best}
    assert simplest_near(found) == "uncalibrated"


def test_losses_of_certain_and_wrong_predictions_are_finite():
    log, brier = losses(np.array([[1.0, 0.0]]), np.array([1]))
    assert log[0] == pytest.approx(87.3, abs=0.05)
    assert brier[0] == 2


def test_repeats_are_kept_and_found_again(tmp_path):
    small = replace(STUDY, conditions=(Experiment(IRIS, "naive_bayes"),), quick=())
    data = {"iris": load("iris")}
    first = reproduce(small, tmp_path, repeats=1, data=data)
    seen = []
    again = reproduce(
        small, tmp_path, repeats=1, data=data, on_repeat=lambda done, n: seen.append((done, n))
    )
    assert seen == [(1, 1)]
    for row, values in first.rows.items():
        np.testing.assert_array_equal(again.rows[row], values)
