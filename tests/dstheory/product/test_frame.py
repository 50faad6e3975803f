"""Variables and products: labels, events in all their forms, and what is refused."""

import copy
import pickle
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dstheory import Frame, MassFunction, betp, categorical, dempster, vacuous
from dstheory.errors import FrameError
from dstheory.product import ProductFrame, Variable
from tests.dstheory.product.strategies import POOL, events, naive, named, products
from tests.naive import product as naive_product
from tests.support.each import each

RAIN = Variable("rain", ["yes", "no"])
GRASS = Variable("grass", ["wet", "damp", "dry"])
PAIR = ProductFrame([RAIN, GRASS])


@given(frame=products())
def test_configurations_are_in_c_order(frame):
    plain = Frame(product(*(variable.values for variable in frame.variables)))
    assert frame.labels == plain.labels == tuple(frame)
    assert len(frame) == len(plain) == np.prod(frame.shape)
    assert [frame.mask(label) for label in frame] == [1 << i for i in range(len(frame))]
    for place, label in enumerate(frame):
        index = np.unravel_index(place, frame.shape)
        assert label == tuple(v.values[i] for v, i in zip(frame.variables, index, strict=True))
        assert label in frame


@given(frame=products(), data=st.data())
def test_mask_and_event_are_inverse(frame, data):
    mask = data.draw(st.integers(0, frame.full))
    event = frame.event(mask)
    assert event == Frame(frame.labels).event(mask)
    assert frame.mask(event) == frame.mask(set(event)) == frame.mask(list(event)) == mask
    assert frame.where(event) == event


@given(event=events(), frame=products(max_variables=4))
def test_mappings_are_cylinders(event, frame):
    known = {variable: values for variable, values in event.items() if variable.name in frame.names}
    wanted = naive_product.cylinder(named(known), naive(frame))
    by_name = {variable.name: values for variable, values in known.items()}
    assert frame.mask(known) == frame.mask(by_name) == frame.mask(wanted)
    assert set(frame.where(known)) == wanted


@each(
    ("event", "mask"),
    [
        ({}, 63),
        ({"rain": "yes"}, 7),
        ({RAIN: "no"}, 56),
        ({"rain": ["yes", "no"]}, 63),
        ({"rain": []}, 0),
        ({"grass": {"wet", "damp"}}, 27),
        ({"rain": "no", "grass": ["damp", "dry"]}, 48),
        ({"grass": np.array(["wet"])}, 9),
        (("yes", "dry"), 4),
        ((np.str_("yes"), "dry"), 4),
        ([("yes", "dry"), ("no", "wet")], 12),
        ([{"rain": "yes"}, ("no", "dry")], 39),
        ([], 0),
        (ProductFrame([RAIN, GRASS]), 63),
    ],
)
def test_events(event, mask):
    assert PAIR.mask(event) == mask


def test_one_variable_takes_bare_values():
    frame = ProductFrame([GRASS])
    assert [
        frame.mask(event) for event in ("wet", ["wet", "dry"], ("dry",), {"grass": "damp"})
    ] == [
        1,
        5,
        4,
        2,
    ]
    assert ("dry",) in frame
    assert "dry" not in frame  # a label is a configuration


def test_a_configuration_wins_over_a_collection():
    bits = Variable("left", [0, 1]), Variable("right", [0, 1])
    assert ProductFrame(bits).mask((0, 1)) == 2
    with pytest.raises(FrameError, match="0 is not a configuration"):
        ProductFrame(bits).mask([0, 1])


@each(
    ("event", "message"),
    [
        ({"snow": "yes"}, "'snow' is not a variable here; the variables are 'rain', 'grass'"),
        ({3: "yes"}, "3 is not a variable here"),
        ({"rain": "maybe"}, "'maybe' is not a value of variable 'rain'.*'yes', 'no'"),
        ({"rain": ["yes", "maybe"]}, "is not a value of variable 'rain'"),
        ({Variable("rain", [1, 0]): 1}, "is another variable than"),
        (("yes", "soaked"), "'soaked' in .* is not a value of variable 'grass'"),
        (("yes",), "'yes' is not a configuration: give a tuple of the values of rain, grass"),
        ("yes", "'yes' is not a configuration"),
        (5, "5 is not a configuration"),
        ([("yes", "wet"), "no"], "'no' is not a configuration"),
        (Frame(PAIR.labels), "is another frame"),
        (ProductFrame([GRASS, RAIN]), "is another frame"),
    ],
)
def test_foreign_events(event, message):
    with pytest.raises(FrameError, match=message):
        PAIR.mask(event)


