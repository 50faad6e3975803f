"""Equivalence classes, scores and greedy search by their definitions, with exact numbers.

Graphs are sets of arcs (x, y) on the nodes 0, ..., V - 1. Two graphs are equivalent if they have
the same skeleton and the same v-structures (Verma & Pearl 1990). Classes, and their neighbors in
the search, are listed in full: this is for four nodes.
"""

from collections import Counter
from fractions import Fraction
from itertools import chain, combinations, product


def is_acyclic(arcs, n_nodes):
    left = set(range(n_nodes))
    while left:
        free = {v for v in left if not any((w, v) in arcs for w in left)}
        if not free:
            return False
        left -= free
    return True


def dags(n_nodes):
    """All directed acyclic graphs."""
    pairs = list(combinations(range(n_nodes), 2))
    for choice in product((None, 0, 1), repeat=len(pairs)):
        arcs = frozenset(
            pair if way == 0 else pair[::-1]
            for pair, way in zip(pairs, choice, strict=True)
            if way is not None
        )
        if is_acyclic(arcs, n_nodes):
            yield arcs


def skeleton(arcs):
    return frozenset(frozenset(arc) for arc in arcs)


def v_structures(arcs):
    bones = skeleton(arcs)
    return frozenset(
        (frozenset((a, b)), c)
        for (a, c), (b, d) in combinations(sorted(arcs), 2)
        if c == d and frozenset((a, b)) not in bones
    )


def class_key(arcs):
    return skeleton(arcs), v_structures(arcs)


def classes(n_nodes):
    """Key of each equivalence class to its members."""
    found = {}
    for arcs in dags(n_nodes):
        found.setdefault(class_key(arcs), []).append(arcs)
    return found


def cpdag(members):
    """The arcs of all members: an edge that members direct differently is there both ways."""
    return frozenset(chain.from_iterable(members))


def members_of(arcs, n_nodes):
    """All members of the class of a graph, by directing its skeleton in all ways."""
    bones = [tuple(sorted(bone)) for bone in skeleton(arcs)]
    for ways in product((1, -1), repeat=len(bones)):
        other = frozenset(bone[::way] for bone, way in zip(bones, ways, strict=True))
        if is_acyclic(other, n_nodes) and v_structures(other) == v_structures(arcs):
            yield other


def parents(arcs, y):
    return tuple(sorted(x for x, z in arcs if z == y))


def total(arcs, n_nodes, local):
    return sum(local(y, parents(arcs, y)) for y in range(n_nodes))


def greedy_equivalence_search(n_nodes, local, atol):
    """Chickering's two phases, with the neighbors of a class by their definition: one arc more, or
    less, in any of its members."""
    every = classes(n_nodes)
    score = {key: total(members[0], n_nodes, local) for key, members in every.items()}
    state = class_key(frozenset())
    for more in (True, False):
        while True:
            near = set()
            for arcs in every[state]:
                if more:
                    pairs = product(range(n_nodes), repeat=2)
                    free = {(x, y) for x, y in pairs if x != y and (y, x) not in arcs} - arcs
                    near |= {class_key(arcs | {arc}) for arc in free}
                else:
                    near |= {class_key(arcs - {arc}) for arc in arcs}
            best = max((key for key in near if key in score), key=score.get, default=state)
            if score[best] <= score[state] + atol:
                break
            state = best
    return cpdag(every[state]), score[state]


def hill_climb(n_nodes, local, atol):
    """Best single addition, deletion or reversal of an arc of a graph, until none is better."""
    arcs = frozenset()
    while True:
        near = [arcs ^ {(x, y)} for x, y in product(range(n_nodes), repeat=2) if x != y]
        near += [arcs ^ {(x, y), (y, x)} for x, y in arcs]
        near = [
            other
            for other in near
            if is_acyclic(other, n_nodes) and len(skeleton(other)) == len(other)
        ]
        best = max(near, key=lambda other: total(other, n_nodes, local))
        if total(best, n_nodes, local) <= total(arcs, n_nodes, local) + atol:
            return arcs
        arcs = best


def counts(rows, y, given):
    """Configuration of the parents to the number of rows in each state of y."""
    found = {}
    for row in rows:
        found.setdefault(tuple(row[x] for x in given), Counter())[row[y]] += 1
    return found


def bdeu(rows, sizes, y, given, sample_size):
    """Marginal likelihood of a node, exact: rising factorials of the prior's cells."""
    q = Fraction(1)
    for x in given:
        q *= sizes[x]
    row = Fraction(sample_size) / q
    cell, likelihood = row / sizes[y], Fraction(1)
    for states in counts(rows, y, given).values():
        for n in states.values():
            for k in range(n):
                likelihood *= cell + k
        for k in range(sum(states.values())):
            likelihood /= row + k
    return likelihood


def likelihood(rows, y, given):
    """Greatest likelihood of a node, exact."""
    found = Fraction(1)
    for states in counts(rows, y, given).values():
        n = sum(states.values())
        for k in states.values():
            found *= Fraction(k, n) ** k
    return found


def residual_variance(rows, y, given):
    """Mean square that a regression with an intercept leaves, exact, by elimination."""
    n = len(rows)
    columns = [[Fraction(1)] * n] + [[Fraction(row[x]) for row in rows] for x in given]
    basis = []
    target = [Fraction(row[y]) for row in rows]
    for column in [*columns, target]:
        left = list(column)
        for other in basis:
            size = sum(value * value for value in other)
            share = sum(a * b for a, b in zip(left, other, strict=True)) / size
            left = [a - share * b for a, b in zip(left, other, strict=True)]
        basis.append(left)
    return sum(value * value for value in basis[-1]) / n
