"""Worked examples by enumeration: probabilities, puzzles, reliability; standard library only."""

from itertools import permutations, product
from math import prod

# -- Bayesian networks -----------------------------------------------------------------------------


def probability(names, tables, event):
    """P(event) of the product of all tables, summed over all configurations of yes and no.

    A table is (names, {configuration of 0s and 1s: number}); an event maps names to 0 or 1.
    """
    total = 0
    for places in product((0, 1), repeat=len(names)):
        at = dict(zip(names, places, strict=True))
        if all(at[name] == place for name, place in event.items()):
            total += prod(table[tuple(at[n] for n in scope)] for scope, table in tables)
    return total


# -- the zebra puzzle ------------------------------------------------------------------------------

GROUPS = {
    "nation": ("Englishman", "Spaniard", "Ukrainian", "Norwegian", "Japanese"),
    "color": ("red", "green", "ivory", "yellow", "blue"),
    "drink": ("coffee", "tea", "milk", "juice", "water"),
    "smoke": ("Old Gold", "Kools", "Chesterfields", "Lucky Strike", "Parliaments"),
    "pet": ("dog", "snails", "fox", "horse", "zebra"),
}
# In the order of the page; the two that name a house come last.
CLUES = [
    ("Englishman red", lambda a, b: a == b),
    ("Spaniard dog", lambda a, b: a == b),
    ("coffee green", lambda a, b: a == b),
    ("Ukrainian tea", lambda a, b: a == b),
    ("green ivory", lambda a, b: a == b + 1),
    ("Old_Gold snails", lambda a, b: a == b),
    ("Kools yellow", lambda a, b: a == b),
    ("Chesterfields fox", lambda a, b: abs(a - b) == 1),
    ("Kools horse", lambda a, b: abs(a - b) == 1),
    ("Lucky_Strike juice", lambda a, b: a == b),
    ("Japanese Parliaments", lambda a, b: a == b),
    ("Norwegian blue", lambda a, b: abs(a - b) == 1),
    ("milk", lambda a: a == 3),
    ("Norwegian", lambda a: a == 1),
]


def zebra_solutions(clues):
    """All assignments of houses that agree with some of the clues (numbers in CLUES)."""
    tests = [([n.replace("_", " ") for n in CLUES[i][0].split()], CLUES[i][1]) for i in clues]

    def search(at, groups):
        if not groups:
            yield at
            return
        for order in permutations((1, 2, 3, 4, 5)):
            more = {**at, **dict(zip(GROUPS[groups[0]], order, strict=True))}
            new = ((names, test) for names, test in tests if not set(names) <= set(at))
            if all(test(*map(more.get, names)) for names, test in new if set(names) <= set(more)):
                yield from search(more, groups[1:])

    yield from search({}, list(GROUPS))


# -- reliability -----------------------------------------------------------------------------------


def reliability(works, probabilities):
    """Probability that a system of independent parts works; `works` takes a tuple of bools."""
    return sum(
        prod(p if up else 1 - p for p, up in zip(probabilities, state, strict=True))
        for state in product((False, True), repeat=len(probabilities))
        if works(state)
    )


def reached(start, edges):
    """Nodes that are reached from the start; an edge is (from, to)."""
    found = {start}
    for _ in edges:
        found |= {to for source, to in edges if source in found}
    return found


def arrives(source, target, edges, directed=False):
    """Whether a message arrives, as a function of which edges are up."""

    def works(state):
        up = [edge for edge, works in zip(edges, state, strict=True) if works]
        back = [] if directed else [(b, a) for a, b in up]
        return target in reached(source, up + back)

    return works
