"""Definitions of transforms and constructions, on frozensets and exact numbers."""

from fractions import Fraction
from itertools import permutations

from tests.naive.mass import b, bel, collect, pl, q, subsets

TABLES = {"bel": bel, "pl": pl, "q": q, "b": b, "m": lambda m, event: m.get(event, Fraction(0))}


def by_mask(frame):
    """All subsets in the order of their masks."""
    items = list(frame)
    return [
        frozenset(item for i, item in enumerate(items) if mask >> i & 1)
        for mask in range(1 << len(items))
    ]


def table(m, frame, kind):
    return [TABLES[kind](m, event) for event in by_mask(frame)]


def consonant(contour):
    """Cuts of a possibility distribution (Dubois & Prade 1988): {label: possibility}."""
    levels = sorted(set(contour.values()) - {0}, reverse=True)
    below = [*levels[1:], 0]
    return collect(
        (frozenset(w for w, v in contour.items() if v >= level), level - rest)
        for level, rest in zip(levels, below, strict=False)
    )


def inverse_pignistic(p):
    """Dubois, Prade & Smets (2008): the contour is the sum of min(p(w), p(w'))."""
    return consonant({w: sum(min(p[w], other) for other in p.values()) for w in p})


def optimal_possibility(p):
    """Dubois & Prade (1982): the sum of the probabilities that are not greater."""
    return consonant({w: sum(other for other in p.values() if other <= p[w]) for w in p})


def is_less_committed(m1, m2, frame):
    """q-ordering: q1 >= q2 on every set."""
    return all(q(m1, event) >= q(m2, event) for event in subsets(frame))


def conjunctive_weights(m, frame):
    """w(A) = product over B that contain A of q(B)^((-1)^(|B| - |A| + 1)) (Denoeux 2008)."""
    return {
        a: _power_product((q(m, s), len(s) - len(a) + 1) for s in subsets(frame) if s >= a)
        for a in subsets(frame)
        if a != frozenset(frame)
    }


def disjunctive_weights(m, frame):
    """v(A) = product over B within A of b(B)^((-1)^(|A| - |B| + 1)) (Denoeux 2008)."""
    return {
        a: _power_product((b(m, s), len(a) - len(s) + 1) for s in subsets(frame) if s <= a)
        for a in subsets(frame)
        if a
    }


def _power_product(terms):
    result = Fraction(1)
    for value, exponent in terms:
        result = result / value if exponent % 2 else result * value
    return result


def belief_transform(m, frame):
    total = sum(m.get(frozenset([w]), 0) for w in frame)
    return {w: m.get(frozenset([w]), 0) / total for w in frame}


def dsmp(m, frame, epsilon):
    """Dezert & Smarandache (2008), of a normalized mass function."""
    single = {w: m.get(frozenset([w]), 0) for w in frame}

    def share(w):
        larger = [(a, v) for a, v in m.items() if w in a and len(a) > 1]
        return single[w] + (single[w] + epsilon) * sum(
            v / (sum(single[x] for x in a) + epsilon * len(a)) for a, v in larger
        )

    return {w: share(w) for w in frame}


def vertices(m, frame):
    """Extreme points of the credal set: each mass to its first label, for every order."""
    for order in permutations(frame):
        point = dict.fromkeys(frame, Fraction(0))
        for a, v in m.items():
            point[next(w for w in order if w in a)] += v
        yield point
