from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dstheory import Frame, MassFunction
from dstheory.errors import FrameError
from dstheory.revise import coarsen, refine, rename
from dstheory.testing import masses
from tests.dstheory.revise.strategies import partitions
from tests.naive import mass as naive
from tests.naive import revise as naive_revise
from tests.naive.rules import as_sets
from tests.support.each import each

FINE, COARSE = Frame(list("abc")), Frame(["ab", "c"])
MAPPING = {"ab": ["a", "b"], "c": "c"}


@given(data=st.data(), case=partitions())
def test_equal_their_definitions(data, case):
    fine, mapping = case
    coarse = Frame(list(mapping))
    below, above = data.draw(masses(fine, empty=True)), data.draw(masses(coarse, empty=True))
    assert as_sets(refine(above, fine, mapping)) == naive_revise.refine(as_sets(above), mapping)
    for reduction in ("outer", "inner"):
        found = coarsen(below, coarse, mapping, reduction=reduction)
        expected = naive_revise.coarsen(as_sets(below), mapping, reduction)
        assert as_sets(found) == expected
        # Shafer 1976, ch. 6: either reduction undoes a refining.
        undone = coarsen(refine(above, fine, mapping), coarse, mapping, reduction=reduction)
        assert undone == above


@given(data=st.data(), case=partitions())
def test_outer_reduction_restricts_the_belief(data, case):
    """Bel and Pl of a coarse event are those of its refining (Shafer 1976, ch. 6)."""
    fine, mapping = case
    m = data.draw(masses(fine, empty=True))
    coarse = coarsen(m, Frame(list(mapping)), mapping)
    for event in naive.subsets(mapping):
        union = frozenset().union(*(mapping[label] for label in event))
        assert (coarse.bel(event), coarse.pl(event)) == (m.bel(union), m.pl(union))


@given(data=st.data(), case=partitions())
def test_inner_reduction_is_the_dual(data, case):
    fine, mapping = case
    m, coarse = data.draw(masses(fine, empty=True)), Frame(list(mapping))
    assert coarsen(m, coarse, mapping, reduction="inner") == ~coarsen(~m, coarse, mapping)


def test_batches_and_large_frames():
    m = MassFunction(FINE, [1, 6], [[0.5, 0.5], [0.25, 0.75]])
    coarse = coarsen(m, COARSE, MAPPING)
    assert coarse.bel("ab").tolist() == [0.5, 0.25]
    assert refine(coarse, FINE, MAPPING).mass("a").tolist() == [0, 0]
    large = Frame(range(100))
    halves = {"even": range(0, 100, 2), "odd": range(1, 100, 2)}
    parity = MassFunction.from_dict(Frame(["even", "odd"]), {"odd": Fraction(1)})
    spread = refine(parity, large, halves)
    assert spread.bel(range(1, 100, 2)) == 1
    assert coarsen(spread, parity.frame, halves) == parity


def test_rename():
    m = MassFunction(FINE, [1, 6], [0.5, 0.5])
    assert rename(m, {"a": "c", "c": "a"}).to_dict() == {("c",): 0.5, ("b", "a"): 0.5}
    assert rename(m, {}) == m
    with pytest.raises(FrameError, match="'z' is not a label"):
        rename(m, {"z": "a"})
    with pytest.raises(FrameError, match="repeats"):
        rename(m, {"a": "b"})
    with pytest.raises(TypeError, match="mapping"):
        rename(m, ["x", "y", "z"])


@each(
    ("mapping", "message"),
    [
        ({"ab": ["a", "b"]}, r"no event for \['c'\]"),
        ({"ab": ["a", "b"], "c": []}, "'c' the empty event"),
        ({"ab": ["a", "b"], "c": ["b", "c"]}, r"gives \('b',\) to 'c' and"),
        ({"ab": "a", "c": "c"}, r"leaves out \('b',\)"),
        ({"ab": ["a", "b"], "c": "c", "d": "c"}, "'d' is not a label"),
        ({"ab": ["a", "z"], "c": "c"}, "'z' is not a label"),
    ],
)
def test_what_is_no_partition_is_refused(mapping, message):
    coarse = MassFunction(COARSE, [1], [1.0])
    with pytest.raises(FrameError, match=message):
        refine(coarse, FINE, mapping)
    with pytest.raises(FrameError, match=message):
        coarsen(MassFunction(FINE, [1], [1.0]), COARSE, mapping)


def test_wrong_arguments_are_refused():
    m = MassFunction(FINE, [1], np.ones(1))
    with pytest.raises(ValueError, match="reduction is 'middle'"):
        coarsen(m, COARSE, MAPPING, reduction="middle")
    for change in (coarsen, refine):
        with pytest.raises(TypeError, match="mapping"):
            change(m, FINE, [1, 2])
        with pytest.raises(TypeError, match=r"frame is .*, expected a Frame"):
            change(m, "abc", MAPPING)
        with pytest.raises(TypeError, match=r"m is .*, expected a MassFunction"):
            change(None, COARSE, MAPPING)
