from fractions import Fraction
from functools import partial
from math import comb, prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dstheory import Frame, MassFunction
from dstheory.combine import (
    _pcr,
    _pcr_first,
    pcr1,
    pcr2,
    pcr3,
    pcr4,
    pcr5,
    pcr5_plus,
    pcr6,
    pcr6_plus,
)
from dstheory.errors import CostLimitError, MassError
from tests.dstheory.combine.strategies import sources
from tests.naive import rules as naive_rules
from tests.support.each import each

RULES = {
    pcr5: {"joint": prod, "improved": False},
    pcr6: {"joint": sum, "improved": False},
    pcr5_plus: {"joint": prod, "improved": True},
    pcr6_plus: {"joint": sum, "improved": True},
}
FIRST = {
    pcr1: naive_rules.pcr1,
    pcr2: naive_rules.pcr2,
    pcr3: naive_rules.pcr3,
    pcr4: naive_rules.pcr4,
}
each_rule = pytest.mark.parametrize("rule", [*FIRST, *RULES])


@each_rule
@settings(max_examples=40)
@given(ms=sources(size=st.integers(2, 4), max_focal=4))
def test_equals_its_definition(rule, ms):
    definition = FIRST.get(rule) or partial(naive_rules.pcr, **RULES[rule])
    expected = definition(*map(naive_rules.as_sets, ms))
    assert naive_rules.as_sets(rule(*ms)) == expected


@given(ms=sources(size=2))
def test_all_agree_on_two_sources(ms):
    assert pcr5(*ms) == pcr6(*ms) == pcr5_plus(*ms) == pcr6_plus(*ms)


@each_rule
@settings(max_examples=15)
@given(ms=sources(size=3, max_focal=4))
def test_the_order_of_the_sources_is_irrelevant(rule, ms):
    assert rule(*ms) == rule(*reversed(ms))


@given(ms=sources(size=st.integers(2, 3), max_focal=4))
def test_vacuous_is_neutral_for_most_rules(ms):
    """Dezert, Dezert & Smarandache 2021, theorem of section VI-B; the early rules 2-4 too."""
    ignorance = MassFunction.from_dict(ms[0].frame, {ms[0].frame: Fraction(1)})
    for rule in (pcr5_plus, pcr6_plus, pcr2, pcr3, pcr4):
        assert rule(*ms, ignorance) == rule(*ms)


def test_vacuous_is_not_neutral_for_the_others():
    frame = Frame(list("ab"))
    one = MassFunction.from_dict(frame, {"a": Fraction(1)})
    two = MassFunction.from_dict(frame, {"b": Fraction(1)})
    ignorance = MassFunction.from_dict(frame, {frame: Fraction(1)})
    assert pcr6(one, two, ignorance).mass(frame) == Fraction(1, 3)


def certain(labels, *events):
    frame = Frame(list(labels))
    return [MassFunction.from_dict(frame, {tuple(event): Fraction(1)}) for event in events]


@each(
    ("labels", "events", "kept"),
    [  # Dezert, Dezert & Smarandache 2021, examples 6, 7, 8, 10, 11 and 12
        ("abcd", ["a", "bc", "ac", "bc", "abc", "abcd"], ["a", "bc", "ac"]),
        ("abcde", ["ae", "bce", "ace", "bce", "abce", "abcde", "a"], ["ae", "bce", "ace", "a"]),
        ("abcd", ["a", "bc", "ac", "bc", "abcd"], ["a", "bc", "ac"]),
        ("abc", ["a", "bc", "ac"], ["a", "bc", "ac"]),
        ("abc", ["a", "bc", "ac", "ab"], ["a", "bc", "ac", "ab"]),
        ("abc", ["abc", "a", "bc"], ["a", "bc"]),
    ],
)
def test_who_receives_a_conflict_in_the_paper(labels, events, kept):
    ms = certain(labels, *events)
    shares = {frozenset(e): Fraction(events.count(e)) for e in kept}
    total = sum(shares.values())
    fused = naive_rules.as_sets(pcr6_plus(*ms))
    assert fused == {event: share / total for event, share in shares.items()}
    equal = naive_rules.as_sets(pcr5_plus(*ms))
    assert equal == dict.fromkeys(shares, Fraction(1, len(shares)))


