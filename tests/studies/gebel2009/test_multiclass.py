"""Gebel's study of many classes: its network and folds, tables as printed, and a quick repeat."""

from dataclasses import replace
from math import exp

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from sklearn.datasets import make_classification
from sklearn.multiclass import OneVsRestClassifier

from evical import EvidentialClassifier
from evical.calibrators import AutoCalibrator
from evical.datasets import Dataset
from evical.multiclass import DirichletCalibrator, code_matrix
from examples.studies import reproduce, study_files
from examples.studies._reproduce import Outcome
from examples.studies.gebel2009 import _conclusions
from examples.studies.gebel2009._calibrations import DEFAULT, REDUCED, Task, calibrated
from examples.studies.gebel2009._columns import (
    CROSS_FIT,
    TRAINING,
    binary_network,
    column_labels,
    direct_network,
    learned_scores,
    spread,
    svm,
)
from examples.studies.gebel2009._conclusions import CLAIMS, Claim, conclusions
from examples.studies.gebel2009._network import SigmoidNetwork, objective, with_ones
from examples.studies.gebel2009._printed import NETWORK, SETS, SVM, TABLES, printed_numbers
from examples.studies.gebel2009._sources import SquaredHingeSVC
from examples.studies.gebel2009.multiclass import GEBEL2009_MULTICLASS, MulticlassCondition
from tests.support.each import each

SIZES = dict(zip(SETS, (157, 625, 336, 214, 150, 2310, 846, 178, 101), strict=True))


def samples(n=60, n_classes=3):
    X, y = make_classification(
        n, 4, n_informative=3, n_redundant=0, n_classes=n_classes, flip_y=0.2, random_state=0,
        n_clusters_per_class=1,
    )  # fmt: skip
    return X, y


def logistic(z):
    """Eq. 3.27."""
    return 1 / (1 + exp(-z))


def naive_objective(first, second, X, target, decay):
    """Eq. 3.24, 3.25, 3.29 and 3.30, unit by unit."""
    total = decay * (sum(w * w for row in first for w in row))
    total += decay * sum(w * w for row in second for w in row)
    for x, truth in zip(X, target, strict=True):
        z = [1.0] + [
            logistic(sum(a * v for a, v in zip(column, [1.0, *x], strict=True)))
            for column in zip(*first, strict=True)
        ]
        for column, t in zip(zip(*second, strict=True), truth, strict=True):
            total += (t - logistic(sum(b * v for b, v in zip(column, z, strict=True)))) ** 2
    return total


def test_the_networks_objective_and_its_gradient():
    rng = np.random.default_rng(0)
    X, target, shapes = rng.normal(size=(5, 2)), np.eye(3)[[0, 1, 2, 0, 1]], ((3, 2), (3, 3))
    weights = rng.normal(size=15)
    first, second = weights[:6].reshape(3, 2), weights[6:].reshape(3, 3)
    value, gradient = objective(weights, with_ones(X), target, shapes, 0.1)
    expected = naive_objective(first.tolist(), second.tolist(), X.tolist(), target.tolist(), 0.1)
    assert value == pytest.approx(expected)
    numeric = approx_fprime(weights, lambda w: objective(w, with_ones(X), target, shapes, 0.1)[0])
    np.testing.assert_allclose(gradient, numeric, atol=1e-5)


def test_the_network_learns_what_no_line_separates():
    X, y = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]] * 5), np.array([0, 1, 1, 0] * 5)
    network = SigmoidNetwork(0.001, 5).fit(X, y)
    np.testing.assert_array_equal(network.predict(X), y)
    p = network.predict_proba(X)
    np.testing.assert_allclose(p[:, 1], network.outputs(X)[:, 0])
    three = SigmoidNetwork(0.01, 3).fit(X, np.arange(20) % 3)
    np.testing.assert_allclose(three.predict_proba(X).sum(axis=1), 1)
    assert three.outputs(X).shape == (20, 3)


def test_folds_spread_each_class():
    y = np.repeat([0, 1, 2], [23, 2, 7])
    folds = spread(y, 5, np.random.default_rng(0))
    assert sorted(np.concatenate([test for _, test in folds])) == list(range(32))
    for label, least in ((0, 4), (1, 0), (2, 1)):
        counts = [np.sum(y[test] == label) for _, test in folds]
        assert min(counts) == least
        assert max(counts) == least + 1
    for train, test in folds:
        assert not set(train) & set(test)


