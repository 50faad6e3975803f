"""Polytopes of masses: their vertices, best points and tight bounds."""

import copy
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from dstheory import Frame, FrameError, MassError
from dstheory.errors import DSTheoryError
from dstheory.exact import ImpreciseMass
from tests.support.each import each

FRAME = Frame(["a", "b", "c"])


@st.composite
def imprecise(draw, max_focal=4, frame=FRAME):
    """Fractions around a mass function, so that 1 lies between the sums."""
    focal = draw(st.lists(st.integers(1, frame.full), min_size=1, max_size=max_focal, unique=True))
    parts = draw(st.lists(st.integers(1, 6), min_size=len(focal), max_size=len(focal)))
    wide = st.lists(st.fractions(0, 1, max_denominator=3), min_size=len(focal), max_size=len(focal))
    down, up = draw(wide), draw(wide)
    masses = [Fraction(part, sum(parts)) for part in parts]
    bounds = {
        frozenset(frame.event(a)): (m * (1 - d), m + (1 - m) * u)
        for a, m, d, u in zip(focal, masses, down, up, strict=True)
    }
    return ImpreciseMass(frame, bounds)


@given(source=imprecise(), data=st.data())
def test_best_point_is_the_best_vertex(source, data):
    size = len(source.focal)
    scores = np.array(data.draw(st.lists(st.integers(-3, 3), min_size=size, max_size=size)), object)
    best = source.best(scores)
    assert sum(best) == 1
    assert (source.lower <= best).all()
    assert (best <= source.upper).all()
    assert (best * scores).sum() == max((source.vertices().masses * scores).sum(axis=-1))


@given(source=imprecise(), data=st.data())
def test_best_point_is_that_of_a_linear_program(source, data):
    size = len(source.focal)
    scores = np.array(data.draw(st.lists(st.integers(-3, 3), min_size=size, max_size=size)), float)
    limits = list(zip(source.lower.astype(float), source.upper.astype(float), strict=True))
    solved = linprog(-scores, A_eq=np.ones((1, size)), b_eq=[1], bounds=limits)
    assert float((source.best(scores) * scores).sum()) == pytest.approx(-solved.fun, abs=1e-9)


@given(source=imprecise())
def test_tight_bounds_are_reached_by_vertices(source):
    tight, points = source.tightened(), source.vertices().masses
    assert list(tight.lower) == list(points.min(axis=0))
    assert list(tight.upper) == list(points.max(axis=0))


def test_vertices_of_floats_are_not_lost_by_rounding():
    source = ImpreciseMass(FRAME, {"a": (0.1, 0.3), "b": (0.2, 0.4), FRAME: (0.3, 0.7)})
    assert len(np.unique(source.vertices().masses.round(9), axis=0)) == 4


def test_points_and_copies():
    exact = ImpreciseMass(FRAME, {"a": Fraction(1, 3), FRAME: Fraction(2, 3)})
    assert exact.vertices().masses.tolist() == [[Fraction(1, 3), Fraction(2, 3)]]
    for other in (copy.copy(exact), pickle.loads(pickle.dumps(exact))):
        assert repr(other) == repr(exact)
    with pytest.raises(AttributeError, match="immutable"):
        exact.frame = FRAME
    with pytest.raises(ValueError, match="read-only"):
        exact.lower[0] = 1


@each(
    ("masses", "error", "message"),
    [
        ({}, MassError, "there is no mass"),
        ({"a": (0.5, 0.25), FRAME: (0, 1)}, MassError, "bounds of .'a',. are 0.5 and 0.25"),
        ({"a": (0, float("nan")), FRAME: (0, 1)}, MassError, "expected 0 <= low <= high <= 1"),
        ({"a": (0.5, 1), "b": (0.75, 1)}, MassError, "1 must lie between"),
        ({"a": (0, 0.5)}, MassError, "1 must lie between"),
        ({(): (0, 0.5), "a": (0, 1)}, MassError, "the empty set has bounds"),
        ({"a": (0, 0.5, 1), FRAME: 1}, MassError, "a pair"),
        ({"d": 1}, FrameError, "not a label"),
        ({"a": "much", FRAME: 1}, TypeError, "real numbers"),
        ([("a", 1)], TypeError, "mapping"),
    ],
)
def test_refusals(masses, error, message):
    with pytest.raises(error, match=message):
        ImpreciseMass(FRAME, masses)


def test_too_many_vertices():
    frame = Frame(range(12))
    source = ImpreciseMass(frame, dict.fromkeys(range(12), (0, 1)))
    with pytest.raises(DSTheoryError, match="12 intervals takes 24,576 vertices"):
        source.vertices()
