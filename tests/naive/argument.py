"""Probabilistic argumentation by its definitions: all scenarios, all worlds, exact numbers.

A clause is a frozenset of literals (name, truth); a hypothesis is a function of a world, which is a
dict from name to truth. Only the standard library. Haenni, Kohlas & Lehmann 2000, sections 2-4.
"""

from fractions import Fraction
from itertools import product


def assignments(names):
    """All truth assignments of some names, as dicts."""
    return [
        dict(zip(names, values, strict=True))
        for values in product((True, False), repeat=len(names))
    ]


def satisfies(world, clauses):
    return all(any(world[name] == truth for name, truth in clause) for clause in clauses)


def worlds(scenario, clauses, propositions):
    """What is possible in a scenario."""
    candidates = [{**scenario, **rest} for rest in assignments(propositions)]
    return [world for world in candidates if satisfies(world, clauses)]


def probability(scenario, probabilities):
    total = Fraction(1)
    for name, truth in scenario.items():
        total *= probabilities[name] if truth else 1 - probabilities[name]
    return total


def quasi_supporting(clauses, hypothesis, assumptions, propositions):
    """Scenarios in which the hypothesis holds in all possible worlds, even if there are none."""
    return [
        scenario
        for scenario in assignments(assumptions)
        if all(hypothesis(world) for world in worlds(scenario, clauses, propositions))
    ]


def degree(scenarios, probabilities):
    return sum((probability(scenario, probabilities) for scenario in scenarios), Fraction(0))


def shortest_terms(scenarios, assumptions):
    """Minimal conjunctions of literals all of whose scenarios are among the given ones."""
    inside = {frozenset(scenario.items()) for scenario in scenarios}
    everything = [frozenset(scenario.items()) for scenario in assignments(assumptions)]
    terms = [
        frozenset((n, v) for n, v in zip(assumptions, values, strict=True) if v is not None)
        for values in product((True, False, None), repeat=len(assumptions))
    ]
    good = [t for t in terms if all(s in inside for s in everything if t <= s)]
    return {t for t in good if not any(other < t for other in good)}


def mass_function(clauses, probabilities, propositions, names):
    """Masses of sets of configurations of some names; conflict is on the empty set."""
    masses = {}
    for scenario in assignments(list(probabilities)):
        possible = worlds(scenario, clauses, propositions)
        event = frozenset(tuple(world[name] for name in names) for world in possible)
        masses[event] = masses.get(event, 0) + probability(scenario, probabilities)
    return {event: mass for event, mass in masses.items() if mass != 0}


def connected(edges, source, target):
    """Whether a path of undirected edges leads from source to target."""
    reached, waiting = {source}, [source]
    while waiting:
        node = waiting.pop()
        for one, two in edges:
            for a, b in ((one, two), (two, one)):
                if a == node and b not in reached:
                    reached.add(b)
                    waiting.append(b)
    return target in reached


def reliability(edges, probabilities, source, target):
    """Probability that source and target are connected by edges that work, over all states."""
    total = Fraction(0)
    for state in assignments(list(edges)):
        if connected([edges[name] for name, works in state.items() if works], source, target):
            total += probability(state, probabilities)
    return total
