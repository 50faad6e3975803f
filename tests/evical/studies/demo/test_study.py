"""The study behind `evical demo`: what a repeat computes, what it refuses, and its words."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from evical.calibrators import LogisticCalibrator
from evical.datasets import Dataset, load_breast_cancer
from evical.ensemble import EvidentialEnsemble
from evical.studies import (
    METRICS,
    Method,
    calibration_samples,
    demo_study,
    draw_halves,
    reproduce,
    share_sizes,
)
from evical.studies.demo._pictures import pool
from evical.studies.demo.study import METHODS as ALL
from evical.studies.demo.study import RECOMMENDED
from evical.studies.parts.fusion_condition import SCENARIOS, FusionCondition
from evical.studies.parts.methods import fuse
from evical.studies.parts.shares import draw_training

DATA = load_breast_cancer()
SETS = {DATA.name: DATA}
METHODS = (
    Method("logistic", "bayesian"),
    Method("isotonic", "bayesian"),
    Method("logistic", "bayesian", "largest"),
    Method("logistic", "bayesian", "size_mixture"),
)


@pytest.fixture(scope="module")
def condition() -> FusionCondition:
    (whole,) = demo_study(DATA).conditions
    return replace(whole, methods=tuple(((str(i),), one) for i, one in enumerate(METHODS)))


@pytest.fixture(scope="module")
def rows(condition):
    return condition.run_repeat(SETS, 0, 5)


def test_a_repeat_depends_on_seed_and_number_only(condition, rows):
    condition.run_repeat(SETS, 2, 5)
    assert condition.run_repeat(SETS, 0, 5) == rows
    assert condition.run_repeat(SETS, 0, 6) != rows
    assert condition.run_repeat(SETS, 1, 5) != rows


def test_methods_do_not_influence_each_other(condition, rows):
    only = replace(condition, methods=condition.methods[2:3])
    assert only.run_repeat(SETS, 0, 5) == rows[2:3]


def test_a_repeat_step_by_step(condition, rows):
    """The Bayesian rows from scikit-learn and Bayes' rule alone."""
    rng = np.random.default_rng(np.random.SeedSequence(5, spawn_key=(0, 0)))
    sizes = share_sizes(284, SCENARIOS["c"])
    train, test = draw_training(DATA.y, 284, 20, rng)
    scaler = StandardScaler().fit(DATA.X[train])
    X = scaler.transform(DATA.X)
    logits = []
    for half, other in draw_halves(DATA.y[train], sizes, rng):
        svm = SVC().fit(X[train[half]], DATA.y[train[half]])
        scores = svm.decision_function(X[train[other]])
        calibrator = LogisticCalibrator(model="bayesian").fit(scores, DATA.y[train[other]])
        t0, t1 = calibrator.theta_
        logits.append(-(t0 + t1 * svm.decision_function(X[test])))
    (drawn,) = [condition.draw(SETS, 0, 5)]
    np.testing.assert_array_equal(drawn.y_test, DATA.y[test])
    fused = fuse(drawn, "rbf_svm", METHODS)
    probabilities = [fused[method].probability for method in METHODS]
    np.testing.assert_allclose(probabilities[0], expit(np.sum(logits, axis=0)), atol=1e-6)
    np.testing.assert_allclose(probabilities[2], expit(logits[0]), atol=1e-9)
    mean = np.average(expit(logits), axis=0, weights=sizes)
    np.testing.assert_allclose(probabilities[3], mean, atol=1e-9)
    for number, method in enumerate(METHODS):
        measured = tuple(metric.measure(fused[method]) for metric in METRICS)
        assert dict(rows)[str(number),] == measured


def test_total_conflict_is_counted_and_vacuous(condition, rows):
    """Isotonic probabilities of 0 and 1 meet; their probability is 1/2."""
    share = dict(rows)["1",][condition.measures.index("total_conflict")]
    assert share > 0
    fused = fuse(condition.draw(SETS, 0, 5), "rbf_svm", METHODS[1:2])[METHODS[1]]
    assert np.mean(fused.conflicting) == share
    assert (fused.probability[fused.conflicting] == 0.5).all()


