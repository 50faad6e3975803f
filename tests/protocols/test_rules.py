"""Every combination rule is run through the same checks."""

import inspect
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import sympy

from dstheory import Frame, MassFunction, combine, stack
from dstheory.errors import FrameError, MassError, TotalConflictError
from tests.naive import rules as naive_rules
from tests.protocols.rules_table import (
    DEFINITIONS,
    FRAME,
    GENERAL,
    IN_TOTAL_CONFLICT,
    NOT_RULES,
    RULES,
    SEPARABLE,
    batches,
    every_rule,
    exact,
)
from tests.support.each import each

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "combining.md"


def test_the_table_is_complete():
    assert {rule.name for rule in RULES} | NOT_RULES == set(combine.__all__)


@every_rule
def test_signature(rule):
    parameters = list(inspect.signature(getattr(combine, rule.name)).parameters.values())
    kinds = [parameter.kind for parameter in parameters]
    assert [parameter.name for parameter in parameters[:3]] == ["m1", "m2", "more"]
    assert kinds[2] is inspect.Parameter.VAR_POSITIONAL
    assert all(kind is inspect.Parameter.KEYWORD_ONLY for kind in kinds[3:])


@every_rule
@each("n_sources", [2, 3])
def test_each_row_of_a_batch_is_its_single_result(rule, n_sources):
    sources = rule.sources(n_sources=n_sources)
    fused = rule(*sources)
    assert fused.batch_shape == (4,)
    for row in range(4):
        assert fused[row].equals(rule(*(source[row] for source in sources)))


@every_rule
def test_batches_broadcast(rule):
    one, two, three = rule.sources(shape=(4, 1))
    two, three = two[0, 0], MassFunction(FRAME, three.focal, three.masses[:3, 0])
    fused = rule(one, two, three)
    assert fused.batch_shape == (4, 3)
    assert fused[3, 2].equals(rule(one[3, 0], two, three[2]))


@every_rule
def test_an_empty_batch_gives_an_empty_batch(rule):
    assert rule(*(source[:0] for source in rule.sources())).batch_shape == (0,)


@every_rule
def test_result_is_a_valid_mass_function(rule):
    fused = rule(*rule.sources(shape=(2, 3)))
    assert isinstance(fused, MassFunction)
    again = MassFunction(FRAME, fused.focal, fused.masses)
    assert fused.store.flags.c_contiguous
    assert again == fused


@every_rule
def test_dtype_is_kept(rule):
    sources = [source[0] for source in rule.sources()]
    assert rule(*sources).store.dtype == np.float64
    fused = rule(*map(exact, sources))
    assert fused.store.dtype == object
    assert all(isinstance(mass, Fraction | int) for mass in fused.masses)
    assert sum(fused.masses) == 1
    floating = [MassFunction(FRAME, m.focal, m.masses.astype(float)) for m in map(exact, sources)]
    wanted = MassFunction(FRAME, fused.focal, fused.masses.astype(float))
    assert rule(*floating).equals(wanted, atol=1e-12)


@each("n_sources", [2, 3])
@each("rule", [r for r in RULES if r.symbolic], ids=lambda rule: rule.id)
def test_symbols_run_through_the_same_code(rule, n_sources):
    p, q = sympy.symbols("p q", positive=True)
    values = {p: sympy.Rational(1, 3), q: sympy.Rational(1, 4)}

    def sources(p, q):
        one = MassFunction.from_dict(FRAME, {"a": p, FRAME: 1 - p})
        two = MassFunction.from_dict(FRAME, {"b": q, FRAME: 1 - q})
        return [one, two, one][:n_sources]

    numbers = rule(*sources(Fraction(1, 3), Fraction(1, 4)))
    for event, mass in rule(*sources(p, q)).to_dict().items():
        value = sympy.sympify(mass).subs(values).evalf()
        assert float(value) == pytest.approx(float(numbers.mass(event)))


@every_rule
def test_inputs_are_not_changed(rule):
    sources = rule.sources()
    before = [source.store.copy() for source in sources]
    rule(*sources)
    for source, store in zip(sources, before, strict=True):
        np.testing.assert_array_equal(source.store, store)


@every_rule
def test_other_frames_are_refused(rule):
    (m,) = rule.sources(n_sources=1)
    other = MassFunction.from_dict(Frame(list("xyz")), {"x": 1})
    with pytest.raises(FrameError, match="frames differ"):
        rule(m, other)
    with pytest.raises(FrameError, match="frames differ"):
        rule(m, m, other)


@every_rule
@each("wrong", [None, 0.5, {"a": 1}, frozenset("ab"), np.ones(3) / 3])
def test_other_kinds_are_refused(rule, wrong):
    (m,) = rule.sources(n_sources=1)
    for arguments in [(m, wrong), (wrong, m), (m, m, wrong)]:
        with pytest.raises(TypeError, match="mass function"):
            rule(*arguments)


@every_rule
def test_one_source_is_refused(rule):
    with pytest.raises(TypeError, match="m2"):
        rule(*rule.sources(n_sources=1))


@every_rule
def test_batches_that_do_not_broadcast_are_refused(rule):
    with pytest.raises(ValueError, match="broadcast"):
        rule(rule.sources(shape=(4,))[0], rule.sources(shape=(3,))[0])


