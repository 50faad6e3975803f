"""Arguments and degrees of support equal their definitions, over all scenarios and worlds."""

from fractions import Fraction

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from dstheory import DSTheoryError, TotalConflictError
from dstheory.argumentation import ArgumentationSystem
from dstheory.argumentation._system import Argument
from dstheory.product import ProductFrame, combine
from tests.dstheory.argumentation.strategies import hypotheses, systems
from tests.naive import argument as naive
from tests.support.each import each

HALF = Fraction(1, 2)


def literal_sets(arguments):
    return {frozenset(argument.literals) for argument in arguments}


def definitions(rules, probabilities, propositions, hypothesis):
    """Supporting and conflicting scenarios."""
    names = list(probabilities)
    quasi = naive.quasi_supporting(rules, hypothesis, names, propositions)
    conflicts = naive.quasi_supporting(rules, lambda world: False, names, propositions)
    return quasi, conflicts


@given(data=st.data())
def test_degrees(data):
    rules, probabilities, propositions, system = data.draw(systems())
    text, hypothesis = data.draw(hypotheses([*probabilities, *propositions]))
    quasi, conflicts = definitions(rules, probabilities, propositions, hypothesis)
    dqs, conflict = naive.degree(quasi, probabilities), naive.degree(conflicts, probabilities)
    assert system.support(text, normalize=False) == dqs
    assert system.conflict() == conflict
    if conflict == 1:
        with pytest.raises(TotalConflictError):
            system.support(text)
        return
    assert system.support(text) == (dqs - conflict) / (1 - conflict)
    assert system.plausibility(text) == 1 - system.support(f"~({text})")


@given(data=st.data())
def test_arguments_are_the_shortest(data):
    rules, probabilities, propositions, system = data.draw(systems())
    text, hypothesis = data.draw(hypotheses([*probabilities, *propositions]))
    quasi, conflicts = definitions(rules, probabilities, propositions, hypothesis)
    names = list(probabilities)
    supporting = [scenario for scenario in quasi if scenario not in conflicts]
    assert literal_sets(system.quasi_supports(text)) == naive.shortest_terms(quasi, names)
    assert literal_sets(system.conflicts()) == naive.shortest_terms(conflicts, names)
    found = system.arguments_for(text)
    assert literal_sets(found) == naive.shortest_terms(supporting, names)
    assert literal_sets(system.arguments_against(f"~({text})")) == literal_sets(found)
    for argument in found:
        scenario = dict(argument.literals)
        assert argument.probability == naive.probability(scenario, probabilities)


@given(data=st.data())
def test_mass_function_is_that_of_the_scenarios(data):
    rules, probabilities, propositions, system = data.draw(systems())
    names = data.draw(st.permutations([*probabilities, *propositions]))[:3]
    found = system.mass_function(names, normalize=False)
    masses = {frozenset(event): mass for event, mass in found.to_dict().items()}
    assert masses == naive.mass_function(rules, probabilities, propositions, names)
    assert isinstance(found.frame, ProductFrame)
    assert found.frame.names == tuple(names)


@given(data=st.data())
def test_support_is_belief_and_plausibility_plausibility(data):
    """Haenni, Kohlas & Lehmann 2000, section 4: degrees of support are beliefs."""
    _, probabilities, propositions, system = data.draw(systems(max_rules=4))
    names = [*probabilities, *propositions]
    text, hypothesis = data.draw(hypotheses(names))
    if system.conflict() == 1:
        return
    m = system.mass_function(names)
    event = [config for config in m.frame if hypothesis(dict(zip(names, config, strict=True)))]
    assert m.bel(event) == system.support(text)
    assert m.pl(event) == system.plausibility(text)


@given(data=st.data())
def test_system_is_the_combination_of_its_rules(data):
    """One belief function a rule, with assumptions of their own, combined by Dempster's rule."""
    rules = data.draw(
        st.lists(
            st.sampled_from(["x", "~x", "x -> y", "y -> z", "~z", "x & z -> ~y"]),
            min_size=1,
            max_size=4,
        )
    )
    shares = [data.draw(st.fractions(0, Fraction(9, 10), max_denominator=10)) for _ in rules]
    whole = ArgumentationSystem(
        [f"r{i} -> ({rule})" for i, rule in enumerate(rules)],
        {f"r{i}": p for i, p in enumerate(shares)},
    )
    parts = [
        ArgumentationSystem([f"r -> ({rule})"], {"r": p}).mass_function()
        for rule, p in zip(rules, shares, strict=True)
    ]
    joint = combine(*parts)
    assert whole.mass_function(joint.frame.names).equals(joint, atol=0)


def test_zero_and_one_are_probabilities():
    system = ArgumentationSystem(["a -> x", "b -> ~x"], {"a": 1, "b": 0})
    assert (system.support("x"), system.conflict()) == (1, 0)
    assert system.mass_function().to_dict() == {((True,),): 1.0}


def test_no_assumptions_no_propositions():
    certain = ArgumentationSystem(["x", "x -> y"], {})
    assert certain.support("y") == 1
    assert [argument.formula for argument in certain.arguments_for("y")] == ["true"]
    assert ArgumentationSystem([], {}).conflict() == 0
    assert ArgumentationSystem(["a | ~b"], {"a": HALF, "b": HALF}).conflict() == Fraction(1, 4)


