"""The contest of `evical demo`: what a repeat computes, and which data it refuses."""

import numpy as np
import pytest
from scipy.special import expit
from sklearn.datasets import load_iris
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from evical.calibrators import LogisticCalibrator
from evical.datasets import Dataset
from evical.datasets.loaders import load_breast_cancer
from evical.demo.contest import METHODS as ALL
from evical.demo.contest import (
    RECOMMENDED,
    SHARES,
    Method,
    check_data,
    draw_halves,
    draw_training,
    run_contest,
    share_sizes,
    sizes_of,
)
from evical.demo.pictures import calibration_samples
from evical.ensemble import EvidentialEnsemble

DATA = load_breast_cancer()
METHODS = (
    Method("logistic", "bayesian"),
    Method("isotonic", "bayesian"),
    Method("logistic", "bayesian", "largest"),
    Method("logistic", "bayesian", "size_mixture"),
)


@pytest.fixture(scope="module")
def contest():
    return run_contest(DATA, 2, 5, METHODS)


def values(made, repeat=0):
    return [rows[repeat].tolist() for rows in made.values.values()]


def test_a_repeat_depends_on_seed_and_number_only(contest):
    assert values(run_contest(DATA, 1, 5, METHODS)) == values(contest)
    assert values(run_contest(DATA, 1, 6, METHODS)) != values(contest)
    assert values(contest, 1) != values(contest)


def test_methods_do_not_influence_each_other(contest):
    assert values(run_contest(DATA, 1, 5, METHODS[2:3])) == values(contest)[2:3]


def drawn(seed, number):
    """Training samples, their halves, and test samples."""
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0, number)))
    train, test = draw_training(DATA.y, 284, 20, rng)
    return train, draw_halves(DATA.y[train], share_sizes(284, SHARES), rng), test


def test_a_repeat_step_by_step(contest):
    """The Bayesian rows from scikit-learn and Bayes' rule alone."""
    train, halves, test = drawn(5, 0)
    X = StandardScaler().fit(DATA.X[train]).transform(DATA.X)
    logits = []
    for half, other in halves:
        svm = SVC().fit(X[train[half]], DATA.y[train[half]])
        scores = svm.decision_function(X[train[other]])
        calibrator = LogisticCalibrator(model="bayesian").fit(scores, DATA.y[train[other]])
        t0, t1 = calibrator.theta_
        logits.append(-(t0 + t1 * svm.decision_function(X[test])))
    first = [contest.predictions[method][0] for method in METHODS]
    for y, _ in first:
        np.testing.assert_array_equal(y, DATA.y[test])
    p = [probability[:, 1] for _, probability in first]
    np.testing.assert_allclose(p[0], expit(np.sum(logits, axis=0)), atol=1e-6)
    np.testing.assert_allclose(p[2], expit(logits[0]), atol=1e-9)
    mean = np.average(expit(logits), axis=0, weights=[len(other) for _, other in halves])
    np.testing.assert_allclose(p[3], mean, atol=1e-9)
    wrong = np.mean((p[3] > 0.5) != DATA.y[test])
    brier = np.mean((p[3] - DATA.y[test]) ** 2)
    loss = -np.mean(np.log(np.where(DATA.y[test] == 1, p[3], 1 - p[3])))
    np.testing.assert_allclose(values(contest)[3], [wrong, brier, loss, 0, 0], atol=1e-9)


def test_total_conflict_is_counted_and_vacuous(contest):
    """Isotonic probabilities of 0 and 1 meet; their probability is 1/2."""
    y, both = contest.predictions[METHODS[1]][0]
    vacuous = both[:, 1] == 0.5
    assert contest.values[METHODS[1]][0, -1] == vacuous.mean() > 0
    assert contest.values[METHODS[1]][0, -2] == pytest.approx(vacuous.mean())  # Pl - Bel is 1
    # Half an error each.
    wrong = np.sum((both[~vacuous, 1] > 0.5) != y[~vacuous]) + 0.5 * vacuous.sum()
    assert contest.values[METHODS[1]][0, 0] == wrong / len(vacuous)