@every_rule
@each("one", [1, 1.0, Fraction(1)])
def test_total_conflict(rule, one):
    sources = [MassFunction.from_dict(FRAME, {label: one}) for label in "ab"]
    if rule.total_conflict == "result":
        assert sum(rule(*sources).masses) == 1
        return
    messages = {
        "total conflict": (TotalConflictError, "total conflict"),
        "dogmatic": (MassError, "source 1 is dogmatic"),
        "normalized": (MassError, "source 1 gives no mass to the empty set"),
    }
    error, message = messages[rule.total_conflict]
    with pytest.raises(error, match=message):
        rule(*sources)


def open_world(rule):
    """Exact sources, of which the first and the last give mass to the empty set."""
    kind = SEPARABLE if rule.takes == "separable" else GENERAL
    made = [exact(m[0]) for m in batches([[0, *kind[0]], kind[1], [0, *kind[2]]])]
    return [~m for m in made] if rule.takes == "subnormal" else made


@every_rule
def test_the_empty_set_as_the_guide_says(rule):
    """One policy, in one table: the rows name each rule once, with what m(empty) is to it."""
    rows = [line.split("|") for line in GUIDE.read_text().splitlines() if line.startswith("| `")]
    said = [row[2].strip() for row in rows if len(row) == 5 and f"`{rule.name}`" in row[1]]
    words = {"set": "a set", "conflict": "conflict", "refused": "refused", "needed": "needed"}
    words["eta"] = "a set"  # but the size of the empty set has no reciprocal: eta is 0
    assert said[0] == words[rule.empty]


@each("rule", [r for r in RULES if r.empty in ("set", "conflict")], ids=lambda rule: rule.id)
def test_mass_on_the_empty_set_follows_the_definition(rule):
    sources = open_world(rule)
    fused = rule(*sources)
    assert sum(fused.masses) == 1
    definition = DEFINITIONS.get(rule.id)
    if definition is not None:
        for event, mass in definition(*map(naive_rules.as_sets, sources)).items():
            assert float(fused.mass(event)) == pytest.approx(float(mass), rel=1e-12)


@each("rule", [r for r in RULES if r.empty == "conflict"], ids=lambda rule: rule.id)
def test_conflict_found_before_counts_as_conflict_found_now(rule):
    """The conjunctive rule first, for some of the sources, changes nothing."""
    one, two, three = open_world(rule)
    if callable(rule.options.get("share")):  # a share that sees the sources one by one
        rule = replace(rule, options={"share": rule.options["share"](one, two, three)})
    assert rule(one & two, three).equals(rule(one, two, three), atol=1e-12)
    if rule.name not in ("conjunctive", "lefevre"):
        assert rule(one, two, three).is_normalized


@each("rule", [r for r in RULES if r.empty == "refused"], ids=lambda rule: rule.id)
def test_rules_for_normalized_sources_refuse_by_one_message(rule):
    one, two, three = open_world(rule)
    message = (
        r"source 3 gives mass to the empty set; .* is defined for normalized sources: "
        r"use \.normalize\(\) first"
    )
    with pytest.raises(MassError, match=message):
        rule(two, two, three)
    assert sum(rule(one.normalize(), two, three.normalize()).masses) == 1


@every_rule
@each("kind", [list, tuple, iter])
def test_a_list_of_sources_is_refused_with_advice(rule, kind):
    with pytest.raises(TypeError, match=rf"m2.*{rule.name}\(\*masses\)"):
        rule(kind(rule.sources()))


@every_rule
def test_a_batch_alone_is_refused_with_advice(rule):
    with pytest.raises(TypeError, match=rf"m2.*combine_axis\(m, {rule.name}\)"):
        rule(rule.sources()[0])


def test_one_option_for_total_conflict():
    """Rules that normalize have it, and no others; other rows of a batch keep their result."""
    parameters = {r.name: inspect.signature(getattr(combine, r.name)).parameters for r in RULES}
    assert {name for name, known in parameters.items() if "total_conflict" in known} == {
        rule.name for rule, _ in IN_TOTAL_CONFLICT
    }
    for rule, masses in IN_TOTAL_CONFLICT:
        wanted = rule(*rule.sources(n_sources=2))
        for number in (Fraction, float):
            single = [
                MassFunction.from_dict(FRAME, {k: number(v) for k, v in m.items()}) for m in masses
            ]
            with pytest.raises(TotalConflictError, match="total conflict"):
                rule(*single)
            vacuous = replace(rule, options={**rule.options, "total_conflict": "vacuous"})
            assert vacuous(*single).is_vacuous, (rule.id, number)
            missing = replace(rule, options={**rule.options, "total_conflict": "nan"})
            assert np.isnan(missing(*single).masses.astype(float)).all(), (rule.id, number)
        sources = [
            with_row(m, one) for m, one in zip(rule.sources(n_sources=2), single, strict=True)
        ]
        with pytest.raises(TotalConflictError, match=r"in 1 of 5 rows \(first: row 4\)"):
            rule(*sources)
        fused = vacuous(*sources)
        assert (fused[:4].equals(wanted), fused[4].is_vacuous) == (True, True), rule.id
        fused = missing(*sources)
        assert fused[:4].equals(wanted), rule.id
        assert np.isnan(fused.masses[4]).all(), rule.id
        with pytest.raises(ValueError, match="total_conflict is 'warn', expected one of 'error'"):
            replace(rule, options={**rule.options, "total_conflict": "warn"})(*single)


def with_row(batch, single):
    """The batch with one more row."""
    return stack([*batch, single])
