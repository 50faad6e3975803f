"""Frames: what is a label, what is an event, and what is refused."""

import copy
import pickle
import tracemalloc
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dstheory import Frame, MassFunction, vacuous
from dstheory.errors import FrameError
from dstheory.frame import same_frame
from dstheory.product import ProductFrame, Variable
from dstheory.testing import frames
from tests.support.each import each


@given(frame=frames(max_size=8), data=st.data())
def test_mask_and_event_are_inverse(frame, data):
    mask = data.draw(st.integers(0, frame.full))
    event = frame.event(mask)
    assert frame.mask(event) == mask
    assert frame.mask(set(event)) == frame.mask(list(event)) == mask
    assert event == tuple(label for i, label in enumerate(frame.labels) if mask >> i & 1)


@given(frame=frames(max_size=8))
def test_bit_i_is_label_i(frame):
    assert [frame.mask(label) for label in frame] == [1 << i for i in range(len(frame))]
    assert frame.full == sum(frame.mask(label) for label in frame) == frame.mask(frame)


def test_sequence_protocol():
    frame = Frame(["ant", "bee", "cat"])
    assert list(frame) == ["ant", "bee", "cat"]
    assert "bee" in frame
    assert "dog" not in frame
    assert ["ant"] not in frame  # not hashable, hence no label


@each(
    "labels",
    [
        ["a", "b"],
        ("a", "b"),
        np.array(["a", "b"]),
        np.array(["a", "b"], dtype=object),
        pd.Series(["a", "b"], index=[7, 8]),
        pd.Index(["a", "b"]),
        {"a": 1, "b": 2},
        (letter for letter in "ab"),
    ],
    ids=lambda labels: type(labels).__name__,
)
def test_labels_from_any_ordered_collection(labels):
    frame = Frame(labels)
    assert frame.labels == ("a", "b")
    assert all(type(label) is str for label in frame)


@each(
    ("labels", "event", "mask"),
    [
        (["a", "d", "ad"], "ad", 4),
        (["a", "d", "ad"], ["a", "d"], 3),
        (["a", "d", "ad"], np.array("ad"), 4),
        (["a", "d", "ad"], np.array(["ad", "a"]), 5),
        (["a", "d", "ad"], pd.Series(["ad", "a"]), 5),
        (["a", ("a", "b"), "b"], ("a", "b"), 2),
        (["a", ("a", "b"), "b"], ["a", "b"], 5),
        (["a", ("a", "b"), "b"], [("a", "b"), "b"], 6),
        (["a", frozenset("ab"), "b"], frozenset("ab"), 2),
        ([10, 20, 30], 20, 2),
        ([10, 20, 30], np.int64(20), 2),
        ([10, 20, 30], np.array([20, 30]), 6),
        ([np.array(10), np.array(20)], [np.array(20)], 2),  # as tensors give their elements
        ([10, 20, 30], range(10, 31, 10), 7),
        ([10, 20, 30], 20.0, 2),
        ([0.5, Fraction(1, 3)], np.float64(0.5), 1),
        ([None, "a"], None, 1),
        ([False, True], np.bool_(True), 2),
        (["a", "b"], ["b", "b"], 2),
        (["a", "b"], [], 0),
        (["a", "b"], (), 0),
        (["a", "b"], iter("ab"), 3),
        (np.array(["2020-01-01"], "datetime64[ns]"), np.datetime64("2020-01-01", "ns"), 1),
    ],
)
def test_events(labels, event, mask):
    assert Frame(labels).mask(event) == mask


@each("event", ["ab", b"ab", "", ["a", "ab"], 1, None, [["a"]], 2.5])
def test_unknown_labels_are_named_with_the_frame(event):
    with pytest.raises(FrameError, match=r"is not a label of Frame\(\['a', 'b'\]\)") as caught:
        Frame(["a", "b"]).mask(event)
    if isinstance(event, str):
        assert repr(event) in str(caught.value)


def test_bytes_are_never_a_collection_of_integers():
    with pytest.raises(FrameError, match="b'ad' is not a label"):
        Frame(range(256)).mask(b"ad")


def test_a_frame_is_an_event_only_of_itself():
    frame = Frame(["a", "b"])
    assert frame.mask(Frame(["a", "b"])) == 3
    with pytest.raises(FrameError, match=r"Frame\(\['b', 'a'\]\) is another frame"):
        frame.mask(Frame(["b", "a"]))


@each(
    ("labels", "error", "message"),
    [
        ("ab", TypeError, "not the string 'ab'"),
        ({"a", "b"}, TypeError, "labels need an order"),
        (frozenset("ab"), TypeError, "labels need an order"),
        (5, TypeError, "labels are 5, expected a sequence of labels"),
        ([["a"], "b"], TypeError, r"label \['a'\] at position 0 is not hashable"),
        (["a", (1, [2])], TypeError, "at position 1 is not hashable"),
        ([], FrameError, "at least one label"),
        (["a", "b", "a"], FrameError, "label 'a' at position 2 repeats position 0"),
        ([1, True], FrameError, "label True at position 1 repeats position 0"),
        ([1.0, np.nan], FrameError, "label nan at position 1 is not equal to itself"),
    ],
)
def test_wrong_labels(labels, error, message):
    with pytest.raises(error, match=message):
        Frame(labels)


@pytest.mark.parametrize("mask", [-1, 4, 1 << 70, np.int64(4)])
def test_foreign_masks(mask):
    with pytest.raises(FrameError, match="whose masks are 0 to 3"):
        Frame(["a", "b"]).event(mask)


@pytest.mark.parametrize("mask", [True, 1.0, "1", None, [1]])
def test_a_mask_is_an_int(mask):
    with pytest.raises(TypeError, match=r"a mask is .*, expected an int"):
        Frame(["a", "b"]).check_mask(mask)


