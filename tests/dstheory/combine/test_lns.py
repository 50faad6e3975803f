import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dstheory import Frame, MassFunction
from dstheory.combine import conjunctive, lns
from dstheory.errors import MassError
from dstheory.testing import frames
from tests.naive import rules as naive_rules

FRAME = Frame(list("abc"))


@st.composite
def separable_sources(draw, empty=True):
    """Two or three conjunctive combinations of simple mass functions."""
    frame = draw(frames(1, 3))
    masks = st.integers(0 if empty else 1, frame.full)
    parts = st.lists(st.tuples(masks, st.integers(1, 9)), min_size=1, max_size=3)
    return [
        conjunctive(*[_simple(frame, *part) for part in [*draw(parts), (frame.full, 1)]])
        for _ in range(draw(st.integers(2, 3)))
    ]


def _simple(frame, mask, tenths):
    if mask == frame.full:
        return MassFunction(frame, [mask], [Fraction(1)])
    return MassFunction(
        frame, [mask, frame.full], [Fraction(tenths, 10), Fraction(10 - tenths, 10)]
    )


@pytest.mark.parametrize("approximate", [False, True])
@given(ms=separable_sources())
def test_equals_its_definition(approximate, ms):
    expected = naive_rules.lns(ms[0].frame, *map(naive_rules.as_sets, ms), approximate=approximate)
    assert naive_rules.as_sets(lns(*ms, approximate=approximate)) == expected


@given(ms=separable_sources(empty=False))
def test_emphasis_on_specific_sets_equals_its_definition(ms):
    sets = list(map(naive_rules.as_sets, ms))
    if any(naive_rules.conjunctive_weights(m, ms[0].frame)[frozenset()] != 1 for m in sets):
        with pytest.raises(MassError, match="weight on the empty set"):
            lns(*ms, eta=2)
    else:
        expected = naive_rules.lns(ms[0].frame, *sets, eta=2)
        assert naive_rules.as_sets(lns(*ms, eta=2)) == expected


@given(ms=separable_sources())
def test_vacuous_is_neutral_and_order_irrelevant(ms):
    vacuous = MassFunction.from_dict(ms[0].frame, {ms[0].frame: Fraction(1)})
    assert lns(*ms, vacuous) == lns(*ms) == lns(*reversed(ms))


def test_sources_of_one_group_are_combined_conjunctively():
    m = MassFunction.from_dict(FRAME, {"a": 0.25, FRAME: 0.75})
    assert lns(m, m, m).equals(conjunctive(m, m, m))


def test_example_of_the_reference_package():
    """Five weak sources for a, a strong one for b: the majority wins (ibelief, ?DST)."""
    rows = [[0.12, 0, 0.88], [0.16, 0, 0.84], [0.15, 0, 0.85], [0.11, 0, 0.89], [0.14, 0, 0.86]]
    ms = MassFunction(FRAME, [1, 2, 7], [*rows, [0, 0.95, 0.05]])
    group = 0.88 * 0.84 * 0.85 * 0.89 * 0.86
    a, b = 5 / 6 * (1 - group), 1 / 6 * 0.95
    fused = lns(*ms)
    assert fused.mass("a") == pytest.approx(a * (1 - b))
    assert fused.mass("b") == pytest.approx(b * (1 - a))
    assert fused.mass(()) == pytest.approx(a * b)


def test_a_thousand_sources_with_a_few_unreliable_ones():
    rng = np.random.default_rng(5)
    sure = rng.uniform(0.1, 0.9, 1000)
    masses = np.zeros((1000, 3))
    masses[np.arange(1000), (np.arange(1000) % 10 == 0).astype(int)] = sure
    masses[:, 2] = 1 - sure
    fused = lns(*MassFunction(FRAME, [1, 2, 7], masses))
    assert fused.mass("a") > 0.8
    assert conjunctive(*MassFunction(FRAME, [1, 2, 7], masses[:50])).mass(()) > 0.9


def test_certain_simple_sources_and_large_frames():
    frame = Frame(range(90))
    ms = [MassFunction.from_dict(frame, {label: 1}) for label in (0, 0, 1)]
    fused = lns(*ms)
    assert fused.mass(0) == pytest.approx(2 / 3 * 2 / 3)
    assert fused.mass(1) == pytest.approx(1 / 9)


def test_rows_with_different_simple_sets():
    batch = MassFunction(FRAME, [1, 2, 7], [[0.5, 0, 0.5], [0, 0.5, 0.5]])
    one = MassFunction.from_dict(FRAME, {"a": 0.5, FRAME: 0.5})
    fused = lns(batch, one)
    assert fused.mass("a") == pytest.approx([0.75, 0.1875])
    mixed = MassFunction(FRAME, [0, 1, 2, 7], [[0, 1, 0, 0], [0.125, 0.125, 0.375, 0.375]])
    fused = lns(mixed, one)  # a categorical row, and one of two simple mass functions
    assert all(fused[i].equals(lns(mixed[i].prune(), one), atol=1e-12) for i in range(2))


def test_errors():
    inseparable = MassFunction(FRAME, [3, 6, 7], [[0.3, 0.5, 0.2], [0, 0.5, 0.5]])
    simple = MassFunction.from_dict(FRAME, {"a": 0.5, FRAME: 0.5})
    with pytest.raises(MassError, match=r"not separable, as its weight on \('b',\) .* 1 of 2"):
        lns(simple, inseparable)
    with pytest.raises(MassError, match="source 1 is dogmatic"):
        lns(MassFunction.from_dict(FRAME, {"a": 0.5, "b": 0.5}), simple)
    with pytest.raises(ValueError, match=r"eta is .*, expected at least 0"):
        lns(simple, simple, eta=-1)
    with pytest.raises(ValueError, match=r"eta is .*, expected at least 0"):
        lns(simple, simple, eta=float("nan"))


@pytest.mark.parametrize("eta", [400, 1e4, 1e300, 10**400, math.inf])
def test_large_eta_leaves_the_smallest_sets(eta):
    """Each row has its own smallest sets: in the second one no label is named."""
    frame = Frame(list("abc"))
    one = MassFunction(frame, [1, 7], [[0.5, 0.5], [0.0, 1.0]])
    two = MassFunction(frame, [3, 7], [[0.25, 0.75], [0.25, 0.75]])
    found = lns(one, two, eta=eta)
    np.testing.assert_allclose(found.mass("a"), [0.5, 0], atol=1e-15)
    np.testing.assert_allclose(found.mass(["a", "b"]), [0, 0.25], atol=1e-15)


def test_large_eta_on_exact_masses():
    frame, half = Frame(list("abc")), Fraction(1, 2)
    one, two = (MassFunction(frame, [focal, 7], [half, half]) for focal in (1, 3))
    for eta in (10**400, math.inf, 1e5):
        assert lns(one, two, eta=eta).mass("a") == half
    assert lns(one, two, eta=1).mass("a") == Fraction(1, 3)
