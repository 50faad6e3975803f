"""JSON and CSV: what is written comes back, and nothing else is read."""

import json
from fractions import Fraction

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from dstheory import Frame, MassFunction
from dstheory.construct import random, simple, vacuous
from dstheory.errors import DSTheoryError, FrameError
from dstheory.interchange import from_csv, from_json, to_csv, to_json
from dstheory.product import ProductFrame, Variable
from dstheory.testing import frames, masses
from tests.support.each import each

ABC = Frame(["a", "b", "c"])


def same(one, two):
    return (
        one.equals(two, 0)
        and one.focal.tolist() == two.focal.tolist()
        and one.masses.dtype == two.masses.dtype
        and one.masses.tolist() == two.masses.tolist()
    )


@given(frames(1, 4), st.booleans(), st.data())
def test_single_ones_come_back(frame, exact, data):
    m = data.draw(masses(frame, exact=exact, empty=True))
    assert same(from_json(to_json(m)), m)
    assert same(from_csv(to_csv(m)), m)


def test_batches_come_back():
    m = random(ABC, np.random.default_rng(0), size=(2, 3), conflict=0.1)
    assert same(from_json(to_json(m)), m)
    flat = m.reshape(6)
    assert same(from_csv(to_csv(flat)), flat)
    empty = vacuous(ABC, 0)
    assert from_json(to_json(empty)).batch_shape == (0,)
    thirds = simple(ABC, "a", mass=[Fraction(1, 3), Fraction(1)])
    assert same(from_json(to_json(thirds)), thirds)
    assert same(from_csv(to_csv(thirds)), thirds)


def test_labels_keep_their_kind():
    frame = Frame(["1", 2, 2.5, None, True, ("x", 1), "ü,\n\"'", 10**30])
    m = random(frame, np.random.default_rng(0), n_focal=5)
    back = from_json(to_json(m))
    assert back.frame == frame
    assert [type(label) for label in back.frame] == [type(label) for label in frame]
    assert same(back, m)
    assert same(from_csv(to_csv(m), frame), m)


def test_large_frames_come_back():
    m = random(Frame(range(100)), np.random.default_rng(0), n_focal=9)
    assert same(from_json(to_json(m)), m)
    assert same(from_csv(to_csv(m), m.frame), m)


def test_products_come_back_as_products():
    """Also with one variable only, whose events differ from those of its plain frame."""
    rain, count = Variable("rain", ["yes", None]), Variable("count", [0, True, 2.5, ("x", 1)])
    for variables in ([rain, count], [count], [Variable(f"v{i}", [0, 1]) for i in range(12)]):
        m = random(ProductFrame(variables), np.random.default_rng(0), n_focal=4, size=(2,))
        back = from_json(to_json(m))
        assert back.frame == m.frame
        assert back.frame.variables == tuple(variables)
        assert same(back, m)
    damaged = json.loads(to_json(m))
    for variables, message in (
        ([{"name": "a"}], "missing or unknown fields .'values'."),
        ([{"name": 3, "values": [1]}], "name 3 is not a string"),
        ([{"name": "a", "values": "xy"}], "values is not a list"),
        ([{"name": "a", "values": [0, 0]}], "values of variable 'a'"),
        ([{"name": "a", "values": [0]}] * 2, "variable 'a' occurs twice"),
        ({}, "variables is not a list"),
    ):
        with pytest.raises(DSTheoryError, match=message):
            from_json(json.dumps({**damaged, "variables": variables}))
    with pytest.raises(DSTheoryError, match=r"unknown fields .'frame'"):
        from_json(json.dumps({**damaged, "frame": [1]}))


def test_what_has_no_text_is_refused():
    with pytest.raises(TypeError, match=r"frozenset.* has no JSON form"):
        to_json(vacuous(Frame([frozenset("a")])))
    with pytest.raises(TypeError, match="inf has no JSON form"):
        to_json(vacuous(Frame([np.inf])))
    symbolic = simple(ABC, "a", mass=sympy.Symbol("p", nonnegative=True))
    for write in (to_json, to_csv):
        with pytest.raises(TypeError, match="substitute symbols"):
            write(symbolic)
    with pytest.raises(DSTheoryError, match="reshape the batch"):
        to_csv(vacuous(ABC, (2, 2)))
    with pytest.raises(DSTheoryError, match="have the same text"):
        to_csv(vacuous(Frame(["1", 1])))
    with pytest.raises(DSTheoryError, match="'mass_1' is the name of a column"):
        to_csv(vacuous(Frame(["mass_1"])))


