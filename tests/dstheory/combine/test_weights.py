"""Rules on canonical weights: cautious, bold, t-norms; and the weights themselves."""

import math
from fractions import Fraction
from functools import partial

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dstheory import Frame, MassFunction
from dstheory.combine import (
    _weights,
    bold,
    cautious,
    conjunctive,
    disjunctive,
    tnorm_conjunctive,
    tnorm_disjunctive,
)
from dstheory.combine._norms import t_norm
from dstheory.combine._weights import sparse_weights
from dstheory.errors import CostLimitError, MassError, TotalConflictError
from dstheory.transform import conjunctive_weights
from tests.dstheory.combine.strategies import sources
from tests.naive import rules as naive_rules
from tests.support.each import each

SMOOTH = {"dogmatic": False, "empty": True, "max_focal": 4}
MANY = st.integers(2, 3)
NORMS = [
    ("dubois_prade", Fraction(1, 2), partial(naive_rules.dubois_prade_norm, Fraction(1, 2))),
    ("sugeno_weber", 2, partial(naive_rules.sugeno_weber, 2)),
    ("sugeno_weber", 0, partial(naive_rules.sugeno_weber, 0)),
    ("frank", 0, min),
    ("frank", 1, lambda x, y: x * y),
    ("frank", math.inf, lambda x, y: max(x + y - 1, Fraction(0))),
]


@given(ms=sources(size=1, **SMOOTH))
def test_weights_equal_their_definition(ms):
    (m,) = ms
    table = naive_rules.conjunctive_weights(naive_rules.as_sets(m), m.frame)
    sets, weights = sparse_weights(m)
    found = {
        frozenset(m.frame.event(int(mask))): weight
        for mask, weight in zip(sets, weights, strict=True)
    }
    del found[frozenset(m.frame)]
    assert all(found.get(event, 1) == weight for event, weight in table.items())


def test_weights_equal_the_dense_table():
    frame = Frame(list("abcde"))
    rng = np.random.default_rng(2)
    m = MassFunction(frame, [3, 6, 11, 19, 28, 31], rng.dirichlet(np.ones(6), 4))
    sets, weights = sparse_weights(m)
    table = conjunctive_weights(m)
    np.testing.assert_allclose(table[:, sets].T, np.exp(weights), rtol=1e-12)
    others = np.setdiff1d(np.arange(32), sets)
    np.testing.assert_allclose(table[:, others], 1, rtol=1e-12)


@given(ms=sources(size=MANY, **SMOOTH))
def test_cautious_equals_its_definition(ms):
    expected = naive_rules.by_weights(ms[0].frame, *map(naive_rules.as_sets, ms), operation=min)
    assert naive_rules.as_sets(cautious(*ms)) == expected


@given(ms=sources(size=MANY, **SMOOTH))
def test_bold_equals_its_definition(ms):
    ms = [~m for m in ms]
    expected = naive_rules.by_dual_weights(
        ms[0].frame, *map(naive_rules.as_sets, ms), operation=min
    )
    assert naive_rules.as_sets(bold(*ms)) == expected


@given(ms=sources(size=3, **SMOOTH))
def test_cautious_laws(ms):
    """Denoeux 2008: commutes, associates, is idempotent, distributes."""
    one, two, three = ms
    assert cautious(one, two) == cautious(two, one)
    assert cautious(one, cautious(two, three)) == cautious(one, two, three)
    assert cautious(one, one) == one
    assert cautious(one & two, one & three) == one & cautious(two, three)


@given(ms=sources(size=2, max_focal=1))
def test_vacuous_is_neutral_beside_separable_sources(ms):
    frame = ms[0].frame
    vacuous = MassFunction.from_dict(frame, {frame: Fraction(1)})
    half = Fraction(1, 2)
    simple = [MassFunction.from_dict(frame, {frame.event(m.focal[0]): 1}) for m in ms]
    parts = [
        MassFunction(frame, sorted({int(m.focal[0]), frame.full}), [half, half])
        if m.focal[0] != frame.full
        else vacuous
        for m in simple
    ]
    separable = conjunctive(*parts)
    assert cautious(separable, vacuous) == separable


