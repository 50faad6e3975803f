from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dstheory import Frame, MassFunction
from dstheory.combine import (
    conjunctive,
    dempster,
    dubois_prade,
    inagaki,
    lefevre,
    mixing,
    yager,
)
from dstheory.errors import FrameError
from tests.dstheory.combine.strategies import sources
from tests.naive import rules as naive_rules

MANY = st.integers(2, 4)


@given(ms=sources(size=MANY, empty=True))
def test_yager_equals_its_definition(ms):
    expected = naive_rules.yager(ms[0].frame, *map(naive_rules.as_sets, ms))
    assert naive_rules.as_sets(yager(*ms)) == expected


@given(ms=sources(size=MANY), share=st.fractions(0, 1))
def test_inagaki_equals_its_definition(ms, share):
    agreed = conjunctive(*ms)
    specific = 1 - agreed.mass(mask=0) - agreed.mass(ms[0].frame)
    k = share / specific if specific else share
    expected = naive_rules.inagaki(ms[0].frame, *map(naive_rules.as_sets, ms), k=k)
    fused = inagaki(*ms, k=k)
    assert naive_rules.as_sets(fused) == expected
    assert MassFunction(fused.frame, fused.focal, fused.masses) == fused  # valid masses


@given(ms=sources(size=MANY))
def test_inagaki_reaches_yager_and_dempster(ms):
    kept = 1 - conjunctive(*ms).mass(mask=0)
    assume(kept != 0)
    assert inagaki(*ms, k=0) == yager(*ms)
    if kept - conjunctive(*ms).mass(ms[0].frame):
        assert inagaki(*ms, k=1 / kept) == dempster(*ms)


@given(ms=sources(size=MANY))
def test_lefevre_makes_the_other_rules(ms):
    frame = ms[0].frame
    assert lefevre(*ms, share=MassFunction.from_dict(frame, {frame: Fraction(1)})) == yager(*ms)
    kept = MassFunction.from_dict(frame, {(): Fraction(1)})
    assert lefevre(*ms, share=kept) == conjunctive(*ms)
    assume(conjunctive(*ms).mass(mask=0) != 1)
    assert lefevre(*ms, share=dempster) == dempster(*ms)


@given(ms=sources(size=4))
def test_lefevre_equals_its_definition(ms):
    *ms, share = ms
    expected = naive_rules.lefevre(*map(naive_rules.as_sets, ms), share=naive_rules.as_sets(share))
    assert naive_rules.as_sets(lefevre(*ms, share=share)) == expected


@given(ms=sources(size=MANY, empty=True))
def test_dubois_prade_equals_its_definition(ms):
    expected = naive_rules.dubois_prade(*map(naive_rules.as_sets, ms))
    assert naive_rules.as_sets(dubois_prade(*ms)) == expected


@given(ms=sources(size=3))
def test_the_order_of_the_sources_is_irrelevant(ms):
    for rule in (yager, dubois_prade):
        assert rule(*ms) == rule(*reversed(ms))


@given(ms=sources(size=1))
def test_vacuous_is_neutral(ms):
    (m,) = ms
    ignorance = MassFunction.from_dict(m.frame, {m.frame: Fraction(1)})
    assert yager(m, ignorance) == dubois_prade(m, ignorance) == m
    assert yager(m, ignorance, m) == yager(m, m)


def test_they_are_not_associative_and_see_all_sources():
    frame = Frame(list("abc"))
    half = Fraction(1, 2)
    one, two, three = (MassFunction.from_dict(frame, {label: half, frame: half}) for label in "aab")
    for rule in (yager, dubois_prade):
        assert rule(one, two, three) != rule(rule(one, three), two)


@pytest.mark.parametrize("size", [40, 100])
def test_dubois_prade_on_large_frames(size):
    frame = Frame(range(size))
    one = MassFunction.from_dict(frame, {0: 0.5, (1, 2): 0.5})
    two = MassFunction.from_dict(frame, {size - 1: 0.5, frame: 0.5})
    fused = dubois_prade(one, two)
    for event in [0, (1, 2), (0, size - 1), (1, 2, size - 1)]:
        assert fused.mass(event) == 0.25


def test_inagaki_per_row():
    frame = Frame(list("ab"))
    one = MassFunction(frame, [1, 3], [0.5, 0.5])
    two = MassFunction(frame, [2, 3], [0.5, 0.5])
    fused = inagaki(one, two, k=np.array([0, 4 / 3, 2]))
    assert fused.batch_shape == (3,)
    assert fused[0].equals(yager(one, two))
    assert fused[1].equals(dempster(one, two))
    assert fused[2].mass(frame) == pytest.approx(0.25)  # no conflict goes to the frame


@pytest.mark.parametrize("k", [-0.1, 2.1, np.nan, np.inf])
def test_inagaki_refuses_a_wrong_k(k):
    frame = Frame(list("ab"))
    one = MassFunction(frame, [1, 3], [0.5, 0.5])
    two = MassFunction(frame, [2, 3], [0.5, 0.5])
    with pytest.raises(ValueError, match="k lies outside"):
        inagaki(one, two, k=k)
    with pytest.raises(ValueError, match=r"in 1 of 2 rows \(first: row 1\)"):
        inagaki(one, two, k=np.array([0.5, k]))


def test_lefevre_refuses_a_wrong_share():
    frame = Frame(list("ab"))
    m = MassFunction.from_dict(frame, {"a": 1})
    with pytest.raises(TypeError, match="source 3"):
        lefevre(m, m, share=0.5)
    with pytest.raises(FrameError):
        lefevre(m, m, share=MassFunction.from_dict(Frame(["x"]), {"x": 1}))


def test_lefevre_share_broadcasts():
    frame = Frame(list("ab"))
    one = MassFunction.from_dict(frame, {"a": 1})
    two = MassFunction.from_dict(frame, {"b": 1})
    share = MassFunction(frame, [1, 2], [[1, 0], [0.5, 0.5]])
    assert lefevre(one, two, share=share).equals(share)
    batch = MassFunction(frame, [1, 2], [[1, 0], [0, 1], [0, 1]])
    assert lefevre(batch, one, share=mixing).batch_shape == (3,)
