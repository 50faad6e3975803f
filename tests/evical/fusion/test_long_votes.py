"""Long tables of votes: what is no vote, what cannot be told apart, and views as arrays."""

import numpy as np
import pandas as pd
import pytest

from evical import EvidentialFusion
from evical.fusion import sources_from_long
from tests.support.each import each


def test_long_votes_are_what_their_arrays_say():
    _, sources = sources_from_long([3, 1, 2, 1], ["a", "a", "b", "b"], ["x", "y", "y", "y"])
    fusion = EvidentialFusion().fit(sources)
    before = fusion.predict_proba(sources)
    arrays = {"a": ["y", None, "x"], "b": ["y", "y", None]}
    assert {name: votes.tolist() for name, votes in sources.items()} == arrays
    np.testing.assert_allclose(fusion.predict_proba(arrays), before)
    sources["a"][1] = "x"
    changed = {**arrays, "a": ["y", "x", "x"]}
    np.testing.assert_allclose(fusion.predict_proba(sources), fusion.predict_proba(changed))
    assert fusion.predict_proba(sources)[1].tolist() != before[1].tolist()
    assert len(sources) == 2
    assert "None" in repr(sources)


@each("label", [("a", 1), np.datetime64("2026-01-01", "ns")])
def test_votes_for_tuples_and_dates(label):
    other = ("b", 2) if isinstance(label, tuple) else np.datetime64("2025-01-01", "ns")
    vote = pd.Series([label, other, label, other])
    _, sources = sources_from_long([1, 2, 1, 2], ["a", "a", "b", "b"], vote)
    assert sources["b"].tolist() == [label, other]
    fusion = EvidentialFusion().fit(dict(sources))
    assert fusion.predict(dict(sources)).astype(object).tolist() == vote[2:].to_numpy().tolist()


@each("kind", ["O", "string", None])
def test_a_missing_vote_in_a_long_table_is_none(kind):
    vote = ["x", None, "y"]
    column = vote if kind is None else pd.Series(vote, dtype=kind)
    items, sources = sources_from_long([1, 1, 2], ["a", "b", "a"], column)
    assert items.tolist() == [1, 2]
    assert {name: votes.tolist() for name, votes in sources.items()} == {
        "a": ["x", "y"],
        "b": [None, None],
    }


@each(("kind", "start"), [("int8", -128), ("int64", -(2**63)), ("uint64", 2**64 - 200)])
def test_items_in_half_of_a_type_are_told_apart(kind, start):
    numbers = list(range(start, start + 200))
    item = np.array(numbers[::-1], dtype=kind)
    items, sources = sources_from_long(item, ["a"] * 200, np.arange(200))
    assert items.tolist() == numbers
    assert sources["a"].tolist() == list(range(200))[::-1]


def test_bad_tables():
    with pytest.raises(ValueError, match="source 'a' votes twice about item 3, in rows 0 and 2"):
        sources_from_long([3, 4, 3], ["a", "a", "a"], ["x", "x", "y"])
    with pytest.raises(ValueError, match="2 items, 1 sources and 2 votes"):
        sources_from_long([3, 4], ["a"], ["x", "x"])
    with pytest.raises(ValueError, match=r"source\[1\] is missing; every vote needs one"):
        sources_from_long([3, 4], ["a", None], ["x", "x"])
    with pytest.raises(TypeError, match="source has values without a common order, 1 and 'a'"):
        sources_from_long([3, 4], pd.Series([1, "a"]), ["x", "x"])
