"""The same rules, argued and propagated: valuation networks give the degrees of support."""

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from dstheory.argumentation import ArgumentationSystem
from dstheory.network import ValuationNetwork
from tests.dstheory.argumentation.test_networks import NETWORK

FORMS = ["{}", "~{}", "{} -> {}", "{} & ~{} -> {}", "{} <-> {}"]
rules = st.builds(
    lambda form, names: form.format(*names), st.sampled_from(FORMS), st.permutations("vwxyz")
)
shares = st.fractions(Fraction(1, 10), Fraction(9, 10), max_denominator=10)


def both(weighted_rules):
    """One system of all rules, and a network in which each rule is a belief function."""
    named = {f"r{i}": (rule, p) for i, (rule, p) in enumerate(weighted_rules)}
    system = ArgumentationSystem(
        [f"{name} -> ({rule})" for name, (rule, _) in named.items()],
        {name: p for name, (_, p) in named.items()},
    )
    parts = {
        name: ArgumentationSystem([f"r -> ({rule})"], {"r": p}).mass_function()
        for name, (rule, p) in named.items()
    }
    values = {name: [True, False] for name in system.propositions}
    return system, ValuationNetwork(values, parts)


@settings(max_examples=25)
@given(weighted=st.lists(st.tuples(rules, shares), min_size=1, max_size=6))
def test_marginals_are_degrees_of_support(weighted):
    system, network = both(weighted)
    for name in system.propositions:
        m = network.marginal(name)
        assert m.bel(True) == system.support(name)
        assert m.bel(False) == system.support(f"~{name}")
        assert m.pl(True) == system.plausibility(name)


def test_reliability_of_a_communication_network():
    """Each edge is a simple belief function on its two ends; the source is observed."""
    edges = [(f"at_{one} <-> at_{two}", Fraction(9, 10)) for one, two in NETWORK.values()]
    system, network = both(edges)
    reliability = network.observe({"at_s": True}).marginal("at_t").bel(True)
    assert reliability == system.given("at_s").support("at_t")
