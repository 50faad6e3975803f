"""Numbers at the edges of dstheory, from few seeds; and the program notices what it is for."""

import numpy as np
import pytest

from dstheory import transform
from tests.fuzz import dstheory_edges
from tests.fuzz.dstheory_edges import EVERY, draw, faults
from tests.support.each import each


@each("name", EVERY)
def test_floats_are_fractions_rounded(name):
    for number in range(40):
        case = draw(1, number)
        assert faults(case, name) == [], (number, case.floats.to_dict())


WRONG = {
    "not finite": lambda m, rng: transform.betp(m) / np.zeros(len(m.frame)),
    "RuntimeWarning": lambda m, rng: np.float64(1e308) * 10,
    "shapes differ": lambda m, rng: transform.betp(m)[..., : m.masses.dtype != object],
    " for ": lambda m, rng: transform.betp(m) * (1 + 1e-8 * (m.masses.dtype != object)),
    "sum to": lambda m, rng: transform.betp(m) / 2,
    "is not between": lambda m, rng: transform.betp(m)[..., ::-1],
}


@pytest.mark.parametrize("what", WRONG)
def test_faults_are_noticed(what, monkeypatch):
    monkeypatch.setitem(EVERY, "betp", WRONG[what])
    seen = [fault for number in range(20) for fault in faults(draw(2, number), "betp")]
    assert any(what in fault for fault in seen) or (what == "not finite" and seen)


def test_a_case_is_made_again_from_its_number():
    assert dstheory_edges.draw(0, 7).exact == dstheory_edges.draw(0, 7).exact
