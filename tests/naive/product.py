"""Beliefs about several variables by their definitions: frozensets of tuples of values.

The companion of `tests.naive.mass`; only the standard library, slow and obvious on purpose. A
product is a dict from name to values; a mass function on it is a dict from frozensets of
configurations to numbers.
"""

from itertools import product

from tests.naive.mass import collect, conjunctive


def configurations(variables):
    return list(product(*variables.values()))


def restrict(configuration, variables, names):
    """Values of some of the variables."""
    values = dict(zip(variables, configuration, strict=True))
    return tuple(values[name] for name in names)


def extend(m, own, onto):
    """Each set becomes its cylinder."""
    return collect(
        (frozenset(c for c in configurations(onto) if restrict(c, onto, own) in event), mass)
        for event, mass in m.items()
    )


def marginalize(m, variables, names):
    """Each set becomes its projection."""
    return collect(
        (frozenset(restrict(c, variables, names) for c in event), mass) for event, mass in m.items()
    )


def union(*products):
    """All variables, in the order of first appearance."""
    joined = {}
    for variables in products:
        joined |= {name: values for name, values in variables.items() if name not in joined}
    return joined


def combine(*pairs):
    """Conjunctive combination of (mass function, its variables) on all variables."""
    onto = union(*(variables for _, variables in pairs))
    return conjunctive(*(extend(m, variables, onto) for m, variables in pairs)), onto


def holds(event, variables, configuration):
    """Whether a configuration agrees with {name: collection of values}."""
    values = dict(zip(variables, configuration, strict=True))
    return all(values[name] in allowed for name, allowed in event.items())


def cylinder(event, variables):
    return frozenset(c for c in configurations(variables) if holds(event, variables, c))


def supported(event, variables, support):
    return collect([(event, support), (frozenset(configurations(variables)), 1 - support)])


def balloon(m, own, condition, given):
    """Each set becomes: the set, or not the condition (Smets 1993)."""
    variables = union(given, own)
    outside = frozenset(configurations(variables)) - cylinder(condition, variables)
    wide = extend(m, own, variables)
    return collect((event | outside, mass) for event, mass in wide.items()), variables


def conditional(child, parents, table):
    """Conjunctive combination of the ballooning extensions of all rows."""
    parts = []
    for configuration, m in table.items():
        condition = {name: [v] for name, v in zip(parents, configuration, strict=True)}
        parts.append(balloon(m, child, condition, parents))
    return combine(*parts)
