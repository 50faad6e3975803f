"""Decisions as the books define them: dictionaries and loops, exact, standard library only.

A mass function is a dict from frozenset to number, an act a dict from class to utility.
"""

from fractions import Fraction


def normalized(m):
    rest = {event: v for event, v in m.items() if event}
    return {event: Fraction(v) / sum(rest.values()) for event, v in rest.items()}


def lower(m, act):
    return sum(v * min(act[w] for w in event) for event, v in normalized(m).items())


def upper(m, act):
    return sum(v * max(act[w] for w in event) for event, v in normalized(m).items())


def pignistic(m, act):
    cells = [(v / len(event), act[w]) for event, v in normalized(m).items() for w in event]
    return sum(share * utility for share, utility in cells)


def mixed(m, act, alpha):
    return alpha * lower(m, act) + (1 - alpha) * upper(m, act)


def first_best(values):
    return max(range(len(values)), key=lambda i: (values[i], -i))


def interval_dominance(m, acts):
    return [
        not any(lower(m, other) > upper(m, act) for other in acts if other is not act)
        for act in acts
    ]
