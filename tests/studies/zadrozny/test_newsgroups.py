"""Naive Bayes of words by definition, table 5 as printed, and a repeat of the study."""

from dataclasses import replace
from math import log

import numpy as np
import pytest
from scipy import sparse
from scipy.special import expit

from evical.datasets import Dataset
from examples.studies.parts.boosted_bayes import BoostedNaiveBayes, Words
from examples.studies.zadrozny.newsgroups_2002 import ZADROZNY2002_NEWSGROUPS

COUNTS = np.array([[2, 0, 1], [0, 3, 0], [1, 0, 0], [0, 1, 1]])
Y = np.array([1, 0, 1, 0])


@pytest.mark.parametrize("words", [Words(), Words(alpha=0.01), Words(presence=True)])
def test_naive_bayes_of_words_by_hand(words):
    """Shares of words in each class with alpha added, times the share of the class."""
    X = words.of(sparse.csr_array(COUNTS.astype(float)))
    seen = np.minimum(COUNTS, 1) if words.presence else COUNTS
    expected = []
    for document in seen:
        score = 0.0
        for label, sign in ((1, 1), (0, -1)):
            total = seen[label == Y].sum(axis=0) + words.alpha
            score += sign * sum(
                n * log(share) for n, share in zip(document, total / total.sum(), strict=True)
            )
        expected.append(score)
    model = BoostedNaiveBayes(0, words).fit(X, Y)
    np.testing.assert_allclose(model.predict_log_odds(X), expected, rtol=1e-9)
    np.testing.assert_allclose(model.predict_positive(X), expit(expected), rtol=1e-9)


def test_log_odds_of_boosting_are_those_of_its_probabilities():
    X, y = np.random.default_rng(0).normal(size=(40, 2)), np.arange(40) % 2
    model = BoostedNaiveBayes(3).fit(X + y[:, np.newaxis], y)
    found = expit(model.predict_log_odds(X))
    np.testing.assert_allclose(found, model.predict_positive(X), rtol=1e-12)


def test_table_5_is_typed_right():
    """Sums over lines by hand, for each of three ways to count."""
    mse, error = (table.values for table in ZADROZNY2002_NEWSGROUPS.published)
    assert sum(mse.values()) == pytest.approx(3 * (0.0493 + 0.04054))
    assert sum(error.values()) == pytest.approx(3 * (0.47432 + 0.46026))
    assert mse["presence of words", "PAV", "normalization"] == 0.0122
    assert error["counts of words", "none", "iterative"] == 0.16066


def test_a_repeat_on_simulated_texts():
    """The same for the same number and seed; calibration helps naive Bayes of repeated words."""
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(3), 60)
    rates = rng.gamma(2.0, size=(3, 12))
    counts = sparse.csr_array(6.0 * rng.poisson(0.3 * rates[y]))
    names = tuple(map(str, range(12))), tuple("abc")
    data = {"newsgroups20_bow": Dataset("toy", counts, y, *names)}
    (condition,) = [
        replace(condition, couplings=("normalization", "least squares"))
        for condition in ZADROZNY2002_NEWSGROUPS.conditions
        if condition.base == "counts of words"
    ]
    rows = dict(condition.run_repeat(data, 0, 0))
    assert len(rows) == 3 * 2
    assert dict(condition.run_repeat(data, 0, 0)) == rows
    assert dict(condition.run_repeat(data, 1, 0)) != rows
    mse = {labels[1:]: values[0] for labels, values in rows.items()}
    for method in ("PAV", "PAV of log-odds"):
        assert mse[method, "normalization"] < mse["none", "normalization"]