@pytest.mark.parametrize(
    ("rule", "expected"),
    [  # Tables XIII and XIV of the same paper, six decimals, some rounded badly
        (pcr5, (0.041797, 0.487632, 0.258327, 0.212244)),
        (pcr5_plus, (0.041797, 0.613029, 0.345174, 0)),
        (pcr6, (0.037676, 0.487632, 0.262448, 0.212244)),
        (pcr6_plus, (0.037676, 0.613029, 0.349295, 0)),
    ],
)
def test_example_13_of_the_paper(rule, expected):
    frame = Frame(list("abcd"))
    fused = rule(
        MassFunction.from_dict(frame, {("a", "b"): 0.8, ("c", "d"): 0.2}),
        MassFunction.from_dict(frame, {("a", "b"): 0.4, ("c", "d"): 0.6}),
        MassFunction.from_dict(frame, {"b": 0.1, frame: 0.9}),
    )
    values = [fused.mass(event) for event in ["b", ("a", "b"), ("c", "d"), frame]]
    assert values == pytest.approx(expected, abs=1.1e-6)


@each_rule
def test_masses_that_are_zero_in_a_row_take_no_share(rule):
    frame = Frame(list("ab"))
    batch = MassFunction(frame, [1, 2, 3], [[1, 0, 0], [0, 0.5, 0.5]])
    other = MassFunction(frame, [1, 2], [[0, 1], [1, 0]])
    fused = rule(batch, other, batch)
    for row in range(2):
        single = [batch[row].prune(), other[row].prune(), batch[row].prune()]
        assert fused[row].equals(rule(*single))
    assert np.isfinite(fused.masses).all()


@each_rule
def test_results_do_not_depend_on_the_blocks(rule, monkeypatch):
    frame = Frame(list("abcd"))
    rng = np.random.default_rng(4)
    ms = [
        MassFunction(frame, rng.choice(15, 6, replace=False) + 1, rng.dirichlet(np.ones(6), 9))
        for _ in range(3)
    ]
    whole = rule(*ms)
    monkeypatch.setattr(_pcr, "_BLOCK_CHOICES", 7)
    monkeypatch.setattr(_pcr, "_BLOCK_VALUES", 16)
    monkeypatch.setattr(_pcr_first, "_BLOCK_VALUES", 300)
    assert rule(*ms).equals(whole)


@pytest.mark.parametrize("rule", RULES)
def test_large_frames(rule):
    frame = Frame(range(100))
    one = MassFunction.from_dict(frame, {0: 0.5, (1, 99): 0.5})
    two = MassFunction.from_dict(frame, {99: 0.5, frame: 0.5})
    fused = rule(one, two)
    assert fused.mass(0) == pytest.approx(0.25 + 0.125)
    assert fused.mass(99) == pytest.approx(0.25 + 0.125)


@each_rule
def test_subnormal_sources_are_refused(rule):
    frame = Frame(list("ab"))
    normal = MassFunction.from_dict(frame, {"a": 1})
    batch = MassFunction(frame, [0, 1], [[0, 1], [0.5, 0.5]])
    with pytest.raises(MassError, match=r"source 2 .* in 1 of 2 rows \(first: row 1\)"):
        rule(normal, batch)
    assert rule(normal, batch[:1]).mass("a") == 1


def test_the_first_rules_by_hand():
    """Smarandache & Dezert 2005: a (0.6, 0), b (0, 0.3), the frame (0.4, 0.7); κ = 0.18."""
    frame = Frame(list("ab"))
    one = MassFunction.from_dict(frame, {"a": 0.6, frame: 0.4})
    two = MassFunction.from_dict(frame, {"b": 0.3, frame: 0.7})
    assert pcr1(one, two).masses == pytest.approx([0.42 + 0.054, 0.12 + 0.027, 0.28 + 0.099])
    for rule in (pcr2, pcr3):
        assert rule(one, two).masses == pytest.approx([0.42 + 0.12, 0.12 + 0.06, 0.28])
    agreed = [0.42 + 0.18 * 0.42 / 0.54, 0.12 + 0.18 * 0.12 / 0.54, 0.28]
    assert pcr4(one, two).masses == pytest.approx(agreed)