@each(("family", "parameter", "norm"), NORMS)
@given(ms=sources(size=2, **SMOOTH))
def test_tnorm_rules_equal_their_definition(family, parameter, norm, ms):
    frame = ms[0].frame
    operation = partial(naive_rules.extended, norm)
    expected = naive_rules.by_weights(frame, *map(naive_rules.as_sets, ms), operation=operation)
    fused = tnorm_conjunctive(*ms, family=family, parameter=parameter)
    assert naive_rules.as_sets(fused) == expected
    dual = tnorm_disjunctive(*(~m for m in ms), family=family, parameter=parameter)
    assert dual == ~fused


@pytest.mark.parametrize(
    ("family", "parameter"), [("frank", 0.25), ("frank", 8), ("sugeno_weber", 2)]
)
@given(ms=sources(size=3, dogmatic=False, max_focal=3))
def test_tnorm_rules_commute_associate_and_stay_valid(family, parameter, ms):
    rule = partial(tnorm_conjunctive, family=family, parameter=parameter)
    one, two, three = ms
    whole = rule(one, two, three)
    assert whole.equals(rule(three, two, one), atol=1e-12)
    assert min(whole.masses) >= 0
    assert sum(whole.masses) == 1


def test_separable_sources_run_from_cautious_to_conjunctive():
    frame = Frame(list("abc"))
    rng = np.random.default_rng(1)
    one = MassFunction(frame, [1, 3, 7], rng.dirichlet(np.ones(3), 5))
    two = MassFunction(frame, [1, 5, 7], rng.dirichlet(np.ones(3), 5))
    for family in ["frank", "dubois_prade"]:
        rule = partial(tnorm_conjunctive, one, two, family=family)
        assert rule(parameter=0).equals(cautious(one, two))
        assert rule(parameter=1).equals(conjunctive(one, two))
        ignorance = [rule(parameter=s).mass(frame) for s in [0, 0.001, 0.1, 0.5, 1]]
        assert (np.diff(ignorance, axis=0) <= 1e-15).all()
    assert tnorm_disjunctive(~one, ~two, parameter=1).equals(disjunctive(~one, ~two))
    product = tnorm_conjunctive(one, two, family="sugeno_weber", parameter=math.inf)
    assert product.equals(conjunctive(one, two))


@each("s", [1e-300, 1e-20, 1e-6, 0.2, 0.37, 0.99, 1 - 1e-9, 1 + 1e-9, 3, 1e20, 1e300])
def test_frank_is_accurate_over_its_whole_range(s):
    x, y = (grid.ravel() for grid in np.meshgrid([0, 1e-9, 0.1, 0.5, 0.9, 1], [0, 0.3, 0.7, 1]))
    values = t_norm("frank", s)(x, y)
    with mpmath.workdps(700):
        base = mpmath.mpf(s)
        wanted = [
            mpmath.log(1 + (base**a - 1) * (base**b - 1) / (base - 1), base)
            for a, b in zip(map(mpmath.mpf, x), map(mpmath.mpf, y), strict=True)
        ]
    np.testing.assert_allclose(values, [float(w) for w in wanted], rtol=1e-11, atol=1e-15)


@each("family", ["frank", "sugeno_weber", "dubois_prade"])
@each("parameter", [0, 0.3, 1])
def test_norms_have_one_as_neutral_and_zero_as_absorbing_element(family, parameter):
    norm = t_norm(family, parameter)
    x = np.array([0, 1e-12, 0.3, 1])
    np.testing.assert_allclose(norm(x, np.ones(4)), x, atol=1e-15)
    np.testing.assert_allclose(norm(np.ones(4), x), x, atol=1e-15)
    np.testing.assert_array_equal(norm(x, np.zeros(4)), 0)


