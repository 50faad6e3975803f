"""Approximations as their papers describe them: frozensets, dictionaries, exact numbers.

The companion of `tests.naive.mass`; only the standard library. Sets are ordered as the masks of
the package order them: the last label of the frame weighs most.
"""

from fractions import Fraction
from itertools import combinations

from tests.naive.mass import collect, pl

EMPTY = frozenset()


def position(a):
    """Order of sets of single letters: by the latest letters first, as masks."""
    return sorted(map(ord, a), reverse=True)


def by_mass(m):
    """Sets by falling mass; of equal masses the lower one first."""
    return sorted(sorted(m, key=position), key=lambda a: -m[a])


def k_l_x(m, k, l, x):  # noqa: E741 - the letters of the paper
    """Tessem 1993."""
    kept = {}
    for a in by_mass(m):
        if len(kept) >= k and (len(kept) >= l or sum(kept.values()) >= 1 - x):
            break
        kept[a] = m[a]
    return {a: v / sum(kept.values()) for a, v in kept.items()}


def summarize(m, n_sets):
    """Lowrance et al. 1986: the rest goes to its union."""
    order = by_mass(m)
    kept, rest = order[: n_sets - 1], order[n_sets - 1 :]
    union = EMPTY.union(*rest)
    return collect([*((a, m[a]) for a in kept), (union, sum(m[a] for a in rest))])


def d1(m, n_sets, frame):
    """Bauer 1997, label by label."""
    heavy = [a for a in by_mass(m) if a]
    n_kept = n_sets if len(heavy) <= n_sets else n_sets - 1
    kept, dropped = heavy[:n_kept], heavy[n_kept:]

    def share(a, mass):
        supersets = [b for b in kept if a <= b]
        nearest = [b for b in supersets if len(b) == min(map(len, supersets))]
        if nearest:
            return [(b, mass / len(nearest)) for b in nearest]
        meeting = [b for b in kept if a & b and len(b) >= len(a)]
        if not meeting:
            return [(frozenset(frame), mass)]
        rest = a - EMPTY.union(*meeting)
        given = mass * (len(a) - len(rest)) / len(a)
        total = sum(len(a & b) for b in meeting)
        terms = [(b, given * len(a & b) / total) for b in meeting]
        return terms + (share(rest, mass - given) if rest else [])

    terms = [(a, v) for a, v in m.items() if not a or a in kept]
    for a in dropped:
        terms += share(a, m[a])
    return collect(terms)


def size(m):
    return sum(v * len(a) for a, v in m.items())


def cluster(m, n_sets, merge):
    """Denoeux 2001: always the merger that changes the expected size least, all tried."""
    order = sorted(m, key=position)
    while len(order) > n_sets:
        costs = {p: abs(size(merged(m, p, merge)) - size(m)) for p in combinations(order, 2)}
        pair = min(costs, key=costs.get)
        new = merge(*pair)
        # The result stands where the first of all that it replaces stood.
        places = [place for place, a in enumerate(order) if a in pair or a == new]
        m = merged(m, pair, merge)
        order[places[0]] = new
        order = [a for place, a in enumerate(order) if place not in places[1:]]
    return m


def merged(m, pair, merge):
    others = ((a, v) for a, v in m.items() if a not in pair)
    return collect([*others, (merge(*pair), sum(m[a] for a in pair))])


def rank_level(m, rank, kind, frame):
    terms = []
    for a, v in m.items():
        if len(a) <= rank:
            terms.append((a, v))
        elif kind == "outer":
            terms.append((frozenset(frame), v))
        else:
            parts = [frozenset(c) for c in combinations(sorted(a), rank)]
            terms += [(part, v / len(parts)) for part in parts]
    return collect(terms)


def outer_consonant(m, order):
    """Each focal set grows to the shortest beginning of the order that contains it."""
    starts = [frozenset(order[:n]) for n in range(len(order) + 1)]
    return collect((next(s for s in starts if a <= s), v) for a, v in m.items())


def falling_labels(m, frame):
    return sorted(frame, key=lambda w: -pl(m, frozenset([w])))


def highest_contour(m, event):
    return max((pl(m, frozenset([w])) for w in event), default=Fraction(0))


def singletons(m, frame):
    """Sets of two or more become the frame."""
    return collect((a if len(a) < 2 else frozenset(frame), v) for a, v in m.items())