def test_the_default_is_the_ensemble_with_default_settings():
    contest = run_contest(DATA, 1, 5, [RECOMMENDED])
    [(_, found)] = contest.predictions[RECOMMENDED]
    train, halves, test = drawn(5, 0)
    scaler = StandardScaler().fit(DATA.X[train])
    subsets = [np.concatenate(pair) for pair in halves]
    ensemble = EvidentialEnsemble([SVC()] * 10, subsets=subsets)
    ensemble.fit(scaler.transform(DATA.X[train]), DATA.y[train])
    X = scaler.transform(DATA.X[test])
    np.testing.assert_allclose(found, ensemble.predict_proba(X), atol=1e-15)
    width = np.ptp(ensemble.predict_interval(X), axis=1).mean()
    assert contest.values[RECOMMENDED][0, -2] == pytest.approx(width)


def test_three_classes():
    """Iris is shared among seven; of a tie of k probable classes, 1 - 1/k of an error."""
    raw = load_iris()
    data = Dataset("iris", raw.data, raw.target, tuple("abcd"), ("x", "y", "z"))
    check_data(data)
    assert sizes_of(data) == [30, 15, *[6] * 5]
    assert len(sizes_of(toy((280, 19), ("n", "p")))) == 9  # which need 18 of each class
    methods = [Method("isotonic", "bayesian"), Method("logistic", "bayesian", "largest")]
    contest = run_contest(data, 1, 0, methods)
    for method in methods:
        [(y, p)] = contest.predictions[method]
        assert np.bincount(y).tolist() == [25, 25, 25]
        ties = [np.flatnonzero(row == row.max()).tolist() for row in p]
        wrong = [1 - (label in tie) / len(tie) for label, tie in zip(y, ties, strict=True)]
        brier = ((p - np.eye(3)[y]) ** 2).sum(axis=1).mean()
        np.testing.assert_allclose(contest.values[method][0, :2], [np.mean(wrong), brier])


def test_estimates_are_of_repeats_and_differences_within_them(contest):
    one, other = (contest.values[method][:, 1] for method in METHODS[:2])
    estimate = contest.estimate(METHODS[0], "brier")
    assert estimate.mean == pytest.approx(one.mean())
    difference = contest.difference(METHODS[0], METHODS[1], "brier")
    assert difference.standard_error == pytest.approx(np.std(one - other, ddof=1) / 2**0.5)


def test_finished_repeats_are_counted():
    seen = []
    run_contest(DATA, 2, 0, METHODS[2:3], on_repeat=seen.append)
    assert seen == [1, 2]


def toy(counts: tuple[int, ...], names: tuple[str, ...]) -> Dataset:
    y = np.repeat(np.arange(len(counts)), counts)
    return Dataset("toy", np.arange(len(y), dtype=float)[:, None], y, ("a",), names)


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ((50,) * 11, r"toy: the target has 11 classes \(0, 1, 2, 3, 4, ...\)"),
        ((300,), r"toy: the target has 1 class \(0\), but this experiment takes 2 to 10"),
        ((13, 13), "toy has 26 samples: 13 training samples are too few"),
        ((290, 10), "toy has 300 samples: the classes have 290 and 10 samples, but 10 of each"),
        ((200, 80, 10), "the classes have 200, 80 and 10 samples, but 10 of each"),
    ],
)
def test_data_that_cannot_be_shared_out_are_refused(counts, message):
    data = toy(counts, tuple(str(i) for i in range(len(counts))))
    with pytest.raises(ValueError, match=message):
        check_data(data)


def test_values_whose_squares_overflow_are_refused():
    X = np.stack([np.ones(400), np.linspace(0, 1e151, 400)], axis=1)
    data = Dataset("toy", X, np.arange(400) % 2, ("a", "b"), ("n", "p"))
    with pytest.raises(ValueError, match=r"toy: feature 'b' reaches 1e\+151, too large"):
        check_data(data)


def test_calibration_samples_have_the_sizes_asked_for_if_there_are_enough():
    small, large = calibration_samples(DATA, 5)
    assert [len(y) for _, y in (small, large)] == [20, 200]
    assert set(small[1]) == {0, 1}
    few = calibration_samples(toy((80, 90), ("n", "p")), 5, sizes=(20, 200))
    assert [len(y) for _, y in few] == [20, 170 - 56 - 2]


def test_the_table_has_the_rows_of_the_paper_and_four_more():
    assert len(ALL) == len(set(ALL)) == 18
    assert sum(method.fusion == "dempster" for method in ALL) == 14
    assert sizes_of(DATA) == share_sizes(284, SHARES)