def test_dogmatic_and_normalized_sources_are_named():
    frame = Frame(list("ab"))
    smooth = MassFunction.from_dict(frame, {"a": 0.5, frame: 0.5})
    batch = MassFunction(frame, [1, 3], [[1, 0], [0.5, 0.5], [1, 0]])
    with pytest.raises(MassError, match=r"source 2 is dogmatic.* in 2 of 3 rows \(first: row 0\)"):
        cautious(smooth, batch)
    with pytest.raises(MassError, match="source 1 gives no mass to the empty set"):
        bold(smooth, batch)
    with pytest.raises(MassError, match="a disjunctive t-norm rule"):
        tnorm_disjunctive(smooth, smooth, parameter=1)


@pytest.mark.parametrize(
    ("family", "parameter"),
    [
        ("frank", -1),
        ("frank", math.nan),
        ("sugeno_weber", math.nan),
        ("sugeno_weber", -1),
        ("dubois_prade", 1.5),
    ],
)
def test_parameters_outside_of_the_range(family, parameter):
    m = MassFunction.from_dict(Frame(list("ab")), {("a", "b"): 1})
    with pytest.raises(ValueError, match=f"the parameter of {family} is"):
        tnorm_conjunctive(m, m, family=family, parameter=parameter)


def test_unknown_family():
    m = MassFunction.from_dict(Frame(list("ab")), {("a", "b"): 1})
    with pytest.raises(ValueError, match="family is 'hamacher', expected one of 'frank'"):
        tnorm_conjunctive(m, m, family="hamacher", parameter=0)


def test_sources_with_all_but_no_ignorance_keep_their_digits():
    """Dense tables of commonalities lose these masses."""
    frame = Frame(list("abc"))
    eps = Fraction(1, 10**12)
    exact = [
        MassFunction.from_dict(frame, {"a": 1 - 2 * eps, "c": eps, frame: eps}),
        MassFunction.from_dict(frame, {"b": 1 - 3 * eps, "c": 2 * eps, frame: eps}),
    ]
    floating = [MassFunction(frame, m.focal, m.masses.astype(float)) for m in exact]
    wanted = cautious(*exact).normalize()
    found = cautious(*floating).normalize()
    for event in ["a", "b", "c"]:
        assert found.mass(event) == pytest.approx(float(wanted.mass(event)), rel=1e-3)


def test_large_frames_and_broadcasting():
    frame = Frame(range(100))
    one = MassFunction.from_dict(frame, {0: 0.5, frame: 0.5})
    many = MassFunction(frame, [1, frame.full], [[0.75, 0.25], [0.25, 0.75], [0, 1]])
    assert cautious(one, many).mass(0).tolist() == [0.75, 0.5, 0.5]
    assert cautious(one, one[None] if one.batch_shape else one).mass(0) == 0.5
    weak = MassFunction(frame, [1, frame.full], [[0.1, 0.9], [0.2, 0.8]])
    assert cautious(one, weak).mass(0).tolist() == [0.5, 0.5]


def test_weights_beyond_the_range_of_floats():
    """q = 1e-12 on all sets above four elements: w of the empty set is about e^3481."""
    frame = Frame(range(10))
    small = [mask for mask in range(1024) if mask.bit_count() == 4]
    masses = [(1 - 1e-12) / len(small)] * len(small)
    m = MassFunction(frame, [*small, 1023], [*masses, 1e-12])
    _, logs = sparse_weights(m)
    assert np.abs(logs).max() > 1000
    assert cautious(m, m).equals(m)
    other = MassFunction(frame, [1, 1023], [0.5, 0.5])
    for fused in [cautious(m, other), tnorm_conjunctive(m, other, parameter=0.5)]:
        assert MassFunction(frame, fused.focal, fused.masses) == fused
        assert fused.pl(0) >= fused.pl(1)