def test_large_frames():
    frame = Frame(range(200))
    assert frame.mask([0, 199]) == 1 + (1 << 199)
    assert frame.event(1 << 150 | 2) == (1, 150)
    assert frame.full == (1 << 200) - 1
    assert repr(frame) == "Frame([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ... 200 labels])"


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        ([2, 0, 2, 1], (0, 1, 2)),
        (np.array([["b", "a"], ["a", "b"]]), ("a", "b")),
        (np.array(["b", "a", "b"], dtype=object), ("a", "b")),
        ([True, False], (False, True)),
    ],
)
def test_distinct_values_of_an_array(values, labels):
    frame = Frame.from_array(values)
    assert frame.labels == labels
    assert all(type(label) is type(labels[0]) for label in frame)


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        ([], FrameError, "at least one label"),
        ([1.0, np.nan], FrameError, "not equal to itself"),
        (np.array([1, "a"], dtype=object), TypeError, "cannot be sorted"),
        ([1, "a"], TypeError, "cannot be sorted"),  # an array of them holds the text "1"
        ("ab", TypeError, "values are 'ab', expected an array of labels"),
    ],
)
def test_arrays_that_make_no_frame(values, error, message):
    with pytest.raises(error, match=message):
        Frame.from_array(values)


def test_immutable_and_hashable():
    frame = Frame(["a", "b"])
    for name in ("labels", "_labels", "extra"):
        with pytest.raises(AttributeError):
            setattr(frame, name, ())
    same = Frame(("a", "b"))
    assert frame == same
    assert hash(frame) == hash(same)
    assert frame != Frame(["b", "a"])
    assert frame != ["a", "b"]
    assert {frame: 1}[same] == 1


def test_copies_and_pickles():
    frame = Frame(["a", ("b", 1), None])
    assert copy.copy(frame) is copy.deepcopy(frame) is frame
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(frame, protocol))
        assert again == frame
        assert hash(again) == hash(frame)


def test_repr_reads_back():
    frame = Frame(["a", "b"])
    assert eval(repr(frame)) == frame


def test_memory_grows_with_the_labels_not_with_their_square():
    tracemalloc.start()
    frame = Frame(range(100_000))
    event = frame.event(frame.mask(range(0, 100_000, 2)))
    whole = frame.mask(frame.labels)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert event == tuple(range(0, 100_000, 2))
    assert whole == frame.full
    assert peak < 100_000_000  # a kilobyte a label; one integer a label took 6


@each(
    ("text", "advice"),
    [
        ("ab", '("a", "b")'),
        ("cab", '("c", "a", "b")'),
        ("a, b", '("a", "b")'),
        ("a|c", '("a", "c")'),
        ("{a,b}", '("a", "b")'),
        ("ant bee", '("ant", "bee")'),
    ],
)
def test_a_text_that_names_several_labels_is_told_how_to_write_a_set(text, advice):
    frame = Frame(["a", "b", "c", "ant", "bee"])
    with pytest.raises(FrameError) as caught:
        frame.mask(text)
    assert str(caught.value).endswith(f"; for the set of these labels write {advice}")
    with pytest.raises(FrameError) as caught:
        MassFunction.from_dict(frame, {text: 0.5, frame: 0.5})
    assert advice in str(caught.value)


@each("label", ["z", "az", "", "a z", 7, b"ab"])
def test_other_unknown_labels_are_only_named(label):
    with pytest.raises(FrameError, match=r"is not a label of Frame\(\['a', 'b'\]\)$"):
        Frame(["a", "b"]).mask(label)


def test_other_frames_and_other_orders_have_their_ways():
    one, turned, other = Frame(["a", "b"]), Frame(["b", "a"]), Frame(["a", "c"])
    with pytest.raises(FrameError, match=r"other orders: use MassFunction.from_dict\(frame, m"):
        same_frame(one, turned)
    with pytest.raises(FrameError, match=r"bring both to one frame, by dstheory.revise.refine"):
        same_frame(one, other)
    m = MassFunction.from_dict(turned, {"a": 0.75, turned: 0.25})
    assert MassFunction.from_dict(one, m.to_dict()).mass("a") == 0.75


def test_flags_are_no_labels():
    """[True, False, True] was the event of the labels 1 and 0."""
    frame = Frame([0, 1, 2])
    for flags in ([True, False, True], np.array([False, False, True]), (True, True, False)):
        with pytest.raises(FrameError, match="has a flag for each label"):
            frame.mask(flags)
    assert (frame.mask(True), frame.mask([True])) == (2, 2)  # labels of data may be flags
    assert Frame([False, True]).mask([True, False]) == 3
    assert Frame([True, False, None]).mask([True, False, True]) == 3
    with pytest.raises(FrameError, match="has a flag for each label"):
        Frame([True, 0, 2]).mask([True, False, True])


def test_products_have_their_own_ways():
    x, y = Variable("x", ["a", "b"]), Variable("y", ["a", "b"])
    for one, two in (
        (ProductFrame([x, y]), ProductFrame([y, x])),
        (ProductFrame([x, y]), Frame(list(ProductFrame([x, y])))),
    ):
        with pytest.raises(FrameError, match=r"combine them by dstheory\.product\.combine"):
            vacuous(one) & vacuous(two)


def test_the_closest_of_very_many_labels_is_not_searched():
    few, many = (Frame([f"label {i}" for i in range(n)]) for n in (100, 10_001))
    with pytest.raises(FrameError, match="did you mean 'label 17'"):
        few.mask("label_17")
    with pytest.raises(FrameError, match=r"10001 labels\]\)$"):
        many.mask("label_17")
