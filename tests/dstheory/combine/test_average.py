from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dstheory import Frame, MassFunction
from dstheory.combine import dempster, deng, mixing, murphy
from dstheory.combine._average import credibility
from dstheory.measure import distance
from tests.dstheory.combine.strategies import sources
from tests.naive import rules as naive_rules

FRAME = Frame(list("abc"))


def close(m, expected):
    found = naive_rules.as_sets(m)
    return all(
        abs(found.get(event, 0) - expected.get(event, 0)) < 1e-12
        for event in found.keys() | expected.keys()
    )


@given(ms=sources(size=3, empty=True), counts=st.tuples(*[st.integers(0, 9)] * 2))
def test_mixing_equals_its_definition(ms, counts):
    weights = [Fraction(n + 1, sum(counts) + 3) for n in (*counts, 0)]
    expected = naive_rules.mixing(*map(naive_rules.as_sets, ms), weights=weights)
    assert naive_rules.as_sets(mixing(*ms, weights=weights)) == expected


@given(ms=sources(size=1, empty=True))
def test_mixing_is_idempotent(ms):
    (m,) = ms
    assert mixing(m, m, m) == m


@given(ms=sources(size=st.integers(2, 4)))
def test_murphy_equals_its_definition(ms):
    assert naive_rules.as_sets(murphy(*ms)) == naive_rules.murphy(*map(naive_rules.as_sets, ms))


@given(ms=sources(size=2))
def test_deng_is_murphy_on_two_sources(ms):
    assert deng(*ms) == murphy(*ms)


@given(ms=sources(size=st.integers(3, 4)))
def test_deng_equals_its_definition(ms):
    sets = list(map(naive_rules.as_sets, ms))
    total = (
        sum(1 - float(naive_rules.jousselme_square(one, two)) for one in sets for two in sets)
        - len(sets) * 1
    )
    if total > 1e-9:
        assert close(deng(*ms), naive_rules.deng(*sets))
    assert sum(deng(*ms).masses) == 1


@pytest.mark.parametrize(
    ("n_sources", "murphys", "dengs"),
    [  # Deng, Shi, Zhu & Liu 2004, table 1
        (2, (0.1543, 0.7469, 0.0988), (0.1543, 0.7469, 0.0988)),
        (3, (0.3500, 0.5224, 0.1276), (0.5816, 0.2439, 0.1745)),
        (4, (0.6027, 0.2627, 0.1346), (0.8060, 0.0482, 0.1458)),
        (5, (0.7958, 0.0932, 0.1110), (0.8909, 0.0086, 0.1005)),
    ],
)
def test_published_example_with_a_faulty_second_source(n_sources, murphys, dengs):
    rows = [[0.5, 0.2, 0.3], [0, 0.9, 0.1], *[[0.55, 0.1, 0.35]] * 3]
    ms = MassFunction(FRAME, [1, 2, 4], rows[:n_sources])
    assert murphy(*ms).masses == pytest.approx(murphys, abs=5.1e-5)
    assert deng(*ms).masses == pytest.approx(dengs, abs=5.1e-5)


def test_sources_without_support_count_equally():
    ms = [MassFunction.from_dict(FRAME, {label: 1}) for label in "abc"]
    assert deng(*ms).masses == pytest.approx([1 / 3] * 3)
    exact = [MassFunction.from_dict(FRAME, {label: Fraction(1)}) for label in "abc"]
    assert list(deng(*exact).masses) == [Fraction(1, 3)] * 3


def test_deng_weights_follow_the_measured_distances():
    rng = np.random.default_rng(8)
    focals = [[1, 3, 7], [1, 2, 4, 6], [0, 5, 7]]
    ms = [MassFunction(FRAME, f, rng.dirichlet(np.ones(len(f)), 4)) for f in focals]
    support = np.array([sum(1 - distance(m, other) for other in ms) - 1 for m in ms])
    average = mixing(*ms, weights=support / support.sum(axis=0))
    assert deng(*ms).equals(dempster(average, average, average))


def test_equal_sources_are_at_no_distance_at_all():
    m = MassFunction(FRAME, [1, 3, 6, 7], [0.1, 0.2, 0.3, 0.4])
    other = MassFunction.from_dict(FRAME, {"c": 1})
    support = credibility((m, m, m, other))
    assert support[0] == support[1] == support[2]
    near = 1 - distance(m, other)
    assert support[3] == pytest.approx(3 * near / (6 + 6 * near), rel=1e-14)


def test_weights_may_differ_by_row():
    one = MassFunction.from_dict(FRAME, {"a": 1})
    two = MassFunction.from_dict(FRAME, {"b": 1})
    fused = mixing(one, two, weights=np.array([[0.25, 0.5, 1], [0.75, 0.5, 0]]))
    assert fused.mass("a").tolist() == [0.25, 0.5, 1]


def test_weights_of_other_types():
    """Those of float32 sum to 1 within its rounding only; decimals were refused beside floats."""
    one, two = (MassFunction.from_dict(FRAME, {x: 0.5, FRAME: 0.5}) for x in "ab")
    for weights in (np.float32([0.1, 0.9]), [Decimal("0.1"), Decimal("0.9")]):
        fused = mixing(one, two, weights=weights)
        assert fused.masses.sum() == pytest.approx(1, abs=1e-15)
        assert fused.mass("a") == pytest.approx(0.05, rel=1e-7)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([0.5], r"weights have shape \(1,\), but there are 2 sources"),
        (0.5, "weights have shape"),
        ([1.5, -0.5], "non-negative"),
        ([np.nan, 0.5], "non-negative"),
        ([0.5, 0.4], "weights sum to 0.9, not 1"),
        ([Fraction(1, 2), Fraction(1, 3)], "weights sum to 5/6, not 1"),
    ],
)
def test_wrong_weights(weights, message):
    m = MassFunction.from_dict(FRAME, {"a": Fraction(1)})
    with pytest.raises(ValueError, match=message):
        mixing(m, m, weights=weights)