@pytest.mark.parametrize(
    ("family", "parameter"), [("frank", 0.3), ("frank", 5), ("dubois_prade", 0.4)]
)
def test_the_normalized_tnorm_rule(family, parameter):
    rng = np.random.default_rng(0)
    ms = [
        MassFunction(Frame(list("abc")), [0, 1, 2, 4, 3, 6, 7], rng.dirichlet(np.ones(7), 9))
        for _ in "xyz"
    ]
    rule = partial(tnorm_conjunctive, *ms, family=family, parameter=parameter)
    assert rule(normalize=True).equals(rule().normalize(), atol=1e-12)
    exact = [
        MassFunction(
            Frame(list("ab")), [1, 2, 3], [Fraction(n, 8), Fraction(1, 8), Fraction(7 - n, 8)]
        )
        for n in (1, 5)
    ]
    rule = partial(tnorm_conjunctive, *exact, family="dubois_prade", parameter=Fraction(1, 2))
    assert rule(normalize=True) == rule().normalize()


def test_the_normalized_tnorm_rule_where_conflict_is_total_but_for_1e_500():
    """Nearly probabilities on 26 labels: nearly the product of both."""
    rng = np.random.default_rng(0)
    frame, sets = Frame(range(26)), [1 << i for i in range(26)]
    p, q = rng.dirichlet(np.ones(26), 2)
    nearly = [MassFunction(frame, [*sets, frame.full], [*x, 1e-20]) for x in (p, q)]
    found = tnorm_conjunctive(*nearly, parameter=0.5, normalize=True)
    np.testing.assert_allclose(found.contour(), p * q / (p @ q), rtol=1e-12)
    with pytest.raises(TotalConflictError, match="total conflict"):
        tnorm_conjunctive(*nearly, parameter=math.inf, normalize=True)


def random_sources(n_focal, labels, shape=(), seed=0):
    """Two non-dogmatic mass functions on random sets."""
    rng, frame = np.random.default_rng(seed), Frame(range(labels))
    sets = [rng.choice(frame.full - 1, n_focal, replace=False) + 1 for _ in range(2)]
    return [
        MassFunction(frame, [*own.tolist(), frame.full], rng.dirichlet(np.ones(n_focal + 1), shape))
        for own in sets
    ]


@pytest.mark.parametrize("labels", [6, 30, 70])
@pytest.mark.parametrize("shape", [(), (3,), (0,), (2, 2)])
def test_a_closed_family_of_sets_gives_the_same(labels, shape, monkeypatch):
    if labels == 70:
        frame = Frame(range(70))
        rows = np.random.default_rng(1).dirichlet(np.ones(4), shape)
        ms = [
            MassFunction(frame, [frame.mask(e) for e in (*sets, frame)], rows)
            for sets in ([(0, 65), (1, 65), (65, 66)], [(0, 1, 2), (0, 65, 66), 2])
        ]
    else:
        ms = random_sources(6, labels, shape)
    expected = cautious(*ms)
    monkeypatch.setattr(_weights, "_MANY_SETS", 0)
    monkeypatch.setattr(_weights, "_MAX_TABLE_BITS", 10)
    monkeypatch.setattr(_weights, "_BLOCK_PAIRS", 1)
    assert cautious(*ms).equals(expected, atol=1e-14)


def test_a_thousand_intersections_are_combined_as_pairs_of_sets(monkeypatch):
    ms = random_sources(30, 12)
    fused = cautious(*ms)
    assert len(_weights.intersections(*ms)) > _weights._MANY_SETS
    monkeypatch.setattr(_weights, "_MANY_SETS", 1 << 20)
    assert fused.equals(cautious(*ms), atol=1e-14)


def test_too_many_intersections_are_refused():
    with pytest.raises(CostLimitError, match=r"takes \d+,\d+ or more intersections .* approximate"):
        cautious(*random_sources(300, 40))
    with pytest.raises(CostLimitError, match=r"in 10,000 rows takes .* moves of mass"):
        cautious(*random_sources(30, 14, (10_000,)))
