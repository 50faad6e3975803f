"""Formulas and sensitivities: each beside the obvious alternative in one run."""

import numpy as np
import pytest

from dstheory import Frame, MassFunction, dempster, discount
from dstheory.argumentation import ArgumentationSystem
from dstheory.exact import as_function, sensitivity, simplified, symbolic
from tests.benchmarks.timing import median_ms, report
from tests.naive.argument import reliability

FRAME = Frame(["a", "b", "c"])
FOCAL = ["a", ("a", "b"), FRAME]


@pytest.mark.parametrize("n_rows", [1, 100_000])
def test_a_derived_formula_against_the_rule(benchmark, n_rows):
    rng = np.random.default_rng(0)
    one, two = (rng.dirichlet([1, 1, 1], n_rows) for _ in range(2))
    m = simplified(symbolic(FRAME, FOCAL, "x") @ symbolic(FRAME, [("b", "c"), "b", FRAME], "y"))
    function = as_function(m.bel("a"), ["x1", "x2", "y1", "y2"])
    values = {"x1": one[:, 0], "x2": one[:, 1], "y1": two[:, 0], "y2": two[:, 1]}
    m1, m2 = (
        MassFunction(FRAME, focal, masses) for focal, masses in (([1, 3, 7], one), ([6, 2, 7], two))
    )
    np.testing.assert_allclose(function(**values), (m1 @ m2).bel("a"), atol=1e-12)
    slow = median_ms(lambda: dempster(m1, m2).bel("a"))
    report(
        f"Bel(a) of {n_rows} pairs, against the rule", median_ms(lambda: function(**values)), slow
    )
    benchmark(lambda: function(**values))


@pytest.mark.parametrize("n_sources", [4, 30])
def test_sensitivity_against_differences(benchmark, n_sources):
    """Central differences need 2 n combinations of n sources, and lose half of the digits."""
    rng = np.random.default_rng(0)
    sources = [MassFunction(FRAME, [1, 2, 6, 7], rng.dirichlet([1] * 4)) for _ in range(n_sources)]
    step = 1e-5
    rates = np.full(n_sources, 0.1)

    def value(at):
        weak = (discount(m, rate=rate) for m, rate in zip(sources, at, strict=True))
        return dempster(*weak).bel("a")

    def differences():
        moves = step * np.eye(n_sources)
        return [(value(rates + move) - value(rates - move)) / (2 * step) for move in moves]

    found = sensitivity(sources, "a", rates=list(rates)).derivatives
    np.testing.assert_allclose(found, differences(), atol=1e-7)
    ours = median_ms(lambda: sensitivity(sources, "a", rates=list(rates)))
    report(
        f"derivatives for {n_sources} sources, against differences", ours, median_ms(differences)
    )
    benchmark(sensitivity, sources, "a", list(rates))


def test_reliability_against_all_states(benchmark):
    """The bridge with two more stations, 9 edges."""
    edges = dict(enumerate(["sa", "sb", "ab", "ac", "bd", "cd", "ct", "dt", "bc"]))
    rules = ["at_s", *(f"e{i} -> (at_{a} <-> at_{b})" for i, (a, b) in edges.items())]
    system = ArgumentationSystem(rules, {f"e{i}": 0.9 for i in edges})
    chances = dict.fromkeys(edges, 0.9)
    slow = reliability(edges, chances, "s", "t")
    assert abs(system.support("at_t") - slow) < 1e-12
    ours = median_ms(lambda: system.support("at_t"))
    states = median_ms(lambda: reliability(edges, chances, "s", "t"))
    report("reliability of 9 edges, against all states", ours, states)
    benchmark(system.support, "at_t")