def test_equality_is_that_of_the_variables():
    same = ProductFrame((Variable("rain", ("yes", "no")), GRASS))
    assert same == PAIR
    assert hash(same) == hash(PAIR)
    for other in (ProductFrame([GRASS, RAIN]), ProductFrame([RAIN]), Frame(PAIR.labels), "PAIR"):
        assert other != PAIR
        assert len({other, PAIR}) == 2
    assert Variable("rain", ["no", "yes"]) != RAIN
    assert RAIN != "rain"


def test_copies_and_pickles():
    for value in (RAIN, PAIR, vacuous(PAIR)):
        assert copy.copy(value) is copy.deepcopy(value) is value
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
            again = pickle.loads(pickle.dumps(value, protocol))
            assert again == value
            assert hash(again) == hash(value)


def test_immutable():
    for value in (RAIN, PAIR):
        with pytest.raises(AttributeError, match="immutable"):
            value.name = "snow"


def test_a_variable():
    assert (RAIN.name, RAIN.values, len(RAIN), RAIN.frame) == (
        "rain",
        ("yes", "no"),
        2,
        Frame(["yes", "no"]),
    )
    assert RAIN.mask(["no"]) == 2
    assert Variable("rain", Frame(["yes", "no"])) == RAIN
    assert eval(repr(RAIN)) == RAIN
    assert repr(Variable("n", range(50))).endswith("8, 9, ... 50 values])")


@each(
    ("name", "values", "error", "message"),
    [
        (3, [0, 1], TypeError, "name of a variable is 3, expected a string"),
        ("", [0, 1], FrameError, "not empty"),
        ("v", "ab", TypeError, "values of variable 'v': .*not the string 'ab'"),
        ("v", {0, 1}, TypeError, "values of variable 'v': .*need an order"),
        ("v", [], FrameError, "values of variable 'v': .*at least one"),
        ("v", [0, 0], FrameError, "values of variable 'v': .*repeats"),
    ],
)
def test_what_is_no_variable(name, values, error, message):
    with pytest.raises(error, match=message):
        Variable(name, values)


@each(
    ("variables", "error", "message"),
    [
        ([], FrameError, "at least one variable"),
        ([RAIN, GRASS, RAIN], FrameError, "'rain' occurs twice"),
        ([RAIN, Variable("rain", [1, 0])], FrameError, "'rain' occurs twice"),
        (RAIN, TypeError, "a sequence of Variable"),
        (5, TypeError, "a sequence of Variable"),
        ([RAIN, "grass"], TypeError, "variable 1 is 'grass', expected a Variable"),
    ],
)
def test_what_is_no_product(variables, error, message):
    with pytest.raises(error, match=message):
        ProductFrame(variables)


def test_large_products():
    """Nothing of the size of the product is made before it is needed."""
    binary = [Variable(f"v{i}", [0, 1]) for i in range(25)]
    frame = ProductFrame(binary[:24])
    assert len(frame) == 1 << 24
    ones = (1,) * 24
    assert ones in frame
    assert frame.mask(ones) == 1 << (1 << 24) - 1
    assert repr(frame).endswith("24 variables, 16777216 configurations)")
    with pytest.raises(FrameError, match=r"25 variables has 33554432 configurations"):
        ProductFrame(binary)
    with pytest.raises(FrameError, match=r"10\^600 configurations.*work with fewer variables"):
        ProductFrame([Variable(f"v{i}", range(1000)) for i in range(200)])


def test_variables_with_one_value():
    sure = [Variable(f"v{i}", ["only"]) for i in range(61)]
    assert len(ProductFrame(sure[:60])) == 1
    with pytest.raises(FrameError, match="at most 60 variables, not 61; leave out those"):
        ProductFrame(sure)


def test_everything_for_frames_works():
    frame = ProductFrame([POOL["x"], POOL["y"]])
    m = MassFunction.from_dict(frame, {frame.where({"x": "a"}): 0.5, ("b", 2): 0.25, frame: 0.25})
    assert m.bel({"x": "a"}) == 0.5
    assert m.pl({"x": "b"}) == 0.5
    assert m.to_dict()[(("b", 2),)] == 0.25
    assert betp(m).sum() == pytest.approx(1)
    assert m.contour().tolist() == [0.75, 0.75, 0.75, 0.25, 0.25, 0.5]
    seen = dempster(m, categorical(frame, {"y": [0, 1]}))
    assert seen.bel({"x": "a"}) == pytest.approx(2 / 3)
    with pytest.raises(FrameError, match="frames differ"):
        dempster(m, vacuous(Frame(frame.labels)))
