"""Protocols as data, their words, and the summary of repeats."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from evical.datasets import Dataset, load_breast_cancer
from evical.evaluation import Estimate
from evical.studies import (
    METRICS,
    TEN_CLASSIFIERS,
    Method,
    Repeat,
    Results,
    describe,
    estimates,
    paired_difference,
    reliability_data,
)

LIKELIHOOD, BAYESIAN = Method("logistic", "likelihood"), Method("logistic", "bayesian")


def results_with(errors: list[tuple[float, float]]) -> Results:
    """Repeats with given error rates of the likelihood and the Bayesian model."""
    repeats = []
    for number, pair in enumerate(errors):
        metrics = np.zeros((2, len(METRICS)))
        metrics[:, 0] = pair
        probability = np.array([[0.25, 0.75], [0.5, number / 10]])
        repeats.append(Repeat(number, np.array([0, 1]), probability, metrics))
    protocol = replace(TEN_CLASSIFIERS, methods=(LIKELIHOOD, BAYESIAN), repeats=len(errors))
    return Results(protocol, load_breast_cancer(), tuple(repeats))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"shares": (Fraction(1, 2),)}, "sum to 1"),
        ({"shares": (Fraction(3, 2), Fraction(-1, 2))}, "positive parts"),
        ({"classifier": "oracle"}, "classifier is 'oracle', expected one of 'rbf_svm'"),
        ({"methods": ()}, "there are no methods"),
        ({"repeats": 0}, "repeats is 0, expected at least 1"),
        ({"seed": -1}, "seed is -1"),
    ],
)
def test_wrong_protocols_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        replace(TEN_CLASSIFIERS, **change)


def test_wrong_methods_are_refused():
    with pytest.raises(ValueError, match="calibrator is 'magic', expected one of 'binning'"):
        Method("magic", "likelihood")
    with pytest.raises(ValueError, match="fusion is 'sum', expected one of 'dempster'"):
        Method("binning", "likelihood", "sum")
    with pytest.raises(ValueError, match="model is 'dempster', expected one of 'likelihood'"):
        Method("logistic", "dempster")  # which is a model of bins


def test_a_difference_of_what_was_not_measured_is_refused():
    results = results_with([(0.1, 0.2)])
    with pytest.raises(ValueError, match="metric is 'auc', expected one of 'error_rate', 'brier'"):
        paired_difference(results, LIKELIHOOD, BAYESIAN, "auc")
    with pytest.raises(ValueError, match="'binning, likelihood, Dempster's rule' is no method of"):
        paired_difference(results, LIKELIHOOD, Method("binning", "likelihood"), "brier")
    with pytest.raises(ValueError, match="is no method of"):
        reliability_data(results, Method("binning", "likelihood"))


def test_the_table_has_the_rows_of_the_study():
    kinds = [(m.calibrator, m.model, m.fusion) for m in TEN_CLASSIFIERS.methods]
    assert len(kinds) == len(set(kinds)) == 17
    assert sum(shares := TEN_CLASSIFIERS.shares) == 1
    assert sorted(shares)[-2:] == [Fraction(1, 5), Fraction(2, 3)]


def test_the_description_tells_the_sizes_the_seed_and_the_encoding():
    text = " ".join(describe(replace(TEN_CLASSIFIERS, repeats=7, seed=42), load_breast_cancer()))
    for part in (
        "7 repeats",
        "284 samples",
        "other 285",
        "189, 57, 6 times 5, 2 times 4",
        "seed 42",
    ):
        assert part in text
    assert "one-hot" not in text
    y = np.arange(400) % 2
    data = Dataset("toy", np.zeros((400, 2)), y, ("c=a", "c=b"), ("n", "p"), encoded=("c",))
    assert "one-hot encoded: c." in " ".join(describe(TEN_CLASSIFIERS, data))


def test_standard_errors_are_those_of_the_mean():
    results = results_with([(0.1, 0.2), (0.2, 0.4), (0.3, 0.3)])
    table = estimates(results)
    assert table[LIKELIHOOD]["error_rate"].mean == pytest.approx(0.2)
    assert table[LIKELIHOOD]["error_rate"].standard_error == pytest.approx(0.1 / 3**0.5)
    difference = paired_difference(results, LIKELIHOOD, BAYESIAN, "error_rate")
    # Differences -0.1, -0.2, 0: mean -0.1, standard deviation 0.1.
    assert difference.mean == pytest.approx(-0.1)
    assert difference.standard_error == pytest.approx(0.1 / 3**0.5)
    assert not difference.is_clear()
    assert difference.is_clear(errors=1.5)


def test_a_single_repeat_has_no_standard_error():
    estimate = Estimate.of(np.array([0.5]))
    assert np.isnan(estimate.standard_error)
    assert not estimate.is_clear()


def test_predictions_are_pooled_over_rounds():
    y, probability = reliability_data(results_with([(0, 0)] * 2), BAYESIAN)
    assert y.tolist() == [0, 1, 0, 1]
    assert probability.tolist() == [0.5, 0.0, 0.5, 0.1]
