"""The strategies keep their promises, and reach the cases that matter."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st

from dstheory import Frame
from dstheory.testing import frames, masses
from tests.support.each import each

FRAME = Frame(["a", "b", "c"])


@given(frame=frames(2, 5))
def test_frames_have_the_size_asked_for(frame):
    assert 2 <= len(frame) <= 5


@given(data=st.data(), exact=st.booleans(), empty=st.booleans(), dogmatic=st.booleans())
def test_masses_keep_their_options(data, exact, empty, dogmatic):
    m = data.draw(masses(FRAME, exact=exact, empty=empty, dogmatic=dogmatic, max_focal=3))
    assert m.frame == FRAME
    assert m.masses.dtype == (object if exact else np.float64)
    assert sum(m.masses) == (1 if exact else pytest.approx(1))
    assert (m.masses > 0).all()
    if exact:
        assert all(isinstance(mass, Fraction) for mass in m.masses)
    assert empty or m.is_normalized
    assert dogmatic or not m.is_dogmatic
    assert len(m.focal) <= 3 + (not dogmatic)


@each(
    "wanted",
    [
        lambda m: not m.is_normalized,
        lambda m: m.is_dogmatic,
        lambda m: m.is_vacuous,
        lambda m: m.mass([]) == 1,
        lambda m: len(m.focal) > 3,
        lambda m: not m.is_consonant,
    ],
)
def test_masses_reach_the_corners(wanted):
    fixed = settings(database=None, derandomize=True, max_examples=500)
    assert wanted(find(masses(FRAME, empty=True), wanted, settings=fixed))