def test_columns_take_the_samples_of_their_classes():
    code, y = code_matrix("all_pairs", 3), np.array([0, 1, 2, 2])
    assert [one.tolist() for one in column_labels(code, y)] == [
        [1, 0, -1, -1],
        [1, -1, 0, 0],
        [-1, 1, 0, 0],
    ]


def test_cross_fitted_scores_are_of_classifiers_without_the_sample():
    X, y = samples()
    rng = np.random.default_rng(0)
    folds = spread(y, 3, rng)
    labels = column_labels(code_matrix("all_pairs", 3), y)
    scores = learned_scores(svm((8.0,), (0.1,)), labels, X, X[:9], folds, 50, rng)
    one = labels[1]
    for f, (train, test) in enumerate(folds):
        used = train[one[train] >= 0]
        machine = SquaredHingeSVC(8.0, 0.1).fit(X[used], one[used])
        np.testing.assert_allclose(
            scores.seen[CROSS_FIT][test, 1], machine.decision_function(X[test])
        )
        np.testing.assert_allclose(scores.new_of_folds[f, :, 1], machine.decision_function(X[:9]))
    used = one >= 0
    machine = SquaredHingeSVC(8.0, 0.1).fit(X[used], one[used])
    np.testing.assert_allclose(scores.seen[TRAINING][:, 1], machine.decision_function(X))
    np.testing.assert_allclose(scores.new[:, 1], machine.decision_function(X[:9]))


def test_parameters_are_those_with_the_fewest_errors():
    X, y = samples(90, 2)
    learner = svm((0.01, 8.0), (1e-6, 0.3))
    folds = spread(y, 3, np.random.default_rng(0))
    wrong = {}
    for parameters in learner.grid:
        machines = [SquaredHingeSVC(**parameters).fit(X[train], y[train]) for train, _ in folds]
        wrong[tuple(parameters.values())] = sum(
            np.sum(machine.predict(X[test]) != y[test])
            for machine, (_, test) in zip(machines, folds, strict=True)
        )
    best = learner.best(X, y, folds)
    assert wrong[tuple(best.values())] == min(wrong.values()) < max(wrong.values())


def test_a_side_without_samples():
    X, _ = samples()
    learner = binary_network((0.01,), (2,))
    assert set(learner.trained({}, X, np.ones(60, dtype=int))(X[:3])) == {1.0}
    assert set(learner.trained({}, X, np.zeros(60, dtype=int))(X[:3])) == {-1.0}
    assert set(learner.trained({}, X[:0], np.zeros(0, dtype=int))(X[:3])) == {0.0}
    direct = direct_network((0.01,), (2,), 4)
    p = direct.trained({"decay": 0.01, "hidden": 2}, X, np.arange(60) % 3)(X)
    np.testing.assert_array_equal(p[:, 3], 0)
    np.testing.assert_allclose(p.sum(axis=1), 1)


def task(kind, learner, *, probable):
    X, y = samples()
    rng = np.random.default_rng(0)
    folds, code = spread(y, 5, rng), code_matrix(kind, 3)
    scores = learned_scores(learner, column_labels(code, y), X, X[:20] + 0.1, folds, 60, rng)
    return X, y, folds, Task(kind, code, y, scores, CROSS_FIT, probable)


@pytest.mark.parametrize("base", [SquaredHingeSVC(8.0, 0.1), SigmoidNetwork(0.01, 2)])
def test_the_row_of_the_default_is_evidential_classifier(base):
    """With one against rest and the same folds, from the scores that all calibrations share."""
    probable = isinstance(base, SigmoidNetwork)
    learner = binary_network((0.01,), (2,)) if probable else svm((8.0,), (0.1,))
    X, y, folds, shared = task("one_vs_rest", learner, probable=probable)
    found = {name: p for name, p, _ in calibrated(shared)}
    ours = EvidentialClassifier(OneVsRestClassifier(base), cv=folds).fit(X, y)
    np.testing.assert_allclose(found[DEFAULT], ours.predict_proba(X[:20] + 0.1), atol=1e-9)