def test_the_default_is_the_ensemble_as_it_comes(condition):
    drawn = condition.draw(SETS, 0, 5)
    found = fuse(drawn, "rbf_svm", [RECOMMENDED])[RECOMMENDED]
    # The last feature only tells which half a sample belongs to.
    ensemble = EvidentialEnsemble([SVC()] * 10, subsets=drawn.subsets)
    ensemble.fit(drawn.X[:, :-1], drawn.y)
    bounds = ensemble.predict_interval(drawn.X_test[:, :-1])
    np.testing.assert_array_equal(np.stack([found.bel, found.pl], axis=1), bounds)


def test_the_outcome_has_the_values_of_each_row(condition, rows):
    study = replace(demo_study(DATA), labels=("number",), conditions=(condition,))
    outcome = reproduce(study, repeats=2, seed=5, data=SETS)
    assert outcome.values(("0",), "brier")[0] == dict(rows)["0",][1]
    with pytest.raises(ValueError, match="measure is 'auc', expected one of 'error_rate', 'brier'"):
        outcome.values(("0",), "auc")
    with pytest.raises(ValueError, match="there is no row 9; rows are named by number, such as 0"):
        outcome.values(("9",), "brier")
    pooled = pool(outcome, DATA, METHODS[:1])[METHODS[0]]
    one, other = (fuse(condition.draw(SETS, n, 5), "rbf_svm", METHODS[:1]) for n in (0, 1))
    for part, name in zip(pooled, ("y", "probability"), strict=True):
        both = [getattr(found[METHODS[0]], name) for found in (one, other)]
        np.testing.assert_array_equal(part, np.concatenate(both))


def toy(counts: tuple[int, ...], names: tuple[str, ...]) -> Dataset:
    y = np.repeat(np.arange(len(counts)), counts)
    return Dataset("toy", np.arange(len(y), dtype=float)[:, None], y, ("a",), names)


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ((100, 100, 100), r"toy: the target has 3 classes \(0, 1, 2\)"),
        ((300,), r"toy: the target has 1 class \(0\), but this experiment takes two"),
        ((60, 60), "toy has 120 samples: 60 training samples are too few"),
        ((280, 20), "toy has 300 samples: the classes have 280 and 20 samples, but 20 of each"),
    ],
)
def test_data_that_cannot_be_shared_out_are_refused(counts, message):
    data = toy(counts, tuple(str(i) for i in range(len(counts))))
    with pytest.raises(ValueError, match=message):
        demo_study(data)


def test_values_whose_squares_overflow_are_refused():
    X = np.stack([np.ones(400), np.linspace(0, 1e151, 400)], axis=1)
    data = Dataset("toy", X, np.arange(400) % 2, ("a", "b"), ("n", "p"))
    with pytest.raises(ValueError, match=r"toy: feature 'b' reaches 1e\+151, too large"):
        demo_study(data)


def test_calibration_samples_have_the_sizes_asked_for_if_there_are_enough():
    small, large = calibration_samples(DATA, 5)
    assert (len(small), len(large)) == (20, 200)
    assert set(small.y) == {0, 1}
    few = calibration_samples(toy((80, 90), ("n", "p")), 5, sizes=(20, 200))
    assert [len(sample) for sample in few] == [20, 170 - 56 - 2]


def test_the_table_has_the_rows_of_the_study():
    assert len(ALL) == len(set(ALL)) == 18
    assert [Method(*labels) for labels, _ in demo_study(DATA).conditions[0].methods] == list(ALL)


def test_the_protocol_tells_the_sizes_and_the_encoding():
    text = " ".join(demo_study(DATA, repeats=7).protocol)
    for part in ("7 repeats", "284 samples", "other 285", "189, 57, 6 times 5, 2 times 4"):
        assert part in text
    assert "one-hot" not in text
    y = np.arange(400) % 2
    data = Dataset("toy", np.zeros((400, 2)), y, ("c=a", "c=b"), ("n", "p"), encoded=("c",))
    assert "one-hot encoded: c." in " ".join(demo_study(data).protocol)
