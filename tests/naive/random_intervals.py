"""Random intervals by their definitions: lists of (low, high, weight), exact numbers."""

from itertools import product
from math import prod


def bel(intervals, low, high):
    return sum(w for a, b, w in intervals if low <= a and b <= high)


def pl(intervals, low, high):
    return sum(w for a, b, w in intervals if a <= high and low <= b)


def expectation(intervals):
    return sum(a * w for a, _, w in intervals), sum(b * w for _, b, w in intervals)


def quantile(intervals, p):
    """The smallest end at which the weight of the ends up to it reaches p."""
    found = []
    for place in (0, 1):
        ends = sorted((row[place], row[2]) for row in intervals)
        total, rest = 0, iter(ends)
        while total < p:
            end, weight = next(rest)
            total += weight
        found.append(end if p else ends[0][0])
    return tuple(found)


def merged(intervals):
    total = {}
    for a, b, w in intervals:
        total[a, b] = total.get((a, b), 0) + w
    return sorted((a, b, w) for (a, b), w in total.items() if w)


def dempster(*sources):
    """Dempster 1968: the intersections of independent intervals, given that none is empty."""
    found = []
    for rows in product(*sources):
        low, high = max(a for a, _, _ in rows), min(b for _, b, _ in rows)
        if low <= high:
            found.append((low, high, prod(w for _, _, w in rows)))
    total = sum(w for _, _, w in found)
    return merged((a, b, w / total) for a, b, w in found)


def mean(*sources):
    return merged((a, b, w / len(sources)) for source in sources for a, b, w in source)


def image(function, *sources):
    """Of a function that is monotone in each argument, for independent sources."""
    found = []
    for rows in product(*sources):
        values = [function(*corner) for corner in product(*((a, b) for a, b, _ in rows))]
        found.append((min(values), max(values), prod(w for _, _, w in rows)))
    return merged(found)


def classes(intervals, cuts):
    """Mass of each run of classes (-inf, c1], (c1, c2], ..., (c, inf)."""
    total = {}
    for a, b, w in intervals:
        run = frozenset(range(sum(c < a for c in cuts), sum(c < b for c in cuts) + 1))
        total[run] = total.get(run, 0) + w
    return total