def changed(**fields):
    document = json.loads(to_json(simple(ABC, "a", mass=0.75)))
    return json.dumps({**document, **fields})


@each(
    ("text", "message"),
    [
        ("{", "the text is not JSON"),
        (b"\xff\xfe{", "the text is not JSON"),
        ("[1]", "JSON list, not an object"),
        ('{"version": 1}', "format is None"),
        (changed(version=2), "version 2 is later than 1"),
        (changed(version="1"), "version is '1'"),
        (changed(version=True), "version is True"),
        (changed(extra=1), r"unknown fields \['extra'\]"),
        ('{"format": "dstheory.MassFunction", "version": 1}', "missing or unknown fields"),
        (changed(masses=[0.75]), "there are 1 masses"),
        (changed(masses=[0.75, 0.5]), "sum to 1.25"),
        (changed(masses=[0.75, "0.25"]), "mass '0.25' is not a number"),
        (changed(masses=[0.75, float("nan")]), "not finite"),
        (changed(masses=[0.75, 10**400]), "mass 1000.* does not lie between"),
        ("[" * 100_000, "the text is not JSON"),
        (changed(masses=3), "masses is not a list"),
        (changed(numbers="complex"), "numbers are 'complex'"),
        (changed(numbers="fraction"), "mass 0.75 is not a fraction"),
        (changed(numbers="fraction", masses=["1/0", "1"]), "denominator of 0"),
        (changed(focal=[[0], [0, 3]]), r"focal set \[0, 3\]"),
        (changed(focal=[[0], [0, 0]]), r"focal set \[0, 0\]"),
        (changed(focal=[[0], [0]]), "occurs twice"),
        (changed(batch_shape=[-1]), r"batch_shape is \[-1\]"),
        (changed(frame=["a", "a", "b"]), "repeats position 0"),
        (changed(frame=["a", ["b"], "c"]), "is not a label"),
    ],
)
def test_damaged_foreign_and_future_json_is_refused(text, message):
    with pytest.raises(DSTheoryError, match=message):
        from_json(text)


@each(
    ("text", "message"),
    [
        ("", "the text is empty"),
        ("a" * 200_000, "the text is not CSV"),
        ("a,b\n1,0", "no labels followed by a column 'mass'"),
        ("mass\n1", "no labels followed"),
        ("a,mass\n1", "line 2 has 1 cells, not 2"),
        ("a,b,mass\n1,0,0.5\n2,1,0.5", "line 3 has members"),
        ("a,mass\n1,one", "line 2: mass 'one' is not a number"),
        ("a,mass\n1,1/0", "line 2: mass '1/0' is not a number"),
        ("a,mass\n1,0.5", "sum to 0.5"),
        ("a,mass_0,mass_2\n1,1,1", "columns of masses are"),
        ("a,a,mass\n1,0,1", "repeats position 0"),
        ("a,mass", "there are 0 focal sets|sum to 0"),
        (",a,mass\n0,1,0.25\n1,0,0.75", "a column without a name, such as an index"),
    ],
)
def test_other_csv_is_refused(text, message):
    with pytest.raises(DSTheoryError, match=message):
        from_csv(text)


def test_csv_of_another_frame_is_refused():
    with pytest.raises(FrameError, match="head has labels"):
        from_csv(to_csv(vacuous(ABC)), Frame(["a", "b"]))


def test_csv_of_spreadsheets():
    m = from_csv("\ufeffa;b;mass\r\n1;0;0,25\r\n1;1;0,75\r\n", Frame(["a", "b"]))
    assert m.to_dict() == {("a",): 0.25, ("a", "b"): 0.75}
    lines = MassFunction(Frame(["a;\nb", ""]), [1, 3], [0.25, 0.75])
    assert from_csv(to_csv(lines), lines.frame) == lines


def test_mixed_csv_becomes_floats():
    m = from_csv("a,b,mass\n1,0,1/4\n1,1,0.75\n")
    assert m.masses.dtype == np.float64
    assert m.equals(MassFunction(Frame(["a", "b"]), [1, 3], [0.25, 0.75]))
