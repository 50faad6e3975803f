"""Networks by brute force: every valuation on all configurations, standard library only.

A variable is a number of values; a configuration is a tuple of positions, one for each variable.
A belief valuation is (scope, {frozenset of configurations of the scope: mass}); a table is
(scope, {configuration of the scope: number}). Scopes are tuples of positions of variables.
"""

from functools import reduce
from itertools import product


def configurations(sizes):
    return list(product(*(range(size) for size in sizes)))


def part(configuration, scope):
    return tuple(configuration[v] for v in scope)


# -- belief ----------------------------------------------------------------------------------------


def joint_belief(sizes, valuations):
    """Conjunctive combination of all, on all variables: {frozenset: mass}."""
    everything = configurations(sizes)
    joint = {frozenset(everything): 1}
    for scope, masses in valuations:
        found = {}
        for focal, mass in masses.items():
            cylinder = frozenset(x for x in everything if part(x, scope) in focal)
            for other, weight in joint.items():
                both = cylinder & other
                found[both] = found.get(both, 0) + mass * weight
        joint = found
    return joint


def marginal_belief(joint, scope):
    found = {}
    for focal, mass in joint.items():
        projected = frozenset(part(x, scope) for x in focal)
        found[projected] = found.get(projected, 0) + mass
    return found


def normalized_belief(masses):
    """None in total conflict."""
    total = sum(mass for focal, mass in masses.items() if focal)
    if total == 0:
        return None
    return {focal: mass / total for focal, mass in masses.items() if focal and mass}


def contour(joint, sizes):
    return {x: sum(m for focal, m in joint.items() if x in focal) for x in configurations(sizes)}


# -- tables ----------------------------------------------------------------------------------------


def joint_table(sizes, valuations, join):
    """Each configuration's numbers joined two by two, from 1."""
    return {
        x: reduce(join, (table[part(x, scope)] for scope, table in valuations), 1)
        for x in configurations(sizes)
    }


def marginal_table(joint, scope, drop):
    """Numbers of all configurations with the same part, dropped to one by `drop` of a list."""
    groups = {}
    for x, number in joint.items():
        groups.setdefault(part(x, scope), []).append(number)
    return {key: drop(numbers) for key, numbers in groups.items()}