@each(
    ("rows", "rule", "printed"),
    [  # Smarandache & Dezert 2005, examples 12.1 to 12.3
        (([0.6, 0.3, 0.1], [0.4, 0.4, 0.2]), pcr1, (0.550, 0.337, 0.113)),
        (([0.6, 0.3, 0.1], [0.4, 0.4, 0.2]), pcr2, (0.550, 0.337, 0.113)),
        (([0.6, 0.3, 0.1], [0.4, 0.4, 0.2]), pcr3, (0.574842, 0.338235, 0.086923)),
        (([0.6, 0.3, 0.1], [0.4, 0.4, 0.2]), pcr4, (0.627692, 0.325714, 0.046594)),
        (([0.6, 0.3, 0.1], [0.4, 0.4, 0.2]), pcr5, (0.574571, 0.335429, 0.090000)),
        (([0.9, 0, 0.1], [0, 0.9, 0.1]), pcr1, (0.4455, 0.4455, 0.1090)),
        (([0.9, 0, 0.1], [0, 0.9, 0.1]), pcr3, (0.478636, 0.478636, 0.042728)),
        (([0.9, 0, 0.1], [0, 0.9, 0.1]), pcr4, (0.478636, 0.478636, 0.042728)),
        (([0.9, 0, 0.1], [0, 0.9, 0.1]), pcr5, (0.486, 0.486, 0.028)),
    ],
)
def test_printed_examples_of_three_labels(rows, rule, printed):
    frame = Frame(list("abc"))
    fused = rule(*(MassFunction(frame, [1, 2, 4], row) for row in rows))
    tolerance = 5e-4 if len(str(printed[0])) < 8 else 1.1e-6
    assert fused.masses == pytest.approx(printed, abs=tolerance)


@pytest.mark.parametrize(
    ("rule", "printed"),
    [  # example 12.2
        (pcr1, (0.7180, 0.2125, 0.0695)),
        (pcr2, (0.752941, 0.227059, 0.02)),
        (pcr3, (0.752941, 0.227059, 0.02)),
        (pcr4, (0.784, 0.196, 0.02)),
    ],
)
def test_printed_example_of_two_labels(rule, printed):
    frame = Frame(list("ab"))
    rows = [0.7, 0.1, 0.2], [0.5, 0.4, 0.1]
    fused = rule(*(MassFunction(frame, [1, 2, 3], row) for row in rows))
    assert fused.masses == pytest.approx(printed, abs=5.1e-5)


def test_pcr4_falls_back_to_column_sums():
    """Section 10.5 of the same paper misprints c(C) as 0.5, and so its a and c."""
    frame = Frame(list("abcd"))
    one = MassFunction.from_dict(frame, {"b": 0.4, "c": 0.5, "d": 0.1})
    two = MassFunction.from_dict(frame, {"a": 0.6, "c": 0.1, "d": 0.3})
    assert pcr4(one, two).masses == pytest.approx([0.33, 0.172, 0.324, 0.174])


def test_pcr5_follows_its_formula_beside_a_vacuous_source():
    """Section 11.5 of the same paper contradicts the general formula: vacuous counts."""
    frame = Frame(list("ab"))
    one = MassFunction.from_dict(frame, {"a": Fraction(3, 4), frame: Fraction(1, 4)})
    two = MassFunction.from_dict(frame, {"b": Fraction(1, 2), frame: Fraction(1, 2)})
    ignorance = MassFunction.from_dict(frame, {frame: Fraction(1)})
    conflict, claims = Fraction(3, 8), (Fraction(3, 4), Fraction(1, 2), Fraction(1))
    fused = pcr5(one, two, ignorance)
    assert fused.mass("a") == Fraction(3, 8) + conflict * claims[0] / sum(claims)
    assert pcr5_plus(one, two, ignorance) == pcr5(one, two)


def random_sources(n_sources, n_focal, labels, shape=(), seed=0):
    rng, frame = np.random.default_rng(seed), Frame(range(labels))
    return [
        MassFunction(
            frame,
            rng.choice(frame.full, n_focal, replace=False) + 1,
            rng.dirichlet(np.ones(n_focal), shape),
        )
        for _ in range(n_sources)
    ]


def exact(m, scale=10**6):
    counts = [int(scale * mass) + 1 for mass in m.masses]
    return MassFunction(m.frame, m.focal, [Fraction(c, sum(counts)) for c in counts])


def floating(m):
    return MassFunction(m.frame, m.focal, m.masses.astype(float))


@settings(max_examples=40)
@given(ms=sources(size=st.integers(2, 4), max_focal=4))
def test_the_integral_equals_the_definition(ms):
    definition = naive_rules.pcr(*map(naive_rules.as_sets, ms), **RULES[pcr6])
    fused = _pcr.redistributed_by_integral(tuple(map(floating, ms)))
    for event, mass in definition.items():
        assert fused.mass(event) == pytest.approx(float(mass), rel=1e-13)