def test_the_evidential_reduction_is_evidential_classifier_with_all_pairs():
    X, y, folds, shared = task("all_pairs", svm((8.0,), (0.1,)), probable=False)
    found = {name: p for name, p, _ in calibrated(shared)}
    assert DEFAULT not in found
    ours = EvidentialClassifier(
        SquaredHingeSVC(8.0, 0.1),
        code="all_pairs",
        calibrator=AutoCalibrator(),
        cv=folds,
        ensemble=False,
        total_conflict="vacuous",
    ).fit(X, y)
    np.testing.assert_allclose(found[REDUCED], ours.predict_proba(X[:20] + 0.1), atol=1e-9)
    np.testing.assert_array_equal(found["Dirichlet trimmed"], found["Dirichlet geometric"])
    for name, p in found.items():
        np.testing.assert_allclose(p.sum(axis=1), 1, err_msg=name)


@pytest.mark.parametrize("kind", ["one_vs_rest", "all_pairs"])
def test_eight_classes_have_too_few_columns_to_trim(kind):
    """A tenth of eight values, rounded down, is none: table 6.11 prints two numbers for Iris."""
    rng = np.random.default_rng(0)
    r, y = rng.uniform(0.1, 0.9, (40, code_matrix(kind, 8).shape[1])), np.arange(40) % 8
    trimmed, geometric = (
        DirichletCalibrator(code=kind, combine=combine, factor=3).fit(r, y).predict_proba(r)
        for combine in ("trimmed", "geometric")
    )
    np.testing.assert_array_equal(trimmed, geometric)
    table = printed_numbers(SVM, "all_pairs", "correctness")
    differ = [d for d in SETS if table["Dirichlet trimmed", d] != table["Dirichlet geometric", d]]
    assert differ == ["Iris"]


def test_printed_rates_are_shares_of_the_samples_cut_to_three_digits():
    """So tables are typed right, and rates are of all folds together."""
    for classifier, reduction in TABLES:
        for (name, data), rate in printed_numbers(classifier, reduction, "correctness").items():
            shares = 1000 * np.arange(SIZES[data] + 1) // SIZES[data]
            assert round(1000 * rate) in shares, (classifier, reduction, name, data)


# CR and Cal of lines of tables 6.10 to 6.13, added up by hand.
SUMS = {
    (SVM, "one_vs_rest", "original"): (7.245, 5.522),
    (SVM, "one_vs_rest", "assignment value"): (7.099, 6.506),
    (SVM, "one_vs_rest", "logistic"): (7.138, 6.186),
    (SVM, "one_vs_rest", "Dirichlet geometric"): (7.262, 7.136),
    (SVM, "one_vs_rest", "Dirichlet product"): (7.206, 7.042),
    (SVM, "all_pairs", "original"): (7.416, 5.076),
    (SVM, "all_pairs", "assignment value"): (7.529, 6.785),
    (SVM, "all_pairs", "logistic"): (7.314, 6.732),
    (SVM, "all_pairs", "Dirichlet trimmed"): (7.396, 6.609),
    (SVM, "all_pairs", "Dirichlet product"): (6.746, 6.984),
    (NETWORK, "one_vs_rest", "logistic"): (7.684, 7.603),
    (NETWORK, "one_vs_rest", "Dirichlet geometric"): (7.611, 7.634),
    (NETWORK, "one_vs_rest", "Dirichlet product"): (7.237, 7.320),
    (NETWORK, "all_pairs", "original"): (7.662, 6.255),
    (NETWORK, "all_pairs", "assignment value"): (7.795, 7.789),
    (NETWORK, "all_pairs", "logistic"): (7.778, 7.540),
    (NETWORK, "all_pairs", "Dirichlet geometric"): (7.318, 6.708),
    (NETWORK, "all_pairs", "Dirichlet product"): (7.707, 7.681),
    (NETWORK, "direct", "original"): (7.292, 7.120),
    (NETWORK, "direct", "Dirichlet direct"): (7.235, 6.987),
    # Table 6.12 has .662 and .684, and .662, for B3.
    (NETWORK, "one_vs_rest", "original"): (7.688 - 0.006, 6.647 + 0.003),
    (NETWORK, "one_vs_rest", "assignment value"): (7.691 - 0.013, 7.618),
}


@each(("classifier", "reduction", "name"), SUMS)
def test_the_appendix_agrees_with_the_tables_of_the_text(classifier, reduction, name):
    for measure, expected in zip(
        ("correctness", "product"), SUMS[classifier, reduction, name], strict=True
    ):
        table = printed_numbers(classifier, reduction, measure)
        assert sum(table[name, data] for data in SETS) == pytest.approx(expected)


