"""The hybrid DSm rule as Dezert & Smarandache define it: three sums over all choices of sets.

A proposition is a set of parts of the Venn diagram of the free model, a part the set of the
elements that it lies in. Only the standard library.
"""

from collections import defaultdict
from functools import reduce
from itertools import chain, combinations, product
from math import prod


def parts(elements):
    subsets = chain.from_iterable(combinations(elements, r) for r in range(1, len(elements) + 1))
    return frozenset(map(frozenset, subsets))


def element(name, elements):
    return frozenset(part for part in parts(elements) if name in part)


def made_of(proposition, elements):
    """u(X): the union of the elements on which the proposition depends."""
    names = [
        name
        for name in elements
        if any(part - {name} not in proposition for part in proposition if name in part)
    ]
    return frozenset().union(*(element(name, elements) for name in names))


def classic(*sources):
    """DSmC: the conjunctive rule on the free model."""
    result = defaultdict(int)
    for choice in product(*(m.items() for m in sources)):
        sets, masses = zip(*choice, strict=True)
        result[reduce(frozenset.__and__, sets)] += prod(masses)
    return dict(result)


def hybrid(elements, empty, *sources):
    """DSmH: phi(A) (S1(A) + S2(A) + S3(A)); `empty` is the union of what is known to be empty."""
    s1, s2, s3 = defaultdict(int), defaultdict(int), defaultdict(int)
    ignorance = parts(elements)
    for choice in product(*(m.items() for m in sources)):
        sets, masses = zip(*choice, strict=True)
        mass = prod(masses)
        meet, join = reduce(frozenset.__and__, sets), reduce(frozenset.__or__, sets)
        s1[meet] += mass
        if all(x <= empty for x in sets):
            u = frozenset().union(*(made_of(x, elements) for x in sets))
            s2[ignorance if u <= empty else u] += mass
        if meet <= empty:
            s3[join] += mass
    result = defaultdict(int)
    for part in (s1, s2, s3):
        for a, mass in part.items():
            if not a <= empty:  # phi(A)
                result[a - empty] += mass
    return dict(result)
