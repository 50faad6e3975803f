"""Measures as the papers define them: dictionaries, exact where rational, standard library only.

A mass function is a dict from frozenset to number. Logarithms have base 2.
"""

from collections import Counter
from fractions import Fraction
from itertools import chain, combinations, permutations
from math import comb, log2, prod, sqrt

from tests.naive import mass as naive


def mean(m, value):
    """Mean of a function of the focal set, over the normalized masses."""
    return sum(v * value(event) for event, v in naive.normalize(m).items())


def nonspecificity(m):
    return mean(m, lambda a: log2(len(a)))


def dissonance(m):
    n = naive.normalize(m)
    return mean(m, lambda a: -log2(naive.pl(n, a)))


def discord(m):
    n = naive.normalize(m)
    return mean(m, lambda a: -log2(sum(v * len(a & b) / len(b) for b, v in n.items())))


def strife(m):
    n = naive.normalize(m)
    return mean(m, lambda a: -log2(sum(v * len(a & b) / len(a) for b, v in n.items())))


def pal_entropy(m):
    n = naive.normalize(m)
    return mean(m, lambda a: log2(len(a) / n[a]))


def deng_entropy(m, order=1):
    n = naive.normalize(m)
    return mean(m, lambda a: -log2(n[a] / ((order + 1) ** len(a) - order ** len(a))))


def fractal_entropy(m):
    """Shannon's entropy after sharing each mass evenly among the non-empty subsets."""
    shared = Counter()
    for a, v in naive.normalize(m).items():
        for b in naive.subsets(a):
            if b:
                shared[b] += v / (2 ** len(a) - 1)
    return shannon(shared)


def information_volume(m, rounds):
    """Deng's entropy after so many splits; parts of one size and mass are counted together."""
    parts = Counter()
    for a, v in naive.normalize(m).items():
        parts[len(a), float(v)] += 1
    for _ in range(rounds):
        split = Counter()
        for (n, v), count in parts.items():
            for k in range(1, n + 1):
                share = v * (2**k - 1) / (3**n - 2**n)
                split[k, share] += count * comb(n, k)
        parts = split
    return -sum(count * v * log2(v / (2**n - 1)) for (n, v), count in parts.items())


def shannon(p):
    return -sum(v * log2(v) for v in p.values() if v)


def pic(p):
    """Sudano's definition: 1 + (1 / log2 K) sum of p log2 p; the only label is known."""
    if len(p) == 1:
        return 1.0
    return 1 + sum(x * log2(x) for x in p if x) / log2(len(p))


def information(m, frame):
    return -sum(log2(naive.q(m, a)) for a in naive.subsets(frame))


def conflict(*sources):
    return naive.conjunctive(*sources).get(frozenset(), Fraction(0))


def contour_conflict(frame, *sources):
    return 1 - max(prod(naive.pl(m, frozenset([w])) for m in sources) for w in frame)


def disagreement(m1, m2, frame):
    n1, n2 = naive.normalize(m1), naive.normalize(m2)
    return max(naive.bel(n1, a) - naive.pl(n2, a) for a in naive.subsets(frame))


def blame(*sources):
    """Shapley's value as the mean over all orders of arrival."""
    shares = [Fraction(0)] * len(sources)
    orders = list(permutations(range(len(sources))))
    for order in orders:
        for place, newcomer in enumerate(order):
            before = [sources[i] for i in order[:place]]
            old = conflict(*before) if before else 0
            shares[newcomer] += conflict(*before, sources[newcomer]) - old
    return [share / len(orders) for share in shares]


def difference(m1, m2):
    return {a: m1.get(a, 0) - m2.get(a, 0) for a in {**m1, **m2}}


def jousselme(m1, m2):
    d = difference(m1, m2)

    def similarity(a, b):
        return Fraction(len(a & b), len(a | b)) if a | b else 1

    return sqrt(sum(d[a] * d[b] * similarity(a, b) for a in d for b in d) / 2)


def hausdorff(m1, m2, positions):
    """Of normalized masses; `positions` is a dict from label to number."""
    d = difference(m1, m2)

    def far(a, b):
        return max(min(abs(positions[x] - positions[y]) for y in b) for x in a)

    def similarity(a, b):
        return 1 / (1 + max(far(a, b), far(b, a)))

    return sqrt(max(0, sum(d[a] * d[b] * similarity(a, b) for a in d for b in d) / 2))


def tessem(m1, m2, frame):
    p1, p2 = naive.betp(m1, frame), naive.betp(m2, frame)
    return max(abs(sum(p1[w] - p2[w] for w in event)) for event in naive.subsets(frame))


def bhattacharyya(m1, m2):
    return sqrt(max(0, 1 - sum(sqrt(m1[a] * m2[a]) for a in m1 if a in m2)))


def jensen_shannon(m1, m2):
    def half(one, two):
        return sum(v * log2(2 * v / (v + two.get(a, 0))) for a, v in one.items()) / 2

    return half(m1, m2) + half(m2, m1)


def specializations(m):
    """All results of giving every mass wholly to one subset of its set."""
    events = list(m)
    choices = [[frozenset(c) for c in powerset(a)] for a in events]
    targets = [()]
    for options in choices:
        targets = [(*t, o) for t in targets for o in options]
    for target in targets:
        yield naive.collect(zip(target, m.values(), strict=True))


def powerset(items):
    items = list(items)
    return chain.from_iterable(combinations(items, size) for size in range(len(items) + 1))
