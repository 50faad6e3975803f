"""Counts from chunks are those of all rows at once."""

import numpy as np
import pytest

from evical.cli import _tally
from evical.cli._tally import Tally
from evical.scores import ScoreCounts
from tests.support.each import each


def place(row):
    return f"t.csv, line {row + 2}"


@each("positive", [None, "a", "b"])
@each("weighted", [False, True])
def test_chunks_in_any_order_give_the_same(positive, weighted):
    rng = np.random.default_rng(0)
    scores = rng.integers(0, 50, 1000) / 7
    labels = rng.choice(np.array(["b", "a"], dtype=object), 1000)
    labels[:300] = "b"  # a first chunk of one class
    weights = rng.integers(0, 3, 1000).astype(float) if weighted else None
    tally = Tally("y", 1000)
    for part in np.split(np.arange(1000), [300, 310, 700]):
        tally.add(scores[part], labels[part], None if weights is None else weights[part], place)
    counts, (negative, found) = tally.result(positive)
    assert {negative, found} == {"a", "b"}
    assert found == (positive or "b")
    whole = ScoreCounts.from_samples(scores, labels == found, weights)
    for name in ("scores", "negative", "positive"):
        np.testing.assert_array_equal(getattr(counts, name), getattr(whole, name))
    assert tally.rows == 1000
    assert tally.bits == 52


def test_numbers_ascend_as_numbers():
    tally = Tally("y", 1000)
    tally.add(np.arange(2.0), np.array(["9", "10"], dtype=object), None, place)
    assert tally.result()[1] == ("9", "10")


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1)])
def test_too_many_scores_are_rounded_whatever_the_order(order, monkeypatch):
    monkeypatch.setattr(_tally, "_PENDING", 4000)  # so that parts are merged on the way
    rng = np.random.default_rng(1)
    scores = rng.normal(size=(3, 5000)) * [[1], [100], [1e-3]]
    labels = np.array(["no", "yes"] * 2500, dtype=object)
    tally = Tally("y", 1000)
    for part in order:
        tally.add(scores[part], labels, None, place)
    counts, _ = tally.result()
    whole = ScoreCounts.from_samples(scores.ravel(), np.tile(labels == "yes", 3))
    expected, bits = whole.sketch(2000)
    assert tally.bits == bits < 52
    assert 1000 <= len(counts) <= 2000
    for name in ("scores", "negative", "positive"):
        np.testing.assert_array_equal(getattr(counts, name), getattr(expected, name))