def test_batches_and_symbols():
    a, b = np.array([0.0, 0.5, 1.0]), 0.5
    rules = ["a -> x", "b -> ~x"]
    system = ArgumentationSystem(rules, {"a": a, "b": b})
    np.testing.assert_allclose(system.support("x"), a * (1 - b) / (1 - a * b))
    assert system.mass_function().batch_shape == (3,)
    np.testing.assert_allclose(system.mass_function().bel((True,)), system.support("x"))
    p, q = sympy.symbols("p q", nonnegative=True)
    formula = ArgumentationSystem(rules, {"a": p, "b": q}).support("x")
    assert sympy.cancel(formula - p * (1 - q) / (1 - p * q)) == 0


def test_nothing_cancels_under_high_conflict():
    """Conflict 1 - 1e-18: the exact answer is 1/2 for each side, differences would give 0/0."""
    tiny = 1e-9
    rules = ["a -> x", "b -> ~x"]
    probabilities = {"a": 1 - Fraction(1, 10**9), "b": 1 - Fraction(1, 10**9)}
    exact = ArgumentationSystem(rules, probabilities).support("x")
    found = ArgumentationSystem(rules, {"a": 1 - tiny, "b": 1 - tiny}).support("x")
    assert found == pytest.approx(float(exact), rel=1e-7)  # 1 - p itself has 7 digits here


def test_an_assumption_without_probability():
    system = ArgumentationSystem(["a & b -> x"], {"a": None, "b": 0.5})
    (argument,) = system.arguments_for("x")
    assert (str(argument), argument.probability) == ("a & b", None)
    assert str(Argument((), 1)) == "true: 1"
    with pytest.raises(DSTheoryError, match="assumption 'a' has no probability"):
        system.support("x")


def test_many_assumptions():
    """50 independent arguments, and a conflict among 20 others: far beyond listing scenarios."""
    rules = [f"a{i} & b{i} -> x" for i in range(25)] + [f"c{i} -> y{i}" for i in range(10)]
    rules += [f"d{i} -> ~y{i}" for i in range(10)]
    names = {name for rule in rules for name in rule.replace("~", "").split() if name[0] in "abcd"}
    system = ArgumentationSystem(rules, dict.fromkeys(names, HALF))
    assert len(system.assumptions) == 70
    assert system.support("x") == 1 - Fraction(3, 4) ** 25
    assert system.conflict() == 1 - Fraction(3, 4) ** 10


@each(
    ("rules", "probabilities", "error", "message"),
    [
        ("a -> x", {"a": 1}, TypeError, "rules is .*, expected a sequence of formulas"),
        (["a -> x"], [("a", 1)], TypeError, r"probabilities is .*, expected a mapping"),
        (["a -> x"], {"a": 1.5}, DSTheoryError, r"probability of 'a' is 1.5, not within \[0, 1\]"),
        (["a -> x"], {"a": [0.5, -1]}, DSTheoryError, "probability of 'a' is -1.0"),
        (["a -> x"], {"a": float("nan")}, DSTheoryError, "probability of 'a' is nan"),
        (["a -> x"], {"a": "high"}, TypeError, "probability of 'a' is 'high', expected a number"),
        (
            ["alarm -> x"],
            {"alarn": 0.5},
            DSTheoryError,
            "'alarn' occurs in no rule; did you mean 'alarm'",
        ),
        (["a -> x"], {"a": 1, sympy.Symbol("a"): 0}, DSTheoryError, "two probabilities"),
        ([3], {}, TypeError, "a formula is 3, expected a string or a sympy Boolean expression"),
    ],
)
def test_bad_systems(rules, probabilities, error, message):
    with pytest.raises(error, match=message):
        ArgumentationSystem(rules, probabilities)


def test_bad_questions():
    system = ArgumentationSystem(["a -> wet", "b -> ~wet"], {"a": 1, "b": 1})
    with pytest.raises(DSTheoryError, match="'wett' occurs in no rule; did you mean 'wet'"):
        system.support("wett")
    with pytest.raises(DSTheoryError, match="'wett' occurs in no rule"):
        system.given("wett")
    with pytest.raises(TotalConflictError, match="total conflict"):
        system.plausibility("wet")
    with pytest.raises(TotalConflictError):
        system.mass_function()
    with pytest.raises(DSTheoryError, match="a name occurs twice"):
        system.mass_function(["wet", "wet"])
    with pytest.raises(DSTheoryError, match="0 propositions; a mass function takes 1 to 16"):
        system.mass_function([])
    wide = ArgumentationSystem([" & ".join(f"(a{i} | b{i})" for i in range(20))], {})
    with pytest.raises(DSTheoryError, match="more than 5000 clauses arise"):
        wide.support(" & ".join(f"(a{i} | b{i})" for i in range(20)))
    with pytest.raises(DSTheoryError, match="40 propositions; a mass function takes 1 to 16"):
        wide.mass_function()


def test_a_batch_with_a_row_of_total_conflict():
    system = ArgumentationSystem(["a -> x", "b -> ~x"], {"a": [0.5, 1.0], "b": 1.0})
    with pytest.raises(TotalConflictError, match="in 1 of 2 rows"):
        system.support("x")


def test_given_does_not_change_the_system():
    system = ArgumentationSystem(["a -> x | y"], {"a": HALF})
    after = system.given("~x", ~sympy.Symbol("y"))
    assert system.propositions == after.propositions == ("x", "y")
    assert (system.support("a"), after.support("a")) == (HALF, 0)
    assert repr(after) == "ArgumentationSystem(3 rules, 1 assumptions, 2 propositions)"
    assert after.rules[2] == ~sympy.Symbol("y")
    assert after.probabilities == {"a": HALF}
