"""Two-terminal reliability as argumentation: edges that work are assumptions."""

from fractions import Fraction

import pytest
import sympy

from dstheory import DSTheoryError
from dstheory.argumentation import ArgumentationSystem
from tests.naive import argument as naive

# The bridge: two paths of two edges, joined in the middle.
BRIDGE = {"e1": "sa", "e2": "sb", "e3": "ab", "e4": "at", "e5": "bt"}
# A communication network with nine edges between six stations.
NETWORK = {
    "e1": "sa", "e2": "sb", "e3": "ab", "e4": "ac", "e5": "bd",
    "e6": "cd", "e7": "ct", "e8": "dt", "e9": "bc",
}  # fmt: skip


def network(edges, probabilities):
    """Signals go both ways along each edge that works; the source has one."""
    rules = ["at_s"]
    for name, (one, two) in edges.items():
        rules.append(f"{name} -> (at_{one} <-> at_{two})")
    return ArgumentationSystem(rules, probabilities)


def test_bridge_has_the_reliability_of_the_textbooks():
    """2 p^2 + 2 p^3 - 5 p^4 + 2 p^5 (Barlow & Proschan 1975, Statistical theory of reliability)."""
    p = sympy.Symbol("p", nonnegative=True)
    found = network(BRIDGE, dict.fromkeys(BRIDGE, p)).support("at_t")
    assert sympy.expand(found) == 2 * p**2 + 2 * p**3 - 5 * p**4 + 2 * p**5
    exact = network(BRIDGE, dict.fromkeys(BRIDGE, Fraction(9, 10))).support("at_t")
    assert exact == Fraction(97848, 100000)


def test_arguments_are_paths_and_doubts_would_be_cuts():
    system = network(BRIDGE, dict.fromkeys(BRIDGE, Fraction(1, 2)))
    paths = {argument.formula for argument in system.arguments_for("at_t")}
    assert paths == {"e1 & e4", "e2 & e5", "e1 & e3 & e5", "e2 & e3 & e4"}
    assert system.arguments_against("at_t") == ()
    assert system.conflicts() == ()


@pytest.mark.parametrize("target", "abcdt")
def test_communication_network(target):
    probabilities = {name: Fraction(9 - i, 10) for i, name in enumerate(NETWORK)}
    found = network(NETWORK, probabilities).support(f"at_{target}")
    assert found == naive.reliability(NETWORK, probabilities, "s", target)


def ladder(n):
    """Two rails of n stations, and rungs that always work."""
    edges, probabilities = {}, {}
    for i in range(n):
        if i:
            edges |= {f"u{i}": (f"a{i - 1}", f"a{i}"), f"v{i}": (f"b{i - 1}", f"b{i}")}
        edges[f"r{i}"] = (f"a{i}", f"b{i}")
    for name in edges:
        probabilities[name] = 1 if name[0] == "r" else Fraction(1, 2)
    rules = ["at_a0", *(f"{e} -> (at_{x} <-> at_{y})" for e, (x, y) in edges.items())]
    return ArgumentationSystem(rules, probabilities)


def test_a_ladder_is_a_series_of_pairs():
    """25 edges, 128 shortest paths; each step needs one of two edges."""
    assert ladder(8).support("at_a7") == Fraction(3, 4) ** 7


def test_a_long_ladder_is_refused():
    """2^39 shortest paths: a message instead of a machine that hangs."""
    with pytest.raises(DSTheoryError, match="clauses"):
        ladder(40).support("at_a39")
