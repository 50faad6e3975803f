"""Clusterings that are evidence, as their papers define them, on frozensets and plain numbers."""

from functools import reduce
from math import exp, log2

from tests.naive.mass import conjunctive, dempster


def partitions(n):
    """All partitions of 0, ..., n - 1, as tuples of labels by first occurrence."""
    found = [()]
    for _ in range(n):
        found = [(*p, k) for p in found for k in range(max(p, default=-1) + 2)]
    return found


def link(distance, gamma, alpha, exponent):
    """Mass that two samples belong together."""
    return max(alpha * exp(-gamma * distance**exponent), 1e-6)


def plausibility_of_partitions(masses, n):
    """Contour on all partitions of the evidence masses[i, j] that i and j belong together.

    Each is a simple mass function; they are combined conjunctively, without a closed form (Denoeux,
    Kanjanatarakul & Sriboonchitta 2015).
    """
    frame = frozenset(partitions(n))
    sources = [{frame: 1.0}]
    for (i, j), mass in masses.items():
        together = frozenset(p for p in frame if p[i] == p[j])
        sources.append({together: mass, frame: 1 - mass})
    combined = reduce(conjunctive, sources)
    return {p: sum(m for event, m in combined.items() if p in event) for p in frame}


def neighbors_say(masses, labels, n_clusters):
    """Dempster's combination of neighbors that give their cluster these masses."""
    frame = frozenset(range(n_clusters))
    sources = [{frame: 1.0}]
    sources += [
        {frozenset([k]): mass, frame: 1 - mass} for mass, k in zip(masses, labels, strict=True)
    ]
    return reduce(dempster, sources)


def squared_to_mean(i, weights, distance):
    """Squared distance of sample i to a weighted mean of samples (Masson & Denoeux 2009)."""
    n = range(len(weights))
    to_each = sum(weights[j] * distance[i][j] ** 2 for j in n)
    within = sum(weights[j] * weights[k] * distance[j][k] ** 2 for j in n for k in n)
    return to_each - within / 2


def possible(m, rule):
    """Clusters that are possible for a sample; none for an outlier."""
    top = max(m, key=m.get)
    if rule == "maximum_mass" or not top:
        return top
    clusters = frozenset().union(*m)
    plausibility = {k: sum(mass for a, mass in m.items() if k in a) for k in clusters}
    belief = max(m.get(frozenset([k]), 0) for k in clusters)
    return frozenset(k for k in clusters if plausibility[k] >= belief)


def imprecision(m, n_clusters):
    """Nonspecificity by that of the frame; the empty set counts as the frame."""
    return sum(mass * log2(len(a) or n_clusters) for a, mass in m.items()) / log2(n_clusters)


def quadratic(gap, metric):
    """Squared distance by a metric."""
    n = range(len(gap))
    return sum(gap[a] * metric[a][b] * gap[b] for a in n for b in n)


def cecm_cost(X, centers, metrics, sets, masses, alpha, delta, trade_off, unit, must, cannot):
    """The criterion of Antoine, Quost, Masson & Denoeux (2012), distances in a unit.

    `sets` are frozensets of clusters; the empty one has the distance delta.
    """
    p, total = range(len(X[0])), 0.0
    for x, row in zip(X, masses, strict=True):
        for chosen, mass in zip(sets, row, strict=True):
            if not chosen:
                total += mass**2 * delta**2
                continue
            size = len(chosen)
            gap = [x[j] - sum(centers[k][j] for k in chosen) / size for j in p]
            metric = [[sum(metrics[k][a][b] for k in chosen) / size for b in p] for a in p]
            total += size**alpha * mass**2 * quadratic(gap, metric)
    total *= (1 - trade_off) / (len(X) * len(sets) * unit)
    broken = 0.0
    for i, j in must:
        empty, same, _ = about_pair(masses[i], masses[j], sets)
        broken += 1 - empty - same
    for i, j in cannot:
        empty, _, different = about_pair(masses[i], masses[j], sets)
        broken += 1 - empty - different
    return total + trade_off * broken / max(len(must) + len(cannot), 1)


def about_pair(one, other, sets):
    """Masses of the empty set, of "same cluster" and of "different clusters"."""
    empty = same = different = 0.0
    for a, mass_a in zip(sets, one, strict=True):
        for b, mass_b in zip(sets, other, strict=True):
            if not a or not b:
                empty += mass_a * mass_b
            elif not a & b:
                different += mass_a * mass_b
            elif a == b and len(a) == 1:
                same += mass_a * mass_b
    return empty, same, different
