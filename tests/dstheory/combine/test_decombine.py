from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given

from dstheory import Frame, MassFunction, combine
from dstheory.combine import decombine, dempster
from dstheory.errors import FrameError, MassError
from tests.dstheory.combine.strategies import sources

FRAME = Frame(list("abc"))


@given(ms=sources(size=2, dogmatic=False, empty=True))
def test_takes_back_what_was_combined(ms):
    one, two = ms
    assert decombine(one & two, two) == one
    assert decombine(~one | ~two, ~two, rule="disjunctive") == ~one


@given(ms=sources(size=2, dogmatic=False))
def test_takes_back_dempsters_rule(ms):
    one, two = ms
    assert decombine(dempster(one, two), two, rule="dempster") == one


def test_batches_and_floats():
    rng = np.random.default_rng(0)
    one = MassFunction(FRAME, [1, 6, 7], rng.dirichlet(np.ones(3), (4, 1)))
    two = MassFunction(FRAME, [3, 5, 7], rng.dirichlet(np.ones(3), 3))
    back = decombine(one & two, two)
    assert back.batch_shape == (4, 3)
    for row in range(3):
        assert back[:, row].equals(one[:, 0], atol=1e-12)


def test_zero_rows_are_kept_apart():
    frame = Frame(range(80))
    one = MassFunction.from_dict(frame, {0: Fraction(1, 2), frame: Fraction(1, 2)})
    two = MassFunction.from_dict(frame, {1: Fraction(1, 2), frame: Fraction(1, 2)})
    assert decombine(one & two, one) == two


def test_what_was_never_combined_is_refused():
    one = MassFunction.from_dict(FRAME, {"a": 0.5, FRAME: 0.5})
    two = MassFunction.from_dict(FRAME, {"b": 0.5, FRAME: 0.5})
    with pytest.raises(MassError, match=r"m2 is not part of m, as \(\) would have neg"):
        decombine(one, two)
    batch = MassFunction(FRAME, [2, 7], [[0, 1], [0.5, 0.5]])
    with pytest.raises(MassError, match=r"in 1 of 2 rows \(first: row 1\)"):
        decombine(one, batch)


def test_other_errors():
    one = MassFunction.from_dict(FRAME, {"a": 0.5, FRAME: 0.5})
    with pytest.raises(MassError, match=r"m2 is dogmatic .* cannot be removed; combine"):
        decombine(one, MassFunction.from_dict(FRAME, {"a": 1}))
    with pytest.raises(MassError, match=r"m2 is normalized .* cannot be removed; combine"):
        decombine(one, one, rule="disjunctive")
    with pytest.raises(ValueError, match="rule is 'yager', expected one of 'conjunctive'"):
        decombine(one, one, rule="yager")
    with pytest.raises(FrameError):
        decombine(one, MassFunction.from_dict(Frame(["x"]), {"x": 1}))
    with pytest.raises(TypeError, match="source 2"):
        decombine(one, 0.5)


@pytest.mark.parametrize("rule", ["conjunctive", "dempster", "disjunctive"])
def test_rounding_leaves_no_sets_behind(rule):
    """As sparse as it was, without masses of -1e-17."""
    rng = np.random.default_rng(1)
    frame = Frame(list("abcd"))
    focal1, focal2 = [1, 3, 6, 12, 15], [2, 5, 7, 15]
    for _ in range(20):
        one = MassFunction(frame, focal1, rng.dirichlet(np.ones(5), 3))
        two = MassFunction(frame, focal2, rng.dirichlet(np.ones(4), 3))
        if rule == "disjunctive":
            one, two = ~one, ~two
        back = decombine(getattr(combine, rule)(one, two), two, rule=rule)
        assert back.focal.tolist() == one.focal.tolist()
        assert (back.masses >= 0).all()
        np.testing.assert_allclose(back.masses, one.masses, atol=1e-11)
