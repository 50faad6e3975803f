"""Worked examples with answers that can be checked by hand or in print."""

from fractions import Fraction

import pytest

from dstheory.argumentation import ArgumentationSystem


def test_roadworks():
    """It rains with support 0.6; rain stops roadworks with 0.9: no works, 0.54 (R package dst)."""
    system = ArgumentationSystem(
        ["forecast -> rain", "works & rain -> ~roadworks"],
        {"forecast": Fraction(6, 10), "works": Fraction(9, 10)},
    )
    assert system.support("~roadworks") == Fraction(27, 50)
    assert system.plausibility("~roadworks") == 1


def test_tweety():
    """Birds fly, penguins are birds that do not; only what is normal follows the rule."""
    rules = ["penguin -> bird", "bird & normal -> flies", "penguin -> ~flies"]
    system = ArgumentationSystem(rules, {"normal": Fraction(9, 10)})
    assert system.given("bird").support("flies") == Fraction(9, 10)
    assert system.given("penguin").support("flies") == 0
    assert system.given("penguin").support("~normal") == 1


def test_smets_murder_case():
    """Peter, John or Mary: one killed; who has an alibi was elsewhere, a coin chose the sex.

    Smets & Kennes 1994: 1/2 for Peter with Bel({Peter, John}) = 1/2; after Peter's alibi all of it
    is John's.
    """
    rules = [
        "peter | john | mary",
        "~(peter & john)", "~(peter & mary)", "~(john & mary)",
        "male <-> (peter | john)",
        "coin <-> male",
    ]  # fmt: skip
    system = ArgumentationSystem(rules, {"coin": Fraction(1, 2)})
    assert system.support("peter | john") == Fraction(1, 2)
    assert system.support("john") == 0
    assert system.given("~peter").support("john") == Fraction(1, 2)


@pytest.mark.parametrize("fault", ["x1", "x2"])
def test_diagnosis_of_two_inverters(fault):
    """Two inverters in series, input 1, output 0: one is faulty, and equally probably either."""
    rules = ["x1 -> (middle <-> ~input)", "x2 -> (output <-> ~middle)"]
    system = ArgumentationSystem(rules, {"x1": Fraction(9, 10), "x2": Fraction(9, 10)})
    seen = system.given("input", "~output")
    assert [argument.formula for argument in seen.conflicts()] == ["x1 & x2"]
    # P(one faulty | not both work) = (1/10) / (19/100)
    assert seen.support(f"~{fault}") == Fraction(10, 19)