def toy_outcome():
    X, y = samples(60, 3)
    data = Dataset("toy", X, y, tuple("abcd"), tuple("pqr"))
    small = {"n_folds": 2, "n_inner": 2, "costs": (8.0,), "widths": (0.1,)}
    small |= {"decays": (0.01,), "hidden": (2,)}
    conditions = tuple(
        MulticlassCondition("Iris", "toy", classifier, **small) for classifier in (SVM, NETWORK)
    )
    study = replace(GEBEL2009_MULTICLASS, conditions=conditions, quick=())
    return reproduce(study, data={"toy": data}), conditions, data


@pytest.fixture(scope="module")
def toy():
    return toy_outcome()


def test_a_quick_repeat(toy):
    outcome, conditions, data = toy
    # Per reduction and source 13 calibrations; ours with cross-fitted scores only.
    assert len(outcome.rows) == 2 * (2 * 2 * 13 + 3) + 2 * 4 + 1
    for row in outcome.rows:
        assert 0.3 < outcome.values(row, "correctness")[0] <= 1
        (calibration,) = outcome.values(row, "calibration")
        assert outcome.values(row, "product")[0] == calibration**2
        (factor,) = outcome.values(row, "factor")
        assert np.isnan(factor) == ("Dirichlet" not in row[4])
        assert not 0.01 < factor < 1 or "free factor" in row[4]
    machine = conditions[0]
    first = machine.run_repeat({"toy": data}, 0, 0)
    kept = [(row, tuple(v[0])) for row, v in outcome.rows.items() if row[1] == SVM]
    np.testing.assert_equal(first, kept)  # of which NaN equals NaN
    assert first != machine.run_repeat({"toy": data}, 1, 0)


def test_the_page_of_a_quick_repeat(toy):
    page = study_files(toy[0], "the command")["gebel2009-multiclass.md"]
    assert "| first : second | measure | printed | training scores | cross-fitted scores |" in page
    # By hand from table 6.10: 7.136 - 5.522 over nine sets.
    assert "| Dirichlet geometric : original | Cal | +0.179 ± 0.030 ✓ |" in page
    assert "**Tables 6.13 and A.4: network, all pairs**" in page


def outcome_of(numbers):
    """Rows with the same number for each measure."""
    rows = {
        (data, SVM, "one_vs_rest", TRAINING, name): np.full((1, 5), value)
        for (data, name), value in numbers.items()
    }
    return Outcome(GEBEL2009_MULTICLASS, (), 1, 0, rows)


@pytest.mark.parametrize(
    ("second", "expected", "mark"),
    [
        ((0.5, 0.6), "higher", " ✓"),
        ((0.5, 0.6), "lower", " ✗"),
        ((0.5, 0.9), "higher", " ?"),
        ((0.5, 0.6), "", ""),
    ],
)
def test_a_conclusion_is_judged_over_data_sets(second, expected, mark):
    """Differences 0.3 and 0.2, or 0.3 and -0.1: means 0.25 and 0.1, errors 0.05 and 0.2."""
    numbers = {("Iris", "logistic"): 0.8, ("Wine", "logistic"): 0.8}
    numbers |= dict(zip([("Iris", "original"), ("Wine", "original")], second, strict=True))
    options = ("one_vs_rest", "logistic"), ("one_vs_rest", "original")
    claim = Claim("x", SVM, *options, "brier", expected, "balanced")
    values = _conclusions.gaps(outcome_of(numbers), claim, TRAINING)
    text = _conclusions.judged(values, claim)
    assert text == ("+0.250 ± 0.050" if second[1] == 0.6 else "+0.100 ± 0.200") + mark
    assert _conclusions.judged(_conclusions.gaps(outcome_of({}), claim, TRAINING), claim) == ""


def test_conclusions_name_what_there_is():
    names = {name for tables in TABLES for name, _ in printed_numbers(*tables, "product")}
    for claim in CLAIMS:
        for reduction, name in (claim.first, claim.second):
            assert reduction in {"one_vs_rest", "all_pairs", "direct"}
            assert name.removesuffix(", h degrees") in names | {REDUCED, DEFAULT}
        assert claim.group in _conclusions.GROUPS
    assert sorted(sum((_conclusions.GROUPS[g] for g in ("balanced", "unbalanced")), ())) == sorted(
        SETS
    )
    assert "## Means over the nine data sets" in conclusions(outcome_of({}))