@pytest.mark.parametrize("smallest", [1e-12, 1e-60, 1e-200])
def test_the_integral_keeps_small_masses_and_zeros(smallest):
    frame = Frame(list("abc"))
    rows = [[smallest, 0.5, 0.5 - smallest, 0], [smallest, 0, 1 - smallest, 0], [0, 0, 0.25, 0.75]]
    ms = [MassFunction(frame, [1, 2, 4, 7], row) for row in (*rows, rows[0])]
    exact_sources = [[Fraction(mass) for mass in m.masses] for m in ms]
    tables = [
        {frozenset(frame.event(k)): mass for k, mass in zip([1, 2, 4, 7], row, strict=True) if mass}
        for row in exact_sources
    ]
    fused = _pcr.redistributed_by_integral(tuple(ms))
    for event, mass in naive_rules.pcr(*tables, **RULES[pcr6]).items():
        assert fused.mass(event) == pytest.approx(float(mass), rel=1e-13)


def test_fifteen_sources_are_no_matter_for_pcr6():
    """Equal sources: the choices of k sources for a and the others for b are known."""
    frame, n, p = Frame(list("ab")), 15, Fraction(3, 4)
    m = MassFunction.from_dict(frame, {"a": float(p), "b": float(1 - p)})
    expected = p**n
    for k in range(1, n):
        times = comb(n, k) * p**k * (1 - p) ** (n - k)
        expected += times * k * p / (k * p + (n - k) * (1 - p))
    assert pcr6(*[m] * n).mass("a") == pytest.approx(float(expected), rel=1e-13)


def test_the_integral_is_taken_row_by_row(monkeypatch):
    ms = random_sources(8, 4, 3, (2, 3))
    whole = pcr6(*ms)
    monkeypatch.setattr(_pcr, "_BLOCK_NODES", 1)
    assert pcr6(*ms).equals(whole)
    monkeypatch.setattr(_pcr, "_STEPS_A_CHOICE", 0)
    assert pcr6(*ms).equals(whole, atol=1e-14)
    assert pcr6(*(m[:0] for m in ms)).batch_shape == (0, 3)


@pytest.mark.parametrize("rule", [pcr2, pcr3, pcr4])
def test_collections_of_sets_equal_the_choices_of_many_sources(rule):
    ms = [exact(m, 100) for m in random_sources(6, 3, 3)]
    expected = FIRST[rule](*map(naive_rules.as_sets, ms))
    assert naive_rules.as_sets(rule(*ms)) == expected
    fused = rule(*map(floating, ms))
    for event, mass in expected.items():
        assert fused.mass(event) == pytest.approx(float(mass), rel=1e-13)
    assert rule(*random_sources(15, 4, 4)).masses.sum() == pytest.approx(1)


@each_rule
@each("powers", [(0, 200, 200), (100, 200, 0), (160, 160, 160), (0, 300, 20)])
def test_tiny_masses_follow_the_definition(rule, powers):
    """Conjunctive masses of 1e-400, which no float holds, still compare as they should."""
    frame = Frame(list("abc"))
    tiny = [Fraction(1, 10**power) if power else Fraction(1, 4) for power in powers]
    ms = [
        MassFunction.from_dict(frame, {"a": tiny[0], "b": 1 - tiny[0]}),
        MassFunction.from_dict(frame, {"a": tiny[1], "b": 1 - tiny[1]}),
        MassFunction.from_dict(frame, {"a": tiny[2], ("b", "c"): 1 - tiny[2]}),
        MassFunction.from_dict(frame, {"a": 1 - tiny[1], "b": tiny[1]}),
    ]
    for few in (ms, ms[:3], ms[2:]):
        fused = rule(*map(floating, few))
        for event, mass in naive_rules.as_sets(rule(*few)).items():
            assert fused.mass(event) == pytest.approx(float(mass), rel=1e-12, abs=1e-300)


@pytest.mark.parametrize("rule", [pcr5, pcr5_plus, pcr6_plus])
def test_too_many_choices_are_refused_at_once(rule):
    ms = random_sources(15, 4, 4)
    with pytest.raises(CostLimitError, match=r"15 sources takes 1,073,741,824 choices .* pcr6"):
        rule(*ms)
    with pytest.raises(CostLimitError, match="15 exact sources takes"):
        rule(*map(exact, ms))


def test_too_many_choices_of_pcr6_are_refused_at_once():
    with pytest.raises(CostLimitError, match=r"15 exact sources takes .* convert masses to float"):
        pcr6(*map(exact, random_sources(15, 4, 4)))
    with pytest.raises(CostLimitError, match=r"20 sources takes about 10\^34 choices"):
        pcr6(*random_sources(20, 50, 40))


@pytest.mark.parametrize("rule", [pcr2, pcr3, pcr4])
def test_too_many_collections_are_refused_at_once(rule):
    with pytest.raises(CostLimitError, match=r"10 sources .* pairs of a collection"):
        rule(*random_sources(10, 50, 8))
