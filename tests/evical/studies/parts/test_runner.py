"""The runner: what a repeat computes, and what it may depend on."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from evical.calibrators import LogisticCalibrator
from evical.datasets import Dataset, load_breast_cancer
from evical.studies import (
    METRICS,
    TEN_CLASSIFIERS,
    Method,
    calibration_samples,
    check_dataset,
    draw_halves,
    run,
    run_repeat,
    share_sizes,
)
from evical.studies.parts.metrics import Fused
from evical.studies.parts.split import draw_training

DATA = load_breast_cancer()
METHODS = (
    Method("logistic", "bayesian"),
    Method("isotonic", "bayesian"),
    Method("logistic", "bayesian", "largest"),
    Method("logistic", "bayesian", "weighted_mean"),
)
PROTOCOL = replace(TEN_CLASSIFIERS, methods=METHODS, repeats=3, seed=5)


@pytest.fixture(scope="module")
def results():
    return run(PROTOCOL, DATA)


def test_a_repeat_depends_on_seed_and_number_only(results):
    alone = run_repeat(PROTOCOL, DATA, 2)
    np.testing.assert_array_equal(alone.metrics, results.repeats[2].metrics)
    np.testing.assert_array_equal(alone.probability, results.repeats[2].probability)
    assert not np.array_equal(results.repeats[0].probability, results.repeats[1].probability)
    other = run_repeat(replace(PROTOCOL, seed=6), DATA, 2)
    assert not np.array_equal(alone.y, other.y) or not np.array_equal(
        alone.probability, other.probability
    )


def test_methods_do_not_influence_each_other(results):
    only = run_repeat(replace(PROTOCOL, methods=METHODS[2:3]), DATA, 0)
    np.testing.assert_array_equal(only.metrics[0], results.repeats[0].metrics[2])


def test_a_round_step_by_step(results):
    """The Bayesian rows from scikit-learn and Bayes' rule alone."""
    rng = np.random.default_rng(np.random.SeedSequence(5, spawn_key=(0, 0)))
    sizes = share_sizes(284, PROTOCOL.shares)
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
    first = results.repeats[0]
    np.testing.assert_array_equal(first.y, DATA.y[test])
    np.testing.assert_allclose(first.probability[0], expit(np.sum(logits, axis=0)), atol=1e-6)
    np.testing.assert_allclose(first.probability[2], expit(logits[0]), atol=1e-9)
    mean = np.average(expit(logits), axis=0, weights=sizes)
    np.testing.assert_allclose(first.probability[3], mean, atol=1e-9)


def test_progress_is_reported_repeat_by_round():
    seen = []
    run(replace(PROTOCOL, methods=METHODS[:1], repeats=2), DATA, on_repeat=seen.append)
    assert [one.number for one in seen] == [0, 1]


def test_metrics_by_hand():
    fused = Fused(
        y=np.array([1, 0, 1, 0]),
        bel=np.array([0.75, 0.25, 0.0, 1.0]),
        pl=np.array([0.75, 0.35, 1.0, 1.0]),
        conflicting=np.array([False, False, True, False]),
    )
    values = {metric.key: metric.measure(fused) for metric in METRICS}
    assert values["error_rate"] == (0 + 0 + 0.5 + 1) / 4
    assert values["brier"] == pytest.approx((0.25**2 + 0.3**2 + 0.5**2 + 1) / 4)
    # A wrong certainty is clipped to the spacing of floats at 1.
    losses = -np.log([0.75, 0.7, 0.5, np.finfo(float).eps])
    assert values["log_loss"] == pytest.approx(losses.mean())
    assert values["imprecision"] == pytest.approx((0.1 + 1) / 4)
    assert values["total_conflict"] == 0.25


def test_total_conflict_is_counted_and_vacuous(results):
    """Isotonic probabilities of 0 and 1 meet; their probability is 1/2."""
    column = [metric.key for metric in METRICS].index("total_conflict")
    first = results.repeats[0]
    share = first.metrics[1, column]
    assert share > 0
    assert np.mean(first.probability[1] == 0.5) >= share


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
        check_dataset(PROTOCOL, data)


def test_values_whose_squares_overflow_are_refused():
    X = np.stack([np.ones(400), np.linspace(0, 1e151, 400)], axis=1)
    data = Dataset("toy", X, np.arange(400) % 2, ("a", "b"), ("n", "p"))
    with pytest.raises(ValueError, match=r"toy: feature 'b' reaches 1e\+151, too large"):
        run(PROTOCOL, data)


def test_calibration_samples_have_the_sizes_asked_for_if_there_are_enough():
    small, large = calibration_samples(PROTOCOL, DATA)
    assert (len(small), len(large)) == (20, 200)
    assert set(small.y) == {0, 1}
    few = calibration_samples(PROTOCOL, toy((80, 90), ("n", "p")), sizes=(20, 200))
    assert [len(sample) for sample in few] == [20, 170 - 56 - 2]
