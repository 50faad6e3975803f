"""Vacuous, categorical, simple, negative simple and Bayesian mass functions."""

from fractions import Fraction

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from dstheory import Frame
from dstheory.construct import bayesian, categorical, simple, vacuous
from dstheory.errors import FrameError, MassError
from dstheory.testing import frames, masses
from tests.support.each import each

ABC = Frame(["a", "b", "c"])
shares = st.integers(0, 12).map(lambda n: Fraction(n, 12))


@given(st.data())
def test_vacuous_is_neutral_for_the_conjunctive_rule(data):
    m = data.draw(masses(ABC, empty=True))
    assert (m & vacuous(ABC)).equals(m, 0)


@given(st.data())
def test_certain_of_nothing_is_neutral_for_the_disjunctive_rule(data):
    m = data.draw(masses(ABC, empty=True))
    assert (m | categorical(ABC, [])).equals(m, 0)


@given(shares, shares, st.integers(0, 7))
def test_simple_weights_multiply(s, t, mask):
    """Two simple mass functions on one set: w = 1 - m multiplies (Shafer 1976, ch. 4)."""
    event = ABC.event(mask)
    both = simple(ABC, event, mass=s) & simple(ABC, event, mass=t)
    assert both.equals(simple(ABC, event, mass=1 - (1 - s) * (1 - t)), 0)


@given(shares, st.integers(0, 7))
def test_negative_simple_is_the_complement_of_a_simple_one(v, mask):
    one = simple(ABC, ABC.event(mask), weight=v, rest=())
    assert one.equals(~simple(ABC, ABC.event(7 - mask), mass=1 - v), 0)


@given(shares, shares, st.integers(0, 7))
def test_disjunctive_weights_multiply(v, w, mask):
    """A_v or A_w is A_vw (Denoeux 2008)."""
    event = ABC.event(mask)
    both = simple(ABC, event, weight=v, rest=()) | simple(ABC, event, weight=w, rest=())
    assert both.equals(simple(ABC, event, weight=v * w, rest=()), 0)


@given(frames(2, 4), st.data())
def test_dempster_of_bayesian_masses_is_bayes_with_a_uniform_prior(frame, data):
    weights = st.lists(st.integers(1, 9), min_size=len(frame), max_size=len(frame))
    p, r = ([Fraction(n, sum(w)) for n in w] for w in (data.draw(weights), data.draw(weights)))
    products = [x * y for x, y in zip(p, r, strict=True)]
    posterior = bayesian(frame, [x / sum(products) for x in products])
    assert (bayesian(frame, p) @ bayesian(frame, r)).equals(posterior, 0)


def test_batches():
    assert vacuous(ABC, 4).batch_shape == (4,)
    assert categorical(ABC, "a", (2, 3)).batch_shape == (2, 3)
    batch = simple(ABC, ["a", "b"], mass=[[0.25, 1.0], [0.5, 0.0]])
    assert batch.batch_shape == (2, 2)
    assert batch[1, 0].equals(simple(ABC, ["a", "b"], mass=0.5))
    assert bayesian(ABC, np.full((5, 3), 1 / 3)).batch_shape == (5,)
    assert bayesian(ABC, np.zeros((0, 3))).batch_shape == (0,)


def test_symbols_and_fractions_stay():
    p = sympy.Symbol("p", nonnegative=True)
    assert simple(ABC, "a", mass=p).bel("a") == p
    assert simple(ABC, "a", mass=Fraction(1, 3)).mass(ABC) == Fraction(2, 3)
    assert bayesian(ABC, [p, 1 - p, sympy.Integer(0)]).pl(["a", "b"]) == 1


def test_large_frames():
    frame = Frame(range(100))
    assert simple(frame, [1, 99], mass=0.25).pl(99) == 1
    assert vacuous(frame).is_vacuous
    assert bayesian(frame, np.full(100, 0.01)).is_bayesian


def test_input_is_copied():
    p = np.array([0.5, 0.25, 0.25])
    m = bayesian(ABC, p)
    p[0] = 9
    assert m.mass("a") == 0.5


@each(
    ("make", "message"),
    [
        (lambda: simple(ABC, "a", mass=1.5), "mass 1.5 does not lie between 0 and 1"),
        (lambda: simple(ABC, "a", mass=[0.5, -0.25]), "mass -0.25 in row 1 does not lie"),
        (
            lambda: simple(ABC, "a", mass=[0.5, np.nan]),
            "mass nan in row 1 is not finite",
        ),
        (lambda: simple(ABC, "a", mass=Fraction(3, 2)), "mass 3/2 does not lie between"),
        (lambda: simple(ABC, "a", weight=2.8, rest=()), "weight 2.8 does not lie between 0 and 1"),
        (lambda: bayesian(ABC, [[0.5, 0.5, 0], [0.5, 0.75, -0.25]]), r"-0.25 in row 1 is neg"),
        (lambda: bayesian(ABC, [0.5, 0.25, 0.125]), "sum to 0.875, not 1"),
        (lambda: bayesian(ABC, [0.5, np.inf, 0]), "probability inf is not finite"),
        (lambda: bayesian(ABC, [0.5, 0.5]), "3 labels of the frame"),
        (lambda: bayesian(ABC, []), "3 labels of the frame"),
        (lambda: bayesian(ABC, 1.0), r"shape \(\)"),
    ],
)
def test_wrong_values_are_refused_by_value_and_row(make, message):
    with pytest.raises(MassError, match=message):
        make()


def test_wrong_kinds_are_refused():
    with pytest.raises(TypeError, match="make one with Frame"):
        vacuous(["a", "b"])
    with pytest.raises(TypeError, match="real numbers"):
        simple(ABC, "a", mass="much")
    with pytest.raises(FrameError, match="'z' is not a label"):
        categorical(ABC, "z")
