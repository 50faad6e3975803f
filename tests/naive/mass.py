"""The definitions, as they stand in the books: frozensets, dictionaries, exact numbers.

A mass function is a dict from frozenset to number. Only the standard library; slow and
obvious on purpose. Every fast route of the package is held equal to these.
"""

from fractions import Fraction
from itertools import combinations, product
from math import prod


def subsets(frame):
    """All subsets of a frame, by size."""
    items = list(frame)
    return [frozenset(c) for size in range(len(items) + 1) for c in combinations(items, size)]


def collect(pairs):
    """Add the masses that fall on the same set; drop exact zeros."""
    total = {}
    for event, mass in pairs:
        total[event] = total.get(event, 0) + mass
    return {event: mass for event, mass in total.items() if mass != 0}


def bel(m, event):
    return sum((v for a, v in m.items() if a and a <= event), Fraction(0))


def pl(m, event):
    return sum((v for a, v in m.items() if a & event), Fraction(0))


def q(m, event):
    return sum((v for a, v in m.items() if a >= event), Fraction(0))


def b(m, event):
    return sum((v for a, v in m.items() if a <= event), Fraction(0))


def betp(m, frame):
    """Pignistic probability (Xu et al. 2016, eq. 9), of the normalized mass function."""
    rest = 1 - m.get(frozenset(), 0)
    return {w: sum((v / len(a) for a, v in m.items() if w in a), Fraction(0)) / rest for w in frame}


def plausibility_transform(m, frame):
    total = sum(pl(m, frozenset([w])) for w in frame)
    return {w: pl(m, frozenset([w])) / total for w in frame}


def _pairwise(operation, sources):
    terms = product(*(m.items() for m in sources))
    return collect(
        (operation(*(event for event, _ in term)), prod(v for _, v in term)) for term in terms
    )


def conjunctive(*sources):
    return _pairwise(frozenset.intersection, sources)


def disjunctive(*sources):
    return _pairwise(frozenset.union, sources)


def normalize(m):
    rest = {event: v for event, v in m.items() if event}
    return {event: v / sum(rest.values()) for event, v in rest.items()}


def dempster(*sources):
    """Xu et al. 2016, eq. 6-7."""
    return normalize(conjunctive(*sources))


def complement(m, frame):
    return collect((frozenset(frame) - event, v) for event, v in m.items())
